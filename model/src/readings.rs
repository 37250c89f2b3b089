//! Sentences that a service can read in one of two ways. The document permits both.

use serde::{Deserialize, Serialize};

use crate::clause;
use crate::clause::Clause;

macro_rules! readings {
    (@inferred) => { true };
    (@left_open) => { false };
    ($($reading:ident $field:ident $default:literal $judged:ident $clause:literal $yes:literal / $no:literal;)+) => {
        /// A point that the document leaves open, with two readings.
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        #[serde(rename_all = "snake_case")]
        pub enum Reading {
            $(#[doc = $yes] $reading,)+
        }

        /// How a service reads each of them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct Readings {
            $(#[doc = $yes] pub $field: bool,)+
        }

        impl Default for Readings {
            fn default() -> Readings {
                Readings { $($field: $default,)+ }
            }
        }

        impl Readings {
            /// Whether the service reads it so.
            pub const fn get(&self, reading: Reading) -> bool {
                match reading {
                    $(Reading::$reading => self.$field,)+
                }
            }

            /// Whether all are as in the standard profile.
            pub fn is_standard(&self) -> bool {
                *self == Readings::default()
            }

            /// The same readings, but for one.
            #[must_use]
            pub const fn with(mut self, reading: Reading, value: bool) -> Readings {
                match reading {
                    $(Reading::$reading => self.$field = value,)+
                }
                self
            }
        }

        impl Reading {
            /// All of them.
            pub const ALL: [Reading; [$(Reading::$reading),+].len()] = [$(Reading::$reading),+];

            /// Its name in a profile.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Reading::$reading => stringify!($field),)+
                }
            }

            /// Its field in a profile, such as `readings.kept_payments`.
            pub fn field(self) -> String {
                format!("readings.{}", self.name())
            }

            /// The one that this field of a profile decides.
            pub fn of_field(field: &str) -> Option<Reading> {
                let name = field.strip_prefix("readings.")?;
                Reading::ALL.into_iter().find(|reading| reading.name() == name)
            }

            /// The assumption that it belongs to.
            pub const fn clause(self) -> Clause {
                match self {
                    $(Reading::$reading => clause!($clause),)+
                }
            }

            /// Whether the suite finds out how a service reads it, and judges by that. Where it does not, it lets
            /// whatever follows from either reading stand.
            pub const fn is_inferred(self) -> bool {
                match self {
                    $(Reading::$reading => readings!(@$judged),)+
                }
            }

            /// What a service does that reads it so, or otherwise.
            pub const fn sentence(self, value: bool) -> &'static str {
                match (self, value) {
                    $((Reading::$reading, true) => $yes, (Reading::$reading, false) => $no,)+
                }
            }
        }
    };
}

