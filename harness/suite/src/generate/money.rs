//! Toward money: an advance repaid, a limit reached, an advance refused.

use proptest::bool::weighted;
use tideover_exchange::step::{Caller, Step};
use tideover_exchange::{DAY, from_start};
use tideover_model::wire::reply::Invoice;
use tideover_model::words::{AdvanceState, InvoiceStatus};
use tideover_model::{ActionKind, Cents, FaceValue};

use crate::generate::filling::Filling;
use crate::generate::names::{PAYORS, VENDORS, other_platform, tax_digits};
use crate::generate::requests::InvoiceFields;
use crate::generate::{Walk, filling, next_stage, requests as make, values};

/// How many steps fill a limit.
const FILLED: usize = Filling::SHORT.steps();

impl Walk {
    pub(super) fn toward_repayment(&mut self, payee: &str, invoice: &str) -> Option<Step> {
        if let Some(step) = self.toward_onboarding(&Caller::Default, payee) {
            return Some(step);
        }
        let Some(known) = self.peek_invoice(&Caller::Default, payee, invoice) else {
            return Some(self.sync_issued(payee, invoice));
        };
        let state = known.advance.as_ref().map(|advance| advance.state);
        match state {
            None if known.fundable => Some(make::request_advance(payee, invoice)),
            None if known.collected == Cents::ZERO && known.status != InvoiceStatus::Issued => {
                Some(self.sync_issued(payee, invoice))
            }
            Some(AdvanceState::Requested) if self.draw(weighted(0.5)) => {
                Some(make::act_on_invoice(ActionKind::FundingStarts, payee, invoice))
            }
            Some(AdvanceState::Requested) if self.draw(weighted(0.3)) => {
                Some(make::advance_clock(30))
            }
            Some(AdvanceState::Requested) => Some(make::advance_clock(make::LONG)),
            Some(AdvanceState::Funding) => Some(match self.draw(0_u32..3) {
                0 => make::act_on_invoice(ActionKind::FundingCompletes, payee, invoice),
                1 => self.pay(payee, invoice, &known),
                _ => make::advance_clock(make::LONG),
            }),
            Some(AdvanceState::Funded) if self.draw(weighted(0.1)) => {
                Some(self.sync_issued(payee, invoice))
            }
            Some(AdvanceState::Funded) => Some(self.pay(payee, invoice, &known)),
            None | Some(AdvanceState::Repaid) => None,
        }
    }

    /// The payor pays a part, all of the rest, or a little too much.
    pub(super) fn pay(&mut self, payee: &str, invoice: &str, known: &Invoice) -> Step {
        let rest = (known.face_value.0 - known.collected.0).max(1);
        let owed = known.advance.as_ref().map_or(1, |advance| advance.amount_owed.0.max(1));
        let amounts = [1, rest / 2 + 1, owed - 1, owed, rest - 1, rest, rest, rest + 1]
            .map(|amount: i64| amount.clamp(1, FaceValue::MAX));
        make::pay(payee, invoice, self.pick(&amounts))
    }

    pub(super) fn sync_issued(&mut self, payee: &str, invoice: &str) -> Step {
        let face_value = self.draw(10_000_i64..5_000_000);
        self.sync_with(payee, invoice, "ISSUED", face_value)
    }

    pub(super) fn sync_with(
        &mut self,
        payee: &str,
        invoice: &str,
        status: &'static str,
        face_value: i64,
    ) -> Step {
        let payor = self.any_payor(payee);
        let days = self.draw_days();
        let fields = InvoiceFields {
            payor: payor.to_owned(),
            status,
            face_value,
            ..self.due_in(days, payee)
        };
        make::sync_invoice(invoice, &fields)
    }

    /// An issued invoice that is due in so many days.
    pub(super) fn sync_due_in(
        &mut self,
        days: u32,
        payee: &str,
        invoice: &str,
        face_value: i64,
    ) -> Step {
        make::sync_invoice(invoice, &InvoiceFields { face_value, ..self.due_in(days, payee) })
    }

    fn due_in(&self, days: u32, payee: &str) -> InvoiceFields {
        InvoiceFields {
            issue_date: self.in_days(0),
            due_date: self.in_days(days),
            ..InvoiceFields::of(payee)
        }
    }

