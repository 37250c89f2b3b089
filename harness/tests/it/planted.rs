//! A planted bug is found, made small, written down, and found again by whoever replays it.

use std::hash::{Hash, Hasher};

use tideover_harness::finding::Finding;
use tideover_harness::report::Failed;
use tideover_harness::run::{Played, play};
use tideover_harness::step::Step;
use tideover_harness::suite::{self, Failure, InProcess, OverHttp, Plan, World};
use tideover_harness::target::{Bare, Http, start};
use tideover_harness::transcript::{Header, Transcript};
use tideover_model::wire::reply::Reply;
use tideover_model::{
    Altered, Answer, BusinessDetails, Cents, Contact, Face, Operation, PlatformId, Profile, Seeded,
    Service, Timestamp,
};
use tideover_sim::Mock;

type Bug = fn(&mut Service, Timestamp, PlatformId, Operation) -> Answer;

/// The service, but for one bug.
#[derive(Clone)]
struct Planted {
    service: Service,
    bug: Bug,
}

impl Planted {
    fn new(bug: Bug) -> Planted {
        let service = Service::new(Profile::default(), Seeded { seed: SEED });
        Planted { service, bug }
    }
}

impl Hash for Planted {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.service.hash(state);
    }
}

impl Altered for Planted {
    type Face = Service;

    fn unaltered(&self) -> &Service {
        &self.service
    }
    fn unaltered_mut(&mut self) -> &mut Service {
        &mut self.service
    }
    fn alter_answer(&mut self, now: Timestamp, caller: PlatformId, operation: Operation) -> Answer {
        (self.bug)(&mut self.service, now, caller, operation)
    }
}

/// A repeated request charges a cent more.
fn repeat_charges_more(
    service: &mut Service,
    now: Timestamp,
    caller: PlatformId,
    operation: Operation,
) -> Answer {
    let mut answer = service.handle(now, caller, operation);
    if let Ok(Reply::AdvanceRepeated(advance)) = &mut answer {
        advance.fee_total += Cents(1);
    }
    answer
}

/// An invoice that nobody would finance is told as fundable.
fn everything_is_fundable(
    service: &mut Service,
    now: Timestamp,
    caller: PlatformId,
    operation: Operation,
) -> Answer {
    let mut answer = service.handle(now, caller, operation);
    if let Ok(Reply::Invoice(invoice)) = &mut answer
        && invoice.status == tideover_model::wire::words::InvoiceStatus::Voided
    {
        invoice.fundable = true;
        invoice.not_fundable_reason = None;
    }
    answer
}

/// A refused advance leaves a business behind.
fn refusal_changes_something(
    service: &mut Service,
    now: Timestamp,
    caller: PlatformId,
    operation: Operation,
) -> Answer {
    let advance = matches!(operation, Operation::RequestAdvance { .. });
    let answer = service.handle(now, caller, operation);
    if advance && answer.is_err() {
        let details = BusinessDetails {
            legal_name: "Left behind".into(),
            tax_id: None,
            contact: Contact::default(),
        };
        let sync = Operation::SyncBusiness { business: "left-behind".into(), details };
        service.handle(now, caller, sync).unwrap();
    }
    answer
}

/// A repaid invoice collects a cent too much.
fn repaid_invoice_collects_too_much(
    service: &mut Service,
    now: Timestamp,
    caller: PlatformId,
    operation: Operation,
) -> Answer {
    let mut answer = service.handle(now, caller, operation);
    if let Ok(Reply::Invoice(invoice)) = &mut answer
        && invoice.advance.as_ref().is_some_and(|advance| advance.repaid_at.is_some())
    {
        invoice.collected += Cents(1);
    }
    answer
}

const SEED: u64 = 11;

fn plan() -> Plan {
    let header = Header::new(SEED, start(), Profile::default());
    Plan { header, first: 0, cases: 200, steps: 50 }
}

