//! What a caller can ask: one variant per endpoint, in document order (§4). Those that `PUT`, and the
//! request of an advance, are safe to repeat (`4.idempotency.1`).

use std::net::IpAddr;

use serde::{Deserialize, Serialize};

use crate::cents::FaceValue;
use crate::endpoint::OperationKind;
use crate::timestamp::Timestamp;
use crate::words::{EventType, InvoiceStatus};

/// A request of a caller, decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// `GET /v1/organizations/{payeeExternalId}/invoices/{externalId}`
    GetInvoice {
        /// The payee's identifier.
        payee: String,
        /// The invoice's identifier.
        invoice: String,
    },
    /// `PUT /v1/invoices/{externalId}`
    SyncInvoice(Box<InvoiceSync>),
    /// `GET /v1/invoices/imports/{externalId}`
    GetImport {
        /// The import's identifier.
        import: String,
    },
    /// `PUT /v1/invoices/imports/{externalId}`
    ImportInvoices {
        /// The import's identifier.
        import: String,
        /// What was uploaded.
        file: ImportFile,
    },
    /// `PUT /v1/organizations/{externalId}/payout-account`
    SetPayoutAccount {
        /// The business.
        business: String,
        /// 4 to 17 digits.
        account_number: String,
        /// As sent; only the service says whether it is valid.
        routing_number: String,
        /// A nickname, if one was sent.
        label: Option<String>,
    },
    /// `GET /v1/organizations/{externalId}`
    GetBusiness {
        /// The business.
        business: String,
    },
    /// `PUT /v1/organizations/{externalId}`
    SyncBusiness {
        /// The business.
        business: String,
        /// What was sent of it.
        details: BusinessDetails,
    },
    /// `POST /v1/advances`
    RequestAdvance {
        /// The payee's identifier.
        payee: String,
        /// The invoice's identifier.
        invoice: String,
    },
    /// `POST /v1/quotes`
    Quote {
        /// The business.
        business: String,
        /// The face value to price.
        face_value: FaceValue,
    },
    /// `POST /v1/invitations`
    Invite {
        /// The business.
        business: String,
        /// As sent; only the service says whether it is an address.
        email: String,
    },
    /// `POST /v1/onboarding-sessions`
    CreateOnboardingSession {
        /// The business.
        business: String,
    },
    /// `POST /v1/webhooks`
    Subscribe {
        /// The destination, as sent.
        url: String,
        /// The kinds wanted; `None` for all, future ones included.
        event_types: Option<Vec<EventType>>,
        /// What its host name resolves to, as far as that is known.
        addresses: Vec<IpAddr>,
    },
    /// `GET /v1/webhooks`
    ListSubscriptions,
    /// `DELETE /v1/webhooks/{reference}`
    Unsubscribe {
        /// The subscription.
        reference: String,
    },
}

/// What an operation is about, by the caller's identifiers. The other party of an invoice and the rows of an import
/// are not its subject: see [`Operation::syncs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject<'a> {
    /// A business.
    Business(&'a str),
    /// An invoice, which only its payee and its identifier name together (§1 General rule 3).
    Invoice {
        /// The payee's identifier.
        payee: &'a str,
        /// The invoice's identifier.
        invoice: &'a str,
    },
    /// An import.
    Import(&'a str),
    /// The destination of a new subscription.
    Destination(&'a str),
    /// A subscription, by its reference.
    Subscription(&'a str),
    /// All subscriptions of the caller.
    Subscriptions,
}

impl<'a> Subject<'a> {
    /// The business: the payee, if it is an invoice.
    pub fn business(self) -> Option<&'a str> {
        match self {
            Subject::Business(business) | Subject::Invoice { payee: business, .. } => {
                Some(business)
            }
            _ => None,
        }
    }

    /// The invoice's identifier.
    pub fn invoice(self) -> Option<&'a str> {
        match self {
            Subject::Invoice { invoice, .. } => Some(invoice),
            _ => None,
        }
    }

    /// All identifiers in it; a destination is none.
    pub fn identifiers(self) -> impl Iterator<Item = &'a str> {
        let [first, second] = match self {
            Subject::Business(name) | Subject::Import(name) | Subject::Subscription(name) => {
                [Some(name), None]
            }
            Subject::Invoice { payee, invoice } => [Some(payee), Some(invoice)],
            Subject::Destination(_) | Subject::Subscriptions => [None, None],
        };
        first.into_iter().chain(second)
    }
}

/// The body of an invoice sync (§2 Invoice sync request), with the identifier from the path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvoiceSync {
    /// The invoice's identifier, unique per payee.
    pub invoice: String,
    /// The business owed the money.
    pub payee: Party,
    /// The party that owes it.
    pub payor: Party,
    /// What the caller says of the invoice.
    pub status: InvoiceStatus,
    /// What the payor owes.
    pub face_value: FaceValue,
    /// When it was issued.
    pub issue_date: Timestamp,
    /// When it is due.
    pub due_date: Timestamp,
}

/// A party of an invoice: the business's identifier and what was sent of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Party {
    /// The business.
    pub business: String,
    /// What was sent of it.
    pub details: BusinessDetails,
}

/// What a caller sends about a business.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BusinessDetails {
    /// Its legal name.
    pub legal_name: String,
    /// Its tax id, as sent: perhaps punctuated, perhaps none.
    pub tax_id: Option<String>,
    /// Whom to write to. What is omitted is `None`.
    pub contact: Contact,
}

/// Whom to write to at a business (`gap.partyFields`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Contact {
    /// A person.
    pub name: Option<String>,
    /// An e-mail address.
    pub email: Option<String>,
    /// A telephone number.
    pub phone: Option<String>,
    /// A postal address.
    pub address: Address,
}

