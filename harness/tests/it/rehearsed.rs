//! Minimising a failure of a live endpoint: the model rehearses the steps before the run sends them.

use std::cell::RefCell;

use tideover_exchange::step::Step;
use tideover_exchange::target::Unreachable;
use tideover_exchange::transcript::Header;
use tideover_live::target::{Live, LiveWorld};
use tideover_model::{Clause, Destinations, Profile};
use tideover_prove::defects;
use tideover_sim::{Mock, NoNames};
use tideover_suite::play::cases::{Plan, Rehearsed, Suite, Testbed};

use crate::support::live::{begin, header, settings};

/// A live world that counts its plays, and keeps the results of the model's rehearsals.
struct Watched {
    world: LiveWorld,
    plays: usize,
    rehearsed: RefCell<Vec<Option<Rehearsed>>>,
}

impl Testbed for Watched {
    type Target = Live;

    async fn fresh(&mut self) -> Result<Live, Unreachable> {
        self.plays += 1;
        self.world.fresh().await
    }

    fn case(&self, header: &Header, number: u64, steps: u64) -> Vec<Step> {
        self.world.case(header, number, steps)
    }

    async fn rehearse(&self, header: &Header, steps: &[Step], clause: Clause) -> Option<Rehearsed> {
        let rehearsed = self.world.rehearse(header, steps, clause).await;
        self.rehearsed.borrow_mut().push(rehearsed.clone());
        rehearsed
    }
}

#[tokio::test]
async fn minimising_sends_only_steps_that_rehearse_alike() {
    let defect = defects::find("void-invoices-are-fundable").unwrap();
    let face = defect.service(Profile::default(), 1, Destinations::Public);
    let mock = Mock::builder().resolver(NoNames).face(Box::new(face)).start().await.unwrap();
    let begun = begin(settings(&mock), None).await;
    let mut watched = Watched { world: begun.world, plays: 0, rehearsed: RefCell::new(Vec::new()) };
    let plan = Plan { header: header(), first: 0, cases: 30, steps: 25, max_findings: 1 };
    let mut suite = Suite::new(&plan);
    suite.play(&mut watched, |_| {}).await.unwrap();
    let [failure] = suite.summary.failures.as_slice() else { panic!("it is found") };
    assert_eq!(failure.finding().clause, defect.clause);
    assert!(failure.transcript.steps.len() < failure.steps_before);

    let rehearsed = watched.rehearsed.into_inner();
    let (first, candidates) = rehearsed.split_first().unwrap();
    let worth = candidates.iter().filter(|one| *one == first).count();
    assert!(first.as_ref().is_some_and(|first| first.met));
    // Each step that remained was left out once or twice, whatever the model says.
    let anyway = failure.probes - worth;
    assert!((2..=4 * failure.transcript.steps.len()).contains(&anyway), "{anyway}");
    // Before and after, the steps were played again, to see whether they show it each time.
    let again = 3 + failure.reproduced.unwrap().plays;
    assert_eq!(watched.plays as u64, suite.summary.cases + failure.probes as u64 + again);
    assert!(worth < candidates.len() / 2, "{worth} of {} were sent", candidates.len());
    mock.stop().await;
}
