//! `POST /_sim/clock`: how far the clock moves, and the answer.

use serde::Serialize;
use serde_json::Value;
use tideover_model::wire::action::NotApplied;
use tideover_model::wire::problem::{unfit, unknown_field};
use tideover_model::{Impossible, Seconds, Timestamp};
use utoipa::ToSchema;

use crate::world::{ClockMoving, NextEvent, NotMoved, Quieted, World};

/// The fields of which a body has exactly one, each with what it expects.
const MOVES: [(&str, &str); 4] = [
    ("advanceSeconds", "a whole number, not negative"),
    ("advanceTo", "an instant, such as \"2026-01-31T00:00:00Z\""),
    ("nextEvent", "true"),
    ("untilQuiet", "true"),
];

/// A move that a request asks for.
pub(super) enum Move {
    By(Seconds),
    To(Timestamp),
    NextEvent,
    UntilQuiet,
}

/// What the clock shows after a move.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ClockMoved {
    /// The time.
    #[schema(value_type = String, format = DateTime)]
    now: Timestamp,
    /// After `nextEvent`: whether anything was due.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    moved: Option<bool>,
    /// After `untilQuiet`: whether nothing is due any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    quiet: Option<bool>,
    /// After `untilQuiet`: what is due next; null if nothing is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    next_due: Option<Option<Timestamp>>,
}

impl ClockMoved {
    fn to(now: Timestamp) -> ClockMoved {
        ClockMoved { now, moved: None, quiet: None, next_due: None }
    }
}

impl Move {
    /// Reads a body with exactly one field.
    pub(super) fn read(body: &Value) -> Result<Move, NotApplied> {
        let names = MOVES.map(|(name, _)| name);
        let expected = || format!("an object with one of {}", names.join(", "));
        let Some(fields) = body.as_object().filter(|fields| !fields.is_empty()) else {
            return Err(NotApplied::Invalid(unfit("the body", &expected(), Some(body))));
        };
        if let Some(other) = fields.keys().find(|name| !names.contains(&name.as_str())) {
            return Err(NotApplied::Invalid(unknown_field(other, &names)));
        }
        let mut fields = fields.iter();
        let (Some((field, value)), None) = (fields.next(), fields.next()) else {
            let why = format!("the body: expected {}, got several of them.", expected());
            return Err(NotApplied::Invalid(why));
        };
        let read = match field.as_str() {
            "advanceSeconds" => value.as_u64().map(Move::By),
            "advanceTo" => value.as_str().and_then(Timestamp::parse).map(Move::To),
            "nextEvent" => (value == true).then_some(Move::NextEvent),
            _ => (value == true).then_some(Move::UntilQuiet),
        };
        let wanted = MOVES.iter().find(|(name, _)| name == field).map_or("", |(_, wanted)| wanted);
        read.ok_or_else(|| NotApplied::Invalid(unfit(field, wanted, Some(value))))
    }

    /// Moves the clock of `world`; impossible during another move, or to an instant in the past.
    pub(super) async fn make(self, world: &World) -> Result<ClockMoved, NotApplied> {
        Ok(match self {
            Move::By(seconds) => {
                ClockMoved::to(world.advance_clock(seconds).await.map_err(moving)?)
            }
            Move::To(instant) => ClockMoved::to(world.advance_to(instant).await.map_err(refused)?),
            Move::NextEvent => {
                let NextEvent { now, moved } =
                    world.advance_to_next_event().await.map_err(moving)?;
                ClockMoved { moved: Some(moved), ..ClockMoved::to(now) }
            }
            Move::UntilQuiet => {
                let Quieted { now, quiet, next_due } =
                    world.advance_until_quiet().await.map_err(moving)?;
                let (quiet, next_due) = (Some(quiet), Some(next_due));
                ClockMoved { quiet, next_due, ..ClockMoved::to(now) }
            }
        })
    }
}

fn moving(refusal: ClockMoving) -> NotApplied {
    refused(refusal.into())
}

fn refused(refusal: NotMoved) -> NotApplied {
    NotApplied::Impossible(Impossible(refusal.to_string().into()))
}
