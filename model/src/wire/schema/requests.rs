//! The fields of request bodies.

use crate::clause;
use crate::clause::Clause;
use crate::endpoint::OperationKind;
use crate::wire::schema::{Field, Role, optional, required};
use crate::words::InvoiceStatus;

pub(super) const ADDRESS: &[Field] = &[
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
    required("status", Role::Word(&InvoiceStatus::WORDS), clause!("2.invoiceSync.status")),
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
    /// What each parameter of the path identifies, in the path's order.
    pub const fn path_roles(self) -> &'static [Role] {
        match self {
            OperationKind::GetInvoice => &[Role::Business, Role::Invoice],
            OperationKind::SyncInvoice => &[Role::Invoice],
            OperationKind::GetImport | OperationKind::ImportInvoices => &[Role::Import],
            OperationKind::SetPayoutAccount
            | OperationKind::GetBusiness
            | OperationKind::SyncBusiness => &[Role::Business],
            OperationKind::Unsubscribe => &[Role::Subscription],
            OperationKind::RequestAdvance
            | OperationKind::Quote
            | OperationKind::Invite
            | OperationKind::CreateOnboardingSession
            | OperationKind::Subscribe
            | OperationKind::ListSubscriptions => &[],
        }
    }

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
