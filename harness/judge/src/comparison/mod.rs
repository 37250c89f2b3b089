//! Compares a response with the model's: status, code and every documented field.
//!
//! What a correct service may answer otherwise must not be compared, or a correct service fails:
//!
//! - prose, which may be reworded at any time (§7), and fields that we don't know, which may be added (§9);
//! - minted values (references, secrets, account numbers), which are bound on first sight and must stay the same;
//! - the spelling of dates, which are compared as instants, and times that differ by the target's clock alone;
//! - anything that the document leaves open, if the target's choices are its own ([`Freedom`]): that is a gap.

mod bindings;
mod fields;
mod gaps;
#[cfg(test)]
mod tests;

use std::cell::LazyCell;

use serde_json::Value;
use tideover_exchange::evidence::Point;
use tideover_exchange::evidence::finding::OUTCOME;
use tideover_exchange::matcher::instants_apart;
use tideover_exchange::{Body, PreparedAction, Response};
use tideover_model::clause::Kind;
use tideover_model::wire::field::{self, Fields};
use tideover_model::{ActionKind, Clause, Code, OperationKind, Status, Timestamp, clause};

pub(crate) use bindings::Bindings;
pub use fields::OWN;
use fields::{FieldDifference, differences};
pub(crate) use fields::{is_known_outcome, is_synced};
pub(crate) use gaps::is_onboarded;
pub use gaps::meets_first_three;
use gaps::{counts_so_far, gap_within, has_same_rows, nameless, opened_early};

/// Where a target may differ from the mock, whose choices are known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Freedom {
    /// How far its clock is ahead of ours. `None` while no response has shown a time. Seconds.
    pub(crate) ahead: Option<i64>,
    /// Whether its clock is read, so that no time that it shows is later than it should be.
    pub(crate) is_clock_read: bool,
    /// Whether it may show any name of a business.
    pub(crate) renames: bool,
    /// The unit to which the target may round an expiry. Seconds.
    pub(crate) unit: i64,
    /// Whether a repeated invitation keeps its earlier expiry.
    pub(crate) keeps_expiry: bool,
}

/// A response of the target and the model's.
pub(crate) struct Comparison<'a> {
    pub(crate) action: &'a PreparedAction,
    pub(crate) kind: Option<OperationKind>,
    pub(crate) seen: &'a Response,
    pub(crate) predicted: &'a Response,
    /// The code with which the model refuses, if it does, and the clause that requires it.
    pub(crate) refusal: Option<(Code, Clause)>,
    /// Where the target may differ. `None` if its choices are known.
    pub(crate) freedom: Option<Freedom>,
}

/// The amounts of an advance that never change (`4.advances.2.2`).
pub(crate) const AMOUNTS_THAT_STAY: [&str; 2] = [field::ADVANCE_AMOUNT, field::FEE_TOTAL];

/// How far two clocks may differ. Seconds.
const CLOCKS_APART: u64 = 300;

/// How far a time may be from what a clock that is read says: it may be rounded to the minute. Seconds.
const ROUNDED: i64 = 59;

/// How much earlier a time may be beside that, since nobody knows when exactly the clock was read. Seconds.
const READ_BEFORE: i64 = 10;

/// Whether two clocks differ by no more than clocks may, given how far each is ahead. Seconds.
pub fn is_near(one: i64, other: i64) -> bool {
    one.abs_diff(other) <= CLOCKS_APART
}

/// Receives a point: its clause, whether it holds, its field, and its expected and seen values.
pub(crate) type PointSink<'a> = dyn FnMut(Clause, bool, &str, &dyn Fn() -> (String, String)) + 'a;

