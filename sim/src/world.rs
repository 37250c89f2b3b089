//! One isolated service with its clock and its journal.

mod conduct;
mod faults;
mod intervening;
mod journal;
mod lifetime;
mod logged;
mod moving;
mod overview;
mod past;
mod saved;
mod sending;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::body::Bytes;
use tideover_model::exchange::{Admitted, Asked, Rereading, Response};
use tideover_model::wire::reply::Reply;
use tideover_model::wire::route::Route;
use tideover_model::{
    Answer, Code, Destinations, Face, Happening, Impossible, IssuedKey, Operation, OperationKind,
    Outcome, PlatformId, Profile, Refusal, Timestamp, Unbalanced, exchange,
};
use tokio::sync::Notify;

use crate::beginning::Beginning;
use crate::clock::{Clock, ClockChoice, wall_milliseconds};
use crate::deliveries::DeliveryLog;
use crate::fault::{Act, Faults};
use crate::grease::{Answered, Coverage, CoverageView, Freedom, Grease};
use crate::history::{Base, Line, Tape};
use crate::interventions::{Intervention, Interventions};
use crate::journal::{Arrived, Handled, Journal};
use crate::sending::Resolver;
use crate::world::faults::{interrupts, refused_by_proxy};

pub use conduct::Conduct;
pub(crate) use intervening::Intervened;
pub use journal::Waited;
pub(crate) use logged::LogPosition;
pub use moving::{ClockMoving, NextEvent, NotMoved, Quiet, Quieted};
pub(crate) use overview::{WorldOverview, WorldSize};
pub use past::Difference;
pub(crate) use past::Past;
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
    /// How the service reads requests before they are parsed, if not correctly.
    rereading: Option<Rereading>,
    defect: Option<String>,
    resolver: Option<Arc<dyn Resolver>>,
    /// Where its history begins, as far as that is kept. Whoever locks both locks this one first.
    base: Mutex<Option<Box<Base>>>,
    state: Mutex<WorldState>,
    /// The courier may have something to send.
    wake: Notify,
    /// An attempt has ended.
    settled: Notify,
    /// Grows with everything that a watcher may want to see.
    changes: AtomicU64,
    /// Grows with every change of what a snapshot holds: then the state file is out of date.
    lasting: AtomicU64,
    /// The number of requests that the journal has recorded.
    answered: AtomicU64,
    /// Whether the history keeps states: then operations are copied before the lock.
    keeps_states: AtomicBool,
    /// A request was recorded, or the journal was cleared.
    recorded: Notify,
    /// `changes` has grown.
    changed: Notify,
}

struct WorldState {
    face: Tape,
    line: Line,
    /// What happens again after a reset.
    beginning: Beginning,
    clock: Clock,
    journal: Journal,
    deliveries: DeliveryLog,
    interventions: Interventions,
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
    /// How often what the service holds has changed, or may have.
    turns: u64,
    /// Whether it was deleted or replaced.
    ended: bool,
    grease: Option<Grease>,
    /// Whether answers name their clauses.
    hints: bool,
}

/// How a world served a request.
pub(crate) struct Served {
    /// The service's answer; `None` if a fault kept the request from it.
    pub(crate) answer: Option<Answer>,
    /// The response; `None` if nobody answers.
    pub(crate) response: Option<Response>,
    /// What a fault does to the answer on its way.
    pub(crate) act: Option<Act>,
    /// Whether the response names its clause.
    pub(crate) hints: bool,
}

impl World {
    /// A world in which `face` is the service. What never changes of a face, such as its profile, is read only here.
    /// The world sends nothing, and resolves no name: a `Mock` does that.
    pub fn new(face: Box<dyn Face>, clock: Clock) -> World {
        World::resolving(face, clock, None)
    }

