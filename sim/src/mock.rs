//! A running mock, for tests in Rust.

use std::fmt;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::ops::Deref;
use std::sync::Arc;

use std::time::Duration;

use tideover_model::{
    Destinations, Face, Impossible, ImpossibleValue, Profile, Seconds, Seeded, Service, Timestamp,
};
use tokio::task::JoinHandle;

use crate::app;
use crate::clock::{Clock, ClockChoice};
use crate::courier::Courier;
use crate::deliveries::DeliveryEntry;
use crate::fault::{FaultEntry, FaultError, Faults, Rule};
use crate::grease::{Coverage, Grease};
use crate::journal::{Entry, JournalFilter, JournalLimits};
use crate::outside::Outside;
use crate::sending::{Authorities, Resolver, SigningTime, SystemResolver};
use crate::serve::MockServer;
use crate::world::{ClockMoving, Quiet, Waited, World};
use crate::worlds::Worlds;

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
    world: World,
    worlds: Arc<Worlds>,
    outside: Outside,
    server: Option<MockServer>,
    courier: JoinHandle<()>,
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
    /// The profile has an impossible value.
    #[error("the profile is impossible: {0}")]
    Profile(#[from] ImpossibleValue),
    /// The world does not take the faults.
    #[error("the faults are impossible: {0}")]
    Faults(#[from] FaultError),
}

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
        Service::FIRST_KEY
    }

    /// The mock's current time. Everything due has happened.
    pub fn now(&self) -> Timestamp {
        self.world.now()
    }

    /// Moves the clock forward by `seconds`. Everything due happens on the way, in order, even webhooks: each
    /// attempt gets its response, or times out after the profile's patience.
    ///
    /// # Errors
    /// [`ClockMoving`] during another move.
    pub async fn advance_clock(&self, seconds: Seconds) -> Result<Timestamp, ClockMoving> {
        self.world.advance_clock(seconds).await
    }

    /// Waits until no delivery is due or in flight, for at most `patience`.
    pub async fn quiet(&self, patience: Duration) -> Quiet {
        self.world.quiet(patience).await
    }

    /// The outside world with the identifiers of the platform that `key` belongs to, even if revoked.
    pub fn as_platform(&self, key: &str) -> Outside {
        Outside::new(Arc::clone(&self.worlds), Some(key))
    }

    /// The deliveries from number `after` on, with their attempts: at most the last 1000.
    pub fn deliveries(&self, after: u64) -> Vec<DeliveryEntry> {
        self.world.deliveries(after)
    }

    /// Sends the delivery with this `Service-Delivery` once more.
    ///
    /// # Errors
    /// [`Impossible`] if the log has no such delivery, its subscription is gone, or an attempt is in flight.
    pub fn resend(&self, id: &str) -> Result<(), Impossible> {
        self.world
            .resend(id)
            .unwrap_or(Err(Impossible::new("no delivery is kept that carries this id")))
    }

    /// The last requests to the partner API, at most 1000, oldest first.
    pub fn journal(&self) -> Vec<Entry> {
        self.world.journal()
    }

    /// Those of the last requests that the filter chooses, the oldest first.
    pub fn requests(&self, filter: &JournalFilter) -> Vec<Entry> {
        self.world.requests(filter)
    }

    /// How many of the last requests the filter chooses.
    pub fn count_requests(&self, filter: &JournalFilter) -> u64 {
        self.world.count_requests(filter)
    }

    /// Waits until at least `count` requests have come that the filter chooses, for at most `patience`. Those that
    /// are in the journal already count as well.
    pub async fn wait_for_requests(
        &self,
        filter: &JournalFilter,
        count: u64,
        patience: Duration,
    ) -> Waited {
        self.world.wait_for_requests(filter, count, patience).await
    }

    /// Those of the last requests that show a mistake of the client: an unknown path or method, an invalid key, a body
    /// of another form than the published one, or a part of it that the service ignores.
    pub fn unexpected_requests(&self) -> Vec<Entry> {
        self.world.unexpected_requests(&JournalFilter::new())
    }

    /// Adds a rule of [faults](crate::fault) after those that the mock has; returns its number. The rule concerns
    /// all platforms of the default world. A reset removes it.
    ///
    /// # Errors
    /// [`FaultError`]: too many rules, an impossible one.
    pub fn add_fault(&self, rule: Rule) -> Result<u64, FaultError> {
        self.world.add_fault(rule)
    }

    /// The rules of faults in order of precedence, with their counters.
    pub fn faults(&self) -> Vec<FaultEntry> {
        self.world.faults()
    }

    /// Removes the rule of faults with this number; false if there is none.
    pub fn remove_fault(&self, id: u64) -> bool {
        self.world.remove_fault(id)
    }

    /// Removes all rules of faults.
    pub fn clear_faults(&self) {
        self.world.clear_faults();
    }

    /// How often the client has met each freedom of the document; `None` without [grease](Builder::grease).
    pub fn coverage(&self) -> Option<Coverage> {
        self.world.coverage()
    }

    /// Checks that the books balance: no cent appears or disappears.
    ///
    /// # Errors
    /// The broken law of conservation, with both sides.
    pub fn audit(&self) -> Result<(), String> {
        self.world.audit()
    }

    /// Stops it. Requests in flight get one second to finish.
    pub async fn stop(mut self) {
        if let Some(server) = self.server.take() {
            server.stop().await;
        }
    }
}

