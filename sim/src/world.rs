//! One isolated service with its clock and its journal.

use std::io;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use tideover_model::wire::exchange;
use tideover_model::{
    Answer, Attempt, Destinations, Face, Happening, Impossible, IssuedKey, Operation,
    OperationKind, Outcome, PlatformId, Profile, Receipt, Refusal, Seconds, Timestamp,
};
use tokio::sync::Notify;
use tokio::time::timeout;

use crate::clock::{Clock, wall_time};
use crate::courier::{self, Resolver, SigningTime};
use crate::deliveries::{DeliveryEntry, DeliveryLog, Ending, Filter, Headers, LogView};
use crate::journal::{self, Entry, Journal, JournalView};
use crate::worlds::Worlds;

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
    resets: u64,
}

/// The clock is being moved already.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the clock is being moved already; ask again when that is done")]
pub struct ClockMoving;

/// The right to move the clock, until it is dropped.
struct Move<'a> {
    world: &'a World,
    resets: u64,
}

/// What is still to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quiet {
    /// Whether nothing is due or under way.
    pub quiet: bool,
    /// When something is due next, a hidden transition or an attempt.
    pub next_due: Option<Timestamp>,
}

impl World {
    /// A world in which `face` is the service. Its profile is read once, here. Nothing is sent, and no name
    /// resolved: a [`Mock`](crate::Mock) does that.
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
        let state = Mutex::new(State {
            face,
            clock,
            journal: Journal::default(),
            deliveries: DeliveryLog::default(),
            courier: false,
            under_way: 0,
            moving: false,
            awake_at: None,
            resets: 0,
        });
        let (wake, settled) = (Notify::new(), Notify::new());
        let shared = Shared { profile, destinations, resolver, state, wake, settled };
        World { shared: Arc::new(shared) }
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
        self.proceed(&mut self.lock())
    }

    /// Moves the clock forward by `seconds`, at most to the last instant that can be told, from one thing
    /// that is due to the next: each has happened, and each attempt of a delivery has been answered or
    /// given up, before the clock moves past it.
    ///
    /// # Errors
    /// [`ClockMoving`] while another move is under way.
    pub async fn advance_clock(&self, seconds: Seconds) -> Result<Timestamp, ClockMoving> {
        let moving = Move::begin(self)?;
        let end = self.lock().clock.now().after(seconds);
        loop {
            self.settle().await;
            let mut state = self.lock();
            if state.resets != moving.resets {
                return Ok(state.clock.now());
            }
            let next = state.face.poll_timeout().filter(|due| *due < end && state.courier);
            state.clock.set(next.unwrap_or(end));
            self.proceed(&mut state);
            if next.is_none() {
                break;
            }
        }
        self.settle().await;
        Ok(self.lock().clock.now())
    }

    /// Waits until nothing is due or under way, for `patience` at most.
    pub async fn quiet(&self, patience: Duration) -> Quiet {
        let quiet = timeout(patience, self.settle()).await.is_ok();
        let state = self.lock();
        Quiet { quiet, next_due: state.face.poll_timeout() }
    }

    /// Returns when nothing is due or under way; at once if nobody sends anything.
    async fn settle(&self) {
        loop {
            let settled = self.shared.settled.notified();
            tokio::pin!(settled);
            settled.as_mut().enable();
            {
                let mut state = self.lock();
                let now = self.proceed(&mut state);
                let due = state.face.poll_timeout().is_some_and(|due| due <= now);
                if !state.courier || (state.under_way == 0 && !due) {
                    return;
                }
            }
            settled.await;
        }
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
        let now = self.proceed(&mut state);
        let reset = happening == Happening::Reset;
        let outcome = state.face.happen(now, platform, happening)?;
        if reset {
            state.clock.reset();
            state.journal = Journal::default();
            state.deliveries = DeliveryLog::default();
            state.resets += 1;
        }
        self.drain(&mut state);
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

    /// Sends a delivery once more, at once. `None` if no delivery is kept that carries this identifier.
    ///
    /// # Errors
    /// [`Impossible`] if its subscription is gone, or an attempt is under way.
    pub fn resend(&self, id: &str) -> Option<Result<(), Impossible>> {
        let mut state = self.lock();
        let now = self.proceed(&mut state);
        let delivery = state.deliveries.find(id)?;
        let resent = state.face.resend(now, &delivery);
        self.drain(&mut state);
        Some(resent)
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

    /// What a destination's host name resolves to, as far as that can be said soon.
    pub(crate) async fn resolve(&self, url: &str) -> Vec<IpAddr> {
        let Ok(url) = self.shared.destinations.judge(url, &[]) else { return Vec::new() };
        let (Some(name), Some(resolver)) = (url.domain(), &self.shared.resolver) else {
            return Vec::new();
        };
        let patience = Duration::from_millis(self.shared.profile.webhooks.patience);
        let resolved = timeout(patience, resolver.resolve(name)).await;
        resolved.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into())).unwrap_or_default()
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
        let answer = caller.and_then(|caller| state.face.handle(now, caller, operation?));
        self.drain(&mut state);
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

    /// Lets everything happen that is due by now.
    fn proceed(&self, state: &mut State) -> Timestamp {
        let now = state.clock.now();
        state.face.handle_timeout(now);
        self.drain(state);
        now
    }

    /// Writes down what was queued, and wakes the courier if it would look too late.
    fn drain(&self, state: &mut State) {
        while let Some(delivery) = state.face.poll_delivery() {
            state.deliveries.queued(delivery);
        }
        if state.courier
            && let Some(due) = state.face.poll_timeout()
            && (state.awake_at.is_none_or(|awake_at| due < awake_at) || due <= state.clock.now())
        {
            state.awake_at = Some(due);
            self.shared.wake.notify_one();
        }
    }
}

