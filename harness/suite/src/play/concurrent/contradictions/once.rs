//! What happens only once, however many requests ask for it at once.

use std::collections::BTreeMap;

use tideover_exchange::masked_field;
use tideover_judge::checks::repeated_advance::{UNCHANGED, is_unchanged};
use tideover_model::wire::field::{self, Fields};
use tideover_model::{ImportRow, Operation, OperationKind, clause};

use crate::play::concurrent::contradictions::{
    Broken, Looked, Named, granted, is_first, requests_for_advances,
};
use crate::play::concurrent::history::History;

/// The key of a request, and the business that it names, or the invoice of that business.
type Object = (Option<String>, String, Option<String>);

/// An object that is synced several times is created once (`2.businessSynced.created`, `2.invoiceSynced.outcome`).
pub(super) fn look_at_objects(history: &History, looked: &mut Looked) {
    let mut synced: BTreeMap<Object, Vec<(usize, bool)>> = BTreeMap::new();
    for (index, request, operation) in history.operations() {
        let Some(body) = granted(request) else { continue };
        let (business, invoice, is_created) = match operation {
            Operation::SyncBusiness { business, .. } => {
                (business, None, Fields::of(body).created() == Some(true))
            }
            Operation::SyncInvoice(sync) => {
                let is_created = Fields::of(body).outcome() == Some("created");
                (&sync.payee.business, Some(sync.invoice.clone()), is_created)
            }
            _ => continue,
        };
        let object = (request.sent.authorization.clone(), business.clone(), invoice);
        synced.entry(object).or_default().push((index, is_created));
    }
    for ((_, name, invoice), requests) in synced.into_iter().filter(|(_, all)| all.len() > 1) {
        let (clause, kind, field) = match invoice {
            None => (clause!("2.businessSynced.created"), OperationKind::SyncBusiness, "created"),
            Some(_) => (clause!("2.invoiceSynced.outcome"), OperationKind::SyncInvoice, "outcome"),
        };
        looked.met.meet(clause);
        let created: Vec<usize> =
            requests.iter().filter(|(_, created)| *created).map(|(index, _)| *index).collect();
        if created.len() > 1 {
            let name = invoice.unwrap_or(name);
            let expected = format!("{name} is created once");
            let seen = format!("{} requests have created it", created.len());
            looked.contradict(Broken { clause, kind, field, expected, seen }, created);
        }
    }
}

/// An invoice has one advance (`4.advances.2`), and every repeat gets it (`4.advances.2.2`).
pub(super) fn look_at_advances(history: &History, looked: &mut Looked) {
    for ((_, payee, invoice), asked) in requests_for_advances(history) {
        let first: Vec<usize> =
            asked.iter().copied().filter(|one| is_first(&history.requests[*one])).collect();
        if asked.iter().filter(|one| granted(&history.requests[**one]).is_some()).count() > 1 {
            looked.met.meet(clause!("4.advances.2"));
            looked.met.meet(clause!("4.advances.2.2"));
        }
        if first.len() > 1 {
            let broken = Broken {
                clause: clause!("4.advances.2"),
                kind: OperationKind::RequestAdvance,
                field: field::ALREADY_REQUESTED,
                expected: format!("false once for invoice {invoice} of {payee}"),
                seen: format!("false {} times", first.len()),
            };
            looked.contradict(broken, first);
        }
        let differing = UNCHANGED.iter().find_map(|field| differing(history, &asked, field));
        if let Some((broken, requests)) = differing {
            looked.contradict(broken, requests);
        }
    }
}

/// Two responses that show one advance differently.
fn differing(
    history: &History,
    asked: &[usize],
    field: &'static str,
) -> Option<(Broken, Vec<usize>)> {
    let shown = |one: &usize| Some((*one, granted(&history.requests[*one])?.get(field)?));
    let mut shown = asked.iter().filter_map(shown);
    let (one, expected) = shown.next()?;
    let (other, seen) = shown.find(|(_, seen)| !is_unchanged(field, expected, seen))?;
    let broken = Broken {
        clause: clause!("4.advances.2.2"),
        kind: OperationKind::RequestAdvance,
        field,
        expected: masked_field(field, expected),
        seen: masked_field(field, seen),
    };
    Some((broken, vec![one, other]))
}

/// A URL that is subscribed is refused, and gets no second secret (`4.webhooks.3`).
///
/// Between two secrets, a deletion must have happened. A 410 of the receiver ends a subscription, too, so that races
/// use URLs that never respond with 410.
pub(super) fn look_at_subscriptions(history: &History, looked: &mut Looked) {
    // How many requests got a response, and which of them a secret.
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
            looked.met.meet(clause!("4.webhooks.3"));
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
            looked.contradict(broken, vec![one, other]);
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

/// An import identifier stands for one file (`4.imports.8`). Files differ here if their rows differ: what else makes
/// them different is a gap (`gap.sameFile`).
pub(super) fn look_at_imports(history: &History, looked: &mut Looked) {
    let mut first: BTreeMap<Named<'_>, (usize, &[ImportRow])> = BTreeMap::new();
    for (index, request, operation) in history.operations() {
        let Operation::ImportInvoices { import, file } = operation else { continue };
        let key = (&request.sent.authorization, import.as_str());
        let is_other = first.get(&key).is_some_and(|(_, rows)| *rows != file.rows);
        if is_other && request.outcome().is_some() {
            looked.met.meet(clause!("4.imports.8"));
        }
        if request.success().is_none() {
            continue;
        }
        let (taken, rows) = first.entry(key).or_insert((index, &file.rows));
        if *rows != file.rows {
            let broken = Broken {
                clause: clause!("4.imports.8"),
                kind: OperationKind::ImportInvoices,
                field: "code",
                expected: format!("already_imported for all but one of the files sent as {import}"),
                seen: "two different files, both taken".to_owned(),
            };
            looked.contradict(broken, vec![*taken, index]);
        }
    }
}
