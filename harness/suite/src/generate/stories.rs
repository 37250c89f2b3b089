//! Goals with fixed steps: each leads to clauses that chance seldom meets.

use serde_json::json;
use tideover_exchange::step::{Caller, Step};
use tideover_exchange::target::inbox;
use tideover_model::words::EventType;
use tideover_model::{ActionKind, FaceValue, VendorRoute};

use crate::generate::filling::{self, Filling};
use crate::generate::names::{VENDORS, email_of, name_of, other_platform, tax_digits};
use crate::generate::requests::InvoiceFields;
use crate::generate::{Walk, files, next_stage, requests as make, values};

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
    Story::new(|_, stage| payout_accounts(stage)),
    Story::onboarded(Walk::after_repayment),
    Story::new(Walk::unaccepted),
    Story::onboarded(Walk::withdrawn),
    Story::new(|_, stage| gone(stage)),
    Story::new(Walk::addresses),
    Story::of_two_platforms(Walk::other_platform_story),
    Story::of_two_platforms(Walk::shared_events),
    Story::new(|_, stage| reissued(stage)),
    Story::new(|_, stage| held_tax_ids(stage)),
    Story::onboarded(Walk::self_dealing),
    Story::new(|_, stage| hanging(stage)),
    Story::new(|_, stage| dates(stage)),
    Story::new(Walk::confirmed),
    Story::new(|_, stage| nameless(stage)),
    Story::new(|_, stage| many_subscriptions(stage)),
    Story::onboarded(Walk::released),
    Story { onboarded: &[(1, VENDOR), (1, OTHER)], ..Story::new(Walk::both_watched) },
    Story::onboarded(Walk::still_owed),
    Story::onboarded(Walk::never_early),
];

const VENDOR: &str = VENDORS[0];
const OTHER: &str = VENDORS[1];

