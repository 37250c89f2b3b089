//! Why a target stopped answering: the steps before it are played again, and shrunk to those that bring it down.

use tideover_exchange::evidence::Reproduced;
use tideover_exchange::evidence::finding::{Finding, Verdict, names_outage};
use tideover_exchange::step::{Action, Step};
use tideover_exchange::target::Unreachable;
use tideover_exchange::transcript::{FindingName, Header};
use tideover_exchange::{Memory, Prepared};
use tideover_model::clause;

use crate::play::case::{Played, Stopped, play};
use crate::play::cases::{Failure, Silent, Summary, Suspect, World};
use crate::play::shrink::{Probe, shrink};

/// How often a request must get no answer, the first time included, before that is a finding: one that takes the
/// target down with it, and one after which the target answers others, so that the network may have lost it.
const TIMES_DOWN: u64 = 2;
const TIMES_LOST: u64 = 3;

/// The most requests without an answer that are examined in vain. A network that loses more is no service's fault.
const MOST_IN_VAIN: u64 = 3;

/// Whether a target that stopped answering can be asked again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Revival {
    /// It answers.
    Answers,
    /// It does not.
    Gone {
        /// What happened, in words.
        why: String,
        /// Whether its last steps are to blame although they cannot be tried again.
        is_suspect: bool,
    },
}

/// A world whose target may stop answering and answer again.
pub trait Recovers: World {
    /// Brings back a target that stopped answering, if that is possible.
    fn revive(&mut self) -> impl Future<Output = Revival>;
}

/// Finds out why the target gave no answer, and adds what it finds to the summary.
///
/// # Errors
/// [`Unreachable`] if the target cannot be asked again.
pub async fn examine<W: Recovers>(
    world: &mut W,
    header: &Header,
    summary: &mut Summary,
    silent: Silent,
) -> Result<(), Unreachable> {
    match silent {
        Silent::Stopped { suspects, stopped } => {
            examine_stop(world, header, summary, suspects, &stopped).await
        }
        Silent::Lost { suspect, index, why } => {
            examine_lost(world, header, summary, *suspect, (index, &why)).await
        }
    }
}

/// Finds out whether one of `suspects` brings the target down.
async fn examine_stop<W: Recovers>(
    world: &mut W,
    header: &Header,
    summary: &mut Summary,
    suspects: Vec<Suspect>,
    stopped: &Stopped,
) -> Result<(), Unreachable> {
    let failure = |suspect: &Suspect| suspect.failure(header, stopped);
    let Some(first) = suspects.first().map(failure) else {
        return revived(world, None, summary).await;
    };
    revived(world, Some(&first), summary).await?;
    let mut examined = Ok(());
    for suspect in &suspects {
        let mut failure = failure(suspect);
        if is_known(summary, &failure) {
            summary.count(failure);
            return Ok(());
        }
        let mut probe = Outage { world, header, failure: &mut failure, probes: 0 };
        match probe.repeats(&suspect.steps, TIMES_DOWN).await {
            Ok(true) => return keep(world, header, summary, failure).await,
            Ok(false) => {}
            Err(unreachable) => {
                examined = Err(unreachable);
                break;
            }
        }
    }
    // It did not come again, or nobody knows whether it does: the run must not pass.
    summary.notice_first(open(first));
    examined
}

/// Finds out whether the target never answers a request, although it answers others after it. The document promises
/// nothing of an operator port: what that leaves unanswered is only counted.
async fn examine_lost<W: Recovers>(
    world: &mut W,
    header: &Header,
    summary: &mut Summary,
    mut suspect: Suspect,
    (index, why): (usize, &str),
) -> Result<(), Unreachable> {
    let is_promised = matches!(suspect.steps[index].action, Action::Call(_));
    if !is_promised || summary.lost_in_vain >= MOST_IN_VAIN {
        return Ok(());
    }
    suspect.steps.truncate(index + 1);
    suspect.played.answers.truncate(index + 1);
    let stopped = Stopped { in_flight: true, why: why.to_owned() };
    let mut failure = suspect.failure(header, &stopped);
    failure.findings = vec![finding(&suspect.steps, &lost(&suspect.steps, TIMES_LOST), why)];
    if is_known(summary, &failure) {
        summary.count(failure);
        return Ok(());
    }
    let mut probe = Outage { world, header, failure: &mut failure, probes: 0 };
    if probe.repeats(&suspect.steps, TIMES_LOST).await? {
        return keep(world, header, summary, failure).await;
    }
    summary.lost_in_vain += 1;
    Ok(())
}

/// Goes on with a target that answers again. One that is gone ends the run; `failure` is what it may be blamed for.
async fn revived<W: Recovers>(
    world: &mut W,
    failure: Option<&Failure>,
    summary: &mut Summary,
) -> Result<(), Unreachable> {
    match world.revive().await {
        Revival::Answers => Ok(()),
        Revival::Gone { why, is_suspect } => {
            if let Some(failure) = failure.filter(|_| is_suspect) {
                let mut failure = failure.clone();
                for finding in &mut failure.findings {
                    *finding = finding.because(&why);
                }
                summary.count_broken(&failure.findings);
                summary.count(failure);
            }
            Err(Unreachable(why))
        }
    }
}

/// Counts a failure, and shrinks it. It is counted before, so that an interrupted run still has it.
async fn keep<W: Recovers>(
    world: &mut W,
    header: &Header,
    summary: &mut Summary,
    failure: Failure,
) -> Result<(), Unreachable> {
    summary.count_broken(&failure.findings);
    let Some(failure) = summary.count(failure) else { return Ok(()) };
    let steps = failure.transcript.steps.clone();
    let probes = failure.probes;
    let times = probes as u64;
    failure.reproduced = Some(Reproduced { times, plays: times });
    let mut probe = Outage { world, header, failure, probes };
    shrink(steps, &mut probe).await?;
    probe.failure.is_small = true;
    Ok(())
}

