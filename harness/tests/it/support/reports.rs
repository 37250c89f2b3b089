//! Reports of short runs in process.

use std::time::Duration;

use tideover_exchange::evidence::outcome::Demands;
use tideover_exchange::start;
use tideover_exchange::target::INBOX;
use tideover_exchange::transcript::Header;
use tideover_judge::checks::registry::Needs;
use tideover_model::{Destinations, Profile};
use tideover_prove::defects;
use tideover_report::{Baseline, FinishedRun, Report};
use tideover_suite::play::cases;
use tideover_suite::play::cases::{InProcess, Plan, Summary};

pub(crate) const SEED: u64 = 11;

pub(crate) fn plan(cases: u64) -> Plan {
    let header = Header::new(SEED, start(), Profile::default());
    Plan { header, first: 0, cases, steps: 50, max_findings: 5 }
}

pub(crate) async fn with_defect(name: &str, plan: &Plan) -> Summary {
    let inbox = Destinations::PublicAnd(INBOX.to_owned());
    let face = defects::find(name).unwrap().service(Profile::default(), SEED, inbox);
    cases::check(&mut InProcess::new(face, start()), plan).await.unwrap()
}

pub(crate) fn report(plan: &Plan, summary: &Summary, baseline: Option<&Baseline>) -> Report {
    let took = Duration::from_millis(1234);
    let (target, replay) = ("the model, in process", &["tideover replay it".to_owned()]);
    let (offers, ended, left_behind, unasked, races) =
        (Needs::OF_THE_MODEL, None, &[][..], None, None);
    FinishedRun {
        command: "check",
        shard: tideover_exchange::evidence::Shard::WHOLE,
        plan,
        summary,
        target,
        offers,
        unproven: &[],
        unjudged: 0,
        finished: start(),
        took,
        replay,
        baseline,
        regressions: &[],
        ended,
        left_behind,
        unasked,
        races,
        only_races: false,
        demands: &Demands::default(),
    }
    .report()
}
