//! An object that is synced several times at once is created once (`2.businessSynced.created`, `2.invoiceSynced.outcome`).

use std::collections::BTreeMap;

use tideover_model::wire::field::Fields;
use tideover_model::{Operation, OperationKind, clause};

use crate::play::concurrent::contradictions::{Broken, Looked, granted};
use crate::play::concurrent::history::History;

/// ChosenBy it is, and how they call it: a business, or an invoice of one.
type Named = (Option<String>, String, Option<String>);

pub(super) fn look(history: &History, looked: &mut Looked) {
    let mut synced: BTreeMap<Named, Vec<(usize, bool)>> = BTreeMap::new();
    for (index, request, operation) in history.operations() {
        let owner = request.sent.authorization.clone();
        let (name, is_created) = match (operation, granted(request)) {
            (Operation::SyncBusiness { business, .. }, Some(answer)) => {
                ((owner, business.clone(), None), Fields::of(answer).created() == Some(true))
            }
            (Operation::SyncInvoice(sync), Some(answer)) => {
                let invoice = Some(sync.invoice.clone());
                (
                    (owner, sync.payee.business.clone(), invoice),
                    Fields::of(answer).outcome() == Some("created"),
                )
            }
            _ => continue,
        };
        synced.entry(name).or_default().push((index, is_created));
    }
    for ((_, name, invoice), requests) in synced.into_iter().filter(|(_, all)| all.len() > 1) {
        let (clause, kind, field) = match invoice {
            None => (clause!("2.businessSynced.created"), OperationKind::SyncBusiness, "created"),
            Some(_) => (clause!("2.invoiceSynced.outcome"), OperationKind::SyncInvoice, "outcome"),
        };
        looked.meet(clause);
        let created: Vec<usize> =
            requests.iter().filter(|(_, created)| *created).map(|(index, _)| *index).collect();
        if created.len() > 1 {
            let name = invoice.unwrap_or(name);
            let expected = format!("{name} is created once");
            let seen = format!("{} requests have created it", created.len());
            let broken = Broken { clause, kind, field, expected, seen };
            looked.contradictions.push(broken.by(created));
        }
    }
}
