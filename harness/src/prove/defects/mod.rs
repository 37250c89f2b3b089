//! The catalogue of defects: deliberate violations, each of one clause, that prove that a check can fail.
//!
//! A defect is a small wrapper around anything that has the model's face, its choices and the encoding of
//! its answers included. The suite finds every one of them, whatever the seed.

/// A defect that changes one field of a success: name, clause, reply and change, sentence.
macro_rules! altered {
    ($name:literal, $clause:literal,
     $reply:ident($field:ident) $(if $condition:expr)? => $change:expr,
     $words:literal) => {
        $crate::prove::defects::Defect::new(
            $name,
            tideover_model::clause!($clause),
            $words,
            $crate::prove::defects::breach::reply(|reply| {
                if let tideover_model::wire::reply::Reply::$reply($field) = reply
                    $(&& $condition)?
                {
                    $change;
                }
            }),
        )
    };
}

/// A defect that changes the status of a refusal: name, clause, code and status, sentence.
macro_rules! restated {
    ($name:literal, $clause:literal, $code:ident => $status:literal, $words:literal) => {
        $crate::prove::defects::Defect::new(
            $name,
            tideover_model::clause!($clause),
            $words,
            $crate::prove::defects::breach::encoding(|profile, answer| {
                with_status(profile, answer, Code::$code, $status)
            }),
        )
    };
}

mod advances;
mod breach;
mod chosen;
mod collections;
mod defective;
mod endings;
mod errors;
mod events;
mod identity;
mod imports;
mod invoices;
mod onboarding;
mod payout_accounts;
mod quotes;
mod races;
mod remittances;
mod requests;
mod resyncs;
mod rows;
mod schema;
mod secrets;
mod tax_ids;
mod unseen;
mod webhooks;

use tideover_model::{Clause, Destinations, Face, Profile, Seeded, Service, clause};
use tideover_sim::Mock;

use crate::endpoint::{Http, Unreachable, embedded_with};
use crate::exchange::transcript::Header;

use breach::Breach;

pub use chosen::Chosen;
pub use defective::Defective;
pub use unseen::{Setup, UNSEEN, Unseen};

/// A deliberate violation.
#[derive(Debug)]
pub struct Defect {
    /// The stable name.
    pub name: &'static str,
    /// The sentence that it breaks.
    pub clause: Clause,
    /// What goes wrong, in one line.
    pub words: &'static str,
    /// What the suite makes of it.
    pub expected: Expected,
    breach: Breach,
}

/// What the suite makes of a defect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// It is found, and the finding names the clause.
    Named,
    /// It is found where it shows first: the finding names this clause.
    NamedAs(Clause),
}

impl Defect {
    const fn new(
        name: &'static str,
        clause: Clause,
        words: &'static str,
        breach: Breach,
    ) -> Defect {
        Defect { name, clause, words, expected: Expected::Named, breach }
    }

    /// It shows first in what another clause says.
    const fn named_as(self, clause: Clause) -> Defect {
        Defect { expected: Expected::NamedAs(clause), ..self }
    }

    /// A new service that has this defect.
    pub fn service(
        &'static self,
        profile: Profile,
        seed: u64,
        destinations: Destinations,
    ) -> Defective {
        let choices = Chosen::new(Seeded { seed }, self.breach.skew);
        Defective::new(Service::new(profile, choices).sending_to(destinations), self)
    }

    /// A mock on a free port in the world of `header`, with `defect` if there is one, and the target that talks to it.
    ///
    /// # Errors
    /// [`Unreachable`] if no port can be listened on.
    pub async fn embedded(
        header: &Header,
        defect: Option<&'static Defect>,
    ) -> Result<(Mock, Http), Unreachable> {
        let (profile, seed) = (&header.profile, header.seed);
        let face = |destinations: &Destinations| -> Option<Box<dyn Face>> {
            Some(Box::new(defect?.service(profile.clone(), seed, destinations.clone())))
        };
        embedded_with(header, face).await
    }

    /// Whether it shows only while other requests are under way.
    pub fn is_raced(&self) -> bool {
        self.breach.race.is_some()
    }

    /// What a finding of it names.
    pub fn named(&self) -> Clause {
        match self.expected {
            Expected::Named => self.clause,
            Expected::NamedAs(clause) => clause,
        }
    }
}

/// Every defect, by the document's areas.
pub fn all() -> impl Iterator<Item = &'static Defect> {
    [
        identity::DEFECTS,
        tax_ids::DEFECTS,
        onboarding::DEFECTS,
        payout_accounts::DEFECTS,
        remittances::DEFECTS,
        invoices::DEFECTS,
        resyncs::DEFECTS,
        imports::DEFECTS,
        rows::DEFECTS,
        quotes::DEFECTS,
        advances::DEFECTS,
        requests::DEFECTS,
        collections::DEFECTS,
        webhooks::DEFECTS,
        endings::DEFECTS,
        events::DEFECTS,
        schema::DEFECTS,
        errors::DEFECTS,
        secrets::DEFECTS,
        races::DEFECTS,
    ]
    .into_iter()
    .flatten()
}

/// The defect of this name.
pub fn find(name: &str) -> Option<&'static Defect> {
    all().find(|defect| defect.name == name)
}

/// Documented clauses that a run meets and no defect here breaks, each with the reason.
pub static WITHOUT_DEFECT: &[(Clause, &str)] = &[
    (
        clause!("1.service.3.3"),
        "the books are the service's own: a wrapper cannot make them lose a cent, and one that only says so proves nothing",
    ),
    (clause!("6.signature.intro.1"), "whoever sends writes the header, behind the face"),
];
