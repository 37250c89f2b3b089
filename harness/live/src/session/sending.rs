//! Sends what passes the gate and the budget: logs it, paces it, sends it, and counts the result.

use std::io;
use std::sync::PoisonError;
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};
use tideover_endpoint::client::{HttpResponse, Outgoing};
use tideover_exchange::evidence::Activity;
use tideover_exchange::secrets::Secrets;
use tideover_exchange::target::{Applied, Silence, Unanswered};
use tideover_exchange::{Prepared, PreparedAction, PreparedCall, Response};
use tideover_model::wire::field::{self, Fields};
use tideover_model::{ActionKind, OperationKind};

use crate::journal::Journal;
use crate::ledger::{Charge, OverBudget};
use crate::pace::{LONGEST_WAIT, asked_wait};
use crate::scope::{Permit, Scope};
use crate::session::{Session, SessionState, StopReason};
use crate::settings::{Budget, Settings};

/// The most repeats of a request that the target asks to send later.
const MOST_REPEATS: u32 = 3;

/// The waits before each retry of a stale read, and for a delivery that is overdue.
const WAITS: [Duration; 4] = [
    Duration::from_millis(50),
    Duration::from_millis(200),
    Duration::from_secs(1),
    Duration::from_secs(3),
];

/// After all waits were in vain so often, a run uses only the first half of them.
const MOST_IN_VAIN: u32 = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Step,
    /// Cleanup after a case, before the next.
    EndOfCase,
    /// Cleanup after the run, independent of the budget.
    EndOfRun,
}

/// A response, and how long it took without our own waits.
#[derive(Clone, Debug)]
pub(crate) struct Answered {
    pub(crate) seen: Response,
    pub(crate) took: Duration,
}

impl Session {
    /// Sends a step of a play, if the gate and the budget allow it.
    pub(crate) async fn send(&self, play: u64, step: &Prepared) -> Result<Answered, Unanswered> {
        let permit = self.permit(step)?;
        self.refuse_repeated_subscription(step, &permit)?;
        let charge = self.charge(play, step, &permit)?;
        self.note_before(play, step, &permit);
        let situation = self.note_begin(play, step);
        let answered = self.exchange_in_time(play, step, Purpose::Step).await;
        let came = answered.as_ref().map(|answered| &answered.seen);
        self.note_silence(play, step, situation, came).await;
        self.note_after(play, step, permit, charge, came);
        self.note_outage(came).await;
        answered
    }

    /// Sends a cleanup step of a play.
    pub(crate) async fn send_to_end(
        &self,
        play: u64,
        step: &Prepared,
        purpose: Purpose,
    ) -> Result<Response, Unanswered> {
        self.permit(step)?;
        if let Some(why) = self.outage() {
            return Err(Unanswered::never(why));
        }
        self.charge_again(play, purpose)?;
        let situation = self.note_begin(play, step);
        let answered = self.exchange_in_time(play, step, purpose).await;
        let came = answered.as_ref().map(|answered| &answered.seen);
        self.note_silence(play, step, situation, came).await;
        answered.map(|answered| answered.seen)
    }

    /// Waits before retry `nth` of a stale read, from 0. Returns `false` when no retry is left.
    pub(crate) async fn wait_to_ask_again(&self, nth: usize) -> bool {
        self.wait_again(nth, Activity::StaleReads, |state| &mut state.stale_reads).await
    }

    /// Waits before a request that failed is sent again for the `nth` time, from 0: longer each time, so that a short
    /// outage is over at the last.
    pub(crate) async fn wait_to_retry(&self, nth: usize) {
        let wait = WAITS[nth.min(WAITS.len() - 1)];
        tokio::time::sleep(wait).await;
        self.state().spent.record(Activity::Retries, wait);
    }

    /// Waits for overdue deliveries, for the `nth` time, from 0. Returns `false` when they will not come.
    pub(crate) async fn wait_for_deliveries(&self, nth: usize) -> bool {
        self.wait_again(nth, Activity::Webhooks, |state| &mut state.missing_deliveries).await
    }

    /// Waits for the `nth` time, from 0, unless that was the last one. `in_vain` counts how often all waits were.
    async fn wait_again(
        &self,
        nth: usize,
        activity: Activity,
        in_vain: fn(&mut SessionState) -> &mut u32,
    ) -> bool {
        let is_hopeful = *in_vain(&mut self.state()) < MOST_IN_VAIN;
        let waits = if is_hopeful { &WAITS[..] } else { &WAITS[..WAITS.len() / 2] };
        let Some(wait) = waits.get(nth) else {
            *in_vain(&mut self.state()) += 1;
            return false;
        };
        tokio::time::sleep(*wait).await;
        self.state().spent.record(activity, *wait);
        true
    }

