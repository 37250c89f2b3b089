//! The freedoms that grease exercises, one row each: command line, journal, operator port and guide read it
//! from here.

use serde::{Serialize, Serializer};
use tideover_model::conduct::Trait;
use tideover_model::{Clause, clause};

macro_rules! freedoms {
    ($($variant:ident: $name:literal, $clause:literal, $one_in:literal, $sentence:literal;)+) => {
        /// Something that the document leaves the service free to do, and that grease does at random.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Freedom {
            $(#[doc = $sentence] $variant,)+
        }

        impl Freedom {
            /// All freedoms, in the order of the table.
            pub const ALL: [Freedom; [$(Freedom::$variant),+].len()] = [$(Freedom::$variant),+];

            const fn row(self) -> Row {
                match self {
                    $(Freedom::$variant => Row {
                        name: $name,
                        clause: clause!($clause),
                        one_in: $one_in,
                        sentence: $sentence,
                    },)+
                }
            }
        }
    };
}

struct Row {
    name: &'static str,
    clause: Clause,
    one_in: u64,
    sentence: &'static str,
}

// Freedom: name, the clause or gap that permits it, how often it is taken (one in N), sentence.
freedoms! {
    ExtraField: "extra-field", "gap.responseFields", 2,
        "A success has a field that the document does not show.";
    KeyOrder: "key-order", "1.general.6.2", 2,
        "The members of a response's objects come in another order.";
    WhiteSpace: "white-space", "1.general.6.2", 2,
        "The JSON of a response has white space between its tokens.";
    OtherStatus: "other-status", "gap.successStatuses", 2,
        "A success has another 2xx status.";
    RewordedError: "reworded-error", "7.shape.error", 2,
        "The prose of an error has other words.";
    NewCode: "new-code", "7.shape.2", 2,
        "A refusal that no sentence of the document asks for has a code that the document does not list.";
    NewRowCode: "new-row-code", "gap.importExtra", 2,
        "A rejected row of an import has a code that the document does not list.";
    NewRowOutcome: "new-row-outcome", "9.versioning.2", 2,
        "A rejected row of an import has an outcome that the mock otherwise never gives.";
    NewSyncOutcome: "new-sync-outcome", "9.versioning.2", 3,
        "An update of an invoice has an outcome that the document does not list.";
    NewTaxIdOutcome: "new-tax-id-outcome", "gap.taxIdResult", 2,
        "The tax id result of a business sync has an outcome that the mock otherwise never gives.";
    NewRoute: "new-route", "2.business.complianceRoute.3", 2,
        "A business that the vendor cleared has a complianceRoute that the document does not list.";
    NewCollectionState: "new-collection-state", "9.versioning.2", 1,
        "An invoice that is mostly collected has a collectionState that the document does not list.";
    EventExtraField: "event-extra-field", "gap.eventFields", 2,
        "An event has a field that the mock otherwise never sends.";
    EventKeyOrder: "event-key-order", "gap.eventPayload", 2,
        "The members of an event's objects come in another order.";
    EventWhiteSpace: "event-white-space", "gap.eventPayload", 2,
        "The JSON of an event has white space between its tokens.";
    NewEvent: "new-event", "9.versioning.4", 3,
        "A subscription without eventTypes gets an event of a kind that the document does not list.";
    DuplicateDelivery: "duplicate-delivery", "6.delivery.3", 4,
        "A delivery comes again although the receiver accepted it.";
    LateDelivery: "late-delivery", "6.delivery.4", 4,
        "A delivery comes some seconds late, so that later ones can overtake it.";
    FastAccount: "fast-account", "gap.accountOpening", 3,
        "A collection account opens at once.";
    SlowAccount: "slow-account", "gap.accountOpening", 3,
        "A collection account takes four times as long to open.";
    FastFunding: "fast-funding", "gap.advanceTransitions", 3,
        "A step of the funding of an advance happens at once.";
    SlowFunding: "slow-funding", "gap.advanceTransitions", 3,
        "A step of the funding of an advance takes four times as long.";
}

impl Freedom {
    /// The stable name.
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// The clause or the gap that permits it.
    pub const fn clause(self) -> Clause {
        self.row().clause
    }

    /// What it does, in one sentence.
    pub const fn sentence(self) -> &'static str {
        self.row().sentence
    }

    /// What is special about a delivery that takes it, for a receiver.
    pub fn shown_by_delivery(self) -> Option<Trait> {
        match self {
            Freedom::EventExtraField => Some(Trait::UnknownField),
            Freedom::EventKeyOrder => Some(Trait::Reordered),
            Freedom::EventWhiteSpace => Some(Trait::Respaced),
            Freedom::NewEvent => Some(Trait::UnknownEvent),
            _ => None,
        }
    }

    /// One in how many opportunities it takes.
    pub(super) const fn one_in(self) -> u64 {
        self.row().one_in
    }
}

/// As its name.
impl Serialize for Freedom {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_unique_as_purposes_of_draws() {
        let purposes: BTreeSet<&str> =
            Freedom::ALL.iter().map(|it| &it.name()[..it.name().len().min(12)]).collect();
        assert_eq!(purposes.len(), Freedom::ALL.len());
    }

    #[test]
    fn sentences_are_plain() {
        for freedom in Freedom::ALL {
            let sentence = freedom.sentence();
            assert!(sentence.ends_with('.') && sentence.len() <= 120, "{freedom:?}");
        }
    }
}
