//! The names that steps use.

use serde_json::Value;
use tideover_exchange::step::{Action, Caller, Step};

/// The vendors of most requests. One identifier must be percent-encoded.
pub const VENDORS: [&str; 3] = ["v1", "v2", "v/3 ü"];
pub const PAYORS: [&str; 2] = ["p1", "p2"];
pub(crate) const INVOICES: [&str; 4] = ["i1", "i2", "i3", "i%4"];
pub(crate) const IMPORTS: [&str; 2] = ["m1", "m2"];
/// How a plain name ends.
const PLAIN: &str = " Ltd";
/// An identifier that nobody syncs.
pub(crate) const UNKNOWN: &str = "nobody";

/// The legal name that goes with an identifier.
pub(crate) fn name_of(business: &str) -> String {
    format!("{}{PLAIN}", business.to_uppercase())
}

pub(crate) fn tax_digits(business: &str) -> u32 {
    let number = VENDORS.iter().position(|vendor| *vendor == business).unwrap_or(8);
    120_000_000 + u32::try_from(number).unwrap_or(9)
}

pub(crate) fn email_of(business: &str) -> String {
    let host: String = business.chars().filter(char::is_ascii_alphanumeric).collect();
    format!("ann@{host}.example")
}

/// The second platform, which must have a key.
pub(crate) fn other_platform() -> Caller {
    Caller::Key("${other.key}".into())
}

/// `name` under a prefix that is new in each play: where nothing is reset, two plays must not meet in one object.
pub fn run_scoped(name: &str) -> String {
    let plain = name.replace(['/', '%'], "-");
    format!("${{run}}-{plain}")
}

/// Gives a business of a request, and both parties of its invoice, the same plain name. Only identifiers and tax ids
/// distinguish businesses.
pub(super) fn call_alike(step: &mut Step) {
    let Action::Call(call) = &mut step.action else { return };
    let Some(body) = &mut call.body else { return };
    let is_plain = |name: &Value| name.as_str().is_some_and(|name| name.ends_with(PLAIN));
    for at in ["", "/payee", "/payor"] {
        if let Some(name) = body.pointer_mut(&format!("{at}/legalName"))
            && is_plain(name)
        {
            *name = name_of("alike").into();
        }
    }
}
