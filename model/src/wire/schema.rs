//! The fields of every request body, one row each: what a value is, which values are valid, whether it is required,
//! and which sentence says so (§2, §4, §8).

use crate::cents::FaceValue;
use crate::clause;
use crate::clause::Clause;
use crate::endpoint::OperationKind;
use crate::words::InvoiceStatus;

/// A field of a request body.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// What its value is.
    pub role: Role,
    /// Whether a body without it is refused.
    pub is_required: bool,
    /// The least number of characters that the document states for it.
    pub least_length: usize,
    /// The sentence, or the assumption, that states its form.
    pub clause: Clause,
}

/// What a value is. It decides which values are valid, who may know it, and whom it names.
#[derive(Clone, Copy, Debug)]
pub enum Role {
    /// An object with fields of its own.
    Object(&'static [Field]),
    /// The caller's identifier of a business.
    Business,
    /// The caller's identifier of an invoice.
    Invoice,
    /// The legal name of a business.
    LegalName,
    /// A tax id: nine digits, apart from punctuation.
    TaxId,
    /// An e-mail address.
    Email,
    /// A telephone number.
    Phone,
    /// The number of a bank account, 4 to 17 digits.
    AccountNumber,
    /// The ABA number of a bank.
    RoutingNumber,
    /// An amount in cents, 1 to 2147483647.
    Amount,
    /// An RFC 3339 date-time.
    Instant,
    /// The status of an invoice.
    Status,
    /// The URL of a receiver.
    Receiver,
    /// A list of event types.
    EventTypes,
    /// Any text that names nobody.
    Text,
}

/// The JSON values that a field takes, as the document states them.
#[derive(Clone, Copy, Debug)]
pub enum Domain {
    /// An object with these fields.
    Object(&'static [Field]),
    /// Text of at least so many characters. Its greatest length is not shown.
    Text {
        /// Characters.
        least: usize,
    },
    /// Text of digits only.
    Digits {
        /// The least number of digits.
        least: usize,
        /// The greatest number of digits.
        most: usize,
    },
    /// Text of nine digits, the last of which is a check digit.
    RoutingNumber,
    /// A whole number from `least` to `most`.
    Integer {
        /// The least number.
        least: i64,
        /// The greatest number.
        most: i64,
    },
    /// An RFC 3339 date-time.
    Instant,
    /// One of these words.
    Word(&'static [&'static str]),
    /// An e-mail address.
    Email,
    /// The URL of a receiver.
    Url,
    /// A type that is not shown.
    Open,
}

const fn required(name: &'static str, role: Role, clause: Clause) -> Field {
    Field { name, role, is_required: true, least_length: 0, clause }
}

const fn optional(name: &'static str, role: Role, clause: Clause) -> Field {
    Field { name, role, is_required: false, least_length: 0, clause }
}

impl Field {
    /// The same field, where the document states that it has at least one character.
    const fn not_empty(self) -> Field {
        Field { least_length: 1, ..self }
    }

    /// The JSON values that it takes.
    pub const fn domain(&self) -> Domain {
        match self.role {
            Role::Object(fields) => Domain::Object(fields),
            Role::Business
            | Role::Invoice
            | Role::LegalName
            | Role::TaxId
            | Role::Phone
            | Role::Text => Domain::Text { least: self.least_length },
            Role::Email => Domain::Email,
            Role::AccountNumber => Domain::Digits { least: 4, most: 17 },
            Role::RoutingNumber => Domain::RoutingNumber,
            Role::Amount => Domain::Integer { least: 1, most: FaceValue::MAX },
            Role::Instant => Domain::Instant,
            Role::Status => Domain::Word(&STATUSES),
            Role::Receiver => Domain::Url,
            Role::EventTypes => Domain::Open,
        }
    }
}

const STATUSES: [&str; InvoiceStatus::ALL.len()] = {
    let mut words = [""; InvoiceStatus::ALL.len()];
    let mut index = 0;
    while index < words.len() {
        words[index] = InvoiceStatus::ALL[index].word();
        index += 1;
    }
    words
};

const ADDRESS: &[Field] = &[
    optional("line1", Role::Text, clause!("gap.partyFields")),
    optional("line2", Role::Text, clause!("gap.partyFields")),
    optional("city", Role::Text, clause!("gap.partyFields")),
    optional("state", Role::Text, clause!("gap.partyFields")),
    optional("postalCode", Role::Text, clause!("gap.partyFields")),
];

const CONTACT: &[Field] = &[
    optional("name", Role::Text, clause!("gap.partyFields")),
    optional("email", Role::Email, clause!("gap.partyFields")),
    optional("phone", Role::Phone, clause!("gap.partyFields")),
    optional("address", Role::Object(ADDRESS), clause!("gap.partyFields")),
];

/// A party of an invoice, whose required fields `stated_by` states.
const fn party(stated_by: Clause) -> [Field; 4] {
    [
        required("externalId", Role::Business, stated_by),
        required("legalName", Role::LegalName, stated_by),
        optional("taxId", Role::TaxId, clause!("gap.partyFields")),
        optional("contact", Role::Object(CONTACT), clause!("gap.partyFields")),
    ]
}

const PAYEE: &[Field] = &party(clause!("2.invoiceSync.payee"));
const PAYOR: &[Field] = &party(clause!("2.invoiceSync.payor"));

const INVOICE_SYNC: &[Field] = &[
    required("payee", Role::Object(PAYEE), clause!("2.invoiceSync.payee")),
    required("payor", Role::Object(PAYOR), clause!("2.invoiceSync.payor")),
    required("status", Role::Status, clause!("2.invoiceSync.status")),
    required("faceValue", Role::Amount, clause!("2.invoiceSync.faceValue")),
    required("issueDate", Role::Instant, clause!("2.invoiceSync.issueDate")),
    required("dueDate", Role::Instant, clause!("2.invoiceSync.dueDate")),
];

const BUSINESS_SYNC: &[Field] = &[
    required("legalName", Role::LegalName, clause!("2.businessSync.legalName")).not_empty(),
    optional("taxId", Role::TaxId, clause!("2.businessSync.taxId")),
    optional("contact", Role::Object(CONTACT), clause!("2.businessSync.contact")),
];

const PAYOUT_ACCOUNT: &[Field] = &[
    required("accountNumber", Role::AccountNumber, clause!("2.payoutAccount.accountNumber")),
    required("routingNumber", Role::RoutingNumber, clause!("2.payoutAccount.routingNumber")),
    optional("label", Role::Text, clause!("2.payoutAccount.label")).not_empty(),
];

const ADVANCE: &[Field] = &[
    required("payeeExternalId", Role::Business, clause!("4.advances.intro.1")).not_empty(),
    required("invoiceExternalId", Role::Invoice, clause!("4.advances.intro.1")),
];

const QUOTE: &[Field] = &[
    required("externalId", Role::Business, clause!("4.quotes.3")).not_empty(),
    required("invoiceFaceValue", Role::Amount, clause!("4.quotes.3")),
];

const INVITATION: &[Field] = &[
    required("externalId", Role::Business, clause!("2.invitation.externalId")),
    required("email", Role::Email, clause!("2.invitation.email")),
];

const SESSION: &[Field] =
    &[required("externalId", Role::Business, clause!("2.session.externalId"))];

const SUBSCRIPTION: &[Field] = &[
    required("url", Role::Receiver, clause!("2.subscription.url")),
    optional("eventTypes", Role::EventTypes, clause!("2.subscription.eventTypes")),
];

impl OperationKind {
    /// The fields of the request body; none if it is no JSON.
    pub const fn fields(self) -> &'static [Field] {
        match self {
            OperationKind::SyncInvoice => INVOICE_SYNC,
            OperationKind::SyncBusiness => BUSINESS_SYNC,
            OperationKind::SetPayoutAccount => PAYOUT_ACCOUNT,
            OperationKind::RequestAdvance => ADVANCE,
            OperationKind::Quote => QUOTE,
            OperationKind::Invite => INVITATION,
            OperationKind::CreateOnboardingSession => SESSION,
            OperationKind::Subscribe => SUBSCRIPTION,
            OperationKind::GetInvoice
            | OperationKind::GetImport
            | OperationKind::ImportInvoices
            | OperationKind::GetBusiness
            | OperationKind::ListSubscriptions
            | OperationKind::Unsubscribe => &[],
        }
    }
}

