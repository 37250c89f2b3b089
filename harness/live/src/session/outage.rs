//! A target that stops answering: the run asks whether it answers again, and restarts it if the user gave a command.
//!
//! Without a restart nobody can try the steps again. Then one thing tells a crash from a service that somebody
//! stopped: what the service survived before. See `docs/reports.md`.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use tideover_exchange::evidence::Activity;
use tideover_exchange::target::{Silence, Unanswered};
use tideover_exchange::{Prepared, Response};
use tideover_suite::play::outage::Revival;

use crate::restart::{RestartFailed, restart};
use crate::session::{Session, StopReason};

/// The pauses between two requests that ask whether the target answers again. The last one repeats.
const PAUSES: [Duration; 5] = [
    Duration::from_millis(50),
    Duration::from_millis(100),
    Duration::from_millis(250),
    Duration::from_millis(500),
    Duration::from_secs(1),
];

/// How long a target may take to come back by itself, if a command can restart it.
const BRIEFLY: Duration = Duration::from_millis(200);

/// How long a target may take to answer after a restart.
const RESTART_TIME: Duration = Duration::from_secs(60);

/// When to ask whether the target outlasts its last step: a service may crash a moment after its response.
const LASTING: [Duration; 3] =
    [Duration::ZERO, Duration::from_millis(50), Duration::from_millis(200)];

/// After so many requests in a row without an answer the run asks for the subscriptions, and ends if they are not listed.
const MOST_UNANSWERED: u32 = 10;

/// A target that does not answer any more.
#[derive(Clone, Debug)]
pub(super) struct Outage {
    /// What happened, in words.
    why: String,
    /// Whether the last steps are to blame: the target never survived one like them, or still takes connections.
    is_suspect: bool,
    /// The plays whose step under way the target never survived.
    plays: Vec<u64>,
}

/// What a target does in a step, as far as that tells one step from another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Situation {
    operation: String,
    /// Whether a subscription of the run is in place, so that the step may cause a webhook.
    is_subscribed: bool,
}

/// What a target has survived: it answered a later request.
#[derive(Debug, Default)]
pub(super) struct Survival {
    survived: BTreeSet<Situation>,
    /// That of the last answered step, which is survived once another step is answered.
    last: Option<Situation>,
    /// Those of the steps that are under way, with the number of the play of each.
    under_way: Vec<(u64, Situation)>,
    /// Whether a webhook has arrived.
    webhook: bool,
}

impl Survival {
    fn begins(&mut self, play: u64, situation: Situation) {
        self.under_way.push((play, situation));
    }

    fn ends(&mut self, play: u64, situation: &Situation) {
        let is_it = |(other, known): &(u64, Situation)| *other == play && known == situation;
        if let Some(place) = self.under_way.iter().position(is_it) {
            self.under_way.remove(place);
        }
    }

    fn answered(&mut self, situation: Situation) {
        self.survived.extend(self.last.replace(situation));
    }

    pub(super) fn webhook(&mut self) {
        self.webhook = true;
    }

    /// Whether the target never survived a step like the last answered one, or like one under way. `listens`: the
    /// run would have received a webhook.
    fn is_new(&self, listens: bool) -> bool {
        let is_new = |one| self.is_new_in(one, listens);
        self.last.as_ref().is_some_and(is_new) || !self.new_plays(listens).is_empty()
    }

    /// The plays with a step under way that the target never survived.
    fn new_plays(&self, listens: bool) -> Vec<u64> {
        let is_new = |(_, one): &&(u64, Situation)| self.is_new_in(one, listens);
        self.under_way.iter().filter(is_new).map(|(play, _)| *play).collect()
    }

    fn is_new_in(&self, one: &Situation, listens: bool) -> bool {
        let first_webhook = listens && one.is_subscribed && !self.webhook;
        first_webhook || !self.survived.contains(one)
    }
}

