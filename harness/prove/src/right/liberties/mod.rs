//! The liberties that a right service may take, and which of them a seed draws.
//!
//! A profile sets the values of a gap, and a reading decides between two. What is left are forms, orders and outages:
//! each has a row here, with the place that leaves it open.

mod bodies;
mod events;
mod json;
mod outages;
mod requests;

use tideover_model::{Clause, clause};

use crate::right::draw::Draw;
use crate::right::liberty::Liberty;

use bodies::{
    AdvanceInParts, EarlyCollected, ExtraMembers, FewerMembers, ListInObject, NamesInOneCase,
    NumberedReferences, OffsetDates, OtherMask, OtherSessionLinks, OwnNames, OwnWords, RowsSoFar,
};
use events::{
    EventWithMore, EventWithOwnNames, EventWithPreviousState, LateEvents, OwnDeliveryNames,
    RepeatedAttempts, SequenceWithSteps, TypeInHeader,
};
use outages::{
    FailsAtRandom, FirstTryFails, InterruptedImportFails, LosesAnswers, SmallerPort,
    TooManyRequests,
};
use requests::{
    AnyMediaType, BusinessFirst, EmptyNamesNothing, KeyFirst, LeastFaceValue, LenientFiles,
    LenientJson, MalformedIsInvalid, MisspeltPaths, NoByteOrderMark, OtherObjection, ShortTexts,
    SlashesInNames, StrictMembers, UnknownPayee, UntidyPaths,
};

/// A liberty, and where the document leaves it.
pub struct Row {
    /// Its name.
    pub name: &'static str,
    /// The sentences and the gaps that permit it.
    pub clauses: &'static [Clause],
    /// What the service does, in one sentence.
    pub words: &'static str,
    /// It, with what the seed draws for it.
    take: fn(&mut Draw) -> Box<dyn Liberty>,
}

macro_rules! liberties {
    ($($name:literal [$($clause:literal)+] $words:literal $take:expr;)*) => {
        /// All liberties.
        pub const LIBERTIES: &[Row] =
            &[$(Row { name: $name, clauses: &[$(clause!($clause)),+], words: $words, take: $take },)*];
    };
}

