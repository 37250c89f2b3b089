//! Events that do not come, or come otherwise, and receivers' responses with another consequence: each kind of event,
//! each class of responses.

use std::sync::Arc;

use serde_json::Value;
use tideover_model::words::{EventKind, EventType};
use tideover_model::{Attempt, Clause, Delivery, Receipt, clause};

use crate::generated::{Mutation, Operator, keep};
use crate::hooks::{adds, attempt, receipt, rewrites, sends};
use crate::inner::Memory;

#[derive(Clone, Copy, Debug)]
enum Change {
    Missing,
    MissingForSome,
    OnlyOnce,
    OfOtherType(EventType),
    Subject,
    Later,
    LowerSequence,
    SameSequence,
    NewIdentifier,
    WrongSignature,
    /// It comes again, as another delivery.
    Twice,
    /// It comes when this one does, too.
    With(EventType),
    /// It goes to the subscription that another event went to last.
    ToAnother,
    /// This field is left out.
    Without(&'static str),
}

/// How long retries go on, where they end too early: half of 28 hours and less. Nothing says when an event comes at the latest, so
/// that none is late. Seconds.
const WINDOWS: [u64; 3] = [3600, 7 * 3600, 14 * 3600];

/// How far the time in a signature is off, where no receiver accepts it: more than 300 seconds. Seconds.
const OFF: [u64; 2] = [301, 360];

/// The events of one thing, in the order in which they come true.
const COURSES: [&[EventType]; 3] = [
    &[EventType::BusinessAdded, EventType::BusinessOptedIn],
    &[EventType::InvoiceCreated, EventType::InvoicePaid],
    &[EventType::AdvanceCreated, EventType::AdvanceIssued, EventType::AdvancePaid],
];

pub(super) fn mutations() -> Vec<Mutation> {
    let events = EventType::ALL.into_iter().enumerate().flat_map(|(index, event)| {
        let other = EventType::ALL[(index + 1) % EventType::ALL.len()];
        let changes = [
            Change::Missing,
            Change::MissingForSome,
            Change::OnlyOnce,
            Change::OfOtherType(other),
            Change::Subject,
            Change::Later,
            Change::NewIdentifier,
            Change::WrongSignature,
            Change::Twice,
            Change::ToAnother,
            Change::Without("occurredAt"),
        ];
        let sequences = [Change::LowerSequence, Change::SameSequence, Change::Without("sequence")];
        let has_sequence = event == EventType::FactoredUpdated;
        let sequences = sequences.into_iter().filter(move |_| has_sequence);
        let course = COURSES.into_iter().find(|course| course.contains(&event)).unwrap_or(&[]);
        let earlier = course.iter().take_while(move |other| **other != event).copied();
        changes
            .into_iter()
            .chain(sequences)
            .chain(earlier.map(Change::With))
            .map(move |change| changed(event, change))
    });
    let signed = OFF.into_iter().flat_map(|off| [true, false].map(|late| signed_off(off, late)));
    let windows = WINDOWS.into_iter().map(ends_after).chain(signed);
    let receipts = CLASSES.into_iter().flat_map(|class| {
        [Receipt::Answered(200), Receipt::Answered(410), Receipt::Failed].map(|it| read(class, it))
    });
    events.chain(receipts.flatten()).chain(windows).collect()
}

impl Change {
    fn words(self) -> String {
        match self {
            Change::Missing => "never comes".to_owned(),
            Change::MissingForSome => "does not come for some".to_owned(),
            Change::OnlyOnce => "comes once".to_owned(),
            Change::OfOtherType(other) => format!("comes as {}", other.name()),
            Change::Subject => "is about another one".to_owned(),
            Change::Later => "tells a later time".to_owned(),
            Change::LowerSequence => "has a lower sequence each time".to_owned(),
            Change::SameSequence => "always has the same sequence".to_owned(),
            Change::NewIdentifier => "has a new identifier at each attempt".to_owned(),
            Change::WrongSignature => "is signed for an hour ago".to_owned(),
            Change::Twice => "comes as two deliveries".to_owned(),
            Change::With(other) => format!("comes with {}", other.name()),
            Change::ToAnother => "goes to another subscription".to_owned(),
            Change::Without(field) => format!("has no {field}"),
        }
    }

