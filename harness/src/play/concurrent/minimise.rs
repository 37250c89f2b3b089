//! Shrinks a race with a violation to the few requests that race, and the few before them that matter.

use std::collections::BTreeSet;

use tideover_model::Service;

use crate::endpoint::{Bare, Unreachable};
use crate::exchange::step::Step;
use crate::exchange::transcript::Header;
use crate::exchange::{Prepared, Race};
use crate::play::cases::Failure;
use crate::play::concurrent::course::Course;
use crate::play::concurrent::history::{ALONE, History};
use crate::play::concurrent::judgement::contradictions;
use crate::play::concurrent::summary::{New, failure};
use crate::play::shrink::{Part, Probe, fewest, shrink};

/// Makes a failure small that `history` has shown. First the model says which of the requests that led to it matter;
/// then, where that costs nothing, ever smaller races are run.
///
/// # Errors
/// [`Unreachable`] if the target does not answer.
pub(super) async fn minimise<C: Course>(
    course: &mut C,
    header: &Header,
    (history, seed): (&History, u64),
    New { leading, racing, .. }: New,
    found: &mut Failure,
) -> Result<(), Unreachable> {
    let mut rehearsal = Rehearsal { header, history, racing: &racing, wanted: Vec::new() };
    rehearsal.wanted = rehearsal.answers(&leading);
    let leading = fewest(leading, &mut rehearsal).await?;
    let few = failure(header, found.case, history, found.finding(), (&leading, &racing));
    *found = Failure { met: found.met, ..few };
    if C::TRIES == 0 {
        return Ok(());
    }
    let shown = leading.into_iter().chain(racing).collect::<BTreeSet<usize>>();
    let few = shown.into_iter().map(|one| Sent::of(history, one)).collect::<Vec<Sent>>();
    let mut probe = SameFinding { course, header, seed, failure: found, runs: 0 };
    let begin = if probe.still_fails(&few).await? {
        few
    } else {
        (0..history.requests.len()).map(|one| Sent::of(history, one)).collect()
    };
    let small = shrink(begin, &mut probe).await?;
    // A finding that needs no race is shown without one.
    let one_by_one: Vec<Sent> =
        small.into_iter().map(|sent| Sent { client: ALONE, ..sent }).collect();
    probe.still_fails(&one_by_one).await.map(drop)
}

/// What the model answers to the requests of a race, one after the other, after some of those that led to it.
struct Rehearsal<'a> {
    header: &'a Header,
    history: &'a History,
    racing: &'a [usize],
    wanted: Vec<(u16, Option<String>)>,
}

impl Rehearsal<'_> {
    fn answers(&self, leading: &[usize]) -> Vec<(u16, Option<String>)> {
        let Header { profile, seed, start, .. } = self.header;
        let mut model = Bare::new(profile.clone(), *seed, *start);
        let mut answers = Vec::new();
        for index in leading.iter().chain(self.racing).collect::<BTreeSet<_>>() {
            let sent = &self.history.requests[*index].sent;
            let own = || format!("Bearer {}", Service::FIRST_KEY);
            let authorization = sent.authorization.as_ref().map(|_| own());
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

impl Race {
    /// What is sent alone before anything is sent at once comes before the race, the rest after it.
    fn of(sent: &[Sent]) -> Race {
        let mut race = Race::default();
        let mut clients = Vec::new();
        for Sent { client, step } in sent {
            let steps = match clients.iter().position(|known| known == client) {
                Some(place) => &mut race.clients[place],
                None if *client != ALONE => {
                    clients.push(*client);
                    race.clients.push(Vec::new());
                    &mut race.clients[clients.len() - 1]
                }
                None if clients.is_empty() => &mut race.before,
                None => &mut race.after,
            };
            steps.push(step.clone());
        }
        race
    }
}

/// Whether a race shows the failure; the last that did is kept as it.
struct SameFinding<'a, C> {
    course: &'a mut C,
    header: &'a Header,
    /// The seed that has shown it last.
    seed: u64,
    failure: &'a mut Failure,
    runs: usize,
}

impl<C: Course> Probe<Sent> for SameFinding<'_, C> {
    /// Each is as dear as the tries that a race gets.
    const MOST_FORMS: usize = 400;

    async fn still_fails(&mut self, sent: &[Sent]) -> Result<bool, Unreachable> {
        let race = Race::of(sent);
        for further in 0..C::TRIES {
            let seed = self.seed.wrapping_add(further);
            let (history, known) = self.course.run(self.header, &race, seed).await?;
            self.runs += 1;
            let found = contradictions(&history, &known).into_iter();
            let same = |finding: &_| self.failure.finding().is_same(finding);
            if let Some(finding) = found.map(|one| one.finding).find(same) {
                let all: Vec<usize> = (0..history.requests.len()).collect();
                let Failure { case, steps_before, met, .. } = *self.failure;
                let small = failure(self.header, case, &history, &finding, (&[], &all));
                *self.failure = Failure { steps_before, met, probes: self.runs, ..small };
                self.seed = seed;
                return Ok(true);
            }
        }
        if self.failure.probes > 0 {
            self.failure.probes = self.runs;
        }
        Ok(false)
    }
}
