//! A run as a timeline, as a page of HTML.

use crate::simulation::plan::Plan;
use crate::simulation::world::Run;

/// The page of a run.
pub fn picture(_plan: &Plan, run: &Run) -> String {
    run.hash.to_string()
}
