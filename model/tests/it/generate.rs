//! Random walks at the level of the wire: requests and happenings with few names, so that they interact.

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};
use tideover_model::{Cents, Profile, Range, Webhooks};

use crate::desk::{Desk, START, address, narrow};

/// One step of a walk.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// A request of a platform.
    Call { platform: usize, method: &'static str, path: String, body: Body },
    /// A happening with the identifiers of a platform.
    Act { platform: usize, action: Value },
    /// Time passes. Seconds.
    Wait(u64),
}

/// The body of a request.
#[derive(Clone, Debug)]
pub(crate) enum Body {
    Nothing,
    Json(Value),
    Csv(String),
}

impl Body {
    /// Its media type and its bytes.
    pub(crate) fn sent(&self) -> (Option<&'static str>, Vec<u8>) {
        match self {
            Body::Nothing => (None, Vec::new()),
            Body::Json(json) => (Some("application/json"), json.to_string().into_bytes()),
            Body::Csv(csv) => (Some("text/csv"), csv.clone().into_bytes()),
        }
    }
}

/// Two platforms at one service.
#[derive(Clone)]
pub(crate) struct Walk {
    pub(crate) desk: Desk,
    keys: [String; 2],
}

impl Walk {
    /// Both platforms subscribe; the first has brought one vendor through onboarding.
    pub(crate) fn start() -> Walk {
        Walk::sending(Webhooks::default())
    }

    /// The same, with webhooks sent like this.
    pub(crate) fn sending(webhooks: Webhooks) -> Walk {
        // One large advance, or two of any size, exceed the limit.
        let concentration_limit = Range::exactly(Cents(200_000));
        let mut desk = Desk::with(Profile { concentration_limit, webhooks, ..narrow() });
        let first = desk.key.clone();
        desk.subscribe();
        desk.onboard("b0", TAX_IDS[0][0]);
        desk.become_platform("second");
        desk.subscribe();
        let keys = [first, desk.key.clone()];
        Walk { desk, keys }
    }

    /// Selects one of the two platforms.
    pub(crate) fn as_platform(&mut self, platform: usize) -> &mut Desk {
        self.desk.key.clone_from(&self.keys[platform]);
        &mut self.desk
    }

    /// Takes a step. Returns the status and bytes of a response, or the words of a happening.
    pub(crate) fn take(&mut self, step: &Step) -> (u16, Vec<u8>) {
        match step {
            Step::Call { platform, method, path, body } => {
                let (content_type, bytes) = body.sent();
                let desk = self.as_platform(*platform);
                let response = desk.exchange(method, path, content_type, &bytes);
                (response.status, response.body)
            }
            Step::Act { platform, action } => match self.as_platform(*platform).try_act(action) {
                Ok(outcome) => (200, outcome.to_string().into_bytes()),
                Err(why) => (409, why.into_bytes()),
            },
            Step::Wait(seconds) => {
                self.desk.wait(*seconds);
                (0, Vec::new())
            }
        }
    }
}

pub(crate) const BUSINESSES: [&str; 3] = ["b0", "b1", "b2"];
pub(crate) const INVOICES: [&str; 2] = ["i0", "i1"];

/// The tax ids that each platform sends; the last is malformed.
const TAX_IDS: [[&str; 4]; 2] = [
    ["111111111", "222222222", "33-3333333", "12345"],
    ["444444444", "555555555", "66-6666666", "12345"],
];

/// Whether the two platforms may send each other's tax ids, and so share businesses.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sharing {
    Shared,
    Apart,
}

/// A walk of at most `most` steps.
pub(crate) fn steps(sharing: Sharing, most: usize) -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(step(sharing), 1..most)
}

fn step(sharing: Sharing) -> impl Strategy<Value = Step> {
    (0..2_usize).prop_flat_map(move |platform| {
        prop_oneof![
            4 => syncs(platform, sharing),
            4 => select(&BUSINESSES[..]).prop_flat_map(move |business| advances(platform, business)),
            2 => reads(platform),
            2 => others(platform),
            3 => happenings(platform, sharing),
            2 => select(&[1, 30, 120, 3_600, 86_400, 30 * 86_400][..]).prop_map(Step::Wait),
        ]
    })
}

