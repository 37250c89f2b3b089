//! Sends what passes the gate and the budget: logs it, paces it, sends it, and counts the result.

use std::io;
use std::sync::PoisonError;
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};
use tideover_model::wire::field::{self, Fields};
use tideover_model::{ActionKind, OperationKind};

use crate::endpoint::client::{Incame, Outgoing};
use crate::endpoint::{Applied, Silence, Unanswered};
use crate::exchange::secrets::Secrets;
use crate::exchange::{Prepared, PreparedAction, PreparedCall, Seen};
use crate::live::journal::Journal;
use crate::live::ledger::{Charge, OverBudget};
use crate::live::pace::{LONGEST_WAIT, asked_wait};
use crate::live::scope::{Permit, Scope};
use crate::live::session::{MOST_UNANSWERED, Session, StopReason};
use crate::live::settings::Settings;

/// The most repeats of a request that the target asks to send later.
const MOST_REPEATS: u32 = 3;

/// The waits before each retry of a stale read.
const STALE_READ_WAITS: [Duration; 4] = [
    Duration::from_millis(50),
    Duration::from_millis(200),
    Duration::from_secs(1),
    Duration::from_secs(3),
];

/// After this many reads that stayed stale, a run uses only the first half of these waits.
const MOST_STALE_READS: u32 = 3;

/// The purpose of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::live) enum Purpose {
    /// A step.
    Step,
    /// Cleanup after a case, before the next.
    EndOfCase,
    /// Cleanup after the run, independent of the budget.
    EndOfRun,
}

impl Session {
    /// Sends a step, if it is allowed.
    pub(in crate::live) async fn send(&self, step: &Prepared) -> Result<Seen, Unanswered> {
        let permit = self.permit(step)?;
        self.refuse_repeated_subscription(step, &permit)?;
        let charge = self.charge(step, &permit)?;
        self.note_before(step, &permit);
        let answered = self.exchange_in_time(step, Purpose::Step).await;
        self.note_silence(step, &answered).await;
        self.note_after(step, permit, charge, &answered);
        answered
    }

    /// Sends a cleanup step.
    pub(in crate::live) async fn send_to_end(
        &self,
        step: &Prepared,
        purpose: Purpose,
    ) -> Result<Seen, Unanswered> {
        self.permit(step)?;
        if let Some(why) = self.outage() {
            return Err(Unanswered::never(why));
        }
        self.charge_again(purpose)?;
        let answered = self.exchange_in_time(step, purpose).await;
        self.note_silence(step, &answered).await;
        answered
    }