impl Session {
    /// Notes whether the target answered `step`. If it did not, asks whether it answers again; if it never does, the
    /// run has no target any more.
    pub(super) async fn note_silence(
        &self,
        play: u64,
        step: &Prepared,
        situation: Situation,
        answered: Result<&Response, &Unanswered>,
    ) {
        let is_answered = silence(answered).is_none();
        if !is_answered {
            self.examine_silence(step, answered).await;
        }
        let mut state = self.state();
        state.survival.ends(play, &situation);
        if is_answered {
            state.survival.answered(situation);
        }
    }

    /// Counts the requests in a row that were not answered. What the service does for some requests may fail each time: it
    /// is out of order only if it lists no subscriptions either.
    pub(super) async fn note_outage(&self, answered: Result<&Response, &Unanswered>) {
        let why = match answered {
            Ok(seen) if matches!(seen.status, 502 | 504) => format!("it answers {}", seen.status),
            Ok(_) => {
                self.state().unanswered = 0;
                return;
            }
            Err(unanswered) => unanswered.why.clone(),
        };
        let times = {
            let mut state = self.state();
            state.unanswered += 1;
            if state.unanswered < MOST_UNANSWERED || state.ended.is_some() {
                return;
            }
            state.unanswered
        };
        let listed = self.exchange(0, &self.list()).await;
        let mut state = self.state();
        if listed.is_ok_and(|(answer, _)| answer.seen.is_success()) {
            state.unanswered = 0;
            return;
        }
        let target = &self.settings.target;
        state.ended.get_or_insert(StopReason::GivenUp(format!(
            "{target} is given up: {times} requests in a row were not answered, the last one since {why}"
        )));
    }

    /// Notes that a step is under way. Returns what the target does in it.
    pub(super) fn note_begin(&self, play: u64, step: &Prepared) -> Situation {
        let situation = self.situation(step);
        self.state().survival.begins(play, situation.clone());
        situation
    }

    /// Asks whether the target answers again.
    async fn examine_silence(&self, step: &Prepared, answered: Result<&Response, &Unanswered>) {
        if self.state().outage.is_some() || self.asks_operator(step) {
            return;
        }
        let wait = if self.settings.restart.is_some() { BRIEFLY } else { self.settings.timeout };
        let Err(last) = self.answers_within(wait).await else { return };
        if self.state().outage.is_some() {
            return;
        }
        let hears = self.inbox_is_proven();
        let (is_new, plays) = {
            let survival = &self.state().survival;
            (survival.is_new(hears), survival.new_plays(hears))
        };
        let is_suspect = match last {
            Silence::NoAnswer => true,
            Silence::Refused => is_new,
            Silence::Unreachable => false,
        };
        let (target, operation) = (&self.settings.target, step.operation());
        let came = match answered {
            Ok(seen) => format!("{} without a body of this API", seen.status),
            Err(unanswered) => unanswered.why.clone(),
        };
        let why = format!(
            "{target} stopped answering at {operation}, and did not answer again within {wait:?} ({came})"
        );
        let mut state = self.state();
        state.ended.get_or_insert(StopReason::GivenUp(why.clone()));
        state.outage = Some(Outage { why, is_suspect, plays });
    }

    /// The plays that had a step under way, when the target stopped, that it never survived before.
    pub(crate) fn suspects(&self) -> Vec<u64> {
        self.state().outage.as_ref().map(|outage| outage.plays.clone()).unwrap_or_default()
    }

    /// Why the target does not answer any more, if it stopped.
    pub(crate) fn outage(&self) -> Option<String> {
        self.state().outage.as_ref().map(|outage| outage.why.clone())
    }

    /// Whether the target still answers, asked a few times after its last step.
    pub(crate) async fn lasts(&self) -> bool {
        for pause in LASTING {
            tokio::time::sleep(pause).await;
            if self.ask_for_life().await.is_err() {
                return false;
            }
        }
        true
    }

