//! A field that shows what an earlier answer said: of the same subject, or of another one.

use serde_json::Value;
use tideover_model::OperationKind;
use tideover_model::wire::schema::{Documented, Field, Origin, Role, documented};

use crate::generated::{Mutation, Operator, keep};
use crate::hooks::{Shown, body};
use crate::inner::Memory;

/// Whose value is shown.
#[derive(Clone, Copy, Debug)]
enum Whose {
    /// That of the same subject, so many answers before.
    Earlier(usize),
    /// That of the subject that was answered about last before this one.
    OfAnother,
}

const ALL: [Whose; 3] = [Whose::Earlier(1), Whose::Earlier(2), Whose::OfAnother];

pub(super) fn mutations() -> Vec<Mutation> {
    let kinds =
        OperationKind::ALL.into_iter().filter(|kind| *kind != OperationKind::ListSubscriptions);
    let fields = kinds.flat_map(|kind| {
        let documented = documented(kind.reply_fields()).into_iter();
        documented.filter(move |it| !is_in_list(kind, it)).map(move |it| (kind, it))
    });
    let edits = fields.flat_map(|(kind, Documented { path, field, .. })| {
        let forbidden = ALL.into_iter().filter(move |whose| is_forbidden(kind, field, *whose));
        forbidden.map(move |whose| mutation(kind, field, path.clone(), whose))
    });
    edits.collect()
}

/// Whether the field is one of each element of a list.
fn is_in_list(kind: OperationKind, it: &Documented) -> bool {
    let outer = it.path[..it.path.len() - 1].iter();
    let lists = kind.reply_fields().iter().filter(|field| matches!(field.role, Role::List(_)));
    let mut lists = lists.map(|field| field.name);
    outer.clone().any(|name| lists.any(|list| list == *name))
}

/// Whether no right service shows such a value.
fn is_forbidden(kind: OperationKind, field: &Field, whose: Whose) -> bool {
    match (field.role, field.origin) {
        // Its wording may change at any time, and what else a text contains is not shown.
        (Role::Prose | Role::Text, Origin::State) => false,
        // What is in it is not shown.
        (Role::Object(_), _) if !field.is_required => false,
        _ if matches!(whose, Whose::Earlier(_)) && stays(kind, field) => false,
        // A link that is reissued may keep its end (`gap.invitationLink`).
        (_, Origin::Clock | Origin::Service) if kind == OperationKind::Invite => {
            matches!(whose, Whose::OfAnother)
        }
        _ => true,
    }
}

/// Whether the field never changes for one subject, so that an earlier value is the present one.
fn stays(kind: OperationKind, field: &Field) -> bool {
    match field.role {
        // The subject itself, and an account that is open.
        Role::Business | Role::Invoice | Role::Import => true,
        Role::AccountNumber | Role::RoutingNumber => true,
        // The file of an import stays, and a repeat returns the advance as it is.
        Role::Count | Role::Object(_) => {
            use OperationKind::{GetImport, ImportInvoices, RequestAdvance};
            matches!(kind, RequestAdvance | GetImport | ImportInvoices)
        }
        _ => false,
    }
}

fn mutation(
    kind: OperationKind,
    field: &'static Field,
    path: Vec<&'static str>,
    whose: Whose,
) -> Mutation {
    let (operator, words) = match whose {
        Whose::Earlier(behind) => (Operator::Stale, format!("{behind} answers behind")),
        Whose::OfAnother => (Operator::Field, "that of another subject".to_owned()),
    };
    let words = format!("{} of {kind:?} is {words}", path.join("."));
    Mutation::new(operator, field.clause, words, move || {
        let path = keep(path.clone());
        body(keep(move |memory: &mut Memory, shown: &Shown, body: &mut Value| {
            let place = path.iter().try_fold(body, |place, name| place.get_mut(*name));
            let (true, Some(place)) = (shown.kind == kind, place) else { return };
            let value = place.clone();
            *place = match whose {
                Whose::Earlier(behind) => earlier(memory, &shown.subject, value, behind),
                Whose::OfAnother => of_another(memory, &shown.subject, value),
            };
        }))
    })
}

/// What was shown of the subject so many answers before; the first value as long as there is no earlier one.
fn earlier(memory: &mut Memory, subject: &str, value: Value, behind: usize) -> Value {
    let mut shown = value;
    for age in 0..behind {
        let key = format!("{subject} {age}");
        let earlier = memory.keep_value(key, shown.clone());
        shown = earlier.unwrap_or(shown);
    }
    shown
}

/// What was shown last of another subject; the right value as long as there is none.
fn of_another(memory: &mut Memory, subject: &str, value: Value) -> Value {
    let last =
        memory.keep_value("last".to_owned(), Value::Array(vec![subject.into(), value.clone()]));
    match last.as_ref().and_then(Value::as_array).map(Vec::as_slice) {
        Some([of, other]) if of != subject => {
            memory.keep_value("other".to_owned(), other.clone());
            other.clone()
        }
        _ => memory.kept_value("other").cloned().unwrap_or(value),
    }
}
