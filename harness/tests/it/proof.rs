//! The suite can fail: it finds every defect of the catalogue, and never accuses a correct service.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::sync::atomic::AtomicBool;

use tideover_exchange::start;
use tideover_exchange::target::{INBOX, service};
use tideover_exchange::transcript::Header;
use tideover_model::clause::Kind;
use tideover_model::{Cents, Clause, Code, Delays, Profile, Range, RateRanges, Webhooks};
use tideover_prove::defects::generated::{Mutation, mutations};
use tideover_prove::defects::{Defect, WITHOUT_DEFECT};
use tideover_prove::{Proof, ProofBudget, Setup, UNSEEN, defects, prove};
use tideover_suite::generate::DEFAULT_STEPS;
use tideover_suite::play::cases;
use tideover_suite::play::cases::{InProcess, Plan, Summary};

#[test]
fn every_defect_is_found_and_names_its_clause() {
    let sought: Vec<&'static Defect> = defects::all().collect();
    let left = until_none_is_left(Setup::Known, sought, |proof| proof.named_as_expected() == 0);
    assert!(left.is_empty(), "survived, or named another clause: {left:?}");
}

/// Most defects need a short search, the others more requests and more seeds: each is tried until `is_left` no longer
/// holds. Returns the names of those for which it holds to the end.
fn until_none_is_left(
    setup: Setup,
    mut sought: Vec<&'static Defect>,
    is_left: impl Fn(&Proof) -> bool,
) -> Vec<&'static str> {
    let most = setup.requests();
    for (seed, requests) in [(1, 2_000)].into_iter().chain((1..=20).map(|seed| (seed, most))) {
        let proofs = proven(setup, &sought, seed, requests);
        assert_eq!(proofs.len(), sought.len());
        sought = proofs.iter().filter(|one| is_left(one)).map(|one| one.defect).collect();
    }
    sought.iter().map(|defect| defect.name).collect()
}

