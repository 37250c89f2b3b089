//! `POST /_sim/clock`: how far the clock moves, and the answer.

use serde_json::{Value, json};
use tideover_model::wire::action::NotApplied;
use tideover_model::{Impossible, Seconds, Timestamp};

use crate::world::{ClockMoving, NextEvent, NotMoved, Quieted, World};

/// The forms of the body.
pub(super) const EXPECTED: &str = "expected one of {\"advanceSeconds\": N}, N a non-negative integer; \
    {\"advanceTo\": \"2026-01-31T00:00:00Z\"}; {\"nextEvent\": true}; {\"untilQuiet\": true}";

/// A move that a request asks for.
pub(super) enum Move {
    By(Seconds),
    To(Timestamp),
    NextEvent,
    UntilQuiet,
}

impl Move {
    /// Reads a body with exactly one field.
    pub(super) fn read(body: &Value) -> Option<Move> {
        let mut fields = body.as_object().filter(|fields| fields.len() == 1)?.iter();
        let (field, value) = fields.next()?;
        match field.as_str() {
            "advanceSeconds" => value.as_u64().map(Move::By),
            "advanceTo" => value.as_str().and_then(Timestamp::parse).map(Move::To),
            "nextEvent" => (value == true).then_some(Move::NextEvent),
            "untilQuiet" => (value == true).then_some(Move::UntilQuiet),
            _ => None,
        }
    }

    /// Moves the clock of `world`; returns the answer.
    ///
    /// # Errors
    /// [`NotApplied::Impossible`] during another move, or to an instant in the past.
    pub(super) async fn make(self, world: &World) -> Result<Value, NotApplied> {
        match self {
            Move::By(seconds) => {
                let now = world.advance_clock(seconds).await.map_err(moving)?;
                Ok(json!({ "now": now }))
            }
            Move::To(instant) => {
                let now = world.advance_to(instant).await.map_err(refused)?;
                Ok(json!({ "now": now }))
            }
            Move::NextEvent => {
                let NextEvent { now, moved } =
                    world.advance_to_next_event().await.map_err(moving)?;
                Ok(json!({ "now": now, "moved": moved }))
            }
            Move::UntilQuiet => {
                let Quieted { now, quiet, next_due } =
                    world.advance_until_quiet().await.map_err(moving)?;
                Ok(json!({ "now": now, "quiet": quiet, "nextDue": next_due }))
            }
        }
    }
}

fn moving(refusal: ClockMoving) -> NotApplied {
    refused(refusal.into())
}

fn refused(refusal: NotMoved) -> NotApplied {
    NotApplied::Impossible(Impossible(refusal.to_string().into()))
}
