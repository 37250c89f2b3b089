//! Liberties in the bodies of successes.

use serde_json::{Map, Value, json};
use tideover_exchange::PreparedCall;
use tideover_model::clause::Kind;
use tideover_model::wire::field::{self, Fields};
use tideover_model::wire::schema::{Field, Role};
use tideover_model::words::{CollectionState, SyncOutcome};
use tideover_model::{OperationKind, Timestamp};

use crate::right::liberties::json::{
    add_members, each_described, kind_of, members, rename, styled,
};
use crate::right::liberty::Liberty;

/// Members that the document does not show.
pub(super) struct ExtraMembers {
    pub(super) salt: u64,
}

impl Liberty for ExtraMembers {
    fn body(&mut self, _: &PreparedCall, mut body: Value) -> Value {
        add_members(&mut body, self.salt);
        body
    }
}

/// Other names for the members that the document does not name.
pub(super) struct OwnNames {
    pub(super) style: u64,
}

impl Liberty for OwnNames {
    fn body(&mut self, call: &PreparedCall, mut body: Value) -> Value {
        each_described(&mut body, members(kind_of(call)), &mut |object, fields| {
            for field in fields.iter().filter(|field| field.clause.kind() != Kind::Documented) {
                if let Some(value) = object.remove(field.name) {
                    object.insert(styled(field.name, self.style), value);
                }
            }
        });
        // The name of the secret is not shown either (§2 Gaps).
        rename(&mut body, "secret", &styled("signingSecret", self.style));
        body
    }
}

/// None of the members that the document does not ask for.
pub(super) struct FewerMembers;

impl FewerMembers {
    /// What the document asks for without a name (§2).
    const ASKED: [&str; 5] = ["state", "amountSent", "amountOwed", "summary", "onboarding"];
}

impl Liberty for FewerMembers {
    fn body(&mut self, call: &PreparedCall, mut body: Value) -> Value {
        each_described(&mut body, members(kind_of(call)), &mut |object, fields| {
            let dropped = fields.iter().filter(|field| {
                field.clause.kind() != Kind::Documented && !Self::ASKED.contains(&field.name)
            });
            for field in dropped {
                object.remove(field.name);
            }
        });
        body
    }
}

/// The report of an import that was interrupted counts the rows so far.
pub(super) struct RowsSoFar;

impl Liberty for RowsSoFar {
    fn body(&mut self, _: &PreparedCall, mut body: Value) -> Value {
        let report = Fields::of(&body);
        let so_far = report.rows().filter(|_| report.finished() == Some(false)).map(<[Value]>::len);
        if let Some(count) = so_far {
            body[field::ROW_COUNT] = json!(count);
        }
        body
    }
}

/// The amounts of an advance in an object of their own.
pub(super) struct AdvanceInParts;

impl Liberty for AdvanceInParts {
    fn body(&mut self, call: &PreparedCall, mut body: Value) -> Value {
        if kind_of(call) == Some(OperationKind::GetInvoice)
            && let Some(advance) = body[field::ADVANCE].as_object_mut()
        {
            let of_amounts = advance.keys().filter(|name| advance[*name].is_i64()).cloned();
            let names: Vec<String> = of_amounts.collect();
            let amounts = names.into_iter().filter_map(|name| advance.remove_entry(&name));
            let amounts: Map<String, Value> = amounts.collect();
            advance.insert("cents".into(), amounts.into());
        }
        body
    }
}

/// Words of the service's own, where the document has none.
pub(super) struct OwnWords {
    pub(super) style: u64,
}

impl Liberty for OwnWords {
    fn body(&mut self, call: &PreparedCall, mut body: Value) -> Value {
        each_described(&mut body, members(kind_of(call)), &mut |object, fields| {
            let is_open = |field: &&Field| {
                let has_documented = SyncOutcome::WORDS
                    .iter()
                    .any(|word| object.get(field.name).is_some_and(|it| it == word));
                field.name == field::OUTCOME && !has_documented
            };
            for field in fields.iter().filter(is_open).collect::<Vec<_>>() {
                if let Some(Value::String(word)) = object.get_mut(field.name) {
                    *word = styled(word, self.style).to_uppercase();
                }
            }
        });
        body
    }
}

/// Another form of the mask of an account.
pub(super) struct OtherMask;

impl Liberty for OtherMask {
    fn body(&mut self, _: &PreparedCall, mut body: Value) -> Value {
        if let Some(Value::String(mask)) = body.get_mut("mask") {
            *mask = format!("ending in {mask}");
        }
        body
    }
}

/// Names of businesses in a form of the service's own.
pub(super) struct NamesInOneCase {
    pub(super) capitals: bool,
}