impl Drop for Mock {
    fn drop(&mut self) {
        self.courier.abort();
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
    hints: bool,
    journal: JournalLimits,
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
            hints: true,
            journal: JournalLimits::default(),
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

    /// The clock's initial time.
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

    /// Replaces the model's own service. The face then determines seed, profile and where webhooks may go; the
    /// seed only draws faults.
    #[must_use]
    pub fn face(self, face: Box<dyn Face>) -> Builder {
        Builder { face: Some(face), ..self }
    }

    /// Starts the mock on the current tokio runtime.
    ///
    /// # Errors
    /// [`StartError`]: the profile is impossible, the faults are, or the mock can't listen at the address.
    pub async fn start(self) -> Result<Mock, StartError> {
        let Builder { seed, profile, start_at, clock, listen, face, .. } = self;
        let grease = self.grease.then(|| Grease::of_seed(seed));
        let face = match face {
            Some(face) => face,
            None => {
                profile.check()?;
                match &grease {
                    None => Box::new(
                        Service::new(profile, Seeded { seed }).sending_to(self.destinations),
                    ) as Box<dyn Face>,
                    Some(grease) => Box::new(
                        Service::new(profile, grease.choices()).sending_to(self.destinations),
                    ),
                }
            }
        };
        let faults = Faults::new(seed, self.faults)?;
        let start = start_at.or(Timestamp::from_unix(START)).unwrap_or(Timestamp::MAX);
        let clock = Clock::new(start, clock);
        let world = World::resolving(face, clock, Some(Arc::clone(&self.resolver))).faulty(faults);
        let world = world.hinting(self.hints).journaling(self.journal);
        let world = match grease {
            Some(grease) => world.greased(grease),
            None => world,
        };
        let worlds = Arc::new(Worlds::new(world.clone()));
        let server = MockServer::start(listen, app::router(Arc::clone(&worlds)))
            .await
            .map_err(|source| StartError::Listen { address: listen, source })?;
        let courier = Courier::new(self.resolver, self.authorities, self.signing);
        // Set before the courier first runs, so that waiting covers what is already due.
        world.has_a_courier();
        let courier = tokio::spawn(courier.run(world.clone()));
        let address = server.address();
        let url = format!("http://{address}");
        let outside = Outside::new(Arc::clone(&worlds), None);
        Ok(Mock { address, url, world, worlds, outside, server: Some(server), courier })
    }
}
