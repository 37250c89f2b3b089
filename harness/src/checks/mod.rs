//! The checks: one law per file, each with its clauses. A check sees every exchange of a run and says what
//! does not hold; what it met is counted, since a pass that met nothing is not a pass.

mod amounts;
mod arrivals;
mod attempts;
mod collected;
mod conservation;
pub(crate) mod consistent;
mod error_shape;
mod fundable;
mod import_report;
mod prediction;
#[cfg(test)]
mod proof;
mod reasons;
pub mod registry;
mod relations;
mod remittance;
pub(crate) mod repeated_advance;
mod secrets;
mod sequences;
mod signatures;
mod subscribed;
mod unchanged;
mod wanted;

use std::sync::Arc;

use serde_json::Value;
use tideover_model::clause::Kind;
use tideover_model::wire::words::EventType;
use tideover_model::{Clause, Code, Operation, OperationKind, PlatformId, Timestamp};

use crate::finding::{Finding, Verdict};
use crate::foretold::Foretold;
use crate::inbox::Arrival;
use crate::judge::{Outside, Point};
use crate::learn::Gaps;
use crate::tally::Tally;
use crate::target::{Body, Prepared, PreparedCall, Seen};

/// One exchange: what was sent, what was answered, what the shadow model answers.
#[derive(Clone)]
pub struct Exchange<'a> {
    /// What was sent to the target.
    pub sent: &'a Prepared,
    /// What the target answered.
    pub seen: &'a Seen,
    /// What the shadow answers.
    pub predicted: &'a Seen,
    /// The code with which the shadow refuses, if it does, and the clause that asks for it.
    pub predicted_refusal: Option<(Code, Clause)>,
    /// Whose key it carried, by the shadow; nobody's if it was never issued.
    pub platform: Option<PlatformId>,
    /// Whether requests were left without an answer that may be carried out still.
    pub unsettled: bool,
    /// What the clock showed before the step.
    pub since: Timestamp,
    /// What it shows after it.
    pub now: Timestamp,
    /// How far the target's own clock is ahead of that; nothing while it has told no time. Seconds.
    pub ahead: Option<i64>,
    /// What came to the inbox with the step.
    pub arrivals: &'a [Arrival],
    /// What came to the shadow's.
    pub predicted_arrivals: &'a [Arrival],
    /// What only a target in process lets be seen.
    pub inside: Option<&'a Inside>,
}

/// What is seen of a target in process.
#[derive(Clone, Debug)]
pub struct Inside {
    /// Whether anything of the service is not as it was before.
    pub changed: bool,
    /// What its books say.
    pub audit: Result<(), String>,
}

/// A law, watched over a run.
trait Check {
    /// Looks at an exchange.
    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes);

    /// Learns of a request that was not answered.
    fn miss(&mut self, _sent: &Prepared) {}
}

/// Whose the choices are that a check sees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Whose {
    /// Those of our own mock: what it does is known.
    #[default]
    Ours,
    /// Those of a service that nothing is known of: what the document leaves open is its own.
    Theirs,
}

/// What the checks say of an exchange.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    /// How often each clause was met.
    pub met: Tally,
    /// What was seen where the document is silent.
    pub gaps: Gaps,
    /// What does not hold.
    pub findings: Vec<Finding>,
}

/// All checks, for one run.
pub struct Checks {
    checks: Vec<Box<dyn Check>>,
}

impl Checks {
    /// Those of a target that is in the shadow's own world.
    pub fn of_known() -> Checks {
        Checks {
            checks: vec![
                Box::new(error_shape::ErrorShape),
                Box::new(prediction::Prediction::default()),
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
                Box::new(wanted::Wanted::default()),
                Box::new(sequences::Sequences::default()),
                Box::new(arrivals::Arrivals::default()),
            ],
        }
    }

    /// Those of any other: what takes its time, and what comes when, is not held against it.
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
                Box::new(signatures::Signatures::of(Whose::Theirs)),
                Box::new(attempts::Attempts::of(Whose::Theirs)),
                Box::new(wanted::Wanted::of(Whose::Theirs)),
                Box::new(sequences::Sequences::of(Whose::Theirs)),
            ],
        };
        if outside == Outside::Ours {
            checks.checks.push(Box::new(fundable::NotRefused::default()));
        }
        checks.checks.extend(relations::all(outside == Outside::Ours));
        checks
    }

    /// Those that look at an answer alone, whatever came before it.
    pub(crate) fn of_answers() -> Checks {
        Checks {
            checks: vec![
                Box::new(error_shape::ErrorShape),
                Box::new(amounts::Arithmetic),
                Box::new(collected::Collected),
                Box::new(reasons::NoAmounts),
                Box::new(secrets::Withheld::default()),
            ],
        }
    }

    /// Tells every check of a request that was not answered.
    pub fn miss(&mut self, sent: &Prepared) {
        for check in &mut self.checks {
            check.miss(sent);
        }
    }

    /// Looks at an exchange with every check.
    pub fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        for check in &mut self.checks {
            check.observe(exchange, notes);
        }
    }
}

/// The clauses that a request meets, where the answer is as it was foretold.
pub(crate) fn met_by(sent: &Prepared, foretold: &Foretold) -> Tally {
    let seen = foretold.answer.read();
    let exchange = Exchange {
        predicted_refusal: foretold.refusal,
        ..Exchange::alone(sent, &seen, foretold.now)
    };
    let mut notes = Notes::default();
    prediction::Prediction::default().observe(&exchange, &mut notes);
    notes.met
}

