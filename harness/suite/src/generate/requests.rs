//! Requests and actions as steps, as a correct caller sends them.

use serde_json::{Map, Value, json};
use tideover_exchange::step::{Action, Call, Step};
use tideover_exchange::target::inbox::accepting;
use tideover_model::OperationKind::{
    CreateOnboardingSession, GetBusiness, GetImport, GetInvoice, ImportInvoices, Invite,
    ListSubscriptions, Quote, RequestAdvance, SetPayoutAccount, Subscribe, SyncBusiness,
    SyncInvoice, Unsubscribe,
};
use tideover_model::destination::is_left_open;
use tideover_model::wire::field::{self, Fields};
use tideover_model::wire::route::{route, segment};
use tideover_model::words::ComplianceRoute;
use tideover_model::{ActionKind, OperationKind, VendorRoute};

use crate::generate::names::{PAYORS, name_of};
use crate::generate::values;

/// The fields of an invoice sync.
#[derive(Clone, Debug)]
pub(crate) struct InvoiceFields {
    pub(super) payee: String,
    pub(super) payor: String,
    pub(super) status: &'static str,
    pub(super) face_value: i64,
    pub(super) issue_date: String,
    pub(super) due_date: String,
}

impl InvoiceFields {
    /// A plain invoice, where only the payee matters.
    pub(super) fn of(payee: &str) -> InvoiceFields {
        InvoiceFields {
            payee: payee.to_owned(),
            payor: PAYORS[0].to_owned(),
            status: "ISSUED",
            face_value: 1000,
            issue_date: values::day(0),
            due_date: values::day(31),
        }
    }
}

pub(super) fn call(kind: OperationKind, identifiers: &[&str], body: Option<Value>) -> Step {
    Step::new(Action::Call(Call::of(kind, identifiers, body)))
}

pub(crate) fn sync_business(
    business: &str,
    legal_name: &str,
    tax_id: Option<&str>,
    contact: Option<Value>,
) -> Step {
    let mut body = json!({ "legalName": legal_name });
    if let Some(tax_id) = tax_id {
        body["taxId"] = json!(tax_id);
    }
    if let Some(contact) = contact {
        body["contact"] = contact;
    }
    call(SyncBusiness, &[business], Some(body))
}

/// A contact with a complete address.
pub(crate) fn full_contact() -> Value {
    json!({ "name": "Ann", "address": full_address() })
}

pub(crate) fn full_address() -> Value {
    json!({ "line1": "1 Quay", "city": "Portland", "state": "OR", "postalCode": "97201" })
}

pub fn get_business(business: &str) -> Step {
    call(GetBusiness, &[business], None)
}

pub(crate) fn set_payout_account(
    business: &str,
    account: &str,
    routing: &str,
    label: Option<&str>,
) -> Step {
    let mut body = json!({ "accountNumber": account, "routingNumber": routing });
    if let Some(label) = label {
        body["label"] = json!(label);
    }
    call(SetPayoutAccount, &[business], Some(body))
}

pub(crate) fn sync_invoice(invoice: &str, fields: &InvoiceFields) -> Step {
    let party = |business: &str| json!({ "externalId": business, "legalName": name_of(business) });
    let mut body = json!({
        "status": fields.status,
        "faceValue": fields.face_value,
        "issueDate": fields.issue_date,
        "dueDate": fields.due_date,
    });
    body["payee"] = party(&fields.payee);
    body["payor"] = party(&fields.payor);
    call(SyncInvoice, &[invoice], Some(body))
}

/// The same sync, with a contact of the payee.
pub(crate) fn sync_invoice_with_contact(
    invoice: &str,
    fields: &InvoiceFields,
    contact: Value,
) -> Step {
    let mut step = sync_invoice(invoice, fields);
    if let Action::Call(Call { body: Some(body), .. }) = &mut step.action {
        body["payee"]["contact"] = contact;
    }
    step
}

/// An issued invoice of nothing special.
pub(super) fn plain_invoice(payee: &str, invoice: &str, face_value: i64) -> Step {
    sync_invoice(invoice, &InvoiceFields { face_value, ..InvoiceFields::of(payee) })
}

