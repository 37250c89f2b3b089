//! A run against a live target: its permissions, its state, and why it stopped.

mod clock;
mod offered;
mod sending;

use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;
use tideover_model::{ActionKind, Code};

use crate::endpoint::client::Client;
use crate::endpoint::{Unanswered, inbox};
use crate::exchange::secrets::Secrets;
use crate::exchange::transcript::Header;
use crate::exchange::{Arrival, Prepared, PreparedAction, PreparedCall, Seen};
use crate::judge::Outside;
use crate::live::grants::Grants;
use crate::live::journal::Journal;
use crate::live::ledger::SpendingLedger;
use crate::live::pace::RequestPacer;
use crate::live::settings::{Settings, any_name};

pub(in crate::live) use sending::Purpose;

/// The run gives up after this many requests in a row without a response.
pub const MOST_UNANSWERED: u32 = 10;

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
    state: Mutex<SessionState>,
}

/// What the operator port of a target offers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Abilities {
    /// The actions, if the port lists them. Otherwise an action is tried when it is needed.
    pub actions: Option<Vec<String>>,
    /// Whether the clock can be moved.
    pub moves_clock: bool,
    /// Whether the run may do what affects all users of the target.
    pub disturbs: bool,
}

#[derive(Debug)]
pub(super) struct SessionState {
    ledger: SpendingLedger,
    began: Instant,
    pub(super) grants: Grants,
    pace: RequestPacer,
    /// The number of plays so far.
    pub(super) plays: u64,
    unanswered: u32,
    /// The number of reads that stayed stale through every wait.
    stale_reads: u32,
    /// How often overdue deliveries did not come through every wait.
    missing_deliveries: u32,
    /// Whether anything has come to the run's part of the inbox.
    has_arrived: bool,
    /// Milliseconds that the target's clock is ahead of the wall clock, by the operator port or a header.
    clock_ahead: Option<i64>,
    /// The same in seconds, by the `Date` header of the last response, and of the last one with a confirmed
    /// time.
    dates: (Option<i64>, Option<i64>),
    /// The keys that have subscribed.
    pub(super) subscribers: Vec<String>,
    /// The number of requested subscriptions without a response.
    pub(super) in_doubt: u64,
    /// Actions that the operator port does not know. They are not tried again.
    unknown_actions: BTreeSet<ActionKind>,
    /// The URLs of subscriptions that may exist although no response confirmed them. They are not requested
    /// again.
    unconfirmed_urls: BTreeSet<String>,
    /// A requested wait that is too long for a run: its start and its length.
    backoff: Option<(Instant, Duration)>,
    pub(super) left_behind: Vec<String>,
    ended: Option<StopReason>,
    secrets: Secrets,
}

/// Why nothing more is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The budget is spent.
    Spent(String),
    /// The target does not answer.
    GivenUp(String),
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (StopReason::Spent(why) | StopReason::GivenUp(why)) = self;
        f.write_str(why)
    }
}

