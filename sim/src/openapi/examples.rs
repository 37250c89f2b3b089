//! Examples that really happened: a service plays the story of an advance, and every request, answer and event in it
//! is an example.

mod playing;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};
use tideover_model::words::EventType;
use tideover_model::{
    Answer, Cents, Code, OperationKind, Profile, Range, Seeded, Service, Timestamp, exchange,
};

/// What was said in the story.
pub(super) struct Examples {
    /// By operation and name, the first of each.
    exchanges: BTreeMap<OperationKind, BTreeMap<String, Exchange>>,
    deliveries: BTreeMap<&'static str, Delivered>,
}

/// A request and its answer.
pub(super) struct Exchange {
    /// The identifiers in the path.
    pub(super) identifiers: Vec<String>,
    /// The body as sent; empty if there is none.
    pub(super) body: String,
    pub(super) answer: Answer,
}

/// An attempt of a delivery.
pub(super) struct Delivered {
    pub(super) id: String,
    pub(super) signature: String,
    pub(super) body: Arc<[u8]>,
}

impl Examples {
    /// The examples of a service with the statuses of `profile`. Everything else is as in the standard profile, so that
    /// every example exists under any profile.
    pub(super) fn of(profile: &Profile) -> Examples {
        let profile = Profile {
            success: profile.success.clone(),
            refusals: profile.refusals.clone(),
            concentration_limit: Range::exactly(Cents(2_000_000)),
            ..Profile::default()
        };
        let mut story = Story {
            service: Service::new(profile, Seeded { seed: 1 }),
            now: Timestamp::parse("2026-01-01T00:00:00Z").unwrap_or(Timestamp::MAX),
            examples: Examples { exchanges: BTreeMap::new(), deliveries: BTreeMap::new() },
        };
        story.play();
        story.examples
    }

    /// The exchanges of an operation, by name: what came of it, or the code of the refusal.
    pub(super) fn exchanges(&self, kind: OperationKind) -> impl Iterator<Item = (&str, &Exchange)> {
        self.exchanges.get(&kind).into_iter().flatten().map(|(name, it)| (name.as_str(), it))
    }

    /// The exchange in which an operation was refused with this code, if the story has one.
    pub(super) fn refused(&self, kind: OperationKind, code: Code) -> Option<&Exchange> {
        self.exchanges.get(&kind)?.get(code.name())
    }

    /// The first delivery of an event.
    pub(super) fn delivery(&self, event: EventType) -> Option<&Delivered> {
        self.deliveries.get(event.name())
    }

    /// The secret that the deliveries are signed with.
    pub(super) fn secret(&self) -> Option<String> {
        let subscribed = self.exchanges.get(&OperationKind::Subscribe)?.get("subscribed")?;
        let body = serde_json::to_value(exchange::body(&subscribed.answer)?).ok()?;
        body["secret"].as_str().map(str::to_owned)
    }
}

struct Story {
    service: Service,
    now: Timestamp,
    examples: Examples,
}

const KEY: &str = "Bearer rap_sk_local";
const HOOK: &str = "https://platform.example/webhooks";
const HEAD: &str = "externalId,payeeExternalId,payeeLegalName,payorLegalName,status,faceValue,\
    issueDate,dueDate\n";
const ROW: &str =
    "INV-20,acme,Acme Ltd,Globex Inc,ISSUED,250000,2026-01-01T00:00:00Z,2026-02-01T00:00:00Z\n";
const BAD_ROW: &str =
    "INV-21,acme,Acme Ltd,Globex Inc,ISSUED,-1,2026-01-01T00:00:00Z,2026-02-01T00:00:00Z\n";

