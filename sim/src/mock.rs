//! A running mock, for tests in Rust.

use std::fmt;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use tideover_model::{
    Destinations, Face, Impossible, Profile, Seconds, Service, Timestamp, Unbalanced,
};
use tokio::task::JoinHandle;

use crate::app;
use crate::beginning::{Beginning, Scenario};
use crate::clock::ClockChoice;
use crate::cors::Origins;
use crate::courier::Courier;
use crate::deliveries::DeliveryEntry;
use crate::fault::{FaultEntry, FaultError, Rule};
use crate::grease::Coverage;
use crate::guard::Guard;
use crate::hosts::Hosts;
use crate::journal::{Entry, JournalFilter, JournalLimits, Masks, Setting};
use crate::limits::{Budget, Limits};
use crate::outside::Outside;
use crate::sending::{Authorities, Resolver, SigningTime, SystemResolver};
use crate::serve::MockServer;
use crate::state_file::{StateError, StateFile};
use crate::world::{ClockMoving, NextEvent, NotMoved, Permitted, Quiet, Quieted, Waited, World};
use crate::worlds::{Equipment, Recipe, RecipeError, Worlds, keep};

/// A mock that listens on its own port. Dropping it stops it.
///
/// The methods of [`Outside`] are the actions of vendors, banks, payors and the operator, here with the
/// identifiers of the default platform:
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mock = tideover_sim::Mock::start().await?;
/// let second = mock.issue_key(Some("another platform"))?;
/// mock.as_platform(&second.key).upstream_fails(1)?;
/// mock.stop().await;
/// # Ok(())
/// # }
/// ```
pub struct Mock {
    address: SocketAddr,
    url: String,
    api_key: String,
    worlds: Arc<Worlds>,
    outside: Outside,
    guard: Guard,
    server: Option<MockServer>,
    /// Saves each change to the state file, if there is one.
    keeper: Option<JoinHandle<()>>,
    /// Whether the state file had worlds.
    has_loaded: bool,
}

/// The reason why a mock does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The mock can't listen at the address.
    #[error("cannot listen at {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The system's error.
        source: io::Error,
    },
    /// The default world can't be made.
    #[error(transparent)]
    World(#[from] RecipeError),
    /// The state file can't be read or written, or is refused.
    #[error(transparent)]
    State(#[from] StateError),
    /// The API key is none that a client can send, or one that the mock could issue.
    #[error(
        "the API key must have 1 to {MOST_KEY_BYTES} visible ASCII characters, and must not begin with \
         rap_sk_, except rap_sk_local"
    )]
    ApiKey,
}

/// The longest API key that can be chosen.
const MOST_KEY_BYTES: usize = 200;

impl Mock {
    /// Starts a mock with the standard profile and a still clock, on a free port of this machine.
    ///
    /// # Errors
    /// [`StartError::Listen`] if the system has no port left.
    pub async fn start() -> Result<Mock, StartError> {
        Mock::builder().start().await
    }

    /// Configures a mock.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// The base URL, without a trailing slash.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The address at which it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The API key that exists from the start.
    pub fn api_key(&self) -> &str {
        &self.api_key
    }

    /// The default world, which that key selects.
    pub fn world(&self) -> World {
        self.worlds.default_world()
    }

    /// The whole server without its socket: a `tower::Service`.
    pub fn router(&self) -> Router {
        app::router(Arc::clone(&self.worlds), self.guard.clone())
    }

    /// The mock's current time. Everything due has happened.
    pub fn now(&self) -> Timestamp {
        self.world().now()
    }

    /// Moves the clock forward by `seconds`. Everything due happens on the way, in order, even webhooks: each
    /// attempt gets its response, or times out after the profile's patience.
    ///
    /// # Errors
    /// [`ClockMoving`] during another move.
    pub async fn advance_clock(&self, seconds: Seconds) -> Result<Timestamp, ClockMoving> {
        self.world().advance_clock(seconds).await
    }

