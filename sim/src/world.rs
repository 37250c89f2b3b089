//! One isolated service with its clock and its journal.

mod moving;
mod sending;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::extract::Request;
use tideover_model::exchange::Encoding;
use tideover_model::{
    Answer, Destinations, Face, Happening, Impossible, IssuedKey, Operation, OperationKind,
    Outcome, PlatformId, Profile, Refusal, Timestamp, exchange,
};
use tokio::sync::Notify;

use crate::clock::Clock;
use crate::deliveries::{DeliveryEntry, DeliveryLog, Filter, LogView};
use crate::journal;
use crate::journal::{Entry, Journal, JournalView};
use crate::sending::Resolver;

pub use moving::{ClockMoving, Quiet};

/// A service behind one lock, with its clock, the journal of its requests and that of its deliveries.
///
/// A clone is another handle to the same world. The lock is never held across an await.
#[derive(Clone)]
pub struct World {
    shared: Arc<Shared>,
}

struct Shared {
    profile: Profile,
    destinations: Destinations,
    encoding: Encoding,
    defect: Option<String>,
    resolver: Option<Arc<dyn Resolver>>,
    state: Mutex<State>,
    /// The courier has something to look at.
    wake: Notify,
    /// An attempt has ended.
    settled: Notify,
}

struct State {
    face: Box<dyn Face>,
    clock: Clock,
    journal: Journal,
    deliveries: DeliveryLog,
    /// Whether somebody sends what is due.
    courier: bool,
    under_way: usize,
    /// Whether somebody moves the clock.
    moving: bool,
    /// When the courier looks next by itself.
    awake_at: Option<Timestamp>,
    /// When the courier has looked and found nothing to send, if nothing has changed since.
    exhausted_at: Option<Timestamp>,
    resets: u64,
}

impl World {
    /// A world in which `face` is the service. Its profile is read once, here, and so is its encoding.
    /// Nothing is sent, and no name resolved: a [`Mock`](crate::Mock) does that.
    pub fn new(face: Box<dyn Face>, clock: Clock) -> World {
        World::resolving(face, clock, None)
    }

    /// The same, with host names that `resolver` resolves.
    pub(crate) fn resolving(
        face: Box<dyn Face>,
        clock: Clock,
        resolver: Option<Arc<dyn Resolver>>,
    ) -> World {
        let profile = face.profile().clone();
        let destinations = face.destinations().clone();
        let encoding = face.encoding().unwrap_or(exchange::respond);
        let defect = face.defect().map(str::to_owned);
        let state = Mutex::new(State {
            face,
            clock,
            journal: Journal::default(),
            deliveries: DeliveryLog::default(),
            courier: false,
            under_way: 0,
            moving: false,
            awake_at: None,
            exhausted_at: None,
            resets: 0,
        });
        let (wake, settled) = (Notify::new(), Notify::new());
        let shared =
            Shared { profile, destinations, encoding, defect, resolver, state, wake, settled };
        World { shared: Arc::new(shared) }
    }

    /// The assumed values.
    pub fn profile(&self) -> &Profile {
        &self.shared.profile
    }

    /// How answers are written down.
    pub(crate) fn encoding(&self) -> Encoding {
        self.shared.encoding
    }

    /// What the service does wrong on purpose, in words, if it does anything wrong.
    pub(crate) fn defect(&self) -> Option<&str> {
        self.shared.defect.as_deref()
    }

    /// What time it is. Whatever is due has happened.
    pub fn now(&self) -> Timestamp {
        self.proceed(&mut self.lock())
    }

    /// What anyone but a caller does, told with the identifiers of `platform`. A reset also sets the clock
    /// to its start and empties journal and deliveries.
    ///
    /// # Errors
    /// [`Impossible`] if the outside world cannot do that now; nothing has changed then.
    pub fn happen(
        &self,
        platform: PlatformId,
        happening: Happening,
    ) -> Result<Outcome, Impossible> {
        let mut state = self.lock();
        let mut now = self.proceed(&mut state);
        let reset = happening == Happening::Reset;
        let outcome = state.face.happen(now, platform, happening)?;
        if reset {
            state.clock.reset();
            now = state.clock.now();
            state.journal = Journal::default();
            state.deliveries = DeliveryLog::default();
            state.resets += 1;
        }
        self.drain(&mut state, now);
        Ok(outcome)
    }

    /// Whose key the `Authorization` header carries or ever carried; the default platform without one.
    pub fn platform_of(&self, authorization: Option<&str>) -> Option<PlatformId> {
        self.lock().face.platform_of(authorization)
    }

    /// Every API key that was ever issued, masked.
    pub fn keys(&self) -> Vec<IssuedKey> {
        self.lock().face.keys()
    }

    /// The deliveries, from number `after` on, as far as they are kept.
    pub fn deliveries(&self, after: u64) -> Vec<DeliveryEntry> {
        let mut state = self.lock();
        self.proceed(&mut state);
        let State { face, deliveries, .. } = &*state;
        deliveries.entries(after, |delivery| face.next_attempt(delivery))
    }

