//! The identifiers that a request names, in its path, its body or the rows of its file.

use tideover_model::{ImportRow, Operation};

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
    let mut named: Vec<&str> = operation.subject().identifiers().collect();
    match operation {
        Operation::SyncInvoice(sync) => named.push(&sync.payor.business),
        Operation::ImportInvoices { file, .. } => named.extend(file.rows.iter().flat_map(in_row)),
        _ => {}
    }
    named
}

fn in_row(row: &ImportRow) -> impl Iterator<Item = &str> {
    let payor = row.sync.as_ref().ok().map(|sync| &sync.payor.business);
    [row.invoice.as_ref(), row.payee.as_ref(), payor].into_iter().flatten().map(String::as_str)
}
