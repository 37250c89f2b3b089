//! The checks: one law per file, with its clauses. A check sees every exchange of a run and reports what does
//! not hold. It also counts what it met, because a pass that met nothing proves nothing.

mod amounts;
mod arrivals;
mod attempts;
mod collected;
mod conservation;
pub mod consistent;
mod error_shape;
mod fundable;
mod import_report;
pub mod meanings;
mod needs;
pub mod overheard;
mod prediction;
#[cfg(test)]
mod proof;
mod reasons;
mod redirects;
mod refused_again;
pub mod registry;
mod relations;
mod remittance;
pub mod repeated_advance;
mod secrets;
mod sequences;
mod signatures;
mod subscribed;
mod unchanged;
mod unseen_moves;
mod wanted;

use tideover_exchange::evidence::finding::{Finding, Verdict};
use tideover_exchange::evidence::tally::Tally;
use tideover_exchange::evidence::{Gaps, Point};
use tideover_exchange::{Exchange, Prepared};
use tideover_model::clause::Kind;
use tideover_model::{ActionKind, Clause, Code, PlatformId};

use crate::belief::hidden::Outside;
use crate::callers::Callers;

/// The name of the operation, for a finding in a delivery.
const DELIVERIES: &str = "webhooks";

/// A law that is checked throughout a run.
trait Check {
    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes);

    fn miss(&mut self, _sent: &Prepared) {}

    /// Whether the next response will show that a delivery never came.
    fn is_waiting(&self) -> bool {
        false
    }
}

/// Who makes the choices that a check sees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ChosenBy {
    /// Our own mock, whose choices are known.
    #[default]
    OurMock,
    /// An unknown service, which is free wherever the document leaves something open.
    UnknownService,
}

/// What the checks report on an exchange.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    pub met: Tally,
    /// Observations where the document is silent.
    pub gaps: Gaps,
    pub findings: Vec<Finding>,
}

pub struct Checks {
    checks: Vec<Box<dyn Check>>,
    callers: Callers,
}

impl Checks {
    /// The checks for a target whose choices are known.
    pub fn of_known() -> Checks {
        Checks {
            checks: vec![
                Box::new(error_shape::ErrorShape),
                Box::new(prediction::PredictionCheck::default()),
                Box::new(fundable::Fundable::default()),
                Box::new(repeated_advance::RepeatedAdvance::default()),
                Box::new(import_report::IdenticalReport::default()),
                Box::new(remittance::OneAccount::default()),
                Box::new(unchanged::Unchanged::default()),
                Box::new(amounts::Arithmetic),
                Box::new(collected::Collected),
                Box::new(consistent::Consistent),
                Box::new(reasons::NoAmounts),
                Box::new(secrets::Withheld::default()),
                Box::new(conservation::Conservation),
                Box::new(signatures::Signatures::default()),
                Box::new(attempts::Attempts::default()),
                Box::new(wanted::WantedEvents::default()),
                Box::new(sequences::Sequences::default()),
                Box::new(redirects::Redirects),
                Box::new(relations::deliveries::Retries::default()),
                Box::new(relations::events::Events::of(true)),
                Box::new(arrivals::Arrivals::default()),
            ],
            callers: Callers::default(),
        }
    }

    /// The checks for any other target. They ignore the timing of transitions and deliveries.
    pub fn of_foreign(outside: Outside) -> Checks {
        let mut checks = Checks {
            checks: vec![
                Box::new(error_shape::ErrorShape),
                Box::new(import_report::IdenticalReport::default()),
                Box::new(remittance::OneAccount::default()),
                Box::new(amounts::Arithmetic),
                Box::new(collected::Collected),
                Box::new(consistent::Consistent),
                Box::new(reasons::NoAmounts),
                Box::new(secrets::Withheld::default()),
                Box::new(signatures::Signatures::of(ChosenBy::UnknownService)),
                Box::new(attempts::Attempts::of(ChosenBy::UnknownService)),
                Box::new(wanted::WantedEvents::of(ChosenBy::UnknownService)),
                Box::new(sequences::Sequences::of(ChosenBy::UnknownService)),
                Box::new(redirects::Redirects),
            ],
            callers: Callers::default(),
        };
        if outside == Outside::Controlled {
            checks.checks.push(Box::new(fundable::NotRefused::default()));
            checks.checks.push(Box::new(refused_again::RefusedAgain::default()));
        }
        checks.checks.extend(relations::all(outside == Outside::Controlled));
        checks
    }

