//! Checks of what arrives: signatures, attempts, events and their order.

use super::*;

/// When all deliveries here are signed.
const AT: u64 = 1_767_225_600;
const HOOK: &str = "/accepts/hook";

/// A valid delivery.
fn arrival(id: &str, body: &Value) -> Arrival {
    signed(id, body, "whsec_right", AT)
}

fn signed(id: &str, body: &Value, secret: &str, at: u64) -> Arrival {
    let body = body.to_string().into_bytes();
    Arrival {
        path: HOOK.into(),
        delivery: Some(id.into()),
        signature: Some(SigningKey::new(secret).sign(at, &body).to_string()),
        headers: Vec::new(),
        body: body.into(),
        status: 200,
        at: None,
        arrived: None,
    }
}

fn added(business: &str) -> Value {
    json!({ "id": "evt_1", "type": "partner.organization.added",
        "occurredAt": "2026-01-01T00:00:00Z", "data": { "externalId": business } })
}

fn state(state: &str, sequence: Value) -> Value {
    json!({ "id": "evt_1", "type": "partner.invoice.factoredUpdated", "sequence": sequence,
        "occurredAt": "2026-01-01T00:00:00Z",
        "data": { "payeeExternalId": "v", "invoiceExternalId": "i", "state": state } })
}

/// The subscription of the inbox, then one read for each list of arrivals.
fn subscribed_then(arrivals: &[Vec<Arrival>]) -> Vec<TestExchange> {
    let url = format!("http://127.0.0.1:1{HOOK}");
    let body = json!({ "reference": "whs_1", "url": url, "secret": "whsec_right",
        "eventTypes": ["partner.organization.added"] });
    let asked = json!({ "url": url, "eventTypes": ["partner.organization.added"] });
    let subscribe = Call::json("POST", "/v1/webhooks", asked);
    let mut shown = vec![TestExchange::from(&(subscribe, 201, body))];
    shown.extend(arrivals.iter().map(|arrivals| TestExchange {
        arrivals: arrivals.clone(),
        ..TestExchange::from(&(get("/v1/webhooks"), 200, json!([])))
    }));
    shown
}

#[test]
fn finds_a_redirect_that_is_followed() {
    let of = |path: &str, status: u16| {
        let arrival = Arrival { path: path.into(), status, ..arrival("d", &added("v")) };
        let read = TestExchange {
            arrivals: vec![arrival],
            ..TestExchange::from(&(get("/v1/webhooks"), 200, json!([])))
        };
        broken_by(&mut super::super::redirects::Redirects, &[read])
    };
    assert!(of("/recovers/1", 302).is_empty());
    assert_eq!(of("/redirected/1", 200), ["6.subscription.2.2"]);
}

#[test]
fn finds_a_wrong_or_stale_signature() {
    let of = |arrival: Arrival| {
        broken_by(
            &mut super::super::signatures::Signatures::default(),
            &subscribed_then(&[vec![arrival]]),
        )
    };
    let body = added("v");
    assert!(of(arrival("d", &body)).is_empty());
    assert!(of(signed("d", &body, "whsec_right", AT - 300)).is_empty());
    assert_eq!(of(signed("d", &body, "whsec_right", AT - 301)), ["6.signature.4"]);
    assert_eq!(of(signed("d", &body, "whsec_right", AT + 301)), ["6.signature.4"]);
    let came = |at| Arrival { at: Some(at), ..signed("d", &body, "whsec_right", AT) };
    assert!(of(came(start().after(300))).is_empty());
    assert_eq!(of(came(start().after(301))), ["6.signature.4"]);
    assert_eq!(of(signed("d", &body, "whsec_wrong", AT)), ["6.signature.1"]);
    let spaced = Arrival { body: format!("{body} ").into_bytes().into(), ..arrival("d", &body) };
    assert_eq!(of(spaced), ["6.signature.1"]);
    let bare = Arrival { signature: None, ..arrival("d", &body) };
    assert_eq!(of(bare), ["6.signature.intro.1"]);
}

