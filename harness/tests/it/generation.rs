//! What is generated: the same for the same seed, and deep.

use tideover_harness::coverage::Group;
use tideover_harness::generate;
use tideover_harness::suite::{self, InProcess, OverHttp, Plan};
use tideover_harness::target::{INBOX, embedded, service, start};
use tideover_harness::transcript::Header;
use tideover_model::Profile;

fn plan(seed: u64, cases: u64) -> Plan {
    let header = Header::new(seed, start(), Profile::default());
    Plan { header, first: 0, cases, steps: generate::DEFAULT_STEPS }
}

fn assert_everything_is_reached(summary: &suite::Summary) {
    assert!(summary.failure.is_none(), "{:#?}", summary.failure);
    for group in Group::ALL {
        for (name, count) in summary.coverage.of(group) {
            assert!(count > 0, "{}: {name} was never reached", group.title());
        }
    }
}

#[test]
fn the_same_seed_makes_the_same_steps() {
    let header = plan(5, 1).header;
    for case in [0, 3, 77] {
        let steps = generate::case(&header, case, 60);
        assert_eq!(steps, generate::case(&header, case, 60));
        assert_ne!(steps, generate::case(&header, case + 1, 60));
    }
    let other = plan(6, 1).header;
    assert_ne!(generate::case(&header, 0, 60), generate::case(&other, 0, 60));
}

#[tokio::test]
async fn a_run_in_process_reaches_every_state() {
    let plan = plan(1, 200);
    let service = service(Profile::default(), 1, INBOX);
    let mut world = InProcess::new(service, start());
    let summary = suite::check(&mut world, &plan).await.unwrap();
    assert_everything_is_reached(&summary);
}

#[tokio::test]
async fn a_default_run_over_http_plays_ten_thousand_operations_and_reaches_every_state() {
    let plan = plan(2, 400);
    let (_mock, target) = embedded(&plan.header).await.unwrap();
    let mut world = OverHttp::new(target);
    let summary = suite::check(&mut world, &plan).await.unwrap();
    assert_everything_is_reached(&summary);
    let operations: u64 =
        summary.coverage.of(Group::Operation).iter().map(|(_, count)| *count).sum();
    assert!(operations >= 10_000, "{operations} operations");
}
