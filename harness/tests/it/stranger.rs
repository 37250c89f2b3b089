//! A correct service is never accused, whatever it chooses and however long it takes.

use tideover_exchange::evidence::finding::{Finding, Verdict};
use tideover_exchange::target::{INBOX, Target, Unanswered, Unreachable, service};
use tideover_exchange::transcript::Header;
use tideover_exchange::{Arrival, Prepared, PreparedAction, Response, start};
use tideover_judge::Outside;
use tideover_model::{Destinations, Face, Profile, Service};
use tideover_prove::defects;
use tideover_prove::defects::Defective;
use tideover_prove::right::{Sight, acquit};
use tideover_prove::stranger::{Stranger, Strangers};
use tideover_report::document::FindingReport;
use tideover_report::plain;
use tideover_suite::generate;
use tideover_suite::play::case::{Observed, TargetWorld, play};
use tideover_suite::play::cases::{Failure, InProcess, Plan, Testbed, check};

/// Profiles of correct services. The judge knows none of them.
const PROFILES: [&str; 20] = [
    "",
    "body_limit = 40000",
    "per_invoice_maximum = 100000",
    "concentration_limit = 1000000",
    "rates.advance = 5000\nrates.fee = 1000",
    "delays = { collection_account = 0, funding_starts = 0, funding_completes = 0 }",
    "delays = { collection_account = 86400, funding_starts = 86400, funding_completes = 600000 }",
    "success = { request_advance = 200, subscribe = 200, invite = 200, sync_business = 201, unsubscribe = 200 }",
    "refusals = { invoice_not_found = 409, already_imported = 422, invalid_routing_number = 400, destination_refused = 400 }",
    "webhooks = { lateness = { min = 0, max = 60 }, duplicates = 50 }\nquote_term_days = 90",
    "readings = { shared_agreement = false, shared_payout_account = false, shared_collection_account = false }",
    "readings.merged_identifiers = false",
    "readings.capped_payments = false",
    "readings.kept_payments = false",
    "readings.forgiven_tax_id = false",
    "readings.struck_tax_id = false",
    "readings.kept_by_malformed = false",
    "readings.kept_by_unlike = false",
    "readings.forgotten_revoked = false",
    "readings = { shared_agreement = false, shared_payout_account = false, merged_identifiers = false, capped_payments = false, forgiven_tax_id = false }",
];

/// A target that loses its response to every fifth request, if that is a write. It carries out half of them.
struct Lossy<F = Service> {
    target: Stranger<F>,
    sent: u64,
    loses: bool,
}

impl<F: Face> Target for Lossy<F> {
    fn api_key(&self) -> &str {
        self.target.api_key()
    }

    async fn send(&mut self, step: &Prepared) -> Result<Response, Unanswered> {
        self.sent += 1;
        let write = matches!(&step.action, PreparedAction::Call(call) if call.method != "GET");
        if !self.loses || !write || !self.sent.is_multiple_of(5) {
            return self.target.send(step).await;
        }
        if self.sent.is_multiple_of(10) {
            self.target.send(step).await?;
        }
        Err(Unanswered::may_be("lost"))
    }

    fn inbox(&self) -> Option<&str> {
        self.target.inbox()
    }

    async fn arrivals(&mut self) -> Result<Vec<Arrival>, Unanswered> {
        self.target.arrivals().await
    }
}

impl<F: Face> Observed for Lossy<F> {
    fn world(&mut self) -> TargetWorld {
        self.target.world()
    }
}

/// Plays `cases` of a run under every profile; returns the number of steps.
fn play_each(run: u64, cases: std::ops::Range<u64>, outside: Outside, loses: bool) -> usize {
    let mut played_steps = 0;
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    for (index, toml) in PROFILES.iter().enumerate() {
        let profile: Profile = toml::from_str(toml).unwrap();
        for case in cases.clone() {
            let header = Header::new(run, start(), Profile::default());
            let face = service(profile.clone(), case + 1000, INBOX);
            let mut world = Strangers::new(InProcess::new(face, start()), outside);
            let steps = generate::case(&header, case, 50);
            let played = runtime.block_on(async {
                let target = world.fresh().await.unwrap();
                let mut target = Lossy { target, sent: case, loses };
                play(&mut target, &header, &steps).await.unwrap()
            });
            let transcript: Vec<_> = steps.iter().map(plain).zip(&played.answers).collect();
            let found = &played.findings;
            assert!(
                found.is_empty(),
                "profile {index}, case {case}: {found:#?} after {transcript:#?}"
            );
            played_steps += played.answers.len();
        }
    }
    played_steps
}

