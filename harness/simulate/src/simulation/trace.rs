//! What happened in a run, entry by entry, for a reader and for the picture.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::simulation::auditor::Totals;
use crate::simulation::queue::{DAY, HOUR, MINUTE, Moment, SECOND};
use crate::simulation::reached::Fault;

/// Who acts in an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Actor {
    /// A platform, as a caller.
    Platform(u32),
    /// A platform's receiver.
    Receiver(u32),
    /// The service.
    Service,
    /// A vendor.
    Vendor(u32),
    /// The payors of a vendor.
    Payor(u32),
}

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Actor::Platform(number) => write!(f, "platform {number}"),
            Actor::Receiver(number) => write!(f, "receiver {number}"),
            Actor::Service => f.write_str("service"),
            Actor::Vendor(number) => write!(f, "vendor v{number}"),
            Actor::Payor(number) => write!(f, "payor of v{number}"),
        }
    }
}

/// A time since the start of the world, for a reader: `3d 04:05:06.789`.
pub fn clock(at: Moment) -> String {
    let (days, hours, minutes) = (at / DAY, at % DAY / HOUR, at % HOUR / MINUTE);
    let (seconds, milliseconds) = (at % MINUTE / SECOND, at % SECOND);
    format!("{days}d {hours:02}:{minutes:02}:{seconds:02}.{milliseconds:03}")
}

/// An entry of a trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// When. Milliseconds since the start of the world.
    pub at: Moment,
    /// Who.
    pub actor: Actor,
    /// What.
    pub text: String,
    /// The fault that hit it, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<Fault>,
    /// Where the money is afterwards, if it moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub money: Option<Totals>,
}

/// The entries of a run. It stays empty unless a trace was asked for.
#[derive(Default)]
pub(crate) struct Trace {
    wanted: bool,
    entries: Vec<Entry>,
    money: Totals,
}

impl Trace {
    pub(crate) fn new(wanted: bool) -> Trace {
        Trace { wanted, ..Trace::default() }
    }

    /// Adds an entry. The text is made only if a trace was asked for.
    pub(crate) fn add(
        &mut self,
        at: Moment,
        actor: Actor,
        fault: Option<Fault>,
        text: impl FnOnce() -> String,
    ) {
        if self.wanted {
            self.entries.push(Entry { at, actor, text: text(), fault, money: None });
        }
    }

    /// Adds the totals to the last entry, if they have changed.
    pub(crate) fn note_money(&mut self, money: Totals) {
        if self.wanted && money != self.money {
            self.money = money;
            if let Some(entry) = self.entries.last_mut() {
                entry.money = Some(money);
            }
        }
    }

    pub(crate) fn into_entries(self) -> Vec<Entry> {
        self.entries
    }
}
