//! How the clock of a world is moved: step by step, everything that is due done before the next.

use std::time::Duration;

use tideover_model::{Seconds, Timestamp};
use tokio::time::timeout;

use crate::world::World;

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
    /// Moves the clock forward by `seconds`, at most to the last instant that can be written, from one thing
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

    /// Waits until nothing is due or under way, for `patience` at most.
    pub async fn quiet(&self, patience: Duration) -> Quiet {
        let quiet = timeout(patience, self.settle()).await.is_ok();
        let state = self.lock();
        Quiet { quiet, next_due: state.face.poll_timeout() }
    }

    /// Returns when nothing is due or under way; at once if nobody sends anything.
    async fn settle(&self) {
        {
            let mut state = self.lock();
            let now = self.proceed(&mut state);
            self.drain(&mut state, now);
        }
        loop {
            let settled = self.shared.settled.notified();
            tokio::pin!(settled);
            settled.as_mut().enable();
            if self.lock().is_settled() {
                return;
            }
            settled.await;
        }
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
