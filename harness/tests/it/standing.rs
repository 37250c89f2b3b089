//! Every clause has a check, a story, vectors or a reason, and each of these claims is true.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use tideover_endpoint::embedded;
use tideover_exchange::evidence::outcome::{Demands, Outcome};
use tideover_exchange::start;
use tideover_exchange::step::{Action, Step};
use tideover_exchange::target::{INBOX, service};
use tideover_exchange::transcript::Header;
use tideover_judge::Outside;
use tideover_judge::checks::registry::{Needs, watched};
use tideover_model::clause::Kind;
use tideover_model::{Clause, Destinations, Profile, Seeded, Service};
use tideover_prove::clauses::Evidence;
use tideover_prove::stranger::Strangers;
use tideover_report::document::{ClauseKind, Status};
use tideover_report::{FinishedRun, Report};
use tideover_suite::generate;
use tideover_suite::generate::DEFAULT_STEPS;
use tideover_suite::play::case::play;
use tideover_suite::play::cases;
use tideover_suite::play::cases::{InProcess, OverHttp, Plan, Testbed};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures")
}

fn plan(cases: u64) -> Plan {
    let header = Header::new(1, start(), Profile::default());
    Plan { header, first: 0, cases, steps: DEFAULT_STEPS, max_findings: 1 }
}

fn in_process() -> InProcess {
    InProcess::new(service(Profile::default(), 1, INBOX), start())
}

/// The clauses that a run can meet with `offered`.
fn within_reach(offered: &[Needs]) -> BTreeSet<Clause> {
    let offered = watched().filter(|watched| watched.needs.iter().all(|one| offered.contains(one)));
    offered.flat_map(|watched| watched.clauses).copied().collect()
}

/// A story alone is not enough: a clause that no run can check needs a reason.
#[test]
fn every_documented_clause_is_checked_or_explained() {
    let documented = Clause::all().filter(|clause| clause.kind() == Kind::Documented);
    let unsettled: Vec<Clause> =
        documented.filter(|clause| !Evidence::of(*clause).is_settled()).collect();
    assert!(unsettled.is_empty(), "{unsettled:?}");
}

#[test]
fn every_assumption_is_checked_or_in_a_story() {
    let unsettled: Vec<Clause> = Clause::all()
        .filter(|clause| {
            let standing = Evidence::of(*clause);
            !standing.is_settled() && standing.stories.is_empty()
        })
        .collect();
    assert!(unsettled.is_empty(), "{unsettled:?}");
}

#[test]
fn clauses_with_checks_or_stories_are_observable() {
    for clause in Clause::all() {
        let standing = Evidence::of(clause);
        if standing.unobservable.is_some() {
            let seen = standing.is_checked() || standing.is_shown() || !standing.stories.is_empty();
            assert!(!seen, "{clause} is said not to be observable: {standing:?}");
        }
    }
}

/// A wrong code is reported under its own clause, which may show in the clause of the correct refusal.
#[test]
fn clauses_show_only_in_checked_clauses() {
    let is_checked = |clause: &Clause| Evidence::of(*clause).is_checked();
    for clause in Clause::all() {
        let shows_in = &Evidence::of(clause).shows_in;
        for shown in shows_in {
            let is_code = shown.name().starts_with("7.codes.");
            let is_reported = is_checked(shown)
                || (is_code && Evidence::of(*shown).shows_in.iter().all(is_checked));
            assert!(is_reported && *shown != clause, "{clause} shows in {shown}");
        }
        let counted = shows_in.is_empty() || shows_in.iter().any(is_checked);
        assert!(counted || is_checked(&clause), "no check counts what {clause} shows in");
    }
}

#[tokio::test]
async fn a_run_in_process_meets_exactly_checked_clauses() {
    let summary = cases::check(&mut in_process(), &plan(150)).await.unwrap();
    let met: BTreeSet<Clause> = summary.met.clauses().collect();
    assert_eq!(met, within_reach(Needs::OF_THE_MODEL));
}

#[tokio::test]
async fn a_run_over_http_meets_all_external_clauses() {
    let plan = plan(150);
    let (_mock, target) = embedded(&plan.header).await.unwrap();
    let summary = cases::check(&mut OverHttp::new(target), &plan).await.unwrap();
    let met: BTreeSet<Clause> = summary.met.clauses().collect();
    assert_eq!(met, within_reach(Needs::OF_A_MOCK));
}

