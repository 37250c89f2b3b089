//! A run: steps played against a target, each answer looked at by every check.

mod listener;
mod observed;
mod played;
mod shadow;

use std::borrow::Cow;
use std::mem::take;
use std::time::{Duration, Instant};

use tideover_model::Service;

use crate::checks::{Checks, Exchange, Inside, Notes};
use crate::foretold::{Case, Oracle};
use crate::inbox::Arrival;
use crate::judge::has_failed;
use crate::matcher::{Mismatch, mismatches};
use crate::step::{Memory, Step};
use crate::target::{Applied, INBOX, Prepared, Seen, Unanswered, Unreachable};
use crate::transcript::Header;

pub(crate) use listener::Listener;
pub use observed::{Clock, Observed, Standing};
pub use played::Played;
use shadow::{Prediction, Shadow};

/// Plays `steps` against `target`, which is in the world of `header` and has played nothing yet.
///
/// # Errors
/// [`Unreachable`] if the target does not answer.
pub async fn play<T: Observed>(
    target: &mut T,
    header: &Header,
    steps: &[Step],
) -> Result<Played, Unreachable> {
    let shadow = Shadow::of(header, target);
    Run::new(target, shadow).play(target, steps).await
}

/// Plays the steps of `case`, which was made for `header`, in the same way.
///
/// # Errors
/// [`Unreachable`] if the target does not answer.
pub async fn play_case<T: Observed>(
    target: &mut T,
    header: &Header,
    case: &Case,
) -> Result<Played, Unreachable> {
    let in_its_world = target.standing() == Standing::Known
        && target.api_key() == Service::FIRST_KEY
        && (target.inbox() == Some(INBOX) || !case.tells_of_inbox());
    let shadow = match case.walked() {
        Some(walked) if in_its_world => Shadow::Known(Oracle::walked(walked, header.start)),
        _ => Shadow::of(header, target),
    };
    Run::new(target, shadow).play(target, &case.steps).await
}

/// What comes of sending, and how long it took.
async fn timed<T: Observed>(
    sending: impl Future<Output = Result<Seen, Unanswered>>,
) -> (Result<Seen, Unanswered>, Option<Duration>) {
    let began = T::TIMED.then(Instant::now);
    (sending.await, began.map(|began| began.elapsed()))
}

struct Run<'a> {
    shadow: Shadow<'a>,
    memory: Memory,
    checks: Checks,
    played: Played,
}

/// What was sent, and all that came of it.
struct Heard<'a> {
    sent: Cow<'a, Prepared>,
    seen: Seen,
    arrivals: Vec<Arrival>,
    inside: Option<Inside>,
}

impl<'a> Run<'a> {
    fn new<T: Observed>(target: &T, shadow: Shadow<'a>) -> Run<'a> {
        let checks = match &shadow {
            Shadow::Known(_) => Checks::of_known(),
            Shadow::Believed(belief) => Checks::of_foreign(belief.outside()),
        };
        Run { shadow, memory: target.memory(), checks, played: Played::default() }
    }

    async fn play<T: Observed>(
        mut self,
        target: &mut T,
        steps: &[Step],
    ) -> Result<Played, Unreachable> {
        for (index, step) in steps.iter().enumerate() {
            match self.step(target, index, step).await {
                Ok(()) => {}
                Err(unanswered) if unanswered.is_last => return Err(unanswered.into()),
                // Nothing can be predicted after it.
                Err(_) => break,
            }
            if !self.played.findings.is_empty() {
                break;
            }
        }
        if let Shadow::Believed(belief) = &self.shadow {
            for point in self.played.lessons.events().filter(|_| target.inbox().is_some()) {
                self.played.gaps.record("webhooks", None, &point);
            }
            self.played.lessons.conclude(belief);
        }
        Ok(self.played)
    }

    /// `step` as it is sent.
    fn prepare<T: Observed>(&self, target: &T, index: usize, step: &Step) -> Cow<'a, Prepared> {
        let prepared = match &self.shadow {
            Shadow::Known(oracle) => oracle.prepared(index),
            Shadow::Believed(_) => None,
        };
        let from_step = || Prepared::from_step(step, &self.memory, target.api_key());
        prepared.map_or_else(|| Cow::Owned(from_step()), Cow::Borrowed)
    }

