//! The page's parts, and what they ask for.

use std::fs;
use std::path::Path;

use axum::body::Body;
use axum::http::{HeaderMap, Request, header};
use http_body_util::BodyExt;
use serde_json::json;
use tideover_model::Profile;
use tideover_sim::Mock;
use tower::ServiceExt;

use crate::support::{Caller, invoice, world};

fn is_strict(headers: &HeaderMap) -> bool {
    let policy = headers[header::CONTENT_SECURITY_POLICY].to_str().unwrap();
    headers[header::X_CONTENT_TYPE_OPTIONS] == "nosniff"
        && policy.starts_with("default-src 'self';")
        && !policy.contains("unsafe")
}

#[tokio::test]
async fn every_part_of_the_page_is_built_in() {
    let caller = Caller::standard();
    let page = caller.get("/_sim/").await;
    assert_eq!(page.headers[header::CONTENT_TYPE], "text/html; charset=utf-8");
    assert!(is_strict(&page.headers));
    let mut texts = vec![String::from_utf8(page.body.to_vec()).unwrap()];
    let mut seen = Vec::new();
    while let Some(text) = texts.pop() {
        let names = text.split('"').filter(|name| !name.contains(' '));
        for name in names.filter_map(|name| name.strip_prefix("page/").or(name.strip_prefix("./")))
        {
            if seen.iter().any(|it| it == name) {
                continue;
            }
            let part = caller.get(&format!("/_sim/page/{name}")).await;
            assert_eq!(part.status, 200, "{name}");
            assert!(is_strict(&part.headers), "{name}");
            texts.push(String::from_utf8(part.body.to_vec()).unwrap());
            seen.push(name.to_owned());
        }
    }
    // Not exact: that each part is found is what the loop shows.
    assert!(seen.len() > 20, "{seen:?}");
    assert_eq!(caller.bytes("POST", "/_sim/", "").await.code(), "unknown_endpoint");
}

/// The page leads to the guide, which has all its pages.
#[tokio::test]
async fn the_whole_guide_is_built_in() {
    let caller = Caller::standard();
    assert!(is_strict(&caller.get("/_sim/guide/").await.headers));
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let contents = fs::read_to_string(docs.join("SUMMARY.md")).unwrap();
    let names = contents.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    for name in names.chain(["SUMMARY.md"]) {
        let page = caller.get(&format!("/_sim/guide/{name}")).await;
        assert_eq!(page.body, fs::read(docs.join(name)).unwrap(), "{name}");
        assert_eq!(page.headers[header::CONTENT_TYPE], "text/markdown; charset=utf-8");
    }
}

/// A payor needs no onboarding, and the page must know who is one.
#[tokio::test]
async fn an_overview_says_who_is_owed_and_who_owes() {
    let caller = Caller::standard();
    caller.put("/v1/organizations/initech", json!({ "legalName": "Initech Inc" })).await;
    caller.put("/v1/invoices/INV-1", invoice("acme", "globex")).await;
    caller.put("/v1/invoices/INV-1", invoice("globex", "hooli")).await;
    let seen = caller.get("/_sim/overview").await.json();
    let roles = seen["businesses"].as_array().unwrap().iter();
    let roles = roles.map(|it| json!([it["externalId"], it["payee"], it["payor"]]));
    let expected = json!([
        ["hooli", false, true],
        ["globex", true, true],
        ["acme", true, false],
        ["initech", false, false],
    ]);
    assert_eq!(json!(roles.collect::<Vec<_>>()), expected, "the newest first");
}

#[tokio::test]
async fn only_a_browser_is_led_to_the_page() {
    let caller = Caller::standard();
    for path in ["/", "/_sim"] {
        let asked = Request::get(path).header(header::ACCEPT, "text/html,*/*;q=0.8");
        let led = caller.send(asked.body(Body::empty()).unwrap()).await;
        assert_eq!((led.status, &led.headers[header::LOCATION]), (303, &"/_sim/".parse().unwrap()));
        caller.get(path).await.refused(404, "unknown_endpoint");
    }
}

