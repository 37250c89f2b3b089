//! Relations that hold whatever a service is free to choose: what is derived is a function of what it derives from,
//! what was seen of a state is also told by events, and what was refused for want of room is not granted after.

mod accounts;
mod answers;
mod deliveries;
mod events;
mod ledger;
mod limit;
mod steady;

use crate::judge::checks::Check;

/// All of them; those of the limit and of what stays as it is only where nobody else moves the world outside.
pub(super) fn all(is_ours: bool) -> Vec<Box<dyn Check>> {
    let mut checks: Vec<Box<dyn Check>> = vec![
        Box::new(answers::Answers::default()),
        Box::new(deliveries::Deliveries::default()),
        Box::new(events::Events::default()),
    ];
    if is_ours {
        checks.push(Box::new(limit::OneLimit::default()));
        checks.push(Box::new(steady::Steady::default()));
        checks.push(Box::new(accounts::Accounts::default()));
    }
    checks
}
