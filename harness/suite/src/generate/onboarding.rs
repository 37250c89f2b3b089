//! Toward an onboarded business: the four requirements, tax ids, links, a business that two platforms share.

use proptest::bool::weighted;
use serde_json::json;
use tideover_exchange::step::{Caller, Step};
use tideover_model::wire::reply::Onboarding;
use tideover_model::{ActionKind, OperationKind, VendorRoute};

use crate::generate::names::{UNKNOWN, VENDORS, email_of, name_of, other_platform, tax_digits};
use crate::generate::{Walk, caller_name, classes, next_stage, requests as make, values};

/// What must be there before the collection account opens, in any order (§3 Onboarding).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Requirement {
    Compliance,
    Bank,
    Contract,
}

impl Requirement {
    pub(super) const ALL: [Requirement; 3] =
        [Requirement::Compliance, Requirement::Bank, Requirement::Contract];
}

impl Walk {
    /// A step toward the first missing requirement, in the order of the case.
    pub(super) fn toward_onboarding(&mut self, caller: &Caller, business: &str) -> Option<Step> {
        let known = self.peek_business(caller, business).map(|known| known.onboarding);
        let met = |requirement: fn(&Onboarding) -> bool| known.as_ref().is_some_and(requirement);
        let is_missing = |requirement: &Requirement| {
            !met(match requirement {
                Requirement::Compliance => |known| known.compliance,
                Requirement::Bank => |known| known.bank,
                Requirement::Contract => |known| known.contract,
            })
        };
        let missing: Vec<Requirement> = self.order.into_iter().filter(is_missing).collect();
        if known.is_none() && missing[0] != Requirement::Compliance {
            let name = name_of(business);
            return Some(make::sync_business(business, &name, None, None).by(caller));
        }
        let step = match missing.first() {
            Some(Requirement::Compliance) => self.supply_tax_id(business),
            Some(Requirement::Bank) => self.supply_bank(business),
            Some(Requirement::Contract) => return Some(self.toward_contract(caller, business)),
            None if met(|known| known.collection_account) => return None,
            None => self.toward_open_account(caller, business),
        };
        Some(step.by(caller))
    }

    pub(super) fn supply_tax_id(&mut self, business: &str) -> Step {
        let tax_id = self.draw(values::spelled_tax_id(tax_digits(business)));
        let contact = self.draw(weighted(0.7)).then(make::full_contact);
        make::sync_business(business, &name_of(business), Some(&tax_id), contact)
    }

    pub(super) fn supply_bank(&mut self, business: &str) -> Step {
        let account = self.draw(values::account_number());
        let routing = classes::routing_number(&mut self.source);
        let label = self.draw(weighted(0.3)).then_some("Operating");
        make::set_payout_account(business, &account, &routing, label)
    }

    pub(super) fn toward_contract(&mut self, caller: &Caller, business: &str) -> Step {
        let email = email_of(business);
        let claimed = self.claimed.contains(&(caller_name(caller), business.to_owned()));
        let step = if claimed {
            // The fields of a contact are not shown: only the agreement's address reaches every service.
            let address = if self.draw(weighted(0.9)) { make::full_address() } else { json!({}) };
            make::sign_agreement(business, &address)
        } else if self.last_was_invitation(business) {
            make::accept_invitation(business, &email)
        } else {
            make::invite(business, &email)
        };
        step.by(caller)
    }

    pub(super) fn last_was_invitation(&self, business: &str) -> bool {
        let invitation = make::invite(business, &email_of(business));
        self.steps.iter().rev().take(4).any(|step| step.action == invitation.action)
    }

    pub(super) fn toward_open_account(&mut self, caller: &Caller, business: &str) -> Step {
        let place = (caller_name(caller), OperationKind::SyncBusiness.path_of(&[business]));
        if !self.addressed.contains(&place) {
            let contact = Some(make::full_contact());
            return make::sync_business(business, &name_of(business), None, contact);
        }
        // While only the account is missing, nothing can be financed yet.
        let quote = make::quote(business, 10_000).by(caller);
        let last = self.steps.iter().rposition(|step| step.action == quote.action);
        match last.map(|last| self.steps.len() - last) {
            None => return quote,
            Some(1) => return make::get_business(business),
            // Only the vendor makes these routes, which too few businesses would show otherwise.
            Some(2) if self.draw(weighted(0.5)) => {
                let route = self.pick(&VendorRoute::ALL);
                return make::confirm_tax_id(business, route, None);
            }
            Some(_) => {}
        }
        match self.draw(0_u32..10) {
            0 | 1 => make::act_on(ActionKind::CollectionAccountOpens, business),
            2 => make::advance_clock(self.draw(proptest::sample::select(vec![60_u64, 150, 300]))),
            // What follows needs the account, and a service may take longer than the model.
            _ => make::advance_clock(make::LONG),
        }
    }

