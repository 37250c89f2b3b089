//! A URL that is subscribed is refused, and no second secret is issued (`4.webhooks.3`).
//!
//! Between two issued secrets, a deletion must have happened. A 410 of the receiver ends a subscription, too, so that
//! races use URLs that never respond with 410.

use std::collections::BTreeMap;

use tideover_model::wire::field::Fields;
use tideover_model::{Operation, OperationKind, clause};

use crate::play::concurrent::history::History;

use crate::play::concurrent::contradictions::{Broken, Looked, Named, granted};

pub(super) fn look(history: &History, looked: &mut Looked) {
    // Those that were answered, and of them those that were granted.
    let mut asked: BTreeMap<Named<'_>, (usize, Vec<usize>)> = BTreeMap::new();
    for (index, request, operation) in history.operations() {
        if let Operation::Subscribe { url, .. } = operation
            && request.outcome().is_some()
        {
            let key = (&request.sent.authorization, url.as_str());
            let (answered, issued) = asked.entry(key).or_default();
            *answered += 1;
            issued.extend(request.success().map(|_| index));
        }
    }
    for ((_, url), (answered, issued)) in asked {
        if answered > 1 {
            looked.meet(clause!("4.webhooks.3"));
        }
        let pairs = issued
            .iter()
            .enumerate()
            .flat_map(|(place, one)| issued[place + 1..].iter().map(move |other| (*one, *other)));
        let excused = |(one, other): &(usize, usize)| {
            may_be_deleted_before(history, *one, *other)
                || may_be_deleted_before(history, *other, *one)
        };
        if let Some((one, other)) = pairs.into_iter().find(|pair| !excused(pair)) {
            let broken = Broken {
                clause: clause!("4.webhooks.3"),
                kind: OperationKind::Subscribe,
                field: "secret",
                expected: format!("one for {url}, and already_subscribed for the others"),
                seen: "two, and no deletion between".to_owned(),
            };
            looked.contradictions.push(broken.by(vec![one, other]));
        }
    }
}

/// Whether the subscription that `one` made may have been deleted before `other` made its own.
fn may_be_deleted_before(history: &History, one: usize, other: usize) -> bool {
    let reference = granted(&history.requests[one]).and_then(|body| Fields::of(body).reference());
    history.operations().any(|(_, request, operation)| match operation {
        Operation::Unsubscribe { reference: deleted } => {
            let refused = request.outcome().is_some() && request.success().is_none();
            !refused
                && reference.is_none_or(|reference| reference == deleted)
                && request.may_precede(&history.requests[other])
        }
        _ => false,
    })
}
