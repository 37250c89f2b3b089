//! Defects of incoming money: collected amounts, collection states, advance states.

use tideover_model::words::{AdvanceState, CollectionState};
use tideover_model::{Cents, Happening, Impossible, Outcome};

use crate::Inner;
use crate::hooks::happening;

defects! {
    "third-payment-is-lost", "2.invoice.collected",
        "the third partial payment of an invoice is confirmed but never collected",
        happening(&lose_third_payment);
    "payment-before-funding-is-lost", "1.service.3.2", as "2.invoice.collected",
        "payments before the advance is FUNDED are shown as not collected",
        edit!(Invoice(invoice)
            if invoice.advance.as_ref().is_some_and(|advance| advance.funded_at.is_none()) => {
            invoice.collected = Cents::ZERO;
            invoice.collection_state = CollectionState::Uncollected;
        });
    "a-cent-too-much-is-collected", "2.invoice.collected.2",
        "an invoice whose advance is REPAID shows a cent too much as collected",
        edit!(Invoice(invoice)
            if invoice.collection_state == CollectionState::Collected
                && invoice.advance.as_ref().is_some_and(|advance| advance.repaid_at.is_some()) =>
            invoice.collected += Cents(1));
    "overpayment-is-collected", "2.invoice.collected.2",
        "an amount paid beyond the face value is collected too",
        happening(&|inner, happening| match inner.happen(happening)? {
            Outcome::Paid { applied, suspense } => {
                Ok(Outcome::Paid { applied: applied + suspense, suspense: Cents::ZERO })
            }
            outcome => Ok(outcome),
        });
    "a-cent-short-is-collected", "2.invoice.collectionState",
        "an invoice that lacks less than a dollar is shown as COLLECTED",
        edit!(Invoice(invoice)
            if invoice.collected > Cents::ZERO
                && invoice.face_value - invoice.collected < Cents(100) =>
            invoice.collection_state = CollectionState::Collected);
    "repaid-is-collected", "3.collection.1", as "2.invoice.collectionState",
        "an invoice whose advance is REPAID is shown as COLLECTED even if cents are missing",
        edit!(Invoice(invoice)
            if invoice.advance.as_ref().is_some_and(|advance| advance.repaid_at.is_some()) =>
            invoice.collection_state = CollectionState::Collected);
    "repaid-before-the-fee", "2.invoice.advance.2",
        "an advance is shown as REPAID as soon as all but its fee is recovered",
        edit!(Invoice(invoice)
            let Some(advance) = &mut invoice.advance,
            if advance.state == AdvanceState::Funded && advance.amount_owed <= advance.fee_total =>
            advance.state = AdvanceState::Repaid);
    "funding-is-skipped", "3.advance.1", as "2.invoice.advance.2",
        "an advance that is FUNDING is shown as REQUESTED",
        edit!(Invoice(invoice)
            let Some(advance) = &mut invoice.advance,
            if advance.state == AdvanceState::Funding => advance.state = AdvanceState::Requested);
    "sent-before-it-is-funded", "1.service.3", as "2.invoice.advance.2",
        "an advance shows its amount as sent while it is still FUNDING",
        edit!(Invoice(invoice)
            let Some(advance) = &mut invoice.advance,
            if advance.state == AdvanceState::Funding =>
            advance.amount_sent = advance.advance_amount);
    "fee-is-taken-off-what-is-sent", "2.amounts.advanceAmount", as "2.invoice.advance.2",
        "the amount sent of an advance is reduced by its fee",
        edit!(Invoice(invoice)
            let Some(advance) = &mut invoice.advance,
            if advance.amount_sent > Cents::ZERO => advance.amount_sent -= advance.fee_total);
    "nobody-pays-twice", "2.invoice.collectionState.2", as "2.invoice.collected.2",
        "a payor that has paid a part of an invoice cannot pay the rest",
        happening(&refuse_second_payment);
}

fn lose_third_payment(inner: &mut Inner<'_>, happening: Happening) -> Result<Outcome, Impossible> {
    let Happening::PayorPays { payee, invoice, amount } = &happening else {
        return inner.happen(happening);
    };
    let (key, amount) = (inner.key(&[payee, invoice]), *amount);
    if inner.memory.counted(&key) == 2
        && let Some(invoice) = inner.invoice(payee, invoice)
        && amount < invoice.face_value - invoice.collected
    {
        inner.memory.count(&key);
        return Ok(Outcome::Paid { applied: amount, suspense: Cents::ZERO });
    }
    let outcome = inner.happen(happening)?;
    inner.memory.count(&key);
    Ok(outcome)
}

fn refuse_second_payment(
    inner: &mut Inner<'_>,
    happening: Happening,
) -> Result<Outcome, Impossible> {
    let Happening::PayorPays { payee, invoice, .. } = &happening else {
        return inner.happen(happening);
    };
    let key = inner.key(&[payee, invoice]);
    if inner.memory.counted(&key) > 0 {
        return Err(Impossible::new("the payor has paid already"));
    }
    let outcome = inner.happen(happening)?;
    inner.memory.count(&key);
    Ok(outcome)
}
