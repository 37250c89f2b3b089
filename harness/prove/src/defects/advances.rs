//! Defects of quotes and advances: prices, limits, refusals, repeated requests.

use tideover_model::wire::reply::{AdvanceRequested, Amounts, Remittance, Reply};
use tideover_model::{Answer, Cents, Code, FaceValue, Operation, PlatformId, Refusal, clause};

use crate::defects::Defect;
use crate::defects::breach::{Behind, answer, choice, encoding, reply};
use crate::defects::chosen::Skew;
use crate::defects::errors::rewritten;

const HOUR: u64 = 3600;

pub(super) static DEFECTS: &[Defect] = &[
    altered!("repeat-charges-a-cent-more", "4.advances.2",
        AdvanceRepeated(advance) => advance.fee_total += Cents(1),
        "a repeated request shows a fee that is a cent higher"),
    Defect::new(
        "late-repeat-is-priced-anew",
        clause!("4.advances.2.2"),
        "a request repeated an hour after the first shows half the advance",
        answer(|behind, operation| {
            let key = requested(behind, &operation);
            let mut answer = behind.answer(operation);
            match &mut answer {
                Ok(Reply::AdvanceRequested(_)) => behind.memory.note(key, behind.now),
                Ok(Reply::AdvanceRepeated(advance))
                    if behind.memory.noted(&key).is_some_and(|at| behind.now >= at.after(HOUR)) =>
                {
                    advance.advance_amount = Cents(advance.advance_amount.0 / 2);
                }
                _ => {}
            }
            answer
        }),
    ),
    altered!("repeat-names-another-account", "2.advance.remittance",
        AdvanceRepeated(advance) => advance.remittance.account_number.insert(0, '9'),
        "a repeated request names another account for the payor to pay into"),
    altered!("repeat-is-answered-as-the-first", "2.advance.alreadyRequested.2",
        AdvanceRepeated(advance) => advance.already_requested = false,
        "a repeated request shows alreadyRequested as false"),
    Defect::new(
        "third-request-is-refused",
        clause!("4.advances.2"),
        "the third request of one advance is refused because the invoice already has an advance",
        answer(|behind, operation| {
            let key = requested(behind, &operation);
            match behind.answer(operation)? {
                Reply::AdvanceRepeated(_) if behind.memory.count(&key) >= 2 => {
                    Err(Refusal::new(Code::InvoiceNotFinanceable, clause!("4.advances.2")))
                }
                reply => Ok(reply),
            }
        }),
    )
    .named_as(clause!("4.advances.2.2")),
    Defect::new(
        "returned-advance-is-a-cent-short",
        clause!("2.advance.advanceAmount"),
        "the first response shows a cent less than the advance amount",
        reply(|reply| first(reply, |amounts| amounts.advance_amount -= Cents(1))),
    ),
    Defect::new(
        "fee-is-in-whole-dollars",
        clause!("2.advance.feeTotal"),
        "the fee of an advance is shown without its cents",
        reply(|reply| {
            first(reply, |amounts| amounts.fee_total = Cents(amounts.fee_total.0 / 100 * 100))
        }),
    ),
    Defect::new(
        "advance-finances-its-own-amount",
        clause!("2.advance.financeableAmount"),
        "financeableAmount of an advance is the amount paid out",
        reply(|reply| first(reply, |amounts| amounts.financeable_amount = amounts.advance_amount)),
    )
    .named_as(clause!("2.amounts.financeableAmount")),
    Defect::new(
        "advance-forwards-the-fee",
        clause!("2.advance.forwardedAtPayment"),
        "forwardedAtPayment of an advance includes the fee",
        reply(|reply| first(reply, |amounts| amounts.forwarded_at_payment += amounts.fee_total)),
    )
    .named_as(clause!("2.amounts.forwardedAtPayment")),
    Defect::new(
        "cap-is-forgotten",
        clause!("2.amounts.financeableAmount"),
        "a face value of any size is financed in full",
        choice(Skew::NoCap),
    )
    .named_as(clause!("2.quote.advanceAmount")),
    Defect::new(
        "cap-is-a-cent-too-high",
        clause!("8.perInvoiceMaximum"),
        "the per-invoice maximum is a cent too high",
        choice(Skew::CapOffByOne),
    )
    .named_as(clause!("2.quote.feeTotal")),
    Defect::new(
        "excess-over-the-cap-is-kept",
        clause!("2.amounts.financeableAmount.2"),
        "forwardedAtPayment of a quote omits the excess over the per-invoice maximum",
        answer(|behind, operation| {
            quoted(behind, operation, |amounts, face| {
                let excess = face.cents() - amounts.financeable_amount;
                amounts.forwarded_at_payment -= excess;
            })
        }),
    )
    .named_as(clause!("2.amounts.forwardedAtPayment")),
    Defect::new(
        "fee-is-taken-off-the-advance",
        clause!("2.amounts.advanceAmount.2"),
        "the fee is deducted from the amount paid to the business",
        choice(Skew::FeeTakenOff),
    )
    .named_as(clause!("2.advance.advanceAmount")),
    Defect::new(
        "quote-forwards-too-much",
        clause!("2.amounts.forwardedAtPayment"),
        "forwardedAtPayment of a quote does not deduct the fee",
        answer(|behind, operation| {
            quoted(behind, operation, |amounts, _| {
                amounts.forwarded_at_payment += amounts.fee_total
            })
        }),
    ),
    Defect::new(
        "forwarded-is-negative",
        clause!("2.amounts.forwardedAtPayment.2"),
        "forwardedAtPayment of a quote for one cent is negative",
        answer(|behind, operation| {
            quoted(behind, operation, |amounts, face| {
                if face.cents() == Cents(1) {
                    amounts.forwarded_at_payment = Cents(-1);
                }
            })
        }),
    ),
    Defect::new(
        "fee-is-negative",
        clause!("1.general.1"),
        "the fee of a quote for 99 cents is negative",
        answer(|behind, operation| {
            quoted(behind, operation, |amounts, face| {
                if face.cents() == Cents(99) {
                    amounts.fee_total = Cents(-1);
                }
            })
        }),
    ),
    Defect::new(
        "amounts-have-a-decimal-point",
        clause!("2.quote.advanceAmount"),
        "advanceAmount of a quote is a number with a decimal point",
        encoding(|profile, answer| {
            rewritten(profile, answer, |reply, body| {
                if matches!(reply, Reply::Quoted(_)) {
                    body["advanceAmount"] = body["advanceAmount"].as_f64()?.into();
                }
                Some(())
            })
        }),
    ),
    Defect::new(
        "quoted-fee-is-missing",
        clause!("2.quote.feeTotal"),
        "a quote for a business that is not onboarded has no feeTotal",
        encoding(|profile, answer| {
            rewritten(profile, answer, |reply, body| {
                if matches!(reply, Reply::Quoted(quoted) if !quoted.onboarding.is_complete()) {
                    body.as_object_mut()?.remove("feeTotal");
                }
                Some(())
            })
        }),
    ),
    Defect::new(
        "quote-is-capped-at-sixteen-bits",
        clause!("2.quote.financeableAmount"),
        "a quote finances at most 65,535 cents",
        answer(|behind, operation| {
            quoted(behind, operation, |amounts, _| {
                amounts.financeable_amount = amounts.financeable_amount.min(Cents(65_535));
            })
        }),
    )
    .named_as(clause!("2.amounts.financeableAmount")),
    Defect::new(
        "quote-rounds-what-is-forwarded",
        clause!("2.quote.forwardedAtPayment"),
        "forwardedAtPayment of a quote is rounded down to ten cents",
        answer(|behind, operation| {
            quoted(behind, operation, |amounts, _| {
                amounts.forwarded_at_payment = Cents(amounts.forwarded_at_payment.0 / 10 * 10);
            })
        }),
    )
    .named_as(clause!("2.amounts.forwardedAtPayment")),
    Defect::new(
        "every-quote-is-fundable",
        clause!("2.quote.fundable"),
        "a quote for a business that lacks only its collection account is fundable",
        reply(|reply| {
            if let Reply::Quoted(quoted) = reply {
                let mut onboarding = quoted.onboarding;
                onboarding.collection_account = true;
                if !quoted.fundable && onboarding.is_complete() {
                    quoted.fundable = true;
                    quoted.not_fundable_reason = None;
                }
            }
        }),
    ),
    altered!("quote-names-no-requirement", "2.quote.notFundableReason",
        Quoted(quoted) => quoted.not_fundable_reason = None,
        "a quote that is not fundable has a null reason"),
    Defect::new(
        "quote-names-the-limit",
        clause!("2.quote.notFundableReason.3"),
        "the reason of a quote that is not fundable states the limit",
        reply(|reply| {
            if let Reply::Quoted(quoted) = reply
                && let Some(reason) = &mut quoted.not_fundable_reason
            {
                *reason = "No more than 100,000,000 cents may be outstanding.";
            }
        }),
    ),
    Defect::new(
        "quotes-leave-something",
        clause!("4.quotes.2"),
        "a quote creates an onboarding link for its business",
        answer(|behind, operation| {
            let quoted = match &operation {
                Operation::Quote { business, .. } => Some(business.clone()),
                _ => None,
            };
            let answer = behind.answer(operation);
            if let (Ok(_), Some(business)) = (&answer, quoted) {
                // The result does not matter.
                let _ = behind.answer(Operation::CreateOnboardingSession { business });
            }
            answer
        }),
    ),
    Defect::new(
        "limit-is-never-reached",
        clause!("4.advances.1"),
        "no outstanding amount exceeds the limit of a business",
        choice(Skew::NoLimit),
    ),
    Defect::new(
        "limit-has-some-slack",
        clause!("8.concentrationLimit"),
        "the outstanding amount of a business may exceed the limit by a tenth",
        choice(Skew::WideLimit),
    )
    .named_as(clause!("4.advances.1")),
    Defect::new(
        "limit-is-counted-per-platform",
        clause!("8.concentrationLimit"),
        "the amount outstanding through one platform does not count for the other",
        answer(|behind, operation| {
            grant_if(behind, operation, |behind, refusal| {
                refusal.code == Code::ConcentrationExceeded && behind.caller != PlatformId::DEFAULT
            })
        }),
    )
    .named_as(clause!("4.advances.1")),
    Defect::new(
        "advance-needs-no-onboarding",
        clause!("3.onboarding.2.2"),
        "an advance is granted to a business that lacks a requirement",
        answer(|behind, operation| {
            grant_if(behind, operation, |_, refusal| refusal.code == Code::BusinessNotEligible)
        }),
    ),
    Defect::new(
        "paid-invoices-are-financed",
        clause!("3.invoice.1"),
        "an advance is granted on an invoice that is not ISSUED",
        answer(|behind, operation| {
            grant_if(behind, operation, |_, refusal| refusal.clause == clause!("3.invoice.1"))
        }),
    ),
    Defect::new(
        "alias-finances-its-own-invoice",
        clause!("4.advances.4"),
        "a business gets an advance on an invoice that it owes to itself",
        answer(|behind, operation| {
            grant_if(behind, operation, |_, refusal| refusal.code == Code::SelfDealing)
        }),
    ),
    Defect::new(
        "unsynced-business-is-ineligible",
        clause!("4.advances.5"),
        "an advance for a business that is not synced is refused as business_not_eligible",
        answer(|behind, operation| {
            let is_advance = matches!(operation, Operation::RequestAdvance { .. });
            match behind.answer(operation) {
                Err(refusal) if is_advance && refusal.code == Code::BusinessNotFound => {
                    Err(Refusal::new(Code::BusinessNotEligible, clause!("4.advances.5")))
                }
                answer => answer,
            }
        }),
    ),
    Defect::new(
        "advance-is-lost",
        clause!("2.invoice.advance.2"),
        "an invoice shows its advance only once the advance is FUNDED",
        reply(|reply| {
            super::invoices::read(reply, |invoice| {
                invoice.advance.take_if(|advance| advance.funded_at.is_none());
            });
        }),
    ),
];