    /// A world with a resolver for host names.
    pub(crate) fn resolving(
        face: Box<dyn Face>,
        clock: Clock,
        resolver: Option<Arc<dyn Resolver>>,
    ) -> World {
        let profile = face.profile().clone();
        let destinations = face.destinations().clone();
        let rereading = face.rereading();
        let defect = face.defect().map(str::to_owned);
        let start = clock.now();
        let state = WorldState {
            face: Tape::of(face, start),
            line: Line::default(),
            beginning: Beginning::default(),
            clock,
            journal: Journal::default(),
            deliveries: DeliveryLog::default(),
            interventions: Interventions::default(),
            faults: Faults::default(),
            courier: false,
            in_flight: 0,
            moving: false,
            awake_at: None,
            exhausted_at: None,
            resets: 0,
            turns: 0,
            ended: false,
            grease: None,
            hints: true,
        };
        let world = World {
            inner: Arc::new(WorldInner {
                profile,
                destinations,
                rereading,
                defect,
                resolver,
                base: Mutex::new(None),
                state: Mutex::new(state),
                wake: Notify::new(),
                settled: Notify::new(),
                changes: AtomicU64::new(0),
                lasting: AtomicU64::new(0),
                answered: AtomicU64::new(0),
                keeps_states: AtomicBool::new(true),
                recorded: Notify::new(),
                changed: Notify::new(),
            }),
        };
        world.lock().begin_history();
        world
    }

