//! Compares the lessons about a target with its stated profile.

use std::collections::BTreeMap;

use tideover_exchange::evidence::finding::{Finding, PROFILE};
use tideover_judge::Bounds;
use tideover_model::{Clause, Profile, Range, Reading, clause};
use toml::{Table, Value};

use crate::play::learn::Lessons;
use crate::play::learn::span::{Span, Spans};
use crate::play::learn::written::{in_words, name, statuses};

/// The error of an interval between two times in whole seconds.
const ROUNDED: u64 = 1;

/// A profile, and the file that states some of its values. The others are assumed, and accuse nobody.
#[derive(Clone, Debug, Default)]
pub struct Stated {
    profile: Profile,
    file: Table,
}

/// Differences from a profile, each with how often it was seen.
struct Differences<'a> {
    stated: &'a Stated,
    found: Vec<(Finding, u64)>,
}

impl Stated {
    /// `profile`, as `file` states it.
    ///
    /// # Errors
    /// Those of the file, if it is no TOML.
    pub fn new(profile: Profile, file: &str) -> Result<Stated, toml::de::Error> {
        Ok(Stated { profile, file: toml::from_str(file)? })
    }

    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// The bounds of the body limit: a file may state a range, and a profile keeps one number. Bytes.
    fn body_limit(&self) -> Range<i64> {
        let stated = self.file.get("body_limit").cloned().and_then(|value| value.try_into().ok());
        let obeyed = i64::try_from(self.profile.body_limit).unwrap_or(i64::MAX);
        stated.unwrap_or(Range::exactly(obeyed))
    }

    /// Whether the file states the field with this path.
    fn says(&self, field: &str) -> bool {
        let mut parts = field.split('.');
        let first = parts.next().and_then(|part| self.file.get(part));
        parts.fold(first, |value, part| value.and_then(Value::as_table)?.get(part)).is_some()
    }
}

impl Lessons {
    /// A finding for each field that differs from `stated`, with how often it was seen.
    pub fn against(&self, stated: &Stated) -> Vec<(Finding, u64)> {
        let mut differences = Differences { stated, found: Vec::new() };
        differences.compare_statuses(self);
        differences.compare_limits(self);
        differences.compare_rates(self);
        differences.compare_delays(self);
        differences.compare_retries(&self.retries);
        differences.compare_readings(self);
        if self.session_links_live == Some(true) && !stated.profile.session_links_live {
            let clause = clause!("gap.sessionsLive");
            differences.report(clause, "session_links_live", "false", "true", 1);
        }
        differences.found
    }
}

