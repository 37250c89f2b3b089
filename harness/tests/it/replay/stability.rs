//! A finding says whether it comes again, and its steps are all needed.

use tideover_exchange::evidence::{Reproduced, Stability};
use tideover_exchange::step::Step;
use tideover_exchange::target::{INBOX, ModelTarget, Target, Unanswered, Unreachable};
use tideover_exchange::transcript::Header;
use tideover_exchange::{Arrival, Prepared, Response, start};
use tideover_model::{Clause, Destinations, Profile};
use tideover_prove::defects;
use tideover_prove::defects::Defective;
use tideover_report::document::FindingReport;
use tideover_suite::play::case::Observed;
use tideover_suite::play::cases;
use tideover_suite::play::cases::{Failure, InProcess, Plan, Rehearsed, World};

fn with(defect: &str) -> InProcess<Defective> {
    let inbox = Destinations::PublicAnd(INBOX.to_owned());
    let face = defects::find(defect).unwrap().service(Profile::default(), 11, inbox);
    InProcess::new(face, start())
}

/// A service that shows its defect in each case, and in some of the plays of its steps after that.
struct Moody {
    wrong: InProcess<Defective>,
    /// Its defect never shows in the steps of the other.
    right: InProcess<Defective>,
    /// Whether the play of this number, from 1, shows it.
    shows: fn(u64) -> bool,
    plays: u64,
    rehearses: bool,
}

impl Moody {
    fn new(shows: fn(u64) -> bool) -> Moody {
        let right = with("attempts-are-signed-with-another-secret");
        let wrong = with("void-invoices-are-fundable");
        Moody { wrong, right, shows, plays: 0, rehearses: false }
    }
}

impl World for Moody {
    type Target = ModelTarget<Defective>;

    async fn fresh(&mut self) -> Result<ModelTarget<Defective>, Unreachable> {
        self.wrong.fresh().await
    }

    async fn again(&mut self, _arrivals: &[usize]) -> Result<ModelTarget<Defective>, Unreachable> {
        self.plays += 1;
        let world = if (self.shows)(self.plays) { &mut self.wrong } else { &mut self.right };
        world.fresh().await
    }

    /// A model that takes every step for needed.
    async fn rehearse(&self, _: &Header, steps: &[Step], _: Clause) -> Option<Rehearsed> {
        let status = u16::try_from(steps.len()).unwrap();
        self.rehearses.then_some(Rehearsed { status, code: None, met: true })
    }
}

/// A service that shows its defect from the fourth request of a play on, and before only in every third play.
struct Late {
    wrong: InProcess<Defective>,
    right: InProcess<Defective>,
    plays: u64,
}

struct LateTarget {
    wrong: ModelTarget<Defective>,
    right: ModelTarget<Defective>,
    sent: u64,
    is_lucky: bool,
}

impl World for Late {
    type Target = LateTarget;

    async fn fresh(&mut self) -> Result<LateTarget, Unreachable> {
        self.plays += 1;
        let (wrong, right) = (self.wrong.fresh().await?, self.right.fresh().await?);
        Ok(LateTarget { wrong, right, sent: 0, is_lucky: self.plays.is_multiple_of(3) })
    }
}

impl Target for LateTarget {
    fn api_key(&self) -> &str {
        self.wrong.api_key()
    }

    async fn send(&mut self, step: &Prepared) -> Result<Response, Unanswered> {
        self.sent += 1;
        let (wrong, right) = (self.wrong.send(step).await?, self.right.send(step).await?);
        Ok(if self.is_lucky || self.sent >= 4 { wrong } else { right })
    }

    fn inbox(&self) -> Option<&str> {
        None
    }

    async fn arrivals(&mut self) -> Result<Vec<Arrival>, Unanswered> {
        Ok(Vec::new())
    }
}

impl Observed for LateTarget {}

/// A shorter case that shows the finding by chance is not kept in place of one that always does.
#[tokio::test]
async fn a_smaller_case_must_show_it_each_time() {
    let (wrong, right) =
        (with("void-invoices-are-fundable"), with("attempts-are-signed-with-another-secret"));
    let failure = failure(&mut Late { wrong, right, plays: 0 }).await;
    assert_eq!(failure.reproduced, Some(Reproduced { times: 3, plays: 3 }), "{failure:#?}");
    assert_eq!(failure.transcript.steps.len(), 4, "{:#?}", failure.transcript.steps);
}

async fn failure(world: &mut impl World) -> Failure {
    let header = Header::new(11, start(), Profile::default());
    let plan = Plan { header, first: 0, cases: 60, steps: 50, max_findings: 1 };
    let mut summary = cases::check(world, &plan).await.unwrap();
    summary.failures.pop().unwrap()
}

fn stability(failure: &Failure) -> Option<Stability> {
    failure.reproduced.map(Reproduced::stability)
}

#[tokio::test]
async fn what_every_play_shows_is_stable() {
    let failure = failure(&mut Moody::new(|_| true)).await;
    assert_eq!(failure.reproduced, Some(Reproduced { times: 3, plays: 3 }));
    assert_eq!(stability(&failure), Some(Stability::Stable));
    assert!(failure.is_small && failure.transcript.steps.len() == 2, "{failure:?}");
    let report = FindingReport::of(&failure);
    assert!(report.met().ends_with("; stable, reproduced 3 of 3"), "{}", report.met());
}

#[tokio::test]
async fn what_some_plays_show_is_intermittent() {
    let failure = failure(&mut Moody::new(|play| play % 2 == 0)).await;
    assert_eq!(stability(&failure), Some(Stability::Intermittent), "{:?}", failure.reproduced);
    assert_eq!(failure.transcript.steps.len(), 2, "{failure:?}");
    let met = FindingReport::of(&failure).met();
    assert!(met.contains("; intermittent, reproduced ") && met.ends_with(" of 3"), "{met}");
}

#[tokio::test]
async fn what_no_later_play_shows_was_seen_once() {
    let failure = failure(&mut Moody::new(|_| false)).await;
    assert_eq!(stability(&failure), Some(Stability::Once));
    assert_eq!(failure.probes, 0, "what does not come again is not shrunk");
    let report = FindingReport::of(&failure);
    assert_eq!(report.stability, Some(Stability::Once));
    assert!(report.met().ends_with("; seen once, reproduced 0 of 3"), "{}", report.met());
}

/// Whatever the model says: a step that the target does not need is left out.
#[tokio::test]
async fn no_step_is_left_that_only_the_model_needs() {
    let mut world = Moody { rehearses: true, ..Moody::new(|_| true) };
    let failure = failure(&mut world).await;
    assert_eq!(failure.transcript.steps.len(), 2, "{:#?}", failure.transcript.steps);
}
