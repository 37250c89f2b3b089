//! Every request that the published schema refuses, in turn, so that none depends on chance.
//!
//! Each row has one thing wrong. What the document leaves open (null for an optional field, an unknown
//! field, a number that is written `1.0`) has no row.

use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::exchange::step::{Action, Call, Caller, Step};
use crate::generate::names::UNKNOWN;
use crate::generate::requests::InvoiceFields;
use crate::generate::{Walk, files, requests as make};

/// The vendor of the rows. It is synced first.
const VENDOR: &str = "v1";
const INVOICE: &str = "i1";
const IMPORT: &str = "m1";

/// The number of rows in one case.
pub(super) const ROWS_IN_A_CASE: usize = 24;

/// The number of cases that cover all rows.
pub(super) fn parts() -> usize {
    ROWS.len().div_ceil(ROWS_IN_A_CASE)
}

static ROWS: LazyLock<Vec<Step>> = LazyLock::new(rows);

impl Walk {
    /// The rows of part `part`, after the vendor is synced.
    pub(super) fn toward_invalid(&mut self, part: usize, stage: usize) -> Option<Step> {
        let Some(index) = stage.checked_sub(2) else {
            // Their subjects exist, so that each row is refused for one reason only.
            return Some(match stage {
                0 => self.supply_tax_id(VENDOR),
                _ => make::import(IMPORT, files::good_file()),
            });
        };
        if index >= ROWS_IN_A_CASE {
            return None;
        }
        ROWS.get(part * ROWS_IN_A_CASE + index).cloned()
    }
}

fn rows() -> Vec<Step> {
    let mut rows = Vec::new();
    rows.extend(invoices());
    rows.extend(businesses());
    rows.extend(payout_accounts());
    rows.extend(advances_and_quotes());
    rows.extend(links_and_webhooks());
    rows.extend(files::refused_files());
    rows.extend(unreadable());
    rows.extend(unauthorized());
    rows.extend(unknown());
    rows
}

/// One step for each invalid value of each field: `valid`, with the value at the dotted path. `None` removes
/// the field.
fn with_invalid_values(
    request: impl Fn(Value) -> Step,
    valid: &Value,
    fields: &[(&str, &[Option<Value>])],
) -> Vec<Step> {
    let mut steps = Vec::new();
    for (path, values) in fields {
        for value in *values {
            let mut body = valid.clone();
            put(&mut body, path, value.clone());
            steps.push(request(body));
        }
    }
    steps
}

fn put(body: &mut Value, path: &str, value: Option<Value>) {
    let (place, field) = match path.split_once('.') {
        Some((outer, field)) => (&mut body[outer], field),
        None => (body, path),
    };
    let Value::Object(fields) = place else { return };
    match value {
        Some(value) => fields.insert(field.to_owned(), value),
        None => fields.remove(field),
    };
}

fn json_call(method: &'static str, path: &str) -> impl Fn(Value) -> Step {
    let path = path.to_owned();
    move |body| Step::new(Action::Call(Call::json(method, path.clone(), body)))
}

fn some(value: Value) -> Option<Value> {
    Some(value)
}

fn invoices() -> Vec<Step> {
    let fields = InvoiceFields {
        payee: VENDOR.into(),
        payor: "p1".into(),
        status: "ISSUED",
        face_value: 1000,
        issue_date: "2026-01-01T00:00:00Z".into(),
        due_date: "2026-02-01T00:00:00Z".into(),
    };
    let Action::Call(Call { path, body: Some(valid), .. }) =
        make::sync_invoice(INVOICE, &fields).action
    else {
        return Vec::new();
    };
    let party: &[Option<Value>] = &[None, some(json!(null)), some(json!("v1")), some(json!([]))];
    let name: &[Option<Value>] = &[None, some(json!(null)), some(json!(7))];
    let date: &[Option<Value>] = &[
        None,
        some(json!(null)),
        some(json!("2026-01-01")),
        some(json!("2026-13-01T00:00:00Z")),
        some(json!("yesterday")),
        some(json!(1_767_225_600)),
    ];
    let status: &[Option<Value>] =
        &[None, some(json!(null)), some(json!("DRAFT")), some(json!("issued")), some(json!(1))];
    let face: &[Option<Value>] = &[
        None,
        some(json!(null)),
        some(json!(0)),
        some(json!(-1)),
        some(json!(2_147_483_648_u64)),
        some(json!(10.5)),
        some(json!("100")),
    ];
    with_invalid_values(
        json_call("PUT", &path),
        &valid,
        &[
            ("payee", party),
            ("payor", party),
            ("payee.externalId", name),
            ("payee.legalName", name),
            ("payor.externalId", name),
            ("payor.legalName", name),
            ("status", status),
            ("faceValue", face),
            ("issueDate", date),
            ("dueDate", date),
        ],
    )
}

fn businesses() -> Vec<Step> {
    let valid = json!({ "legalName": "V1 Ltd" });
    let name: &[Option<Value>] = &[None, some(json!(null)), some(json!("")), some(json!(7))];
    with_invalid_values(
        json_call("PUT", &format!("/v1/organizations/{VENDOR}")),
        &valid,
        &[
            ("legalName", name),
            ("taxId", &[some(json!(120_000_000)), some(json!([]))]),
            ("contact", &[some(json!("Ann")), some(json!([]))]),
        ],
    )
}

