//! Finds out why a target stopped answering: plays the steps before again, and shrinks those that bring it down.
//!
//! A request without a response accuses the service only if it repeats, because the network may have lost the first.

use tideover_exchange::evidence::Reproduced;
use tideover_exchange::evidence::finding::{Finding, Verdict, names_outage};
use tideover_exchange::step::{Step, lets_fail};
use tideover_exchange::target::{MOST_READ_BEFORE_REFUSAL, Unreachable};
use tideover_exchange::transcript::{FindingName, Header};
use tideover_exchange::{Memory, Prepared};
use tideover_model::clause;

use crate::play::case::{Played, Stopped, play};
use crate::play::cases::{Failure, Silent, Summary, Suspect, Testbed};
use crate::play::shrink::{Probe, shrink};

/// How often steps must bring the target down, the first time included. Twice at the same steps is hardly chance.
const TIMES_DOWN: u64 = 2;

/// How often a request must get no response, the first time included, although the target answers others. A network
/// loses single requests, so that this takes one time more.
const TIMES_LOST: u64 = 3;

/// After so many lost requests that got a response the second time, the network is to blame, and no more are examined.
const MOST_IN_VAIN: u64 = 3;

/// Whether a target that stopped answering can be asked again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Revival {
    Answers,
    Gone {
        /// What happened, in words.
        why: String,
        /// Whether the last steps are to blame although they cannot be tried again.
        is_suspect: bool,
    },
}

/// A testbed whose target may stop answering and answer again.
pub trait Recovers: Testbed {
    /// Waits for a target that stopped answering, or restarts it.
    fn revive(&mut self) -> impl Future<Output = Revival>;
}

/// Finds out why the target gave no response, and adds the finding to the summary.
pub async fn examine<T: Recovers>(
    testbed: &mut T,
    header: &Header,
    summary: &mut Summary,
    silent: Silent,
) -> Result<(), Unreachable> {
    match silent {
        Silent::Stopped { suspects, stopped } => {
            examine_stop(testbed, header, summary, suspects, &stopped).await
        }
        Silent::Lost { suspect, index, why } => {
            examine_lost(testbed, header, summary, *suspect, (index, &why)).await
        }
    }
}

/// Finds out whether one of `suspects` brings the target down.
async fn examine_stop<T: Recovers>(
    testbed: &mut T,
    header: &Header,
    summary: &mut Summary,
    suspects: Vec<Suspect>,
    stopped: &Stopped,
) -> Result<(), Unreachable> {
    let failure = |suspect: &Suspect| suspect.failure(header, stopped);
    let Some(first) = suspects.first().map(failure) else {
        return revived(testbed, None, summary).await;
    };
    revived(testbed, Some(&first), summary).await?;
    let mut examined = Ok(());
    for suspect in &suspects {
        let mut failure = failure(suspect);
        if is_known(summary, &failure) {
            summary.count(failure);
            return Ok(());
        }
        let mut probe = Outage { testbed, header, failure: &mut failure };
        match probe.repeats(&suspect.steps, TIMES_DOWN).await {
            Ok(true) => return keep(testbed, header, summary, failure).await,
            Ok(false) => {}
            Err(unreachable) => {
                examined = Err(unreachable);
                break;
            }
        }
    }
    // It did not happen again, or could not be tried: the run must not pass.
    summary.notice_first(open(first));
    examined
}