    /// Adds grease: responses and events take freedoms of the document at random. Deliveries and hidden transitions
    /// do too if the service has [the choices of the grease](Grease::choices).
    #[must_use]
    pub fn greased(self, grease: Grease) -> World {
        let mut state = self.lock();
        state.grease = Some(grease);
        state.begin_history();
        drop(state);
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

    /// Performs an action of the outside world; identifiers in it are those of `platform`. A reset restores the
    /// start of the world: its clock, its faults, its scenario, and every platform that it was made with, with the
    /// same keys. It empties the journal and the log of deliveries. A world from a snapshot has the start of the
    /// world that was saved.
    ///
    /// # Errors
    /// [`Impossible`] if the outside world can't do that now; the state has not changed. A reset fails only if the
    /// service no longer permits a step of the scenario; then it stops there.
    pub fn happen(
        &self,
        platform: PlatformId,
        happening: Happening,
    ) -> Result<Outcome, Impossible> {
        let reset = matches!(happening, Happening::Reset { .. });
        let mut base = reset.then(|| self.base());
        let mut state = self.lock();
        let mut now = self.proceed(&mut state);
        let mut intervention = Intervention::action(state.moment(now), &happening);
        let outcome = match state.face.happen(now, platform, happening) {
            Ok(outcome) => outcome,
            Err(why) => {
                let intervention = intervention.refused(&why.0).up_to(state.noted());
                state.interventions.add(intervention);
                self.notify_watchers();
                return Err(why);
            }
        };
        state.turns += 1;
        let mut begun = Ok(());
        if reset {
            now = state.start_over();
            state.begin_history();
            let moment = state.moment(now);
            begun = state.begin(now);
            state.begin_history();
            intervention = intervention.at(moment);
            state.line = Line::default();
            if let Some(base) = &mut base {
                **base = None;
            }
            self.inner.answered.store(0, Ordering::Relaxed);
            self.inner.recorded.notify_waiters();
        }
        self.drain(&mut state, now);
        let intervention = intervention.up_to(state.noted());
        state.interventions.add(intervention);
        drop(base);
        self.leave(state);
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
    /// [`Unbalanced`]: a defect of the service.
    pub fn audit(&self) -> Result<(), Unbalanced> {
        let mut state = self.lock();
        self.proceed(&mut state);
        state.face.audit()
    }

    /// The stage of the key, before a body is read.
    pub(crate) fn admit(&self, authorization: Option<&str>) -> Result<Admitted, Refusal> {
        exchange::admit(&*self.lock().face, authorization)
    }

    /// The body that the service reads in place of the one that was sent, if it reads another one.
    pub(crate) fn reread(&self, kind: OperationKind, body: &[u8]) -> Option<Vec<u8>> {
        self.inner.rereading.and_then(|reread| reread(kind, body))
    }

    /// Answers a parsed request, and records it. This authenticates a second time if there was a body: the lock is not
    /// held while the body arrives, and a revocation or a reset may have invalidated the key meanwhile.
    pub(crate) fn answer(
        &self,
        arrived: Arrived<'_>,
        authorization: Option<&str>,
        route: Option<&Route<'_>>,
        asked: Asked,
    ) -> Served {
        let copy = self.copy_of(&asked, arrived.body.map_or(0, Bytes::len));
        let mut state = self.lock();
        let now = self.proceed(&mut state);
        let before = state.face.point();
        let queued = state.deliveries.next();
        let addressed = asked.operation.as_ref().ok().and_then(addressed);
        let understood = exchange::understood(&*state.face, authorization, asked);
        let caller = understood.as_ref().ok().map(|(caller, _)| *caller);
        let fault = state.fault(route, &understood);
        let answer =
            state.carry_out(now, understood, fault.as_ref().map(|fault| fault.act), copy.as_ref());
        let fault = fault.filter(|fault| interrupts(fault.act, answer.as_ref()));
        let act = fault.as_ref().map(|fault| fault.act);
        let operation = route.map(|route| route.kind);
        if state.may_have_changed(operation, answer.as_ref()) {
            self.drain(&mut state, now);
        } else {
            self.notify_watchers();
        }
        let note = match (caller, addressed, &answer) {
            (Some(caller), Some(business), Some(Ok(_))) => state.note(caller, &business),
            _ => None,
        };
        let (response, grease) =
            self.encoded(&mut state, (operation, caller), answer.as_ref()).unzip();
        let response = response.or_else(|| act.and_then(refused_by_proxy));
        let turns = state.turns;
        if !operation.is_some_and(OperationKind::reads)
            && (act.is_some() || !matches!(answer, Some(Err(_))))
        {
            state.turns += 1;
        }
        let handled = Handled {
            time: now,
            operation,
            answer: answer.as_ref(),
            response: response.as_ref(),
            hints: state.hints,
            note,
            fault: fault.map(|fault| fault.label),
            act,
            caller,
            turns,
            retry_after: act.and_then(Act::retry_after),
            grease: grease.unwrap_or_default(),
            deliveries: queued..state.deliveries.next(),
            states: before.position..state.noted().position,
        };
        state.journal.record(wall_milliseconds, arrived, handled);
        self.inner.answered.store(state.journal.next(), Ordering::Relaxed);
        self.inner.recorded.notify_waiters();
        let hints = state.hints;
        self.leave(state);
        Served { answer, response, act, hints }
    }

    /// The response, and the freedoms that grease takes with it.
    fn encoded(
        &self,
        state: &mut WorldState,
        (kind, caller): (Option<OperationKind>, Option<PlatformId>),
        answer: Option<&Answer>,
    ) -> Option<(Response, Vec<Freedom>)> {
        let answer = answer?;
        let encoded = state.face.write(kind, answer);
        let encoded = encoded.unwrap_or_else(|| exchange::respond(&self.inner.profile, answer));
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

    /// The response to a request that concerns no world, encoded as in this one. No fault acts on it, and the journal
    /// does not have it.
    pub(crate) fn turn_away(&self, refusal: Refusal) -> Served {
        let answer = Err(refusal);
        let mut state = self.lock();
        let response = state.face.write(None, &answer);
        let response = response.unwrap_or_else(|| exchange::respond(&self.inner.profile, &answer));
        Served { answer: Some(answer), response: Some(response), act: None, hints: state.hints }
    }

    /// Records a change of what a snapshot holds.
    fn changed(&self) {
        self.inner.lasting.fetch_add(1, Ordering::Relaxed);
        self.notify_watchers();
    }

    fn notify_watchers(&self) {
        self.inner.changes.fetch_add(1, Ordering::Relaxed);
        self.inner.changed.notify_waiters();
    }

    /// The number of requests answered so far, without the lock.
    pub(crate) fn answered(&self) -> u64 {
        self.inner.answered.load(Ordering::Relaxed)
    }

    pub(crate) fn changes(&self) -> u64 {
        self.inner.changes.load(Ordering::Relaxed)
    }

    pub(crate) fn lasting_changes(&self) -> u64 {
        self.inner.lasting.load(Ordering::Relaxed)
    }

    /// Ignores poisoning: after a panic of a face, which a test may have written, the next request still gets an
    /// answer, from the face as the panic left it.
    fn lock(&self) -> MutexGuard<'_, WorldState> {
        self.inner.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets everything due by now happen.
    fn proceed(&self, state: &mut WorldState) -> Timestamp {
        let now = state.clock.now();
        if state.face.poll_timeout().is_some_and(|due| due <= now) {
            self.changed();
            state.turns += 1;
        }
        state.face.handle_timeout(now);
        state.log_deliveries();
        // What became due by itself belongs to no request: the next one must not show these freedoms as its own.
        if let Some(grease) = &mut state.grease {
            grease.collect();
        }
        now
    }

    /// Follows a change at `now`: logs queued deliveries, wakes the courier if it would wake too late, and notifies
    /// waiters if nothing more is due.
    fn drain(&self, state: &mut WorldState, now: Timestamp) {
        self.changed();
        self.follow(state, now);
    }

    /// As `drain`, where nothing has changed that a snapshot holds.
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

/// Waits until `look` finds something; looks again after each notification.
async fn when<T>(changed: &Notify, mut look: impl FnMut() -> Option<T>) -> T {
    loop {
        let notified = changed.notified();
        tokio::pin!(notified);
        // Registers before the look, so that no notification is missed between the look and the wait.
        notified.as_mut().enable();
        if let Some(found) = look() {
            return found;
        }
        notified.await;
    }
}

/// The business whose address an operation sends, if it sends one.
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
        let place = self.place();
        while let Some(delivery) = self.face.poll_delivery() {
            if self.faults.concern_deliveries() {
                self.strike(&delivery);
            }
            let sent = self.faults.as_sent(&delivery);
            let greased = self.grease.as_ref().map(|grease| grease.event(&sent));
            let number = delivery.number;
            self.deliveries.queued(delivery, place);
            if let Some(greased) = greased {
                self.deliveries.grease(number, greased);
            }
        }
    }

    /// Whether even a request that changes nothing counts: faults and grease number requests, and a snapshot holds
    /// these numbers.
    fn counts_requests(&self) -> bool {
        !self.faults.is_empty() || self.grease.is_some()
    }

    /// Whether a request with this answer may have changed what a snapshot holds. A refusal changes nothing, except
    /// that `upstream_failed` uses up a failure that the operator asked for.
    fn may_have_changed(&self, operation: Option<OperationKind>, answer: Option<&Answer>) -> bool {
        let changes = match answer {
            Some(Ok(_)) => !operation.is_some_and(OperationKind::reads),
            Some(Err(refusal)) => refusal.code == Code::UpstreamFailed,
            None => true,
        };
        changes || self.counts_requests()
    }

    /// Whether no attempt is in flight, and nothing due is left for the courier. A world that has ended sends nothing
    /// more.
    fn is_settled(&self) -> bool {
        let now = self.clock.now();
        let waits = |due: Timestamp| due <= now && self.exhausted_at.is_none_or(|at| at < due);
        self.ended
            || !self.courier
            || (self.in_flight == 0 && !self.face.poll_timeout().is_some_and(waits))
    }

    /// A hint for a caller whose sync sent an address with which no account can open.
    fn note(&self, caller: PlatformId, business: &str) -> Option<String> {
        let parts = self.face.address_lacks(caller, business)?;
        Some(format!("The address lacks {parts}: no collection account opens with it."))
    }
}
