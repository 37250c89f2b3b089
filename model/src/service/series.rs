//! Which names a service mints: other ones in each world of a seed, and after each reset.

use serde::{Deserialize, Serialize};

/// The number of a series of names. Of one seed, no name is in two of them.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(from = "Written", into = "Written")]
pub(super) struct Series {
    number: u32,
    /// The last one of this world: a reset that repeats the first one does not forget the others.
    last: u32,
}

/// The number alone where it is the last one.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Last(u32),
    Earlier { number: u32, last: u32 },
}

/// How many series each world has: one for each reset. Beyond that, its first ones come again.
const OF_A_WORLD: u32 = 1 << 14;

/// The bits of a number that count the names of a purpose in its series.
const NAMES: u32 = 32;

impl Series {
    /// The first series of a world. There are 2^18 worlds with series of their own; beyond that, they come again.
    pub(super) fn of_world(number: u32) -> Series {
        Series::from(Written::Last(number.wrapping_mul(OF_A_WORLD)))
    }

    /// Whether it is the first series of the first world.
    pub(super) fn is_the_first(&self) -> bool {
        *self == Series::default()
    }

    /// The first series of the same world.
    pub(super) fn first(self) -> Series {
        Series { number: self.number - self.number % OF_A_WORLD, ..self }
    }

    /// The series after a reset.
    pub(super) fn next(self) -> Series {
        Series::from(Written::Last(self.first().number + (self.last + 1) % OF_A_WORLD))
    }

    /// The number of a name, for a purpose of which so many were minted before.
    pub(super) fn name(self, minted: u64) -> u64 {
        (u64::from(self.number) << NAMES) + minted
    }
}

impl From<Written> for Series {
    fn from(written: Written) -> Series {
        let (number, last) = match written {
            Written::Last(last) => (last, last),
            Written::Earlier { number, last } => (number, last),
        };
        Series { number, last }
    }
}

impl From<Series> for Written {
    fn from(Series { number, last }: Series) -> Written {
        if number == last { Written::Last(last) } else { Written::Earlier { number, last } }
    }
}
