//! The faults of a plan.

use serde::{Deserialize, Serialize};
use tideover_sim::fault::Rule;

use crate::simulation::queue::Moment;

/// What goes wrong until the faults stop.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Faults {
    /// What happens to requests.
    pub requests: Vec<Rule>,
    /// What happens to webhooks.
    pub posts: Vec<PostRule>,
    /// When receivers are down.
    pub outages: Vec<Outage>,
    /// When the service restarts from a snapshot.
    pub restarts: Vec<Restart>,
    /// When platforms lose their webhook secrets.
    pub lost_secrets: Vec<LostSecret>,
    /// The only messages that a fault hits, by their names, if not all that the rules select.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only: Option<Vec<String>>,
}

/// What happens to some percentage of the attempts to deliver a webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PostRule {
    /// What happens.
    pub act: PostAct,
    /// The percentage.
    pub percent: u32,
}

/// What happens to an attempt to deliver a webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PostAct {
    /// It never arrives.
    Lost,
    /// It arrives, and its answer is lost.
    AnswerLost,
    /// It arrives twice.
    Repeated,
    /// It arrives after the service has given up waiting.
    Delayed,
    /// Somebody else also sends the receiver an event, with a signature of his own.
    Forged,
}

/// A time in which the receiver of a platform is down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Outage {
    /// The platform.
    pub platform: u32,
    /// When it begins.
    pub from: Moment,
    /// When it ends.
    pub until: Moment,
}

/// A restart of the service from its snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Restart {
    /// When.
    pub at: Moment,
    /// Whether it waits until an attempt to deliver a webhook is in flight.
    pub amid_attempts: bool,
}

/// A platform loses the secret of its subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LostSecret {
    /// The platform.
    pub platform: u32,
    /// When.
    pub at: Moment,
}
