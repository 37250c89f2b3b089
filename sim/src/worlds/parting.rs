//! Where two worlds part.

use crate::history::{NamedEntry, Parting, Way, parting};
use crate::world::World;
use crate::worlds::{WorldId, Worlds};

/// Where two worlds part: an entry of a world each.
#[derive(Debug, Default)]
pub(crate) struct Parted {
    /// The last entry that both have.
    pub(crate) last_common: Option<(WorldId, NamedEntry)>,
    /// The first entry after it in the one world.
    pub(crate) here: Option<(WorldId, NamedEntry)>,
    /// The first entry after it in the other.
    pub(crate) there: Option<(WorldId, NamedEntry)>,
}

impl Worlds {
    /// Where two worlds part; `None` if they share nothing.
    pub(crate) fn parting(
        &self,
        one: (WorldId, &World),
        other: (WorldId, &World),
    ) -> Option<Parted> {
        let lines = [one.1.line(), other.1.line()];
        let Parting { are_one, last, ways } = parting((one.0, &lines[0]), (other.0, &lines[1]))?;
        let own = are_one.then(|| one.1.last_entry()).flatten().map(|named| (one.0, named));
        let [here, there] = ways.map(|ways| self.first_of(&ways));
        Some(Parted { last_common: own.or(last), here, there })
    }

    /// The first entry on the way. A world that is gone had one; it is not known any more.
    fn first_of(&self, ways: &[Way]) -> Option<(WorldId, NamedEntry)> {
        let way = ways.iter().find(|way| way.has_an_entry())?;
        let world = self.named(way.world).ok()?.world;
        Some((way.world, world.first_entry(way.from)?))
    }
}
