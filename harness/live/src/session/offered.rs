//! The steps of a case that the target offers.

use tideover_exchange::Race;
use tideover_exchange::step::Step;
use tideover_model::ActionKind;

use crate::means::Means;
use crate::session::Session;

impl Session {
    /// The steps that the target can play.
    pub(crate) fn offered(&self, steps: Vec<Step>) -> Vec<Step> {
        self.means().offered(steps)
    }

    /// The race, with only the steps that the target can play.
    pub(crate) fn offered_in(&self, race: Race) -> Race {
        self.means().offered_in(race)
    }

    fn means(&self) -> Means<impl Fn(ActionKind) -> bool> {
        Means {
            acts: |kind| self.acts(kind),
            moves_clock: self.abilities().moves_clock,
            has_second_key: self.settings.second_key.is_some(),
            has_inbox: self.inbox_url.is_some(),
        }
    }

    fn acts(&self, kind: ActionKind) -> bool {
        self.operator_is_there() && !self.state().is_unknown(kind) && self.abilities().lists(kind)
    }
}
