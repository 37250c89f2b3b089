//! Defects of quotes: wrong fields, and side effects.

use serde_json::json;
use tideover_model::wire::reply::{Quoted, Reply};
use tideover_model::{Answer, Cents, Operation, clause};

use crate::defects::Defect;
use crate::defects::breach::{answer, encoding, reply};
use crate::defects::errors::rewritten;

const OVER_LIMIT: &str = "The advance would exceed what may be outstanding with this business.";

pub(super) static DEFECTS: &[Defect] = &[
    Defect::new(
        "quoted-fee-is-in-dollars",
        clause!("1.general.1"),
        "the fee of a quote is in dollars, with a decimal point",
        encoding(|profile, answer| {
            rewritten(profile, answer, |reply, body| {
                let Reply::Quoted(Quoted { amounts, .. }) = reply else { return None };
                let Cents(fee) = amounts.fee_total;
                body["feeTotal"] =
                    format!("{}.{:02}", fee / 100, fee % 100).parse::<f64>().ok()?.into();
                Some(())
            })
        }),
    )
    .named_as(clause!("2.quote.feeTotal")),
    Defect::new(
        "quoted-amount-is-text",
        clause!("1.general.1"),
        "financeableAmount of a quote is a string of digits",
        encoding(|profile, answer| {
            rewritten(profile, answer, |reply, body| {
                let Reply::Quoted(Quoted { amounts, .. }) = reply else { return None };
                body["financeableAmount"] = json!(amounts.financeable_amount.0.to_string());
                Some(())
            })
        }),
    )
    .named_as(clause!("2.quote.financeableAmount")),
    Defect::new(
        "quote-lacks-its-object",
        clause!("2.quote.extra"),
        "a quote lacks its onboarding object",
        encoding(|profile, answer| {
            rewritten(profile, answer, |reply, body| {
                let Reply::Quoted(_) = reply else { return None };
                body.as_object_mut()?.remove("onboarding").map(|_| ())
            })
        }),
    )
    .named_as(clause!("gap.quoteExtra")),
    Defect::new(
        "quote-forgets-the-limit",
        clause!("2.quote.fundable"),
        "a quote over the limit of its business is fundable",
        reply(|reply| {
            if let Reply::Quoted(quoted) = reply
                && quoted.not_fundable_reason.is_some_and(|reason| reason.contains("outstanding"))
            {
                quoted.fundable = true;
                quoted.not_fundable_reason = None;
            }
        }),
    ),
    Defect::new(
        "quotes-take-up-the-limit",
        clause!("4.quotes.2"),
        "five fundable quotes use up the limit of a business",
        answer(|behind, operation| {
            let quoted = match &operation {
                Operation::Quote { business, .. } => behind.key(&[business]),
                _ => return behind.answer(operation),
            };
            let mut answer = behind.answer(operation);
            if is_fundable(&answer) && behind.memory.count(&quoted) > 5 {
                exceed(&mut answer);
            }
            answer
        }),
    )
    .named_as(clause!("2.quote.fundable")),
    Defect::new(
        "refused-advances-take-up-the-limit",
        clause!("8.concentrationLimit"),
        "five refused advances use up the limit of a business",
        answer(|behind, operation| {
            let business = match &operation {
                Operation::RequestAdvance { payee: business, .. }
                | Operation::Quote { business, .. } => behind.key(&[business]),
                _ => return behind.answer(operation),
            };
            let requested = matches!(operation, Operation::RequestAdvance { .. });
            let mut answer = behind.answer(operation);
            if requested && answer.is_err() {
                behind.memory.count(&business);
            }
            if behind.memory.counted(&business) >= 5 {
                exceed(&mut answer);
            }
            answer
        }),
    )
    .named_as(clause!("2.quote.fundable")),
];

fn is_fundable(answer: &Answer) -> bool {
    matches!(answer, Ok(Reply::Quoted(quoted)) if quoted.fundable)
}

/// Turns a fundable quote into one over the limit.
fn exceed(answer: &mut Answer) {
    if let Ok(Reply::Quoted(quoted)) = answer
        && quoted.fundable
    {
        quoted.fundable = false;
        quoted.not_fundable_reason = Some(OVER_LIMIT);
    }
}
