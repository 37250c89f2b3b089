//! Relations that hold whatever choices a service makes. A derived value depends only on its sources. Events
//! report every state that a read shows. What was refused for lack of room is not granted later.

mod accounts;
mod answers;
mod deliveries;
mod events;
mod ledger;
mod limit;
mod names;
mod steady;

use crate::checks::Check;

/// All relations. Three of them apply only if no one else moves the outside world.
pub(super) fn all(is_ours: bool) -> Vec<Box<dyn Check>> {
    let mut checks: Vec<Box<dyn Check>> = vec![
        Box::new(answers::DerivedValues::default()),
        Box::new(names()),
        Box::new(retries()),
        Box::new(events(is_ours)),
    ];
    if is_ours {
        checks.push(Box::new(limit::OneLimit::default()));
        checks.push(Box::new(steady::Steady::default()));
        checks.push(Box::new(accounts::AccountOpenings::default()));
    }
    checks
}

/// A sync replaces the name of a business.
pub(super) fn names() -> impl Check {
    names::Names::default()
}

/// Every unaccepted delivery is retried.
pub(super) fn retries() -> impl Check {
    deliveries::Retries::default()
}

/// Every event comes, and agrees with reads.
pub(super) fn events(is_ours: bool) -> impl Check {
    events::Events::of(is_ours)
}
