//! Requests that are sent at once.

use crate::exchange::step::Step;

/// Steps, some of which are sent at once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Race {
    /// One after the other, first.
    pub before: Vec<Step>,
    /// Those of each client one after the other, all clients at once.
    pub clients: Vec<Vec<Step>>,
    /// One after the other, once all were answered: what is read decides what was carried out.
    pub after: Vec<Step>,
}
