//! A rule of a refusal that is left out, so that the request succeeds or the next rule decides; and a rule that comes
//! before one that the document puts first.
//!
//! In most places the order is open (`gap.refusalPrecedence`, `gap.advancePrecedence`). The document fixes it where it
//! says that a repeat is answered.

use tideover_model::wire::reply::Reply;
use tideover_model::{
    Answer, BusinessDetails, Code, Contact, Face, Operation, OperationKind, PlatformId, Refusal,
    clause,
};

use crate::generated::{Mutation, Operator, keep};
use crate::hooks::{Hooks, answer, authentication};
use crate::{Inner, WrongChoice, hooks};

pub(super) fn mutations() -> Vec<Mutation> {
    let objections = OBJECTIONS.into_iter().map(overlooked);
    let creating = OperationKind::ALL.into_iter().filter(|kind| {
        *kind != OperationKind::GetInvoice && kind.codes().contains(&Code::BusinessNotFound)
    });
    let others = [
        unknown_is_deleted(),
        second_subscription(),
        other_file(),
        repeat_refused(OperationKind::ImportInvoices, Code::AlreadyImported, |_, _| true),
        repeat_refused(OperationKind::RequestAdvance, Code::InvoiceNotFinanceable, is_not_issued),
        repeat_refused(OperationKind::RequestAdvance, Code::BusinessNotEligible, is_not_onboarded),
        repeat_refused(OperationKind::RequestAdvance, Code::ConcentrationExceeded, is_over_limit),
    ];
    objections.chain(creating.map(creates)).chain(others).chain(keys()).collect()
}

/// The refusals of an advance whose rule must not be left out. The limit is not shown, so that none need ever be reached.
const OBJECTIONS: [Code; 3] =
    [Code::SelfDealing, Code::InvoiceNotFinanceable, Code::BusinessNotEligible];

fn overlooked(code: Code) -> Mutation {
    let words = format!("RequestAdvance leaves out {code}");
    Mutation::new(Operator::Ladder, code.clause(), words, move || {
        hooks::choice(WrongChoice::Overlooked(code))
    })
}

/// A business that nobody has synced is created.
fn creates(kind: OperationKind) -> Mutation {
    let words = format!("{kind:?} leaves out {}", Code::BusinessNotFound);
    Mutation::new(Operator::Ladder, Code::BusinessNotFound.clause(), words, move || {
        answer(keep(move |inner: &mut Inner<'_>, operation: Operation| -> Answer {
            let is_it = operation.kind() == kind;
            let business = operation.subject().business().map(str::to_owned);
            let answer = inner.answer(operation.clone());
            match (&answer, business) {
                (Err(refusal), Some(business))
                    if is_it && refusal.code == Code::BusinessNotFound =>
                {
                    let legal_name = business.clone();
                    let contact = Contact::default();
                    let details = BusinessDetails { legal_name, tax_id: None, contact };
                    drop(inner.answer(Operation::SyncBusiness { business, details }));
                    inner.answer(operation)
                }
                _ => answer,
            }
        }))
    })
}

/// What a refusal with `code` becomes at `kind`.
fn instead(
    kind: OperationKind,
    code: Code,
    then: fn(&mut Inner<'_>, Operation) -> Option<Answer>,
) -> Mutation {
    let words = format!("{kind:?} leaves out {code}");
    Mutation::new(Operator::Ladder, code.clause(), words, move || {
        answer(keep(move |inner: &mut Inner<'_>, operation: Operation| -> Answer {
            let is_it = operation.kind() == kind;
            let answer = inner.answer(operation.clone());
            match &answer {
                Err(refusal) if is_it && refusal.code == code => {
                    then(inner, operation).unwrap_or(answer)
                }
                _ => answer,
            }
        }))
    })
}

fn unknown_is_deleted() -> Mutation {
    instead(OperationKind::Unsubscribe, Code::SubscriptionNotFound, |_, _| {
        Some(Ok(Reply::Unsubscribed))
    })
}

/// The first subscription to the URL gives way to a new one.
fn second_subscription() -> Mutation {
    instead(OperationKind::Subscribe, Code::AlreadySubscribed, |inner, operation| {
        let Operation::Subscribe { url, .. } = &operation else { return None };
        let Ok(Reply::Subscriptions(all)) = inner.answer(Operation::ListSubscriptions) else {
            return None;
        };
        let reference = all.into_iter().find(|one| one.url == **url)?.reference.to_string();
        drop(inner.answer(Operation::Unsubscribe { reference }));
        Some(inner.answer(operation))
    })
}

