//! Planted bugs of the service.

use std::sync::Arc;

use tideover_model::wire::reply::{AdvanceRequested, Amounts, Reply};
use tideover_model::words::{AdvanceState, EventType};
use tideover_model::{
    Answer, Attempt, Cents, Delivery, Face, Happening, Operation, PlatformId, Receipt, Timestamp,
};

use crate::simulation::auditor::Invariant;
use crate::simulation::bugs::buggy::{Buggy, CORRECT, Happened, Hooks, Memory};
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
        Hooks { sends: all_but_repaid, ..CORRECT },
        "No factoredUpdated event is sent when an advance becomes REPAID.",
    ),
    ServiceBug::new(
        "loses-paid-event-after-restart",
        Invariant::EventsFollowState,
        Hooks { sends: no_paid_event_after_restart, ..CORRECT },
        "After a restart, no invoice.paid event is sent any more.",
    ),
    ServiceBug::new(
        "advances-twice",
        Invariant::OneAdvance,
        Hooks { answers: advances_twice, ..CORRECT },
        "The request of an advance that is repeated after a lost answer creates another advance.",
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
        Hooks { rewrites: sequence_from_one, ..CORRECT },
        "After a restart from a snapshot, the sequence of factoredUpdated begins at 1 again.",
    ),
    ServiceBug::new(
        "restores-old-snapshot",
        Invariant::EventsFollowState,
        Hooks { answers: keeps_a_snapshot, restarts: restores_the_snapshot, ..CORRECT },
        "A restart loses the writes since the last periodic snapshot.",
    ),
    ServiceBug::new(
        "forgets-attempts-at-restart",
        Invariant::Converged,
        Hooks { restarts: |_, _| {}, ..CORRECT },
        "A delivery whose attempt was in flight at a restart is never retried.",
    ),
    ServiceBug::new(
        "moves-account-at-restart",
        Invariant::StateMovesForward,
        Hooks { answers: moves_the_account, ..CORRECT },
        "After a restart, a business has another collection account.",
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
        Hooks { answers: repeats_a_row, ..CORRECT },
        "An import that is resumed after a cut carries out its last row again.",
    ),
    ServiceBug::new(
        "counts-early-payment-twice",
        Invariant::CentsConserved,
        Hooks { happens: counts_early_payment_twice, ..CORRECT },
        "A payment that comes before the advance is FUNDED is applied twice.",
    ),
    ServiceBug::new(
        "renames-retried-delivery",
        Invariant::DeliveryConstant,
        Hooks { attempts: renames_retry, ..CORRECT },
        "Each retry of a delivery carries a new Service-Delivery.",
    ),
    ServiceBug::new(
        "signs-once",
        Invariant::Converged,
        Hooks { attempts: signs_once, ..CORRECT },
        "Retries carry the signature of the first attempt, which is too old after five minutes.",
    ),
    ServiceBug::new(
        "mixes-platforms",
        Invariant::PlatformsApart,
        Hooks { rewrites: body_of_the_other_platform, ..CORRECT },
        "An event goes out with the body of another platform's event.",
    ),
    ServiceBug::new(
        "gives-up-early",
        Invariant::Converged,
        Hooks { reads: gives_up_after_three, ..CORRECT },
        "A delivery is given up after three attempts.",
    ),
    ServiceBug::new(
        "revokes-after-timeout",
        Invariant::Converged,
        Hooks { reads: revokes_after_timeout, ..CORRECT },
        "A subscription ends when its receiver does not answer in time.",
    ),
];

fn mentions(delivery: &Delivery, word: &str) -> bool {
    delivery.body.windows(word.len()).any(|window| window == word.as_bytes())
}

fn all_but_repaid(_: &Memory, delivery: &Delivery) -> bool {
    delivery.event != EventType::FactoredUpdated || !mentions(delivery, "\"REPAID\"")
}

fn no_paid_event_after_restart(memory: &Memory, delivery: &Delivery) -> bool {
    delivery.event != EventType::InvoicePaid || memory.restarts == 0
}

fn advances_twice(
    buggy: &mut Buggy,
    now: Timestamp,
    caller: PlatformId,
    operation: Operation,
) -> Answer {
    let answer = buggy.service.handle(now, caller, operation);
    answer.map(|reply| match reply {
        Reply::AdvanceRepeated(repeated) => Reply::AdvanceRequested(AdvanceRequested {
            already_requested: false,
            amounts: Amounts {
                financeable_amount: repeated.advance_amount,
                advance_amount: repeated.advance_amount,
                fee_total: repeated.fee_total,
                forwarded_at_payment: Cents::ZERO,
            },
            remittance: repeated.remittance,
        }),
        other => other,
    })
}

