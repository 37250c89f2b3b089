//! A neighbour: another platform that serves the same business and subscribes to its events, and then does nothing more.
//! What the case does is none of its affair, so whatever reaches it or changes for it shows.

use tideover_exchange::step::{Caller, Step};

use crate::generate::draw::Draw;
use crate::generate::names::{VENDORS, other_platform, tax_digits};
use crate::generate::{Walk, next_stage, requests as make};

/// Separates the draw of which cases have a neighbour from others of the seed.
const NEIGHBOUR: u64 = 0x6e62;

/// How many cases in a hundred have one.
const SHARE: usize = 20;

/// How many steps must be left for what it may notice.
const LEAST_ROOM: u64 = 10;

/// What the neighbour calls the business.
const NAME: &str = "beside";

/// How far a neighbour has come.
pub(super) struct Neighbour {
    is_due: bool,
    stage: usize,
}

impl Neighbour {
    pub(super) fn of(seed: u64, case: u64) -> Neighbour {
        Neighbour { is_due: Draw::new([seed, case, NEIGHBOUR]).percent(SHARE), stage: 0 }
    }
}

impl Walk {
    /// The next step of a neighbour, once there is a business that it can share.
    pub(super) fn toward_neighbour(&mut self) -> Option<Step> {
        if !self.neighbour.is_due || self.goal.has_two_platforms() || self.room() < LEAST_ROOM {
            return None;
        }
        let is_cleared = |vendor: &&str| {
            let known = self.peek_business(&Caller::Default, vendor);
            known.is_some_and(|known| known.onboarding.compliance)
        };
        let vendor = VENDORS.into_iter().find(is_cleared)?;
        if let Some(step) = self.toward_other_platform() {
            return Some(step);
        }
        let step = match next_stage(&mut self.neighbour.stage) {
            0 => {
                let tax_id = format!("{:09}", tax_digits(vendor));
                make::sync_business(NAME, "Beside Ltd", Some(&tax_id), None)
            }
            1 => make::subscribe("${inbox}/accepts/beside", None),
            _ => {
                self.neighbour.is_due = false;
                make::get_business(NAME)
            }
        };
        Some(step.by(&other_platform()))
    }
}