/// Puts a value at a place of a body, or takes away what is there.
pub(super) fn put(body: &mut Value, path: &[&str], value: Option<Value>) {
    let [outer @ .., name] = path else { return };
    let place = outer.iter().try_fold(body, |place, name| place.get_mut(*name));
    let Some(Value::Object(fields)) = place else { return };
    match value {
        Some(value) => fields.insert((*name).to_owned(), value),
        None => fields.remove(*name),
    };
}

/// `step`, a sync, with another payor.
pub(crate) fn with_payor(mut step: Step, payor: &str) -> Step {
    if let Action::Call(Call { body: Some(body), .. }) = &mut step.action {
        body["payor"] = json!({ "externalId": payor, "legalName": name_of(payor) });
    }
    step
}

pub(crate) fn get_invoice(payee: &str, invoice: &str) -> Step {
    call(GetInvoice, &[payee, invoice], None)
}

pub(crate) fn import(import: &str, csv: String) -> Step {
    Step::new(Action::Call(Call::text_of(ImportInvoices, &[import], csv)))
}

/// An import of a file that is not UTF-8.
pub(super) fn import_of_bytes(import: &str, bytes: &[u8]) -> Step {
    let mut call = Call::text_of(ImportInvoices, &[import], String::new());
    (call.text, call.hex) = (None, Some(const_hex::encode(bytes)));
    Step::new(Action::Call(call))
}

pub(crate) fn get_import(import: &str) -> Step {
    call(GetImport, &[import], None)
}

pub(crate) fn request_advance(payee: &str, invoice: &str) -> Step {
    let body = json!({ "payeeExternalId": payee, "invoiceExternalId": invoice });
    call(RequestAdvance, &[], Some(body))
}

pub(crate) fn quote(business: &str, face_value: i64) -> Step {
    let body = json!({ "externalId": business, "invoiceFaceValue": face_value });
    call(Quote, &[], Some(body))
}

pub(crate) fn invite(business: &str, email: &str) -> Step {
    let body = json!({ "externalId": business, "email": email });
    call(Invite, &[], Some(body))
}

pub(crate) fn create_session(business: &str) -> Step {
    call(CreateOnboardingSession, &[], Some(json!({ "externalId": business })))
}

pub fn subscribe(url: &str, event_types: Option<Vec<String>>) -> Step {
    let mut body = json!({ "url": url });
    if let Some(event_types) = event_types {
        body["eventTypes"] = json!(event_types);
    }
    call(Subscribe, &[], Some(body))
}

/// Whether a step subscribes an endpoint that accepts everything to every event.
pub(crate) fn watches(step: &Step) -> bool {
    let Action::Call(call) = &step.action else { return false };
    let body = call.body.as_ref().filter(|_| call.kind() == Some(Subscribe));
    body.is_some_and(|body| {
        let url = Fields::of(body).url().unwrap_or_default();
        accepting(url).is_some() && body.get(field::EVENT_TYPES).is_none()
    })
}

/// Whether a step subscribes an address that the document leaves to the service: if it is taken, nobody answers there.
pub(super) fn may_lead_nowhere(step: &Step) -> bool {
    let Action::Call(call) = &step.action else { return false };
    let body = call.body.as_ref().filter(|_| call.kind() == Some(Subscribe));
    body.is_some_and(|body| Fields::of(body).url().is_some_and(is_left_open))
}

pub fn list_subscriptions() -> Step {
    call(ListSubscriptions, &[], None)
}

/// `reference` may refer to the response of an earlier step: it is not encoded.
pub(crate) fn unsubscribe(reference: &str) -> Step {
    Step::new(Action::Call(Call::at(Unsubscribe, &[reference])))
}

/// An action of the operator port.
pub(crate) fn act(kind: ActionKind, fields: Value) -> Step {
    let fields = match fields {
        Value::Object(fields) => fields,
        _ => Map::new(),
    };
    Step::new(Action::Act(kind.with(fields)))
}

