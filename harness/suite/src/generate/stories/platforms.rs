//! Two platforms, with one business or with the same names.

use tideover_exchange::step::Step;

use crate::generate::names::{email_of, other_platform, tax_digits};
use crate::generate::stories::VENDOR;
use crate::generate::{Walk, filling, requests as make};

impl Walk {
    /// A platform tries to reach objects of another platform.
    pub(super) fn other_platform_story(&mut self, stage: usize) -> Option<Step> {
        let theirs = other_platform();
        let step = match stage {
            0 => return Some(self.supply_tax_id(VENDOR)),
            1 => return Some(make::subscribe("${inbox}/accepts/theirs", None).named("theirs")),
            2 => return Some(self.sync_issued(VENDOR, "s9")),
            3 => return Some(make::import("s9", filling::rows(VENDOR))),
            4 => make::get_business(VENDOR),
            5 => make::get_invoice(VENDOR, "s9"),
            6 => make::get_import("s9"),
            7 => make::list_subscriptions(),
            8 => make::unsubscribe("${theirs.reference}"),
            9 => make::request_advance(VENDOR, "s9"),
            10 => make::quote(VENDOR, 1000),
            11 => make::invite(VENDOR, &email_of(VENDOR)),
            12 => make::create_session(VENDOR),
            13 => make::set_payout_account(VENDOR, "000123456", "021000021", None),
            14 => return Some(make::list_subscriptions()),
            15 => make::sync_business(VENDOR, "Another business", None, None),
            16 => self.sync_with(VENDOR, "s9", "ISSUED", 77_700),
            17 => return Some(make::get_invoice(VENDOR, "s9")),
            18 => return Some(make::get_business(VENDOR)),
            19 => make::get_invoice(VENDOR, "s9"),
            _ => return None,
        };
        Some(step.by(&theirs))
    }

    /// The events that another platform gets about a shared business.
    pub(super) fn shared_events(&mut self, stage: usize) -> Option<Step> {
        let theirs = other_platform();
        let digits = tax_digits(VENDOR).to_string();
        let spelled = format!("{}-{}", &digits[..2], &digits[2..]);
        Some(match stage {
            0 => make::sync_business(VENDOR, "V", Some(&digits), Some(make::full_contact())),
            1 => make::sync_business("w1", "W One", Some(&spelled), None).by(&theirs),
            2 => make::subscribe("${inbox}/accepts/w", None).by(&theirs),
            3 | 11 => make::get_business("w1").by(&theirs),
            4 => self.sync_issued(VENDOR, "e9"),
            5 => make::import("e9", filling::rows(VENDOR)),
            6 => make::set_payout_account(VENDOR, "000123456", "021000021", None),
            7 => make::advance_clock(60),
            // What one platform synced of the business is not there for the other.
            8 | 10 => make::get_invoice("w1", "e9").by(&theirs),
            9 => self.sync_issued("w1", "e9").by(&theirs),
            12 => make::get_invoice(VENDOR, "e9"),
            _ => return None,
        })
    }
}