/// A postal address, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Address {
    /// Street and number.
    pub line1: Option<String>,
    /// What line 1 had no room for.
    pub line2: Option<String>,
    /// The city.
    pub city: Option<String>,
    /// The state.
    pub state: Option<String>,
    /// The postal code.
    pub postal_code: Option<String>,
}

impl Contact {
    /// Takes over what `sent` says; what it omits stays (§2 Business sync request, `contact`).
    pub(crate) fn update(&mut self, sent: Contact) {
        take_over(&mut self.name, sent.name);
        take_over(&mut self.email, sent.email);
        take_over(&mut self.phone, sent.phone);
        take_over(&mut self.address.line1, sent.address.line1);
        take_over(&mut self.address.line2, sent.address.line2);
        take_over(&mut self.address.city, sent.address.city);
        take_over(&mut self.address.state, sent.address.state);
        take_over(&mut self.address.postal_code, sent.address.postal_code);
    }
}

impl Address {
    /// Whether it has no field.
    pub fn is_empty(&self) -> bool {
        *self == Address::default()
    }

    /// The parts that a whole address has and it has not, by name.
    pub(crate) fn missing(&self) -> impl Iterator<Item = &'static str> {
        let parts = [
            (&self.line1, "line1"),
            (&self.city, "city"),
            (&self.state, "state"),
            (&self.postal_code, "postalCode"),
        ];
        let is_there =
            |part: &Option<String>| part.as_ref().is_some_and(|text| !text.trim().is_empty());
        parts.into_iter().filter(move |(part, _)| !is_there(part)).map(|(_, name)| name)
    }
}

fn take_over(field: &mut Option<String>, sent: Option<String>) {
    if sent.is_some() {
        *field = sent;
    }
}

/// An uploaded CSV file, read row by row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportFile {
    /// SHA-256 of the body: what makes it the same file (`gap.sameFile`).
    pub digest: [u8; 32],
    /// Its rows, in order.
    pub rows: Vec<ImportRow>,
}

/// A row of an import file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportRow {
    /// The invoice's identifier, as far as the row says one.
    pub invoice: Option<String>,
    /// The payee's identifier, given or derived, as far as the row says one.
    pub payee: Option<String>,
    /// The sync that the row asks for, or what is wrong with it.
    pub sync: Result<InvoiceSync, BadRow>,
}

/// What is wrong with a row of an import file: whoever wrote the file is to blame. The report shows the sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadRow(pub String);

impl From<&str> for BadRow {
    fn from(why: &str) -> BadRow {
        BadRow(why.to_owned())
    }
}

impl From<InvoiceSync> for ImportRow {
    fn from(sync: InvoiceSync) -> ImportRow {
        let (invoice, payee) = (sync.invoice.clone(), sync.payee.business.clone());
        ImportRow { invoice: Some(invoice), payee: Some(payee), sync: Ok(sync) }
    }
}

impl Operation {
    /// What the operation is about: the one answer for whoever groups, searches, masks or explains requests.
    ///
    /// ```
    /// use tideover_model::{Operation, Subject};
    ///
    /// let quote = Operation::GetBusiness { business: "acme".into() };
    /// assert_eq!(quote.subject(), Subject::Business("acme"));
    /// ```
    pub fn subject(&self) -> Subject<'_> {
        match self {
            Operation::GetInvoice { payee, invoice }
            | Operation::RequestAdvance { payee, invoice } => Subject::Invoice { payee, invoice },
            Operation::SyncInvoice(sync) => {
                Subject::Invoice { payee: &sync.payee.business, invoice: &sync.invoice }
            }
            Operation::GetImport { import } | Operation::ImportInvoices { import, .. } => {
                Subject::Import(import)
            }
            Operation::SetPayoutAccount { business, .. }
            | Operation::GetBusiness { business }
            | Operation::SyncBusiness { business, .. }
            | Operation::Quote { business, .. }
            | Operation::Invite { business, .. }
            | Operation::CreateOnboardingSession { business } => Subject::Business(business),
            Operation::Subscribe { url, .. } => Subject::Destination(url),
            Operation::ListSubscriptions => Subject::Subscriptions,
            Operation::Unsubscribe { reference } => Subject::Subscription(reference),
        }
    }

    /// The invoices that it syncs.
    pub fn syncs(&self) -> Vec<&InvoiceSync> {
        match self {
            Operation::SyncInvoice(sync) => vec![sync],
            Operation::ImportInvoices { file, .. } => {
                file.rows.iter().filter_map(|row| row.sync.as_ref().ok()).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Which endpoint it is for.
    pub fn kind(&self) -> OperationKind {
        match self {
            Operation::GetInvoice { .. } => OperationKind::GetInvoice,
            Operation::SyncInvoice(_) => OperationKind::SyncInvoice,
            Operation::GetImport { .. } => OperationKind::GetImport,
            Operation::ImportInvoices { .. } => OperationKind::ImportInvoices,
            Operation::SetPayoutAccount { .. } => OperationKind::SetPayoutAccount,
            Operation::GetBusiness { .. } => OperationKind::GetBusiness,
            Operation::SyncBusiness { .. } => OperationKind::SyncBusiness,
            Operation::RequestAdvance { .. } => OperationKind::RequestAdvance,
            Operation::Quote { .. } => OperationKind::Quote,
            Operation::Invite { .. } => OperationKind::Invite,
            Operation::CreateOnboardingSession { .. } => OperationKind::CreateOnboardingSession,
            Operation::Subscribe { .. } => OperationKind::Subscribe,
            Operation::ListSubscriptions => OperationKind::ListSubscriptions,
            Operation::Unsubscribe { .. } => OperationKind::Unsubscribe,
        }
    }
}
