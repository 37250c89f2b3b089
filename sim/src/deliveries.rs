//! A world's log of the last deliveries: every attempt, and its result.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tideover_model::words::{EventKind, EventType};
use tideover_model::{Attempt, Cause, Consequence, Delivery, Timestamp};
use utoipa::ToSchema;

use crate::event_subject::EventSubject;
use crate::fault::Faults;
use crate::grease::{Freedom, GreasedEvent};
use crate::history;
use crate::journal::CausedEvent;

mod witnessed;

pub(crate) use witnessed::Witnessed;

/// The number of deliveries kept.
const KEPT: usize = 1000;
/// The number of attempts logged per delivery: more than a schedule has, unless someone resends many times.
const ATTEMPTS_KEPT: usize = 32;

/// A delivery and its progress.
#[derive(Clone, Debug)]
pub struct DeliveryEntry {
    /// The delivery, with the body that is sent.
    pub delivery: Arc<Delivery>,
    /// The last attempts, the oldest first.
    pub attempts: Vec<AttemptEntry>,
    /// Its state.
    pub state: DeliveryState,
    /// When the next attempt is due, if one is.
    pub next_attempt_at: Option<Timestamp>,
    /// The label of the fault that acts on it, if one does.
    pub fault: Option<String>,
    /// The freedoms that it takes, if the world has grease.
    pub grease: Vec<Freedom>,
}

/// An attempt and its result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DeliveryAttempt)]
pub struct AttemptEntry {
    /// Its number among the delivery's attempts, from 1.
    pub number: u32,
    /// When it began, by the world's clock.
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
    /// The reason for it: `event`, `late`, `retry`, `duplicate`, `resent`.
    #[serde(serialize_with = "cause")]
    #[schema(value_type = String, examples("event", "late", "retry", "duplicate", "resent"))]
    pub cause: Cause,
    /// The headers that it was sent with, except those of the connection.
    #[schema(value_type = BTreeMap<String, String>)]
    pub headers: Headers,
    /// The HTTP status of the response.
    #[schema(required = true)]
    pub status: Option<u16>,
    /// Why there was no response.
    #[schema(required = true)]
    pub problem: Option<String>,
    /// Its real duration in milliseconds, once it has ended.
    #[schema(required = true)]
    pub milliseconds: Option<u64>,
    /// When it ended, among the other things that happened.
    #[serde(skip)]
    #[schema(ignore)]
    pub(crate) ended: Place,
}

/// A place among the requests of the journal and the attempts of the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    /// The number of requests before it.
    pub(crate) requests: u64,
    /// The number of attempts that ended before it.
    pub(crate) attempts: u64,
}

/// Headers by name.
pub type Headers = BTreeMap<&'static str, String>;

/// The state of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum DeliveryState {
    /// It waits for its first attempt.
    Queued,
    /// An attempt waits for its response.
    UnderWay,
    /// It waits for its next attempt.
    Retrying,
    /// The receiver responded with 2xx.
    Accepted,
    /// The retry window is over.
    GivenUp,
    /// The receiver responded with 410, and so ended its subscription.
    Revoked,
    /// Its subscription has ended.
    Dropped,
}

impl DeliveryState {
    /// Its name, as in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            DeliveryState::Queued => "queued",
            DeliveryState::UnderWay => "underWay",
            DeliveryState::Retrying => "retrying",
            DeliveryState::Accepted => "accepted",
            DeliveryState::GivenUp => "givenUp",
            DeliveryState::Revoked => "revoked",
            DeliveryState::Dropped => "dropped",
        }
    }
}

/// The result of an attempt.
#[derive(Debug)]
pub(crate) struct AttemptResult {
    /// The HTTP status of the response.
    pub(crate) status: Result<u16, NoResponse>,
    pub(crate) took: Duration,
}

/// Why an attempt got no response: the receiver, its host name or the network is to blame. The service tries again.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct NoResponse(pub(crate) String);

