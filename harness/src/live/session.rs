//! A run against a live target: what passes the gate and the budget is written down, paced and sent.

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use tideover_model::Timestamp;

use crate::inbox::{self, Arrival};
use crate::judge::Outside;
use crate::live::journal::{Journal, wall_time};
use crate::live::ledger::{Charge, Given, Ledger, Spent};
use crate::live::pace::{LONGEST_WAIT, Pace, asked_wait};
use crate::live::scope::{Permit, Scope};
use crate::live::settings::{Settings, any_name};
use crate::secrets::Secrets;
use crate::target::client::{Client, Incame, Outgoing};
use crate::target::{Applied, Prepared, PreparedAction, PreparedCall, Seen, Unanswered};
use crate::transcript::Header;

/// After so many requests in a row without an answer the target is given up.
pub const MOST_UNANSWERED: u32 = 10;

/// So often a request is repeated that the target asks to send later.
const MOST_REPEATS: u32 = 3;

/// How far a clock may be off. Seconds.
pub(super) const CLOCKS_APART: u64 = 300;

/// A run.
#[derive(Debug)]
pub struct Session {
    pub(super) settings: Settings,
    client: Client,
    operator: Option<Client>,
    inbox: Option<inbox::Server>,
    /// The run's own part of the inbox, which nobody else can guess.
    pub(super) inbox_url: Option<String>,
    abilities: Abilities,
    journal: Mutex<Journal>,
    state: Mutex<State>,
}

/// What the operator port of a target offers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Abilities {
    /// The actions, if it says which; otherwise one is tried when it is needed.
    pub actions: Option<Vec<String>>,
    /// Whether the clock can be moved.
    pub moves_clock: bool,
    /// Whether what everybody at the target would feel may be done to it.
    pub disturbs: bool,
}

#[derive(Debug)]
pub(super) struct State {
    ledger: Ledger,
    pub(super) given: Given,
    pace: Pace,
    /// How often a target was fresh.
    pub(super) plays: u64,
    unanswered: u32,
    /// Seconds that the target's clock is ahead of the wall, as the operator port or a header tells it.
    clock_ahead: Option<i64>,
    /// The same by the header of the last answer, and by that of the last one that told the time.
    dates: (Option<i64>, Option<i64>),
    /// The keys that have subscribed.
    pub(super) subscribers: Vec<String>,
    /// Subscriptions that were asked for and not answered.
    pub(super) in_doubt: u64,
    pub(super) left_behind: Vec<String>,
    ended: Option<Ending>,
    secrets: Secrets,
}

/// Why nothing more is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// As many requests as the user allows.
    Spent(String),
    /// The target does not answer.
    GivenUp(String),
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Ending::Spent(why) | Ending::GivenUp(why)) = self;
        f.write_str(why)
    }
}

