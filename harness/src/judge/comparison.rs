//! An answer beside the one that the model gives: status, code and every documented field.
//!
//! Prose is not compared. What the service mints (references, secrets, account numbers) is bound on first
//! sight and must stay the same; dates are compared as instants; unknown fields are ignored. Where the choices
//! of a target are its own ([`Freedom`]), whatever the document leaves open is compared as what it is: a gap.

#[cfg(test)]
mod tests;

use std::fmt;

use serde_json::Value;
use tideover_model::clause::Kind;
use tideover_model::{Clause, Code, OperationKind, Seconds, Status, Timestamp, clause};

use crate::judge::bindings::Bindings;
use crate::matcher::{instants_apart, same_text};
use crate::target::{PreparedAction, Seen, told};

/// One thing that an answer says, beside what was expected there.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Point {
    /// By which sentence it is expected.
    pub(crate) clause: Clause,
    /// Whether it is as expected.
    pub(crate) holds: bool,
    /// Which field of the answer, dotted; `status` for the HTTP status.
    pub(crate) field: String,
    /// What was expected.
    pub(crate) expected: String,
    /// What was seen.
    pub(crate) seen: String,
}

/// What a target may do otherwise than the mock, whose choices are known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Freedom {
    /// How far two clocks may be apart in what it tells of its own times.
    pub(crate) clocks_apart: Seconds,
    /// How far its clock is ahead of ours; nothing while it has told no time. Seconds.
    pub(crate) ahead: Option<i64>,
    /// Whether it tells of a business whichever name it likes.
    pub(crate) renames: bool,
}

/// An answer of the target and the model's.
pub(crate) struct Comparison<'a> {
    /// What was sent.
    pub(crate) action: &'a PreparedAction,
    /// The operation that was asked for, if it was one.
    pub(crate) kind: Option<OperationKind>,
    /// What the target answered.
    pub(crate) seen: &'a Seen,
    /// What the model answers.
    pub(crate) predicted: &'a Seen,
    /// The code with which the model refuses, if it does, and the clause that asks for it.
    pub(crate) refusal: Option<(Code, Clause)>,
    /// What the target may do otherwise; nothing where its choices are known.
    pub(crate) freedom: Option<Freedom>,
}

/// Is told a point: its clause, whether it holds, its field, and what was expected and seen.
pub(crate) type Told<'a> = dyn FnMut(Clause, bool, &str, &dyn Fn() -> (String, String)) + 'a;

