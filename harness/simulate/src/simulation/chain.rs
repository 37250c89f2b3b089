//! The hash of a run: a chain over every input, answer and event, with their times.

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::simulation::queue::Moment;

/// The hash of a run. `Display` writes 16 hex digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct RunHash(u64);

impl fmt::Display for RunHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl RunHash {
    /// The hash of no run.
    pub(crate) const NONE: RunHash = RunHash(0);

    /// Combines two hashes. A sum does not depend on the order, so threads and shards may finish in any.
    #[must_use]
    pub(crate) fn and(self, other: RunHash) -> RunHash {
        RunHash(self.0.wrapping_add(other.0))
    }

    /// Mixes the seed in, so that two runs that swap their hashes change the sum.
    #[must_use]
    pub(crate) fn of_seed(self, seed: u64) -> RunHash {
        RunHash((self.0 ^ seed).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }
}

impl From<RunHash> for String {
    fn from(hash: RunHash) -> String {
        hash.to_string()
    }
}

impl TryFrom<String> for RunHash {
    type Error = String;

    fn try_from(text: String) -> Result<RunHash, String> {
        let wanted = || format!("{text:?} is not a hash of 16 hex digits");
        u64::from_str_radix(&text, 16).map(RunHash).map_err(|_| wanted())
    }
}

/// Bytes are hashed in blocks of this size: many small updates are slower.
const BLOCK: usize = 8192;

/// The chain while a run goes on.
#[derive(Default)]
pub(crate) struct Chain {
    hash: Sha256,
    waiting: Vec<u8>,
}

impl Chain {
    /// Adds what happened at a time. The length of each part is hashed too: `ab`, `c` is not `a`, `bc`.
    pub(crate) fn add(&mut self, at: Moment, parts: &[&[u8]]) {
        self.waiting.extend_from_slice(&at.to_le_bytes());
        for part in parts {
            self.waiting.extend_from_slice(&(part.len() as u64).to_le_bytes());
            self.waiting.extend_from_slice(part);
        }
        if self.waiting.len() >= BLOCK {
            self.hash.update(&self.waiting);
            self.waiting.clear();
        }
    }

    pub(crate) fn finish(mut self) -> RunHash {
        self.hash.update(&self.waiting);
        let digest = self.hash.finalize();
        let first = digest.iter().take(8);
        RunHash(first.fold(0, |hash, byte| (hash << 8) | u64::from(*byte)))
    }
}