liberties! {
    "extra-members" ["gap.responseFields"] "A success has members that the document does not show." |it| Box::new(ExtraMembers { salt: it.next() });
    "own-names" ["gap.advanceObject" "gap.importExtra" "gap.quoteExtra" "gap.subscriptionForm" "gap.taxIdResult"] "Members that the document does not name have other names." |it| Box::new(OwnNames { style: it.below(3) });
    "fewer-members" ["gap.importExtra" "gap.advanceObject" "gap.subscriptionForm"] "Members that the document does not ask for are left out." |_| Box::new(FewerMembers);
    "rows-so-far" ["gap.importExtra"] "The report of an import that was interrupted counts the rows so far." |_| Box::new(RowsSoFar);
    "interrupted-import-fails" ["4.import.2"] "An import that is interrupted is answered 502." |_| Box::new(InterruptedImportFails);
    "advance-in-parts" ["gap.advanceObject"] "The amounts of an advance are in an object of their own." |_| Box::new(AdvanceInParts);
    "own-words" ["gap.taxIdResult"] "Outcomes that the document does not list have other words." |it| Box::new(OwnWords { style: it.below(3) });
    "other-mask" ["gap.mask"] "The mask of a payout account has another form." |_| Box::new(OtherMask);
    "other-session-links" ["gap.sessionUrl"] "Onboarding links lead to another host." |_| Box::new(OtherSessionLinks);
    "early-collected" ["gap.collectionThresholds"] "An invoice counts as COLLECTED shortly before its last cent." |it| Box::new(EarlyCollected { percent: 90 + it.below(10) });
    "names-in-one-case" ["2.business.name"] "Names of businesses are shown in capitals, or in small letters." |it| Box::new(NamesInOneCase { capitals: it.below(2) == 0 });
    "any-media-type" ["gap.jsonMediaType"] "JSON is read under any media type." |_| Box::new(AnyMediaType);
    "list-in-an-object" ["gap.subscriptionForm"] "The list of subscriptions is a member of an object." |_| Box::new(ListInObject);
    "numbered-references" ["2.subscription.reference"] "The reference of a subscription is a number." |_| Box::new(NumberedReferences::default());
    "dates-with-an-offset" ["gap.datesReadBack"] "Instants have an offset from UTC." |it| Box::new(OffsetDates { hours: it.below(27) });
    "event-with-more" ["gap.eventFields"] "Events have members that nobody knows." |it| Box::new(EventWithMore { salt: it.next() });
    "event-with-own-names" ["gap.eventPayload"] "Members of events that the document does not name have other names." |it| Box::new(EventWithOwnNames { style: it.below(3) });
    "event-with-the-previous-state" ["gap.eventPayload"] "Events of an advance show the state before, too." |_| Box::new(EventWithPreviousState);
    "event-type-in-a-header" ["gap.eventPayload"] "A header names the type of an event, and its body does not." |_| Box::new(TypeInHeader);
    "sequence-with-steps" ["6.delivery.5"] "The sequence of an invoice's events begins anywhere, below zero too, grows by more than one, and may have a fraction." |it| Box::new(SequenceWithSteps { step: 2 + it.below(40), fraction: ["", "", ".25"][it.below(3) as usize], is_negative: it.below(2) == 0 });
    "own-delivery-names" ["gap.deliveryIdentity"] "Deliveries have names of another form." |_| Box::new(OwnDeliveryNames);
    "repeated-attempts" ["6.delivery.3"] "Now and then an accepted delivery is attempted once more." |it| Box::new(RepeatedAttempts { every: 2 + it.below(5), accepted: 0 });
    "late-events" ["6.delivery.4"] "Events come some requests late, and their signatures have the wall clock's time." |it| Box::new(LateEvents { steps: it.below(4) });
    "business-first" ["gap.refusalPrecedence"] "The business of the path is looked for before the rest of a request is read." |_| Box::new(BusinessFirst);
    "key-first" ["gap.unknownEndpoint"] "The key is examined before the path." |_| Box::new(KeyFirst);
    "untidy-paths" ["gap.unknownEndpoint"] "Slashes that name nothing are overlooked, or a redirect leads to the path without them." |it| Box::new(UntidyPaths { redirect: [None, Some(301), Some(307), Some(308)][it.below(4) as usize] });
    "misspelt-paths" ["gap.unknownEndpoint"] "A path whose percent-encoding spells no text is refused without a code." |_| Box::new(MisspeltPaths);
    "slashes-in-names" ["gap.unknownEndpoint"] "A slash is a part of the identifier at the end of a path." |_| Box::new(SlashesInNames);
    "other-objection" ["gap.advancePrecedence"] "Of several reasons against an advance, any one is given." |it| Box::new(OtherObjection { salt: it.next() });
    "malformed-is-invalid" ["gap.routingNumberForm"] "A malformed number, address or URL is invalid_request." |_| Box::new(MalformedIsInvalid);
    "unknown-payee-is-unknown-invoice" ["gap.refusalPrecedence"] "An invoice of a payee that was never synced is an unknown invoice." |_| Box::new(UnknownPayee);
    "least-face-value" ["gap.notFinanceable"] "Small amounts are not financed." |it| Box::new(LeastFaceValue { cents: 1 + it.below(100_000) });
    "lenient-json" ["gap.integerForm" "gap.nullOptional" "gap.duplicateKeys"] "1.0 is read as 1, null as absent, and of two equal keys the last one counts." |_| Box::new(LenientJson);
    "lenient-files" ["gap.csvForm"] "A file in Latin-1 is read, and +5, 007 and 1e3 in it are numbers." |_| Box::new(LenientFiles);
    "no-byte-order-mark" ["gap.csvForm"] "A file with a byte order mark is unreadable." |_| Box::new(NoByteOrderMark);
    "empty-names-nothing" ["gap.emptyIdentifier"] "A path with an empty identifier is an unknown endpoint." |_| Box::new(EmptyNamesNothing);
    "strict-members" ["gap.responseFields"] "A member that the document does not show is invalid_request." |_| Box::new(StrictMembers);
    "short-texts" ["7.codes.invalid_request"] "Long texts are invalid_request." |it| Box::new(ShortTexts { most: 100 + it.below(400) });
    "fails-at-random" ["7.codes.upstream_failed"] "Now and then a request fails with 502, with or without its effect." |it| Box::new(FailsAtRandom { salt: it.next(), percent: 1 + it.below(8) });
    "first-try-fails" ["7.codes.upstream_failed"] "The first try of some requests fails with 502, with or without its effect." |it| Box::new(FirstTryFails { salt: it.next(), tried: Vec::new() });
    "loses-answers" ["7.retrying.3"] "Now and then a request or its response is lost; the request takes effect at once, some requests later, or never." |it| Box::new(LosesAnswers { salt: it.next(), percent: 1 + it.below(4) });
    "too-many-requests" ["gap.requestRate"] "Now and then a request is answered 429." |it| Box::new(TooManyRequests { salt: it.next(), percent: 1 + it.below(5) });
    "smaller-port" ["gap.operatorPort"] "The operator port lacks some actions." |it| Box::new(SmallerPort { salt: it.next() });
}

/// The liberties of the service of `seed`: each with a chance of one in four.
pub fn taken(seed: u64) -> impl Iterator<Item = &'static Row> {
    LIBERTIES.iter().filter(move |row| row.draw(seed).below(4) == 0)
}

/// The same, at the beginning of a world.
pub fn begun(seed: u64) -> Vec<Box<dyn Liberty>> {
    taken(seed).map(|row| row.begun(seed)).collect()
}

impl Row {
    /// It, with what `seed` draws for it.
    pub fn begun(&self, seed: u64) -> Box<dyn Liberty> {
        let mut draw = self.draw(seed);
        // The first one decides whether it is taken.
        draw.next();
        (self.take)(&mut draw)
    }

    /// What `seed` draws for it: another row changes none of that.
    fn draw(&self, seed: u64) -> Draw {
        let name = self.name.bytes().fold(0_u64, |all, byte| all.rotate_left(7) ^ u64::from(byte));
        Draw::of_seed(seed ^ name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_liberty_is_taken_by_some_and_not_by_others() {
        for row in LIBERTIES {
            let takers = (0..100).filter(|seed| taken(*seed).any(|it| it.name == row.name)).count();
            assert!((10..50).contains(&takers), "{}: {takers} of 100", row.name);
        }
    }
}
