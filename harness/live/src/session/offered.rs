//! What the target offers.

use tideover_model::ActionKind;

use crate::facilities::Facilities;
use crate::session::Session;

impl Session {
    pub(crate) fn facilities(&self) -> Facilities<impl Fn(ActionKind) -> bool> {
        Facilities {
            acts: |kind| self.acts(kind),
            moves_clock: self.abilities().moves_clock,
            has_second_key: self.settings.second_key.is_some(),
            has_inbox: self.inbox_url.is_some(),
        }
    }

    fn acts(&self, kind: ActionKind) -> bool {
        self.operator.is_some() && !self.state().is_unknown(kind) && self.abilities().lists(kind)
    }
}
