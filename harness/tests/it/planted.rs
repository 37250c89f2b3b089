//! A planted bug is found, minimised, saved, and found again by a replay.

use std::collections::BTreeSet;

use tideover_endpoint::{Http, inbox};
use tideover_exchange::evidence::Ending;
use tideover_exchange::evidence::finding::{Finding, Verdict};
use tideover_exchange::secrets::Secrets;
use tideover_exchange::start;
use tideover_exchange::step::Step;
use tideover_exchange::target::{INBOX, ModelTarget};
use tideover_exchange::transcript::{Header, PlayedSteps, Transcript};
use tideover_model::{Destinations, Profile};
use tideover_prove::defects;
use tideover_prove::defects::Defective;
use tideover_report::document::FindingReport;
use tideover_sim::{Mock, NoNames, SigningTime};
use tideover_suite::play::case::{Played, play};
use tideover_suite::play::cases;
use tideover_suite::play::cases::{Failure, InProcess, OverHttp, Plan, Testbed};

/// The service with the defect of this name.
fn planted(defect: &str) -> Defective {
    let defect = defects::find(defect).unwrap();
    defect.service(Profile::default(), SEED, Destinations::PublicAnd(INBOX.to_owned()))
}

const SEED: u64 = 11;

fn plan() -> Plan {
    let header = Header::new(SEED, start(), Profile::default());
    Plan { header, first: 0, cases: 200, steps: 50, max_findings: 1 }
}

async fn failure<W: Testbed>(world: &mut W) -> Failure {
    let mut summary = cases::check(world, &plan()).await.unwrap();
    summary.failures.pop().expect("the planted bug is found")
}

/// The first failure that names `clause`, among the first three.
async fn failure_of<W: Testbed>(world: &mut W, clause: &str) -> Failure {
    let plan = Plan { max_findings: 3, ..plan() };
    let failures = cases::check(world, &plan).await.unwrap().failures;
    let names_it =
        |failure: &Failure| failure.findings.iter().any(|one| one.clause.name() == clause);
    let found: Vec<_> = failures.iter().flat_map(|failure| failure.findings.clone()).collect();
    let first = failures.into_iter().find(names_it);
    first.unwrap_or_else(|| panic!("{clause} is among {found:?}"))
}

async fn replayed<W: Testbed>(world: &mut W, steps: &[Step]) -> Played {
    play(&mut world.fresh().await.unwrap(), &plan().header, steps).await.unwrap()
}

fn shows(played: &Played, finding: &Finding) -> bool {
    played.findings.iter().any(|found| found.is_same(finding))
}

/// Finds the bug, and checks that it needs every step.
async fn assert_found_and_minimal<W: Testbed>(
    world: &mut W,
    clause: &str,
    at_most: usize,
) -> Failure {
    let failure = failure_of(world, clause).await;
    let finding = failure.findings[0].clone();
    let steps = &failure.transcript.steps;
    assert!(steps.len() <= at_most, "{} steps: {steps:#?}", steps.len());
    assert!(shows(&replayed(world, steps).await, &finding), "{finding}");
    for left_out in 0..steps.len() {
        let mut fewer = steps.clone();
        fewer.remove(left_out);
        let played = replayed(world, &fewer).await;
        assert!(!shows(&played, &finding), "step {left_out} can be left out of {steps:#?}");
    }
    failure
}

fn assert_violated_within(failure: &Failure, at_most: usize) {
    let steps = &failure.transcript.steps;
    assert_eq!(failure.verdict(), Verdict::Violated, "{:?} {steps:#?}", failure.findings);
    assert!(steps.len() <= at_most, "{steps:#?}");
}

fn in_process(defect: &str) -> InProcess<Defective> {
    InProcess::new(planted(defect), start())
}

/// `4.advances.2`
#[tokio::test]
async fn a_dearer_repeat_is_found_and_minimal() {
    let mut world = in_process("repeat-charges-a-cent-more");
    assert_found_and_minimal(&mut world, "4.advances.2", 12).await;
}

/// `2.invoice.fundable`
#[tokio::test]
async fn a_fundable_void_invoice_takes_two_steps() {
    let mut world = in_process("void-invoices-are-fundable");
    assert_found_and_minimal(&mut world, "2.invoice.fundable", 2).await;
}

/// `7.retrying.2`
#[tokio::test]
async fn a_refusal_with_effects_takes_one_step() {
    let mut world = in_process("refused-advance-leaves-a-business-behind");
    assert_found_and_minimal(&mut world, "7.retrying.2", 1).await;
}

/// `2.invoice.collected`
#[tokio::test]
async fn excess_collection_is_found_at_repayment() {
    let mut world = in_process("a-cent-too-much-is-collected");
    assert_found_and_minimal(&mut world, "2.invoice.collected.2", 16).await;
}