// Reading: field of a profile, default, whether it is inferred, clause, what the service does, what another one does.
readings! {
    SharedCompliance shared_compliance true inferred "gap.sharedBusiness"
        "A business matched by its tax id has one compliance for all platforms."
        / "A business matched by its tax id has a compliance for each platform, the same at first.";
    SharedAgreement shared_agreement true inferred "gap.sharedBusiness"
        "The vendor of a business matched by its tax id signs once, for all platforms."
        / "The vendor of a business matched by its tax id signs for each platform.";
    SharedPayoutAccount shared_payout_account true inferred "gap.sharedBusiness"
        "A business matched by its tax id has one payout account for all platforms."
        / "A business matched by its tax id has a payout account for each platform.";
    SharedCollectionAccount shared_collection_account true inferred "gap.sharedBusiness"
        "A business matched by its tax id has one collection account for all platforms."
        / "A business matched by its tax id has a collection account for each platform.";
    MergedIdentifiers merged_identifiers true inferred "gap.oneTaxIdTwoIdentifiers"
        "A platform's second identifier with the same tax id stands for the same business."
        / "A platform's second identifier with the same tax id is a new business, which the number does not clear.";
    UndividedIdentifiers undivided_identifiers true inferred "gap.oneTaxIdTwoIdentifiers"
        "Two identifiers of one business on one platform share everything."
        / "Two identifiers of one business on one platform share what those of two platforms share.";
    DistinctParties distinct_parties true inferred "gap.selfDealing"
        "An invoice between two businesses is no self-dealing, whatever tax id they sent."
        / "An invoice between two businesses that sent one tax id is self-dealing.";
    CappedPayments capped_payments true inferred "gap.overpayment"
        "What a payor pays beyond faceValue belongs to no invoice."
        / "What a payor pays beyond faceValue counts once faceValue is raised.";
    KeptPayments kept_payments true inferred "gap.faceValueLowered"
        "What was collected counts again when faceValue is lowered and raised."
        / "What a lowered faceValue leaves over counts for the invoice no more.";
    StruckTaxId struck_tax_id true inferred "gap.wrongTaxIdStruck"
        "A tax id that was found wrong is on file no more."
        / "A tax id that was found wrong stays on file until the vendor corrects it.";
    ForgivenTaxId forgiven_tax_id true inferred "gap.wrongTaxIdStruck"
        "A tax id that was found wrong clears compliance if it is sent again."
        / "A tax id that was found wrong clears nothing if it is sent again.";
    KeptByMalformed kept_by_malformed true inferred "gap.rejectedTaxId"
        "A malformed tax id leaves compliance as it is."
        / "A malformed tax id takes compliance away until one clears it.";
    KeptByUnlike kept_by_unlike true inferred "gap.rejectedTaxId"
        "A tax id that differs from the one on file, or is another business's, leaves compliance as it is."
        / "A tax id that differs from the one on file, or is another business's, takes compliance away until one clears it.";
    ForgottenRevoked forgotten_revoked true inferred "gap.revokedReference"
        "A subscription that a 410 revoked is unknown, as after a deletion."
        / "A subscription that a 410 revoked can still be deleted.";

    RecoveryFreesRoom recovery_frees_room true left_open "gap.outstanding"
        "What is recovered of an advance is outstanding no more."
        / "An advance is outstanding as a whole until it is repaid.";
    DaysRoundedDown days_rounded_down true left_open "gap.daysToDueDate"
        "A part of a day until the due date does not count."
        / "A part of a day until the due date counts as a day.";
    PartiesKeepNames parties_keep_names true left_open "gap.syncedParty"
        "An invoice changes the name of no business."
        / "An invoice gives its parties the names that it shows.";
    StatusOnlyAddsNobody status_only_adds_nobody true left_open "gap.statusOnlyParties"
        "A sync with the outcome statusOnly creates no business."
        / "A sync with the outcome statusOnly creates the parties that are unknown.";
    PartyTaxIdOnlyFiled party_tax_id_only_filed true left_open "gap.partyTaxIdAndContact"
        "The tax id of a party clears no compliance."
        / "The tax id of a party clears compliance, as that of a business sync does.";
    PartyContactOnlyFiled party_contact_only_filed true left_open "gap.partyTaxIdAndContact"
        "The contact of a party opens no collection account."
        / "The contact of a party opens a collection account, as that of a business sync does.";
    WholeAddress whole_address true left_open "gap.addressKnown"
        "An address is known once it has line1, city, state and postalCode."
        / "An address is known once it has line1.";
    AnyNineDigits any_nine_digits true left_open "gap.taxIdForm"
        "Any nine digits are a tax id."
        / "Nine digits are a tax id unless they begin with 00.";
    SameBytes same_bytes true left_open "gap.sameFile"
        "Two files are the same if their bytes are."
        / "Two files are the same if their rows are.";
    OptsInAgain opts_in_again true left_open "gap.eventCauses"
        "A business that loses a requirement and meets it again opts in again."
        / "A business opts in once.";
    PartiesAreAnnounced parties_are_announced true left_open "gap.eventCauses"
        "A business that an invoice creates is announced."
        / "A business that an invoice creates is not announced.";
    AccountMovesFunds account_moves_funds true left_open "gap.eventCauses"
        "A collection account that opens changes the destination of funds, as a payout account does."
        / "Only a payout account changes the destination of funds.";
    PaidAgain paid_again true left_open "gap.eventCauses"
        "An invoice that is raised and paid again is announced as paid again."
        / "An invoice is announced as paid once.";
}
