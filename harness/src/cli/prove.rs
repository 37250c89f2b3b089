//! `tideover prove`

use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Instant;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use crate::cli::signals::Ended;
use crate::cli::{Held, Output, Problem, defect_named};
use crate::defects::{self, Defect};
use crate::prove::{Budget, Proof, prove};
use crate::report::matrix::{self, Matrix};
use crate::{generate, target::Unreachable};

/// Prove that the suite can fail: run it against each defect of a catalogue, and say which it found.
///
/// Each defect is a small wrapper around the model that breaks one clause. The suite plays with it in process,
/// once for each seed, until it has something to tell. What survives is listed. Exits with 1 if a defect
/// survives.
#[derive(Args)]
pub(super) struct Prove {
    /// How many seeds each defect is tried with
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..))]
    seeds: u64,
    /// Prove this defect alone; may be given again
    #[arg(long, value_name = "NAME", value_parser = defect_named)]
    defect: Vec<&'static Defect>,
    /// How many cases a seed has at most
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u64).range(1..))]
    cases: u64,
    /// Name the defects, and prove nothing
    #[arg(long)]
    list: bool,
    /// Print the matrix as a line of JSON
    #[arg(long)]
    json: bool,
}

impl Prove {
    pub(super) async fn run(self) -> Result<Held, Problem> {
        let output = Output::new(self.json);
        let defects =
            if self.defect.is_empty() { defects::all().collect() } else { self.defect.clone() };
        if self.list {
            output.tell(matrix::list(&defects), || matrix::list_as_json(&defects))?;
            return Ok(Held::Yes);
        }
        let began = Instant::now();
        let wanted = defects.len() * usize::try_from(self.seeds).unwrap_or(usize::MAX);
        let proofs = self.prove(&output, defects).await?;
        let tried: usize = proofs.iter().map(|proof| proof.trials.len()).sum();
        let matrix = Matrix { proofs: &proofs, seeds: self.seeds, took: began.elapsed() };
        output.tell(matrix.to_string().trim_end(), || matrix::as_json(&matrix))?;
        if tried < wanted {
            output.tell(
                format!("interrupted: {} of {wanted} trials were not made", wanted - tried),
                || json!({ "interrupted": true, "trials": tried, "of": wanted }),
            )?;
        }
        let all_found = !proofs.iter().any(Proof::survived);
        Ok(match all_found {
            _ if tried < wanted => Held::UntilInterrupted,
            true => Held::Yes,
            false => Held::No,
        })
    }

    /// What was proven until the end, or until Ctrl-C.
    async fn prove(
        &self,
        output: &Output,
        defects: Vec<&'static Defect>,
    ) -> Result<Vec<Proof>, Problem> {
        let budget =
            Budget { seeds: self.seeds, cases: self.cases, steps: generate::DEFAULT_STEPS };
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        let bar = progress(output, defects.len() as u64 * self.seeds);
        let stop = Arc::new(AtomicBool::new(false));
        let ended = Ended::listen()?;
        let (stopped, shown) = (Arc::clone(&stop), bar.clone());
        let mut proving = tokio::task::spawn_blocking(move || {
            prove(&defects, budget, threads, &stopped, &|| shown.inc(1))
        });
        let joined = tokio::select! {
            biased;
            heard = ended.heard() => {
                stop.store(true, Ordering::Relaxed);
                heard?;
                proving.await
            }
            joined = &mut proving => joined,
        };
        bar.finish_and_clear();
        let proofs = joined.map_err(|error| Unreachable(error.to_string()))?;
        Ok(proofs?)
    }
}

fn progress(output: &Output, trials: u64) -> ProgressBar {
    let bar = if output.is_watched() { ProgressBar::new(trials) } else { ProgressBar::hidden() };
    if let Ok(style) = ProgressStyle::with_template("{wide_bar} trial {pos} of {len}, {eta} left") {
        bar.set_style(style);
    }
    bar
}
