//! The difference between two observations.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use serde::{Deserialize, Serialize};
use tideover_exchange::evidence::ABSENT;
use tideover_model::{Clause, Timestamp, clause};

use crate::drift::observed::{Observations, Observed};
use crate::figures::counted;

/// How often a value must be expected in a run for its absence to say something: by chance it is then missing in one
/// run of a thousand.
const SURELY: u64 = 7;

/// How often something must be seen for one value to be the rule there.
const RULE: u64 = 2;

/// The most values of a place that are printed.
const MOST_VALUES: usize = 5;

/// What two runs show differently.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Drift {
    /// When the earlier run began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Timestamp>,
    /// When the later run began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Timestamp>,
    /// The number of places that both runs have seen often enough to compare them.
    pub compared: u64,
    /// The number of places that only one of them has seen.
    pub only_in_one: u64,
    /// What differs, in the order of the report.
    pub rows: Vec<DriftRow>,
}

/// A place where the service does something else than before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DriftRow {
    /// The assumption or clause that leaves it open.
    pub clause: String,
    /// Where it shows.
    pub place: String,
    /// What happened.
    pub change: Change,
    /// The values before, each with how often it was seen.
    pub before: BTreeMap<String, u64>,
    /// The values after.
    pub after: BTreeMap<String, u64>,
    /// Whether a client may have relied on the earlier value: it was the only one.
    pub relied_on: bool,
}

/// What happened at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Change {
    /// Other values than before.
    Changed,
    /// Values that were not there before, beside the former ones.
    Appeared,
    /// Some of the former values are gone.
    Vanished,
}

impl Drift {
    /// What differs from `before` in `after`.
    pub fn between(before: &Observations, after: &Observations) -> Drift {
        let by_place = |of: &'_ Observations| -> BTreeMap<(String, String), Observed> {
            let key = |one: &Observed| (one.clause.clone(), one.place.clone());
            of.observed.iter().map(|one| (key(one), one.clone())).collect()
        };
        let (mut known, mut compared, mut rows) = (by_place(before), 0, Vec::new());
        let mut only_in_one = 0;
        for now in &after.observed {
            let Some(then) = known.remove(&(now.clause.clone(), now.place.clone())) else {
                match appears(before, now) {
                    Some(row) => rows.push(row),
                    None => only_in_one += 1,
                }
                continue;
            };
            compared += 1;
            rows.extend(then.difference(now));
        }
        for then in known.into_values() {
            match vanishes(&then, after) {
                Some(row) => rows.push(row),
                None => only_in_one += 1,
            }
        }
        let rows = without_inner(rows);
        Drift { before: before.began, after: after.began, compared, only_in_one, rows }
    }

    /// Whether something differs at one of these gaps or clauses; `any` is any of them.
    pub fn has(&self, clauses: &[String]) -> bool {
        let is_named = |row: &DriftRow| clauses.iter().any(|it| it == "any" || *it == row.clause);
        self.rows.iter().any(is_named)
    }

    /// The drift as a table of Markdown.
    pub fn markdown(&self) -> String {
        let mut text = format!("{}\n", self.headline());
        if !self.rows.is_empty() {
            text.push_str(
                "\n| gap | where | before | after | relied on |\n| --- | --- | --- | --- | --- |\n",
            );
        }
        for row in &self.rows {
            let cell = |text: String| text.replace('|', "\\|");
            let relied_on = if row.relied_on { "perhaps" } else { "no" };
            let (place, before) = (cell(row.place.clone()), cell(in_words(&row.before)));
            let after = cell(in_words(&row.after));
            let _ =
                writeln!(text, "| {} | {place} | {before} | {after} | {relied_on} |", row.clause);
        }
        text
    }

    fn headline(&self) -> String {
        let places = counted(self.compared, "place");
        match self.rows.len() as u64 {
            0 if self.compared == 0 => {
                "no place to compare: no run has seen one of the other".to_owned()
            }
            0 => format!("no drift: {places} compared, and each is as before"),
            rows => format!("drift: {} of {places} compared", counted(rows, "difference")),
        }
    }
}

/// A field that is there now, and was not in any of many objects.
fn appears(before: &Observations, now: &Observed) -> Option<DriftRow> {
    without(before, now)?.difference(now)
}

/// A field that was there, and is not in any of many objects now.
fn vanishes(then: &Observed, after: &Observations) -> Option<DriftRow> {
    then.difference(&without(after, then)?)
}

/// Where it is counted which events came.
const EVENT_CAUSES: Clause = clause!("gap.eventCauses");

