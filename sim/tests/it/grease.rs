//! A mock with grease: it does what the document leaves free, and nothing else.

mod bounded;
mod deliveries;

use serde_json::{Value, json};
use tideover_model::{Profile, Seeded, Service};
use tideover_sim::grease::{Freedom, Grease};
use tideover_sim::{Clock, ClockChoice, World};

use crate::support::{Answer, Caller, start};

/// A world with grease and a still clock.
fn greased_world(seed: u64, profile: Profile) -> World {
    let grease = Grease::of_seed(seed);
    let service = Service::new(profile, grease.choices());
    World::new(Box::new(service), Clock::new(start(), ClockChoice::Still)).greased(grease)
}

/// The same world without grease.
fn plain_world(seed: u64, profile: Profile) -> World {
    let service = Service::new(profile, Seeded { seed });
    World::new(Box::new(service), Clock::new(start(), ClockChoice::Still))
}

/// A request to the partner API or to the operator port.
#[derive(Clone, Debug)]
struct Asked {
    method: &'static str,
    path: String,
    body: String,
    is_csv: bool,
}

fn asked(method: &'static str, path: impl Into<String>, body: impl ToString) -> Asked {
    Asked { method, path: path.into(), body: body.to_string(), is_csv: false }
}

fn act(fields: &Value) -> Asked {
    asked("POST", "/_sim/actions", fields)
}

impl Asked {
    async fn send(&self, caller: &Caller) -> Answer {
        if self.is_csv {
            return caller
                .csv(self.path.trim_start_matches("/v1/invoices/imports/"), &self.body)
                .await;
        }
        caller.bytes(self.method, &self.path, self.body.clone()).await
    }

    fn is_partner_api(&self) -> bool {
        self.path.starts_with("/v1")
    }
}

fn invoice(vendor: &str, face_value: impl Into<Value>) -> Value {
    json!({
        "payee": { "externalId": vendor, "legalName": vendor },
        "payor": { "externalId": "globex", "legalName": "Globex" },
        "status": "ISSUED", "faceValue": face_value.into(),
        "issueDate": "2026-01-01T00:00:00Z", "dueDate": "2026-03-01T00:00:00Z",
    })
}

const COLUMNS: &str = "externalId,payeeExternalId,payeeLegalName,payorLegalName,status,faceValue,\
                       issueDate,dueDate";

/// The onboarding of a vendor up to the open account.
fn onboarding(vendor: &str, route: &str) -> Vec<Asked> {
    let address =
        json!({ "line1": "1 Quay", "city": "Portland", "state": "OR", "postalCode": "97201" });
    let business = json!({ "legalName": vendor, "contact": { "address": address } });
    let account = json!({ "accountNumber": "000123456789", "routingNumber": "021000021" });
    let email = "ada@acme.example";
    let vendor_acts = |action: &str| json!({ "action": action, "payeeExternalId": vendor });
    let mut accepts = vendor_acts("vendorAcceptsInvitation");
    accepts["email"] = email.into();
    let mut confirms = vendor_acts("vendorConfirmsTaxId");
    (confirms["route"], confirms["taxId"]) = (route.into(), tax_id(vendor).into());
    let path = format!("/v1/organizations/{vendor}");
    vec![
        asked("PUT", &*path, business),
        asked("POST", "/v1/invitations", json!({ "externalId": vendor, "email": email })),
        act(&accepts),
        act(&confirms),
        act(&vendor_acts("vendorSignsAgreement")),
        asked("PUT", format!("{path}/payout-account"), account),
        act(&vendor_acts("collectionAccountOpens")),
        asked("GET", &*path, ""),
        asked("POST", "/v1/onboarding-sessions", json!({ "externalId": vendor })),
    ]
}

/// A tax id of the vendor's own.
fn tax_id(vendor: &str) -> String {
    let number = vendor.bytes().fold(0_u32, |sum, byte| (sum * 31 + u32::from(byte)) % 9_000_000);
    format!("12-{number:07}")
}

