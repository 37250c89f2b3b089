//! What follows from what was sent and seen, although the document leaves its form open: a collection state, a name, the
//! words of an enumeration, a code where a request fails.

use std::sync::Mutex;

use serde_json::Map;
use tideover_exchange::step::Caller;
use tideover_model::ActionKind;

use super::*;

/// What a run as a whole says of a service with a liberty: clauses and operations, of violations only.
async fn violated_as_a_whole(liberty: Liberty) -> Vec<(&'static str, String)> {
    let header = Header::new(1, start(), Profile::default());
    let face = service(Profile::default(), 5, INBOX);
    let strangers = Strangers::new(InProcess::new(face, start()), Outside::Controlled);
    let mut worlds = FreeWorlds(strangers, liberty);
    let plan = Plan { header, first: 0, cases: 40, steps: 40, max_findings: 1 };
    let mut summary = check(&mut worlds, &plan).await.unwrap();
    summary.conclude(&Stated::default());
    let violated = summary.failures.iter().map(Failure::finding);
    let violated = violated.chain(summary.violated_as_a_whole());
    violated.map(|one| (one.clause.name(), one.operation.clone())).collect()
}

fn with_state(mut body: Value, state: fn(i64, i64) -> Option<&'static str>) -> Value {
    let amounts = body["collected"].as_i64().zip(body["faceValue"].as_i64());
    if let Some(state) = amounts.and_then(|(collected, face)| state(collected, face)) {
        body["collectionState"] = state.into();
    }
    body
}

#[tokio::test]
async fn the_collection_state_follows_from_the_amounts() {
    // The thresholds between nothing and all are not shown.
    let lawful: [Rewrite; 2] = [
        |_, body| {
            with_state(body, |collected, face| {
                (0 < collected && collected < face / 2).then_some("UNCOLLECTED")
            })
        },
        |_, body| {
            with_state(body, |collected, face| {
                (face / 2 < collected && collected < face).then_some("COLLECTED")
            })
        },
    ];
    for rewrite in lawful {
        assert_accepted(Liberty { rewrite, ..NONE }).await;
    }
    let wrong: [Rewrite; 2] = [
        |_, body| with_state(body, |collected, _| (collected == 0).then_some("COLLECTED")),
        |_, body| {
            with_state(body, |collected, face| (collected == face).then_some("PARTIALLY_COLLECTED"))
        },
    ];
    for rewrite in wrong {
        assert_violated(Liberty { rewrite, ..NONE }, "2.invoice.collectionState").await;
    }
}

/// A list of subscriptions may stand in an object. It has all of them.
#[tokio::test]
async fn a_list_in_an_object_is_complete() {
    fn wrapped(call: &PreparedCall, body: Value, most: usize) -> Value {
        match body.as_array() {
            Some(list) if call.path == "/v1/webhooks" => {
                json!({ "subscriptions": list.iter().take(most).collect::<Vec<_>>() })
            }
            _ => body,
        }
    }
    let rewrite: Rewrite = |call, body| wrapped(call, body, usize::MAX);
    assert_accepted(Liberty { rewrite, ..NONE }).await;
    let rewrite: Rewrite = |call, body| wrapped(call, body, 2);
    assert_violated(Liberty { rewrite, ..NONE }, "4.webhookList.1").await;
}

fn with_name(call: &PreparedCall, mut body: Value, name: fn(&str) -> String) -> Value {
    if call.method == "GET" && body.get("onboarding").is_some() {
        body["name"] = body["name"].as_str().map(name).into();
    }
    body
}

/// A form that a service gives to all names is its own. A name that was cut is not the one that was sent.
#[tokio::test]
async fn a_business_shows_the_name_that_was_sent() {
    let lawful: [Rewrite; 2] = [
        |call, body| with_name(call, body, str::to_uppercase),
        |call, body| with_name(call, body, |name| name.trim_end_matches('.').to_owned()),
    ];
    for rewrite in lawful {
        assert_accepted(Liberty { rewrite, ..NONE }).await;
    }
    let cut: Rewrite = |call, body| with_name(call, body, |name| name.chars().take(8).collect());
    let header = Header::new(1, start(), Profile::default());
    let mut world =
        Strangers::with_one_key(InProcess::new(service(Profile::default(), 5, INBOX), start()));
    let named = |business: &str, name: &str| {
        let path = format!("/v1/organizations/{business}");
        [put(&path, json!({ "legalName": name })), read(business)]
    };
    let steps = [
        named("v1", "V1 Ltd"),
        named("v2", "V2 Inc."),
        named("v3", "Bolt Co"),
        named("v4", "Vendor Named At Length"),
    ]
    .concat();
    let liberty = Liberty { rewrite: cut, ..NONE };
    let mut target = FreeService::new(world.fresh().await.unwrap(), liberty);
    let played = play(&mut target, &header, &steps).await.unwrap();
    let named: Vec<&str> = played.findings.iter().map(|one| one.clause.name()).collect();
    assert_eq!((named.as_slice(), played.answers.len()), (&["2.business.name"][..], steps.len()));
}