/// The innermost field on the way `path` from one of `fields`, by the names of the fields.
///
/// ```
/// use tideover_model::OperationKind;
/// use tideover_model::wire::schema::find;
///
/// let found = find(OperationKind::SyncInvoice.fields(), ["payee", "legalName"]).unwrap();
/// assert_eq!(found.clause.name(), "2.invoiceSync.payee");
/// ```
pub fn find<'p>(
    fields: &'static [Field],
    path: impl IntoIterator<Item = &'p str>,
) -> Option<&'static Field> {
    let mut path = path.into_iter();
    let name = path.next()?;
    let field = fields.iter().find(|field| field.name == name)?;
    match field.role {
        Role::Object(fields) => find(fields, path).or(Some(field)),
        _ => Some(field),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use utoipa::PartialSchema;

    use super::*;
    use crate::wire::request;

    /// The names of an object's fields in the OpenAPI schema of `T`, and of those that are required.
    fn published<T: PartialSchema>() -> (Vec<String>, Vec<String>) {
        let schema = serde_json::to_value(T::schema()).unwrap();
        let names = |value: &Value| {
            value
                .as_array()
                .into_iter()
                .flatten()
                .map(|name| name.as_str().unwrap().to_owned())
                .collect()
        };
        let properties = schema["properties"].as_object().unwrap();
        let mut all: Vec<String> = properties.keys().cloned().collect();
        let mut required: Vec<String> = names(&schema["required"]);
        all.sort();
        required.sort();
        (all, required)
    }

    fn tabled(fields: &[Field]) -> (Vec<String>, Vec<String>) {
        let names = |fields: &mut dyn Iterator<Item = &Field>| {
            let mut names: Vec<String> = fields.map(|field| field.name.to_owned()).collect();
            names.sort();
            names
        };
        (names(&mut fields.iter()), names(&mut fields.iter().filter(|field| field.is_required)))
    }

    #[test]
    fn the_table_has_the_fields_that_are_read() {
        assert_eq!(tabled(INVOICE_SYNC), published::<request::InvoiceSync>());
        assert_eq!(tabled(PAYEE), published::<request::Party>());
        assert_eq!(tabled(PAYOR), published::<request::Party>());
        assert_eq!(tabled(CONTACT), published::<request::Contact>());
        assert_eq!(tabled(ADDRESS).0, published::<request::Address>().0);
        assert_eq!(tabled(BUSINESS_SYNC), published::<request::BusinessSync>());
        assert_eq!(tabled(PAYOUT_ACCOUNT), published::<request::PayoutAccount>());
        assert_eq!(tabled(ADVANCE), published::<request::AdvanceRequest>());
        assert_eq!(tabled(QUOTE), published::<request::QuoteRequest>());
        assert_eq!(tabled(INVITATION), published::<request::InvitationRequest>());
        assert_eq!(tabled(SESSION), published::<request::SessionRequest>());
        assert_eq!(tabled(SUBSCRIPTION), published::<request::SubscriptionRequest>());
    }
}
