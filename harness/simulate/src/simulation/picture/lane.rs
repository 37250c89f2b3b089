//! The lanes of the picture, and between which of them an entry runs.

use serde::Serialize;

use crate::simulation::trace::{Actor, Entry};

/// A column of the picture, from left to right. Whoever talks to each other stands side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Lane {
    Platform,
    Service,
    Receiver,
    Vendor,
    Payor,
}

impl Lane {
    pub(super) const ALL: [Lane; 5] =
        [Lane::Platform, Lane::Service, Lane::Receiver, Lane::Vendor, Lane::Payor];

    /// The lane of an actor.
    pub(super) fn of(actor: Actor) -> Lane {
        match actor {
            Actor::Platform(_) => Lane::Platform,
            Actor::Service => Lane::Service,
            Actor::Receiver(_) => Lane::Receiver,
            Actor::Vendor(_) => Lane::Vendor,
            Actor::Payor(_) => Lane::Payor,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Lane::Platform => "platform",
            Lane::Service => "service",
            Lane::Receiver => "receiver",
            Lane::Vendor => "vendor",
            Lane::Payor => "payor",
        }
    }
}

/// The number of an actor among those of its lane.
pub(super) fn number(actor: Actor) -> Option<u32> {
    match actor {
        Actor::Platform(number)
        | Actor::Receiver(number)
        | Actor::Vendor(number)
        | Actor::Payor(number) => Some(number),
        Actor::Service => None,
    }
}

/// The lane that an entry reaches from its own, as far as its text says so.
pub(super) fn reached_by(entry: &Entry) -> Option<Lane> {
    let text = entry.text.as_str();
    match entry.actor {
        Actor::Platform(_) => is_request(text).then_some(Lane::Service),
        Actor::Service if text.starts_with("sends ") => Some(Lane::Receiver),
        Actor::Service => is_request(text).then_some(Lane::Platform),
        Actor::Receiver(_) => text.starts_with("answers ").then_some(Lane::Service),
        Actor::Vendor(_) | Actor::Payor(_) => Some(Lane::Service),
    }
}

/// Whether a text begins with the method of a request.
fn is_request(text: &str) -> bool {
    let method = text.split(' ').next().unwrap_or_default();
    ["GET", "POST", "PUT", "DELETE"].contains(&method)
}
