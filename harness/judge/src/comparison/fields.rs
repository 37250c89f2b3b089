//! Compares the fields of two responses.

use std::fmt;

use serde::de::{DeserializeOwned, IntoDeserializer, value};
use serde_json::{Map, Value};
use tideover_exchange::masked_field;
use tideover_exchange::matcher::{instants_apart, same_text, texts};
use tideover_model::wire::field::{self, Fields};
use tideover_model::wire::schema::{Field, Origin, Role, mints, shown};
use tideover_model::words::{CollectionState, ComplianceRoute, SyncOutcome};
use tideover_model::{Clause, OperationKind, clause};

use crate::comparison::bindings::Bindings;
use crate::comparison::{ABSENT, ANY_TEXT, Freedom, READ_BEFORE, ROUNDED, is_near};

/// The position of a value in a response. Its display form is dotted.
#[derive(Clone, Copy)]
enum FieldPath<'a> {
    Top,
    Field(&'a FieldPath<'a>, &'a str),
    Item(&'a FieldPath<'a>, usize),
}

impl<'a> FieldPath<'a> {
    /// The name of a field.
    fn name(self) -> &'a str {
        match self {
            FieldPath::Field(_, name) => name,
            FieldPath::Top | FieldPath::Item(..) => "",
        }
    }
}

impl fmt::Display for FieldPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (around, last): (_, &dyn fmt::Display) = match self {
            FieldPath::Top => return Ok(()),
            FieldPath::Field(around, name) => (around, name),
            FieldPath::Item(around, index) => (around, index),
        };
        match around {
            FieldPath::Top => write!(f, "{last}"),
            around => write!(f, "{around}.{last}"),
        }
    }
}

/// A field that differs from the prediction.
pub(super) struct FieldDifference {
    /// Its dotted path.
    pub(super) field: String,
    pub(super) expected: String,
    pub(super) seen: String,
    /// The clause that it concerns, if the field alone decides it.
    pub(super) clause: Option<Clause>,
}

/// The fields of a response to `kind` that differ from the prediction. Binds minted names in `bindings`.
pub(super) fn differences(
    kind: Option<OperationKind>,
    freedom: Option<Freedom>,
    bindings: &mut Bindings,
    predicted: &Value,
    seen: &Value,
) -> Vec<FieldDifference> {
    let mut fields =
        FieldComparison { kind, freedom, bindings, differences: Vec::new(), bank: None };
    if kind == Some(OperationKind::ListSubscriptions) && freedom.is_some() {
        fields.compare_lists(predicted, seen);
    } else if !(std::ptr::eq(predicted, seen)
        && (!mints(kind) || fields.agree_with_themselves("", seen)))
    {
        fields.compare(FieldPath::Top, predicted, Some(seen));
        // Fewer subscriptions are no matter of their form. Those beyond the predicted ones have checks of their own.
        let count = |list: &Value| list.as_array().map(Vec::len);
        if kind == Some(OperationKind::ListSubscriptions) && count(seen) < count(predicted) {
            let unstated = fields.differences.iter_mut().filter(|one| one.clause.is_none());
            unstated.for_each(|one| one.clause = Some(clause!("4.webhookList.1")));
        }
    }
    // Fields that nothing predicts are open, but for those that only some responses have. The two responses to a request
    // for an advance have different ones (`gap.advanceVariants`).
    let kind_of_one = kind.filter(|kind| *kind != OperationKind::RequestAdvance);
    let mut occasional = kind_of_one.map_or(&[][..], OperationKind::reply_fields).iter();
    let is_untimely =
        |name: &str| predicted.get(name).is_none() && seen.get(name).is_some() && freedom.is_none();
    if let Some(Field { name, .. }) = occasional.find(|it| !it.is_required && is_untimely(it.name))
    {
        let place = FieldPath::Field(&FieldPath::Top, name);
        fields.differ(place, ABSENT.to_owned(), seen.get(name), None);
    }
    fields.differences
}

/// A comparison of the fields of two responses.
struct FieldComparison<'a> {
    kind: Option<OperationKind>,
    freedom: Option<Freedom>,
    bindings: &'a mut Bindings,
    differences: Vec<FieldDifference>,
    /// The routing number beside the field: two banks may give out one account number.
    bank: Option<String>,
}

