//! Reproduces a failure and shrinks it.

use tideover_exchange::evidence::{Reproduced, Stability};
use tideover_exchange::step::Step;
use tideover_exchange::target::Unreachable;
use tideover_exchange::transcript::Transcript;

use crate::play::case::play;
use crate::play::cases::{Failure, Rehearsed, Silent, Summary, Testbed};
use crate::play::shrink::{Probe, fewest, shrink, without_each};

/// Plays the steps of a failure again, and returns whether any play showed it. If none did, the rest of the case is
/// played as well: state that other cases left behind may have shown the failure earlier than a fresh target does.
pub async fn reproduce<T: Testbed>(
    testbed: &mut T,
    failure: &mut Failure,
) -> Result<bool, Unreachable> {
    let mut steps = failure.transcript.steps.clone();
    let rest = failure.unplayed.clone();
    let mut probe = SameFinding {
        testbed,
        failure,
        rehearsed: None,
        needs: Plays { most: 1, each: false },
        may_be_early: true,
    };
    // One play says too little of a target that depends on chance or time.
    let mut reproduced = probe.play_again(&steps).await?;
    if reproduced.times == 0 && !rest.is_empty() {
        steps.extend(rest);
        reproduced = probe.play_again(&steps).await?;
    }
    Ok(reproduced.times > 0)
}

/// Shrinks a failure that is reproduced. If stopped, `failure` is the smallest so far.
///
/// Where requests are slow or cost money, the model plays fewer steps first: only if it still gives the last of them
/// the same response does the target play them. Since the target may differ from the model, each step that is left is
/// then left out once without asking the model.
pub async fn minimise<T: Testbed>(
    testbed: &mut T,
    failure: &mut Failure,
) -> Result<(), Unreachable> {
    let is_reproduced = failure.reproduced.is_some_and(|so_far| so_far.times > 0);
    if !is_reproduced && !reproduce(testbed, failure).await? {
        return Ok(());
    }
    let reproducible = failure.clone();
    let is_stable =
        |one: &Failure| one.reproduced.map(Reproduced::stability) == Some(Stability::Stable);
    // A failure that only some plays show gets several plays for each smaller case.
    let needs = Plays { most: if is_stable(failure) { 1 } else { T::PLAYS }, each: false };
    shrink_until(testbed, failure, needs).await?;
    let is_mixed = |so_far: Reproduced| so_far.times < so_far.plays;
    if is_stable(&reproducible) && failure.reproduced.is_some_and(is_mixed) {
        // A play has shown a smaller case by chance: from here on, each play must show it.
        let probes = failure.probes;
        *failure = Failure { probes, ..reproducible.clone() };
        shrink_until(testbed, failure, Plays { most: T::PLAYS, each: true }).await?;
    }
    let is_lost = |so_far: Reproduced| so_far.times == 0 && so_far.plays > 0;
    if failure.reproduced.is_some_and(is_lost) {
        *failure = reproducible;
    }
    Ok(())
}

/// Shrinks a failure, and counts how often its smallest steps reproduce it.
async fn shrink_until<T: Testbed>(
    testbed: &mut T,
    failure: &mut Failure,
    needs: Plays,
) -> Result<(), Unreachable> {
    let Transcript { header, mut steps, .. } = failure.transcript.clone();
    let clause = failure.finding().clause;
    let mut probe = SameFinding { testbed, failure, rehearsed: None, needs, may_be_early: false };
    let rehearsed = probe.testbed.rehearse(&header, &steps, clause).await;
    if rehearsed.is_some() {
        probe.rehearsed.clone_from(&rehearsed);
        steps = fewest(steps, &mut probe).await?;
        steps = probe.unrehearsed(steps).await?;
    }
    probe.rehearsed = rehearsed;
    steps = shrink(steps, &mut probe).await?;
    steps = probe.unrehearsed(steps).await?;
    probe.failure.is_small = true;
    probe.play_again(&steps).await?;
    Ok(())
}

