//! Toward imports: interrupted, resumed, refused, over an advance, too large.

use serde_json::json;

use crate::generate::Walk;
use crate::generate::goals::{VENDORS, advance};
use crate::generate::requests as make;
use crate::step::{Action, Caller, Step};

impl Walk {
    pub(super) fn toward_import(&mut self, import: &'static str, stage: usize) -> Option<Step> {
        let rows = rows(import);
        Some(match stage {
            0 => make::act("interruptNextImport", json!({ "afterRows": self.draw(0_u64..3) })),
            1 | 3 | 5 => make::import(import, rows),
            2 | 4 | 6 => make::get_import(import),
            7 => make::import(
                import,
                format!("{rows}extra,v1,V,P,ISSUED,5,2026-01-01T00:00:00Z,2026-02-01T00:00:00Z\n"),
            ),
            8 => make::import("m3", rows.replace(",ISSUED,", ",PAID,")),
            9 => make::import("m4", rows.replace("faceValue", "amount")),
            10 => {
                let mut step = make::import("m4", rows);
                if let Action::Call(call) = &mut step.action {
                    call.content_type = Some("application/json".into());
                }
                step
            }
            _ => return None,
        })
    }

    /// The row of an invoice that has an advance moves only its status, and it is still the same advance.
    pub(super) fn toward_import_over_advance(&mut self, stage: &mut usize) -> Option<Step> {
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
            2 | 5 | 7 => make::request_advance(payee, "m1-0"),
            3 => make::import("m6", rows("m1").replace(",ISSUED,", ",PAID,")),
            4 => make::get_invoice(payee, "m1-0"),
            6 => make::advance_clock(3600),
            _ => return None,
        })
    }

    pub(super) fn toward_too_large(&mut self, stage: usize) -> Option<Step> {
        Some(match stage {
            0 => make::import("large", equal_rows(1001)),
            1 => make::import("full", equal_rows(1000)),
            2 => make::sync_business("v1", &"x".repeat(1_048_576), None, None),
            3 => make::get_business("v1"),
            _ => return None,
        })
    }
}

const COLUMNS: &str =
    "externalId,payeeExternalId,payeeLegalName,payorLegalName,status,faceValue,issueDate,dueDate\n";

/// A file of so many rows, each about one invoice.
fn equal_rows(count: usize) -> String {
    let row = "r,V,P,ISSUED,5,2026-01-01T00:00:00Z,2026-02-01T00:00:00Z\n";
    let header = "externalId,payeeLegalName,payorLegalName,status,faceValue,issueDate,dueDate\n";
    format!("{header}{}", row.repeat(count))
}

/// Invoices that fill the limit of `payee` together.
pub(super) fn large_rows(payee: &str) -> String {
    let row = |number| {
        format!(
            "large{number},{payee},V,P,ISSUED,25000000,2026-01-01T00:00:00Z,2026-03-01T00:00:00Z\n"
        )
    };
    format!("{COLUMNS}{}", (1..=5).map(row).collect::<String>())
}

/// The same text for the same import, so that it can be sent again.
fn rows(import: &str) -> String {
    let mut csv = COLUMNS.to_owned();
    let dates = "2026-01-01T00:00:00Z,2026-03-01T00:00:00Z";
    for (row, (payee, face)) in
        [("v1", "1000"), ("", "250000"), ("v2", "9.5"), ("v1", "2147483648"), ("v2", "99")]
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
