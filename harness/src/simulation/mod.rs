//! The whole world from one seed: platforms, vendors, payors, the service, and an unreliable network.
//!
//! A [`Plan`](plan::Plan) says who acts, and which faults come. [`run`] plays it in virtual time, without
//! sockets or threads, and the [`Auditor`](auditor::Auditor) checks after every event what must hold. The
//! same plan gives the same bytes on every machine.

pub mod auditor;
mod chain;
mod client;
mod draw;
mod flaw;
pub mod plan;
mod queue;
pub mod reached;
mod server;
pub mod trace;
mod world;

pub use chain::RunHash;
pub use flaw::Flaw;
pub use queue::Moment;
pub use world::Run;

use plan::Plan;
use world::World;

/// Runs a plan. `traced` asks for the entries of its trace.
pub fn run(plan: &Plan, traced: bool) -> Run {
    World::new(plan, Box::new(server::correct(plan)), None, traced).run()
}
