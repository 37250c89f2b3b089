//! Defects that accept requests against the published schema.

use tideover_exchange::start;
use tideover_model::wire::reply::{
    Amounts, BusinessSynced, Invited, InvoiceSynced, Onboarding, PayoutAccountSet, Quoted, Reply,
};
use tideover_model::words::SyncOutcome;
use tideover_model::{Answer, Cents, Clause, Code, Refusal, clause};

use crate::catalogue::texts::{is, replaced};
use crate::hooks::encoding;

/// Takes an invalid request: one that is refused with a message that begins so, or by a clause.
macro_rules! taken {
    ($why:literal => $reply:ident) => {
        encoding(&|profile, answer| {
            replaced(profile, answer, is_invalid(answer, $why), || Ok($reply()))
        })
    };
    (by $clause:literal => $reply:ident) => {
        encoding(&|profile, answer| {
            let is_due = is(answer, Code::InvalidRequest) && is_by(answer, clause!($clause));
            replaced(profile, answer, is_due, || Ok($reply()))
        })
    };
}

/// Refuses with another code what a clause refuses.
macro_rules! recoded {
    ($clause:literal => $code:ident) => {
        encoding(&|profile, answer| {
            let (clause, code) = (clause!($clause), Code::$code);
            let other = || Err(Refusal::new(code, clause));
            replaced(profile, answer, is_by(answer, clause), other)
        })
    };
}

defects! {
    "face-value-of-nothing-is-synced", "2.invoiceSync.faceValue",
        "an invoice with a face value out of range is synced",
        taken!("faceValue: expected" => invoice);
    "unknown-status-is-synced", "2.invoiceSync.status",
        "an invoice with an unknown status is synced",
        taken!("status: expected" => invoice);
    "invoice-needs-no-payor", "2.invoiceSync.payor",
        "an invoice without a payor is synced",
        taken!("payor is missing." => invoice);
    "invoice-is-never-due", "2.invoiceSync.dueDate",
        "an invoice without a due date is synced",
        taken!("dueDate is missing." => invoice);
    "any-text-is-a-date", "2.invoiceSync.issueDate",
        "an invoice is synced with an issue date that is not a date-time, such as a bare day",
        taken!("issueDate: expected" => invoice);
    "business-needs-no-name", "2.businessSync.legalName",
        "a business with an empty name is synced",
        taken!("legalName: expected" => business);
    "account-number-is-not-looked-at", "2.payoutAccount.accountNumber",
        "an account number of three digits, or with letters, is accepted",
        taken!("accountNumber: " => payout_account);
    "quote-for-nothing", "4.quotes.3",
        "a face value out of range is quoted",
        taken!("invoiceFaceValue: expected" => quote);
    "payee-needs-no-name", "2.invoiceSync.payee",
        "an invoice whose payee is no object, or lacks a field, is synced",
        taken!(by "2.invoiceSync.payee" => invoice);
    "contact-may-be-a-text", "2.businessSync.contact",
        "a business with a contact that is no object is synced",
        taken!(by "2.businessSync.contact" => business);
    "empty-label-is-kept", "2.payoutAccount.label",
        "a payout account with an empty label is accepted",
        taken!(by "2.payoutAccount.label" => payout_account);
    "anybody-is-invited", "2.invitation.email",
        "an invitation with an email that is no string is sent",
        taken!(by "2.invitation.email" => invited);
    "quote-for-nobody-is-about-an-invoice", "4.quotes.6",
        "a quote for a business that is not synced gets invoice_not_found",
        recoded!("4.quotes.6" => InvoiceNotFound);
    "subscription-of-others-is-unauthorized", "7.codes.subscription_not_found",
        "the deletion of another platform's subscription gets unauthorized",
        recoded!("5.authentication.4.2" => Unauthorized);
    "advance-without-a-payee-is-looked-up", "4.advances.intro.1", as "7.codes.invalid_request",
        "a request for an advance without a payee gets business_not_found",
        recoded!("4.advances.intro.1" => BusinessNotFound);
    "invitation-without-a-business-is-looked-up", "2.invitation.externalId", as "7.codes.invalid_request",
        "an invitation without a business gets business_not_found",
        recoded!("2.invitation.externalId" => BusinessNotFound);
    "session-without-a-business-is-looked-up", "2.session.externalId", as "7.codes.invalid_request",
        "a session without a business gets business_not_found",
        recoded!("2.session.externalId" => BusinessNotFound);
}

fn is_by(answer: &Answer, clause: Clause) -> bool {
    answer.as_ref().is_err_and(|refusal| refusal.clause == clause)
}

fn is_invalid(answer: &Answer, why: &str) -> bool {
    is(answer, Code::InvalidRequest)
        && answer.as_ref().is_err_and(|refusal| refusal.message.starts_with(why))
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
