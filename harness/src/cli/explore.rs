//! `tideover explore`

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use serde_json::json;
use tideover_endpoint::wall_time;
use tideover_prove::defects::Defect;
use tideover_simulate::explore::{
    Bounds, Explored, Search, SmallWorld, WORLDS, list, list_as_json, planted_named, results,
};

use crate::cli::files::refuse_shared_files;
use crate::cli::progress::bar;
use crate::cli::reports::ReportFiles;
use crate::cli::signals::until_stopped;
use crate::cli::{Outcome, Output, Problem};

/// Search small worlds exhaustively: every order of actions that is possible in them.
///
/// Each world has two platforms that share a vendor, up to three invoices, and a limit that only one advance
/// fits. The search checks the invariants of the service in every state, and that it came across what the
/// world is for. Exits with 1 if an invariant fails, with the shortest way there, or if a milestone is never
/// reached.
#[derive(Args)]
pub(super) struct Explore {
    /// Search this world alone; may be given again
    #[arg(long, value_name = "NAME", value_parser = world_named)]
    world: Vec<&'static SmallWorld>,
    /// Plant a bug in the service, to see that the search finds it
    #[arg(long, value_name = "NAME", value_parser = bug_named)]
    bug: Option<&'static Defect>,
    /// The number of threads; with more than one, the depth may vary
    #[arg(long, value_name = "N", default_value = "1")]
    threads: NonZeroUsize,
    /// Generate at most so many states of a world, repeated ones included
    #[arg(long, value_name = "N")]
    max_states: Option<NonZeroUsize>,
    /// Search only so many actions deep
    #[arg(long, value_name = "N")]
    depth: Option<usize>,
    /// List the worlds and the bugs, and search nothing
    #[arg(long)]
    list: bool,
    /// Print each world as a line of JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    reports: ReportFiles,
}

impl Explore {
    pub(super) async fn run(self) -> Result<Outcome, Problem> {
        let output = Output::new(self.json);
        if self.list {
            output.print(list(), list_as_json)?;
            return Ok(Outcome::Pass);
        }
        let worlds =
            if self.world.is_empty() { WORLDS.iter().collect() } else { self.world.clone() };
        let stop = Arc::new(AtomicBool::new(false));
        let bounds = Bounds { threads: self.threads, states: self.max_states, depth: self.depth };
        refuse_shared_files(&self.reports.named().collect::<Vec<_>>())?;
        self.reports.touch()?;
        let mut searches = Vec::new();
        for world in worlds {
            let planted = self.bug;
            let plan = Search { world, planted, bounds, stop: Arc::clone(&stop) };
            let explored = explore(&output, plan).await?;
            output.print(&explored, || explored.as_json())?;
            searches.push(explored);
            if stop.load(Ordering::Relaxed) {
                output.print("interrupted", || json!({ "interrupted": true }))?;
                break;
            }
        }
        let results = results(&searches, self.bug, stop.load(Ordering::Relaxed), wall_time());
        self.reports.write(&output, &results)?;
        Ok(results.outcome)
    }
}

/// Searches a world to the end or until Ctrl-C.
async fn explore(output: &Output, plan: Search) -> Result<Explored, Problem> {
    let bar = bar(output, None, "{msg}: {pos} states, {elapsed}");
    bar.set_message(plan.world.name);
    let stop = Arc::clone(&plan.stop);
    until_stopped(stop, bar, move |_, bar| {
        let shown = bar.clone();
        plan.explore(&move |states| shown.set_position(states as u64))
    })
    .await
}

fn world_named(name: &str) -> Result<&'static SmallWorld, String> {
    SmallWorld::named(name)
        .ok_or_else(|| "no world has this name; tideover explore --list names them".to_owned())
}

fn bug_named(name: &str) -> Result<&'static Defect, String> {
    planted_named(name)
        .ok_or_else(|| "no bug has this name; tideover explore --list names them".to_owned())
}