    fn permit(&self, step: &Prepared) -> Result<Permit, Unanswered> {
        let state = self.state();
        let scope = Scope {
            settings: &self.settings,
            grants: &state.grants,
            inbox: self.inbox_url.as_deref(),
            moves_clock: self.abilities.moves_clock,
            disturbs: self.abilities.disturbs,
        };
        scope.judge(step).map_err(|refused| Unanswered::never(refused.to_string()))
    }

    /// Refuses to repeat a subscription without a response, because it may exist (§4 Idempotency summary).
    fn refuse_repeated_subscription(
        &self,
        step: &Prepared,
        permit: &Permit,
    ) -> Result<(), Unanswered> {
        let url = step.call().filter(|_| permit.subscribes).map(subscribed);
        if url.is_some_and(|url| self.state().unconfirmed_urls.contains(&url)) {
            let why = "not sent: the same request got no response, and may have taken effect";
            return Err(Unanswered::never(why));
        }
        Ok(())
    }

    fn charge(&self, play: u64, step: &Prepared, permit: &Permit) -> Result<Charge, Unanswered> {
        let caller = step.authorization.as_deref().unwrap_or_default();
        let mut state = self.state();
        if let Some(over) = state.limits.over() {
            state.ended.get_or_insert(over);
        }
        if let Some(ended) = &state.ended {
            let ended = Unanswered::never(ended.to_string()).and_last();
            let is_down = state.outage.is_some();
            return Err(if is_down { ended.of(Silence::Refused) } else { ended });
        }
        if state.limits.is_enough() {
            return Err(Unanswered::never("enough was found").and_last());
        }
        state.plays.uses(play);
        let budget = self.budget(&state);
        state.ledger.charge(&budget, caller, permit).map_err(|spent| {
            let why = spent.to_string();
            if let OverBudget::Requests(_) = spent {
                state.ended = Some(StopReason::Spent(why.clone()));
                return Unanswered::never(why).and_last();
            }
            Unanswered::never(why)
        })
    }

    /// The budget, with what the current part of the run may spend of the requests.
    fn budget(&self, state: &SessionState) -> Budget {
        Budget { requests: state.limits.requests, ..self.settings.budget }
    }

    /// Sends a step. Waits if the target asks for it, and then retries if that is safe.
    async fn exchange_in_time(
        &self,
        play: u64,
        step: &Prepared,
        purpose: Purpose,
    ) -> Result<Answered, Unanswered> {
        let mut repeats = 0;
        loop {
            let (answer, took) = self.exchange(play, step).await?;
            let Some(wait) = asked_wait(&answer, SystemTime::now()) else {
                return Ok(Answered { seen: answer.seen, took });
            };
            let target = &self.settings.target;
            if wait > LONGEST_WAIT {
                let why = format!("{target} asks to wait {wait:?}: run it again later");
                let mut state = self.state();
                state.ended = Some(StopReason::GivenUp(why.clone()));
                state.backoff = Some((Instant::now(), wait));
                return Err(Unanswered::may_be(why).and_last());
            }
            let mut state = self.state();
            state.pace.pause(Instant::now(), wait);
            state.workers.note_asked_to_wait();
            drop(state);
            if repeats == MOST_REPEATS || !purpose.repeats(step) {
                let status = answer.seen.status;
                let why = format!("{target} answers {status}: too many requests for it");
                return Err(Unanswered::may_be(why));
            }
            repeats += 1;
            self.charge_again(play, purpose)?;
        }
    }

    fn charge_again(&self, play: u64, purpose: Purpose) -> Result<(), Unanswered> {
        if purpose == Purpose::EndOfRun {
            return Ok(());
        }
        self.state().plays.uses(play);
        self.charge_repeat()
    }

    pub(super) fn charge_repeat(&self) -> Result<(), Unanswered> {
        let mut state = self.state();
        let budget = self.budget(&state);
        state.ledger.charge_repeat(&budget).map_err(|spent| {
            state.ended = Some(StopReason::Spent(spent.to_string()));
            Unanswered::may_be(spent.to_string()).and_last()
        })
    }

