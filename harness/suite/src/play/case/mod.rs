//! One case: steps played against a target, with every check on each response.

mod listener;
mod observed;
mod played;
mod shadow;

use std::borrow::Cow;
use std::mem::take;
use std::time::{Duration, Instant};

use tideover_exchange::Memory;
use tideover_exchange::matcher::{Mismatch, mismatches};
use tideover_exchange::step::Step;
use tideover_exchange::target::{Applied, Unanswered, Unreachable};
use tideover_exchange::transcript::Header;
use tideover_exchange::{Arrival, Exchange, Inside, Prepared, Response};
use tideover_judge::checks::{Checks, Notes};
use tideover_judge::{has_failed, is_informative};
use tideover_model::{OperationKind, Service, Timestamp};

use crate::prediction::Case;

pub use listener::Listener;
pub use observed::{Clock, Observed, Standing};
pub use played::{Played, Stopped};
use shadow::{Expectation, Shadow, now_of};

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
    Run::new(target, shadow).play(target, steps).await.whole()
}

/// Plays the steps of `case`, which was made for `header`, in the same way, for as long as steps can be sent.
pub async fn play_case<T: Observed>(target: &mut T, header: &Header, case: &Case) -> Played {
    let in_its_world =
        target.standing() == Standing::Known && target.api_key() == Service::FIRST_KEY;
    let shadow = match case.walked(target.inbox()) {
        Some(walked) if in_its_world => Shadow::walked(walked, header.start),
        _ => Shadow::of(header, target),
    };
    Run::new(target, shadow).play(target, &case.steps).await
}

/// What comes of sending, and how long it took.
async fn timed<T: Observed>(
    sending: impl Future<Output = Result<Response, Unanswered>>,
) -> (Result<Response, Unanswered>, Option<Duration>) {
    let began = T::TIMED.then(Instant::now);
    (sending.await, began.map(|began| began.elapsed()))
}

struct Run<'a> {
    shadow: Shadow<'a>,
    memory: Memory,
    checks: Checks,
    played: Played,
}

/// What was sent, all that came of it, and what the model says of it.
struct Heard<'a> {
    sent: Cow<'a, Prepared>,
    seen: Response,
    arrivals: Vec<Arrival>,
    /// Whether the inbox is proven to work.
    inbox_works: bool,
    inside: Option<Inside>,
    expectation: Expectation<'a>,
    took: Option<Duration>,
    /// Where the answer is not what a hand-written transcript expects.
    mismatches: Vec<Mismatch>,
}

impl<'a> Run<'a> {
    fn new<T: Observed>(target: &T, shadow: Shadow<'a>) -> Run<'a> {
        let checks = shadow.checks();
        let played = Played { is_known: shadow.is_known(), ..Played::default() };
        Run { shadow, memory: target.memory(), checks, played }
    }

    async fn play<T: Observed>(mut self, target: &mut T, steps: &[Step]) -> Played {
        let some = self.shadow.steps_at_once(steps.len());
        for (nth, steps) in steps.chunks(some).enumerate() {
            let mut heard = Vec::with_capacity(steps.len());
            let ended = self.hear(target, nth * some, steps, &mut heard).await;
            let began = T::TIMED.then(Instant::now);
            for one in heard {
                self.judge(one);
                if !self.played.findings.is_empty() {
                    return self.conclude(target);
                }
            }
            self.played.judging += began.map(|began| began.elapsed()).unwrap_or_default();
            match ended {
                Ok(()) => {}
                Err(unanswered) if unanswered.is_last => {
                    self.end(target, unanswered);
                    break;
                }
                // Nothing can be predicted after it.
                Err(_) => break,
            }
        }
        self.conclude(target)
    }

    /// Ends with a step after which nothing more can be sent.
    fn end<T: Observed>(&mut self, target: &mut T, unanswered: Unanswered) {
        let Unanswered { why, applied, silence, .. } = unanswered;
        if silence.is_none() {
            self.played.ended = Some(why);
            return;
        }
        let in_flight = applied == Applied::MayBe;
        if in_flight {
            let now = self.shadow.now(target);
            self.played.answers.push((now, None));
        }
        self.played.stopped = Some(Stopped { in_flight, why });
    }

    fn conclude<T: Observed>(mut self, target: &T) -> Played {
        if let Some(belief) = self.shadow.belief() {
            for point in self.played.lessons.events().filter(|_| target.inbox_works()) {
                self.played.met.meet(point.clause);
                self.played.gaps.record("webhooks", None, &point);
            }
            self.played.lessons.conclude(belief);
        }
        self.played
    }

    /// `step` as it is sent.
    fn prepare<T: Observed>(&self, target: &T, index: usize, step: &Step) -> Cow<'a, Prepared> {
        let from_step = || Prepared::from_step(step, &self.memory, target.api_key());
        self.shadow.prepared(index).map_or_else(|| Cow::Owned(from_step()), Cow::Borrowed)
    }

