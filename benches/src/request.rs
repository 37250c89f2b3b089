//! Clients' requests, and import files.

use std::fmt::Write;

use serde_json::json;
use tideover_model::exchange::Request;
use tideover_model::wire::import_file::{PARTY_COLUMNS, REQUIRED_COLUMNS};
use tideover_model::{Party, Service};

use crate::population::{Population, business_name, details, invoice_name};

/// A whole request.
#[derive(Clone, Debug)]
pub struct Sent {
    /// The method.
    pub method: &'static str,
    /// The path, encoded.
    pub path: String,
    /// The body's media type, if there is a body.
    pub content_type: Option<&'static str>,
    /// The body.
    pub body: Vec<u8>,
}

impl Sent {
    /// The `Authorization` header of every request.
    pub fn authorization() -> String {
        format!("Bearer {}", Service::FIRST_KEY)
    }

    /// Reads an invoice.
    pub fn get_invoice(population: Population, invoice: u32) -> Sent {
        let payee = business_name(population.payee(invoice));
        let path = format!("/v1/organizations/{payee}/invoices/{}", invoice_name(invoice));
        Sent { method: "GET", path, content_type: None, body: Vec::new() }
    }

    /// Syncs an invoice.
    pub fn sync_invoice(population: Population, invoice: u32) -> Sent {
        let sync = population.sync(invoice);
        let party = |party: &Party| json!({ "externalId": party.business, "legalName": party.details.legal_name });
        let body = json!({
            "payee": party(&sync.payee),
            "payor": party(&sync.payor),
            "status": "ISSUED",
            "faceValue": sync.face_value.cents().0,
            "issueDate": sync.issue_date.to_string(),
            "dueDate": sync.due_date.to_string(),
        });
        Sent {
            method: "PUT",
            path: format!("/v1/invoices/{}", sync.invoice),
            content_type: Some("application/json"),
            body: body.to_string().into_bytes(),
        }
    }

    /// Uploads a file.
    pub fn import(external_id: &str, file: Vec<u8>) -> Sent {
        Sent {
            method: "PUT",
            path: format!("/v1/invoices/imports/{external_id}"),
            content_type: Some("text/csv"),
            body: file,
        }
    }

    /// In the form that the model takes.
    pub fn as_request<'a>(&'a self, authorization: &'a str) -> Request<'a> {
        Request {
            method: self.method,
            path: &self.path,
            authorization: Some(authorization),
            content_type: self.content_type,
            body: &self.body,
        }
    }

    /// The bytes to send over a socket to `host`.
    pub fn as_bytes(&self, host: &str) -> Vec<u8> {
        let Sent { method, path, content_type, body } = self;
        let authorization = Sent::authorization();
        let mut head = format!(
            "{method} {path} HTTP/1.1\r\nhost: {host}\r\nauthorization: {authorization}\r\n\
             accept: */*\r\nuser-agent: tideover-benches\r\n"
        );
        if let Some(content_type) = content_type {
            let _ =
                write!(head, "content-type: {content_type}\r\ncontent-length: {}\r\n", body.len());
        }
        head.push_str("\r\n");
        [head.as_bytes(), body].concat()
    }
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
    let mut file = REQUIRED_COLUMNS.join(",");
    if columns == Columns::All {
        for column in ["payee", "payor"]
            .iter()
            .flat_map(|party| PARTY_COLUMNS.map(|rest| format!("{party}{rest}")))
        {
            file.push(',');
            file.push_str(&column);
        }
    }
    file.push('\n');
    for invoice in 0..rows {
        let sync = population.sync(invoice);
        let cells = [
            sync.invoice,
            sync.payee.details.legal_name,
            sync.payor.details.legal_name,
            "ISSUED".into(),
            sync.face_value.cents().to_string(),
            sync.issue_date.to_string(),
            sync.due_date.to_string(),
        ];
        file.push_str(&cells.join(","));
        if columns == Columns::All {
            for business in [population.payee(invoice), population.payor(invoice)] {
                file.push(',');
                file.push_str(&party_cells(business).join(","));
            }
        }
        file.push('\n');
    }
    file.into_bytes()
}

/// The cells of [`PARTY_COLUMNS`].
fn party_cells(business: u32) -> [String; 10] {
    let details = details(business, true);
    let (contact, address) = (details.contact.clone(), details.contact.address);
    let cell = Option::unwrap_or_default;
    [
        business_name(business),
        cell(details.tax_id),
        cell(contact.name),
        cell(contact.email),
        cell(contact.phone),
        cell(address.line1),
        "Suite 1".into(),
        cell(address.city),
        cell(address.state),
        cell(address.postal_code),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::population::now;
    use tideover_model::exchange::answer;

    #[test]
    fn requests_are_answered() {
        let population = Population::new(100);
        let mut service = population.service();
        let mut ask = |sent: Sent| {
            let authorization = Sent::authorization();
            let answer = answer(&mut service, now(), &sent.as_request(&authorization));
            assert_eq!(answer.status, 200, "{sent:?}");
            String::from_utf8(answer.body).unwrap()
        };
        assert!(ask(Sent::get_invoice(population, 7)).contains("INV-2026-0000007"));
        assert!(ask(Sent::sync_invoice(population, 7)).contains("updated"));
        assert!(ask(Sent::sync_invoice(population, 100)).contains("created"));
        for (id, columns) in [("few", Columns::Required), ("many", Columns::All)] {
            let file = import_file(population, 100, columns);
            let report = ask(Sent::import(id, file));
            assert!(report.contains("\"finished\":true"), "{report}");
            assert!(report.contains("\"rejected\":0"), "{report}");
        }
    }

    #[test]
    fn a_request_serializes_to_http() {
        let sent = Sent::sync_invoice(Population::new(100), 7);
        let text = String::from_utf8(sent.as_bytes("localhost:1")).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("PUT /v1/invoices/INV-2026-0000007 HTTP/1.1\r\n"), "{head}");
        assert!(head.ends_with(&format!("content-length: {}", body.len())), "{head}");
    }
}
