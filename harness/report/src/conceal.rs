//! A report with its secrets masked.

use std::collections::BTreeMap;

use tideover_exchange::secrets::Secrets;

use crate::document::{
    Answer, Blame, Change, ClauseReport, DeliveryReport, Difference, DutyReport, FindingReport,
    Found, GapReport, HeaderReport, Known, LatencyReport, RacesReport, RegressionReport, Report,
    SeenValue, ShapeReport, ShownField, State, StateGroup, StepReport, UnexplainedPart,
};

impl Report {
    pub fn conceal(&mut self, secrets: &Secrets) {
        self.mask(secrets);
    }
}

/// Every part names all its fields, so that the compiler finds a new one. Text that only Tideover writes
/// stays as it is, since it serves as a key: fingerprints, and the table of clauses.
trait Masked {
    fn mask(&mut self, secrets: &Secrets);
}

impl Masked for String {
    fn mask(&mut self, secrets: &Secrets) {
        *self = secrets.conceal(self);
    }
}

impl Masked for serde_json::Value {
    fn mask(&mut self, secrets: &Secrets) {
        *self = secrets.conceal_in(self.take());
    }
}

impl<T: Masked> Masked for Option<T> {
    fn mask(&mut self, secrets: &Secrets) {
        self.iter_mut().for_each(|it| it.mask(secrets));
    }
}

impl<T: Masked> Masked for Vec<T> {
    fn mask(&mut self, secrets: &Secrets) {
        self.iter_mut().for_each(|it| it.mask(secrets));
    }
}

/// The words that a target sends stand as keys.
impl Masked for BTreeMap<String, u64> {
    fn mask(&mut self, secrets: &Secrets) {
        let masked = std::mem::take(self).into_iter();
        *self = masked.map(|(word, times)| (secrets.conceal(&word), times)).collect();
    }
}

/// Masks the fields before the semicolon; the others contain nothing from a target.
macro_rules! masked {
    ($($type:ident { $($field:ident),+; $($other:ident),* })+) => {$(
        impl Masked for $type {
            fn mask(&mut self, secrets: &Secrets) {
                let $type { $($field),+, $($other: _),* } = self;
                $($field.mask(secrets);)+
            }
        }
    )+};
}

masked! {
    Report {
        target, headline, clauses, findings, gone, regressions, gaps, shapes, latency, states, races, warnings, left_behind, ended_because,
        conduct;
        version, tideover, command, began, seed, cases, cases_left, steps, milliseconds, outcome, extent, untried, fail_on, ending,
        unasked, time, workers, reached, state_matrix, shards, plan, hash
    }
    DutyReport { shown; duty, clause, place, wording, state }
    ClauseReport { reason; clause, place, wording, kind, status, remedy, exercised, broken }
    FindingReport {
        found, also, blame, steps, difference, replay;
        fingerprint, known, regression, times, cases, first_case, steps_before, runs, shrunk, reproduced, stability, advice, culprit
    }
    Found { operation, field, expected, seen; clause, place, wording, verdict }
    Blame { why; who }
    StepReport { title, words, curl, at, answer, deliveries; number, actor, interval }
    Answer { code, body, text; status }
    DeliveryReport { event, path, at, headers, body, text; answered }
    HeaderReport { value; name }
    Difference { changes; step }
    Change { subject, field, before, after; }
    Known { operation, field; fingerprint, clause }
    RegressionReport { finding, why; file, standing, reproduced }
    GapReport { place, assumed, seen; clause, wording, constant, spans }
    ShapeReport { fields; of, bodies }
    ShownField { name, forms; }
    SeenValue { value; times }
    LatencyReport { operation; count, median, percentile95, max }
    StateGroup { title, states; }
    State { name; times }
    RacesReport { unexplained; races, clients, unknown, explained, undecided, inconclusive, contradicted }
    UnexplainedPart { words; case }
}
