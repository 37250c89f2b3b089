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

pub(super) use client::Flaw;
pub(super) use service::ServiceBug;

/// A planted bug.
#[derive(Clone, Copy, Debug)]
pub struct Bug(Place);

#[derive(Clone, Copy, Debug)]
enum Place {
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
        let service = service::ALL.iter().map(Place::Service);
        let client = Flaw::ALL.into_iter().map(Place::Client);
        service.chain(client).chain([Place::Environment]).map(Bug)
    }

    /// The bug of this name.
    pub fn find(name: &str) -> Option<Bug> {
        Bug::all().find(|bug| bug.name() == name)
    }

    /// Its stable name.
    pub fn name(self) -> &'static str {
        match self.0 {
            Place::Service(bug) => bug.name,
            Place::Client(flaw) => flaw.name(),
            Place::Environment => "reads-environment",
        }
    }

    /// What goes wrong, in one sentence.
    pub fn words(self) -> &'static str {
        match self.0 {
            Place::Service(bug) => bug.words,
            Place::Client(flaw) => flaw.words(),
            Place::Environment => {
                "The first client starts later the longer the name of the time zone is."
            }
        }
    }

    /// The invariant that it breaks, if it breaks one.
    pub fn breaks(self) -> Option<Invariant> {
        match self.0 {
            Place::Service(bug) => Some(bug.breaks),
            Place::Client(flaw) => Some(flaw.breaks()),
            Place::Environment => None,
        }
    }

    /// The service of a plan: with this bug, if it is one of the service.
    pub(super) fn service(bug: Option<Bug>, plan: &Plan) -> Box<dyn Server> {
        match bug.map(|bug| bug.0) {
            Some(Place::Service(bug)) => bug.service(plan),
            Some(Place::Client(_) | Place::Environment) | None => server::correct(plan),
        }
    }

    /// The flaw of the client, if it is one.
    pub(super) fn flaw(self) -> Option<Flaw> {
        match self.0 {
            Place::Service(_) | Place::Environment => None,
            Place::Client(flaw) => Some(flaw),
        }
    }

    /// How much later the first client starts because of the environment. Milliseconds.
    pub(super) fn start_delay(self) -> Moment {
        match self.0 {
            Place::Environment => std::env::var("TZ").map_or(0, |zone| zone.len() as Moment),
            Place::Service(_) | Place::Client(_) => 0,
        }
    }
}

impl fmt::Display for Bug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