impl Comparison<'_> {
    /// What the answer says, point by point; what is minted is bound in `bindings`.
    pub(crate) fn points(&self, bindings: &mut Bindings) -> Vec<Point> {
        let mut points = Vec::new();
        self.tell(bindings, &mut |clause, holds, field, evidence| {
            let (expected, seen) = evidence();
            points.push(Point { clause, holds, field: field.to_owned(), expected, seen });
        });
        points
    }

    /// The same points, each as it is compared.
    pub(crate) fn tell(&self, bindings: &mut Bindings, told: &mut Told<'_>) {
        match self.action {
            PreparedAction::Call(_) => self.compare_answers(bindings, told),
            PreparedAction::Deliveries => self.compare_deliveries(bindings, told),
            PreparedAction::Act(fields) => {
                let name = fields.get("action").and_then(Value::as_str).unwrap_or_default();
                self.compare_actions(name, bindings, told);
            }
            PreparedAction::Advance(_) => {}
        }
    }

    fn compare_answers(&self, bindings: &mut Bindings, told: &mut Told<'_>) {
        let (predicted, seen) = (self.predicted, self.seen);
        if let Some(clause) = self.outcome_clause() {
            let holds =
                predicted.code() == seen.code() && predicted.is_success() == seen.is_success();
            told(clause, holds, "code", &|| (outcome(predicted), outcome(seen)));
            if !holds {
                return;
            }
        }
        let same = predicted.status == seen.status;
        told(self.status_clause(), same, "status", &|| {
            (predicted.status.to_string(), seen.status.to_string())
        });
        if let Some(kind) = self.kind.filter(|_| seen.is_success()) {
            self.compare_fields(&|field| field_clause(kind, field), bindings, told);
        }
    }

    /// Which operation causes which event is a gap, and so is what an event carries.
    fn compare_deliveries(&self, bindings: &mut Bindings, told: &mut Told<'_>) {
        self.compare_fields(&|_| clause!("gap.eventCauses"), bindings, told);
    }

    /// What the outside world can do follows from the states that the service is in.
    fn compare_actions(&self, name: &str, bindings: &mut Bindings, told: &mut Told<'_>) {
        let (predicted, seen) = (self.predicted, self.seen);
        let clause = action_clause(name, predicted);
        let same = predicted.is_success() == seen.is_success();
        told(clause, same, "status", &|| (outcome(predicted), outcome(seen)));
        if same && seen.is_success() {
            self.compare_fields(&|_| clause, bindings, told);
        }
    }

    fn compare_fields(
        &self,
        clause_of: &dyn Fn(&str) -> Clause,
        bindings: &mut Bindings,
        told: &mut Told<'_>,
    ) {
        let is_object = self.predicted.json().is_some_and(Value::is_object);
        let seen = self.seen.json().filter(|seen| seen.is_object() || !is_object);
        let (Some(predicted), Some(seen)) = (self.predicted.json(), seen) else {
            let same = self.predicted.json().is_none() && self.seen.json().is_none();
            // What the answer to a deletion holds is not shown.
            let free = self.freedom.is_some() && self.predicted.json().is_none();
            let clause = match self.kind {
                _ if free => clause!("gap.successStatuses"),
                Some(kind) => body_clause(kind),
                None => clause_of(""),
            };
            told(clause, same, "body", &|| {
                ("a body as documented".to_owned(), format!("{:?}", self.seen.body))
            });
            return;
        };
        let mut fields = Fields {
            minted: minted_fields(self.kind),
            nullable: nullable_prose(self.kind, self.freedom),
            freedom: self.freedom,
            bindings,
            differences: Vec::new(),
        };
        if self.kind == Some(OperationKind::ListSubscriptions) && self.freedom.is_some() {
            fields.compare_lists(predicted, seen);
        } else if !(std::ptr::eq(predicted, seen) && fields.agree_with_themselves("", seen)) {
            fields.compare(Place::Top, predicted, Some(seen));
        }
        let differences = fields.differences;
        let mut tell = |field: &str| {
            let clause = clause_of(field);
            let mut differing =
                differences.iter().filter(|difference| top(&difference.field) == field).peekable();
            if differing.peek().is_none() {
                told(clause, true, field, &Default::default);
            }
            for difference in differing {
                let Difference { field, expected, seen } = difference;
                let gap = self.freedom.and_then(|_| self.gap_at(field, seen == ABSENT));
                let life = self.freedom.and_then(|_| self.life_at(field, seen));
                told(gap.or(life).unwrap_or(clause), false, field, &|| {
                    (expected.clone(), seen.clone())
                });
            }
        };
        // Those of a list's elements are judged together.
        match predicted {
            Value::Object(fields) => fields.keys().for_each(|field| tell(field)),
            _ => tell(""),
        }
    }

    /// The gap that a field lies in which is not as predicted, or not there.
    fn gap_at(&self, field: &str, absent: bool) -> Option<Clause> {
        let answer = self.seen.json()?;
        if self.kind == Some(OperationKind::GetBusiness) && opened_early(answer, field) {
            return Some(clause!("gap.accountOpening"));
        }
        match self.kind? {
            // What of the number is shown is open, and which states there are; that they are strings is not.
            OperationKind::SetPayoutAccount | OperationKind::GetInvoice
                if matches!(field, "mask" | "collectionState") && !answer[field].is_string() =>
            {
                None
            }
            kind if absent => nameless(kind, field, answer),
            kind => gap_within(kind, field),
        }
    }

    /// The sentence on how long a link lives, where another time is told than that.
    fn life_at(&self, field: &str, seen: &str) -> Option<Clause> {
        let is_time = field == "expiresAt" && Timestamp::parse(seen.trim_matches('"')).is_some();
        self.kind.and_then(life).filter(|_| is_time)
    }

    /// The clause by which this answer is a success or a refusal with its code: that which the model cites, or
    /// that of the code which came instead.
    fn outcome_clause(&self) -> Option<Clause> {
        let seen_code = || self.seen.code().and_then(Code::parse);
        self.refusal
            .map(|(_, clause)| clause)
            .or_else(|| seen_code().and_then(code_clause))
            .or_else(|| (!self.seen.is_success()).then_some(clause!("7.shape.code")))
    }

    fn status_clause(&self) -> Clause {
        let Some(code) = self.predicted.code().and_then(Code::parse) else {
            return clause!("gap.successStatuses");
        };
        // For an advance, the document states the status of every code.
        if let Some((_, clause)) = self.refusal
            && clause == clause!("4.advances.5")
        {
            return clause;
        }
        match code.status() {
            Status::Documented(_) => code_clause(code).unwrap_or(clause!("7.shape.code")),
            Status::Assumed(_) => clause!("gap.ownStatuses"),
        }
    }
}

