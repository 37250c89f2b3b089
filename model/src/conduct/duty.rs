//! The duties, one row each: the mock, `receiver-check`, the simulation and the guide read them from here.

use crate::clause;
use crate::clause::Clause;

macro_rules! duties {
    ($($variant:ident: $id:literal, $clause:literal, [$($also:literal),*], $words:literal, $shown:literal;)+) => {
        /// Something that the document asks of a caller, or of its receiver.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Duty {
            $(#[doc = $words] $variant,)+
        }

        impl Duty {
            /// All duties, in the order of the table.
            pub const ALL: [Duty; [$(Duty::$variant),+].len()] = [$(Duty::$variant),+];

            const fn entry(self) -> Entry {
                match self {
                    $(Duty::$variant => Entry {
                        id: $id,
                        clause: clause!($clause),
                        also: &[$(clause!($also)),*],
                        words: $words,
                        shown: $shown,
                    },)+
                }
            }
        }
    };
}

struct Entry {
    id: &'static str,
    clause: Clause,
    also: &'static [Clause],
    words: &'static str,
    shown: &'static str,
}

// Duty: id, its clause, further clauses that are a part of it, the duty in words, what shows it.
duties! {
    SendsKey: "sends-key", "5.authentication.1", [],
        "Every request carries the API key as a bearer token.",
        "A request to an endpoint.";
    KeepsKeyOnServer: "keeps-key-on-server", "5.authentication.2", [],
        "The key stays on the caller's server; no browser sends it.",
        "A request with the headers that browsers add to scripts of other origins. Only a breach shows.";
    LooksBeforeResubscribing: "looks-before-resubscribing", "7.retrying.3.2", [],
        "After a subscription request without an answer, the caller reads the list before it subscribes again.",
        "A fault that withholds the answer of POST /v1/webhooks.";
    RecoversSecret: "recovers-secret", "4.recovery.3", ["4.recovery.1", "4.recovery.2"],
        "A caller that never got its signing secret deletes the subscription and subscribes again.",
        "A subscription whose answer is withheld.";
    BacksOff: "backs-off", "7.retrying.1", [],
        "A caller that repeats a request after a 502 waits before it does.",
        "A fault upstreamFails, and a repeat of the request.";
    ChangesRefusedRequest: "changes-refused-request", "7.retrying.2", [],
        "A refused write is not sent again before the request or the state has changed.",
        "A refused write, and a second one about the same subject.";
    WaitsWhenThrottled: "waits-when-throttled", "gap.requestRate", [],
        "A caller that repeats a throttled request waits as long as Retry-After says.",
        "A fault requestThrottled, and a repeat of the request.";
    FollowsUp: "follows-up", "7.retrying.3", ["4.idempotency.1"],
        "A write that failed, or whose answer was lost, is repeated, or its subject is read.",
        "A fault that withholds the answer of a write, or answers it with 502.";
    KeepsFile: "keeps-file", "4.imports.8", [],
        "An import identifier is used for one file only.",
        "A second upload under an import identifier.";
    ResumesImport: "resumes-import", "4.imports.7", [],
        "An import whose report says that it is not finished is uploaded again.",
        "The action interruptNextImport, or a fault importStops.";
    KeepsTerms: "keeps-terms", "3.invoice.2", [],
        "A sync of an invoice with an advance leaves amount and dates as they are.",
        "A sync after the answer to an advance.";
    PublishesAccount: "publishes-account", "4.advances.6", [],
        "After an advance, the caller names the collection account to the payors.",
        "A payment of the simulation.";
    TakesAnySuccess: "takes-any-success", "gap.successStatuses", [],
        "Any 2xx status is a success.",
        "The caller's own conclusion, in the simulation.";
    AcceptsDeliveries: "accepts-deliveries", "6.delivery.1", ["6.events.intro.1", "6.delivery.4"],
        "The receiver answers what the service sends with 2xx, in any order and also if it comes again.",
        "An accepted delivery; a refused repeat of one.";
    AnswersInPlace: "answers-in-place", "6.subscription.2.2", [],
        "The receiver answers at its own URL and redirects no delivery.",
        "A delivery that is answered.";
    Verifies: "verifies", "6.signature.3", ["6.signature.1"],
        "The receiver rejects a delivery whose signature is missing, malformed or made with another secret.",
        "A fault signedWithAnotherSecret; receiver-check.";
    ChecksAge: "checks-age", "6.signature.4", [],
        "The receiver rejects a signature that is more than 300 seconds old, or that far in the future.",
        "A fault signedAnHourAgo; receiver-check.";
    VerifiesRawBody: "verifies-raw-body", "6.signature.2", [],
        "The receiver verifies the bytes as they came, whatever white space and order the JSON has.",
        "A fault bodyIndented; grease; receiver-check.";
    Deduplicates: "deduplicates", "6.delivery.3.2", ["6.delivery.3"],
        "The receiver acts once on deliveries with one Service-Delivery.",
        "receiver-check with a probe; the simulation.";
    KeepsSequence: "keeps-sequence", "6.delivery.5.2", ["6.delivery.5"],
        "The receiver drops a factoredUpdated event whose sequence is not greater than the one it holds.",
        "receiver-check with a probe; the simulation.";
    KeepsNewestState: "keeps-newest-state", "6.delivery.4.2", [],
        "What the caller holds of an advance never goes back, whatever arrives late.",
        "The caller's own copy, in the simulation.";
    IgnoresOccurredAt: "ignores-occurred-at", "6.delivery.6.2", [],
        "The receiver neither orders nor refuses events by occurredAt.",
        "A fault deliveryLate; receiver-check.";
    KeepsInvoicesApart: "keeps-invoices-apart", "1.general.3", [],
        "The receiver keeps invoices of two payees apart, even if they have the same identifier.",
        "receiver-check with a probe.";
    AcceptsUnknownEvents: "accepts-unknown-events", "6.subscription.3", [],
        "The receiver accepts an event of a type that it does not know.",
        "A fault unknownEventType; grease; receiver-check.";
    AcceptsUnknownValues: "accepts-unknown-values", "9.versioning.2", [],
        "The receiver accepts an event with a value that it does not know.",
        "A fault unknownValue; receiver-check.";
    AcceptsUnknownFields: "accepts-unknown-fields", "gap.eventFields", [],
        "The receiver accepts an event with a field that it does not know, and acts on it.",
        "A fault unknownField; grease; receiver-check; the simulation.";
    ReadsAfterGap: "reads-after-gap", "8.webhookRetryWindow", [],
        "A caller that missed a delivery for good reads its subject again.",
        "A delivery that is given up.";
}

