//! Moves a world's clock step by step: everything due at one step happens before the next step.

use std::time::Duration;

use serde::Serialize;
use tideover_model::{Profile, Seconds, Timestamp};
use tokio::time::timeout;
use utoipa::ToSchema;

use crate::deliveries::{DeliveryEntry, DeliveryState};
use crate::interventions::Intervention;
use crate::world::{World, when};

/// Another move of the clock is in progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the clock is already moving; retry when that move is done")]
pub struct ClockMoving;

/// Why the clock does not move to an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotMoved {
    /// Another move is in progress.
    #[error(transparent)]
    Moving(#[from] ClockMoving),
    /// The instant is in the past.
    #[error("the clock shows {now} and never goes back; a reset restores its start")]
    Past {
        /// What the clock shows.
        now: Timestamp,
    },
}

/// The result of a move to the next event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NextEvent {
    /// What the clock shows.
    pub now: Timestamp,
    /// Whether something was due; without it the clock has not moved.
    pub moved: bool,
}

/// The result of a move until quiet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quieted {
    /// What the clock shows: the time of the last event.
    pub now: Timestamp,
    /// Whether nothing is due any more.
    pub quiet: bool,
    /// When the next thing is due, if the move ended before it.
    pub next_due: Option<Timestamp>,
}

/// The right to move the clock, until it is dropped.
struct ClockMove<'a> {
    world: &'a World,
    resets: u64,
    /// Its number among the interventions.
    number: u64,
}

/// The result of waiting for deliveries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Quiet {
    /// Whether nothing is due or in flight. False if the patience ended first.
    pub quiet: bool,
    /// When the next hidden transition or attempt is due, if one is.
    #[schema(value_type = Option<String>, format = DateTime, required = true)]
    pub next_due: Option<Timestamp>,
    /// How many deliveries failed and will be tried again.
    pub retrying: usize,
}

impl World {
    /// Moves the clock forward by `seconds`, at most to the last representable instant, from one due time to
    /// the next. Before the clock moves past a due time, everything due has happened, and each attempt of a
    /// delivery has its response or has failed.
    ///
    /// # Errors
    /// [`ClockMoving`] during another move.
    pub async fn advance_clock(&self, seconds: Seconds) -> Result<Timestamp, ClockMoving> {
        let moving = ClockMove::begin(self)?;
        let end = self.lock().clock.now().after(seconds);
        Ok(self.move_to(&moving, end).await)
    }

    /// Moves the clock forward to `instant`, as [`advance_clock`](World::advance_clock) does.
    ///
    /// # Errors
    /// [`NotMoved`]: during another move, to an instant in the past.
    pub async fn advance_to(&self, instant: Timestamp) -> Result<Timestamp, NotMoved> {
        let moving = ClockMove::begin(self)?;
        let now = self.lock().clock.now();
        if instant < now {
            let refusal = NotMoved::Past { now };
            self.lock().interventions.refused(moving.number, &refusal.to_string());
            return Err(refusal);
        }
        Ok(self.move_to(&moving, instant).await)
    }

    /// Moves the clock to the next hidden transition or attempt of a delivery; if none is due, it stays.
    ///
    /// A world that nobody [delivers](World::deliver_to) for can't pass a delivery: there is no event behind it.
    ///
    /// # Errors
    /// [`ClockMoving`] during another move.
    pub async fn advance_to_next_event(&self) -> Result<NextEvent, ClockMoving> {
        let moving = ClockMove::begin(self)?;
        self.settle().await;
        let Some(due) = self.next_due() else {
            return Ok(NextEvent { now: self.lock().clock.now(), moved: false });
        };
        Ok(NextEvent { now: self.move_to(&moving, due).await, moved: true })
    }

