//! The answer is the one that the shadow model gives: status, code and every documented field.
//!
//! Prose is not compared. What the service mints (references, secrets, account numbers) is bound on first
//! sight and must stay the same; dates are compared as instants; unknown fields are ignored.

use std::collections::BTreeMap;

use serde_json::Value;
use tideover_model::clause::Kind;
use tideover_model::{Clause, Code, OperationKind, Status, clause};

use crate::checks::{Check, Exchange, Notes, starts_anew};
use crate::matcher::same_text;
use crate::target::{PreparedAction, Seen};

#[derive(Default)]
pub(super) struct Prediction {
    bindings: Bindings,
}

impl Check for Prediction {
    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        if starts_anew(exchange) {
            self.bindings = Bindings::default();
        }
        match &exchange.sent.action {
            PreparedAction::Call(_) => self.compare_answers(exchange, notes),
            PreparedAction::Deliveries => self.compare_deliveries(exchange, notes),
            PreparedAction::Act(_) => self.compare_actions(exchange, notes),
            PreparedAction::Advance(_) => {}
        }
    }
}

impl Prediction {
    fn compare_answers(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        let (predicted, seen) = (exchange.predicted, exchange.seen);
        if let Some(clause) = outcome_clause(exchange) {
            let holds =
                predicted.code() == seen.code() && predicted.is_success() == seen.is_success();
            notes.expect(exchange, clause, holds, "code", outcome(predicted), outcome(seen));
            if !holds {
                return;
            }
        }
        let (expected, status) = (predicted.status.to_string(), seen.status.to_string());
        let clause = status_clause(exchange);
        notes.expect(exchange, clause, predicted.status == seen.status, "status", expected, status);
        if let Some(kind) = exchange.kind().filter(|_| seen.is_success()) {
            self.compare_fields(exchange, &|field| field_clause(kind, field), notes);
        }
    }

    /// Which operation causes which event is a gap, and so is what an event carries.
    fn compare_deliveries(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        self.compare_fields(exchange, &|_| clause!("gap.eventCauses"), notes);
    }

    /// What the outside world can do follows from the states that the service is in.
    fn compare_actions(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        let (predicted, seen) = (exchange.predicted, exchange.seen);
        let clause = action_clause(exchange.action_name().unwrap_or_default(), predicted);
        let same = predicted.is_success() == seen.is_success();
        notes.expect(exchange, clause, same, "status", outcome(predicted), outcome(seen));
        if same && seen.is_success() {
            self.compare_fields(exchange, &|_| clause, notes);
        }
    }

    fn compare_fields(
        &mut self,
        exchange: &Exchange<'_>,
        clause_of: &dyn Fn(&str) -> Clause,
        notes: &mut Notes,
    ) {
        let (Some(predicted), Some(seen)) = (exchange.predicted.json(), exchange.seen.json())
        else {
            let same = exchange.predicted.json().is_none() && exchange.seen.json().is_none();
            let seen = format!("{:?}", exchange.seen.body);
            notes.expect(exchange, clause_of(""), same, "body", "a body as documented", seen);
            return;
        };
        let mut differences = Vec::new();
        self.bindings.minted = minted_fields(exchange.kind());
        self.bindings.nullable = nullable_prose(exchange.kind());
        self.bindings.compare("", predicted, Some(seen), &mut differences);
        for field in documented_fields(predicted) {
            let clause = clause_of(&field);
            let mut differing =
                differences.iter().filter(|difference| top(&difference.field) == field).peekable();
            if differing.peek().is_none() {
                notes.expect(exchange, clause, true, &field, "", "");
            }
            for difference in differing {
                let Difference { field, expected, seen } = difference;
                notes.expect(exchange, clause, false, field, expected.clone(), seen.clone());
            }
        }
    }
}

/// Which fields of an answer are judged, those of a list's elements together.
fn documented_fields(predicted: &Value) -> Vec<String> {
    match predicted {
        Value::Object(fields) => fields.keys().cloned().collect(),
        _ => vec![String::new()],
    }
}

