//! Defects of collection accounts: when one is shown, and that it stays the same.

use tideover_model::wire::reply::{Business, Remittance, Reply};
use tideover_model::{Answer, Operation};

use crate::Inner;
use crate::catalogue::onboarding::is_ready_for_its_account;
use crate::hooks::answer;

defects! {
    "remittance-is-shown-too-early", "2.business.remittance.2",
        "the collection account of a business is shown before it is open",
        edit!(Business(business) if is_ready_for_its_account(business.onboarding) => {
            business.remittance.get_or_insert_with(|| Remittance {
                account_number: "990000000001".to_owned(),
                routing_number: "021000021".to_owned(),
            });
        });
    "remittance-waits-for-an-advance", "3.onboarding.4.2",
        "the collection account of a business is shown only once the business has an advance",
        answer(&|inner, operation| {
            let payee = match &operation {
                Operation::RequestAdvance { payee, .. } => inner.key(&[payee]),
                _ => String::new(),
            };
            let mut answer = inner.answer(operation);
            match &mut answer {
                Ok(Reply::AdvanceRequested(_)) => {
                    inner.memory.count(&payee);
                }
                Ok(Reply::Business(business))
                    if inner.counted(&[&business.external_id]) == 0 =>
                {
                    business.remittance = None;
                }
                _ => {}
            }
            answer
        });
    "remittance-is-lost-with-the-payout-account", "3.onboarding.4.2",
        "replacing the payout account of a business hides its collection account",
        answer(&|inner, operation| {
            over_a_payout_account(inner, operation, |business| business.remittance = None)
        });
    "remittance-moves-with-the-payout-account", "2.remittance.intro.2",
        "replacing the payout account of a business changes its collection account",
        answer(&|inner, operation| {
            over_a_payout_account(inner, operation, |business| {
                if let Some(remittance) = &mut business.remittance {
                    remittance.account_number.push('2');
                }
            })
        });
}

/// Alters a business as read after its payout account was set while its collection account was open.
fn over_a_payout_account(
    inner: &mut Inner<'_>,
    operation: Operation,
    alter: impl FnOnce(&mut Business),
) -> Answer {
    if let Operation::SetPayoutAccount { business, .. } = &operation {
        let is_open =
            inner.business(business).is_some_and(|business| business.remittance.is_some());
        if is_open {
            let key = inner.key(&[business]);
            inner.memory.count(&key);
        }
    }
    let mut answer = inner.answer(operation);
    if let Ok(Reply::Business(business)) = &mut answer
        && inner.counted(&[&business.external_id]) > 0
    {
        alter(business);
    }
    answer
}
