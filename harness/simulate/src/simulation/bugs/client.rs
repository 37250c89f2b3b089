//! Planted bugs of the client: each shows that a check can fail.

use serde::{Deserialize, Serialize};
use tideover_model::conduct::Duty;

use crate::simulation::auditor::Invariant;

macro_rules! flaws {
    ($($flaw:ident $name:literal $invariant:ident $duty:ident $words:literal;)*) => {
        /// A deliberate bug of the simulated client.
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        #[serde(rename_all = "kebab-case")]
        pub(crate) enum Flaw {
            $(#[doc = $words] $flaw,)*
        }

        impl Flaw {
            /// All of them.
            pub(crate) const ALL: [Flaw; [$(Flaw::$flaw,)*].len()] = [$(Flaw::$flaw,)*];

            /// Its stable name.
            pub(crate) fn name(self) -> &'static str {
                match self {
                    $(Flaw::$flaw => $name,)*
                }
            }

            /// What the client does, in one sentence.
            pub(crate) fn words(self) -> &'static str {
                match self {
                    $(Flaw::$flaw => $words,)*
                }
            }

            /// The duty of a caller that it breaks.
            pub(crate) fn duty(self) -> Duty {
                match self {
                    $(Flaw::$flaw => Duty::$duty,)*
                }
            }

            /// The invariant that it breaks.
            pub(crate) fn breaks(self) -> Invariant {
                match self {
                    $(Flaw::$flaw => Invariant::$invariant,)*
                }
            }
        }
    };
}

flaws! {
    RepeatsSubscribe "client-repeats-subscribe" SafeRetries LooksBeforeResubscribing
        "The client repeats a request to subscribe whose outcome is unknown.";
    ActsTwice "client-acts-twice" ActsOnce Deduplicates
        "The client does not deduplicate deliveries by Service-Delivery.";
    TakesStaleSequence "client-takes-stale-sequence" Converged KeepsSequence
        "The client takes the state of an event whose sequence is not greater than the one it holds.";
    TrustsAnySignature "client-trusts-any-signature" ActsOnce Verifies
        "The client does not verify the signatures of deliveries.";
    DropsTimedOutAdvance "client-drops-timed-out-advance" Converged FollowsUp
        "The client takes a timeout of an advance for a refusal, and never tells the payor where to pay.";
    DropsFailedSync "client-drops-failed-sync" Converged FollowsUp
        "The client does not repeat an invoice sync that failed.";
    WaitsForever "client-waits-forever" Settled FollowsUp
        "The client waits for an answer that was lost, and never asks again.";
    TakesUnfinishedImport "client-takes-unfinished-import" Converged ResumesImport
        "The client takes an import for done whose report says that it is not finished.";
    TakesOlderRead "client-takes-older-read" Converged KeepsNewestState
        "The client lets a read that was answered late overwrite a newer state from an event.";
    ReadsStrictly "client-reads-strictly" Converged AcceptsUnknownFields
        "The client ignores an event that has a field it does not know.";
    ExpectsOneStatus "client-expects-one-status" Converged TakesAnySuccess
        "The client takes a 202 in place of a 200 or a 201 for a refusal.";
    PublishesPayoutAccount "client-publishes-payout-account" RightAccount PublishesAccount
        "The client tells the payors to pay into the vendor's own account.";
    TrustsWebhooksAlone "client-trusts-webhooks-alone" Converged ReadsAfterGap
        "The client reads nothing again after its receiver was down for longer than the retries last.";
}
