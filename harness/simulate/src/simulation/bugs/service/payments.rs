//! Payments that are booked wrongly.

use tideover_model::wire::reply::Reply;
use tideover_model::words::{AdvanceState, CollectionState};
use tideover_model::{Cents, Face, Happening, Operation, Outcome, PlatformId, Timestamp};

use crate::simulation::bugs::buggy::{Buggy, Happened};

pub(super) fn counts_early_payment_twice(
    buggy: &mut Buggy,
    now: Timestamp,
    platform: PlatformId,
    happening: Happening,
) -> Happened {
    if let Happening::PayorPays { payee, invoice, .. } = &happening {
        let question = Operation::GetInvoice { payee: payee.clone(), invoice: invoice.clone() };
        let read = buggy.service.handle(now, platform, question);
        let state = match read {
            Ok(Reply::Invoice(invoice)) => invoice.advance.map(|advance| advance.state),
            _ => None,
        };
        if matches!(state, Some(AdvanceState::Requested | AdvanceState::Funding)) {
            let first = buggy.service.happen(now, platform, happening.clone());
            return buggy.service.happen(now, platform, happening).and(first);
        }
    }
    buggy.service.happen(now, platform, happening)
}

/// The vendor's money never leaves the service's own pocket.
pub(super) fn suspends_second_payment(
    buggy: &mut Buggy,
    now: Timestamp,
    platform: PlatformId,
    happening: Happening,
) -> Happened {
    if let Happening::PayorPays { payee, invoice, amount } = &happening {
        let question = Operation::GetInvoice { payee: payee.clone(), invoice: invoice.clone() };
        let read = buggy.service.handle(now, platform, question);
        if let Ok(Reply::Invoice(invoice)) = read
            && invoice.collection_state == CollectionState::PartiallyCollected
        {
            return Ok(Outcome::Paid { applied: Cents::ZERO, suspense: *amount });
        }
    }
    buggy.service.happen(now, platform, happening)
}
