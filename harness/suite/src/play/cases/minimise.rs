//! Finds out whether a failure comes again, and makes it as small as it can be made.

use tideover_exchange::evidence::{Reproduced, Stability};
use tideover_exchange::step::Step;
use tideover_exchange::target::Unreachable;
use tideover_exchange::transcript::Transcript;

use crate::play::case::play;
use crate::play::cases::{Failure, Rehearsed, Silent, Summary, World};
use crate::play::shrink::{Probe, fewest, shrink, without_each};

/// Plays the steps of a failure again until they show it. If they never do, the rest of the case is played as well:
/// what was left of other cases may have shown it early. Returns whether it was shown.
///
/// # Errors
/// [`Unreachable`] if the target does not answer.
pub async fn reproduce<W: World>(
    world: &mut W,
    failure: &mut Failure,
) -> Result<bool, Unreachable> {
    let mut steps = failure.transcript.steps.clone();
    let rest = failure.unplayed.clone();
    let mut probe =
        SameFinding { world, failure, rehearsed: None, needs: Plays::AnyOf(1), cuts: true };
    // One play says too little of a target that depends on chance or time.
    let mut reproduced = probe.play_again(&steps).await?;
    if reproduced.times == 0 && !rest.is_empty() {
        steps.extend(rest);
        reproduced = probe.play_again(&steps).await?;
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
pub async fn minimise<W: World>(world: &mut W, failure: &mut Failure) -> Result<(), Unreachable> {
    let is_reproduced = failure.reproduced.is_some_and(|so_far| so_far.times > 0);
    if !is_reproduced && !reproduce(world, failure).await? {
        return Ok(());
    }
    let reproducible = failure.clone();
    let is_stable =
        |one: &Failure| one.reproduced.map(Reproduced::stability) == Some(Stability::Stable);
    // What some plays do not show gets as many for each smaller case.
    let needs = Plays::AnyOf(if is_stable(failure) { 1 } else { W::PLAYS });
    make_small(world, failure, needs).await?;
    if is_stable(&reproducible) && failure.reproduced.is_some_and(is_mixed) {
        // A play has shown a smaller case by chance: from here on, each play must show it.
        let probes = failure.probes;
        *failure = Failure { probes, ..reproducible.clone() };
        make_small(world, failure, Plays::Each(W::PLAYS)).await?;
    }
    let is_lost = |so_far: Reproduced| so_far.times == 0 && so_far.plays > 0;
    if failure.reproduced.is_some_and(is_lost) {
        *failure = reproducible;
    }
    Ok(())
}

/// Whether some plays did not show a failure.
fn is_mixed(so_far: Reproduced) -> bool {
    so_far.times < so_far.plays
}

/// Makes a failure as small as it can be made, and counts how often it comes again then.
async fn make_small<W: World>(
    world: &mut W,
    failure: &mut Failure,
    needs: Plays,
) -> Result<(), Unreachable> {
    let Transcript { header, mut steps, .. } = failure.transcript.clone();
    let clause = failure.finding().clause;
    let mut probe = SameFinding { world, failure, rehearsed: None, needs, cuts: false };
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
    probe.play_again(&steps).await?;
    Ok(())
}

/// How many plays of a smaller case must show the failure.
#[derive(Clone, Copy)]
enum Plays {
    /// One of so many.
    AnyOf(u64),
    /// Each of so many.
    Each(u64),
}

/// Whether steps show the failure; the last that did are kept as it.
struct SameFinding<'a, W> {
    world: &'a mut W,
    failure: &'a mut Failure,
    /// What the model makes of the failure, if steps are rehearsed before they are played.
    rehearsed: Option<Rehearsed>,
    /// How many plays must show the failure.
    needs: Plays,
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

    /// Plays `steps` some times more, and counts how often they show the failure.
    async fn play_again(&mut self, steps: &[Step]) -> Result<Reproduced, Unreachable> {
        let mut reproduced = Reproduced::default();
        self.failure.reproduced.get_or_insert(reproduced);
        while reproduced.plays < W::PLAYS {
            let Some(is_shown) = self.play(steps).await? else { break };
            reproduced.count(is_shown);
            self.failure.reproduced = Some(reproduced);
        }
        Ok(reproduced)
    }

    /// Forgets the plays since `before`, if there is such a moment.
    fn restore(&mut self, before: Option<Failure>) {
        let probes = self.failure.probes;
        if let Some(before) = before {
            *self.failure = Failure { probes, ..before };
        }
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
        // The first play that is as this says decides.
        let (most, decisive) = match self.needs {
            Plays::AnyOf(most) => (most, true),
            Plays::Each(most) => (most, false),
        };
        let before = (!decisive).then(|| self.failure.clone());
        for _ in 0..most {
            self.failure.probes += 1;
            if (self.play(steps).await? == Some(true)) == decisive {
                self.restore(before);
                return Ok(decisive);
            }
        }
        Ok(!decisive)
    }
}
