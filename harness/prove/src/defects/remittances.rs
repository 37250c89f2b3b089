//! Defects of collection accounts: when one is shown, and that it stays the same.

use tideover_model::wire::reply::{Business, Remittance, Reply};
use tideover_model::{Answer, Operation, clause};

use crate::defects::Defect;
use crate::defects::breach::{Behind, answer, reply};

pub(super) static DEFECTS: &[Defect] = &[
    Defect::new(
        "remittance-is-shown-too-early",
        clause!("2.business.remittance.2"),
        "the collection account of a business is shown before it is open",
        reply(|reply| {
            if let Reply::Business(business) = reply
                && business.onboarding.compliance
                && business.onboarding.contract
                && business.onboarding.bank
            {
                business.remittance.get_or_insert_with(|| Remittance {
                    account_number: "990000000001".to_owned(),
                    routing_number: "021000021".to_owned(),
                });
            }
        }),
    ),
    Defect::new(
        "remittance-waits-for-an-advance",
        clause!("3.onboarding.4.2"),
        "the collection account of a business is shown only once the business has an advance",
        answer(|behind, operation| {
            let payee = match &operation {
                Operation::RequestAdvance { payee, .. } => behind.key(&[payee]),
                _ => String::new(),
            };
            let mut answer = behind.answer(operation);
            match &mut answer {
                Ok(Reply::AdvanceRequested(_)) => {
                    behind.memory.count(&payee);
                }
                Ok(Reply::Business(business)) if counted(behind, business) == 0 => {
                    business.remittance = None;
                }
                _ => {}
            }
            answer
        }),
    ),
    Defect::new(
        "remittance-is-lost-with-the-payout-account",
        clause!("3.onboarding.4.2"),
        "replacing the payout account of a business hides its collection account",
        answer(|behind, operation| {
            over_a_payout_account(behind, operation, |business| business.remittance = None)
        }),
    ),
    Defect::new(
        "remittance-moves-with-the-payout-account",
        clause!("2.remittance.intro.2"),
        "replacing the payout account of a business changes its collection account",
        answer(|behind, operation| {
            over_a_payout_account(behind, operation, |business| {
                if let Some(remittance) = &mut business.remittance {
                    remittance.account_number.push('2');
                }
            })
        }),
    ),
];

fn counted(behind: &Behind<'_>, business: &Business) -> u32 {
    behind.memory.counted(&behind.key(&[&business.external_id]))
}

/// Alters a business as read after its payout account was set while its collection account was open.
fn over_a_payout_account(
    behind: &mut Behind<'_>,
    operation: Operation,
    alter: impl FnOnce(&mut Business),
) -> Answer {
    if let Operation::SetPayoutAccount { business, .. } = &operation {
        let read = Operation::GetBusiness { business: business.clone() };
        if let Ok(Reply::Business(Business { remittance: Some(_), .. })) = behind.answer(read) {
            let key = behind.key(&[business]);
            behind.memory.count(&key);
        }
    }
    let mut answer = behind.answer(operation);
    if let Ok(Reply::Business(business)) = &mut answer
        && counted(behind, business) > 0
    {
        alter(business);
    }
    answer
}
