//! What `tideover simulate` prints for a person.

use std::fmt::Write;

use serde_json::{Value, json};
use tideover_exchange::evidence::outcome::Outcome;
use tideover_report::grouped;
use tideover_simulate::simulation::campaign::{Campaign, CampaignReport};
use tideover_simulate::simulation::plan::Plan;
use tideover_simulate::simulation::reached::{Fault, Reached};
use tideover_simulate::simulation::trace::{Entry, clock};
use tideover_simulate::simulation::{Bug, Run};

const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The width of a list of states.
const WIDTH: usize = 96;

/// The first line of a run.
pub(super) fn world_begins(plan: &Plan) -> String {
    format!(
        "seed {}, tideover {VERSION}: {} platforms, {} businesses, {} days",
        plan.seed,
        plan.platforms,
        plan.vendors.len(),
        plan.days
    )
}

/// The result of a run. Its last line has seed, version and hash.
pub(super) fn world(plan: &Plan, run: &Run) -> String {
    let outcome = if run.breach.is_some() { Outcome::Fail } else { Outcome::Pass };
    let mut text = format!("{outcome}  {}\n", world_course(run));
    let reached = Reached::ALL.into_iter().filter(|state| run.counts.reached(*state) > 0);
    let reached = reached.map(|state| format!("{} {}", state.name(), run.counts.reached(state)));
    list(&mut text, "reached", reached);
    let met = Fault::ALL.into_iter().filter(|fault| run.counts.met(*fault) > 0);
    list(
        &mut text,
        "faults",
        met.map(|fault| format!("{} {}", fault.name(), run.counts.met(fault))),
    );
    if let Some(breach) = &run.breach {
        let _ = writeln!(text, "found      {breach}");
    }
    let _ = write!(text, "seed {}, tideover {VERSION}, hash {}", plan.seed, run.hash);
    text
}

/// `3,909 events in 17.0 days of virtual time`
pub(super) fn world_course(run: &Run) -> String {
    format!("{} events in {} of virtual time", grouped(run.events), days(run.lasted))
}

/// `1,000 worlds, 5,021,599 events, 16,140 days of virtual time`
pub(super) fn campaign_course(report: &CampaignReport) -> String {
    let CampaignReport { runs, events, .. } = report;
    let worlds = counted(usize::try_from(*runs).unwrap_or(usize::MAX), "world", "worlds");
    let days = grouped(report.days());
    format!("{worlds}, {} events, {days} days of virtual time", grouped(*events))
}

pub(super) fn world_as_json(plan: &Plan, run: &Run) -> Value {
    let reached = Reached::ALL.map(|state| (state.name(), run.counts.reached(state)));
    let met = Fault::ALL.map(|fault| (fault.name(), run.counts.met(fault)));
    json!({
        "seed": plan.seed,
        "tideover": VERSION,
        "hash": run.hash,
        "events": run.events,
        "virtualMilliseconds": run.lasted,
        "reached": reached.into_iter().collect::<std::collections::BTreeMap<_, _>>(),
        "faults": met.into_iter().collect::<std::collections::BTreeMap<_, _>>(),
        "totals": run.totals,
        "breach": run.breach,
    })
}

pub(super) fn failure(plan: &Plan, run: &Run) -> String {
    let mut text = format!(
        "\nshrunk to {}, {} hit by faults, {}:\n",
        counted(plan.actors(), "actor", "actors"),
        counted(run.hit.len(), "message", "messages"),
        counted(run.entries.len(), "entry", "entries")
    );
    text.push_str(&trace(&run.entries));
    if let Some(breach) = &run.breach {
        let _ = writeln!(text, "{} ({})", breach.invariant.words(), breach.invariant.clause());
        let _ = writeln!(text, "{breach}");
    }
    text
}

/// `1 actor`
fn counted(number: usize, one: &str, many: &str) -> String {
    format!("{} {}", grouped(number as u64), if number == 1 { one } else { many })
}

pub(super) fn trace(entries: &[Entry]) -> String {
    let lines = entries.iter().map(entry);
    lines.fold(String::new(), |text, line| text + &line + "\n")
}

pub(super) fn entry(Entry { at, actor, text, fault, .. }: &Entry) -> String {
    let (at, actor) = (clock(*at), actor.to_string());
    let fault = fault.map_or_else(String::new, |fault| format!("   [{}]", fault.name()));
    format!("  {at:>16}  {actor:<12} {text}{fault}")
}

/// `16.2 days`
fn days(milliseconds: u64) -> String {
    let tenths = milliseconds / 8_640_000;
    format!("{}.{} days", grouped(tenths / 10), tenths % 10)
}

/// The first line of a campaign.
pub(super) fn campaign_begins(campaign: &Campaign) -> String {
    let size = campaign.size;
    let part =
        if campaign.shard.of > 1 { format!(", shard {}", campaign.shard) } else { String::new() };
    let bug = campaign.bug.map_or_else(String::new, |bug| format!(", with the bug {bug}"));
    format!(
        "seeds {}..{}{part}, tideover {VERSION}: {} platforms, {} businesses, {} days{bug}",
        campaign.seeds.start, campaign.seeds.end, size.platforms, size.businesses, size.days
    )
}

