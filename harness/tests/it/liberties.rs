//! The judge accuses no service of a choice that the document leaves open, and still checks what it states.

mod bodies;
mod derived;
mod form;
mod names;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use tideover_exchange::evidence::coverage::{Coverage, Group};
use tideover_exchange::evidence::finding::{Finding, Verdict};
use tideover_exchange::step::{Action, Call, Step};
use tideover_exchange::target::{INBOX, Target, Unanswered, Unreachable, service};
use tideover_exchange::transcript::Header;
use tideover_exchange::{Arrival, Prepared, PreparedCall, Response, start};
use tideover_judge::{Outside, PriorState};
use tideover_model::{
    Address, BusinessDetails, Contact, Face, Happening, Operation, PlatformId, Profile, Service,
    Timestamp, is_tax_id,
};
use tideover_prove::right::free::{Free, refused};
use tideover_prove::right::liberty::Inside;
use tideover_prove::stranger::{Stranger, Strangers};
use tideover_suite::generate::{self, round};
use tideover_suite::play::case::{Clock, Observed, Played, TargetWorld, play};
use tideover_suite::play::cases::{Failure, InProcess, Plan, Summary, Testbed, check};
use tideover_suite::play::learn::{Lessons, Stated};

type Instead = fn(u64, &PreparedCall) -> Option<Response>;
type Rewrite = fn(&PreparedCall, Value) -> Value;

/// How a service differs from the mock.
#[derive(Clone, Copy)]
struct Liberty {
    /// A response to the request of this number, in place of the service's own.
    instead: Instead,
    /// How the service reads a request.
    takes: fn(&PreparedCall) -> PreparedCall,
    /// A response to the action of this name, in place of the operator port's own.
    outside: fn(u64, &str) -> Option<Response>,
    /// Rewrites the body of a success.
    rewrite: Rewrite,
    /// Renames an error code.
    code: fn(&str) -> &str,
    /// Rewrites an event.
    event: fn(Value) -> Value,
    /// Names a delivery.
    delivery: fn(&Arrival) -> Option<String>,
    /// The wall-clock time at an instant of the target's own clock. The service signs by it, and its events
    /// come over a network.
    wall: Option<fn(u64) -> u64>,
    /// How many steps late events come.
    steps_late: usize,
    /// How many seconds the judge's guess of the clock is behind.
    behind: Option<u64>,
}

const NONE: Liberty = Liberty {
    instead: |_, _| None,
    takes: Clone::clone,
    outside: |_, _| None,
    rewrite: |_, body| body,
    code: |code| code,
    event: |event| event,
    delivery: |arrival| arrival.delivery.clone(),
    wall: None,
    steps_late: 0,
    behind: None,
};

/// The code of a request that crashes in place of a refusal.
const CRASHED: &str = "internal";

impl tideover_prove::right::liberty::Liberty for Liberty {
    fn takes(&mut self, call: &PreparedCall) -> Option<PreparedCall> {
        Some((self.takes)(call))
    }

    fn instead(&mut self, sent: u64, call: &PreparedCall, _: &mut Inside<'_>) -> Option<Response> {
        (self.instead)(sent, call)
    }

    fn outside(&mut self, sent: u64, action: &str) -> Option<Response> {
        (self.outside)(sent, action)
    }

    fn body(&mut self, call: &PreparedCall, body: Value) -> Value {
        (self.rewrite)(call, body)
    }

    fn refusal(&mut self, _: &PreparedCall, refusal: Response) -> Response {
        let Some(code) = refusal.code() else { return refusal };
        let code = (self.code)(code);
        let status = if code == CRASHED { 500 } else { refusal.status };
        refused(status, code)
    }

    fn event(&mut self, event: Value) -> Value {
        (self.event)(event)
    }

    fn delivery(&mut self, arrival: &Arrival) -> Option<String> {
        (self.delivery)(arrival)
    }

    fn wall(&self) -> Option<fn(u64) -> u64> {
        self.wall
    }

    fn steps_late(&self) -> usize {
        self.steps_late
    }
}

/// A correct service that takes a liberty.
struct FreeService {
    service: Free,
    behind: Option<u64>,
    sent: u64,
    prior: PriorState,
}

impl FreeService {
    fn new(target: Stranger<Service>, liberty: Liberty) -> FreeService {
        let behind = liberty.behind;
        let service = Free::new(target, vec![Box::new(liberty)]);
        FreeService { service, behind, sent: 0, prior: PriorState::Nothing }
    }
}

impl Target for FreeService {
    fn api_key(&self) -> &str {
        self.service.api_key()
    }

    async fn send(&mut self, step: &Prepared) -> Result<Response, Unanswered> {
        self.sent += 1;
        self.service.send(step).await
    }

    fn inbox(&self) -> Option<&str> {
        self.service.inbox()
    }

    async fn arrivals(&mut self) -> Result<Vec<Arrival>, Unanswered> {
        self.service.arrivals().await
    }
}

impl Observed for FreeService {
    fn world(&mut self) -> TargetWorld {
        let TargetWorld::Foreign { outside, now, clock, .. } = self.service.world() else {
            panic!("a stranger is foreign")
        };
        let prior = self.prior;
        match self.behind {
            None => TargetWorld::Foreign { outside, prior, now, clock },
            Some(behind) => {
                let now =
                    Timestamp::from_unix(now.unix() - i64::try_from(behind).unwrap()).unwrap();
                TargetWorld::Foreign { outside, prior, now, clock: Clock::Guessed }
            }
        }
    }
}

fn violations(played: &Played) -> Vec<Finding> {
    played.findings.iter().filter(|one| one.verdict == Verdict::Violated).cloned().collect()
}

/// The run whose cases are played.
const RUN: u64 = 1;

/// Plays a case against a service with `liberty`.
async fn played_with(liberty: Liberty, outside: Outside, case: u64) -> Played {
    let header = Header::new(RUN, start(), Profile::default());
    let face = service(Profile::default(), case + 1000, INBOX);
    let mut world = Strangers::new(InProcess::new(face, start()), outside);
    let steps = generate::case(&header, case, 50);
    let mut target = FreeService::new(world.fresh().await.unwrap(), liberty);
    play(&mut target, &header, &steps).await.unwrap()
}

/// The violations of a service with `liberty`, and how many other findings were noticed.
async fn findings_with(liberty: Liberty) -> (Vec<Finding>, usize) {
    let (mut found, mut noticed) = (Vec::new(), 0);
    for outside in [Outside::Controlled, Outside::Open] {
        for case in 0..12 {
            let played = played_with(liberty, outside, case).await;
            assert!(played.findings.iter().all(|one| one.verdict == Verdict::Violated));
            found.extend(violations(&played));
            noticed += played.noticed.len();
        }
    }
    (found, noticed)
}

async fn assert_accepted(liberty: Liberty) {
    let (found, _) = findings_with(liberty).await;
    assert!(found.is_empty(), "{found:#?}");
}

