//! The bodies of requests, with the document's field names (§2).

use std::fmt;

use serde::de::{self, Deserializer, Unexpected, Visitor};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::cents::FaceValue;
use crate::operation;
use crate::operation::Operation;
use crate::timestamp::Timestamp;
use crate::wire::object::{object, present};
use crate::words::{EventType, InvoiceStatus};

/// The body of `PUT /v1/invoices/{externalId}` (§2 Invoice sync request).
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InvoiceSync {
    /// The business that the money is owed to.
    #[serde(deserialize_with = "object")]
    payee: Party,
    /// The party that owes it.
    #[serde(deserialize_with = "object")]
    payor: Party,
    /// Only ISSUED invoices can receive an advance.
    status: InvoiceStatus,
    /// Cents.
    #[schema(value_type = i64, minimum = 1, maximum = 2_147_483_647)]
    face_value: FaceValue,
    /// When it was issued.
    #[schema(value_type = String, format = DateTime)]
    issue_date: Timestamp,
    /// When it is due.
    #[schema(value_type = String, format = DateTime)]
    due_date: Timestamp,
}

/// A party of an invoice (`gap.partyFields`).
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Party {
    /// The caller's business identifier.
    #[schema(value_type = String, min_length = 1)]
    external_id: NonEmpty,
    /// Its legal name.
    #[schema(value_type = String, min_length = 1)]
    legal_name: NonEmpty,
    /// Punctuation is optional.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    tax_id: Option<String>,
    /// The contact at the party.
    #[serde(default, deserialize_with = "object", skip_serializing_if = "is_default")]
    #[schema(required = false)]
    contact: Contact,
}

/// The contact at a business (`gap.partyFields`).
#[derive(Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Contact {
    /// A person.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    name: Option<String>,
    /// An e-mail address.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    email: Option<String>,
    /// A telephone number.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    phone: Option<String>,
    /// A postal address.
    #[serde(default, deserialize_with = "object", skip_serializing_if = "is_default")]
    #[schema(required = false)]
    address: Address,
}

/// A postal address (`gap.partyFields`), complete as a collection account needs it (`gap.addressKnown`). The
/// service does not refuse an incomplete one.
#[derive(Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Address {
    /// Street and number.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, required = true)]
    line1: Option<String>,
    /// A second line, if needed.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    line2: Option<String>,
    /// The city.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, required = true)]
    city: Option<String>,
    /// The state.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, required = true)]
    state: Option<String>,
    /// The postal code.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, required = true)]
    postal_code: Option<String>,
}

/// The body of `PUT /v1/organizations/{externalId}` (§2 Business sync request).
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BusinessSync {
    /// Its legal name.
    #[schema(value_type = String, min_length = 1)]
    legal_name: NonEmpty,
    /// Punctuation is optional. Left out if unknown.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    tax_id: Option<String>,
    /// The contact at the business. A field that is left out keeps its value.
    #[serde(default, deserialize_with = "object", skip_serializing_if = "is_default")]
    #[schema(required = false)]
    contact: Contact,
}

/// The body of `PUT /v1/organizations/{externalId}/payout-account` (§2 Payout account request).
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PayoutAccount {
    /// 4 to 17 digits.
    #[schema(value_type = String, pattern = r"^\d{4,17}$")]
    pub(crate) account_number: AccountNumber,
    /// Nine digits, the last of them a check digit.
    pub(crate) routing_number: String,
    /// A nickname.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, min_length = 1, required = false)]
    pub(crate) label: Option<NonEmpty>,
}

impl PayoutAccount {
    /// The operation that sets it for `business`.
    pub(crate) fn of(self, business: String) -> Operation {
        let PayoutAccount { account_number: AccountNumber(account_number), routing_number, label } =
            self;
        let label = label.map(|NonEmpty(label)| label);
        Operation::SetPayoutAccount { business, account_number, routing_number, label }
    }
}

/// The body of `POST /v1/advances` (§4 POST /v1/advances).
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AdvanceRequest {
    /// The payee's identifier.
    #[schema(value_type = String, min_length = 1)]
    pub(crate) payee_external_id: NonEmpty,
    /// The invoice's identifier.
    pub(crate) invoice_external_id: String,
}

/// The body of `POST /v1/quotes` (§4 POST /v1/quotes).
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuoteRequest {
    /// The business.
    #[schema(value_type = String, min_length = 1)]
    pub(crate) external_id: NonEmpty,
    /// Cents.
    #[schema(value_type = i64, minimum = 1, maximum = 2_147_483_647)]
    pub(crate) invoice_face_value: FaceValue,
}

/// The body of `POST /v1/invitations` (§2 Invitation).
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InvitationRequest {
    /// The business.
    pub(crate) external_id: String,
    /// The invited person's email address.
    #[schema(format = Email)]
    pub(crate) email: String,
}

/// The body of `POST /v1/onboarding-sessions` (§2 Onboarding session).
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionRequest {
    /// The business.
    pub(crate) external_id: String,
}

