//! Defects of payout accounts: which are accepted, and what setting one does.

use tideover_model::wire::reply::Reply;
use tideover_model::{Answer, Code, Operation, Refusal, clause};

use crate::defects::Defect;
use crate::defects::breach::{Behind, answer};

pub(super) static DEFECTS: &[Defect] = &[
    Defect::new(
        "longest-account-number-is-refused",
        clause!("8.accountNumber"),
        "an account number of 17 digits is refused",
        answer(|behind, operation| match &operation {
            Operation::SetPayoutAccount { account_number, .. } if account_number.len() == 17 => {
                Err(Refusal::new(Code::InvalidRequest, clause!("8.accountNumber")))
            }
            _ => behind.answer(operation),
        }),
    )
    .named_as(clause!("7.codes.invalid_request")),
    Defect::new(
        "short-routing-number-is-filled-up",
        clause!("2.payoutAccount.routingNumber"),
        "a routing number of eight digits is padded with a leading zero",
        answer(|behind, mut operation| {
            if let Operation::SetPayoutAccount { routing_number, .. } = &mut operation
                && routing_number.len() == 8
            {
                routing_number.insert(0, '0');
            }
            behind.answer(operation)
        }),
    )
    .named_as(clause!("4.payoutAccount.4.3")),
    Defect::new(
        "first-payout-account-stays",
        clause!("4.payoutAccount.1"),
        "the response to a new payout account still shows the first one",
        answer(|behind, operation| {
            let business = match &operation {
                Operation::SetPayoutAccount { business, .. } => behind.key(&[business]),
                _ => return behind.answer(operation),
            };
            let reply = behind.answer(operation)?;
            Ok(behind.memory.first(business, reply))
        }),
    )
    .named_as(clause!("2.payoutAccount.mask")),
    Defect::new(
        "repeated-payout-account-is-announced",
        clause!("4.payoutAccount.1.2"),
        "setting the same payout account again is announced as a new destination",
        answer(set_twice),
    ),
];

/// Sets repeated details again, with other details in between.
fn set_twice(behind: &mut Behind<'_>, operation: Operation) -> Answer {
    let Operation::SetPayoutAccount { business, account_number, routing_number, .. } = &operation
    else {
        return behind.answer(operation);
    };
    let place = behind.key(&[business]);
    let details = format!("{place} {account_number} {routing_number}");
    if behind.memory.noted(&details).is_some() {
        let other = Operation::SetPayoutAccount {
            business: business.clone(),
            account_number: account_number.bytes().rev().map(char::from).collect(),
            routing_number: routing_number.clone(),
            label: None,
        };
        behind.answer(other)?;
    }
    let reply = behind.answer(operation)?;
    if let Reply::PayoutAccountSet(_) = reply {
        for before in behind.memory.noted_keys() {
            if before.starts_with(&place) {
                behind.memory.forget(&before);
            }
        }
        behind.memory.note(details, behind.now);
    }
    Ok(reply)
}
