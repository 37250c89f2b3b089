//! Toward imports: interrupted, resumed, refused, over an advance, too large.

use serde_json::json;
use tideover_model::ActionKind;

use crate::exchange::step::{Action, Caller, Step};
use crate::generate::names::{VENDORS, advance};
use crate::generate::{Walk, requests as make};

impl Walk {
    pub(super) fn toward_import(&mut self, import: &'static str, stage: usize) -> Option<Step> {
        let rows = rows(import);
        Some(match stage {
            0 => make::act(
                ActionKind::InterruptNextImport,
                json!({ "afterRows": self.draw(0_u64..3) }),
            ),
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

    /// A row of an invoice with an advance changes only the status, and the advance stays the same.
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
            // Even a service with a higher limit refuses this.
            3 => make::sync_business("v1", &"x".repeat(8 * 1_048_576), None, None),
            4 => make::get_business("v1"),
            _ => return None,
        })
    }
}

const COLUMNS: &str =
    "externalId,payeeExternalId,payeeLegalName,payorLegalName,status,faceValue,issueDate,dueDate\n";

/// A file of `count` rows, all about one invoice.
fn equal_rows(count: usize) -> String {
    let row = "r,V,P,ISSUED,5,2026-01-01T00:00:00Z,2026-02-01T00:00:00Z\n";
    let header = "externalId,payeeLegalName,payorLegalName,status,faceValue,issueDate,dueDate\n";
    format!("{header}{}", row.repeat(count))
}

/// The file of an import: always the same text, so that it can be sent again.
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

/// A file with one invoice of one vendor.
pub(super) fn good_file() -> String {
    format!("{FULL_COLUMNS}\n{}\n", good_row())
}

fn good_row() -> String {
    format!("i1,v1,V1 Ltd,p1,P1 Ltd,ISSUED,1000,{DATES}")
}

/// Files that the service refuses as a whole: one without each required column, and other media types.
pub(super) fn refused_files() -> Vec<Step> {
    let columns: Vec<&str> = FULL_COLUMNS.split(',').collect();
    let row = good_row();
    let cells: Vec<&str> = row.split(',').collect();
    let without = |missing: &str| {
        let kept = |all: &[&str]| -> String {
            let kept = columns.iter().zip(all).filter(|(column, _)| **column != missing);
            kept.map(|(_, cell)| *cell).collect::<Vec<&str>>().join(",")
        };
        make::import(&format!("less-{missing}"), format!("{}\n{}\n", kept(&columns), kept(&cells)))
    };
    let mut steps: Vec<Step> = REQUIRED.iter().map(|column| without(column)).collect();
    for media in ["application/json", "application/pdf"] {
        let mut step = make::import("other-type", good_file());
        if let Action::Call(call) = &mut step.action {
            call.content_type = Some(media.into());
        }
        steps.push(step);
    }
    steps
}

const REQUIRED: [&str; 7] = [
    "externalId",
    "payeeLegalName",
    "payorLegalName",
    "status",
    "faceValue",
    "issueDate",
    "dueDate",
];
const FULL_COLUMNS: &str = "externalId,payeeExternalId,payeeLegalName,payorExternalId,payorLegalName,status,\
                            faceValue,issueDate,dueDate";
const DATES: &str = "2026-01-01T00:00:00Z,2026-03-01T00:00:00Z";

impl Walk {
    /// Accepted files in each form that the document allows, and rejected rows.
    pub(super) fn toward_rows(&mut self, stage: usize) -> Option<Step> {
        let (import, rows): (&str, &[&str]) = match stage {
            0 | 1 => ("quoted", &["q1,v1,\"Acme, Inc\",p1,\"P \"\"One\"\" Ltd\",ISSUED,1000,"]),
            3 => (
                "good-and-bad",
                &[
                    "g1,v1,V1 Ltd,p1,P1 Ltd,ISSUED,1000,",
                    "g2,v1,V1 Ltd,p1,P1 Ltd,ISSUED,0,",
                    "g3,v1,V1 Ltd,p1,P1 Ltd,ISSUED,2147483648,",
                    "g4,v1,V1 Ltd,p1,P1 Ltd,DRAFT,1000,",
                    "g6,v1,V1 Ltd,p1,P1 Ltd,ISSUED,2147483647,",
                ],
            ),
            6 => (
                "blank-names",
                &[
                    "b1,,Nameless One,,P1 Ltd,ISSUED,1000,",
                    "b1,,Nameless One,,P1 Ltd,ISSUED,1000,",
                    "b2, ,Nameless Two, ,P1 Ltd,ISSUED,1000,",
                ],
            ),
            8 => ("supplied", &["s1,supplied,Supplied Ltd,p1,P1 Ltd,ISSUED,1000,"]),
            11 | 13 => ("again", &["a1,v1,V1 Ltd,p1,P1 Ltd,ISSUED,90000,"]),
            15 => ("again", &["a1,v1,V1 Ltd,p1,P1 Ltd,ISSUED,80000,"]),
            16 => ("corrected", &["a1,v1,V1 Ltd,p1,P1 Ltd,VOIDED,80000,"]),
            2 => return Some(make::get_import("quoted")),
            4 => return Some(make::get_import("good-and-bad")),
            5 => return Some(make::get_invoice("v1", "g6")),
            7 => return Some(make::get_import("blank-names")),
            9 => return Some(make::get_business("supplied")),
            10 => return Some(make::get_invoice("supplied", "s1")),
            12 => return Some(self.sync_with("v1", "a1", "ISSUED", 70_000)),
            14 | 17 => return Some(make::get_invoice("v1", "a1")),
            _ => return None,
        };
        let rows: String = rows.iter().map(|row| format!("{row}{DATES}\n")).collect();
        Some(make::import(import, format!("{FULL_COLUMNS}\n{rows}")))
    }
}

/// Face values that fill a limit: large ones first, then smaller and smaller. Cents.
pub(super) const FILLING: [i64; 11] = [
    25_000_000, 25_000_000, 25_000_000, 25_000_000, 25_000_000, 12_500_000, 6_250_000, 3_000_000,
    1_500_000, 200_000, 40_000,
];

/// A file with an invoice for each of them: `f1`, `f2` and so on.
pub(super) fn filling_rows(payee: &str) -> String {
    let row = |(index, face): (usize, &i64)| {
        let number = index + 1;
        format!("f{number},{payee},V,P,ISSUED,{face},2026-01-01T00:00:00Z,2090-03-01T00:00:00Z\n")
    };
    format!("{COLUMNS}{}", FILLING.iter().enumerate().map(row).collect::<String>())
}