impl Story {
    fn play(&mut self) {
        use OperationKind::{GetBusiness, GetInvoice};
        self.subscribe();
        self.sync();
        self.quote("notFundable");
        self.request("acme", "INV-7", "");
        self.onboard();
        self.quote("fundable");
        self.ask(GetBusiness, "onboarded", &["acme"], &Value::Null);
        self.ask(GetInvoice, "withoutAdvance", &["acme", "INV-7"], &Value::Null);
        self.request("acme", "INV-7", "requested");
        self.request("acme", "INV-7", "repeated");
        self.sync_invoice("INV-7", &invoice("globex", 1_000_000), "statusOnly");
        self.ask(GetInvoice, "advanceRequested", &["acme", "INV-7"], &Value::Null);
        self.refused_advances();
        self.wait(30);
        self.wait(3600);
        self.ask(GetInvoice, "advanceFunded", &["acme", "INV-7"], &Value::Null);
        let paid = json!({ "payeeExternalId": "acme", "invoiceExternalId": "INV-7",
            "amount": 1_000_000 });
        self.act("payorPays", paid);
        self.ask(GetInvoice, "advanceRepaid", &["acme", "INV-7"], &Value::Null);
        self.import();
        self.unsubscribe();
        self.refuse_everything();
    }

    fn subscribe(&mut self) {
        use OperationKind::{ListSubscriptions, Subscribe};
        self.ask(Subscribe, "subscribed", &[], &json!({ "url": HOOK }));
        self.ask(Subscribe, "", &[], &json!({ "url": HOOK }));
        self.ask(Subscribe, "", &[], &json!({ "url": "https://127.0.0.1/webhooks" }));
        let some = json!({ "url": "https://platform.example/money",
            "eventTypes": ["partner.loan.issued", "partner.loan.paid"] });
        self.ask(Subscribe, "subscribedToSome", &[], &some);
        self.ask(ListSubscriptions, "listed", &[], &Value::Null);
    }

    fn sync(&mut self) {
        use OperationKind::{GetBusiness, SyncBusiness};
        self.ask(GetBusiness, "", &["acme"], &Value::Null);
        let address = json!({ "line1": "1 Quay", "city": "Portland", "state": "OR",
            "postalCode": "97201" });
        let contact = json!({ "name": "Ada", "email": "ada@acme.example", "address": address });
        let business = json!({ "legalName": "Acme Ltd", "taxId": "12-3456789",
            "contact": contact });
        self.ask(SyncBusiness, "created", &["acme"], &business);
        self.ask(SyncBusiness, "updated", &["acme"], &business);
        self.ask(SyncBusiness, "withoutTaxId", &["initech"], &json!({ "legalName": "Initech" }));
        self.ask(GetBusiness, "notOnboarded", &["acme"], &Value::Null);
        self.sync_invoice("INV-7", &invoice("globex", 900_000), "created");
        self.sync_invoice("INV-7", &invoice("globex", 1_000_000), "updated");
    }

    fn onboard(&mut self) {
        use OperationKind::{CreateOnboardingSession, Invite, SetPayoutAccount};
        let account = |number| json!({ "accountNumber": "000123456789", "routingNumber": number });
        self.ask(SetPayoutAccount, "set", &["acme"], &account("021000021"));
        self.ask(SetPayoutAccount, "", &["acme"], &account("021000022"));
        self.ask(SetPayoutAccount, "", &["nobody"], &account("021000021"));
        let invite = |business, email| json!({ "externalId": business, "email": email });
        self.ask(Invite, "invited", &[], &invite("acme", "ada@acme.example"));
        self.ask(Invite, "", &[], &invite("acme", "ada"));
        self.ask(Invite, "", &[], &invite("nobody", "ada@acme.example"));
        self.ask(CreateOnboardingSession, "created", &[], &json!({ "externalId": "acme" }));
        self.ask(CreateOnboardingSession, "", &[], &json!({ "externalId": "nobody" }));
        let accepts = json!({ "payeeExternalId": "acme", "email": "ada@acme.example" });
        self.act("vendorAcceptsInvitation", accepts);
        self.act("vendorSignsAgreement", json!({ "payeeExternalId": "acme" }));
        self.wait(300);
    }

    fn quote(&mut self, name: &str) {
        let quote = |business| json!({ "externalId": business, "invoiceFaceValue": 1_000_000 });
        self.ask(OperationKind::Quote, name, &[], &quote("acme"));
        self.ask(OperationKind::Quote, "", &[], &quote("nobody"));
    }

