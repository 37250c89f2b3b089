//! Defects of quotes and advances: prices, limits, refusals, repeated requests.

use tideover_model::wire::reply::{AdvanceRequested, Quoted, Remittance, Reply};
use tideover_model::{Answer, Cents, Code, FaceValue, Operation, PlatformId, Refusal, clause};

use crate::hooks::{answer, choice};
use crate::{Inner, WrongChoice};

const HOUR: u64 = 3600;

defects! {
    "repeat-charges-a-cent-more", "4.advances.2",
        "a repeated request shows a fee that is a cent higher",
        edit!(AdvanceRepeated(advance) => advance.fee_total += Cents(1));
    "late-repeat-is-priced-anew", "4.advances.2.2",
        "a request repeated an hour after the first shows half the advance",
        answer(&price_anew_after_an_hour);
    "repeat-names-another-account", "2.advance.remittance",
        "a repeated request names another account for the payor to pay into",
        edit!(AdvanceRepeated(advance) => advance.remittance.account_number.insert(0, '9'));
    "repeat-is-answered-as-the-first", "2.advance.alreadyRequested.2",
        "a repeated request shows alreadyRequested as false",
        edit!(AdvanceRepeated(advance) => advance.already_requested = false);
    "third-request-is-refused", "4.advances.2", as "4.advances.2.2",
        "the third request of one advance is refused because the invoice already has an advance",
        answer(&|inner, operation| {
            let key = requested(inner, &operation);
            match inner.answer(operation)? {
                Reply::AdvanceRepeated(_) if inner.memory.count(&key) >= 2 => {
                    Err(Refusal::new(Code::InvoiceNotFinanceable, clause!("4.advances.2")))
                }
                reply => Ok(reply),
            }
        });
    "returned-advance-is-a-cent-short", "2.advance.advanceAmount",
        "the first response shows a cent less than the advance amount",
        edit!(AdvanceRequested(advance) => advance.amounts.advance_amount -= Cents(1));
    "fee-is-in-whole-dollars", "2.advance.feeTotal",
        "the fee of an advance is shown without its cents",
        edit!(AdvanceRequested(advance) =>
            advance.amounts.fee_total = Cents(advance.amounts.fee_total.0 / 100 * 100));
    "advance-finances-its-own-amount", "2.advance.financeableAmount", as "2.amounts.financeableAmount",
        "financeableAmount of an advance is the amount paid out",
        edit!(AdvanceRequested(advance) =>
            advance.amounts.financeable_amount = advance.amounts.advance_amount);
    "advance-forwards-the-fee", "2.advance.forwardedAtPayment", as "2.amounts.forwardedAtPayment",
        "forwardedAtPayment of an advance includes the fee",
        edit!(AdvanceRequested(advance) =>
            advance.amounts.forwarded_at_payment += advance.amounts.fee_total);
    "cap-is-forgotten", "2.amounts.financeableAmount", as "2.quote.advanceAmount",
        "a face value of any size is financed in full",
        choice(WrongChoice::NoCap);
    "cap-is-a-cent-too-high", "8.perInvoiceMaximum", as "2.quote.feeTotal",
        "the per-invoice maximum is a cent too high",
        choice(WrongChoice::CapOffByOne);
    "excess-over-the-cap-is-kept", "2.amounts.financeableAmount.2", as "2.amounts.forwardedAtPayment",
        "forwardedAtPayment of a quote omits the excess over the per-invoice maximum",
        after!(|inner, face| Operation::Quote { face_value, .. } => face_value.cents(),
            Quoted(quoted) => {
                let excess = face - quoted.amounts.financeable_amount;
                quoted.amounts.forwarded_at_payment -= excess;
            });
    "fee-is-taken-off-the-advance", "2.amounts.advanceAmount.2", as "2.quote.advanceAmount",
        "the fee is deducted from the amount paid to the business",
        choice(WrongChoice::FeeTakenOff);
    "quote-forwards-too-much", "2.amounts.forwardedAtPayment",
        "forwardedAtPayment of a quote does not deduct the fee",
        edit!(Quoted(quoted) => quoted.amounts.forwarded_at_payment += quoted.amounts.fee_total);
    "forwarded-is-negative", "2.amounts.forwardedAtPayment.2",
        "forwardedAtPayment of a quote for one cent is negative",
        after!(|inner, face| Operation::Quote { face_value, .. } => face_value.cents(),
            Quoted(quoted) if face == Cents(1) => quoted.amounts.forwarded_at_payment = Cents(-1));
    "fee-is-negative", "1.general.1",
        "the fee of a quote for 99 cents is negative",
        after!(|inner, face| Operation::Quote { face_value, .. } => face_value.cents(),
            Quoted(quoted) if face == Cents(99) => quoted.amounts.fee_total = Cents(-1));
    "amounts-have-parts-of-a-cent", "2.quote.advanceAmount",
        "advanceAmount of a quote has half a cent more",
        body!(|body| Quoted(_) => {
            let more = format!("{}.5", body["advanceAmount"].as_i64()?);
            body["advanceAmount"] = serde_json::from_str(&more).ok()?
        });
    "quoted-fee-is-missing", "2.quote.feeTotal",
        "a quote for a business that is not onboarded has no feeTotal",
        body!(|body| Quoted(quoted) if !quoted.onboarding.is_complete() =>
            body.as_object_mut()?.remove("feeTotal"));
    "quote-is-capped-at-sixteen-bits", "2.quote.financeableAmount", as "2.amounts.financeableAmount",
        "a quote finances at most 65,535 cents",
        edit!(Quoted(Quoted { amounts, .. }) =>
            amounts.financeable_amount = amounts.financeable_amount.min(Cents(65_535)));
    "quote-rounds-what-is-forwarded", "2.quote.forwardedAtPayment", as "2.amounts.forwardedAtPayment",
        "forwardedAtPayment of a quote is rounded down to ten cents",
        edit!(Quoted(Quoted { amounts, .. }) =>
            amounts.forwarded_at_payment = Cents(amounts.forwarded_at_payment.0 / 10 * 10));
    "every-quote-is-fundable", "2.quote.fundable",
        "a quote for a business that lacks only its collection account is fundable",
        edit!(Quoted(quoted) => {
            let mut onboarding = quoted.onboarding;
            onboarding.collection_account = true;
            if !quoted.fundable && onboarding.is_complete() {
                quoted.fundable = true;
                quoted.not_fundable_reason = None;
            }
        });
    "quote-names-no-requirement", "2.quote.notFundableReason",
        "a quote that is not fundable has a null reason",
        edit!(Quoted(quoted) => quoted.not_fundable_reason = None);
    "quote-names-the-limit", "2.quote.notFundableReason.3",
        "the reason of a quote that is not fundable states the limit",
        edit!(Quoted(quoted) let Some(reason) = &mut quoted.not_fundable_reason, =>
            *reason = "No more than 100,000,000 cents may be outstanding.");
    "quotes-leave-something", "4.quotes.2",
        "a quote creates an onboarding link for its business",
        after!(|inner, business| Operation::Quote { business, .. } => business.clone(),
            Quoted(_) => drop(inner.answer(Operation::CreateOnboardingSession { business })));
    "limit-is-never-reached", "4.advances.1", once "limit-forgotten",
        "no outstanding amount exceeds the limit of a business",
        choice(WrongChoice::NoLimit);
    "limit-has-some-slack", "8.concentrationLimit", as "4.advances.1",
        "the outstanding amount of a business may exceed the limit by a tenth",
        choice(WrongChoice::WideLimit);
    "limit-is-counted-per-platform", "8.concentrationLimit", as "4.advances.1",
        "the amount outstanding through one platform does not count for the other",
        granted!(|inner, refusal| {
            refusal.code == Code::ConcentrationExceeded && inner.caller != PlatformId::DEFAULT
        });
    "reached-limit-stays-reached", "8.concentrationLimit", as "7.codes.concentration_exceeded",
        "a business that reached its limit gets no advance any more, whatever it repays",
        answer(&|inner, operation| {
            let Operation::RequestAdvance { payee, invoice } = &operation else {
                return inner.answer(operation);
            };
            let business = inner.key(&[payee]);
            let read = Operation::GetInvoice { payee: payee.clone(), invoice: invoice.clone() };
            let is_new = |answer| matches!(answer, Ok(Reply::Invoice(it)) if it.advance.is_none());
            if inner.memory.counted(&business) > 0 && is_new(inner.answer(read)) {
                let clause = clause!("7.codes.concentration_exceeded");
                return Err(Refusal::new(Code::ConcentrationExceeded, clause));
            }
            let answer = inner.answer(operation);
            if answer.as_ref().is_err_and(|refusal| refusal.code == Code::ConcentrationExceeded) {
                inner.memory.count(&business);
            }
            answer
        });
    "advance-needs-no-onboarding", "3.onboarding.2.2",
        "an advance is granted to a business that lacks a requirement",
        granted!(|_, refusal| refusal.code == Code::BusinessNotEligible);
    "paid-invoices-are-financed", "3.invoice.1",
        "an advance is granted on an invoice that is not ISSUED",
        granted!(|_, refusal| refusal.clause == clause!("3.invoice.1"));
    "alias-finances-its-own-invoice", "4.advances.4",
        "a business gets an advance on an invoice that it owes to itself",
        granted!(|_, refusal| refusal.code == Code::SelfDealing);
    "unsynced-business-is-ineligible", "4.advances.5",
        "an advance for a business that is not synced is refused as business_not_eligible",
        answer(&|inner, operation| {
            let is_advance = matches!(operation, Operation::RequestAdvance { .. });
            match inner.answer(operation) {
                Err(refusal) if is_advance && refusal.code == Code::BusinessNotFound => {
                    Err(Refusal::new(Code::BusinessNotEligible, clause!("4.advances.5")))
                }
                answer => answer,
            }
        });
    "advance-is-lost", "2.invoice.advance.2",
        "an invoice shows its advance only once the advance is FUNDED",
        edit!(Invoice(invoice) => invoice.advance.take_if(|advance| advance.funded_at.is_none()));
}