impl Session {
    /// Begins a run, and finds out what the target can do.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub fn new(
        settings: Settings,
        client: Client,
        operator: Option<Client>,
        inbox: Option<inbox::Server>,
        journal: &Path,
        header: &Header,
    ) -> io::Result<Session> {
        let token = format!("{}{}{}", settings.own_name, any_name(), any_name());
        let inbox_url =
            settings.webhooks.as_ref().map(|webhooks| format!("{}/{token}", webhooks.url));
        if let Some(inbox) = &inbox {
            inbox.listen_for(&token);
        }
        let state = State {
            ledger: Ledger::default(),
            given: Given::default(),
            pace: Pace::new(settings.per_second, settings.at_once),
            plays: 0,
            unanswered: 0,
            clock_ahead: None,
            dates: (None, None),
            subscribers: Vec::new(),
            in_doubt: 0,
            left_behind: Vec::new(),
            ended: None,
            secrets: settings.secrets(),
        };
        Ok(Session {
            journal: Mutex::new(Journal::create(journal, header)?),
            state: Mutex::new(state),
            settings,
            client,
            operator,
            inbox,
            inbox_url,
            abilities: Abilities::default(),
        })
    }

    /// Asks the target whether it is there and takes the key, and its operator port what it offers.
    ///
    /// # Errors
    /// [`Unanswered`] if it is not there or refuses the key, or if the operator port that it is said to have is
    /// not there.
    pub async fn greet(&mut self) -> Result<(), Unanswered> {
        let seen = self.send(&self.get("/v1/webhooks")).await.map_err(Unanswered::and_last)?;
        if seen.status == 401 {
            let why = format!("{} refuses the key {}", self.settings.target, self.settings.key);
            return Err(Unanswered::never(why).and_last());
        }
        if self.operator.is_none() {
            return Ok(());
        }
        let is_a_mock = self.is_a_mock().await?;
        if !self.settings.allow_writes {
            return Ok(());
        }
        let disturbs = self.settings.allow_disturbance || is_a_mock;
        let actions = self.ask_operator("/_sim/actions").await?;
        let listed = actions.json().and_then(|body| body["actions"].as_array());
        let clock = self.ask_operator("/_sim/clock").await?;
        self.note_clock(&clock);
        self.abilities = Abilities {
            actions: listed
                .map(|names| names.iter().filter_map(Value::as_str).map(str::to_owned).collect()),
            moves_clock: disturbs && clock.is_success(),
            disturbs,
        };
        Ok(())
    }

    /// Whether the operator port is that of a mock of ours, which nobody shares.
    async fn is_a_mock(&self) -> Result<bool, Unanswered> {
        let told = self.ask_operator("/_sim/health").await?;
        Ok(told.json().is_some_and(|told| told["mock"] == "tideover"))
    }

    /// What the operator port answers to a question; it counts as a request.
    async fn ask_operator(&self, path: &str) -> Result<Seen, Unanswered> {
        self.charge_repeat()?;
        let answered = self.exchange(&self.get(path)).await;
        answered.map(|answer| answer.seen).map_err(|unanswered| {
            let why = format!("the operator port does not answer: {}", unanswered.why);
            Unanswered { why, ..unanswered }.and_last()
        })
    }

    /// Looks at the target's clock, if it can be moved.
    pub(super) async fn look_at_clock(&self) {
        if self.abilities.moves_clock {
            self.read_clock().await;
        }
    }

    /// Asks the operator port for what the target's clock shows; whether it tells that.
    pub(super) async fn read_clock(&self) -> bool {
        match self.operator {
            Some(_) => {
                self.ask_operator("/_sim/clock").await.is_ok_and(|seen| self.note_clock(&seen))
            }
            None => false,
        }
    }

    /// Takes over what the target's clock is told to show; whether that is told.
    pub(super) fn note_clock(&self, seen: &Seen) -> bool {
        let told = seen.json().and_then(|body| body["now"].as_str()).and_then(Timestamp::parse);
        if let Some(now) = told {
            self.state().clock_ahead = Some(now.unix() - wall_time().unix());
        }
        told.is_some()
    }

    /// The last answer told the time as it was expected.
    pub(super) fn keep_date(&self) {
        let mut state = self.state();
        state.dates.1 = state.dates.0;
    }

    /// Follows the header of the answers if it was moved about as far as the time that the last one told. Seconds.
    pub(super) fn follow_date(&self, moved: i64) {
        let mut state = self.state();
        let (Some(last), Some(before)) = state.dates else { return };
        if (last - before).abs_diff(moved) <= CLOCKS_APART {
            state.clock_ahead = Some(state.clock_ahead.unwrap_or(0) + last - before);
        }
    }

    /// Takes the date of the first answer for a guess, until anything else tells the time: what stands before the
    /// target may have set it, and nobody is held to it.
    fn guess_clock(&self, answer: &Incame) {
        let mut state = self.state();
        let since_1970 = answer.date.and_then(|date| date.duration_since(UNIX_EPOCH).ok());
        let date = since_1970.and_then(|date| i64::try_from(date.as_secs()).ok());
        let ahead = date.map(|date| date - wall_time().unix());
        state.dates.0 = ahead;
        if let Some(ahead) = ahead.filter(|_| state.plays == 0) {
            state.clock_ahead.get_or_insert(ahead);
            state.dates.1.get_or_insert(ahead);
        }
    }

    /// What the target's clock shows, as far as that is known.
    pub(super) fn now(&self) -> Timestamp {
        let now = wall_time();
        let ahead = self.state().clock_ahead.unwrap_or(0);
        Timestamp::from_unix(now.unix() + ahead).unwrap_or(now)
    }

    /// Who moves the world outside.
    pub(super) fn outside(&self) -> Outside {
        if self.operator.is_some() { Outside::Ours } else { Outside::Open }
    }

    /// What the operator port offers.
    pub fn abilities(&self) -> &Abilities {
        &self.abilities
    }

    /// Why nothing more is sent, if that is so.
    pub fn ended(&self) -> Option<Ending> {
        self.state().ended.clone()
    }

    /// Requests that were sent.
    pub fn requests(&self) -> u64 {
        self.state().ledger.requests()
    }

    /// What came to the run's part of the inbox.
    pub(super) fn take_arrivals(&self) -> Vec<Arrival> {
        self.inbox.as_ref().map(|inbox| inbox.inbox().take()).unwrap_or_default()
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn own_authorization(&self) -> String {
        format!("Bearer {}", self.settings.key.reveal())
    }

    pub(super) fn get(&self, path: &str) -> Prepared {
        let call = PreparedCall::new("GET", path, None, Vec::new());
        let authorization = Some(self.own_authorization());
        Prepared { authorization, action: PreparedAction::Call(call) }
    }

    /// Sends a step, if it may be sent.
    pub(super) async fn send(&self, step: &Prepared) -> Result<Seen, Unanswered> {
        let permit = self.permit(step)?;
        let charge = self.charge(step, &permit)?;
        self.note_before(step, &permit);
        let answered = self.exchange_in_time(step).await;
        self.note_after(step, permit, charge, &answered);
        answered
    }

    /// Sends a step that puts an end to what the run has begun, even after the end of the run.
    pub(super) async fn send_uncounted(&self, step: &Prepared) -> Result<Seen, Unanswered> {
        self.permit(step)?;
        self.exchange_in_time(step).await
    }

    fn permit(&self, step: &Prepared) -> Result<Permit, Unanswered> {
        let state = self.state();
        let scope = Scope {
            settings: &self.settings,
            given: &state.given,
            inbox: self.inbox_url.as_deref(),
            moves_clock: self.abilities.moves_clock,
            disturbs: self.abilities.disturbs,
        };
        scope.judge(step).map_err(|refused| Unanswered::never(refused.to_string()))
    }

    fn charge(&self, step: &Prepared, permit: &Permit) -> Result<Charge, Unanswered> {
        let caller = step.authorization.as_deref().unwrap_or_default();
        let mut state = self.state();
        if let Some(ended) = &state.ended {
            return Err(Unanswered::never(ended.to_string()).and_last());
        }
        state.ledger.charge(&self.settings.budget, caller, permit).map_err(|spent| {
            let why = spent.to_string();
            if let Spent::Requests(_) = spent {
                state.ended = Some(Ending::Spent(why.clone()));
                return Unanswered::never(why).and_last();
            }
            Unanswered::never(why)
        })
    }

    /// Sends a step, later if the target asks for that, and again if that is safe.
    pub(super) async fn exchange_in_time(&self, step: &Prepared) -> Result<Seen, Unanswered> {
        let mut repeats = 0;
        loop {
            let answer = self.exchange(step).await?;
            let Some(wait) = asked_wait(&answer, SystemTime::now()) else {
                return Ok(answer.seen);
            };
            let target = &self.settings.target;
            if wait > LONGEST_WAIT {
                let why = format!("{target} asks to wait {wait:?}: run it again later");
                self.state().ended = Some(Ending::GivenUp(why.clone()));
                return Err(Unanswered::may_be(why).and_last());
            }
            self.state().pace.pause(Instant::now(), wait);
            if repeats == MOST_REPEATS || !is_repeatable(step) {
                let status = answer.seen.status;
                let why = format!("{target} answers {status}: too many requests for it");
                return Err(Unanswered::may_be(why));
            }
            repeats += 1;
            self.charge_repeat()?;
        }
    }

    fn charge_repeat(&self) -> Result<(), Unanswered> {
        let mut state = self.state();
        state.ledger.charge_repeat(&self.settings.budget).map_err(|spent| {
            state.ended = Some(Ending::Spent(spent.to_string()));
            Unanswered::may_be(spent.to_string()).and_last()
        })
    }

    /// Writes down, sends, and writes down what came.
    async fn exchange(&self, step: &Prepared) -> Result<Incame, Unanswered> {
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
        let came = answered.as_ref().map(|answer| &answer.seen);
        if let Ok(seen) = came {
            self.keep_secrets(step, seen);
        }
        answered.iter().for_each(|answer| self.guess_clock(answer));
        let secrets = self.secrets();
        self.journal(|journal| journal.answer(self.now(), number, took, came, &secrets))?;
        answered
    }

    /// What must not be told.
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
                if let Some(key) = seen.json().and_then(|told| told["key"].as_str()) {
                    self.state().secrets.keep(key);
                }
            }
            _ => {}
        }
    }

    fn journal<T>(
        &self,
        write: impl FnOnce(&mut Journal) -> io::Result<T>,
    ) -> Result<T, Unanswered> {
        let mut journal = self.journal.lock().unwrap_or_else(PoisonError::into_inner);
        write(&mut journal).map_err(|error| {
            let why = format!("the journal cannot be written, so nothing is sent: {error}");
            self.state().ended = Some(Ending::GivenUp(why.clone()));
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

    /// Before it is sent: whatever happens to this process then, a subscription is looked for.
    fn note_before(&self, step: &Prepared, permit: &Permit) {
        if let (true, Some(key)) = (permit.subscribes, &step.authorization) {
            let mut state = self.state();
            state.in_doubt += 1;
            if !state.subscribers.contains(key) {
                state.subscribers.push(key.clone());
            }
        }
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
        state.in_doubt -= u64::from(permit.subscribes && !is_doubtful);
        match answered {
            Ok(seen) => {
                if (400..500).contains(&seen.status) {
                    state.ledger.refund(charge);
                } else {
                    state.leave(permit.makes);
                }
                if seen.is_success() {
                    state.given.learn(&step.action, permit.subscribes, seen);
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
            state.ended = Some(Ending::GivenUp(format!(
                "{target} is given up: {MOST_UNANSWERED} requests in a row were not answered, the last \
                 one since {why}"
            )));
        }
    }
}

impl State {
    fn leave(&mut self, made: Vec<String>) {
        for made in made {
            if !self.left_behind.contains(&made) {
                self.left_behind.push(made);
            }
        }
    }
}

/// Whether the document says that a request may be sent again (§4 Idempotency summary).
fn is_repeatable(step: &Prepared) -> bool {
    let PreparedAction::Call(call) = &step.action else { return false };
    let is_safe_post = matches!(&*call.path, "/v1/advances" | "/v1/quotes");
    matches!(&*call.method, "GET" | "PUT") || call.method == "POST" && is_safe_post
}
