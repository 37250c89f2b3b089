//! Planted bugs of the service.

mod answers;
mod attempts;
mod events;
mod payments;
mod restarts;

use crate::simulation::auditor::Invariant;
use crate::simulation::bugs::buggy::{Buggy, CORRECT, Hooks};
use crate::simulation::bugs::choices::Skew;
use crate::simulation::plan::Plan;
use crate::simulation::server::Server;

/// A deliberate bug of the service.
#[derive(Debug)]
pub(crate) struct ServiceBug {
    /// Its stable name.
    pub(crate) name: &'static str,
    /// What goes wrong, in one sentence.
    pub(crate) words: &'static str,
    /// The invariant that it breaks.
    pub(crate) breaks: Invariant,
    hooks: Hooks,
}

impl ServiceBug {
    const fn new(
        name: &'static str,
        breaks: Invariant,
        hooks: Hooks,
        words: &'static str,
    ) -> ServiceBug {
        ServiceBug { name, words, breaks, hooks }
    }

    /// The service of a plan, with this bug.
    pub(super) fn service(&self, plan: &Plan) -> Box<dyn Server> {
        Box::new(Buggy::new(plan, self.hooks))
    }
}

/// All bugs of the service.
pub(super) static ALL: &[ServiceBug] = &[
    ServiceBug::new(
        "loses-repaid-event",
        Invariant::EventsFollowState,
        Hooks { sends: events::all_but_repaid, ..CORRECT },
        "No factoredUpdated event is sent when an advance becomes REPAID.",
    ),
    ServiceBug::new(
        "loses-paid-event-after-restart",
        Invariant::EventsFollowState,
        Hooks { sends: events::no_paid_event_after_restart, ..CORRECT },
        "After a restart, no invoice.paid event is sent any more.",
    ),
    ServiceBug::new(
        "advances-twice",
        Invariant::OneAdvance,
        Hooks {
            answers: answers::advances_twice,
            rewrites: answers::names_the_first_invoice,
            ..CORRECT
        },
        "A repeated request of an advance creates another one: the vendor is paid twice.",
    ),
    ServiceBug::new(
        "reads-limit-early",
        Invariant::LimitHeld,
        Hooks { skew: Skew::ReadsLimitEarly, ..CORRECT },
        "The outstanding amount is read before the write of the advance before.",
    ),
    ServiceBug::new(
        "skips-requirements",
        Invariant::FourRequirements,
        Hooks { skew: Skew::SkipsRequirements, ..CORRECT },
        "An advance is created although compliance was withdrawn.",
    ),
    ServiceBug::new(
        "restarts-sequence",
        Invariant::EventsFollowState,
        Hooks { rewrites: events::sequence_from_one, ..CORRECT },
        "After a restart from a snapshot, the sequence of factoredUpdated begins at 1 again.",
    ),
    ServiceBug::new(
        "restores-old-snapshot",
        Invariant::EventsFollowState,
        Hooks {
            answers: restarts::keeps_a_snapshot,
            restarts: restarts::restores_the_snapshot,
            ..CORRECT
        },
        "A restart loses the writes since the last periodic snapshot.",
    ),
    ServiceBug::new(
        "forgets-retries-at-restart",
        Invariant::Converged,
        Hooks { restarts: restarts::forgets_retries, ..CORRECT },
        "Deliveries that were in flight, or waited for a retry, at a restart are never sent again.",
    ),
    ServiceBug::new(
        "moves-account-at-restart",
        Invariant::StateMovesForward,
        Hooks { answers: answers::moves_the_account, ..CORRECT },
        "After a restart, the service shows another collection account of each business.",
    ),
    ServiceBug::new(
        "sleeps-after-restart",
        Invariant::NoTimerInThePast,
        Hooks { wakes: |memory| memory.restarts == 0, ..CORRECT },
        "After a restart, no account opens and no advance is funded any more.",
    ),
    ServiceBug::new(
        "repeats-row-after-cut",
        Invariant::RowsOnce,
        Hooks { answers: answers::repeats_a_row, ..CORRECT },
        "An import that is resumed after a cut carries out its last row again.",
    ),
    ServiceBug::new(
        "counts-early-payment-twice",
        Invariant::CentsConserved,
        Hooks { happens: payments::counts_early_payment_twice, ..CORRECT },
        "A payment that comes before the advance is FUNDED is applied twice.",
    ),
    ServiceBug::new(
        "suspends-second-payment",
        Invariant::CentsConserved,
        Hooks { happens: payments::suspends_second_payment, ..CORRECT },
        "A payment of an invoice that is collected in part is kept in suspense.",
    ),
    ServiceBug::new(
        "announces-payment-twice",
        Invariant::EventsFollowState,
        Hooks { adds: events::second_payment_event, ..CORRECT },
        "Another invoice.paid event follows the first one.",
    ),
    ServiceBug::new(
        "opts-in-twice",
        Invariant::EventsFollowState,
        Hooks { adds: events::second_opt_in, ..CORRECT },
        "Another organization.optedIn event follows the first one.",
    ),
    ServiceBug::new(
        "announces-account-twice",
        Invariant::EventsFollowState,
        Hooks { adds: events::second_account_event, ..CORRECT },
        "Another organization.remittanceUpdated event follows the first one.",
    ),
    ServiceBug::new(
        "redates-retried-delivery",
        Invariant::DeliveryConstant,
        Hooks { attempts: attempts::redates_retry, ..CORRECT },
        "Each retry of a delivery carries the time of its attempt as occurredAt.",
    ),
    ServiceBug::new(
        "sends-sequence-backwards",
        Invariant::Converged,
        Hooks { attempts: attempts::sequence_backwards, ..CORRECT },
        "The sequence of factoredUpdated falls, from 4 to 1, in the webhooks that go out.",
    ),
    ServiceBug::new(
        "lists-all-subscriptions",
        Invariant::PlatformsApart,
        Hooks { answers: answers::lists_all_subscriptions, ..CORRECT },
        "The list of subscriptions shows those of all platforms.",
    ),
    ServiceBug::new(
        "renames-retried-delivery",
        Invariant::DeliveryConstant,
        Hooks { attempts: attempts::renames_retry, ..CORRECT },
        "Each retry of a delivery carries a new Service-Delivery.",
    ),
    ServiceBug::new(
        "signs-once",
        Invariant::Converged,
        Hooks { attempts: attempts::signs_once, ..CORRECT },
        "Retries carry the signature of the first attempt, which is too old after five minutes.",
    ),
    ServiceBug::new(
        "mixes-platforms",
        Invariant::PlatformsApart,
        Hooks { rewrites: events::body_of_the_other_platform, ..CORRECT },
        "An event goes out with the body of another platform's event.",
    ),
    ServiceBug::new(
        "gives-up-early",
        Invariant::Converged,
        Hooks { reads: attempts::gives_up_after_three, ..CORRECT },
        "A delivery is given up after three attempts.",
    ),
    ServiceBug::new(
        "revokes-after-timeout",
        Invariant::Converged,
        Hooks { reads: attempts::revokes_after_timeout, ..CORRECT },
        "A subscription ends when its receiver does not answer in time.",
    ),
];