    /// Logs a step, sends it, and logs the result. Returns how long the response took.
    pub(super) async fn exchange(
        &self,
        play: u64,
        step: &Prepared,
    ) -> Result<(HttpResponse, Duration), Unanswered> {
        if self.state().backoff.is_some_and(|(since, wait)| since.elapsed() < wait) {
            return Err(Unanswered::never("not sent: the target asks to wait longer"));
        }
        self.keep_pace().await;
        let secrets = self.secrets();
        let number = self.journal(|journal| {
            journal.request(self.now(), (&self.settings, &secrets), play, step)
        })?;
        let began = Instant::now();
        let answered = self.transmit(step).await;
        let took = began.elapsed();
        self.note_time(step, took, answered.is_ok());
        self.state().took = took;
        let came = answered.as_ref().map(|answer| &answer.seen);
        if let Ok(seen) = came {
            self.keep_secrets(step, seen);
        }
        answered.iter().for_each(|answer| self.guess_clock(answer));
        let secrets = self.secrets();
        self.journal(|journal| journal.answer(self.now(), number, took, came, &secrets))?;
        answered.map(|answer| (answer, took))
    }

    async fn keep_pace(&self) {
        let began = Instant::now();
        let (wait, is_asked) = {
            let mut state = self.state();
            (state.pace.wait(began), state.pace.is_paused(began))
        };
        if !wait.is_zero() {
            tokio::time::sleep(wait).await;
            let activity = if is_asked { Activity::AskedToWait } else { Activity::Pace };
            self.state().spent.record(activity, wait);
        }
    }

    fn note_time(&self, step: &Prepared, took: Duration, is_answered: bool) {
        let mut state = self.state();
        let activity = match &step.action {
            PreparedAction::Call(call) if !call.path.starts_with("/_sim/") => {
                if is_answered {
                    state.workers.note(took);
                }
                Activity::Requests
            }
            PreparedAction::Advance(_) => Activity::Clock,
            PreparedAction::Call(_) | PreparedAction::Act(_) | PreparedAction::Deliveries => {
                Activity::Operator
            }
        };
        state.spent.record(activity, took);
    }

    /// The secrets, which no output may contain.
    pub fn secrets(&self) -> Secrets {
        self.state().secrets.clone()
    }

    fn keep_secrets(&self, step: &Prepared, seen: &Response) {
        match &step.action {
            PreparedAction::Call(_) if step.kind() == Some(OperationKind::Subscribe) => {
                self.state().secrets.keep_all_of_subscription(step, seen);
            }
            PreparedAction::Act(_) => {
                self.state().secrets.keep_words(seen, "");
                if let Some(key) = seen.json().and_then(|body| Fields::of(body).key()) {
                    self.state().secrets.keep(key);
                }
            }
            _ if shows_accounts(step) => self.state().secrets.keep_numbers_of(seen),
            _ => {}
        }
    }

    pub(super) fn journal<T>(
        &self,
        write: impl FnOnce(&mut Journal) -> io::Result<T>,
    ) -> Result<T, Unanswered> {
        let mut journal = self.journal.lock().unwrap_or_else(PoisonError::into_inner);
        write(&mut journal).map_err(|error| {
            let why = format!("the journal cannot be written, so nothing is sent: {error}");
            self.state().ended = Some(StopReason::GivenUp(why.clone()));
            Unanswered::may_be(why).and_last()
        })
    }

    async fn transmit(&self, step: &Prepared) -> Result<HttpResponse, Unanswered> {
        let authorization = step.authorization.as_deref();
        let (method, path, body) = match &step.action {
            PreparedAction::Call(call) => {
                let (method, path) = (&*call.method, &*call.path);
                let (content_type, body) = (call.content_type.as_deref(), call.body().to_vec());
                let outgoing = Outgoing { method, path, authorization, content_type, body };
                let client = if path.starts_with("/_sim/") { &self.operator } else { &None };
                return client.as_ref().unwrap_or(&self.client).exchange(outgoing).await;
            }
            PreparedAction::Act(fields) => {
                ("POST", "/_sim/actions", Value::Object(fields.clone()).to_string())
            }
            PreparedAction::Advance(seconds) => {
                ("POST", "/_sim/clock", json!({ "advanceSeconds": seconds }).to_string())
            }
            PreparedAction::Deliveries => ("GET", "/_sim/deliveries", String::new()),
        };
        let Some(operator) = &self.operator else {
            return Err(Unanswered::never("there is no operator port"));
        };
        let content_type = (!body.is_empty()).then_some("application/json");
        let body = body.into_bytes();
        operator.exchange(Outgoing { method, path, authorization, content_type, body }).await
    }

    /// Records a subscription before it is sent, so that the cleanup searches for it even after a failure.
    fn note_before(&self, play: u64, step: &Prepared, permit: &Permit) {
        if let (true, Some(key)) = (permit.subscribes, &step.authorization) {
            self.state().plays.subscribes(play, key);
        }
    }