/// What the courier asks and tells.
impl World {
    pub(crate) fn destinations(&self) -> Destinations {
        self.shared.destinations.clone()
    }

    /// From now on somebody sends what is due.
    pub(crate) fn has_a_courier(&self) {
        self.lock().courier = true;
    }

    /// Returns when there may be something to send.
    pub(crate) async fn woken(&self) {
        self.shared.wake.notified().await;
    }

    /// How long it takes until something is due by itself.
    pub(crate) fn until_due(&self) -> Option<Duration> {
        let mut state = self.lock();
        let due = state.face.poll_timeout();
        state.awake_at = due;
        state.clock.until(due?)
    }

    /// The next attempt that is due, its headers, and how long its answer is waited for outside.
    pub(crate) fn begin_attempt(
        &self,
        signing: SigningTime,
    ) -> Option<(Attempt, Headers, Duration)> {
        let mut state = self.lock();
        let now = self.proceed(&mut state);
        let attempt = state.face.poll_attempt(now)?;
        let at = match signing {
            SigningTime::Virtual => now,
            SigningTime::Wall => wall_time(),
        };
        let headers = courier::headers(&attempt, at);
        state.deliveries.begun(&attempt, headers.clone());
        state.under_way += 1;
        let webhooks = &self.shared.profile.webhooks;
        let patience = Duration::from_millis(webhooks.patience);
        let in_its_own_time = state.clock.until(now.after(webhooks.timeout));
        Some((attempt, headers, in_its_own_time.unwrap_or(patience).max(patience)))
    }

    pub(crate) fn end_attempt(&self, attempt: &Attempt, receipt: Receipt, ending: Ending) {
        let mut state = self.lock();
        let now = self.proceed(&mut state);
        let consequence = state.face.handle_receipt(now, attempt, receipt);
        state.deliveries.ended(attempt, ending, consequence);
        state.under_way -= 1;
        self.drain(&mut state);
        drop(state);
        self.shared.settled.notify_waiters();
    }
}

impl<'a> Move<'a> {
    fn begin(world: &'a World) -> Result<Move<'a>, ClockMoving> {
        let mut state = world.lock();
        if state.moving {
            return Err(ClockMoving);
        }
        state.moving = true;
        state.clock.hold();
        Ok(Move { world, resets: state.resets })
    }
}

/// Also where whoever asked for the move has gone: the clock stays where it came to.
impl Drop for Move<'_> {
    fn drop(&mut self) {
        let mut state = self.world.lock();
        state.moving = false;
        state.clock.release();
        // A running clock is waited for anew.
        self.world.shared.wake.notify_one();
    }
}

impl State {
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
