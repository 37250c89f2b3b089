//! What a run saw where the document leaves something open.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tideover_model::Timestamp;

use crate::document::{GapReport, Report, SeenValue, ShapeReport, Span};

/// The clause behind fields and words that the document does not list.
const MAY_GROW: &str = "9.versioning.2";

/// What was seen at one place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Observed {
    /// The assumption or clause that leaves it open.
    pub clause: String,
    /// Where it shows: an operation, a code, a field of a response or of the profile.
    pub place: String,
    /// The values, each with how often it was seen. Zero for what many responses narrow.
    pub seen: BTreeMap<String, u64>,
    /// The bounds of the value, if it is a number or a list of numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spans: Vec<Span>,
}

/// What a run saw, at all places.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Observations {
    /// The wall time at the start of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub began: Option<Timestamp>,
    /// The target in words.
    #[serde(default)]
    pub target: String,
    /// In the order of the report.
    pub observed: Vec<Observed>,
}

/// Why a file has no observations. The user names another.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    #[error("{}: {error}", path.display())]
    File { path: PathBuf, error: std::io::Error },
    #[error("{}: it is neither a learned profile nor a report that --json printed: {problem}", path.display())]
    Neither { path: PathBuf, problem: String },
    #[error("{}: it has no observations; tideover profile learn writes them", path.display())]
    Nothing { path: PathBuf },
}

impl Observations {
    /// Reads a learned profile, or a report that was printed as JSON.
    ///
    /// # Errors
    /// [`Unreadable`]: `File`, `Neither`, `Nothing`.
    pub fn read(path: &Path) -> Result<Observations, Unreadable> {
        let owned = || path.to_owned();
        let text = std::fs::read_to_string(path)
            .map_err(|error| Unreadable::File { path: owned(), error })?;
        let neither = |problem: String| Unreadable::Neither { path: owned(), problem };
        if text.trim_start().starts_with('{') {
            let line = text.lines().next().unwrap_or_default().as_bytes();
            let report = Report::read(line).map_err(|problem| neither(problem.to_string()))?;
            return Ok(Observations::of(&report));
        }
        let table: toml::Table =
            toml::from_str(&text).map_err(|problem| neither(problem.message().to_owned()))?;
        if !table.contains_key("observed") {
            return Err(Unreadable::Nothing { path: owned() });
        }
        table.try_into().map_err(|problem: toml::de::Error| neither(problem.message().to_owned()))
    }

    /// What the report of a run shows.
    pub fn of(report: &Report) -> Observations {
        let is_same = |one: &GapReport, other: &GapReport| {
            one.clause == other.clause && one.place == other.place
        };
        let gaps = report.gaps.iter().map(|gap| {
            let mut observed = Observed::from(gap);
            // Where requests differ in what is assumed of them, a place has a row for each.
            if report.gaps.iter().filter(|other| is_same(gap, other)).count() > 1 {
                observed.place = format!("{} ({} assumed)", gap.place, gap.assumed);
            }
            observed
        });
        let gaps = gaps.filter(|one| one.times() > 0 || !one.spans.is_empty() || one.is_a_flag());
        let shapes = report.shapes.iter().flat_map(of_shape);
        Observations {
            began: Some(report.began),
            target: report.target.clone(),
            observed: gaps.chain(shapes).collect(),
        }
    }

    /// The observations as the end of a learned profile.
    pub fn to_toml(&self) -> String {
        #[derive(Serialize)]
        struct End<'a> {
            observed: &'a [Observed],
        }
        // Texts and numbers alone: TOML can say them.
        toml::to_string(&End { observed: &self.observed }).unwrap_or_default()
    }
}

impl From<&GapReport> for Observed {
    fn from(gap: &GapReport) -> Observed {
        let seen = gap.seen.iter().map(|SeenValue { value, times }| {
            let value = if value.is_empty() { "nothing" } else { value };
            (value.to_owned(), times.unwrap_or(0))
        });
        Observed {
            clause: gap.clause.clone(),
            place: gap.place.clone(),
            seen: seen.collect(),
            spans: gap.spans.clone(),
        }
    }
}

/// A row for each field.
fn of_shape(shape: &ShapeReport) -> impl Iterator<Item = Observed> {
    shape.fields.iter().map(|field| Observed {
        clause: MAY_GROW.to_owned(),
        place: format!("{}: {}", shape.of, field.name),
        seen: field.forms.clone(),
        spans: Vec::new(),
    })
}

impl Observed {
    /// How often something was seen.
    pub(super) fn times(&self) -> u64 {
        self.seen.values().sum()
    }

    /// Whether its value is true or false: what is only narrowed, without bounds, cannot be compared.
    fn is_a_flag(&self) -> bool {
        self.seen.keys().all(|value| value == "true" || value == "false")
    }

    /// Whether it is a field of a body. Its value follows from a state that a run may hardly have reached.
    pub(super) fn is_field(&self) -> bool {
        self.clause == MAY_GROW
    }
}