    /// Keeps the answer to `step`, which later ones may refer to.
    fn keep(&mut self, step: &Step, predicted: &Seen, seen: &Seen) {
        if let Shadow::Known(oracle) = &mut self.shadow {
            oracle.keep(step, predicted, seen, &self.memory);
        }
        self.memory.keep(step, seen.json());
    }

    async fn step<T: Observed>(
        &mut self,
        target: &mut T,
        index: usize,
        step: &Step,
    ) -> Result<(), Unanswered> {
        let sent = self.prepare(target, index, step);
        let since = self.shadow.now(target);
        let (answered, took) = timed::<T>(target.send(&sent)).await;
        let seen = match (answered, &mut self.shadow) {
            (Ok(seen), _) => seen,
            (Err(unanswered), Shadow::Believed(belief)) if !unanswered.is_last => {
                if unanswered.applied == Applied::MayBe {
                    belief.unanswered(&sent, since);
                    self.checks.miss(&sent);
                }
                self.played.unanswered += 1;
                self.played.answers.push((since, None));
                return Ok(());
            }
            (Err(unanswered), _) => return Err(unanswered),
        };
        let arrivals = target.arrivals().await?;
        let prediction = self.shadow.observe(target, (index, step), &sent, &seen, since);
        self.keep(step, &prediction.predicted, &seen);
        let inside = target.inside();
        let now = prediction.now;
        let heard = Heard { sent, seen, arrivals, inside };
        self.judge(&heard, prediction, took);
        let Heard { seen, arrivals, .. } = heard;
        self.expect(index, step, &seen);
        self.played.answers.push((now, Some(seen)));
        self.played.arrivals.extend(arrivals.into_iter().map(|arrival| (index, arrival)));
        Ok(())
    }

    /// Holds what was heard against what the model says of it, and against every check.
    fn judge(&mut self, heard: &Heard<'_>, prediction: Prediction<'_>, took: Option<Duration>) {
        let exchange = Exchange {
            sent: &heard.sent,
            seen: &heard.seen,
            predicted: &prediction.predicted,
            predicted_refusal: prediction.refusal,
            platform: prediction.platform,
            unsettled: prediction.unsettled,
            since: prediction.since,
            now: prediction.now,
            ahead: prediction.ahead,
            arrivals: &heard.arrivals,
            predicted_arrivals: &prediction.arrivals,
            inside: heard.inside.as_ref(),
        };
        if let Some(due) = prediction.due {
            self.played.replaced.record(due, &heard.seen);
        }
        let mut notes = Notes { met: take(&mut self.played.met), ..Notes::default() };
        for point in prediction.points {
            notes.judge(&exchange, point);
        }
        self.checks.observe(&exchange, &mut notes);
        if let Shadow::Believed(belief) = &self.shadow {
            if has_failed(&heard.sent, &heard.seen) {
                self.checks.miss(&heard.sent);
            }
            self.played.learn(&exchange, belief, prediction.open_points);
            let at = self.played.answers.len();
            self.played
                .noticed
                .extend(notes.excuse(&exchange).into_iter().map(|found| (at, found)));
            self.played.gaps.add(&notes.gaps);
        }
        self.played.coverage.record(&exchange);
        self.played.latencies.extend(exchange.kind().zip(took));
        self.played.met = notes.met;
        // What is made small is the worst of them.
        notes.findings.sort_by_key(|finding| finding.verdict);
        self.played.findings = notes.findings;
    }

    /// Holds an answer against what a hand-written transcript expects.
    fn expect(&mut self, index: usize, step: &Step, seen: &Seen) {
        let Some(expect) = &step.expect else { return };
        if expect.status != seen.status {
            let mismatch = Mismatch {
                field: "status".into(),
                expected: expect.status.to_string(),
                seen: serde_json::to_string(seen).unwrap_or_default(),
            };
            self.played.mismatches.push((index, mismatch));
        }
        if let Some(body) = expect.body.as_ref().filter(|body| !body.is_null()) {
            let expected = self.memory.resolve_value(body);
            let found = mismatches(&expected, seen.json());
            self.played.mismatches.extend(found.into_iter().map(|mismatch| (index, mismatch)));
        }
    }
}