    /// The checks that need only one response.
    pub fn of_answers() -> Checks {
        Checks {
            checks: vec![
                Box::new(error_shape::ErrorShape),
                Box::new(amounts::Arithmetic),
                Box::new(collected::Collected),
                Box::new(reasons::NoAmounts),
                Box::new(secrets::Withheld::default()),
            ],
            callers: Callers::default(),
        }
    }

    /// Learns of a request of a platform without a response. If it was carried out, then in its well-formed version.
    pub fn miss(&mut self, sent: &Prepared, platform: Option<PlatformId>) {
        let first = self.callers.under_first_key(sent, platform);
        let sent = &*first.as_ref().unwrap_or(sent).taken();
        for check in &mut self.checks {
            check.miss(sent);
        }
    }

    /// Whether the next response will show that a delivery never came. Over a network, one may still be on its way.
    pub fn are_waiting(&self) -> bool {
        self.checks.iter().any(|check| check.is_waiting())
    }

    /// Judges an exchange. What a service takes from a write that it accepts in another than the published form is not
    /// certain: it may be what such a request changes, as if it had no response.
    pub fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        // A key that was revoked gets other answers than the first one.
        let is_known =
            exchange.predicted_refusal.is_none_or(|(code, _)| code != Code::Unauthorized);
        let platform = exchange.platform.filter(|_| is_known);
        let first = self.callers.under_first_key(exchange.sent, platform);
        let sent = first.as_ref().unwrap_or(exchange.sent);
        let exchange = &Exchange { sent, ..exchange.clone() };
        let is_understood = exchange.call().is_none_or(|call| call.operation().is_some());
        let writes = exchange.kind().is_some_and(|kind| !kind.reads());
        if writes && !is_understood && exchange.seen.is_success() {
            self.miss(exchange.sent, platform);
        }
        for check in &mut self.checks {
            check.observe(exchange, notes);
        }
    }
}

/// The clauses that an exchange meets if the response equals the prediction.
pub fn met_as_predicted(exchange: &Exchange<'_>) -> Tally {
    let mut notes = Notes::default();
    prediction::PredictionCheck::default().observe(exchange, &mut notes);
    notes.met
}

impl Notes {
    /// Counts a point of the best explanation. A finding if it contradicts the document.
    pub fn judge(&mut self, exchange: &Exchange<'_>, point: Point) {
        if matches!(point.clause.kind(), Kind::Assumed { .. }) {
            self.gaps.record(&exchange.operation(), exchange.seen.code(), &point);
        }
        if point.holds || point.contradicts() {
            self.add(exchange, point);
        } else {
            self.meet(point.clause);
        }
    }

    /// Removes the findings that come of another one: those in the content of a success that should have been a
    /// refusal, and those of an event whose value another sentence finds wrong. The event may have been right.
    pub fn keep_the_cause(&mut self, exchange: &Exchange<'_>) {
        if self.findings.is_empty() {
            return;
        }
        let operation = exchange.operation();
        let is_of_event = |found: &Finding| found.clause.name().starts_with("6.events.");
        let wrong: Vec<String> = self
            .findings
            .iter()
            .filter(|found| !is_of_event(found))
            .filter(|found| found.operation == operation)
            .map(|found| found.root().to_owned())
            .collect();
        self.findings.retain(|found| {
            found.operation != operation
                || !is_of_event(found)
                || !wrong.iter().any(|root| root == found.root())
        });
        let is_undue = exchange.seen.is_success()
            && self.findings.iter().any(|found| found.operation == operation && found.is_outcome());
        if is_undue {
            self.findings.retain(|found| found.operation != operation || found.is_outcome());
        }
    }

