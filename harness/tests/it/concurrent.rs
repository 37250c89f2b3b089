//! Requests sent at once: a right service is never accused, and what contradicts the document is named.

use std::cell::Cell;
use std::rc::Rc;

use serde_json::{Value, json};
use tideover_endpoint::Http;
use tideover_exchange::Memory;
use tideover_exchange::evidence::outcome::{Demands, Outcome};
use tideover_exchange::step::{Action, Call, Step};
use tideover_exchange::target::{INBOX, ModelTarget, Target, Unanswered, service};
use tideover_exchange::transcript::Header;
use tideover_exchange::{Arrival, Prepared, Race, Response, start};
use tideover_judge::checks::registry::Needs;
use tideover_judge::{Outside, PriorState};
use tideover_model::{Cents, Destinations, FaceValue, Profile, Service};
use tideover_prove::defects;
use tideover_report::{Baseline, FinishedRun, Report};
use tideover_sim::{Mock, NoNames};
use tideover_suite::generate::{Size, race};
use tideover_suite::play::case::Observed;
use tideover_suite::play::cases::{InProcess, OverHttp, Plan};
use tideover_suite::play::concurrent::{
    History, Judgement, Known, OrderVerdict, Schedule, Summary, TimedRequest, TimedResponse,
    interleave, judge, play,
};

use crate::support::races::{plan, run, with_defect};

fn header(seed: u64) -> Header {
    Header::new(seed, start(), Profile::default())
}

/// What is known about a target without any information.
fn known() -> Known {
    Known { limit: None, ..Known::of(&header(0), INBOX) }
}

/// A race at a correct service that the judge knows nothing about.
fn raced(profile: &Profile, seed: u64, size: Size, lost: usize) -> History {
    let header = Header::new(seed, start(), profile.clone());
    let race = race(&header, seed, size);
    let mut target = ModelTarget::over(service(profile.clone(), seed + 1000, INBOX), start());
    interleave(&mut target, &race, Schedule { seed, lost })
}

fn describe(history: &History, judgement: &Judgement) -> String {
    let stuck = judgement.parts.iter().filter_map(|part| match &part.verdict {
        OrderVerdict::Inconclusive(Some(stuck)) => {
            Some((&history.requests[stuck.request], &stuck.differs))
        }
        _ => None,
    });
    format!("{:#?} {:#?}", judgement.contradictions, stuck.collect::<Vec<_>>())
}

#[test]
fn a_right_service_is_never_accused_however_requests_meet() {
    let size = Size { clients: 16, steps: 25 };
    let (mut requests, mut unknown) = (0, 0);
    for seed in 0..30 {
        let history = raced(&Profile::default(), seed, size, 10);
        requests += history.requests.iter().filter(|request| request.client > 0).count();
        unknown += history.unknown();
        let judgement = judge(&history, &known());
        assert!(judgement.held(), "{seed}: {}", describe(&history, &judgement));
        assert!(judgement.parts.len() >= 10, "{seed}: {} parts", judgement.parts.len());
    }
    assert_eq!(requests, 30 * 16 * 25);
    assert!(unknown * 100 > requests * 8, "{unknown} of {requests}");
}

#[test]
fn a_right_service_is_never_accused_under_any_profile() {
    for (index, toml) in [
        "concentration_limit = 1000000",
        "per_invoice_maximum = 100000",
        "rates.advance = 5000\nrates.fee = 1000",
        "delays = { collection_account = 0, funding_starts = 0, funding_completes = 0 }",
        "success = { request_advance = 200, subscribe = 200, invite = 200, unsubscribe = 200 }",
        "refusals = { already_imported = 422, subscription_not_found = 410 }",
    ]
    .into_iter()
    .enumerate()
    {
        let profile: Profile = toml::from_str(toml).unwrap();
        for seed in 0..10 {
            let history = raced(&profile, seed, Size { clients: 6, steps: 10 }, 10);
            let judgement = judge(&history, &known());
            assert!(judgement.held(), "{index}, {seed}: {}", describe(&history, &judgement));
        }
    }
}

