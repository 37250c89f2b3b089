//! What a platform's part of the service looks like from inside, for whoever operates a mock. The document has no
//! such answer.

use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;

use crate::cents::Cents;
use crate::timestamp::Timestamp;
use crate::wire::difference::{FieldTexts, Subjects, field_texts, text};
use crate::wire::reply;
use crate::words::{CollectionState, InvoiceStatus};

/// What of a platform is wanted.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// Only what has this text in its identifier or its name, in any case of letters; all without one.
    pub text: &'a str,
    /// The most businesses, and the most invoices.
    pub most: usize,
}

/// A platform's businesses and invoices, the newest first, and the books of the whole service.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PlatformOverview)]
pub struct Overview {
    /// The businesses: as the API shows them, and what it does not show.
    #[schema(value_type = Vec<BTreeMap<String, Value>>)]
    pub businesses: Vec<BusinessSeen>,
    /// The invoices, and where the money of each is. Cents.
    #[schema(value_type = Vec<BTreeMap<String, Value>>)]
    pub invoices: Vec<InvoiceSeen>,
    /// Whether there are more of either.
    pub more: bool,
    /// The platform's subscriptions, without their secrets.
    #[schema(value_type = Vec<BTreeMap<String, Value>>)]
    pub subscriptions: Vec<reply::Subscription>,
    /// The books of all platforms: amounts that add up to 0. Cents.
    #[schema(value_type = BTreeMap<String, Value>)]
    pub books: Books,
}

impl Overview {
    /// The name of the books among the subjects.
    pub const BOOKS: &str = "the books";

    /// Each business, invoice and subscription by its name, and the books, for a difference.
    pub fn subjects(&self) -> Subjects {
        let businesses =
            self.businesses.iter().map(|it| (business_named(&it.shown.external_id), fields(it)));
        let invoices =
            self.invoices.iter().map(|it| (invoice_named(&it.external_id, &it.payee), fields(it)));
        let subscriptions = self
            .subscriptions
            .iter()
            .map(|it| (format!("subscription {}", it.reference), fields(it)));
        let books = [(Overview::BOOKS.to_owned(), fields(&self.books))];
        businesses.chain(invoices).chain(subscriptions).chain(books).collect()
    }
}

/// A business in words.
pub fn business_named(business: &str) -> String {
    format!("business {business}")
}

/// An invoice in words.
pub fn invoice_named(invoice: &str, payee: &str) -> String {
    format!("invoice {invoice} of {payee}")
}

fn fields(seen: &impl Serialize) -> FieldTexts {
    field_texts(&json!(seen), text)
}

/// How much a service holds, of all platforms together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct Size {
    /// How many identifiers of businesses its platforms have synced.
    pub businesses: usize,
    /// How many invoices it has.
    pub invoices: usize,
}

/// A business, and what an answer of the API does not tell about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BusinessSeen {
    /// As the API shows it.
    #[serde(flatten)]
    pub shown: reply::Business,
    /// Whether the vendor has claimed its account with the platform.
    pub claimed: bool,
    /// The addresses whose invitations can still be accepted.
    pub invited: Vec<String>,
    /// When the bank opens the collection account, if it verifies it.
    pub opens_at: Option<Timestamp>,
    /// Advances that are not recovered, without fees. Cents.
    pub outstanding: Cents,
    /// Whether its money is not real (§5 rule 5).
    pub test_account: bool,
    /// Whether an invoice is owed to it.
    pub payee: bool,
    /// Whether it owes an invoice.
    pub payor: bool,
}

/// An invoice, and where its money is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct InvoiceSeen {
    /// The platform's identifier of the payee.
    pub payee: String,
    /// The platform's identifier of the payor.
    pub payor: String,
    /// The platform's identifier of the invoice.
    pub external_id: String,
    /// As the platform last synced it.
    pub status: InvoiceStatus,
    /// Cents.
    pub face_value: Cents,
    /// Cents that the payor has paid, at most the face value.
    pub collected: Cents,
    /// What that means.
    pub collection_state: CollectionState,
    /// When it is due.
    pub due_date: Timestamp,
    /// Its advance, if it has one.
    pub advance: Option<reply::Advance>,
    /// Where every cent that the payor paid is.
    pub money: Money,
}

/// Where the payor's payments for an invoice are. The parts add up to what the payor paid, without what was beyond
/// the face value at that time: that is in suspense, and no longer belongs to an invoice. Cents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Money {
    /// Kept until the advance is funded.
    pub held: Cents,
    /// Back to the funder, for the advance.
    pub recovered: Cents,
    /// The fee, as far as it is paid.
    pub fee: Cents,
    /// To the vendor.
    pub forwarded: Cents,
}

/// The books of the service. No cent appears or disappears: these add up to 0. Cents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Books {
    /// Negative for money that is lent.
    pub funder: Cents,
    /// What vendors got, as advances and as forwarded payments.
    pub vendor: Cents,
    /// Negative: what payors paid.
    pub payor: Cents,
    /// Payments for advances that are not yet funded.
    pub held: Cents,
    /// Fees that are earned.
    pub fees: Cents,
    /// Payments beyond a face value.
    pub suspense: Cents,
}
