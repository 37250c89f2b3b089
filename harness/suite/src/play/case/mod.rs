//! One case: steps played against a target, with every check on each response.

mod listener;
mod observed;
mod oracle;
mod played;

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

use crate::play::learn::failing::AGAIN_AT_ONCE;
use crate::prediction::Case;

pub use listener::Listener;
pub use observed::{Clock, Observed, TargetWorld};
use oracle::{Expectation, Oracle, now_of};
pub use played::{Played, Stopped};

/// Plays `steps` against `target`, a fresh one in the world of `header`.
pub async fn play<T: Observed>(
    target: &mut T,
    header: &Header,
    steps: &[Step],
) -> Result<Played, Unreachable> {
    let oracle = Oracle::of(header, target);
    Box::pin(CaseRun::new(target, oracle).play(target, steps)).await.whole()
}

/// Plays the steps of `case`, which was made for `header`, until no more can be sent.
pub async fn play_case<T: Observed>(target: &mut T, header: &Header, case: &Case) -> Played {
    let in_its_world =
        target.world() == TargetWorld::Known && target.api_key() == Service::FIRST_KEY;
    let oracle = match case.walked(target.inbox()) {
        Some(walked) if in_its_world => Oracle::walked(walked, header.start),
        _ => Oracle::of(header, target),
    };
    // On the heap: without optimisation, each caller's frame has room for copies of the future.
    Box::pin(CaseRun::new(target, oracle).play(target, &case.steps)).await
}

/// The result of sending, and how long it took.
async fn timed<T: Observed>(
    sending: impl Future<Output = Result<Response, Unanswered>>,
) -> (Result<Response, Unanswered>, Option<Duration>) {
    let began = T::TIMED.then(Instant::now);
    (sending.await, began.map(|began| began.elapsed()))
}

/// A case while it is played.
struct CaseRun<'a> {
    oracle: Oracle<'a>,
    memory: Memory,
    checks: Checks,
    played: Played,
}

/// A step after its response, before it is judged.
struct StepRecord<'a> {
    sent: Cow<'a, Prepared>,
    seen: Response,
    arrivals: Vec<Arrival>,
    inbox_works: bool,
    inside: Option<Inside>,
    expectation: Expectation<'a>,
    took: Option<Duration>,
    /// How often it was sent again because it failed.
    asked_again: usize,
    /// Where the response is not what a hand-written transcript expects.
    mismatches: Vec<Mismatch>,
}

