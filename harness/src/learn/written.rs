//! What was learned, as a profile file.

use std::fmt::{self, Write as _};

use serde::Serialize;
use tideover_model::{Cents, Profile, Range};

use crate::judge::Bounds;
use crate::learn::Lessons;
use crate::learn::span::Span;

/// A profile, with what it rests on.
#[derive(Clone, Debug)]
pub struct Learned {
    /// The profile: what was learned, and what was assumed before where nothing was.
    pub profile: Profile,
    /// What of it was learned, as a field of the profile and what is known of it.
    pub lessons: Vec<(String, String)>,
    /// The fields that nothing was learned of.
    pub unlearned: Vec<String>,
}

impl Learned {
    pub(super) fn from_lessons(lessons: &Lessons, known: &Profile) -> Learned {
        let mut learned =
            Learned { profile: known.clone(), lessons: Vec::new(), unlearned: Vec::new() };
        learned.learn_limits(lessons);
        learned.learn_rates(lessons);
        learned.learn_delays(lessons);
        learned.learn_retries(lessons);
        match lessons.session_links_live {
            None => learned.miss("session_links_live"),
            Some(live) => {
                learned.profile.session_links_live = live;
                learned.tell("session_links_live", live.to_string());
            }
        }
        learned.learn_statuses(lessons);
        for field in ["window", "timeout", "patience", "at_once", "duplicates", "lateness"] {
            learned.miss(format!("webhooks.{field}"));
        }
        learned
    }

    fn tell(&mut self, field: impl Into<String>, lesson: impl Into<String>) {
        self.lessons.push((field.into(), lesson.into()));
    }

    fn miss(&mut self, field: impl Into<String>) {
        self.unlearned.push(field.into());
    }

    fn learn_limits(&mut self, lessons: &Lessons) {
        let known = i64::try_from(self.profile.body_limit).unwrap_or(i64::MAX);
        if let Some(limit) = self.learn_limit("body_limit", "bytes", lessons.body_limit, known) {
            self.profile.body_limit = usize::try_from(limit).unwrap_or(usize::MAX);
        }
        let known = self.profile.per_invoice_maximum.0;
        let bounds = lessons.per_invoice_maximum;
        if let Some(limit) = self.learn_limit("per_invoice_maximum", "cents", bounds, known) {
            self.profile.per_invoice_maximum = Cents(limit);
        }
        let known = self.profile.concentration_limit.0;
        let bounds = lessons.concentration_limit;
        if let Some(limit) = self.learn_limit("concentration_limit", "cents", bounds, known) {
            self.profile.concentration_limit = Cents(limit);
        }
    }

    /// A limit is learned once something was beyond it; until then, what was assumed stands if it can.
    fn learn_limit(&mut self, field: &str, unit: &str, bounds: Bounds, known: i64) -> Option<i64> {
        let possible = bounds.at_least.is_none_or(|least| least <= known)
            && bounds.less_than.is_none_or(|beyond| known < beyond);
        let Some(beyond) = bounds.less_than else {
            self.miss(field);
            return (!possible).then_some(bounds.at_least).flatten();
        };
        let least = bounds.at_least.unwrap_or(0);
        self.tell(field, format!("at least {least} and less than {beyond} {unit}"));
        Some(if possible { known } else { least.max(1) })
    }

    fn learn_rates(&mut self, lessons: &Lessons) {
        let narrow = |span: Span| Range {
            min: u32::try_from(span.min).unwrap_or(u32::MAX),
            max: u32::try_from(span.max).unwrap_or(u32::MAX),
        };
        match lessons.rates.advance {
            None => self.miss("rates.advance"),
            Some(span) => {
                self.profile.rates.advance = narrow(span);
                self.tell("rates.advance", in_words(span, "basis points"));
            }
        }
        match (lessons.rates.quote_term, lessons.rates.fee) {
            (Some(term), _) => {
                let known = self.profile.quote_term_days;
                let possible = (term.min..=term.max).contains(&known);
                self.profile.quote_term_days = if possible { known } else { term.min.max(1) };
                self.tell("quote_term_days", in_words(term, "days"));
            }
            (None, _) => self.miss("quote_term_days"),
        }
        let term = self.profile.quote_term_days.max(1);
        let by_quotes = lessons.rates.fee_of_term;
        let by_quotes =
            by_quotes.map(|span| Span { min: span.min / term, max: span.max.div_ceil(term) });
        let seen = [lessons.rates.fee, by_quotes].into_iter().flatten().reduce(Span::hull);
        match seen {
            None => self.miss("rates.fee"),
            Some(span) => {
                self.profile.rates.fee = narrow(span);
                self.tell("rates.fee", in_words(span, "basis points for 30 days"));
            }
        }
    }