async fn assert_violated(liberty: Liberty, clause: &str) {
    for outside in [Outside::Controlled, Outside::Open] {
        for case in 0..100 {
            let found = violations(&played_with(liberty, outside, case).await);
            if found.iter().any(|one| one.clause.name() == clause) {
                return;
            }
        }
    }
    panic!("{clause} is not found");
}

fn rename(mut body: Value, from: &str, to: &str) -> Value {
    if let Some(value) = body.as_object_mut().and_then(|fields| fields.remove(from)) {
        body[to] = value;
    }
    body
}

fn without(mut body: Value, name: &str) -> Value {
    body.as_object_mut().map(|fields| fields.remove(name));
    body
}

#[tokio::test]
async fn a_correct_service_is_not_accused() {
    assert_accepted(NONE).await;
}

/// Other field names in a success, where the document shows none.
fn other_names(call: &PreparedCall, mut body: Value) -> Value {
    body = rename(body, "taxIdResult", "taxIdCheck");
    if call.path == "/v1/webhooks" && call.method == "POST" {
        return json!({ "key": body["secret"], "subscription": body["reference"] });
    }
    if let Some(advance) = body.get_mut("advance").filter(|advance| advance.is_object()) {
        *advance = json!({ "stage": advance["state"], "out": advance["amountSent"], "due": advance["amountOwed"] });
    }
    if body["alreadyRequested"] == true {
        body =
            json!({ "alreadyRequested": true, "remittance": body["remittance"], "a": 1, "b": 2 });
    }
    for row in body.get_mut("rows").and_then(Value::as_array_mut).into_iter().flatten() {
        let outcome =
            if row["outcome"] == "rejected" { "FAILED".into() } else { row["outcome"].take() };
        *row = json!({ "outcome": outcome });
    }
    rename(body, "summary", "totals")
}

#[tokio::test]
async fn undocumented_field_names_are_free() {
    assert_accepted(Liberty { rewrite: other_names, ..NONE }).await;
}

#[tokio::test]
async fn coverage_finds_documented_values_in_any_field() {
    let mut reached = Coverage::default();
    for case in 0..20 {
        let liberty = Liberty {
            rewrite: |call, body| match call.method.as_str() {
                "DELETE" => json!({ "stopped": true }),
                "GET" => other_names(call, body),
                _ => body,
            },
            ..NONE
        };
        reached.add(&played_with(liberty, Outside::Controlled, case).await.coverage);
    }
    for (group, name) in [
        (Group::Advance, "REQUESTED"),
        (Group::Advance, "FUNDED"),
        (Group::Advance, "REPAID"),
        (Group::Situation, "a subscription deleted"),
    ] {
        let times = reached.of(group).into_iter().find(|(state, _)| state == name).unwrap().1;
        assert!(times > 0, "{name} is not reached");
    }
}

#[tokio::test]
async fn a_missing_documented_field_is_found() {
    let missing: [(Rewrite, &str); 8] = [
        (|_, body| without(body, "taxIdResult"), "2.businessSynced.taxIdResult"),
        (|_, body| without(body, "mask"), "2.payoutAccount.mask"),
        (
            |_, mut body| {
                if let Some(mask) = body.get_mut("mask") {
                    *mask = Value::Null;
                }
                body
            },
            "2.payoutAccount.mask",
        ),
        (|_, body| without(body, "name"), "2.business.name"),
        (|_, body| without(body, "collectionState"), "2.invoice.collectionState"),
        (|_, body| without(body, "fundable"), "2.invoice.fundable"),
        (
            |call, body| if call.path == "/v1/webhooks" { without(body, "secret") } else { body },
            "2.subscription.secret",
        ),
        (
            |_, mut body| {
                for row in body.get_mut("rows").and_then(Value::as_array_mut).into_iter().flatten()
                {
                    *row = without(row.take(), "outcome");
                }
                body
            },
            "2.importReport.rows",
        ),
    ];
    for (rewrite, clause) in missing {
        assert_violated(Liberty { rewrite, ..NONE }, clause).await;
    }
}

#[tokio::test]
async fn undocumented_values_are_free() {
    assert_accepted(Liberty {
        rewrite: |_, mut body| {
            if let Some(Value::String(name)) = body.get_mut("name") {
                *name = name.to_uppercase();
            }
            if let Some(routing) = body.pointer_mut("/remittance/routingNumber") {
                *routing = "02100002-1".into();
            }
            body
        },
        event: |mut event| {
            event["occurredAt"] = json!({ "seconds": event["occurredAt"] });
            let event = rename(rename(event, "type", "kind"), "data", "about");
            rename(event, "id", "event")
        },
        delivery: |arrival| {
            let event: Value = serde_json::from_slice(&arrival.body).unwrap();
            Some(event["id"].to_string())
        },
        ..NONE
    })
    .await;
}

#[tokio::test]
async fn bad_event_times_and_delivery_names_are_found() {
    let timeless = Liberty { event: |event| without(event, "occurredAt"), ..NONE };
    assert_violated(timeless, "6.delivery.6").await;
    let one_for_all = Liberty { delivery: |_| Some("one".into()), ..NONE };
    assert_violated(one_for_all, "6.delivery.3.2").await;
}

const DAY: u64 = 24 * 3600;

#[tokio::test]
async fn events_may_use_wall_time_and_come_late() {
    let ahead: fn(u64) -> u64 = |at| at + 300 * DAY;
    assert_accepted(Liberty { wall: Some(ahead), ..NONE }).await;
    assert_accepted(Liberty { wall: Some(|at| at), steps_late: 3, ..NONE }).await;
    assert_accepted(Liberty { wall: Some(ahead), steps_late: 3, ..NONE }).await;
}

/// A run moves the target's clock, not the wall clock.
#[tokio::test]
async fn wall_time_teaches_no_retry_schedule() {
    let learned = async |liberty| {
        let mut lessons = Lessons::default();
        for case in 0..20 {
            lessons.add(&played_with(liberty, Outside::Controlled, case).await.lessons);
        }
        lessons.learned(&Profile::default())
    };
    assert_eq!(start().unix_unsigned(), 1_767_225_600);
    let by_the_wall = learned(Liberty { wall: Some(|_| 1_767_225_600), ..NONE }).await;
    assert!(by_the_wall.unlearned.iter().any(|field| field == "webhooks.retries"));
    let by_its_own = learned(NONE).await;
    assert!(!by_its_own.unlearned.iter().any(|field| field == "webhooks.retries"));
    assert_eq!(by_its_own.profile.webhooks.retries, Profile::default().webhooks.retries);
}

