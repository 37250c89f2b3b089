//! The moves of the clock: to an instant, to the next event, and until quiet.

use serde_json::{Value, json};
use tideover_model::{Destinations, Profile, Range, Timestamp};
use tideover_sim::{DeliveryState, Mock, NotMoved};

use crate::receiver::{Reaction, Receiver};
use crate::support::{Caller, start};

fn advance() -> Value {
    json!({ "payeeExternalId": "acme", "invoiceExternalId": "INV-1" })
}

async fn moved(caller: &Caller, form: Value) -> Value {
    let answer = caller.post("/_sim/clock", form).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()
}

#[tokio::test]
async fn the_clock_moves_to_an_instant_and_never_back() {
    let caller = Caller::standard();
    caller.onboard().await;
    let to =
        async |instant: &str| caller.post("/_sim/clock", json!({ "advanceTo": instant })).await;
    let now = to("2026-02-01T01:00:00+01:00").await.json();
    assert_eq!(now, json!({ "now": "2026-02-01T00:00:00Z" }));
    let business = caller.get("/v1/organizations/acme").await.json();
    assert_eq!(business["onboarding"]["collectionAccount"], true, "what was due has happened");
    assert_eq!(to("2026-02-01T00:00:00Z").await.json(), now, "the present is no past");

    let refused = to("2026-01-31T23:59:59Z").await;
    refused.refused(409, "action_refused");
    let why = refused.json()["error"].to_string();
    assert!(why.contains("shows 2026-02-01T00:00:00Z and never goes back"), "{why}");
    assert_eq!(caller.get("/_sim/clock").await.json(), now);
}

#[tokio::test]
async fn the_clock_moves_from_event_to_event() {
    let caller = Caller::standard();
    let next = async || moved(&caller, json!({ "nextEvent": true })).await;
    let nothing = json!({ "now": "2026-01-01T00:00:00Z", "moved": false });
    assert_eq!(next().await, nothing);
    caller.onboard().await;
    let opened = next().await;
    let business = caller.get("/v1/organizations/acme").await.json();
    assert_eq!(business["onboarding"]["collectionAccount"], true);
    let at = |moved: &Value| Timestamp::parse(moved["now"].as_str().unwrap()).unwrap();
    assert!(at(&opened) > start() && at(&opened) <= start().after(300), "{opened}");

    assert_eq!(caller.post("/v1/advances", advance()).await.status, 201);
    for (seconds, state) in [(30, "FUNDING"), (30 + 3600, "FUNDED")] {
        let expected = json!({ "now": at(&opened).after(seconds), "moved": true });
        assert_eq!(next().await, expected);
        let invoice = caller.get("/v1/organizations/acme/invoices/INV-1").await.json();
        assert_eq!(invoice["advance"]["state"], state);
    }
    assert_eq!(next().await["moved"], false);
}

#[tokio::test]
async fn a_move_until_quiet_plays_everything_that_is_due() {
    let caller = Caller::standard();
    caller.onboard().await;
    let until_quiet = async || moved(&caller, json!({ "untilQuiet": true })).await;
    let opened = until_quiet().await;
    assert_eq!((&opened["quiet"], &opened["nextDue"]), (&json!(true), &Value::Null));
    assert_eq!(caller.post("/v1/advances", advance()).await.status, 201);
    let opened = Timestamp::parse(opened["now"].as_str().unwrap()).unwrap();
    let expected = json!({ "now": opened.after(3630), "quiet": true, "nextDue": null });
    assert_eq!(until_quiet().await, expected);
    assert_eq!(until_quiet().await, expected, "quiet stays quiet");
}