#[test]
fn a_right_service_whose_outside_is_open_is_not_accused() {
    for seed in 0..20 {
        let history = raced(&Profile::default(), seed, Size { clients: 6, steps: 10 }, 20);
        let known = Known { outside: Outside::Open, prior: PriorState::Anything, ..known() };
        let judgement = judge(&history, &known);
        assert!(judgement.contradictions.is_empty(), "{seed}: {}", describe(&history, &judgement));
        assert!(judgement.tally()[2] == 0, "{seed}: {}", describe(&history, &judgement));
    }
}

#[test]
fn one_seed_gives_one_race_and_one_judgement() {
    let size = Size { clients: 4, steps: 10 };
    for seed in 0..5 {
        let (one, again) = (
            raced(&Profile::default(), seed, size, 10),
            raced(&Profile::default(), seed, size, 10),
        );
        assert_eq!(one.requests, again.requests);
        let judged = |history| format!("{:?}", judge(history, &known()));
        assert_eq!(judged(&one), judged(&again));
        assert_ne!(one.requests, raced(&Profile::default(), seed + 5, size, 10).requests);
    }
}

/// What shows only in a race is found there, by a clause that no order excuses, and never without one.
#[test]
fn a_violation_within_a_race_is_found() {
    let raced: Vec<_> = defects::all().filter(|defect| defect.is_raced()).collect();
    assert_eq!(raced.len(), 5);
    for defect in raced {
        let destinations = Destinations::PublicAnd(INBOX.to_owned());
        let face = defect.service(Profile::default(), 3, destinations);
        let found = |clients: usize, number: u64| {
            let race = race(&header(3), number, Size { clients, steps: 40 / clients });
            let mut target = ModelTarget::over(face.clone(), start());
            let history = interleave(&mut target, &race, Schedule { seed: number, lost: 0 });
            judge(&history, &Known::of(&header(3), INBOX)).contradictions
        };
        let met: Vec<_> = (0..20).flat_map(|number| found(8, number)).collect();
        assert!(!met.is_empty(), "{} is not found", defect.name);
        for contradiction in met {
            assert_eq!(contradiction.finding.clause, defect.clause, "{}", defect.name);
            assert!(contradiction.requests.len() > 1, "{contradiction:?}");
        }
        let alone: Vec<_> = (0..20).flat_map(|number| found(1, number)).collect();
        assert!(alone.is_empty(), "{}: {alone:?}", defect.name);
    }
}

/// A history in the making.
#[derive(Default)]
struct Written(History);

impl Written {
    /// What is onboarded and synced before race `number`.
    fn after_preparation(number: u64) -> Written {
        let race = race(&header(1), number, Size { clients: 1, steps: 0 });
        let race = Race { clients: Vec::new(), after: Vec::new(), ..race };
        let mut target = ModelTarget::new(Profile::default(), 1, start());
        let mut history = interleave(&mut target, &race, Schedule { seed: 1, lost: 0 });
        // What is written by hand starts at 1.
        history.requests.iter_mut().for_each(|request| {
            request.called = 0;
            request.response.as_mut().unwrap().at = 0;
        });
        // Each comes after the one before.
        let mut written = Written(history);
        let count = u64::try_from(written.0.requests.len()).unwrap();
        for (index, request) in (0..count).zip(&mut written.0.requests) {
            request.called = 2 * index;
            request.response.as_mut().unwrap().at = 2 * index + 1;
        }
        written
    }

    fn now(&self) -> u64 {
        1000
    }

    /// A request that was called and answered then.
    fn answered(mut self, from: u64, to: u64, call: Call, status: u16, body: &Value) -> Written {
        let seen = Response::new(status, body.to_string().as_bytes());
        self.push(from, call, Some(TimedResponse { at: self.now() + to, seen }));
        self
    }

    /// A request that no answer came to.
    fn lost(mut self, from: u64, call: Call) -> Written {
        self.push(from, call, None);
        self
    }

