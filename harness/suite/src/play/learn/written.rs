//! The lessons as a profile file.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use serde::Serialize;
use tideover_judge::Bounds;
use tideover_model::{Cents, Delays, Profile, Range, Reading, Readings};
use toml::{Table, Value};

use crate::play::learn::span::Span;
use crate::play::learn::{AcceptedAgain, Lessons};

/// What stands for a bound that nothing shows: the largest number that TOML has.
const UNBOUNDED: u64 = i64::MAX as u64;

/// Fields that no run can learn, each with the reason.
const UNLEARNABLE: &[(&str, &str)] = &[
    ("webhooks.timeout", "the inbox answers at once, so that no attempt ends by it"),
    ("webhooks.patience", "it is of the mock's clock alone"),
    ("webhooks.at_once", "attempts are answered at once, so that none waits for another"),
    ("webhooks.lateness", "when the cause of an event happened is not seen"),
];

/// A profile, with the lessons behind it.
#[derive(Clone, Debug)]
pub struct Learned {
    /// The learned values, and assumed ones for the other fields.
    pub profile: Profile,
    /// The learned fields, each with its lesson in words.
    pub lessons: Vec<(String, String)>,
    /// The bounds of learned numbers, by field; of a list of numbers, in their order.
    pub spans: BTreeMap<String, Vec<Span>>,
    /// The fields without a lesson, or with too little of one.
    pub unlearned: Vec<String>,
    /// The bounds of the body limit. A profile has only the upper one. Bytes.
    body_limit: Option<Range<i64>>,
}

/// How wide the bounds of one vendor's rate may be for it to count. Rates are drawn from a range of some hundred basis
/// points, and wider bounds would hide it. Basis points.
const WELL_KNOWN: u64 = 50;

impl Learned {
    pub(super) fn from_lessons(lessons: &Lessons, known: &Profile) -> Learned {
        let mut learned = Learned {
            profile: known.clone(),
            lessons: Vec::new(),
            spans: BTreeMap::new(),
            unlearned: Vec::new(),
            body_limit: None,
        };
        learned.learn_limits(lessons);
        learned.learn_rates(lessons);
        learned.learn_delays(lessons);
        learned.learn_retries(lessons);
        match lessons.session_links_live {
            None => learned.miss("session_links_live"),
            Some(live) => learned.learn("session_links_live", live.to_string(), |profile| {
                profile.session_links_live = live;
            }),
        }
        learned.learn_statuses(lessons);
        learned.learn_attempts(lessons);
        learned.learn_readings(lessons);
        for (field, _) in UNLEARNABLE {
            learned.miss(*field);
        }
        learned
    }

    /// Takes over the lesson of a field, if a profile may have that value.
    fn learn(
        &mut self,
        field: impl Into<String>,
        lesson: impl Into<String>,
        change: impl FnOnce(&mut Profile),
    ) {
        let field = field.into();
        let mut changed = self.profile.clone();
        change(&mut changed);
        if changed.check().is_ok() {
            self.profile = changed;
        } else {
            self.miss(field.clone());
        }
        self.lessons.push((field, lesson.into()));
    }

    /// Lists the lesson of a field that is not enough for a value.
    fn narrow(&mut self, field: &str, lesson: impl Into<String>) {
        self.lessons.push((field.to_owned(), lesson.into()));
        self.miss(field);
    }

    /// Keeps the bounds of a field, if there are any.
    fn bound(&mut self, field: &str, spans: impl IntoIterator<Item = Span>) {
        let spans: Vec<Span> = spans.into_iter().collect();
        if !spans.is_empty() {
            self.spans.insert(field.to_owned(), spans);
        }
    }

    fn miss(&mut self, field: impl Into<String>) {
        self.unlearned.push(field.into());
    }

    fn learn_limits(&mut self, lessons: &Lessons) {
        let bounds = lessons.body_limit;
        self.body_limit = bounds.range();
        self.learn_limit(("body_limit", "bytes"), bounds, bounds.range(), |profile, range| {
            profile.body_limit = usize::try_from(range.max).unwrap_or(usize::MAX);
        });
        // A profile has one number here.
        let bounds = lessons.per_invoice_maximum;
        let exact = bounds.range().and_then(|range| range.exact());
        self.learn_limit(("per_invoice_maximum", "cents"), bounds, exact, |profile, limit| {
            profile.per_invoice_maximum = Cents(limit);
        });
        let bounds = lessons.concentration_limit;
        let limit = ("concentration_limit", "cents");
        self.learn_limit(limit, bounds, bounds.range(), |profile, Range { min, max }| {
            profile.concentration_limit = Range { min: Cents(min.max(1)), max: Cents(max) };
        });
        // What counts as outstanding is open, fees among it: the bounds of two runs may lie that far apart.
        for span in self.spans.get_mut("concentration_limit").into_iter().flatten() {
            *span = Span { min: span.min / 10 * 9, max: span.max / 10 * 11 };
        }
    }

