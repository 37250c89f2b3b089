//! One isolated service with its clock and its journal.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::Router;
use axum::extract::Request;
use tideover_model::wire::exchange;
use tideover_model::{
    Answer, Delivery, Face, Happening, Impossible, IssuedKey, Operation, OperationKind, Outcome,
    PlatformId, Profile, Refusal, Seconds, Timestamp,
};

use crate::clock::Clock;
use crate::journal::{self, Entry, Journal, JournalView, Outbox, OutboxView};
use crate::worlds::Worlds;

/// A service behind one lock, with its clock, the journal of its requests and the deliveries it queued.
///
/// A clone is another handle to the same world. The lock is never held across an await.
#[derive(Clone)]
pub struct World {
    shared: Arc<Shared>,
}

struct Shared {
    profile: Profile,
    state: Mutex<State>,
}

struct State {
    face: Box<dyn Face>,
    clock: Clock,
    journal: Journal,
    outbox: Outbox,
}

impl World {
    /// A world in which `face` is the service. Its profile is read once, here.
    pub fn new(face: Box<dyn Face>, clock: Clock) -> World {
        let profile = face.profile().clone();
        let (journal, outbox) = (Journal::default(), Outbox::default());
        let state = Mutex::new(State { face, clock, journal, outbox });
        World { shared: Arc::new(Shared { profile, state }) }
    }

    /// The partner API and the control plane of this world, without a socket.
    pub fn router(&self) -> Router {
        crate::app::router(Arc::new(Worlds::new(self.clone())))
    }

    /// The assumed values.
    pub fn profile(&self) -> &Profile {
        &self.shared.profile
    }

    /// What time it is. Whatever is due has happened.
    pub fn now(&self) -> Timestamp {
        self.lock().proceed()
    }

    /// Moves the clock forward by `seconds`, at most to the last instant that can be told. Everything due
    /// has happened then, in order.
    pub fn advance_clock(&self, seconds: Seconds) -> Timestamp {
        let mut state = self.lock();
        state.clock.advance(seconds);
        state.proceed()
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
        let now = state.proceed();
        let reset = happening == Happening::Reset;
        let outcome = state.face.happen(now, platform, happening)?;
        if reset {
            state.clock.reset();
            state.journal = Journal::default();
            state.outbox = Outbox::default();
        }
        state.drain();
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

    /// The deliveries queued, from number `after` on, as far as they are kept. Nothing sends them yet.
    pub fn deliveries(&self, after: u64) -> Vec<Delivery> {
        let mut state = self.lock();
        state.proceed();
        state.outbox.deliveries(after)
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
        state.proceed();
        state.face.audit()
    }

    pub(crate) fn journal_view(&self) -> JournalView {
        self.lock().journal.view()
    }

    pub(crate) fn outbox_view(&self, after: u64) -> OutboxView {
        let mut state = self.lock();
        state.proceed();
        state.outbox.view(after)
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
        let now = state.proceed();
        let caller = state.face.authenticate(authorization);
        let answer = caller.and_then(|caller| state.face.handle(now, caller, operation?));
        state.drain();
        state.record(&self.shared.profile, now, request, Some(kind), &answer);
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
        state.record(&self.shared.profile, now, request, kind, &answer);
        answer
    }

    /// A panic of the face is the face's own: the next request finds it as it was left.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Lets everything happen that is due by now.
    fn proceed(&mut self) -> Timestamp {
        let now = self.clock.now();
        self.face.handle_timeout(now);
        self.drain();
        now
    }

    fn drain(&mut self) {
        while let Some(delivery) = self.face.poll_delivery() {
            self.outbox.push(delivery);
        }
    }

    fn record(
        &mut self,
        profile: &Profile,
        time: Timestamp,
        request: &Request,
        operation: Option<OperationKind>,
        answer: &Answer,
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
        };
        self.journal.record(entry, request.uri().path());
    }
}
