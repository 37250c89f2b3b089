//! A planted bug is found, made small, written down, and found again by whoever replays it.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use tideover_harness::finding::Finding;
use tideover_harness::inbox;
use tideover_harness::report::Failed;
use tideover_harness::run::{Played, play};
use tideover_harness::step::Step;
use tideover_harness::suite::{self, Failure, InProcess, OverHttp, Plan, World};
use tideover_harness::target::{Bare, Http, INBOX, service, start};
use tideover_harness::transcript::{Header, Transcript};
use tideover_model::wire::reply::Reply;
use tideover_model::{
    Altered, Answer, Attempt, BusinessDetails, Cents, Consequence, Contact, Delivery, Face,
    Operation, PlatformId, Profile, Receipt, Service, SigningKey, Timestamp,
};
use tideover_sim::{Mock, NoNames};

type Bug = fn(&mut Service, Timestamp, PlatformId, Operation) -> Answer;

/// The service, but for one bug.
#[derive(Clone)]
struct Planted {
    service: Service,
    bug: Bug,
    /// What goes wrong with an attempt that is sent.
    sent_wrongly: fn(&mut Attempt),
    /// Whether 410 is taken for any failure.
    never_revoked: bool,
    /// The attempts under way, as they were before they went wrong.
    under_way: Vec<Attempt>,
}

impl Planted {
    fn new(bug: Bug) -> Planted {
        let service = service(Profile::default(), SEED, INBOX);
        let sent_wrongly = |_: &mut Attempt| {};
        Planted { service, bug, sent_wrongly, never_revoked: false, under_way: Vec::new() }
    }
}

/// No bug.
fn right(
    service: &mut Service,
    now: Timestamp,
    caller: PlatformId,
    operation: Operation,
) -> Answer {
    service.handle(now, caller, operation)
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
    fn alter_attempt(&mut self, now: Timestamp) -> Option<Attempt> {
        let attempt = self.service.poll_attempt(now)?;
        self.under_way.push(attempt.clone());
        let mut altered = attempt;
        (self.sent_wrongly)(&mut altered);
        Some(altered)
    }
    fn alter_consequence(
        &mut self,
        now: Timestamp,
        sent: &Attempt,
        receipt: Receipt,
    ) -> Consequence {
        let number = sent.delivery.number;
        let this = self.under_way.iter().position(|attempt| attempt.delivery.number == number);
        let attempt = self.under_way.swap_remove(this.expect("it is under way"));
        let revoked = receipt == Receipt::Answered(410) && self.never_revoked;
        let receipt = if revoked { Receipt::Failed } else { receipt };
        self.service.handle_receipt(now, &attempt, receipt)
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

/// A subscription is said to be deleted, and is not.
fn deletion_is_forgotten(
    service: &mut Service,
    now: Timestamp,
    caller: PlatformId,
    operation: Operation,
) -> Answer {
    let deletion = matches!(operation, Operation::Unsubscribe { .. });
    let mut before = service.clone();
    let answer = service.handle(now, caller, operation);
    if deletion && answer.is_ok() {
        std::mem::swap(service, &mut before);
    }
    answer
}

/// Sends another body than was signed for, or under another identifier.
fn altered(attempt: &mut Attempt, alter: impl FnOnce(&mut Delivery, u32)) {
    let mut delivery = Delivery::clone(&attempt.delivery);
    alter(&mut delivery, attempt.number);
    attempt.delivery = Arc::new(delivery);
}

fn retries_have_identifiers_of_their_own(attempt: &mut Attempt) {
    altered(attempt, |delivery, number| delivery.id.push_str(&number.to_string()));
}

fn retries_have_bodies_of_their_own(attempt: &mut Attempt) {
    altered(attempt, |delivery, number| {
        let body = String::from_utf8(delivery.body.to_vec()).unwrap();
        let space = " ".repeat(number as usize);
        delivery.body = format!("{body}{space}").into_bytes().into();
    });
}

fn every_sequence_is_one(attempt: &mut Attempt) {
    altered(attempt, |delivery, _| {
        let mut body: serde_json::Value = serde_json::from_slice(&delivery.body).unwrap();
        if body.get("sequence").is_some() {
            body["sequence"] = 1.into();
        }
        delivery.body = body.to_string().into_bytes().into();
    });
}

fn attempts_are_signed_with_another_secret(attempt: &mut Attempt) {
    attempt.signer.key = Arc::new(SigningKey::new("whsec_another"));
}

fn attempts_are_signed_when_the_event_happens(attempt: &mut Attempt) {
    attempt.signer.signed_at = Some(attempt.delivery.queued_at);
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

/// `4.webhookDeletion.1`; the list of what is live tells it as well.
#[tokio::test]
async fn a_deletion_that_is_forgotten_is_found() {
    let mut world = in_process(deletion_is_forgotten);
    let failure = failure(&mut world).await;
    assert!(failure.is_violation(), "{:?}", failure.findings);
    assert!(failure.transcript.steps.len() <= 4, "{:#?}", failure.transcript.steps);
}

type Wrong = fn(&mut Attempt);

/// What is sent wrongly, the clause that it breaks, and how many steps show it at most.
const SENT_WRONGLY: [(Wrong, &str, usize); 4] = [
    (retries_have_bodies_of_their_own, "6.delivery.3.2", 3),
    (every_sequence_is_one, "6.delivery.5", 14),
    (attempts_are_signed_with_another_secret, "6.signature.1", 2),
    (attempts_are_signed_when_the_event_happens, "6.signature.4", 4),
];

#[tokio::test]
async fn webhooks_that_are_sent_wrongly_are_found_with_no_step_to_spare() {
    for (sent_wrongly, clause, at_most) in SENT_WRONGLY {
        let planted = Planted { sent_wrongly, ..Planted::new(right) };
        let mut world = InProcess::new(planted, start());
        assert_found_and_minimal(&mut world, clause, at_most).await;
    }
}

#[tokio::test]
async fn webhooks_that_are_sent_wrongly_are_found_where_they_come_over_http() {
    for (sent_wrongly, clause, at_most) in SENT_WRONGLY {
        let inbox = inbox::Server::start().await.unwrap();
        let service = service(Profile::default(), SEED, inbox.origin());
        let planted = Planted { service, sent_wrongly, ..Planted::new(right) };
        let mock = Mock::builder().face(Box::new(planted)).resolver(NoNames).start().await.unwrap();
        let target = Http::new(mock.url(), mock.api_key()).unwrap().with_inbox(inbox);
        assert_found_and_minimal(&mut OverHttp::new(target), clause, at_most).await;
    }
}

/// An identifier of its own at each attempt makes each a delivery of its own, and those come too late.
#[tokio::test]
async fn a_delivery_that_changes_its_name_is_told() {
    let sent_wrongly = retries_have_identifiers_of_their_own;
    let planted = Planted { sent_wrongly, ..Planted::new(right) };
    let failure = failure(&mut InProcess::new(planted, start())).await;
    assert!(failure.transcript.steps.len() <= 3, "{:#?}", failure.transcript.steps);
}

/// `6.delivery.2`
#[tokio::test]
async fn a_receiver_that_is_gone_and_gets_more_is_found() {
    let planted = Planted { never_revoked: true, ..Planted::new(right) };
    let failure = failure(&mut InProcess::new(planted, start())).await;
    assert!(failure.is_violation(), "{:?}", failure.findings);
    assert!(failure.transcript.steps.len() <= 4, "{:#?}", failure.transcript.steps);
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
