//! The lanes of the picture, and between which of them an entry runs.

use serde::Serialize;

use crate::simulation::trace::{Actor, Entry};

/// A column of the picture, from left to right. Whoever talks to each other stands side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Column {
    Platform,
    Service,
    Receiver,
    Vendor,
    Payor,
}

impl Column {
    pub(super) const ALL: [Column; 5] =
        [Column::Platform, Column::Service, Column::Receiver, Column::Vendor, Column::Payor];

    /// The lane of an actor.
    pub(super) fn of(actor: Actor) -> Column {
        match actor {
            Actor::Platform(_) => Column::Platform,
            Actor::Service => Column::Service,
            Actor::Receiver(_) => Column::Receiver,
            Actor::Vendor(_) => Column::Vendor,
            Actor::Payor(_) => Column::Payor,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Column::Platform => "platform",
            Column::Service => "service",
            Column::Receiver => "receiver",
            Column::Vendor => "vendor",
            Column::Payor => "payor",
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
pub(super) fn reached_by(entry: &Entry) -> Option<Column> {
    let text = entry.text.as_str();
    match entry.actor {
        Actor::Platform(_) => is_request(text).then_some(Column::Service),
        Actor::Service if text.starts_with("sends ") => Some(Column::Receiver),
        Actor::Service => is_request(text).then_some(Column::Platform),
        Actor::Receiver(_) => text.starts_with("answers ").then_some(Column::Service),
        Actor::Vendor(_) | Actor::Payor(_) => Some(Column::Service),
    }
}

/// Whether a text begins with the method of a request.
fn is_request(text: &str) -> bool {
    let method = text.split(' ').next().unwrap_or_default();
    ["GET", "POST", "PUT", "DELETE"].contains(&method)
}