/// The body of `POST /v1/webhooks` (§2 Webhook subscription).
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SubscriptionRequest {
    /// Where deliveries go: a public https URL.
    pub(crate) url: String,
    /// The wanted event types; if left out, all of them, even future ones.
    #[serde(default, deserialize_with = "event_types", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_items = 1)]
    pub(crate) event_types: Option<Vec<EventType>>,
}

/// At least one event type (`gap.subscriptionForm`); a repeated one counts once.
fn event_types<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Vec<EventType>>, D::Error> {
    let mut kinds = Vec::<EventType>::deserialize(deserializer)?;
    kinds.sort_unstable();
    kinds.dedup();
    if kinds.is_empty() {
        return Err(de::Error::invalid_length(0, &"at least one event type"));
    }
    Ok(Some(kinds))
}

/// Whether an object has no field, so that it can be left out.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A string of at least one character.
#[derive(Serialize)]
pub struct NonEmpty(pub(crate) String);

impl<'de> Deserialize<'de> for NonEmpty {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<NonEmpty, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text.is_empty() {
            return Err(de::Error::invalid_length(0, &"at least one character"));
        }
        Ok(NonEmpty(text))
    }
}

impl From<String> for NonEmpty {
    fn from(text: String) -> NonEmpty {
        NonEmpty(text)
    }
}

impl From<NonEmpty> for String {
    fn from(NonEmpty(text): NonEmpty) -> String {
        text
    }
}

/// 4 to 17 digits (`8.accountNumber`).
#[derive(Serialize)]
pub struct AccountNumber(pub(crate) String);

impl AccountNumber {
    /// `None` if `text` isn't one.
    pub(crate) fn parse(text: &str) -> Option<AccountNumber> {
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        (digits && (4..=17).contains(&text.len())).then(|| AccountNumber(text.to_owned()))
    }
}

impl<'de> Deserialize<'de> for AccountNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<AccountNumber, D::Error> {
        let text = String::deserialize(deserializer)?;
        AccountNumber::parse(&text).ok_or_else(|| de::Error::custom("expected 4 to 17 digits"))
    }
}

impl<'de> Deserialize<'de> for FaceValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<FaceValue, D::Error> {
        struct WholeCents;
        impl Visitor<'_> for WholeCents {
            type Value = FaceValue;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a whole number of cents from 1 to 2147483647")
            }
            fn visit_u64<E: de::Error>(self, cents: u64) -> Result<FaceValue, E> {
                let face_value = i64::try_from(cents).ok().and_then(FaceValue::new);
                face_value.ok_or_else(|| E::invalid_value(Unexpected::Unsigned(cents), &self))
            }
            fn visit_i64<E: de::Error>(self, cents: i64) -> Result<FaceValue, E> {
                FaceValue::new(cents)
                    .ok_or_else(|| E::invalid_value(Unexpected::Signed(cents), &self))
            }
        }
        deserializer.deserialize_u64(WholeCents)
    }
}

impl InvoiceSync {
    pub(crate) fn of(self, invoice: String) -> operation::InvoiceSync {
        let InvoiceSync { payee, payor, status, face_value, issue_date, due_date } = self;
        let (payee, payor) = (payee.into(), payor.into());
        operation::InvoiceSync { invoice, payee, payor, status, face_value, issue_date, due_date }
    }
}

impl From<operation::InvoiceSync> for InvoiceSync {
    fn from(sync: operation::InvoiceSync) -> InvoiceSync {
        let operation::InvoiceSync {
            payee, payor, status, face_value, issue_date, due_date, ..
        } = sync;
        let (payee, payor) = (payee.into(), payor.into());
        InvoiceSync { payee, payor, status, face_value, issue_date, due_date }
    }
}

impl From<Party> for operation::Party {
    fn from(party: Party) -> operation::Party {
        let Party { external_id, legal_name, tax_id, contact } = party;
        let details = BusinessSync { legal_name, tax_id, contact }.into();
        operation::Party { business: external_id.0, details }
    }
}

impl From<operation::Party> for Party {
    fn from(operation::Party { business, details }: operation::Party) -> Party {
        let BusinessSync { legal_name, tax_id, contact } = details.into();
        Party { external_id: NonEmpty(business), legal_name, tax_id, contact }
    }
}

/// Converts an object of a body into what the service reads of it, and back.
macro_rules! both_ways {
    ($($body:ident = $own:ident { $($field:ident),* })*) => {$(
        impl From<$body> for operation::$own {
            fn from(body: $body) -> operation::$own {
                operation::$own { $($field: body.$field.into()),* }
            }
        }

        impl From<operation::$own> for $body {
            fn from(own: operation::$own) -> $body {
                $body { $($field: own.$field.into()),* }
            }
        }
    )*};
}

both_ways! {
    BusinessSync = BusinessDetails { legal_name, tax_id, contact }
    Contact = Contact { name, email, phone, address }
    Address = Address { line1, line2, city, state, postal_code }
}