/// The plays of a smaller case: each of them must show the failure, or any.
#[derive(Clone, Copy)]
struct Plays {
    most: u64,
    each: bool,
}

/// Tests whether steps show the finding of `failure`, and keeps the last ones that did.
struct SameFinding<'a, T> {
    testbed: &'a mut T,
    failure: &'a mut Failure,
    /// The model's outcome of the failure, if steps are rehearsed before they are played.
    rehearsed: Option<Rehearsed>,
    /// How many plays must show the failure.
    needs: Plays,
    /// Whether an earlier step than the last may show the finding.
    may_be_early: bool,
}

impl<T: Testbed> SameFinding<'_, T> {
    /// Plays `steps`. If they show the finding, keeps those that were played. `None` if not all of them could be sent.
    async fn play(&mut self, steps: &[Step]) -> Result<Option<bool>, Unreachable> {
        let Failure { case, transcript: Transcript { header, .. }, .. } = &*self.failure;
        let finding = self.failure.finding();
        let is_known = *steps == *self.failure.transcript.steps;
        let arrivals = if is_known { self.failure.arrivals_by_step() } else { Vec::new() };
        let mut played = play(&mut self.testbed.again(&arrivals).await?, header, steps).await?;
        if let Some(stopped) = played.stopped.take() {
            let silent = Silent::Stopped { suspects: Vec::new(), stopped };
            self.testbed.examine(header, &mut Summary::default(), silent).await?;
            return Ok(Some(false));
        }
        let unanswered = self.failure.answers.iter().filter(|(_, seen)| seen.is_none());
        if played.unsent.len() > unanswered.count() {
            return Ok(None);
        }
        let is_in_place = self.may_be_early || played.answers.len() == steps.len();
        let shown = is_in_place && played.findings.iter().any(|found| found.is_same(finding));
        if shown {
            // Others may come with it, but the first one names the failure.
            played.findings.sort_by_key(|found| !found.is_same(finding));
            let shown_again = Failure::of(header, *case, steps.to_vec(), played);
            self.failure.take_evidence(shown_again);
        }
        Ok(Some(shown))
    }

    /// Plays `steps` [`Testbed::PLAYS`] times, and counts how often they show the finding.
    async fn play_again(&mut self, steps: &[Step]) -> Result<Reproduced, Unreachable> {
        let mut reproduced = Reproduced::default();
        self.failure.reproduced.get_or_insert(reproduced);
        while reproduced.plays < T::PLAYS {
            let Some(is_shown) = Box::pin(self.play(steps)).await? else { break };
            reproduced.count(is_shown);
            self.failure.reproduced = Some(reproduced);
        }
        Ok(reproduced)
    }

    /// Leaves out each step that only the model needs.
    async fn unrehearsed(&mut self, steps: Vec<Step>) -> Result<Vec<Step>, Unreachable> {
        match self.rehearsed.take() {
            Some(_) => without_each(steps, self).await,
            None => Ok(steps),
        }
    }
}

impl<T: Testbed> Probe for SameFinding<'_, T> {
    const MOST_FORMS: usize = T::MOST_FORMS;

    async fn still_fails(&mut self, steps: &[Step]) -> Result<bool, Unreachable> {
        if let Some(rehearsed) = &self.rehearsed {
            let (header, clause) = (&self.failure.transcript.header, self.failure.finding().clause);
            let now = self.testbed.rehearse(header, steps, clause).await;
            if now.as_ref() != Some(rehearsed) {
                return Ok(false);
            }
        }
        // The first play with the decisive result ends the test.
        let Plays { most, each } = self.needs;
        let decisive = !each;
        // Plays of steps that do not fail each time are no evidence.
        let before = each.then(|| self.failure.clone());
        for _ in 0..most {
            self.failure.probes += 1;
            if (Box::pin(self.play(steps)).await? == Some(true)) == decisive {
                let probes = self.failure.probes;
                if let Some(before) = before {
                    *self.failure = Failure { probes, ..before };
                }
                return Ok(decisive);
            }
        }
        Ok(!decisive)
    }
}