    /// Waits before retry `nth` of a stale read, from 0. Returns `false` when no retry is left.
    pub(in crate::live) async fn wait_to_ask_again(&self, nth: usize) -> bool {
        let all = STALE_READ_WAITS.len();
        let kept = if self.state().stale_reads < MOST_STALE_READS { all } else { all / 2 };
        let Some(wait) = STALE_READ_WAITS[..kept].get(nth) else {
            self.state().stale_reads += 1;
            return false;
        };
        tokio::time::sleep(*wait).await;
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

    fn charge(&self, step: &Prepared, permit: &Permit) -> Result<Charge, Unanswered> {
        let caller = step.authorization.as_deref().unwrap_or_default();
        let mut state = self.state();
        let most = self.settings.budget.seconds;
        if let Some(most) = most.filter(|most| state.began.elapsed().as_secs() >= *most) {
            let why = format!("the {most} seconds of the run are over (max-seconds)");
            state.ended.get_or_insert(StopReason::Spent(why));
        }
        if let Some(ended) = &state.ended {
            let ended = Unanswered::never(ended.to_string()).and_last();
            let is_down = state.outage.is_some();
            return Err(if is_down { ended.of(Silence::Refused) } else { ended });
        }
        state.ledger.charge(&self.settings.budget, caller, permit).map_err(|spent| {
            let why = spent.to_string();
            if let OverBudget::Requests(_) = spent {
                state.ended = Some(StopReason::Spent(why.clone()));
                return Unanswered::never(why).and_last();
            }
            Unanswered::never(why)
        })
    }

    /// Sends a step. Waits if the target asks for it, and then retries if that is safe.
    async fn exchange_in_time(
        &self,
        step: &Prepared,
        purpose: Purpose,
    ) -> Result<Seen, Unanswered> {
        let mut repeats = 0;
        loop {
            let answer = self.exchange(step).await?;
            let Some(wait) = asked_wait(&answer, SystemTime::now()) else {
                return Ok(answer.seen);
            };
            let target = &self.settings.target;
            if wait > LONGEST_WAIT {
                let why = format!("{target} asks to wait {wait:?}: run it again later");
                let mut state = self.state();
                state.ended = Some(StopReason::GivenUp(why.clone()));
                state.backoff = Some((Instant::now(), wait));
                return Err(Unanswered::may_be(why).and_last());
            }
            self.state().pace.pause(Instant::now(), wait);
            if repeats == MOST_REPEATS || !purpose.repeats(step) {
                let status = answer.seen.status;
                let why = format!("{target} answers {status}: too many requests for it");
                return Err(Unanswered::may_be(why));
            }
            repeats += 1;
            self.charge_again(purpose)?;
        }
    }

    fn charge_again(&self, purpose: Purpose) -> Result<(), Unanswered> {
        if purpose == Purpose::EndOfRun { Ok(()) } else { self.charge_repeat() }
    }

    pub(super) fn charge_repeat(&self) -> Result<(), Unanswered> {
        let mut state = self.state();
        state.ledger.charge_repeat(&self.settings.budget).map_err(|spent| {
            state.ended = Some(StopReason::Spent(spent.to_string()));
            Unanswered::may_be(spent.to_string()).and_last()
        })
    }

    /// Logs a step, sends it, and logs the result.
    pub(super) async fn exchange(&self, step: &Prepared) -> Result<Incame, Unanswered> {
        if self.state().backoff.is_some_and(|(since, wait)| since.elapsed() < wait) {
            return Err(Unanswered::never("not sent: the target asks to wait longer"));
        }
        let wait = self.state().pace.wait(Instant::now());
        if !wait.is_zero() {
            tokio::time::sleep(wait).await;
        }
        let case = self.state().plays;
        let secrets = self.secrets();
        let number = self.journal(|journal| {
            journal.request(self.now(), (&self.settings, &secrets), case, step)
        })?;
        let began = Instant::now();
        let answered = self.transmit(step).await;
        let took = began.elapsed();
        self.state().took = took;
        let came = answered.as_ref().map(|answer| &answer.seen);
        if let Ok(seen) = came {
            self.keep_secrets(step, seen);
        }
        answered.iter().for_each(|answer| self.guess_clock(answer));
        let secrets = self.secrets();
        self.journal(|journal| journal.answer(self.now(), number, took, came, &secrets))?;
        answered
    }

    /// The secrets, which no output may contain.
    pub fn secrets(&self) -> Secrets {
        self.state().secrets.clone()
    }

    fn keep_secrets(&self, step: &Prepared, seen: &Seen) {
        match &step.action {
            PreparedAction::Call(call)
                if (&*call.method, &*call.path) == ("POST", "/v1/webhooks") =>
            {
                self.state().secrets.keep_all_of_subscription(seen);
            }
            PreparedAction::Act(_) => {
                self.state().secrets.keep_words(seen);
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

    async fn transmit(&self, step: &Prepared) -> Result<Incame, Unanswered> {
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
    fn note_before(&self, step: &Prepared, permit: &Permit) {
        if let (true, Some(key)) = (permit.subscribes, &step.authorization) {
            let mut state = self.state();
            state.in_doubt += 1;
            if !state.subscribers.contains(key) {
                state.subscribers.push(key.clone());
            }
        }
    }

    /// Stops the run if someone else revoked its key. A 401 raises the suspicion, and a read confirms it (§5
    /// rule 3).
    ///
    /// # Errors
    /// [`Unanswered`] if the key is revoked; the run is over.
    pub(in crate::live) async fn note_key(
        &self,
        step: &Prepared,
        seen: &Seen,
    ) -> Result<(), Unanswered> {
        let is_refused =
            seen.status == 401 && step.authorization.as_deref() == Some(&*self.own_authorization());
        if !is_refused || self.operator.is_some() || self.ended().is_some() {
            return Ok(());
        }
        let read = self.send_to_end(&self.get("/v1/webhooks"), Purpose::EndOfCase).await;
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
        step: &Prepared,
        permit: Permit,
        charge: Charge,
        answered: &Result<Seen, Unanswered>,
    ) {
        let mut state = self.state();
        let is_doubtful = match answered {
            Ok(seen) => matches!(seen.status, 500..),
            Err(unanswered) => unanswered.applied == Applied::MayBe,
        };
        if let Some(call) = step.call().filter(|_| permit.subscribes && is_doubtful) {
            state.unconfirmed_urls.insert(subscribed(call));
        }
        state.in_doubt -= u64::from(permit.subscribes && !is_doubtful);
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
                }
            }
            Err(unanswered) if unanswered.applied == Applied::MayBe => state.leave(permit.makes),
            Err(_) => state.ledger.refund(charge),
        }
        let why = match answered {
            Ok(seen) if matches!(seen.status, 502 | 504) => format!("it answers {}", seen.status),
            Ok(_) => {
                state.unanswered = 0;
                return;
            }
            Err(unanswered) => unanswered.why.clone(),
        };
        state.unanswered += 1;
        if state.unanswered >= MOST_UNANSWERED && state.ended.is_none() {
            let target = &self.settings.target;
            state.ended = Some(StopReason::GivenUp(format!(
                "{target} is given up: {MOST_UNANSWERED} requests in a row were not answered, the last \
                 one since {why}"
            )));
        }
    }
}

/// Whether the service surely did nothing. A 4xx without the API's error code may come from a proxy, which may
/// have forwarded the request.
fn is_refusal(seen: &Seen) -> bool {
    (400..500).contains(&seen.status) && seen.code().is_some()
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
fn may_have_made_a_key(step: &Prepared, answered: &Result<Seen, Unanswered>) -> bool {
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
    let is_safe_post = matches!(&*call.path, "/v1/advances" | "/v1/quotes");
    matches!(&*call.method, "GET" | "PUT") || call.method == "POST" && is_safe_post
}