/// The key under which a requested advance is remembered.
pub(super) fn requested(behind: &Behind<'_>, operation: &Operation) -> String {
    match operation {
        Operation::RequestAdvance { payee, invoice } => behind.key(&[payee, invoice]),
        _ => String::new(),
    }
}

/// Answers some refusals with an advance that is priced like a quote and never paid out.
pub(super) fn grant_if(
    behind: &mut Behind<'_>,
    operation: Operation,
    granted: impl FnOnce(&Behind<'_>, &Refusal) -> bool,
) -> Answer {
    let (payee, invoice) = match &operation {
        Operation::RequestAdvance { payee, invoice } => (payee.clone(), invoice.clone()),
        _ => return behind.answer(operation),
    };
    match behind.answer(operation) {
        Err(refusal) if granted(behind, &refusal) => grant(behind, payee, invoice).ok_or(refusal),
        answer => answer,
    }
}

pub(super) fn grant(behind: &mut Behind<'_>, payee: String, invoice: String) -> Option<Reply> {
    let read = Operation::GetInvoice { payee: payee.clone(), invoice };
    let Ok(Reply::Invoice(invoice)) = behind.answer(read) else { return None };
    let face_value = FaceValue::new(invoice.face_value.0)?;
    let Ok(Reply::Quoted(quoted)) = behind.answer(Operation::Quote { business: payee, face_value })
    else {
        return None;
    };
    Some(Reply::AdvanceRequested(AdvanceRequested {
        already_requested: false,
        amounts: quoted.amounts,
        remittance: Remittance {
            account_number: "990000000001".to_owned(),
            routing_number: "021000021".to_owned(),
        },
    }))
}

/// Alters the amounts in the response to a first request.
fn first(reply: &mut Reply, alter: impl FnOnce(&mut Amounts)) {
    if let Reply::AdvanceRequested(advance) = reply {
        alter(&mut advance.amounts);
    }
}

/// Alters the amounts of a quote; `alter` also gets the requested face value.
fn quoted(
    behind: &mut Behind<'_>,
    operation: Operation,
    alter: impl FnOnce(&mut Amounts, FaceValue),
) -> Answer {
    let face_value = match &operation {
        Operation::Quote { face_value, .. } => Some(*face_value),
        _ => None,
    };
    let mut answer = behind.answer(operation);
    if let (Ok(Reply::Quoted(quoted)), Some(face_value)) = (&mut answer, face_value) {
        alter(&mut quoted.amounts, face_value);
    }
    answer
}