#[test]
fn finds_attempts_that_differ() {
    let of = |second: Arrival| {
        let shown = subscribed_then(&[vec![arrival("d", &added("v"))], vec![second]]);
        broken_by(&mut super::super::attempts::Attempts::default(), &shown)
    };
    assert!(of(arrival("d", &added("v"))).is_empty());
    assert!(of(arrival("e", &added("w"))).is_empty());
    assert_eq!(of(arrival("d", &added("w"))), ["6.delivery.3.2"]);
    let elsewhere = Arrival { path: "/accepts/other".into(), ..arrival("d", &added("v")) };
    assert_eq!(of(elsewhere), ["6.delivery.3.2"]);
    let nameless = Arrival { delivery: None, ..arrival("d", &added("v")) };
    assert_eq!(of(nameless), ["6.delivery.3.2"]);
    // In our mock, each event has an identifier of its own.
    assert_eq!(of(arrival("e", &added("v"))), ["6.delivery.3.2"]);
    // Two events of another service may be equal, unless they have a sequence.
    let at_a_stranger = |second: &str, body: &dyn Fn() -> Value| {
        let came = |name: &str| vec![arrival(name, &body())];
        let mut attempts =
            super::super::attempts::Attempts::of(super::super::ChosenBy::UnknownService);
        broken_by(&mut attempts, &subscribed_then(&[came("d"), came(second)]))
    };
    // Its receivers deduplicate what comes to them: names may count within one endpoint.
    let two = |path: &str| {
        let other = Arrival { path: path.into(), ..arrival("d", &state("FUNDED", json!(3))) };
        let mut attempts =
            super::super::attempts::Attempts::of(super::super::ChosenBy::UnknownService);
        broken_by(&mut attempts, &subscribed_then(&[vec![arrival("d", &added("v"))], vec![other]]))
    };
    assert!(two("/accepts/other").is_empty());
    assert_eq!(two(HOOK), ["6.delivery.3.2"]);
    assert!(at_a_stranger("e", &|| added("v")).is_empty());
    assert!(at_a_stranger("d", &|| state("FUNDED", json!(3))).is_empty());
    assert_eq!(at_a_stranger("e", &|| state("FUNDED", json!(3))), ["6.delivery.3.2"]);
}

/// The same bytes at another subscription are another delivery.
#[test]
fn two_subscriptions_to_one_url_share_no_delivery() {
    let subscribed = |key: &'static str| {
        let mut shown = subscribed_then(&[vec![signed("d", &added("v"), key, AT)]]);
        shown[0].body["secret"] = json!(key);
        shown[0].body["reference"] = json!(key);
        shown
    };
    let shown = [subscribed("whsec_first"), subscribed("whsec_second")].concat();
    let mut again = shown.clone();
    again[3].arrivals = vec![signed("e", &added("v"), "whsec_second", AT)];
    let broken =
        |shown: &[TestExchange]| broken_by(&mut super::super::attempts::Attempts::default(), shown);
    assert!(broken(&again).is_empty());
    again[3].arrivals = vec![signed("e", &added("v"), "whsec_first", AT)];
    assert_eq!(broken(&again), ["6.delivery.3.2"]);
}

#[test]
fn finds_unwanted_deliveries() {
    let of = |shown: &[TestExchange]| {
        broken_by(&mut super::super::wanted::WantedEvents::default(), shown)
    };
    let one = || vec![arrival("d", &added("v"))];
    assert!(of(&subscribed_then(&[one(), one()])).is_empty());
    let gone = vec![Arrival { status: 410, ..arrival("d", &added("v")) }];
    assert_eq!(of(&subscribed_then(&[gone, one()])), ["6.delivery.2"]);
    let mut deleted = subscribed_then(&[one(), one(), one()]);
    let deletion = Call::bare("DELETE", "/v1/webhooks/whs_1");
    // A delivery that arrives with the deletion may have begun before it.
    deleted[2] =
        TestExchange { arrivals: one(), ..TestExchange::from(&(deletion, 204, Value::Null)) };
    assert_eq!(of(&deleted), ["4.webhookDeletion.1"]);
    let other = vec![arrival("d", &state("REQUESTED", json!(1)))];
    assert_eq!(of(&subscribed_then(&[other])), ["2.subscription.eventTypes"]);
}

