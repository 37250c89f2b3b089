//! Relations that hold whatever choices a service makes. A derived value depends only on its sources. Events
//! report every state that a read shows. What was refused for lack of room is not granted later.

mod accounts;
mod answers;
mod behind;
pub(super) mod deliveries;
pub(super) mod events;
mod ledger;
mod limit;
pub(super) mod names;
pub(super) mod quoted;
mod room;
pub(super) mod shared_paths;
mod steady;
mod still_owed;

use crate::checks::Check;

/// How long a delivery is retried (§6 Delivery rule 1). Seconds.
const RETRY_WINDOW: u64 = 28 * 3600;

/// Deliveries may still be in flight after the clock was moved. This many further responses come first.
const SETTLED: u32 = 3;

/// All relations. Six of them apply only if no one else moves the outside world.
pub(super) fn all(is_ours: bool) -> Vec<Box<dyn Check>> {
    let mut checks: Vec<Box<dyn Check>> = vec![
        Box::new(answers::DerivedValues::default()),
        Box::new(names::Names::default()),
        Box::new(deliveries::Retries::default()),
        Box::new(events::Events::of(is_ours)),
    ];
    if is_ours {
        checks.push(Box::new(limit::OneLimit::default()));
        checks.push(Box::new(room::FormerRoom::default()));
        checks.push(Box::new(still_owed::StillOwed::default()));
        checks.push(Box::new(steady::Steady::default()));
        checks.push(Box::new(quoted::QuotedBetween::default()));
        checks.push(Box::new(accounts::AccountOpenings::default()));
    }
    checks
}