impl<'a> CaseRun<'a> {
    fn new<T: Observed>(target: &mut T, oracle: Oracle<'a>) -> CaseRun<'a> {
        let checks = oracle.checks();
        let played = Played { is_known: oracle.belief().is_none(), ..Played::default() };
        let memory = target.memory().starting(oracle.now(target));
        CaseRun { oracle, memory, checks, played }
    }

    async fn play<T: Observed>(mut self, target: &mut T, steps: &[Step]) -> Played {
        let at_once = self.oracle.steps_at_once(steps.len());
        for (nth, steps) in steps.chunks(at_once).enumerate() {
            let mut records = Vec::with_capacity(steps.len());
            let ended = self.send_all(target, nth * at_once, steps, &mut records).await;
            let began = T::TIMED.then(Instant::now);
            for record in records {
                self.judge(record);
                if !self.played.findings.is_empty() {
                    return self.conclude(target.inbox_works());
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
        self.conclude(target.inbox_works())
    }

    /// Ends the case with a step after which nothing more can be sent.
    fn end<T: Observed>(&mut self, target: &mut T, unanswered: Unanswered) {
        let Unanswered { why, applied, silence, .. } = unanswered;
        if silence.is_none() {
            self.played.ended = Some(why);
            return;
        }
        let in_flight = applied == Applied::MayBe;
        if in_flight {
            let now = self.oracle.now(target);
            self.played.answers.push((now, None));
        }
        self.played.stopped = Some(Stopped { in_flight, why });
    }

    fn conclude(mut self, inbox_works: bool) -> Played {
        if let Some(belief) = self.oracle.belief() {
            for point in self.played.lessons.events().filter(|_| inbox_works) {
                self.played.met.meet(point.clause);
                self.played.gaps.record("webhooks", None, &point);
            }
            self.played.lessons.conclude(belief);
        }
        self.played
    }

    fn prepare<T: Observed>(&self, target: &T, index: usize, step: &Step) -> Cow<'a, Prepared> {
        let from_step = || Prepared::from_step(step, &self.memory, target.api_key());
        self.oracle.prepared(index).map_or_else(|| Cow::Owned(from_step()), Cow::Borrowed)
    }

    /// Sends `steps`, the first of which has the index `first`.
    async fn send_all<T: Observed>(
        &mut self,
        target: &mut T,
        first: usize,
        steps: &[Step],
        records: &mut Vec<StepRecord<'a>>,
    ) -> Result<(), Unanswered> {
        for (index, step) in (first..).zip(steps) {
            records.extend(self.send(target, index, step).await?);
        }
        Ok(())
    }

    /// Sends a step. Returns `None` if there is no response.
    async fn send<T: Observed>(
        &mut self,
        target: &mut T,
        index: usize,
        step: &Step,
    ) -> Result<Option<StepRecord<'a>>, Unanswered> {
        let sent = self.prepare(target, index, step);
        let since = self.oracle.now(target);
        let (answered, took) = timed::<T>(target.send(&sent)).await;
        let took = target.took().or(took);
        let answered = match answered {
            Ok(seen) => self.ask_again(target, &sent, seen, since).await,
            Err(unanswered) => Err(unanswered),
        };
        let (seen, may_lag, asked_again) = match answered {
            Ok(response) => response,
            Err(unanswered) if !unanswered.is_last => {
                if !self.oracle.miss(&sent, unanswered.applied, since) {
                    return Err(unanswered);
                }
                if unanswered.silence.is_some() {
                    self.played.lost.push((index, unanswered.why.clone()));
                }
                self.miss(step, &sent, unanswered);
                self.played.answers.push((since, None));
                return Ok(None);
            }
            Err(unanswered) => return Err(unanswered),
        };
        target.settle(index).await;
        let arrivals = self.arrivals(target).await?;
        let inbox_works = target.inbox_works();
        let began = T::TIMED.then(Instant::now);
        let mut expectation = self.oracle.observe(target, (index, step), &sent, &seen, since);
        self.played.judging += began.map(|began| began.elapsed()).unwrap_or_default();
        if may_lag {
            expectation.leave_open();
        }
        self.oracle.keep(step, &expectation.predicted, &seen, &self.memory);
        self.memory.keep(step, seen.json());
        let inside = target.inside();
        let mismatches = self.unexpected(step, &seen);
        Ok(Some(StepRecord {
            sent,
            seen,
            arrivals,
            inbox_works,
            inside,
            expectation,
            took,
            asked_again,
            mismatches,
        }))
    }

    /// The webhooks that came with a step. Waits if one is overdue.
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
    fn miss(&mut self, step: &Step, sent: &Prepared, unanswered: Unanswered) {
        match unanswered.applied {
            Applied::MayBe => self.lose(sent),
            // A subscription that was refused, say, need not be deleted.
            Applied::Never if self.memory.lacks_for(step) => {}
            Applied::Never => self.played.unsent.push(unanswered.why),
        }
    }

    /// Counts a request without a response that may have been carried out.
    fn lose(&mut self, sent: &Prepared) {
        self.checks.miss(sent, self.oracle.platform_of(sent));
        self.played.lessons.miss();
        self.played.unanswered += 1;
    }

    /// Repeats a request whose response may be stale, or that failed although it has to be refused. Returns the last response,
    /// whether it may still be stale, and how often it failed again.
    async fn ask_again<T: Observed>(
        &mut self,
        target: &mut T,
        sent: &Prepared,
        seen: Response,
        since: Timestamp,
    ) -> Result<(Response, bool, usize), Unanswered> {
        let (mut seen, may_lag) = self.retry_stale(target, sent, seen, since).await?;
        let may_ask_again = has_failed(sent, &seen)
            && !self.played.failing.is_announced(sent)
            && self.oracle.may_ask_again(sent, &seen, now_of(target).unwrap_or(since));
        let mut times = 0;
        while may_ask_again && times < AGAIN_AT_ONCE && has_failed(sent, &seen) {
            target.wait_to_retry(times).await;
            times += 1;
            // Should it not be refused after all, then the one before may have been carried out.
            self.oracle.miss(sent, Applied::MayBe, since);
            self.checks.miss(sent, self.oracle.platform_of(sent));
            match target.send(sent).await {
                Ok(later) => seen = later,
                Err(later) if later.is_last => return Err(later),
                Err(_) => return Ok((seen, may_lag, 0)),
            }
        }
        Ok((seen, may_lag, times))
    }

    /// Repeats a request whose response may be stale. Returns the last response, and whether it may still be stale.
    async fn retry_stale<T: Observed>(
        &mut self,
        target: &mut T,
        sent: &Prepared,
        mut seen: Response,
        since: Timestamp,
    ) -> Result<(Response, bool), Unanswered> {
        let reads = sent.kind().is_some_and(OperationKind::reads);
        let mut times = 0;
        let mut may_lag = self.may_lag(target, sent, &seen, since);
        while may_lag {
            if !target.wait_to_ask_again(times).await {
                return Ok((seen, false));
            }
            times += 1;
            match target.send(sent).await {
                Ok(later) if is_informative(&later) => {
                    may_lag = later == seen || self.may_lag(target, sent, &later, since);
                    seen = later;
                }
                // Whether a response would have shown the write is unknown.
                Ok(_) if reads => return Ok((seen, true)),
                Err(later) if reads || later.applied == Applied::Never => return Ok((seen, true)),
                // This time it may have been carried out.
                later => return Ok((later?, false)),
            }
        }
        if times > 0 && self.oracle.explains(sent, &seen, now_of(target).unwrap_or(since)) {
            self.played.lag(sent);
        }
        Ok((seen, false))
    }

    fn may_lag<T: Observed>(
        &self,
        target: &mut T,
        sent: &Prepared,
        seen: &Response,
        since: Timestamp,
    ) -> bool {
        self.oracle.may_lag(sent, seen, now_of(target).unwrap_or(since))
    }

    /// Compares a step with its expectation, and makes every check.
    fn judge(&mut self, record: StepRecord<'_>) {
        let StepRecord { sent, seen, arrivals, inbox_works, inside, expectation, .. } = record;
        let StepRecord { took, asked_again, mismatches, .. } = record;
        let is_taken = seen.is_success() && self.oracle.belief().is_some();
        // What a service takes from a body that cannot be read as it is, is not certain.
        let body = |sent: &Prepared| sent.call().map(|call| call.body().to_vec());
        let has_same_body = |taken: &Prepared| body(taken) == body(&sent);
        let taken = is_taken.then(|| sent.corrected()).flatten().filter(has_same_body);
        let exchange = Exchange {
            sent: taken.as_ref().unwrap_or(&sent),
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
        let fails = self.played.take_in(&exchange, expectation.due, asked_again);
        let at = self.played.answers.len();
        let mut notes = Notes { met: take(&mut self.played.met), ..Notes::default() };
        for point in expectation.points {
            notes.judge(&exchange, point);
        }
        // What arrives with such a response may come of the request.
        if self.oracle.belief().is_some() && has_failed(&sent, &seen) {
            self.checks.miss(&sent, exchange.platform);
        }
        self.checks.observe(&exchange, &mut notes);
        notes.keep_the_cause(&exchange);
        notes.findings.extend(fails);
        if expectation.may_lag {
            let open = notes.leave_open(&exchange);
            self.played.noticed.extend(open.into_iter().map(|found| (at, found)));
        }
        if let Some(belief) = self.oracle.belief() {
            self.played.learn(&exchange, belief, expectation.open_points);
            let excused = notes.excuse(&exchange).into_iter().map(|found| (at, found));
            self.played.noticed.extend(excused);
            self.played.see(&exchange, &notes.gaps);
        }
        self.played.coverage.record(&exchange);
        self.played.latencies.extend(exchange.kind().zip(took));
        self.played.met = notes.met;
        self.played.met_after.push(self.played.met.distinct());
        // The first finding names the failure: it must be the worst.
        notes.findings.sort_by_key(|finding| finding.verdict);
        self.played.findings = notes.findings;
        self.played.mismatches.extend(mismatches.into_iter().map(|mismatch| (at, mismatch)));
        self.played.answers.push((expectation.now, Some(seen)));
        self.played.arrivals.extend(arrivals.into_iter().map(|arrival| (at, arrival)));
    }

    /// Where the response to `step` is not what a hand-written transcript expects.
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

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tideover_exchange::step::{Action, Call};
    use tideover_exchange::target::Target;
    use tideover_exchange::{from_start, start};
    use tideover_judge::{Outside, PriorState};
    use tideover_model::Profile;

    use super::*;

    /// A foreign target whose clock shows this. It keeps the bodies that it is sent.
    struct Elsewhere {
        now: Timestamp,
        sent: Vec<String>,
    }

    impl Target for Elsewhere {
        fn api_key(&self) -> &str {
            "key"
        }

        fn inbox(&self) -> Option<&str> {
            None
        }

        async fn send(&mut self, step: &Prepared) -> Result<Response, Unanswered> {
            self.sent.push(String::from_utf8_lossy(&step.action.http_form().body).into_owned());
            Ok(Response::new(404, b"{}"))
        }

        async fn arrivals(&mut self) -> Result<Vec<Arrival>, Unanswered> {
            Ok(Vec::new())
        }
    }

    impl Observed for Elsewhere {
        fn world(&mut self) -> TargetWorld {
            let (outside, prior) = (Outside::Controlled, PriorState::Nothing);
            TargetWorld::Foreign { outside, prior, now: self.now, clock: Clock::Read }
        }
    }

    #[tokio::test]
    async fn dates_count_from_the_clock_of_a_foreign_target() {
        let now = start().after(500 * 86_400);
        let mut target = Elsewhere { now, sent: Vec::new() };
        let header = Header::new(1, start(), Profile::default());
        let sync = Call::json("PUT", "/v1/invoices/i", json!({ "issueDate": from_start(0) }));
        let steps = [Step::new(Action::Call(sync))];
        let _ = play(&mut target, &header, &steps).await;
        let sent = target.sent.first().expect("a request");
        assert!(sent.contains(&format!("\"issueDate\":\"{now}\"")), "{sent}");
    }
}
