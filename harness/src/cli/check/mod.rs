//! `tideover check`

mod files;

use std::hash::{BuildHasher, Hasher, RandomState};
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use serde_json::json;
use tideover_endpoint::wall_time;
use tideover_exchange::evidence::Ending;
use tideover_exchange::secrets::Secrets;
use tideover_exchange::start;
use tideover_exchange::target::{INBOX, service};
use tideover_exchange::transcript::Header;
use tideover_judge::checks::registry::Needs;
use tideover_live::session::StopReason;
use tideover_model::{Destinations, Profile};
use tideover_prove::defects::Defect;
use tideover_report::{Baseline, FinishedRun};
use tideover_suite::generate;
use tideover_suite::play::cases::{Failure, InProcess, OverHttp, Plan, Suite, Summary, Testbed};
use tideover_suite::play::concurrent::Parts;
use tideover_suite::play::learn::Stated;
use tideover_suite::play::regressions::Revisited;
use tideover_suite::play::replay::Replay;

use crate::cli::cases::CaseOptions;
use crate::cli::concurrent::LocalRaces;
use crate::cli::files::refuse_shared_files;
use crate::cli::live::{LiveCheck, LiveOptions};
use crate::cli::local::Local;
use crate::cli::played::Played;
use crate::cli::progress::Progress;
use crate::cli::regressions::Regressions;
use crate::cli::reports::Reports;
use crate::cli::signals::StopSignals;
use crate::cli::steps::print_steps;
use crate::cli::{
    Outcome, Output, Problem, WorldOptions, defect_named, load_stated, write_lessons, wrong,
};

/// The default number of cases.
const CASES: u64 = 400;

/// Play random sequences of requests, and check every documented clause.
///
/// Without --target, check starts a mock on a free port and plays with it over HTTP. With --in-process it
/// plays with the model, and also checks its books. Every run prints its seed; the same seed plays the same
/// steps. Each failure is shrunk, written to a file, and printed with the command that replays it.
#[derive(Args)]
pub(super) struct CheckCommand {
    #[command(flatten)]
    world: WorldOptions,
    #[command(flatten)]
    cases: CaseOptions,
    /// The number of steps of a case [default: 50; 15 against a live endpoint]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    steps: Option<u64>,
    /// Play with the model directly, without HTTP
    #[arg(long, conflicts_with_all = ["target", "config"])]
    in_process: bool,
    /// Plant this defect of the catalogue, to see what a finding looks like
    #[arg(long, value_name = "NAME", value_parser = defect_named, conflicts_with_all = ["target", "config"])]
    defect: Option<&'static Defect>,
    /// Let N clients send at once, and check that some order of the requests explains the responses
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256),
        conflicts_with_all = ["learn", "fail_on"])]
    concurrency: Option<u32>,
    /// Print the steps of each case in plain words, and play nothing
    #[arg(long, conflicts_with = "concurrency")]
    print_steps: bool,
    /// Stop after so many findings of different causes
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    max_findings: u16,
    /// The file for the transcript of the first failure; the others get -2, -3 and so on
    #[arg(long, value_name = "FILE", default_value = "tideover-failure.jsonl")]
    save: PathBuf,
    /// Keep each finding in this folder, and play those that earlier runs have kept there first
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["concurrency", "print_steps"])]
    regressions: Option<PathBuf>,
    #[command(flatten)]
    reports: Reports,
    /// Write the choices of the target as a profile, for --profile of serve and check
    #[arg(long, value_name = "FILE", help_heading = "Against a live endpoint")]
    pub(super) learn: Option<PathBuf>,
    #[command(flatten)]
    live: Box<LiveOptions>,
}