/// The last deliveries, by number.
#[derive(Debug, Default)]
pub(crate) struct DeliveryLog {
    logged: BTreeMap<u64, LoggedDelivery>,
    /// The number of the next delivery.
    next: u64,
    dropped: u64,
    /// The number of attempts that have ended.
    ended: u64,
}

#[derive(Debug)]
struct LoggedDelivery {
    delivery: Arc<Delivery>,
    /// The delivery as it is sent, if that differs.
    sent: Option<Arc<Delivery>>,
    grease: Vec<Freedom>,
    attempts: Vec<AttemptEntry>,
    /// The number of the last attempt before the log began.
    earlier: u32,
    ended: Option<Consequence>,
    /// The states before and after what caused it; none of what a snapshot held.
    place: Option<history::Place>,
}

/// A filter for deliveries.
#[derive(Debug, Default)]
pub(crate) struct Filter {
    pub(crate) after: u64,
    pub(crate) subscription: Option<String>,
    pub(crate) event: Option<EventType>,
    pub(crate) payee: Option<String>,
    pub(crate) invoice: Option<String>,
    pub(crate) state: Option<DeliveryState>,
}

/// A part of the log, and the number at which the next part begins, if there may be one.
#[derive(Default)]
pub(crate) struct LogPage {
    pub(crate) deliveries: Vec<DeliveryView>,
    pub(crate) next: Option<u64>,
}

/// One event for one subscription.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Delivery)]
pub(crate) struct DeliveryView {
    /// The number of deliveries before it.
    index: u64,
    /// The value of its `Service-Delivery` header.
    id: String,
    /// The reference of the subscription.
    subscription: String,
    /// Where it goes.
    url: String,
    /// The type of its event.
    #[schema(value_type = String)]
    event: EventKind,
    /// When the event happened.
    #[schema(value_type = String, format = DateTime)]
    queued_at: Timestamp,
    /// How far it is.
    state: DeliveryState,
    /// When the next attempt is due; null if none is.
    #[schema(value_type = Option<String>, format = DateTime, required = true)]
    next_attempt_at: Option<Timestamp>,
    /// The label of the fault that acts on it, if one does.
    #[schema(required = true)]
    fault: Option<String>,
    /// The freedoms that it takes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<String>)]
    grease: Vec<Freedom>,
    /// The last attempts, the oldest first.
    attempts: Vec<AttemptEntry>,
    /// The event.
    #[schema(value_type = serde_json::Value)]
    body: Option<Box<RawValue>>,
    /// The body as it is sent: its bytes are signed.
    text: String,
}

impl DeliveryLog {
    /// The log of a restored world: the deliveries that are not done, each with the number of its attempts so far.
    pub(crate) fn starting_with(pending: Vec<(Arc<Delivery>, u32)>, next: u64) -> DeliveryLog {
        let mut log = DeliveryLog::default();
        for (delivery, attempts) in pending {
            log.log(delivery, attempts);
        }
        log.next = next;
        log
    }

    /// Adds a delivery, with the states before and after what caused it.
    pub(crate) fn queued(&mut self, delivery: Arc<Delivery>, place: history::Place) {
        let number = delivery.number;
        self.log(delivery, 0);
        if let Some(logged) = self.logged.get_mut(&number) {
            logged.place = Some(place);
        }
    }

    /// The states before and after what caused a delivery that is kept.
    pub(crate) fn place(&self, number: u64) -> Option<history::Place> {
        self.logged.get(&number)?.place
    }

    /// The number of the first delivery that has a state, if those from a position on have one.
    pub(crate) fn first_from(&self, position: u64) -> u64 {
        let has_one = |logged: &LoggedDelivery| {
            logged.place.is_some_and(|place| place.before.position >= position)
        };
        let found = self.logged.iter().find(|(_, logged)| has_one(logged));
        found.map_or(self.next, |(number, _)| *number)
    }