/// `4.webhookDeletion.1`; the list of live subscriptions shows it too.
#[tokio::test]
async fn a_forgotten_deletion_is_found() {
    let mut world = in_process("deletion-is-forgotten");
    let failure = failure(&mut world).await;
    assert_violated_within(&failure, 4);
}

/// Each webhook defect, the clause that it breaks, and at most how many steps show it.
const SENT_WRONGLY: [(&str, &str, usize); 4] = [
    ("retries-have-bodies-of-their-own", "6.delivery.3.2", 3),
    ("every-sequence-is-one", "6.delivery.5", 14),
    ("attempts-are-signed-with-another-secret", "6.signature.1", 2),
    ("attempts-are-signed-when-the-event-happens", "6.signature.4", 4),
];

#[tokio::test]
async fn wrong_webhooks_are_found_and_minimal() {
    for (defect, clause, at_most) in SENT_WRONGLY {
        assert_found_and_minimal(&mut in_process(defect), clause, at_most).await;
    }
}

#[tokio::test]
#[ignore = "takes half a minute; the nightly job runs it"]
async fn wrong_webhooks_are_found_over_http() {
    for (defect, clause, at_most) in SENT_WRONGLY {
        let inbox = inbox::Server::start().await.unwrap();
        let destinations = Destinations::PublicAnd(inbox.origin().to_owned());
        let defective =
            defects::find(defect).unwrap().service(Profile::default(), SEED, destinations);
        let builder = Mock::builder().face(Box::new(defective)).resolver(NoNames);
        let mock = builder.signing(SigningTime::Virtual).start().await.unwrap();
        let target = Http::new(mock.url(), mock.api_key()).unwrap().with_inbox(inbox);
        assert_found_and_minimal(&mut OverHttp::new(target), clause, at_most).await;
    }
}

/// `6.delivery.3.2`
#[tokio::test]
async fn a_delivery_that_changes_its_name_is_found() {
    let mut world = in_process("retries-have-names-of-their-own");
    assert_found_and_minimal(&mut world, "6.delivery.3.2", 3).await;
}

/// `6.delivery.2`
#[tokio::test]
async fn deliveries_after_410_are_found() {
    let failure = failure(&mut in_process("gone-is-not-heard")).await;
    assert_violated_within(&failure, 4);
}

#[tokio::test]
async fn a_bug_over_http_replays_from_its_file() {
    let defective = planted("repeat-charges-a-cent-more");
    let mock =
        Mock::builder().resolver(NoNames).face(Box::new(defective.clone())).start().await.unwrap();
    let mut world = OverHttp::new(Http::new(mock.url(), mock.api_key()).unwrap());
    let failure = assert_found_and_minimal(&mut world, "4.advances.2", 12).await;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("failure.jsonl");
    let played = PlayedSteps { answers: &failure.answers, arrivals: &failure.arrivals };
    failure.transcript.write(&path, played, &Secrets::default()).unwrap();
    let read = Transcript::read(&path).unwrap();
    assert_eq!(Transcript { recorded: Vec::new(), ..read.clone() }, failure.transcript);

    let mut broken = ModelTarget::over(defective, read.header.start);
    let played = play(&mut broken, &read.header, &read.steps).await.unwrap();
    assert!(shows(&played, &failure.findings[0]));
    let mut correct =
        ModelTarget::new(read.header.profile.clone(), read.header.seed, read.header.start);
    assert!(play(&mut correct, &read.header, &read.steps).await.unwrap().held());
}

/// The text for people; the README shows it.
#[tokio::test]
async fn a_failure_reads_plainly_with_curl_lines() {
    let mut world = in_process("void-invoices-are-fundable");
    let failure = failure(&mut world).await;
    insta::assert_snapshot!(FindingReport::of(&failure));
}

/// The run reports each cause once, with how many cases met it, until it has enough findings.
#[tokio::test]
async fn failures_are_grouped_by_their_cause() {
    for max_findings in [1, 3] {
        let plan = Plan { max_findings, ..plan() };
        let mut world = in_process("every-sequence-is-one");
        let summary = cases::check(&mut world, &plan).await.unwrap();
        let causes: BTreeSet<_> =
            summary.failures.iter().map(|failure| failure.finding().cause()).collect();
        assert_eq!(causes.len(), summary.failures.len());
        let enough = summary.failures.len() == max_findings;
        assert_eq!(summary.ending == Ending::EnoughFound, enough, "{:?}", summary.ending);
        let met: u64 = summary.failures.iter().map(|failure| failure.met).sum();
        assert!(enough || met > 10, "{met}");
    }
}
