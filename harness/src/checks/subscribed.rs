//! Which subscriptions of the inbox a run knows, with their secrets: what the checks of webhooks share.

use serde_json::Value;
use tideover_model::{Clause, OperationKind, SigningKey, clause};

use crate::checks::{Exchange, starts_anew};
use crate::inbox::Arrival;

/// Every subscription that the target has told a secret of.
#[derive(Default)]
pub(super) struct Subscriptions {
    known: Vec<Subscription>,
}

pub(super) struct Subscription {
    path: String,
    reference: String,
    key: SigningKey,
    pub(super) event_types: Option<Vec<Value>>,
    /// The clause by which it gets nothing more, once that is so.
    pub(super) ended: Option<Clause>,
}

impl Subscriptions {
    /// Learns from what was answered, before the arrivals of a step are looked at.
    pub(super) fn learn(&mut self, exchange: &Exchange<'_>) {
        if starts_anew(exchange) {
            self.known.clear();
        }
        if let Some(body) = exchange.success_of(OperationKind::Subscribe) {
            self.known.extend(Subscription::told(body));
        }
    }

    /// Learns which subscriptions have ended with this step.
    pub(super) fn end(&mut self, exchange: &Exchange<'_>) {
        let deleted =
            exchange.kind() == Some(OperationKind::Unsubscribe) && exchange.seen.is_success();
        if let Some(call) = exchange.call().filter(|_| deleted) {
            let reference = call.path.rsplit('/').next().unwrap_or_default();
            for one in self.known.iter_mut().filter(|one| one.reference == reference) {
                one.ended.get_or_insert(clause!("4.webhookDeletion.1"));
            }
        }
        for arrival in exchange.arrivals.iter().filter(|arrival| arrival.status == 410) {
            if let Some(one) = self.known.iter_mut().find(|one| one.has_signed(arrival)) {
                one.ended.get_or_insert(clause!("6.delivery.2"));
            }
        }
    }

    /// The subscription that an arrival was signed for; one that has ended if no other was.
    pub(super) fn of(&self, arrival: &Arrival) -> Option<&Subscription> {
        let mut signed = self.known.iter().filter(|one| one.has_signed(arrival));
        let first = signed.next()?;
        if first.ended.is_none() {
            Some(first)
        } else {
            signed.find(|one| one.ended.is_none()).or(Some(first))
        }
    }
}

impl Subscription {
    fn told(body: &Value) -> Option<Subscription> {
        let text = |name: &str| body.get(name)?.as_str();
        let (_, after_scheme) = text("url")?.split_once("://")?;
        let path = after_scheme.find('/').map_or("/", |start| &after_scheme[start..]);
        Some(Subscription {
            path: path.to_owned(),
            reference: text("reference")?.to_owned(),
            key: SigningKey::new(text("secret")?),
            event_types: body.get("eventTypes").and_then(Value::as_array).cloned(),
            ended: None,
        })
    }

    fn has_signed(&self, arrival: &Arrival) -> bool {
        let header = arrival.signature.as_deref().map(str::as_bytes);
        let at = arrival.signed_at().unwrap_or_default();
        self.path == arrival.path && self.key.verify(header, &arrival.body, at).is_ok()
    }
}