/// A strange service that is played with what the options give.
fn strangers(offers: &[Needs]) -> Strangers<Service<Seeded>> {
    let has = |needs| offers.contains(&needs);
    let inbox = Destinations::PublicAnd(INBOX.to_owned());
    let destinations = if has(Needs::Inbox) { inbox } else { Destinations::Public };
    let service = Service::new(Profile::default(), Seeded { seed: 1001 });
    let world = InProcess::new(service.sending_to(destinations), start());
    let strangers = match has(Needs::Operator) {
        true => Strangers::new(world, Outside::Controlled),
        false => Strangers::with_one_key(world),
    };
    let strangers = if has(Needs::Clock) { strangers } else { strangers.without_clock() };
    if has(Needs::Inbox) { strangers.with_inbox() } else { strangers.without_inbox() }
}

/// What a run of these options says of a strange service, after so many cases.
async fn examined(offers: &[Needs], cases: u64) -> (BTreeSet<Clause>, Report) {
    let plan = plan(cases);
    let summary = cases::check(&mut strangers(offers), &plan).await.unwrap();
    assert_eq!((summary.failures.len(), summary.noticed.len()), (0, 0));
    let run = FinishedRun {
        command: "check",
        shard: tideover_exchange::evidence::Shard::WHOLE,
        plan: &plan,
        summary: &summary,
        target: "a stranger",
        offers,
        unproven: &[],
        finished: start(),
        took: Duration::ZERO,
        replay: &[],
        baseline: None,
        regressions: &[],
        ended: None,
        left_behind: &[],
        unjudged: 0,
        unasked: None,
        races: None,
        only_races: false,
        demands: &Demands::default(),
    };
    let documented = |clause: &Clause| clause.kind() == Kind::Documented;
    (summary.met.clauses().filter(documented).collect(), run.report())
}

/// Coverage is counted against what the options reach: neither more is met, nor less in a complete run.
async fn assert_reached(more: &[Needs]) {
    let offers = [&[Needs::Requests, Needs::Writes, Needs::Foreign][..], more].concat();
    let (met, report) = examined(&offers, 150).await;
    let within = within_reach(&offers).into_iter();
    let within = within.filter(|clause| clause.kind() == Kind::Documented).collect();
    assert_eq!(met, within);
    let unmet = report.clauses.iter().filter(|clause| clause.status == Status::NotMet);
    let unmet: Vec<_> = unmet.filter(|clause| clause.kind == ClauseKind::Documented).collect();
    assert_eq!(report.outcome, Outcome::Pass, "{}: {unmet:#?}", report.headline);
    let (_, report) = examined(&offers, 2).await;
    assert_eq!(report.outcome, Outcome::Partial, "{}", report.headline);
}

#[tokio::test]
async fn a_complete_run_with_one_key_passes() {
    assert_reached(&[]).await;
}

#[tokio::test]
async fn a_complete_run_with_an_inbox_passes() {
    assert_reached(&[Needs::Inbox]).await;
}

#[tokio::test]
async fn a_complete_run_with_everything_passes() {
    let all = [Needs::Vendor, Needs::Operator, Needs::SecondKey, Needs::Inbox, Needs::Clock];
    assert_reached(&all).await;
}

/// Without an operator, nobody triggers the events of the outside world.
#[tokio::test]
async fn without_an_operator_fewer_clauses_are_met() {
    let plan = plan(400);
    let mut met = BTreeSet::new();
    for case in 0..plan.cases {
        let mut steps = generate::case(&plan.header, case, DEFAULT_STEPS);
        steps.retain(|step: &Step| matches!(step.action, Action::Call(_)));
        let mut target = in_process().fresh().await.unwrap();
        let played = play(&mut target, &plan.header, &steps).await.unwrap();
        assert!(played.held(), "{:?}", played.findings);
        met.extend(played.met.clauses());
    }
    assert_eq!(met, within_reach(&[Needs::Requests, Needs::Inbox, Needs::Known, Needs::Inside]));
}

#[test]
fn the_listed_stories_match_the_folder() {
    let names = |clause| Evidence::of(clause).stories.clone();
    let listed: BTreeSet<&str> = Clause::all().flat_map(names).collect();
    let folder = std::fs::read_dir(fixtures().join("stories")).unwrap();
    let paths: Vec<PathBuf> = folder.map(|entry| entry.unwrap().path()).collect();
    let there = paths
        .iter()
        .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
        .map(|path| path.file_stem().unwrap().to_str().unwrap());
    assert_eq!(listed, there.collect());
}

#[test]
fn the_vectors_match_their_listed_clauses() {
    #[derive(Deserialize)]
    struct Vector {
        clause: String,
    }
    let mut there = BTreeSet::new();
    for file in ["accept.json", "reject.json", "open.json"] {
        let text = std::fs::read_to_string(fixtures().join("signature").join(file)).unwrap();
        let vectors: Vec<Vector> = serde_json::from_str(&text).unwrap();
        there.extend(vectors.iter().map(|vector| Clause::find(&vector.clause).unwrap()));
    }
    let listed = Clause::all().filter(|clause| Evidence::of(*clause).vectors).collect();
    assert_eq!(there, listed);
}
