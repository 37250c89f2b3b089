//! How often a finding was reproduced.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How often the steps of a finding showed it again when they were played again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Reproduced {
    /// The number of plays that showed it.
    pub times: u64,
    /// The number of plays.
    pub plays: u64,
}

/// Whether a finding can be reproduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Stability {
    /// Each play of its steps shows it.
    Stable,
    /// Some plays show it: it depends on chance or time.
    Intermittent,
    /// It was seen once. No later play showed it, or there was none.
    Once,
}

impl Reproduced {
    /// Counts a play.
    pub fn count(&mut self, is_shown: bool) {
        self.times += u64::from(is_shown);
        self.plays += 1;
    }

    /// Whether the finding can be reproduced.
    pub fn stability(self) -> Stability {
        match self.times {
            0 => Stability::Once,
            times if times == self.plays => Stability::Stable,
            _ => Stability::Intermittent,
        }
    }
}

impl fmt::Display for Reproduced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Reproduced { times, plays } = self;
        let words = match self.stability() {
            Stability::Stable => "stable",
            Stability::Intermittent => "intermittent",
            Stability::Once if *plays == 0 => return f.write_str("seen once, not played again"),
            Stability::Once => "seen once",
        };
        write!(f, "{words}, reproduced {times} of {plays}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_whether_a_finding_comes_again() {
        let words = |times, plays| Reproduced { times, plays }.to_string();
        assert_eq!(words(0, 0), "seen once, not played again");
        assert_eq!(words(0, 3), "seen once, reproduced 0 of 3");
        assert_eq!(words(2, 3), "intermittent, reproduced 2 of 3");
        assert_eq!(words(3, 3), "stable, reproduced 3 of 3");
    }
}
