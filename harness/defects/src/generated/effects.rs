//! A write that has no effect, or another one, and a read that shows an earlier state: each endpoint, each action of the
//! outside world.

use tideover_model::{ActionKind, Answer, Happening, Operation, OperationKind, clause};

use crate::Inner;
use crate::generated::requests::rewrite;
use crate::generated::{Mutation, Operator, keep};
use crate::hooks::{answer, happening};

/// What becomes of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    /// It is answered, and forgotten.
    None,
    /// Every second one is forgotten.
    NoneForSome,
    /// The next write undoes it.
    UndoneByNext,
    /// A repeat is forgotten.
    NoneIfRepeated,
    /// It is done twice.
    Twice,
    /// It is done to the one before, too.
    AlsoToPrevious,
}

const EFFECTS: [Effect; 6] = [
    Effect::None,
    Effect::NoneForSome,
    Effect::UndoneByNext,
    Effect::NoneIfRepeated,
    Effect::Twice,
    Effect::AlsoToPrevious,
];

/// What happens outside and shows in a response.
type Outside = (ActionKind, fn(&Happening) -> bool);

const OUTSIDE: [Outside; 5] = [
    (ActionKind::VendorConfirmsTaxId, |it| matches!(it, Happening::VendorConfirmsTaxId { .. })),
    (ActionKind::VendorSignsAgreement, |it| matches!(it, Happening::VendorSignsAgreement { .. })),
    (ActionKind::VendorAddsBankAccount, |it| matches!(it, Happening::VendorAddsBankAccount { .. })),
    (ActionKind::PayorPays, |it| matches!(it, Happening::PayorPays { .. })),
    (ActionKind::TaxIdFoundWrong, |it| matches!(it, Happening::TaxIdFoundWrong { .. })),
];

pub(super) fn mutations() -> Vec<Mutation> {
    let kinds = || OperationKind::ALL.into_iter();
    let writes = kinds().filter(|kind| !kind.reads());
    let effects = writes.flat_map(|kind| EFFECTS.map(|effect| effect_of(kind, effect)));
    let reads = kinds().filter(|kind| kind.reads() && *kind != OperationKind::Quote);
    let stale = reads.flat_map(|kind| [1, 2].map(|behind| stale(kind, behind)));
    let outside = OUTSIDE.into_iter();
    let outside =
        outside.flat_map(|kind| [Effect::None, Effect::NoneForSome].map(|it| unfelt(kind, it)));
    effects.chain(stale).chain(outside).collect()
}

/// What happened outside is not noticed.
fn unfelt((kind, is_it): Outside, effect: Effect) -> Mutation {
    let words = format!("{} {}", kind.name(), effect.words());
    Mutation::new(Operator::Effect, kind.clause(), words, move || {
        happening(keep(move |inner: &mut Inner<'_>, happening: Happening| {
            let is_forgotten = is_it(&happening)
                && (effect == Effect::None || inner.memory.count("felt").is_multiple_of(2));
            if is_forgotten {
                inner.face.keep();
            }
            let outcome = inner.happen(happening);
            if is_forgotten {
                inner.face.put_back();
            }
            outcome
        }))
    })
}

impl Effect {
    const fn words(self) -> &'static str {
        match self {
            Effect::None => "has no effect",
            Effect::NoneForSome => "has no effect every second time",
            Effect::UndoneByNext => "is undone by the next write",
            Effect::NoneIfRepeated => "has no effect on what is there",
            Effect::Twice => "is done twice",
            Effect::AlsoToPrevious => "is done to the one before, too",
        }
    }
}

fn effect_of(kind: OperationKind, effect: Effect) -> Mutation {
    let words = format!("{kind:?} {}", effect.words());
    Mutation::new(Operator::Effect, kind.endpoint().body, words, move || {
        answer(keep(move |inner: &mut Inner<'_>, operation: Operation| -> Answer {
            if operation.kind() != kind {
                if matches!(effect, Effect::UndoneByNext) && !operation.kind().reads() {
                    inner.face.put_back();
                }
                return inner.answer(operation);
            }
            let is_forgotten = match effect {
                Effect::None => true,
                Effect::NoneForSome => inner.memory.count("writes").is_multiple_of(2),
                Effect::UndoneByNext | Effect::Twice | Effect::AlsoToPrevious => false,
                Effect::NoneIfRepeated => inner.memory.count(&operation.written().path) > 1,
            };
            let further = match effect {
                Effect::Twice => Some(operation.clone()),
                Effect::AlsoToPrevious => of_previous(inner, &operation),
                _ => None,
            };
            inner.face.keep();
            let answer = inner.answer(operation);
            if is_forgotten {
                inner.face.put_back();
            }
            if let Some(further) = further.filter(|_| answer.is_ok()) {
                drop(inner.answer(further));
            }
            answer
        }))
    })
}

/// The operation, about what the one before it of its kind was about.
fn of_previous(inner: &mut Inner<'_>, operation: &Operation) -> Option<Operation> {
    let name = operation.subject().identifiers().last()?.to_owned();
    let key = inner.key(&["previous", operation.kind().path()]);
    let previous = inner.memory.name(key, name)?;
    let mut other = operation.clone();
    rewrite(&mut other, |identifiers, body| {
        if let Some(last) = identifiers.iter_mut().rfind(|it| !it.is_empty()) {
            last.clone_from(&previous);
        } else if let Some(named) = body.get_mut("externalId") {
            *named = previous.clone().into();
        }
    });
    Some(other)
}

/// A read that shows what it showed so many reads before.
fn stale(kind: OperationKind, behind: usize) -> Mutation {
    let words = format!("{kind:?} is {behind} reads behind");
    Mutation::new(Operator::Stale, clause!("7.retrying.2"), words, move || {
        answer(keep(move |inner: &mut Inner<'_>, operation: Operation| -> Answer {
            let key = (operation.kind() == kind).then(|| inner.key(&[&operation.written().path]));
            let answer = inner.answer(operation);
            let (Some(key), Ok(reply)) = (key, &answer) else { return answer };
            let mut shown = reply.clone();
            for age in 0..behind {
                let key = format!("{key} {age}");
                let earlier = inner.memory.kept(&key).cloned();
                inner.memory.keep(key, shown.clone());
                shown = earlier.unwrap_or(shown);
            }
            Ok(shown)
        }))
    })
}