    /// Learns a limit whose bounds give `value` for the profile. Without one, the profile keeps its assumption: any
    /// number between the bounds would be a guess.
    fn learn_limit<T>(
        &mut self,
        (field, unit): (&str, &str),
        bounds: Bounds,
        value: Option<T>,
        change: impl FnOnce(&mut Profile, T),
    ) {
        let Some(lesson) = bounds.in_words(unit) else { return self.miss(field) };
        if let Some(Range { min, max }) = bounds.range() {
            let bound = |bound: i64| u64::try_from(bound).unwrap_or(0);
            self.bound(field, [Span { min: bound(min), max: bound(max) }]);
        }
        match value {
            Some(value) => self.learn(field, lesson, |profile| change(profile, value)),
            None => self.narrow(field, lesson),
        }
    }

    fn learn_rates(&mut self, lessons: &Lessons) {
        let narrow = |span: Span| Range {
            min: u32::try_from(span.min).unwrap_or(u32::MAX),
            max: u32::try_from(span.max).unwrap_or(u32::MAX),
        };
        match lessons.rates.advance.hull_within(WELL_KNOWN) {
            None => self.miss("rates.advance"),
            Some(span) => {
                let lesson = in_words(span, "basis points");
                self.bound("rates.advance", [span]);
                self.learn("rates.advance", lesson, |profile| profile.rates.advance = narrow(span));
            }
        }
        let term = lessons.rates.quote_term.span();
        self.bound("quote_term_days", term);
        match term {
            Some(Span { min, max }) if min == max => {
                let lesson = in_words(Span::exactly(min), "days");
                self.learn("quote_term_days", lesson, |profile| profile.quote_term_days = min);
            }
            Some(term) => self.narrow("quote_term_days", in_words(term, "days")),
            None => self.miss("quote_term_days"),
        }
        let term = term.unwrap_or(Span::exactly(self.profile.quote_term_days));
        let by_quotes = lessons.rates.fee_of_term.hull().map(|fee| Span {
            min: fee.min / term.max.max(1),
            max: fee.max.div_ceil(term.min.max(1)),
        });
        let seen = [lessons.rates.fee.hull_within(WELL_KNOWN), by_quotes]
            .into_iter()
            .flatten()
            .reduce(Span::hull);
        match seen {
            None => self.miss("rates.fee"),
            Some(span) => {
                let lesson = in_words(span, "basis points for 30 days");
                self.bound("rates.fee", [span]);
                self.learn("rates.fee", lesson, |profile| profile.rates.fee = narrow(span));
            }
        }
    }

    fn learn_delays(&mut self, lessons: &Lessons) {
        let delays = &lessons.delays;
        let opens = delays.collection_account.hull();
        self.learn_delay("collection_account", opens, |delays, range| {
            delays.collection_account = range;
        });
        let (starts, completes) = &delays.either_at_most;
        let starts = delays.funding_starts.hull().or_else(|| starts.hull());
        self.learn_delay("funding_starts", starts, |delays, range| delays.funding_starts = range);
        let completes = delays.funding_completes.hull().or_else(|| completes.hull());
        self.learn_delay("funding_completes", completes, |delays, range| {
            delays.funding_completes = range;
        });
    }

    fn learn_delay(
        &mut self,
        field: &str,
        seen: Option<Span>,
        change: impl FnOnce(&mut Delays, Range<u64>),
    ) {
        let field = format!("delays.{field}");
        let Some(span @ Span { min, max }) = seen else { return self.miss(field) };
        self.bound(&field, [span]);
        self.learn(field, in_words(span, "seconds"), |profile| {
            change(&mut profile.delays, Range { min, max });
        });
    }

    /// The retry window and the duplicates, as far as the run lasted: it ends before either is known.
    fn learn_attempts(&mut self, lessons: &Lessons) {
        match lessons.tried_for {
            None => self.miss("webhooks.window"),
            Some(seconds) => {
                self.bound("webhooks.window", [Span { min: seconds, max: UNBOUNDED }]);
                self.narrow("webhooks.window", format!("at least {seconds} seconds"));
            }
        }
        let AcceptedAgain { accepted, repeated } = lessons.repeats;
        match accepted {
            0 => self.miss("webhooks.duplicates"),
            _ => {
                // A few come again by chance, wherever an answer was late.
                let min = if repeated.saturating_mul(100) < accepted { 0 } else { 1 };
                self.bound("webhooks.duplicates", [Span { min, max: repeated }]);
                let lesson = format!("{repeated} of {accepted} accepted deliveries came again");
                self.narrow("webhooks.duplicates", lesson);
            }
        }
    }

