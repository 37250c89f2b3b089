//! Bodies that are not as they should be, as a service takes them that accepts them.

use tideover_model::wire::lenient::{most_lenient, most_lenient_file};

/// A version of a malformed body that may be well-formed.
pub(crate) fn corrected_body(body: &[u8]) -> Option<Vec<u8>> {
    let json = with_names(body).or_else(|| most_lenient(body));
    json.or_else(|| most_lenient_file(body))
}

/// The body, where a party of an invoice with an empty name has one. No least length is stated for it, and which name a read
/// shows is open.
fn with_names(body: &[u8]) -> Option<Vec<u8>> {
    let mut body: serde_json::Value = serde_json::from_slice(body).ok()?;
    let mut is_any_empty = false;
    for party in ["payee", "payor"] {
        if let Some(name) = body.get_mut(party).and_then(|party| party.get_mut("legalName"))
            && name == ""
        {
            (*name, is_any_empty) = ("unnamed".into(), true);
        }
    }
    is_any_empty.then(|| body.to_string().into_bytes())
}
