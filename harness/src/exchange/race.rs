//! Concurrent requests.

use crate::exchange::step::Step;

/// Steps, some of which run concurrently.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Race {
    /// Sequential steps before the concurrent ones.
    pub before: Vec<Step>,
    /// The steps of each client: sequential for one client, concurrent between clients.
    pub clients: Vec<Vec<Step>>,
    /// Sequential steps after all responses: these reads show which requests took effect.
    pub after: Vec<Step>,
}