#[test]
fn finds_a_sequence_that_does_not_grow() {
    let of = |events: &[Value]| {
        let arrivals: Vec<_> = events.iter().map(|event| vec![arrival("d", event)]).collect();
        broken_by(&mut super::super::sequences::Sequences::default(), &subscribed_then(&arrivals))
    };
    let [first, second] = [("REQUESTED", 1), ("FUNDING", 2)].map(|(s, n)| state(s, json!(n)));
    // In any order, and repeated.
    assert!(of(&[second.clone(), first.clone(), second.clone()]).is_empty());
    assert_eq!(of(&[first.clone(), state("REPAID", json!(9))]), ["gap.eventCauses"]);
    assert_eq!(of(&[second.clone(), state("FUNDED", json!(2))])[0], "6.delivery.5");
    assert_eq!(of(&[second.clone(), state("REQUESTED", json!(3))])[0], "6.delivery.5");
    assert_eq!(of(&[second, state("FUNDING", json!(3))])[0], "6.delivery.5");
    assert_eq!(of(&[state("FUNDING", Value::Null)]), ["6.delivery.5"]);
}

#[test]
fn finds_a_transaction_that_begins_after_its_event() {
    let of = |occurred: &str| {
        let mut event = state("REQUESTED", json!(1));
        event["occurredAt"] = json!(occurred);
        let shown = subscribed_then(&[vec![arrival("d", &event)]]);
        broken_by(&mut super::super::sequences::Sequences::default(), &shown)
    };
    assert!(of("2026-01-01T00:00:00Z").is_empty());
    assert!(of("2026-01-01T00:04:00Z").is_empty(), "clocks differ by some minutes");
    assert_eq!(of("2026-01-02T00:00:00Z"), ["6.delivery.6"]);
    assert_eq!(of("yesterday"), ["6.delivery.6"]);
}

/// An event of a row that was rejected, which comes after the read that does not find its invoice.
#[test]
fn finds_an_event_of_an_invoice_that_does_not_exist() {
    let url = "http://127.0.0.1:1/accepts/1";
    let subscribe = Call::json("POST", "/v1/webhooks", json!({ "url": url }));
    let answer = json!({ "reference": "whs_1", "url": url, "secret": "whsec_right" });
    let subscribed = || TestExchange::from(&(subscribe.clone(), 201, answer.clone()));
    let absent = || {
        let refusal = json!({ "error": "no", "code": "invoice_not_found" });
        TestExchange::from(&(get("/v1/organizations/v/invoices/lost"), 404, refusal))
    };
    let created = |invoice: &str| {
        let event = json!({ "id": "e", "type": "partner.invoice.created",
            "occurredAt": "2026-01-01T00:00:00Z",
            "data": { "payeeExternalId": "v", "invoiceExternalId": invoice } });
        TestExchange {
            arrivals: vec![Arrival { path: "/accepts/1".into(), ..arrival("d", &event) }],
            ..TestExchange::from(&(get("/v1/webhooks"), 200, json!([])))
        }
    };
    let file = |rows: &str| {
        let call = Call { content_type: Some("text/csv".into()), ..Call::bare("PUT", IMPORT) };
        let call = Call { text: Some(format!("externalId\n{rows}\n")), ..call };
        TestExchange::from(&(call, 422, json!({ "error": "no", "code": "unreadable_file" })))
    };
    const IMPORT: &str = "/v1/invoices/imports/m";
    let of = |shown: &[TestExchange]| {
        broken_by(&mut super::super::relations::events::Events::of(true), shown)
    };
    assert_eq!(of(&[subscribed(), absent(), created("lost")]), ["6.events.invoice.created"]);
    let other = [subscribed(), absent(), file("y"), created("lost")];
    assert_eq!(of(&other), ["6.events.invoice.created"]);
    assert!(of(&[subscribed(), absent(), created("y")]).is_empty());
    assert!(of(&[subscribed(), created("lost"), absent()]).is_empty(), "a read may be behind");
    assert!(
        of(&[subscribed(), absent(), file("lost"), created("lost")]).is_empty(),
        "it may be new"
    );
}