#[tokio::test]
async fn an_unknown_clock_must_agree_with_itself() {
    assert_accepted(Liberty { behind: Some(300 * DAY), ..NONE }).await;
    let day_longer = |call: &PreparedCall, mut body: Value| {
        if call.path == "/v1/invitations" {
            let expires_at = body["expiresAt"].as_str().and_then(Timestamp::parse).unwrap();
            body["expiresAt"] = json!(expires_at.after(DAY));
        }
        body
    };
    let session = || post("/v1/onboarding-sessions", json!({ "externalId": "v" }));
    let invite = || post("/v1/invitations", json!({ "externalId": "v", "email": "a@b.example" }));
    let life = "8.invitationLife";
    for (steps, found, noticed) in [
        // Someone may have moved the clock, unless a later response shows an earlier time.
        (vec![session(), invite()], &[][..], &[life][..]),
        (vec![session(), invite(), session()], &[life], &[life]),
        (vec![invite(), session()], &["8.sessionLife"], &[]),
    ] {
        let played = unclocked(day_longer, steps).await;
        let clauses: Vec<_> = played.findings.iter().map(|found| found.clause.name()).collect();
        assert_eq!((&*clauses, &*doubted(&played)), (found, noticed));
    }
    let untimely = |call: &PreparedCall, mut body: Value| {
        if call.path == "/v1/invitations" {
            body["expiresAt"] = json!("tomorrow");
        }
        body
    };
    let played = unclocked(untimely, vec![session(), invite()]).await;
    assert_eq!(played.findings[0].clause.name(), "2.invitation.expiresAt");
}

/// The creation time of a subscription shows the clock too.
#[tokio::test]
async fn another_timestamp_confirms_a_clock_leap() {
    let later = |call: &PreparedCall, mut body: Value| {
        let field = match &*call.path {
            "/v1/webhooks" => "createdAt",
            "/v1/onboarding-sessions" => "expiresAt",
            _ => return body,
        };
        let time = body[field].as_str().and_then(Timestamp::parse).unwrap();
        body[field] = json!(time.after(DAY));
        body
    };
    let invite = || post("/v1/invitations", json!({ "externalId": "v", "email": "a@b.example" }));
    let session = || post("/v1/onboarding-sessions", json!({ "externalId": "v" }));
    let subscribe = || post("/v1/webhooks", json!({ "url": "https://hooks.example.com/x" }));
    let played = unclocked(later, vec![invite(), subscribe(), session()]).await;
    assert!(played.findings.is_empty(), "{:#?}", played.findings);
    assert_eq!(doubted(&played), [""; 0]);
    let played = unclocked(later, vec![invite(), session()]).await;
    assert_eq!(doubted(&played), ["8.sessionLife"]);
}

fn inviting(email: &str) -> Step {
    post("/v1/invitations", json!({ "externalId": "v", "email": email }))
}

/// Changes the response to an invitation.
fn invited(call: &PreparedCall, mut body: Value, change: impl FnOnce(&mut Value)) -> Value {
    if call.path == "/v1/invitations" {
        change(&mut body);
    }
    body
}

/// The document doesn't state what a repeated invitation keeps.
#[tokio::test]
async fn a_repeated_invitation_may_be_a_new_one() {
    let another: Rewrite = |call, body| {
        static MADE: AtomicUsize = AtomicUsize::new(0);
        invited(call, body, |body| {
            body["inviteId"] = format!("invite {}", MADE.fetch_add(1, Ordering::SeqCst)).into();
        })
    };
    assert_accepted(Liberty { rewrite: another, ..NONE }).await;
    let kept: Rewrite =
        |call, body| invited(call, body, |body| body["expiresAt"] = json!(start().after(30 * DAY)));
    let earlier: Rewrite = |call, body| {
        invited(call, body, |body| {
            let expires_at = body["expiresAt"].as_str().and_then(Timestamp::parse).unwrap();
            let hours = expires_at.unix() - start().after(30 * DAY).unix();
            let hours = u64::try_from(hours).unwrap();
            body["expiresAt"] = json!(start().after(30 * DAY + hours / 2));
        })
    };
    let same: Rewrite =
        |call, body| invited(call, body, |body| body["inviteId"] = "the one".into());
    let hour = || Step::new(Action::Advance(3600));
    let repeated =
        || vec![inviting("a@b.example"), hour(), inviting("a@b.example"), inviting("a@b.example")];
    let two = || vec![inviting("a@b.example"), inviting("b@b.example"), inviting("a@b.example")];
    let elsewhere = || {
        let invite = json!({ "externalId": "w", "email": "a@b.example" });
        vec![
            put("/v1/organizations/w", json!({ "legalName": "W" })),
            post("/v1/invitations", invite),
        ]
    };
    for (rewrite, steps, expected) in [
        (another, two(), &[][..]),
        (kept, repeated(), &["8.invitationLife"]),
        (earlier, repeated(), &["8.invitationLife"]),
        (same, repeated(), &[]),
        // One for a business, whoever is invited.
        (same, two(), &[]),
        (same, [two(), elsewhere()].concat(), &["2.invitation.inviteId"]),
    ] {
        let liberty = Liberty { rewrite, ..NONE };
        let played = played_by(Outside::Controlled, liberty, steps).await;
        let clauses: Vec<_> = played.findings.iter().map(|found| found.clause.name()).collect();
        assert_eq!(clauses, expected);
        assert_eq!(doubted(&played), [""; 0]);
    }
}

/// Plays `steps` of a business with a service whose clock is unknown.
async fn unclocked(rewrite: Rewrite, steps: Vec<Step>) -> Played {
    let liberty = Liberty { behind: Some(300 * DAY), rewrite, ..NONE };
    played_by(Outside::Open, liberty, steps).await
}

/// Plays `steps` of a business with a service that takes a liberty.
async fn played_by(outside: Outside, liberty: Liberty, mut steps: Vec<Step>) -> Played {
    let header = Header::new(1, start(), Profile::default());
    let face = service(Profile::default(), 5, INBOX);
    let mut world = Strangers::new(InProcess::new(face, start()), outside);
    let mut target = FreeService::new(world.fresh().await.unwrap(), liberty);
    steps.insert(0, put("/v1/organizations/v", json!({ "legalName": "V" })));
    play(&mut target, &header, &steps).await.unwrap()
}

fn doubted(played: &Played) -> Vec<&'static str> {
    let doubts = played.noticed.iter().map(|(_, found)| found);
    assert!(doubts.clone().all(|found| found.verdict == Verdict::Inconclusive), "{played:#?}");
    doubts.map(|found| found.clause.name()).collect()
}

fn put(path: &str, body: Value) -> Step {
    Step::new(Action::Call(Call::json("PUT", path, body)))
}

fn post(path: &str, body: Value) -> Step {
    Step::new(Action::Call(Call::json("POST", path, body)))
}

/// In place of a response: a refusal.
fn refuses(status: u16, code: &str) -> Option<Response> {
    Some(refused(status, code))
}

#[tokio::test]
async fn unlisted_codes_are_not_accused() {
    let codes: [Instead; 3] = [
        |_, call| refuses(409, "invoice_locked").filter(|_| call.path == "/v1/advances"),
        |sent, _| refuses(403, "business_suspended").filter(|_| sent % 5 == 0),
        |sent, _| refuses(429, "rate_limited").filter(|_| sent % 7 == 0),
    ];
    for instead in codes {
        assert_accepted(Liberty { instead, ..NONE }).await;
    }
    let wrongly =
        Liberty { instead: |sent, _| refuses(401, "unauthorized").filter(|_| sent == 9), ..NONE };
    assert_violated(wrongly, "7.codes.unauthorized").await;
}

