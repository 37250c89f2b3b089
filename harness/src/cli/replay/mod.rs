//! `tideover replay`

mod print;

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde_json::json;
use tideover_exchange::transcript::Transcript;
use tideover_prove::defects::Defect;
use tideover_suite::play::replay::Replay;

use crate::cli::files::{NamedFile, refuse_shared_files};
use crate::cli::live::{LiveOptions, Replayed};
use crate::cli::local::Local;
use crate::cli::{Outcome, Output, Problem, defect_named};

/// Play a transcript again: on the model, on a mock, or against a live endpoint.
///
/// A transcript of a finding names it. The replay plays the steps, a race as a race, until they show that finding
/// again. It exits with 1 if they do and the contract is violated, and with 3 if they do not: NOT REPRODUCED. In a
/// transcript that somebody wrote, each response is compared with what it expects, and judged by every check. At a
/// live endpoint only reads are sent unless the options allow more, and every step must pass the gate.
#[derive(Args)]
pub(super) struct ReplayCommand {
    /// The transcript
    file: PathBuf,
    /// Play it so often, and count how often the finding is reproduced [default: until it is, at most 5 times, a
    /// race 20 times]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    tries: Option<u64>,
    /// Play on the model, or on an embedded mock over HTTP
    #[arg(long, value_name = "WHERE", default_value = "mock", conflicts_with_all = ["target", "config"])]
    on: Where,
    /// Plant this defect of the catalogue
    #[arg(long, value_name = "NAME", value_parser = defect_named, conflicts_with_all = ["target", "config"])]
    defect: Option<&'static Defect>,
    /// Print each step as a line of JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    live: Box<LiveOptions>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Where {
    Model,
    Mock,
}

impl ReplayCommand {
    pub(super) async fn run(self) -> Result<Outcome, Problem> {
        self.live.refuse_for_a_replay()?;
        refuse_shared_files(&self.files())?;
        let transcript = Transcript::read(&self.file)?;
        let mut replay = Replay::new(&transcript, self.tries);
        let replayed = if self.live.given.is_empty() {
            let local = Local { in_process: matches!(self.on, Where::Model), defect: self.defect };
            local.replay(&transcript, &mut replay).await?;
            Replayed::default()
        } else {
            self.live.replay(&transcript, &mut replay).await?
        };
        let Replayed { left_behind, secrets, interrupted, journal, unused } = replayed;
        let outcome = match replay.outcome() {
            Outcome::Fail => Outcome::Fail,
            _ if interrupted => Outcome::Interrupted,
            outcome => outcome,
        };
        let output = Output::new(self.json).concealing(secrets);
        print::print(&output, &transcript, &replay, &left_behind, outcome)?;
        if let Some(journal) = journal.map(|journal| journal.display().to_string()) {
            output.print(format!("journal: {journal}"), || json!({ "journal": journal }))?;
        }
        if !unused.is_empty() {
            let names = unused.join(", ");
            output.print(
                format!("not used: {names}; a Tideover mock plays the transcript as it stands"),
                || json!({ "notUsed": unused }),
            )?;
        }
        Ok(outcome)
    }

    /// The files that the command reads and writes, by option.
    fn files(&self) -> Vec<NamedFile> {
        [("FILE", self.file.clone())].into_iter().chain(self.live.files()).collect()
    }
}

#[cfg(test)]
mod tests {
    use clap::Command;

    use crate::cli::configured;

    /// The options of a check that a replay does not need, and why.
    const OF_A_CHECK: [(&str, &str); 18] = [
        ("seed", "the transcript has the seed of its world"),
        ("profile", "the transcript has it"),
        ("cases", "the transcript is one case"),
        ("case", "the transcript is that case"),
        ("shard", "a case has no parts"),
        ("regressions", "it is one of them"),
        ("steps", "the transcript has them"),
        ("in-process", "--on model says it"),
        ("concurrency", "the transcript has the client of each step"),
        ("print-steps", "it plays nothing"),
        ("max-findings", "a replay has one"),
        ("save", "it is the transcript"),
        ("fail-on", "a replay asks for one finding, not for a verdict"),
        ("min-coverage", "a replay covers what its steps cover"),
        ("baseline", "a finding is replayed whether it is known or not"),
        ("learn", "a few steps teach nothing"),
        ("junit, html, summary, report", "a replay has no report"),
        ("verbose", "a replay shows everything"),
    ];

    fn options(command: &str) -> Vec<String> {
        let whole = configured::command();
        let command: &Command = whole.find_subcommand(command).unwrap();
        let long = command.get_arguments().filter_map(|option| option.get_long());
        long.map(str::to_owned).collect()
    }

    /// `cli/live/given.rs` carries over whatever both commands take.
    #[test]
    fn a_replay_takes_every_option_of_a_check_that_it_needs() {
        let (check, replay) = (options("check"), options("replay"));
        let own: Vec<&str> = OF_A_CHECK.iter().flat_map(|(names, _)| names.split(", ")).collect();
        for option in &check {
            let is_taken = replay.contains(option);
            let is_own = own.contains(&option.as_str());
            assert!(is_taken != is_own, "--{option}: does a replay need it?");
        }
        assert!(own.iter().all(|option| check.iter().any(|it| it == option)), "{own:?}");
    }
}
