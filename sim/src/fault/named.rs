//! The identifiers that a request names, in its path, its body or the rows of its file.

use tideover_model::{ImportRow, InvoiceSync, Operation};

/// The businesses, invoices, imports and subscriptions that an operation names, for [`Call`](crate::fault::Call).
/// In a file, identifiers that the service derives from legal names are included.
///
/// ```
/// use tideover_model::Operation;
/// use tideover_sim::fault::named;
///
/// let read = Operation::GetInvoice { payee: "acme".into(), invoice: "INV-1".into() };
/// assert_eq!(named(&read), ["acme", "INV-1"]);
/// assert!(named(&Operation::ListSubscriptions).is_empty());
/// ```
pub fn named(operation: &Operation) -> Vec<&str> {
    match operation {
        Operation::GetInvoice { payee, invoice } | Operation::RequestAdvance { payee, invoice } => {
            vec![payee, invoice]
        }
        Operation::SyncInvoice(sync) => in_sync(sync).to_vec(),
        Operation::GetImport { import } => vec![import],
        Operation::ImportInvoices { import, file } => {
            let rows = file.rows.iter().flat_map(in_row);
            std::iter::once(import.as_str()).chain(rows).collect()
        }
        Operation::SetPayoutAccount { business, .. }
        | Operation::GetBusiness { business }
        | Operation::SyncBusiness { business, .. }
        | Operation::Quote { business, .. }
        | Operation::Invite { business, .. }
        | Operation::CreateOnboardingSession { business } => vec![business],
        Operation::Unsubscribe { reference } => vec![reference],
        Operation::Subscribe { .. } | Operation::ListSubscriptions => Vec::new(),
    }
}

fn in_sync(sync: &InvoiceSync) -> [&str; 3] {
    [&sync.invoice, &sync.payee.business, &sync.payor.business]
}

fn in_row(row: &ImportRow) -> impl Iterator<Item = &str> {
    let payor = row.sync.as_ref().ok().map(|sync| &sync.payor.business);
    [row.invoice.as_ref(), row.payee.as_ref(), payor].into_iter().flatten().map(String::as_str)
}