impl Session {
    /// Begins a run and its journal.
    ///
    /// # Errors
    /// An error if the journal cannot be written.
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
        let state = SessionState {
            ledger: SpendingLedger::default(),
            began: Instant::now(),
            grants: Grants::default(),
            pace: RequestPacer::new(settings.per_second, settings.at_once),
            plays: 0,
            unanswered: 0,
            stale_reads: 0,
            missing_deliveries: 0,
            has_arrived: false,
            clock_ahead: None,
            dates: (None, None),
            subscribers: Vec::new(),
            in_doubt: 0,
            unknown_actions: BTreeSet::new(),
            unconfirmed_urls: BTreeSet::new(),
            backoff: None,
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

    /// Checks that the target responds and accepts the keys, and asks the operator port what it offers.
    ///
    /// # Errors
    /// [`Unanswered`] if the target does not respond, does not know the path or refuses a key, or if the
    /// given operator port does not respond.
    pub async fn greet(&mut self) -> Result<(), Unanswered> {
        let Settings { target, key, second_key, .. } = &self.settings;
        for key in std::iter::once(key).chain(second_key) {
            let authorization = Some(format!("Bearer {}", key.reveal()));
            let read = Prepared { authorization, ..self.get("/v1/webhooks") };
            let seen = self.send(&read).await.map_err(Unanswered::and_last)?;
            let why = match seen.code() {
                _ if seen.status == 401 => format!("{target} refuses the key {key}"),
                Some(code) if code == Code::UnknownEndpoint.name() => {
                    format!("{target} serves no /v1/webhooks: a target is named without /v1")
                }
                _ => continue,
            };
            return Err(Unanswered::never(why).and_last());
        }
        if self.operator.is_none() {
            return Ok(());
        }
        let is_a_mock = self.is_a_mock().await?;
        if !self.settings.allow_writes {
            return Ok(());
        }
        let is_sandbox = self.settings.sandbox.is_some();
        let disturbs = self.settings.allow_disturbance || is_sandbox || is_a_mock;
        let actions = self.ask_operator("/_sim/actions").await?;
        let listed = actions.json().and_then(|body| body["actions"].as_array());
        let clock = self.ask_operator("/_sim/clock").await?;
        let shows_time = self.note_clock(&clock);
        self.abilities = Abilities {
            actions: listed
                .map(|names| names.iter().filter_map(Value::as_str).map(str::to_owned).collect()),
            moves_clock: disturbs && clock.is_success() && shows_time,
            disturbs,
        };
        Ok(())
    }

    /// Whether the operator port is that of a Tideover mock, which nobody shares.
    async fn is_a_mock(&self) -> Result<bool, Unanswered> {
        let health = self.ask_operator("/_sim/health").await?;
        Ok(health.json().is_some_and(|body| body["mock"] == "tideover"))
    }

    /// Reads `path` at the operator port. This counts as a request.
    async fn ask_operator(&self, path: &str) -> Result<Seen, Unanswered> {
        self.charge_repeat()?;
        let answered = self.exchange(&self.get(path)).await;
        answered.map(|answer| answer.seen).map_err(|unanswered| {
            let why = format!("the operator port does not answer: {}", unanswered.why);
            Unanswered { why, ..unanswered }.and_last()
        })
    }

    /// Who controls the outside world.
    pub(super) fn outside(&self) -> Outside {
        if self.operator.is_some() { Outside::Controlled } else { Outside::Open }
    }

    /// What the operator port offers.
    pub fn abilities(&self) -> &Abilities {
        &self.abilities
    }

    /// Whether only the run moves the clock.
    pub(super) fn moves_its_clock_alone(&self) -> bool {
        self.settings.sandbox.is_some() && self.abilities.moves_clock
    }

    /// Whether there is an operator port.
    pub(super) fn operator_is_there(&self) -> bool {
        self.operator.is_some()
    }

    /// Why nothing more is sent, if the run has stopped.
    pub fn ended(&self) -> Option<StopReason> {
        self.state().ended.clone()
    }

    /// The number of requests sent.
    pub fn requests(&self) -> u64 {
        self.state().ledger.requests()
    }

    /// Takes the arrivals in the run's part of the inbox.
    pub(super) fn take_arrivals(&self) -> Vec<Arrival> {
        let arrived = self.inbox.as_ref().map(|inbox| inbox.inbox().take()).unwrap_or_default();
        self.state().has_arrived |= !arrived.is_empty();
        arrived
    }

    /// Whether the inbox is proven to work: something has come to the run's part of it.
    pub(super) fn inbox_works(&self) -> bool {
        self.state().has_arrived
    }

    pub(super) fn state(&self) -> MutexGuard<'_, SessionState> {
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
}

impl Abilities {
    /// Whether an action is among those that are listed, if they are.
    pub(super) fn lists(&self, action: ActionKind) -> bool {
        let Some(actions) = &self.actions else { return true };
        actions.iter().any(|offered| offered == action.name())
    }
}

impl SessionState {
    /// Whether the operator port has said that it does not know an action.
    pub(super) fn is_unknown(&self, action: ActionKind) -> bool {
        self.unknown_actions.contains(&action)
    }

    fn leave(&mut self, made: Vec<String>) {
        for made in made {
            if !self.left_behind.contains(&made) {
                self.left_behind.push(made);
            }
        }
    }
}