    fn push(&mut self, from: u64, call: Call, response: Option<TimedResponse>) {
        let step = Step::new(Action::Call(call));
        let sent = Prepared::from_step(&step, &Memory::default(), Service::FIRST_KEY);
        let client = self.0.requests.len();
        let called = self.now() + from;
        self.0.requests.push(TimedRequest { client, step, sent, called, now: start(), response });
    }

    /// The whole name of the vendor is synced.
    fn named(self, from: u64, to: u64, name: &str) -> Written {
        let body = json!({ "externalId": "acme", "created": false, "reason": "known" });
        self.answered(from, to, sync(name), 200, &body)
    }

    fn seen_as(self, from: u64, to: u64, name: &str) -> Written {
        let onboarding = json!({ "compliance": false, "contract": false, "bank": false, "collectionAccount": false });
        let body = json!({ "externalId": "acme", "name": name, "taxIdOnFile": false,
            "complianceRoute": null, "onboarding": onboarding, "remittance": null });
        self.answered(from, to, Call::bare("GET", "/v1/organizations/acme"), 200, &body)
    }

    /// A vendor that is called One.
    fn vendor() -> Written {
        let body = json!({ "externalId": "acme", "created": true, "reason": "new" });
        Written::default().answered(1, 2, sync("One"), 200, &body)
    }

    /// An advance that was granted first, of a vendor that is onboarded. Cents.
    fn granted(self, from: u64, to: u64, invoice: &str, face: i64, advance: i64) -> Written {
        let remittance = self.remittance();
        let body = json!({ "alreadyRequested": false, "financeableAmount": face, "advanceAmount": advance,
            "feeTotal": 0, "forwardedAtPayment": face - advance, "remittance": remittance });
        self.answered(from, to, request_advance(invoice), 201, &body)
    }

    fn refused(self, from: u64, to: u64, invoice: &str) -> Written {
        let body = json!({ "error": "no room", "code": "concentration_exceeded" });
        self.answered(from, to, request_advance(invoice), 409, &body)
    }

    fn remittance(&self) -> Value {
        let read = |request: &TimedRequest| {
            let seen = request.response.as_ref()?.seen.json()?.get("remittance")?.clone();
            seen.is_object().then_some(seen)
        };
        self.0.requests.iter().find_map(read).unwrap()
    }

    fn judged(&self) -> Judgement {
        judge(&self.0, &known())
    }

    /// The clauses of what no order excuses.
    fn contradicted(&self) -> Vec<&'static str> {
        let judgement = self.judged();
        judgement.contradictions.iter().map(|one| one.finding.clause.name()).collect()
    }
}

fn sync(name: &str) -> Call {
    Call::json("PUT", "/v1/organizations/acme", json!({ "legalName": name }))
}

fn request_advance(invoice: &str) -> Call {
    let body = json!({ "payeeExternalId": "v1", "invoiceExternalId": invoice });
    Call::json("POST", "/v1/advances", body)
}

fn subscribe() -> Call {
    Call::json("POST", "/v1/webhooks", json!({ "url": "https://hooks.example/1" }))
}

fn subscribed(reference: &str) -> Value {
    json!({ "reference": reference, "url": "https://hooks.example/1", "eventTypes": null,
        "createdAt": "2026-01-01T00:00:00Z", "secret": format!("whsec_{reference}") })
}

#[test]
fn writes_at_once_take_effect_in_either_order() {
    for last in ["Two", "Three"] {
        let history =
            Written::vendor().named(3, 10, "Two").named(4, 9, "Three").seen_as(11, 12, last);
        assert!(history.judged().held(), "{last}");
    }
}

#[test]
fn what_was_written_last_stays() {
    let history = Written::vendor()
        .named(3, 10, "Two")
        .named(4, 9, "Three")
        .seen_as(11, 12, "Two")
        .seen_as(13, 14, "Three");
    let judgement = history.judged();
    assert!(judgement.contradictions.is_empty());
    let OrderVerdict::Inconclusive(Some(stuck)) = &judgement.parts[0].verdict else {
        panic!("{judgement:?}")
    };
    assert_eq!(stuck.request, 4);
    assert_eq!(stuck.placed.len(), 4);
    assert_eq!(stuck.differs[0], ("name".into(), "\"Two\"".into(), "\"Three\"".into()));
}

