//! The bodies for which the code has no type: requests that are read field by field, so that a refusal says what is
//! wrong, and lists that are written item by item.

#![expect(dead_code, reason = "only the schemas are used")]

use utoipa::ToSchema;

use crate::control::worlds::WorldView;
use crate::deliveries::DeliveryView;
use crate::fault::Rule;
use crate::journal::Entry;

/// How far the clock moves: exactly one of these.
#[derive(ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ClockMove {
    /// Forward by so many seconds; 0 or more.
    #[schema(nullable = false)]
    advance_seconds: Option<u64>,
    /// Forward to this instant.
    #[schema(nullable = false, format = DateTime)]
    advance_to: Option<String>,
    /// True: to the next thing that is due.
    #[schema(nullable = false)]
    next_event: Option<bool>,
    /// True: until nothing is due any more.
    #[schema(nullable = false)]
    until_quiet: Option<bool>,
}

/// The requests to wait for.
#[derive(ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct RequestsWanted {
    /// The parameters of `GET /_sim/journal`, as fields.
    #[schema(value_type = BTreeMap<String, Value>, required = false)]
    filter: (),
    /// How many are wanted; 1 if it is left out.
    #[schema(nullable = false)]
    count: Option<u64>,
    /// Real seconds, 0 to 3600; 30 if it is left out.
    #[schema(nullable = false)]
    patience_seconds: Option<u64>,
}

/// How long to wait.
#[derive(ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Patience {
    /// Real seconds, 0 to 3600; 30 if it is left out.
    #[schema(nullable = false)]
    patience_seconds: Option<u64>,
}

/// A rule, or several.
#[derive(ToSchema)]
#[serde(untagged)]
pub(super) enum FaultsAdded {
    Rules(FaultRules),
    Rule(Rule),
}

/// Several rules: all of them are added, or none.
#[derive(ToSchema)]
pub(super) struct FaultRules {
    /// The rules, in order of precedence.
    rules: Vec<Rule>,
}

/// All worlds.
#[derive(ToSchema)]
pub(super) struct Worlds {
    /// The worlds.
    worlds: Vec<WorldView>,
}

/// The last requests to the API.
#[derive(ToSchema)]
pub(super) struct Journal {
    /// The oldest first.
    entries: Vec<Entry>,
    /// The number of the next request: `?after=` waits for it.
    next: u64,
    /// How many older ones are no longer kept.
    dropped: u64,
}

/// The last webhook deliveries.
#[derive(ToSchema)]
pub(super) struct Deliveries {
    /// The oldest first.
    deliveries: Vec<DeliveryView>,
    /// The number of the next delivery: `?after=` waits for it.
    next: u64,
    /// How many older ones are no longer kept.
    dropped: u64,
}

/// An HTTP Archive, version 1.2.
#[derive(ToSchema)]
pub(super) struct Archive {
    /// The log.
    #[schema(value_type = BTreeMap<String, Value>)]
    log: (),
}

/// A world as a document.
#[derive(ToSchema)]
pub(super) struct Snapshot {
    /// `tideover-world`.
    format: String,
    /// The version of the form.
    version: u64,
    /// SHA-256 of the state, in hex.
    checksum: String,
    /// The state.
    state: serde_json::Value,
}

/// A document in OpenAPI 3.1.
#[derive(ToSchema)]
#[schema(value_type = Object)]
pub(super) struct OpenApi(());

/// Events without a name. Their data grows.
#[derive(ToSchema)]
pub(super) struct Changes(String);
