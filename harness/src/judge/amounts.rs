//! The amounts of advances that were granted unseen: the first answer that tells one binds it (`4.advances.2`).

use std::collections::BTreeMap;

use tideover_model::{BusinessId, Cents, PlatformId};

use crate::evidence::Point;
use crate::exchange::Seen;
use crate::judge::reading::{Revealed, amount};

/// An advance, by the invoice that it is against: several identifiers may be linked to the business.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Advance {
    pub(super) platform: PlatformId,
    pub(super) business: BusinessId,
    pub(super) invoice: String,
}

/// Of each advance that was granted unseen, the amounts that its grant didn't tell, as far as they were told since.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Amounts(BTreeMap<Advance, BTreeMap<&'static str, Option<Cents>>>);

impl Amounts {
    /// Whether all were told when they were granted.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// An advance was granted unseen, of which `told` tells what it does.
    pub(super) fn miss(&mut self, advance: Advance, revealed: Revealed) {
        let amounts = self.0.entry(advance).or_default();
        for name in revealed.unrevealed() {
            amounts.entry(name).or_default();
        }
    }

    /// Holds an answer about an advance against the amounts that were told first, not against estimates.
    pub(super) fn settle(&mut self, advance: &Advance, seen: &Seen, points: &mut Vec<Point>) {
        let Some(amounts) = self.0.get_mut(advance) else { return };
        points.retain_mut(|point| {
            let Some(known) = amounts.get_mut(&*point.field) else { return true };
            let revealed = seen.json().and_then(|body| amount(body, &point.field));
            let Some(revealed) = revealed else { return true };
            let known = *known.get_or_insert(revealed);
            (point.holds, point.expected) = (known == revealed, known.0.to_string());
            true
        });
    }
}