impl Liberty for NamesInOneCase {
    fn body(&mut self, call: &PreparedCall, mut body: Value) -> Value {
        each_described(&mut body, members(kind_of(call)), &mut |object, fields| {
            for field in fields.iter().filter(|field| matches!(field.role, Role::LegalName)) {
                if let Some(Value::String(name)) = object.get_mut(field.name) {
                    *name = if self.capitals { name.to_uppercase() } else { name.to_lowercase() };
                }
            }
        });
        body
    }
}

/// Links for vendors at another place.
pub(super) struct OtherSessionLinks;

impl Liberty for OtherSessionLinks {
    fn body(&mut self, call: &PreparedCall, mut body: Value) -> Value {
        if kind_of(call) == Some(OperationKind::CreateOnboardingSession)
            && let Some(Value::String(url)) = body.get_mut("url")
        {
            *url = format!("https://onboarding.example/start?from={url}");
        }
        body
    }
}

/// An invoice counts as collected shortly before its last cent comes.
pub(super) struct EarlyCollected {
    pub(super) percent: u64,
}

impl Liberty for EarlyCollected {
    fn body(&mut self, call: &PreparedCall, mut body: Value) -> Value {
        let cents = |name: &str| body[name].as_i64().map_or(0, i128::from);
        let (collected, face_value) = (cents(field::COLLECTED), cents(field::FACE_VALUE));
        if kind_of(call) == Some(OperationKind::GetInvoice)
            && collected * 100 >= face_value * i128::from(self.percent)
        {
            body[field::COLLECTION_STATE] = CollectionState::Collected.word().into();
        }
        body
    }
}

/// The list of subscriptions, in an object.
pub(super) struct ListInObject;

impl Liberty for ListInObject {
    fn body(&mut self, _: &PreparedCall, body: Value) -> Value {
        if body.is_array() { json!({ "data": body, "hasMore": false }) } else { body }
    }
}

/// References that are numbers, in the order of the subscriptions.
#[derive(Default)]
pub(super) struct NumberedReferences {
    /// The references of the service. The first is number 1.
    known: Vec<String>,
}

impl NumberedReferences {
    fn number(&mut self, reference: &str) -> usize {
        let known = self.known.iter().position(|one| one == reference);
        1 + known.unwrap_or_else(|| {
            self.known.push(reference.to_owned());
            self.known.len() - 1
        })
    }

    fn renumber(&mut self, body: &mut Value) {
        match body {
            Value::Array(items) => items.iter_mut().for_each(|item| self.renumber(item)),
            Value::Object(members) => {
                if let Some(Value::String(reference)) = members.get(field::REFERENCE) {
                    let number = self.number(reference);
                    members.insert(field::REFERENCE.to_owned(), json!(number));
                }
                members.values_mut().for_each(|value| self.renumber(value));
            }
            _ => {}
        }
    }
}

impl Liberty for NumberedReferences {
    fn takes(&mut self, call: &PreparedCall) -> Option<PreparedCall> {
        let number = call.path.strip_prefix(OperationKind::Unsubscribe.path_of(&[""]).as_str())?;
        let place = number.parse::<usize>().ok()?.checked_sub(1)?;
        let path = OperationKind::Unsubscribe.path_of(&[self.known.get(place)?]);
        Some(call.with_path(path)).filter(|_| kind_of(call) == Some(OperationKind::Unsubscribe))
    }

    fn body(&mut self, call: &PreparedCall, mut body: Value) -> Value {
        let kinds = [OperationKind::Subscribe, OperationKind::ListSubscriptions];
        if kind_of(call).is_some_and(|kind| kinds.contains(&kind)) {
            self.renumber(&mut body);
        }
        body
    }
}

/// Every instant with an offset from UTC.
pub(super) struct OffsetDates {
    pub(super) hours: u64,
}

impl Liberty for OffsetDates {
    fn body(&mut self, call: &PreparedCall, mut body: Value) -> Value {
        let hours = i64::try_from(self.hours).unwrap_or(0) - 12;
        each_described(&mut body, members(kind_of(call)), &mut |object, fields| {
            for field in fields.iter().filter(|field| matches!(field.role, Role::Instant)) {
                let Some(Value::String(text)) = object.get_mut(field.name) else { continue };
                let local = Timestamp::parse(text)
                    .and_then(|at| Timestamp::from_unix(at.unix() + hours * 3600));
                if let Some(local) = local.map(|it| it.to_string()).filter(|it| it.ends_with('Z')) {
                    let sign = if hours < 0 { '-' } else { '+' };
                    *text = format!("{}{sign}{:02}:00", &local[..local.len() - 1], hours.abs());
                }
            }
        });
        body
    }
}