/// Members may be added, but none is removed.
#[tokio::test]
async fn a_member_that_never_comes_is_found() {
    let renames: Rewrite = |call, mut body| {
        if call.method == "PUT" && body["outcome"] == "created" {
            body["outcome"] = "inserted".into();
        }
        body
    };
    let found = violated_as_a_whole(Liberty { rewrite: renames, ..NONE }).await;
    assert_eq!(found, [("9.versioning.2", "PUT /v1/invoices/{externalId}".to_owned())]);
    let adds: Rewrite = |call, mut body| {
        if call.method == "PUT" && body["outcome"] == "created" && call.path.len() % 3 == 0 {
            body["outcome"] = "inserted".into();
        }
        body
    };
    assert_eq!(violated_as_a_whole(Liberty { rewrite: adds, ..NONE }).await, []);
}

/// A request that has to be refused, and crashes each time, is no outage.
#[tokio::test]
async fn a_crash_in_place_of_a_code_is_found() {
    fn crashes(code: &str) -> &str {
        if code == "business_not_found" { CRASHED } else { code }
    }
    let found = violated_as_a_whole(Liberty { code: crashes, ..NONE }).await;
    assert!(!found.is_empty());
    assert!(found.iter().all(|(clause, _)| *clause == "7.codes.business_not_found"), "{found:?}");
}

/// The first try of a request may fail each time, where the second one is answered (§7 Retrying 1).
#[tokio::test]
async fn the_first_try_of_each_request_may_fail() {
    static TRIED: Mutex<BTreeSet<(String, Vec<u8>)>> = Mutex::new(BTreeSet::new());
    let instead: Instead = |sent, call| {
        let mut tried = TRIED.lock().unwrap();
        if sent == 0 {
            tried.clear();
        }
        let is_first = tried.insert((call.path.clone(), call.body().to_vec()));
        let fails = is_first && matches!(call.path.as_str(), "/v1/advances" | "/v1/quotes");
        refuses(502, "upstream_failed").filter(|_| fails)
    };
    assert_eq!(violated_as_a_whole(Liberty { instead, ..NONE }).await, []);
}

fn with_advance(mut body: Value, edit: fn(&mut Value, i64)) -> Value {
    let collected = body["collected"].as_i64().unwrap_or_default();
    if body["advance"].is_object() {
        edit(&mut body["advance"], collected);
    }
    body
}

/// An advance is repaid once the payor's payments have recovered it, not with the first of them.
#[tokio::test]
async fn an_advance_is_repaid_by_what_was_paid() {
    let early: Rewrite = |_, body| {
        with_advance(body, |advance, collected| {
            if collected > 0 {
                advance["state"] = "REPAID".into();
            }
        })
    };
    assert_violated(Liberty { rewrite: early, ..NONE }, "1.service.3.3").await;
}

/// What was paid out may include what is forwarded of the payor's payments, and nothing before they come.
#[tokio::test]
async fn a_sum_paid_out_may_include_what_is_forwarded() {
    let forwarded: Rewrite = |_, body| {
        with_advance(body, |advance, collected| {
            if let Some(amount) = advance["advanceAmount"].as_i64().filter(|_| collected > 0) {
                advance["advanceAmount"] = (amount + collected / 2).into();
            }
        })
    };
    assert_accepted(Liberty { rewrite: forwarded, ..NONE }).await;
    let more: Rewrite = |_, body| {
        with_advance(body, |advance, _| {
            for shown in advance.as_object_mut().unwrap().values_mut() {
                if let Some(amount) = shown.as_i64() {
                    *shown = (amount + 1).into();
                }
            }
        })
    };
    assert_violated(Liberty { rewrite: more, ..NONE }, "2.amounts.advanceAmount.2").await;
}

/// Where two platforms subscribe one URL, an event that comes there may be of either.
#[tokio::test]
async fn two_platforms_may_subscribe_one_url() {
    let header = Header::new(1, start(), Profile::default());
    let face = service(Profile::default(), 5, INBOX);
    let mut world = Strangers::new(InProcess::new(face, start()), Outside::Controlled);
    let issue = ActionKind::IssueKey.with(Map::from_iter([("platform".into(), "other".into())]));
    let hook = || post("/v1/webhooks", json!({ "url": format!("{INBOX}/accepts/w") }));
    let party = |name: &str| json!({ "externalId": name, "legalName": name });
    let invoice = json!({ "payee": party("v1"), "payor": party("p1"), "status": "ISSUED",
        "faceValue": 1000, "issueDate": "2026-01-01T00:00:00Z", "dueDate": "2026-02-01T00:00:00Z" });
    let steps = [
        Step::new(Action::Act(issue)).named("other"),
        hook().by(&Caller::Key("${other.key}".into())),
        hook(),
        put("/v1/invoices/x1", invoice),
        read("v1"),
    ];
    let mut target = FreeService::new(world.fresh().await.unwrap(), NONE);
    let played = play(&mut target, &header, &steps).await.unwrap();
    assert!(played.findings.is_empty(), "{:#?}", played.findings);
    assert!(!played.arrivals.is_empty(), "events came");
}