/// No code is listed for a method that a path is not served under; for a path that is not served at all, one is.
#[tokio::test]
async fn an_unknown_method_may_have_a_code_of_its_own() {
    for (path, clauses) in
        [("/v1/advances", &[][..]), ("/v1/nothing", &["7.codes.unknown_endpoint"])]
    {
        let own = Liberty { instead: |_, _| refuses(405, "method_not_served"), ..NONE };
        let header = Header::new(1, start(), Profile::default());
        let face = service(Profile::default(), 5, INBOX);
        let mut world = Strangers::new(InProcess::new(face, start()), Outside::Open);
        let mut target = FreeService::new(world.fresh().await.unwrap(), own);
        let steps = vec![Step::new(Action::Call(Call::bare("PATCH", path))); 3];
        let played = play(&mut target, &header, &steps).await.unwrap();
        let mut summary = Summary::default();
        summary.replaced.add(&played.replaced);
        summary.conclude(&Stated::default());
        let named = summary.noticed.values().map(|noticed| noticed.finding.clause.name());
        assert_eq!(named.collect::<Vec<_>>(), clauses, "{path}");
    }
}

/// A path whose percent-encoding spells no text names nothing: the server may refuse it before the service sees it.
#[tokio::test]
async fn a_misspelt_path_may_be_refused_by_anybody() {
    let read =
        |name| Step::new(Action::Call(Call::bare("GET", format!("/v1/organizations/{name}"))));
    let steps = ["%", "%zz", "a%2", "%C3"].map(read);
    fn answered(call: &PreparedCall, answer: Response) -> Option<Response> {
        call.is_misspelt().then_some(answer)
    }
    let answers: [Instead; 4] = [
        |_, call| answered(call, Response::new(400, b"Bad Request")),
        |_, call| answered(call, refused(400, "invalid_request")),
        |_, call| answered(call, refused(404, "business_not_found")),
        |_, call| answered(call, refused(404, "unknown_endpoint")),
    ];
    for instead in answers {
        assert_steps_accepted(Liberty { instead, ..NONE }, &steps).await;
    }
    let found = |_, call: &PreparedCall| answered(call, Response::new(200, b"{}"));
    assert_accused(Liberty { instead: found, ..NONE }, &steps, "7.codes.business_not_found").await;
}

/// The document shows neither the form of event types nor their values.
#[tokio::test]
async fn event_types_may_be_accepted_or_refused() {
    let refuses = Liberty {
        instead: |_, call| {
            let names = String::from_utf8_lossy(call.body()).contains("eventTypes");
            refuses(400, "invalid_request").filter(|_| names)
        },
        ..NONE
    };
    assert_accepted(refuses).await;
    let takes = Liberty {
        instead: |_, call| {
            let names = String::from_utf8_lossy(call.body()).contains("eventTypes");
            let answer = json!({ "reference": "whs_of_its_own", "secret": "whsec_of_its_own" });
            names.then(|| Response::new(201, answer.to_string().as_bytes()))
        },
        ..NONE
    };
    let header = Header::new(1, start(), Profile::default());
    let face = service(Profile::default(), 5, INBOX);
    let mut world = Strangers::new(InProcess::new(face, start()), Outside::Open);
    let subscribe = |types: Value| {
        post("/v1/webhooks", json!({ "url": format!("{INBOX}/accepts"), "eventTypes": types }))
    };
    for types in [json!([]), json!("everything"), json!(["no.such.event"])] {
        let mut target = FreeService::new(world.fresh().await.unwrap(), takes);
        let played = play(&mut target, &header, &[subscribe(types)]).await.unwrap();
        assert!(played.findings.is_empty(), "{:#?}", played.findings);
    }
}

#[tokio::test]
async fn server_errors_are_at_most_noticed() {
    let failing = Liberty {
        instead: |sent, _| refuses(503, "maintenance").filter(|_| sent % 7 == 0),
        ..NONE
    };
    assert_accepted(failing).await;
    let instead = |sent, _: &PreparedCall| {
        let status = [502, 504][usize::from(sent % 2 == 0)];
        (sent % 7 == 0).then(|| Response::new(status, b"<html>Bad Gateway</html>"))
    };
    let (found, noticed) = findings_with(Liberty { instead, ..NONE }).await;
    assert!(found.is_empty(), "{found:#?}");
    assert!(noticed > 0);
    // The service may have made the subscription; then nobody knows its secret.
    let subscribes = |sent, call: &PreparedCall| {
        let is_subscribe = call.path == "/v1/webhooks" && call.method == "POST";
        refuses(502, "upstream_failed").filter(|_| is_subscribe && sent % 2 == 0)
    };
    assert_accepted(Liberty { instead: subscribes, ..NONE }).await;
    // An error of the documented shape without a code comes from the service itself.
    let own = |sent, _: &PreparedCall| {
        (sent == 9)
            .then(|| Response::new(502, json!({ "error": "it failed" }).to_string().as_bytes()))
    };
    assert_violated(Liberty { instead: own, ..NONE }, "7.shape.code").await;
}

#[tokio::test]
async fn early_accounts_and_filed_tax_ids_are_accepted() {
    let opened = |call: &PreparedCall, mut body: Value| {
        if call.method == "GET" {
            body["onboarding"]["collectionAccount"] = true.into();
            body["remittance"] =
                json!({ "accountNumber": "1234567890", "routingNumber": "021000021" });
        }
        body
    };
    let header = Header::new(1, start(), Profile::default());
    let face = service(Profile::default(), 5, INBOX);
    let mut world = Strangers::new(InProcess::new(face, start()), Outside::Open);
    let mut target =
        FreeService::new(world.fresh().await.unwrap(), Liberty { rewrite: opened, ..NONE });
    let read = || Step::new(Action::Call(Call::bare("GET", "/v1/organizations/v")));
    let steps = [put("/v1/organizations/v", json!({ "legalName": "V" })), read()];
    let played = play(&mut target, &header, &steps).await.unwrap();
    assert!(played.findings.is_empty(), "{:#?}", played.findings);
    let filed = |_: &PreparedCall, mut body: Value| {
        if let Some(on_file) = body.get_mut("taxIdOnFile") {
            *on_file = true.into();
        }
        body
    };
    let mut target =
        FreeService::new(world.fresh().await.unwrap(), Liberty { rewrite: filed, ..NONE });
    let played = play(&mut target, &header, &steps).await.unwrap();
    assert!(played.findings.is_empty(), "{:#?}", played.findings);
}

/// A tax id that a business has held since an earlier run.
const HELD: &str = "98-7654321";