fn payout_accounts() -> Vec<Step> {
    let valid = json!({ "accountNumber": "000123456", "routingNumber": "021000021" });
    let account: &[Option<Value>] = &[
        None,
        some(json!(null)),
        some(json!("")),
        some(json!("123")),
        some(json!("123456789012345678")),
        some(json!("12a4")),
        some(json!("1234-5678")),
        some(json!(123_456_789)),
    ];
    let routing: &[Option<Value>] = &[
        None,
        some(json!("021000022")),
        some(json!("21000021")),
        some(json!("02100002")),
        some(json!("0021000021")),
        some(json!("02100002A")),
    ];
    with_invalid_values(
        json_call("PUT", &format!("/v1/organizations/{VENDOR}/payout-account")),
        &valid,
        &[
            ("accountNumber", account),
            ("routingNumber", routing),
            ("label", &[some(json!("")), some(json!(7))]),
        ],
    )
}

fn advances_and_quotes() -> Vec<Step> {
    let name: &[Option<Value>] = &[None, some(json!(null)), some(json!("")), some(json!(7))];
    let plain: &[Option<Value>] = &[None, some(json!(null)), some(json!(7))];
    let face: &[Option<Value>] = &[
        None,
        some(json!(null)),
        some(json!(0)),
        some(json!(-1)),
        some(json!(2_147_483_648_u64)),
        some(json!(10.5)),
        some(json!("1000")),
    ];
    let advance = json!({ "payeeExternalId": VENDOR, "invoiceExternalId": INVOICE });
    let quote = json!({ "externalId": VENDOR, "invoiceFaceValue": 1000 });
    let mut steps = with_invalid_values(
        json_call("POST", "/v1/advances"),
        &advance,
        &[("payeeExternalId", name), ("invoiceExternalId", plain)],
    );
    steps.extend(with_invalid_values(
        json_call("POST", "/v1/quotes"),
        &quote,
        &[("externalId", name), ("invoiceFaceValue", face)],
    ));
    steps
}

fn links_and_webhooks() -> Vec<Step> {
    let plain: &[Option<Value>] = &[None, some(json!(null)), some(json!(7))];
    let invitation = json!({ "externalId": VENDOR, "email": "ann@v1.example" });
    let mut steps = with_invalid_values(
        json_call("POST", "/v1/invitations"),
        &invitation,
        &[("externalId", plain), ("email", &[None])],
    );
    steps.extend(with_invalid_values(
        json_call("POST", "/v1/onboarding-sessions"),
        &json!({ "externalId": VENDOR }),
        &[("externalId", plain)],
    ));
    steps.extend(with_invalid_values(
        json_call("POST", "/v1/webhooks"),
        &json!({ "url": "https://hooks.example.com/x" }),
        &[("url", plain)],
    ));
    steps
}

/// The endpoints that take JSON.
const WRITERS: [(&str, &str); 7] = [
    ("PUT", "/v1/organizations/v1"),
    ("PUT", "/v1/organizations/v1/payout-account"),
    ("PUT", "/v1/invoices/i1"),
    ("POST", "/v1/advances"),
    ("POST", "/v1/quotes"),
    ("POST", "/v1/invitations"),
    ("POST", "/v1/webhooks"),
];

fn unreadable() -> Vec<Step> {
    let text = |(method, path): &(&str, &str), text: &str| {
        Step::new(Action::Call(Call::text(method, *path, text.to_owned(), "application/json")))
    };
    let broken = WRITERS.iter().map(|writer| text(writer, "{\"legalName\":"));
    let no_object = WRITERS.iter().map(|writer| text(writer, "[\"v1\"]"));
    broken.chain(no_object).collect()
}

/// Every endpoint without a key, and with one that was never issued.
fn unauthorized() -> Vec<Step> {
    let bare = |method: &str, path: String| Step::new(Action::Call(Call::bare(method, path)));
    let json = |(method, path): &(&'static str, &str)| json_call(method, path)(json!({}));
    let reads = [
        make::get_business(VENDOR),
        make::get_invoice(VENDOR, INVOICE),
        make::get_import(IMPORT),
        make::list_subscriptions(),
        bare("DELETE", "/v1/webhooks/whs_unknown".to_owned()),
        make::create_session(VENDOR),
    ];
    let all: Vec<Step> = reads.into_iter().chain(WRITERS.iter().map(json)).collect();
    let nobodys = all.iter().map(|step| step.clone().by(&Caller::Nobody));
    let unknown = Caller::Header("Bearer rap_sk_unknown".to_owned());
    let unknowns = all.iter().take(4).map(|step| step.clone().by(&unknown));
    nobodys.chain(unknowns).collect()
}

/// Requests about businesses, invoices, imports and subscriptions that do not exist.
fn unknown() -> Vec<Step> {
    vec![
        make::get_business(UNKNOWN),
        make::get_invoice(UNKNOWN, INVOICE),
        make::get_invoice(VENDOR, UNKNOWN),
        make::get_import(UNKNOWN),
        make::set_payout_account(UNKNOWN, "000123456", "021000021", None),
        make::request_advance(UNKNOWN, INVOICE),
        make::request_advance(VENDOR, UNKNOWN),
        make::quote(UNKNOWN, 1000),
        make::invite(UNKNOWN, "ann@nobody.example"),
        make::create_session(UNKNOWN),
        make::unsubscribe("whs_unknown"),
    ]
}