/// The first part of a dotted path; none for an element of a list.
fn top(field: &str) -> &str {
    let first = field.split('.').next().unwrap_or_default();
    if first.parse::<usize>().is_ok() { "" } else { first }
}

fn outcome(seen: &Seen) -> String {
    match seen.code() {
        Some(code) => format!("{} {code}", seen.status),
        None => seen.status.to_string(),
    }
}

/// The clause by which this answer is a success or a refusal with its code: that which the shadow cites, or
/// that of the code which came instead.
fn outcome_clause(exchange: &Exchange<'_>) -> Option<Clause> {
    let seen_code = || exchange.seen.code().and_then(Code::parse);
    exchange
        .predicted_refusal
        .map(|(_, clause)| clause)
        .or_else(|| seen_code().and_then(|code| Clause::find(&format!("7.codes.{code}"))))
        .or_else(|| (!exchange.seen.is_success()).then_some(clause!("7.shape.code")))
}

fn status_clause(exchange: &Exchange<'_>) -> Clause {
    let Some(code) = exchange.predicted.code().and_then(Code::parse) else {
        return clause!("gap.successStatuses");
    };
    // For an advance, the document states the status of every code.
    if let Some((_, clause)) = exchange.predicted_refusal
        && clause == clause!("4.advances.5")
    {
        return clause;
    }
    match code.status() {
        Status::Documented(_) => {
            Clause::find(&format!("7.codes.{code}")).unwrap_or(clause!("7.shape.code"))
        }
        Status::Assumed(_) => clause!("gap.ownStatuses"),
    }
}

/// The clause of a field of an answer: §2 names most of them.
fn field_clause(kind: OperationKind, field: &str) -> Clause {
    let (resource, otherwise) = match kind {
        OperationKind::GetInvoice => ("invoice", clause!("4.invoice.3")),
        OperationKind::SyncInvoice => ("invoiceSynced", clause!("4.invoiceSync.5")),
        OperationKind::GetImport => ("importReport", clause!("gap.importExtra")),
        OperationKind::ImportInvoices => ("importReport", clause!("gap.importExtra")),
        OperationKind::SetPayoutAccount => ("payoutAccount", clause!("4.payoutAccount.intro.3")),
        OperationKind::GetBusiness => ("business", clause!("4.business.2")),
        OperationKind::SyncBusiness => ("businessSynced", clause!("4.businessSync.intro.4")),
        OperationKind::RequestAdvance => ("advance", clause!("gap.advanceVariants")),
        OperationKind::Quote => ("quote", clause!("gap.quoteExtra")),
        OperationKind::Invite => ("invitation", clause!("4.invitations.3")),
        OperationKind::CreateOnboardingSession => ("session", clause!("4.sessions.1")),
        OperationKind::Subscribe => ("subscription", clause!("gap.subscriptionForm")),
        OperationKind::ListSubscriptions => ("subscription", clause!("gap.subscriptionForm")),
        OperationKind::Unsubscribe => ("subscription", clause!("4.webhookDeletion.1")),
    };
    let named = Clause::find(&format!("2.{resource}.{field}"));
    named.filter(|clause| matches!(clause.kind(), Kind::Documented)).unwrap_or(otherwise)
}

/// The clause that an action of the operator port lets be seen.
fn action_clause(action: &str, predicted: &Seen) -> Clause {
    match action {
        // A link that is used or over: whichever link it was, it must not work.
        "vendorAcceptsInvitation" if !predicted.is_success() => clause!("4.invitations.11"),
        "vendorAcceptsInvitation" => clause!("gap.invitationLink"),
        "vendorConfirmsTaxId" => clause!("gap.vendorCompliance"),
        "vendorSignsAgreement" => clause!("3.requirement.contract.2"),
        "vendorAddsBankAccount" => clause!("4.payoutAccount.3"),
        "collectionAccountOpens" => clause!("gap.accountOpening"),
        "payorPays" => clause!("2.invoice.collected.2"),
        "taxIdFoundWrong" => clause!("4.businessSync.1.2"),
        "interruptNextImport" => clause!("4.imports.7"),
        "vendorOpensSession" => clause!("gap.sessionsLive"),
        "markTestAccount" => clause!("5.authentication.5"),
        "issueKey" => clause!("5.authentication.2"),
        "revokeKey" => clause!("5.authentication.3"),
        "upstreamFails" => clause!("7.codes.upstream_failed"),
        _ => clause!("gap.advanceTransitions"),
    }
}

