//! A target in process that is judged as one that nothing is known of: its seed, its profile and what takes its
//! time stay hidden from the judge.

use tideover_model::{Face, Service};

use crate::inbox::Arrival;
use crate::judge::{Before, Outside};
use crate::run::{Clock, Observed, Standing};
use crate::suite::{InProcess, World};
use crate::target::{Bare, Prepared, Seen, Target, Unanswered, Unreachable};

/// A target in process, seen as a stranger.
pub struct Stranger<F> {
    bare: Bare<F>,
    outside: Outside,
}

/// A world in process whose targets are strangers.
pub struct Strangers<F = Service> {
    world: InProcess<F>,
    outside: Outside,
}

impl<F: Face + Clone + std::hash::Hash> Strangers<F> {
    /// The targets of `world`.
    pub fn new(world: InProcess<F>, outside: Outside) -> Strangers<F> {
        Strangers { world, outside }
    }
}

impl<F: Face + Clone + std::hash::Hash> World for Strangers<F> {
    type Target = Stranger<F>;

    async fn fresh(&mut self) -> Result<Stranger<F>, Unreachable> {
        Ok(Stranger { bare: self.world.fresh().await?, outside: self.outside })
    }
}

impl<F: Face> Target for Stranger<F> {
    fn api_key(&self) -> &str {
        self.bare.api_key()
    }

    async fn send(&mut self, step: &Prepared) -> Result<Seen, Unanswered> {
        self.bare.send(step).await
    }

    fn inbox(&self) -> Option<&str> {
        self.bare.inbox()
    }

    async fn arrivals(&mut self) -> Result<Vec<Arrival>, Unanswered> {
        self.bare.arrivals().await
    }
}

impl<F: Face> Observed for Stranger<F> {
    fn standing(&mut self) -> Standing {
        let (outside, now) = (self.outside, self.bare.now());
        Standing::Foreign { outside, before: Before::Nothing, now, clock: Clock::Told }
    }
}
