//! Planted bugs of the service.

use std::sync::Arc;

use tideover_model::wire::reply::Reply;
use tideover_model::words::{AdvanceState, CollectionState, EventType};
use tideover_model::{
    Answer, Attempt, Cents, Delivery, Face, Happening, InvoiceSync, Operation, Outcome, PlatformId,
    Receipt, Timestamp,
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
        Hooks { answers: advances_twice, rewrites: names_the_first_invoice, ..CORRECT },
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
        "forgets-retries-at-restart",
        Invariant::Converged,
        Hooks { restarts: forgets_retries, ..CORRECT },
        "Deliveries that were in flight, or waited for a retry, at a restart are never sent again.",
    ),
    ServiceBug::new(
        "moves-account-at-restart",
        Invariant::StateMovesForward,
        Hooks { answers: moves_the_account, ..CORRECT },
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
        "suspends-second-payment",
        Invariant::CentsConserved,
        Hooks { happens: suspends_second_payment, ..CORRECT },
        "A payment of an invoice that is collected in part is kept in suspense.",
    ),
    ServiceBug::new(
        "announces-payment-twice",
        Invariant::EventsFollowState,
        Hooks { adds: second_payment_event, ..CORRECT },
        "Another invoice.paid event follows the first one.",
    ),
    ServiceBug::new(
        "opts-in-twice",
        Invariant::EventsFollowState,
        Hooks { adds: second_opt_in, ..CORRECT },
        "Another organization.optedIn event follows the first one.",
    ),
    ServiceBug::new(
        "announces-account-twice",
        Invariant::EventsFollowState,
        Hooks { adds: second_account_event, ..CORRECT },
        "Another organization.remittanceUpdated event follows the first one.",
    ),
    ServiceBug::new(
        "redates-retried-delivery",
        Invariant::DeliveryConstant,
        Hooks { attempts: redates_retry, ..CORRECT },
        "Each retry of a delivery carries the time of its attempt as occurredAt.",
    ),
    ServiceBug::new(
        "sends-sequence-backwards",
        Invariant::Converged,
        Hooks { attempts: sequence_backwards, ..CORRECT },
        "The sequence of factoredUpdated falls, from 4 to 1, in the webhooks that go out.",
    ),
    ServiceBug::new(
        "lists-all-subscriptions",
        Invariant::PlatformsApart,
        Hooks { answers: lists_all_subscriptions, ..CORRECT },
        "The list of subscriptions shows those of all platforms.",
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

/// What the name of an invoice ends with that stands for the second advance of another one.
const SECOND: &str = "~2";

/// The second advance is one of another invoice, which nobody sees: its money is really paid out.
fn advances_twice(
    buggy: &mut Buggy,
    now: Timestamp,
    caller: PlatformId,
    operation: Operation,
) -> Answer {
    let answer = buggy.service.handle(now, caller, operation.clone());
    match (&answer, operation) {
        (Ok(Reply::AdvanceRepeated(_)), Operation::RequestAdvance { payee, invoice }) => {
            let second = format!("{invoice}{SECOND}");
            let copied = buggy.memory.syncs.get(&(caller, payee.clone(), invoice)).cloned();
            let Some(sync) = copied else { return answer };
            let sync = InvoiceSync { invoice: second.clone(), ..sync };
            let synced = buggy.service.handle(now, caller, Operation::SyncInvoice(sync.into()));
            let request = Operation::RequestAdvance { payee, invoice: second };
            match synced.and_then(|_| buggy.service.handle(now, caller, request)) {
                Ok(again @ Reply::AdvanceRequested(_)) => Ok(again),
                _ => answer,
            }
        }
        (_, Operation::SyncInvoice(sync)) => {
            let key = (caller, sync.payee.business.clone(), sync.invoice.clone());
            buggy.memory.syncs.insert(key, *sync);
            answer
        }
        _ => answer,
    }
}

fn names_the_first_invoice(_: &mut Memory, delivery: &Delivery) -> Option<Delivery> {
    let body = std::str::from_utf8(&delivery.body).ok()?;
    let body = body.contains(SECOND).then(|| body.replace(SECOND, ""))?;
    Some(Delivery { body: body.into_bytes().into(), ..delivery.clone() })
}

fn moves_the_account(
    buggy: &mut Buggy,
    now: Timestamp,
    caller: PlatformId,
    operation: Operation,
) -> Answer {
    let mut answer = buggy.service.handle(now, caller, operation);
    let shown = match &mut answer {
        Ok(Reply::Business(business)) => business.remittance.as_mut(),
        Ok(Reply::AdvanceRequested(advance)) => Some(&mut advance.remittance),
        Ok(Reply::AdvanceRepeated(advance)) => Some(&mut advance.remittance),
        _ => None,
    };
    if let Some(remittance) = shown
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

fn forgets_retries(buggy: &mut Buggy, now: Timestamp) {
    let pending = buggy.service.pending_deliveries();
    buggy.memory.forgotten.extend(pending.iter().map(|(delivery, _)| delivery.number));
    buggy.service.handle_restart(now);
}

fn repeats_a_row(
    buggy: &mut Buggy,
    now: Timestamp,
    caller: PlatformId,
    operation: Operation,
) -> Answer {
    let last = match &operation {
        Operation::ImportInvoices { file, .. } => {
            file.rows.iter().rev().find_map(|row| row.sync.clone().ok())
        }
        _ => None,
    };
    let mut answer = buggy.service.handle(now, caller, operation);
    if let Ok(Reply::Imported(report)) = &mut answer {
        if !report.finished {
            buggy.memory.interrupted.insert(report.external_id.clone());
        } else if buggy.memory.interrupted.remove(&report.external_id)
            && let (Some(sync), Some(row)) = (last, report.rows.last().cloned())
        {
            let _ = buggy.service.handle(now, caller, Operation::SyncInvoice(sync.into()));
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

/// The vendor's money never leaves the service's own pocket.
fn suspends_second_payment(
    buggy: &mut Buggy,
    now: Timestamp,
    platform: PlatformId,
    happening: Happening,
) -> Happened {
    if let Happening::PayorPays { payee, invoice, amount } = &happening {
        let question = Operation::GetInvoice { payee: payee.clone(), invoice: invoice.clone() };
        let read = buggy.service.handle(now, platform, question);
        if let Ok(Reply::Invoice(invoice)) = read
            && invoice.collection_state == CollectionState::PartiallyCollected
        {
            return Ok(Outcome::Paid { applied: Cents::ZERO, suspense: *amount });
        }
    }
    buggy.service.happen(now, platform, happening)
}

fn second_payment_event(_: &Memory, delivery: &Delivery) -> Option<Delivery> {
    again(delivery, EventType::InvoicePaid)
}

fn second_opt_in(_: &Memory, delivery: &Delivery) -> Option<Delivery> {
    again(delivery, EventType::BusinessOptedIn)
}

fn second_account_event(_: &Memory, delivery: &Delivery) -> Option<Delivery> {
    again(delivery, EventType::RemittanceUpdated)
}

/// Another event of this kind about the same subject.
fn again(delivery: &Delivery, event: EventType) -> Option<Delivery> {
    if delivery.event != event {
        return None;
    }
    let mut body: serde_json::Value = serde_json::from_slice(&delivery.body).ok()?;
    body["id"] = format!("{}_again", body["id"].as_str()?).into();
    let body = body.to_string().into_bytes().into();
    Some(Delivery { id: format!("{}_again", delivery.id), body, ..delivery.clone() })
}

/// The length of the body stays the same.
fn redates_retry(_: &mut Memory, attempt: &mut Attempt) {
    if attempt.number > 1 {
        let begun_at = attempt.begun_at.to_string();
        change_body(attempt, |body| body["occurredAt"] = begun_at.into());
    }
}

fn sequence_backwards(_: &mut Memory, attempt: &mut Attempt) {
    if attempt.delivery.event == EventType::FactoredUpdated {
        change_body(attempt, |body| {
            body["sequence"] = (5 - body["sequence"].as_u64().unwrap_or(0)).into();
        });
    }
}

fn change_body(attempt: &mut Attempt, change: impl FnOnce(&mut serde_json::Value)) {
    let Ok(mut body) = serde_json::from_slice(&attempt.delivery.body) else { return };
    change(&mut body);
    let body = body.to_string().into_bytes().into();
    attempt.delivery = Arc::new(Delivery { body, ..(*attempt.delivery).clone() });
}

fn lists_all_subscriptions(
    buggy: &mut Buggy,
    now: Timestamp,
    caller: PlatformId,
    operation: Operation,
) -> Answer {
    let mut answer = buggy.service.handle(now, caller, operation);
    if let Ok(Reply::Subscriptions(listed)) = &mut answer {
        let platforms = (0..buggy.memory.platforms).map(PlatformId);
        for other in platforms.filter(|other| *other != caller) {
            let own = buggy.service.handle(now, other, Operation::ListSubscriptions);
            if let Ok(Reply::Subscriptions(theirs)) = own {
                listed.extend(theirs);
            }
        }
    }
    answer
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