/// A field that is not as predicted.
struct Difference {
    field: String,
    expected: String,
    seen: String,
}

/// What the service minted, as the shadow calls it and as the target does.
#[derive(Default)]
struct Bindings {
    minted: &'static [&'static str],
    nullable: &'static [&'static str],
    bound: BTreeMap<String, String>,
    taken: BTreeMap<String, String>,
}

impl Bindings {
    fn compare(
        &mut self,
        field: &str,
        predicted: &Value,
        seen: Option<&Value>,
        differences: &mut Vec<Difference>,
    ) {
        match (predicted, seen) {
            (Value::Object(predicted), Some(Value::Object(seen))) => {
                for (name, predicted) in predicted {
                    self.compare(&inside(field, name), predicted, seen.get(name), differences);
                }
            }
            (Value::Array(predicted), Some(Value::Array(seen)))
                if predicted.len() == seen.len() =>
            {
                for (index, (predicted, seen)) in predicted.iter().zip(seen).enumerate() {
                    let field = inside(field, &index.to_string());
                    self.compare(&field, predicted, Some(seen), differences);
                }
            }
            (predicted, seen) if !self.agree(field, predicted, seen) => {
                differences.push(Difference {
                    field: field.to_owned(),
                    expected: predicted.to_string(),
                    seen: seen.map_or_else(|| "no such field".to_owned(), Value::to_string),
                });
            }
            _ => {}
        }
    }

    fn agree(&mut self, field: &str, predicted: &Value, seen: Option<&Value>) -> bool {
        let Some(seen) = seen else { return false };
        let name = field.rsplit('.').next().unwrap_or_default();
        match (predicted, seen) {
            (Value::String(_), Value::String(_)) if is_prose(name) => true,
            (Value::String(_) | Value::Null, Value::String(_) | Value::Null)
                if self.nullable.contains(&name) =>
            {
                true
            }
            (Value::String(_), Value::String(seen)) if name == "routingNumber" => {
                seen.len() == 9 && seen.bytes().all(|byte| byte.is_ascii_digit())
            }
            (Value::String(predicted), Value::String(seen)) if self.minted.contains(&name) => {
                self.bind(name, predicted, seen)
            }
            (Value::String(predicted), Value::String(seen)) => same_text(predicted, seen),
            (predicted, seen) => predicted == seen,
        }
    }

    /// Both ways: one name never stands for two things.
    fn bind(&mut self, name: &str, predicted: &str, seen: &str) -> bool {
        let (predicted, seen) = (format!("{name} {predicted}"), format!("{name} {seen}"));
        let known = self.bound.entry(predicted.clone()).or_insert_with(|| seen.clone());
        let taken = self.taken.entry(seen.clone()).or_insert_with(|| predicted.clone());
        *known == seen && *taken == predicted
    }
}

fn inside(field: &str, name: &str) -> String {
    if field.is_empty() { name.to_owned() } else { format!("{field}.{name}") }
}

/// May be reworded at any time.
fn is_prose(name: &str) -> bool {
    matches!(name, "reason" | "notFundableReason" | "error")
}

/// The prose of an answer that may be null or not (`2.invoiceSynced.reason`); that of a business sync is always
/// there (`2.businessSynced.reason`).
fn nullable_prose(kind: Option<OperationKind>) -> &'static [&'static str] {
    match kind {
        Some(OperationKind::SyncInvoice) => &["reason"],
        _ => &[],
    }
}

/// The fields of an answer that are the service's own choice; none for deliveries and actions.
fn minted_fields(kind: Option<OperationKind>) -> &'static [&'static str] {
    match kind {
        Some(OperationKind::CreateOnboardingSession) => &["url"],
        Some(_) => &["accountNumber", "inviteId", "reference", "secret"],
        None => &["id", "subscription", "key"],
    }
}
