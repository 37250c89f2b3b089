//! The checks: one law per file, each with its clauses. A check sees every exchange of a run and says what
//! does not hold; what it met is counted, since a pass that met nothing is not a pass.

mod amounts;
mod arrivals;
mod attempts;
mod collected;
mod conservation;
mod error_shape;
mod fundable;
mod import_report;
mod prediction;
#[cfg(test)]
mod proof;
mod reasons;
mod remittance;
mod repeated_advance;
mod secrets;
mod sequences;
mod signatures;
mod subscribed;
mod unchanged;
mod wanted;

use std::collections::BTreeMap;

use serde_json::Value;
use tideover_model::wire::route::route;
use tideover_model::{Clause, Code, OperationKind, PlatformId, Timestamp};

use crate::finding::Finding;
use crate::inbox::Arrival;
use crate::target::{Prepared, PreparedAction, PreparedCall, Seen};

/// One exchange: what was sent, what was answered, what the shadow model answers.
#[derive(Clone, Copy)]
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
    /// What the clock showed before the step.
    pub since: Timestamp,
    /// What it shows after it.
    pub now: Timestamp,
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
}

/// What the checks say of an exchange.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    /// How often each clause was met.
    pub met: BTreeMap<Clause, u64>,
    /// What does not hold.
    pub findings: Vec<Finding>,
}

/// All checks, for one run.
pub struct Checks {
    checks: Vec<Box<dyn Check>>,
}

impl Default for Checks {
    fn default() -> Checks {
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
                Box::new(reasons::NoAmounts),
                Box::new(secrets::Withheld),
                Box::new(conservation::Conservation),
                Box::new(signatures::Signatures::default()),
                Box::new(attempts::Attempts::default()),
                Box::new(wanted::Wanted::default()),
                Box::new(sequences::Sequences::default()),
                Box::new(arrivals::Arrivals),
            ],
        }
    }
}

impl Checks {
    /// Looks at an exchange with every check.
    pub fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        for check in &mut self.checks {
            check.observe(exchange, notes);
        }
    }
}

impl Notes {
    /// Counts that `clause` was met; a finding if it does not hold.
    fn expect(
        &mut self,
        exchange: &Exchange<'_>,
        clause: Clause,
        holds: bool,
        field: &str,
        expected: impl Into<String>,
        seen: impl Into<String>,
    ) {
        *self.met.entry(clause).or_default() += 1;
        if !holds {
            self.findings.push(Finding {
                clause,
                operation: exchange.operation(),
                field: field.to_owned(),
                expected: expected.into(),
                seen: seen.into(),
            });
        }
    }
}

impl<'a> Exchange<'a> {
    /// The request, if the step was one.
    pub fn call(&self) -> Option<&'a PreparedCall> {
        match &self.sent.action {
            PreparedAction::Call(call) => Some(call),
            PreparedAction::Act(_) | PreparedAction::Advance(_) | PreparedAction::Deliveries => {
                None
            }
        }
    }

    /// The operation that was asked for, if it was one.
    pub fn kind(&self) -> Option<OperationKind> {
        let call = self.call()?;
        route(&call.method, &call.path).ok().map(|route| route.kind)
    }

    /// The body of a success of `kind`.
    fn success_of(&self, kind: OperationKind) -> Option<&'a Value> {
        if self.kind() == Some(kind) && self.seen.is_success() { self.seen.json() } else { None }
    }

    /// The name of the operator port's action, if the step was one.
    pub fn action_name(&self) -> Option<&'a str> {
        match &self.sent.action {
            PreparedAction::Act(fields) => fields.get("action")?.as_str(),
            PreparedAction::Call(_) | PreparedAction::Advance(_) | PreparedAction::Deliveries => {
                None
            }
        }
    }

    /// What was asked for, as findings name it.
    fn operation(&self) -> String {
        match &self.sent.action {
            PreparedAction::Call(call) => match self.kind() {
                Some(kind) => format!("{} {}", kind.method(), kind.path()),
                None => format!("{} {}", call.method, call.path),
            },
            PreparedAction::Act(_) => format!("action {}", self.action_name().unwrap_or("?")),
            PreparedAction::Advance(_) => "the clock".to_owned(),
            PreparedAction::Deliveries => "deliveries".to_owned(),
        }
    }

    /// Whose request it is, and for which method and path: the same for the same resource.
    fn resource(&self) -> Option<(Option<String>, String, String)> {
        let call = self.call()?;
        Some((self.sent.authorization.clone(), call.method.clone(), call.path.clone()))
    }

    /// A string of the request's JSON body.
    pub fn sent_field(&self, name: &str) -> Option<String> {
        let body: Value = serde_json::from_slice(&self.call()?.body).ok()?;
        Some(body.get(name)?.as_str()?.to_owned())
    }
}

/// Whether everything is as it was at the start after this.
fn starts_anew(exchange: &Exchange<'_>) -> bool {
    exchange.action_name() == Some("reset")
}
