//! Defects that accept requests against the published schema.

use tideover_exchange::start;
use tideover_model::exchange::{Encoding, Response};
use tideover_model::wire::reply::{
    Amounts, BusinessSynced, Invited, InvoiceSynced, Onboarding, PayoutAccountSet, Quoted, Reply,
};
use tideover_model::words::SyncOutcome;
use tideover_model::{Answer, Cents, Clause, Code, Profile, Refusal, clause};

use crate::defects::Defect;
use crate::defects::breach::encoding;
use crate::defects::errors::replaced;

// Not formatted: each row is a line of a table.
#[rustfmt::skip]
pub(super) static DEFECTS: &[Defect] = &[
    encoded("face-value-of-nothing-is-synced", clause!("2.invoiceSync.faceValue"),
        "an invoice with a face value out of range is synced",
        |profile, answer| taken_if(profile, answer, "faceValue: expected", invoice)),
    encoded("unknown-status-is-synced", clause!("2.invoiceSync.status"),
        "an invoice with an unknown status is synced",
        |profile, answer| taken_if(profile, answer, "status: expected", invoice)),
    encoded("invoice-needs-no-payor", clause!("2.invoiceSync.payor"),
        "an invoice without a payor is synced",
        |profile, answer| taken_if(profile, answer, "payor is missing.", invoice)),
    encoded("invoice-is-never-due", clause!("2.invoiceSync.dueDate"),
        "an invoice without a due date is synced",
        |profile, answer| taken_if(profile, answer, "dueDate is missing.", invoice)),
    encoded("any-text-is-a-date", clause!("2.invoiceSync.issueDate"),
        "an invoice is synced with an issue date that is not a date-time, such as a bare day",
        |profile, answer| taken_if(profile, answer, "issueDate: expected", invoice)),
    encoded("business-needs-no-name", clause!("2.businessSync.legalName"),
        "a business with an empty name is synced",
        |profile, answer| taken_if(profile, answer, "legalName: expected", business)),
    encoded("account-number-is-not-looked-at", clause!("2.payoutAccount.accountNumber"),
        "an account number of three digits, or with letters, is accepted",
        |profile, answer| taken_if(profile, answer, "accountNumber: ", payout_account)),
    encoded("quote-for-nothing", clause!("4.quotes.3"),
        "a face value out of range is quoted",
        |profile, answer| taken_if(profile, answer, "invoiceFaceValue: expected", quote)),
    encoded("payee-needs-no-name", clause!("2.invoiceSync.payee"),
        "an invoice whose payee is no object, or lacks a field, is synced",
        |profile, answer| taken_by(profile, answer, clause!("2.invoiceSync.payee"), invoice)),
    encoded("contact-may-be-a-text", clause!("2.businessSync.contact"),
        "a business with a contact that is no object is synced",
        |profile, answer| taken_by(profile, answer, clause!("2.businessSync.contact"), business)),
    encoded("empty-label-is-kept", clause!("2.payoutAccount.label"),
        "a payout account with an empty label is accepted",
        |profile, answer| {
            taken_by(profile, answer, clause!("2.payoutAccount.label"), payout_account)
        }),
    encoded("anybody-is-invited", clause!("2.invitation.email"),
        "an invitation with an email that is no string is sent",
        |profile, answer| taken_by(profile, answer, clause!("2.invitation.email"), invited)),
    encoded("quote-for-nobody-is-about-an-invoice", clause!("4.quotes.6"),
        "a quote for a business that is not synced gets invoice_not_found",
        |profile, answer| {
            refused_by(profile, answer, clause!("4.quotes.6"), Code::InvoiceNotFound)
        }),
    encoded("subscription-of-others-is-unauthorized", clause!("7.codes.subscription_not_found"),
        "the deletion of another platform's subscription gets unauthorized",
        |profile, answer| {
            refused_by(profile, answer, clause!("5.authentication.4.2"), Code::Unauthorized)
        }),
    encoded("advance-without-a-payee-is-looked-up", clause!("4.advances.intro.1"),
        "a request for an advance without a payee gets business_not_found",
        |profile, answer| refused_by(profile, answer, clause!("4.advances.intro.1"), Code::BusinessNotFound))
        .named_as(clause!("7.codes.invalid_request")),
    encoded("invitation-without-a-business-is-looked-up", clause!("2.invitation.externalId"),
        "an invitation without a business gets business_not_found",
        |profile, answer| refused_by(profile, answer, clause!("2.invitation.externalId"), Code::BusinessNotFound))
        .named_as(clause!("7.codes.invalid_request")),
    encoded("session-without-a-business-is-looked-up", clause!("2.session.externalId"),
        "a session without a business gets business_not_found",
        |profile, answer| refused_by(profile, answer, clause!("2.session.externalId"), Code::BusinessNotFound))
        .named_as(clause!("7.codes.invalid_request")),
];

/// A defect in how an answer is written.
const fn encoded(
    name: &'static str,
    clause: Clause,
    words: &'static str,
    encode: Encoding,
) -> Defect {
    Defect::new(name, clause, words, encoding(encode))
}

fn is_by(answer: &Answer, clause: Clause) -> bool {
    let is_it =
        |refusal: &Refusal| (refusal.code, refusal.clause) == (Code::InvalidRequest, clause);
    answer.as_ref().is_err_and(is_it)
}

/// Answers a refusal by `clause` as a success.
fn taken_by(
    profile: &Profile,
    answer: &Answer,
    clause: Clause,
    reply: impl FnOnce() -> Reply,
) -> Response {
    replaced(profile, answer, is_by(answer, clause), || Ok(reply()))
}

/// Answers a refusal by `clause` with another code.
fn refused_by(profile: &Profile, answer: &Answer, clause: Clause, code: Code) -> Response {
    let is_it = answer.as_ref().is_err_and(|refusal| refusal.clause == clause);
    replaced(profile, answer, is_it, || Err(Refusal::new(code, clause)))
}

/// Answers a refusal whose message begins with `why` as a success.
fn taken_if(
    profile: &Profile,
    answer: &Answer,
    why: &str,
    reply: impl FnOnce() -> Reply,
) -> Response {
    let is_it = |refusal: &Refusal| {
        refusal.code == Code::InvalidRequest && refusal.message.starts_with(why)
    };
    replaced(profile, answer, answer.as_ref().is_err_and(is_it), || Ok(reply()))
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

fn invited() -> Reply {
    let expires_at = start().after(30 * 24 * 3600);
    Reply::Invited(Invited { invite_id: "inv_1".to_owned(), expires_at })
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
