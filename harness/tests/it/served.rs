//! A defect that is served answers as it does in process, so that what a client is tried with is what the proof has found.

use serde_json::{Value, json};
use tideover_endpoint::Http;
use tideover_exchange::step::{Action, Call, Caller, Step};
use tideover_exchange::target::{ModelTarget, Target};
use tideover_exchange::{Memory, Prepared, Response, start};
use tideover_model::{Destinations, Profile, Seeded};
use tideover_prove::defects::generated::{Mutation, mutations};
use tideover_prove::defects::{Defect, Defective};
use tideover_sim::{Mock, NoNames};

const SEED: u64 = 1;

fn put(path: &str, body: Value) -> Step {
    Step::new(Action::Call(Call::json("PUT", path, body)))
}

fn get(path: &str) -> Step {
    Step::new(Action::Call(Call::bare("GET", path)))
}

/// Two vendors and their invoices, synced and read, with what is refused in between.
fn steps() -> Vec<Step> {
    let invoice = |payee: &str, status: &str, cents: i64| {
        let party = |name: &str| json!({ "externalId": name, "legalName": "One Ltd" });
        json!({ "payee": party(payee), "payor": party("p"), "status": status, "faceValue": cents,
            "issueDate": "2026-01-01T00:00:00Z", "dueDate": "2026-03-01T00:00:00Z" })
    };
    let (business, read) = ("/v1/organizations/v", "/v1/organizations/v/invoices/i");
    let quote = json!({ "externalId": "v", "invoiceFaceValue": 5000 });
    let hook = json!({ "url": "https://8.8.8.8/hook" });
    let post = |path: &str, body: Value| Step::new(Action::Call(Call::json("POST", path, body)));
    vec![
        put(business, json!({ "legalName": "One Ltd", "taxId": "12-3456789" })),
        get(business),
        get(business).by(&Caller::Nobody),
        put(business, json!({ "legalName": "" })),
        put("/v1/invoices/i", invoice("v", "ISSUED", 5000)),
        get(read),
        put("/v1/invoices/i", invoice("v", "VOIDED", 7000)),
        get(read),
        put("/v1/invoices/j", invoice("w", "ISSUED", 0)),
        put("/v1/invoices/j", invoice("w", "ISSUED", 9000)),
        get("/v1/organizations/w/invoices/j"),
        get("/v1/organizations/w"),
        get("/v1/organizations/nobody"),
        post("/v1/quotes", quote),
        post("/v1/webhooks", hook),
        get("/v1/webhooks"),
    ]
}

fn face(defect: Option<&'static Defect>) -> Defective {
    Defective::new(defect, Profile::default(), Seeded { seed: SEED }, Destinations::Public)
}

async fn answers(target: &mut impl Target, key: &str) -> Vec<Response> {
    let mut answers = Vec::new();
    for step in steps() {
        let sent = Prepared::from_step(&step, &Memory::default(), key);
        answers.push(target.send(&sent).await.unwrap());
    }
    answers
}

/// The answers in process and over HTTP.
async fn both(defect: Option<&'static Defect>) -> [Vec<(u16, Option<Value>)>; 2] {
    let mock = Mock::builder().resolver(NoNames).start_at(start()).face(Box::new(face(defect)));
    let mock = mock.start().await.unwrap();
    let mut served = Http::new(mock.url(), mock.api_key()).unwrap();
    let served = answers(&mut served, mock.api_key()).await;
    let inside = answers(&mut ModelTarget::over(face(defect), start()), mock.api_key()).await;
    mock.stop().await;
    let plain =
        |all: Vec<Response>| all.into_iter().map(|one| (one.status, one.json().cloned())).collect();
    [plain(inside), plain(served)]
}

#[tokio::test]
async fn a_served_defect_answers_as_it_does_in_process() {
    let [right, served] = both(None).await;
    assert_eq!(right, served);
    let mutations = mutations();
    let drawn = mutations.iter().step_by(13).map(Mutation::plant);
    let mut shown = 0;
    for defect in drawn {
        let [inside, served] = both(Some(defect)).await;
        assert_eq!(inside, served, "{}", defect.name);
        shown += usize::from(inside != right);
    }
    assert!(shown > 20, "only {shown} show in these requests");
    // One of each kind of hook that a server could overlook: of one endpoint, of a value behind, of what is read.
    let names = [
        "code-getbusiness-answers-business-not-found-in-place-of-unauthorized",
        "stale-facevalue-of-getinvoice-is-1-answers-behind",
        "lax-syncinvoice-takes-a-facevalue-of-0",
    ];
    for name in names {
        let mutation = mutations.iter().find(|one| one.name() == name);
        let defect = mutation.unwrap_or_else(|| panic!("{name} is a defect")).plant();
        let [inside, served] = both(Some(defect)).await;
        assert!(inside == served && served != right, "{name}: {served:?}");
    }
}
