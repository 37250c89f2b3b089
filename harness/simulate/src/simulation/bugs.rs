//! Planted bugs, in the service and in the client: each shows that a check can fail.

mod client;

use std::fmt;

use tideover_defects::{Defect, Defective, find_any};
use tideover_model::conduct::Duty;
use tideover_model::{Destinations, Seeded};

use crate::simulation::auditor::Invariant;
use crate::simulation::plan::Plan;
use crate::simulation::queue::Moment;
use crate::simulation::server;
use crate::simulation::server::Server;

pub(super) use client::Flaw;

/// The defects of the service that break an invariant, by their names in the catalogues.
const OF_SERVICE: &[(&str, Invariant)] = &[
    ("loses-repaid-event", Invariant::EventsFollowState),
    ("loses-paid-event-after-restart", Invariant::EventsFollowState),
    ("advances-twice", Invariant::OneAdvance),
    ("reads-limit-early", Invariant::LimitHeld),
    ("skips-requirements", Invariant::FourRequirements),
    ("restarts-sequence", Invariant::EventsFollowState),
    ("restores-old-snapshot", Invariant::EventsFollowState),
    ("forgets-retries-at-restart", Invariant::Converged),
    ("moves-account-at-restart", Invariant::StateMovesForward),
    ("sleeps-after-restart", Invariant::NoTimerInThePast),
    ("repeats-row-after-cut", Invariant::RowsOnce),
    ("counts-early-payment-twice", Invariant::CentsConserved),
    ("suspends-second-payment", Invariant::CentsConserved),
    ("announces-payment-twice", Invariant::EventsFollowState),
    ("opts-in-twice", Invariant::EventsFollowState),
    ("announces-account-twice", Invariant::EventsFollowState),
    ("redates-retried-delivery", Invariant::DeliveryConstant),
    ("sends-sequence-backwards", Invariant::Converged),
    ("lists-all-subscriptions", Invariant::PlatformsApart),
    ("retries-have-names-of-their-own", Invariant::DeliveryConstant),
    ("signs-once", Invariant::Converged),
    ("mixes-platforms", Invariant::PlatformsApart),
    ("gives-up-early", Invariant::Converged),
    ("revokes-after-timeout", Invariant::Converged),
];

/// A planted bug.
#[derive(Clone, Copy, Debug)]
pub struct Bug(Place);

#[derive(Clone, Copy, Debug)]
enum Place {
    /// In the service, with the invariant that it breaks.
    Service(&'static Defect, Invariant),
    /// In the client.
    Client(Flaw),
    /// In the simulation itself: a run depends on the environment. Only `--twice` finds it.
    Environment,
}

impl Bug {
    /// All planted bugs, those of the service first.
    pub fn all() -> impl Iterator<Item = Bug> {
        let service = OF_SERVICE.iter();
        let service = service.filter_map(|(name, it)| Some(Place::Service(find_any(name)?, *it)));
        let client = Flaw::ALL.into_iter().map(Place::Client);
        service.chain(client).chain([Place::Environment]).map(Bug)
    }

    /// The bug of this name, or of one that it had before.
    pub fn find(name: &str) -> Option<Bug> {
        Bug::all().find(|bug| match bug.0 {
            Place::Service(defect, _) => defect.has_name(name),
            Place::Client(_) | Place::Environment => bug.name() == name,
        })
    }

    /// Its stable name.
    pub fn name(self) -> &'static str {
        match self.0 {
            Place::Service(defect, _) => defect.name,
            Place::Client(flaw) => flaw.name(),
            Place::Environment => "reads-environment",
        }
    }

    /// What goes wrong, in one sentence.
    pub fn words(self) -> String {
        match self.0 {
            Place::Service(defect, _) => defect.sentence(),
            Place::Client(flaw) => flaw.words().to_owned(),
            Place::Environment => {
                "The first client starts later the longer the name of the time zone is.".to_owned()
            }
        }
    }

    /// The invariant that it breaks, if it breaks one.
    pub fn breaks(self) -> Option<Invariant> {
        match self.0 {
            Place::Service(_, invariant) => Some(invariant),
            Place::Client(flaw) => Some(flaw.breaks()),
            Place::Environment => None,
        }
    }

    /// The duty of a caller that it breaks, if it is one of the client.
    pub fn neglects(self) -> Option<Duty> {
        self.flaw().map(Flaw::duty)
    }

    /// The service of a plan: with this bug, if it is one of the service. Such a service takes no freedoms, whatever the
    /// plan says: what it does wrong is enough.
    pub(super) fn service(bug: Option<Bug>, plan: &Plan) -> Box<dyn Server> {
        match bug.map(|bug| bug.0) {
            Some(Place::Service(defect, _)) => {
                let (profile, choices) = (plan.profile.clone(), Seeded { seed: plan.seed });
                Box::new(Defective::new(Some(defect), profile, choices, Destinations::Public))
            }
            Some(Place::Client(_) | Place::Environment) | None => server::correct(plan),
        }
    }

    /// The flaw of the client, if it is one.
    pub(super) fn flaw(self) -> Option<Flaw> {
        match self.0 {
            Place::Client(flaw) => Some(flaw),
            Place::Service(..) | Place::Environment => None,
        }
    }

    /// How much later the first client starts because of the environment. Milliseconds.
    pub(super) fn start_delay(self) -> Moment {
        match self.0 {
            Place::Environment => std::env::var("TZ").map_or(0, |zone| zone.len() as Moment),
            Place::Service(..) | Place::Client(_) => 0,
        }
    }
}

impl fmt::Display for Bug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalogues_have_every_bug() {
        for (name, _) in OF_SERVICE {
            assert_eq!(find_any(name).map(|defect| defect.name), Some(*name));
        }
        assert_eq!(
            Bug::find("renames-retried-delivery").map(Bug::name),
            Bug::all().nth(19).map(Bug::name)
        );
    }
}
