//! Invoices and their advances, whatever becomes of them.

use tideover_exchange::step::Step;
use tideover_model::ActionKind;

use crate::generate::names::{name_of, tax_digits};
use crate::generate::requests::InvoiceFields;
use crate::generate::stories::{OTHER, TWIN, VENDOR};
use crate::generate::{Walk, files, requests as make};

/// When an invoice is due whose price by days is another one after a while. Days.
const DAYS_PRICED: u32 = 90;

impl Walk {
    /// Two payees use one invoice identifier, and each invoice has an advance of its own (§1 rule 3).
    pub(super) fn one_number(&mut self, stage: usize) -> Option<Step> {
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

    /// A vendor whose tax id turns out to be wrong, with an invoice of each kind: advanced, fundable, new. Then it has
    /// another number.
    pub(super) fn lost_compliance(&mut self, stage: usize) -> Option<Step> {
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

    /// Invoices after their advances are repaid.
    pub(super) fn after_repayment(&mut self, stage: usize) -> Option<Step> {
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
    pub(super) fn withdrawn(&mut self, stage: usize) -> Option<Step> {
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

    /// A business that may finance anything but its own invoices.
    pub(super) fn self_dealing(&mut self, stage: usize) -> Option<Step> {
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
}

/// Two vendors without identifiers use one invoice identifier. The same names come again, in another upload. Then two
/// others, whose cells are blank where the first have no column.
pub(super) fn nameless(stage: usize) -> Option<Step> {
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

/// Instants in every RFC 3339 form.
pub(super) fn dates(stage: usize) -> Option<Step> {
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
