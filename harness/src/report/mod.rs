//! What is told of a run: in plain words, as curl lines, as JSON.

mod curl;
pub mod matrix;
mod plain;

use std::fmt::{self, Write as _};
use std::time::Duration;

use serde_json::{Value, json};

use crate::coverage::{Coverage, Group};
use crate::finding::Finding;
use crate::suite::{Failure, Plan, Summary};

pub use curl::curl;
pub(crate) use curl::quoted;
pub use plain::plain;

/// A suite's summary, for a person.
pub struct Told<'a> {
    /// What was to be played.
    pub plan: &'a Plan,
    /// What came of it.
    pub summary: &'a Summary,
    /// What was played against, in words.
    pub target: &'a str,
    /// How long it took.
    pub took: Duration,
    /// The command that replays a failure.
    pub replay: Option<&'a str>,
}

impl fmt::Display for Told<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Told { plan, summary, target, took, replay } = self;
        let Summary { steps, cases, .. } = summary;
        let (seconds, rate) = (took.as_secs_f64(), per_second(*steps, *took));
        let seed = plan.header.seed;
        writeln!(
            f,
            "{steps} steps in {cases} cases against {target}, {seconds:.1} s ({rate} steps/s), seed {seed}"
        )?;
        if *cases < plan.cases && summary.failure.is_none() {
            writeln!(f, "interrupted: {} cases were not played", plan.cases - cases)?;
        }
        writeln!(f)?;
        write_coverage(f, &summary.coverage)?;
        writeln!(f)?;
        match &summary.failure {
            None => {
                let evaluations: u64 = summary.met.values().sum();
                let clauses = summary.met.len();
                writeln!(f, "held: {clauses} clauses, looked at {evaluations} times")?;
            }
            Some(failure) => write!(f, "{}", Failed { failure, plan })?,
        }
        match replay {
            None => Ok(()),
            Some(command) => writeln!(f, "\nreplay it with: {command}"),
        }
    }
}

fn write_coverage(f: &mut fmt::Formatter<'_>, coverage: &Coverage) -> fmt::Result {
    let width = Group::ALL.iter().map(|group| group.title().len()).max().unwrap_or(0);
    let mut missed = Vec::new();
    for group in Group::ALL {
        let mut told = Vec::new();
        for (name, count) in coverage.of(group) {
            match count {
                0 => missed.push(name),
                count => told.push(format!("{name} {count}")),
            }
        }
        write_wrapped(f, &format!("{:width$}  ", group.title()), &told)?;
    }
    write_wrapped(f, &format!("{:width$}  ", "not reached"), &missed)
}

/// A failure, for a person: what does not hold, and the steps that show it.
pub struct Failed<'a> {
    /// What failed.
    pub failure: &'a Failure,
    /// What was to be played.
    pub plan: &'a Plan,
}

impl fmt::Display for Failed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Failed { failure, plan } = self;
        for finding in &failure.findings {
            writeln!(f, "{finding}")?;
        }
        let steps = &failure.transcript.steps;
        writeln!(f)?;
        writeln!(
            f,
            "met in case {} of seed {}; {} steps made {} in {} runs:",
            failure.case,
            plan.header.seed,
            failure.steps_before,
            steps.len(),
            failure.probes
        )?;
        let curl = curl(steps, &failure.answers);
        for (index, step) in steps.iter().enumerate() {
            let answer = failure.answers.get(index).map(|(_, seen)| match seen.code() {
                Some(code) => format!("{} {code}", seen.status),
                None => seen.status.to_string(),
            });
            writeln!(f, "  {}. {} → {}", index + 1, plain(step), answer.unwrap_or_default())?;
            writeln!(f, "     {}", curl[index])?;
        }
        Ok(())
    }
}

/// A suite's summary, for a program.
pub fn as_json(told: &Told<'_>) -> Value {
    let Told { plan, summary, target, took, replay } = told;
    let mut coverage = serde_json::Map::new();
    for group in Group::ALL {
        let counts: serde_json::Map<String, Value> = summary
            .coverage
            .of(group)
            .into_iter()
            .map(|(name, count)| (name, json!(count)))
            .collect();
        coverage.insert(group.title().to_owned(), Value::Object(counts));
    }
    let met: serde_json::Map<String, Value> = summary
        .met
        .iter()
        .map(|(clause, times)| (clause.name().to_owned(), json!(times)))
        .collect();
    json!({
        "target": target,
        "seed": plan.header.seed,
        "cases": summary.cases,
        "steps": summary.steps,
        "milliseconds": u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        "held": summary.failure.is_none(),
        "coverage": coverage,
        "clauses": met,
        "replay": replay,
        "failure": summary.failure.as_ref().map(failure_as_json),
    })
}

fn failure_as_json(failure: &Failure) -> Value {
    let steps = &failure.transcript.steps;
    let curl = curl(steps, &failure.answers);
    let played = steps.iter().zip(&failure.answers).zip(curl);
    let steps: Vec<Value> = played
        .map(|((step, (at, seen)), curl)| {
            json!({ "step": step, "plain": plain(step), "curl": curl, "at": at, "seen": seen })
        })
        .collect();
    let verdicts: Vec<_> = failure.findings.iter().map(Finding::verdict).collect();
    json!({
        "case": failure.case,
        "findings": failure.findings,
        "verdicts": verdicts,
        "stepsBefore": failure.steps_before,
        "steps": steps,
    })
}

fn per_second(steps: u64, took: Duration) -> u64 {
    let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX).max(1);
    steps.saturating_mul(1_000_000) / micros
}

/// A list, broken into lines that a terminal has room for; nothing for an empty one.
fn write_wrapped(f: &mut fmt::Formatter<'_>, title: &str, items: &[String]) -> fmt::Result {
    const WIDTH: usize = 110;
    if items.is_empty() {
        return Ok(());
    }
    let indent = " ".repeat(title.chars().count());
    let mut line = title.to_owned();
    for (index, item) in items.iter().enumerate() {
        let item = if index + 1 < items.len() { format!("{item} · ") } else { item.clone() };
        if line.chars().count() + item.chars().count() > WIDTH && line.trim() != title.trim() {
            writeln!(f, "{}", line.trim_end())?;
            line = indent.clone();
        }
        line.write_str(&item)?;
    }
    writeln!(f, "{}", line.trim_end())
}
