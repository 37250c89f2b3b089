//! Defects of quotes: wrong fields, and side effects.

use tideover_model::Operation;
use tideover_model::wire::reply::{Quoted, Reply};

use crate::hooks::answer;

const OVER_LIMIT: &str = "The advance would exceed what may be outstanding with this business.";

defects! {
    "quoted-fee-is-in-dollars", "1.general.1", as "2.quote.feeTotal",
        "the fee of a quote is in dollars, with a decimal point",
        form!(Quoted "/feeTotal", |fee| {
            let cents = fee.as_i64()?;
            Some(format!("{}.{:02}", cents / 100, cents % 100).parse::<f64>().ok()?.into())
        });
    "quoted-amount-is-text", "1.general.1", as "2.quote.financeableAmount",
        "financeableAmount of a quote is a string of digits",
        form!(Quoted "/financeableAmount", |amount| Some(amount.to_string().into()));
    "quote-lacks-its-object", "2.quote.extra", as "gap.quoteExtra",
        "a quote lacks its onboarding object",
        form!(Quoted "", |quote| {
            let mut fields = quote.as_object()?.clone();
            fields.remove("onboarding")?;
            Some(fields.into())
        });
    "quote-forgets-the-limit", "2.quote.fundable",
        "a quote over the limit of its business is fundable",
        edit!(Quoted(quoted)
            if quoted.not_fundable_reason.is_some_and(|reason| reason.contains("outstanding")) => {
            quoted.fundable = true;
            quoted.not_fundable_reason = None;
        });
    "quotes-take-up-the-limit", "4.quotes.2", as "2.quote.fundable",
        "five fundable quotes use up the limit of a business",
        after!(|inner, key| Operation::Quote { business, .. } => inner.key(&[business]),
            Quoted(quoted) if quoted.fundable && inner.memory.count(&key) > 5 => exceed(quoted));
    "refused-advances-take-up-the-limit", "8.concentrationLimit", as "2.quote.fundable",
        "five refused advances use up the limit of a business",
        answer(&|inner, operation| {
            let business = match &operation {
                Operation::RequestAdvance { payee: business, .. }
                | Operation::Quote { business, .. } => inner.key(&[business]),
                _ => return inner.answer(operation),
            };
            let requested = matches!(operation, Operation::RequestAdvance { .. });
            let mut answer = inner.answer(operation);
            if requested && answer.is_err() {
                inner.memory.count(&business);
            }
            if let Ok(Reply::Quoted(quoted)) = &mut answer
                && quoted.fundable
                && inner.memory.counted(&business) >= 5
            {
                exceed(quoted);
            }
            answer
        });
}

fn exceed(quoted: &mut Quoted) {
    quoted.fundable = false;
    quoted.not_fundable_reason = Some(OVER_LIMIT);
}