fn is_known(summary: &Summary, failure: &Failure) -> bool {
    summary.failures.iter().any(|known| known.finding().is_same(failure.finding()))
}

/// A failure that was seen once and not again: nothing can be concluded from it.
fn open(mut failure: Failure) -> Failure {
    failure.reproduced = Some(Reproduced { times: 0, plays: 1 });
    for finding in &mut failure.findings {
        finding.verdict = Verdict::Inconclusive;
    }
    failure
}

impl Suspect {
    fn failure(&self, header: &Header, stopped: &Stopped) -> Failure {
        let played = self.played.answers.len();
        let steps = &self.steps[..played.min(self.steps.len())];
        let words = words(steps, stopped.in_flight);
        let finding = finding(steps, &words, &stopped.why);
        let played = Played { findings: vec![finding], ..self.played.clone() };
        Failure::of(header, self.case, steps.to_vec(), played)
    }
}

/// What happened at the last of `steps`.
fn words(steps: &[Step], in_flight: bool) -> String {
    let when = if in_flight { "during" } else { "after" };
    format!("the service stopped answering {when} step {}", steps.len())
}

/// What happened at the last of `steps`, if the target answers others.
fn lost(steps: &[Step], times: u64) -> String {
    format!("the service did not answer step {}, each of {times} times", steps.len())
}

/// §7 promises a response to every request, in one form.
fn finding(steps: &[Step], words: &str, why: &str) -> Finding {
    let last = steps.last().map(|step| Prepared::from_step(step, &Memory::default(), ""));
    let operation = last.map(|last| last.operation()).unwrap_or_default();
    Finding::outage(clause!("7.shape.1"), operation, words, why)
}

/// What happened at the last of the steps that were played, of so many.
async fn seen<W: World>(
    world: &mut W,
    played: &Played,
    steps: &[Step],
    all: usize,
) -> Option<(String, String)> {
    match (&played.stopped, played.lost.last()) {
        (Some(Stopped { in_flight, why }), _) => Some((words(steps, *in_flight), why.clone())),
        (None, Some((index, why))) if index + 1 == all => {
            Some((lost(steps, TIMES_LOST), why.clone()))
        }
        (None, _) if steps.len() < all || world.lasts().await => None,
        (None, _) => {
            Some((words(steps, false), "no connection right after its response".to_owned()))
        }
    }
}

/// The finding that a transcript of `steps` names, if it is that the target gives no answer, and `played` shows it.
pub async fn seen_again<W: World>(
    world: &mut W,
    steps: &[Step],
    played: &Played,
    name: &FindingName,
) -> Option<Finding> {
    if !names_outage(name) {
        return None;
    }
    let steps_played = &steps[..played.answers.len().min(steps.len())];
    let (words, why) = seen(world, played, steps_played, steps.len()).await?;
    Some(finding(steps_played, &words, &why)).filter(|found| found.is_named(name))
}

/// Whether steps bring the target down; the last that did are kept as the failure.
struct Outage<'a, W> {
    world: &'a mut W,
    header: &'a Header,
    failure: &'a mut Failure,
    probes: usize,
}

impl<W: Recovers> Outage<'_, W> {
    /// Whether the steps get no answer again and again, `times` times with the first.
    async fn repeats(&mut self, steps: &[Step], times: u64) -> Result<bool, Unreachable> {
        for _ in 1..times {
            let Some(failure) = self.attempt(steps).await? else { return Ok(false) };
            self.take(failure);
        }
        Ok(true)
    }

    /// Plays the steps; the failure, if the target gave no answer to one of them or none after them.
    async fn attempt(&mut self, steps: &[Step]) -> Result<Option<Failure>, Unreachable> {
        let mut target = fresh(self.world).await?;
        let played = play(&mut target, self.header, steps).await?;
        self.probes += 1;
        let steps_played = &steps[..played.answers.len().min(steps.len())];
        let seen = seen(self.world, &played, steps_played, steps.len()).await;
        if seen.is_some() {
            revived(self.world, None, &mut Summary::default()).await?;
        }
        Ok(seen.map(|(words, why)| {
            let findings = vec![finding(steps_played, &words, &why)];
            let (case, steps) = (self.failure.case, steps_played.to_vec());
            Failure::of(self.header, case, steps, Played { findings, ..played })
        }))
    }

    fn take(&mut self, failure: Failure) {
        let Failure { steps_before, met, reproduced, .. } = *self.failure;
        let probes = self.probes;
        *self.failure = Failure { steps_before, met, probes, reproduced, ..failure };
    }
}

impl<W: Recovers> Probe for Outage<'_, W> {
    /// Each costs a restart.
    const MOST_FORMS: usize = 20;

    async fn still_fails(&mut self, steps: &[Step]) -> Result<bool, Unreachable> {
        let failure = self.attempt(steps).await?;
        self.failure.probes = self.probes;
        // Nothing may stand behind the step that brings it down.
        match failure.filter(|failure| failure.transcript.steps.len() == steps.len()) {
            Some(failure) => {
                self.take(failure);
                Ok(true)
            }
            None => Ok(false),
        }
    }
}

/// A fresh target. What was cleaned up before may have brought the target down.
async fn fresh<W: Recovers>(world: &mut W) -> Result<W::Target, Unreachable> {
    match world.fresh().await {
        Err(_) if world.outage().is_some() => {
            revived(world, None, &mut Summary::default()).await?;
            world.fresh().await
        }
        fresh => fresh,
    }
}
