//! Defects that accept requests against the published schema.

use tideover_model::exchange::{Encoding, Response, respond};
use tideover_model::wire::reply::{
    Amounts, BusinessSynced, InvoiceSynced, Onboarding, PayoutAccountSet, Quoted, Reply,
};
use tideover_model::words::SyncOutcome;
use tideover_model::{Answer, Cents, Clause, Code, Profile, clause};

use crate::prove::defects::Defect;
use crate::prove::defects::breach::encoding;
use crate::prove::defects::errors::accepted;

// Not formatted: each row is a line of a table.
#[rustfmt::skip]
pub(super) static DEFECTS: &[Defect] = &[
    taken("face-value-of-nothing-is-synced", clause!("2.invoiceSync.faceValue"),
        "an invoice with a face value out of range is synced",
        |profile, answer| taken_if(profile, answer, "faceValue: expected", invoice)),
    taken("unknown-status-is-synced", clause!("2.invoiceSync.status"),
        "an invoice with an unknown status is synced",
        |profile, answer| taken_if(profile, answer, "status: expected", invoice)),
    taken("invoice-needs-no-payor", clause!("2.invoiceSync.payor"),
        "an invoice without a payor is synced",
        |profile, answer| taken_if(profile, answer, "payor is missing.", invoice)),
    taken("invoice-is-never-due", clause!("2.invoiceSync.dueDate"),
        "an invoice without a due date is synced",
        |profile, answer| taken_if(profile, answer, "dueDate is missing.", invoice)),
    taken("any-text-is-a-date", clause!("2.invoiceSync.issueDate"),
        "an invoice is synced with an issue date that is not a date-time, such as a bare day",
        |profile, answer| taken_if(profile, answer, "issueDate: expected", invoice)),
    taken("business-needs-no-name", clause!("2.businessSync.legalName"),
        "a business with an empty name is synced",
        |profile, answer| taken_if(profile, answer, "legalName: expected", business)),
    taken("account-number-is-not-looked-at", clause!("2.payoutAccount.accountNumber"),
        "an account number of three digits, or with letters, is accepted",
        |profile, answer| taken_if(profile, answer, "accountNumber: ", payout_account)),
    taken("quote-for-nothing", clause!("4.quotes.3"),
        "a face value out of range is quoted",
        |profile, answer| taken_if(profile, answer, "invoiceFaceValue: expected", quote)),
];

/// A defect that accepts a request that the service must refuse.
const fn taken(
    name: &'static str,
    clause: Clause,
    words: &'static str,
    encode: Encoding,
) -> Defect {
    Defect::new(name, clause, words, encoding(encode)).named_as(clause!("7.codes.invalid_request"))
}

/// Answers a refusal whose message begins with `why` as a success.
fn taken_if(
    profile: &Profile,
    answer: &Answer,
    why: &str,
    reply: impl FnOnce() -> Reply,
) -> Response {
    let matches = answer.as_ref().is_err_and(|refusal| refusal.message.starts_with(why));
    if matches {
        accepted(profile, answer, Code::InvalidRequest, reply)
    } else {
        respond(profile, answer)
    }
}

fn invoice() -> Reply {
    let external_id = "i1".to_owned();
    Reply::InvoiceSynced(InvoiceSynced { external_id, outcome: SyncOutcome::Updated, reason: None })
}

fn business() -> Reply {
    Reply::BusinessSynced(BusinessSynced {
        external_id: "v1".to_owned(),
        created: false,
        reason: "The identifier was already linked; the business was updated.",
        tax_id_result: None,
    })
}

fn payout_account() -> Reply {
    let (external_id, mask) = ("v1".to_owned(), "6789".to_owned());
    Reply::PayoutAccountSet(PayoutAccountSet { external_id, mask })
}

fn quote() -> Reply {
    let amounts = Amounts {
        financeable_amount: Cents::ZERO,
        advance_amount: Cents::ZERO,
        fee_total: Cents::ZERO,
        forwarded_at_payment: Cents::ZERO,
    };
    let onboarding =
        Onboarding { compliance: false, contract: false, bank: false, collection_account: false };
    Reply::Quoted(Quoted {
        amounts,
        fundable: false,
        not_fundable_reason: Some("Compliance is not cleared."),
        onboarding,
    })
}