/// An action on a business.
pub(super) fn act_on(kind: ActionKind, business: &str) -> Step {
    act(kind, json!({ "payeeExternalId": business }))
}

/// An action on an invoice, such as a move of its advance.
pub(super) fn act_on_invoice(kind: ActionKind, payee: &str, invoice: &str) -> Step {
    act(kind, json!({ "payeeExternalId": payee, "invoiceExternalId": invoice }))
}

/// The payor pays `amount` cents of an invoice.
pub(super) fn pay(payee: &str, invoice: &str, amount: i64) -> Step {
    let fields =
        json!({ "payeeExternalId": payee, "invoiceExternalId": invoice, "amount": amount });
    act(ActionKind::PayorPays, fields)
}

/// The vendor confirms its tax id.
pub(super) fn confirm_tax_id(business: &str, route: VendorRoute, tax_id: Option<&str>) -> Step {
    let route = ComplianceRoute::from(route);
    let mut fields = json!({ "payeeExternalId": business, "route": route });
    if let Some(tax_id) = tax_id {
        fields["taxId"] = json!(tax_id);
    }
    act(ActionKind::VendorConfirmsTaxId, fields)
}

/// The vendor adds a bank account.
pub(super) fn add_bank_account(business: &str, account: &str) -> Step {
    let fields = json!({ "payeeExternalId": business, "accountNumber": account,
        "routingNumber": "021000021" });
    act(ActionKind::VendorAddsBankAccount, fields)
}

/// The vendor accepts the invitation that went to `email`.
pub(super) fn accept_invitation(business: &str, email: &str) -> Step {
    let fields = json!({ "payeeExternalId": business, "email": email });
    act(ActionKind::VendorAcceptsInvitation, fields)
}

/// The vendor signs the agreement, with an address that may be empty.
pub(super) fn sign_agreement(business: &str, address: &Value) -> Step {
    let fields = json!({ "payeeExternalId": business, "address": address });
    act(ActionKind::VendorSignsAgreement, fields)
}

/// Long enough for every hidden transition: the document states no delay. Seconds.
pub(super) const LONG: u64 = 25 * 3600;

pub(crate) fn advance_clock(seconds: u64) -> Step {
    Step::new(Action::Advance(seconds))
}

/// A read with `segments` in its path: encoded, or references.
pub(super) fn read_at(kind: OperationKind, segments: &[&str]) -> Step {
    Step::new(Action::Call(Call::at(kind, segments)))
}

/// The read that shows the effect of a step, if there is one.
pub(crate) fn read_back(step: &Step) -> Option<Step> {
    let read = match &step.action {
        Action::Act(fields) => {
            let text = |name| fields.get(name).and_then(Value::as_str);
            let payee = text("payeeExternalId")?;
            match text("invoiceExternalId") {
                Some(invoice) => get_invoice(payee, invoice),
                None => get_business(payee),
            }
        }
        Action::Call(call) => read_back_of_call(call)?,
        Action::Advance(_) | Action::Deliveries => return None,
    };
    Some(read.by(&step.caller))
}

fn read_back_of_call(call: &Call) -> Option<Step> {
    let body = call.body.as_ref();
    let text = |name: &str| body?.get(name)?.as_str();
    let asked = route(&call.method, &call.path).ok()?;
    // They stay encoded, and references stay references.
    let [named, _] = asked.encoded_identifiers();
    Some(match asked.kind {
        ImportInvoices => read_at(GetImport, &[named]),
        SyncInvoice => {
            let payee = body?.get("payee")?.get("externalId")?.as_str()?;
            read_at(GetInvoice, &[&segment(payee), named])
        }
        SyncBusiness | SetPayoutAccount => read_at(GetBusiness, &[named]),
        RequestAdvance => get_invoice(text("payeeExternalId")?, text("invoiceExternalId")?),
        Quote | Invite | CreateOnboardingSession => get_business(text("externalId")?),
        Subscribe | Unsubscribe => list_subscriptions(),
        GetInvoice | GetImport | GetBusiness | ListSubscriptions => return None,
    })
}
