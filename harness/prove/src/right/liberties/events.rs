//! Liberties of deliveries.

use serde_json::Value;
use tideover_exchange::Arrival;
use tideover_model::words::AdvanceState;

use crate::right::liberties::json::{add_members, each_object, styled};
use crate::right::liberty::Liberty;

/// Members of events that nobody knows.
pub(super) struct EventWithMore {
    pub(super) salt: u64,
}

impl Liberty for EventWithMore {
    fn event(&mut self, mut event: Value) -> Value {
        add_members(&mut event, self.salt);
        event
    }
}

/// Other names for the members of an event that the document does not name.
pub(super) struct EventWithOwnNames {
    pub(super) style: u64,
}

impl Liberty for EventWithOwnNames {
    fn event(&mut self, mut event: Value) -> Value {
        each_object(&mut event, &mut |object| {
            let names: Vec<String> = object.keys().cloned().collect();
            for name in names.iter().filter(|name| !["occurredAt", "sequence"].contains(&&***name))
            {
                if let Some(value) = object.remove(name) {
                    object.insert(styled(name, self.style), value);
                }
            }
        });
        event
    }
}

/// Events of an advance that show the state before, too.
pub(super) struct EventWithPreviousState;

impl Liberty for EventWithPreviousState {
    fn event(&mut self, mut event: Value) -> Value {
        let state = event["data"]["state"].as_str().map(str::to_owned);
        let before =
            AdvanceState::ALL.windows(2).find(|pair| Some(pair[1].name()) == state.as_deref());
        if let Some(pair) = before {
            event["data"]["previousState"] = pair[0].name().into();
        }
        event
    }
}

/// The type of an event in a header of its delivery, and not in its body.
pub(super) struct TypeInHeader;

impl Liberty for TypeInHeader {
    fn names_type_in_header(&self) -> bool {
        true
    }
}

/// Sequences that begin anywhere, and grow by more than one.
pub(super) struct SequenceWithSteps {
    pub(super) step: u64,
    /// What follows the whole number: nothing, or the same fraction for all.
    pub(super) fraction: &'static str,
    pub(super) is_negative: bool,
}

impl Liberty for SequenceWithSteps {
    fn event(&mut self, mut event: Value) -> Value {
        if let Some(sequence) = event["sequence"].as_u64() {
            // No invoice has so many.
            let from = if self.is_negative { -1_000_000 } else { 3 };
            let whole = from + (sequence * self.step).cast_signed();
            event["sequence"] = format!("{whole}{}", self.fraction).parse().unwrap_or_default();
        }
        event
    }
}

/// Names of deliveries in another form.
pub(super) struct OwnDeliveryNames;

impl Liberty for OwnDeliveryNames {
    fn delivery(&mut self, arrival: &Arrival) -> Option<String> {
        Some(arrival.delivery.as_deref()?.chars().rev().collect())
    }
}

/// Delivery is at least once.
pub(super) struct RepeatedAttempts {
    pub(super) every: u64,
    pub(super) accepted: u64,
}

impl Liberty for RepeatedAttempts {
    fn repeats(&mut self, arrival: &Arrival) -> bool {
        self.accepted += u64::from(arrival.status == 200);
        arrival.status == 200 && self.accepted.is_multiple_of(self.every)
    }
}

/// Events that come after the responses that follow them.
pub(super) struct LateEvents {
    pub(super) steps: u64,
}

impl Liberty for LateEvents {
    fn wall(&self) -> Option<fn(u64) -> u64> {
        Some(|at| at)
    }

    fn steps_late(&self) -> usize {
        usize::try_from(self.steps).unwrap_or(0)
    }
}