    fn log(&mut self, delivery: Arc<Delivery>, earlier: u32) {
        if self.logged.len() == KEPT {
            self.logged.pop_first();
            self.dropped += 1;
        }
        self.next = delivery.number + 1;
        let logged = LoggedDelivery {
            delivery,
            sent: None,
            grease: Vec::new(),
            attempts: Vec::new(),
            earlier,
            ended: None,
            place: None,
        };
        self.logged.insert(logged.delivery.number, logged);
    }

    /// Records what grease makes of a delivery.
    pub(crate) fn grease(&mut self, number: u64, GreasedEvent { body, taken }: GreasedEvent) {
        let Some(logged) = self.logged.get_mut(&number) else { return };
        logged.sent = Some(Arc::new(Delivery { body, ..(*logged.delivery).clone() }));
        logged.grease = taken;
    }

    /// The freedoms of the delivery that an attempt sends, those of the attempt included.
    pub(crate) fn freedoms(&self, attempt: &Attempt) -> Vec<Freedom> {
        let logged = self.logged.get(&attempt.delivery.number);
        logged.map_or_else(Vec::new, |logged| logged.freedoms())
    }

    pub(crate) fn begun(&mut self, attempt: &Attempt, headers: Headers) {
        let Some(logged) = self.logged.get_mut(&attempt.delivery.number) else { return };
        logged.ended = None;
        if logged.attempts.len() == ATTEMPTS_KEPT {
            logged.attempts.remove(0);
        }
        logged.attempts.push(AttemptEntry {
            number: attempt.number,
            at: attempt.begun_at,
            cause: attempt.cause,
            headers,
            status: None,
            problem: None,
            milliseconds: None,
            ended: Place::default(),
        });
    }

    pub(crate) fn ended(
        &mut self,
        attempt: &Attempt,
        result: AttemptResult,
        consequence: Consequence,
        requests: u64,
    ) {
        let place = Place { requests, attempts: self.ended };
        self.ended += 1;
        let Some(logged) = self.logged.get_mut(&attempt.delivery.number) else { return };
        // After a reset, another delivery has this number.
        if !Arc::ptr_eq(&logged.delivery, &attempt.delivery) {
            return;
        }
        logged.ended = Some(consequence);
        let entry = logged.attempts.iter_mut().rev().find(|entry| entry.milliseconds.is_none());
        let Some(entry) = entry else { return };
        match result.status {
            Ok(status) => entry.status = Some(status),
            Err(NoResponse(why)) => entry.problem = Some(why),
        }
        entry.ended = place;
        entry.milliseconds = Some(u64::try_from(result.took.as_millis()).unwrap_or(u64::MAX));
    }

    /// The number of deliveries ever queued.
    pub(crate) fn next(&self) -> u64 {
        self.next
    }

    /// Those of these deliveries that the log still has, as events that a request caused.
    pub(crate) fn caused(&self, numbers: Range<u64>) -> Vec<CausedEvent> {
        #[derive(Deserialize)]
        struct Body {
            id: String,
        }
        let logged = self.logged.range(numbers);
        let caused = logged.map(|(index, LoggedDelivery { delivery, .. })| CausedEvent {
            index: *index,
            delivery: delivery.id.clone(),
            id: serde_json::from_slice(&delivery.body)
                .map_or_else(|_| String::new(), |Body { id }| id),
            event: delivery.event,
        });
        caused.collect()
    }

    /// The number of attempts of a delivery that have begun.
    pub(crate) fn attempts(&self, delivery: &Delivery) -> u32 {
        let Some(logged) = self.logged.get(&delivery.number) else { return 0 };
        logged.attempts.last().map_or(logged.earlier, |last| last.number)
    }

    /// The delivery with this identifier, if the log still has it.
    pub(crate) fn find(&self, id: &str) -> Option<Arc<Delivery>> {
        let logged = self.logged.values().find(|logged| logged.delivery.id == id)?;
        Some(Arc::clone(&logged.delivery))
    }

