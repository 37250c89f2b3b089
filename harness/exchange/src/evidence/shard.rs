//! A part of a campaign that several machines share.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A part of a campaign.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub struct Shard {
    /// Which part, from 0.
    pub index: u64,
    /// Of how many.
    pub of: u64,
}

impl Shard {
    /// The whole campaign.
    pub const WHOLE: Shard = Shard { index: 0, of: 1 };
    /// The most parts of a campaign.
    pub const MOST: u64 = 1_000_000;

    /// Whether it is a part of a campaign that has at most [`Shard::MOST`].
    pub fn is_possible(self) -> bool {
        self.of <= Shard::MOST && self.index < self.of
    }

    /// Its share of `all` cases: the number of those before it, and its own. The shares follow one another, and their
    /// sizes differ by one at most.
    pub fn share(self, all: u64) -> (u64, u64) {
        let bound = |index: u64| {
            let cut = u128::from(all) * u128::from(index) / u128::from(self.of.max(1));
            u64::try_from(cut).unwrap_or(all)
        };
        let before = bound(self.index);
        (before, bound(self.index + 1) - before)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

/// A text that names no part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected K/N, K from 0 to N-1, such as 0/4, and N at most {}", Shard::MOST)]
pub struct NoShard;

/// Reads `K/N`.
impl FromStr for Shard {
    type Err = NoShard;

    fn from_str(text: &str) -> Result<Shard, NoShard> {
        let (index, of) = text.split_once('/').ok_or(NoShard)?;
        let number = |text: &str| text.parse().map_err(|_| NoShard);
        let shard = Shard { index: number(index)?, of: number(of)? };
        if shard.is_possible() { Ok(shard) } else { Err(NoShard) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_cover_everything_once() {
        for (all, of) in [(400, 1), (400, 3), (2, 5), (0, 4), (u64::MAX, 7)] {
            let mut next = 0;
            for index in 0..of {
                let (before, own) = Shard { index, of }.share(all);
                assert_eq!(before, next, "{index}/{of} of {all}");
                next += own;
            }
            assert_eq!(next, all);
        }
    }
}
