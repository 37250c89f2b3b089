//! The endpoints, one row each: whatever is true of an endpoint as a whole stands here (§4).

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::clause;
use crate::clause::Clause;
use crate::refusal::Code;
use crate::timestamp::Seconds;

/// What is true of an endpoint as a whole.
#[derive(Clone, Copy, Debug)]
pub struct Endpoint {
    /// The HTTP method.
    pub method: &'static str,
    /// The path, with its parameters in braces.
    pub path: &'static str,
    /// Whether a request only reads: it changes nothing, whatever the response (`5.authentication.3.2`).
    pub reads: bool,
    /// The status of a success, unless a profile says otherwise (`gap.successStatuses`).
    pub status: u16,
    /// The codes of its own that it can return, besides those that any endpoint can return.
    pub codes: &'static [Code],
    /// The clause by which a success has a body of this shape.
    pub body: Clause,
    /// The clause of a field that §2 does not name.
    pub other_fields: Clause,
    /// The link that it creates, if it creates one.
    pub link: Option<Link>,
    /// What it does, for a reader of the OpenAPI document.
    pub summary: &'static str,
    /// A request in few words; `{0}` and `{1}` are the identifiers of the path.
    pub phrase: &'static str,
}

/// A link for a vendor (§8).
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// How long it works. Seconds.
    pub life: Seconds,
    /// The clause that limits it.
    pub clause: Clause,
}

/// How long the link of an invitation works. Seconds.
pub(crate) const INVITATION_LIFE: Seconds = 30 * 24 * 3600;
/// How long the link of an onboarding session works. Seconds.
pub(crate) const SESSION_LIFE: Seconds = 15 * 60;

macro_rules! endpoints {
    ($($kind:ident { $($field:ident: $value:expr),* $(,)? })*) => {
        /// The endpoints, in document order.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        #[expect(missing_docs, reason = "each is the variant of `Operation` of the same name")]
        pub enum OperationKind {
            $($kind,)*
        }

        /// What can succeed with a status of its own: an operation, or the repeat of an advance's request.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        #[expect(missing_docs, reason = "named after the operations")]
        pub enum Success {
            $($kind,)*
            RepeatAdvance,
        }

        static ENDPOINTS: [Endpoint; OperationKind::ALL.len()] =
            [$(Endpoint { $($field: $value),* },)*];

        impl OperationKind {
            /// All endpoints, in document order.
            pub const ALL: [OperationKind; [$(OperationKind::$kind,)*].len()] =
                [$(OperationKind::$kind,)*];
        }

        impl From<OperationKind> for Success {
            fn from(kind: OperationKind) -> Success {
                match kind {
                    $(OperationKind::$kind => Success::$kind,)*
                }
            }
        }

        impl Success {
            /// All of them, in document order.
            pub const ALL: [Success; OperationKind::ALL.len() + 1] =
                [$(Success::$kind,)* Success::RepeatAdvance];

            /// The status, unless a profile says otherwise (`gap.successStatuses`).
            pub(crate) const fn assumed_status(self) -> u16 {
                match self {
                    $(Success::$kind => OperationKind::$kind.endpoint().status,)*
                    Success::RepeatAdvance => 200,
                }
            }
        }
    };
}

