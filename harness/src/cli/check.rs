//! `tideover check`

use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use crate::cli::signals::Ended;
use crate::cli::{Held, Output, Problem, WorldOptions};
use crate::report::{self, Told};
use crate::suite::{Failure, InProcess, OverHttp, Plan, Suite, Summary, World};
use crate::target::{INBOX, embedded, service, start};
use crate::transcript::Header;
use crate::{generate, report::plain};

/// Play random operation sequences and say what held.
///
/// Without a target an embedded mock is started on a free port and played with over HTTP; with
/// --in-process the model is played with directly, and its books are looked into. Every run prints its
/// seed; the same seed plays the same steps. A failure is made small, written to a file, and printed with
/// the command that replays it.
#[derive(Args)]
pub(super) struct Check {
    #[command(flatten)]
    world: WorldOptions,
    /// How many cases are played, each in a fresh world
    #[arg(long, value_name = "N", default_value_t = 400, conflicts_with = "case", value_parser = clap::value_parser!(u64).range(1..))]
    cases: u64,
    /// Play this case alone
    #[arg(long, value_name = "N")]
    case: Option<u64>,
    /// How many steps a case has
    #[arg(long, value_name = "N", default_value_t = generate::DEFAULT_STEPS, value_parser = clap::value_parser!(u64).range(1..))]
    steps: u64,
    /// Play with the model directly, without HTTP
    #[arg(long)]
    in_process: bool,
    /// Print the steps of each case in plain words, and play nothing
    #[arg(long)]
    print_steps: bool,
    /// Where a failure is written
    #[arg(long, value_name = "FILE", default_value = "tideover-failure.jsonl")]
    save: PathBuf,
    /// Print the summary as a line of JSON
    #[arg(long)]
    json: bool,
}

impl Check {
    pub(super) async fn run(self) -> Result<Held, Problem> {
        let output = Output::new(self.json);
        let plan = self.plan()?;
        if self.print_steps {
            return print_steps(&output, &plan);
        }
        let began = Instant::now();
        let progress = Progress::new(&output, &plan);
        let (played, target) = if self.in_process {
            (in_process(&plan, &progress).await, "the model, in process")
        } else {
            (over_http(&plan, &progress).await, "an embedded mock over HTTP")
        };
        progress.bar.finish_and_clear();
        let summary = played.map_err(|problem| problem.in_a_run_of(plan.header.seed))?;
        let replay = summary.failure.as_ref().map(|failure| self.keep(failure)).transpose();
        let told = Told {
            plan: &plan,
            summary: &summary,
            target,
            took: began.elapsed(),
            replay: replay.as_ref().ok().and_then(Option::as_deref),
        };
        output.tell(told.to_string().trim_end(), || report::as_json(&told))?;
        replay?;
        Ok(match &summary.failure {
            Some(failure) if failure.is_violation() => Held::No,
            None if summary.cases < plan.cases => Held::UntilInterrupted,
            Some(_) | None => Held::Yes,
        })
    }

    fn plan(&self) -> Result<Plan, Problem> {
        let seed = self.world.seed.unwrap_or_else(any_seed);
        Ok(Plan {
            header: Header::new(seed, start(), self.world.load_profile()?),
            first: self.case.unwrap_or(0),
            cases: self.case.map_or(self.cases, |_| 1),
            steps: self.steps,
        })
    }

    /// Writes a failure down and says how to replay it.
    fn keep(&self, failure: &Failure) -> Result<String, Problem> {
        let path = self.save.display().to_string();
        failure.transcript.write(&self.save, &failure.answers).map_err(|error| {
            Problem::Wrong(format!("the failure could not be kept: {path}: {error}"))
        })?;
        let on = if self.in_process { "model" } else { "mock" };
        let tideover = std::env::args().next().unwrap_or_else(|| "tideover".into());
        Ok(format!("{tideover} replay {} --on {on}", report::quoted(&path)))
    }
}

async fn in_process(plan: &Plan, progress: &Progress) -> Result<Summary, Problem> {
    let service = service(plan.header.profile.clone(), plan.header.seed, INBOX);
    watched(&mut InProcess::new(service, plan.header.start), plan, progress).await
}

async fn over_http(plan: &Plan, progress: &Progress) -> Result<Summary, Problem> {
    let (mock, target) = embedded(&plan.header).await?;
    let mut world = OverHttp::new(target);
    let summary = watched(&mut world, plan, progress).await;
    mock.stop().await;
    summary
}

/// Plays until the end, or until Ctrl-C; what was played until then is told.
async fn watched<W: World>(
    world: &mut W,
    plan: &Plan,
    progress: &Progress,
) -> Result<Summary, Problem> {
    let mut suite = Suite::new(plan);
    let ended = Ended::listen()?;
    tokio::select! {
        biased;
        heard = ended.heard() => heard?,
        played = suite.play(world, |summary| progress.show(summary)) => played?,
    }
    Ok(suite.summary)
}

fn print_steps(output: &Output, plan: &Plan) -> Result<Held, Problem> {
    for case in plan.first..plan.first.saturating_add(plan.cases) {
        if output.nobody_reads() {
            break;
        }
        let steps = generate::case(&plan.header, case, plan.steps);
        output.tell(
            format!("case {case} of seed {}", plan.header.seed),
            || json!({ "case": case, "seed": plan.header.seed }),
        )?;
        for (index, step) in steps.iter().enumerate() {
            output.tell(format!("  {}. {}", index + 1, plain(step)), || json!(step))?;
        }
    }
    Ok(Held::Yes)
}

/// A seed that is short enough to be typed.
fn any_seed() -> u64 {
    RandomState::new().build_hasher().finish() % 1_000_000
}

/// How far a run is, for whoever watches.
struct Progress {
    bar: ProgressBar,
}

impl Progress {
    fn new(output: &Output, plan: &Plan) -> Progress {
        let bar =
            if output.is_watched() { ProgressBar::new(plan.cases) } else { ProgressBar::hidden() };
        let template = "seed {msg} {wide_bar} case {pos} of {len}, {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_message(plan.header.seed.to_string());
        Progress { bar }
    }

    fn show(&self, summary: &Summary) {
        self.bar.set_position(summary.cases);
    }
}
