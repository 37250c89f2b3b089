//! The fields of two answers, side by side.

use std::fmt;

use serde_json::Value;
use tideover_model::{Clause, OperationKind, clause};

use crate::exchange::masked_field;
use crate::exchange::matcher::{instants_apart, same_text, texts};
use crate::judge::bindings::Bindings;
use crate::judge::clock::is_near;
use crate::judge::comparison::{ABSENT, Freedom};

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
pub(super) struct Difference {
    /// Where it stands, dotted.
    pub(super) field: String,
    pub(super) expected: String,
    pub(super) seen: String,
    /// The clause that it is about, if that is told without a look at the rest.
    pub(super) clause: Option<Clause>,
}

/// The fields of an answer to `kind` that are not as predicted; what is minted is bound in `bindings`.
pub(super) fn differences(
    kind: Option<OperationKind>,
    freedom: Option<Freedom>,
    bindings: &mut Bindings,
    predicted: &Value,
    seen: &Value,
) -> Vec<Difference> {
    let mut fields = Fields {
        minted: minted_fields(kind),
        nullable: nullable_prose(kind, freedom),
        freedom,
        bindings,
        differences: Vec::new(),
    };
    if kind == Some(OperationKind::ListSubscriptions) && freedom.is_some() {
        fields.compare_lists(predicted, seen);
    } else if !(std::ptr::eq(predicted, seen)
        && (fields.minted.is_empty() || fields.agree_with_themselves("", seen)))
    {
        fields.compare(Place::Top, predicted, Some(seen));
    }
    let is_untimely = |field: &&str| predicted.get(field).is_none() && seen.get(field).is_some();
    if let Some(field) = OCCASIONAL.iter().copied().find(is_untimely)
        && freedom.is_none()
    {
        fields.differ(Place::Field(&Place::Top, field), ABSENT.to_owned(), seen.get(field), None);
    }
    fields.differences
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
                let gap = self.renamed(place.name(), predicted, seen);
                let expected = self.expected(place.name(), predicted, seen);
                self.differ(place, expected, seen, gap);
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
            Value::String(_) if name == ROUTING_NUMBER || self.minted.contains(&name) => {
                self.agree(name, value, Some(value))
            }
            Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => true,
        }
    }

    /// What is expected in the place of `seen`: of what is minted, what the target called it before.
    fn expected(&self, name: &str, predicted: &Value, seen: Option<&Value>) -> String {
        match (self.minted.iter().find(|minted| **minted == name), predicted, seen) {
            (Some(minted), Value::String(predicted), Some(Value::String(_))) => {
                let before = self.bindings.seen(minted, predicted);
                before.map_or_else(
                    || "one of its own".into(),
                    |before| masked_field(name, &before.as_str().into()),
                )
            }
            (None, Value::String(_), _) if is_prose(name) => Value::from("any words").to_string(),
            _ => masked_field(name, predicted),
        }
    }

    fn differ(
        &mut self,
        place: Place<'_>,
        expected: String,
        seen: Option<&Value>,
        clause: Option<Clause>,
    ) {
        let seen = seen.map_or_else(|| ABSENT.to_owned(), |seen| masked_field(place.name(), seen));
        let seen = if seen == expected { format!("another, {seen}") } else { seen };
        self.differences.push(Difference { field: place.to_string(), expected, seen, clause });
    }

    /// Whether a repeated invitation keeps its identifier is not shown; two invitations never share one.
    fn renamed(&mut self, name: &str, predicted: &Value, seen: Option<&Value>) -> Option<Clause> {
        self.freedom.filter(|_| name == INVITE_ID)?;
        let (predicted, seen) = predicted.as_str().zip(seen?.as_str())?;
        self.bindings.rename(INVITE_ID, predicted, seen).then_some(clause!("gap.invitationLink"))
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
                // What else tells of it is not shown.
                let is_shown = seen.is_array() && !texts(seen).contains(&bound.as_str());
                let missing = is_shown.then_some(clause!("4.webhookList.1"));
                self.differ(Place::Top, format!("{bound} in the list"), Some(seen), missing);
            }
        }
    }

    fn agree(&mut self, name: &str, predicted: &Value, seen: Option<&Value>) -> bool {
        let Some(seen) = seen else { return false };
        match (predicted, seen) {
            (Value::String(_), Value::String(seen)) if is_prose(name) => {
                name != NOT_FUNDABLE_REASON || !seen.trim().is_empty()
            }
            (Value::String(_) | Value::Null, Value::String(_) | Value::Null)
                if self.nullable.contains(&name) =>
            {
                true
            }
            (Value::String(_), Value::String(seen)) if name == ROUTING_NUMBER => {
                let nine_digits = seen.len() == 9 && seen.bytes().all(|byte| byte.is_ascii_digit());
                self.freedom.is_some() || nine_digits
            }
            // What is told of a row that is not imported is not shown.
            (Value::String(predicted), seen) if name == "outcome" && predicted == "rejected" => {
                let known = is_known_outcome(seen);
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
            "collectionState" => &["UNCOLLECTED", "PARTIALLY_COLLECTED", "COLLECTED"],
            "complianceRoute" => &["VENDOR_ASSERTION", "W9_UPLOAD", "PARTNER_SUPPLIED"],
            "outcome" => OUTCOMES,
            _ => return false,
        };
        self.freedom.is_some() && known.contains(&predicted) && !known.contains(&seen)
    }

    /// What a target tells of its own clock, which is not ours.
    fn is_about_then(&self, name: &str, predicted: &str, seen: &str) -> bool {
        let sink =
            matches!(name, "expiresAt" | "createdAt" | "requestedAt" | "fundedAt" | "repaidAt");
        let Some(freedom) = self.freedom.filter(|_| sink) else { return false };
        let Some(ahead) = instants_apart(predicted, seen) else { return false };
        // What takes its time may have happened long before an answer showed it.
        let happens_unseen = matches!(name, "fundedAt" | "repaidAt");
        freedom.ahead.is_none_or(|known| is_near(ahead, known) || (happens_unseen && ahead < known))
    }
}

/// Revealed on occasion alone (`2.businessSynced.taxIdResult`): what else is not predicted is not known.
const OCCASIONAL: [&str; 1] = ["taxIdResult"];

/// Nine digits, whichever.
const ROUTING_NUMBER: &str = "routingNumber";

const INVITE_ID: &str = "inviteId";

/// What comes of an invoice that is synced.
pub(super) const OUTCOMES: &[&str] = &["created", "updated", "statusOnly"];

/// Whether the outcome of a row is one of an invoice that is synced.
pub(crate) fn is_known_outcome(outcome: &Value) -> bool {
    outcome.as_str().is_some_and(|outcome| OUTCOMES.contains(&outcome))
}

/// A sentence.
const NOT_FUNDABLE_REASON: &str = "notFundableReason";

/// May be reworded at any time.
fn is_prose(name: &str) -> bool {
    matches!(name, "reason" | NOT_FUNDABLE_REASON | "error")
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

/// The fields of a response whose values the service chooses: of an endpoint, or of the operator port.
fn minted_fields(kind: Option<OperationKind>) -> &'static [&'static str] {
    kind.map_or(&["id", "subscription", "key"], |kind| kind.endpoint().minted)
}
