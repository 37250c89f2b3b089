//! How a mock is configured and started.

use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tideover_model::{Destinations, Face, Profile, Service, Timestamp};

use crate::app;
use crate::beginning::{Beginning, Scenario};
use crate::clock::ClockChoice;
use crate::cors::Origins;
use crate::courier::Courier;
use crate::fault::Rule;
use crate::guard::Guard;
use crate::hosts::Hosts;
use crate::journal::{JournalLimits, Masks, Setting};
use crate::limits::{Budget, Limits};
use crate::mock::{LONGEST_KEY, Mock, StartError};
use crate::outside::Outside;
use crate::sending::{Authorities, Resolver, SigningTime, SystemResolver};
use crate::serve::MockServer;
use crate::state_file::StateFile;
use crate::world::{Permitted, World};
use crate::worlds::{Equipment, Recipe, Worlds, save_changes};

/// 2026-01-01T00:00:00Z, in seconds since the start of 1970: where a still clock starts.
const START: i64 = 1_767_225_600;

/// The configuration of a mock. Defaults: seed 1, the standard profile, a still clock at the start of 2026, a
/// free port of this machine, and webhooks signed with the wall time.
#[must_use = "nothing starts before `start` or `world`"]
pub struct Builder {
    /// What `Builder::recipe` completes.
    draft: Recipe,
    listen: SocketAddr,
    face: Option<Box<dyn Face>>,
    resolver: Arc<dyn Resolver>,
    authorities: Authorities,
    signing: SigningTime,
    api_key: Option<String>,
    state: Option<PathBuf>,
    guard: Guard,
    limits: Limits,
}

impl Default for Builder {
    fn default() -> Builder {
        let limits = Limits::default();
        let permitted =
            Permitted { destinations: Destinations::Public, subscriptions: limits.subscriptions };
        let draft = Recipe {
            seed: 1,
            number: 0,
            profile: Profile::default(),
            start: None,
            clock: ClockChoice::Still,
            permitted,
            resolver: None,
            faults: Vec::new(),
            grease: false,
            beginning: Beginning::default(),
            hints: true,
            journal: Setting::alone(JournalLimits::default()),
        };
        Builder {
            draft,
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            face: None,
            resolver: Arc::new(SystemResolver),
            authorities: Authorities::default(),
            signing: SigningTime::default(),
            api_key: None,
            state: None,
            guard: Guard::default(),
            limits,
        }
    }
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Recipe { seed, start, clock, .. } = &self.draft;
        write!(f, "Builder({seed}, {start:?}, {clock:?}, {})", self.listen)
    }
}

impl Builder {
    /// The seed of everything that the service is free to choose.
    pub fn seed(mut self, seed: u64) -> Builder {
        self.draft.seed = seed;
        self
    }

    /// The assumed values.
    pub fn profile(mut self, profile: Profile) -> Builder {
        self.draft.profile = profile;
        self
    }

    /// When the clock of each new world starts. Default: at the start of 2026 if it stands still; otherwise at the
    /// wall time at which the world is made.
    pub fn start_at(mut self, start: Timestamp) -> Builder {
        self.draft.start = Some(start);
        self
    }

    /// Whether time passes by itself.
    pub fn clock(mut self, clock: ClockChoice) -> Builder {
        self.draft.clock = clock;
        self
    }

    /// The address to listen at; port 0 means any free port.
    pub fn listen(self, address: SocketAddr) -> Builder {
        Builder { listen: address, ..self }
    }

    /// Where webhooks may go. Default: public https URLs.
    pub fn webhooks(mut self, destinations: Destinations) -> Builder {
        self.draft.permitted.destinations = destinations;
        self
    }

    /// The resolver of webhooks' host names. Default: the system's.
    pub fn resolver(self, resolver: impl Resolver) -> Builder {
        Builder { resolver: Arc::new(resolver), ..self }
    }

    /// Certificate authorities to trust in addition to the system's.
    pub fn trust(self, authorities: Authorities) -> Builder {
        Builder { authorities, ..self }
    }

    /// The time in webhooks' signatures. Default: the wall time, the only one that real receivers accept.
    /// With [`SigningTime::Virtual`], every run sends the same bytes, and a test verifies them by the mock's
    /// clock.
    pub fn signing(self, signing: SigningTime) -> Builder {
        Builder { signing, ..self }
    }

    /// The rules of [faults](crate::fault) from the start, in order of precedence. A reset restores them.
    pub fn faults(mut self, rules: Vec<Rule>) -> Builder {
        self.draft.faults = rules;
        self
    }

    /// Whether the mock does, at random from its seed, what the document leaves a service free to do, so that a
    /// client can't rely on one behaviour (after RFC 8701). No documented refusal is recoded or invented.
    ///
    /// With [another face](Builder::face), this concerns only responses and the form of events.
    pub fn grease(mut self, grease: bool) -> Builder {
        self.draft.grease = grease;
        self
    }

    /// How far the story has gone at the start. With [another face](Builder::face) it is played there.
    pub fn scenario(mut self, scenario: Scenario) -> Builder {
        self.draft.beginning.scenario = scenario;
        self
    }