/// The field as a run has seen it that has never seen it: absent from each object where it could have been. `None` if
/// the run has seen no such object.
fn without(run: &Observations, field: &Observed) -> Option<Observed> {
    let place = |of: &Observed| {
        let (of, name) = of.place.split_once(": ")?;
        let around = name.rsplit_once('.').map_or("", |(around, _)| around);
        Some((of.to_owned(), around.to_owned()))
    };
    // Whether an event came is no field of what came.
    let own = place(field).filter(|_| field.clause != EVENT_CAUSES.name())?;
    let is_beside =
        |one: &&Observed| one.clause == field.clause && place(one).as_ref() == Some(&own);
    let objects = run.observed.iter().filter(is_beside).map(Observed::times).max()?;
    let seen = BTreeMap::from([(ABSENT.to_owned(), objects)]);
    Some(Observed { seen, ..field.clone() })
}

/// Leaves out the fields within an object that came or went as a whole.
fn without_inner(rows: Vec<DriftRow>) -> Vec<DriftRow> {
    let is_all = |seen: &BTreeMap<String, u64>| seen.keys().eq([ABSENT]);
    let whole: Vec<String> = (rows.iter())
        .filter(|row| is_all(&row.before) || is_all(&row.after))
        .map(|row| format!("{}.", row.place))
        .collect();
    let is_inner = |row: &DriftRow| whole.iter().any(|whole| row.place.starts_with(whole));
    rows.into_iter().filter(|row| !is_inner(row)).collect()
}

impl Observed {
    fn difference(&self, now: &Observed) -> Option<DriftRow> {
        let change = if self.spans.is_empty() || now.spans.is_empty() {
            self.change_of_values(now)?
        } else {
            let mut pairs = self.spans.iter().zip(&now.spans);
            // Bounds that overlap may be those of one value.
            let differ = pairs.any(|(then, now)| then.most < now.least || now.most < then.least);
            differ.then_some(Change::Changed)?
        };
        Some(DriftRow {
            clause: self.clause.clone(),
            place: self.place.clone(),
            change,
            before: self.seen.clone(),
            after: now.seen.clone(),
            relied_on: self.seen.len() == 1 && !self.seen.contains_key(ABSENT),
        })
    }

    fn change_of_values(&self, now: &Observed) -> Option<Change> {
        let (before, after) = (self.times(), now.times());
        let is_uncounted = before == 0 && after == 0;
        let both_rule = self.seen.len() == 1 && now.seen.len() == 1;
        let rule = if self.is_field() { SURELY } else { RULE };
        if both_rule && (is_uncounted || before.min(after) >= rule) {
            return (self.seen.keys().ne(now.seen.keys())).then_some(Change::Changed);
        }
        // Whether a value that `one` has seen `times` of `all` would have been seen in `other`.
        let is_missed = |other: &Observed, value: &String, times: u64, all: u64, others: u64| {
            !other.seen.contains_key(value)
                && times >= RULE
                && times.saturating_mul(others) >= SURELY.saturating_mul(all)
        };
        let appeared =
            now.seen.iter().any(|(it, times)| is_missed(self, it, *times, after, before));
        let vanished =
            self.seen.iter().any(|(it, times)| is_missed(now, it, *times, before, after));
        match (appeared, vanished) {
            (true, true) => Some(Change::Changed),
            (true, false) => Some(Change::Appeared),
            (false, true) => Some(Change::Vanished),
            (false, false) => None,
        }
    }
}

/// Values, the most frequent first.
fn in_words(seen: &BTreeMap<String, u64>) -> String {
    let mut values: Vec<(&String, &u64)> = seen.iter().collect();
    values.sort_by_key(|(_, times)| std::cmp::Reverse(**times));
    let more = values.len().saturating_sub(MOST_VALUES);
    let words = values.into_iter().take(MOST_VALUES).map(|(value, times)| match times {
        0 => value.clone(),
        times => format!("{value} ({})", counted(*times, "time")),
    });
    let words = words.collect::<Vec<_>>().join(", ");
    if more == 0 { words } else { format!("{words}, and {more} more") }
}

impl fmt::Display for Drift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.headline())?;
        for row in &self.rows {
            writeln!(f, "\n{} at {}", row.clause, row.place)?;
            writeln!(f, "  before  {}", in_words(&row.before))?;
            writeln!(f, "  after   {}", in_words(&row.after))?;
            if row.relied_on {
                writeln!(f, "  It was so each time: a client may rely on it.")?;
            }
        }
        if self.only_in_one > 0 {
            let places = counted(self.only_in_one, "place");
            writeln!(f, "\nnot compared: {places} that only one of the runs has seen")?;
        }
        Ok(())
    }
}
