//! What a set-up offers, and the steps of a case that can be played with it.

use serde_json::{Map, json};
use tideover_exchange::Race;
use tideover_exchange::step::{Action, Caller, Step};
use tideover_model::wire::field::Fields;
use tideover_model::{ActionKind, OperationKind};

/// The name of the step that creates the second platform. Later steps refer to its response by this name.
pub const OTHER: &str = "other";

/// What a set-up offers.
pub struct Facilities<A> {
    /// Whether the operator port offers an action.
    pub acts: A,
    pub moves_clock: bool,
    /// Whether the key of a second platform is known.
    pub has_second_key: bool,
    /// Whether the harness receives webhooks.
    pub has_inbox: bool,
}

impl<A: Fn(ActionKind) -> bool> Facilities<A> {
    /// The steps that can be played.
    pub fn offered(&self, steps: Vec<Step>) -> Vec<Step> {
        let mut offered: Vec<Step> = steps.into_iter().filter(|step| self.offers(step)).collect();
        if !self.has_inbox {
            leave_waiting_out(&mut offered);
        }
        offered
    }

    pub fn offered_in(&self, race: Race) -> Race {
        Race {
            before: self.offered(race.before),
            clients: race.clients.into_iter().map(|steps| self.offered(steps)).collect(),
            after: self.offered(race.after),
        }
    }

    fn offers(&self, step: &Step) -> bool {
        let is_known = match &step.action {
            Action::Call(_) => true,
            Action::Advance(_) => self.moves_clock,
            // Only Tideover's mock lists deliveries.
            Action::Deliveries => false,
            Action::Act(_) if is_second_platform(step) && self.has_second_key => false,
            Action::Act(fields) => ActionKind::of(fields).is_some_and(&self.acts),
        };
        is_known && self.has_key_of(&step.caller)
    }

    /// Whether the caller's key is known or can be issued.
    fn has_key_of(&self, caller: &Caller) -> bool {
        match caller {
            Caller::Key(key) if key.starts_with("${other.") => {
                self.has_second_key || (self.acts)(ActionKind::IssueKey)
            }
            Caller::Key(_) => (self.acts)(ActionKind::IssueKey),
            Caller::Default | Caller::Header(_) | Caller::Nobody => true,
        }
    }
}

/// The step that gives a second platform its key.
pub fn second_platform() -> Step {
    let fields = Map::from_iter([("platform".to_owned(), json!(OTHER))]);
    Step::new(Action::Act(ActionKind::IssueKey.with(fields))).named(OTHER)
}

fn is_second_platform(step: &Step) -> bool {
    step.name.as_deref() == Some(OTHER)
}

/// Removes steps that would wait for webhooks. Without an inbox, nobody receives webhooks, and a move of the
/// clock waits for each attempt. So the clock stands after a subscription, and only steps about subscriptions
/// subscribe.
fn leave_waiting_out(steps: &mut Vec<Step>) {
    let mut is_subscribed = false;
    steps.retain(|step| match &step.action {
        Action::Call(call) if call.kind() == Some(OperationKind::Subscribe) => {
            let url = call.body.as_ref().and_then(|body| Fields::of(body).url());
            let is_opening = url == Some("${inbox}/accepts");
            is_subscribed |= !is_opening;
            !is_opening
        }
        Action::Advance(_) => !is_subscribed,
        Action::Call(_) | Action::Act(_) | Action::Deliveries => true,
    });
}