    /// Moves the clock forward to `instant`, in the same way.
    ///
    /// # Errors
    /// [`NotMoved`]: during another move, to an instant in the past.
    pub async fn advance_to(&self, instant: Timestamp) -> Result<Timestamp, NotMoved> {
        self.world().advance_to(instant).await
    }

    /// Moves the clock to the next event: a hidden transition, or an attempt of a delivery. If none is due, the
    /// clock stays.
    ///
    /// # Errors
    /// [`ClockMoving`] during another move.
    pub async fn advance_to_next_event(&self) -> Result<NextEvent, ClockMoving> {
        self.world().advance_to_next_event().await
    }

    /// Moves the clock from event to event, until nothing is due any more. It looks 40 days and the profile's
    /// retry window ahead.
    ///
    /// # Errors
    /// [`ClockMoving`] during another move.
    pub async fn advance_until_quiet(&self) -> Result<Quieted, ClockMoving> {
        self.world().advance_until_quiet().await
    }

    /// Waits until no delivery is due or in flight, for at most `patience`.
    pub async fn quiet(&self, patience: Duration) -> Quiet {
        self.world().quiet(patience).await
    }

    /// The outside world with the identifiers of the platform that `key` belongs to, even if revoked.
    pub fn as_platform(&self, key: &str) -> Outside {
        Outside::new(Arc::clone(&self.worlds), Some(key))
    }

    /// The deliveries from number `after` on, with their attempts: at most the last 1000.
    pub fn deliveries(&self, after: u64) -> Vec<DeliveryEntry> {
        self.world().deliveries(after)
    }

    /// Sends the delivery with this `Service-Delivery` once more.
    ///
    /// # Errors
    /// [`Impossible`] if the log has no such delivery, its subscription is gone, or an attempt is in flight.
    pub fn resend(&self, id: &str) -> Result<(), Impossible> {
        self.world()
            .resend(id)
            .unwrap_or(Err(Impossible::new("no delivery is kept that carries this id")))
    }

    /// The last requests to the partner API, at most 1000, oldest first.
    pub fn journal(&self) -> Vec<Entry> {
        self.world().journal()
    }

    /// Those of the last requests that the filter chooses, the oldest first.
    pub fn requests(&self, filter: &JournalFilter) -> Vec<Entry> {
        self.world().requests(filter)
    }

    /// How many of the last requests the filter chooses.
    pub fn count_requests(&self, filter: &JournalFilter) -> u64 {
        self.world().count_requests(filter)
    }

    /// Waits until at least `count` requests have come that the filter chooses, for at most `patience`. Those that
    /// are in the journal already count as well.
    pub async fn wait_for_requests(
        &self,
        filter: &JournalFilter,
        count: u64,
        patience: Duration,
    ) -> Waited {
        self.world().wait_for_requests(filter, count, patience).await
    }

    /// Those of the last requests that show a mistake of the client: an unknown path or method, an invalid key, a body
    /// of another form than the published one, or a part of it that the service ignores.
    pub fn unexpected_requests(&self) -> Vec<Entry> {
        self.world().unexpected_requests(&JournalFilter::new())
    }

    /// Adds a rule of [faults](crate::fault) after those that the mock has; returns its number. The rule concerns
    /// all platforms of the default world. A reset removes it.
    ///
    /// # Errors
    /// [`FaultError`]: too many rules, an impossible one.
    pub fn add_fault(&self, rule: Rule) -> Result<u64, FaultError> {
        self.world().add_fault(rule)
    }

    /// The rules of faults in order of precedence, with their counters.
    pub fn faults(&self) -> Vec<FaultEntry> {
        self.world().faults()
    }

    /// Removes the rule of faults with this number; false if there is none.
    pub fn remove_fault(&self, id: u64) -> bool {
        self.world().remove_fault(id)
    }

    /// Removes all rules of faults.
    pub fn clear_faults(&self) {
        self.world().clear_faults();
    }

    /// How often the client has met each freedom of the document; `None` without [grease](Builder::grease).
    pub fn coverage(&self) -> Option<Coverage> {
        self.world().coverage()
    }