/// A service in which a business of an earlier run holds `HELD`.
fn held_before() -> Service {
    let mut face = service(Profile::default(), 5, INBOX);
    let details = BusinessDetails {
        legal_name: "Earlier".into(),
        tax_id: Some(HELD.into()),
        contact: Contact::default(),
    };
    let sync = Operation::SyncBusiness { business: "earlier".into(), details };
    face.handle(start(), PlatformId::DEFAULT, sync).unwrap();
    face
}

/// A target in which businesses of an earlier run may hold the tax ids.
async fn used_before(face: Service) -> FreeService {
    let mut world = Strangers::new(InProcess::new(face, start()), Outside::Controlled);
    FreeService {
        prior: PriorState::TaxIds,
        ..FreeService::new(world.fresh().await.unwrap(), NONE)
    }
}

fn act(fields: &Value) -> Step {
    Step::new(Action::Act(fields.as_object().unwrap().clone()))
}

/// A target that carries out the first request and loses its response.
struct LosesFirstResponse(FreeService);

impl Target for LosesFirstResponse {
    fn api_key(&self) -> &str {
        self.0.api_key()
    }

    async fn send(&mut self, step: &Prepared) -> Result<Response, Unanswered> {
        let seen = self.0.send(step).await?;
        if self.0.sent > 1 {
            return Ok(seen);
        }
        Err(Unanswered::may_be("lost"))
    }

    fn inbox(&self) -> Option<&str> {
        self.0.inbox()
    }

    async fn arrivals(&mut self) -> Result<Vec<Arrival>, Unanswered> {
        self.0.arrivals().await
    }
}

impl Observed for LosesFirstResponse {
    fn world(&mut self) -> TargetWorld {
        self.0.world()
    }
}

/// A fully onboarded business of an earlier run may hold the user's tax id.
#[tokio::test]
async fn an_unanswered_request_may_link_an_existing_business() {
    let account = json!({ "accountNumber": "12345678", "routingNumber": "021000021" });
    let header = Header::new(1, start(), Profile::default());
    let mut target = LosesFirstResponse(used_before(held_before()).await);
    let steps = [
        put("/v1/organizations/v1", json!({ "legalName": "V1", "taxId": HELD })),
        Step::new(Action::Call(Call::bare("GET", "/v1/organizations/v1"))),
        put("/v1/organizations/v1/payout-account", account),
        Step::new(Action::Call(Call::bare("GET", "/v1/organizations/v1"))),
    ];
    let played = play(&mut target, &header, &steps).await.unwrap();
    assert!(played.findings.is_empty(), "{:#?}", played.findings);
    assert_eq!(played.answers.len(), 4);
    assert!(played.answers[0].1.is_none() && played.answers[1].1.as_ref().unwrap().is_success());
}

/// The operator port knows which actions are possible, and need not offer all of them.
#[tokio::test]
async fn an_operator_port_that_refuses_accuses_nobody() {
    let ports: [fn(u64, &str) -> Option<Response>; 5] = [
        |_, _| refuses(404, "unknown_action"),
        |_, name| refuses(404, "unknown_action").filter(|_| name.starts_with("vendor")),
        |sent, _| refuses(409, "action_refused").filter(|_| sent % 2 == 0),
        |_, _| refuses(401, "unauthorized"),
        |_, _| refuses(404, "unknown_endpoint"),
    ];
    for outside in ports {
        assert_accepted(Liberty { outside, ..NONE }).await;
    }
}

/// A vendor cannot confirm a tax id that a business of an earlier run holds.
#[tokio::test]
async fn a_confirmed_tax_id_may_belong_to_another() {
    let header = Header::new(1, start(), Profile::default());
    let mut target = used_before(held_before()).await;
    let email = "ann@v1.example";
    let steps = [
        put("/v1/organizations/v1", json!({ "legalName": "V1" })),
        post("/v1/invitations", json!({ "externalId": "v1", "email": email })),
        act(
            &json!({ "action": "vendorAcceptsInvitation", "payeeExternalId": "v1", "email": email }),
        ),
        act(&json!({
            "action": "vendorConfirmsTaxId", "payeeExternalId": "v1",
            "route": "VENDOR_ASSERTION", "taxId": HELD,
        })),
        Step::new(Action::Call(Call::bare("GET", "/v1/organizations/v1"))),
    ];
    let played = play(&mut target, &header, &steps).await.unwrap();
    assert!(played.findings.is_empty(), "{:#?}", played.findings);
    assert!(played.noticed.is_empty(), "{:#?}", played.noticed);
    let confirmed = played.answers[3].1.as_ref().unwrap();
    assert_eq!(confirmed.code(), Some("action_refused"));
}

/// A tax id may link to a business of an earlier run that has signed the agreement.
#[tokio::test]
async fn an_agreement_may_predate_the_run() {
    let mut face = held_before();
    let (email, earlier) = ("ann@v1.example", || "earlier".to_owned());
    let invite = Operation::Invite { business: earlier(), email: email.into() };
    face.handle(start(), PlatformId::DEFAULT, invite).unwrap();
    for happening in [
        Happening::VendorAcceptsInvitation { payee: earlier(), email: email.into() },
        Happening::VendorSignsAgreement { payee: earlier(), address: Address::default() },
    ] {
        face.happen(start(), PlatformId::DEFAULT, happening).unwrap();
    }
    let header = Header::new(1, start(), Profile::default());
    let mut target = used_before(face).await;
    let steps = [
        put("/v1/organizations/v1", json!({ "legalName": "V1", "taxId": HELD })),
        post("/v1/invitations", json!({ "externalId": "v1", "email": email })),
        act(
            &json!({ "action": "vendorAcceptsInvitation", "payeeExternalId": "v1", "email": email }),
        ),
        act(&json!({ "action": "vendorSignsAgreement", "payeeExternalId": "v1" })),
        Step::new(Action::Call(Call::bare("GET", "/v1/organizations/v1"))),
    ];
    let played = play(&mut target, &header, &steps).await.unwrap();
    assert!(played.findings.is_empty(), "{:#?}", played.findings);
    assert!(played.noticed.is_empty(), "{:#?}", played.noticed);
    assert_eq!(played.answers[3].1.as_ref().unwrap().code(), Some("action_refused"));
}

/// Worlds of correct services that take a liberty.
struct FreeWorlds(Strangers, Liberty);

impl Testbed for FreeWorlds {
    type Target = FreeService;

    async fn fresh(&mut self) -> Result<FreeService, Unreachable> {
        Ok(FreeService::new(self.0.fresh().await?, self.1))
    }
}

/// How many codes were renamed.
static SENT: AtomicUsize = AtomicUsize::new(0);

