//! What is outstanding: a limit is reached, and there is room again.

use tideover_exchange::step::Step;
use tideover_model::{ActionKind, FaceValue};

use crate::generate::filling::{self, Filling};
use crate::generate::stories::{OTHER, VENDOR};
use crate::generate::{Walk, files, requests as make};

impl Walk {
    /// Smaller and smaller invoices, until the business reaches its limit to the last cents.
    pub(super) fn last_cents(&mut self, stage: usize) -> Option<Step> {
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

    /// The limit of another vendor is reached, and a vendor gets again what it has repaid.
    pub(super) fn limit_of_another(&mut self, stage: usize) -> Option<Step> {
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
            stage if stage <= last => filling::ask(OTHER, stage - FILLS),
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
    pub(super) fn still_owed(&mut self, stage: usize) -> Option<Step> {
        const LARGEST: i64 = FaceValue::MAX;
        const STAGES: usize = 21;
        if stage == 0 {
            // It just fits into a case.
            self.undisturbed = STAGES - 1;
        }
        let ask = |number| filling::ask(VENDOR, number);
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
    pub(super) fn released(&mut self, stage: usize) -> Option<Step> {
        const LAST: usize = filling::LARGEST + 1;
        let invoice = if stage < 16 { "f1" } else { "f2" };
        Some(match stage {
            0 | 11 | 20 => make::quote(VENDOR, FaceValue::MAX),
            1 => make::import("released", filling::rows(VENDOR)),
            2..=LAST => filling::ask(VENDOR, stage - 1),
            12 | 16 => make::act_on_invoice(ActionKind::FundingStarts, VENDOR, invoice),
            13 | 17 => make::act_on_invoice(ActionKind::FundingCompletes, VENDOR, invoice),
            14 | 18 => make::pay(VENDOR, invoice, FaceValue::MAX),
            15 | 19 => make::get_invoice(VENDOR, invoice),
            21 => filling::ask(VENDOR, filling::LARGEST),
            _ => return None,
        })
    }

    /// Quotes and refused requests take up no limit.
    pub(super) fn unspent(&mut self, stage: usize) -> Option<Step> {
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
}
