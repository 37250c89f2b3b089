//! What a target was in before it was written to: an answer may lag behind that (`gap.readOwnWrites`).

use std::collections::VecDeque;

use tideover_model::{Code, OperationKind, PlatformId, Timestamp};

use crate::exchange::{Prepared, PreparedAction, Seen};
use crate::judge::belief::Belief;
use crate::judge::hidden::Before;
use crate::judge::world::World;

/// So many writes an answer may lag behind.
const FURTHEST_BEHIND: usize = 8;

/// What a target was in before a write.
#[derive(Clone, Debug)]
pub(super) struct Past {
    /// The business that was written to, if the write names one.
    business: Option<(PlatformId, String)>,
    worlds: Vec<World>,
}

impl Belief {
    /// Keeps in mind what the target was in before: what is asked may be answered from there.
    pub(crate) fn remember(&mut self) {
        self.past = Some(VecDeque::with_capacity(FURTHEST_BEHIND));
    }

    /// Whether an answer contradicts what the target is in now, and not what it was in before what it is about was
    /// written to: it may lag behind (`gap.readOwnWrites`), as a read does, or a refusal of what was synced just before.
    pub(crate) fn may_lag(&self, sent: &Prepared, seen: &Seen, now: Timestamp) -> bool {
        let is_unknown = matches!(
            seen.code().and_then(Code::parse),
            Some(Code::BusinessNotFound | Code::InvoiceNotFound)
        );
        let lags = sent.kind().is_some_and(|kind| kind.reads() || is_unknown);
        let Some(past) = self.past.as_ref().filter(|_| lags) else { return false };
        if self.explains(sent, seen, now) {
            return false;
        }
        let business = self.named(sent);
        let is_about_it = |past: &&Past| past.business.is_none() || past.business == business;
        past.iter().filter(is_about_it).any(|past| self.was_so(past, sent, seen, now))
    }

    /// Whether an answer contradicts nothing that is known.
    pub(crate) fn explains(&self, sent: &Prepared, seen: &Seen, now: Timestamp) -> bool {
        !self.unseen(self.before).contradicts(&self.worlds, sent, seen, now)
    }

    /// Whether an answer tells what was so before a write; what is called how is known since.
    fn was_so(&self, past: &Past, sent: &Prepared, seen: &Seen, now: Timestamp) -> bool {
        let Some(present) = self.worlds.first() else { return false };
        let worlds: Vec<World> =
            past.worlds.iter().map(|world| world.calling_as(present)).collect();
        // What was there before anything was sent would explain whatever is told.
        !self.unseen(Before::Nothing).contradicts(&worlds, sent, seen, now)
    }

    /// Keeps what the target is in before a write.
    pub(super) fn remember_write(&mut self, sent: &Prepared) {
        if self.past.is_none() {
            return;
        }
        let business = self.named(sent);
        let is_write = match &sent.action {
            PreparedAction::Call(_) => !sent.kind().is_some_and(OperationKind::reads),
            PreparedAction::Act(_) => business.is_some(),
            PreparedAction::Advance(_) | PreparedAction::Deliveries => false,
        };
        let Some(past) = self.past.as_mut().filter(|_| is_write) else { return };
        if past.len() == FURTHEST_BEHIND {
            past.pop_front();
        }
        past.push_back(Past { business, worlds: self.worlds.clone() });
    }
}
