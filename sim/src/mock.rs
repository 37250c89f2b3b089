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
use crate::journal::Entry;
use crate::outside::Outside;
use crate::sending::{Authorities, Resolver, SigningTime, SystemResolver};
use crate::serve::Server;
use crate::world::{ClockMoving, Quiet, World};
use crate::worlds::Worlds;

/// A mock that listens on a port of its own. It stops when it is dropped.
///
/// The verbs of [`Outside`] play vendors, banks, payors and the operator, here with the
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
    server: Option<Server>,
    courier: JoinHandle<()>,
}

/// Why a mock does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The address cannot be listened at.
    #[error("cannot listen at {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system says.
        source: io::Error,
    },
    /// The profile has a value that cannot be.
    #[error("the profile is impossible: {0}")]
    Profile(#[from] ImpossibleValue),
}

impl Mock {
    /// Starts a mock of the standard profile, with a still clock, on a free port of this machine.
    ///
    /// # Errors
    /// [`StartError::Listen`] if the system has no port left.
    pub async fn start() -> Result<Mock, StartError> {
        Mock::builder().start().await
    }

    /// A mock yet to be started.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// The base address, without a slash at its end.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The API key that is there from the start.
    pub fn api_key(&self) -> &str {
        Service::FIRST_KEY
    }

    /// What time it is in the mock. Whatever is due has happened.
    pub fn now(&self) -> Timestamp {
        self.world.now()
    }

    /// Moves the clock forward by `seconds`. Everything due has happened then, in order, webhooks included:
    /// each attempt was answered, or given up after the profile's patience.
    ///
    /// # Errors
    /// [`ClockMoving`] while another move is under way.
    pub async fn advance_clock(&self, seconds: Seconds) -> Result<Timestamp, ClockMoving> {
        self.world.advance_clock(seconds).await
    }

    /// Waits until nothing is left to be sent now, for `patience` at most.
    pub async fn quiet(&self, patience: Duration) -> Quiet {
        self.world.quiet(patience).await
    }

    /// The outside world with the identifiers of the platform that `key` was ever issued to.
    pub fn as_platform(&self, key: &str) -> Outside {
        Outside::new(Arc::clone(&self.worlds), Some(key))
    }

    /// The deliveries, from number `after` on, with their attempts: the last 1000 at most.
    pub fn deliveries(&self, after: u64) -> Vec<DeliveryEntry> {
        self.world.deliveries(after)
    }

    /// Sends the delivery once more that carries this `Service-Delivery`.
    ///
    /// # Errors
    /// [`Impossible`] if none is kept, its subscription is gone, or an attempt is under way.
    pub fn resend(&self, id: &str) -> Result<(), Impossible> {
        self.world
            .resend(id)
            .unwrap_or(Err(Impossible::new("no delivery is kept that carries this id")))
    }

    /// The last requests to the partner API, the oldest first, 1000 at most.
    pub fn journal(&self) -> Vec<Entry> {
        self.world.journal()
    }

    /// Checks that the books balance: cents are neither made nor lost.
    ///
    /// # Errors
    /// The law of conservation that does not hold, with its two sides.
    pub fn audit(&self) -> Result<(), String> {
        self.world.audit()
    }

    /// Stops it. Requests under way are given a second.
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

/// A mock is its outside world, too: `mock.payor_pays(…)` reads as what happens.
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

/// What a mock shall be like: seed 1, the standard profile, a clock that stands at the start of 2026, a free
/// port of this machine, and webhooks signed with the time outside, unless said otherwise.
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
    /// What everything is drawn from that the service is free to choose.
    #[must_use]
    pub fn seed(self, seed: u64) -> Builder {
        Builder { seed, ..self }
    }

    /// The assumed values.
    #[must_use]
    pub fn profile(self, profile: Profile) -> Builder {
        Builder { profile, ..self }
    }

    /// What the clock shows at the start.
    #[must_use]
    pub fn start_at(self, start: Timestamp) -> Builder {
        Builder { start_at: Some(start), ..self }
    }

    /// Whether time passes by itself.
    #[must_use]
    pub fn clock(self, clock: ClockChoice) -> Builder {
        Builder { clock, ..self }
    }

    /// Where to listen; port 0 for any free one.
    #[must_use]
    pub fn listen(self, address: SocketAddr) -> Builder {
        Builder { listen: address, ..self }
    }

    /// Where webhooks may go: to public https URLs unless said otherwise.
    #[must_use]
    pub fn webhooks(self, destinations: Destinations) -> Builder {
        Builder { destinations, ..self }
    }

    /// What resolves the host names of webhooks: the system unless said otherwise.
    #[must_use]
    pub fn resolver(self, resolver: impl Resolver) -> Builder {
        Builder { resolver: Arc::new(resolver), ..self }
    }

    /// The certificate authorities to trust besides the system's.
    #[must_use]
    pub fn trust(self, authorities: Authorities) -> Builder {
        Builder { authorities, ..self }
    }

    /// Which instant signs webhooks: that of the wall unless said otherwise, since a receiver believes no
    /// other. [`SigningTime::Virtual`] is for whoever wants the same bytes at every run, and verifies them by
    /// the mock's clock.
    #[must_use]
    pub fn signing(self, signing: SigningTime) -> Builder {
        Builder { signing, ..self }
    }

    /// What plays the service, in place of the model's own: seed, profile and where webhooks may go are its
    /// affair then.
    #[must_use]
    pub fn face(self, face: Box<dyn Face>) -> Builder {
        Builder { face: Some(face), ..self }
    }

    /// Starts the mock on the current tokio runtime.
    ///
    /// # Errors
    /// [`StartError`]: the profile is impossible, or the address cannot be listened at.
    pub async fn start(self) -> Result<Mock, StartError> {
        let Builder { seed, profile, start_at, clock, listen, face, .. } = self;
        let face = match face {
            Some(face) => face,
            None => {
                profile.check()?;
                Box::new(Service::new(profile, Seeded { seed }).sending_to(self.destinations))
            }
        };
        let start = start_at.or(Timestamp::from_unix(START)).unwrap_or(Timestamp::MAX);
        let clock = Clock::new(start, clock);
        let world = World::resolving(face, clock, Some(Arc::clone(&self.resolver)));
        let worlds = Arc::new(Worlds::new(world.clone()));
        let server = Server::start(listen, app::router(Arc::clone(&worlds)))
            .await
            .map_err(|source| StartError::Listen { address: listen, source })?;
        let courier = Courier::new(self.resolver, self.authorities, self.signing);
        // Before the courier first runs: what is due already is waited for.
        world.has_a_courier();
        let courier = tokio::spawn(courier.run(world.clone()));
        let address = server.address();
        let url = format!("http://{address}");
        let outside = Outside::new(Arc::clone(&worlds), None);
        Ok(Mock { address, url, world, worlds, outside, server: Some(server), courier })
    }
}
