//! The interesting states that a run reached, and the faults that it met.

use serde::{Deserialize, Serialize};

macro_rules! named {
    ($(#[$doc:meta])* $kind:ident { $($variant:ident $name:literal,)* }) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        #[serde(rename_all = "kebab-case")]
        #[expect(missing_docs, reason = "each is described by its name")]
        pub enum $kind {
            $($variant,)*
        }

        impl $kind {
            /// All of them.
            pub const ALL: [$kind; [$($kind::$variant,)*].len()] = [$($kind::$variant,)*];

            /// Its stable name.
            pub fn name(self) -> &'static str {
                match self {
                    $($kind::$variant => $name,)*
                }
            }
        }
    };
}

named! {
    /// A state that a campaign must reach, so that nothing passes by never happening.
    Reached {
        BusinessOnboarded "business onboarded",
        BusinessMatched "business matched by tax id",
        OnboardingMistake "vendor made a mistake",
        TaxIdFoundWrong "tax id found wrong",
        QuoteNotFundable "quote not fundable",
        AdvanceRequested "advance requested",
        AdvanceRepeated "advance request repeated",
        RefusedNotEligible "refused: business_not_eligible",
        RefusedNotFinanceable "refused: invoice_not_financeable",
        RefusedByLimit "refused: concentration_exceeded",
        RefusedSelfDealing "refused: self_dealing",
        StatusOnlySync "status-only sync",
        ImportFinished "import finished",
        ImportInterrupted "import interrupted",
        ImportResumed "import resumed",
        RowRejected "import row rejected",
        PaidBeforeFunded "paid before funded",
        PaidInParts "paid in parts",
        PaidTwice "paid more than owed",
        AdvanceFunded "advance funded",
        AdvanceRepaid "advance repaid",
        UnknownOutcome "outcome of a write unknown",
        LateAnswer "answer after the timeout",
        RetryByBackoff "request retried",
        SecretUnknown "subscribed, secret lost",
        AlreadySubscribed "refused: already_subscribed",
        SecretRecovered "secret recovered",
        RepeatedDelivery "repeated delivery dropped",
        StaleSequence "stale sequence dropped",
        SignatureRefused "signature refused",
        DeliveryRetried "delivery retried",
        DeliveryGivenUp "delivery given up",
        ReconciledByReads "state reconciled by reads",
        RestartWithAttempts "restart with attempts in flight",
        RestartWithTimers "restart with transitions pending",
        UnlistedEvent "event of an unlisted kind",
        UnlistedField "answer with an unlisted field",
        UnlistedValue "answer with an unlisted value",
        OtherStatus "answer with another 2xx status",
    }
}

named! {
    /// A fault that a run met.
    Fault {
        RequestLost "request lost",
        AnswerLost "answer lost",
        AnswerCut "answer cut short",
        AnswerLate "answer late",
        RequestRepeated "request repeated",
        UpstreamFailedBefore "502 before commit",
        UpstreamFailedAfter "502 after commit",
        ImportCut "import cut",
        PostLost "webhook lost",
        PostAnswerLost "webhook answer lost",
        PostRepeated "webhook repeated",
        PostDelayed "webhook delayed",
        PostForged "webhook forged",
        ReceiverDown "receiver down",
        ReceiverDownLong "receiver down over 28 h",
        ServiceRestarted "service restarted",
        SecretLost "secret lost by the client",
        SlowTransition "slow transition",
        EventsOutOfOrder "events out of order",
    }
}

/// How often each state was reached, and each fault met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts {
    reached: [u32; Reached::ALL.len()],
    faults: [u32; Fault::ALL.len()],
}

impl Default for Counts {
    fn default() -> Counts {
        Counts { reached: [0; Reached::ALL.len()], faults: [0; Fault::ALL.len()] }
    }
}

impl Counts {
    /// Counts a state.
    pub(crate) fn reach(&mut self, state: Reached) {
        self.reached[state as usize] += 1;
    }

    /// Counts a fault.
    pub(crate) fn meet(&mut self, fault: Fault) {
        self.faults[fault as usize] += 1;
    }

    /// How often a state was reached.
    pub fn reached(&self, state: Reached) -> u32 {
        self.reached[state as usize]
    }

    /// How often a fault was met.
    pub fn met(&self, fault: Fault) -> u32 {
        self.faults[fault as usize]
    }
}
