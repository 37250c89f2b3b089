//! How a run ended.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why no more was played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Ending {
    /// It was left before its end, by Ctrl-C or another signal.
    #[default]
    Interrupted,
    /// As many requests were sent as the user allows.
    Spent,
    /// The target was given up, or nothing more could be sent.
    GivenUp,
    /// Enough was found.
    EnoughFound,
    /// Every case was played.
    Complete,
}