/// The rows of the other file are processed, and the report of the first one is returned.
fn other_file() -> Mutation {
    instead(OperationKind::ImportInvoices, Code::AlreadyImported, |inner, operation| {
        let Operation::ImportInvoices { import, file } = operation else { return None };
        for row in file.rows.into_iter().filter_map(|row| row.sync.ok()) {
            drop(inner.answer(Operation::SyncInvoice(Box::new(row))));
        }
        match inner.answer(Operation::GetImport { import }) {
            Ok(Reply::Import(report)) => Some(Ok(Reply::Imported(report))),
            _ => None,
        }
    })
}

/// A repeat is refused where `holds`, although the document says how it is answered.
fn repeat_refused(
    kind: OperationKind,
    code: Code,
    holds: fn(&mut Inner<'_>, &Operation) -> bool,
) -> Mutation {
    let words = format!("{kind:?} refuses a repeat with {code}");
    Mutation::new(Operator::Ladder, clause!("4.idempotency.1"), words, move || {
        answer(keep(move |inner: &mut Inner<'_>, operation: Operation| -> Answer {
            let is_it = operation.kind() == kind;
            let key = is_it.then(|| format!("{} {:?}", inner.caller.0, operation));
            let answer = inner.answer(operation.clone());
            let Some(key) = key.filter(|_| answer.is_ok()) else { return answer };
            let is_repeat = inner.memory.count(&key) > 1;
            if is_repeat && holds(inner, &operation) {
                return Err(Refusal::new(code, code.clause()));
            }
            answer
        }))
    })
}

fn is_not_issued(inner: &mut Inner<'_>, operation: &Operation) -> bool {
    let Operation::RequestAdvance { payee, invoice } = operation else { return false };
    let read = inner.invoice(payee, invoice);
    read.is_some_and(|read| read.status != tideover_model::words::InvoiceStatus::Issued)
}

fn is_not_onboarded(inner: &mut Inner<'_>, operation: &Operation) -> bool {
    let Operation::RequestAdvance { payee, .. } = operation else { return false };
    inner.business(payee).is_some_and(|read| !read.onboarding.is_complete())
}

/// Whether the same amount would not fit any more.
fn is_over_limit(inner: &mut Inner<'_>, operation: &Operation) -> bool {
    let Operation::RequestAdvance { payee, invoice } = operation else { return false };
    let Some(read) = inner.invoice(payee, invoice) else { return false };
    let Some(face_value) = tideover_model::FaceValue::new(read.face_value.0) else { return false };
    let quote = Operation::Quote { business: payee.clone(), face_value };
    let is_onboarded = !is_not_onboarded(inner, operation);
    matches!(inner.answer(quote), Ok(Reply::Quoted(quoted)) if is_onboarded && !quoted.fundable)
}

/// The rules of a key, each left out.
fn keys() -> [Mutation; 4] {
    type Authenticate = fn(&dyn Face, Option<&str>) -> Result<PlatformId, Refusal>;
    let left_out = |words: &str, authenticate: Authenticate| {
        let words = format!("{words} is no reason for unauthorized");
        Mutation::new(Operator::Ladder, clause!("5.authentication.3"), words, move || -> Hooks {
            authentication(keep(authenticate))
        })
    };
    [
        left_out("a missing key", |face, authorization| match authorization {
            None => Ok(PlatformId::DEFAULT),
            given => face.authenticate(given),
        }),
        left_out("an unknown key", |face, authorization| {
            let is_bearer = authorization.is_some_and(|it| it.starts_with("Bearer "));
            let is_unknown = is_bearer && face.platform_of(authorization).is_none();
            if is_unknown { Ok(PlatformId::DEFAULT) } else { face.authenticate(authorization) }
        }),
        left_out("a revoked key", |face, authorization| {
            let known = authorization.and_then(|_| face.platform_of(authorization));
            face.authenticate(authorization).or_else(|refusal| known.ok_or(refusal))
        }),
        left_out("a malformed header", |face, authorization| {
            let key = authorization.and_then(|it| it.split_whitespace().last());
            let mended = key.map(|key| format!("Bearer {key}"));
            face.authenticate(authorization).or_else(|_| face.authenticate(mended.as_deref()))
        }),
    ]
}