    /// The API key of the first platform, in place of `rap_sk_local`: 1 to 200 visible ASCII characters, and not
    /// the form of a key that the mock issues.
    pub fn api_key(self, key: &str) -> Builder {
        Builder { api_key: Some(key.to_owned()), ..self }
    }

    /// The file to which all worlds are saved. If it exists, it is loaded at the start, and takes precedence over
    /// seed, profile, clock, start, faults, grease and scenario. Each change is saved soon, and at the
    /// [stop](Mock::stop). A mock with [another face](Builder::face) can't be saved.
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
    pub fn cors(mut self, origins: Origins) -> Builder {
        self.guard.origins = Some(origins);
        self
    }

    /// Host names by which the operator port answers, besides addresses, `localhost`, names without a dot, and those
    /// of the origins that [may call it](Builder::cors). It refuses any other name, because a page could own it.
    pub fn hosts(mut self, hosts: Hosts) -> Builder {
        self.guard.hosts = hosts;
        self
    }

    /// Whether each response of the partner API names, in the header `Tideover-Clause`, the clause that decided it.
    /// Default: yes.
    pub fn hints(mut self, hints: bool) -> Builder {
        self.draft.hints = hints;
        self
    }

    /// How much the journal keeps.
    pub fn journal(mut self, limits: JournalLimits) -> Builder {
        self.draft.journal.limits = limits;
        self
    }

    /// How much the mock takes on.
    pub fn limits(self, limits: Limits) -> Builder {
        Builder { limits, ..self }
    }

    /// Replaces the model's own service. The face then determines seed, profile and where webhooks may go; the
    /// seed only draws faults.
    pub fn face(self, face: Box<dyn Face>) -> Builder {
        Builder { face: Some(face), ..self }
    }

    /// The world alone, for tests without a socket: its [`router`](World::router) takes requests, and
    /// [`deliver_to`](World::deliver_to) brings webhooks. No host name is resolved.
    ///
    /// # Errors
    /// [`StartError`]: the profile, the faults or the scenario are impossible.
    pub fn world(self) -> Result<World, StartError> {
        let recipe = self.recipe();
        Ok(match self.face {
            None => recipe.world()?,
            Some(face) => recipe.world_with(face)?,
        })
    }

    /// How worlds are made: the draft, with what depends on several settings.
    fn recipe(&self) -> Recipe {
        let mut recipe = self.draft.clone();
        if recipe.clock == ClockChoice::Still {
            recipe.start = recipe.start.or(Timestamp::from_unix(START));
        }
        recipe.permitted.subscriptions = self.limits.subscriptions;
        recipe.journal.budget = Budget::of(self.limits.journals);
        recipe.journal.masks = Masks::with(self.api_key.as_deref());
        recipe
    }

    /// Starts the mock on the current tokio runtime.
    ///
    /// # Errors
    /// [`StartError`]: the key cannot be chosen; the profile, the faults or the scenario are impossible; the
    /// state file is refused, or the mock can't listen at the address.
    pub async fn start(self) -> Result<Mock, StartError> {
        if self.api_key.as_deref().is_some_and(|key| !can_be_chosen(key)) {
            return Err(StartError::ApiKey);
        }
        let recipe = Recipe { resolver: Some(Arc::clone(&self.resolver)), ..self.recipe() };
        let journals = Arc::clone(&recipe.journal.budget);
        let (world, recipe) = match self.face {
            None => (recipe.world()?, Some(recipe)),
            Some(face) => (recipe.world_with(face)?, None),
        };
        let courier = Courier::new(self.resolver, self.authorities, self.signing);
        let first_key = self.api_key.filter(|key| key != Service::FIRST_KEY);
        let api_key = first_key.clone().unwrap_or_else(|| Service::FIRST_KEY.to_owned());
        let state = self.state.as_deref().map(StateFile::at).transpose()?;
        let is_saved = state.is_some();
        let (courier, limits) = (Some(Arc::new(courier)), self.limits);
        let equipment = Equipment { recipe, first_key, courier, state, limits, journals };
        let worlds = Arc::new(Worlds::new(world, equipment));
        let has_loaded = is_saved && worlds.load().await?;
        let router = app::router(Arc::clone(&worlds), self.guard.clone());
        let server = MockServer::start(self.listen, router, limits)
            .await
            .map_err(|source| StartError::Listen { address: self.listen, source })?;
        let address = server.address();
        if is_saved {
            // What can't be saved is refused now, and not at the end.
            worlds.save().await?;
        }
        Ok(Mock {
            address,
            url: format!("http://{address}"),
            api_key,
            outside: Outside::new(Arc::clone(&worlds), None),
            guard: self.guard,
            server: Some(server),
            saver: is_saved.then(|| tokio::spawn(save_changes(Arc::clone(&worlds)))),
            has_loaded,
            worlds,
        })
    }
}

fn can_be_chosen(key: &str) -> bool {
    let is_visible = key.bytes().all(|byte| byte.is_ascii_graphic());
    let is_own = key.starts_with("rap_sk_") && key != Service::FIRST_KEY;
    is_visible && !is_own && (1..=LONGEST_KEY).contains(&key.len())
}
