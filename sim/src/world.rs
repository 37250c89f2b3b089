//! One isolated service with its clock and its journal.

mod faults;
mod journal;
mod lifetime;
mod logged;
mod moving;
mod overview;
mod saved;
mod sending;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tideover_model::exchange::{Encoding, Response};
use tideover_model::wire::reply::Reply;
use tideover_model::wire::route::Route;
use tideover_model::{
    Answer, Code, Destinations, Face, Happening, Impossible, IssuedKey, Operation, OperationKind,
    Outcome, PlatformId, Profile, Refusal, Timestamp, exchange,
};
use tokio::sync::Notify;

use crate::beginning::Beginning;
use crate::clock::{Clock, ClockChoice, wall_milliseconds};
use crate::deliveries::DeliveryLog;
use crate::fault::{Act, Faults};
use crate::grease::{Answered, Coverage, CoverageView, Freedom, Grease};
use crate::journal::{Arrived, Journal, Outcome as Handled};
use crate::sending::Resolver;
use crate::world::faults::interrupts;

pub(crate) use journal::Recorded;
pub use journal::Waited;
pub(crate) use logged::Logged;
pub use moving::{ClockMoving, NextEvent, NotMoved, Quiet, Quieted};
pub(crate) use overview::{WorldOverview, WorldSize};
pub(crate) use saved::Permitted;

/// A service behind one lock, with its clock, its journal of requests and its log of deliveries.
///
/// A clone is another handle to the same world. No code holds the lock across an await.
#[derive(Clone)]
pub struct World {
    inner: Arc<WorldInner>,
}

struct WorldInner {
    profile: Profile,
    destinations: Destinations,
    encoding: Encoding,
    defect: Option<String>,
    resolver: Option<Arc<dyn Resolver>>,
    state: Mutex<WorldState>,
    /// The courier may have something to send.
    wake: Notify,
    /// An attempt has ended.
    settled: Notify,
    /// Counts whatever someone who watches may want to see.
    changes: AtomicU64,
    /// Counts those of them that may have changed a snapshot.
    lasting: AtomicU64,
    /// The journal has one more entry, or none any more.
    recorded: Notify,
    /// The count of changes has grown.
    changed: Notify,
}

struct WorldState {
    face: Box<dyn Face>,
    /// How it begins again after a reset.
    beginning: Beginning,
    clock: Clock,
    journal: Journal,
    deliveries: DeliveryLog,
    faults: Faults,
    /// Whether a courier sends what is due.
    courier: bool,
    in_flight: usize,
    /// Whether a move of the clock is in progress.
    moving: bool,
    /// When the courier next wakes by itself.
    awake_at: Option<Timestamp>,
    /// When the courier last found nothing to send, if nothing has changed since.
    exhausted_at: Option<Timestamp>,
    resets: u64,
    /// Whether it was deleted or replaced.
    ended: bool,
    grease: Option<Grease>,
    /// Whether answers name their clauses.
    hints: bool,
}

/// What became of a request.
pub(crate) struct Served {
    /// The service's answer and its form; `None` if a fault kept the request from it.
    pub(crate) answered: Option<(Answer, Response)>,
    /// What a fault does to the answer on its way.
    pub(crate) act: Option<Act>,
    /// Whether the response names its clause.
    pub(crate) hints: bool,
}

impl World {
    /// A world in which `face` is the service. Reads the face's profile and encoding only once, here. Sends
    /// nothing, and resolves no name: a [`Mock`](crate::Mock) does that.
    pub fn new(face: Box<dyn Face>, clock: Clock) -> World {
        World::resolving(face, clock, None)
    }

    /// The same, with a resolver for host names.
    pub(crate) fn resolving(
        face: Box<dyn Face>,
        clock: Clock,
        resolver: Option<Arc<dyn Resolver>>,
    ) -> World {
        let profile = face.profile().clone();
        let destinations = face.destinations().clone();
        let encoding = face.encoding().unwrap_or(&exchange::respond);
        let defect = face.defect().map(str::to_owned);
        let state = Mutex::new(WorldState {
            face,
            beginning: Beginning::default(),
            clock,
            journal: Journal::default(),
            deliveries: DeliveryLog::default(),
            faults: Faults::default(),
            courier: false,
            in_flight: 0,
            moving: false,
            awake_at: None,
            exhausted_at: None,
            resets: 0,
            ended: false,
            grease: None,
            hints: true,
        });
        World {
            inner: Arc::new(WorldInner {
                profile,
                destinations,
                encoding,
                defect,
                resolver,
                state,
                wake: Notify::new(),
                settled: Notify::new(),
                changes: AtomicU64::new(0),
                lasting: AtomicU64::new(0),
                recorded: Notify::new(),
                changed: Notify::new(),
            }),
        }
    }