/// When an invoice is due whose price by days is another one after a while. Days.
const DAYS_PRICED: u32 = 90;

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

    /// Two payees use one invoice identifier, and each invoice has an advance of its own (§1 rule 3).
    fn one_number(&mut self, stage: usize) -> Option<Step> {
        Some(match stage {
            0 => self.sync_with(VENDOR, "n1", "ISSUED", 400_000),
            1 => self.sync_with(OTHER, "n1", "ISSUED", 500_000),
            2 | 11 | 15 => make::get_invoice(VENDOR, "n1"),
            3 => make::request_advance(VENDOR, "n1"),
            4 => self.sync_with(OTHER, "n1", "ISSUED", 600_000),
            5 | 7 | 9 | 17 => make::get_invoice(OTHER, "n1"),
            // The other vendor is onboarded before this step.
            TWIN | 16 => make::request_advance(OTHER, "n1"),
            8 => self.sync_with(OTHER, "n1", "ISSUED", 700_000),
            10 => self.sync_with(VENDOR, "n1", "PAID", 800_000),
            12 => make::act_on_invoice(ActionKind::FundingStarts, OTHER, "n1"),
            13 => make::act_on_invoice(ActionKind::FundingCompletes, OTHER, "n1"),
            14 => make::pay(OTHER, "n1", 100_000),
            // The invoice of one payee is none of another one's.
            18 => self.sync_with(VENDOR, "n2", "ISSUED", 300_000),
            19 => make::request_advance(OTHER, "n2"),
            _ => return None,
        })
    }

    /// Smaller and smaller invoices, until the business reaches its limit to the last cents.
    fn last_cents(&mut self, stage: usize) -> Option<Step> {
        let filling = Filling::WHOLE;
        filling.step(VENDOR, stage).or_else(|| {
            Some(match stage - filling.steps() {
                0 => self.sync_with(VENDOR, "f0", "ISSUED", FaceValue::MAX),
                1 => make::get_invoice(VENDOR, "f0"),
                2 => make::quote(VENDOR, FaceValue::MAX),
                3 => make::request_advance(VENDOR, "f0"),
                _ => return None,
            })
        })
    }

    /// A vendor whose tax id turns out to be wrong, with an invoice of each kind: advanced, fundable, new. Then it has
    /// another number.
    fn lost_compliance(&mut self, stage: usize) -> Option<Step> {
        Some(match stage {
            0 => self.sync_with(VENDOR, "c1", "ISSUED", 200_000),
            1 => self.sync_with(VENDOR, "c2", "ISSUED", 200_000),
            2 | 7 | 16 => make::request_advance(VENDOR, "c1"),
            // It can be financed before, and cannot after.
            3 | 5 => make::get_invoice(VENDOR, "c2"),
            15 => make::get_business(VENDOR),
            4 => make::act_on(ActionKind::TaxIdFoundWrong, VENDOR),
            6 | 12 | 17 => make::quote(VENDOR, 200_000),
            8 => make::request_advance(VENDOR, "c2"),
            9 => self.sync_with(VENDOR, "c3", "ISSUED", 200_000),
            10 => make::request_advance(VENDOR, "c3"),
            11 => make::get_invoice(VENDOR, "c3"),
            13 => make::pay(VENDOR, "c1", 50_000),
            14 => make::sync_business(VENDOR, &name_of(VENDOR), Some("120000077"), None),
            18 => make::request_advance(VENDOR, "c2"),
            19 => make::get_invoice(VENDOR, "c2"),
            _ => return None,
        })
    }

    /// The limit of another vendor is reached, and a vendor gets again what it has repaid.
    fn limit_of_another(&mut self, stage: usize) -> Option<Step> {
        const FILLS: usize = 6;
        let last = FILLS + filling::LARGEST + 1;
        Some(match stage {
            0 => self.sync_with(VENDOR, "o1", "ISSUED", FaceValue::MAX),
            1 => make::request_advance(VENDOR, "o1"),
            2 => make::act_on_invoice(ActionKind::FundingStarts, VENDOR, "o1"),
            3 => make::act_on_invoice(ActionKind::FundingCompletes, VENDOR, "o1"),
            4 => make::pay(VENDOR, "o1", FaceValue::MAX),
            5 => make::get_invoice(VENDOR, "o1"),
            // The other vendor is onboarded before this step.
            FILLS => make::import("others", filling::rows(OTHER)),
            stage if stage <= last => make::request_advance(OTHER, &format!("f{}", stage - FILLS)),
            stage => match stage - last {
                1 => self.sync_with(VENDOR, "o2", "ISSUED", FaceValue::MAX),
                2 => make::request_advance(VENDOR, "o2"),
                3 => make::get_invoice(VENDOR, "o2"),
                _ => return None,
            },
        })
    }

    /// Whatever a platform says of an invoice, its advance is owed until it is collected: where the limit is reached soon,
    /// and where it takes all of the largest invoices. What counts as outstanding is not stated, so that it shows only once
    /// several advances were forgotten.
    fn still_owed(&mut self, stage: usize) -> Option<Step> {
        const LARGEST: i64 = FaceValue::MAX;
        const STAGES: usize = 21;
        if stage == 0 {
            // It just fits into a case.
            self.undisturbed = STAGES - 1;
        }
        let ask = |number: usize| make::request_advance(VENDOR, &format!("f{number}"));
        Some(match stage {
            0 => make::import("owed", filling::rows(VENDOR)),
            1..=3 => ask(stage),
            4 | 5 => self.sync_with(VENDOR, &format!("f{}", stage - 3), "PAID", LARGEST),
            6 | 7 => ask(stage - 2),
            8 | 9 => self.sync_with(VENDOR, &format!("f{}", stage - 4), "PAID", LARGEST),
            10..=13 => ask(stage - 4),
            14 => self.sync_with(VENDOR, "f0", "ISSUED", LARGEST),
            15 | 17 | 19 => ask(0),
            16 => self.sync_with(VENDOR, "f3", "VOIDED", LARGEST),
            18 => make::import("less", files::row_of(VENDOR, "f6", "PARTIALLY_PAID", 1000)),
            20 => make::get_invoice(VENDOR, "f0"),
            _ => return None,
        })
    }

    /// The greatest advances, until the limit refuses one. Once two are repaid, there is room for another one.
    fn released(&mut self, stage: usize) -> Option<Step> {
        const LAST: usize = filling::LARGEST + 1;
        let invoice = if stage < 16 { "f1" } else { "f2" };
        Some(match stage {
            0 | 11 | 20 => make::quote(VENDOR, FaceValue::MAX),
            1 => make::import("released", filling::rows(VENDOR)),
            2..=LAST => make::request_advance(VENDOR, &format!("f{}", stage - 1)),
            12 | 16 => make::act_on_invoice(ActionKind::FundingStarts, VENDOR, invoice),
            13 | 17 => make::act_on_invoice(ActionKind::FundingCompletes, VENDOR, invoice),
            14 | 18 => make::pay(VENDOR, invoice, FaceValue::MAX),
            15 | 19 => make::get_invoice(VENDOR, invoice),
            21 => make::request_advance(VENDOR, &format!("f{}", filling::LARGEST)),
            _ => return None,
        })
    }

    /// Quotes and refused requests take up no limit.
    fn unspent(&mut self, stage: usize) -> Option<Step> {
        const FACE: i64 = 25_000_000;
        Some(match stage {
            0..=9 | 11 | 20 => make::quote(VENDOR, FACE),
            10 => self.sync_with(VENDOR, "u1", "VOIDED", FACE),
            12..=19 => make::request_advance(VENDOR, "u1"),
            21 => self.sync_with(VENDOR, "u1", "ISSUED", FACE),
            22 => make::get_invoice(VENDOR, "u1"),
            23 => make::request_advance(VENDOR, "u1"),
            _ => return None,
        })
    }

    /// Invoices after their advances are repaid.
    fn after_repayment(&mut self, stage: usize) -> Option<Step> {
        Some(match stage {
            0 => make::subscribe("${inbox}/accepts/repaid", None),
            // The payment that repays this one is more than the whole invoice.
            1 => self.sync_due_in(DAYS_PRICED, VENDOR, "r8", 300_000),
            2 => make::request_advance(VENDOR, "r8"),
            3 => make::act_on_invoice(ActionKind::FundingStarts, VENDOR, "r8"),
            4 => make::act_on_invoice(ActionKind::FundingCompletes, VENDOR, "r8"),
            5 => make::pay(VENDOR, "r8", 400_000),
            6 => make::get_invoice(VENDOR, "r8"),
            7 => self.sync_due_in(DAYS_PRICED, VENDOR, "r9", 300_000),
            8 | 22 | 26 => make::request_advance(VENDOR, "r9"),
            9 => make::act_on_invoice(ActionKind::FundingStarts, VENDOR, "r9"),
            10 => make::act_on_invoice(ActionKind::FundingCompletes, VENDOR, "r9"),
            11 => make::advance_clock(86_400),
            // What is priced by days is another price by then.
            21 => make::advance_clock(40 * 86_400),
            12 | 14 | 16 | 18 | 20 | 23 | 25 => make::get_invoice(VENDOR, "r9"),
            // Each part counts, whichever it is, and what comes after a greater one. The third one may repay the advance,
            // and does not pay the invoice.
            13 => make::pay(VENDOR, "r9", 2_000),
            15 => make::pay(VENDOR, "r9", 1_000),
            17 => make::pay(VENDOR, "r9", 285_000),
            19 => make::pay(VENDOR, "r9", 400_000),
            24 => self.sync_with(VENDOR, "r9", "ISSUED", 350_000),
            27 => make::quote(VENDOR, 300_000),
            _ => return None,
        })
    }

    /// An invoice that cannot be financed for a while.
    fn withdrawn(&mut self, stage: usize) -> Option<Step> {
        let status = match stage {
            1 => "VOIDED",
            5 => "PARTIALLY_PAID",
            9 => "PAID",
            _ => "ISSUED",
        };
        Some(match stage {
            0 => make::get_business(VENDOR),
            1 | 5 | 9 | 13 | 14 => self.sync_with(VENDOR, "x1", status, 200_000),
            2 | 4 | 6 | 8 | 10 | 12 | 15 | 17 => make::get_invoice(VENDOR, "x1"),
            3 | 7 | 11 | 16 => make::request_advance(VENDOR, "x1"),
            // Its advance would be nothing.
            18 => self.sync_with(VENDOR, "x0", "ISSUED", 1),
            19 => make::request_advance(VENDOR, "x0"),
            20 => make::get_invoice(VENDOR, "x0"),
            _ => return None,
        })
    }

    /// The vendor accepts, signs with `address` and has a bank account. Only the tax id is missing.
    fn signs(&mut self, stage: usize, address: serde_json::Value) -> Option<Step> {
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

    fn supply_tax_id_only(&mut self) -> Step {
        let digits = tax_digits(VENDOR).to_string();
        make::sync_business(VENDOR, &name_of(VENDOR), Some(&digits), None)
    }

    /// Three requirements are met, and the account is not open yet.
    fn almost_onboarded(&mut self, stage: usize) -> Option<Step> {
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
    fn addresses(&mut self, stage: usize) -> Option<Step> {
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

    /// Receivers that do not accept at once, or not at all: each answer that is no 2xx asks for a retry, and each 2xx ends
    /// them. A crowd of events meets each of these answers.
    fn unaccepted(&mut self, stage: usize) -> Option<Step> {
        let answering = |status| format!("${{inbox}}/{}/1", inbox::answering(status));
        Some(match stage {
            0 => make::subscribe(&answering(self.draw(values::refusing_status())), None),
            1 => make::subscribe("${inbox}/recovers/1", None),
            2 => make::subscribe("${inbox}/acknowledges/1", None),
            3 => make::subscribe(&answering(self.draw(200_u16..300)), None),
            4 => make::subscribe("${inbox}/accepts/1", None),
            5 => make::sync_business(VENDOR, "First of all", None, None),
            6 => make::import("crowd", files::crowd()),
            // A service may retry within seconds: without a clock to move, requests pass the time.
            7..=12 => make::get_business(VENDOR),
            13 => make::advance_clock(1000),
            14 => make::sync_business("late", "Later", None, None),
            15 => make::advance_clock(3600),
            // In several moves: two without an attempt, where one was due, show that no more comes.
            16..=23 => make::advance_clock(18_000),
            24 | 26 | 27 => make::list_subscriptions(),
            25 => make::advance_clock(200_000),
            28 => make::get_business(VENDOR),
            _ => return None,
        })
    }

    /// A business that may finance anything but its own invoices.
    fn self_dealing(&mut self, stage: usize) -> Option<Step> {
        let digits = tax_digits(VENDOR).to_string();
        let owed_by = |walk: &mut Walk, payor: &str| {
            let step = walk.sync_with(VENDOR, "own", "ISSUED", 150_000);
            make::with_payor(step, payor)
        };
        Some(match stage {
            0 => self.supply_tax_id_only(),
            1 => make::sync_business("alias", "V again", Some(&digits), None),
            2 => owed_by(self, VENDOR),
            3 | 6 | 9 => make::get_invoice(VENDOR, "own"),
            4 | 7 | 10 => make::request_advance(VENDOR, "own"),
            5 => owed_by(self, "alias"),
            8 => self.sync_with(VENDOR, "own", "ISSUED", 150_000),
            // Rows of invoices that they owe say no less.
            11 => {
                let due = self.in_days(DAYS_PRICED);
                make::import("own", files::owed_by(VENDOR, &[VENDOR, "alias"], &due))
            }
            12 => make::get_invoice(VENDOR, "by 0"),
            13 => make::request_advance(VENDOR, "by 0"),
            14 => make::get_invoice(VENDOR, "by 1"),
            15 => make::request_advance(VENDOR, "by 1"),
            _ => return None,
        })
    }

    /// The vendor confirms the tax id that the caller has sent.
    fn confirmed(&mut self, stage: usize) -> Option<Step> {
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

    /// The life of an advance, in the events of two subscriptions: one wants all, and one every other type.
    fn watched(&mut self, stage: usize) -> Option<Step> {
        let every_other = || EventType::ALL.into_iter().step_by(2).map(|it| it.name().to_owned());
        Some(match stage {
            0 => make::subscribe("${inbox}/accepts/first", None),
            1 => make::subscribe("${inbox}/accepts/second", Some(every_other().collect())),
            // The vendor is onboarded before this step.
            2 => self.sync_with(VENDOR, "w9", "ISSUED", 300_000),
            3 | 13 | 14 => make::quote(VENDOR, 300_000),
            4 => make::request_advance(VENDOR, "w9"),
            5 | 7 | 9 | 16 | 18 | 20 => make::get_invoice(VENDOR, "w9"),
            6 => make::act_on_invoice(ActionKind::FundingStarts, VENDOR, "w9"),
            8 => make::act_on_invoice(ActionKind::FundingCompletes, VENDOR, "w9"),
            // A quote looks at no invoice, whatever stands against one of this amount.
            10 => self.sync_with(VENDOR, "w8", "ISSUED", 2_000_000),
            11 | 12 => make::get_invoice(VENDOR, "w8"),
            15 => make::pay(VENDOR, "w9", 1_000),
            17 => make::pay(VENDOR, "w9", 299_000),
            19 => make::advance_clock(7200),
            21 | 22 | 24 => make::list_subscriptions(),
            23 => make::get_business(VENDOR),
            // Where the payor pays has nothing to do with where the vendor is paid.
            25 => make::set_payout_account(VENDOR, "000987654", "011401533", None),
            26 => make::request_advance(VENDOR, "w9"),
            _ => return None,
        })
    }

    /// What events say is so is what reads show, by then and after: each is read several times before the next happens,
    /// since one read may be behind.
    fn never_early(&mut self, stage: usize) -> Option<Step> {
        const EACH: usize = 5;
        if stage < 2 {
            return Some(match stage {
                0 => make::subscribe("${inbox}/accepts/early", None),
                _ => self.sync_with(VENDOR, "e1", "ISSUED", 300_000),
            });
        }
        let (turn, place) = ((stage - 2) / EACH, (stage - 2) % EACH);
        Some(match (turn, place) {
            (0, 0) => make::request_advance(VENDOR, "e1"),
            (1, 0) => make::act_on_invoice(ActionKind::FundingStarts, VENDOR, "e1"),
            (2, 0) => make::act_on_invoice(ActionKind::FundingCompletes, VENDOR, "e1"),
            // As much as recovers an advance of any usual rate, and not all that is due.
            (3, 0) => make::pay(VENDOR, "e1", 291_000),
            (4.., 0) => return None,
            // What is sent now arrives.
            (_, 1) => make::advance_clock(1),
            _ => make::get_invoice(VENDOR, "e1"),
        })
    }

    /// The same happens to two vendors, in the events of one subscription: what is right for the first of them can be
    /// wrong for the second.
    fn both_watched(&mut self, stage: usize) -> Option<Step> {
        const EACH: usize = 7;
        // The vendors are onboarded before stage 1.
        let Some(stage) = stage.checked_sub(1) else {
            return Some(make::subscribe("${inbox}/accepts/both", None));
        };
        let (payee, invoice) = *[(VENDOR, "b1"), (OTHER, "b2"), ("b3", "b3")].get(stage / EACH)?;
        Some(match stage % EACH {
            // The last business and the last invoice: no later event can be about them by mistake.
            0 if payee == "b3" => make::sync_business(payee, "Third of All", None, None),
            1 if payee == "b3" => self.sync_with(payee, invoice, "ISSUED", 300_000),
            _ if payee == "b3" => return None,
            0 => self.sync_with(payee, invoice, "ISSUED", 300_000),
            1 => make::request_advance(payee, invoice),
            2 => make::act_on_invoice(ActionKind::FundingStarts, payee, invoice),
            3 => make::act_on_invoice(ActionKind::FundingCompletes, payee, invoice),
            4 => make::get_invoice(payee, invoice),
            5 => make::set_payout_account(payee, "000987654", "011401533", None),
            _ => make::get_business(payee),
        })
    }

    /// A platform tries to reach objects of another platform.
    fn other_platform_story(&mut self, stage: usize) -> Option<Step> {
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
    fn shared_events(&mut self, stage: usize) -> Option<Step> {
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

/// One payout account after another, and the same again.
fn payout_accounts(stage: usize) -> Option<Step> {
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

/// Two vendors without identifiers use one invoice identifier. The same names come again, in another upload. Then two
/// others, whose cells are blank where the first have no column.
fn nameless(stage: usize) -> Option<Step> {
    Some(match stage {
        0 => make::import("nl1", files::nameless_rows(1000, "")),
        1 => make::import("nl2", files::nameless_rows(2000, "\"")),
        2 => make::get_import("nl2"),
        3 => make::import("nl3", files::blank_rows(1000)),
        4 => make::import("nl4", files::blank_rows(2000)),
        5 => make::get_import("nl4"),
        _ => return None,
    })
}

/// More subscriptions than a list would show by mistake. The first, one in between and the last are deleted.
fn many_subscriptions(stage: usize) -> Option<Step> {
    const MANY: usize = 21;
    let reference = |number: usize| format!("${{many{number}.reference}}");
    Some(match stage {
        stage if stage < MANY => {
            let url = format!("https://hooks.example.com/many/{stage}");
            make::subscribe(&url, None).named(format!("many{stage}"))
        }
        stage => match stage - MANY {
            0 | 2 | 4 | 6 => make::list_subscriptions(),
            1 => make::unsubscribe(&reference(0)),
            3 => make::unsubscribe(&reference(MANY / 2)),
            5 => make::unsubscribe(&reference(MANY - 1)),
            _ => return None,
        },
    })
}

/// A receiver that never responds, beside one that does.
fn hanging(stage: usize) -> Option<Step> {
    Some(match stage {
        0 => make::subscribe("${inbox}/hangs/1", None).named("hanging"),
        1 => make::subscribe("${inbox}/accepts/1", None),
        2 => make::sync_business("n1", "Waits", None, None),
        3 | 6 => make::advance_clock(60),
        4 => make::unsubscribe("${hanging.reference}"),
        5 => make::sync_business("n2", "Does not wait", None, None),
        7 => make::get_business("n2"),
        _ => return None,
    })
}

/// Receivers that are gone.
fn gone(stage: usize) -> Option<Step> {
    let sync = |name: &str| make::sync_business(name, "Goes on", None, None);
    Some(match stage {
        0 => make::subscribe("${inbox}/gone/1", None).named("leaving"),
        1 => sync("g1"),
        2 => make::advance_clock(60),
        3 | 6 => make::list_subscriptions(),
        4 => sync("g2"),
        5 => make::advance_clock(7200),
        7 => make::subscribe("${inbox}/leaves/1", None).named("left"),
        8 => sync("g3"),
        9 | 11 => make::advance_clock(7200),
        10 => sync("g4"),
        12 => make::list_subscriptions(),
        13 => make::subscribe("${inbox}/gone/1", None),
        14 => sync("g5"),
        // Nobody's any more, whether the URL has come again or not.
        15 => make::unsubscribe("${leaving.reference}"),
        16 => make::unsubscribe("${left.reference}"),
        _ => return None,
    })
}

/// Invitations, one day after another, and links that are made again after their end.
fn reissued(stage: usize) -> Option<Step> {
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

/// Instants in every RFC 3339 form.
fn dates(stage: usize) -> Option<Step> {
    const DATES: [(&str, &str); 4] = [
        ("2026-03-01T20:00:00-05:00", "2090-06-01T20:00:00-05:00"),
        ("2026-03-01T00:30:00+05:30", "2090-06-01T00:30:00+05:30"),
        ("2026-03-01T12:00:00.250Z", "2092-02-29T23:59:59Z"),
        ("2026-03-01t12:00:00z", "2090-12-31T23:59:59.5+00:00"),
    ];
    let (issue_date, due_date) = DATES.get(stage / 2)?;
    if stage % 2 == 1 {
        return Some(make::get_invoice(VENDOR, "d9"));
    }
    let fields = InvoiceFields {
        face_value: 120_000,
        issue_date: (*issue_date).into(),
        due_date: (*due_date).into(),
        ..InvoiceFields::of(VENDOR)
    };
    Some(make::sync_invoice("d9", &fields))
}

/// A tax id that a business cannot have.
fn held_tax_ids(stage: usize) -> Option<Step> {
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
