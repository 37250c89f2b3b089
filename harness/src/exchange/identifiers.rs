//! Identifiers as path segments.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// What a path segment keeps unencoded.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// An identifier, as it stands in a path.
pub fn segment(identifier: &str) -> String {
    Cow::from(utf8_percent_encode(identifier, ENCODED)).into_owned()
}

/// Where an invoice is read.
pub fn invoice_path(payee: &str, invoice: &str) -> String {
    ["/v1/organizations/", &segment(payee), "/invoices/", &segment(invoice)].concat()
}

/// Where a business is read and synced.
pub fn business_path(business: &str) -> String {
    ["/v1/organizations/", &segment(business)].concat()
}

/// What the run itself makes: new in each play.
pub(crate) fn own(name: &str) -> String {
    let plain = name.replace(['/', '%'], "-");
    format!("${{run}}-{plain}")
}