fn call(platform: usize, method: &'static str, path: String, body: Value) -> Step {
    let body = if body.is_null() { Body::Nothing } else { Body::Json(body) };
    Step::Call { platform, method, path, body }
}

fn business() -> impl Strategy<Value = &'static str> {
    // The first is the vendor that can be financed.
    prop_oneof![3 => Just(BUSINESSES[0]), 1 => select(&BUSINESSES[..])]
}

fn tax_id(platform: usize, sharing: Sharing) -> BoxedStrategy<Option<&'static str>> {
    let own = prop::option::of(select(&TAX_IDS[platform][..]));
    match sharing {
        Sharing::Apart => own.boxed(),
        Sharing::Shared => prop_oneof![own, Just(Some(TAX_IDS[0][0]))].boxed(),
    }
}

fn details(platform: usize, sharing: Sharing) -> impl Strategy<Value = Value> {
    let name = select(&["Acme", "Globex"][..]);
    (name, tax_id(platform, sharing), any::<bool>()).prop_map(|(name, tax_id, with_address)| {
        let mut details = json!({ "legalName": name });
        if let Some(tax_id) = tax_id {
            details["taxId"] = json!(tax_id);
        }
        if with_address {
            details["contact"] = json!({ "address": address() });
        }
        details
    })
}

fn syncs(platform: usize, sharing: Sharing) -> impl Strategy<Value = Step> {
    let of_business = (business(), details(platform, sharing)).prop_map(move |(id, details)| {
        call(platform, "PUT", format!("/v1/organizations/{id}"), details)
    });
    let of_invoice = (
        select(&INVOICES[..]),
        (business(), details(platform, sharing)),
        (select(&BUSINESSES[..]), details(platform, sharing)),
        select(&["ISSUED", "ISSUED", "ISSUED", "PARTIALLY_PAID", "PAID", "VOIDED"][..]),
        select(&[0, 1, 2, 1_000, 200_000, 250_000, 260_000, 2_147_483_647_i64][..]),
        select(&[START, "2026-02-15T00:00:00Z", "9999-12-31T23:59:59Z"][..]),
    )
        .prop_map(move |(invoice, payee, payor, status, face_value, due)| {
            let party = |(id, mut details): (&str, Value)| {
                details["externalId"] = json!(id);
                details
            };
            let body = json!({
                "payee": party(payee), "payor": party(payor), "status": status,
                "faceValue": face_value, "issueDate": START, "dueDate": due,
            });
            call(platform, "PUT", format!("/v1/invoices/{invoice}"), body)
        });
    prop_oneof![1 => of_business, 2 => of_invoice]
}

/// A vendor's advance: requested, funded early, paid.
fn advances(platform: usize, payee: &'static str) -> impl Strategy<Value = Step> {
    let payee = prop_oneof![2 => Just(BUSINESSES[0]), 1 => Just(payee)];
    (payee, select(&INVOICES[..]), 0..5_u8, select(&[1, 900, 100_000, 2_147_483_647_i64][..]))
        .prop_map(move |(payee, invoice, what, amount)| {
            let names = |action: &str| {
                json!({
                    "action": action, "payeeExternalId": payee, "invoiceExternalId": invoice,
                })
            };
            let action = match what {
                0 | 1 => {
                    let body = json!({ "payeeExternalId": payee, "invoiceExternalId": invoice });
                    return call(platform, "POST", "/v1/advances".into(), body);
                }
                2 => names("fundingStarts"),
                3 => names("fundingCompletes"),
                _ => {
                    let mut action = names("payorPays");
                    action["amount"] = json!(amount);
                    action
                }
            };
            Step::Act { platform, action }
        })
}