    fn clause(self) -> Clause {
        match self {
            Change::LowerSequence | Change::SameSequence | Change::Without("sequence") => {
                clause!("6.delivery.5")
            }
            Change::Later | Change::Without(_) => clause!("6.delivery.6"),
            Change::ToAnother => clause!("6.subscription.3"),
            Change::NewIdentifier => clause!("6.delivery.3.2"),
            Change::WrongSignature => clause!("6.signature.4"),
            _ => clause!("6.events.intro.1"),
        }
    }
}

fn changed(event: EventType, change: Change) -> Mutation {
    let words = format!("{} {}", event.name(), change.words());
    Mutation::new(Operator::Event, change.clause(), words, move || match change {
        Change::Missing => sends(keep(move |_: &Memory, it: &Delivery| it.event != event)),
        Change::MissingForSome => sends(keep(move |_: &Memory, it: &Delivery| {
            it.event != event || it.number.is_multiple_of(2)
        })),
        Change::OnlyOnce => rewrites_once(event),
        Change::NewIdentifier => attempt(keep(move |_: &mut Memory, attempt: &mut Attempt| {
            if attempt.delivery.event == event {
                let id = format!("{}-{}", attempt.delivery.id, attempt.number);
                let delivery = Delivery { id, ..Delivery::clone(&attempt.delivery) };
                attempt.delivery = Arc::new(delivery);
            }
            true
        })),
        Change::WrongSignature => attempt(keep(move |_: &mut Memory, attempt: &mut Attempt| {
            if attempt.delivery.event == event {
                attempt.signer.signed_at = Some(attempt.begun_at.before_milliseconds(3_600_000));
            }
            true
        })),
        Change::Twice => adds(keep(move |it: &Delivery| {
            let again = || Delivery { id: format!("{}-2", it.id), ..it.clone() };
            (it.event == event).then(again)
        })),
        Change::With(other) => adds(keep(move |it: &Delivery| {
            let mut body: Value = serde_json::from_slice(&it.body).ok()?;
            body["type"] = event.name().into();
            body["id"] = format!("{}-2", body["id"].as_str()?).into();
            let body = body.to_string().into_bytes().into();
            let id = format!("{}-2", it.id);
            (it.event == other).then(|| Delivery {
                id,
                event: EventKind::Listed(event),
                body,
                ..it.clone()
            })
        })),
        Change::ToAnother => rewrites(keep(move |memory: &mut Memory, it: &Delivery| {
            let another = to_another(memory, it);
            another.filter(|_| it.event == event)
        })),
        Change::Subject => rewrites(keep(move |memory: &mut Memory, it: &Delivery| {
            (it.event == event).then(|| about_previous(memory, it))?
        })),
        _ => rewrites(keep(move |_: &mut Memory, it: &Delivery| {
            (it.event == event).then(|| rewritten(it, change))?
        })),
    })
}

/// Each attempt is signed for another time than that of its sending.
fn signed_off(seconds: u64, is_late: bool) -> Mutation {
    let words =
        format!("events are signed {seconds} seconds {}", if is_late { "late" } else { "early" });
    Mutation::new(Operator::Time, clause!("8.signatureAge"), words, move || {
        attempt(keep(move |_: &mut Memory, attempt: &mut Attempt| {
            let begun = attempt.begun_at;
            let signed = if is_late {
                begun.after(seconds)
            } else {
                begun.before_milliseconds(seconds * 1000)
            };
            attempt.signer.signed_at = Some(signed);
            true
        }))
    })
}

/// The delivery, to the place of the last one that went elsewhere.
fn to_another(memory: &mut Memory, delivery: &Delivery) -> Option<Delivery> {
    let here = Value::from([&*delivery.subscription, &*delivery.url].map(Value::from).to_vec());
    let last = memory.keep_value("place".to_owned(), here.clone()).unwrap_or_default();
    if last != here {
        memory.keep_value("elsewhere".to_owned(), last);
    }
    let elsewhere = memory.kept_value("elsewhere")?;
    let (subscription, url) = (elsewhere[0].as_str()?.into(), elsewhere[1].as_str()?.into());
    Some(Delivery { subscription, url, ..delivery.clone() })
}

/// No attempt is made so long after the delivery was queued.
fn ends_after(seconds: u64) -> Mutation {
    let words = format!("retries end after {seconds} seconds");
    Mutation::new(Operator::Time, clause!("8.webhookRetryWindow"), words, move || {
        attempt(keep(move |_: &mut Memory, attempt: &mut Attempt| {
            attempt.begun_at < attempt.delivery.queued_at.after(seconds)
        }))
    })
}

/// Only the first delivery of an event to each place is made.
fn rewrites_once(event: EventType) -> crate::Hooks {
    attempt(keep(move |memory: &mut Memory, attempt: &mut Attempt| {
        let delivery = &attempt.delivery;
        delivery.event != event
            || attempt.number > 1
            || memory.count(&format!("{} {}", delivery.subscription, delivery.event.name())) == 1
    }))
}

/// The delivery with the content of the one of its kind before it to the same place.
fn about_previous(memory: &mut Memory, delivery: &Delivery) -> Option<Delivery> {
    let mut body: Value = serde_json::from_slice(&delivery.body).ok()?;
    let key = format!("{} {}", delivery.subscription, delivery.event.name());
    let previous = memory.name(key, body["data"].to_string())?;
    body["data"] = serde_json::from_str(&previous).ok()?;
    Some(Delivery { body: body.to_string().into_bytes().into(), ..delivery.clone() })
}

/// The delivery with another body.
fn rewritten(delivery: &Delivery, change: Change) -> Option<Delivery> {
    let mut body: Value = serde_json::from_slice(&delivery.body).ok()?;
    let mut event = delivery.event;
    match change {
        Change::OfOtherType(other) => {
            event = EventKind::Listed(other);
            body["type"] = other.name().into();
        }
        Change::Later => {
            let at = tideover_model::Timestamp::parse(body["occurredAt"].as_str()?)?;
            body["occurredAt"] = at.after(86_400).to_string().into();
        }
        Change::LowerSequence => body["sequence"] = (1000 - body["sequence"].as_i64()?).into(),
        Change::SameSequence => body["sequence"] = 1.into(),
        Change::Without(field) => {
            body.as_object_mut()?.remove(field)?;
        }
        _ => return None,
    }
    Some(Delivery { event, body: body.to_string().into_bytes().into(), ..delivery.clone() })
}

/// What a receiver answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Success,
    Redirect,
    Gone,
    Client,
    Server,
    Nothing,
}

