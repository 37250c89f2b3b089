//! Which kinds of event came, of those that an assumed cause should have sent (`gap.eventCauses`).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use tideover_exchange::evidence::Point;
use tideover_exchange::target::inbox::is_gone;
use tideover_exchange::{Exchange, kind_of_event};
use tideover_judge::Belief;
use tideover_judge::meanings::Proof;
use tideover_model::wire::field::{self, Fields};
use tideover_model::words::EventType;
use tideover_model::{ActionKind, OperationKind, clause};

type Kinds = BTreeSet<EventType>;

/// What was caused and what came, in one run.
#[derive(Clone, Debug, Default)]
pub(super) struct Causes {
    subscriptions: Vec<Subscription>,
    /// What was read last to have happened, by whose key and where.
    happened: BTreeMap<(String, String), Kinds>,
    caused: Kinds,
    came: Kinds,
}

#[derive(Clone, Debug)]
struct Subscription {
    authorization: String,
    reference: String,
    /// The kinds that it names, if it does.
    wanted: Option<Vec<Value>>,
}

impl Causes {
    pub(super) fn observe(&mut self, exchange: &Exchange<'_>, belief: &Belief) {
        if exchange.acts() == Some(ActionKind::Reset) {
            self.subscriptions.clear();
        }
        for arrival in exchange.arrivals {
            let kind = arrival.body.json().and_then(kind_of_event);
            self.came.extend(EventType::ALL.into_iter().find(|one| Some(one.name()) == kind));
        }
        let Some((call, key)) = exchange.call().zip(exchange.sent.authorization.as_ref()) else {
            return;
        };
        let Some(kind) = exchange.kind().filter(|_| exchange.seen.is_success()) else { return };
        let answer = exchange.seen.json().unwrap_or(&Value::Null);
        match kind {
            OperationKind::Subscribe => self.subscribe(exchange, belief, key, answer),
            OperationKind::Unsubscribe => {
                let reference = call.path.rsplit('/').next();
                self.subscriptions.retain(|one| Some(one.reference.as_str()) != reference);
            }
            OperationKind::GetBusiness | OperationKind::GetInvoice => {
                let happened = happened(kind, answer);
                let place = (key.clone(), call.path.clone());
                // What is read for the first time may have been so before.
                if let Some(before) = self.happened.insert(place, happened.clone()) {
                    self.cause(key, happened.difference(&before).copied());
                }
            }
            kind => self.cause(key, Proof::of(kind, answer).caused()),
        }
    }

    fn subscribe(&mut self, exchange: &Exchange<'_>, belief: &Belief, key: &str, answer: &Value) {
        let url = exchange.sent_field(field::URL).unwrap_or_default();
        // One that answers 410 is over at any time.
        let is_heard = belief.hears(&url) && !is_gone(&url);
        let Some(reference) = Fields::of(answer).reference().filter(|_| is_heard) else { return };
        // What happened since it was last read may have happened before.
        self.happened.clear();
        let sent = exchange.sent_json().and_then(|sent| sent.get(field::EVENT_TYPES));
        self.subscriptions.push(Subscription {
            authorization: key.to_owned(),
            reference: reference.to_owned(),
            wanted: sent.and_then(Value::as_array).cloned(),
        });
    }

    fn cause(&mut self, key: &str, kinds: impl Iterator<Item = EventType>) {
        let own = || self.subscriptions.iter().filter(|one| one.authorization == key);
        let wants = |kind: &EventType| {
            let names = |wanted: &Vec<Value>| wanted.iter().any(|one| *one == kind.name());
            own().any(|one| one.wanted.as_ref().is_none_or(names))
        };
        let wanted: Kinds = kinds.filter(wants).collect();
        self.caused.extend(wanted);
    }

    /// Of each kind that was caused, whether it came.
    pub(super) fn points(&self) -> impl Iterator<Item = Point> {
        self.caused.iter().map(|kind| Point {
            clause: clause!("gap.eventCauses"),
            holds: self.came.contains(kind),
            field: kind.name().to_owned(),
            expected: "comes".to_owned(),
            seen: "never came while the case was played".to_owned(),
        })
    }
}

/// What has happened to a business or an invoice that is read. That funds go elsewhere once the account opens is
/// assumed.
fn happened(kind: OperationKind, answer: &Value) -> Kinds {
    let has_account = Fields::of(answer).remittance().map(|_| EventType::RemittanceUpdated);
    Proof::of(kind, answer).shown().chain(has_account).collect()
}
