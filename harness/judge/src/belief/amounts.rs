//! The amounts of advances that were granted unseen. The first response that shows an amount binds it
//! (`4.advances.2`).

use std::collections::BTreeMap;

use tideover_exchange::Response;
use tideover_exchange::evidence::Point;
use tideover_model::{BusinessId, Cents, PlatformId};

use crate::belief::reading::{Revealed, amount};

/// An advance, by its invoice. Several identifiers may be linked to the business.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct AdvanceKey {
    pub(super) platform: PlatformId,
    pub(super) business: BusinessId,
    pub(super) invoice: String,
}

/// The amounts that were missing when an advance was granted unseen, with the values shown since.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct UnseenGrants(BTreeMap<AdvanceKey, BTreeMap<&'static str, Option<Cents>>>);

impl UnseenGrants {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Records an advance that was granted unseen. Only the amounts in `revealed` are known.
    pub(super) fn miss(&mut self, advance: AdvanceKey, revealed: Revealed) {
        let amounts = self.0.entry(advance).or_default();
        for name in revealed.unrevealed() {
            amounts.entry(name).or_default();
        }
    }

    /// Compares a response about an advance with the amounts shown first, not with estimates.
    pub(super) fn settle(
        &mut self,
        advance: &AdvanceKey,
        seen: &Response,
        points: &mut Vec<Point>,
    ) {
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