    /// Removes the findings in the response: it may be stale. Nothing can be concluded from them.
    pub fn leave_open(&mut self, exchange: &Exchange<'_>) -> Vec<Finding> {
        let operation = exchange.operation();
        let open = self.findings.extract_if(.., |found| found.operation == operation);
        open.map(|found| Finding { verdict: Verdict::Inconclusive, ..found }).collect()
    }

    /// Removes findings that accuse no service with its own choices. Where the document is silent, a finding
    /// is a gap. A gateway that responds for a failed service need not know the error shape.
    pub fn excuse(&mut self, exchange: &Exchange<'_>) -> Vec<Finding> {
        let is_gap = |found: &mut Finding| matches!(found.clause.kind(), Kind::Assumed { .. });
        for found in self.findings.extract_if(.., is_gap) {
            let Finding { clause, field, expected, seen, .. } = found;
            let point = Point { clause, holds: false, field, expected, seen };
            self.gaps.record(&exchange.operation(), exchange.seen.code(), &point);
        }
        let has = |name| exchange.seen.json().is_some_and(|body| body.get(name).is_some());
        let by_a_gateway = matches!(exchange.seen.status, 502..);
        let in_its_place = by_a_gateway && !has("error") && !has("code");
        let is_of_shape =
            |found: &mut Finding| in_its_place && found.clause.name().starts_with("7.shape.");
        let excused = self.findings.extract_if(.., is_of_shape);
        let any = "any request";
        let inconclusive =
            |found| Finding { verdict: Verdict::Inconclusive, operation: any.to_owned(), ..found };
        excused.map(inconclusive).collect()
    }

    /// Counts a compared point. A finding if it does not hold.
    fn add(&mut self, exchange: &Exchange<'_>, point: Point) {
        let Point { clause, holds, field, expected, seen } = point;
        self.expect(exchange, clause, holds, &field, || (expected, seen));
    }

    /// Counts that `clause` was met. A finding with the evidence, expected and seen, if it does not hold.
    fn expect<E: Into<String>, S: Into<String>>(
        &mut self,
        exchange: &Exchange<'_>,
        clause: Clause,
        holds: bool,
        field: &str,
        evidence: impl FnOnce() -> (E, S),
    ) {
        self.count(clause, holds, || exchange.operation(), field, evidence);
    }

    /// The same for a delivery. The step that it arrived with has nothing to do with it.
    fn expect_delivery<E: Into<String>, S: Into<String>>(
        &mut self,
        clause: Clause,
        holds: bool,
        field: &str,
        evidence: impl FnOnce() -> (E, S),
    ) {
        self.count(clause, holds, || DELIVERIES.to_owned(), field, evidence);
    }

    /// A finding is added unless one of the same cause is there already: a step may bring a hundred attempts, each with
    /// the same fault.
    fn count<E: Into<String>, S: Into<String>>(
        &mut self,
        clause: Clause,
        holds: bool,
        operation: impl FnOnce() -> String,
        field: &str,
        evidence: impl FnOnce() -> (E, S),
    ) {
        self.meet(clause);
        if holds {
            return;
        }
        let (expected, seen) = evidence();
        let found = Finding::new(clause, operation(), field, expected, seen);
        if !self.findings.iter().any(|known| known.is_same(&found)) {
            self.findings.push(found);
        }
    }

    fn meet(&mut self, clause: Clause) {
        self.met.meet(clause);
    }
}

fn is_reset(exchange: &Exchange<'_>) -> bool {
    exchange.acts() == Some(ActionKind::Reset)
}
