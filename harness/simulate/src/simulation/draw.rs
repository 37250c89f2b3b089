//! Random numbers from a seed.
//!
//! Each question has its own generator, keyed by purpose, subject and number. So a plan that leaves out a
//! business or a fault changes no other answer, and a failure can be shrunk.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A source of random numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source {
    seed: u64,
}

/// The random numbers of one question.
pub(crate) struct Draw(ChaCha8Rng);

impl Source {
    pub(crate) fn new(seed: u64) -> Source {
        Source { seed }
    }

    /// The random numbers for a purpose, a subject and a number.
    pub(crate) fn draw(self, purpose: &str, subject: &str, number: u64) -> Draw {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&self.seed.to_le_bytes());
        key[8..16].copy_from_slice(&fold(purpose).to_le_bytes());
        key[16..24].copy_from_slice(&fold(subject).to_le_bytes());
        key[24..].copy_from_slice(&number.to_le_bytes());
        Draw(ChaCha8Rng::from_seed(key))
    }
}

/// FNV-1a: the same on every machine.
fn fold(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

impl Draw {
    /// A number from `least` to `most`, both included.
    pub(crate) fn between(&mut self, least: u64, most: u64) -> u64 {
        let span = u128::from(most.saturating_sub(least)) + 1;
        let scaled = (u128::from(self.0.next_u64()) * span) >> 64;
        least + u64::try_from(scaled).unwrap_or(0)
    }

    /// True in this percentage of all cases.
    pub(crate) fn percent(&mut self, percent: u64) -> bool {
        self.between(0, 99) < percent
    }

    /// One of these values.
    pub(crate) fn one_of<T: Copy>(&mut self, values: &[T]) -> T {
        let last = values.len().saturating_sub(1) as u64;
        values[usize::try_from(self.between(0, last)).unwrap_or(0)]
    }
}