    fn learn_delays(&mut self, lessons: &Lessons) {
        let delays = &lessons.delays;
        let account = self.learn_delay("delays.collection_account", delays.collection_account);
        let starts = self.learn_delay("delays.funding_starts", delays.funding_starts);
        let completes = self.learn_delay("delays.funding_completes", delays.funding_completes);
        let known = &mut self.profile.delays;
        known.collection_account = account.unwrap_or(known.collection_account);
        known.funding_starts = starts.unwrap_or(known.funding_starts);
        known.funding_completes = completes.unwrap_or(known.funding_completes);
    }

    fn learn_delay(&mut self, field: &str, seen: Option<Span>) -> Option<Range<u64>> {
        let Some(span) = seen else {
            self.miss(field);
            return None;
        };
        self.tell(field, in_words(span, "seconds"));
        Some(Range { min: span.min, max: span.max })
    }

    /// The attempts that were seen; those after them are as they were assumed to be.
    fn learn_retries(&mut self, lessons: &Lessons) {
        let seen: Vec<Span> =
            (0..).map_while(|index| lessons.retries.get(&index).copied()).collect();
        if seen.is_empty() {
            self.miss("webhooks.retries");
            return;
        }
        let retries = &mut self.profile.webhooks.retries;
        for (index, span) in seen.iter().enumerate() {
            match retries.get_mut(index) {
                Some(known) if (span.min..=span.max).contains(known) => {}
                Some(known) => *known = span.min.max(1),
                None => retries.push(span.min.max(1)),
            }
        }
        let told: Vec<String> = seen.iter().map(|span| in_words(*span, "s")).collect();
        self.tell("webhooks.retries", format!("the first {}: {}", seen.len(), told.join(", ")));
    }

    fn learn_statuses(&mut self, lessons: &Lessons) {
        for (success, counts) in &lessons.success {
            let Some(status) = most_frequent(counts) else { continue };
            self.tell(format!("success.{}", name(success)), statuses(counts));
            if self.profile.success_status(*success) != status {
                self.profile.success.insert(*success, status);
            }
        }
        for (code, counts) in &lessons.refusals {
            let Some(status) = most_frequent(counts) else { continue };
            self.tell(format!("refusals.{code}"), statuses(counts));
            if self.profile.refusal_status(*code) != status {
                self.profile.refusals.insert(*code, status);
            }
        }
    }
}

fn most_frequent(counts: &std::collections::BTreeMap<u16, u64>) -> Option<u16> {
    counts.iter().max_by_key(|(_, times)| **times).map(|(status, _)| *status)
}

fn statuses(counts: &std::collections::BTreeMap<u16, u64>) -> String {
    let told = counts.iter().map(|(status, times)| format!("{status} ({times} times)"));
    told.collect::<Vec<_>>().join(", ")
}

fn name<T: Serialize>(field: &T) -> String {
    let name = serde_json::to_value(field).ok();
    name.and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default()
}

fn in_words(span: Span, unit: &str) -> String {
    let Span { min, max } = span;
    if min == max { format!("{min} {unit}") } else { format!("{min} to {max} {unit}") }
}

/// A profile file: what was learned of each field above it, and what was not at the end.
impl fmt::Display for Learned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "# Learned from the answers of a target.")?;
        for (field, lesson) in &self.lessons {
            writeln!(f, "# {field}: {lesson}")?;
        }
        if !self.unlearned.is_empty() {
            writeln!(f, "# Not learned, and as assumed: {}", self.unlearned.join(", "))?;
        }
        let toml = toml::to_string(&self.profile).map_err(|_| fmt::Error)?;
        f.write_char('\n')?;
        f.write_str(&toml)
    }
}
