//! `tideover check --concurrency N`

use std::time::Instant;

use serde_json::json;
use tideover_model::{Destinations, Service};

use crate::cli::check::{Progress, target_in_words};
use crate::cli::signals::Ended;
use crate::cli::{Held, Output, Problem};
use crate::concurrent::report::Told;
use crate::concurrent::{History, Interleaved, Known, Schedule, Summary, interleave, play};
use crate::defects::Defect;
use crate::generate::{self, Size};
use crate::suite::{OverHttp, Plan, World};
use crate::target::{Bare, INBOX, Unreachable, embedded_with, service};
use crate::transcript::Header;

/// Where races are run.
pub(super) trait Course {
    /// What was seen of race `number`, and what is known of the target before it.
    async fn run(&mut self, number: u64, size: Size) -> Result<(History, Known), Unreachable>;
}

/// Runs the races of a plan, whose steps are shared among so many clients, until one contradicts the document.
pub(super) async fn run_all(
    course: &mut impl Course,
    plan: &Plan,
    clients: usize,
    summary: &mut Summary,
    progress: &Progress,
) -> Result<(), Unreachable> {
    let steps = usize::try_from(plan.steps).unwrap_or(usize::MAX);
    let size = Size { clients, steps: steps.div_ceil(clients) };
    for number in plan.numbers() {
        let (history, known) = course.run(number, size).await?;
        summary.add(number, history, &known);
        progress.show(summary.cases);
        if summary.failure.is_some() {
            break;
        }
        // Whoever wants to end the run must get a turn.
        tokio::task::yield_now().await;
    }
    Ok(())
}

/// Races against what the harness starts itself.
pub(super) struct Races<'a> {
    pub(super) plan: &'a Plan,
    pub(super) clients: usize,
    pub(super) in_process: bool,
    pub(super) defect: Option<&'static Defect>,
}

impl Races<'_> {
    pub(super) async fn run(self, output: &Output) -> Result<Held, Problem> {
        let began = Instant::now();
        let mut summary = Summary::default();
        let progress = Progress::new(output, self.plan);
        let ended = Ended::listen()?;
        let played = tokio::select! {
            biased;
            heard = ended.heard() => heard,
            played = self.play(&mut summary, &progress) => played.map_err(Problem::from),
        };
        progress.finish();
        let Plan { header: Header { seed, .. }, cases, .. } = *self.plan;
        played.map_err(|problem| problem.in_a_run_of(seed))?;
        let here = if self.in_process { " --in-process" } else { "" };
        let defect = self.defect.map(|it| format!(" --defect {}", it.name)).unwrap_or_default();
        let told = Told {
            summary: &summary,
            clients: self.clients,
            target: &target_in_words(self.in_process, self.defect),
            again: format!("--seed {seed}{here}{defect}"),
            seed,
            api_key: Service::FIRST_KEY,
            took: began.elapsed(),
            ended: None,
            left_behind: &[],
        };
        output.tell(told.to_string().trim_end(), || json!(told.as_json()))?;
        concluded(&summary, cases)
    }

    async fn play(&self, summary: &mut Summary, progress: &Progress) -> Result<(), Unreachable> {
        let Races { plan, clients, in_process, defect } = *self;
        let header = &plan.header;
        if in_process {
            let (profile, seed) = (header.profile.clone(), header.seed);
            let Some(defect) = defect else {
                let mut course = InProcess { header, face: service(profile, seed, INBOX) };
                return run_all(&mut course, plan, clients, summary, progress).await;
            };
            let inbox = Destinations::PublicAnd(INBOX.to_owned());
            let mut course = InProcess { header, face: defect.service(profile, seed, inbox) };
            return run_all(&mut course, plan, clients, summary, progress).await;
        }
        let (mock, target) = embedded_with(header, defect).await?;
        let mut course = Embedded { header, world: OverHttp::new(target) };
        let played = run_all(&mut course, plan, clients, summary, progress).await;
        mock.stop().await;
        played
    }
}

/// Whether all `races` have held.
pub(super) fn concluded(summary: &Summary, races: u64) -> Result<Held, Problem> {
    match summary.inconclusive() {
        _ if summary.failure.is_some() => Ok(Held::No),
        0 if summary.cases < races => Ok(Held::UntilInterrupted),
        0 => Ok(Held::Yes),
        // The exit code of what cannot be concluded.
        count => Err(Problem::Unreachable(format!(
            "nothing could be concluded of {count} parts; fewer --steps or another --concurrency may help"
        ))),
    }
}

/// The bare model: a schedule decides when each request takes effect.
struct InProcess<'a, F> {
    header: &'a Header,
    face: F,
}

impl<F: Interleaved + Clone> Course for InProcess<'_, F> {
    async fn run(&mut self, number: u64, size: Size) -> Result<(History, Known), Unreachable> {
        let header = self.header;
        let mut target = Bare::over(self.face.clone(), header.start);
        let schedule = Schedule { seed: header.seed.wrapping_add(number), lost: 0 };
        let history = interleave(&mut target, &generate::race(header, number, size), schedule);
        Ok((history, Known::of(header, INBOX)))
    }
}

/// The embedded mock.
struct Embedded<'a> {
    header: &'a Header,
    world: OverHttp,
}

impl Course for Embedded<'_> {
    async fn run(&mut self, number: u64, size: Size) -> Result<(History, Known), Unreachable> {
        let mut target = self.world.fresh().await?;
        let known = Known::of_target(self.header, &mut target);
        let race = generate::race(self.header, number, size);
        Ok((play(&target, &race, self.header.start).await?, known))
    }
}