/// An advance from the quote to the almost complete payment.
fn advance(vendor: &str) -> Vec<Asked> {
    let (path, read) = (
        format!("/v1/invoices/INV-{vendor}"),
        format!("/v1/organizations/{vendor}/invoices/INV-{vendor}"),
    );
    let request =
        json!({ "payeeExternalId": vendor, "invoiceExternalId": format!("INV-{vendor}") });
    let about = |action: &str, amount: Option<u32>| {
        let mut fields = request.clone();
        fields["action"] = action.into();
        if let Some(amount) = amount {
            fields["amount"] = amount.into();
        }
        act(&fields)
    };
    vec![
        asked("PUT", &*path, invoice(vendor, 900_000)),
        asked("PUT", &*path, invoice(vendor, 1_000_000)),
        asked("POST", "/v1/quotes", json!({ "externalId": vendor, "invoiceFaceValue": 1_000_000 })),
        asked("POST", "/v1/advances", &request),
        asked("POST", "/v1/advances", &request),
        about("fundingStarts", None),
        about("fundingCompletes", None),
        about("payorPays", Some(300_000)),
        asked("GET", &*read, ""),
        about("payorPays", Some(660_000)),
        asked("GET", &*read, ""),
    ]
}

/// Refusals and an import, each with something that the document leaves open.
fn mistakes(vendor: &str) -> Vec<Asked> {
    let rows = ["ISSUED,100", "PAID_TWICE,100", "ISSUED,-1", "ISSUED,7"].map(|row| {
        format!("\nIMP-{}-{vendor},{vendor},{vendor},Globex,{row},2026-01-01T00:00:00Z,2026-03-01T00:00:00Z", row.len())
    });
    let import = format!("/v1/invoices/imports/{vendor}");
    let upload = asked("PUT", &*import, format!("{COLUMNS}{}", rows.concat()));
    let path = format!("/v1/organizations/{vendor}");
    vec![
        Asked { is_csv: true, ..upload },
        asked("GET", &*import, ""),
        asked("PUT", &*path, json!({ "legalName": vendor, "taxId": "98-7654321" })),
        asked("PUT", &*path, format!("{{\"legalName\":\"{vendor}\",\"legalName\":\"{vendor}\"}}")),
        asked("PUT", &*path, json!({ "legalName": vendor, "taxId": null })),
        asked("PUT", "/v1/invoices/FLOAT", invoice(vendor, 100.0)),
        asked("PUT", "/v1/invoices/SMALL", invoice(vendor, 0)),
        asked("GET", "/v1/organizations/nobody", ""),
        asked("GET", "/v1/nothing", ""),
        asked(
            "POST",
            "/v1/advances",
            json!({ "payeeExternalId": vendor, "invoiceExternalId": "none" }),
        ),
        asked("GET", "/v1/webhooks", ""),
        asked("DELETE", "/v1/webhooks/whs_none", ""),
    ]
}

/// Everything that can happen to a vendor.
fn story(vendor: &str, route: &str) -> Vec<Asked> {
    [onboarding(vendor, route), advance(vendor), mistakes(vendor)].concat()
}

fn stories(vendors: u32) -> Vec<Asked> {
    let of = |number: u32| {
        let route = ["VENDOR_ASSERTION", "W9_UPLOAD"][usize::try_from(number % 2).unwrap()];
        story(&format!("v{number}"), route)
    };
    (0..vendors).flat_map(of).collect()
}

/// Every response in full.
async fn play(world: &World, asked: &[Asked]) -> Vec<(u16, Vec<u8>)> {
    let caller = Caller::of(world);
    let mut answers = Vec::new();
    for asked in asked {
        let answer = asked.send(&caller).await;
        answers.push((answer.status, answer.body.to_vec()));
    }
    answers
}

#[tokio::test]
async fn a_seed_fixes_every_byte_even_after_a_reset() {
    let asked = stories(4);
    let world = greased_world(7, Profile::default());
    let first = play(&world, &asked).await;
    assert_eq!(play(&greased_world(7, Profile::default()), &asked).await, first);
    assert_ne!(play(&greased_world(8, Profile::default()), &asked).await, first);
    let coverage = world.coverage().unwrap();
    assert_eq!(Caller::of(&world).post("/_sim/reset", json!({ "repeat": true })).await.status, 200);
    assert_eq!(world.coverage().unwrap().unmet(), Freedom::ALL);
    assert_eq!(play(&world, &asked).await, first);
    assert_eq!(world.coverage().unwrap(), coverage);
}

