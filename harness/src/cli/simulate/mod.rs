//! `tideover simulate`

mod keep;
mod one;
mod options;
mod reports;
mod text;
mod twice;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use clap::Args;
use serde_json::json;
use tideover_exchange::evidence::Shard;
use tideover_simulate::simulation::Bug;
use tideover_simulate::simulation::campaign::{Campaign, CampaignReport, Found};
use tideover_simulate::simulation::plan::Size;

use crate::cli::files::{given_files, refuse_shared_files};
use crate::cli::progress::bar;
use crate::cli::reports::{ReportFiles, touch};
use crate::cli::signals::until_stopped;
use crate::cli::{Outcome, Output, Problem, threads};

use options::{Seeds, bug_named, seeds};
use reports::Course;
pub(super) use text::campaign as campaign_text;

/// Simulate the whole world from a seed: platforms, vendors, payors, the service and an unreliable network.
///
/// The world runs in virtual time, without sockets: 14 days take some milliseconds. Each seed draws who acts
/// and which faults come. Platforms are clients written from the document alone. After every event, the
/// invariants must hold; once the faults stop, everything must settle, and each platform's copy of the state
/// must equal the service's. A failure is shrunk, saved, and replayed by the command that is printed. --html
/// draws the run as a timeline; in a campaign, the first failure.
#[derive(Args)]
pub(super) struct Simulate {
    /// The seed of the world
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with = "seeds")]
    seed: u64,
    /// Run a campaign: the seeds from A up to, but not including, B
    #[arg(long, value_name = "A..B", value_parser = seeds)]
    seeds: Option<Seeds>,
    #[command(flatten)]
    size: SizeOptions,
    /// The number of threads of a campaign [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), requires = "seeds")]
    jobs: Option<u16>,
    /// Run part K of N of a campaign, K from 0 to N-1; tideover merge adds the parts up
    #[arg(long, value_name = "K/N", requires = "seeds")]
    shard: Option<Shard>,
    /// Plant this bug; --bugs lists them
    #[arg(long, value_name = "NAME", value_parser = bug_named)]
    bug: Option<Bug>,
    /// List the planted bugs, and run nothing
    #[arg(long)]
    bugs: bool,
    /// Run everything in two processes with another time zone, locale, folder and number of threads, and
    /// compare the hashes
    #[arg(long, conflicts_with_all = ["replay", "wanted", "html", "junit", "summary", "trace"])]
    twice: bool,
    /// Print every entry of the trace
    #[arg(long, conflicts_with = "seeds")]
    trace: bool,
    /// Where to save a failure [default: tideover-simulation.jsonl]
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Play a saved failure again
    #[arg(long, value_name = "FILE", conflicts_with_all = ["seed", "seeds", "bug"])]
    replay: Option<PathBuf>,
    /// Keep a failure as it is, however large
    #[arg(long)]
    no_shrink: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    reports: ReportFiles,
}

/// How large each world is.
#[derive(Args, Clone, Copy)]
struct SizeOptions {
    /// Platforms in each world
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=100))]
    platforms: u32,
    /// Businesses in each world
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    businesses: u32,
    /// Days until the faults stop
    #[arg(long, value_name = "N", default_value_t = 14, value_parser = clap::value_parser!(u64).range(1..=3650))]
    days: u64,
}

impl From<SizeOptions> for Size {
    fn from(options: SizeOptions) -> Size {
        let SizeOptions { platforms, businesses, days } = options;
        Size { platforms, businesses, days }
    }
}

impl Simulate {
    pub(super) async fn run(self) -> Result<Outcome, Problem> {
        let output = Output::new(self.json);
        if self.bugs {
            output.print(text::bugs().trim_end(), text::bugs_as_json)?;
            return Ok(Outcome::Pass);
        }
        self.check_files()?;
        if self.twice {
            return twice::compare(&self, &output).await;
        }
        if let Some(path) = &self.replay {
            return self.replay(&output, path);
        }
        match &self.seeds {
            None => self.one(&output),
            Some(seeds) => self.campaign(&output, seeds).await,
        }
    }

    /// Refuses files that cannot be written, before a long run starts, and two options that name one file.
    fn check_files(&self) -> Result<(), Problem> {
        let given = given_files([("--save", &self.save), ("--replay", &self.replay)]);
        refuse_shared_files(&given.chain(self.reports.named()).collect::<Vec<_>>())?;
        self.save.as_deref().map_or(Ok(()), touch)?;
        self.reports.touch()
    }

    async fn campaign(&self, output: &Output, seeds: &Seeds) -> Result<Outcome, Problem> {
        let began = Instant::now();
        let campaign = Campaign {
            seeds: seeds.0.clone(),
            shard: self.shard.unwrap_or(Shard::WHOLE),
            size: self.size.into(),
            bug: self.bug,
            jobs: self.jobs.map_or_else(threads, usize::from),
            until_found: self.bug.is_some(),
        };
        output.announce(text::campaign_begins(&campaign))?;
        let (report, interrupted) = run(output, campaign).await?;
        output.print(text::campaign(&report).trim_end(), || json!(report))?;
        let first = report.findings.first();
        let keep = |found: &Found| self.keep(output, found.seed, found.breach.invariant);
        let picture = first.map(keep).transpose()?.flatten();
        let outcome = match (report.failed, interrupted) {
            (1.., _) => Outcome::Fail,
            (0, true) => Outcome::Interrupted,
            (0, false) => Outcome::Pass,
        };
        let course = Course {
            outcome,
            reason: text::campaign_course(&report),
            seeds: format!("seeds {}..{}", report.from, report.to),
            findings: &report.findings,
            hash: report.hash.to_string(),
            began,
            picture,
        };
        self.conclude(output, course)
    }
}

/// Runs a campaign to its end, or until Ctrl-C. Returns whether it was interrupted.
async fn run(output: &Output, campaign: Campaign) -> Result<(CampaignReport, bool), Problem> {
    let bar = bar(output, Some(campaign.own_seeds()), "{wide_bar} seed {pos} of {len}, {eta} left");
    let stop = Arc::new(AtomicBool::new(false));
    let report = until_stopped(Arc::clone(&stop), bar, move |stop, bar| {
        campaign.run(stop, &|done| bar.set_position(done))
    });
    Ok((report.await?, stop.load(Ordering::Relaxed)))
}
