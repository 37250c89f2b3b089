//! The whole world from one seed: platforms, vendors, payors, the service, and an unreliable network.
//!
//! A [`Plan`] says who acts, and which faults come. [`run`] plays it in virtual time, without
//! sockets or threads, and the [`Auditor`](auditor::Auditor) checks after every event what must hold. The
//! same plan gives the same bytes on every machine.

pub mod auditor;
mod bugs;
pub mod campaign;
mod chain;
mod client;
mod draw;
pub mod picture;
pub mod plan;
mod queue;
pub mod reached;
pub mod record;
pub mod results;
mod server;
pub mod shrink;
pub mod trace;
mod world;

pub use bugs::Bug;
pub use chain::RunHash;
pub use queue::Moment;
pub use world::Run;

use plan::Plan;
use tideover_model::conduct::Card;
use world::World;

/// How the clients of a plan behave, with a planted bug if there is one.
pub fn conduct(plan: &Plan, bug: Option<Bug>) -> Card {
    World::new(plan, bug, false).watched()
}

/// Runs a plan, with a planted bug if there is one. `traced` asks for the entries of its trace.
pub fn run(plan: &Plan, bug: Option<Bug>, traced: bool) -> Run {
    World::new(plan, bug, traced).run()
}
