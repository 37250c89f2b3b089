//! What a world remembers of the last deliveries: every attempt, and how it ended.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use tideover_model::words::EventType;
use tideover_model::{Attempt, Cause, Consequence, Delivery, Timestamp};

use crate::journal::Ring;

/// Attempts of a delivery that are kept: more than a schedule has, unless somebody sends again and again.
const ATTEMPTS_KEPT: usize = 32;

/// A delivery, and how it went.
#[derive(Clone, Debug)]
pub struct DeliveryEntry {
    /// What is sent.
    pub delivery: Arc<Delivery>,
    /// The last attempts, the oldest first.
    pub attempts: Vec<AttemptEntry>,
    /// How it stands.
    pub state: DeliveryState,
    /// When the next attempt is due, if one is.
    pub next_attempt_at: Option<Timestamp>,
}

/// An attempt, and how it ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AttemptEntry {
    /// The how-manieth it is, from 1.
    pub number: u32,
    /// When it began, by the world's clock.
    pub at: Timestamp,
    /// Why it was made.
    #[serde(serialize_with = "cause")]
    pub cause: Cause,
    /// The headers that it was sent with, but for those of the connection.
    pub headers: Headers,
    /// The HTTP status that it was answered with.
    pub status: Option<u16>,
    /// Why it was not answered.
    pub problem: Option<String>,
    /// How long it took outside, in milliseconds, once it has ended.
    pub milliseconds: Option<u64>,
}

/// Headers by name.
pub type Headers = BTreeMap<&'static str, String>;

/// How a delivery stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum DeliveryState {
    /// It waits for its first attempt.
    Queued,
    /// An attempt waits for its answer.
    UnderWay,
    /// It waits for its next attempt.
    Retrying,
    /// It was answered with 2xx.
    Accepted,
    /// It was tried for long enough.
    GivenUp,
    /// It was answered with 410, and so ended its subscription.
    Revoked,
    /// Its subscription was ended.
    Dropped,
}

/// What became of an attempt outside.
#[derive(Debug)]
pub(crate) struct Ending {
    /// The HTTP status, or why there was none.
    pub(crate) answer: Result<u16, String>,
    pub(crate) took: Duration,
}

/// The last deliveries.
#[derive(Debug, Default)]
pub(crate) struct DeliveryLog {
    ring: Ring<Kept>,
}

#[derive(Debug)]
struct Kept {
    delivery: Arc<Delivery>,
    attempts: Vec<AttemptEntry>,
    ended: Option<Consequence>,
}

/// Which deliveries are asked for.
#[derive(Debug, Default)]
pub(crate) struct Filter {
    pub(crate) after: u64,
    pub(crate) subscription: Option<String>,
    pub(crate) event: Option<EventType>,
    pub(crate) payee: Option<String>,
    pub(crate) invoice: Option<String>,
    pub(crate) state: Option<DeliveryState>,
}

/// `GET /_sim/deliveries`
#[derive(Serialize)]
pub(crate) struct LogView {
    deliveries: Vec<DeliveryView>,
    next: u64,
    dropped: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DeliveryView {
    index: u64,
    id: String,
    subscription: String,
    url: String,
    event: EventType,
    queued_at: Timestamp,
    state: DeliveryState,
    next_attempt_at: Option<Timestamp>,
    attempts: Vec<AttemptEntry>,
    body: Option<Box<RawValue>>,
}

impl DeliveryLog {
    pub(crate) fn queued(&mut self, delivery: Arc<Delivery>) {
        self.ring.push(Kept { delivery, attempts: Vec::new(), ended: None });
    }

    pub(crate) fn begun(&mut self, attempt: &Attempt, headers: Headers) {
        let Some(kept) = self.ring.get_mut(attempt.delivery.number) else { return };
        kept.ended = None;
        if kept.attempts.len() == ATTEMPTS_KEPT {
            kept.attempts.remove(0);
        }
        kept.attempts.push(AttemptEntry {
            number: attempt.number,
            at: attempt.begun_at,
            cause: attempt.cause,
            headers,
            status: None,
            problem: None,
            milliseconds: None,
        });
    }

    pub(crate) fn ended(&mut self, attempt: &Attempt, ending: Ending, consequence: Consequence) {
        let Some(kept) = self.ring.get_mut(attempt.delivery.number) else { return };
        if !Arc::ptr_eq(&kept.delivery, &attempt.delivery) {
            return;
        }
        kept.ended = Some(consequence);
        let entry = kept.attempts.iter_mut().rev().find(|entry| entry.milliseconds.is_none());
        let Some(entry) = entry else { return };
        match ending.answer {
            Ok(status) => entry.status = Some(status),
            Err(problem) => entry.problem = Some(problem),
        }
        entry.milliseconds = Some(u64::try_from(ending.took.as_millis()).unwrap_or(u64::MAX));
    }

