//! Which names a service mints: other ones in each world of a seed, and after each reset.

use serde::{Deserialize, Serialize};

/// The number of a series of names. Of one seed, no name is in two of them.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub(super) struct Series(u32);

/// How many series each world has: one for each reset. Beyond that, its first ones come again.
const OF_A_WORLD: u32 = 1 << 14;

/// The bits of a number that count the names of a purpose in its series.
const NAMES: u32 = 32;

impl Series {
    /// The first series of a world. There are 2^18 worlds with series of their own; beyond that, they come again.
    pub(super) fn of_world(number: u32) -> Series {
        Series(number.wrapping_mul(OF_A_WORLD))
    }

    /// Whether it is the first series of the first world.
    pub(super) fn is_the_first(&self) -> bool {
        *self == Series::default()
    }

    /// The first series of the same world.
    pub(super) fn first(self) -> Series {
        Series(self.0 - self.0 % OF_A_WORLD)
    }

    /// The series after a reset.
    pub(super) fn next(self) -> Series {
        Series(self.first().0 + (self.0 + 1) % OF_A_WORLD)
    }

    /// The number of a name, for a purpose of which so many were minted before.
    pub(super) fn name(self, minted: u64) -> u64 {
        (u64::from(self.0) << NAMES) + minted
    }
}
