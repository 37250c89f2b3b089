//! The choices of a service with grease: those of the seed, some of them slower, faster or repeated.

use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use tideover_model::words::UnlistedEvent;
use tideover_model::{BusinessId, Choices, InvoiceId, Profile, Seconds, Seeded, Transition};

use crate::grease::draws::Draws;
use crate::grease::events;
use crate::grease::freedom::Freedom;

/// The longest time by which grease delays a delivery. Seconds.
const LATEST: u64 = 20;

/// The choices of a service with grease.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GreasedChoices {
    seeded: Seeded,
    taken: Taken,
}

/// The freedoms that the choices have taken, until the world collects them. It is no part of a state: all are
/// equal.
#[derive(Clone, Debug, Default)]
pub(super) struct Taken(Arc<Mutex<Vec<Freedom>>>);

impl Taken {
    fn add(&self, freedom: Freedom) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(freedom);
    }

    /// The freedoms taken since the last call.
    pub(super) fn collect(&self) -> Vec<Freedom> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl PartialEq for Taken {
    fn eq(&self, _: &Taken) -> bool {
        true
    }
}

impl Eq for Taken {}

impl Hash for Taken {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

impl GreasedChoices {
    pub(super) fn new(seeded: Seeded, taken: Taken) -> GreasedChoices {
        GreasedChoices { seeded, taken }
    }

    /// The same choices without grease.
    pub(super) fn ungreased(&self) -> Seeded {
        self.seeded
    }

    /// A delay, at once or four times as long at random.
    fn skewed(&self, delay: Seconds, transition: Transition) -> Seconds {
        let (fast, slow, occasion) = match transition {
            Transition::AccountOpens(BusinessId(business), attempt) => {
                let occasion = (u64::from(business) << 32) | u64::from(attempt);
                (Freedom::FastAccount, Freedom::SlowAccount, occasion)
            }
            Transition::FundingStarts(InvoiceId(invoice)) => {
                (Freedom::FastFunding, Freedom::SlowFunding, u64::from(invoice) * 2)
            }
            Transition::FundingCompletes(InvoiceId(invoice)) => {
                (Freedom::FastFunding, Freedom::SlowFunding, u64::from(invoice) * 2 + 1)
            }
        };
        let takes = |freedom| Draws::of(self.seeded, freedom, occasion).takes();
        if delay == 0 {
            return 0;
        }
        if takes(fast) {
            self.taken.add(fast);
            return 0;
        }
        if takes(slow) {
            self.taken.add(slow);
            return delay.saturating_mul(4);
        }
        delay
    }
}

impl Choices for GreasedChoices {
    type Base = Seeded;

    fn base(&mut self) -> &mut Seeded {
        &mut self.seeded
    }

    fn seeded(&self) -> Option<Seeded> {
        Some(self.seeded)
    }

    fn detached(&self) -> GreasedChoices {
        GreasedChoices::new(self.seeded, Taken::default())
    }

    fn delay(&mut self, profile: &Profile, transition: Transition) -> Seconds {
        let delay = self.seeded.delay(profile, transition);
        self.skewed(delay, transition)
    }

    fn lateness(&mut self, profile: &Profile, delivery: u64) -> Seconds {
        let lateness = self.seeded.lateness(profile, delivery);
        let mut draws = Draws::of(self.seeded, Freedom::LateDelivery, delivery);
        if draws.takes() { lateness + 1 + draws.below(LATEST) } else { lateness }
    }

    fn is_duplicated(&mut self, profile: &Profile, delivery: u64) -> bool {
        self.seeded.is_duplicated(profile, delivery)
            || Draws::of(self.seeded, Freedom::DuplicateDelivery, delivery).takes()
    }

    fn unlisted_event(&mut self, event: u64) -> Option<UnlistedEvent> {
        events::unlisted(self.seeded, event)
    }
}
