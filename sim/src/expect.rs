//! What a test in Rust expects of the webhooks of its mock.

use std::fmt;
use std::time::Duration;

use serde_json::Value;
use tideover_model::signature::{HEADER, Rejection};
use tideover_model::words::EventType;
use tideover_model::{Delivery, SigningKey};

use crate::deliveries::{AttemptEntry, DeliveryEntry, DeliveryState};
use crate::mock::Mock;

/// A webhook that a test expects: its event, what it is about, and the secret of its subscription.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use tideover_sim::{EventType, Expected, Mock};
///
/// let mock = Mock::start().await?;
/// let paid = Expected::event(EventType::InvoicePaid).of_invoice("acme", "INV-7");
/// # let paid = paid.within(std::time::Duration::ZERO);
/// let problem = mock.find_delivery(&paid).await.unwrap_err().to_string();
/// assert!(problem.starts_with("no receiver has accepted partner.invoice.paid"), "{problem}");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Expected {
    event: EventType,
    /// Fields of the event's data, with their values.
    about: Vec<(&'static str, String)>,
    key: Option<SigningKey>,
    patience: Duration,
}

/// Why a test does not see what it expects.
#[derive(Clone, Debug, thiserror::Error)]
pub enum NotDelivered {
    /// No receiver accepted such a webhook in time.
    #[error("no receiver has accepted {expected} within {patience:?}; {came}")]
    Missing {
        /// The event, and what it is about.
        expected: String,
        /// How long the test waited.
        patience: Duration,
        /// The last deliveries and their states.
        came: Came,
    },
    /// The signature does not fit the secret.
    #[error("the signature of {expected} is not valid: {rejection}")]
    Signature {
        /// The event, and what it is about.
        expected: String,
        /// What a receiver with this secret would object to.
        rejection: Rejection,
    },
}

/// What came instead of the expected webhook: a line for each delivery.
#[derive(Clone, Debug, Default)]
pub struct Came(Vec<String>);

impl Expected {
    /// A webhook of this event, accepted with 2xx by its receiver, within five seconds of real time.
    pub fn event(event: EventType) -> Expected {
        let patience = Duration::from_secs(5);
        Expected { event, about: Vec::new(), key: None, patience }
    }

    /// About this invoice of this payee.
    pub fn of_invoice(self, payee: &str, invoice: &str) -> Expected {
        self.with("payeeExternalId", payee).with("invoiceExternalId", invoice)
    }

    /// About this business, as the subject of the event.
    pub fn of_business(self, business: &str) -> Expected {
        self.with("externalId", business)
    }

    /// With this advance state: an event of the kind `partner.invoice.factoredUpdated`.
    pub fn in_state(self, state: &str) -> Expected {
        self.with("state", state)
    }

    /// Signed with the secret that the subscription returned (§6 Signature).
    pub fn signed_with(self, secret: &str) -> Expected {
        Expected { key: Some(SigningKey::new(secret)), ..self }
    }

    /// Within this real time.
    pub fn within(self, patience: Duration) -> Expected {
        Expected { patience, ..self }
    }

    fn with(mut self, field: &'static str, value: &str) -> Expected {
        self.about.push((field, value.to_owned()));
        self
    }

    fn is_met_by(&self, entry: &DeliveryEntry) -> bool {
        let Delivery { event, body, .. } = &*entry.delivery;
        let body: Value = serde_json::from_slice(body).unwrap_or_default();
        entry.state == DeliveryState::Accepted
            && *event == self.event
            && self.about.iter().all(|(field, value)| body["data"][field] == **value)
    }

    fn verify(&self, entry: &DeliveryEntry) -> Result<(), NotDelivered> {
        let Some(key) = &self.key else { return Ok(()) };
        let header = entry.attempts.last().and_then(|last| last.headers.get(HEADER));
        let signed_at = header.map_or(0, |header| signed_at(header));
        key.verify(header.map(String::as_bytes), &entry.delivery.body, signed_at)
            .map_err(|rejection| NotDelivered::Signature { expected: self.to_string(), rejection })
    }
}

impl Mock {
    /// The first delivery that is as expected. Waits for it; the clock does not move.
    ///
    /// # Errors
    /// [`NotDelivered`]: no such webhook was accepted in time, or its signature does not fit the secret.
    pub async fn find_delivery(&self, expected: &Expected) -> Result<DeliveryEntry, NotDelivered> {
        let is_met =
            |entries: &[DeliveryEntry]| entries.iter().any(|entry| expected.is_met_by(entry));
        let entries = self.world().delivered(expected.patience, is_met).await;
        let found = entries.iter().find(|entry| expected.is_met_by(entry));
        let Some(found) = found else {
            return Err(NotDelivered::Missing {
                expected: expected.to_string(),
                patience: expected.patience,
                came: Came(entries.iter().map(line).collect()),
            });
        };
        expected.verify(found)?;
        Ok(found.clone())
    }

    /// As [`find_delivery`](Mock::find_delivery), for a test that should fail without the delivery.
    ///
    /// # Panics
    /// If there is no such delivery, with what came instead.
    pub async fn expect_delivery(&self, expected: &Expected) -> DeliveryEntry {
        match self.find_delivery(expected).await {
            Ok(found) => found,
            Err(problem) => panic!("{problem}"),
        }
    }
}

/// When a header says that it was signed; 0 if it does not say.
fn signed_at(header: &str) -> u64 {
    let time = header.split(',').find_map(|part| part.strip_prefix("t="));
    time.and_then(|time| time.parse().ok()).unwrap_or_default()
}

/// A delivery in one line.
fn line(entry: &DeliveryEntry) -> String {
    let DeliveryEntry { delivery, attempts, state, .. } = entry;
    let body: Value = serde_json::from_slice(&delivery.body).unwrap_or_default();
    let result = match attempts.last() {
        Some(AttemptEntry { status: Some(status), .. }) => format!(", answered {status}"),
        Some(AttemptEntry { problem: Some(problem), .. }) => format!(", {problem}"),
        Some(_) | None => String::new(),
    };
    let (event, state, data) = (delivery.event.name(), state.name(), &body["data"]);
    format!("{event} {data}: {state} after {} attempts{result}", attempts.len())
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.event.name())?;
        self.about.iter().try_for_each(|(field, value)| write!(f, " {field}={value}"))
    }
}

impl fmt::Display for Came {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("no webhook was queued: is a URL subscribed to this event?");
        }
        f.write_str("instead there are:")?;
        self.0.iter().try_for_each(|line| write!(f, "\n  {line}"))
    }
}