    /// The delivery of this number, if the log still has it.
    pub(crate) fn of_number(&self, number: u64) -> Option<Arc<Delivery>> {
        self.logged.get(&number).map(|logged| Arc::clone(&logged.delivery))
    }

    /// The logged deliveries from number `after` on. `due` gives the time of a delivery's next attempt.
    pub(crate) fn entries(
        &self,
        after: u64,
        faults: &Faults,
        due: impl Fn(&Delivery) -> Option<Timestamp>,
    ) -> Vec<DeliveryEntry> {
        self.logged.range(after..).map(|(_, logged)| logged.entry(faults, &due)).collect()
    }

    /// The deliveries with these numbers that the filter wants, up to a bound.
    pub(crate) fn page(
        &self,
        filter: &Filter,
        numbers: Range<u64>,
        faults: &Faults,
        due: impl Fn(&Delivery) -> Option<Timestamp>,
    ) -> LogPage {
        // Bounds how long a reader holds the lock of the world: each has a body of some 300 bytes, and up to 32
        // attempts.
        const MOST: usize = 32;
        let mut page = LogPage::default();
        if numbers.is_empty() {
            return page;
        }
        for (index, logged) in self.logged.range(numbers).take(MOST) {
            page.next = Some(index + 1);
            let view = DeliveryView::new(*index, logged.entry(faults, &due));
            page.deliveries.extend(Some(view).filter(|view| filter.wants(view)));
        }
        page
    }

    /// The number of deliveries dropped.
    pub(crate) fn dropped(&self) -> u64 {
        self.dropped
    }
}

impl LoggedDelivery {
    fn entry(
        &self,
        faults: &Faults,
        due: impl Fn(&Delivery) -> Option<Timestamp>,
    ) -> DeliveryEntry {
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
            delivery: self.sent.clone().unwrap_or_else(|| faults.as_sent(&self.delivery)),
            attempts: self.attempts.clone(),
            state,
            next_attempt_at,
            fault: faults.label_of(&self.delivery).map(str::to_owned),
            grease: self.freedoms(),
        }
    }

    /// The freedoms of the delivery. Its attempts show whether it was late and whether it was repeated.
    fn freedoms(&self) -> Vec<Freedom> {
        if self.sent.is_none() {
            return Vec::new();
        }
        let was = |cause| self.attempts.iter().any(|attempt| attempt.cause == cause);
        let late = was(Cause::Late).then_some(Freedom::LateDelivery);
        let twice = was(Cause::Duplicate).then_some(Freedom::DuplicateDelivery);
        self.grease.iter().copied().chain(late).chain(twice).collect()
    }
}

impl DeliveryView {
    fn new(index: u64, entry: DeliveryEntry) -> DeliveryView {
        let DeliveryEntry { delivery, attempts, state, next_attempt_at, fault, grease } = entry;
        DeliveryView {
            index,
            id: delivery.id.clone(),
            subscription: delivery.subscription.to_string(),
            url: delivery.url.to_string(),
            event: delivery.event,
            queued_at: delivery.queued_at,
            state,
            next_attempt_at,
            fault,
            grease,
            attempts,
            body: serde_json::from_slice(&delivery.body).ok(),
            text: String::from_utf8_lossy(&delivery.body).into_owned(),
        }
    }
}

impl Filter {
    fn wants(&self, view: &DeliveryView) -> bool {
        let (payee, invoice) = (self.payee.as_deref(), self.invoice.as_deref());
        let is_about = || EventSubject::of(view.text.as_bytes()).is(payee, invoice);
        self.subscription.as_ref().is_none_or(|wanted| view.subscription == *wanted)
            && self.event.is_none_or(|wanted| view.event == wanted)
            && self.state.is_none_or(|wanted| view.state == wanted)
            && ((payee.is_none() && invoice.is_none()) || is_about())
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
