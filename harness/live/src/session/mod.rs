//! A run against a live target: its permissions, its state, and why it stopped.

mod clock;
mod inbox;
mod limits;
mod offered;
mod outage;
mod plays;
mod sending;
mod workers;

use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;
use tideover_endpoint::client::{Client, Outgoing};
use tideover_endpoint::inbox::Server;
use tideover_exchange::evidence::TimeSpent;
use tideover_exchange::secrets::Secrets;
use tideover_exchange::target::{Silence, Unanswered};
use tideover_exchange::transcript::Header;
use tideover_exchange::{Arrival, Prepared, PreparedAction, PreparedCall, Response};
use tideover_judge::Outside;
use tideover_model::{ActionKind, Code, OperationKind};

use crate::grants::Grants;
use crate::journal::Journal;
use crate::ledger::SpendingLedger;
use crate::pace::RequestPacer;
use crate::session::limits::Limits;
use crate::session::plays::Plays;
use crate::session::workers::Workers;
use crate::settings::{ApiKey, Settings, any_name};

use outage::{Outage, Survival, is_gateway_failure};
pub(crate) use plays::{Play, Subscriber};
pub(crate) use sending::Purpose;

/// How long the run waits for its own request to reach the inbox.
const INBOX_TIMEOUT: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub struct Session {
    pub(super) settings: Settings,
    client: Client,
    operator: Option<Client>,
    inbox: Option<Server>,
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
    pub moves_clock: bool,
    /// Whether the run may do what affects all users of the target.
    pub disturbs: bool,
}

#[derive(Debug)]
pub(super) struct SessionState {
    ledger: SpendingLedger,
    limits: Limits,
    pub(super) grants: Grants,
    pace: RequestPacer,
    pub(super) plays: Plays,
    workers: Workers,
    /// Where the time went.
    spent: TimeSpent,
    /// How long the last response took.
    took: Duration,
    /// How many requests in a row were not answered.
    unanswered: u32,
    /// The number of reads that stayed stale through every wait.
    stale_reads: u32,
    /// How often overdue deliveries did not come through every wait.
    missing_deliveries: u32,
    /// Milliseconds that the target's clock is ahead of the wall clock, by the operator port or a header.
    clock_ahead: Option<i64>,
    /// The moves that were not answered, while the clock has not arrived there.
    unseen_moves: Option<clock::UnseenMoves>,
    /// Seconds that it is ahead by the `Date` header of the last response, and of the last one with a confirmed time.
    dates: (Option<i64>, Option<i64>),
    /// The references of subscriptions that the budget counts.
    charged: BTreeSet<String>,
    /// Actions that the operator port does not know. They are not tried again.
    unknown_actions: BTreeSet<ActionKind>,
    /// The URLs of subscriptions that may exist although no response confirmed them. They are not requested
    /// again.
    unconfirmed_urls: BTreeSet<String>,
    /// A requested wait that is too long for a run: its start and its length.
    backoff: Option<(Instant, Duration)>,
    pub(super) left_behind: Vec<String>,
    ended: Option<StopReason>,
    /// Set while the target does not answer any more.
    outage: Option<Outage>,
    survival: Survival,
    /// Whether something has reached the run's own part of the inbox.
    inbox_is_proven: bool,
    secrets: Secrets,
}

/// Why nothing more is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StopReason {
    Spent(String),
    /// The target does not answer.
    GivenUp(String),
}

/// Why a request of the run did not reach the inbox by its public URL. The user mends what leads there.
#[derive(Debug, thiserror::Error)]
pub enum InboxUnreached {
    #[error("no answer within {0:?}")]
    Late(Duration),
    #[error(transparent)]
    Unanswered(Unanswered),
    #[error("something else answers {0} there")]
    SomethingElse(u16),
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (StopReason::Spent(why) | StopReason::GivenUp(why)) = self;
        f.write_str(why)
    }
}