/// A service may add codes but not remove them. A listed code that is due often and never comes is doubted.
#[tokio::test]
async fn a_listed_code_that_never_comes_is_found() {
    let doubted = async |code: fn(&str) -> &str| {
        let header = Header::new(1, start(), Profile::default());
        let face = service(Profile::default(), 5, INBOX);
        let strangers = Strangers::new(InProcess::new(face, start()), Outside::Controlled);
        let mut worlds = FreeWorlds(strangers, Liberty { code, ..NONE });
        let plan = Plan { header, first: 0, cases: 60, steps: 40, max_findings: 1 };
        let mut summary = check(&mut worlds, &plan).await.unwrap();
        assert!(summary.failures.is_empty(), "{:#?}", summary.failures[0].findings);
        summary.conclude(&Stated::default());
        let doubts = summary.noticed.into_values().map(|noticed| noticed.finding);
        doubts.map(|one| (one.clause.name(), one.verdict)).collect::<Vec<_>>()
    };
    assert_eq!(doubted(|code| code).await, []);
    let renamed = doubted(|code| if code == "business_not_found" { "not_found" } else { code });
    assert_eq!(renamed.await, [("7.codes.business_not_found", Verdict::Violated)]);
    let other = doubted(|code| if code == "invalid_request" { "bad_request" } else { code });
    assert_eq!(other.await, [("7.codes.invalid_request", Verdict::Violated)]);
    // More than one may be finer ones.
    let finer = doubted(|code| match code {
        "invalid_request" if SENT.fetch_add(1, Ordering::Relaxed).is_multiple_of(2) => "bad_amount",
        "invalid_request" => "bad_field",
        code => code,
    });
    assert_eq!(finer.await, []);
}

/// One kind of request that fails each time is no outage while others are answered.
#[tokio::test]
async fn a_request_that_fails_each_time_is_found() {
    let found = async |instead: Instead| {
        let header = Header::new(1, start(), Profile::default());
        let face = service(Profile::default(), 5, INBOX);
        let strangers = Strangers::new(InProcess::new(face, start()), Outside::Controlled);
        let mut worlds = FreeWorlds(strangers, Liberty { instead, ..NONE });
        let plan = Plan { header, first: 0, cases: round(), steps: 50, max_findings: 1 };
        let mut summary = check(&mut worlds, &plan).await.unwrap();
        summary.conclude(&Stated::default());
        let failures = summary.failures.iter().map(Failure::finding);
        let violated = failures.chain(summary.violated_as_a_whole());
        violated.map(|one| (one.clause.name(), one.operation.clone())).collect::<BTreeSet<_>>()
    };
    let quotes = |clause: &'static str| (clause, "POST /v1/quotes".to_owned());
    fn fails(call: &PreparedCall) -> Option<Response> {
        refuses(502, "upstream_failed").filter(|_| call.path == "/v1/quotes")
    }
    let fails_always = found(|_, call| fails(call)).await;
    assert!(fails_always.contains(&quotes("7.codes.upstream_failed")), "{fails_always:?}");
    assert!(fails_always.iter().all(|(_, operation)| operation == "POST /v1/quotes"));
    // So does one that fails for one value only.
    let fails_at_one = found(|_, call| {
        let body = call.body().json().unwrap_or(&Value::Null);
        fails(call).filter(|_| body.get("invoiceFaceValue").is_some_and(Value::is_null))
    });
    assert_eq!(fails_at_one.await, BTreeSet::from([quotes("7.codes.invalid_request")]));
    // Nothing fails because a path spells nothing.
    let fails_at_misspelt =
        found(|_, call| refuses(500, "internal_error").filter(|_| call.is_misspelt())).await;
    assert!(!fails_at_misspelt.is_empty());
    assert!(fails_at_misspelt.iter().all(|(clause, _)| clause.starts_with("7.codes.")));
    let none = BTreeSet::new();
    assert_eq!(found(|sent, call| fails(call).filter(|_| sent % 7 == 0)).await, none);
}

/// Reads show that a tax id is on file.
const FILES: Liberty = Liberty {
    rewrite: |call, mut body| {
        if call.method == "GET" && body.get("taxIdOnFile").is_some() {
            body["taxIdOnFile"] = true.into();
        }
        body
    },
    ..NONE
};

/// Reads show that the business has cleared compliance.
const CLEARS: Liberty = Liberty {
    rewrite: |call, mut body| {
        if call.method == "GET" && body.get("taxIdOnFile").is_some() {
            body["taxIdOnFile"] = true.into();
            body["complianceRoute"] = "PARTNER_SUPPLIED".into();
            body["onboarding"]["compliance"] = true.into();
        }
        body
    },
    ..NONE
};

/// The service refuses a malformed tax id.
const REFUSES: Liberty = Liberty {
    instead: |_, call| {
        let tax_id = call.body().json().and_then(|body| body["taxId"].as_str());
        refuses(400, "invalid_request").filter(|_| tax_id.is_some_and(|text| !is_tax_id(text)))
    },
    ..NONE
};

/// The service accepts a malformed tax id.
const TAKES: Liberty = Liberty {
    takes: |call| {
        let body = String::from_utf8_lossy(call.body()).replace(MALFORMED, "12-3456780");
        let content_type = call.content_type.clone();
        PreparedCall::new(&*call.method, &*call.path, content_type, body.into_bytes())
    },
    ..NONE
};

/// Nine digits, of which one is no ASCII digit.
const MALFORMED: &str = "98-765432\u{ff11}";
const WELL_FORMED: &str = "12-3456789";

fn read(business: &str) -> Step {
    Step::new(Action::Call(Call::bare("GET", format!("/v1/organizations/{business}"))))
}

fn sync(business: &str, tax_id: &str) -> Step {
    let body = json!({ "legalName": "V", "taxId": tax_id });
    put(&format!("/v1/organizations/{business}"), body)
}

fn found_wrong(business: &str) -> Step {
    act(&json!({ "action": "taxIdFoundWrong", "payeeExternalId": business }))
}

/// An invoice with its payee's tax id.
fn sync_invoice(payee: &str, tax_id: &str) -> Step {
    let body = json!({
        "payee": { "externalId": payee, "legalName": "V", "taxId": tax_id },
        "payor": { "externalId": "p", "legalName": "P" },
        "status": "ISSUED", "faceValue": 100_000,
        "issueDate": "2026-01-01T00:00:00Z", "dueDate": "2026-03-01T00:00:00Z",
    });
    put("/v1/invoices/i", body)
}

/// Opens the collection account of `v`.
fn onboard() -> Vec<Step> {
    let accepts = json!({
        "action": "vendorAcceptsInvitation", "payeeExternalId": "v", "email": "a@b.example",
    });
    let signs = json!({ "action": "vendorSignsAgreement", "payeeExternalId": "v" });
    let address =
        json!({ "line1": "1 Quay", "city": "Portland", "state": "OR", "postalCode": "97201" });
    let body = json!({ "legalName": "V", "taxId": WELL_FORMED, "contact": { "address": address } });
    let account = json!({ "accountNumber": "0000", "routingNumber": "091000019" });
    vec![
        put("/v1/organizations/v", body),
        inviting("a@b.example"),
        act(&accepts),
        act(&signs),
        put("/v1/organizations/v/payout-account", account),
        Step::new(Action::Advance(3600)),
    ]
}