impl FieldComparison<'_> {
    /// Whether null is as good as text (`2.invoiceSynced.reason`). The reason of a business sync is always present
    /// (`2.businessSynced.reason`). Which name of a business is shown, if any, is open.
    fn is_nullable(&self, name: &str) -> bool {
        match self.kind {
            Some(OperationKind::SyncInvoice) => name == field::REASON,
            Some(OperationKind::GetBusiness) => {
                name == field::NAME && self.freedom.is_some_and(|it| it.renames)
            }
            _ => false,
        }
    }

    fn compare(&mut self, place: FieldPath<'_>, predicted: &Value, seen: Option<&Value>) {
        match (predicted, seen) {
            (Value::Object(predicted), Some(Value::Object(seen))) => {
                self.bank = bank_in(seen);
                for (name, predicted) in predicted {
                    self.compare(FieldPath::Field(&place, name), predicted, seen.get(name));
                }
            }
            (Value::Array(predicted), Some(Value::Array(seen)))
                if predicted.len() == seen.len() =>
            {
                for (index, (predicted, seen)) in predicted.iter().zip(seen).enumerate() {
                    self.compare(FieldPath::Item(&place, index), predicted, Some(seen));
                }
            }
            (predicted, seen) if !self.agree(place.name(), predicted, seen) => {
                let gap = self.renamed(place.name(), seen);
                let expected = self.expected(place.name(), predicted, seen);
                self.differ(place, expected, seen, gap);
            }
            _ => {}
        }
    }

    /// Whether a response equal to the prediction is valid. It is, except for names that an earlier response
    /// bound and for values with a fixed form.
    fn agree_with_themselves(&mut self, name: &str, value: &Value) -> bool {
        match value {
            Value::Object(fields) => {
                self.bank = bank_in(fields);
                fields.iter().all(|(name, value)| self.agree_with_themselves(name, value))
            }
            Value::Array(items) => items.iter().all(|item| self.agree_with_themselves("", item)),
            Value::String(_)
                if name == ROUTING_NUMBER || minted(shown(self.kind, name)).is_some() =>
            {
                self.agree(name, value, Some(value))
            }
            Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => true,
        }
    }

    /// The expected value in place of `seen`. For a minted value, the target's earlier name.
    fn expected(&self, name: &str, predicted: &Value, seen: Option<&Value>) -> String {
        let field = shown(self.kind, name);
        match (minted(field), predicted, seen) {
            (Some(minted), Value::String(predicted), Some(Value::String(_))) => {
                let before = self.bindings.seen(minted, predicted);
                let before = before.and_then(|before| before.split(AT_BANK).next());
                before.map_or_else(|| OWN.into(), |before| masked_field(name, &before.into()))
            }
            // What its fields contain, the target chooses.
            (None, Value::Object(_), None | Some(Value::Null)) if self.freedom.is_some() => {
                "an object".to_owned()
            }
            (None, Value::Array(rows), _) if self.freedom.is_some() && name == field::ROWS => {
                outcomes_in_words(rows)
            }
            (None, Value::String(outcome), _)
                if self.freedom.is_some() && name == field::OUTCOME && !is_synced(outcome) =>
            {
                OF_BAD_ROW.to_owned()
            }
            (None, Value::String(_), _) if is_prose(field) => ANY_TEXT.to_owned(),
            _ => masked_field(name, predicted),
        }
    }

    fn differ(
        &mut self,
        place: FieldPath<'_>,
        expected: String,
        seen: Option<&Value>,
        clause: Option<Clause>,
    ) {
        let seen = seen.map_or_else(|| ABSENT.to_owned(), |seen| masked_field(place.name(), seen));
        let seen = if seen == expected {
            "another one, which looks the same when it is masked".to_owned()
        } else {
            seen
        };
        let seen = if expected == OWN { format!("{seen}, which is another one's") } else { seen };
        self.differences.push(FieldDifference { field: place.to_string(), expected, seen, clause });
    }

    /// Whether a repeated invitation keeps its identifier is not shown, nor what else an identifier stands for: no request
    /// names one.
    fn renamed(&self, name: &str, seen: Option<&Value>) -> Option<Clause> {
        self.freedom.filter(|_| name == INVITE_ID && seen.is_some_and(Value::is_string))?;
        Some(clause!("gap.invitationLink"))
    }

    /// Compares subscriptions in any order. Others may have made further ones.
    fn compare_lists(&mut self, predicted: &Value, seen: &Value) {
        let reference = |one: &Value| Fields::of(one).reference().map(str::to_owned);
        let bound: Vec<String> = (predicted.as_array().into_iter().flatten())
            .filter_map(|one| self.bindings.seen("reference", &reference(one)?).cloned())
            .collect();
        let shown = texts(seen);
        // The form of the list is open, but each subscription is there with its reference, alone or as the end of a link.
        let is_it = |text: &&str, reference: &str| {
            text.strip_suffix(reference).is_some_and(|base| base.is_empty() || base.ends_with('/'))
        };
        let is_shown = |reference: &String| shown.iter().any(|text| is_it(text, reference));
        for reference in bound.iter().filter(|reference| !is_shown(reference)) {
            let missing = Some(clause!("4.webhookList.1"));
            self.differ(FieldPath::Top, format!("{reference} in the list"), Some(seen), missing);
        }
    }

    fn agree(&mut self, name: &str, predicted: &Value, seen: Option<&Value>) -> bool {
        let Some(seen) = seen else { return false };
        let field = shown(self.kind, name);
        match (predicted, seen) {
            (Value::String(_), Value::String(seen)) if is_prose(field) => {
                name != NOT_FUNDABLE_REASON || !seen.trim().is_empty()
            }
            (Value::String(_) | Value::Null, Value::String(_) | Value::Null)
                if self.is_nullable(name) =>
            {
                true
            }
            (Value::String(_), Value::String(seen)) if name == ROUTING_NUMBER => {
                let nine_digits = seen.len() == 9 && seen.bytes().all(|byte| byte.is_ascii_digit());
                self.freedom.is_some() || nine_digits
            }
            // The outcome of a row that is not imported is not shown.
            (Value::String(predicted), seen) if name == "outcome" && predicted == "rejected" => {
                let known = is_known_outcome(seen);
                if self.freedom.is_some() { !known } else { seen == predicted }
            }
            (Value::String(predicted), Value::String(seen)) if minted(field).is_some() => {
                let bank = self.bank.as_ref().filter(|_| name == field::ACCOUNT_NUMBER);
                let own = bank.map(|bank| format!("{seen}{AT_BANK}{bank}"));
                let seen = own.as_ref().unwrap_or(seen);
                minted(field).is_some_and(|name| self.bindings.bind(name, predicted, seen))
            }
            (Value::String(predicted), Value::String(seen))
                if self.is_new_member(name, predicted, seen) =>
            {
                true
            }
            (Value::String(predicted), Value::String(seen)) => {
                let is_timed = field.is_some_and(|field| field.origin == Origin::Clock);
                same_text(predicted, seen)
                    || is_timed && self.differs_by_clock(name, predicted, seen)
            }
            (predicted, seen) => predicted == seen,
        }
    }

    /// Enumerated values may gain members (`9.versioning.2`).
    fn is_new_member(&self, name: &str, predicted: &str, seen: &str) -> bool {
        let is_known: fn(&str) -> bool = match name {
            field::COLLECTION_STATE => is_member::<CollectionState>,
            field::COMPLIANCE_ROUTE => is_member::<ComplianceRoute>,
            field::OUTCOME => is_synced,
            _ => return false,
        };
        self.freedom.is_some() && is_known(predicted) && !is_known(seen)
    }

    /// Whether a time differs only by the target's clock.
    fn differs_by_clock(&self, name: &str, predicted: &str, seen: &str) -> bool {
        let Some(freedom) = self.freedom else { return false };
        let Some(ahead) = instants_apart(predicted, seen) else { return false };
        // A timed transition may have happened long before a response shows it.
        let happens_unseen = matches!(name, "fundedAt" | "repaidAt");
        freedom.ahead.is_none_or(|known| {
            // A clock that was read runs on until the request.
            let rounded = if name == field::EXPIRES_AT { freedom.unit - 1 } else { ROUNDED };
            let is_off = ahead > known.saturating_add(ROUNDED)
                || ahead < known.saturating_sub(rounded + READ_BEFORE);
            let is_off = freedom.is_clock_read && is_off;
            (is_near(ahead, known) && !is_off) || (happens_unseen && ahead < known)
        })
    }
}

