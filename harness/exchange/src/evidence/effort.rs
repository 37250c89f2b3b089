//! What a run took, and what it reached with it.

use crate::evidence::spent::TimeSpent;

/// What a run against a live target took, and what it reached with it.
#[derive(Clone, Debug, Default)]
pub struct Effort {
    pub spent: TimeSpent,
    /// How the clauses were met in its course.
    pub reached: Vec<Reached>,
    /// How many cases were played at once at most.
    pub workers: usize,
}

/// How many clauses a run had met by some time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reached {
    pub requests: u64,
    /// How long the run had taken. Milliseconds.
    pub milliseconds: u64,
    pub clauses: usize,
}
