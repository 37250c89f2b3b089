//! What passes a bystander of one subscription: its request, and its deliveries.
//!
//! Anybody can send something to a receiver. Only what the secret of the subscription signs is the service's own word, and
//! is judged. Each subscription is judged by itself, so that nothing depends on what was before it.

use tideover_exchange::{Arrival, Exchange, Prepared, PreparedAction, Response};
use tideover_model::signature::HEADER;
use tideover_model::{OperationKind, Timestamp, clause};

use crate::callers::Callers;
use crate::checks::attempts::Attempts;
use crate::checks::sequences::Sequences;
use crate::checks::subscribed::{IN_FLIGHT, KnownSubscriptions};
use crate::checks::wanted::WantedEvents;
use crate::checks::{Check, Checks, ChosenBy, Notes};

/// A subscription whose secret has passed.
pub struct Overheard {
    subscriptions: KnownSubscriptions,
    /// What depends on no clock: that of the signatures need not be that of the events.
    timeless: Checks,
    /// What comes after the end of the subscription, by the clock of its signatures.
    wanted: Checks,
    /// How far the clock of its signatures is ahead of ours. Seconds; `None` before the first delivery.
    ahead: Option<i64>,
    /// Until then, by our clock, a delivery may have been in flight when it ended.
    ended: Option<Timestamp>,
}

impl Overheard {
    /// The subscription that an exchange makes; `None` if it makes none, or shows no secret of it.
    pub fn begun_by(exchange: &Exchange<'_>) -> Option<Overheard> {
        exchange.success_of(OperationKind::Subscribe)?;
        let mut subscriptions = KnownSubscriptions::default();
        subscriptions.learn(exchange);
        let shows_a_secret = subscriptions.iter().any(|one| one.may_show_a_secret());
        let chosen_by = ChosenBy::UnknownService;
        let timeless =
            of(vec![Box::new(Attempts::of(chosen_by)), Box::new(Sequences::of(chosen_by))]);
        let wanted = of(vec![Box::new(WantedEvents::of(chosen_by))]);
        let mut overheard = Overheard { subscriptions, timeless, wanted, ahead: None, ended: None };
        overheard.observe(exchange);
        shows_a_secret.then_some(overheard)
    }

    /// Learns from another exchange of the client, such as one that deletes the subscription.
    pub fn observe(&mut self, exchange: &Exchange<'_>) {
        let notes = &mut Notes::default();
        self.timeless.observe(&Exchange { ahead: None, ..exchange.clone() }, notes);
        self.wanted.observe(&Exchange { ahead: self.ahead, ..exchange.clone() }, notes);
        if exchange.kind() == Some(OperationKind::Unsubscribe) && exchange.seen.is_success() {
            self.end(exchange.now);
        }
    }

    /// Whether an arrival came to the URL of the subscription.
    pub fn leads_to(&self, arrival: &Arrival) -> bool {
        self.subscriptions.lead_to(arrival)
    }

    /// Whether the secret of the subscription signs an arrival.
    pub fn signs(&self, arrival: &Arrival) -> bool {
        self.subscriptions.of(arrival).is_some()
    }

    /// Judges an arrival that the secret signs. It began to come at `since`, and the receiver answered at `now`.
    pub fn hear(&mut self, arrival: &Arrival, since: Timestamp, now: Timestamp) -> Notes {
        let signed_at = arrival.signed_at().and_then(|at| i64::try_from(at).ok());
        self.ahead = signed_at.map(|at| at - since.unix());
        let mut notes = Notes::default();
        if self.ended.is_none_or(|until| since > until) {
            let nothing = Prepared { authorization: None, action: PreparedAction::Deliveries };
            let (seen, arrivals) = (Response::new(200, b"{}"), std::slice::from_ref(arrival));
            let alone = Exchange::alone(&nothing, &seen, since);
            let exchange = Exchange { ahead: None, arrivals, ..alone };
            self.timeless.observe(&exchange, &mut notes);
            self.wanted.observe(&Exchange { ahead: self.ahead, ..exchange.clone() }, &mut notes);
            notes.excuse(&exchange);
        }
        if arrival.status == 410 {
            self.end(now);
        }
        notes
    }

    /// It receives nothing more, but what was sent before.
    fn end(&mut self, now: Timestamp) {
        self.ended = Some(now.after(IN_FLIGHT));
    }
}

fn of(checks: Vec<Box<dyn Check>>) -> Checks {
    Checks { checks, callers: Callers::default() }
}

/// That no delivery to a URL is signed with the secret of its subscription.
pub fn never_signed(deliveries: usize) -> Notes {
    let mut notes = Notes::default();
    notes.expect_delivery(clause!("6.signature.1"), false, HEADER, || {
        ("each is signed with the secret", format!("none of {deliveries} deliveries"))
    });
    notes
}
