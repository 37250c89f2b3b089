//! Methods and paths (§4): which request is for which operation.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use crate::clause;
use crate::operation::OperationKind;
use crate::refusal::{Code, Refusal};

impl OperationKind {
    /// The HTTP method.
    pub const fn method(self) -> &'static str {
        match self {
            OperationKind::GetInvoice
            | OperationKind::GetImport
            | OperationKind::GetBusiness
            | OperationKind::ListSubscriptions => "GET",
            OperationKind::SyncInvoice
            | OperationKind::ImportInvoices
            | OperationKind::SetPayoutAccount
            | OperationKind::SyncBusiness => "PUT",
            OperationKind::RequestAdvance
            | OperationKind::Quote
            | OperationKind::Invite
            | OperationKind::CreateOnboardingSession
            | OperationKind::Subscribe => "POST",
            OperationKind::Unsubscribe => "DELETE",
        }
    }

    /// The path, with its parameters in braces.
    pub const fn path(self) -> &'static str {
        match self {
            OperationKind::GetInvoice => {
                "/v1/organizations/{payeeExternalId}/invoices/{externalId}"
            }
            OperationKind::SyncInvoice => "/v1/invoices/{externalId}",
            OperationKind::GetImport | OperationKind::ImportInvoices => {
                "/v1/invoices/imports/{externalId}"
            }
            OperationKind::SetPayoutAccount => "/v1/organizations/{externalId}/payout-account",
            OperationKind::GetBusiness | OperationKind::SyncBusiness => {
                "/v1/organizations/{externalId}"
            }
            OperationKind::RequestAdvance => "/v1/advances",
            OperationKind::Quote => "/v1/quotes",
            OperationKind::Invite => "/v1/invitations",
            OperationKind::CreateOnboardingSession => "/v1/onboarding-sessions",
            OperationKind::Subscribe | OperationKind::ListSubscriptions => "/v1/webhooks",
            OperationKind::Unsubscribe => "/v1/webhooks/{reference}",
        }
    }
}

/// An operation and the identifiers in its path, still encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route<'a> {
    /// The operation.
    pub kind: OperationKind,
    identifiers: [&'a str; 2],
}

/// Which operation a method and a path name.
///
/// # Errors
/// `unknown_endpoint` (`gap.unknownEndpoint`).
pub fn route<'a>(method: &str, path: &'a str) -> Result<Route<'a>, Refusal> {
    let (kind, identifiers) = find(method, path)
        .ok_or_else(|| Refusal::new(Code::UnknownEndpoint, clause!("7.codes.unknown_endpoint")))?;
    Ok(Route { kind, identifiers })
}

fn find<'a>(method: &str, path: &'a str) -> Option<(OperationKind, [&'a str; 2])> {
    let rest = path.strip_prefix("/v1/")?;
    let mut segments = [""; 5];
    let mut count = 0;
    for segment in rest.split('/') {
        *segments.get_mut(count)? = segment;
        count += 1;
    }
    Some(match (method, &segments[..count]) {
        ("GET", &["organizations", payee, "invoices", id]) => {
            (OperationKind::GetInvoice, [payee, id])
        }
        ("PUT", &["invoices", id]) => (OperationKind::SyncInvoice, [id, ""]),
        ("GET", &["invoices", "imports", id]) => (OperationKind::GetImport, [id, ""]),
        ("PUT", &["invoices", "imports", id]) => (OperationKind::ImportInvoices, [id, ""]),
        ("PUT", &["organizations", id, "payout-account"]) => {
            (OperationKind::SetPayoutAccount, [id, ""])
        }
        ("GET", &["organizations", id]) => (OperationKind::GetBusiness, [id, ""]),
        ("PUT", &["organizations", id]) => (OperationKind::SyncBusiness, [id, ""]),
        ("POST", &["advances"]) => (OperationKind::RequestAdvance, ["", ""]),
        ("POST", &["quotes"]) => (OperationKind::Quote, ["", ""]),
        ("POST", &["invitations"]) => (OperationKind::Invite, ["", ""]),
        ("POST", &["onboarding-sessions"]) => (OperationKind::CreateOnboardingSession, ["", ""]),
        ("POST", &["webhooks"]) => (OperationKind::Subscribe, ["", ""]),
        ("GET", &["webhooks"]) => (OperationKind::ListSubscriptions, ["", ""]),
        ("DELETE", &["webhooks", reference]) => (OperationKind::Unsubscribe, [reference, ""]),
        _ => return None,
    })
}

impl Route<'_> {
    /// The identifiers in the path, decoded once.
    ///
    /// # Errors
    /// `invalid_request` for one that is empty or not UTF-8 (`gap.emptyIdentifier`).
    pub(crate) fn identifiers(&self) -> Result<[String; 2], Refusal> {
        let named = parameters(self.kind);
        let mut decoded = [String::new(), String::new()];
        for (index, name) in named.iter().enumerate() {
            decoded[index] = identifier(name, self.identifiers[index])?;
        }
        Ok(decoded)
    }
}