/// A receiver that books each event would book the payment twice. One that somebody takes back may be made again.
#[test]
fn finds_an_advance_that_is_issued_or_settles_twice() {
    let of_kind = |kind: &str, event: &str| {
        json!({ "id": event, "type": kind, "occurredAt": "2026-01-01T00:00:00Z",
            "data": { "payeeExternalId": "v", "invoiceExternalId": "i" } })
    };
    let of = |kind: &str, deliveries: [&str; 2], is_ours| {
        let url = "http://127.0.0.1:1/accepts/1";
        let subscribe = Call::json("POST", "/v1/webhooks", json!({ "url": url }));
        let answer = json!({ "reference": "whs_1", "url": url, "secret": "whsec_right" });
        let party = |name: &str| json!({ "externalId": name, "legalName": name });
        let sync = Call::json(
            "PUT",
            "/v1/invoices/i",
            json!({ "payee": party("v"), "payor": party("p"), "status": "ISSUED", "faceValue": 9,
                "issueDate": "2026-01-01T00:00:00Z", "dueDate": "2026-02-01T00:00:00Z" }),
        );
        let created = json!({ "externalId": "i", "outcome": "created", "reason": null });
        let reads = deliveries.map(|delivery| TestExchange {
            arrivals: vec![Arrival {
                path: "/accepts/1".into(),
                ..arrival(delivery, &of_kind(kind, delivery))
            }],
            ..TestExchange::from(&(get("/v1/webhooks"), 200, json!([])))
        });
        let written = [(subscribe, 201, answer), (sync, 200, created)];
        let shown: Vec<_> = written.iter().map(TestExchange::from).chain(reads).collect();
        broken_by(&mut super::super::relations::events::Events::of(is_ours), &shown)
    };
    for event in ["loan.issued", "loan.paid"] {
        let kind = format!("partner.{event}");
        assert_eq!(of(&kind, ["d1", "d2"], true), [format!("6.events.{event}")]);
        assert!(of(&kind, ["d1", "d1"], true).is_empty());
        assert!(of(&kind, ["d1", "d2"], false).is_empty());
    }
}

/// Whether an advance goes back is not shown. If it does, another event says so.
#[test]
fn finds_an_advance_that_stays_behind_its_last_event() {
    let url = "http://127.0.0.1:1/accepts/1";
    let party = |name: &str| json!({ "externalId": name, "legalName": name });
    let sync = json!({ "payee": party("v"), "payor": party("p"), "status": "ISSUED", "faceValue": 9,
        "issueDate": "2026-01-01T00:00:00Z", "dueDate": "2026-02-01T00:00:00Z" });
    let written = [
        (
            Call::json("POST", "/v1/webhooks", json!({ "url": url })),
            201,
            json!({ "reference": "whs_1", "url": url, "secret": "whsec_right" }),
        ),
        (
            Call::json("PUT", "/v1/invoices/i", sync),
            200,
            json!({ "externalId": "i", "outcome": "created", "reason": null }),
        ),
    ];
    let read = |shown: &str| {
        let invoice = json!({ "externalId": "i", "advance": { "phase": shown } });
        TestExchange::from(&(get("/v1/organizations/v/invoices/i"), 200, invoice))
    };
    let of = |events: &[(&str, u32)], reads: &[&str]| {
        let deliveries = events.iter().map(|(changed, sequence)| TestExchange {
            arrivals: vec![Arrival {
                path: "/accepts/1".into(),
                ..arrival(changed, &state(changed, json!(sequence)))
            }],
            ..TestExchange::from(&(get("/v1/webhooks"), 200, json!([])))
        });
        let written = written.iter().map(TestExchange::from);
        let reads = reads.iter().map(|shown| read(shown));
        let shown: Vec<_> = written.chain(deliveries).chain(reads).collect();
        broken_by(&mut super::super::relations::events::Events::of(true), &shown)
    };
    let behind = ["6.events.invoice.factoredUpdated"];
    assert_eq!(of(&[("FUNDED", 3), ("REPAID", 4)], &["FUNDED", "FUNDED"]), behind);
    assert_eq!(of(&[("REPAID", 4), ("FUNDED", 3)], &["FUNDED", "FUNDED"]), behind);
    assert!(of(&[("REPAID", 4)], &["FUNDED", "REPAID", "FUNDED"]).is_empty(), "one read is late");
    assert!(of(&[("REPAID", 4), ("FUNDED", 5)], &["FUNDED", "FUNDED"]).is_empty(), "it went back");
    assert!(of(&[("FUNDING", 2)], &["REQUESTED", "REQUESTED"]).is_empty(), "it may have failed");
}