    fn refused_advances(&mut self) {
        use OperationKind::GetInvoice;
        self.ask(GetInvoice, "", &["nobody", "INV-7"], &Value::Null);
        self.ask(GetInvoice, "", &["acme", "INV-0"], &Value::Null);
        self.request("nobody", "INV-7", "");
        self.request("acme", "INV-0", "");
        self.sync_invoice("INV-8", &invoice("acme", 100_000), "");
        self.request("acme", "INV-8", "");
        let mut voided = invoice("globex", 100_000);
        voided["status"] = "VOIDED".into();
        self.sync_invoice("INV-9", &voided, "");
        self.request("acme", "INV-9", "");
        self.sync_invoice("INV-10", &invoice("globex", 25_000_000), "");
        self.request("acme", "INV-10", "");
    }

    fn import(&mut self) {
        let file = format!("{HEAD}{ROW}{BAD_ROW}");
        self.import_file("january", "text/csv", &file, "imported");
        self.import_file("january", "text/csv", &file, "repeated");
        self.import_file("january", "text/csv", &format!("{HEAD}{ROW}"), "");
        self.import_file("february", "text/csv", "externalId\nINV-20\n", "");
        self.import_file("february", "text/csv", &(HEAD.to_owned() + &ROW.repeat(1001)), "");
        self.import_file("february", "application/pdf", "", "");
        self.ask(OperationKind::GetImport, "imported", &["january"], &Value::Null);
        self.ask(OperationKind::GetImport, "", &["february"], &Value::Null);
    }

    fn unsubscribe(&mut self) {
        let listed = self.examples.exchanges.get(&OperationKind::Subscribe);
        let listed = listed.and_then(|named| named.get("subscribedToSome"));
        let body = listed.and_then(|listed| exchange::body(&listed.answer));
        let body = body.and_then(|body| serde_json::to_value(body).ok()).unwrap_or_default();
        let reference = body["reference"].as_str().unwrap_or_default();
        for name in ["unsubscribed", ""] {
            self.ask(OperationKind::Unsubscribe, name, &[reference], &Value::Null);
        }
    }

    /// Each operation meets the refusals that any operation can meet.
    fn refuse_everything(&mut self) {
        for kind in OperationKind::ALL {
            let Some((_, first)) = self.examples.exchanges(kind).next() else { continue };
            let (identifiers, body) = (first.identifiers.clone(), first.body.clone());
            let named: Vec<&str> = identifiers.iter().map(String::as_str).collect();
            let media_type = kind.media_type();
            self.send(kind, "", &named, Some(KEY), media_type, "{");
            self.send(kind, "", &named, Some(KEY), media_type, "{}");
            self.send(kind, "", &vec![""; named.len()], Some(KEY), media_type, &body);
            self.send(kind, "", &named, None, media_type, &body);
            self.act("upstreamFails", json!({ "requests": 1 }));
            self.send(kind, "", &named, Some(KEY), media_type, &body);
            let too_large = exchange::too_large(Profile::default().body_limit);
            self.keep(kind, "", &named, "", Err(too_large));
        }
    }

    fn sync_invoice(&mut self, invoice: &str, body: &Value, name: &str) {
        self.ask(OperationKind::SyncInvoice, name, &[invoice], body);
    }

    fn request(&mut self, payee: &str, invoice: &str, name: &str) {
        let body = json!({ "payeeExternalId": payee, "invoiceExternalId": invoice });
        self.ask(OperationKind::RequestAdvance, name, &[], &body);
    }

    fn import_file(&mut self, import: &str, media_type: &str, file: &str, name: &str) {
        let kind = OperationKind::ImportInvoices;
        self.send(kind, name, &[import], Some(KEY), Some(media_type), file);
    }
}

fn invoice(payor: &str, face_value: u32) -> Value {
    json!({
        "payee": { "externalId": "acme", "legalName": "Acme Ltd" },
        "payor": { "externalId": payor, "legalName": "Globex Inc" },
        "status": "ISSUED",
        "faceValue": face_value,
        "issueDate": "2026-01-01T00:00:00Z",
        "dueDate": "2026-03-02T00:00:00Z",
    })
}
