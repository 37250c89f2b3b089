//! What a seed draws.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// The draws of a seed.
pub(super) struct Draw(ChaCha8Rng);

impl Draw {
    pub(super) fn of_seed(seed: u64) -> Draw {
        Draw(ChaCha8Rng::seed_from_u64(seed))
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// From nothing up to a number, without it.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// Between two numbers, both among them.
    pub(super) fn among(&mut self, least: u64, most: u64) -> u64 {
        least + self.below(most - least + 1)
    }
}

/// Whether so many percent of all occasions are drawn, and this one is among them.
pub(super) fn happens(salt: u64, occasion: u64, percent: u64) -> bool {
    Draw::of_seed(salt ^ occasion.rotate_left(32)).below(100) < percent
}