    /// Checks that the books balance: no cent appears or disappears.
    ///
    /// # Errors
    /// [`Unbalanced`]: a defect of the service.
    pub fn audit(&self) -> Result<(), Unbalanced> {
        self.world().audit()
    }

    /// Writes the state file. Returns once it is whole.
    ///
    /// # Errors
    /// [`StateError`]: the mock has no state file; a world or the file can't be written.
    pub async fn save(&self) -> Result<(), StateError> {
        self.worlds.save().await
    }

    /// Whether the state file had worlds when the mock started.
    pub fn has_loaded_state(&self) -> bool {
        self.has_loaded
    }

    /// Stops it. Requests in flight get one second to finish. Then the state file is written, if there is one; the
    /// log says if that fails.
    pub async fn stop(self) {
        if let Err(error) = self.stop_and_save().await {
            tracing::error!("{error}");
        }
    }

    /// The same, for a mock whose state matters.
    ///
    /// # Errors
    /// [`StateError`]: a world or the file can't be written.
    pub async fn stop_and_save(mut self) -> Result<(), StateError> {
        if let Some(server) = self.server.take() {
            server.stop().await;
        }
        match self.worlds.save().await {
            Err(StateError::None) => Ok(()),
            saved => saved,
        }
    }
}

impl Drop for Mock {
    fn drop(&mut self) {
        self.worlds.abort();
        if let Some(keeper) = &self.keeper {
            keeper.abort();
        }
        self.worlds.release_file();
    }
}

/// Gives direct access to the outside world: `mock.payor_pays(…)`.
impl Deref for Mock {
    type Target = Outside;

    fn deref(&self) -> &Outside {
        &self.outside
    }
}

impl fmt::Debug for Mock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mock").field("url", &self.url).finish_non_exhaustive()
    }
}

/// The configuration of a mock. Defaults: seed 1, the standard profile, a still clock at the start of 2026, a
/// free port of this machine, and webhooks signed with the wall time.
pub struct Builder {
    seed: u64,
    profile: Profile,
    start_at: Option<Timestamp>,
    clock: ClockChoice,
    listen: SocketAddr,
    face: Option<Box<dyn Face>>,
    destinations: Destinations,
    resolver: Arc<dyn Resolver>,
    authorities: Authorities,
    signing: SigningTime,
    faults: Vec<Rule>,
    grease: bool,
    scenario: Scenario,
    api_key: Option<String>,
    state: Option<PathBuf>,
    guard: Guard,
    hints: bool,
    journal: JournalLimits,
    limits: Limits,
}

impl Default for Builder {
    fn default() -> Builder {
        Builder {
            seed: 1,
            profile: Profile::default(),
            start_at: None,
            clock: ClockChoice::Still,
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            face: None,
            destinations: Destinations::Public,
            resolver: Arc::new(SystemResolver),
            authorities: Authorities::default(),
            signing: SigningTime::default(),
            faults: Vec::new(),
            grease: false,
            scenario: Scenario::Fresh,
            api_key: None,
            state: None,
            guard: Guard::default(),
            hints: true,
            journal: JournalLimits::default(),
            limits: Limits::default(),
        }
    }
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Builder { seed, start_at, clock, listen, .. } = self;
        write!(f, "Builder({seed}, {start_at:?}, {clock:?}, {listen})")
    }
}

/// 2026-01-01T00:00:00Z, in seconds since the start of 1970.
const START: i64 = 1_767_225_600;

impl Builder {
    /// The seed of everything that the service is free to choose.
    #[must_use]
    pub fn seed(self, seed: u64) -> Builder {
        Builder { seed, ..self }
    }

    /// The assumed values.
    #[must_use]
    pub fn profile(self, profile: Profile) -> Builder {
        Builder { profile, ..self }
    }

    /// When the clock of each new world starts. Default: at the start of 2026 if it stands still, and else at the
    /// wall time of the moment in which the world is made.
    #[must_use]
    pub fn start_at(self, start: Timestamp) -> Builder {
        Builder { start_at: Some(start), ..self }
    }

    /// Whether time passes by itself.
    #[must_use]
    pub fn clock(self, clock: ClockChoice) -> Builder {
        Builder { clock, ..self }
    }