    /// The pauses between attempts. Those that no delivery reached keep their assumption.
    fn learn_retries(&mut self, lessons: &Lessons) {
        let seen: Vec<Span> =
            (0..).map_while(|index| lessons.retries.get(&index)?.hull()).collect();
        if seen.is_empty() {
            self.miss("webhooks.retries");
            return;
        }
        self.bound("webhooks.retries", seen.iter().copied());
        let shown: Vec<String> = seen.iter().map(|span| in_words(*span, "s")).collect();
        let lesson = format!("the first {}: {}", seen.len(), shown.join(", "));
        self.learn("webhooks.retries", lesson, |profile| {
            let retries = &mut profile.webhooks.retries;
            for (index, span) in seen.iter().enumerate() {
                match retries.get_mut(index) {
                    Some(known) if (span.min..=span.max).contains(known) => {}
                    Some(known) => *known = span.min.max(1),
                    None => retries.push(span.min.max(1)),
                }
            }
        });
    }

    /// The statuses, also those that equal the assumption: a later check compares what the file states.
    fn learn_statuses(&mut self, lessons: &Lessons) {
        for (success, counts) in &lessons.success {
            let Some(status) = most_frequent(counts) else { continue };
            self.learn(format!("success.{}", name(success)), statuses(counts), |profile| {
                profile.success.insert(*success, status);
            });
        }
        for (code, counts) in &lessons.refusals {
            let Some(status) = most_frequent(counts) else { continue };
            self.learn(format!("refusals.{code}"), statuses(counts), |profile| {
                profile.refusals.insert(*code, status);
            });
        }
    }

    fn learn_readings(&mut self, lessons: &Lessons) {
        for reading in Reading::ALL {
            let field = reading.field();
            match lessons.reads(reading) {
                None => self.miss(field),
                Some(value) => self.learn(field, value.to_string(), |profile| {
                    profile.readings = profile.readings.with(reading, value);
                }),
            }
        }
    }

    fn has_learned(&self, field: &str) -> bool {
        let is_learned = self.lessons.iter().any(|(name, _)| name == field);
        is_learned && !self.unlearned.iter().any(|name| name == field)
    }

    /// The `values` within the table `of` that were learned, or differ from the standard profile.
    fn kept(&self, of: &str, values: &Table, standard: Option<&Table>) -> Table {
        let kept = values.iter().filter_map(|(name, value)| {
            let field = if of.is_empty() { name.clone() } else { format!("{of}.{name}") };
            let assumed = standard.and_then(|standard| standard.get(name));
            let value = match value {
                _ if self.has_learned(&field) => value.clone(),
                // A range is one value.
                Value::Table(values) if !values.contains_key("min") => {
                    let kept = self.kept(&field, values, assumed.and_then(Value::as_table));
                    Some(kept).filter(|kept| !kept.is_empty())?.into()
                }
                value => Some(value.clone()).filter(|value| Some(value) != assumed)?,
            };
            Some((name.clone(), value))
        });
        kept.collect()
    }
}

fn most_frequent(counts: &BTreeMap<u16, u64>) -> Option<u16> {
    counts.iter().max_by_key(|(_, times)| **times).map(|(status, _)| *status)
}

pub(super) fn statuses(counts: &BTreeMap<u16, u64>) -> String {
    let shown = counts.iter().map(|(status, times)| format!("{status} ({times} times)"));
    shown.collect::<Vec<_>>().join(", ")
}

pub(super) fn name<T: Serialize>(field: &T) -> String {
    let name = serde_json::to_value(field).ok();
    name.and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default()
}

pub(super) fn in_words(span: Span, unit: &str) -> String {
    let Span { min, max } = span;
    if min == max { format!("{min} {unit}") } else { format!("{min} to {max} {unit}") }
}

/// A profile file. The lessons stand above it as comments.
impl fmt::Display for Learned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "# Learned from the answers of a target.")?;
        for (field, lesson) in &self.lessons {
            writeln!(f, "# {field}: {lesson}")?;
        }
        if !self.unlearned.is_empty() {
            writeln!(f, "# Not learned, and as assumed: {}", self.unlearned.join(", "))?;
        }
        for (field, why) in UNLEARNABLE {
            writeln!(f, "# {field}: {why}")?;
        }
        let table = |profile: &Profile| Table::try_from(profile).map_err(|_| fmt::Error);
        let mut standard = table(&Profile::default())?;
        let readings = Value::try_from(Readings::default()).map_err(|_| fmt::Error)?;
        standard.insert("readings".to_owned(), readings);
        let mut values = table(&self.profile)?;
        if let Some(range) = self.body_limit.filter(|_| self.has_learned("body_limit")) {
            let range = Value::try_from(range).map_err(|_| fmt::Error)?;
            values.insert("body_limit".to_owned(), range);
        }
        // A profile leaves out standard readings, and those that were learned are stated.
        let readings = Value::try_from(self.profile.readings).map_err(|_| fmt::Error)?;
        values.insert("readings".to_owned(), readings);
        let kept = self.kept("", &values, Some(&standard));
        let toml = toml::to_string(&kept).map_err(|_| fmt::Error)?;
        f.write_char('\n')?;
        f.write_str(&toml)
    }
}