impl CheckCommand {
    pub(super) async fn run(self) -> Result<Outcome, Problem> {
        let output = Output::new(self.reports.json);
        let is_live = !self.live.given.is_empty();
        refuse_shared_files(&self.files())?;
        if self.learn.is_some() && !is_live {
            return Err(wrong("--learn needs --target: what our own mock does is known"));
        }
        let baseline = self.reports.baseline()?;
        let stated = load_stated(self.world.profile.as_deref())?;
        let regressions = self.regressions.as_deref().map(Regressions::read).transpose()?;
        let regressions = regressions.as_ref();
        if !self.print_steps {
            self.reports.touch(self.learn.as_deref())?;
        }
        if is_live {
            return self.run_live(&output, &stated, (baseline, regressions)).await;
        }
        let plan = self.plan(stated.profile().clone())?;
        if self.print_steps {
            return print_steps(&output, &plan, |case| {
                generate::case(&plan.header, case, plan.steps)
            });
        }
        let began = Instant::now();
        let progress = Progress::new(&output, &plan);
        let revisited = self.revisit(regressions).await?;
        let known = revisited.iter().filter_map(|one| one.failure.clone()).collect();
        let played = self.play(&plan, known, &progress).await;
        progress.finish();
        let (summary, races) = played.map_err(|problem| problem.with_seed(plan.header.seed))?;
        let played = self.at_our_own(plan, summary, races, began);
        let played = Played { revisited, ..played };
        self.report(&output, played, (baseline, regressions), None)
    }

    /// Writes the transcripts, prints the report, and writes its files. `stated` is what a target that is not ours
    /// must do where the document is silent.
    fn report(
        &self,
        output: &Output,
        mut played: Played,
        (baseline, regressions): (Option<Baseline>, Option<&Regressions>),
        stated: Option<&Stated>,
    ) -> Result<Outcome, Problem> {
        let replay = self.save(&played);
        let kept = regressions.map_or(Ok(()), |it| it.keep(&played.summary, &played.secrets));
        if let Some(stated) = stated {
            played.summary.conclude(stated);
        }
        let ended = played.ended.as_ref();
        let run = FinishedRun {
            command: "check",
            plan: &played.plan,
            shard: self.cases.shard(),
            summary: &played.summary,
            target: &played.target,
            offers: &played.offers,
            unproven: &played.unproven,
            finished: wall_time(),
            took: played.began.elapsed(),
            replay: replay.as_deref().unwrap_or_default(),
            baseline: baseline.as_ref(),
            regressions: &played.revisited,
            ended: ended.map(|reason| (reported(reason), reason.to_string())),
            left_behind: &played.left_behind,
            unjudged: 0,
            unasked: played.unasked.as_ref(),
            races: played.races.as_ref().map(|(clients, parts)| (*clients, parts)),
            only_races: self.concurrency.is_some(),
            demands: &self.reports.demands(),
        };
        let mut report = run.report();
        report.warnings.extend(played.warnings);
        report.conceal(&played.secrets);
        // The terminal may be closed; the files are written anyway.
        let printed = output.print(self.reports.text(&report), || json!(report));
        let written = self.reports.files.write(output, &report);
        let (learn, lessons) = (self.learn.as_deref(), &played.summary.lessons);
        let learned = write_lessons(learn, lessons, &played.plan.header.profile, &report);
        replay?;
        kept?;
        written.and(learned)?;
        printed?;
        match (report.outcome, played.ended) {
            (Outcome::Inconclusive, Some(StopReason::GivenUp(why))) => Err(Problem::Target(why)),
            (outcome, _) => Ok(outcome),
        }
    }

    /// What was played with the model or a mock that the harness started.
    fn at_our_own(
        &self,
        plan: Plan,
        summary: Summary,
        races: Option<(usize, Parts)>,
        began: Instant,
    ) -> Played {
        let on = if self.in_process { "model" } else { "mock" };
        let defect = self.defect.map_or_else(String::new, |it| format!(" --defect {}", it.name));
        let offers = if self.in_process { Needs::OF_THE_MODEL } else { Needs::OF_A_MOCK };
        Played {
            plan,
            summary,
            began,
            target: target_in_words(self.in_process, self.defect),
            offers: offers.to_vec(),
            unproven: Vec::new(),
            races,
            revisited: Vec::new(),
            ended: None,
            left_behind: Vec::new(),
            unasked: None,
            warnings: Vec::new(),
            secrets: Secrets::default(),
            replay_options: format!(" --on {on}{defect}"),
        }
    }

    /// Plays the cases one after the other or, with --concurrency, as races.
    async fn play(
        &self,
        plan: &Plan,
        known: Vec<Failure>,
        progress: &Progress,
    ) -> Result<(Summary, Option<(usize, Parts)>), Problem> {
        let (in_process, defect) = (self.in_process, self.defect);
        if let Some(clients) = self.concurrency {
            let clients = usize::try_from(clients).unwrap_or(usize::MAX);
            let ran = LocalRaces { plan, clients, in_process, defect }.run(progress).await?;
            return Ok((ran.counted, Some((clients, ran.parts))));
        }
        let summary = match in_process {
            true => self.in_process(plan, known, progress).await?,
            false => self.over_http(plan, known, progress).await?,
        };
        Ok((summary, None))
    }