impl Point {
    /// Whether a sentence of the document does not hold.
    pub(crate) fn contradicts(&self) -> bool {
        !self.holds && self.clause.kind() == Kind::Documented
    }
}

/// What is seen where a field is missing.
pub(crate) const ABSENT: &str = "no such field";

/// What is not shown by name: the gap that it is, where it is missing under the name that we assume.
fn nameless(kind: OperationKind, field: &str, answer: &Value) -> Option<Clause> {
    let (first, rest) = field.split_once('.').unwrap_or((field, ""));
    let is_other = |name: &String| !SHOWN.contains(&name.as_str());
    let others = || answer.as_object().into_iter().flatten().filter(|(name, _)| is_other(name));
    match (kind, first) {
        (OperationKind::SetPayoutAccount, _) | (OperationKind::GetInvoice, "collectionState") => {
            None
        }
        // An object is shown, and a secret: something must be there that can be it.
        (OperationKind::SyncBusiness, "taxIdResult") if rest.is_empty() => {
            others().any(|(_, value)| value.is_object()).then_some(clause!("gap.taxIdResult"))
        }
        (OperationKind::Subscribe, "secret") => {
            others().any(|(_, value)| value.is_string()).then_some(clause!("gap.subscriptionForm"))
        }
        (OperationKind::Subscribe, _) => Some(clause!("gap.subscriptionForm")),
        (OperationKind::RequestAdvance, "remittance" | "alreadyRequested") => None,
        (OperationKind::RequestAdvance, _) if answer["alreadyRequested"] == true => {
            Some(clause!("gap.advanceVariants"))
        }
        (OperationKind::GetImport | OperationKind::ImportInvoices, "rows")
            if rest.ends_with(".outcome") =>
        {
            None
        }
        _ => gap_within(kind, field),
    }
}

/// The names that answers share with no object, and no secret, whose name isn't shown.
const SHOWN: &[&str] = &["externalId", "created", "reason", "reference", "url", "createdAt"];

/// The collection account of a business opens normally once the first three are met, and so may open before.
fn opened_early(answer: &Value, field: &str) -> bool {
    let met = &answer["onboarding"];
    let first_three = ["compliance", "contract", "bank"].iter().all(|name| met[name] == true);
    let about_it = field == "onboarding.collectionAccount" || top(field) == "remittance";
    about_it && met["collectionAccount"] == true && !first_three
}

