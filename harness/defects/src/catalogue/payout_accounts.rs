//! Defects of payout accounts: which are accepted, and what setting one does.

use tideover_model::wire::reply::Reply;
use tideover_model::{Answer, Operation};

use crate::Inner;
use crate::hooks::answer;

defects! {
    "longest-account-number-is-refused", "8.accountNumber", as "7.codes.invalid_request",
        "an account number of 17 digits is refused",
        refuse!(Operation::SetPayoutAccount { account_number, .. } if account_number.len() == 17
            => InvalidRequest, "8.accountNumber");
    "short-routing-number-is-filled-up", "2.payoutAccount.routingNumber", as "4.payoutAccount.4.3",
        "a routing number of eight digits is padded with a leading zero",
        request!(SetPayoutAccount { routing_number, .. } if routing_number.len() == 8 =>
            routing_number.insert(0, '0'));
    "first-payout-account-stays", "4.payoutAccount.1", as "2.payoutAccount.mask",
        "the response to a new payout account still shows the first one",
        answer(&|inner, operation| {
            let business = match &operation {
                Operation::SetPayoutAccount { business, .. } => inner.key(&[business]),
                _ => return inner.answer(operation),
            };
            let reply = inner.answer(operation)?;
            Ok(inner.memory.first(business, reply))
        });
    "repeated-payout-account-is-announced", "4.payoutAccount.1.2",
        "setting the same payout account again is announced as a new destination",
        answer(&set_twice);
}

/// Sets repeated details again, with other details in between.
fn set_twice(inner: &mut Inner<'_>, operation: Operation) -> Answer {
    let Operation::SetPayoutAccount { business, account_number, routing_number, .. } = &operation
    else {
        return inner.answer(operation);
    };
    let place = inner.key(&[business]);
    let details = format!("{place} {account_number} {routing_number}");
    if inner.memory.noted(&details).is_some() {
        let other = Operation::SetPayoutAccount {
            business: business.clone(),
            account_number: account_number.bytes().rev().map(char::from).collect(),
            routing_number: routing_number.clone(),
            label: None,
        };
        inner.answer(other)?;
    }
    let reply = inner.answer(operation)?;
    if let Reply::PayoutAccountSet(_) = reply {
        for before in inner.memory.noted_keys() {
            if before.starts_with(&place) {
                inner.memory.forget(&before);
            }
        }
        inner.memory.note(details, inner.now);
    }
    Ok(reply)
}
