//! `tideover check --concurrency N`

use std::time::Instant;

use crate::cli::signals::Ended;
use crate::cli::{Held, Output, Problem};
use crate::concurrent::report::Told;
use crate::concurrent::{Known, Schedule, Summary, interleave, play};
use crate::generate::{self, Size};
use crate::suite::{OverHttp, Plan, World};
use crate::target::NO_INBOX;
use crate::target::{Bare, INBOX, Target, embedded, service};

/// Races of so many clients, of the cases of a plan: its steps are shared among them.
pub(super) struct Races<'a> {
    pub(super) plan: &'a Plan,
    pub(super) clients: usize,
    pub(super) in_process: bool,
}

impl Races<'_> {
    pub(super) async fn run(self, output: &Output) -> Result<Held, Problem> {
        let began = Instant::now();
        let mut summary = Summary::default();
        let ended = Ended::listen()?;
        let target =
            if self.in_process { "the model, in process" } else { "an embedded mock over HTTP" };
        let played = tokio::select! {
            biased;
            heard = ended.heard() => heard,
            played = self.play(&mut summary) => played,
        };
        let seed = self.plan.header.seed;
        played.map_err(|problem| problem.in_a_run_of(seed))?;
        let told = Told {
            summary: &summary,
            clients: self.clients,
            target,
            seed,
            api_key: tideover_model::Service::FIRST_KEY,
            took: began.elapsed(),
        };
        output.tell(told.to_string().trim_end(), || told.as_json())?;
        match summary.inconclusive() {
            _ if summary.failure.is_some() => Ok(Held::No),
            0 if summary.cases < self.plan.cases => Ok(Held::UntilInterrupted),
            0 => Ok(Held::Yes),
            // The exit code of what cannot be concluded.
            count => Err(Problem::Unreachable(format!(
                "nothing could be concluded of {count} parts; fewer --steps or another --concurrency may help"
            ))),
        }
    }

    fn size(&self) -> Size {
        let steps = usize::try_from(self.plan.steps).unwrap_or(usize::MAX);
        Size { clients: self.clients, steps: steps.div_ceil(self.clients) }
    }

    fn cases(&self) -> impl Iterator<Item = u64> {
        let first = self.plan.first;
        (0..self.plan.cases).map(move |number| first.wrapping_add(number))
    }

    async fn play(&self, summary: &mut Summary) -> Result<(), Problem> {
        if self.in_process {
            self.in_process(summary).await;
            Ok(())
        } else {
            self.over_http(summary).await
        }
    }

    async fn in_process(&self, summary: &mut Summary) {
        let header = &self.plan.header;
        let known = Known::of(header, INBOX);
        let face = service(header.profile.clone(), header.seed, INBOX);
        for case in self.cases() {
            let race = generate::race(header, case, self.size());
            let mut target = Bare::over(face.clone(), header.start);
            let schedule = Schedule { seed: header.seed.wrapping_add(case), lost: 0 };
            summary.add(case, interleave(&mut target, &race, schedule), &known);
            if summary.failure.is_some() {
                break;
            }
            // Whoever wants to end the run must get a turn.
            tokio::task::yield_now().await;
        }
    }

    async fn over_http(&self, summary: &mut Summary) -> Result<(), Problem> {
        let header = &self.plan.header;
        let (mock, target) = embedded(header).await?;
        let known = Known::of(header, target.inbox().unwrap_or(NO_INBOX));
        let mut world = OverHttp::new(target);
        for case in self.cases() {
            let race = generate::race(header, case, self.size());
            let history = play(&world.fresh().await?, &race, header.start).await?;
            summary.add(case, history, &known);
            if summary.failure.is_some() {
                break;
            }
        }
        mock.stop().await;
        Ok(())
    }
}