#[test]
fn nobody_is_accused_when_the_outside_is_ours() {
    play_each(1, 0..12, Outside::Controlled, false);
}

#[test]
fn nobody_is_accused_when_the_outside_is_open() {
    play_each(1, 20..32, Outside::Open, false);
}

#[test]
fn nobody_is_accused_when_responses_get_lost() {
    play_each(1, 40..46, Outside::Controlled, true);
    play_each(1, 60..66, Outside::Open, true);
    // In this seed a lost request sets a payout account, and another request restores the earlier one.
    play_each(1211, 1211..1212, Outside::Controlled, true);
}

/// `cargo test --release -p tideover-harness --test it in_a_thousand -- --ignored`
#[test]
#[ignore = "takes minutes"]
fn nobody_is_accused_in_a_thousand_cases() {
    let mut steps = 0;
    for loses in [false, true] {
        for outside in [Outside::Controlled, Outside::Open] {
            steps += play_each(1, 0..1000, outside, loses);
        }
    }
    assert!(steps >= 1_800_000, "only {steps} steps were played");
}

/// Plays so many cases of each of `seeds` with all means; returns the number of steps.
fn play_with_all_means(seeds: impl Iterator<Item = u64>, cases: u64) -> u64 {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let mut steps = 0;
    let mut accused = Vec::new();
    for seed in seeds {
        for sight in Sight::ALL {
            let header = Header::new(seed, start(), Profile::default());
            let plan = Plan { header, first: 0, cases, steps: 50, max_findings: 1 };
            let mut world = sight.strangers(Profile::default(), seed + 1000);
            let summary = runtime.block_on(check(&mut world, &plan)).unwrap();
            steps += summary.steps;
            for failure in summary.failures {
                let sent: Vec<String> = failure.transcript.steps.iter().map(plain).collect();
                accused.push(format!(
                    "{sight:?}, seed {seed}, case {}: {:#?} after {sent:#?}",
                    failure.case, failure.findings
                ));
            }
        }
    }
    assert!(accused.is_empty(), "{}", accused.join("\n"));
    steps
}

/// Random profiles, in every set-up.
#[test]
fn no_right_service_is_accused() {
    for seed in 1..=6 {
        for sight in Sight::ALL {
            let acquittal = acquit(seed, sight, 6).unwrap();
            assert_eq!(acquittal.whole, [], "seed {seed}, {sight:?}");
            let found = acquittal.accused.or(acquittal.inconclusive);
            let found = found.as_ref().map(Failure::finding);
            assert_eq!(found, None, "seed {seed}, {sight:?}");
            assert!(acquittal.steps >= 100, "seed {seed}, {sight:?}: {}", acquittal.steps);
        }
    }
}

/// In these seeds a URL is subscribed anew after its subscription was deleted, and the deliveries of the deleted one
/// are not retried.
#[test]
fn a_new_subscription_inherits_no_deliveries() {
    play_with_all_means([35, 740_119].into_iter(), 60);
}

/// The seeds of `TIDEOVER_SEEDS` (`from..to`), or a thousand:
/// `cargo test --release -p tideover-harness --test it with_whatever_means -- --ignored`
#[test]
#[ignore = "takes an hour"]
fn nobody_is_accused_with_whatever_means() {
    let seeds = std::env::var("TIDEOVER_SEEDS").unwrap_or_else(|_| "0..1000".to_owned());
    let (from, to) = seeds.split_once("..").expect("from..to");
    let (from, to): (u64, u64) = (from.parse().unwrap(), to.parse().unwrap());
    let steps = play_with_all_means(from..to, 50);
    assert!(steps >= (to - from) * 4 * 2_000, "only {steps} steps were played");
}

#[test]
fn slow_progress_is_stalled_and_fails_nothing() {
    let slow: Profile =
        toml::from_str("delays = { collection_account = 900000, funding_starts = 900000 }")
            .unwrap();
    let header = Header::new(1, start(), Profile::default());
    let face = service(slow, 5, INBOX);
    let mut world = Strangers::new(InProcess::new(face, start()), Outside::Controlled);
    let plan = Plan { header, first: 0, cases: 200, steps: 50, max_findings: 1 };
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let summary = runtime.block_on(check(&mut world, &plan)).unwrap();
    assert!(summary.failures.is_empty(), "{:#?}", summary.failures);
    let stalled: Vec<_> = summary.noticed.values().map(|noticed| &noticed.finding).collect();
    assert!(stalled.iter().all(|finding| finding.verdict == Verdict::Stalled), "{stalled:#?}");
    let fields: Vec<_> = stalled.iter().map(|finding| finding.field.as_str()).collect();
    assert_eq!(fields, ["advance.state", "onboarding.collectionAccount"]);
}

