//! A write that has no effect, or another one, and a read that shows an earlier state: each endpoint, each action of the
//! outside world.

use serde_json::{Value, json};
use tideover_model::wire::reply::Reply;
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
    /// It is done to another one, too.
    AlsoToAnother,
}

const EFFECTS: [Effect; 6] = [
    Effect::None,
    Effect::NoneForSome,
    Effect::UndoneByNext,
    Effect::NoneIfRepeated,
    Effect::Twice,
    Effect::AlsoToAnother,
];

/// Whether the document says what a response shows of the action. Of the others, no right service has to show anything: a
/// hidden move may come at any time or not at all, an invitation that was accepted shows in no response, and what an
/// operator port answers is no evidence.
const fn is_shown(kind: ActionKind) -> bool {
    match kind {
        ActionKind::VendorConfirmsTaxId
        | ActionKind::VendorSignsAgreement
        | ActionKind::VendorAddsBankAccount
        | ActionKind::VendorCompletesOnboarding
        | ActionKind::PayorPays
        | ActionKind::TaxIdFoundWrong
        | ActionKind::RevokeKey => true,
        ActionKind::VendorAcceptsInvitation
        | ActionKind::CollectionAccountOpens
        | ActionKind::FundingStarts
        | ActionKind::FundingCompletes
        | ActionKind::InterruptNextImport
        | ActionKind::VendorOpensSession
        | ActionKind::MarkTestAccount
        | ActionKind::IssueKey
        | ActionKind::UpstreamFails
        | ActionKind::Reset => false,
    }
}

/// The wrong effects of an action.
fn effects_of(kind: ActionKind) -> Vec<Effect> {
    match kind {
        // An account that is open stays open.
        ActionKind::CollectionAccountOpens => vec![Effect::UndoneByNext],
        // Only a payment counts each time.
        ActionKind::PayorPays => EFFECTS.to_vec(),
        // It is about nobody.
        ActionKind::RevokeKey => vec![Effect::None, Effect::NoneForSome, Effect::UndoneByNext],
        ActionKind::TaxIdFoundWrong => {
            EFFECTS.into_iter().filter(|it| *it != Effect::Twice).collect()
        }
        // What is done stays done.
        _ if is_shown(kind) => EFFECTS
            .into_iter()
            .filter(|it| !matches!(it, Effect::Twice | Effect::NoneIfRepeated))
            .collect(),
        _ => Vec::new(),
    }
}

/// The wrong effects of a write. Whatever a caller writes may be repeated (`4.idempotency.1`), so that no write is done
/// twice.
fn effects_on(kind: OperationKind) -> Vec<Effect> {
    let is_shown = |effect: &Effect| match (kind, effect) {
        (_, Effect::Twice) => false,
        // No response shows whom a link is for, nor how many there are.
        (OperationKind::Invite, it) => *it == Effect::UndoneByNext,
        // A second one is refused, or is another one.
        (
            OperationKind::CreateOnboardingSession
            | OperationKind::ImportInvoices
            | OperationKind::Subscribe,
            it,
        ) => *it != Effect::AlsoToAnother,
        (OperationKind::Unsubscribe, it) => *it != Effect::NoneIfRepeated,
        _ => true,
    };
    EFFECTS.into_iter().filter(is_shown).collect()
}

pub(super) fn mutations() -> Vec<Mutation> {
    let kinds = || OperationKind::ALL.into_iter();
    let writes = kinds().filter(|kind| !kind.reads());
    let effects = writes
        .flat_map(|kind| effects_on(kind).into_iter().map(move |effect| effect_of(kind, effect)));
    let reads = kinds().filter(|kind| kind.reads() && *kind != OperationKind::Quote);
    let stale = reads.flat_map(|kind| [1, 2].map(|behind| stale(kind, behind)));
    let actions = ActionKind::ALL.iter().copied();
    let actions = actions.flat_map(|kind| {
        effects_of(kind).into_iter().map(move |effect| effect_outside(kind, effect))
    });
    effects.chain(stale).chain(actions).collect()
}

/// What happens outside has another effect.
fn effect_outside(kind: ActionKind, effect: Effect) -> Mutation {
    let words = format!("{} {}", kind.name(), effect.words());
    let clause = match kind {
        ActionKind::VendorConfirmsTaxId => clause!("3.requirement.compliance.2"),
        ActionKind::CollectionAccountOpens => clause!("3.onboarding.4.2"),
        kind => kind.clause(),
    };
    Mutation::new(Operator::Effect, clause, words, move || {
        let hooks = happening(keep(move |inner: &mut Inner<'_>, happening: Happening| {
            let is_it = ActionKind::from(&happening) == kind;
            if !is_it {
                return inner.happen(happening);
            }
            let is_forgotten = match effect {
                Effect::None => true,
                Effect::NoneForSome => inner.memory.count("felt").is_multiple_of(2),
                Effect::NoneIfRepeated => inner.memory.count(&format!("{happening:?}")) > 1,
                Effect::UndoneByNext | Effect::Twice | Effect::AlsoToAnother => false,
            };
            let further = match effect {
                Effect::Twice => Some(happening.clone()),
                Effect::AlsoToAnother => about_another(inner, &happening),
                _ => None,
            };
            inner.face.keep();
            let outcome = inner.happen(happening);
            if is_forgotten {
                inner.face.put_back();
            }
            if let Some(further) = further.filter(|_| outcome.is_ok()) {
                drop(inner.happen(further));
            }
            outcome
        }));
        hooks.and_answer(keep(move |inner: &mut Inner<'_>, operation: Operation| -> Answer {
            if effect == Effect::UndoneByNext && !operation.kind().reads() {
                inner.face.put_back();
            }
            note(inner, &operation);
            inner.answer(operation)
        }))
    })
}

