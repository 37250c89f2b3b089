//! The small answers of the control plane, as they are sent. Those about one thing stand with that thing.

use serde::Serialize;
use tideover_model::wire::action::Described;
use tideover_model::{Code, Timestamp};
use utoipa::ToSchema;

/// The state file is written.
#[derive(Serialize, ToSchema)]
pub(crate) struct Saved {
    /// True.
    pub(crate) saved: bool,
}

/// It is gone.
#[derive(Serialize, ToSchema)]
pub(crate) struct Deleted {
    /// True.
    pub(crate) deleted: bool,
}

/// What `POST /_sim/actions` can do.
#[derive(Serialize, ToSchema)]
pub(crate) struct Actions {
    /// The names of the actions.
    pub(crate) actions: Vec<&'static str>,
    /// Each action with its fields and an example.
    pub(crate) described: Vec<Described>,
}

/// What the clock shows.
#[derive(Serialize, ToSchema)]
#[schema(as = Clock)]
pub(crate) struct ClockShown {
    /// The time.
    #[schema(value_type = String, format = DateTime)]
    pub(crate) now: Timestamp,
}

/// The mock is up.
#[derive(Serialize, ToSchema)]
pub(crate) struct Health<'a> {
    /// `ok`.
    pub(crate) status: &'static str,
    /// `tideover`.
    pub(crate) mock: &'static str,
    /// What the clock shows.
    #[schema(value_type = String, format = DateTime)]
    pub(crate) now: Timestamp,
    /// The deliberate error that the mock was started with, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(crate) defect: Option<&'a str>,
}

/// The API keys.
#[derive(Serialize, ToSchema)]
pub(crate) struct Keys {
    /// Every key ever issued.
    pub(crate) keys: Vec<Key>,
}

/// An API key.
#[derive(Serialize, ToSchema)]
pub(crate) struct Key {
    /// The platform that it belongs to.
    pub(crate) platform: String,
    /// The key, without its middle.
    pub(crate) key: String,
    /// Whether it was revoked.
    pub(crate) revoked: bool,
}

/// How many requests there are.
#[derive(Serialize, ToSchema)]
pub(crate) struct Counted {
    /// The number.
    pub(crate) count: u64,
}

/// Why an invoice cannot be financed.
#[derive(Serialize, ToSchema)]
pub(crate) struct Objections<'a> {
    /// In order of precedence; empty if the invoice can be financed.
    pub(crate) objections: Vec<Objection<'a>>,
}

/// A refusal that an advance would meet, if it met no other.
#[derive(Serialize, ToSchema)]
pub(crate) struct Objection<'a> {
    /// The code.
    #[schema(value_type = String)]
    pub(crate) code: Code,
    /// The rule: the stable name of its place.
    pub(crate) clause: &'static str,
    /// What is wrong.
    pub(crate) sentence: &'a str,
}