    /// Waits until the target answers again, and restarts it if the user gave a command.
    pub(crate) async fn revive(&self) -> Revival {
        let Some(Outage { why, is_suspect, .. }) = self.state().outage.clone() else {
            return self.revive_from_silence().await;
        };
        let Some(command) = &self.settings.restart else {
            return Revival::Gone { why, is_suspect };
        };
        match self.restart(command).await {
            Ok(()) => {
                let mut state = self.state();
                state.outage = None;
                state.ended = None;
                Revival::Answers
            }
            Err(problem) => {
                let why = format!("{why}; {problem}");
                self.state().ended = Some(StopReason::GivenUp(why.clone()));
                Revival::Gone { why, is_suspect }
            }
        }
    }

    /// The same, where every step was answered, and only a request after the last one was not.
    async fn revive_from_silence(&self) -> Revival {
        let Some(command) = &self.settings.restart else {
            return match self.answers_within(self.settings.timeout).await {
                Ok(()) => Revival::Answers,
                Err(_) => {
                    let why = format!("{} stopped answering", self.settings.target);
                    self.state().ended = Some(StopReason::GivenUp(why.clone()));
                    Revival::Gone { why, is_suspect: true }
                }
            };
        };
        if self.answers_within(BRIEFLY).await.is_ok() {
            return Revival::Answers;
        }
        match self.restart(command).await {
            Ok(()) => Revival::Answers,
            Err(why) => Revival::Gone { why: why.to_string(), is_suspect: true },
        }
    }

    /// Runs the restart command, and waits until the target answers.
    pub(super) async fn restart(&self, command: &str) -> Result<(), RestartFailed> {
        let began = Instant::now();
        let restarted = self.restarted(command).await;
        self.state().spent.record(Activity::Outage, began.elapsed());
        restarted
    }

    async fn restarted(&self, command: &str) -> Result<(), RestartFailed> {
        let mut running = restart(command)?;
        let began = Instant::now();
        let mut pauses = pauses();
        loop {
            if self.ask_for_life().await.is_ok() {
                return Ok(());
            }
            running.check()?;
            if began.elapsed() >= RESTART_TIME {
                return Err(RestartFailed::TooSlow(RESTART_TIME));
            }
            tokio::time::sleep(pauses.next().unwrap_or_default()).await;
        }
    }

    /// Asks until the target answers or the time is over. The error says how it failed to answer last.
    async fn answers_within(&self, wait: Duration) -> Result<(), Silence> {
        let began = Instant::now();
        let mut pauses = pauses();
        let answered = loop {
            match self.ask_for_life().await {
                Ok(()) => break Ok(()),
                Err(silence) if began.elapsed() >= wait => break Err(silence),
                Err(_) => tokio::time::sleep(pauses.next().unwrap_or_default()).await,
            }
        };
        self.state().spent.record(Activity::Outage, began.elapsed());
        answered
    }

    /// Asks for a path that belongs to no operation: any HTTP response is a sign of life.
    async fn ask_for_life(&self) -> Result<(), Silence> {
        let answered = self.exchange(0, &self.get("/v1/")).await.map(|(answer, _)| answer.seen);
        silence(answered.as_ref()).map_or(Ok(()), Err)
    }

    fn situation(&self, step: &Prepared) -> Situation {
        let is_subscribed = !self.state().grants.references.is_empty();
        Situation { operation: step.operation(), is_subscribed }
    }

    /// Whether a step goes to an operator port that is not the target itself.
    fn asks_operator(&self, step: &Prepared) -> bool {
        let is_elsewhere = self.settings.operator.as_ref() != Some(&self.settings.target);
        is_elsewhere && step.call().is_none()
    }
}

fn pauses() -> impl Iterator<Item = Duration> {
    PAUSES.into_iter().chain(std::iter::repeat(PAUSES[PAUSES.len() - 1]))
}

/// How a target failed to answer, if it did. A gateway that reports a failure without a body of this API speaks for
/// a service that it cannot reach.
fn silence(answered: Result<&Response, &Unanswered>) -> Option<Silence> {
    match answered {
        Ok(seen) => is_gateway_failure(seen).then_some(Silence::Refused),
        Err(unanswered) => unanswered.silence,
    }
}

/// Whether something in front of the service reports that it does not reach the service.
pub(super) fn is_gateway_failure(seen: &Response) -> bool {
    matches!(seen.status, 502..=504) && seen.json().is_none()
}