    /// Moves the clock from event to event, until nothing is due any more. It looks 40 days and the profile's retry
    /// window ahead, so that it ends even if each event causes another one.
    ///
    /// # Errors
    /// [`ClockMoving`] during another move.
    pub async fn advance_until_quiet(&self) -> Result<Quieted, ClockMoving> {
        let moving = ClockMove::begin(self)?;
        self.settle().await;
        let limit = self.lock().clock.now().after(longest(self.profile()));
        while let Some(due) = self.next_due().filter(|due| *due <= limit) {
            self.move_to(&moving, due).await;
            if self.lock().resets != moving.resets {
                break;
            }
        }
        let state = self.lock();
        let next_due = state.face.poll_timeout();
        Ok(Quieted { now: state.clock.now(), quiet: next_due.is_none(), next_due })
    }

    /// When the next thing is due that has not happened yet.
    fn next_due(&self) -> Option<Timestamp> {
        let state = self.lock();
        state.face.poll_timeout().filter(|due| *due > state.clock.now())
    }

    /// Moves the clock to `end`, from one due time to the next.
    async fn move_to(&self, moving: &ClockMove<'_>, end: Timestamp) -> Timestamp {
        loop {
            self.settle().await;
            let mut state = self.lock();
            if state.resets != moving.resets {
                return state.clock.now();
            }
            let between = state.clock.now()..end;
            let next = state
                .face
                .poll_timeout()
                .filter(|due| state.courier && *due > between.start && between.contains(due));
            state.clock.set(next.unwrap_or(end));
            let now = self.proceed(&mut state);
            self.drain(&mut state, now);
            if next.is_none() {
                break;
            }
        }
        self.settle().await;
        self.lock().clock.now()
    }

    /// Waits until nothing is due or in flight, for at most `patience`. A world that is deleted or replaced is quiet.
    pub async fn quiet(&self, patience: Duration) -> Quiet {
        let quiet = timeout(patience, self.settle()).await.is_ok();
        let deliveries = self.deliveries(0);
        let retrying = deliveries.iter().filter(|it| it.state == DeliveryState::Retrying).count();
        Quiet { quiet, next_due: self.lock().face.poll_timeout(), retrying }
    }

    /// The logged deliveries once they are `as_expected`, or after `patience`.
    pub(crate) async fn delivered(
        &self,
        patience: Duration,
        as_expected: impl Fn(&[DeliveryEntry]) -> bool,
    ) -> Vec<DeliveryEntry> {
        let is_over = || as_expected(&self.deliveries(0)) || self.has_ended();
        let waiting = when(&self.inner.settled, || is_over().then_some(()));
        // The deliveries show it if the time is over.
        let _ = timeout(patience, waiting).await;
        self.deliveries(0)
    }

    /// Returns once nothing is due or in flight; immediately if there is no courier.
    async fn settle(&self) {
        {
            let mut state = self.lock();
            let now = self.proceed(&mut state);
            self.follow(&mut state, now);
        }
        when(&self.inner.settled, || self.lock().is_settled().then_some(())).await;
    }
}

/// How far a move until quiet looks ahead: past every delay and every retry that a usual profile has. Seconds.
fn longest(profile: &Profile) -> Seconds {
    const DAYS: Seconds = 40;
    profile.webhooks.window.saturating_add(DAYS * 86_400)
}

impl<'a> ClockMove<'a> {
    fn begin(world: &'a World) -> Result<ClockMove<'a>, ClockMoving> {
        let mut state = world.lock();
        if state.moving {
            return Err(ClockMoving);
        }
        state.moving = true;
        state.clock.hold();
        // What was due before belongs to no move.
        let now = world.proceed(&mut state);
        let begun = Intervention::clock(state.moment(now));
        let number = state.interventions.add(begun);
        Ok(ClockMove { world, resets: state.resets, number })
    }
}

/// Also runs if the caller cancels the move: the clock stays at the time that it reached.
impl Drop for ClockMove<'_> {
    fn drop(&mut self) {
        let mut state = self.world.lock();
        state.moving = false;
        let until = state.clock.now();
        if state.resets == self.resets {
            let (after, next_request) = (state.noted(), state.journal.next());
            state.interventions.moved(self.number, until, after, next_request);
        }
        state.clock.release();
        self.world.notify_watchers();
        // The courier must compute its waiting time again.
        self.world.inner.wake.notify_one();
    }
}