    /// The same world with grease: its responses and its events take freedoms of the document at random. Give
    /// its service [the choices of the grease](Grease::choices), so that its deliveries and its transitions do
    /// too.
    #[must_use]
    pub fn greased(self, grease: Grease) -> World {
        self.lock().grease = Some(grease);
        self
    }

    /// How often the client has met each freedom; `None` without grease.
    pub fn coverage(&self) -> Option<Coverage> {
        self.lock().grease.as_ref().map(|grease| grease.coverage().clone())
    }

    pub(crate) fn coverage_view(&self) -> CoverageView {
        Coverage::view(self.lock().grease.as_ref().map(Grease::coverage))
    }

    /// The assumed values.
    pub fn profile(&self) -> &Profile {
        &self.inner.profile
    }

    /// A description of the service's deliberate defect, if it has one.
    pub(crate) fn defect(&self) -> Option<&str> {
        self.inner.defect.as_deref()
    }

    /// Whether its time passes by itself.
    pub fn clock(&self) -> ClockChoice {
        let speed = self.lock().clock.speed();
        speed.map_or(ClockChoice::Still, |speed| ClockChoice::Running { speed })
    }

    /// The current time. Everything due has happened.
    pub fn now(&self) -> Timestamp {
        self.proceed(&mut self.lock())
    }

    /// Performs an action of the outside world; identifiers in it are those of `platform`. A reset brings back the
    /// start of the world: its clock, its faults, its scenario, and every platform that it was made with, with the
    /// same keys. The journal and the log of deliveries are empty then. A world that was restored or copied from a
    /// snapshot has the start of the world that was written.
    ///
    /// # Errors
    /// [`Impossible`] if the outside world can't do that now; the state has not changed. A reset only fails if the
    /// service no longer permits a step of the scenario, and stops there.
    pub fn happen(
        &self,
        platform: PlatformId,
        happening: Happening,
    ) -> Result<Outcome, Impossible> {
        let mut state = self.lock();
        let mut now = self.proceed(&mut state);
        let reset = happening == Happening::Reset;
        let outcome = state.face.happen(now, platform, happening)?;
        let mut begun = Ok(());
        if reset {
            now = state.start_over();
            begun = state.begin(now);
            self.inner.recorded.notify_waiters();
        }
        self.drain(&mut state, now);
        begun.map(|()| outcome).map_err(|stopped| Impossible(stopped.to_string().into()))
    }

    /// The platform whose key, valid or revoked, the `Authorization` header carries; the default platform if
    /// there is no header.
    pub fn platform_of(&self, authorization: Option<&str>) -> Option<PlatformId> {
        self.lock().face.platform_of(authorization)
    }

    /// Every API key ever issued, by platform.
    pub fn keys(&self) -> Vec<IssuedKey> {
        self.lock().face.keys()
    }

    /// Checks that the books balance.
    ///
    /// # Errors
    /// The broken law of conservation, with both sides.
    pub fn audit(&self) -> Result<(), String> {
        let mut state = self.lock();
        self.proceed(&mut state);
        state.face.audit()
    }

    /// The platform of a valid key.
    ///
    /// # Errors
    /// `unauthorized` (§5 rule 3).
    pub(crate) fn authenticate(&self, authorization: Option<&str>) -> Result<PlatformId, Refusal> {
        self.lock().face.authenticate(authorization)
    }

