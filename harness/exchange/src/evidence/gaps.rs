//! The gaps of the document that a run has met, with the values seen there.

use std::collections::BTreeMap;

use tideover_model::{Clause, clause};

use crate::evidence::Point;

/// The most values of one gap that are kept apart.
const MOST_VALUES: usize = 12;

/// What was seen at each gap, and where.
#[derive(Clone, Debug, Default)]
pub struct Gaps {
    seen: BTreeMap<Place, BTreeMap<String, u64>>,
}

/// The assumption, where it shows, and what is assumed there.
type Place = (Clause, String, String);

/// A gap, at one place; where requests differ in what is assumed of them there, it is one for each.
#[derive(Clone, Debug, PartialEq)]
pub struct Gap {
    /// The assumption.
    pub clause: Clause,
    /// Where it shows: an operation, a code, a field.
    pub place: String,
    /// What is assumed there; empty if that depends on the request.
    pub assumed: String,
    /// What was seen, and how often; `as assumed` where that depends on the request.
    pub seen: BTreeMap<String, u64>,
}

impl Gap {
    pub fn is_constant(&self) -> bool {
        self.seen.len() == 1
    }
}

impl Gaps {
    /// Counts what was seen at a point that an assumption stands behind.
    pub fn record(&mut self, operation: &str, code: Option<&str>, point: &Point) {
        let Point { clause, holds, field, expected, seen } = point;
        let status = field == "status";
        let place = match code {
            Some(code) if status => code.to_owned(),
            _ if status || field.is_empty() => operation.to_owned(),
            _ => format!("{operation}: {}", unnumbered(field)),
        };
        let is_value = status || *clause == clause!("gap.refusalPrecedence");
        let assumed = if is_value { expected.clone() } else { String::new() };
        let counts = self.seen.entry((*clause, place, assumed)).or_default();
        let value = match (is_value, holds) {
            (false, true) => "as assumed".to_owned(),
            _ => seen.chars().take(60).collect(),
        };
        let full = counts.len() >= MOST_VALUES && !counts.contains_key(&value);
        let value = if full { "others".to_owned() } else { value };
        *counts.entry(value).or_default() += 1;
    }

    pub fn add(&mut self, other: &Gaps) {
        for (place, counts) in &other.seen {
            let known = self.seen.entry(place.clone()).or_default();
            for (value, times) in counts {
                *known.entry(value.clone()).or_default() += times;
            }
        }
    }

    /// Every gap that was met, in the order of the document.
    pub fn all(&self) -> impl Iterator<Item = Gap> {
        self.seen.iter().map(|((clause, place, assumed), counts)| Gap {
            clause: *clause,
            place: place.clone(),
            assumed: assumed.clone(),
            seen: counts.clone(),
        })
    }
}

/// A dotted field, whichever element of a list it is in.
fn unnumbered(field: &str) -> String {
    let parts = field
        .split('.')
        .map(|part| if part.bytes().all(|byte| byte.is_ascii_digit()) { "*" } else { part });
    parts.collect::<Vec<_>>().join(".")
}