/// The whole schedule of a delivery that no receiver accepts: 27 h 35 min 5 s.
#[tokio::test]
async fn a_move_until_quiet_plays_every_retry() {
    let mock = Mock::builder().webhooks(Destinations::Local).start().await.unwrap();
    let receiver = Receiver::start(|_, _| Reaction::Answer(500)).await;
    let client = crate::plain::client();
    let send = async |request: reqwest::RequestBuilder, body: Value| {
        let answer = request.bearer_auth(mock.api_key()).json(&body).send().await.unwrap();
        assert!(answer.status().is_success(), "{answer:?}");
    };
    let hook = json!({ "url": receiver.url });
    send(client.post(format!("{}/v1/webhooks", mock.url())), hook).await;
    let business = format!("{}/v1/organizations/acme", mock.url());
    send(client.put(business), json!({ "legalName": "Acme" })).await;

    let next = mock.advance_to_next_event().await.unwrap();
    assert_eq!((next.now, next.moved), (start().after(5), true));
    assert_eq!(receiver.received().len(), 2);
    let quieted = mock.advance_until_quiet().await.unwrap();
    let end = start().after(27 * 3600 + 35 * 60 + 5);
    assert_eq!((quieted.now, quieted.quiet, quieted.next_due), (end, true, None));
    assert_eq!(receiver.received().len(), 8);
    assert_eq!(mock.deliveries(0)[0].state, DeliveryState::GivenUp);
    let past = mock.advance_to(start()).await;
    assert_eq!(past, Err(NotMoved::Past { now: end }));
    assert_eq!(mock.advance_to(end.after(1)).await, Ok(end.after(1)));
}

#[tokio::test]
async fn a_move_until_quiet_ends_before_what_is_too_far_ahead() {
    let year = 365 * 86_400;
    let mut profile = Profile::default();
    profile.delays.collection_account = Range::exactly(year);
    let caller = Caller::of(&crate::support::world(profile));
    caller.onboard().await;
    let until_quiet = async || moved(&caller, json!({ "untilQuiet": true })).await;
    let expected = json!({ "now": start(), "quiet": false, "nextDue": start().after(year) });
    assert_eq!(until_quiet().await, expected);
    moved(&caller, json!({ "advanceSeconds": year - 41 * 86_400 })).await;
    let expected = json!({ "now": start().after(year), "quiet": true, "nextDue": null });
    assert_eq!(until_quiet().await, expected, "40 days and 28 hours ahead is near enough");
}

/// Nobody sends the deliveries of this world, so they stay due.
#[tokio::test]
async fn a_world_without_a_courier_is_never_quiet_after_an_event() {
    let caller = Caller::standard();
    caller.post("/v1/webhooks", json!({ "url": "https://hooks.example/" })).await;
    caller.onboard().await;
    let expected = json!({ "now": start(), "quiet": false, "nextDue": start() });
    assert_eq!(moved(&caller, json!({ "untilQuiet": true })).await, expected);
    let expected = json!({ "now": start(), "moved": false });
    assert_eq!(moved(&caller, json!({ "nextEvent": true })).await, expected);
}

#[tokio::test]
async fn a_body_that_is_no_move_is_refused_with_its_field_or_all_forms() {
    const ALL: [&str; 4] = ["advanceSeconds", "advanceTo", "nextEvent", "untilQuiet"];
    let caller = Caller::standard();
    for (body, named) in [
        (json!({}), &ALL[..]),
        (json!([]), &ALL),
        (json!({ "advanceSeconds": 1, "nextEvent": true }), &ALL),
        (json!({ "by": 1 }), &ALL),
        (json!({ "nextEvent": false }), &["nextEvent"]),
        (json!({ "nextEvent": 1 }), &["nextEvent"]),
        (json!({ "untilQuiet": "true" }), &["untilQuiet"]),
        (json!({ "advanceTo": "tomorrow" }), &["advanceTo"]),
        (json!({ "advanceTo": 1_767_225_600 }), &["advanceTo"]),
        (json!({ "advanceTo": "2026-02-01" }), &["advanceTo"]),
    ] {
        let answer = caller.post("/_sim/clock", body).await;
        answer.refused(400, "invalid_request");
        let error = answer.json()["error"].to_string();
        for form in named {
            assert!(error.contains(form), "{error}");
        }
    }
    assert_eq!(caller.get("/_sim/clock").await.json()["now"], "2026-01-01T00:00:00Z");
}