    /// The address to listen at; port 0 means any free port.
    #[must_use]
    pub fn listen(self, address: SocketAddr) -> Builder {
        Builder { listen: address, ..self }
    }

    /// Where webhooks may go. Default: public https URLs.
    #[must_use]
    pub fn webhooks(self, destinations: Destinations) -> Builder {
        Builder { destinations, ..self }
    }

    /// The resolver of webhooks' host names. Default: the system's.
    #[must_use]
    pub fn resolver(self, resolver: impl Resolver) -> Builder {
        Builder { resolver: Arc::new(resolver), ..self }
    }

    /// Certificate authorities to trust in addition to the system's.
    #[must_use]
    pub fn trust(self, authorities: Authorities) -> Builder {
        Builder { authorities, ..self }
    }

    /// The time in webhooks' signatures. Default: the wall time, the only one that real receivers accept.
    /// With [`SigningTime::Virtual`], every run sends the same bytes, and a test verifies them by the mock's
    /// clock.
    #[must_use]
    pub fn signing(self, signing: SigningTime) -> Builder {
        Builder { signing, ..self }
    }

    /// The rules of [faults](crate::fault) from the start, in order of precedence. A reset restores them.
    #[must_use]
    pub fn faults(self, rules: Vec<Rule>) -> Builder {
        Builder { faults: rules, ..self }
    }

    /// Whether the mock does, at random from its seed, what the document leaves a service free to do, so that a
    /// client can't rely on one behaviour (after RFC 8701). No documented refusal is recoded or invented.
    ///
    /// With [another face](Builder::face), this concerns only responses and the form of events.
    #[must_use]
    pub fn grease(self, grease: bool) -> Builder {
        Builder { grease, ..self }
    }

    /// How far the story has gone at the start. With [another face](Builder::face) it is played there.
    #[must_use]
    pub fn scenario(self, scenario: Scenario) -> Builder {
        Builder { scenario, ..self }
    }

    /// The API key of the first platform, in place of `rap_sk_local`: 1 to 200 visible ASCII characters, and not
    /// the form of a key that the mock issues.
    #[must_use]
    pub fn api_key(self, key: &str) -> Builder {
        Builder { api_key: Some(key.to_owned()), ..self }
    }

    /// The file that keeps all worlds. If it exists, it is loaded at the start, and what it says goes before seed,
    /// profile, clock, start, faults, grease and scenario. Each change is saved soon, and at the
    /// [stop](Mock::stop). [Another face](Builder::face) cannot be kept.
    #[must_use]
    pub fn state(self, file: &Path) -> Builder {
        Builder { state: Some(file.to_owned()), ..self }
    }