fn parameters(kind: OperationKind) -> &'static [&'static str] {
    match kind {
        OperationKind::GetInvoice => &["payeeExternalId", "externalId"],
        OperationKind::SyncInvoice
        | OperationKind::GetImport
        | OperationKind::ImportInvoices
        | OperationKind::SetPayoutAccount
        | OperationKind::GetBusiness
        | OperationKind::SyncBusiness => &["externalId"],
        OperationKind::Unsubscribe => &["reference"],
        OperationKind::RequestAdvance
        | OperationKind::Quote
        | OperationKind::Invite
        | OperationKind::CreateOnboardingSession
        | OperationKind::Subscribe
        | OperationKind::ListSubscriptions => &[],
    }
}

fn identifier(name: &str, encoded: &str) -> Result<String, Refusal> {
    let refused = |clause, why| {
        Refusal::new(Code::InvalidRequest, clause).because(format!("{name} in the path: {why}"))
    };
    if encoded.is_empty() {
        return Err(refused(clause!("gap.emptyIdentifier"), "must not be empty"));
    }
    percent_decode_str(encoded)
        .decode_utf8()
        .map(Cow::into_owned)
        .map_err(|_| refused(clause!("7.codes.invalid_request"), "is not UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_is_found_under_its_method_and_path() {
        for kind in OperationKind::ALL {
            let found = route(kind.method(), kind.path()).unwrap();
            assert_eq!(found.kind, kind);
            for (name, encoded) in parameters(kind).iter().zip(found.identifiers) {
                assert_eq!(format!("{{{name}}}"), encoded);
            }
        }
    }

    #[test]
    fn identifiers_are_decoded_once() {
        let [id, _] = route("PUT", "/v1/invoices/a%2Fb%252F").unwrap().identifiers().unwrap();
        assert_eq!(id, "a/b%2F");
    }

    #[test]
    fn anything_else_is_an_unknown_endpoint() {
        for (method, path) in [
            ("GET", "/"),
            ("GET", "/v1"),
            ("GET", "/v1/"),
            ("GET", "/v2/webhooks"),
            ("GET", "/v1/webhooks/"),
            ("PATCH", "/v1/webhooks"),
            ("get", "/v1/webhooks"),
            ("GET", "/v1/organizations/a/invoices/b/c/d/e/f"),
            ("POST", "/v1/invoices/imports/x"),
        ] {
            assert_eq!(
                route(method, path).unwrap_err().code,
                Code::UnknownEndpoint,
                "{method} {path}"
            );
        }
    }

    #[test]
    fn an_identifier_must_not_be_empty_and_must_be_utf_8() {
        for path in ["/v1/invoices/", "/v1/invoices/%FF", "/v1/organizations/"] {
            let refused = route("PUT", path).unwrap().identifiers().unwrap_err();
            assert_eq!(refused.code, Code::InvalidRequest, "{path}");
        }
    }
}