impl Differences<'_> {
    fn report(
        &mut self,
        clause: Clause,
        field: &str,
        expected: impl Into<String>,
        seen: impl Into<String>,
        times: u64,
    ) {
        if self.stated.says(field) {
            self.found.push((Finding::new(clause, PROFILE, field, expected, seen), times));
        }
    }

    fn compare_statuses(&mut self, lessons: &Lessons) {
        let profile = &self.stated.profile;
        for (success, seen) in &lessons.success {
            let field = format!("success.{}", name(success));
            let expected = profile.success_status(*success);
            self.compare_status(clause!("gap.successStatuses"), &field, expected, seen);
        }
        for (code, seen) in &lessons.refusals {
            let expected = profile.refusal_status(*code);
            let field = format!("refusals.{code}");
            self.compare_status(clause!("gap.ownStatuses"), &field, expected, seen);
        }
    }

    fn compare_status(
        &mut self,
        clause: Clause,
        field: &str,
        expected: u16,
        seen: &BTreeMap<u16, u64>,
    ) {
        let others = seen.iter().filter(|(status, _)| **status != expected);
        let times: u64 = others.map(|(_, times)| times).sum();
        if times > 0 {
            self.report(clause, field, expected.to_string(), statuses(seen), times);
        }
    }

    fn compare_limits(&mut self, lessons: &Lessons) {
        let Profile { per_invoice_maximum, concentration_limit, .. } = &self.stated.profile;
        let Range { min, max } = concentration_limit;
        for (clause, field, limit, seen) in [
            (clause!("gap.bodyLimit"), "body_limit", self.stated.body_limit(), lessons.body_limit),
            (
                clause!("gap.perInvoiceMaximum"),
                "per_invoice_maximum",
                Range::exactly(per_invoice_maximum.0),
                lessons.per_invoice_maximum,
            ),
            (
                clause!("gap.concentrationLimit"),
                "concentration_limit",
                Range { min: min.0, max: max.0 },
                lessons.concentration_limit,
            ),
        ] {
            let Bounds { at_least, less_than } = seen;
            let seen = if let Some(more) = at_least.filter(|least| *least > limit.max) {
                format!("{more} is within it")
            } else if let Some(less) = less_than.filter(|beyond| *beyond <= limit.min) {
                format!("{less} is beyond it")
            } else {
                continue;
            };
            let either = || format!("{} to {}", limit.min, limit.max);
            let expected = limit.exact().map_or_else(either, |limit| limit.to_string());
            self.report(clause, field, expected, seen, 1);
        }
    }

    fn compare_rates(&mut self, lessons: &Lessons) {
        let Profile { rates, quote_term_days, .. } = &self.stated.profile;
        let unit = "basis points";
        self.compare_rate("rates.advance", rates.advance, (1, unit), &lessons.rates.advance);
        self.compare_rate("rates.fee", rates.fee, (1, unit), &lessons.rates.fee);
        let unit = format!("basis points over {quote_term_days} days");
        let by_quotes = &lessons.rates.fee_of_term;
        self.compare_rate("rates.fee", rates.fee, (*quote_term_days, &unit), by_quotes);
        let term = Span::exactly(*quote_term_days);
        if let Some(seen) = lessons.rates.quote_term.span().filter(|seen| seen.both(term).is_none())
        {
            let expected = in_words(term, "days");
            let clause = clause!("gap.quoteTerm");
            self.report(clause, "quote_term_days", expected, in_words(seen, "days"), 1);
        }
    }

    /// Each vendor has a rate of its own. A stated range may come from a sample of vendors, so that rates near it are no
    /// difference: its width is the tolerance.
    fn compare_rate(
        &mut self,
        field: &str,
        Range { min, max }: Range<u32>,
        (days, unit): (u64, &str),
        seen: &Spans,
    ) {
        let range = Span { min: u64::from(min) * days, max: u64::from(max) * days };
        let slack = range.max - range.min;
        self.compare_spans(clause!("gap.rates"), field, (range, unit), slack, seen);
    }

    fn compare_delays(&mut self, lessons: &Lessons) {
        let (known, seen) = (&self.stated.profile.delays, &lessons.delays);
        let transitions = clause!("gap.advanceTransitions");
        for (clause, field, known, seen) in [
            (
                clause!("gap.accountOpening"),
                "delays.collection_account",
                known.collection_account,
                &seen.collection_account,
            ),
            (transitions, "delays.funding_starts", known.funding_starts, &seen.funding_starts),
            (
                transitions,
                "delays.funding_completes",
                known.funding_completes,
                &seen.funding_completes,
            ),
        ] {
            let range = Span { min: known.min, max: known.max };
            self.compare_spans(clause, field, (range, "seconds"), ROUNDED, seen);
        }
    }

    /// An attempt itself takes time: up to a tenth of a pause is no difference.
    fn compare_retries(&mut self, seen: &BTreeMap<usize, Spans>) {
        let clause = clause!("gap.retrySchedule");
        let stated = self.stated.profile.webhooks.retries.iter().enumerate();
        for (index, pause) in stated {
            let range = Span::exactly(*pause).give_or_take(ROUNDED.max(pause / 10));
            if let Some((outside, times)) = seen.get(&index).and_then(|seen| seen.outside(range)) {
                let expected = format!("{pause} s after attempt {}", index + 1);
                self.report(clause, "webhooks.retries", expected, in_words(outside, "s"), times);
            }
        }
    }

    fn compare_readings(&mut self, lessons: &Lessons) {
        for reading in Reading::ALL {
            let stated = self.stated.profile.readings.get(reading);
            if let Some(seen) = lessons.reads(reading).filter(|seen| *seen != stated) {
                self.report(
                    reading.clause(),
                    &reading.field(),
                    stated.to_string(),
                    seen.to_string(),
                    1,
                );
            }
        }
    }

    fn compare_spans(
        &mut self,
        clause: Clause,
        field: &str,
        (range, unit): (Span, &str),
        slack: u64,
        seen: &Spans,
    ) {
        if let Some((outside, times)) = seen.outside(range.give_or_take(slack)) {
            let seen = format!("{} ({times} times)", in_words(outside, unit));
            self.report(clause, field, in_words(range, unit), seen, times);
        }
    }
}