fn reads(platform: usize) -> impl Strategy<Value = Step> {
    (select(&BUSINESSES[..]), select(&INVOICES[..]), 0..5_u8).prop_map(
        move |(id, invoice, what)| {
            let path = match what {
                0 => format!("/v1/organizations/{id}"),
                1 => format!("/v1/organizations/{id}/invoices/{invoice}"),
                2 => "/v1/webhooks".to_owned(),
                3 => format!("/v1/invoices/imports/{invoice}"),
                _ => {
                    let body = json!({ "externalId": id, "invoiceFaceValue": 200_000 });
                    return call(platform, "POST", "/v1/quotes".into(), body);
                }
            };
            call(platform, "GET", path, Value::Null)
        },
    )
}

fn others(platform: usize) -> impl Strategy<Value = Step> {
    let columns = "externalId,payeeExternalId,payeeLegalName,payorLegalName,status,faceValue,issueDate,dueDate";
    let import = (select(&INVOICES[..]), select(&["500", "600", "no"][..]), any::<bool>())
        .prop_map(move |(name, amount, csv)| {
            let dates = "2026-01-01T00:00:00Z,2026-02-01T00:00:00Z";
            let line = |id| format!("{id},b0,Acme,Payor,ISSUED,{amount},{dates}\n");
            let body = Body::Csv(if csv {
                format!("{columns}\n{}bad\n{}", line("i0"), line("i1"))
            } else {
                "no csv".to_owned()
            });
            let path = format!("/v1/invoices/imports/{name}");
            Step::Call { platform, method: "PUT", path, body }
        });
    let payout = (business(), select(&["1111", "222222"][..]), any::<bool>(), any::<bool>())
        .prop_map(move |(id, account, good, labelled)| {
            let routing = if good { "021000021" } else { "021000022" };
            let mut body = json!({ "accountNumber": account, "routingNumber": routing });
            if labelled {
                body["label"] = json!("Main");
            }
            call(platform, "PUT", format!("/v1/organizations/{id}/payout-account"), body)
        });
    let invitation = (business(), any::<bool>()).prop_map(move |(id, good)| {
        let email = if good { "ada@vendor.example" } else { "ada" };
        call(
            platform,
            "POST",
            "/v1/invitations".into(),
            json!({ "externalId": id, "email": email }),
        )
    });
    let session = business().prop_map(move |id| {
        call(platform, "POST", "/v1/onboarding-sessions".into(), json!({ "externalId": id }))
    });
    let webhook =
        select(&["https://a.example.com", "https://b.example.com", "https://10.0.0.1"][..])
            .prop_map(move |url| {
                call(platform, "POST", "/v1/webhooks".into(), json!({ "url": url }))
            });
    let deletion = Just(call(platform, "DELETE", "/v1/webhooks/whs_none".into(), Value::Null));
    prop_oneof![2 => import, 2 => payout, 2 => invitation, 1 => session, 2 => webhook, 1 => deletion]
}

fn happenings(platform: usize, sharing: Sharing) -> impl Strategy<Value = Step> {
    (business(), 0..8_u8, tax_id(platform, sharing), any::<bool>()).prop_map(
        move |(id, what, tax_id, yes)| {
            let vendor_action = |name: &str| json!({ "action": name, "payeeExternalId": id });
            let mut action = match what {
                0 => vendor_action("vendorAcceptsInvitation"),
                1 => vendor_action("vendorConfirmsTaxId"),
                2 => vendor_action("vendorSignsAgreement"),
                3 => vendor_action("vendorAddsBankAccount"),
                4 => vendor_action("collectionAccountOpens"),
                5 if yes => vendor_action("taxIdFoundWrong"),
                6 if yes => json!({ "action": "interruptNextImport", "afterRows": 1 }),
                7 if yes => json!({ "action": "markTestAccount", "externalId": id }),
                _ => vendor_action("collectionAccountOpens"),
            };
            match what {
                0 => action["email"] = json!("ada@vendor.example"),
                1 => {
                    action["route"] = json!(if yes { "W9_UPLOAD" } else { "VENDOR_ASSERTION" });
                    if let Some(tax_id) = tax_id {
                        action["taxId"] = json!(tax_id);
                    }
                }
                2 if yes => action["address"] = address(),
                3 => {
                    action["accountNumber"] = json!("7777");
                    action["routingNumber"] = json!("011401533");
                }
                _ => {}
            }
            Step::Act { platform, action }
        },
    )
}