/// The payor pays `cents` of `face`, and a sync changes the face value to `again`. Reads follow after a day.
fn paid_invoice(face: u64, cents: u64, again: u64) -> Vec<Step> {
    let invoice = |face: u64| {
        let body = json!({
            "payee": { "externalId": "v", "legalName": "V" },
            "payor": { "externalId": "p", "legalName": "P" },
            "status": "ISSUED", "faceValue": face,
            "issueDate": "2026-01-01T00:00:00Z", "dueDate": "2026-03-01T00:00:00Z",
        });
        put("/v1/invoices/i", body)
    };
    let read = || Step::new(Action::Call(Call::bare("GET", "/v1/organizations/v/invoices/i")));
    let pays = json!({ "action": "payorPays", "payeeExternalId": "v", "invoiceExternalId": "i", "amount": cents });
    // Its event shows that no delivery is in flight any more.
    let later = put("/v1/organizations/w", json!({ "legalName": "W" }));
    let mut steps = onboard();
    steps.extend([
        post("/v1/webhooks", json!({ "url": "${inbox}/accepts" })),
        invoice(face),
        act(&pays),
        invoice(again),
        read(),
        Step::new(Action::Advance(2 * DAY)),
        later,
    ]);
    steps.extend((0..5).map(|_| read()));
    steps
}

async fn assert_steps_accepted(liberty: Liberty, steps: &[Step]) {
    for outside in [Outside::Controlled, Outside::Open] {
        let played = played_by(outside, liberty, steps.to_vec()).await;
        assert!(played.findings.is_empty(), "{outside:?}: {:#?}", played.findings);
    }
}

/// Only the run moves the outside world here.
async fn assert_accused(liberty: Liberty, steps: &[Step], clause: &str) {
    let played = played_by(Outside::Controlled, liberty, steps.to_vec()).await;
    let found: Vec<&str> = played.findings.iter().map(|one| one.clause.name()).collect();
    assert!(found.contains(&clause), "{found:?}");
}

/// The document doesn't show which texts are tax ids.
#[tokio::test]
async fn malformed_tax_ids_may_be_accepted_or_refused() {
    let steps = [sync("v", MALFORMED), read("v"), sync("v", WELL_FORMED), read("v"), read("v")];
    for liberty in [FILES, CLEARS, REFUSES, TAKES] {
        assert_steps_accepted(liberty, &steps).await;
    }
    assert_accepted(REFUSES).await;
    assert_steps_accepted(TAKES, &[sync("v", MALFORMED), sync("w", MALFORMED), read("w")]).await;
    // The tax id may arrive without a response.
    let instead: Instead =
        |sent, _| (sent == 2).then(|| Response::new(504, b"<html>Gateway Timeout</html>"));
    assert_steps_accepted(Liberty { instead, ..FILES }, &[sync("v", MALFORMED), read("v")]).await;
    // A refusal still needs its documented status, and a text without nine digits is no tax id.
    let refuses = Liberty {
        instead: |_, call| {
            let is_malformed = String::from_utf8_lossy(call.body()).contains(MALFORMED);
            refuses(422, "invalid_request").filter(|_| is_malformed)
        },
        ..NONE
    };
    assert_accused(refuses, &[sync("v", MALFORMED)], "7.codes.invalid_request").await;
    for no_tax_id in ["not yet known", "98-765432", "98-76543210"] {
        assert_accused(CLEARS, &[sync("v", no_tax_id), read("v")], "4.businessSync.2").await;
    }
    assert_accused(FILES, &[read("v")], "2.business.taxIdOnFile").await;
    let first_not = Liberty {
        rewrite: |call, body| {
            if call.path.ends_with("/v") { body } else { (CLEARS.rewrite)(call, body) }
        },
        ..NONE
    };
    let twice = [sync("v", MALFORMED), read("v"), sync("v", ""), read("%76")];
    assert_accused(first_not, &twice, "4.businessSync.2").await;
}

