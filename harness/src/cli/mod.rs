//! The command line.
//!
//! - Input: arguments, configuration files and the environment. Output: one typed value for each command, its
//!   output, and an exit code.
//! - One file for one command. Only `Output` writes to the terminal.
//! - Never here: a rule of the document, a comparison, a second form of a report.

mod baseline;
mod cases;
mod check;
mod checks;
mod concurrent;
mod configured;
mod explore;
mod export;
mod files;
mod generated;
mod judge;
mod live;
mod local;
mod memory;
mod merge;
mod output;
mod played;
mod probe;
mod problem;
mod profile;
mod progress;
mod prove;
mod ready;
mod receiver_check;
mod regressions;
mod replay;
mod reports;
mod secret;
mod serve;
mod settings_file;
mod signals;
mod signature;
mod simulate;
mod steps;
mod traffic;
mod watch;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, FromArgMatches, Parser, Subcommand};
use tideover_model::{Profile, Timestamp};
use tideover_prove::defects;
use tideover_prove::defects::Defect;
use tideover_report::Report;
use tideover_report::drift::Observations;
use tideover_sim::{Authorities, ProfileFile};
use tideover_suite::play::learn::{Lessons, Stated};

pub(crate) use output::Output;
use problem::{Problem, in_file, wrong};

pub(crate) use tideover_exchange::evidence::outcome::Outcome;

/// A mock and a contract suite for the Receivables Advance Partner API.
#[derive(Parser)]
#[command(name = "tideover", version, max_term_width = 100, after_help = EXIT_CODES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "\
Exit codes:
  0    PASS, PASS (partial), DIFFERS (a gap is not as assumed), STALLED (see --fail-on)
  1    FAIL: the contract is violated, a transcript's expectation is not met, a signature is not
       valid, a receiver fails, a defect survives, or an invariant fails
  2    the command is wrong: an option, a file, a port in use, a probe
  3    INCONCLUSIVE: the target cannot be reached or stops answering, or nothing can be concluded
  130  INTERRUPTED: a signal ended a check or a proof; what it saw until then holds";

/// The commands. The help of each is in its module.
#[derive(Subcommand)]
enum Command {
    Serve(serve::Serve),
    Ready(ready::Ready),
    Check(check::CheckCommand),
    Checks(checks::List),
    Replay(replay::ReplayCommand),
    Export(export::Export),
    Judge(judge::Judge),
    Watch(watch::Watch),
    Prove(prove::Prove),
    Simulate(Box<simulate::Simulate>),
    Merge(merge::Merge),
    Profile(profile::ProfileCommand),
    Baseline(baseline::BaselineCommand),
    Explore(explore::Explore),
    Sign(signature::Sign),
    Verify(signature::Verify),
    ReceiverCheck(receiver_check::ReceiverCheck),
    Completions(generated::Completions),
    Man(generated::Manual),
}

/// The world that a command plays in.
#[derive(Args)]
struct WorldOptions {
    /// The seed of everything random: the service's free choices (account numbers, references, rates,
    /// delays) and the steps of a check
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// A TOML file with the assumed values that differ from the standard profile
    #[arg(long, value_name = "FILE")]
    profile: Option<PathBuf>,
}

/// The most threads beside the one of the runtime: they resolve names, and read and write documents.
const MOST_THREADS: usize = 32;

/// Runs the command that the process was started with.
pub fn main() -> ExitCode {
    memory::keep_small();
    match start() {
        Ok(outcome) => ExitCode::from(outcome.exit_code()),
        Err(problem) => {
            output::to_stderr(&format!("tideover: {}", problem.message()));
            ExitCode::from(problem.exit_code())
        }
    }
}

fn start() -> Result<Outcome, Problem> {
    let matches = configured::arguments()?;
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.max_blocking_threads(MOST_THREADS).enable_all().build();
    let runtime = runtime.map_err(|error| wrong(format!("no async runtime: {error}")))?;
    runtime.block_on(async {
        signals::outlive_large_files();
        run(cli.command).await
    })
}

async fn run(command: Command) -> Result<Outcome, Problem> {
    match command {
        Command::Serve(serve) => serve.run().await,
        Command::Ready(ready) => ready.run().await,
        Command::Check(check) => check.run().await,
        Command::Checks(list) => list.run(),
        Command::Replay(replay) => replay.run().await,
        Command::Export(export) => export.run().await,
        Command::Judge(judge) => judge.run(),
        Command::Watch(watch) => watch.run().await,
        Command::Prove(prove) => prove.run().await,
        Command::Simulate(simulate) => simulate.run().await,
        Command::Merge(merge) => merge.run(),
        Command::Profile(profile) => profile.run().await,
        Command::Baseline(baseline) => baseline.run(),
        Command::Explore(explore) => explore.run().await,
        Command::Sign(sign) => sign.run(),
        Command::Verify(verify) => verify.run(),
        Command::ReceiverCheck(check) => check.run().await,
        Command::Completions(completions) => completions.run(),
        Command::Man(manual) => manual.run(),
    }
}

impl WorldOptions {
    /// The profile and the faults in the file, if there is one.
    fn load_file(&self) -> Result<ProfileFile, Problem> {
        let load = |path: &Path| ProfileFile::load(path).map_err(wrong);
        self.profile.as_deref().map_or(Ok(ProfileFile::default()), load)
    }
}

/// The values that a profile file states, if there is one.
fn load_stated(path: Option<&Path>) -> Result<Stated, Problem> {
    let Some(path) = path else { return Ok(Stated::default()) };
    let profile = load_profile(path)?;
    let file = std::fs::read_to_string(path).map_err(wrong)?;
    Stated::new(profile, &file).map_err(wrong)
}

fn load_profile(path: &Path) -> Result<Profile, Problem> {
    tideover_sim::load_profile(path).map_err(wrong)
}

/// Writes the learned choices of a target as a profile, if a file is given, and what the run saw behind it.
fn write_lessons(
    path: Option<&Path>,
    lessons: &Lessons,
    known: &Profile,
    report: &Report,
) -> Result<(), Problem> {
    let Some(path) = path else { return Ok(()) };
    let (profile, seen) = (lessons.learned(known), Observations::of(report).to_toml());
    std::fs::write(path, format!("{profile}\n{OBSERVED}\n{seen}")).map_err(|error| {
        wrong(format!("the learned profile cannot be written: {}: {error}", path.display()))
    })
}

/// What stands above the observations of a learned profile.
const OBSERVED: &str =
    "# What the run saw, and how often. The mock ignores it; tideover profile diff compares it.";

/// A defect of the catalogue, or one that `prove --generated` draws.
fn defect_named(name: &str) -> Result<&'static Defect, String> {
    let drawn = || defects::generated::mutations().into_iter().find(|one| one.name() == name);
    defects::find(name).or_else(|| drawn().map(|one| one.plant())).ok_or_else(|| {
        "no defect has this name; tideover prove --list and --generated name them".to_owned()
    })
}

/// The certificate authorities to trust besides the system's, from a file if one is given.
fn authorities(path: Option<&Path>) -> Result<Authorities, Problem> {
    path.map_or(Ok(Authorities::default()), |path| Authorities::load(path).map_err(wrong))
}

/// The command as it was called, for the commands that are printed.
fn tideover() -> String {
    std::env::args().next().unwrap_or_else(|| "tideover".into())
}

/// One thread for each processor.
fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

fn instant(text: &str) -> Result<Timestamp, String> {
    Timestamp::parse(text)
        .ok_or_else(|| "expected a date-time, such as 2026-01-31T00:00:00Z".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_options_fit_together() {
        configured::command().debug_assert();
    }
}
