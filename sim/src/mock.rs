//! A running mock, for tests in Rust.

mod builder;

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use tideover_model::conduct::Ending;
use tideover_model::{Impossible, Seconds, Timestamp, Unbalanced};
use tokio::task::JoinHandle;

use crate::app;
use crate::deliveries::DeliveryEntry;
use crate::fault::{FaultEntry, FaultError, Rule};
use crate::grease::Coverage;
use crate::guard::Guard;
use crate::journal::{Entry, JournalFilter};
use crate::outside::Outside;
use crate::serve::MockServer;
use crate::state_file::StateError;
use crate::world::{ClockMoving, Conduct, NextEvent, NotMoved, Quiet, Quieted, Waited, World};
use crate::worlds::{RecipeError, Worlds};

pub use builder::Builder;

/// The longest API key that can be chosen. Bytes.
const LONGEST_KEY: usize = 200;

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
///
/// Its other methods do what those of [`World`] do, on the default world.
pub struct Mock {
    address: SocketAddr,
    url: String,
    api_key: String,
    worlds: Arc<Worlds>,
    outside: Outside,
    guard: Guard,
    server: Option<MockServer>,
    /// Saves each change to the state file, if there is one.
    saver: Option<JoinHandle<()>>,
    /// Whether the state file had worlds.
    has_loaded: bool,
}

/// Why a mock does not start.
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
    /// No client can send the API key, or the mock itself could issue it.
    #[error(
        "the API key must have 1 to {LONGEST_KEY} visible ASCII characters, and must not begin with \
         rap_sk_, except rap_sk_local"
    )]
    ApiKey,
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

    /// The outside world with the identifiers of the platform that `key` belongs to, even if revoked.
    pub fn as_platform(&self, key: &str) -> Outside {
        Outside::new(Arc::clone(&self.worlds), Some(key))
    }

    /// [`World::now`].
    pub fn now(&self) -> Timestamp {
        self.world().now()
    }

    /// [`World::advance_clock`].
    pub async fn advance_clock(&self, seconds: Seconds) -> Result<Timestamp, ClockMoving> {
        self.world().advance_clock(seconds).await
    }

    /// [`World::advance_to`].
    pub async fn advance_to(&self, instant: Timestamp) -> Result<Timestamp, NotMoved> {
        self.world().advance_to(instant).await
    }

    /// [`World::advance_to_next_event`].
    pub async fn advance_to_next_event(&self) -> Result<NextEvent, ClockMoving> {
        self.world().advance_to_next_event().await
    }

    /// [`World::advance_until_quiet`].
    pub async fn advance_until_quiet(&self) -> Result<Quieted, ClockMoving> {
        self.world().advance_until_quiet().await
    }

    /// [`World::quiet`].
    pub async fn quiet(&self, patience: Duration) -> Quiet {
        self.world().quiet(patience).await
    }

    /// [`World::deliveries`].
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

    /// [`World::journal`].
    pub fn journal(&self) -> Vec<Entry> {
        self.world().journal()
    }

    /// [`World::requests`].
    pub fn requests(&self, filter: &JournalFilter) -> Vec<Entry> {
        self.world().requests(filter)
    }

    /// [`World::count_requests`].
    pub fn count_requests(&self, filter: &JournalFilter) -> u64 {
        self.world().count_requests(filter)
    }

    /// [`World::wait_for_requests`].
    pub async fn wait_for_requests(
        &self,
        filter: &JournalFilter,
        count: u64,
        patience: Duration,
    ) -> Waited {
        self.world().wait_for_requests(filter, count, patience).await
    }

    /// [`World::unexpected_requests`] among all that the journal keeps.
    pub fn unexpected_requests(&self) -> Vec<Entry> {
        self.world().unexpected_requests(&JournalFilter::new())
    }

    /// [`World::add_fault`].
    pub fn add_fault(&self, rule: Rule) -> Result<u64, FaultError> {
        self.world().add_fault(rule)
    }

    /// [`World::faults`].
    pub fn faults(&self) -> Vec<FaultEntry> {
        self.world().faults()
    }

    /// [`World::remove_fault`].
    pub fn remove_fault(&self, id: u64) -> bool {
        self.world().remove_fault(id)
    }

    /// [`World::clear_faults`].
    pub fn clear_faults(&self) {
        self.world().clear_faults();
    }

    /// [`World::coverage`].
    pub fn coverage(&self) -> Option<Coverage> {
        self.world().coverage()
    }

    /// [`World::conduct`] of each world that this mock has, with the name of the world, the default one first.
    pub fn conduct(&self, ending: Ending) -> Vec<(String, Conduct)> {
        let worlds = self.worlds.all().into_iter();
        worlds.map(|(id, world)| (id.to_string(), world.conduct(ending))).collect()
    }

    /// [`World::audit`].
    pub fn audit(&self) -> Result<(), Unbalanced> {
        self.world().audit()
    }

    /// Writes the state file. Returns once the file is complete.
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

    /// Stops it, and fails if the state could not be saved.
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
        if let Some(saver) = &self.saver {
            saver.abort();
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
