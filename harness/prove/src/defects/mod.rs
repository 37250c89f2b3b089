//! The catalogue of defects: each deliberately violates one clause and proves that a check can fail.
//!
//! A defect is a small wrapper around the model's face, its choices and the encoding of its responses.
//! The suite finds each one with any seed.

/// A defect that changes one field of a success: name, clause, reply and change, description.
macro_rules! altered {
    ($name:literal, $clause:literal,
     $reply:ident($field:ident) $(if $condition:expr)? => $change:expr,
     $words:literal) => {
        $crate::defects::Defect::new(
            $name,
            tideover_model::clause!($clause),
            $words,
            $crate::defects::breach::reply(|reply| {
                if let tideover_model::wire::reply::Reply::$reply($field) = reply
                    $(&& $condition)?
                {
                    $change;
                }
            }),
        )
    };
}

/// A defect that changes the status of a refusal: name, clause, code and status, description.
macro_rules! restated {
    ($name:literal, $clause:literal, $code:ident => $status:literal, $words:literal) => {
        $crate::defects::Defect::new(
            $name,
            tideover_model::clause!($clause),
            $words,
            $crate::defects::breach::encoding(|profile, answer| {
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
mod forms;
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

use tideover_endpoint::{Http, embedded_with};
use tideover_exchange::target::Unreachable;
use tideover_exchange::transcript::Header;
use tideover_model::{Clause, Destinations, Face, Profile, Seeded, Service, clause};
use tideover_sim::Mock;

use breach::Breach;

pub use chosen::Chosen;
pub use defective::Defective;
pub use unseen::{Setup, UNSEEN, Undetectable, obstacle};

/// A deliberate violation.
#[derive(Debug)]
pub struct Defect {
    /// Its stable name.
    pub name: &'static str,
    /// The clause that it breaks.
    pub clause: Clause,
    /// What goes wrong, in one line.
    pub words: &'static str,
    /// The clause that the finding names.
    pub expected: ExpectedClause,
    breach: Breach,
}

/// The clause that a finding of a defect names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpectedClause {
    /// The clause that the defect breaks.
    Named,
    /// Another clause, where the defect shows first.
    NamedAs(Clause),
}

impl Defect {
    const fn new(
        name: &'static str,
        clause: Clause,
        words: &'static str,
        breach: Breach,
    ) -> Defect {
        Defect { name, clause, words, expected: ExpectedClause::Named, breach }
    }

    /// Expects a finding that names another clause.
    const fn named_as(self, clause: Clause) -> Defect {
        Defect { expected: ExpectedClause::NamedAs(clause), ..self }
    }

    /// A new service with this defect.
    pub fn service(
        &'static self,
        profile: Profile,
        seed: u64,
        destinations: Destinations,
    ) -> Defective {
        let choices = Chosen::new(Seeded { seed }, self.breach.skew);
        Defective::new(Service::new(profile, choices).sending_to(destinations), self)
    }

    /// A mock of the world of `header` on a free port, with `defect` if any, and a target that talks to it.
    ///
    /// # Errors
    /// [`Unreachable`] if no port is free.
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

    /// Whether it shows only while other requests are in flight.
    pub fn is_raced(&self) -> bool {
        self.breach.race.is_some()
    }

    /// The clause that a finding of it names.
    pub fn named(&self) -> Clause {
        match self.expected {
            ExpectedClause::Named => self.clause,
            ExpectedClause::NamedAs(clause) => clause,
        }
    }
}

/// Every defect, area by area of the document.
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
        forms::DEFECTS,
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

/// Documented clauses that a run meets but no defect breaks, each with the reason.
pub static WITHOUT_DEFECT: &[(Clause, &str)] = &[
    (
        clause!("1.service.3.3"),
        "a wrapper cannot make the service's books lose a cent, and a response that only claims so proves nothing",
    ),
    (clause!("6.signature.intro.1"), "the sender writes the header, behind the face"),
    (clause!("6.subscription.2.2"), "the sender answers to a redirect, behind the face"),
];