/// The key under which a requested advance is remembered.
pub(super) fn requested(inner: &Inner<'_>, operation: &Operation) -> String {
    match operation {
        Operation::RequestAdvance { payee, invoice } => inner.key(&[payee, invoice]),
        _ => String::new(),
    }
}

fn price_anew_after_an_hour(inner: &mut Inner<'_>, operation: Operation) -> Answer {
    let key = requested(inner, &operation);
    let mut answer = inner.answer(operation);
    match &mut answer {
        Ok(Reply::AdvanceRequested(_)) => inner.memory.note(key, inner.now),
        Ok(Reply::AdvanceRepeated(advance))
            if inner.memory.noted(&key).is_some_and(|at| inner.now >= at.after(HOUR)) =>
        {
            advance.advance_amount = Cents(advance.advance_amount.0 / 2);
        }
        _ => {}
    }
    answer
}

/// Answers some refusals with an advance that is priced like a quote and never paid out.
pub(super) fn grant_if(
    inner: &mut Inner<'_>,
    operation: Operation,
    granted: impl FnOnce(&Inner<'_>, &Refusal) -> bool,
) -> Answer {
    let (payee, invoice) = match &operation {
        Operation::RequestAdvance { payee, invoice } => (payee.clone(), invoice.clone()),
        _ => return inner.answer(operation),
    };
    match inner.answer(operation) {
        Err(refusal) if granted(inner, &refusal) => grant(inner, payee, invoice).ok_or(refusal),
        answer => answer,
    }
}

pub(super) fn grant(inner: &mut Inner<'_>, payee: String, invoice: String) -> Option<Reply> {
    let invoice = inner.invoice(&payee, &invoice)?;
    let face_value = FaceValue::new(invoice.face_value.0)?;
    let Ok(Reply::Quoted(quoted)) = inner.answer(Operation::Quote { business: payee, face_value })
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