    /// The pages in a browser that may call the mock: the API and the operator port. Default: none.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use tideover_sim::{Mock, Origins};
    ///
    /// let mock = Mock::builder().cors(Origins::parse(&["http://localhost:3000"])?);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn cors(self, origins: Origins) -> Builder {
        Builder { guard: Guard { origins: Some(origins), ..self.guard }, ..self }
    }

    /// Host names by which the operator port answers, beside addresses, `localhost`, names without a dot, and those of
    /// the origins that [may call it](Builder::cors). Any other name is refused: a page could have it.
    #[must_use]
    pub fn hosts(self, hosts: Hosts) -> Builder {
        Builder { guard: Guard { hosts, ..self.guard }, ..self }
    }

    /// Whether each answer of the partner API names, in the header `Tideover-Clause`, the clause that decided it.
    /// Default: yes.
    #[must_use]
    pub fn hints(self, hints: bool) -> Builder {
        Builder { hints, ..self }
    }

    /// How much the journal keeps.
    #[must_use]
    pub fn journal(self, limits: JournalLimits) -> Builder {
        Builder { journal: limits, ..self }
    }

    /// How much the mock takes on.
    #[must_use]
    pub fn limits(self, limits: Limits) -> Builder {
        Builder { limits, ..self }
    }

    /// Replaces the model's own service. The face then determines seed, profile and where webhooks may go; the
    /// seed only draws faults.
    #[must_use]
    pub fn face(self, face: Box<dyn Face>) -> Builder {
        Builder { face: Some(face), ..self }
    }

    /// The world alone, for tests without a socket: its [`router`](World::router) takes requests, and
    /// [`deliver_to`](World::deliver_to) brings webhooks. No host name is resolved.
    ///
    /// # Errors
    /// [`StartError`]: the profile, the faults or the scenario are impossible.
    pub fn world(mut self) -> Result<World, StartError> {
        let recipe = self.recipe(None);
        Ok(match self.face {
            None => recipe.world()?,
            Some(face) => recipe.world_with(face)?,
        })
    }

    /// How worlds are made. Takes what only worlds need.
    fn recipe(&mut self, resolver: Option<Arc<dyn Resolver>>) -> Recipe {
        Recipe {
            seed: self.seed,
            profile: std::mem::take(&mut self.profile),
            start: match self.clock {
                ClockChoice::Still => self.start_at.or(Timestamp::from_unix(START)),
                ClockChoice::Running { .. } => self.start_at,
            },
            clock: self.clock,
            permitted: Permitted {
                destinations: std::mem::take(&mut self.destinations),
                subscriptions: self.limits.subscriptions,
            },
            resolver,
            faults: std::mem::take(&mut self.faults),
            grease: self.grease,
            beginning: Beginning { scenario: self.scenario, platforms: Vec::new() },
            hints: self.hints,
            journal: Setting {
                limits: self.journal,
                budget: Budget::of(self.limits.journals),
                masks: Masks::with(self.api_key.as_deref()),
            },
        }
    }

    /// Starts the mock on the current tokio runtime.
    ///
    /// # Errors
    /// [`StartError`]: the key cannot be chosen; the profile, the faults or the scenario are impossible; the
    /// state file is refused, or the mock can't listen at the address.
    pub async fn start(mut self) -> Result<Mock, StartError> {
        if self.api_key.as_deref().is_some_and(|key| !can_be_chosen(key)) {
            return Err(StartError::ApiKey);
        }
        let listen = self.listen;
        let recipe = self.recipe(Some(Arc::clone(&self.resolver)));
        let journals = Arc::clone(&recipe.journal.budget);
        let (world, recipe) = match self.face {
            None => (recipe.world()?, Some(recipe)),
            Some(face) => (recipe.world_with(face)?, None),
        };
        let courier = Courier::new(self.resolver, self.authorities, self.signing);
        let first_key = self.api_key.filter(|key| key != Service::FIRST_KEY);
        let api_key = first_key.clone().unwrap_or_else(|| Service::FIRST_KEY.to_owned());
        let state = self.state.as_deref().map(StateFile::at).transpose()?;
        let is_kept = state.is_some();
        let (courier, limits) = (Some(Arc::new(courier)), self.limits);
        let equipment = Equipment { recipe, first_key, courier, state, limits, journals };
        let worlds = Arc::new(Worlds::new(world, equipment));
        let has_loaded = is_kept && worlds.load().await?;
        let router = app::router(Arc::clone(&worlds), self.guard.clone());
        let server = MockServer::start(listen, router, limits)
            .await
            .map_err(|source| StartError::Listen { address: listen, source })?;
        let address = server.address();
        let url = format!("http://{address}");
        if is_kept {
            // What can't be kept is refused now, and not at the end.
            worlds.save().await?;
        }
        let keeper = is_kept.then(|| tokio::spawn(keep(Arc::clone(&worlds))));
        let outside = Outside::new(Arc::clone(&worlds), None);
        Ok(Mock {
            address,
            url,
            api_key,
            worlds,
            outside,
            guard: self.guard,
            server: Some(server),
            keeper,
            has_loaded,
        })
    }
}

fn can_be_chosen(key: &str) -> bool {
    let is_visible = key.bytes().all(|byte| byte.is_ascii_graphic());
    let is_own = key.starts_with("rap_sk_") && key != Service::FIRST_KEY;
    is_visible && !is_own && (1..=MOST_KEY_BYTES).contains(&key.len())
}
