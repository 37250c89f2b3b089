//! What a recording has shown well enough to judge the rest by it. It may begin in the middle of things.

use std::collections::BTreeSet;

use percent_encoding::percent_decode_str;
use serde_json::Value;
use tideover_exchange::{Prepared, PreparedCall, Response};
use tideover_model::wire::field::Fields;
use tideover_model::wire::route::served_at;
use tideover_model::{Operation, Subject};

/// What is known, each by whose key.
#[derive(Clone, Debug, Default)]
pub(super) struct Familiar(BTreeSet<(Option<String>, Name)>);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Name {
    Business(String),
    Invoice(String, String),
    /// The advance against an invoice.
    Advance(String, String),
    Import(String),
    Subscription(String),
}

impl Familiar {
    /// Whether all that an answer depends on is known: nothing else of what was there before can explain it.
    pub(super) fn has_all_of(&self, sent: &Prepared) -> bool {
        let knows = |name| self.0.contains(&(sent.authorization.clone(), name));
        let operation = sent.call().and_then(PreparedCall::operation);
        if let Some(Operation::RequestAdvance { payee, invoice }) = operation
            && knows(Name::Advance(payee.clone(), invoice.clone()))
        {
            // It is returned again, whatever became of the business.
            return true;
        }
        let named = operation.map(depends_on).unwrap_or_default();
        named.into_iter().all(knows)
    }

    /// Learns from a response that was explained.
    pub(super) fn learn(&mut self, sent: &Prepared, seen: &Response) {
        let operation = sent.call().and_then(PreparedCall::operation);
        let known: Vec<Name> = match operation.filter(|_| seen.is_success()).cloned() {
            Some(Operation::GetBusiness { business }) => vec![Name::Business(business)],
            Some(Operation::SyncBusiness { business, .. }) => {
                // One that is not new may be the same as another, whichever its tax id has matched.
                let is_new =
                    seen.json().is_some_and(|body| Fields::of(body).created() == Some(true));
                is_new.then_some(Name::Business(business)).into_iter().collect()
            }
            Some(Operation::GetInvoice { payee, invoice }) => {
                let stands = seen.json().is_some_and(|body| Fields::of(body).advance().is_some());
                let advance = stands.then(|| Name::Advance(payee.clone(), invoice.clone()));
                [Name::Invoice(payee, invoice)].into_iter().chain(advance).collect()
            }
            Some(Operation::RequestAdvance { payee, invoice }) => {
                vec![Name::Advance(payee, invoice)]
            }
            Some(Operation::SyncInvoice(sync)) => {
                vec![Name::Invoice(sync.payee.business, sync.invoice)]
            }
            Some(Operation::GetImport { import } | Operation::ImportInvoices { import, .. }) => {
                vec![Name::Import(import)]
            }
            Some(Operation::Subscribe { url, .. }) => {
                let reference = seen.json().and_then(|body| Fields::of(body).reference());
                let named = [Some(url), reference.map(str::to_owned)];
                named.into_iter().flatten().map(Name::Subscription).collect()
            }
            _ => Vec::new(),
        };
        self.0.extend(known.into_iter().map(|name| (sent.authorization.clone(), name)));
    }
}

fn depends_on(operation: &Operation) -> Vec<Name> {
    let own = match operation.subject() {
        Subject::Business(business) => Name::Business(business.to_owned()),
        Subject::Invoice { payee, invoice } => Name::Invoice(payee.to_owned(), invoice.to_owned()),
        Subject::Import(import) => Name::Import(import.to_owned()),
        Subject::Destination(name) | Subject::Subscription(name) => {
            Name::Subscription(name.to_owned())
        }
        Subject::Subscriptions => return Vec::new(),
    };
    match operation {
        Operation::RequestAdvance { payee, .. } => vec![Name::Business(payee.clone()), own],
        _ => vec![own],
    }
}

/// What a request names: the identifiers in its path and in its body.
pub(super) fn names(sent: &Prepared) -> Vec<String> {
    let Some(call) = sent.call() else { return Vec::new() };
    let in_path = served_at(call.plain_path()).map(|at| at.encoded_identifiers());
    let in_path = in_path.into_iter().flatten().filter(|name| !name.is_empty());
    let mut names: Vec<String> =
        in_path.map(|name| percent_decode_str(name).decode_utf8_lossy().into_owned()).collect();
    let body = call.body().json().unwrap_or(&Value::Null);
    for path in ["/externalId", "/payeeExternalId", "/invoiceExternalId", "/payee/externalId"] {
        names.extend(body.pointer(path).and_then(Value::as_str).map(str::to_owned));
    }
    names
}