#[test]
fn a_stale_read_of_ones_own_write_accuses_nobody() {
    let history = Written::vendor().named(3, 5, "Two").seen_as(6, 7, "One");
    assert_eq!(history.judged().tally(), [0, 0, 1]);
    assert!(history.contradicted().is_empty());
    let meanwhile = Written::vendor().named(3, 8, "Two").seen_as(6, 7, "One");
    assert!(meanwhile.judged().held());
}

#[test]
fn a_request_without_a_response_may_take_effect_anytime() {
    let lost = || Written::vendor().lost(3, sync("Two"));
    assert!(lost().seen_as(4, 5, "One").judged().held());
    assert!(lost().seen_as(4, 5, "Two").judged().held());
    assert!(lost().seen_as(4, 5, "One").seen_as(6, 7, "Two").judged().held());
    let twice = lost().seen_as(4, 5, "Two").seen_as(6, 7, "One");
    assert_eq!(twice.judged().tally(), [0, 0, 1]);
    let early = Written::vendor().seen_as(3, 4, "Two").lost(5, sync("Two"));
    assert_eq!(early.judged().tally(), [0, 0, 1]);
}

/// `7.retrying.1`
#[test]
fn after_a_502_nobody_knows() {
    let failure = json!({ "error": "try again", "code": "upstream_failed" });
    for seen in ["One", "Two"] {
        let history = Written::vendor()
            .answered(3, 4, sync("Two"), 502, &failure)
            .seen_as(5, 6, seen)
            .seen_as(7, 8, "Two");
        assert!(history.judged().held(), "{seen}");
        assert_eq!(history.0.unknown(), 1);
    }
}

#[test]
fn two_first_requests_for_one_invoice_contradict_the_document() {
    let first = Written::after_preparation(0).granted(1, 5, "c1", 100_001, 80_000);
    assert!(first.contradicted().is_empty());
    assert!(first.judged().held());
    let both = first.granted(2, 6, "c1", 100_001, 80_000);
    assert_eq!(both.contradicted(), ["4.advances.2"]);
    let apart = Written::after_preparation(0)
        .granted(1, 5, "c1", 100_001, 80_000)
        .granted(2, 6, "c2", 100_002, 80_001);
    assert!(apart.judged().held());
}

#[test]
fn a_repeat_with_another_advance_is_a_violation() {
    let history = Written::after_preparation(0).granted(1, 5, "c1", 100_001, 80_000);
    let body = |advance| {
        json!({ "alreadyRequested": true, "advanceAmount": advance, "feeTotal": 0,
            "remittance": history.remittance() })
    };
    let (same, other) = (body(80_000), body(80_001));
    let again = |answer| {
        let first = Written::after_preparation(0).granted(1, 5, "c1", 100_001, 80_000);
        first.answered(2, 6, request_advance("c1"), 200, answer)
    };
    assert!(again(&same).judged().held());
    assert_eq!(again(&other).contradicted(), ["4.advances.2.2"]);
}

/// The limit is filled beforehand, and one of its advances repaid.
#[test]
fn two_that_are_granted_in_the_room_of_one_contradict_the_document() {
    let granted =
        |history: Written, invoice| history.granted(1, 9, invoice, FaceValue::MAX, 20_000_000);
    let one = || granted(Written::after_preparation(1), "big1");
    assert_eq!(one().contradicted(), [""; 0]);
    assert!(one().refused(2, 8, "big2").contradicted().is_empty());
    assert_eq!(granted(one(), "big2").contradicted(), ["8.concentrationLimit"]);
}