/// What lies within a documented field and is not shown: the gap that it is.
fn gap_within(kind: OperationKind, field: &str) -> Option<Clause> {
    let (first, rest) = field.split_once('.').unwrap_or((field, ""));
    Some(match (kind, first) {
        (OperationKind::GetInvoice, "advance") if !rest.is_empty() => clause!("gap.advanceObject"),
        (OperationKind::GetInvoice, "collectionState") => clause!("gap.collectionThresholds"),
        (OperationKind::SetPayoutAccount, "mask") => clause!("gap.mask"),
        (OperationKind::SyncBusiness, "taxIdResult") if !rest.is_empty() => {
            clause!("gap.taxIdResult")
        }
        (OperationKind::Subscribe, "eventTypes" | "url" | "createdAt") => {
            clause!("gap.subscriptionForm")
        }
        (OperationKind::GetImport | OperationKind::ImportInvoices, "rows")
            if !rest.is_empty() && !rest.ends_with(".outcome") =>
        {
            clause!("gap.importExtra")
        }
        _ => return None,
    })
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

/// The clauses whose names differ in their last part alone.
struct Family {
    prefix: &'static str,
    clauses: &'static [Clause],
}

impl Family {
    const fn of(prefix: &'static str) -> Family {
        Family { prefix, clauses: Clause::beginning_with(prefix) }
    }

    fn find(&self, last: &str) -> Option<Clause> {
        let is_it = |clause: &&Clause| clause.name()[self.prefix.len()..] == *last;
        self.clauses.iter().find(is_it).copied()
    }
}

fn code_clause(code: Code) -> Option<Clause> {
    const CODES: Family = Family::of("7.codes.");
    CODES.find(code.name())
}

/// How long the link lives that an operation makes (§8).
pub(crate) fn life(kind: OperationKind) -> Option<Clause> {
    match kind {
        OperationKind::Invite => Some(clause!("8.invitationLife")),
        OperationKind::CreateOnboardingSession => Some(clause!("8.sessionLife")),
        _ => None,
    }
}

/// The clause by which a success has a body, and of its shape.
fn body_clause(kind: OperationKind) -> Clause {
    match kind {
        OperationKind::GetInvoice => clause!("4.invoice.3"),
        OperationKind::SyncInvoice => clause!("4.invoiceSync.5"),
        OperationKind::GetImport => clause!("4.import.1"),
        OperationKind::ImportInvoices => clause!("4.imports.outro.1"),
        OperationKind::SetPayoutAccount => clause!("4.payoutAccount.intro.3"),
        OperationKind::GetBusiness => clause!("4.business.2"),
        OperationKind::SyncBusiness => clause!("4.businessSync.intro.4"),
        OperationKind::RequestAdvance => clause!("4.advances.intro.2"),
        OperationKind::Quote => clause!("4.quotes.4"),
        OperationKind::Invite => clause!("4.invitations.3"),
        OperationKind::CreateOnboardingSession => clause!("4.sessions.2"),
        OperationKind::Subscribe => clause!("4.webhooks.2"),
        OperationKind::ListSubscriptions => clause!("4.webhookList.1"),
        OperationKind::Unsubscribe => clause!("4.webhookDeletion.1"),
    }
}

/// The clause of a field of an answer: §2 names most of them.
fn field_clause(kind: OperationKind, field: &str) -> Clause {
    macro_rules! family {
        ($prefix:literal) => {{
            const FAMILY: Family = Family::of($prefix);
            FAMILY
        }};
    }
    let (family, otherwise) = match kind {
        OperationKind::GetInvoice => (family!("2.invoice."), clause!("4.invoice.3")),
        OperationKind::SyncInvoice => (family!("2.invoiceSynced."), clause!("4.invoiceSync.5")),
        OperationKind::GetImport | OperationKind::ImportInvoices => {
            (family!("2.importReport."), clause!("gap.importExtra"))
        }
        OperationKind::SetPayoutAccount => {
            (family!("2.payoutAccount."), clause!("4.payoutAccount.intro.3"))
        }
        OperationKind::GetBusiness => (family!("2.business."), clause!("4.business.2")),
        OperationKind::SyncBusiness => {
            (family!("2.businessSynced."), clause!("4.businessSync.intro.4"))
        }
        OperationKind::RequestAdvance => (family!("2.advance."), clause!("gap.advanceVariants")),
        OperationKind::Quote => (family!("2.quote."), clause!("gap.quoteExtra")),
        OperationKind::Invite => (family!("2.invitation."), clause!("4.invitations.3")),
        OperationKind::CreateOnboardingSession => (family!("2.session."), clause!("4.sessions.2")),
        OperationKind::Subscribe | OperationKind::ListSubscriptions => {
            (family!("2.subscription."), clause!("gap.subscriptionForm"))
        }
        OperationKind::Unsubscribe => (family!("2.subscription."), clause!("4.webhookDeletion.1")),
    };
    family.find(field).unwrap_or(otherwise)
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

/// Where a value stands in an answer: dotted, when it is written down.
#[derive(Clone, Copy)]
enum Place<'a> {
    Top,
    Field(&'a Place<'a>, &'a str),
    Item(&'a Place<'a>, usize),
}

impl<'a> Place<'a> {
    /// The name of a field.
    fn name(self) -> &'a str {
        match self {
            Place::Field(_, name) => name,
            Place::Top | Place::Item(..) => "",
        }
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (around, last): (_, &dyn fmt::Display) = match self {
            Place::Top => return Ok(()),
            Place::Field(around, name) => (around, name),
            Place::Item(around, index) => (around, index),
        };
        match around {
            Place::Top => write!(f, "{last}"),
            around => write!(f, "{around}.{last}"),
        }
    }
}

/// A field that is not as predicted.
struct Difference {
    field: String,
    expected: String,
    seen: String,
}

/// The fields of two answers.
struct Fields<'a> {
    minted: &'static [&'static str],
    nullable: &'static [&'static str],
    freedom: Option<Freedom>,
    bindings: &'a mut Bindings,
    differences: Vec<Difference>,
}