fn proven(setup: Setup, sought: &[&'static Defect], seed: u64, requests: u64) -> Vec<Proof> {
    let budget = ProofBudget { seeds: seed..=seed, requests, steps: DEFAULT_STEPS };
    prove(setup, sought, &budget, 2, &AtomicBool::new(false), &|| {}).unwrap()
}

/// A defect with a reason is not found; a defect without one is, after a long enough search.
fn survives_for_a_reason(setup: Setup) {
    let (unseen, sought): (Vec<&Defect>, Vec<&Defect>) =
        defects::all().partition(|defect| setup.reason(defect).is_some());
    let found = proven(setup, &unseen, 1, 1_500);
    let found = found.iter().filter(|proof| !proof.survived());
    let found: Vec<&str> = found.map(|proof| proof.defect.name).collect();
    assert!(found.is_empty(), "{setup:?} finds what has a reason: {found:?}");
    let missed = until_none_is_left(setup, sought, Proof::is_missed);
    assert!(missed.is_empty(), "{setup:?} misses without a reason: {missed:?}");
}

/// The mutations of the tables that say so, all found in this setup.
fn are_found(setup: Setup, requests: u64, is_it: impl Fn(&Mutation) -> bool) {
    let mutations = mutations();
    let sought: Vec<_> = mutations.iter().filter(|it| is_it(it)).map(Mutation::plant).collect();
    assert!(!sought.is_empty());
    let missed = proven(setup, &sought, 1, requests);
    let missed = missed.iter().filter(|proof| proof.survived());
    let missed: Vec<&str> = missed.map(|proof| proof.defect.name).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

/// Even where others may have made the request valid unseen: a failure that stays is no outage.
#[test]
fn a_failure_in_place_of_a_refusal_is_found() {
    let at_one = ["Quote", "SetPayoutAccount", "RequestAdvance"];
    are_found(Setup::Caller, 4_000, |mutation| {
        let words: Vec<&str> = mutation.words.split(' ').collect();
        let [at, "answers", "with", "upstream_failed", .., due] = words[..] else { return false };
        at_one.contains(&at) && due.ends_with("_not_found")
    });
    let due = ["already_subscribed", "business_not_eligible", "already_imported"];
    are_found(Setup::Stranger, 4_000, |mutation| {
        due.iter().any(|due| mutation.words == format!("{due} is answered with upstream_failed"))
    });
}

/// Without a right key there is no platform, of which something could be there already.
#[test]
fn the_state_of_a_platform_is_no_reason_against_nobody() {
    let due = "in place of unauthorized";
    let states =
        ["Subscribe answers already_subscribed", "RequestAdvance answers invoice_not_financeable"];
    are_found(Setup::Caller, 4_000, |mutation| {
        states.iter().any(|state| mutation.words == format!("{state} {due}"))
    });
}

/// Neither is right each time, and neither is shown to be wrong by one response.
#[test]
fn what_only_the_whole_run_shows_is_found() {
    are_found(Setup::Stranger, 4_000, |mutation| {
        let in_other_letters = "of GetInvoice is in small letters for some subjects";
        let of_its_type =
            "ImportInvoices answers unsupported_media_type in place of already_imported";
        mutation.words == format!("collectionState {in_other_letters}")
            || mutation.words == of_its_type
    });
}

#[test]
#[ignore = "takes a minute; the nightly job runs it"]
fn what_a_stranger_cannot_see_has_a_reason() {
    survives_for_a_reason(Setup::Stranger);
}

#[test]
#[ignore = "takes a minute; the nightly job runs it"]
fn what_a_caller_cannot_see_has_a_reason() {
    survives_for_a_reason(Setup::Caller);
}

#[test]
fn each_reason_names_catalogue_defects_once() {
    let mut named = BTreeSet::new();
    for unseen in UNSEEN {
        assert!(!unseen.why.is_empty(), "{unseen:?}");
        for name in unseen.defects {
            assert!(named.insert(*name), "{name} is listed twice");
            let defect = defects::find(name).unwrap_or_else(|| panic!("{name} is no defect"));
            assert_eq!(Setup::Known.reason(defect), None, "{name}");
            assert_eq!(Setup::Caller.reason(defect), Some(unseen.why), "{name}");
        }
    }
}

#[test]
fn each_defect_has_a_unique_name_and_clause() {
    let mut names = BTreeSet::new();
    for Defect { name, clause, words, .. } in defects::all() {
        assert!(names.insert(*name), "{name} is listed twice");
        let kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        assert!(name.chars().all(kebab), "{name}");
        assert_eq!(clause.kind(), Kind::Documented, "{name}");
        assert!(!words.is_empty() && !words.contains('\n'), "{name}");
        assert!(std::ptr::eq(defects::find(name).unwrap().name, *name));
    }
    assert!(defects::find("none").is_none());
}

/// A defect breaks each clause that a run meets, or a reason says why none does.
#[tokio::test]
async fn every_checked_clause_has_a_defect() {
    let met = played(Profile::default(), 1, 60).await.met;
    let broken: BTreeSet<Clause> =
        defects::all().flat_map(|defect| [defect.clause, defect.named]).collect();
    let excused: BTreeSet<Clause> = WITHOUT_DEFECT.iter().map(|(clause, _)| *clause).collect();
    let documented = |clause: &Clause| clause.kind() == Kind::Documented;
    let left: Vec<Clause> = met
        .clauses()
        .filter(documented)
        .filter(|clause| !broken.contains(clause) && !excused.contains(clause))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

/// Plays against a correct service, and checks that it holds.
async fn played(profile: Profile, seed: u64, cases: u64) -> Summary {
    let header = Header::new(seed, start(), profile.clone());
    let plan = Plan { header, first: 0, cases, steps: DEFAULT_STEPS, max_findings: 1 };
    let mut world = InProcess::new(service(profile, seed, INBOX), start());
    let summary = cases::check(&mut world, &plan).await.unwrap();
    assert!(summary.failures.is_empty(), "seed {seed}: {:#?}", summary.failures);
    summary
}

/// Profiles of correct services.
fn profiles() -> [(&'static str, Profile); 10] {
    let standard = Profile::default;
    let delays = |from, to| {
        let range = Range { min: from, max: to };
        Delays { collection_account: range, funding_starts: range, funding_completes: range }
    };
    let webhooks = Webhooks { duplicates: 50, ..Webhooks::default() };
    let late = Webhooks { lateness: Range { min: 0, max: 600 }, ..Webhooks::default() };
    let impatient = Webhooks { retries: vec![1, 2, 100_000], at_once: 1, ..Webhooks::default() };
    let rates = RateRanges { advance: Range::exactly(10_000), fee: Range::exactly(0) };
    let refusals =
        [(Code::SelfDealing, 409), (Code::AlreadyImported, 422), (Code::TooManyRows, 413)];
    [
        ("standard", standard()),
        ("fast", Profile { delays: delays(0, 1), ..standard() }),
        ("slow", Profile { delays: delays(3600, 86_400), ..standard() }),
        ("duplicates", Profile { webhooks, ..standard() }),
        ("lateness", Profile { webhooks: late, ..standard() }),
        ("few retries", Profile { webhooks: impatient, ..standard() }),
        (
            "small limits",
            Profile {
                per_invoice_maximum: Cents(20_000),
                concentration_limit: Range::exactly(Cents(50_000)),
                ..standard()
            },
        ),
        ("other statuses", Profile { refusals: refusals.into(), ..standard() }),
        ("other rates", Profile { rates, ..standard() }),
        ("live session links", Profile { session_links_live: true, ..standard() }),
    ]
}

/// Plays each of `seeds` under every profile; returns the number of steps.
async fn never_accused(seeds: RangeInclusive<u64>) -> u64 {
    let mut steps = 0;
    for (name, profile) in profiles() {
        profile.check().unwrap_or_else(|problem| panic!("{name}: {problem}"));
        for seed in seeds.clone() {
            steps += played(profile.clone(), seed, 15).await.steps;
        }
    }
    steps
}

#[tokio::test]
async fn no_profile_of_a_correct_service_is_accused() {
    never_accused(1..=2).await;
}

/// `cargo test --release -p tideover-harness --test it in_a_thousand -- --ignored`
#[tokio::test]
#[ignore = "takes minutes"]
async fn no_profile_is_accused_in_a_thousand_seeds() {
    let steps = never_accused(1..=1000).await;
    assert!(steps >= 7_500_000, "only {steps} steps were played");
}