/// Notes what an operation is about: a business, or an invoice of it.
fn note(inner: &mut Inner<'_>, operation: &Operation) {
    let subject = operation.subject();
    let Some(business) = subject.business() else { return };
    note_one(inner, "business", business.into());
    if let Some(invoice) = subject.invoice() {
        note_one(inner, "invoice", json!([business, invoice]));
    }
}

/// Notes a subject, and the one before it that is another one.
fn note_one(inner: &mut Inner<'_>, what: &str, subject: Value) {
    let last = inner.memory.keep_value(inner.key(&[what]), subject.clone());
    if let Some(last) = last.filter(|last| *last != subject) {
        inner.memory.keep_value(inner.key(&["other", what]), last);
    }
}

/// The last subject that is another one than this.
fn another(inner: &Inner<'_>, what: &str, subject: &Value) -> Option<Value> {
    let kept = [inner.key(&[what]), inner.key(&["other", what])];
    let mut kept = kept.iter().filter_map(|key| inner.memory.kept_value(key));
    kept.find(|one| *one != subject).cloned()
}

/// The happening, to another subject.
fn about_another(inner: &Inner<'_>, happening: &Happening) -> Option<Happening> {
    let mut other = happening.clone();
    match subject_of(&mut other)? {
        (payee, None) => {
            let found = another(inner, "business", &payee.as_str().into())?;
            found.as_str()?.clone_into(payee);
        }
        (payee, Some(invoice)) => {
            let found = another(inner, "invoice", &json!([payee, invoice]))?;
            found[0].as_str()?.clone_into(payee);
            found[1].as_str()?.clone_into(invoice);
        }
    }
    Some(other)
}

/// The business that a happening is about, and the invoice, if it is about one.
fn subject_of(happening: &mut Happening) -> Option<(&mut String, Option<&mut String>)> {
    match happening {
        Happening::PayorPays { payee, invoice, .. } => Some((payee, Some(invoice))),
        Happening::VendorConfirmsTaxId { payee, .. }
        | Happening::VendorSignsAgreement { payee, .. }
        | Happening::VendorAddsBankAccount { payee, .. }
        | Happening::VendorCompletesOnboarding { payee, .. }
        | Happening::TaxIdFoundWrong { payee } => Some((payee, None)),
        _ => None,
    }
}

impl Effect {
    const fn words(self) -> &'static str {
        match self {
            Effect::None => "has no effect",
            Effect::NoneForSome => "has no effect every second time",
            Effect::UndoneByNext => "is undone by the next write",
            Effect::NoneIfRepeated => "has no effect on what is there",
            Effect::Twice => "is done twice",
            Effect::AlsoToAnother => "is done to another one, too",
        }
    }
}

fn effect_of(kind: OperationKind, effect: Effect) -> Mutation {
    let words = format!("{kind:?} {}", effect.words());
    Mutation::new(Operator::Effect, kind.endpoint().body, words, move || {
        answer(keep(move |inner: &mut Inner<'_>, operation: Operation| -> Answer {
            note(inner, &operation);
            if operation.kind() != kind {
                if matches!(effect, Effect::UndoneByNext) && !operation.kind().reads() {
                    inner.face.put_back();
                }
                return inner.answer(operation);
            }
            let is_forgotten = match effect {
                Effect::None => true,
                Effect::NoneForSome => inner.memory.count("writes").is_multiple_of(2),
                Effect::UndoneByNext | Effect::Twice | Effect::AlsoToAnother => false,
                Effect::NoneIfRepeated => inner.memory.count(&operation.written().path) > 1,
            };
            let further = match effect {
                Effect::Twice => Some(operation.clone()),
                Effect::AlsoToAnother => of_another(inner, &operation),
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

/// The operation, about another subject of its kind.
fn of_another(inner: &mut Inner<'_>, operation: &Operation) -> Option<Operation> {
    match operation {
        Operation::RequestAdvance { payee, invoice } => {
            let found = another(inner, "invoice", &json!([payee, invoice]))?;
            let [payee, invoice] = [0, 1].map(|part| found[part].as_str().map(str::to_owned));
            Some(Operation::RequestAdvance { payee: payee?, invoice: invoice? })
        }
        Operation::Unsubscribe { reference } => {
            let Ok(Reply::Subscriptions(all)) = inner.answer(Operation::ListSubscriptions) else {
                return None;
            };
            let other = all.into_iter().find(|one| one.reference != *reference)?;
            Some(Operation::Unsubscribe { reference: other.reference })
        }
        _ => of_previous(inner, operation),
    }
}

/// The operation, about what the one before it of its kind was about.
fn of_previous(inner: &mut Inner<'_>, operation: &Operation) -> Option<Operation> {
    let name = operation.subject().identifiers().last()?.to_owned();
    let key = inner.key(&["previous", operation.kind().path()]);
    let previous = inner.memory.name(key, name)?;
    let mut other = operation.clone();
    rewrite(&mut other, |identifiers, _| {
        if let Some(last) = identifiers.iter_mut().rfind(|it| !it.is_empty()) {
            last.clone_from(&previous);
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