impl Fields<'_> {
    fn compare(&mut self, place: Place<'_>, predicted: &Value, seen: Option<&Value>) {
        match (predicted, seen) {
            (Value::Object(predicted), Some(Value::Object(seen))) => {
                for (name, predicted) in predicted {
                    self.compare(Place::Field(&place, name), predicted, seen.get(name));
                }
            }
            (Value::Array(predicted), Some(Value::Array(seen)))
                if predicted.len() == seen.len() =>
            {
                for (index, (predicted, seen)) in predicted.iter().zip(seen).enumerate() {
                    self.compare(Place::Item(&place, index), predicted, Some(seen));
                }
            }
            (predicted, seen) if !self.agree(place.name(), predicted, seen) => {
                self.differ(place, told(place.name(), predicted), seen);
            }
            _ => {}
        }
    }

    /// Whether an answer that is the one predicted is as it should be: it is but for what an earlier one says of
    /// names that were minted, and for what has a form of its own.
    fn agree_with_themselves(&mut self, name: &str, value: &Value) -> bool {
        match value {
            Value::Object(fields) => {
                fields.iter().all(|(name, value)| self.agree_with_themselves(name, value))
            }
            Value::Array(items) => items.iter().all(|item| self.agree_with_themselves("", item)),
            Value::String(_) => self.agree(name, value, Some(value)),
            Value::Null | Value::Bool(_) | Value::Number(_) => true,
        }
    }

    fn differ(&mut self, place: Place<'_>, expected: String, seen: Option<&Value>) {
        let seen = seen.map_or_else(|| ABSENT.to_owned(), |seen| told(place.name(), seen));
        self.differences.push(Difference { field: place.to_string(), expected, seen });
    }

    /// Subscriptions in any order, those that others made among them.
    fn compare_lists(&mut self, predicted: &Value, seen: &Value) {
        let reference =
            |one: &Value| one.get("reference").and_then(Value::as_str).map(str::to_owned);
        let listed: Vec<String> =
            seen.as_array().into_iter().flatten().filter_map(reference).collect();
        for expected in predicted.as_array().into_iter().flatten().filter_map(reference) {
            let bound = self.bindings.seen("reference", &expected);
            if let Some(bound) = bound.filter(|bound| !listed.contains(bound)) {
                self.differ(Place::Top, format!("{bound} in the list"), Some(seen));
            }
        }
    }

    fn agree(&mut self, name: &str, predicted: &Value, seen: Option<&Value>) -> bool {
        let Some(seen) = seen else { return false };
        match (predicted, seen) {
            (Value::String(_), Value::String(_)) if is_prose(name) => true,
            (Value::String(_) | Value::Null, Value::String(_) | Value::Null)
                if self.nullable.contains(&name) =>
            {
                true
            }
            (Value::String(_), Value::String(seen)) if name == "routingNumber" => {
                let nine_digits = seen.len() == 9 && seen.bytes().all(|byte| byte.is_ascii_digit());
                self.freedom.is_some() || nine_digits
            }
            // What is told of a row that is not imported is not shown.
            (Value::String(predicted), seen) if name == "outcome" && predicted == "rejected" => {
                let known = seen.as_str().is_some_and(|seen| OUTCOMES.contains(&seen));
                if self.freedom.is_some() { !known } else { seen == predicted }
            }
            (Value::String(predicted), Value::String(seen)) if self.minted.contains(&name) => {
                let minted = self.minted.iter().find(|minted| **minted == name);
                minted.is_some_and(|minted| self.bindings.bind(minted, predicted, seen))
            }
            (Value::String(predicted), Value::String(seen))
                if self.is_new_member(name, predicted, seen) =>
            {
                true
            }
            (Value::String(predicted), Value::String(seen)) => {
                same_text(predicted, seen) || self.is_about_then(name, predicted, seen)
            }
            (predicted, seen) => predicted == seen,
        }
    }

    /// Enumerated values may gain members (`9.versioning.2`).
    fn is_new_member(&self, name: &str, predicted: &str, seen: &str) -> bool {
        let known: &[&str] = match name {
            "status" => &["ISSUED", "PARTIALLY_PAID", "PAID", "VOIDED"],
            "collectionState" => &["UNCOLLECTED", "PARTIALLY_COLLECTED", "COLLECTED"],
            "complianceRoute" => &["VENDOR_ASSERTION", "W9_UPLOAD", "PARTNER_SUPPLIED"],
            "outcome" => OUTCOMES,
            _ => return false,
        };
        self.freedom.is_some() && known.contains(&predicted) && !known.contains(&seen)
    }

    /// What a target tells of its own clock, which is not ours.
    fn is_about_then(&self, name: &str, predicted: &str, seen: &str) -> bool {
        let told =
            matches!(name, "expiresAt" | "createdAt" | "requestedAt" | "fundedAt" | "repaidAt");
        let Some(freedom) = self.freedom.filter(|_| told) else { return false };
        let Some(ahead) = instants_apart(predicted, seen) else { return false };
        freedom.ahead.is_none_or(|known| ahead.abs_diff(known) <= freedom.clocks_apart)
    }
}

/// What comes of an invoice that is synced.
const OUTCOMES: &[&str] = &["created", "updated", "statusOnly"];

/// May be reworded at any time.
fn is_prose(name: &str) -> bool {
    matches!(name, "reason" | "notFundableReason" | "error")
}

/// The prose of an answer that may be null or not (`2.invoiceSynced.reason`); that of a business sync is always
/// there (`2.businessSynced.reason`). Which name of a business is told, or whether one is, is not shown.
fn nullable_prose(
    kind: Option<OperationKind>,
    freedom: Option<Freedom>,
) -> &'static [&'static str] {
    match kind {
        Some(OperationKind::SyncInvoice) => &["reason"],
        Some(OperationKind::GetBusiness) if freedom.is_some_and(|it| it.renames) => &["name"],
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