/// Events may call a payee that came with a tax id by another name, or not be sent (`gap.partyTaxIdAndContact`): those of
/// its advances, too.
#[test]
fn finds_a_missing_event_of_an_advance_whose_payee_has_one_name() {
    let of = |payee: Value| {
        let url = "http://127.0.0.1:1/accepts/1";
        let subscribe = Call::json("POST", "/v1/webhooks", json!({ "url": url }));
        let answer = json!({ "reference": "whs_1", "url": url, "secret": "whsec_right" });
        let advanced = |invoice: &str, payee: &Value| {
            let sync = json!({ "payee": payee, "payor": { "externalId": "p", "legalName": "P" },
                "status": "ISSUED", "faceValue": 9, "issueDate": "2026-01-01T00:00:00Z",
                "dueDate": "2026-02-01T00:00:00Z" });
            let asked =
                json!({ "payeeExternalId": payee["externalId"], "invoiceExternalId": invoice });
            let created = json!({ "externalId": invoice, "outcome": "created", "reason": null });
            let granted = json!({ "alreadyRequested": false, "advanceAmount": 8, "feeTotal": 1 });
            [
                (Call::json("PUT", format!("/v1/invoices/{invoice}"), sync), 200, created),
                (Call::json("POST", "/v1/advances", asked), 201, granted),
            ]
        };
        let read = || TestExchange::from(&(get("/v1/webhooks"), 200, json!([])));
        let other = Arrival { path: "/accepts/1".into(), ..arrival("d1", &added("p")) };
        let mut written = vec![(subscribe, 201, answer)];
        written.extend(advanced("j", &json!({ "externalId": "w", "legalName": "W" })));
        written.extend(advanced("i", &payee));
        let mut shown: Vec<TestExchange> = written.iter().map(TestExchange::from).collect();
        shown.push(TestExchange { arrivals: vec![other], ..read() });
        shown.push(TestExchange { moves: Some(30 * 3600), ..read() });
        shown.extend((0..4).map(|_| read()));
        let notes = noted_by(&mut super::super::relations::events::Events::of(true), &shown);
        let created =
            notes.findings.into_iter().filter(|one| one.expected.contains("loan.created"));
        created.map(|one| one.expected).collect::<Vec<_>>()
    };
    let due = |payee| format!("partner.loan.created of invoice {payee} on /accepts/1");
    // The first of several that broke one clause at once is reported.
    assert_eq!(of(json!({ "externalId": "v", "legalName": "V" })), [due("i of v")]);
    let doubtful = json!({ "externalId": "v", "legalName": "V", "taxId": "12-3456789" });
    assert_eq!(of(doubtful), [due("j of w")]);
}

#[test]
fn finds_other_events_and_times() {
    let of = |seen: Vec<Arrival>, predicted_arrivals: Vec<Arrival>| {
        let shown = TestExchange {
            arrivals: seen,
            predicted_arrivals,
            ..TestExchange::from(&(get("/v1/webhooks"), 200, json!([])))
        };
        broken_by(&mut super::super::arrivals::Arrivals::default(), &[shown])
    };
    let [a, b] = ["v", "w"].map(|business| arrival(business, &added(business)));
    assert!(of(vec![b.clone(), a.clone(), a.clone()], vec![a.clone(), b.clone()]).is_empty());
    assert_eq!(of(vec![a.clone()], vec![a.clone(), b.clone()]), ["gap.eventCauses"]);
    assert_eq!(of(vec![a.clone(), b.clone()], vec![a.clone()]), ["gap.eventCauses"]);
    let later = |by| signed("v", &added("v"), "whsec_right", AT + by);
    let refused = || Arrival { status: 500, ..a.clone() };
    let retried = || vec![refused(), later(5)];
    assert_eq!(of(vec![refused(), later(9)], retried()), ["gap.retrySchedule"]);
    assert_eq!(of(vec![refused()], retried()), ["6.delivery.1.2"]);
    let mut began = added("v");
    began["occurredAt"] = json!("2000-01-01T00:00:00Z");
    assert_eq!(of(vec![arrival("v", &began)], vec![a.clone()]), ["6.delivery.6"]);
}