async fn failure<W: World>(world: &mut W) -> Failure {
    let summary = suite::check(world, &plan()).await.unwrap();
    summary.failure.expect("the planted bug is found")
}

async fn replayed<W: World>(world: &mut W, steps: &[Step]) -> Played {
    play(&mut world.fresh().await.unwrap(), &plan().header, steps).await.unwrap()
}

fn shows(played: &Played, finding: &Finding) -> bool {
    played.findings.iter().any(|found| found.is_same(finding))
}

/// Finds the bug, and sees that no step can be left out.
async fn assert_found_and_minimal<W: World>(
    world: &mut W,
    clause: &str,
    at_most: usize,
) -> Failure {
    let failure = failure(world).await;
    let finding = failure
        .findings
        .iter()
        .find(|finding| finding.clause.name() == clause)
        .unwrap_or_else(|| panic!("{clause} is among {:?}", failure.findings))
        .clone();
    let steps = &failure.transcript.steps;
    assert!(steps.len() <= at_most, "{} steps: {steps:#?}", steps.len());
    assert!(shows(&replayed(world, steps).await, &failure.findings[0]), "{finding}");
    for left_out in 0..steps.len() {
        let mut fewer = steps.clone();
        fewer.remove(left_out);
        let played = replayed(world, &fewer).await;
        assert!(
            !shows(&played, &failure.findings[0]),
            "step {left_out} can be left out of {steps:#?}"
        );
    }
    failure
}

fn in_process(bug: Bug) -> InProcess<Planted> {
    InProcess::new(Planted::new(bug), start())
}

/// `4.advances.2`
#[tokio::test]
async fn a_repeat_that_charges_more_is_found_with_no_step_to_spare() {
    let mut world = in_process(repeat_charges_more);
    assert_found_and_minimal(&mut world, "4.advances.2", 12).await;
}

/// `2.invoice.fundable`
#[tokio::test]
async fn a_void_invoice_told_as_fundable_takes_two_steps() {
    let mut world = in_process(everything_is_fundable);
    assert_found_and_minimal(&mut world, "2.invoice.fundable", 2).await;
}

/// `7.retrying.2`
#[tokio::test]
async fn a_refusal_that_changes_something_takes_one_step() {
    let mut world = in_process(refusal_changes_something);
    assert_found_and_minimal(&mut world, "7.retrying.2", 1).await;
}

/// `2.invoice.collected`
#[tokio::test]
async fn too_much_collected_is_found_after_a_whole_life_of_an_advance() {
    let mut world = in_process(repaid_invoice_collects_too_much);
    assert_found_and_minimal(&mut world, "2.invoice.collected", 16).await;
}

#[tokio::test]
async fn a_bug_behind_http_is_found_and_replays_from_its_file() {
    let bug: Bug = repeat_charges_more;
    let mock = Mock::builder().seed(SEED).face(Box::new(Planted::new(bug))).start().await.unwrap();
    let mut world = OverHttp::new(Http::new(mock.url(), mock.api_key()).unwrap());
    let failure = assert_found_and_minimal(&mut world, "4.advances.2", 12).await;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("failure.jsonl");
    failure.transcript.write(&path, &failure.answers).unwrap();
    let read = Transcript::read(&path).unwrap();
    assert_eq!(read, failure.transcript);

    let mut broken = Bare::over(Planted::new(bug), read.header.start);
    let played = play(&mut broken, &read.header, &read.steps).await.unwrap();
    assert!(shows(&played, &failure.findings[0]));
    let mut correct = Bare::new(read.header.profile.clone(), read.header.seed, read.header.start);
    assert!(play(&mut correct, &read.header, &read.steps).await.unwrap().held());
}

/// What a person reads; the README shows it.
#[tokio::test]
async fn a_failure_is_told_in_plain_words_with_its_curl_lines() {
    let mut world = in_process(everything_is_fundable);
    let failure = failure(&mut world).await;
    insta::assert_snapshot!(Failed { failure: &failure, plan: &plan() });
}
