//! A history whose requests are read once.

use tideover_model::wire::route::route;
use tideover_model::{InvoiceSync, Operation};

use crate::concurrent::history::{History, Request};

/// A history, with the operations that were asked for.
pub(super) struct Decoded<'a> {
    pub(super) requests: &'a [Request],
    /// By request: the operation, if it is one of the published form.
    operations: Vec<Option<Operation>>,
}

impl<'a> Decoded<'a> {
    pub(super) fn new(history: &'a History) -> Decoded<'a> {
        let requests = &*history.requests;
        Decoded { requests, operations: requests.iter().map(operation).collect() }
    }

    /// The operation that a request asks for.
    pub(super) fn operation(&self, request: usize) -> Option<&Operation> {
        self.operations[request].as_ref()
    }

    /// Each request with its operation, if it has one.
    pub(super) fn operations(&self) -> impl Iterator<Item = (usize, &'a Request, &Operation)> {
        let all = self.requests.iter().zip(&self.operations).enumerate();
        all.filter_map(|(index, (request, operation))| Some((index, request, operation.as_ref()?)))
    }
}

fn operation(request: &Request) -> Option<Operation> {
    let call = request.call()?;
    let path = call.path.split_once('?').map_or(call.path.as_str(), |(path, _)| path);
    route(&call.method, path).ok()?.decode(call.content_type.as_deref(), &call.body).ok()
}

/// The invoice syncs that an operation is.
pub(super) fn syncs(operation: &Operation) -> Vec<&InvoiceSync> {
    match operation {
        Operation::SyncInvoice(sync) => vec![sync],
        Operation::ImportInvoices { file, .. } => {
            file.rows.iter().filter_map(|row| row.sync.as_ref().ok()).collect()
        }
        _ => Vec::new(),
    }
}