impl Comparison<'_> {
    /// The comparison, point by point. Binds minted names in `bindings`.
    pub(crate) fn points(&self, bindings: &mut Bindings) -> Vec<Point> {
        let mut points = Vec::new();
        self.each_point(bindings, &mut |clause, holds, field, evidence| {
            let (expected, seen) = evidence();
            points.push(Point { clause, holds, field: field.to_owned(), expected, seen });
        });
        points
    }

    /// The same points, each as soon as it is compared.
    pub(crate) fn each_point(&self, bindings: &mut Bindings, sink: &mut PointSink<'_>) {
        match self.action {
            PreparedAction::Call(_) => self.compare_responses(bindings, sink),
            PreparedAction::Deliveries => self.compare_deliveries(bindings, sink),
            PreparedAction::Act(fields) => {
                self.compare_actions(ActionKind::of(fields), bindings, sink);
            }
            PreparedAction::Advance(_) => {}
        }
    }

    fn compare_responses(&self, bindings: &mut Bindings, sink: &mut PointSink<'_>) {
        let (predicted, seen) = (self.predicted, self.seen);
        if let Some(clause) = self.outcome_clause() {
            let holds =
                predicted.code() == seen.code() && predicted.is_success() == seen.is_success();
            sink(clause, holds, OUTCOME, &|| (due(predicted), outcome(seen)));
            if !holds {
                return;
            }
            if let Some(row) = self.row_of_code().filter(|row| *row != clause) {
                sink(row, true, OUTCOME, &Default::default);
            }
        }
        let same = predicted.status == seen.status;
        sink(self.status_clause(), same, "status", &|| {
            (predicted.status.to_string(), seen.status.to_string())
        });
        if let Some(kind) = self.kind.filter(|_| seen.is_success()) {
            let clause_of = |field: &str| match self.stays(field) {
                true => clause!("4.advances.2.2"),
                false => field_clause(kind, field),
            };
            self.compare_fields(&clause_of, bindings, sink);
        }
    }

    /// Whether a field repeats an amount of an existing advance, which must stay the same.
    fn stays(&self, field: &str) -> bool {
        let is_repeat = || {
            let predicted = self.predicted.json();
            predicted.is_some_and(|body| Fields::of(body).already_requested() == Some(true))
        };
        let is_shown = || self.seen.json().is_some_and(|body| body[field].is_u64());
        self.kind == Some(OperationKind::RequestAdvance)
            && AMOUNTS_THAT_STAY.contains(&field)
            && is_repeat()
            && is_shown()
    }

    /// Which operation causes which event is a gap, and so is the content of an event.
    fn compare_deliveries(&self, bindings: &mut Bindings, sink: &mut PointSink<'_>) {
        self.compare_fields(&|_| clause!("gap.eventCauses"), bindings, sink);
    }

    /// Compares what may happen outside, which follows from the states of the service.
    fn compare_actions(
        &self,
        action: Option<ActionKind>,
        bindings: &mut Bindings,
        sink: &mut PointSink<'_>,
    ) {
        let (predicted, seen) = (self.predicted, self.seen);
        let clause = action_clause(action, predicted);
        let same = predicted.is_success() == seen.is_success();
        sink(clause, same, "status", &|| (outcome(predicted), outcome(seen)));
        if same && seen.is_success() {
            self.compare_fields(&|_| clause, bindings, sink);
        }
    }

    fn compare_fields(
        &self,
        clause_of: &dyn Fn(&str) -> Clause,
        bindings: &mut Bindings,
        sink: &mut PointSink<'_>,
    ) {
        let is_object = self.predicted.json().is_some_and(Value::is_object);
        let seen = self.seen.json().filter(|seen| seen.is_object() || !is_object);
        let (Some(predicted), Some(seen)) = (self.predicted.json(), seen) else {
            let same = self.predicted.json().is_none() && self.seen.json().is_none();
            // What the response to a deletion contains is not shown.
            let free = self.freedom.is_some() && self.predicted.json().is_none();
            let clause = match self.kind {
                _ if free => clause!("gap.successStatuses"),
                Some(kind) => kind.endpoint().body,
                None => clause_of(""),
            };
            sink(clause, same, "body", &|| {
                ("a body as documented".to_owned(), format!("{:?}", self.seen.body))
            });
            return;
        };
        let differences = differences(self.kind, self.freedom, bindings, predicted, seen);
        // A report may differ in each of a thousand rows.
        let lists_same_rows = LazyCell::new(|| has_same_rows(predicted, seen));
        let mut add_points = |field: &str| {
            let clause = clause_of(field);
            let mut differing =
                differences.iter().filter(|difference| top(&difference.field) == field).peekable();
            if differing.peek().is_none() {
                sink(clause, true, field, &Default::default);
            }
            let mut is_as_documented = differing.peek().is_some();
            for difference in differing {
                let FieldDifference { field, expected, seen, clause: known } = difference;
                let gap_at = |freedom| {
                    let gap = self.gap_at(field, seen == ABSENT, &lists_same_rows);
                    let gap = gap.or_else(|| self.rounded_at(field, expected, seen));
                    gap.or_else(|| self.life_at(freedom, field, seen))
                };
                let is_itself = field.as_str() == top(field);
                let within = known.or_else(|| self.freedom.and_then(gap_at));
                is_as_documented &= within.is_some() && !is_itself;
                sink(within.unwrap_or(clause), false, field, &|| (expected.clone(), seen.clone()));
            }
            // The difference lies within the field, where the document is silent.
            if is_as_documented {
                sink(clause, true, field, &Default::default);
            }
        };
        // All elements of a list share one field.
        match predicted {
            Value::Object(fields) => fields.keys().for_each(|field| add_points(field)),
            _ => add_points(""),
        }
        differences.iter().filter(|it| it.expected == ABSENT).for_each(|it| add_points(&it.field));
    }

    /// The gap that covers a field that differs or is missing.
    fn gap_at(
        &self,
        field: &str,
        absent: bool,
        lists_same_rows: &LazyCell<bool, impl FnOnce() -> bool>,
    ) -> Option<Clause> {
        let answer = self.seen.json()?;
        if self.kind == Some(OperationKind::GetBusiness) && opened_early(answer, field) {
            return Some(clause!("gap.accountOpening"));
        }
        match self.kind? {
            OperationKind::GetImport | OperationKind::ImportInvoices
                if top(field) == "rows" && **lists_same_rows
                    || field == field::ROW_COUNT
                        && counts_so_far(self.predicted.json()?, answer) =>
            {
                Some(clause!("gap.importExtra"))
            }
            // Which field holds the secret is not shown, nor what else has its name.
            OperationKind::Subscribe if field == "secret" => {
                nameless(OperationKind::Subscribe, field, answer)
            }
            // How much of the number is shown is open, and so are the states. That they are strings is not.
            OperationKind::SetPayoutAccount | OperationKind::GetInvoice
                if matches!(field, "mask" | field::COLLECTION_STATE)
                    && !answer[field].is_string() =>
            {
                None
            }
            kind if absent => nameless(kind, field, answer),
            kind => gap_within(kind, field),
        }
    }

    /// The gap that covers a date with a part of a second, if it is shown to the second.
    fn rounded_at(&self, field: &str, expected: &str, seen: &str) -> Option<Clause> {
        let is_date = self.kind == Some(OperationKind::GetInvoice)
            && matches!(field, field::ISSUE_DATE | field::DUE_DATE);
        let [expected, seen] = [expected, seen].map(|date| date.trim_matches('"'));
        let apart = instants_apart(expected, seen).filter(|_| is_date)?;
        let date = Timestamp::parse(expected)?;
        let has_part = Timestamp::from_unix(date.unix()) != Some(date);
        (has_part && matches!(apart, 0 | 1)).then_some(clause!("gap.datesReadBack"))
    }

    /// The clause on how long a link lives, where another expiry is shown. Whether a repeat renews the link
    /// is not shown.
    fn life_at(&self, freedom: Freedom, field: &str, seen: &str) -> Option<Clause> {
        let is_time =
            field == field::EXPIRES_AT && Timestamp::parse(seen.trim_matches('"')).is_some();
        let kept = freedom.keeps_expiry.then_some(clause!("gap.invitationLink"));
        kept.or_else(|| self.kind.and_then(|kind| Some(kind.endpoint().link?.clause)))
            .filter(|_| is_time)
    }

    /// The row of the code, if the sentence that requires this refusal does not name the code: one on a field, or
    /// on what other platforms have.
    fn row_of_code(&self) -> Option<Clause> {
        let (code, clause) = self.refusal?;
        let is_required = clause.kind() == Kind::Documented;
        (is_required && !code.is_named_by(clause)).then_some(code.clause())
    }

    /// The clause behind this success, or this refusal and its code: the one that the model cites, or that of
    /// the code that came instead. Another code than the one due breaks the row of that code, if the sentence does
    /// not name it.
    fn outcome_clause(&self) -> Option<Clause> {
        let seen_code = self.seen.code().and_then(Code::parse);
        let due = self.refusal.map(|(code, _)| code);
        let is_other = !self.seen.is_success() && seen_code != due;
        self.row_of_code()
            .filter(|_| is_other)
            .or(self.refusal.map(|(_, clause)| clause))
            .or_else(|| seen_code.map(Code::clause))
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
            Status::Documented(_) => code.clause(),
            Status::Assumed(_) => clause!("gap.ownStatuses"),
        }
    }
}

