//! A write that has no effect, or another one, and a read that shows an earlier state: each endpoint, each action of the
//! outside world.

use tideover_model::{Answer, Operation, OperationKind, clause};

use crate::Inner;
use crate::generated::{Mutation, Operator, keep};
use crate::hooks::answer;

/// What becomes of a write.
#[derive(Clone, Copy, Debug)]
enum Effect {
    /// It is answered, and forgotten.
    None,
    /// Every second one is forgotten.
    NoneForSome,
    /// The next write undoes it.
    UndoneByNext,
    /// A repeat is forgotten.
    NoneIfRepeated,
}

const EFFECTS: [Effect; 4] =
    [Effect::None, Effect::NoneForSome, Effect::UndoneByNext, Effect::NoneIfRepeated];

pub(super) fn mutations() -> Vec<Mutation> {
    let kinds = || OperationKind::ALL.into_iter();
    let writes = kinds().filter(|kind| !kind.reads());
    let effects = writes.flat_map(|kind| EFFECTS.map(|effect| effect_of(kind, effect)));
    let reads = kinds().filter(|kind| kind.reads() && *kind != OperationKind::Quote);
    let stale = reads.flat_map(|kind| [1, 2].map(|behind| stale(kind, behind)));
    effects.chain(stale).collect()
}

impl Effect {
    const fn words(self) -> &'static str {
        match self {
            Effect::None => "has no effect",
            Effect::NoneForSome => "has no effect every second time",
            Effect::UndoneByNext => "is undone by the next write",
            Effect::NoneIfRepeated => "has no effect on what is there",
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
                Effect::UndoneByNext => false,
                Effect::NoneIfRepeated => inner.memory.count(&operation.written().path) > 1,
            };
            inner.face.keep();
            let answer = inner.answer(operation);
            if is_forgotten {
                inner.face.put_back();
            }
            answer
        }))
    })
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