impl Session {
    /// Begins a run and its journal.
    pub fn new(
        settings: Settings,
        client: Client,
        operator: Option<Client>,
        inbox: Option<Server>,
        journal: &Path,
        header: &Header,
    ) -> io::Result<Session> {
        let token = format!("{}{}{}", settings.own_name, any_name(), any_name());
        let inbox_url =
            settings.webhooks.as_ref().map(|webhooks| format!("{}/{token}", webhooks.url));
        if let (Some(inbox), Some(url)) = (&inbox, &inbox_url) {
            inbox.listen_for(url);
        }
        let state = SessionState {
            ledger: SpendingLedger::default(),
            limits: Limits::new(&settings.budget),
            grants: Grants::default(),
            pace: RequestPacer::new(settings.per_second, settings.at_once),
            plays: Plays::default(),
            workers: Workers::new(&settings),
            spent: TimeSpent::default(),
            took: Duration::ZERO,
            unanswered: 0,
            stale_reads: 0,
            missing_deliveries: 0,
            clock_ahead: None,
            unseen_moves: None,
            dates: (None, None),
            charged: BTreeSet::new(),
            unknown_actions: BTreeSet::new(),
            unconfirmed_urls: BTreeSet::new(),
            backoff: None,
            left_behind: Vec::new(),
            ended: None,
            outage: None,
            survival: Survival::default(),
            inbox_is_proven: false,
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

    /// Checks that the target responds, knows the path and accepts the keys, and asks the operator port what it offers.
    pub async fn greet(&mut self) -> Result<(), Unanswered> {
        let Settings { target, key, second_key, .. } = &self.settings;
        for key in std::iter::once(key).chain(second_key) {
            let seen = self.greet_with(key).await.map_err(Unanswered::and_last)?;
            let why = match seen.code() {
                _ if is_gateway_failure(&seen) => {
                    let status = seen.status;
                    format!(
                        "{target} answers {status} without a body of this API: does a proxy stand before it?"
                    )
                }
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

    /// Reads with `key`. A target that this read brings down is restarted, and gets another.
    async fn greet_with(&self, key: &ApiKey) -> Result<Response, Unanswered> {
        let authorization = Some(format!("Bearer {}", key.reveal()));
        let read = Prepared { authorization, ..self.list() };
        self.charge_repeat()?;
        let answered = self.exchange(0, &read).await.map(|(answer, _)| answer.seen);
        let is_down = answered.as_ref().is_err_and(|why| why.silence == Some(Silence::NoAnswer));
        let Some(command) = self.settings.restart.as_deref().filter(|_| is_down) else {
            return answered;
        };
        let restarted = self.restart(command).await;
        restarted.map_err(|why| Unanswered::never(why.to_string()))?;
        let nobody = format!("{}unknown", self.settings.own_name);
        let nobody = OperationKind::GetBusiness.path_of(&[&nobody]);
        self.charge_repeat()?;
        let answered = self.exchange(0, &Prepared { ..self.get(&nobody) }).await;
        answered.map(|(answer, _)| answer.seen)
    }

    /// Sends a request to the inbox by its public URL.
    pub async fn try_inbox(&self, client: &Client) -> Result<(), InboxUnreached> {
        let path = "/0/tried";
        let (method, body) = ("POST", b"{}".to_vec());
        let content_type = Some("application/json");
        let outgoing = Outgoing { method, path, authorization: None, content_type, body };
        let answered = tokio::time::timeout(INBOX_TIMEOUT, client.exchange(outgoing)).await;
        let is_it = |(play, arrival): &(u64, Arrival)| format!("/{play}{}", arrival.path) == path;
        let has_arrived = self.take_from_inbox().is_ok_and(|taken| taken.iter().any(is_it));
        // The run itself sent it, so it says nothing about the target.
        self.state().survival = Survival::default();
        match answered {
            _ if has_arrived => Ok(()),
            Err(_) => Err(InboxUnreached::Late(INBOX_TIMEOUT)),
            Ok(Err(unanswered)) => Err(InboxUnreached::Unanswered(unanswered)),
            Ok(Ok(answer)) => Err(InboxUnreached::SomethingElse(answer.seen.status)),
        }
    }

    pub fn inbox_is_proven(&self) -> bool {
        self.state().inbox_is_proven
    }

    /// The run's own part of the inbox, by its public URL.
    pub fn inbox_url(&self) -> Option<&str> {
        self.inbox_url.as_deref()
    }

    /// Whether the operator port is that of a Tideover mock, which nobody shares.
    async fn is_a_mock(&self) -> Result<bool, Unanswered> {
        let health = self.ask_operator("/_sim/health").await?;
        Ok(health.json().is_some_and(|body| body["mock"] == "tideover"))
    }

    /// Reads `path` at the operator port. This counts as a request.
    async fn ask_operator(&self, path: &str) -> Result<Response, Unanswered> {
        self.charge_repeat()?;
        let answered = self.exchange(0, &self.get(path)).await;
        answered.map(|(answer, _)| answer.seen).map_err(|unanswered| {
            let why = format!("the operator port does not answer: {}", unanswered.why);
            Unanswered { why, ..unanswered }.and_last()
        })
    }

    /// Who controls the outside world.
    pub(super) fn outside(&self) -> Outside {
        if self.operator.is_some() { Outside::Controlled } else { Outside::Open }
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    pub fn abilities(&self) -> &Abilities {
        &self.abilities
    }

    /// Whether the operator port is known to issue keys of other platforms.
    pub fn issues_keys(&self) -> bool {
        let issues = |action: &String| action == ActionKind::IssueKey.name();
        self.abilities.actions.as_ref().is_some_and(|actions| actions.iter().any(issues))
    }

    /// Whether only the run moves the clock.
    pub(super) fn moves_its_clock_alone(&self) -> bool {
        self.settings.sandbox.is_some() && self.abilities.moves_clock
    }

    pub fn ended(&self) -> Option<StopReason> {
        self.state().ended.clone()
    }

    pub fn requests(&self) -> u64 {
        self.state().ledger.requests()
    }

    /// Where the time of the run went.
    pub fn spent(&self) -> TimeSpent {
        self.state().spent.clone()
    }

    pub(super) fn state(&self) -> MutexGuard<'_, SessionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn own_authorization(&self) -> String {
        format!("Bearer {}", self.settings.key.reveal())
    }

    /// The list of the subscriptions, with the run's own key.
    pub(super) fn list(&self) -> Prepared {
        self.get(OperationKind::ListSubscriptions.path())
    }

    fn get(&self, path: &str) -> Prepared {
        let call = PreparedCall::new("GET", path, None, Vec::new());
        let authorization = Some(self.own_authorization());
        Prepared { authorization, action: PreparedAction::Call(call) }
    }
}

impl Abilities {
    /// Whether the operator port lists an action, if it lists any.
    pub(super) fn lists(&self, action: ActionKind) -> bool {
        let Some(actions) = &self.actions else { return true };
        actions.iter().any(|offered| offered == action.name())
    }
}

impl SessionState {
    pub(super) fn is_unknown(&self, action: ActionKind) -> bool {
        self.unknown_actions.contains(&action)
    }

    /// Gives up the subscriptions of a target that does not answer any more, and records them as left behind.
    pub(super) fn give_up_subscriptions(&mut self, left: &[String]) {
        self.plays.subscribers.clear();
        self.grants.references.clear();
        self.leave(left.to_vec());
    }

    pub(super) fn forget_subscription(&mut self, reference: &str) {
        self.grants.references.remove(reference);
        if self.charged.remove(reference) {
            self.ledger.return_subscription();
        }
    }

    fn leave(&mut self, made: Vec<String>) {
        for made in made {
            if !self.left_behind.contains(&made) {
                self.left_behind.push(made);
            }
        }
    }
}