impl Notes {
    /// Counts a point that was explained as well as it could be; a finding if it contradicts the document.
    pub(crate) fn judge(&mut self, exchange: &Exchange<'_>, point: Point) {
        if matches!(point.clause.kind(), Kind::Assumed { .. }) {
            self.gaps.record(&exchange.operation(), exchange.seen.code(), &point);
        }
        if point.holds || point.contradicts() {
            self.add(exchange, point);
        } else {
            self.meet(point.clause);
        }
    }

    /// Takes back what is held against no service of its own choices: where the document is silent it is a gap,
    /// and what answers in the place of a service that fails need not know the shape.
    pub(crate) fn excuse(&mut self, exchange: &Exchange<'_>) -> Vec<Finding> {
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

    /// Counts a point that was compared; a finding if it does not hold.
    fn add(&mut self, exchange: &Exchange<'_>, point: Point) {
        let Point { clause, holds, field, expected, seen } = point;
        self.expect(exchange, clause, holds, &field, || (expected, seen));
    }

    /// Counts that `clause` was met; a finding if it does not hold, with what was expected and what was seen.
    fn expect<Expected: Into<String>, Seen: Into<String>>(
        &mut self,
        exchange: &Exchange<'_>,
        clause: Clause,
        holds: bool,
        field: &str,
        evidence: impl FnOnce() -> (Expected, Seen),
    ) {
        self.meet(clause);
        if !holds {
            let (expected, seen) = evidence();
            self.findings.push(Finding::new(clause, exchange.operation(), field, expected, seen));
        }
    }

    /// Counts that `clause` was met, and held.
    fn meet(&mut self, clause: Clause) {
        self.met.meet(clause);
    }
}

impl<'a> Exchange<'a> {
    /// An exchange of which nothing else is known.
    pub(crate) fn alone(sent: &'a Prepared, seen: &'a Seen, now: Timestamp) -> Exchange<'a> {
        Exchange {
            sent,
            seen,
            predicted: seen,
            predicted_refusal: None,
            platform: None,
            unsettled: true,
            since: now,
            now,
            ahead: Some(0),
            arrivals: &[],
            predicted_arrivals: &[],
            inside: None,
        }
    }

    /// The request, if the step was one.
    pub fn call(&self) -> Option<&'a PreparedCall> {
        self.sent.call()
    }

    /// The operation that was asked for, if it was one.
    pub fn kind(&self) -> Option<OperationKind> {
        self.sent.kind()
    }

    /// The body of a success of `kind`.
    fn success_of(&self, kind: OperationKind) -> Option<&'a Arc<Value>> {
        match &self.seen.body {
            Body::Json(json) if self.kind() == Some(kind) && self.seen.is_success() => Some(json),
            Body::Empty | Body::Json(_) | Body::Other(_) => None,
        }
    }

    /// What the target's own clock shows, as far as that is known. Unix seconds.
    pub(crate) fn its_time(&self, ours: Timestamp) -> Option<u64> {
        Some(ours.unix_unsigned().saturating_add_signed(self.ahead?))
    }

    /// The name of the operator port's action, if the step was one.
    pub fn action_name(&self) -> Option<&'a str> {
        self.sent.action_name()
    }

    /// What was asked for, as findings name it.
    pub(crate) fn operation(&self) -> String {
        self.sent.operation()
    }

    /// The request's body, if it is JSON.
    pub(crate) fn sent_json(&self) -> Option<&Value> {
        self.call()?.body().json()
    }

    /// The identifiers of the vendor and the invoice that an advance is asked for.
    pub(crate) fn asked_advance(&self) -> Option<(String, String)> {
        match self.call()?.operation() {
            Some(Operation::RequestAdvance { payee, invoice }) => {
                Some((payee.clone(), invoice.clone()))
            }
            Some(_) => None,
            None => self.sent_field("payeeExternalId").zip(self.sent_field("invoiceExternalId")),
        }
    }

    /// The face value that a quote is asked for. Cents.
    pub(crate) fn quoted_face(&self) -> Option<i64> {
        match self.call()?.operation() {
            Some(Operation::Quote { face_value, .. }) => Some(face_value.cents().0),
            Some(_) => None,
            None => self.sent_json()?.get("invoiceFaceValue")?.as_i64(),
        }
    }

    /// The tax id that a business is synced with.
    pub(crate) fn synced_tax_id(&self) -> Option<String> {
        match self.call()?.operation() {
            Some(Operation::SyncBusiness { details, .. }) => details.tax_id.clone(),
            Some(_) => None,
            None => self.sent_field("taxId"),
        }
    }

    /// A string of the request's JSON body.
    pub fn sent_field(&self, name: &str) -> Option<String> {
        Some(self.sent_json()?.get(name)?.as_str()?.to_owned())
    }
}

/// The kind of an event, wherever in it that stands: which field tells it is not shown.
pub(crate) fn kind_of_event(event: &Value) -> Option<&'static str> {
    match event {
        Value::String(text) => {
            EventType::ALL.map(EventType::name).into_iter().find(|it| it == text)
        }
        Value::Object(fields) => fields.values().find_map(kind_of_event),
        Value::Array(items) => items.iter().find_map(kind_of_event),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

/// Whether everything is as it was at the start after this.
fn starts_anew(exchange: &Exchange<'_>) -> bool {
    exchange.action_name() == Some("reset")
}