    /// How many attempts of a delivery were begun.
    pub(crate) fn attempts(&mut self, delivery: &Delivery) -> u32 {
        let last = self.ring.get_mut(delivery.number).and_then(|kept| kept.attempts.last());
        last.map_or(0, |last| last.number)
    }

    /// The delivery that carries this identifier, if it is kept.
    pub(crate) fn find(&self, id: &str) -> Option<Arc<Delivery>> {
        let mut kept = self.ring.from(0);
        kept.find(|(_, kept)| kept.delivery.id == id).map(|(_, kept)| Arc::clone(&kept.delivery))
    }

    /// Those from number `after` on, as far as they are kept. `due` says when one is due again.
    pub(crate) fn entries(
        &self,
        after: u64,
        due: impl Fn(&Delivery) -> Option<Timestamp>,
    ) -> Vec<DeliveryEntry> {
        self.ring.from(after).map(|(_, kept)| kept.entry(&due)).collect()
    }

    pub(crate) fn view(
        &self,
        filter: &Filter,
        due: impl Fn(&Delivery) -> Option<Timestamp>,
    ) -> LogView {
        let kept = self.ring.from(filter.after);
        let views = kept.map(|(index, kept)| DeliveryView::new(index, kept.entry(&due)));
        LogView {
            deliveries: views.filter(|view| filter.wants(view)).collect(),
            next: self.ring.next(),
            dropped: self.ring.dropped(),
        }
    }
}

impl Kept {
    fn entry(&self, due: impl Fn(&Delivery) -> Option<Timestamp>) -> DeliveryEntry {
        let next_attempt_at = due(&self.delivery);
        let is_under_way = self.attempts.last().is_some_and(|last| last.milliseconds.is_none());
        let state = match self.ended {
            _ if is_under_way => DeliveryState::UnderWay,
            Some(Consequence::Accepted) => DeliveryState::Accepted,
            Some(Consequence::GivenUp) => DeliveryState::GivenUp,
            Some(Consequence::Revoked) => DeliveryState::Revoked,
            Some(Consequence::Again(_)) if next_attempt_at.is_some() => DeliveryState::Retrying,
            None if next_attempt_at.is_some() => DeliveryState::Queued,
            Some(Consequence::Again(_) | Consequence::None) | None => DeliveryState::Dropped,
        };
        DeliveryEntry {
            delivery: Arc::clone(&self.delivery),
            attempts: self.attempts.clone(),
            state,
            next_attempt_at,
        }
    }
}

impl DeliveryView {
    fn new(index: u64, entry: DeliveryEntry) -> DeliveryView {
        let DeliveryEntry { delivery, attempts, state, next_attempt_at } = entry;
        DeliveryView {
            index,
            id: delivery.id.clone(),
            subscription: delivery.subscription.to_string(),
            url: delivery.url.to_string(),
            event: delivery.event,
            queued_at: delivery.queued_at,
            state,
            next_attempt_at,
            attempts,
            body: serde_json::from_slice(&delivery.body).ok(),
        }
    }
}

impl DeliveryView {
    /// A field of what the event is about.
    fn data(&self, field: &str) -> Option<String> {
        let body: Value = serde_json::from_str(self.body.as_deref()?.get()).ok()?;
        body["data"][field].as_str().map(str::to_owned)
    }
}

impl Filter {
    fn wants(&self, view: &DeliveryView) -> bool {
        let about = |wanted: &Option<String>, field: &str| {
            wanted.as_deref().is_none_or(|wanted| view.data(field).as_deref() == Some(wanted))
        };
        self.subscription.as_ref().is_none_or(|wanted| view.subscription == *wanted)
            && self.event.is_none_or(|wanted| view.event == wanted)
            && self.state.is_none_or(|wanted| view.state == wanted)
            && about(&self.payee, "payeeExternalId")
            && about(&self.invoice, "invoiceExternalId")
    }
}

fn cause<S: serde::Serializer>(cause: &Cause, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(match cause {
        Cause::Event => "event",
        Cause::Late => "late",
        Cause::Retry => "retry",
        Cause::Duplicate => "duplicate",
        Cause::Resent => "resent",
    })
}
