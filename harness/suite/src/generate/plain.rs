//! A plain request to each endpoint, with nothing special in it: others differ from it in one thing.

use tideover_exchange::step::{Action, Call, Step};
use tideover_model::OperationKind;

use crate::generate::names::VENDORS;
use crate::generate::requests as make;

/// The vendor of these requests.
pub(super) const VENDOR: &str = VENDORS[0];
pub(super) const INVOICE: &str = "i1";
pub(super) const IMPORT: &str = "m1";

/// The columns of a file with one row for each invoice, and the dates of such a row.
pub(super) const FULL_COLUMNS: &str = "externalId,payeeExternalId,payeeLegalName,payorExternalId,payorLegalName,status,\
                                       faceValue,issueDate,dueDate";
pub(super) const DATES: &str = "${start+0d},${start+59d}";

/// A plain request of each kind: a valid one where it has a body.
pub(crate) fn plain(kind: OperationKind) -> Step {
    match kind {
        OperationKind::ImportInvoices => make::import("unauthorized", good_file()),
        OperationKind::SyncInvoice => make::plain_invoice(VENDOR, INVOICE, 1000),
        OperationKind::SyncBusiness => make::sync_business(VENDOR, "V1 Ltd", None, None),
        OperationKind::SetPayoutAccount => {
            make::set_payout_account(VENDOR, "000123456", "021000021", None)
        }
        OperationKind::RequestAdvance => make::request_advance(VENDOR, INVOICE),
        OperationKind::Quote => make::quote(VENDOR, 1000),
        OperationKind::Invite => make::invite(VENDOR, "ann@v1.example"),
        OperationKind::CreateOnboardingSession => make::create_session(VENDOR),
        OperationKind::Subscribe => make::subscribe("https://hooks.example.com/x", None),
        _ => Step::new(Action::Call(bare(kind))),
    }
}

/// The identifiers in the path of an endpoint, of things that exist, if they can.
pub(super) fn identifiers(kind: OperationKind) -> &'static [&'static str] {
    match kind {
        OperationKind::GetInvoice => &[VENDOR, INVOICE],
        OperationKind::SyncInvoice => &[INVOICE],
        OperationKind::GetImport | OperationKind::ImportInvoices => &[IMPORT],
        OperationKind::Unsubscribe => &["whs_unknown"],
        _ => &[VENDOR],
    }
}

/// A request to an endpoint without a body.
pub(super) fn bare(kind: OperationKind) -> Call {
    Call::of(kind, identifiers(kind), None)
}

/// A file with one invoice of one vendor.
pub(super) fn good_file() -> String {
    format!("{FULL_COLUMNS}\n{}\n", good_row())
}

pub(super) fn good_row() -> String {
    format!("i1,v1,V1 Ltd,p1,P1 Ltd,ISSUED,1000,{DATES}")
}
