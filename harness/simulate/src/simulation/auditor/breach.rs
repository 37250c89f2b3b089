//! The invariants of the simulated world, and a breach of one.

use std::fmt;

use serde::{Deserialize, Serialize};
use tideover_model::{Clause, clause};

macro_rules! invariants {
    ($($invariant:ident $name:literal $clause:literal $words:literal;)*) => {
        /// Something that must hold after every event of the simulated world.
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        #[serde(rename_all = "kebab-case")]
        pub enum Invariant {
            $(#[doc = $words] $invariant,)*
        }

        impl Invariant {
            /// All invariants: first those of the service, then those of a correct client.
            pub const ALL: [Invariant; [$(Invariant::$invariant,)*].len()] =
                [$(Invariant::$invariant,)*];

            /// Its stable name.
            pub fn name(self) -> &'static str {
                match self {
                    $(Invariant::$invariant => $name,)*
                }
            }

            /// The sentence of the document, or the assumption, behind it.
            pub fn clause(self) -> Clause {
                match self {
                    $(Invariant::$invariant => clause!($clause),)*
                }
            }

            /// What must hold, in one sentence.
            pub fn words(self) -> &'static str {
                match self {
                    $(Invariant::$invariant => $words,)*
                }
            }
        }
    };
}

invariants! {
    CentsConserved "cents-conserved" "1.service.3.3"
        "No cent appears or disappears between payors, collection accounts, vendors and funder.";
    LimitHeld "limit-held" "8.concentrationLimit"
        "No business has more outstanding than its limit.";
    FourRequirements "four-requirements" "3.onboarding.2"
        "No advance is created for a business that misses one of the four requirements.";
    OneAdvance "one-advance" "4.advances.2"
        "An invoice gets one advance, however often the request is repeated.";
    EventsFollowState "events-follow-state" "6.events.invoice.factoredUpdated"
        "Every change of state has its events, each once, and no event comes without its change.";
    StateMovesForward "state-moves-forward" "3.advance.1"
        "A financing state, an amount or a collection account that was shown is never taken back.";
    RowsOnce "rows-once" "4.imports.7.2"
        "An import carries out each row once, also when it was interrupted.";
    DeliveryConstant "delivery-constant" "6.delivery.3.2"
        "All attempts of a delivery carry the same Service-Delivery and the same body.";
    PlatformsApart "platforms-apart" "5.authentication.4"
        "Nothing of one platform reaches another one.";
    NoTimerInThePast "no-timer-in-the-past" "3.advance.1"
        "Whatever was due has happened.";
    RestoredEqual "restored-equal" "3.advance.1"
        "A service that restarts from its snapshot is equal to the one before.";
    SafeRetries "safe-retries" "7.retrying.3"
        "A client repeats blindly only what the document calls safe to retry.";
    ActsOnce "acts-once" "6.delivery.3"
        "A client acts on each event once, and only on events that the service signed.";
    RightAccount "right-account" "4.advances.6"
        "A payor pays into the collection account of the business.";
    Converged "converged" "6.delivery.5.2"
        "Once the world is quiet, a client's copy of the state equals the service's.";
    Settled "settled" "6.delivery.1.2"
        "Once the faults stop, everything settles.";
}

impl fmt::Display for Invariant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A breach of an invariant.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Breach {
    /// What does not hold.
    pub invariant: Invariant,
    /// The platform, business or invoice concerned.
    pub subject: String,
    /// What was seen, and what was expected.
    pub detail: String,
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.invariant, self.subject, self.detail)
    }
}