#[tokio::test]
async fn without_grease_nothing_shows() {
    let world = plain_world(7, Profile::default());
    play(&world, &stories(1)).await;
    assert!(world.coverage().is_none());
    let caller = Caller::of(&world);
    let report = caller.get("/_sim/freedoms").await.json();
    assert_eq!((&report["grease"], &report["freedoms"][0]["met"]), (&json!(false), &json!(0)));
    let journal = caller.get("/_sim/journal").await.json();
    assert!(journal["entries"].as_array().unwrap().iter().all(|it| it.get("grease").is_none()));
}

#[tokio::test]
async fn an_import_report_is_identical_at_every_reading() {
    let world = greased_world(3, Profile::default());
    let caller = Caller::of(&world);
    let mut new_words = 0;
    for number in 0..12 {
        let vendor = format!("v{number}");
        let asked = mistakes(&vendor);
        let upload = asked[0].send(&caller).await;
        for _ in 0..4 {
            assert_eq!(asked[1].send(&caller).await.body, upload.body);
        }
        let rows = upload.json()["rows"].clone();
        assert_eq!(rows[0]["outcome"], "created");
        new_words += u32::from(rows[1]["outcome"] != "rejected");
    }
    assert!((1..12).contains(&new_words), "{new_words} of 12");
}

/// Two identifiers of one business show one route, at every reading.
#[tokio::test]
async fn a_business_has_one_route() {
    let world = greased_world(5, Profile::default());
    let caller = Caller::of(&world);
    let mut routes = Vec::new();
    for number in 0..12 {
        let vendor = format!("v{number}");
        for asked in onboarding(&vendor, "VENDOR_ASSERTION") {
            asked.send(&caller).await;
        }
        let alias = json!({ "legalName": "Alias", "taxId": tax_id(&vendor) });
        caller.put(&format!("/v1/organizations/alias{number}"), alias).await;
        let mut seen = Vec::new();
        for name in [vendor.clone(), format!("alias{number}"), vendor] {
            let business = caller.get(&format!("/v1/organizations/{name}")).await.json();
            seen.push(business["complianceRoute"].as_str().unwrap().to_owned());
        }
        assert!(seen.iter().all(|route| *route == seen[0]), "{seen:?}");
        routes.extend(seen);
    }
    assert!(routes.iter().any(|route| route == "VENDOR_ASSERTION"), "{routes:?}");
    assert!(routes.iter().any(|route| route.starts_with("VENDOR_") && route != "VENDOR_ASSERTION"));
}

/// A profile that fixes a delay at zero keeps it.
#[tokio::test]
async fn transitions_are_fast_and_slow_and_listed() {
    let world = greased_world(1, Profile::default());
    let caller = Caller::of(&world);
    for number in 0..30 {
        for asked in onboarding(&format!("v{number}"), "W9_UPLOAD") {
            // The account opens by itself.
            if !asked.body.contains("collectionAccountOpens") {
                asked.send(&caller).await;
            }
        }
    }
    let open = async || {
        let mut open = 0;
        for number in 0..30 {
            let business = caller.get(&format!("/v1/organizations/v{number}")).await.json();
            open += u32::from(business["remittance"].is_object());
        }
        open
    };
    let at_once = open().await;
    assert_eq!(caller.advance_clock(300).await["now"], "2026-01-01T00:05:00Z");
    let usual = open().await;
    caller.advance_clock(900).await;
    assert!(0 < at_once && at_once < usual && usual < 30, "{at_once}, {usual}");
    assert_eq!(open().await, 30);
    let listed = world.journal().into_iter().flat_map(|entry| entry.grease);
    let listed: Vec<Freedom> = listed.collect();
    assert!(listed.contains(&Freedom::FastAccount) && listed.contains(&Freedom::SlowAccount));
}
