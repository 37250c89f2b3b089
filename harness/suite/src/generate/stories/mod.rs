//! Goals with fixed steps: each leads to clauses that chance seldom meets.

mod invoices;
mod limits;
mod onboarding;
mod platforms;
mod webhooks;

use tideover_exchange::step::{Caller, Step};

use crate::generate::names::VENDORS;
use crate::generate::{Walk, next_stage};

/// A story: its steps, and what must be there before them.
pub(super) struct Story {
    /// The vendors that are onboarded, each before which stage.
    onboarded: &'static [(usize, &'static str)],
    /// Whether a second platform gets a key first.
    pub(super) has_other_platform: bool,
    /// The step of a stage.
    step: fn(&mut Walk, usize) -> Option<Step>,
}

impl Story {
    const fn new(step: fn(&mut Walk, usize) -> Option<Step>) -> Story {
        Story { onboarded: &[], has_other_platform: false, step }
    }

    const fn onboarded(step: fn(&mut Walk, usize) -> Option<Step>) -> Story {
        Story { onboarded: &[(0, VENDOR)], ..Story::new(step) }
    }

    const fn of_two_platforms(step: fn(&mut Walk, usize) -> Option<Step>) -> Story {
        Story { has_other_platform: true, ..Story::new(step) }
    }
}

/// All stories, in the order in which cases begin with them.
pub(super) static STORIES: [Story; 27] = [
    Story { onboarded: &[(0, VENDOR), (6, OTHER)], ..Story::new(Walk::limit_of_another) },
    Story { onboarded: &[(0, VENDOR), (TWIN, OTHER)], ..Story::new(Walk::one_number) },
    Story { onboarded: &[(2, VENDOR)], ..Story::new(Walk::watched) },
    Story::onboarded(Walk::last_cents),
    Story::onboarded(Walk::lost_compliance),
    Story::new(Walk::almost_onboarded),
    Story::onboarded(Walk::unspent),
    Story::new(|_, stage| onboarding::payout_accounts(stage)),
    Story::onboarded(Walk::after_repayment),
    Story::new(Walk::unaccepted),
    Story::onboarded(Walk::withdrawn),
    Story::new(|_, stage| webhooks::gone(stage)),
    Story::new(Walk::addresses),
    Story::of_two_platforms(Walk::other_platform_story),
    Story::of_two_platforms(Walk::shared_events),
    Story::new(|_, stage| onboarding::reissued(stage)),
    Story::new(|_, stage| onboarding::held_tax_ids(stage)),
    Story::onboarded(Walk::self_dealing),
    Story::new(|_, stage| webhooks::hanging(stage)),
    Story::new(|_, stage| invoices::dates(stage)),
    Story::new(Walk::confirmed),
    Story::new(|_, stage| invoices::nameless(stage)),
    Story::new(|_, stage| webhooks::many_subscriptions(stage)),
    Story::onboarded(Walk::released),
    Story { onboarded: &[(1, VENDOR), (1, OTHER)], ..Story::new(Walk::both_watched) },
    Story::onboarded(Walk::still_owed),
    Story::onboarded(Walk::never_early),
];

const VENDOR: &str = VENDORS[0];
const OTHER: &str = VENDORS[1];

/// When the second of two invoices of one identifier gets its advance.
const TWIN: usize = 6;

impl Walk {
    /// The step at `stage`. What must be there comes first.
    pub(super) fn toward_end_of(&mut self, story: &Story, stage: &mut usize) -> Option<Step> {
        for (_, vendor) in story.onboarded.iter().filter(|(at, _)| at == stage) {
            if let Some(step) = self.toward_onboarding(&Caller::Default, vendor) {
                return Some(step);
            }
        }
        if story.has_other_platform
            && let Some(step) = self.toward_other_platform()
        {
            return Some(step);
        }
        (story.step)(self, next_stage(stage))
    }
}
