//! The steps of a case that a sandbox can play.

use crate::exchange::Race;
use crate::exchange::step::Step;
use crate::live::means::Means;
use crate::live::session::Session;

impl Session {
    /// The steps that the target can play.
    pub(super) fn offered(&self, steps: Vec<Step>) -> Vec<Step> {
        self.means().offered(steps)
    }

    /// The race, with only the steps that the target can play.
    pub(super) fn offered_in(&self, race: Race) -> Race {
        self.means().offered_in(race)
    }

    fn means(&self) -> Means<impl Fn(&str) -> bool> {
        Means {
            acts: |name: &str| self.acts(name),
            moves_clock: self.abilities().moves_clock,
            has_second_key: self.settings.second_key.is_some(),
            has_inbox: self.inbox_url.is_some(),
        }
    }

    fn acts(&self, name: &str) -> bool {
        self.operator_is_there() && !self.state().is_unknown(name) && self.abilities().lists(name)
    }
}
