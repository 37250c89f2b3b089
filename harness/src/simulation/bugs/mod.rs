//! Planted bugs, in the service and in the client: each shows that a check can fail.

mod buggy;
mod choices;
mod client;
mod service;

use std::fmt;

use crate::simulation::auditor::Invariant;
use crate::simulation::plan::Plan;
use crate::simulation::queue::Moment;
use crate::simulation::server;
use crate::simulation::server::Server;

pub use client::Flaw;
pub use service::ServiceBug;

/// A planted bug.
#[derive(Clone, Copy, Debug)]
pub enum Bug {
    /// In the service.
    Service(&'static ServiceBug),
    /// In the client.
    Client(Flaw),
    /// In the simulation itself: a run depends on the environment. Only `--twice` finds it.
    Environment,
}

impl Bug {
    /// All planted bugs, those of the service first.
    pub fn all() -> impl Iterator<Item = Bug> {
        let service = service::ALL.iter().map(Bug::Service);
        service.chain(Flaw::ALL.into_iter().map(Bug::Client)).chain([Bug::Environment])
    }

    /// The bug of this name.
    pub fn find(name: &str) -> Option<Bug> {
        Bug::all().find(|bug| bug.name() == name)
    }

    /// Its stable name.
    pub fn name(self) -> &'static str {
        match self {
            Bug::Service(bug) => bug.name,
            Bug::Client(flaw) => flaw.name(),
            Bug::Environment => "reads-environment",
        }
    }

    /// What goes wrong, in one sentence.
    pub fn words(self) -> &'static str {
        match self {
            Bug::Service(bug) => bug.words,
            Bug::Client(flaw) => flaw.words(),
            Bug::Environment => {
                "The first client starts later the longer the name of the time zone is."
            }
        }
    }

    /// The invariant that it breaks, if it breaks one.
    pub fn breaks(self) -> Option<Invariant> {
        match self {
            Bug::Service(bug) => Some(bug.breaks),
            Bug::Client(flaw) => Some(flaw.breaks()),
            Bug::Environment => None,
        }
    }

    /// The service of a plan: with this bug, if it is one of the service.
    pub(super) fn service(bug: Option<Bug>, plan: &Plan) -> Box<dyn Server> {
        match bug {
            Some(Bug::Service(bug)) => bug.service(plan),
            Some(Bug::Client(_) | Bug::Environment) | None => Box::new(server::correct(plan)),
        }
    }

    /// The flaw of the client, if it is one.
    pub(super) fn flaw(self) -> Option<Flaw> {
        match self {
            Bug::Service(_) | Bug::Environment => None,
            Bug::Client(flaw) => Some(flaw),
        }
    }

    /// How much later the first client starts because of the environment. Milliseconds.
    pub(super) fn start_delay(self) -> Moment {
        match self {
            Bug::Environment => std::env::var("TZ").map_or(0, |zone| zone.len() as Moment),
            Bug::Service(_) | Bug::Client(_) => 0,
        }
    }
}

impl fmt::Display for Bug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
