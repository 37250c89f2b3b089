//! The assumed values for sending webhooks.

use serde::{Deserialize, Serialize};

use crate::profile::{ImpossibleValue, LONGEST_DELAY, Range, within};
use crate::timestamp::Seconds;

/// How the service sends webhooks.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Webhooks {
    /// Seconds from the start of each failed attempt to the start of the next.
    pub retries: Vec<Seconds>,
    /// Seconds from the event during which attempts may begin.
    pub window: Seconds,
    /// Seconds that a receiver has for its response.
    pub timeout: Seconds,
    /// Milliseconds of real time that replace the timeout if the simulated clock does not run by itself.
    pub patience: u64,
    /// The maximum number of attempts in flight for one subscription.
    pub at_once: usize,
    /// The percentage of accepted deliveries that the service repeats.
    pub duplicates: u32,
    /// The delay of each delivery's first attempt, in seconds.
    pub lateness: Range<Seconds>,
}

impl Default for Webhooks {
    fn default() -> Webhooks {
        Webhooks {
            retries: vec![5, 300, 1800, 7200, 18_000, 36_000, 36_000],
            window: 28 * 3600,
            timeout: 15,
            patience: 1000,
            at_once: 16,
            duplicates: 0,
            lateness: Range::exactly(0),
        }
    }
}

impl Webhooks {
    pub(super) fn check(&self) -> Result<(), ImpossibleValue> {
        let bounded = |field: &str, value: u64, least: u64, most: u64, unit: &str| {
            if (least..=most).contains(&value) {
                Ok(())
            } else {
                let problem = format!("must be {least} to {most} {unit}");
                Err(ImpossibleValue::new(format!("webhooks.{field}"), problem))
            }
        };
        bounded("retries", self.retries.len() as u64, 0, 100, "delays")?;
        for delay in &self.retries {
            bounded("retries", *delay, 1, LONGEST_DELAY, "seconds each")?;
        }
        bounded("window", self.window, 0, LONGEST_DELAY, "seconds")?;
        bounded("timeout", self.timeout, 1, 3600, "seconds")?;
        bounded("patience", self.patience, 1, 3_600_000, "milliseconds")?;
        bounded("at_once", self.at_once as u64, 1, 1000, "attempts")?;
        bounded("duplicates", self.duplicates.into(), 0, 100, "percent")?;
        within("webhooks.lateness", self.lateness, LONGEST_DELAY, "seconds")
    }
}