/// What a stranger finds first at a service with the defect, for each of `seeds`.
fn first_findings(defect: &str, seeds: std::ops::Range<u64>) -> Vec<Vec<Finding>> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let mut world = with_defect(defects::find(defect).unwrap());
    let mut first = |seed| {
        let header = Header::new(seed, start(), Profile::default());
        let mut found = (0..150).map(|case| {
            runtime.block_on(async {
                let steps = generate::case(&header, case, 50);
                let mut target = world.fresh().await.unwrap();
                play(&mut target, &header, &steps).await.unwrap().findings
            })
        });
        found.find(|findings| !findings.is_empty()).unwrap_or_default()
    };
    seeds.map(&mut first).collect()
}

fn clauses(findings: &[Finding]) -> Vec<&str> {
    findings.iter().map(|finding| finding.clause.name()).collect()
}

/// An event that never comes within the retry window is found by its meaning, once a response has proven its cause.
#[test]
fn an_event_that_never_comes_is_found_by_its_meaning() {
    let silent = defects::all().filter(|defect| {
        defect.name.ends_with("no-event") || defect.name == "nothing-is-announced"
    });
    for defect in silent {
        for findings in first_findings(defect.name, 1..2) {
            let [only] = findings.as_slice() else { panic!("{}: {findings:#?}", defect.name) };
            assert_eq!(only.clause, defect.clause, "{only}");
            assert_eq!(only.verdict, Verdict::Violated, "{only}");
            assert!(only.seen.contains("in 28 hours"), "{only}");
        }
    }
}

/// A value that was written wrongly cites the sentence about what wrote it, not the note on its form.
#[test]
fn a_wrong_value_cites_the_sentence_that_is_broken() {
    for defect in [
        "face-value-moves-over-an-advance",
        "due-date-moves-over-an-advance",
        "second-sync-over-an-advance-moves-its-face-value",
        "repaid-invoices-move-again",
        "status-only-is-reported-as-updated",
        "updates-are-reported-as-status-only",
        "resync-is-ignored",
        "invoice-identifiers-are-global",
        "other-payees-invoice-is-updated",
        "finished-import-is-done-again",
        "resumed-rows-are-done-twice",
        "row-with-too-many-cents-is-created",
        "tax-id-is-replaced",
        "matched-without-a-tax-id",
        "contract-is-met-by-accepting",
        "bank-is-met-by-accepting",
        "account-is-met-too-early",
        "route-of-a-confirmed-tax-id-stays",
        "remittance-is-shown-too-early",
        "remittance-is-lost-with-the-payout-account",
        "read-report-shows-every-row-as-updated",
        "repeat-is-refused-once-withdrawn",
        "due-date-is-unix-time",
    ] {
        let clause = defects::find(defect).unwrap().clause.name();
        for findings in first_findings(defect, 1..2) {
            assert_eq!(clauses(&findings).first(), Some(&clause), "{defect}: {findings:#?}");
        }
    }
}

/// A value of the right form cites the sentence that states it, where the note on its field states the form alone.
#[test]
fn a_value_of_the_right_form_cites_the_sentence_that_states_it() {
    for (defect, clause) in [
        ("repeat-is-answered-as-the-first", "2.advance.alreadyRequested.2"),
        ("advance-is-lost", "2.invoice.advance.2"),
        ("advance-is-shown-before-it-is-requested", "2.invoice.advance"),
        ("paid-invoices-become-paid", "2.invoice.status.2"),
        ("row-without-an-identifier-is-bad", "4.imports.5"),
        ("identifiers-are-derived-for-each-row", "4.imports.5.3"),
        ("bad-rows-are-left-out", "4.imports.6"),
        ("punctuated-tax-id-is-malformed", "2.businessSync.taxId"),
        ("one-session-link-for-everybody", "4.sessions.6"),
        ("advance-forwards-the-fee", "2.amounts.forwardedAtPayment"),
        ("quoted-amount-is-text", "2.quote.financeableAmount"),
    ] {
        for findings in first_findings(defect, 1..2) {
            assert_eq!(clauses(&findings).first(), Some(&clause), "{defect}: {findings:#?}");
        }
    }
    // A case that syncs the tax id once more shows the sentence on the tax id instead.
    for findings in first_findings("tax-id-is-forgotten-in-a-resync", 2..4) {
        assert_eq!(clauses(&findings).first(), Some(&"4.businessSync.intro.2"), "{findings:#?}");
    }
}