/// Every cent that a payor pays is somewhere, whenever it pays.
#[tokio::test]
async fn an_overview_accounts_for_every_cent() {
    let caller = Caller::standard();
    caller.onboard().await;
    let names = json!({ "payeeExternalId": "acme", "invoiceExternalId": "INV-1" });
    let of = async |action: &str| {
        let mut body = names.clone();
        body["action"] = action.into();
        body["amount"] = 300.into();
        if action != "payorPays" {
            body.as_object_mut().unwrap().remove("amount");
        }
        caller.act(body).await
    };
    caller.act(json!({ "action": "collectionAccountOpens", "payeeExternalId": "acme" })).await;
    caller.post("/v1/advances", names.clone()).await;
    for action in ["payorPays", "fundingStarts", "fundingCompletes", "payorPays"] {
        assert_eq!(of(action).await.status, 200, "{action}");
        let seen = caller.get("/_sim/overview").await.json();
        let shown = &seen["invoices"][0];
        let sum = |of: &serde_json::Value| -> i64 {
            of.as_object().unwrap().values().map(|cents| cents.as_i64().unwrap()).sum()
        };
        assert_eq!(sum(&shown["money"]), shown["collected"].as_i64().unwrap(), "{action}");
        assert_eq!(sum(&seen["books"]), 0, "{action}");
        assert_eq!(seen["books"]["held"], shown["money"]["held"], "{action}");
    }
}

#[tokio::test]
async fn an_overview_is_of_one_platform_and_has_no_secret() {
    let caller = Caller::standard();
    caller.put("/v1/invoices/INV-1", invoice("acme", "globex")).await;
    let hook = caller.post("/v1/webhooks", json!({ "url": "https://hooks.example/" })).await.json();
    let other = caller.act(json!({ "action": "issueKey", "platform": "second" })).await.json();
    let other = caller.with_key(other["key"].as_str().unwrap());
    let empty = other.get("/_sim/overview").await.json();
    assert_eq!((&empty["invoices"], &empty["businesses"]), (&json!([]), &json!([])));
    let found = caller.get("/_sim/overview?text=GLOB").await;
    let names = &found.json()["businesses"];
    assert_eq!((&names[0]["externalId"], names.as_array().unwrap().len()), (&json!("globex"), 1));
    let whole = caller.get("/_sim/overview").await;
    assert_eq!(whole.json()["subscriptions"][0]["reference"], hook["reference"]);
    let text = String::from_utf8(whole.body.to_vec()).unwrap();
    assert!(!text.contains(hook["secret"].as_str().unwrap()));
}

/// With it, the page sends requests to the API.
#[tokio::test]
async fn an_overview_says_which_key_it_speaks_for() {
    let mock = Mock::builder().api_key("partner-key").start().await.unwrap();
    let caller = Caller::of_mock(&mock);
    let seen = caller.send(Request::get("/_sim/overview").body(Body::empty()).unwrap()).await;
    assert_eq!(seen.json()["key"], "partner-key");
    assert_eq!(caller.with_key("partner-key").get("/v1/webhooks").await.status, 200);
    let about = caller.get("/_sim/operator.json").await.json()["info"]["description"].clone();
    assert!(!about.as_str().unwrap().contains("rap_sk_"), "{about}");
}

/// A page that has read all events misses no change after them.
#[tokio::test]
async fn each_change_is_announced() {
    let world = world(Profile::default());
    let asked = Request::get("/_sim/events").body(Body::empty()).unwrap();
    let mut stream = world.router().oneshot(asked).await.unwrap().into_body();
    let caller = Caller::of(&world);
    let mut last = Vec::new();
    for path in ["acme", "globex", "initech"] {
        let event = stream.frame().await.unwrap().unwrap().into_data().unwrap().to_vec();
        assert!(event.starts_with(b"data: ") && event != last, "{event:?}");
        last = event;
        caller.put(&format!("/v1/organizations/{path}"), json!({ "legalName": "A" })).await;
    }
}
