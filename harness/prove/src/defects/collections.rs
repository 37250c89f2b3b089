//! Defects of incoming money: collected amounts, collection states, advance states.

use tideover_model::wire::reply::Reply;
use tideover_model::words::{AdvanceState, CollectionState};
use tideover_model::{Cents, Happening, Impossible, Operation, Outcome, clause};

use crate::defects::Defect;
use crate::defects::breach::{Behind, happening, reply};
use crate::defects::invoices::read;

pub(super) static DEFECTS: &[Defect] = &[
    Defect::new(
        "third-payment-is-lost",
        clause!("2.invoice.collected"),
        "the third partial payment of an invoice is confirmed but never collected",
        happening(|behind, happening| match &happening {
            Happening::PayorPays { payee, invoice, amount } => {
                let key = behind.key(&[payee, invoice]);
                let (payee, invoice, amount) = (payee.clone(), invoice.clone(), *amount);
                if behind.memory.counted(&key) == 2
                    && let Some(rest) = uncollected(behind, payee, invoice)
                    && amount < rest
                {
                    behind.memory.count(&key);
                    return Ok(Outcome::Paid { applied: amount, suspense: Cents::ZERO });
                }
                let outcome = behind.happen(happening)?;
                behind.memory.count(&key);
                Ok(outcome)
            }
            _ => behind.happen(happening),
        }),
    ),
    Defect::new(
        "payment-before-funding-is-lost",
        clause!("1.service.3.2"),
        "payments before the advance is FUNDED are shown as not collected",
        reply(|reply| {
            read(reply, |invoice| {
                if invoice.advance.as_ref().is_some_and(|advance| advance.funded_at.is_none()) {
                    invoice.collected = Cents::ZERO;
                    invoice.collection_state = CollectionState::Uncollected;
                }
            });
        }),
    )
    .named_as(clause!("2.invoice.collected")),
    Defect::new(
        "a-cent-too-much-is-collected",
        clause!("2.invoice.collected.2"),
        "an invoice whose advance is REPAID shows a cent too much as collected",
        reply(|reply| {
            read(reply, |invoice| {
                if invoice.collection_state == CollectionState::Collected
                    && invoice.advance.as_ref().is_some_and(|advance| advance.repaid_at.is_some())
                {
                    invoice.collected += Cents(1);
                }
            });
        }),
    ),
    Defect::new(
        "overpayment-is-collected",
        clause!("2.invoice.collected.2"),
        "an amount paid beyond the face value is collected too",
        happening(|behind, happening| match behind.happen(happening)? {
            Outcome::Paid { applied, suspense } => {
                Ok(Outcome::Paid { applied: applied + suspense, suspense: Cents::ZERO })
            }
            outcome => Ok(outcome),
        }),
    ),
    Defect::new(
        "a-cent-short-is-collected",
        clause!("2.invoice.collectionState"),
        "an invoice that lacks less than a dollar is shown as COLLECTED",
        reply(|reply| {
            read(reply, |invoice| {
                if invoice.collected > Cents::ZERO
                    && invoice.face_value - invoice.collected < Cents(100)
                {
                    invoice.collection_state = CollectionState::Collected;
                }
            });
        }),
    )
    .named_as(clause!("2.invoice.collectionState")),
    Defect::new(
        "repaid-is-collected",
        clause!("3.collection.1"),
        "an invoice whose advance is REPAID is shown as COLLECTED even if cents are missing",
        reply(|reply| {
            read(reply, |invoice| {
                if invoice.advance.as_ref().is_some_and(|advance| advance.repaid_at.is_some()) {
                    invoice.collection_state = CollectionState::Collected;
                }
            });
        }),
    )
    .named_as(clause!("2.invoice.collectionState")),
    Defect::new(
        "repaid-before-the-fee",
        clause!("2.invoice.advance.2"),
        "an advance is shown as REPAID as soon as all but its fee is recovered",
        reply(|reply| {
            read(reply, |invoice| {
                if let Some(advance) = &mut invoice.advance
                    && advance.state == AdvanceState::Funded
                    && advance.amount_owed <= advance.fee_total
                {
                    advance.state = AdvanceState::Repaid;
                }
            });
        }),
    ),
    Defect::new(
        "funding-is-skipped",
        clause!("3.advance.1"),
        "an advance that is FUNDING is shown as REQUESTED",
        reply(|reply| {
            read(reply, |invoice| {
                if let Some(advance) = &mut invoice.advance
                    && advance.state == AdvanceState::Funding
                {
                    advance.state = AdvanceState::Requested;
                }
            });
        }),
    )
    .named_as(clause!("2.invoice.advance.2")),
    Defect::new(
        "sent-before-it-is-funded",
        clause!("1.service.3"),
        "an advance shows its amount as sent while it is still FUNDING",
        reply(|reply| {
            read(reply, |invoice| {
                if let Some(advance) = &mut invoice.advance
                    && advance.state == AdvanceState::Funding
                {
                    advance.amount_sent = advance.advance_amount;
                }
            });
        }),
    )
    .named_as(clause!("2.invoice.advance.2")),
    Defect::new(
        "fee-is-taken-off-what-is-sent",
        clause!("2.amounts.advanceAmount"),
        "the amount sent of an advance is reduced by its fee",
        reply(|reply| {
            read(reply, |invoice| {
                if let Some(advance) = &mut invoice.advance
                    && advance.amount_sent > Cents::ZERO
                {
                    advance.amount_sent -= advance.fee_total;
                }
            });
        }),
    )
    .named_as(clause!("2.invoice.advance.2")),
    Defect::new(
        "nobody-pays-twice",
        clause!("2.invoice.collectionState.2"),
        "a payor that has paid a part of an invoice cannot pay the rest",
        happening(|behind, happening| match &happening {
            Happening::PayorPays { payee, invoice, .. } => {
                let key = behind.key(&[payee, invoice]);
                if behind.memory.counted(&key) > 0 {
                    return Err(Impossible::new("the payor has paid already"));
                }
                let outcome = behind.happen(happening)?;
                behind.memory.count(&key);
                Ok(outcome)
            }
            _ => behind.happen(happening),
        }),
    )
    .named_as(clause!("2.invoice.collected.2")),
];

/// The amount still to be collected on an invoice.
fn uncollected(behind: &mut Behind<'_>, payee: String, invoice: String) -> Option<Cents> {
    match behind.answer(Operation::GetInvoice { payee, invoice }) {
        Ok(Reply::Invoice(invoice)) => Some(invoice.face_value - invoice.collected),
        _ => None,
    }
}