    /// Answers a decoded request, and records it. Checks the key again: a revocation or a reset may have
    /// invalidated it while the body arrived.
    pub(crate) fn answer(
        &self,
        arrived: Arrived<'_>,
        authorization: Option<&str>,
        route: &Route<'_>,
        operation: Result<Operation, Refusal>,
    ) -> Served {
        let mut state = self.lock();
        let now = self.proceed(&mut state);
        let queued = state.deliveries.next();
        let caller = state.face.authenticate(authorization);
        let addressed = operation.as_ref().ok().and_then(addressed);
        let understood = caller.clone().and_then(|caller| Ok((caller, operation?)));
        let fault = state.fault(Some(route), &understood);
        let answer = state.carry_out(now, understood, fault.as_ref().map(|fault| fault.act));
        let fault = fault.filter(|fault| interrupts(fault.act, answer.as_ref()));
        let act = fault.as_ref().map(|fault| fault.act);
        if state.may_have_changed(route.kind, answer.as_ref()) {
            self.drain(&mut state, now);
        } else {
            self.show();
        }
        let note = match (&caller, addressed, &answer) {
            (Ok(caller), Some(business), Some(Ok(_))) => state.note(*caller, &business),
            _ => None,
        };
        let (response, grease) = self.encoded(&mut state, caller.ok(), answer.as_ref()).unzip();
        let handled = Handled {
            time: now,
            operation: Some(route.kind),
            answer: answer.as_ref(),
            response: response.as_ref(),
            hints: state.hints,
            note,
            fault: fault.map(|fault| fault.label),
            grease: grease.unwrap_or_default(),
            deliveries: queued..state.deliveries.next(),
        };
        self.record(&mut state, arrived, handled);
        Served { answered: answer.zip(response), act, hints: state.hints }
    }

    fn record(&self, state: &mut WorldState, arrived: Arrived<'_>, handled: Handled<'_>) {
        state.journal.record(wall_milliseconds, arrived, handled);
        self.inner.recorded.notify_waiters();
    }

    /// The response, and the freedoms that it takes if the world has grease.
    fn encoded(
        &self,
        state: &mut WorldState,
        caller: Option<PlatformId>,
        answer: Option<&Answer>,
    ) -> Option<(Response, Vec<Freedom>)> {
        let answer = answer?;
        let encoded = (self.inner.encoding)(&self.inner.profile, answer);
        let Some(grease) = state.grease.as_mut() else { return Some((encoded, Vec::new())) };
        let business = match (caller, answer) {
            (Some(caller), Ok(Reply::Business(shown))) => {
                state.face.business_of(caller, &shown.external_id)
            }
            _ => None,
        };
        let mut greased = grease.change(Answered { answer, business }, encoded);
        greased.taken.extend(grease.collect());
        Some((greased.response, greased.taken))
    }

    /// Records a request that was refused before it reached the service.
    pub(crate) fn refuse(
        &self,
        arrived: Arrived<'_>,
        route: Option<&Route<'_>>,
        refusal: Refusal,
    ) -> Served {
        let refused = Err(refusal);
        let mut state = self.lock();
        if state.counts_requests() {
            self.changed()
        } else {
            self.show()
        }
        let now = state.clock.now();
        let fault = state.fault(route, &refused);
        let answer = state.carry_out(now, refused, fault.as_ref().map(|fault| fault.act));
        let fault = fault.filter(|fault| interrupts(fault.act, answer.as_ref()));
        let act = fault.as_ref().map(|fault| fault.act);
        let (response, grease) = self.encoded(&mut state, None, answer.as_ref()).unzip();
        let queued = state.deliveries.next();
        let handled = Handled {
            time: now,
            operation: route.map(|route| route.kind),
            answer: answer.as_ref(),
            response: response.as_ref(),
            hints: state.hints,
            note: None,
            fault: fault.map(|fault| fault.label),
            grease: grease.unwrap_or_default(),
            deliveries: queued..queued,
        };
        self.record(&mut state, arrived, handled);
        Served { answered: answer.zip(response), act, hints: state.hints }
    }

    /// The answer to a request that concerns no world, in the form of this one. It meets no fault, and is not
    /// recorded.
    pub(crate) fn turn_away(&self, refusal: Refusal) -> Served {
        let answer = Err(refusal);
        let response = (self.inner.encoding)(&self.inner.profile, &answer);
        Served { answered: Some((answer, response)), act: None, hints: self.lock().hints }
    }

