//! What a business needs, one requirement after another, and again.

use serde_json::json;
use tideover_exchange::step::Step;
use tideover_model::VendorRoute;

use crate::generate::names::{email_of, name_of, tax_digits};
use crate::generate::stories::{OTHER, VENDOR};
use crate::generate::{Walk, requests as make};

impl Walk {
    /// The vendor accepts, signs with `address` and has a bank account. Only the tax id is missing.
    pub(super) fn signs(&mut self, stage: usize, address: serde_json::Value) -> Option<Step> {
        let email = email_of(VENDOR);
        Some(match stage {
            0 => make::invite(VENDOR, &email),
            1 => make::accept_invitation(VENDOR, &email),
            2 => make::get_business(VENDOR),
            3 => make::sign_agreement(VENDOR, &address),
            4 => make::set_payout_account(VENDOR, "000123456", "021000021", None),
            _ => return None,
        })
    }

    pub(super) fn supply_tax_id_only(&mut self) -> Step {
        let digits = tax_digits(VENDOR).to_string();
        make::sync_business(VENDOR, &name_of(VENDOR), Some(&digits), None)
    }

    /// Three requirements are met, and the account is not open yet.
    pub(super) fn almost_onboarded(&mut self, stage: usize) -> Option<Step> {
        Some(match stage {
            0 => make::subscribe("${inbox}/accepts/almost", None),
            1 => self.supply_tax_id_only(),
            2..=6 => return self.signs(stage - 2, make::full_address()),
            7 | 10 | 12 | 14 | 16 | 18 => make::get_business(VENDOR),
            8 => self.sync_with(VENDOR, "a9", "ISSUED", 250_000),
            9 => make::request_advance(VENDOR, "a9"),
            11 => make::get_invoice(VENDOR, "a9"),
            13 => make::advance_clock(86_400),
            15 => make::set_payout_account(VENDOR, "000987654", "011401533", None),
            17 => self.sync_with(VENDOR, "a9", "ISSUED", 260_000),
            _ => return None,
        })
    }

    /// Four vendors: two have their address in the agreement, which is their last step or not, one in the contact, and one
    /// in an earlier contact that a later contact without an address replaces.
    pub(super) fn addresses(&mut self, stage: usize) -> Option<Step> {
        const STEPS: usize = 5;
        const VENDORS: [(&str, &str); 4] = [
            ("ad1", "150000001"),
            ("ad2", "150000002"),
            ("ad3", "150000003"),
            ("ad4", "150000004"),
        ];
        if let Some((business, digits)) = VENDORS.get(stage / STEPS) {
            let in_agreement = matches!(*business, "ad1" | "ad4");
            let contact = (!in_agreement).then(make::full_contact);
            let address = if in_agreement { make::full_address() } else { json!({}) };
            let email = email_of(business);
            return Some(match stage % STEPS {
                0 => make::sync_business(business, &name_of(business), Some(digits), contact),
                1 => make::invite(business, &email),
                2 => make::accept_invitation(business, &email),
                3 if *business == "ad3" => {
                    // The document shows no field of a contact: a service may know neither of them.
                    let unshown = format!("member{}", self.draw(0_u32..1000));
                    let contact = json!({ "email": email, (unshown): email });
                    make::sync_business(business, &name_of(business), None, Some(contact))
                }
                // The fourth signs first, and the others last.
                place if (place == 3) == (*business == "ad4") => {
                    make::sign_agreement(business, &address)
                }
                _ => make::set_payout_account(business, "000123456", "021000021", None),
            });
        }
        Some(match stage - STEPS * VENDORS.len() {
            0 => make::set_payout_account("ad3", "000123456", "021000021", None),
            read @ (1..=4 | 6..=9 | 11..=14) => make::get_business(VENDORS[(read - 1) % 5].0),
            // The first wait shows how long an account takes, and the second is many times as long.
            5 => make::advance_clock(make::LONG),
            10 => make::advance_clock(21 * make::LONG),
            _ => return None,
        })
    }

