//! Short runs of races in process.

use tideover_exchange::start;
use tideover_exchange::target::INBOX;
use tideover_exchange::transcript::Header;
use tideover_model::{Destinations, Profile};
use tideover_prove::defects;
use tideover_suite::play::cases::{InProcess, Plan};
use tideover_suite::play::concurrent::{RaceTestbed, Races, Summary};

/// So many races of four clients each.
pub(crate) fn plan(cases: u64) -> Plan {
    Plan {
        header: Header::new(1, start(), Profile::default()),
        first: 0,
        cases,
        steps: 40,
        max_findings: 5,
    }
}

/// Plays the races of `plan`, with four clients each.
pub(crate) async fn run<T: RaceTestbed>(testbed: &mut T, plan: &Plan) -> Summary {
    let mut races = Races::new(plan, 4);
    races.run(testbed, |_| {}).await.unwrap();
    races.summary
}

/// Plays them against a service with a defect.
pub(crate) async fn with_defect(name: &str, plan: &Plan) -> Summary {
    let inbox = Destinations::PublicAnd(INBOX.to_owned());
    let face = defects::find(name).unwrap().service(Profile::default(), 1, inbox);
    run(&mut InProcess::new(face, start()), plan).await
}