#[test]
fn what_is_granted_beyond_what_was_refused_contradicts_the_document() {
    let granted = |history: Written, invoice| history.granted(1, 9, invoice, 100_001, 80_000);
    let small = || Written::after_preparation(0);
    let fits = granted(small(), "c1").refused(2, 8, "c2");
    assert!(fits.contradicted().is_empty());
    // Refused before anything was asked for, so that the limit is less than what was granted in the end.
    let early = granted(granted(small().refused(0, 0, "c2"), "c1"), "c3");
    assert_eq!(early.contradicted(), ["8.concentrationLimit"]);
    // Refused meanwhile: another may have been the first.
    let meanwhile = granted(granted(small(), "c1"), "c3").refused(2, 8, "c2");
    assert!(meanwhile.contradicted().is_empty());
    let with_limit = Known { limit: Some(Cents(150_000)), ..known() };
    let clauses = |history: &History| -> Vec<_> {
        let contradictions = judge(history, &with_limit).contradictions;
        contradictions.iter().map(|one| one.finding.clause.name()).collect()
    };
    assert_eq!(clauses(&meanwhile.0), ["8.concentrationLimit"]);
    assert!(clauses(&fits.0).is_empty());
    // The response calls the vendor new, so that nobody else finances its invoices.
    let live = Known { prior: PriorState::TaxIds, ..known() };
    assert_eq!(judge(&early.0, &live).contradictions.len(), 1);
    let known_before = Known { prior: PriorState::Anything, ..known() };
    assert!(judge(&early.0, &known_before).contradictions.is_empty());
    // A service that others use, too, may have had room by then.
    let shared = Known { outside: Outside::Open, ..known() };
    assert!(judge(&early.0, &shared).contradictions.is_empty());
}

/// `4.webhooks.3`
#[test]
fn two_secrets_for_one_live_url_are_a_violation() {
    let delete = |reference| Call::bare("DELETE", format!("/v1/webhooks/{reference}"));
    let two = |history: Written, from| {
        history.answered(1, 3, subscribe(), 201, &subscribed("whs_00000001")).answered(
            from,
            9,
            subscribe(),
            201,
            &subscribed("whs_00000002"),
        )
    };
    assert_eq!(two(Written::default(), 2).contradicted(), ["4.webhooks.3"]);
    let one = Written::default().lost(4, delete("whs_00000001"));
    assert!(two(one, 5).judged().held());
    let another = Written::default().lost(4, delete("whs_00000003"));
    assert_eq!(two(another, 5).contradicted(), ["4.webhooks.3"]);
    let late = Written::default().answered(10, 11, delete("whs_00000001"), 204, &Value::Null);
    assert_eq!(two(late, 5).contradicted(), ["4.webhooks.3"]);
}

/// `4.imports.8`
#[test]
fn two_files_under_one_identifier_contradict_the_document() {
    let file = |face: i64| {
        let text = format!(
            "externalId,payeeLegalName,payorLegalName,status,faceValue,issueDate,dueDate\n\
             i,V,P,ISSUED,{face},2026-01-01T00:00:00Z,2026-02-01T00:00:00Z\n"
        );
        Call::text("PUT", "/v1/invoices/imports/m", text, "text/csv")
    };
    let report = json!({ "externalId": "m", "rowCount": 1, "finished": true, "rows": [{ "outcome": "created" }] });
    let both = |one, other| {
        let history = Written::default().answered(1, 5, file(one), 200, &report);
        history.answered(2, 6, file(other), 200, &report)
    };
    assert_eq!(both(5, 6).contradicted(), ["4.imports.8"]);
    assert!(both(5, 5).contradicted().is_empty());
}

#[test]
fn a_single_wrong_response_is_found_in_a_race() {
    let elsewhere = json!({ "error": "no", "code": "business_not_found" });
    let read = Call::bare("GET", "/v1/organizations/nobody");
    let history = Written::default().answered(1, 2, read, 400, &elsewhere);
    assert_eq!(history.contradicted(), ["7.codes.business_not_found"]);
}

/// A target of whose answers every eighth is lost, and every second of those before it was sent.
#[derive(Clone)]
struct Lossy {
    target: Http,
    sent: Rc<Cell<u64>>,
    lost_from: u64,
}

impl Target for Lossy {
    fn api_key(&self) -> &str {
        self.target.api_key()
    }

