//! Restarts that lose something.

use tideover_model::{Answer, Face, Operation, PlatformId, Timestamp};

use crate::simulation::bugs::buggy::Buggy;

/// Every so many requests.
const SNAPSHOT_EVERY: u64 = 40;

pub(super) fn keeps_a_snapshot(
    buggy: &mut Buggy,
    now: Timestamp,
    caller: PlatformId,
    operation: Operation,
) -> Answer {
    if buggy.memory.requests % SNAPSHOT_EVERY == 1 {
        buggy.memory.earlier = Some(Box::new(buggy.service.clone()));
    }
    buggy.service.handle(now, caller, operation)
}

pub(super) fn restores_the_snapshot(buggy: &mut Buggy, now: Timestamp) {
    if let Some(earlier) = buggy.memory.earlier.take() {
        buggy.service = *earlier;
    }
    buggy.service.handle_timeout(now);
    buggy.service.handle_restart(now);
}

pub(super) fn forgets_retries(buggy: &mut Buggy, now: Timestamp) {
    let pending = buggy.service.pending_deliveries();
    buggy.memory.forgotten.extend(pending.iter().map(|(delivery, _)| delivery.number));
    buggy.service.handle_restart(now);
}
