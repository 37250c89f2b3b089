//! Plays a transcript again, until it shows its finding or often enough.

use std::collections::{BTreeMap, VecDeque};

use tideover_exchange::evidence::Reproduced;
use tideover_exchange::evidence::finding::{Finding, Verdict};
use tideover_exchange::evidence::outcome::Outcome;
use tideover_exchange::target::Unreachable;
use tideover_exchange::transcript::{Lanes, Transcript};

use crate::play::case::{Played, play};
use crate::play::cases::Testbed;
use crate::play::concurrent::{History, Known, RaceTestbed, TimedRequest, contradictions};
use crate::play::outage::seen_again;

/// How often steps are played until they show their finding, unless the user says how often. Sequential steps show it
/// nearly always; they miss it where a foreign target chooses otherwise.
const TRIES: u64 = 5;

/// The same for a race, where chance decides which requests meet.
const TRIES_OF_RACE: u64 = 20;

/// The plays of a transcript.
#[derive(Clone, Debug)]
pub struct Replay<'a> {
    transcript: &'a Transcript,
    /// The most plays.
    most: u64,
    /// Whether the first play that shows the finding is the last one.
    ends_early: bool,
    /// How often the finding was shown. Without a finding, how often something did not hold.
    pub reproduced: Reproduced,
    /// The first play that shows it, otherwise the last play.
    pub shown: Played,
    /// Why there were fewer plays than asked for.
    pub ended: Option<String>,
}

impl<'a> Replay<'a> {
    /// A replay of `transcript` with `tries` plays. If that is `None`, it ends with the first play that shows the
    /// finding.
    pub fn new(transcript: &'a Transcript, tries: Option<u64>) -> Replay<'a> {
        let usual = match (&transcript.finding, &transcript.race) {
            (None, _) => 1,
            (Some(_), None) => TRIES,
            (Some(_), Some(_)) => TRIES_OF_RACE,
        };
        Replay {
            transcript,
            most: tries.unwrap_or(usual),
            ends_early: tries.is_none(),
            reproduced: Reproduced::default(),
            shown: Played::default(),
            ended: None,
        }
    }

    /// Plays the transcript with `play`. It gets the number of each play, from 0.
    ///
    /// # Errors
    /// [`Unreachable`] if the target does not answer the first time.
    pub async fn run(
        &mut self,
        mut play: impl AsyncFnMut(&Transcript, u64) -> Result<Played, Unreachable>,
    ) -> Result<(), Unreachable> {
        while self.reproduced.plays < self.most {
            match play(self.transcript, self.reproduced.plays).await {
                Ok(played) => self.keep(played),
                Err(Unreachable(why)) if self.reproduced.plays > 0 => {
                    self.ended = Some(why);
                    return Ok(());
                }
                Err(unreachable) => return Err(unreachable),
            }
            if self.ends_early && self.reproduced.times > 0 {
                return Ok(());
            }
        }
        Ok(())
    }

    fn keep(&mut self, played: Played) {
        let shows = match &self.transcript.finding {
            Some(name) => all(&played).any(|found| found.breaks_named(name)),
            None => !played.held(),
        };
        if self.reproduced.times == 0 {
            self.shown = played;
        }
        self.reproduced.count(shows);
    }

    /// The finding that was reproduced.
    pub fn finding(&self) -> Option<&Finding> {
        let name = self.transcript.finding.as_ref()?;
        let broken = || all(&self.shown).filter(|found| found.breaks_named(name));
        broken().find(|found| found.is_named(name)).or_else(|| broken().next())
    }

    /// The number of steps without a response in the shown play.
    pub fn unanswered(&self) -> usize {
        self.shown.answers.iter().filter(|(_, seen)| seen.is_none()).count()
    }

    /// The outcome of the finding that the transcript names, or inconclusive if it was not reproduced. Without a named
    /// finding, the outcome of everything found.
    pub fn outcome(&self) -> Outcome {
        if self.transcript.finding.is_some() {
            return self.finding().map_or(Outcome::Inconclusive, |found| match found.verdict {
                Verdict::Violated => Outcome::Fail,
                Verdict::Inconclusive => Outcome::Inconclusive,
                Verdict::Stalled => Outcome::Stalled,
                Verdict::DiffersFromAssumption => Outcome::Differs,
            });
        }
        let met = |verdict| all(&self.shown).any(|found| found.verdict == verdict);
        if met(Verdict::Violated) || !self.shown.mismatches.is_empty() {
            Outcome::Fail
        } else if met(Verdict::Inconclusive) || self.unanswered() > 0 {
            Outcome::Inconclusive
        } else {
            Outcome::Pass
        }
    }
}

/// All findings of a play.
fn all(played: &Played) -> impl Iterator<Item = &Finding> {
    played.findings.iter().chain(played.noticed.iter().map(|(_, found)| found))
}

/// Plays the steps of `transcript` one after the other.
pub async fn play_steps<T: Testbed>(
    testbed: &mut T,
    transcript: &Transcript,
) -> Result<Played, Unreachable> {
    let arrivals: Vec<usize> = transcript.recorded.iter().map(|was| was.arrivals).collect();
    let steps = &transcript.steps;
    let mut target = testbed.again(&arrivals).await?;
    let mut played = play(&mut target, &transcript.header, steps).await?;
    if let Some(name) = &transcript.finding {
        played.findings.extend(seen_again(testbed, steps, &played, name).await);
    }
    Ok(played)
}

/// Plays `transcript`, a race or not, for the time `nth`, from 0.
pub async fn play_either<T: RaceTestbed>(
    testbed: &mut T,
    transcript: &Transcript,
    nth: u64,
) -> Result<Played, Unreachable> {
    let Some(race) = transcript.as_race() else { return play_steps(testbed, transcript).await };
    let schedule = transcript.race.as_ref().map_or(0, |lanes| lanes.schedule);
    let seed = schedule.wrapping_add(nth);
    let (history, known) = testbed.run(&transcript.header, &race, seed).await?;
    Ok(raced(transcript, &history, &known))
}

/// The outcome of a race, in the order of the steps of `transcript`.
pub fn raced(transcript: &Transcript, history: &History, known: &Known) -> Played {
    let clients = transcript.race.as_ref().map(|Lanes { clients, .. }| &**clients);
    let clients = clients.unwrap_or_default();
    let mut sent: BTreeMap<usize, VecDeque<&TimedRequest>> = BTreeMap::new();
    for request in &history.requests {
        sent.entry(request.client).or_default().push_back(request);
    }
    // The history numbers the clients in the order in which their steps stand.
    let mut numbers: Vec<usize> = vec![0];
    let mut answers = Vec::with_capacity(transcript.steps.len());
    for (step, client) in transcript.steps.iter().zip(clients) {
        let number = numbers.iter().position(|known| known == client).unwrap_or_else(|| {
            numbers.push(*client);
            numbers.len() - 1
        });
        let queue = sent.entry(number).or_default();
        // A request that never left is not in the history.
        let request = queue.pop_front_if(|request| request.step == *step);
        let now = request.map_or(known.start, |request| request.now);
        answers.push((now, request.and_then(|request| request.seen().cloned())));
    }
    let findings = contradictions(history, known).into_iter().map(|one| one.finding).collect();
    Played { answers, findings, ..Played::default() }
}