impl Duty {
    /// The stable name.
    pub const fn id(self) -> &'static str {
        self.entry().id
    }

    /// The clause that states it, or the assumption.
    pub const fn clause(self) -> Clause {
        self.entry().clause
    }

    /// The duty in one sentence.
    pub const fn words(self) -> &'static str {
        self.entry().words
    }

    /// What shows whether a caller keeps it.
    pub const fn shown(self) -> &'static str {
        self.entry().shown
    }

    /// The duty that this clause states, or is a part of.
    pub fn of(clause: Clause) -> Option<Duty> {
        let states = |duty: &Duty| duty.clause() == clause || duty.entry().also.contains(&clause);
        Duty::ALL.into_iter().find(states)
    }

    /// The duty of this name.
    pub fn named(id: &str) -> Option<Duty> {
        Duty::ALL.into_iter().find(|duty| duty.id() == id)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_clause_has_one_duty() {
        let mut clauses = BTreeSet::new();
        for duty in Duty::ALL {
            for clause in duty.entry().also.iter().chain([&duty.clause()]) {
                assert!(clauses.insert(*clause), "{clause} has two duties");
                assert_eq!(Duty::of(*clause), Some(duty));
            }
        }
    }

    #[test]
    fn ids_are_unique_and_sentences_are_plain() {
        let ids: BTreeSet<&str> = Duty::ALL.iter().map(|duty| duty.id()).collect();
        assert_eq!(ids.len(), Duty::ALL.len());
        for duty in Duty::ALL {
            assert_eq!(Duty::named(duty.id()), Some(duty));
            for sentence in [duty.words(), duty.shown()] {
                assert!(sentence.ends_with('.') && !sentence.contains('|'), "{duty:?}");
            }
        }
    }
}
