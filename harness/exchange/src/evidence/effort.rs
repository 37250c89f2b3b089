//! What a run took, and what it reached with it.

use crate::evidence::spent::TimeSpent;

/// What a run against a live target took, and what it reached with it.
#[derive(Clone, Debug, Default)]
pub struct Effort {
    /// Where the time went.
    pub spent: TimeSpent,
    /// How the clauses were met in its course.
    pub reached: Vec<Reached>,
    /// How many cases were played at once at most.
    pub workers: usize,
}

/// How many clauses a run had met by some time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reached {
    /// The requests that were sent until then.
    pub requests: u64,
    /// How long the run had taken. Milliseconds.
    pub milliseconds: u64,
    /// The clauses that it had met.
    pub clauses: usize,
}