endpoints! {
    GetInvoice {
        method: "GET",
        path: "/v1/organizations/{payeeExternalId}/invoices/{externalId}",
        reads: true,
        status: 200,
        codes: &[Code::BusinessNotFound, Code::InvoiceNotFound],
        body: clause!("4.invoice.3"),
        other_fields: clause!("4.invoice.3"),
        link: None,
        summary: "Read an invoice and the advance against it",
        phrase: "read invoice {1} of {0}",
    }
    SyncInvoice {
        method: "PUT",
        path: "/v1/invoices/{externalId}",
        reads: false,
        status: 200,
        codes: &[],
        body: clause!("4.invoiceSync.5"),
        other_fields: clause!("4.invoiceSync.5"),
        link: None,
        summary: "Create or update an invoice",
        phrase: "sync invoice {0}",
    }
    GetImport {
        method: "GET",
        path: "/v1/invoices/imports/{externalId}",
        reads: true,
        status: 200,
        codes: &[Code::ImportNotFound],
        body: clause!("4.import.1"),
        other_fields: clause!("gap.importExtra"),
        link: None,
        summary: "Read an import's report",
        phrase: "read the report of import {0}",
    }
    ImportInvoices {
        method: "PUT",
        path: "/v1/invoices/imports/{externalId}",
        reads: false,
        status: 200,
        codes: &[Code::UnsupportedMediaType, Code::UnreadableFile, Code::TooManyRows, Code::AlreadyImported],
        body: clause!("4.imports.outro.1"),
        other_fields: clause!("gap.importExtra"),
        link: None,
        summary: "Import invoices from CSV",
        phrase: "import {0}",
    }
    SetPayoutAccount {
        method: "PUT",
        path: "/v1/organizations/{externalId}/payout-account",
        reads: false,
        status: 200,
        codes: &[Code::BusinessNotFound, Code::InvalidRoutingNumber],
        body: clause!("4.payoutAccount.intro.3"),
        other_fields: clause!("4.payoutAccount.intro.3"),
        link: None,
        summary: "Set the account that receives the advances",
        phrase: "set the payout account of {0}",
    }
    GetBusiness {
        method: "GET",
        path: "/v1/organizations/{externalId}",
        reads: true,
        status: 200,
        codes: &[Code::BusinessNotFound],
        body: clause!("4.business.2"),
        other_fields: clause!("4.business.2"),
        link: None,
        summary: "Read a business and its onboarding",
        phrase: "read business {0}",
    }
    SyncBusiness {
        method: "PUT",
        path: "/v1/organizations/{externalId}",
        reads: false,
        status: 200,
        codes: &[],
        body: clause!("4.businessSync.intro.4"),
        other_fields: clause!("4.businessSync.intro.4"),
        link: None,
        summary: "Create or update a business",
        phrase: "sync business {0}",
    }
    RequestAdvance {
        method: "POST",
        path: "/v1/advances",
        reads: false,
        status: 201,
        codes: &[Code::BusinessNotFound, Code::InvoiceNotFound, Code::SelfDealing, Code::InvoiceNotFinanceable, Code::BusinessNotEligible, Code::ConcentrationExceeded],
        body: clause!("4.advances.intro.2"),
        other_fields: clause!("gap.advanceVariants"),
        link: None,
        summary: "Request an advance on an invoice",
        phrase: "request an advance",
    }
    Quote {
        method: "POST",
        path: "/v1/quotes",
        reads: true,
        status: 200,
        codes: &[Code::BusinessNotFound],
        body: clause!("4.quotes.4"),
        other_fields: clause!("gap.quoteExtra"),
        link: None,
        summary: "Price an advance without requesting it",
        phrase: "ask for a quote",
    }
    Invite {
        method: "POST",
        path: "/v1/invitations",
        reads: false,
        status: 201,
        codes: &[Code::BusinessNotFound, Code::InvalidInvitee],
        body: clause!("4.invitations.3"),
        other_fields: clause!("4.invitations.3"),
        link: Some(Link { life: INVITATION_LIFE, clause: clause!("8.invitationLife") }),
        summary: "Invite a person at a business",
        phrase: "invite somebody",
    }
    CreateOnboardingSession {
        method: "POST",
        path: "/v1/onboarding-sessions",
        reads: false,
        status: 201,
        codes: &[Code::BusinessNotFound],
        body: clause!("4.sessions.2"),
        other_fields: clause!("4.sessions.2"),
        link: Some(Link { life: SESSION_LIFE, clause: clause!("8.sessionLife") }),
        summary: "Create an onboarding link",
        phrase: "create an onboarding session",
    }
    Subscribe {
        method: "POST",
        path: "/v1/webhooks",
        reads: false,
        status: 201,
        codes: &[Code::DestinationRefused, Code::AlreadySubscribed],
        body: clause!("4.webhooks.2"),
        other_fields: clause!("gap.subscriptionForm"),
        link: None,
        summary: "Subscribe to events",
        phrase: "subscribe",
    }
    ListSubscriptions {
        method: "GET",
        path: "/v1/webhooks",
        reads: true,
        status: 200,
        codes: &[],
        body: clause!("4.webhookList.1"),
        other_fields: clause!("gap.subscriptionForm"),
        link: None,
        summary: "List the live subscriptions",
        phrase: "list the subscriptions",
    }
    Unsubscribe {
        method: "DELETE",
        path: "/v1/webhooks/{reference}",
        reads: false,
        status: 204,
        codes: &[Code::SubscriptionNotFound],
        body: clause!("4.webhookDeletion.1"),
        other_fields: clause!("4.webhookDeletion.1"),
        link: None,
        summary: "Stop deliveries to a subscription",
        phrase: "delete subscription {0}",
    }
}

/// Its method and its path, as the document names it.
impl fmt::Display for OperationKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method(), self.path())
    }
}

impl OperationKind {
    /// Its row.
    pub const fn endpoint(self) -> &'static Endpoint {
        &ENDPOINTS[self as usize]
    }

    /// The HTTP method.
    pub const fn method(self) -> &'static str {
        self.endpoint().method
    }

    /// The path, with its parameters in braces.
    pub const fn path(self) -> &'static str {
        self.endpoint().path
    }

    /// The codes of its own that it can return, besides those that any endpoint can return.
    pub const fn codes(self) -> &'static [Code] {
        self.endpoint().codes
    }

    /// The media type of a request's body, if it has one.
    pub const fn media_type(self) -> Option<&'static str> {
        match self {
            OperationKind::ImportInvoices => Some("text/csv"),
            _ if self.endpoint().has_body() => Some("application/json"),
            _ => None,
        }
    }

    /// Whether it only reads: it changes nothing, whatever the response (`5.authentication.3.2`).
    pub const fn reads(self) -> bool {
        self.endpoint().reads
    }

    /// Whether it is about the caller's subscriptions, and about nothing else.
    pub const fn is_about_subscriptions(self) -> bool {
        matches!(
            self,
            OperationKind::Subscribe
                | OperationKind::ListSubscriptions
                | OperationKind::Unsubscribe
        )
    }
}

impl Endpoint {
    /// Whether a request has a body. The body of any other request is not read, though it must keep the limit.
    pub const fn has_body(&self) -> bool {
        matches!(self.method.as_bytes(), b"PUT" | b"POST")
    }
}