/// Where too many requests may have been carried out, their business is lost to the judge, and no other one.
#[tokio::test]
async fn too_many_lost_requests_spoil_one_business_alone() {
    let fails: Instead = |_, call| {
        (call.path == "/v1/advances")
            .then(|| Response::new(502, br#"{"code":"upstream_failed","error":"Try again."}"#))
    };
    let files_for_w: Rewrite = |call, mut body| {
        if call.method == "GET" && call.path.ends_with("/w") {
            body["taxIdOnFile"] = json!(true);
        }
        body
    };
    let invoice = |name: usize| {
        let body = json!({
            "payee": { "externalId": "v", "legalName": "V" },
            "payor": { "externalId": "p", "legalName": "P" },
            "status": "ISSUED", "faceValue": 25_000_000,
            "issueDate": "2026-01-01T00:00:00Z", "dueDate": "2026-03-01T00:00:00Z",
        });
        put(&format!("/v1/invoices/i{name}"), body)
    };
    let advance = |name: usize| {
        post(
            "/v1/advances",
            json!({ "payeeExternalId": "v", "invoiceExternalId": format!("i{name}") }),
        )
    };
    let read_invoice = |name: usize| {
        Step::new(Action::Call(Call::bare("GET", format!("/v1/organizations/v/invoices/i{name}"))))
    };
    let mut steps = onboard();
    steps.extend((0..20).flat_map(|name| [invoice(name), advance(name)]));
    steps.extend([read_invoice(0), read("v"), invoice(20), read_invoice(20)]);
    steps.extend([put("/v1/organizations/w", json!({ "legalName": "W" })), read("w")]);
    assert_steps_accepted(Liberty { instead: fails, ..NONE }, &steps).await;
    let wrong = Liberty { instead: fails, rewrite: files_for_w, ..NONE };
    assert_accused(wrong, &steps, "2.business.taxIdOnFile").await;
}

/// Where too many subscriptions may have been made, a new one can be used all the same: too many to decide, or even to
/// compare.
#[tokio::test]
async fn too_many_lost_subscriptions_spoil_no_later_one() {
    fn fails(call: &PreparedCall) -> Option<Response> {
        (call.path == "/v1/webhooks")
            .then(|| Response::new(502, br#"{"code":"upstream_failed","error":"Try again."}"#))
    }
    let nine: Instead = |sent, call| fails(call).filter(|_| sent <= 9);
    let twenty: Instead = |sent, call| fails(call).filter(|_| sent <= 20);
    let subscribe = |name: usize| {
        post("/v1/webhooks", json!({ "url": format!("https://hooks.example/{name}") }))
    };
    let bare = |method: &str, path: &str| Step::new(Action::Call(Call::bare(method, path)));
    let delete = bare("DELETE", "/v1/webhooks/${hook.reference}");
    for (lost, instead) in [(9, nine), (20, twenty)] {
        let mut steps: Vec<Step> = (0..lost).map(subscribe).collect();
        steps.extend([subscribe(lost).named("hook"), delete.clone(), bare("GET", "/v1/webhooks")]);
        assert_steps_accepted(Liberty { instead, ..NONE }, &steps).await;
    }
}

/// An import is carried out without a response, and a sync that is not well-formed replaces what it wrote.
#[tokio::test]
async fn a_malformed_write_follows_what_was_lost() {
    let liberty = Liberty {
        takes: |call| call.corrected().unwrap_or(call).clone(),
        // This is the fourth request, which is carried out.
        instead: |_, call| {
            (call.path == "/v1/invoices/imports/m")
                .then(|| Response::new(504, b""))
                .filter(|_| call.method == "PUT")
        },
        ..NONE
    };
    let due = |day: &str| format!("2026-0{day}T00:00:00Z");
    let invoice = |face_value: Value, day: &str| {
        let body = json!({
            "payee": { "externalId": "v", "legalName": "V" },
            "payor": { "externalId": "p", "legalName": "P" },
            "status": "ISSUED", "faceValue": face_value,
            "issueDate": due("1-01"), "dueDate": due(day),
        });
        put("/v1/invoices/i", body)
    };
    let get = |path: &str| Step::new(Action::Call(Call::bare("GET", path)));
    let read = || get("/v1/organizations/v/invoices/i");
    let import = Call {
        content_type: Some("text/csv".into()),
        text: Some(format!(
            "externalId,payeeExternalId,payeeLegalName,payorLegalName,status,faceValue,issueDate,dueDate\n\
             i,v,V,P,ISSUED,1,{},{}\n",
            due("1-01"),
            due("4-01"),
        )),
        ..Call::bare("PUT", "/v1/invoices/imports/m")
    };
    let steps = [
        invoice(json!(1), "2-01"),
        read(),
        Step::new(Action::Call(import)),
        invoice(json!(1.0), "3-01"),
        read(),
        get("/v1/invoices/imports/m"),
        read(),
        read(),
    ];
    for outside in [Outside::Controlled, Outside::Open] {
        let played = played_by(outside, liberty, steps.to_vec()).await;
        assert!(played.findings.is_empty(), "{outside:?}: {:#?}", played.findings);
        let answer = |step: usize| played.answers[step].1.as_ref().unwrap();
        assert!([4, 6].into_iter().all(|step| answer(step).is_success()), "{:#?}", played.answers);
        assert_eq!(answer(7).json().unwrap()["dueDate"], due("3-01"));
    }
}

/// The platform lowers the face value to what was collected. The payor pays nothing then.
#[tokio::test]
async fn a_lowered_face_value_needs_no_event() {
    let event = |mut event: Value| {
        if event["type"] == "partner.invoice.paid" {
            event["type"] = "partner.invoice.other".into();
        }
        event
    };
    let silent = Liberty { event, ..NONE };
    assert_steps_accepted(silent, &paid_invoice(500, 400, 400)).await;
    assert_accused(silent, &paid_invoice(400, 400, 400), "6.events.invoice.paid").await;
}

#[tokio::test]
async fn a_wrong_tax_id_may_stay_on_file() {
    let steps = [
        sync("v", WELL_FORMED),
        read("v"),
        found_wrong("v"),
        read("v"),
        sync("v", "12-3456780"),
        read("v"),
    ];
    assert_steps_accepted(FILES, &steps).await;
    // The document doesn't name the result of a sync either.
    let renamed = Liberty {
        rewrite: |call, body| rename((FILES.rewrite)(call, body), "taxIdResult", "taxIdCheck"),
        ..NONE
    };
    assert_steps_accepted(renamed, &steps).await;
    let shared = [sync("a", WELL_FORMED), sync("b", WELL_FORMED), found_wrong("a"), read("b")];
    assert_steps_accepted(FILES, &shared).await;
    assert_accused(CLEARS, &steps, "4.businessSync.1.2").await;
}

#[tokio::test]
async fn a_partys_tax_id_has_no_fixed_effect() {
    let forgets = Liberty {
        rewrite: |call, mut body| {
            if call.method == "GET" && body.get("taxIdOnFile").is_some() {
                body["taxIdOnFile"] = false.into();
            }
            body
        },
        ..NONE
    };
    for liberty in [forgets, CLEARS] {
        assert_steps_accepted(liberty, &[sync_invoice("v", WELL_FORMED), read("v")]).await;
    }
}

/// The service rejects the row with an outcome of its own.
#[tokio::test]
async fn a_malformed_tax_id_may_reject_the_row() {
    let rejects = Liberty {
        instead: |_, call| {
            let reads = call.method == "GET" && call.path.ends_with("/invoices/i");
            refuses(404, "invoice_not_found").filter(|_| reads)
        },
        rewrite: |call, mut body| {
            if call.path.contains("/imports/") {
                body["rows"][0]["outcome"] = "bad".into();
            }
            body
        },
        ..NONE
    };
    let import = |tax_id: &str| {
        let columns = "externalId,payeeExternalId,payeeLegalName,payeeTaxId,payorLegalName,status";
        let row = format!("i,v,V,{tax_id},P,ISSUED");
        let dates = "5,2026-01-01T00:00:00Z,2026-02-01T00:00:00Z";
        let file = format!("{columns},faceValue,issueDate,dueDate\n{row},{dates}\n");
        Step::new(Action::Call(Call::text("PUT", "/v1/invoices/imports/m", file, "text/csv")))
    };
    let read = || Step::new(Action::Call(Call::bare("GET", "/v1/organizations/v/invoices/i")));
    assert_steps_accepted(rejects, &[import(MALFORMED), read()]).await;
    assert_accused(rejects, &[import(WELL_FORMED), read()], "4.imports.2").await;
}

/// The document gives no code for a file without a required column: each row may have an outcome of its own. A row must
/// not be imported without it.
#[tokio::test]
async fn rows_without_a_required_column_may_be_rejected_singly() {
    fn reporting(outcome: &str) -> Option<Response> {
        let row = json!({ "outcome": outcome, "externalId": "i", "reason": null });
        let report = json!({
            "externalId": "m", "rowCount": 1, "finished": true, "rows": [row],
            "importedAt": "2026-01-01T00:00:00Z",
        });
        Some(Response::new(207, report.to_string().as_bytes()))
    }
    let import = || {
        let columns = "externalId,payeeLegalName,payorLegalName,status,issueDate,dueDate";
        let row = "i,V,P,ISSUED,2026-01-01T00:00:00Z,2026-02-01T00:00:00Z";
        let file = format!("{columns}\n{row}\n");
        Step::new(Action::Call(Call::text("PUT", "/v1/invoices/imports/m", file, "text/csv")))
    };
    fn is_import(call: &PreparedCall) -> bool {
        call.path.contains("/imports/")
    }
    let rejects =
        Liberty { instead: |_, call| reporting("rejected").filter(|_| is_import(call)), ..NONE };
    assert_steps_accepted(rejects, &[import(), import()]).await;
    let creates =
        Liberty { instead: |_, call| reporting("created").filter(|_| is_import(call)), ..NONE };
    assert_accused(creates, &[import()], "4.imports.9").await;
}