    /// Something has changed that a snapshot holds.
    fn changed(&self) {
        self.inner.lasting.fetch_add(1, Ordering::Relaxed);
        self.show();
    }

    /// Lets those know who watch.
    fn show(&self) {
        self.inner.changes.fetch_add(1, Ordering::Relaxed);
        self.inner.changed.notify_waiters();
    }

    /// Grows with everything that someone who watches may want to see.
    pub(crate) fn changes(&self) -> u64 {
        self.inner.changes.load(Ordering::Relaxed)
    }

    /// Grows with every change of what a snapshot holds.
    pub(crate) fn lasting_changes(&self) -> u64 {
        self.inner.lasting.load(Ordering::Relaxed)
    }

    /// Ignores poisoning: after a panic of the face, the next request uses the face as the panic left it.
    fn lock(&self) -> MutexGuard<'_, WorldState> {
        self.inner.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets everything due by now happen.
    fn proceed(&self, state: &mut WorldState) -> Timestamp {
        let now = state.clock.now();
        if state.face.poll_timeout().is_some_and(|due| due <= now) {
            self.changed();
        }
        state.face.handle_timeout(now);
        state.log_deliveries();
        // What time itself has begun belongs to no request.
        if let Some(grease) = &mut state.grease {
            grease.collect();
        }
        now
    }

    /// Follows every change at `now`: logs queued deliveries, wakes the courier if it would wake too late,
    /// and notifies waiters if nothing more is due.
    fn drain(&self, state: &mut WorldState, now: Timestamp) {
        self.changed();
        self.follow(state, now);
    }

    /// The same, if nothing has changed that a snapshot holds.
    fn follow(&self, state: &mut WorldState, now: Timestamp) {
        state.log_deliveries();
        if !state.courier {
            return;
        }
        state.exhausted_at = None;
        let due = state.face.poll_timeout();
        if due.is_none_or(|due| due > now) {
            self.inner.settled.notify_waiters();
        }
        if let Some(due) = due
            && (due <= now || state.awake_at.is_none_or(|awake_at| due < awake_at))
        {
            state.awake_at = Some(due);
            self.inner.wake.notify_one();
        }
    }
}

/// The business whose address the operation sends, if it sends one.
fn addressed(operation: &Operation) -> Option<String> {
    match operation {
        Operation::SyncBusiness { business, details } => {
            (!details.contact.address.is_empty()).then(|| business.clone())
        }
        _ => None,
    }
}

impl WorldState {
    fn log_deliveries(&mut self) {
        while let Some(delivery) = self.face.poll_delivery() {
            let greased = self.grease.as_ref().map(|grease| grease.event(&delivery));
            let number = delivery.number;
            self.deliveries.queued(delivery);
            if let Some(greased) = greased {
                self.deliveries.grease(number, greased);
            }
        }
    }

    /// Whether even a request that changes nothing is counted: by a fault, or by what grease draws next.
    fn counts_requests(&self) -> bool {
        !self.faults.is_empty() || self.grease.is_some()
    }

    /// Whether a request with this answer may have changed the service. A refusal changes nothing, except that it uses
    /// up a failure that was asked for.
    fn may_have_changed(&self, kind: OperationKind, answer: Option<&Answer>) -> bool {
        let is_read = kind.method() == "GET" || kind == OperationKind::Quote;
        let changes = match answer {
            Some(Ok(_)) => !is_read,
            Some(Err(refusal)) => refusal.code == Code::UpstreamFailed,
            None => true,
        };
        changes || self.counts_requests()
    }

    /// Whether no attempt is in flight, and nothing due is left for the courier. Nothing more of a world that has
    /// ended is sent.
    fn is_settled(&self) -> bool {
        let now = self.clock.now();
        let waits = |due: Timestamp| due <= now && self.exhausted_at.is_none_or(|at| at < due);
        self.ended
            || !self.courier
            || (self.in_flight == 0 && !self.face.poll_timeout().is_some_and(waits))
    }

    /// The hint about a sync that sent an address of this business.
    fn note(&self, caller: PlatformId, business: &str) -> Option<String> {
        let parts = self.face.address_lacks(caller, business)?;
        Some(format!("The address lacks {parts}: no collection account opens with it."))
    }
}
