//! Where the time of a run goes.

use std::collections::BTreeMap;
use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Activity {
    /// Requests to the API, from the first byte to the last.
    Requests,
    /// Actions and reads of the operator port.
    Operator,
    /// Moves of the target's clock: the target delivers webhooks meanwhile.
    Clock,
    /// Waits for the pace that the user allows.
    Pace,
    /// Waits that the target asked for.
    AskedToWait,
    /// Waits before a read is repeated that may lag behind a write.
    StaleReads,
    /// Waits before a request is repeated that failed although it had to be refused.
    Retries,
    /// Waits for webhooks that may still come.
    Webhooks,
    /// Waits for a target that does not answer, and for its restart.
    Outage,
    /// The order of the cases.
    Ordering,
    /// The judgement of responses.
    Judging,
    /// Everything that makes findings small.
    Shrinking,
}

impl Activity {
    pub fn words(self) -> &'static str {
        match self {
            Activity::Requests => "requests to the API",
            Activity::Operator => "operator port",
            Activity::Clock => "moves of the clock",
            Activity::Pace => "waits for the pace",
            Activity::AskedToWait => "waits that the target asked for",
            Activity::StaleReads => "waits for reads that lag",
            Activity::Retries => "waits for failures that may pass",
            Activity::Webhooks => "waits for webhooks",
            Activity::Outage => "waits for a target that does not answer",
            Activity::Ordering => "ordering the cases",
            Activity::Judging => "judging",
            Activity::Shrinking => "shrinking",
        }
    }
}

/// How often something took time, and how much in all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    pub times: u64,
    /// How long in all. What was done at once counts each time.
    pub took: Duration,
}

/// Where the time of a run went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TimeSpent {
    parts: BTreeMap<Activity, Spent>,
}

impl TimeSpent {
    pub fn record(&mut self, activity: Activity, took: Duration) {
        self.add(activity, Spent { times: 1, took });
    }

    pub fn add(&mut self, activity: Activity, spent: Spent) {
        let sum = self.parts.entry(activity).or_default();
        sum.times += spent.times;
        sum.took += spent.took;
    }

    pub fn iter(&self) -> impl Iterator<Item = (Activity, Spent)> {
        self.parts.iter().map(|(activity, spent)| (*activity, *spent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_activity_is_added_up() {
        let mut spent = TimeSpent::default();
        spent.record(Activity::Clock, Duration::from_secs(2));
        spent.record(Activity::Requests, Duration::from_secs(1));
        spent.add(Activity::Clock, Spent { times: 3, took: Duration::from_secs(5) });
        let clock = Spent { times: 4, took: Duration::from_secs(7) };
        let requests = Spent { times: 1, took: Duration::from_secs(1) };
        let parts: Vec<_> = spent.iter().collect();
        assert_eq!(parts, [(Activity::Requests, requests), (Activity::Clock, clock)]);
    }
}

/// What a run against a live target took, and what it reached with it.
#[derive(Clone, Debug, Default)]
pub struct Effort {
    pub spent: TimeSpent,
    /// How the clauses were met in its course.
    pub reached: Vec<Reached>,
    /// How many cases were played at once at most.
    pub workers: usize,
}

/// How many clauses a run had met by some time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reached {
    pub requests: u64,
    /// How long the run had taken. Milliseconds.
    pub milliseconds: u64,
    pub clauses: usize,
}