    /// Keeps the answer to `step`, which later ones may refer to.
    fn keep(&mut self, step: &Step, predicted: &Response, seen: &Response) {
        self.shadow.keep(step, predicted, seen, &self.memory);
        self.memory.keep(step, seen.json());
    }

    /// Plays `steps`, the first of which has this index.
    async fn hear<T: Observed>(
        &mut self,
        target: &mut T,
        first: usize,
        steps: &[Step],
        heard: &mut Vec<Heard<'a>>,
    ) -> Result<(), Unanswered> {
        for (index, step) in (first..).zip(steps) {
            heard.extend(self.step(target, index, step).await?);
        }
        Ok(())
    }

    /// Plays a step. Returns `None` for one without a response.
    async fn step<T: Observed>(
        &mut self,
        target: &mut T,
        index: usize,
        step: &Step,
    ) -> Result<Option<Heard<'a>>, Unanswered> {
        let sent = self.prepare(target, index, step);
        let since = self.shadow.now(target);
        let (answered, took) = timed::<T>(target.send(&sent)).await;
        let took = target.took().or(took);
        let answered = match answered {
            Ok(seen) => self.caught_up(target, &sent, seen, since).await,
            Err(unanswered) => Err(unanswered),
        };
        let (seen, may_lag) = match answered {
            Ok(response) => response,
            Err(unanswered) if !unanswered.is_last => {
                if !self.shadow.miss(&sent, unanswered.applied, since) {
                    return Err(unanswered);
                }
                if unanswered.silence.is_some() {
                    self.played.lost.push((index, unanswered.why.clone()));
                }
                self.miss(&sent, unanswered);
                self.played.answers.push((since, None));
                return Ok(None);
            }
            Err(unanswered) => return Err(unanswered),
        };
        target.settle(index).await;
        let arrivals = self.arrivals(target).await?;
        let inbox_works = target.inbox_works();
        let began = T::TIMED.then(Instant::now);
        let mut expectation = self.shadow.observe(target, (index, step), &sent, &seen, since);
        self.played.judging += began.map(|began| began.elapsed()).unwrap_or_default();
        if may_lag {
            expectation.leave_open();
        }
        self.keep(step, &expectation.predicted, &seen);
        let inside = target.inside();
        let mismatches = self.unexpected(step, &seen);
        let heard =
            Heard { sent, seen, arrivals, inbox_works, inside, expectation, took, mismatches };
        Ok(Some(heard))
    }

    /// The webhooks that came with a step. Where one is overdue, those that may still be on their way are waited for.
    async fn arrivals<T: Observed>(&self, target: &mut T) -> Result<Vec<Arrival>, Unanswered> {
        let mut arrivals = target.arrivals().await?;
        let mut times = 0;
        while self.checks.are_waiting() && target.wait_for_deliveries(times).await {
            arrivals.extend(target.arrivals().await?);
            times += 1;
        }
        Ok(arrivals)
    }

    /// Counts a request without a response.
    fn miss(&mut self, sent: &Prepared, unanswered: Unanswered) {
        match unanswered.applied {
            Applied::MayBe => {
                self.checks.miss(sent);
                self.played.unanswered += 1;
            }
            Applied::Never => self.played.unsent.push(unanswered.why),
        }
    }

    /// The response to a step, and whether it may still be stale: a stale read is retried for as long as the
    /// target is waited for.
    async fn caught_up<T: Observed>(
        &mut self,
        target: &mut T,
        sent: &Prepared,
        mut seen: Response,
        since: Timestamp,
    ) -> Result<(Response, bool), Unanswered> {
        let reads = sent.kind().is_some_and(OperationKind::reads);
        let mut times = 0;
        while self.shadow.may_lag(sent, &seen, now_of(target).unwrap_or(since)) {
            if !target.wait_to_ask_again(times).await {
                return Ok((seen, false));
            }
            times += 1;
            match target.send(sent).await {
                Ok(later) if is_informative(&later) => seen = later,
                // It is unknown whether this response would have shown the write.
                Ok(_) if reads => return Ok((seen, true)),
                Err(later) if reads || later.applied == Applied::Never => return Ok((seen, true)),
                // It may have been carried out this time.
                later => return Ok((later?, false)),
            }
        }
        if times > 0 && self.shadow.explains(sent, &seen, now_of(target).unwrap_or(since)) {
            self.played.lag(sent);
        }
        Ok((seen, false))
    }

    /// Holds what was heard against what the model says of it, and against every check.
    fn judge(&mut self, heard: Heard<'_>) {
        let Heard { sent, seen, arrivals, inbox_works, inside, expectation, took, mismatches } =
            heard;
        let exchange = Exchange {
            sent: &sent,
            seen: &seen,
            predicted: &expectation.predicted,
            predicted_refusal: expectation.refusal,
            platform: expectation.platform,
            unsettled: expectation.unsettled,
            since: expectation.since,
            now: expectation.now,
            ahead: expectation.ahead,
            arrivals: &arrivals,
            predicted_arrivals: &expectation.arrivals,
            inbox_works,
            inside: inside.as_ref(),
        };
        if let Some(due) = expectation.due {
            self.played.replaced.record(due, &seen);
        }
        self.played.failing.record(&exchange);
        let at = self.played.answers.len();
        let mut notes = Notes { met: take(&mut self.played.met), ..Notes::default() };
        for point in expectation.points {
            notes.judge(&exchange, point);
        }
        self.checks.observe(&exchange, &mut notes);
        notes.keep_the_cause(&exchange);
        if expectation.may_lag {
            let open = notes.leave_open(&exchange);
            self.played.noticed.extend(open.into_iter().map(|found| (at, found)));
        }
        if let Some(belief) = self.shadow.belief() {
            if has_failed(&sent, &seen) {
                self.checks.miss(&sent);
            }
            self.played.learn(&exchange, belief, expectation.open_points);
            self.played
                .noticed
                .extend(notes.excuse(&exchange).into_iter().map(|found| (at, found)));
            self.played.gaps.add(&notes.gaps);
        }
        self.played.coverage.record(&exchange);
        self.played.latencies.extend(exchange.kind().zip(took));
        self.played.met = notes.met;
        self.played.met_after.push(self.played.met.distinct());
        // What is made small is the worst of them.
        notes.findings.sort_by_key(|finding| finding.verdict);
        self.played.findings = notes.findings;
        self.played.mismatches.extend(mismatches.into_iter().map(|mismatch| (at, mismatch)));
        self.played.answers.push((expectation.now, Some(seen)));
        self.played.arrivals.extend(arrivals.into_iter().map(|arrival| (at, arrival)));
    }

    /// Where the answer to `step` is not what a hand-written transcript expects.
    fn unexpected(&self, step: &Step, seen: &Response) -> Vec<Mismatch> {
        let Some(expect) = &step.expect else { return Vec::new() };
        let status = (expect.status != seen.status).then(|| Mismatch {
            field: "status".into(),
            expected: expect.status.to_string(),
            seen: serde_json::to_string(seen).unwrap_or_default(),
        });
        let body = expect.body.as_ref().filter(|body| !body.is_null());
        let body = body.map(|body| mismatches(&self.memory.resolve_value(body), seen.json()));
        status.into_iter().chain(body.into_iter().flatten()).collect()
    }
}