/// The result of a campaign. Its last line has seeds, version and hash.
pub(in crate::cli) fn campaign(report: &CampaignReport) -> String {
    let (missing, short) = (report.missing_shards(), report.short_shards());
    let is_merged = report.shards.len() > 1;
    let is_whole = short.is_empty() && (missing.is_empty() || !is_merged);
    let outcome = match (report.failed, is_whole) {
        (1.., _) => Outcome::Fail,
        (0, false) => Outcome::Inconclusive,
        (0, true) => Outcome::Pass,
    };
    let mut text = format!("{outcome}  {}\n", campaign_course(report));
    for found in &report.findings {
        let _ = writeln!(text, "found      seed {}: {}", found.seed, found.breach);
    }
    if report.runs == 1 {
        one_world(&mut text, report);
    } else {
        matrix(&mut text, report);
        list(&mut text, "never", report.never_reached().into_iter().map(|it| it.name().to_owned()));
        list(&mut text, "not met", report.never_met().into_iter().map(|it| it.name().to_owned()));
    }
    if is_merged {
        list(&mut text, "missing", listed(missing.iter().map(|index| format!("shard {index}"))));
    }
    let early = short.iter().map(|(shard, runs, seeds)| {
        let part = if shard.of > 1 { format!("shard {shard}: ") } else { String::new() };
        format!("{part}{} of {} worlds", grouped(*runs), grouped(*seeds))
    });
    list(&mut text, "ended early", listed(early));
    let _ = write!(
        text,
        "seeds {}..{}, tideover {VERSION}, hash {}",
        report.from, report.to, report.hash
    );
    text
}

/// The first items of a long list.
fn listed(items: impl ExactSizeIterator<Item = String>) -> impl Iterator<Item = String> {
    const MOST: usize = 20;
    let more = items.len().saturating_sub(MOST);
    let rest = (more > 0).then(|| format!("and {} more", grouped(more as u64)));
    items.take(MOST).chain(rest)
}

/// The states reached against the faults met: for each state, the percentage of the worlds with a fault that
/// reached it.
fn matrix(text: &mut String, report: &CampaignReport) {
    let _ = writeln!(
        text,
        "\n{:34}{:>7}  of the worlds that met fault …, this percentage:",
        "reached", "worlds"
    );
    for (index, (fault, worlds)) in report.matrix.met.iter().enumerate() {
        let _ = writeln!(text, "{:43}{} {} ({worlds} worlds)", "", letter(index), fault.name());
    }
    let letters = (0..report.matrix.met.len()).map(|index| format!("{:>4}", letter(index)));
    let _ = writeln!(text, "{:41}{}", "", letters.collect::<String>());
    for ((state, worlds), row) in report.matrix.reached.iter().zip(&report.matrix.both) {
        let cells = row.iter().zip(&report.matrix.met).map(|(both, (_, met))| {
            let share = (both * 100).checked_div(*met);
            share.map_or_else(|| format!("{:>4}", "-"), |share| format!("{share:>4}"))
        });
        let cells: String = cells.collect();
        let _ = writeln!(text, "{:34}{worlds:>7}{cells}", state.name());
    }
    text.push('\n');
}

/// A single world has no percentages, and what it did not meet says nothing about the campaign.
fn one_world(text: &mut String, report: &CampaignReport) {
    let matrix = &report.matrix;
    let reached = matrix.reached.iter().filter(|(_, worlds)| *worlds > 0).count();
    let met = matrix.met.iter().filter(|(_, worlds)| *worlds > 0).count();
    let (states, faults) = (matrix.reached.len(), matrix.met.len());
    let _ =
        writeln!(text, "reached    {reached} of {states} states under {met} of {faults} faults");
}

/// The letter of a column.
fn letter(index: usize) -> char {
    u8::try_from(index).map_or('?', |index| char::from(b'A' + index))
}

/// A list in lines of limited width, behind a heading.
fn list(text: &mut String, heading: &str, items: impl Iterator<Item = String>) {
    let mut line = String::new();
    let mut lines = Vec::new();
    for item in items {
        if !line.is_empty() && line.len() + item.len() > WIDTH {
            lines.push(std::mem::take(&mut line));
        }
        line = if line.is_empty() { item } else { format!("{line} · {item}") };
    }
    if !line.is_empty() {
        lines.push(line);
    }
    for (number, line) in lines.iter().enumerate() {
        let heading = if number == 0 { heading } else { "" };
        let _ = writeln!(text, "{heading:<10} {line}");
    }
}

pub(super) fn bugs() -> String {
    Bug::all().fold(String::new(), |text, bug| {
        let breaks = bug.breaks().map_or("found by --twice", |invariant| invariant.name());
        format!("{text}{:31} {breaks:20} {}\n", bug.name(), bug.words())
    })
}

pub(super) fn bugs_as_json() -> Value {
    let bugs = Bug::all().map(|bug| {
        json!({ "name": bug.name(), "breaks": bug.breaks().map(|it| it.name()), "words": bug.words() })
    });
    json!({ "bugs": bugs.collect::<Vec<_>>() })
}