    /// A payor, or another vendor that is there: a business may have both roles.
    fn any_payor(&mut self, payee: &str) -> &'static str {
        let mut vendors = VENDORS.to_vec();
        vendors.retain(|it| *it != payee && self.peek_business(&Caller::Default, it).is_some());
        let has_both = !vendors.is_empty() && self.source.percent(50);
        if has_both { self.pick(&vendors) } else { self.pick(&PAYORS) }
    }

    pub(super) fn draw_days(&mut self) -> u32 {
        self.draw(proptest::sample::select(vec![0_u32, 1, 29, 30, 31, 60, 90]))
    }

    /// The instant so many days from now.
    pub(super) fn in_days(&self, days: u32) -> String {
        let passed = self.model.now().unix() - self.start.unix();
        from_start(passed + i64::from(days) * DAY)
    }

    /// Large invoices until an advance is refused, then smaller ones; each is read before its request. The last request
    /// for a large one comes twice.
    pub(super) fn toward_limit(&mut self, payee: &str, next: &mut usize) -> Option<Step> {
        if let Some(step) = self.toward_onboarding(&Caller::Default, payee) {
            return Some(step);
        }
        const LARGE: usize = 4;
        const ALL: usize = 7;
        let place = *next - usize::from(*next >= 3 * LARGE);
        let number = place / 3;
        let name = format!("big{number}");
        let step = match place % 3 {
            _ if number == ALL => return None,
            0 if number < LARGE => self.sync_with(payee, &name, "ISSUED", FaceValue::MAX),
            0 => self.sync_with(payee, &name, "ISSUED", 10_000_000),
            1 => make::get_invoice(payee, &name),
            _ => make::request_advance(payee, &name),
        };
        *next += 1;
        Some(step)
    }

    /// A limit that is filled leaves no room for a great amount, whatever becomes of one advance before it is repaid.
    pub(super) fn toward_kept_limit(&mut self, stage: &mut usize) -> Option<Step> {
        let vendor = VENDORS[0];
        if let Some(step) = self.toward_onboarding(&Caller::Default, vendor) {
            return Some(step);
        }
        let stage = next_stage(stage);
        if let Some(step) = Filling::SHORT.step(vendor, stage) {
            return Some(step);
        }
        let large = format!("f{}", filling::LARGEST);
        Some(match stage - FILLED {
            1 => make::act_on_invoice(ActionKind::FundingStarts, vendor, "f1"),
            4 => make::act_on_invoice(ActionKind::FundingCompletes, vendor, "f1"),
            7 => make::pay(vendor, "f1", 1),
            10 => make::pay(vendor, "f1", 1_000),
            13 => self.sync_with(vendor, "f1", "VOIDED", FaceValue::MAX),
            0 | 2 | 5 | 8 | 11 | 14 => make::request_advance(vendor, &large),
            3 | 6 | 12 => make::quote(vendor, FaceValue::MAX),
            9 | 15 => make::get_invoice(vendor, &large),
            _ => return None,
        })
    }

    /// The outstanding amount of one platform counts for the other: it is filled, so that whatever the other is granted is
    /// too much.
    pub(super) fn toward_shared_limit(&mut self, stage: &mut usize) -> Option<Step> {
        let vendor = VENDORS[0];
        let onboarded = self.toward_onboarding(&Caller::Default, vendor);
        if let Some(step) = onboarded.or_else(|| self.toward_other_platform()) {
            return Some(step);
        }
        let tax_id = self.draw(values::spelled_tax_id(tax_digits(vendor)));
        let stage = next_stage(stage);
        // A quote shows the amount that the limit refuses.
        let quote = || (stage == FILLED).then(|| make::quote(vendor, FaceValue::MAX));
        Filling::SHORT.step(vendor, stage).or_else(quote).or_else(|| {
            let step = self.shared_limit_of_other(stage - FILLED, &tax_id)?;
            Some(step.by(&other_platform()))
        })
    }

    /// The other platform onboards its vendor itself, since nobody states what the platforms share of it.
    fn shared_limit_of_other(&mut self, stage: usize, tax_id: &str) -> Option<Step> {
        const EMAIL: &str = "ann@w-one.example";
        Some(match stage {
            1 => make::sync_business("w1", "W One", Some(tax_id), Some(make::full_contact())),
            2 => make::invite("w1", EMAIL),
            3 => make::accept_invitation("w1", EMAIL),
            4 => make::sign_agreement("w1", &make::full_address()),
            5 => make::set_payout_account("w1", "000123456", "021000021", None),
            6 => make::advance_clock(make::LONG),
            7 => self.sync_with("w1", "large", "ISSUED", FaceValue::MAX),
            8 => make::get_business("w1"),
            9 => make::quote("w1", FaceValue::MAX),
            10 => make::get_invoice("w1", "large"),
            11 => make::request_advance("w1", "large"),
            // What counts as outstanding is not stated: only twice as much is surely too much.
            12 => self.sync_with("w1", "larger", "ISSUED", FaceValue::MAX),
            13 => make::request_advance("w1", "larger"),
            // What the limit refuses, a quote and a read refuse, too.
            14 => make::quote("w1", FaceValue::MAX),
            15 => make::get_invoice("w1", "larger"),
            _ => return None,
        })
    }

    /// First not onboarded, then not ISSUED, then already paid, then too small.
    pub(super) fn toward_refusals(&mut self, stage: &mut usize) -> Option<Step> {
        let payee = VENDORS[1];
        Some(match next_stage(stage) {
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
            7 => make::pay(payee, "r1", 20_000),
            8 | 11 | 14 | 16 => make::get_invoice(payee, "r1"),
            // Less than what is collected, and then what the caller says of it.
            10 => self.sync_with(payee, "r1", "ISSUED", 19_999),
            13 => self.sync_with(payee, "r1", "PAID", 50_000),
            15 => self.sync_with(payee, "r1", "VOIDED", 50_000),
            17 => self.sync_with(payee, "r2", "ISSUED", 1),
            18 => make::get_invoice(payee, "r2"),
            19 => make::request_advance(payee, "r2"),
            _ => return None,
        })
    }

    /// Two identifiers of one business are the same party.
    pub(super) fn toward_self_dealing(&mut self, stage: usize) -> Option<Step> {
        let tax_id = self.draw(values::spelled_tax_id(tax_digits(VENDORS[1])));
        let fields = |payor: &str| InvoiceFields {
            payor: payor.to_owned(),
            face_value: 50_000,
            due_date: values::day(516),
            ..InvoiceFields::of(VENDORS[1])
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
}
