//! `tideover prove`

mod generated;
mod right;

use std::sync::Arc;
use std::time::Instant;

use clap::{Args, ValueEnum};
use indicatif::ProgressBar;
use serde_json::json;
use tideover_endpoint::wall_time;
use tideover_prove::defects::Defect;
use tideover_prove::defects::generated::Operator;
use tideover_prove::{Proof, ProofBudget, Setup, defects, prove};
use tideover_report::matrix::Matrix;
use tideover_report::results::Results;
use tideover_report::{matrix, page};
use tideover_suite::generate;

use crate::cli::files::refuse_shared_files;
use crate::cli::progress::bar;
use crate::cli::reports::ReportFiles;
use crate::cli::signals::until_stopped;
use crate::cli::{Outcome, Output, Problem, defect_named, threads};

/// Prove that the suite can fail: run it against each defect of a catalogue.
///
/// Each defect is a small wrapper around the model that breaks one clause. The suite plays with it in
/// process, once for each seed, until it has a finding. --as shows what the suite finds when it can observe
/// less. A defect that it cannot observe then has a reason. Exits with 1 if a defect survives without a
/// reason.
#[derive(Args)]
pub(super) struct Prove {
    /// What the suite knows of the service, and what it can observe
    #[arg(long = "as", value_name = "SETUP", value_enum, default_value_t = As::Known)]
    setup: As,
    /// The number of seeds for each defect
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..))]
    seeds: u64,
    /// Prove this defect alone, of the catalogue or drawn by --generated; may be given again
    #[arg(long, value_name = "NAME", value_parser = defect_named)]
    defect: Vec<&'static Defect>,
    /// The most requests for each seed, in cases of 50 steps [default: 20000 with the model known, otherwise
    /// 5000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    requests: Option<u64>,
    /// Play against N right services instead, each with a profile of its own, in four set-ups: none may be accused
    #[arg(long, value_name = "N", group = "drawn", conflicts_with_all = ["setup", "defect", "seeds", "requests", "list", "markdown"])]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    right: Option<u64>,
    /// The seed of the first right service, or of what is drawn
    #[arg(long, value_name = "SEED", default_value_t = 1, requires = "drawn")]
    first: u64,
    /// Draw N wrong services from the tables of the model instead, by the seed of --first, and say how many are found
    #[arg(long, value_name = "N", group = "drawn", conflicts_with_all = ["right", "setup", "defect", "seeds", "requests", "list"])]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    generated: Option<u64>,
    /// Play with those alone whose kind of mistake is this one, such as code or event; may be given again
    #[arg(long, value_name = "KIND", requires = "generated", value_parser = operator_named)]
    operator: Vec<Operator>,
    /// List the defects, and prove nothing
    #[arg(long)]
    list: bool,
    /// Print each matrix as a line of JSON
    #[arg(long)]
    json: bool,
    /// Print a page of Markdown with what is found from each point of view, or a table of the rates of what is drawn
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    #[command(flatten)]
    reports: ReportFiles,
}

fn operator_named(name: &str) -> Result<Operator, String> {
    let named = Operator::ALL.into_iter().find(|operator| operator.to_string() == name);
    named.ok_or_else(|| format!("one of {}", Operator::ALL.map(|it| it.to_string()).join(", ")))
}

/// What the suite knows of a service.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum As {
    /// The profile and the seed of the service's choices are known
    Known,
    /// Nothing is known; there are an operator port, an inbox and the keys of two platforms
    Stranger,
    /// Nothing is known; there is one key and nothing else
    Caller,
    /// One after the other
    All,
}

impl Prove {
    pub(super) async fn run(self) -> Result<Outcome, Problem> {
        let output = Output::new(self.json);
        if let Some(services) = self.right {
            return right::run(&output, self.first..self.first.saturating_add(services)).await;
        }
        if let Some(services) = self.generated {
            let wanted = generated::Wanted {
                seed: self.first,
                count: usize::try_from(services).unwrap_or(usize::MAX),
                operators: &self.operator,
                markdown: self.markdown,
            };
            return generated::run(&output, wanted).await;
        }
        let defects =
            if self.defect.is_empty() { defects::all().collect() } else { self.defect.clone() };
        if self.list {
            output.print(matrix::list(&defects), || matrix::list_as_json(&defects))?;
            return Ok(Outcome::Pass);
        }
        refuse_shared_files(&self.reports.named().collect::<Vec<_>>())?;
        self.reports.touch()?;
        let mut matrices = Vec::new();
        let mut tried_all = true;
        for setup in self.setups() {
            let began = Instant::now();
            let proofs = self.prove(&output, setup, defects.clone()).await?;
            let matrix = Matrix { setup, proofs, seeds: self.seeds, took: began.elapsed() };
            tried_all = self.print(&output, &matrix, defects.len())?;
            matrices.push(matrix);
            if !tried_all {
                break;
            }
        }
        if self.markdown {
            output.print(page::of(&matrices).trim_end(), || json!(null))?;
        }
        let results = Results::of_proof(&matrices, tried_all, wall_time());
        self.reports.write(&output, &results)?;
        Ok(results.outcome)
    }

    fn setups(&self) -> Vec<Setup> {
        match self.setup {
            As::Known => vec![Setup::Known],
            As::Stranger => vec![Setup::Stranger],
            As::Caller => vec![Setup::Caller],
            As::All => Setup::ALL.to_vec(),
        }
    }

    /// Prints a matrix, unless a page is to be written. Returns whether all trials were made.
    fn print(&self, output: &Output, matrix: &Matrix, defects: usize) -> Result<bool, Problem> {
        let wanted = defects * usize::try_from(self.seeds).unwrap_or(usize::MAX);
        let tried: usize = matrix.proofs.iter().map(|proof| proof.trials.len()).sum();
        if !self.markdown {
            output.print(matrix.to_string().trim_end(), || matrix::as_json(matrix))?;
        }
        if tried < wanted {
            output.print(
                format!("interrupted: {} of {wanted} trials were not made", wanted - tried),
                || json!({ "interrupted": true, "trials": tried, "of": wanted }),
            )?;
        }
        Ok(tried == wanted)
    }

    /// Runs the trials to the end or until Ctrl-C, and returns the proofs so far.
    async fn prove(
        &self,
        output: &Output,
        setup: Setup,
        defects: Vec<&'static Defect>,
    ) -> Result<Vec<Proof>, Problem> {
        let requests = self.requests.unwrap_or(setup.requests());
        let budget =
            ProofBudget { seeds: 1..=self.seeds, requests, steps: generate::DEFAULT_STEPS };
        let threads = threads();
        let bar = progress(output, defects.len() as u64 * self.seeds);
        let proofs = until_stopped(Arc::default(), bar, move |stop, bar| {
            prove(setup, &defects, &budget, threads, stop, &|| bar.inc(1))
        });
        Ok(proofs.await??)
    }
}

fn progress(output: &Output, trials: u64) -> ProgressBar {
    bar(output, Some(trials), "{wide_bar} trial {pos} of {len}, {eta} left")
}