    /// The vendor confirms the tax id that the caller has sent.
    pub(super) fn confirmed(&mut self, stage: usize) -> Option<Step> {
        let email = email_of(VENDOR);
        Some(match stage {
            0 | 6 => self.supply_tax_id_only(),
            1 => make::invite(VENDOR, &email),
            2 => make::accept_invitation(VENDOR, &email),
            3 | 5 | 7 | 9 => make::get_business(VENDOR),
            4 => make::confirm_tax_id(VENDOR, VendorRoute::W9Upload, None),
            8 => make::confirm_tax_id(VENDOR, VendorRoute::VendorAssertion, None),
            _ => return None,
        })
    }
}

/// One payout account after another, and the same again.
pub(super) fn payout_accounts(stage: usize) -> Option<Step> {
    let set = |business: &str, account: &str| {
        make::set_payout_account(business, account, "021000021", None)
    };
    let (first, second) = ("000111222333", "000444555666");
    Some(match stage {
        0 => make::subscribe("${inbox}/accepts/payouts", None),
        1 | 2 => {
            let business = if stage == 1 { VENDOR } else { OTHER };
            make::sync_business(business, &name_of(business), None, None)
        }
        3 => set(OTHER, second),
        4..=7 => set(VENDOR, first),
        8..=11 => set(VENDOR, second),
        // The vendor tries to change the account that the caller has set.
        12 => make::invite(VENDOR, &email_of(VENDOR)),
        13 => make::accept_invitation(VENDOR, &email_of(VENDOR)),
        14 => make::add_bank_account(VENDOR, first),
        15 => set(VENDOR, second),
        16 => make::set_payout_account(VENDOR, second, "021000021", Some("Operating")),
        17 => set(VENDOR, first),
        18 => make::advance_clock(7200),
        19 => make::get_business(VENDOR),
        _ => return None,
    })
}

/// Invitations, one day after another, and links that are made again after their end.
pub(super) fn reissued(stage: usize) -> Option<Step> {
    let email = email_of(VENDOR);
    let accepts = || make::accept_invitation(VENDOR, &email);
    Some(match stage {
        0 => make::sync_business(VENDOR, &name_of(VENDOR), None, None),
        1 | 3 | 6 => make::invite(VENDOR, &email),
        2 => make::advance_clock(10 * 86_400),
        4 => make::advance_clock(25 * 86_400),
        5 | 7 => accepts(),
        8 | 10 | 12 => make::create_session(VENDOR),
        // Each session has its own end.
        9 => make::advance_clock(600),
        // Longer than a link of either kind works.
        11 | 15 | 17 => make::advance_clock(31 * 86_400),
        13 => make::sync_business(OTHER, &name_of(OTHER), None, None),
        14 | 16 => make::invite(OTHER, &email_of(OTHER)),
        18 => make::invite(OTHER, &email_of(VENDOR)),
        19 => make::get_business(OTHER),
        _ => return None,
    })
}

/// A tax id that a business cannot have.
pub(super) fn held_tax_ids(stage: usize) -> Option<Step> {
    let sync = |business: &str, digits: Option<&str>| {
        make::sync_business(business, &name_of(business), digits, None)
    };
    let (first, second) = ("140000001", "140000002");
    Some(match stage {
        0 => sync("h1", Some(first)),
        1 | 3 => sync("h1", Some(second)),
        2 | 4 | 8 => make::get_business("h1"),
        5 => sync("h2", Some(second)),
        6 => make::get_business("h2"),
        7 => sync("h1", None),
        9 => sync("h3", None),
        10 => sync("h3", Some(first)),
        11 | 13 => make::get_business("h3"),
        12 => sync("h3", Some("140000003")),
        14 => sync("h3", Some("14-0000003")),
        _ => return None,
    })
}
