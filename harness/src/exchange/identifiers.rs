//! Identifiers as path segments.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// The characters that a path segment encodes: all but letters, digits and these four.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// An identifier, percent-encoded for a path.
pub fn segment(identifier: &str) -> String {
    Cow::from(utf8_percent_encode(identifier, ENCODED)).into_owned()
}

/// The path to read an invoice.
pub fn invoice_path(payee: &str, invoice: &str) -> String {
    ["/v1/organizations/", &segment(payee), "/invoices/", &segment(invoice)].concat()
}

/// The path to read and sync a business.
pub fn business_path(business: &str) -> String {
    ["/v1/organizations/", &segment(business)].concat()
}

/// The name of something that the run creates: new in each play.
pub(crate) fn own(name: &str) -> String {
    let plain = name.replace(['/', '%'], "-");
    format!("${{run}}-{plain}")
}
