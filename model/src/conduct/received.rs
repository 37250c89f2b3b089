//! What receivers have accepted so far.

use serde_json::Value;

use crate::conduct::fact::Fact;
use crate::conduct::recent::Recent;
use crate::identity::PlatformId;
use crate::wire::field::Fields;

/// What receivers have accepted so far.
#[derive(Debug, Default)]
pub(super) struct Received {
    /// By caller and `Service-Delivery`.
    accepted: Recent<(PlatformId, String), ()>,
    /// The greatest sequence of each invoice of each caller.
    sequences: Recent<(PlatformId, Option<String>, Option<String>), i64>,
}

/// What a delivery is about, and what came before it. Of other facts there is nothing to say.
#[derive(Debug, Default)]
pub(super) struct Before {
    /// The business.
    pub(super) business: Option<String>,
    /// The invoice.
    pub(super) invoice: Option<String>,
    /// Whether the receiver had accepted the same delivery.
    pub(super) repeated: bool,
    /// Whether it had accepted an event about the same advance with a sequence that is not less.
    pub(super) stale: bool,
}

impl Received {
    pub(super) fn take(&mut self, fact: &Fact<'_>) -> Before {
        let (delivery, is_accepted) = match fact {
            Fact::Attempt(attempt) => {
                (attempt.delivery, attempt.is_genuine() && attempt.is_accepted())
            }
            Fact::GivenUp(delivery) => (*delivery, false),
            Fact::Exchange(_) | Fact::Payment { .. } | Fact::Read(_) => return Before::default(),
        };
        let event = serde_json::from_slice::<Value>(&delivery.body).unwrap_or_default();
        let event = Fields::of(&event);
        let data = event.data();
        let business = data.and_then(|data| data.payee_external_id().or(data.external_id()));
        let business = business.map(str::to_owned);
        let invoice = data.and_then(Fields::invoice_external_id).map(str::to_owned);
        let accepted = (delivery.platform, delivery.id.clone());
        let advance = (delivery.platform, business.clone(), invoice.clone());
        let repeated = self.accepted.get(&accepted).is_some();
        let held = self.sequences.get(&advance).copied();
        let stale = event.sequence().is_some_and(|sequence| held >= Some(sequence));
        if is_accepted {
            self.accepted.insert(accepted, ());
            if let Some(sequence) = event.sequence() {
                self.sequences.insert(advance, held.map_or(sequence, |held| held.max(sequence)));
            }
        }
        Before { business, invoice, repeated, stale }
    }
}