/// Finds out whether a request never gets a response, although the target answers others after it. What loses a response
/// that the document does not promise only counts.
async fn examine_lost<T: Recovers>(
    testbed: &mut T,
    header: &Header,
    summary: &mut Summary,
    mut suspect: Suspect,
    (index, why): (usize, &str),
) -> Result<(), Unreachable> {
    if !is_promised(&suspect.steps[..=index]) || summary.lost_in_vain >= MOST_IN_VAIN {
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
    let mut probe = Outage { testbed, header, failure: &mut failure };
    if probe.repeats(&suspect.steps, TIMES_LOST).await? {
        return keep(testbed, header, summary, failure).await;
    }
    summary.lost_in_vain += 1;
    Ok(())
}

/// Whether a response to the last of `steps` must arrive. The document promises nothing of an operator port, nor that a
/// response to a large request reaches whoever still writes. What interrupts an import may drop its connection (§4
/// `GET /v1/invoices/imports/{externalId}` sentence 3), and the port may let any request fail.
fn is_promised(steps: &[Step]) -> bool {
    let Some(step) = steps.last() else { return false };
    let mut actions = steps.iter().filter_map(Step::acts);
    let is_disturbed = actions.any(|action| lets_fail(action, step.kind()));
    let sent = Prepared::from_step(step, &Memory::default(), "");
    let is_read = sent.call().is_some_and(|call| call.body().len() <= MOST_READ_BEFORE_REFUSAL);
    is_read && !is_disturbed
}

/// Goes on with a target that answers again. A target that is gone ends the run, and may be blamed for `failure`.
async fn revived<T: Recovers>(
    testbed: &mut T,
    failure: Option<&Failure>,
    summary: &mut Summary,
) -> Result<(), Unreachable> {
    match testbed.revive().await {
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

/// Counts a failure, so that an interrupted run still has it, and then shrinks it.
async fn keep<T: Recovers>(
    testbed: &mut T,
    header: &Header,
    summary: &mut Summary,
    failure: Failure,
) -> Result<(), Unreachable> {
    summary.count_broken(&failure.findings);
    let Some(failure) = summary.count(failure) else { return Ok(()) };
    let steps = failure.transcript.steps.clone();
    let times = failure.probes as u64;
    failure.reproduced = Some(Reproduced { times, plays: times });
    let mut probe = Outage { testbed, header, failure };
    shrink(steps, &mut probe).await?;
    probe.failure.is_small = true;
    Ok(())
}

fn is_known(summary: &Summary, failure: &Failure) -> bool {
    summary.failures.iter().any(|known| known.finding().is_same(failure.finding()))
}

/// A failure that did not happen again: nothing can be concluded from it.
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

/// What happened at the last of `steps`, if the target answers other requests.
fn lost(steps: &[Step], times: u64) -> String {
    format!("the service did not answer step {}, each of {times} times", steps.len())
}

/// §7 promises a response of one shape to every request.
fn finding(steps: &[Step], words: &str, why: &str) -> Finding {
    let last = steps.last().map(|step| Prepared::from_step(step, &Memory::default(), ""));
    let operation = last.map(|last| last.operation()).unwrap_or_default();
    Finding::outage(clause!("7.shape.1"), operation, words, why)
}

/// What happened at the last of `steps`, the ones that were played of `all`, and why; `None` if every step got a
/// response and the target still answers.
async fn seen<T: Testbed>(
    testbed: &mut T,
    played: &Played,
    steps: &[Step],
    all: usize,
) -> Option<(String, String)> {
    match (&played.stopped, played.lost.last()) {
        (Some(Stopped { in_flight, why }), _) => Some((words(steps, *in_flight), why.clone())),
        (None, Some((index, why))) if index + 1 == all => {
            Some((lost(steps, TIMES_LOST), why.clone()))
        }
        (None, _) if steps.len() < all || testbed.lasts().await => None,
        (None, _) => {
            Some((words(steps, false), "no connection right after its response".to_owned()))
        }
    }
}

/// The finding that a transcript of `steps` names, if it is an outage and `played` shows it.
pub async fn seen_again<T: Testbed>(
    testbed: &mut T,
    steps: &[Step],
    played: &Played,
    name: &FindingName,
) -> Option<Finding> {
    if !names_outage(name) {
        return None;
    }
    let steps_played = &steps[..played.answers.len().min(steps.len())];
    let (words, why) = seen(testbed, played, steps_played, steps.len()).await?;
    Some(finding(steps_played, &words, &why)).filter(|found| found.is_named(name))
}

/// Tests whether steps bring the target down, and keeps the last ones that did as the failure.
struct Outage<'a, T> {
    testbed: &'a mut T,
    header: &'a Header,
    failure: &'a mut Failure,
}

impl<T: Recovers> Outage<'_, T> {
    /// Whether the steps get no response `times` times in a row, the first time included.
    async fn repeats(&mut self, steps: &[Step], times: u64) -> Result<bool, Unreachable> {
        for _ in 1..times {
            let Some(failure) = self.attempt(steps).await? else { return Ok(false) };
            self.failure.take_evidence(failure);
        }
        Ok(true)
    }

    /// Plays the steps. Returns the failure if the target gave no response to one of them, or stopped after them.
    async fn attempt(&mut self, steps: &[Step]) -> Result<Option<Failure>, Unreachable> {
        let mut target = fresh(self.testbed).await?;
        let played = play(&mut target, self.header, steps).await?;
        let steps_played = &steps[..played.answers.len().min(steps.len())];
        let seen = seen(self.testbed, &played, steps_played, steps.len()).await;
        if seen.is_some() {
            revived(self.testbed, None, &mut Summary::default()).await?;
        }
        self.failure.probes += 1;
        Ok(seen.map(|(words, why)| {
            let findings = vec![finding(steps_played, &words, &why)];
            let (case, steps) = (self.failure.case, steps_played.to_vec());
            Failure::of(self.header, case, steps, Played { findings, ..played })
        }))
    }
}

impl<T: Recovers> Probe for Outage<'_, T> {
    /// Each form costs a restart of the target: minutes, where somebody has to restart it.
    const MOST_FORMS: usize = 20;

    async fn still_fails(&mut self, steps: &[Step]) -> Result<bool, Unreachable> {
        let failure = self.attempt(steps).await?;
        // The step that brings it down must be the last.
        let shown = failure.filter(|failure| failure.transcript.steps.len() == steps.len());
        let Some(failure) = shown else { return Ok(false) };
        self.failure.take_evidence(failure);
        Ok(true)
    }
}

/// Creates a fresh target. The cleanup before it may have brought the target down.
async fn fresh<T: Recovers>(testbed: &mut T) -> Result<T::Target, Unreachable> {
    match testbed.fresh().await {
        Err(_) if testbed.outage().is_some() => {
            revived(testbed, None, &mut Summary::default()).await?;
            testbed.fresh().await
        }
        fresh => fresh,
    }
}
