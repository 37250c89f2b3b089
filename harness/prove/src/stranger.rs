//! A target in process that is judged as a foreign service: its seed, its profile and its delays stay hidden
//! from the judge.

use std::sync::Arc;

use serde_json::json;
use tideover_exchange::step::Step;
use tideover_exchange::target::{ModelTarget, Target, Unanswered, Unreachable};
use tideover_exchange::transcript::Header;
use tideover_exchange::{Arrival, Memory, Prepared, Response, start};
use tideover_judge::{Outside, PriorState};
use tideover_live::facilities::{Facilities, OTHER};
use tideover_model::{ActionKind, Face, Service, Timestamp};
use tideover_suite::play::case::{Clock, Observed, TargetWorld};
use tideover_suite::play::cases::{InProcess, Testbed};

use crate::order::Order;
use crate::right::liberty::Inside;

/// What the clock of a foreign service shows when a run begins: 17:23:41, since a real one begins at no whole minute.
pub(crate) fn begun() -> Timestamp {
    start().after((17 * 60 + 23) * 60 + 41)
}

/// What the suite has and knows as a stranger.
#[derive(Clone, Debug)]
struct Sight {
    outside: Outside,
    /// Only a service with an operator port shows its clock.
    clock: Clock,
    has_operator: bool,
    moves_clock: bool,
    has_inbox: bool,
    second_key: Option<Arc<str>>,
}

/// A target in process that the suite treats as a foreign service.
pub struct Stranger<F> {
    bare: ModelTarget<F>,
    sight: Sight,
}

/// A world in process whose targets are foreign services to the suite.
pub struct Strangers<F = Service> {
    world: InProcess<F>,
    sight: Sight,
    order: Order,
}

impl<F: Face + Clone + std::hash::Hash> Strangers<F> {
    /// The targets of `world`, with an operator port.
    pub fn new(world: InProcess<F>, outside: Outside) -> Strangers<F> {
        let clock = Clock::Read;
        let (has_operator, moves_clock, has_inbox) = (true, true, true);
        let second_key = None;
        let sight = Sight { outside, clock, has_operator, moves_clock, has_inbox, second_key };
        Strangers { world, sight, order: Order::default() }
    }

    /// The targets of `world`, with only the first key. Its webhooks must have no inbox.
    pub fn with_one_key(world: InProcess<F>) -> Strangers<F> {
        let (outside, clock) = (Outside::Open, Clock::Guessed);
        let (has_operator, moves_clock, has_inbox) = (false, false, false);
        let second_key = None;
        let sight = Sight { outside, clock, has_operator, moves_clock, has_inbox, second_key };
        Strangers { world, sight, order: Order::default() }
    }

    /// The same without an inbox. Webhooks of `world` must have none either.
    #[must_use]
    pub fn without_inbox(mut self) -> Strangers<F> {
        self.sight.has_inbox = false;
        self
    }

    /// The same, with the key of a second platform.
    #[must_use]
    pub fn and_key(mut self, key: &str) -> Strangers<F> {
        self.sight.second_key = Some(key.into());
        self
    }

    /// The same, with a clock that nobody can move.
    #[must_use]
    pub fn without_clock(mut self) -> Strangers<F> {
        self.sight.moves_clock = false;
        self.sight.clock = Clock::Kept;
        self
    }

    /// The same, with an inbox.
    #[must_use]
    pub fn with_inbox(mut self) -> Strangers<F> {
        self.sight.has_inbox = true;
        self
    }

    /// The same, with the cases in this order.
    #[must_use]
    pub(crate) fn in_order(mut self, order: Order) -> Strangers<F> {
        self.order = order;
        self
    }

    /// What these targets offer.
    pub(crate) fn facilities(&self) -> Facilities<impl Fn(ActionKind) -> bool + use<F>> {
        let Sight { has_operator, moves_clock, has_inbox, second_key, .. } = &self.sight;
        let has_operator = *has_operator;
        Facilities {
            acts: move |_| has_operator,
            moves_clock: *moves_clock,
            has_second_key: second_key.is_some(),
            has_inbox: *has_inbox,
        }
    }
}

impl<F: Face + Clone + std::hash::Hash> Testbed for Strangers<F> {
    type Target = Stranger<F>;

    async fn fresh(&mut self) -> Result<Stranger<F>, Unreachable> {
        Ok(Stranger { bare: self.world.fresh().await?, sight: self.sight.clone() })
    }

    fn case(&self, header: &Header, number: u64, steps: u64) -> Vec<Step> {
        self.order.case(&self.facilities(), header, number, steps)
    }
}

impl<F: Face> Stranger<F> {
    /// What the service knows when a request with this header comes.
    pub(crate) fn inside(&mut self, authorization: Option<&str>) -> Inside<'_> {
        let now = self.bare.now();
        let face = self.bare.face_mut();
        let caller = face.authenticate(authorization).ok();
        Inside { face, now, caller }
    }
}

impl<F: Face> Target for Stranger<F> {
    fn api_key(&self) -> &str {
        self.bare.api_key()
    }

    async fn send(&mut self, step: &Prepared) -> Result<Response, Unanswered> {
        self.bare.send(step).await
    }

    fn inbox(&self) -> Option<&str> {
        self.bare.inbox()
    }

    fn memory(&self) -> Memory {
        let memory = self.bare.memory();
        match &self.sight.second_key {
            None => memory,
            Some(key) => memory.knowing(OTHER, json!({ "key": &**key })),
        }
    }

    async fn arrivals(&mut self) -> Result<Vec<Arrival>, Unanswered> {
        self.bare.arrivals().await
    }
}

impl<F: Face> Observed for Stranger<F> {
    const TIMED: bool = false;

    /// In process, whatever is sent to the inbox comes there.
    fn inbox_works(&self) -> bool {
        self.sight.has_inbox
    }

    fn second_key(&self) -> Option<&str> {
        self.sight.second_key.as_deref()
    }

    fn world(&mut self) -> TargetWorld {
        let (Sight { outside, clock, .. }, now) = (&self.sight, self.bare.now());
        let (outside, clock) = (*outside, *clock);
        TargetWorld::Foreign { outside, prior: PriorState::Nothing, now, clock }
    }
}
