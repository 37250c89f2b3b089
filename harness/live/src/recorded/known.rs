//! Which entities a recording has shown, so that later responses about them can be judged. A recording may begin in the
//! middle of things.

use std::collections::BTreeSet;

use percent_encoding::percent_decode_str;
use serde_json::Value;
use tideover_exchange::{Prepared, PreparedCall, Response};
use tideover_model::wire::field::Fields;
use tideover_model::wire::route::served_at;
use tideover_model::words::RowOutcome;
use tideover_model::{ImportFile, Operation, Subject};

/// The known entities, each with the `Authorization` header that has shown it.
#[derive(Clone, Debug, Default)]
pub(super) struct KnownEntities(BTreeSet<(Option<String>, Entity)>);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Entity {
    Business(String),
    Invoice(String, String),
    /// The advance against an invoice.
    Advance(String, String),
    Import(String),
    Subscription(String),
}

impl KnownEntities {
    /// Whether all is known that the response depends on: then no state from before the recording can explain it.
    pub(super) fn cover(&self, sent: &Prepared) -> bool {
        let sent = &*sent.taken();
        let knows = |entity| self.0.contains(&(sent.authorization.clone(), entity));
        let operation = sent.call().and_then(PreparedCall::operation);
        if let Some(Operation::RequestAdvance { payee, invoice }) = operation
            && knows(Entity::Advance(payee.clone(), invoice.clone()))
        {
            // A repeat returns the advance, whatever became of the business (§4 Idempotency summary).
            return true;
        }
        let named = operation.map(depends_on).unwrap_or_default();
        named.into_iter().all(knows)
    }

    /// Learns from a response that the judge could explain.
    pub(super) fn learn(&mut self, sent: &Prepared, seen: &Response) {
        let sent = &*sent.taken();
        let operation = sent.call().and_then(PreparedCall::operation);
        let known: Vec<Entity> = match operation.filter(|_| seen.is_success()).cloned() {
            Some(Operation::GetBusiness { business }) => vec![Entity::Business(business)],
            Some(Operation::SyncBusiness { business, .. }) => {
                // A business that is not new may be linked to another one whose tax id matches.
                let is_new =
                    seen.json().is_some_and(|body| Fields::of(body).created() == Some(true));
                is_new.then_some(Entity::Business(business)).into_iter().collect()
            }
            Some(Operation::GetInvoice { payee, invoice }) => {
                let stands = seen.json().is_some_and(|body| Fields::of(body).advance().is_some());
                let advance = stands.then(|| Entity::Advance(payee.clone(), invoice.clone()));
                [Entity::Invoice(payee, invoice)].into_iter().chain(advance).collect()
            }
            Some(Operation::RequestAdvance { payee, invoice }) => {
                vec![Entity::Advance(payee, invoice)]
            }
            Some(Operation::SyncInvoice(sync)) => {
                vec![Entity::Invoice(sync.payee.business, sync.invoice)]
            }
            Some(Operation::GetImport { import }) => vec![Entity::Import(import)],
            Some(Operation::ImportInvoices { import, file }) => {
                let mut known = written_by(&file, sent, seen);
                known.push(Entity::Import(import));
                known
            }
            Some(Operation::Subscribe { url, .. }) => {
                let reference = seen.json().and_then(|body| Fields::of(body).reference());
                let named = [Some(url), reference.map(str::to_owned)];
                named.into_iter().flatten().map(Entity::Subscription).collect()
            }
            _ => Vec::new(),
        };
        self.0.extend(known.into_iter().map(|entity| (sent.authorization.clone(), entity)));
    }
}

/// The invoices of the rows that an import has written. Those whose payee has no identifier in the file are left out: which
/// one the service derives is not shown.
fn written_by(file: &ImportFile, sent: &Prepared, seen: &Response) -> Vec<Entity> {
    let rows = seen.json().and_then(|body| Fields::of(body).rows());
    let Some((rows, call)) = rows.filter(|rows| rows.len() == file.rows.len()).zip(sent.call())
    else {
        return Vec::new();
    };
    let text = String::from_utf8_lossy(call.body());
    let is_written = |row: &Value| {
        let outcome = Fields::of(row).outcome().and_then(RowOutcome::parse);
        matches!(outcome, Some(RowOutcome::Created | RowOutcome::Updated))
    };
    let written = rows.iter().zip(&file.rows).filter(|(row, _)| is_written(row));
    let names = written.filter_map(|(_, row)| row.payee.clone().zip(row.invoice.clone()));
    let given = names.filter(|(payee, _)| text.contains(&**payee));
    given.map(|(payee, invoice)| Entity::Invoice(payee, invoice)).collect()
}

fn depends_on(operation: &Operation) -> Vec<Entity> {
    let own = match operation.subject() {
        Subject::Business(business) => Entity::Business(business.to_owned()),
        Subject::Invoice { payee, invoice } => {
            Entity::Invoice(payee.to_owned(), invoice.to_owned())
        }
        Subject::Import(import) => Entity::Import(import.to_owned()),
        Subject::Destination(name) | Subject::Subscription(name) => {
            Entity::Subscription(name.to_owned())
        }
        Subject::Subscriptions => return Vec::new(),
    };
    match operation {
        Operation::RequestAdvance { payee, .. } => vec![Entity::Business(payee.clone()), own],
        _ => vec![own],
    }
}

/// The identifiers in a path.
pub(super) fn identifiers_in_path(path: &str) -> Vec<String> {
    let named = served_at(path).map(|at| at.encoded_identifiers());
    let named = named.into_iter().flatten().filter(|name| !name.is_empty());
    named.map(|name| percent_decode_str(name).decode_utf8_lossy().into_owned()).collect()
}

/// The identifiers in the path and in the body of a request.
pub(super) fn identifiers_in(sent: &Prepared) -> Vec<String> {
    let Some(call) = sent.call() else { return Vec::new() };
    let mut names = identifiers_in_path(call.plain_path());
    let body = call.body().json().unwrap_or(&Value::Null);
    for path in ["/externalId", "/payeeExternalId", "/invoiceExternalId", "/payee/externalId"] {
        names.extend(body.pointer(path).and_then(Value::as_str).map(str::to_owned));
    }
    names
}