/// What the target chooses is expected in words, not as the value that the model would have chosen.
#[test]
fn what_the_target_chooses_is_expected_in_words() {
    let of = |defect: &str, field: &str| {
        let findings = first_findings(defect, 1..2).concat();
        let found = findings.iter().find(|found| found.field == field);
        found.unwrap_or_else(|| panic!("{defect}: {findings:#?}")).expected.clone()
    };
    assert_eq!(of("quoted-fee-is-in-dollars", "feeTotal"), "whole cents, not negative");
    let rows = of("bad-rows-are-left-out", "rows");
    assert!(rows.contains(" rows: created, "), "{rows}");
    assert!(rows.contains("any outcome but those of a good row"), "{rows}");
    assert!(!rows.contains("payeeExternalId"), "{rows}");
}

/// What a step changes in a world that is not the target's says nothing of the target.
#[tokio::test]
async fn the_model_says_nothing_of_a_target_that_it_does_not_know() {
    let defect = defects::find("void-invoices-are-fundable").unwrap();
    let header = Header::new(1, start(), Profile::default());
    let plan = Plan { header, first: 0, cases: 50, steps: 50, max_findings: 1 };
    let mut known = InProcess::new(
        defect.service(Profile::default(), 1, Destinations::PublicAnd(INBOX.to_owned())),
        start(),
    );
    let of_known = check(&mut known, &plan).await.unwrap();
    assert!(FindingReport::of(&of_known.failures[0]).difference.is_some());
    let of_foreign = check(&mut with_defect(defect), &plan).await.unwrap();
    assert!(FindingReport::of(&of_foreign.failures[0]).difference.is_none());
}

/// The time of an attempt is its own, not that of the step with which it arrives.
#[tokio::test]
async fn attempts_that_end_too_early_are_told_by_their_own_times() {
    let brief: Profile = toml::from_str("webhooks.retries = [60, 10800]").unwrap();
    let header = Header::new(1, start(), Profile::default());
    let face = service(brief, 7, INBOX);
    let mut world = Strangers::new(InProcess::new(face, start()), Outside::Controlled);
    let mut seen = Vec::new();
    for case in 0..60 {
        let mut target = world.fresh().await.unwrap();
        let steps = generate::case(&header, case, 50);
        let findings = play(&mut target, &header, &steps).await.unwrap().findings;
        assert!(
            clauses(&findings).iter().all(|clause| *clause == "6.delivery.1.2"),
            "{findings:#?}"
        );
        seen.extend(findings.into_iter().map(|found| found.seen));
    }
    seen.dedup();
    assert_eq!(seen, ["the last one after 3 hours"]);
}

/// The attempts came, only each under another name.
#[test]
fn a_new_name_for_each_attempt_is_found_as_that() {
    for findings in first_findings("retries-have-names-of-their-own", 1..6) {
        assert_eq!(clauses(&findings), ["6.delivery.3.2"], "{findings:#?}");
    }
}

/// A world whose targets lose responses.
struct LossyWorld(Strangers<Defective>);

impl Testbed for LossyWorld {
    type Target = Lossy<Defective>;

    async fn fresh(&mut self) -> Result<Lossy<Defective>, Unreachable> {
        Ok(Lossy { target: self.0.fresh().await?, sent: 0, loses: true })
    }
}

fn with_defect(defect: &'static defects::Defect) -> Strangers<Defective> {
    let inbox = Destinations::PublicAnd(INBOX.to_owned());
    let face = defect.service(Profile::default(), 7, inbox);
    Strangers::new(InProcess::new(face, start()), Outside::Controlled)
}

#[tokio::test]
async fn minimising_keeps_each_response_with_its_step() {
    let defect = defects::find("void-invoices-are-fundable").unwrap();
    let header = Header::new(10, start(), Profile::default());
    for first in 0..6 {
        let plan = Plan { header: header.clone(), first, cases: 100, steps: 50, max_findings: 1 };
        let summary = check(&mut LossyWorld(with_defect(defect)), &plan).await.unwrap();
        let failure = &summary.failures[0];
        assert_eq!(failure.answers.len(), failure.transcript.steps.len());
        assert!(failure.answers.len() <= 4, "{:#?} {:#?}", failure.finding(), failure.answers);
        let (_, last) = failure.answers.last().unwrap();
        let invoice = last.as_ref().unwrap().json().unwrap();
        assert_eq!((&invoice["status"], &invoice["fundable"]), (&"VOIDED".into(), &true.into()));
    }
}