    pub(super) fn toward_tax_ids(&mut self, stage: usize) -> Option<Step> {
        let name = name_of("t1");
        let own = self.draw(values::spelled_tax_id(130_000_001));
        let bad = values::bad_tax_id(&mut self.source);
        Some(match stage {
            0 | 1 => make::sync_business("t1", &name, Some(&bad), None),
            2 => make::sync_business(
                "t2",
                "T2",
                Some(&self.draw(values::spelled_tax_id(130_000_002))),
                None,
            ),
            3 => make::sync_business("t1", &name, Some("13-0000002"), None),
            4 | 5 => make::sync_business("t1", &name, Some(&own), None),
            6 | 9 => make::sync_business("t1", &name, Some("13-0000003"), None),
            7 | 10 => make::get_business("t1"),
            8 => make::act_on(ActionKind::TaxIdFoundWrong, "t1"),
            _ => return None,
        })
    }

    pub(super) fn toward_links(&mut self, name: &mut Option<String>, stage: usize) -> Option<Step> {
        let business = VENDORS[1];
        let email = email_of(business);
        let accept = || make::accept_invitation(business, &email);
        Some(match stage {
            0 => self.supply_tax_id(business),
            1 | 4 | 7 => make::invite(business, &email),
            2 | 3 | 5 | 9 => accept(),
            6 => make::invite(business, &values::bad_email(&mut self.source)),
            8 => make::advance_clock(30 * 86_400),
            10 => {
                let step_name = name.get_or_insert_with(|| self.fresh_name("session")).clone();
                make::create_session(business).named(step_name)
            }
            11 => {
                let url = format!("${{{}.url}}", name.clone().unwrap_or_default());
                make::act(ActionKind::VendorOpensSession, json!({ "url": url }))
            }
            12 => make::get_business(business),
            13 => make::invite(UNKNOWN, &email),
            _ => return None,
        })
    }

    pub(super) fn toward_vendor_routes(&mut self, stage: usize) -> Option<Step> {
        let business = VENDORS[2];
        let email = email_of(business);
        let account = self.draw(values::account_number());
        Some(match stage {
            0 => make::sync_business(business, "V3", None, None),
            1 => make::invite(business, &email),
            2 => make::accept_invitation(business, &email),
            // The vendor may begin with any of its steps.
            3 | 14 => make::add_bank_account(business, &account),
            4 | 6 | 8 | 10 | 12 | 16 => make::get_business(business),
            5 => make::confirm_tax_id(business, VendorRoute::VendorAssertion, Some("12-0000002")),
            7 => make::confirm_tax_id(business, VendorRoute::W9Upload, None),
            9 => make::sign_agreement(business, &make::full_address()),
            11 => make::advance_clock(make::LONG),
            13 => self.supply_bank(business),
            15 => make::advance_clock(86_400),
            _ => return None,
        })
    }

    /// Whether the second platform has a key.
    pub(super) fn has_other_platform(&self) -> bool {
        self.steps.iter().any(|step| step.name.as_deref() == Some("other"))
    }

    /// Issues a key to the second platform, once.
    pub(super) fn toward_other_platform(&mut self) -> Option<Step> {
        let issued = self.has_other_platform();
        let issue =
            || make::act(ActionKind::IssueKey, json!({ "platform": "other" })).named("other");
        (!issued).then(issue)
    }

    pub(super) fn toward_sharing(&mut self, stage: &mut usize) -> Option<Step> {
        if let Some(step) = self.toward_other_platform() {
            return Some(step);
        }
        let vendor = VENDORS[0];
        // Spelled as before, so that nothing but the number matches it.
        let tax_id = format!("{:09}", tax_digits(vendor));
        if *stage == 0
            && self
                .peek_business(&Caller::Default, vendor)
                .is_none_or(|known| !known.tax_id_on_file)
        {
            let contact = Some(make::full_contact());
            return Some(make::sync_business(vendor, &name_of(vendor), Some(&tax_id), contact));
        }
        let step = match next_stage(stage) {
            0 => make::sync_business("w1", "W One", Some(&tax_id), None),
            1 | 6 => make::get_business("w1"),
            2 | 8 => make::get_business(vendor),
            3 => return Some(self.sync_issued(vendor, "i1")),
            4 => self.sync_issued("w1", "i1"),
            5 => make::get_invoice(vendor, "i1"),
            // Without a tax id it is another business with the same name.
            7 => make::sync_business(vendor, &name_of(vendor), None, None),
            9 => match self.toward_onboarding(&Caller::Default, vendor) {
                Some(step) => {
                    *stage = 9;
                    return Some(step);
                }
                None => make::get_business("w1"),
            },
            10 => make::request_advance("w1", "i1"),
            11 => make::get_invoice("w1", "i1"),
            _ => return None,
        };
        Some(step.by(&other_platform()))
    }
}