const CLASSES: [Class; 6] =
    [Class::Success, Class::Redirect, Class::Gone, Class::Client, Class::Server, Class::Nothing];

impl Class {
    const fn of(receipt: Receipt) -> Class {
        match receipt {
            Receipt::Answered(200..=299) => Class::Success,
            Receipt::Answered(300..=399) => Class::Redirect,
            Receipt::Answered(410) => Class::Gone,
            Receipt::Answered(400..=499) => Class::Client,
            Receipt::Answered(_) => Class::Server,
            Receipt::Failed | Receipt::TimedOut => Class::Nothing,
        }
    }
}

/// `None` where both have the same consequence.
fn read(class: Class, as_if: Receipt) -> Option<Mutation> {
    let again = |class: Class| !matches!(class, Class::Success | Class::Gone);
    let other = Class::of(as_if);
    // A delivery that was accepted may come again (`6.delivery.3`).
    let is_repeated = class == Class::Success && again(other);
    if class == other || (again(class) && again(other)) || is_repeated {
        return None;
    }
    let words = format!("{class:?} of a receiver is read as {other:?}");
    Some(Mutation::new(Operator::Receipt, clause!("6.delivery.1"), words, move || {
        receipt(keep(
            move |_: &mut Memory, _: &Attempt, came: Receipt| {
                if Class::of(came) == class { as_if } else { came }
            },
        ))
    }))
}
