//! Finds out whether a failure comes again, and makes it as small as it can be made.

use crate::endpoint::Unreachable;
use crate::evidence::{Reproduced, Stability};
use crate::exchange::step::Step;
use crate::exchange::transcript::Transcript;
use crate::play::case::play;
use crate::play::cases::{Failure, Rehearsed, Silent, Summary, World};
use crate::play::shrink::{Probe, fewest, shrink, without_each};

/// Plays the steps of a failure again until they show it. If they never do, the rest of the case is played as well:
/// what was left of other cases may have shown it early. Returns whether it was shown.
///
/// # Errors
/// [`Unreachable`] if the target does not answer.
pub(crate) async fn reproduce<W: World>(
    world: &mut W,
    failure: &mut Failure,
) -> Result<bool, Unreachable> {
    let mut steps = failure.transcript.steps.clone();
    let rest = failure.unplayed.clone();
    let mut probe = SameFinding { world, failure, rehearsed: None, tries: 1, cuts: true };
    let mut reproduced = probe.play_again(&steps, |so_far| so_far.times > 0).await?;
    if reproduced.times == 0 && !rest.is_empty() {
        steps.extend(rest);
        reproduced = probe.play_again(&steps, |so_far| so_far.times > 0).await?;
    }
    Ok(reproduced.times > 0)
}

/// Makes a failure as small as it can be made, if it comes again. Ended before, it is as small as it was made until
/// then.
///
/// What the model makes of fewer steps costs nothing, so they are only played where the model still answers the last
/// of them alike. Since the target may differ from the model, each step that remains is left out once in any case.
///
/// # Errors
/// [`Unreachable`] if the target does not answer.
pub(crate) async fn minimise<W: World>(
    world: &mut W,
    failure: &mut Failure,
) -> Result<(), Unreachable> {
    let is_reproduced = failure.reproduced.is_some_and(|so_far| so_far.times > 0);
    if !is_reproduced && !reproduce(world, failure).await? {
        return Ok(());
    }
    let reproducible = failure.clone();
    let Transcript { header, mut steps, .. } = reproducible.transcript.clone();
    // What some plays do not show gets as many for each smaller case.
    let is_stable = failure.reproduced.map(Reproduced::stability) == Some(Stability::Stable);
    let tries = if is_stable { 1 } else { W::PLAYS };
    let clause = failure.finding().clause;
    let mut probe = SameFinding { world, failure, rehearsed: None, tries, cuts: false };
    let rehearsed = probe.world.rehearse(&header, &steps, clause).await;
    if rehearsed.is_some() {
        probe.rehearsed.clone_from(&rehearsed);
        steps = fewest(steps, &mut probe).await?;
        steps = probe.unrehearsed(steps).await?;
    }
    probe.rehearsed = rehearsed;
    steps = shrink(steps, &mut probe).await?;
    steps = probe.unrehearsed(steps).await?;
    probe.failure.is_small = true;
    let again = probe.play_again(&steps, |_| false).await?;
    if again.times == 0 && again.plays > 0 {
        // The smaller case has shown it by chance.
        *failure = reproducible;
    }
    Ok(())
}

/// Whether steps show the failure; the last that did are kept as it.
struct SameFinding<'a, W> {
    world: &'a mut W,
    failure: &'a mut Failure,
    /// What the model makes of the failure, if steps are rehearsed before they are played.
    rehearsed: Option<Rehearsed>,
    /// How often steps are played until they show the failure.
    tries: u64,
    /// Whether it may be shown before the last of them.
    cuts: bool,
}

impl<W: World> SameFinding<'_, W> {
    /// Plays `steps`, and keeps them, as far as they were played, if they show the failure. `None` if not all of them
    /// may be sent any more.
    async fn play(&mut self, steps: &[Step]) -> Result<Option<bool>, Unreachable> {
        let Failure { case, transcript: Transcript { header, .. }, .. } = &*self.failure;
        let finding = self.failure.finding();
        let is_known = *steps == *self.failure.transcript.steps;
        let arrivals = if is_known { self.failure.arrivals_by_step() } else { Vec::new() };
        let mut played = play(&mut self.world.again(&arrivals).await?, header, steps).await?;
        if let Some(stopped) = played.stopped.take() {
            let silent = Silent::Stopped { suspects: Vec::new(), stopped };
            self.world.examine(header, &mut Summary::default(), silent).await?;
            return Ok(Some(false));
        }
        let unanswered = self.failure.answers.iter().filter(|(_, seen)| seen.is_none());
        if played.unsent.len() > unanswered.count() {
            return Ok(None);
        }
        let in_time = self.cuts || played.answers.len() == steps.len();
        let shown = in_time && played.findings.iter().any(|found| found.is_same(finding));
        if shown {
            // Others may come with it, but it is this one that the failure is named by.
            played.findings.sort_by_key(|found| !found.is_same(finding));
            let small = Failure::of(header, *case, steps.to_vec(), played);
            let Failure { steps_before, probes, is_small, reproduced, met, .. } = *self.failure;
            *self.failure = Failure { steps_before, probes, is_small, reproduced, met, ..small };
        }
        Ok(Some(shown))
    }

    /// Plays `steps` some times more, until it is `enough`.
    async fn play_again(
        &mut self,
        steps: &[Step],
        enough: fn(Reproduced) -> bool,
    ) -> Result<Reproduced, Unreachable> {
        let mut reproduced = Reproduced::default();
        self.failure.reproduced.get_or_insert(reproduced);
        while reproduced.plays < W::PLAYS && !enough(reproduced) {
            let Some(is_shown) = self.play(steps).await? else { break };
            reproduced.count(is_shown);
            self.failure.reproduced = Some(reproduced);
        }
        Ok(reproduced)
    }

    /// Leaves out each step that the model might need and the target does not.
    async fn unrehearsed(&mut self, steps: Vec<Step>) -> Result<Vec<Step>, Unreachable> {
        match self.rehearsed.take() {
            Some(_) => without_each(steps, self).await,
            None => Ok(steps),
        }
    }
}

impl<W: World> Probe for SameFinding<'_, W> {
    const MOST_FORMS: usize = W::MOST_FORMS;

    async fn still_fails(&mut self, steps: &[Step]) -> Result<bool, Unreachable> {
        if let Some(rehearsed) = &self.rehearsed {
            let (header, clause) = (&self.failure.transcript.header, self.failure.finding().clause);
            let now = self.world.rehearse(header, steps, clause).await;
            if now.as_ref() != Some(rehearsed) {
                return Ok(false);
            }
        }
        for _ in 0..self.tries {
            self.failure.probes += 1;
            if self.play(steps).await? == Some(true) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