    /// Stops the run if someone else revoked its key. A 401 raises the suspicion, and a read confirms it (§5
    /// rule 3).
    pub(crate) async fn note_key(
        &self,
        play: u64,
        step: &Prepared,
        seen: &Response,
    ) -> Result<(), Unanswered> {
        let is_refused =
            seen.status == 401 && step.authorization.as_deref() == Some(&*self.own_authorization());
        if !is_refused || self.operator.is_some() || self.ended().is_some() {
            return Ok(());
        }
        let read = self.send_to_end(play, &self.list(), Purpose::EndOfCase).await;
        if !read.is_ok_and(|seen| seen.status == 401) {
            return Ok(());
        }
        let Settings { target, key, .. } = &self.settings;
        let why = format!("{target} refuses the key {key}, which it took before: was it revoked?");
        self.state().ended = Some(StopReason::GivenUp(why.clone()));
        Err(Unanswered::never(why).and_last())
    }

    fn note_after(
        &self,
        play: u64,
        step: &Prepared,
        permit: Permit,
        charge: Charge,
        answered: Result<&Response, &Unanswered>,
    ) {
        let mut state = self.state();
        let is_doubtful = match answered {
            Ok(seen) => matches!(seen.status, 500..),
            Err(unanswered) => unanswered.applied == Applied::MayBe,
        };
        if let Some(call) = step.call().filter(|_| permit.subscribes && is_doubtful) {
            state.unconfirmed_urls.insert(subscribed(call));
        }
        if permit.subscribes && !is_doubtful {
            state.plays.is_decided(play);
        }
        if may_have_made_a_key(step, answered) {
            state.leave(vec!["perhaps a key: a request for one got no key in response".to_owned()]);
        }
        if let (Some(action), Ok(seen)) = (step.acts(), answered)
            && seen.code() == Some("unknown_action")
        {
            state.unknown_actions.insert(action);
        }
        match answered {
            Ok(seen) => {
                if is_refusal(seen) {
                    state.ledger.refund(charge);
                } else {
                    state.leave(permit.makes);
                }
                let reference = seen.success_body().and_then(|body| Fields::of(body).reference());
                state.charged.extend(reference.filter(|_| permit.delivers).map(str::to_owned));
                if seen.is_success() {
                    state.grants.learn(step, permit.subscribes, seen);
                    let made = seen.json().filter(|_| permit.subscribes);
                    let made = made.and_then(|body| Fields::of(body).reference());
                    made.into_iter().for_each(|made| state.plays.has_made(play, made));
                }
            }
            Err(unanswered) if unanswered.applied == Applied::MayBe => state.leave(permit.makes),
            Err(_) => state.ledger.refund(charge),
        }
    }
}

/// Whether the service surely did nothing. A 4xx without the API's error code may come from a proxy, which may
/// have forwarded the request.
fn is_refusal(seen: &Response) -> bool {
    seen.is_refused() && seen.code().is_some()
}

/// Whether the response to a step may show a collection account.
fn shows_accounts(step: &Prepared) -> bool {
    matches!(step.kind(), Some(OperationKind::GetBusiness | OperationKind::RequestAdvance))
}

impl Purpose {
    /// Whether a request may be retried after the target asked to send it later.
    fn repeats(self, step: &Prepared) -> bool {
        // Cleanup is idempotent.
        self != Purpose::Step || is_repeatable(step)
    }
}

/// Whether the target may have issued a key without showing it, so that nobody can revoke it.
fn may_have_made_a_key(step: &Prepared, answered: Result<&Response, &Unanswered>) -> bool {
    let issues = step.acts() == Some(ActionKind::IssueKey);
    let is_empty = match answered {
        Ok(seen) if seen.is_success() => {
            !seen.json().is_some_and(|body| body[field::KEY].is_string())
        }
        Ok(seen) => seen.status >= 500,
        Err(unanswered) => unanswered.applied == Applied::MayBe,
    };
    issues && is_empty
}

/// The URL of a requested subscription, which identifies it. Without a URL, the whole body.
fn subscribed(call: &PreparedCall) -> String {
    let url = call.body().json().and_then(|body| Fields::of(body).url());
    url.map_or_else(|| String::from_utf8_lossy(call.body()).into_owned(), str::to_owned)
}

/// Whether the document allows a retry of a request (§4 Idempotency summary).
fn is_repeatable(step: &Prepared) -> bool {
    let PreparedAction::Call(call) = &step.action else { return false };
    let is_safe_post =
        matches!(step.kind(), Some(OperationKind::RequestAdvance | OperationKind::Quote));
    matches!(&*call.method, "GET" | "PUT") || is_safe_post
}
