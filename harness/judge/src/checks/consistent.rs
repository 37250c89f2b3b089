//! A response agrees with itself: whether an invoice or a quote is fundable and why not, the content of an
//! advance, and whether a collection account is open and which one it is.

use serde_json::Value;
use tideover_exchange::Exchange;
use tideover_exchange::evidence::finding::Finding;
use tideover_exchange::matcher::leaves;
use tideover_model::wire::field::{self, Fields};
use tideover_model::{Clause, OperationKind, clause};

use crate::checks::{Check, Notes};

pub(super) struct Consistent;

impl Check for Consistent {
    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        // Other checks may have reported the same contradiction.
        if notes.findings.is_empty() {
            check_consistency(exchange, notes);
        }
    }
}

/// The contradictions within a response, whatever came before it.
pub fn contradictions_within(exchange: &Exchange<'_>) -> Vec<Finding> {
    let mut notes = Notes::default();
    check_consistency(exchange, &mut notes);
    notes.findings
}

fn check_consistency(exchange: &Exchange<'_>, notes: &mut Notes) {
    let Some(body) = exchange.seen.success_body() else { return };
    match exchange.kind() {
        Some(OperationKind::GetInvoice) => {
            let only_issued = Fields::of(body).fundable() != Some(true)
                || Fields::of(body).status() == Some("ISSUED");
            let evidence = || ("false, since it is not ISSUED", "true");
            notes.expect(
                exchange,
                clause!("2.invoice.fundable"),
                only_issued,
                field::FUNDABLE,
                evidence,
            );
            let free = Fields::of(body).fundable() != Some(true) || body[field::ADVANCE].is_null();
            let evidence = || ("false, since an advance stands against it", "true");
            notes.expect(exchange, clause!("2.invoice.fundable"), free, field::FUNDABLE, evidence);
            advance(exchange, body, notes);
            let clause = clause!("2.invoice.notFundableReason");
            reason(exchange, body, (clause, clause), notes);
        }
        Some(OperationKind::Quote) => {
            let missing = clause!("2.quote.notFundableReason");
            let needless = clause!("2.quote.notFundableReason.2");
            reason(exchange, body, (missing, needless), notes);
        }
        Some(OperationKind::GetBusiness) => account(exchange, body, notes),
        _ => {}
    }
}

/// An advance has a state, a paid amount and an amount owed, under any names.
fn advance(exchange: &Exchange<'_>, body: &Value, notes: &mut Notes) {
    if Fields::of(body).advance().is_none() {
        return;
    }
    let values = leaves(&body[field::ADVANCE]).count();
    let evidence = || ("a state and two amounts", format!("an object of {values} values"));
    notes.expect(exchange, clause!("2.invoice.advance.2"), values >= 3, "advance", evidence);
}

/// A reason is present exactly when the invoice or quote is not fundable. A missing reason and a needless one may
/// break two sentences.
fn reason(
    exchange: &Exchange<'_>,
    body: &Value,
    (missing, needless): (Clause, Clause),
    notes: &mut Notes,
) {
    let (Some(fundable), Some(reason)) =
        (Fields::of(body).fundable(), body.get(field::NOT_FUNDABLE_REASON))
    else {
        return;
    };
    let evidence = || {
        let expected = if fundable { "null, since it is fundable" } else { "a sentence" };
        (expected, reason.to_string())
    };
    let holds = reason.is_null() == fundable;
    let clause = if fundable && !holds { needless } else { missing };
    notes.expect(exchange, clause, holds, field::NOT_FUNDABLE_REASON, evidence);
}

/// The collection account is shown exactly while it is open.
fn account(exchange: &Exchange<'_>, body: &Value, notes: &mut Notes) {
    let open = Fields::of(body).onboarding().and_then(Fields::collection_account);
    let (Some(open), Some(account)) = (open, body.get(field::REMITTANCE)) else { return };
    let clause =
        if open { clause!("3.onboarding.4.2") } else { clause!("2.business.remittance.2") };
    let evidence = || {
        let expected = if open { "the account, which is open" } else { "null until it is open" };
        (expected, if account.is_null() { "null" } else { "an account" })
    };
    notes.expect(exchange, clause, account.is_null() != open, field::REMITTANCE, evidence);
}
