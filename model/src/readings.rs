//! Sentences that a service can read in one of two ways. The document permits both.

use serde::{Deserialize, Serialize};

use crate::clause;
use crate::clause::Clause;

macro_rules! readings {
    ($($reading:ident $field:ident $default:literal $clause:literal $yes:literal / $no:literal;)+) => {
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

            /// What a service does that reads it so, or otherwise.
            pub const fn sentence(self, value: bool) -> &'static str {
                match (self, value) {
                    $((Reading::$reading, true) => $yes, (Reading::$reading, false) => $no,)+
                }
            }
        }
    };
}

// Reading: field of a profile, default, clause, what the service does, what another one does.
readings! {
    SharedCompliance shared_compliance true "gap.sharedBusiness"
        "A business matched by its tax id has one compliance for all platforms."
        / "A business matched by its tax id has a compliance for each platform, the same at first.";
    SharedAgreement shared_agreement true "gap.sharedBusiness"
        "The vendor of a business matched by its tax id signs once, for all platforms."
        / "The vendor of a business matched by its tax id signs for each platform.";
    SharedPayoutAccount shared_payout_account true "gap.sharedBusiness"
        "A business matched by its tax id has one payout account for all platforms."
        / "A business matched by its tax id has a payout account for each platform.";
    SharedCollectionAccount shared_collection_account true "gap.sharedBusiness"
        "A business matched by its tax id has one collection account for all platforms."
        / "A business matched by its tax id has a collection account for each platform.";
    MergedIdentifiers merged_identifiers true "gap.oneTaxIdTwoIdentifiers"
        "A platform's second identifier with the same tax id stands for the same business."
        / "A platform's second identifier with the same tax id is a new business, which the number does not clear.";
    UndividedIdentifiers undivided_identifiers true "gap.oneTaxIdTwoIdentifiers"
        "Two identifiers of one business on one platform share everything."
        / "Two identifiers of one business on one platform share what those of two platforms share.";
    DistinctParties distinct_parties true "gap.selfDealing"
        "An invoice between two businesses is no self-dealing, whatever tax id they sent."
        / "An invoice between two businesses that sent one tax id is self-dealing.";
    CappedPayments capped_payments true "gap.overpayment"
        "What a payor pays beyond faceValue belongs to no invoice."
        / "What a payor pays beyond faceValue counts once faceValue is raised.";
    KeptPayments kept_payments true "gap.faceValueLowered"
        "What was collected counts again when faceValue is lowered and raised."
        / "What a lowered faceValue leaves over counts for the invoice no more.";
    StruckTaxId struck_tax_id true "gap.wrongTaxIdStruck"
        "A tax id that was found wrong is on file no more."
        / "A tax id that was found wrong stays on file until the vendor corrects it.";
    ForgivenTaxId forgiven_tax_id true "gap.wrongTaxIdStruck"
        "A tax id that was found wrong clears compliance if it is sent again."
        / "A tax id that was found wrong clears nothing if it is sent again.";
    KeptByMalformed kept_by_malformed true "gap.rejectedTaxId"
        "A malformed tax id leaves compliance as it is."
        / "A malformed tax id takes compliance away until one clears it.";
    KeptByUnlike kept_by_unlike true "gap.rejectedTaxId"
        "A tax id that differs from the one on file, or is another business's, leaves compliance as it is."
        / "A tax id that differs from the one on file, or is another business's, takes compliance away until one clears it.";
    ForgottenRevoked forgotten_revoked true "gap.revokedReference"
        "A subscription that a 410 revoked is unknown, as after a deletion."
        / "A subscription that a 410 revoked can still be deleted.";
}