    /// The last requests to the partner API, the oldest first.
    pub fn journal(&self) -> Vec<Entry> {
        self.lock().journal.entries()
    }

    /// Checks that the books balance.
    ///
    /// # Errors
    /// The law of conservation that does not hold, with its two sides.
    pub fn audit(&self) -> Result<(), String> {
        let mut state = self.lock();
        self.proceed(&mut state);
        state.face.audit()
    }

    pub(crate) fn journal_view(&self) -> JournalView {
        self.lock().journal.view()
    }

    pub(crate) fn deliveries_view(&self, filter: &Filter) -> LogView {
        let mut state = self.lock();
        self.proceed(&mut state);
        let State { face, deliveries, .. } = &*state;
        deliveries.view(filter, |delivery| face.next_attempt(delivery))
    }

    /// Whether the key may be used at all.
    ///
    /// # Errors
    /// `unauthorized` (§5 rule 3).
    pub(crate) fn authenticate(&self, authorization: Option<&str>) -> Result<PlatformId, Refusal> {
        self.lock().face.authenticate(authorization)
    }

    /// Answers a decoded request, and writes it down. The key is asked again: it may have been revoked,
    /// or its platform reset away, while the body was on its way.
    pub(crate) fn answer(
        &self,
        request: &Request,
        authorization: Option<&str>,
        kind: OperationKind,
        operation: Result<Operation, Refusal>,
    ) -> Answer {
        let mut state = self.lock();
        let now = self.proceed(&mut state);
        let caller = state.face.authenticate(authorization);
        let addressed = operation.as_ref().ok().and_then(addressed);
        let answer = caller.clone().and_then(|caller| state.face.handle(now, caller, operation?));
        self.drain(&mut state, now);
        let note = match (&caller, addressed, &answer) {
            (Ok(caller), Some(business), Ok(_)) => state.note(*caller, &business),
            _ => None,
        };
        state.record(&self.shared.profile, now, request, Some(kind), &answer, note);
        answer
    }

    /// Writes down a request that was refused before it came to the service.
    pub(crate) fn refuse(
        &self,
        request: &Request,
        kind: Option<OperationKind>,
        refusal: Refusal,
    ) -> Answer {
        let answer = Err(refusal);
        let mut state = self.lock();
        let now = state.clock.now();
        state.record(&self.shared.profile, now, request, kind, &answer, None);
        answer
    }

    /// A panic of the face is the face's own: the next request finds it as it was left.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets everything happen that is due by now.
    fn proceed(&self, state: &mut State) -> Timestamp {
        let now = state.clock.now();
        state.face.handle_timeout(now);
        state.write_down();
        now
    }

    /// After anything has changed by `now`: writes down what was queued, wakes the courier if it would look
    /// too late, and whoever waits for the end of all that is due.
    fn drain(&self, state: &mut State, now: Timestamp) {
        state.write_down();
        if !state.courier {
            return;
        }
        state.exhausted_at = None;
        let due = state.face.poll_timeout();
        if due.is_none_or(|due| due > now) {
            self.shared.settled.notify_waiters();
        }
        if let Some(due) = due
            && (due <= now || state.awake_at.is_none_or(|awake_at| due < awake_at))
        {
            state.awake_at = Some(due);
            self.shared.wake.notify_one();
        }
    }
}

/// The business whose address is sent, if one is.
fn addressed(operation: &Operation) -> Option<String> {
    match operation {
        Operation::SyncBusiness { business, details } => {
            (!details.contact.address.is_empty()).then(|| business.clone())
        }
        _ => None,
    }
}

impl State {
    fn write_down(&mut self) {
        while let Some(delivery) = self.face.poll_delivery() {
            self.deliveries.queued(delivery);
        }
    }

    /// Whether nothing is under way, and nothing is due that the courier would find.
    fn is_settled(&self) -> bool {
        let now = self.clock.now();
        let waits = |due: Timestamp| due <= now && self.exhausted_at.is_none_or(|at| at < due);
        !self.courier || (self.under_way == 0 && !self.face.poll_timeout().is_some_and(waits))
    }

    /// What is good to know of a sync that sent an address of this business.
    fn note(&self, caller: PlatformId, business: &str) -> Option<String> {
        let parts = self.face.address_lacks(caller, business)?;
        Some(format!("The address lacks {parts}: no collection account opens with it."))
    }

    fn record(
        &mut self,
        profile: &Profile,
        time: Timestamp,
        request: &Request,
        operation: Option<OperationKind>,
        answer: &Answer,
        note: Option<String>,
    ) {
        let refusal = answer.as_ref().err();
        let entry = Entry {
            time,
            method: journal::method(request.method()),
            path: String::new(),
            operation,
            status: exchange::status(profile, answer),
            code: refusal.map(|refusal| refusal.code),
            clause: refusal.map(|refusal| refusal.clause),
            note,
        };
        self.journal.record(entry, request.uri().path());
    }
}