    async fn send(&mut self, step: &Prepared) -> Result<Response, Unanswered> {
        let sent = self.sent.get() + 1;
        self.sent.set(sent);
        let lost = sent > self.lost_from && sent.is_multiple_of(8);
        if lost && sent.is_multiple_of(16) {
            return Err(Unanswered::may_be("lost on the way there"));
        }
        let seen = self.target.send(step).await?;
        if lost { Err(Unanswered::may_be("lost on the way back")) } else { Ok(seen) }
    }

    fn inbox(&self) -> Option<&str> {
        self.target.inbox()
    }

    async fn arrivals(&mut self) -> Result<Vec<Arrival>, Unanswered> {
        self.target.arrivals().await
    }
}

impl Observed for Lossy {}

#[tokio::test]
async fn lost_responses_over_http_accuse_nobody() {
    for number in 0..10 {
        let mock =
            Mock::builder().resolver(NoNames).seed(number).start_at(start()).start().await.unwrap();
        let target = Http::new(mock.url(), mock.api_key()).unwrap();
        let mut race = race(&header(1), number, Size { clients: 8, steps: 12 });
        // What was read alone must be answered.
        let after = std::mem::take(&mut race.after);
        let lost_from = u64::try_from(race.before.len()).unwrap();
        let lossy = Lossy { target, sent: Rc::default(), lost_from };
        let mut history = play(&lossy, &race, start()).await;
        let race = Race { before: after, ..Race::default() };
        let read = play(&lossy.target, &race, start()).await;
        let ended = history.requests.iter().filter_map(|one| Some(one.response.as_ref()?.at)).max();
        history.requests.extend(read.requests.into_iter().map(|mut request| {
            request.called += ended.unwrap() + 1;
            request.response.as_mut().unwrap().at += ended.unwrap() + 1;
            request
        }));
        assert!(history.unknown() >= 10, "{}", history.unknown());
        let judgement = judge(&history, &known());
        assert!(judgement.held(), "{number}: {}", describe(&history, &judgement));
        mock.stop().await;
    }
}

fn report(plan: &Plan, summary: &Summary, baseline: Option<&Baseline>) -> Report {
    let run = FinishedRun {
        command: "check",
        shard: tideover_exchange::evidence::Shard::WHOLE,
        plan,
        summary: &summary.counted,
        target: "the model",
        offers: &[Needs::Requests, Needs::Writes],
        unproven: &[],
        finished: start(),
        took: std::time::Duration::ZERO,
        replay: &["tideover check it".to_owned()],
        baseline,
        regressions: &[],
        ended: None,
        left_behind: &[],
        unjudged: 0,
        unasked: None,
        races: Some((4, &summary.parts)),
        only_races: true,
        demands: &Demands::default(),
    };
    run.report()
}

/// What is left of a race are the requests that show it, and those without which they could not.
#[tokio::test]
async fn a_race_is_made_as_small_as_it_can_be() {
    for (name, racing, alone) in [
        ("race-lets-two-first-requests-through", 2, 7),
        ("race-lets-an-advance-beyond-the-limit-through", 2, 14),
        ("race-returns-two-secrets-for-one-url", 2, 0),
        ("race-takes-two-files-for-one-import", 2, 0),
    ] {
        let summary = with_defect(name, &plan(60)).await;
        let failure = &summary.counted.failures[0];
        let clause = defects::find(name).unwrap().clause;
        assert_eq!(failure.finding().clause, clause, "{name}");
        assert!(failure.met > 1 && failure.probes > 1, "{name}: {failure:?}");
        // It began with a whole race, whose length its seed draws.
        assert!(failure.steps_before > 60, "{name}: {}", failure.steps_before);
        let at_once = failure.raced.iter().filter(|one| one.is_at_once()).count();
        let steps = failure.transcript.steps.len();
        assert_eq!((at_once, steps - at_once), (racing, alone), "{name}: {failure:?}");
        // What is said in the steps is as simple as it can be, too.
        if name == "race-lets-two-first-requests-through" {
            let words: Vec<String> =
                failure.transcript.steps.iter().map(tideover_report::plain).collect();
            assert!(words.iter().any(|words| words.contains("ISSUED, 2 cents")), "{words:?}");
        }
        let again = with_defect(name, &plan(60)).await;
        assert_eq!(again.counted.failures[0].raced, failure.raced, "{name}");
    }
}

