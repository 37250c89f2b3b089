//! What a client asks the service, as requests.

use serde_json::{Value, json};
use tideover_model::OperationKind;

use crate::simulation::client::customer::{Customer, Customers};
use crate::simulation::plan::Plan;

/// A queue of jobs, of which one is under way at a time: writes about one subject never overtake each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Lane {
    /// The subscription.
    Webhooks,
    /// A vendor and its invoices.
    Vendor(u32),
    /// An import.
    Import(u32),
}

/// Something to ask the service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Job {
    Subscribe,
    ListSubscriptions,
    Unsubscribe(String),
    SyncBusiness,
    SetPayoutAccount,
    Invite,
    ReadBusiness,
    SyncInvoice(u32),
    ReadInvoice(u32),
    Quote(u32),
    RequestAdvance(u32),
    Upload,
    ReadImport,
}

/// A request, ready to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) kind: OperationKind,
    pub(crate) path: String,
    pub(crate) content_type: Option<&'static str>,
    pub(crate) body: Vec<u8>,
    /// The identifiers in path and body, for the rules of faults.
    pub(crate) identifiers: Vec<String>,
}

impl Job {
    pub(crate) fn kind(&self) -> OperationKind {
        match self {
            Job::Subscribe => OperationKind::Subscribe,
            Job::ListSubscriptions => OperationKind::ListSubscriptions,
            Job::Unsubscribe(_) => OperationKind::Unsubscribe,
            Job::SyncBusiness => OperationKind::SyncBusiness,
            Job::SetPayoutAccount => OperationKind::SetPayoutAccount,
            Job::Invite => OperationKind::Invite,
            Job::ReadBusiness => OperationKind::GetBusiness,
            Job::SyncInvoice(_) => OperationKind::SyncInvoice,
            Job::ReadInvoice(_) => OperationKind::GetInvoice,
            Job::Quote(_) => OperationKind::Quote,
            Job::RequestAdvance(_) => OperationKind::RequestAdvance,
            Job::Upload => OperationKind::ImportInvoices,
            Job::ReadImport => OperationKind::GetImport,
        }
    }

    /// Whether it can be repeated while the outcome of the first request is unknown (§4 Idempotency summary;
    /// an advance counts per invoice, an invitation per address). A read always can.
    pub(crate) fn is_safe_to_repeat(&self) -> bool {
        !matches!(self, Job::Subscribe | Job::Unsubscribe(_))
    }

    /// Its request.
    pub(crate) fn request(&self, plan: &Plan, customers: &Customers, lane: Lane) -> Request {
        let (identifiers, body) = self.content(plan, customers, lane);
        let path = match self {
            Job::Subscribe | Job::ListSubscriptions => "/v1/webhooks".to_owned(),
            Job::Unsubscribe(reference) => format!("/v1/webhooks/{reference}"),
            Job::SyncBusiness | Job::ReadBusiness => {
                format!("/v1/organizations/{}", identifiers[0])
            }
            Job::SetPayoutAccount => format!("/v1/organizations/{}/payout-account", identifiers[0]),
            Job::Invite => "/v1/invitations".to_owned(),
            Job::SyncInvoice(_) => format!("/v1/invoices/{}", identifiers[1]),
            Job::ReadInvoice(_) => {
                format!("/v1/organizations/{}/invoices/{}", identifiers[0], identifiers[1])
            }
            Job::Quote(_) => "/v1/quotes".to_owned(),
            Job::RequestAdvance(_) => "/v1/advances".to_owned(),
            Job::Upload | Job::ReadImport => format!("/v1/invoices/imports/{}", identifiers[0]),
        };
        let content_type = match body {
            Content::None => None,
            Content::Json(_) => Some("application/json"),
            Content::Csv(_) => Some("text/csv"),
        };
        let body = match body {
            Content::None => Vec::new(),
            Content::Json(value) => value.to_string().into_bytes(),
            Content::Csv(text) => text.into_bytes(),
        };
        Request { kind: self.kind(), path, content_type, body, identifiers }
    }

    /// The identifiers that it names, and its body.
    fn content(&self, plan: &Plan, customers: &Customers, lane: Lane) -> (Vec<String>, Content) {
        match (self, lane) {
            (Job::Unsubscribe(reference), _) => (vec![reference.clone()], Content::None),
            (Job::Subscribe, _) => {
                (Vec::new(), Content::Json(json!({ "url": customers.receiver_url() })))
            }
            (_, Lane::Webhooks) => (Vec::new(), Content::None),
            (job, Lane::Import(number)) => {
                let name = vec![format!("u{number}")];
                match job {
                    Job::Upload => (name, Content::Csv(customers.file(plan, number))),
                    _ => (name, Content::None),
                }
            }
            (job, Lane::Vendor(number)) => match customers.find(number) {
                None => (vec![String::new(), String::new()], Content::None),
                Some(customer) => job.about(plan, customer),
            },
        }
    }

    fn about(&self, plan: &Plan, customer: &Customer) -> (Vec<String>, Content) {
        let name = customer.name();
        let invoice = |number: &u32| customer.invoices.get(number);
        match self {
            Job::SyncBusiness => (vec![name], Content::Json(customer.details())),
            Job::SetPayoutAccount => {
                let account = json!({
                    "accountNumber": format!("{:08}", 20_000_000 + customer.number),
                    "routingNumber": "021000021",
                });
                (vec![name], Content::Json(account))
            }
            Job::Invite => {
                let body = json!({ "externalId": name, "email": customer.email() });
                (vec![name], Content::Json(body))
            }
            Job::SyncInvoice(number) => {
                let body =
                    invoice(number).map_or(Value::Null, |invoice| customer.invoice(plan, invoice));
                (vec![name, customer.invoice_name(*number)], Content::Json(body))
            }
            Job::ReadInvoice(number) => (vec![name, customer.invoice_name(*number)], Content::None),
            Job::Quote(number) => {
                let face_value = invoice(number).map_or(1, |invoice| invoice.face_value);
                let body = json!({ "externalId": name, "invoiceFaceValue": face_value });
                (vec![name], Content::Json(body))
            }
            Job::RequestAdvance(number) => {
                let invoice = customer.invoice_name(*number);
                let body = json!({ "payeeExternalId": name, "invoiceExternalId": invoice });
                (vec![name, invoice], Content::Json(body))
            }
            Job::ReadBusiness
            | Job::Subscribe
            | Job::ListSubscriptions
            | Job::Unsubscribe(_)
            | Job::Upload
            | Job::ReadImport => (vec![name], Content::None),
        }
    }
}

enum Content {
    None,
    Json(Value),
    Csv(String),
}
