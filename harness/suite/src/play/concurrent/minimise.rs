//! Shrinks a race with a violation to the few requests that meet, and the few before them that matter.

use std::collections::BTreeSet;

use tideover_exchange::evidence::Reproduced;
use tideover_exchange::step::Step;
use tideover_exchange::target::{ModelTarget, Unreachable};
use tideover_exchange::transcript::{Header, Lanes};
use tideover_exchange::{Prepared, Race};
use tideover_model::Service;

use crate::play::cases::Failure;
use crate::play::concurrent::history::{ALONE, History};
use crate::play::concurrent::judgement::contradictions;
use crate::play::concurrent::summary::{New, failure};
use crate::play::concurrent::testbed::RaceTestbed;
use crate::play::shrink::{Part, Probe, fewest, shrink};

/// How often the smallest race is run again, to show how often chance reproduces it.
const RUNS: u64 = 5;

/// Shrinks a failure of `history`. First the model says which of the requests before it matter, which costs nothing.
/// Then, where races may be run again, ever smaller ones are run.
pub(super) async fn minimise<T: RaceTestbed>(
    testbed: &mut T,
    header: &Header,
    (history, seed): (&History, u64),
    New { leading, racing, .. }: New,
    found: &mut Failure,
) -> Result<(), Unreachable> {
    let all_leading = leading.clone();
    let mut rehearsal = Rehearsal { header, history, racing: &racing, wanted: Vec::new() };
    rehearsal.wanted = rehearsal.answers(&leading);
    let leading = fewest(leading, &mut rehearsal).await?;
    let few = failure(header, found.case, history, found.finding(), (&leading, &racing));
    *found = Failure { met: found.met, reproduced: Some(Reproduced::default()), ..few };
    if testbed.tries() == 0 {
        return Ok(());
    }
    let sent = |of: Vec<usize>| of.into_iter().map(|one| Sent::of(history, one)).collect();
    let shown = |leading: &[usize]| -> Vec<usize> {
        leading.iter().chain(&racing).copied().collect::<BTreeSet<usize>>().into_iter().collect()
    };
    // If too little is left to show the failure, more is tried.
    let ever_larger: [Vec<Sent>; 3] = [
        sent(shown(&leading)),
        sent(shown(&all_leading)),
        sent((0..history.requests.len()).collect()),
    ];
    let mut probe = SameFinding { testbed, header, seed, failure: found, runs: 0 };
    for begin in ever_larger {
        if probe.still_fails(&begin).await? {
            let small = shrink(begin, &mut probe).await?;
            // A finding that needs no race is shown without one.
            let alone = |sent: &Sent| Sent { client: ALONE, step: sent.step.clone() };
            let one_by_one: Vec<Sent> = small.iter().map(alone).collect();
            let needs_none = probe.still_fails(&one_by_one).await?;
            probe.failure.is_small = true;
            return probe.run_again(if needs_none { one_by_one } else { small }).await;
        }
    }
    let plays = probe.runs as u64;
    probe.failure.reproduced = Some(Reproduced { times: 0, plays });
    Ok(())
}

/// The model's responses to the requests of a race, one after the other, after some of the requests before it.
struct Rehearsal<'a> {
    header: &'a Header,
    history: &'a History,
    racing: &'a [usize],
    wanted: Vec<(u16, Option<String>)>,
}

impl Rehearsal<'_> {
    fn answers(&self, leading: &[usize]) -> Vec<(u16, Option<String>)> {
        let Header { profile, seed, start, .. } = self.header;
        let mut model = ModelTarget::new(profile.clone(), *seed, *start);
        let mut answers = Vec::new();
        for index in leading.iter().chain(self.racing).collect::<BTreeSet<_>>() {
            let sent = &self.history.requests[*index].sent;
            let first_key = |_: &String| format!("Bearer {}", Service::FIRST_KEY);
            let authorization = sent.authorization.as_ref().map(first_key);
            let seen = model.play(&Prepared { authorization, ..sent.clone() });
            if self.racing.contains(index) {
                answers.push((seen.status, seen.code().map(str::to_owned)));
            }
        }
        answers
    }
}

impl Probe<usize> for Rehearsal<'_> {
    async fn still_fails(&mut self, leading: &[usize]) -> Result<bool, Unreachable> {
        Ok(self.answers(leading) == self.wanted)
    }
}

/// A step, and who sends it.
#[derive(Clone, PartialEq)]
struct Sent {
    client: usize,
    step: Step,
}

impl Part for Sent {
    fn step(&self) -> &Step {
        &self.step
    }

    fn with(&self, step: Step) -> Sent {
        Sent { step, ..*self }
    }
}

impl Sent {
    fn of(history: &History, request: usize) -> Sent {
        let request = &history.requests[request];
        Sent { client: request.client, step: request.step.clone() }
    }
}

/// Tests whether a race shows the finding of `failure`, and keeps the last one that did.
struct SameFinding<'a, T> {
    testbed: &'a mut T,
    header: &'a Header,
    /// The seed of the last run that showed it.
    seed: u64,
    failure: &'a mut Failure,
    runs: usize,
}

impl<T: RaceTestbed> SameFinding<'_, T> {
    /// Runs a race once, and keeps it if it shows the finding.
    async fn run(&mut self, sent: &[Sent], seed: u64) -> Result<bool, Unreachable> {
        let race = Race::of(sent.iter().map(|sent| (sent.client, sent.step.clone())));
        let (history, known) = self.testbed.run(self.header, &race, seed).await?;
        let found = contradictions(&history, &known).into_iter();
        let same = |finding: &_| self.failure.finding().is_same(finding);
        let Some(finding) = found.map(|one| one.finding).find(same) else { return Ok(false) };
        let all: Vec<usize> = (0..history.requests.len()).collect();
        let mut small = failure(self.header, self.failure.case, &history, &finding, (&[], &all));
        if let Some(Lanes { schedule, .. }) = &mut small.transcript.race {
            *schedule = seed;
        }
        self.failure.take_evidence(small);
        self.seed = seed;
        Ok(true)
    }

    /// Runs the smallest race [`RUNS`] times, and counts how often it shows the finding.
    async fn run_again(&mut self, sent: Vec<Sent>) -> Result<(), Unreachable> {
        let (seed, mut reproduced) = (self.seed, Reproduced::default());
        for further in 0..RUNS {
            reproduced.count(self.run(&sent, seed.wrapping_add(further)).await?);
            self.failure.reproduced = Some(reproduced);
        }
        Ok(())
    }
}

impl<T: RaceTestbed> Probe<Sent> for SameFinding<'_, T> {
    const MOST_FORMS: usize = T::MOST_RACE_FORMS;

    async fn still_fails(&mut self, sent: &[Sent]) -> Result<bool, Unreachable> {
        let seed = self.seed;
        for further in 0..self.testbed.tries() {
            self.runs += 1;
            if self.run(sent, seed.wrapping_add(further)).await? {
                self.failure.probes = self.runs;
                return Ok(true);
            }
        }
        if self.failure.probes > 0 {
            self.failure.probes = self.runs;
        }
        Ok(false)
    }
}
