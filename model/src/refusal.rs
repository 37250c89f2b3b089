//! The error table: every code, its status, its sentence (§7). Nobody removes a code (`7.shape.3`).

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::clause::Clause;

macro_rules! codes {
    ($($code:ident: $name:literal, $kind:ident($status:literal), $sentence:literal;)+) => {
        /// A stable token on which callers branch, in the document's order.
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        #[serde(rename_all = "snake_case")]
        pub enum Code {
            $(#[doc = $sentence] $code,)+
        }

        impl Code {
            /// All codes, in the document's order.
            pub const ALL: [Code; [$(Code::$code),+].len()] = [$(Code::$code),+];

            const fn info(self) -> CodeInfo {
                match self {
                    $(Code::$code => {
                        // A const item, as in `clause!`.
                        const CLAUSE: Clause = Clause::named(concat!("7.codes.", $name));
                        CodeInfo {
                            name: $name,
                            status: Status::$kind($status),
                            sentence: $sentence,
                            clause: CLAUSE,
                        }
                    })+
                }
            }
        }
    };
}

// Code: token on the wire, status, sentence.
codes! {
    InvalidRequest: "invalid_request", Documented(400),
        "The request does not have the published form.";
    UnreadableRequest: "unreadable_request", Documented(400),
        "The body is not of the media type that it claims.";
    Unauthorized: "unauthorized", Documented(401),
        "The API key is missing, malformed or revoked.";
    PayloadTooLarge: "payload_too_large", Documented(413),
        "The body is larger than is accepted.";
    UpstreamFailed: "upstream_failed", Documented(502),
        "The service, or a provider that it needs, failed; try again later.";
    UnknownEndpoint: "unknown_endpoint", Documented(404),
        "Nothing is served under this method and path.";
    BusinessNotFound: "business_not_found", Documented(404),
        "No business was synced under this identifier.";
    InvoiceNotFound: "invoice_not_found", Assumed(404),
        "No invoice of this payee was synced under this identifier.";
    ImportNotFound: "import_not_found", Assumed(404),
        "No import was made under this identifier.";
    SubscriptionNotFound: "subscription_not_found", Assumed(404),
        "No subscription has this reference.";
    InvoiceNotFinanceable: "invoice_not_financeable", Documented(409),
        "The invoice cannot be financed.";
    BusinessNotEligible: "business_not_eligible", Documented(409),
        "The business has not completed onboarding.";
    ConcentrationExceeded: "concentration_exceeded", Documented(409),
        "Too much would be outstanding with this business.";
    AlreadySubscribed: "already_subscribed", Documented(409),
        "This destination is subscribed already.";
    AlreadyImported: "already_imported", Assumed(409),
        "Another file was imported under this identifier.";
    InvalidRoutingNumber: "invalid_routing_number", Assumed(422),
        "The routing number is not a valid ABA number.";
    InvalidInvitee: "invalid_invitee", Assumed(422),
        "The invitee is not an e-mail address.";
    SelfDealing: "self_dealing", Assumed(422),
        "A business cannot finance an invoice that it owes itself.";
    UnsupportedMediaType: "unsupported_media_type", Assumed(415),
        "An import must be sent as text/csv.";
    UnreadableFile: "unreadable_file", Assumed(422),
        "The import file cannot be read.";
    TooManyRows: "too_many_rows", Assumed(422),
        "The import file has too many rows.";
    DestinationRefused: "destination_refused", Assumed(422),
        "Webhooks are not sent to this destination.";
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
    clause: Clause,
}

impl Code {
    /// The codes that any operation can return (§7), in the document's order. No operation returns
    /// `unknown_endpoint`.
    pub const OF_ANY_OPERATION: [Code; 5] = [
        Code::InvalidRequest,
        Code::UnreadableRequest,
        Code::Unauthorized,
        Code::PayloadTooLarge,
        Code::UpstreamFailed,
    ];

    /// Whether the request alone decides on it, whatever the state is.
    pub const fn is_of_form(self) -> bool {
        matches!(
            self,
            Code::InvalidRequest
                | Code::UnreadableRequest
                | Code::PayloadTooLarge
                | Code::UnknownEndpoint
                | Code::InvalidRoutingNumber
                | Code::InvalidInvitee
                | Code::UnsupportedMediaType
                | Code::UnreadableFile
                | Code::TooManyRows
        )
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

    /// Its row in the document's table of codes.
    pub const fn clause(self) -> Clause {
        self.info().clause
    }

    /// Whether our wording of `clause` has the token.
    pub fn is_named_by(self, clause: Clause) -> bool {
        clause.wording().contains(self.name())
    }

    /// The code that our wording of `clause` names, if it names one alone.
    pub fn named_alone_by(clause: Clause) -> Option<Code> {
        let mut named = Code::ALL.into_iter().filter(|code| code.is_named_by(clause));
        let first = named.next()?;
        named.next().is_none().then_some(first)
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
#[derive(Clone, Debug, thiserror::Error)]
#[error("{code}: {message}")]
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