/// `4.advances.2`, behind HTTP: a finding that needs no race is not reported as one.
#[tokio::test]
async fn two_first_requests_are_found_over_http() {
    let defect = defects::find("repeat-is-answered-as-the-first").unwrap();
    let face = defect.service(Profile::default(), 1, Destinations::Public);
    let mock = Mock::builder()
        .resolver(NoNames)
        .face(Box::new(face))
        .start_at(start())
        .start()
        .await
        .unwrap();
    let target = Http::new(mock.url(), mock.api_key()).unwrap();
    let plan = plan(1);
    let summary = run(&mut OverHttp::new(target), &plan).await;
    let failure = &summary.counted.failures[0];
    assert_eq!(failure.finding().clause.name(), "4.advances.2");
    assert_eq!(failure.transcript.steps.len(), 9, "{failure:?}");
    assert!(failure.raced.iter().all(|one| !one.is_at_once()), "{:?}", failure.raced);
    let report = report(&plan, &summary, None);
    // How many kinds of requests were sent before the finding depends on which met.
    assert!(report.latency.len() > 3, "{:?}", report.latency);
    let printed = report.to_string();
    assert!(printed.contains("$API_KEY") && !printed.contains(mock.api_key()), "{printed}");
    mock.stop().await;
}

/// A race is reported like anything else: terminal, JSON, JUnit and page read one report.
#[tokio::test]
async fn every_report_form_shows_a_race() {
    let plan = plan(10);
    let summary = with_defect("race-lets-two-first-requests-through", &plan).await;
    let found = report(&plan, &summary, None);
    assert_eq!(found.outcome, Outcome::Fail);
    let printed = found.to_string();
    assert!(printed.contains("in 10 races of 4 clients against the model"), "{printed}");
    let racing = printed.lines().filter(|line| line.contains(" &  # client"));
    assert_eq!(racing.count(), 2, "{printed}");
    assert!(printed.contains("  at once:\n") && printed.contains("     wait\n"), "{printed}");
    assert!(printed.contains("with: tideover check it"), "{printed}");

    let schema = jsonschema::validator_for(&tideover_report::document::schema()).unwrap();
    let problems: Vec<_> =
        schema.iter_errors(&json!(found)).map(|problem| problem.to_string()).collect();
    assert!(problems.is_empty(), "{problems:?}");
    let page = tideover_report::html(&found).unwrap();
    let lanes = |name: &str| page.matches(&format!("<span>{name}</span>")).count();
    assert_eq!((lanes("caller"), lanes("client 1"), lanes("client 2")), (1, 1, 1));
    let xml = tideover_report::junit(&found).unwrap();
    assert!(xml.contains("failures=\"2\""), "{}", &xml[..400]);

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("former.json");
    std::fs::write(&path, json!(found).to_string()).unwrap();
    let known = report(&plan, &summary, Some(&Baseline::read(&path).unwrap()));
    assert_eq!(known.outcome, Outcome::Partial);
}

#[tokio::test]
async fn a_correct_service_holds_the_clauses_of_races() {
    let plan = plan(20);
    let service = service(Profile::default(), 1, INBOX);
    let summary = run(&mut InProcess::new(service, start()), &plan).await;
    let report = report(&plan, &summary, None);
    assert_eq!(report.outcome, Outcome::Partial);
    for clause in ["4.advances.2", "4.imports.8", "4.webhooks.3", "8.concentrationLimit"] {
        let line = report.clauses.iter().find(|one| one.clause == clause).unwrap();
        assert!(line.exercised > 0, "{line:?}");
    }
    let races = report.races.unwrap();
    assert_eq!((races.undecided, races.inconclusive, races.contradicted), (0, 0, 0));
    assert_eq!(races.explained, 173, "{races:?}");
}
