//! Which kinds of events came, of those that an assumed cause should have sent (`gap.eventCauses`).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use tideover_exchange::Exchange;
use tideover_exchange::evidence::Point;
use tideover_exchange::target::inbox::is_gone;
use tideover_judge::Belief;
use tideover_judge::meanings::Proof;
use tideover_model::wire::field::{self, Fields};
use tideover_model::words::EventType;
use tideover_model::{ActionKind, OperationKind, clause};

type Kinds = BTreeSet<EventType>;

/// The kinds of events that were caused in one case, and those that came.
#[derive(Clone, Debug, Default)]
pub(super) struct Causes {
    subscriptions: Vec<Subscription>,
    /// What the last read of each object showed to have happened, by key and path.
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
            let kind = arrival.event_type();
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
                // What the first read shows may have happened before.
                if let Some(before) = self.happened.insert(place, happened.clone()) {
                    self.cause(key, happened.difference(&before).copied());
                }
            }
            kind => self.cause(key, Proof::of(kind, answer).caused()),
        }
    }

    fn subscribe(&mut self, exchange: &Exchange<'_>, belief: &Belief, key: &str, answer: &Value) {
        let url = exchange.sent_field(field::URL).unwrap_or_default();
        // An endpoint that answers 410 may end the subscription at any time.
        let is_watched = belief.hears(&url) && !is_gone(&url);
        let Some(reference) = Fields::of(answer).reference().filter(|_| is_watched) else { return };
        // What happened since the last read may have happened before the subscription.
        self.happened.clear();
        let sent = exchange.sent_json().and_then(|sent| sent.get(field::EVENT_TYPES));
        self.subscriptions.push(Subscription {
            authorization: key.to_owned(),
            reference: reference.to_owned(),
            wanted: sent.and_then(Value::as_array).cloned(),
        });
    }

    fn cause(&mut self, key: &str, kinds: impl Iterator<Item = EventType>) {
        let of_platform = || self.subscriptions.iter().filter(|one| one.authorization == key);
        let wants = |kind: &EventType| {
            let names = |wanted: &Vec<Value>| wanted.iter().any(|one| *one == kind.name());
            of_platform().any(|one| one.wanted.as_ref().is_none_or(names))
        };
        let wanted: Kinds = kinds.filter(wants).collect();
        self.caused.extend(wanted);
    }

    /// For each kind that was caused, whether it came.
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

/// What a read shows to have happened to a business or an invoice. That a new account changes the payout details is an
/// assumption.
fn happened(kind: OperationKind, answer: &Value) -> Kinds {
    let has_account = Fields::of(answer).remittance().map(|_| EventType::RemittanceUpdated);
    Proof::of(kind, answer).shown().chain(has_account).collect()
}
