//! Where a walk wants to go, and the next step that is missing on the way.

use proptest::bool::weighted;
use serde_json::{Value, json};

use crate::generate::requests::{self as make, InvoiceFields};
use crate::generate::{Walk, caller_name, values};
use crate::identifiers::business_path;
use crate::step::{Caller, Step};

/// A state that is worth reaching.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Goal {
    /// An advance is repaid.
    Repay { payee: &'static str, invoice: &'static str },
    /// The concentration limit is reached.
    FillLimit { payee: &'static str, next: usize },
    /// An import is interrupted and resumed; another file is refused; the report is read.
    Import { import: &'static str, stage: usize },
    /// Two platforms serve one business.
    Share { stage: usize },
    /// Everything that can become of a tax id.
    TaxIds { stage: usize },
    /// A subscription from its creation to its deletion.
    Subscription { name: Option<String>, stage: usize },
    /// Invitations and sessions, used and used again.
    Links { name: Option<String>, stage: usize },
    /// A key from its issue to its revocation.
    Keys { name: Option<String>, stage: usize },
    /// An invoice that cannot be financed, for one reason after the other.
    Refused { stage: usize },
    /// A file that touches an invoice with an advance.
    ImportOverAdvance { stage: usize },
    /// A business finances its own invoice.
    SelfDealing { stage: usize },
    /// The vendor clears compliance itself.
    VendorRoutes { stage: usize },
    /// The provider fails, and the request is repeated.
    Upstream { stage: usize },
    /// Files and bodies that are too large.
    TooLarge { stage: usize },
}

/// The businesses that most requests are about, one of them with an identifier that must be encoded.
const VENDORS: [&str; 3] = ["v1", "v2", "v/3 ü"];
const PAYORS: [&str; 2] = ["p1", "p2"];
const INVOICES: [&str; 4] = ["i1", "i2", "i3", "i%4"];
const IMPORTS: [&str; 2] = ["m1", "m2"];
const UNKNOWN: &str = "nobody";

fn tax_digits(business: &str) -> u32 {
    let number = VENDORS.iter().position(|vendor| *vendor == business).unwrap_or(8);
    120_000_000 + u32::try_from(number).unwrap_or(9)
}

fn email_of(business: &str) -> String {
    let host: String = business.chars().filter(char::is_ascii_alphanumeric).collect();
    format!("ann@{host}.example")
}

impl Goal {
    pub(super) fn first(case: u64) -> Goal {
        let goals = Goal::all();
        let count = goals.len() as u64;
        goals[usize::try_from(case % count).unwrap_or(0)].clone()
    }

    fn all() -> Vec<Goal> {
        vec![
            Goal::Repay { payee: VENDORS[0], invoice: INVOICES[0] },
            Goal::Import { import: IMPORTS[0], stage: 0 },
            Goal::FillLimit { payee: VENDORS[1], next: 0 },
            Goal::Share { stage: 0 },
            Goal::TaxIds { stage: 0 },
            Goal::Subscription { name: None, stage: 0 },
            Goal::Links { name: None, stage: 0 },
            Goal::Keys { name: None, stage: 0 },
            Goal::Refused { stage: 0 },
            Goal::ImportOverAdvance { stage: 0 },
            Goal::SelfDealing { stage: 0 },
            Goal::VendorRoutes { stage: 0 },
            Goal::Repay { payee: VENDORS[2], invoice: INVOICES[3] },
            Goal::Upstream { stage: 0 },
            Goal::TooLarge { stage: 0 },
        ]
    }
}

impl Walk {
    pub(super) fn any_goal(&mut self) -> Goal {
        let mut goals = Goal::all();
        for payee in VENDORS {
            for invoice in INVOICES {
                goals.push(Goal::Repay { payee, invoice });
            }
        }
        // What is large is slow, and one look is enough.
        goals.retain(|goal| !matches!(goal, Goal::TooLarge { .. }));
        self.pick(&goals)
    }

    /// The next step that the goal lacks; `None` if it is reached, or cannot be any more.
    pub(super) fn step_toward_goal(&mut self) -> Option<Step> {
        let mut goal = self.goal.clone();
        let step = match &mut goal {
            Goal::Repay { payee, invoice } => self.toward_repayment(payee, invoice),
            Goal::FillLimit { payee, next } => self.toward_limit(payee, next),
            Goal::Import { import, stage } => self.toward_import(import, advance(stage)),
            Goal::Share { stage } => self.toward_sharing(stage),
            Goal::TaxIds { stage } => self.toward_tax_ids(advance(stage)),
            Goal::Subscription { name, stage } => self.toward_subscription(name, advance(stage)),
            Goal::Links { name, stage } => self.toward_links(name, advance(stage)),
            Goal::Keys { name, stage } => self.toward_keys(name, advance(stage)),
            Goal::Refused { stage } => self.toward_refusals(stage),
            Goal::ImportOverAdvance { stage } => self.toward_import_over_advance(stage),
            Goal::SelfDealing { stage } => self.toward_self_dealing(advance(stage)),
            Goal::VendorRoutes { stage } => self.toward_vendor_routes(advance(stage)),
            Goal::Upstream { stage } => self.toward_upstream_failure(advance(stage)),
            Goal::TooLarge { stage } => self.toward_too_large(advance(stage)),
        };
        self.goal = goal;
        step
    }

    /// The first requirement that is missing, in any order.
    fn toward_onboarding(&mut self, caller: &Caller, business: &str) -> Option<Step> {
        let known = self.look(&make::get_business(business).by(caller));
        let met =
            |name: &str| known.as_ref().is_some_and(|known| known["onboarding"][name] == true);
        let missing: Vec<&str> =
            ["compliance", "bank", "contract"].into_iter().filter(|name| !met(name)).collect();
        if known.is_none() || (missing.contains(&"compliance") && self.draw(weighted(0.5))) {
            return Some(self.supply_tax_id(business).by(caller));
        }
        let step = match missing.is_empty() {
            false => match self.pick(&missing) {
                "compliance" => self.supply_tax_id(business),
                "bank" => self.supply_bank(business),
                _ => return Some(self.toward_contract(caller, business)),
            },
            true if met("collectionAccount") => return None,
            true => self.toward_open_account(caller, business),
        };
        Some(step.by(caller))
    }

    fn supply_tax_id(&mut self, business: &str) -> Step {
        let tax_id = self.draw(values::spelled_tax_id(tax_digits(business)));
        let contact = self.draw(weighted(0.7)).then(make::full_contact);
        make::sync_business(business, &make::name_of(business), Some(&tax_id), contact)
    }

    fn supply_bank(&mut self, business: &str) -> Step {
        let (account, routing) =
            (self.draw(values::account_number()), self.draw(values::routing_number()));
        let label = self.draw(weighted(0.3)).then_some("Operating");
        make::set_payout_account(business, &account, routing, label)
    }

    fn toward_contract(&mut self, caller: &Caller, business: &str) -> Step {
        let email = email_of(business);
        let claimed = self.claimed.contains(&(caller_name(caller), business.to_owned()));
        let step = if claimed {
            let address = if self.draw(weighted(0.5)) { make::full_address() } else { json!({}) };
            let fields = json!({ "payeeExternalId": business, "address": address });
            make::act("vendorSignsAgreement", fields)
        } else if self.last_was_invitation(business) {
            make::act(
                "vendorAcceptsInvitation",
                json!({ "payeeExternalId": business, "email": email }),
            )
        } else {
            make::invite(business, &email)
        };
        step.by(caller)
    }

    fn last_was_invitation(&self, business: &str) -> bool {
        let invitation = make::invite(business, &email_of(business));
        self.steps.iter().rev().take(4).any(|step| step.action == invitation.action)
    }

    fn toward_open_account(&mut self, caller: &Caller, business: &str) -> Step {
        let place = (caller_name(caller), business_path(business));
        if !self.addressed.contains(&place) {
            let contact = Some(make::full_contact());
            return make::sync_business(business, &make::name_of(business), None, contact);
        }
        if self.draw(weighted(0.3)) {
            return make::act("collectionAccountOpens", json!({ "payeeExternalId": business }));
        }
        make::advance_clock(self.draw(proptest::sample::select(vec![60_u64, 150, 300])))
    }

    fn toward_repayment(&mut self, payee: &str, invoice: &str) -> Option<Step> {
        if let Some(step) = self.toward_onboarding(&Caller::Default, payee) {
            return Some(step);
        }
        let Some(known) = self.look(&make::get_invoice(payee, invoice)) else {
            return Some(self.sync_issued(payee, invoice));
        };
        let state = known["advance"]["state"].as_str().unwrap_or_default().to_owned();
        let both = json!({ "payeeExternalId": payee, "invoiceExternalId": invoice });
        match state.as_str() {
            "" if known["fundable"] == true => Some(make::request_advance(payee, invoice)),
            "" if known["collected"] == 0 && known["status"] != "ISSUED" => {
                Some(self.sync_issued(payee, invoice))
            }
            "REQUESTED" if self.draw(weighted(0.5)) => Some(make::act("fundingStarts", both)),
            "REQUESTED" => Some(make::advance_clock(30)),
            "FUNDING" => Some(match self.draw(0_u32..3) {
                0 => make::act("fundingCompletes", both),
                1 => self.pay(payee, invoice, &known),
                _ => make::advance_clock(3600),
            }),
            "FUNDED" if self.draw(weighted(0.1)) => Some(self.sync_issued(payee, invoice)),
            "FUNDED" => Some(self.pay(payee, invoice, &known)),
            _ => None,
        }
    }

    /// The payor pays a part, all of the rest, or a little too much.
    fn pay(&mut self, payee: &str, invoice: &str, known: &Value) -> Step {
        let cents = |value: &Value| value.as_i64().unwrap_or(0);
        let rest = (cents(&known["faceValue"]) - cents(&known["collected"])).max(1);
        let owed = cents(&known["advance"]["amountOwed"]).max(1);
        let most = tideover_model::FaceValue::MAX;
        let amounts =
            [1, rest / 2 + 1, owed, rest, rest, rest + 1].map(|amount: i64| amount.min(most));
        let amount = self.pick(&amounts);
        let fields =
            json!({ "payeeExternalId": payee, "invoiceExternalId": invoice, "amount": amount });
        make::act("payorPays", fields)
    }

    fn sync_issued(&mut self, payee: &str, invoice: &str) -> Step {
        let face_value = self.draw(10_000_i64..5_000_000);
        self.sync_with(payee, invoice, "ISSUED", face_value)
    }

    fn sync_with(
        &mut self,
        payee: &str,
        invoice: &str,
        status: &'static str,
        face_value: i64,
    ) -> Step {
        let fields = InvoiceFields {
            payee: payee.to_owned(),
            payor: self.pick(&PAYORS).to_owned(),
            status,
            face_value,
            issue_date: self.known.now().to_string(),
            due_date: values::days_later(self.known.now(), self.draw_days()),
        };
        make::sync_invoice(invoice, &fields)
    }

    fn draw_days(&mut self) -> u64 {
        self.draw(proptest::sample::select(vec![0_u64, 1, 29, 30, 31, 60, 90]))
    }

    /// Large invoices, one after the other, until an advance is refused.
    fn toward_limit(&mut self, payee: &str, next: &mut usize) -> Option<Step> {
        if let Some(step) = self.toward_onboarding(&Caller::Default, payee) {
            return Some(step);
        }
        let name = format!("big{}", *next / 2);
        let step = match (*next % 2, *next) {
            (_, 14..) => return None,
            (0, _) => self.sync_with(payee, &name, "ISSUED", 25_000_000),
            _ => make::request_advance(payee, &name),
        };
        *next += 1;
        Some(step)
    }

    fn toward_import(&mut self, import: &'static str, stage: usize) -> Option<Step> {
        let rows = rows(import);
        Some(match stage {
            0 => make::act("interruptNextImport", json!({ "afterRows": self.draw(0_u64..3) })),
            1 | 3 | 5 => make::import(import, rows),
            2 | 4 | 6 => make::get_import(import),
            7 => make::import(
                import,
                format!("{rows}extra,V,P,ISSUED,5,2026-01-01T00:00:00Z,2026-02-01T00:00:00Z\n"),
            ),
            8 => make::import("m3", rows.replace(",ISSUED,", ",PAID,")),
            9 => make::import("m4", rows.replace("faceValue", "amount")),
            10 => {
                let mut step = make::import("m4", rows);
                if let crate::step::Action::Call(call) = &mut step.action {
                    call.content_type = Some("application/json".into());
                }
                step
            }
            _ => return None,
        })
    }

    /// The second platform, which must have been issued a key.
    fn toward_sharing(&mut self, stage: &mut usize) -> Option<Step> {
        let other = Caller::Key("${other.key}".into());
        let issued = self.steps.iter().any(|step| step.name.as_deref() == Some("other"));
        if !issued {
            return Some(make::act("issueKey", json!({ "platform": "other" })).named("other"));
        }
        let vendor = VENDORS[0];
        if *stage == 0
            && self
                .look(&make::get_business(vendor))
                .is_none_or(|known| known["taxIdOnFile"] != true)
        {
            return Some(self.supply_tax_id(vendor));
        }
        let tax_id = self.draw(values::spelled_tax_id(tax_digits(vendor)));
        let step = match advance(stage) {
            0 => make::sync_business("w1", "W One", Some(&tax_id), None),
            1 | 5 => make::get_business("w1"),
            2 => make::get_business(vendor),
            3 => self.sync_issued("w1", "i1"),
            4 => make::get_invoice(vendor, "i1"),
            6 => match self.toward_onboarding(&Caller::Default, vendor) {
                Some(step) => {
                    *stage = 6;
                    return Some(step);
                }
                None => make::get_business("w1"),
            },
            7 => make::request_advance("w1", "i1"),
            8 => make::get_invoice("w1", "i1"),
            _ => return None,
        };
        Some(step.by(&other))
    }

    fn toward_tax_ids(&mut self, stage: usize) -> Option<Step> {
        let name = make::name_of("t1");
        let own = self.draw(values::spelled_tax_id(130_000_001));
        let bad = self.draw(values::bad_tax_id());
        Some(match stage {
            0 => make::sync_business("t1", &name, Some(bad), None),
            1 => make::sync_business("t1", &name, Some(bad), None),
            2 => make::sync_business(
                "t2",
                "T2",
                Some(&self.draw(values::spelled_tax_id(130_000_002))),
                None,
            ),
            3 => make::sync_business("t1", &name, Some("13-0000002"), None),
            4 | 5 => make::sync_business("t1", &name, Some(&own), None),
            6 => make::sync_business("t1", &name, Some("13-0000003"), None),
            7 | 10 => make::get_business("t1"),
            8 => make::act("taxIdFoundWrong", json!({ "payeeExternalId": "t1" })),
            9 => make::sync_business("t1", &name, Some("13-0000003"), None),
            _ => return None,
        })
    }

    fn toward_subscription(&mut self, name: &mut Option<String>, stage: usize) -> Option<Step> {
        let step_name = name.get_or_insert_with(|| self.fresh_name("hook")).clone();
        let url = format!("https://hooks.example.com/{step_name}");
        let kinds = self.draw(weighted(0.4)).then(|| vec![self.draw(values::event_type())]);
        Some(match stage {
            0 => make::subscribe(&url, kinds).named(step_name),
            1 => make::subscribe(&url, None),
            2 | 5 => make::list_subscriptions(),
            3 => self.sync_issued("v2", "i2"),
            4 => Step::new(crate::step::Action::Deliveries),
            6 => make::unsubscribe(&format!("${{{step_name}.reference}}")),
            7 => make::unsubscribe(&format!("${{{step_name}.reference}}")),
            8 => make::subscribe(self.draw(values::bad_destination()), None),
            9 => make::subscribe(&url, None),
            _ => return None,
        })
    }

    fn toward_links(&mut self, name: &mut Option<String>, stage: usize) -> Option<Step> {
        let business = VENDORS[1];
        let email = email_of(business);
        let accept = || {
            make::act(
                "vendorAcceptsInvitation",
                json!({ "payeeExternalId": business, "email": email }),
            )
        };
        Some(match stage {
            0 => self.supply_tax_id(business),
            1 | 4 | 7 => make::invite(business, &email),
            2 | 3 | 5 | 9 => accept(),
            6 => make::invite(business, self.draw(values::bad_email())),
            8 => make::advance_clock(30 * 86_400),
            10 => {
                let step_name = name.get_or_insert_with(|| self.fresh_name("session")).clone();
                make::create_session(business).named(step_name)
            }
            11 => {
                let url = format!("${{{}.url}}", name.clone().unwrap_or_default());
                make::act("vendorOpensSession", json!({ "url": url }))
            }
            12 => make::get_business(business),
            _ => return None,
        })
    }

    fn toward_keys(&mut self, name: &mut Option<String>, stage: usize) -> Option<Step> {
        let step_name = name.get_or_insert_with(|| self.fresh_name("key")).clone();
        let key = format!("${{{step_name}.key}}");
        let holder = Caller::Key(key.clone());
        Some(match stage {
            0 => make::act("issueKey", json!({})).named(step_name),
            1 | 3 => make::list_subscriptions().by(&holder),
            2 => make::act("revokeKey", json!({ "key": key })),
            4 => self.supply_tax_id("v1").by(&holder),
            5 => make::get_business("v1"),
            6 => make::act("markTestAccount", json!({ "externalId": "v1" })),
            _ => return None,
        })
    }

    /// Not onboarded, then not ISSUED, then paid already, then too small.
    fn toward_refusals(&mut self, stage: &mut usize) -> Option<Step> {
        let payee = VENDORS[1];
        Some(match advance(stage) {
            0 => self.sync_issued(payee, "r1"),
            1 | 4 | 9 | 12 => make::request_advance(payee, "r1"),
            2 => match self.toward_onboarding(&Caller::Default, payee) {
                Some(step) => {
                    *stage = 2;
                    step
                }
                None => make::get_invoice(payee, "r1"),
            },
            3 => {
                let status = self.pick(&["PARTIALLY_PAID", "PAID", "VOIDED"]);
                self.sync_with(payee, "r1", status, 50_000)
            }
            5 => self.sync_with(payee, "r1", "ISSUED", 50_000),
            6 => make::get_invoice(payee, "r1"),
            7 => make::act(
                "payorPays",
                json!({ "payeeExternalId": payee, "invoiceExternalId": "r1", "amount": 20_000 }),
            ),
            8 | 11 => make::get_invoice(payee, "r1"),
            10 => self.sync_with(payee, "r1", "ISSUED", 20_000),
            13 => self.sync_with(payee, "r2", "ISSUED", 1),
            14 => make::get_invoice(payee, "r2"),
            15 => make::request_advance(payee, "r2"),
            _ => return None,
        })
    }

    /// The row of an invoice that has an advance moves only its status.
    fn toward_import_over_advance(&mut self, stage: &mut usize) -> Option<Step> {
        let payee = VENDORS[0];
        Some(match advance(stage) {
            0 => match self.toward_onboarding(&Caller::Default, payee) {
                Some(step) => {
                    *stage = 0;
                    step
                }
                None => make::get_business(payee),
            },
            1 => make::import("m1", rows("m1")),
            2 => make::request_advance(payee, "m1-0"),
            3 => make::import("m6", rows("m1").replace(",ISSUED,", ",PAID,")),
            4 => make::get_invoice(payee, "m1-0"),
            _ => return None,
        })
    }

    /// Two identifiers of one business are the same party.
    fn toward_self_dealing(&mut self, stage: usize) -> Option<Step> {
        let tax_id = self.draw(values::spelled_tax_id(tax_digits(VENDORS[1])));
        let fields = |payor: &str| InvoiceFields {
            payee: VENDORS[1].to_owned(),
            payor: payor.to_owned(),
            status: "ISSUED",
            face_value: 50_000,
            issue_date: "2026-01-01T00:00:00Z".to_owned(),
            due_date: "2026-06-01T00:00:00Z".to_owned(),
        };
        Some(match stage {
            0 => make::sync_business(VENDORS[1], "V", Some(&tax_id), None),
            1 => make::sync_business("alias", "V again", Some(&tax_id), None),
            2 => make::sync_invoice("self", &fields("alias")),
            3 | 6 => make::get_invoice(VENDORS[1], "self"),
            4 | 7 => make::request_advance(VENDORS[1], "self"),
            5 => make::sync_invoice("self", &fields(VENDORS[1])),
            _ => return None,
        })
    }

    fn toward_vendor_routes(&mut self, stage: usize) -> Option<Step> {
        let business = VENDORS[2];
        let email = email_of(business);
        let confirm = |route: &str, tax_id: Option<&str>| {
            let mut fields = json!({ "payeeExternalId": business, "route": route });
            if let Some(tax_id) = tax_id {
                fields["taxId"] = json!(tax_id);
            }
            make::act("vendorConfirmsTaxId", fields)
        };
        let account = self.draw(values::account_number());
        Some(match stage {
            0 => make::sync_business(business, "V3", None, None),
            1 => make::invite(business, &email),
            2 => make::act(
                "vendorAcceptsInvitation",
                json!({ "payeeExternalId": business, "email": email }),
            ),
            3 => confirm("VENDOR_ASSERTION", Some("12-0000002")),
            4 | 6 | 9 => make::get_business(business),
            5 => confirm("W9_UPLOAD", None),
            7 => make::act(
                "vendorAddsBankAccount",
                json!({ "payeeExternalId": business,
                "accountNumber": account, "routingNumber": "021000021" }),
            ),
            8 => make::act(
                "vendorSignsAgreement",
                json!({ "payeeExternalId": business,
                "address": make::full_address() }),
            ),
            10 => make::advance_clock(300),
            11 => make::get_business(business),
            _ => return None,
        })
    }

    fn toward_upstream_failure(&mut self, stage: usize) -> Option<Step> {
        Some(match stage {
            0 => make::act("upstreamFails", json!({ "requests": 1 })),
            1 | 2 => make::sync_business("v1", "After a failure", None, None),
            3 => make::get_business("v1"),
            _ => return None,
        })
    }

    fn toward_too_large(&mut self, stage: usize) -> Option<Step> {
        Some(match stage {
            0 => {
                let row = "r,V,P,ISSUED,5,2026-01-01T00:00:00Z,2026-02-01T00:00:00Z\n";
                let header =
                    "externalId,payeeLegalName,payorLegalName,status,faceValue,issueDate,dueDate\n";
                make::import("large", format!("{header}{}", row.repeat(1001)))
            }
            1 => make::get_import("large"),
            2 => make::sync_business("v1", &"x".repeat(1_048_576), None, None),
            3 => make::get_business("v1"),
            _ => return None,
        })
    }

    /// A request at random, most often about what is there.
    pub(super) fn wander(&mut self) -> Step {
        let (payee, invoice) = (self.any_business(), self.any_invoice());
        match self.draw(0_u32..15) {
            0 | 1 => {
                let (status, face) = (self.draw(values::status()), self.draw(values::face_value()));
                self.sync_with(payee, invoice, status, face)
            }
            2 => make::get_invoice(payee, invoice),
            3 => make::get_business(payee),
            4 => make::request_advance(payee, invoice),
            5 | 6 => make::quote(payee, self.draw(values::face_value())),
            7 => make::set_payout_account(
                payee,
                "123456789",
                self.draw(values::bad_routing_number()),
                None,
            ),
            8 => {
                let name = self.draw(values::legal_name());
                make::sync_business(payee, name, None, None)
            }
            9 => make::advance_clock(self.draw(values::seconds())),
            10 => {
                let amount = self.draw(values::face_value());
                let fields = json!({ "payeeExternalId": payee, "invoiceExternalId": invoice, "amount": amount });
                make::act("payorPays", fields)
            }
            11 => make::create_session(payee),
            12 => make::unsubscribe("whs_unknown"),
            13 => self.odd_dates(payee, invoice),
            _ => make::get_import(self.pick(&["m1", "m2", "m9"])),
        }
    }

    fn odd_dates(&mut self, payee: &str, invoice: &str) -> Step {
        let fields = InvoiceFields {
            payee: payee.to_owned(),
            payor: PAYORS[0].to_owned(),
            status: "ISSUED",
            face_value: self.draw(values::face_value()),
            issue_date: self.draw(values::date()),
            due_date: self.draw(values::date()),
        };
        make::sync_invoice(invoice, &fields)
    }

    fn any_business(&mut self) -> &'static str {
        match self.draw(0_u32..10) {
            0 => UNKNOWN,
            1..=5 => VENDORS[0],
            6 | 7 => VENDORS[1],
            8 => VENDORS[2],
            _ => PAYORS[0],
        }
    }

    fn any_invoice(&mut self) -> &'static str {
        match self.draw(0_u32..10) {
            0 => UNKNOWN,
            1..=5 => INVOICES[0],
            6 | 7 => INVOICES[1],
            8 => INVOICES[2],
            _ => INVOICES[3],
        }
    }
}

/// The stage to be done now; the next one follows.
fn advance(stage: &mut usize) -> usize {
    let now = *stage;
    *stage += 1;
    now
}

/// The same text for the same import, so that it can be sent again.
fn rows(import: &str) -> String {
    let mut csv = String::from(
        "externalId,payeeExternalId,payeeLegalName,payorLegalName,status,faceValue,issueDate,dueDate\n",
    );
    let dates = "2026-01-01T00:00:00Z,2026-03-01T00:00:00Z";
    for (row, (payee, face)) in
        [("v1", "1000"), ("", "250000"), ("v2", "1e3"), ("v1", "2147483648"), ("v2", "99")]
            .into_iter()
            .enumerate()
    {
        csv.push_str(&format!(
            "{import}-{row},{payee},\"Name, {payee}\",P,ISSUED,{face},{dates}\n"
        ));
    }
    csv.push_str("ragged\n");
    csv
}
