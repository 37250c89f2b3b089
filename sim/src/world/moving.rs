//! Moves a world's clock step by step: everything due at one step happens before the next step.

use std::time::Duration;

use tideover_model::{Seconds, Timestamp};
use tokio::time::timeout;

use crate::world::World;

/// Another move of the clock is in progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the clock is already moving; retry when that move is done")]
pub struct ClockMoving;

/// The right to move the clock, until it is dropped.
struct ClockMove<'a> {
    world: &'a World,
    resets: u64,
}

/// The result of waiting for deliveries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quiet {
    /// Whether nothing is due or in flight.
    pub quiet: bool,
    /// When the next hidden transition or attempt is due.
    pub next_due: Option<Timestamp>,
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
        loop {
            self.settle().await;
            let mut state = self.lock();
            if state.resets != moving.resets {
                return Ok(state.clock.now());
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
        Ok(self.lock().clock.now())
    }

    /// Waits until nothing is due or in flight, for at most `patience`.
    pub async fn quiet(&self, patience: Duration) -> Quiet {
        let quiet = timeout(patience, self.settle()).await.is_ok();
        let state = self.lock();
        Quiet { quiet, next_due: state.face.poll_timeout() }
    }

    /// Returns once nothing is due or in flight; immediately if there is no courier.
    async fn settle(&self) {
        {
            let mut state = self.lock();
            let now = self.proceed(&mut state);
            self.drain(&mut state, now);
        }
        loop {
            let settled = self.inner.settled.notified();
            tokio::pin!(settled);
            settled.as_mut().enable();
            if self.lock().is_settled() {
                return;
            }
            settled.await;
        }
    }
}

impl<'a> ClockMove<'a> {
    fn begin(world: &'a World) -> Result<ClockMove<'a>, ClockMoving> {
        let mut state = world.lock();
        if state.moving {
            return Err(ClockMoving);
        }
        state.moving = true;
        state.clock.hold();
        Ok(ClockMove { world, resets: state.resets })
    }
}

/// Also runs if the caller cancels the move: the clock keeps the time that it reached.
impl Drop for ClockMove<'_> {
    fn drop(&mut self) {
        let mut state = self.world.lock();
        state.moving = false;
        state.clock.release();
        // The courier must compute its waiting time again.
        self.world.inner.wake.notify_one();
    }
}
