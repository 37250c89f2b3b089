//! Clients' requests, and import files.

use std::fmt::Write;

use tideover_model::wire::import_file::REQUIRED_COLUMNS;
use tideover_model::wire::written::Written;
use tideover_model::{BusinessDetails, ImportFile, InvoiceSync, Operation, OperationKind, Service};

use crate::population::{Population, business_name, details, invoice_name};

/// The `Authorization` header of every request.
pub fn authorization() -> String {
    format!("Bearer {}", Service::FIRST_KEY)
}

/// Reads an invoice.
pub fn get_invoice(population: Population, invoice: u32) -> Written {
    let payee = business_name(population.payee(invoice));
    Operation::GetInvoice { payee, invoice: invoice_name(invoice) }.written()
}

/// Syncs an invoice.
pub fn sync_invoice(population: Population, invoice: u32) -> Written {
    Operation::SyncInvoice(Box::new(population.sync(invoice))).written()
}

/// Uploads a file.
pub fn import(external_id: &str, body: Vec<u8>) -> Written {
    let kind = OperationKind::ImportInvoices;
    let (path, content_type) = (kind.path_of(&[external_id]), kind.media_type());
    Written { method: kind.method(), path, content_type, body }
}

/// The bytes to send over a socket to `host`.
pub fn as_bytes(sent: &Written, host: &str) -> Vec<u8> {
    let Written { method, path, content_type, body } = sent;
    let authorization = authorization();
    let mut head = format!(
        "{method} {path} HTTP/1.1\r\nhost: {host}\r\nauthorization: {authorization}\r\n\
         accept: */*\r\nuser-agent: tideover-benches\r\n"
    );
    if let Some(content_type) = content_type {
        let _ = write!(head, "content-type: {content_type}\r\ncontent-length: {}\r\n", body.len());
    }
    head.push_str("\r\n");
    [head.as_bytes(), body].concat()
}

/// The columns of an import file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Columns {
    /// Only the required ones.
    Required,
    /// All of them, with a value in each.
    All,
}

/// A file with the first `rows` invoices of `population`.
pub fn import_file(population: Population, rows: u32, columns: Columns) -> Vec<u8> {
    let syncs = (0..rows).map(|invoice| population.sync(invoice));
    match columns {
        Columns::Required => {
            let lines = syncs.map(|sync| required_cells(&sync).join(",") + "\n");
            (REQUIRED_COLUMNS.join(",") + "\n" + &lines.collect::<String>()).into_bytes()
        }
        Columns::All => {
            let rows = syncs.zip(0..).map(|(mut sync, invoice)| {
                sync.payee.details = full_details(population.payee(invoice));
                sync.payor.details = full_details(population.payor(invoice));
                sync.into()
            });
            let file = ImportFile { digest: [0; 32], rows: rows.collect() };
            Operation::ImportInvoices { import: String::new(), file }.written().body
        }
    }
}

/// The cells of [`REQUIRED_COLUMNS`].
fn required_cells(sync: &InvoiceSync) -> [String; 7] {
    [
        sync.invoice.clone(),
        sync.payee.details.legal_name.clone(),
        sync.payor.details.legal_name.clone(),
        "ISSUED".into(),
        sync.face_value.cents().to_string(),
        sync.issue_date.to_string(),
        sync.due_date.to_string(),
    ]
}

/// With a second line of the address.
fn full_details(business: u32) -> BusinessDetails {
    let mut details = details(business, true);
    details.contact.address.line2 = Some("Suite 1".into());
    details
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::population::now;
    use tideover_model::exchange::answer;

    #[test]
    fn requests_are_answered() {
        let population = Population::new(100);
        let (mut service, authorization) = (population.service(), authorization());
        let mut ask = |sent: Written| {
            let request = sent.as_request(Some(&authorization));
            let answer = answer(&mut service, now(), &request);
            assert_eq!(answer.status, 200, "{sent:?}");
            String::from_utf8(answer.body).unwrap()
        };
        assert!(ask(get_invoice(population, 7)).contains("INV-2026-0000007"));
        assert!(ask(sync_invoice(population, 7)).contains("updated"));
        assert!(ask(sync_invoice(population, 100)).contains("created"));
        for (id, columns) in [("few", Columns::Required), ("many", Columns::All)] {
            let file = import_file(population, 100, columns);
            let report = ask(import(id, file));
            assert!(report.contains("\"finished\":true"), "{report}");
            assert!(report.contains("\"rejected\":0"), "{report}");
        }
    }

    #[test]
    fn a_request_serializes_to_http() {
        let sent = sync_invoice(Population::new(100), 7);
        let text = String::from_utf8(as_bytes(&sent, "localhost:1")).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("PUT /v1/invoices/INV-2026-0000007 HTTP/1.1\r\n"), "{head}");
        assert!(head.ends_with(&format!("content-length: {}", body.len())), "{head}");
    }
}