/// Between an account number and its bank, where both together are a name.
const AT_BANK: &str = " at ";

/// The routing number in an object.
fn bank_in(fields: &Map<String, Value>) -> Option<String> {
    fields.get(ROUTING_NUMBER)?.as_str().map(str::to_owned)
}

/// The name of the field if the service chooses its value.
fn minted(field: Option<&'static Field>) -> Option<&'static str> {
    field.filter(|field| field.origin == Origin::Service).map(|field| field.name)
}

/// Whether the field may be reworded at any time.
fn is_prose(field: Option<&Field>) -> bool {
    field.is_some_and(|field| matches!(field.role, Role::Prose))
}

/// What is expected as the outcome of a bad row, which is not shown.
const OF_BAD_ROW: &str = "any outcome but those of a good row";

/// The rows that a report must have. What else they contain, the target chooses.
fn outcomes_in_words(rows: &[Value]) -> String {
    let outcome = |row| match Fields::of(row).outcome() {
        Some(outcome) if is_synced(outcome) => outcome,
        _ => OF_BAD_ROW,
    };
    let outcomes: Vec<&str> = rows.iter().map(outcome).collect();
    match outcomes.as_slice() {
        [] => "no rows".to_owned(),
        [only] => format!("1 row: {only}"),
        outcomes => format!("{} rows: {}", outcomes.len(), outcomes.join(", ")),
    }
}

/// What is expected of a new name.
pub const OWN: &str = "one of its own";

/// Any nine digits.
const ROUTING_NUMBER: &str = "routingNumber";

const INVITE_ID: &str = field::INVITE_ID;

/// Whether a word is a member of an enumeration of the document.
pub(crate) fn is_member<T: DeserializeOwned>(word: &str) -> bool {
    T::deserialize(IntoDeserializer::<value::Error>::into_deserializer(word)).is_ok()
}

/// Whether the outcome of a row is that of a synced invoice.
pub(crate) fn is_known_outcome(outcome: &Value) -> bool {
    outcome.as_str().is_some_and(is_synced)
}

/// Whether an outcome is that of a synced invoice.
pub(crate) fn is_synced(outcome: &str) -> bool {
    is_member::<SyncOutcome>(outcome)
}

/// A sentence.
const NOT_FUNDABLE_REASON: &str = field::NOT_FUNDABLE_REASON;