    /// Plays what earlier runs have kept, each in a world of its own.
    async fn revisit(&self, kept: Option<&Regressions>) -> Result<Vec<Revisited>, Problem> {
        let local = Local { in_process: self.in_process, defect: self.defect };
        let mut revisited = Vec::new();
        for one in kept.into_iter().flat_map(|it| &it.kept) {
            let mut replay = Replay::new(&one.transcript, None);
            local.replay(&one.transcript, &mut replay).await?;
            revisited.push(one.revisited(&replay));
        }
        Ok(revisited)
    }

    async fn in_process(
        &self,
        plan: &Plan,
        known: Vec<Failure>,
        progress: &Progress,
    ) -> Result<Summary, Problem> {
        let Header { seed, start, profile, .. } = plan.header.clone();
        match self.defect {
            None => {
                let service = service(profile, seed, INBOX);
                play_until_stopped(&mut InProcess::new(service, start), plan, known, progress).await
            }
            Some(defect) => {
                let inbox = Destinations::PublicAnd(INBOX.to_owned());
                let service = defect.service(profile, seed, inbox);
                play_until_stopped(&mut InProcess::new(service, start), plan, known, progress).await
            }
        }
    }

    async fn over_http(
        &self,
        plan: &Plan,
        known: Vec<Failure>,
        progress: &Progress,
    ) -> Result<Summary, Problem> {
        let (mock, target) = tideover_prove::embedded(&plan.header, self.defect).await?;
        let mut world = OverHttp::new(target);
        let summary = play_until_stopped(&mut world, plan, known, progress).await;
        mock.stop().await;
        summary
    }

    async fn run_live(
        &self,
        output: &Output,
        stated: &Stated,
        (baseline, regressions): (Option<Baseline>, Option<&Regressions>),
    ) -> Result<Outcome, Problem> {
        let check = LiveCheck {
            output,
            seed: self.world.seed.unwrap_or_else(any_seed),
            profile: stated.profile(),
            cases: self.cases,
            steps: self.steps,
            max_findings: self.max_findings.into(),
            clients: self.concurrency.and_then(NonZeroU32::new),
            regressions: regressions.map_or(&[], |it| &it.kept),
        };
        let run = self.live.prepare(&check)?;
        if self.print_steps {
            return print_steps(output, &run.plan, |case| run.steps(case));
        }
        let played = run.play(&check).await?;
        self.report(output, played, (baseline, regressions), Some(stated))
    }

    fn plan(&self, profile: Profile) -> Result<Plan, Problem> {
        let seed = self.world.seed.unwrap_or_else(any_seed);
        let (first, cases) = self.cases.numbers(CASES)?;
        Ok(Plan {
            header: Header::new(seed, start(), profile),
            first,
            cases,
            steps: self.steps.unwrap_or(generate::DEFAULT_STEPS),
            max_findings: self.max_findings.into(),
        })
    }
}

fn reported(reason: &StopReason) -> Ending {
    match reason {
        StopReason::Spent(_) => Ending::Spent,
        StopReason::GivenUp(_) => Ending::GivenUp,
    }
}

fn target_in_words(in_process: bool, defect: Option<&Defect>) -> String {
    let target = if in_process { "the model, in process" } else { "an embedded mock over HTTP" };
    match defect {
        None => target.to_owned(),
        Some(defect) => format!("{target} with the defect {}", defect.name),
    }
}

/// Plays to the end or until Ctrl-C. Ctrl-C keeps the results so far.
async fn play_until_stopped<W: Testbed>(
    world: &mut W,
    plan: &Plan,
    known: Vec<Failure>,
    progress: &Progress,
) -> Result<Summary, Problem> {
    let mut suite = Suite::new(plan).knowing(known);
    let stop = StopSignals::listen()?;
    tokio::select! {
        biased;
        received = stop.received() => received?,
        played = suite.play(world, |summary| progress.show(summary.cases)) => played?,
    }
    Ok(suite.summary)
}

/// A random seed that is short enough to type.
fn any_seed() -> u64 {
    RandomState::new().build_hasher().finish() % 1_000_000
}