/// Text that is free, as it is expected.
pub const ANY_TEXT: &str = "any text";

/// The seen value where a field is missing.
pub const ABSENT: &str = "no such field";

/// The first part of a dotted path. Empty for an element of a list.
fn top(field: &str) -> &str {
    let first = field.split('.').next().unwrap_or_default();
    if first.parse::<usize>().is_ok() { "" } else { first }
}

/// How the outcome of a request that succeeds begins.
pub const SUCCESS: &str = "success";

/// How that of a refusal without a code ends, after its status.
pub(crate) const WITHOUT_CODE: &str = " without a code";

/// What is due, as far as the document says it: most statuses are the service's own choice.
fn due(predicted: &Response) -> String {
    let Some(name) = predicted.code() else { return SUCCESS.to_owned() };
    match Code::parse(name).map(Code::status) {
        Some(Status::Documented(_)) => format!("{} {name}", predicted.status),
        Some(Status::Assumed(_)) | None => name.to_owned(),
    }
}

/// The status of a response and its code, or the beginning of a body that is no JSON.
fn outcome(seen: &Response) -> String {
    const SHOWN: usize = 60;
    match (seen.code(), &seen.body) {
        (Some(""), _) => format!("{} with an empty code", seen.status),
        (Some(code), _) => format!("{} {code}", seen.status),
        (None, Body::Other(text)) => {
            let beginning: String = text.chars().take(SHOWN).collect();
            format!("{} with a body that is no JSON: {beginning}", seen.status)
        }
        (None, Body::Empty | Body::Json(_)) if seen.is_success() => {
            format!("{SUCCESS}, {}", seen.status)
        }
        (None, Body::Empty | Body::Json(_)) => format!("{}{WITHOUT_CODE}", seen.status),
    }
}

/// The clause of a field of a response: §2 names most of them.
fn field_clause(kind: OperationKind, field: &str) -> Clause {
    let known = kind.reply_fields().iter().find(|known| known.name == field);
    known.map_or(kind.endpoint().other_fields, |known| known.clause)
}

/// The clause that an action of the operator port tests.
fn action_clause(action: Option<ActionKind>, predicted: &Response) -> Clause {
    match action {
        // A link that is used or expired must not work, whichever it was.
        Some(ActionKind::VendorAcceptsInvitation) if !predicted.is_success() => {
            clause!("4.invitations.11")
        }
        Some(action) => action.clause(),
        None => clause!("gap.advanceTransitions"),
    }
}
