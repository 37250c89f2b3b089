//! The values of the options of `tideover simulate`.

use std::ops::Range;

use tideover_simulate::simulation::Bug;

/// The seeds of a campaign.
#[derive(Clone, Debug)]
pub(super) struct Seeds(pub(super) Range<u64>);

/// Reads `A..B`.
pub(super) fn seeds(text: &str) -> Result<Seeds, String> {
    let wanted = "expected two numbers, the first below the second, such as 0..1000";
    let (from, to) = text.split_once("..").ok_or(wanted)?;
    match (from.parse(), to.parse()) {
        (Ok(from), Ok(to)) if from < to => Ok(Seeds(from..to)),
        _ => Err(wanted.to_owned()),
    }
}

pub(super) fn bug_named(name: &str) -> Result<Bug, String> {
    Bug::find(name)
        .ok_or_else(|| "no bug has this name; tideover simulate --bugs lists them".to_owned())
}
