//! The error table: every code, its status, its sentence (§7). Nobody removes a code (`7.shape.3`).

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::clause::Clause;

/// A stable token on which callers branch, in the document's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the table below says what each one means")]
pub enum Code {
    InvalidRequest,
    UnreadableRequest,
    Unauthorized,
    PayloadTooLarge,
    UpstreamFailed,
    UnknownEndpoint,
    BusinessNotFound,
    InvoiceNotFound,
    ImportNotFound,
    SubscriptionNotFound,
    InvoiceNotFinanceable,
    BusinessNotEligible,
    ConcentrationExceeded,
    AlreadySubscribed,
    AlreadyImported,
    InvalidRoutingNumber,
    InvalidInvitee,
    SelfDealing,
    UnsupportedMediaType,
    UnreadableFile,
    TooManyRows,
    DestinationRefused,
}

/// The HTTP status of a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The document states it.
    Documented(u16),
    /// The document leaves it open (`gap.ownStatuses`): a profile may set another one.
    Assumed(u16),
}

struct CodeInfo {
    name: &'static str,
    status: Status,
    sentence: &'static str,
}

const fn documented(name: &'static str, status: u16, sentence: &'static str) -> CodeInfo {
    CodeInfo { name, status: Status::Documented(status), sentence }
}

const fn assumed(name: &'static str, status: u16, sentence: &'static str) -> CodeInfo {
    CodeInfo { name, status: Status::Assumed(status), sentence }
}

impl Code {
    /// All codes, in the document's order.
    pub const ALL: [Code; 22] = [
        Code::InvalidRequest,
        Code::UnreadableRequest,
        Code::Unauthorized,
        Code::PayloadTooLarge,
        Code::UpstreamFailed,
        Code::UnknownEndpoint,
        Code::BusinessNotFound,
        Code::InvoiceNotFound,
        Code::ImportNotFound,
        Code::SubscriptionNotFound,
        Code::InvoiceNotFinanceable,
        Code::BusinessNotEligible,
        Code::ConcentrationExceeded,
        Code::AlreadySubscribed,
        Code::AlreadyImported,
        Code::InvalidRoutingNumber,
        Code::InvalidInvitee,
        Code::SelfDealing,
        Code::UnsupportedMediaType,
        Code::UnreadableFile,
        Code::TooManyRows,
        Code::DestinationRefused,
    ];

    /// The codes that any operation can return (§7), in the document's order. No operation returns
    /// `unknown_endpoint`.
    pub const OF_ANY_OPERATION: [Code; 5] = [
        Code::InvalidRequest,
        Code::UnreadableRequest,
        Code::Unauthorized,
        Code::PayloadTooLarge,
        Code::UpstreamFailed,
    ];

    #[expect(clippy::too_many_lines, reason = "a table")]
    const fn info(self) -> CodeInfo {
        match self {
            Code::InvalidRequest => {
                documented("invalid_request", 400, "The request does not have the published form.")
            }
            Code::UnreadableRequest => documented(
                "unreadable_request",
                400,
                "The body is not of the media type that it claims.",
            ),
            Code::Unauthorized => {
                documented("unauthorized", 401, "The API key is missing, malformed or revoked.")
            }
            Code::PayloadTooLarge => {
                documented("payload_too_large", 413, "The body is larger than is accepted.")
            }
            Code::UpstreamFailed => documented(
                "upstream_failed",
                502,
                "The service, or a provider that it needs, failed; try again later.",
            ),
            Code::UnknownEndpoint => {
                documented("unknown_endpoint", 404, "Nothing is served under this method and path.")
            }
            Code::BusinessNotFound => documented(
                "business_not_found",
                404,
                "No business was synced under this identifier.",
            ),
            Code::InvoiceNotFound => assumed(
                "invoice_not_found",
                404,
                "No invoice of this payee was synced under this identifier.",
            ),
            Code::ImportNotFound => {
                assumed("import_not_found", 404, "No import was made under this identifier.")
            }
            Code::SubscriptionNotFound => {
                assumed("subscription_not_found", 404, "No subscription has this reference.")
            }
            Code::InvoiceNotFinanceable => {
                documented("invoice_not_financeable", 409, "The invoice cannot be financed.")
            }
            Code::BusinessNotEligible => documented(
                "business_not_eligible",
                409,
                "The business has not completed onboarding.",
            ),
            Code::ConcentrationExceeded => documented(
                "concentration_exceeded",
                409,
                "Too much would be outstanding with this business.",
            ),
            Code::AlreadySubscribed => {
                documented("already_subscribed", 409, "This destination is subscribed already.")
            }
            Code::AlreadyImported => {
                assumed("already_imported", 409, "Another file was imported under this identifier.")
            }
            Code::InvalidRoutingNumber => assumed(
                "invalid_routing_number",
                422,
                "The routing number is not a valid ABA number.",
            ),
            Code::InvalidInvitee => {
                assumed("invalid_invitee", 422, "The invitee is not an e-mail address.")
            }
            Code::SelfDealing => assumed(
                "self_dealing",
                422,
                "A business cannot finance an invoice that it owes itself.",
            ),
            Code::UnsupportedMediaType => {
                assumed("unsupported_media_type", 415, "An import must be sent as text/csv.")
            }
            Code::UnreadableFile => {
                assumed("unreadable_file", 422, "The import file cannot be read.")
            }
            Code::TooManyRows => {
                assumed("too_many_rows", 422, "The import file has too many rows.")
            }
            Code::DestinationRefused => {
                assumed("destination_refused", 422, "Webhooks are not sent to this destination.")
            }
        }
    }

    /// The token, as on the wire.
    pub const fn name(self) -> &'static str {
        self.info().name
    }

    /// Its HTTP status, before a profile changes it.
    pub const fn status(self) -> Status {
        self.info().status
    }

    /// One sentence for a log, in our own words.
    pub const fn sentence(self) -> &'static str {
        self.info().sentence
    }

    /// The code whose token is `name`.
    pub fn parse(name: &str) -> Option<Code> {
        Code::ALL.into_iter().find(|code| code.name() == name)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A refusal by the service: a code of the error table, the clause that requires it, a sentence for a log.
///
/// Two refusals are equal if their codes are: the prose may change at any time (§7).
#[derive(Clone, Debug)]
pub struct Refusal {
    /// What callers branch on.
    pub code: Code,
    /// The sentence of the document, or the assumption, that requires this refusal.
    pub clause: Clause,
    /// Prose for a log.
    pub message: Cow<'static, str>,
}

impl Refusal {
    /// A refusal with the sentence of the error table.
    pub const fn new(code: Code, clause: Clause) -> Refusal {
        Refusal { code, clause, message: Cow::Borrowed(code.sentence()) }
    }

    /// The same refusal with its own message.
    #[must_use]
    pub fn because(self, message: impl Into<Cow<'static, str>>) -> Refusal {
        Refusal { message: message.into(), ..self }
    }
}

impl PartialEq for Refusal {
    fn eq(&self, other: &Refusal) -> bool {
        self.code == other.code
    }
}

impl Eq for Refusal {}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl std::error::Error for Refusal {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_its_own_name() {
        for code in Code::ALL {
            assert_eq!(Code::parse(code.name()), Some(code));
            let json = serde_json::to_value(code).unwrap();
            assert_eq!(json, code.name());
        }
        assert_eq!(Code::parse("teapot"), None);
    }
}