/// A name that the service cannot resolve may be refused.
#[tokio::test]
async fn a_named_host_may_be_refused() {
    let refuses = |_, call: &PreparedCall| {
        let url = call.body().json().and_then(|body| body["url"].as_str()).unwrap_or_default();
        let host = |url: &str| url::Url::parse(url).ok()?.domain().map(str::to_owned);
        let is_named = host(url).is_some_and(|name| Some(name) != host(INBOX));
        refuses(422, "destination_refused").filter(|_| call.path == "/v1/webhooks" && is_named)
    };
    assert_accepted(Liberty { instead: refuses, ..NONE }).await;
}

/// A service may take JSON for what it is, whatever its media type says, also where no response comes.
#[tokio::test]
async fn a_malformed_sync_may_be_taken() {
    let takes = |call: &PreparedCall| call.without_media_type();
    // It fails, and has taken effect.
    let lost: Instead = |sent, _| refuses(502, "upstream_failed").filter(|_| sent == 4);
    let header = Header::new(1, start(), Profile::default());
    let face = service(Profile::default(), 5, INBOX);
    let mut world = Strangers::with_one_key(InProcess::new(face, start()));
    let plain = |name: &str| {
        let mut call = Call::bare("PUT", format!("/v1/organizations/{name}"));
        (call.text, call.content_type) =
            (Some(json!({ "legalName": "x" }).to_string()), Some("text/plain".to_owned()));
        Step::new(Action::Call(call))
    };
    let steps = [
        put("/v1/organizations/v1", json!({ "legalName": "Bolt & Sons" })),
        read("v1"),
        plain("v1"),
        plain("v2"),
        read("v1"),
        put("/v1/organizations/v2", json!({ "legalName": "V2" })),
        read("v2"),
    ];
    for instead in [NONE.instead, lost] {
        let liberty = Liberty { takes, instead, ..NONE };
        let mut target = FreeService::new(world.fresh().await.unwrap(), liberty);
        let played = play(&mut target, &header, &steps).await.unwrap();
        assert!(played.findings.is_empty(), "{:#?}", played.findings);
        assert_eq!(played.answers.len(), steps.len());
    }
}

fn with_fractions(value: Value) -> Value {
    match value {
        Value::Number(number) if number.is_i64() => json!(number.as_f64().unwrap()),
        Value::Array(items) => items.into_iter().map(with_fractions).collect(),
        Value::Object(members) => {
            members.into_iter().map(|(name, value)| (name, with_fractions(value))).collect()
        }
        other => other,
    }
}

/// JSON does not tell 100 from 100.0.
#[tokio::test]
async fn integers_may_be_written_with_a_fraction() {
    assert_accepted(Liberty { rewrite: |_, body| with_fractions(body), ..NONE }).await;
    let half: Rewrite = |_, mut body| {
        if let Some(cents) = body["faceValue"].as_i64() {
            body["faceValue"] = json!(cents as f64 + 0.5);
        }
        body
    };
    assert_violated(Liberty { rewrite: half, ..NONE }, "2.invoice.faceValue").await;
}

/// What a service adds to every object may differ each time, also in a report.
#[tokio::test]
async fn a_report_may_have_members_that_differ() {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    fn numbered(value: Value, number: usize) -> Value {
        match value {
            Value::Array(items) => items.into_iter().map(|item| numbered(item, number)).collect(),
            Value::Object(members) => {
                let members = members.into_iter();
                let mut all: Map<String, Value> =
                    members.map(|(name, value)| (name, numbered(value, number))).collect();
                all.insert("revision".into(), number.into());
                all.into()
            }
            other => other,
        }
    }
    let rewrite: Rewrite = |_, body| numbered(body, NUMBER.fetch_add(1, Ordering::Relaxed));
    assert_accepted(Liberty { rewrite, ..NONE }).await;
}

/// A service may look for the business before it looks at the key. But what is synced is not unknown without one.
#[tokio::test]
async fn a_wrong_key_makes_nothing_unknown_that_is_synced() {
    let hides: Instead = |_, call| {
        let is_read = call.method == "GET" && call.path.starts_with("/v1/organizations/");
        refuses(404, "business_not_found").filter(|_| is_read)
    };
    let without_key = |name: &str| read(name).by(&Caller::Nobody);
    let sync = |name: &str| put(&format!("/v1/organizations/{name}"), json!({ "legalName": "V" }));
    let liberty = Liberty { instead: hides, ..NONE };
    assert_steps_accepted(liberty, &[sync("v"), without_key("w")]).await;
    let synced = [sync("v"), without_key("v")];
    assert_accused(liberty, &synced, "5.authentication.3").await;
}