/// Which of several webhooks comes first depends on the network, and not on the seed.
#[test]
fn the_order_of_arrivals_changes_no_count() {
    let of = |seen: &[&Arrival], predicted: &[&Arrival]| {
        let shown = TestExchange {
            arrivals: seen.iter().copied().cloned().collect(),
            predicted_arrivals: predicted.iter().copied().cloned().collect(),
            ..TestExchange::from(&(get("/v1/webhooks"), 200, json!([])))
        };
        noted_by(&mut super::super::arrivals::Arrivals::default(), &[shown]).met
    };
    let [a, b] = ["v", "w"].map(|business| arrival(business, &added(business)));
    let (refused, gone) =
        (Arrival { status: 500, ..a.clone() }, Arrival { status: 410, ..b.clone() });
    let later = signed("v", &added("v"), "whsec_right", AT + 5);
    for arrivals in [[&a, &b], [&refused, &b], [&a, &gone], [&refused, &later]] {
        let [one, other] = arrivals;
        let met = of(&[one, other], &[one, other]);
        assert_eq!(
            of(&[other, one], &[one, other]).times(clause!("6.delivery.6")),
            met.times(clause!("6.delivery.6"))
        );
        assert!(met.times(clause!("6.delivery.6")) > 0);
    }
    assert_eq!(of(&[&a, &b], &[&a, &b]), of(&[&b, &a], &[&a, &b]));
}

/// Whatever the field of the secret is called, the list must not have its value.
#[test]
fn finds_a_secret_by_its_value() {
    let of = |shown: Value, listed: Value, arrivals: Vec<Arrival>| {
        let asked = json!({ "url": format!("http://127.0.0.1:1{HOOK}") });
        let subscribe = (Call::json("POST", "/v1/webhooks", asked), 201, shown);
        let arrives = (get("/v1/organizations/v"), 404, json!({ "error": "", "code": "x" }));
        let arrives = TestExchange { arrivals, ..TestExchange::from(&arrives) };
        let list = TestExchange::from(&(get("/v1/webhooks"), 200, listed));
        let shown = [TestExchange::from(&subscribe), arrives, list];
        broken_by(&mut super::super::secrets::Withheld::default(), &shown)
    };
    let listed = json!([{ "reference": "r", "k": "0123456789abcdef0123" }]);
    let named = json!({ "reference": "r", "hmacSecret": "0123456789abcdef0123" });
    assert_eq!(of(named, listed.clone(), Vec::new()), ["4.webhookList.1"]);
    let unnamed = json!({ "reference": "r", "k": "0123456789abcdef0123" });
    assert!(of(unnamed.clone(), listed.clone(), Vec::new()).is_empty());
    let arrivals = vec![signed("d", &added("v"), "0123456789abcdef0123", AT)];
    assert_eq!(of(unnamed, listed, arrivals), ["4.webhookList.1"]);
}

/// What a tax id does that differs from the one on file is not shown (`gap.rejectedTaxId`).
#[test]
fn a_business_that_opted_in_may_lose_compliance_with_another_tax_id() {
    let of = |tax_ids: &[&str]| {
        let url = "http://127.0.0.1:1/accepts/1";
        let subscribe = Call::json("POST", "/v1/webhooks", json!({ "url": url }));
        let answer = json!({ "reference": "whs_1", "url": url, "secret": "whsec_right" });
        let sync = |tax_id: &str| {
            let body = json!({ "legalName": "V", "taxId": tax_id });
            let call = Call::json("PUT", "/v1/organizations/v", body);
            let answer = json!({ "externalId": "v", "created": false, "taxIdResult": {} });
            TestExchange::from(&(call, 200, answer))
        };
        let event = json!({ "id": "evt_1", "type": "partner.organization.optedIn",
            "occurredAt": "2026-01-01T00:00:00Z", "data": { "externalId": "v" } });
        let opened = TestExchange {
            arrivals: vec![Arrival { path: "/accepts/1".into(), ..arrival("d1", &event) }],
            ..TestExchange::from(&(get("/v1/webhooks"), 200, json!([])))
        };
        let met = json!({ "compliance": false, "contract": true, "bank": true, "collectionAccount": true });
        let read =
            (get("/v1/organizations/v"), 200, json!({ "externalId": "v", "onboarding": met }));
        let mut shown =
            vec![TestExchange::from(&(subscribe, 201, answer)), sync("12-3456789"), opened];
        shown.extend(tax_ids.iter().map(|tax_id| sync(tax_id)));
        shown.extend((0..2).map(|_| TestExchange::from(&read)));
        broken_by(&mut super::super::relations::events::Events::of(true), &shown)
    };
    assert_eq!(of(&[]), ["6.events.organization.optedIn"]);
    assert_eq!(of(&["123456789"]), ["6.events.organization.optedIn"]);
    assert!(of(&["12-3456780"]).is_empty());
    assert!(of(&["12-345678"]).is_empty());
    assert!(of(&["none"]).is_empty());
}