fn moves_the_account(
    buggy: &mut Buggy,
    now: Timestamp,
    caller: PlatformId,
    operation: Operation,
) -> Answer {
    let mut answer = buggy.service.handle(now, caller, operation);
    if let Ok(Reply::Business(business)) = &mut answer
        && let Some(remittance) = &mut business.remittance
        && buggy.memory.restarts > 0
    {
        remittance.account_number.push('0');
    }
    answer
}

fn sequence_from_one(memory: &mut Memory, delivery: &Delivery) -> Option<Delivery> {
    if memory.restarts == 0 || delivery.event != EventType::FactoredUpdated {
        return None;
    }
    let mut event: serde_json::Value = serde_json::from_slice(&delivery.body).ok()?;
    event["sequence"] = 1.into();
    Some(Delivery { body: event.to_string().into_bytes().into(), ..delivery.clone() })
}

/// Every so many requests.
const SNAPSHOT_EVERY: u64 = 40;

fn keeps_a_snapshot(
    buggy: &mut Buggy,
    now: Timestamp,
    caller: PlatformId,
    operation: Operation,
) -> Answer {
    if buggy.memory.requests % SNAPSHOT_EVERY == 1 {
        buggy.memory.earlier = Some(Box::new(buggy.service.clone()));
    }
    buggy.service.handle(now, caller, operation)
}

fn restores_the_snapshot(buggy: &mut Buggy, now: Timestamp) {
    if let Some(earlier) = buggy.memory.earlier.take() {
        buggy.service = *earlier;
    }
    buggy.service.handle_timeout(now);
    buggy.service.handle_restart(now);
}

fn repeats_a_row(
    buggy: &mut Buggy,
    now: Timestamp,
    caller: PlatformId,
    operation: Operation,
) -> Answer {
    let mut answer = buggy.service.handle(now, caller, operation);
    if let Ok(Reply::Imported(report)) = &mut answer {
        if !report.finished {
            buggy.memory.interrupted.insert(report.external_id.clone());
        } else if buggy.memory.interrupted.remove(&report.external_id)
            && let Some(row) = report.rows.last().cloned()
        {
            report.rows.push(row);
        }
    }
    answer
}

fn counts_early_payment_twice(
    buggy: &mut Buggy,
    now: Timestamp,
    platform: PlatformId,
    happening: Happening,
) -> Happened {
    if let Happening::PayorPays { payee, invoice, .. } = &happening {
        let question = Operation::GetInvoice { payee: payee.clone(), invoice: invoice.clone() };
        let read = buggy.service.handle(now, platform, question);
        let state = match read {
            Ok(Reply::Invoice(invoice)) => invoice.advance.map(|advance| advance.state),
            _ => None,
        };
        if matches!(state, Some(AdvanceState::Requested | AdvanceState::Funding)) {
            let first = buggy.service.happen(now, platform, happening.clone());
            return buggy.service.happen(now, platform, happening).and(first);
        }
    }
    buggy.service.happen(now, platform, happening)
}

fn renames_retry(_: &mut Memory, attempt: &mut Attempt) {
    if attempt.number > 1 {
        let id = format!("{}_{}", attempt.delivery.id, attempt.number);
        attempt.delivery = Arc::new(Delivery { id, ..(*attempt.delivery).clone() });
    }
}

fn signs_once(memory: &mut Memory, attempt: &mut Attempt) {
    let first = memory.first_attempts.entry(attempt.delivery.number).or_insert(attempt.begun_at);
    attempt.signer.signed_at = Some(*first);
}

fn body_of_the_other_platform(memory: &mut Memory, delivery: &Delivery) -> Option<Delivery> {
    let others = memory.last_bodies.iter().find(|(platform, _)| **platform != delivery.platform);
    let other = others.map(|(_, body)| Arc::clone(body));
    let is_opt_in = delivery.event == EventType::BusinessOptedIn;
    if is_opt_in {
        memory.last_bodies.insert(delivery.platform, Arc::clone(&delivery.body));
    }
    other.filter(|_| is_opt_in).map(|body| Delivery { body, ..delivery.clone() })
}

fn gives_up_after_three(attempt: &Attempt, receipt: Receipt) -> Receipt {
    if attempt.number >= 3 { Receipt::Answered(200) } else { receipt }
}

fn revokes_after_timeout(_: &Attempt, receipt: Receipt) -> Receipt {
    match receipt {
        Receipt::TimedOut => Receipt::Answered(410),
        other => other,
    }
}
