//! Identifiers that are compared in another form, so that two of them name one thing: each role of the table of fields,
//! and each place of a path.

use serde_json::Value;
use tideover_model::wire::schema::{Field, Role};
use tideover_model::{Clause, Operation, OperationKind, clause};

use crate::generated::requests::rewrite;
use crate::generated::texts::{TextEdit, cuts, text_edits};
use crate::generated::{Mutation, Operator, keep};
use crate::hooks::operation;

const ROLES: [Role; 6] =
    [Role::Business, Role::Invoice, Role::Import, Role::Subscription, Role::Email, Role::TaxId];

pub(super) fn mutations() -> Vec<Mutation> {
    let of_roles =
        ROLES.into_iter().flat_map(|role| edits(role).into_iter().map(move |it| (role, it)));
    let of_roles = of_roles.map(|(role, edit)| identity(role, edit));
    let of_paths = OperationKind::ALL.into_iter().flat_map(|kind| {
        let roles = kind.path_roles().iter().enumerate();
        roles.flat_map(move |(place, role)| {
            edits(*role)
                .into_iter()
                .chain(encoded(*role))
                .map(move |edit| in_path(kind, place, edit))
        })
    });
    of_roles.chain(of_paths).collect()
}

/// The readings by which identifiers that are different become one.
fn edits(role: Role) -> Vec<TextEdit> {
    match role {
        // Whether an address is read in one case, or spaces around it count, is not shown.
        Role::Email => cuts().collect(),
        // Its punctuation is optional, and only digits are left.
        Role::TaxId => [1, 2, 4]
            .into_iter()
            .flat_map(|most| [TextEdit::FirstDigits(most), TextEdit::LastDigits(most)])
            .collect(),
        _ => text_edits(),
    }
}

/// A path says an identifier of the caller's as it is, once it is decoded.
fn encoded(role: Role) -> Option<TextEdit> {
    matches!(role, Role::Business | Role::Invoice | Role::Import).then_some(TextEdit::Encoded)
}

/// The sentence by which such an identifier names one thing.
fn names(role: Role) -> Clause {
    match role {
        Role::Invoice => clause!("1.general.3"),
        Role::Import => clause!("4.imports.intro.2"),
        Role::Subscription => clause!("4.webhookDeletion.1"),
        Role::Email => clause!("4.invitations.10"),
        Role::TaxId => clause!("4.businessSync.3"),
        _ => clause!("1.general.2"),
    }
}

/// All identifiers of a role are compared in another form.
fn identity(role: Role, edit: TextEdit) -> Mutation {
    let words = format!("{role:?} identifiers are read {}", edit.words());
    let clause = names(role);
    let is_it = move |other: &Role| std::mem::discriminant(other) == std::mem::discriminant(&role);
    Mutation::new(Operator::Identity, clause, words, move || {
        operation(keep(move |operation: &mut Operation| {
            let kind = operation.kind();
            if kind == OperationKind::Subscribe {
                return;
            }
            rewrite(operation, |identifiers, body| {
                let named = kind.path_roles().iter().zip(identifiers);
                for (_, name) in named.filter(|(role, _)| is_it(role)) {
                    *name = edit.of(name);
                }
                identify(body, kind.fields(), &is_it, edit);
            });
        }))
    })
}

fn identify(body: &mut Value, fields: &[Field], is_it: &dyn Fn(&Role) -> bool, edit: TextEdit) {
    for field in fields {
        let Some(value) = body.get_mut(field.name) else { continue };
        match value.as_str() {
            Some(text) if is_it(&field.role) => *value = edit.of(text).into(),
            _ => identify(value, field.within(), is_it, edit),
        }
    }
}

/// The identifier at one place of the paths of one endpoint is read in another form.
fn in_path(kind: OperationKind, place: usize, edit: TextEdit) -> Mutation {
    let name = kind.parameters().nth(place).unwrap_or_default();
    let words = format!("{kind:?} reads {name} of the path {}", edit.words());
    let clause = names(kind.path_roles()[place]);
    Mutation::new(Operator::Identity, clause, words, move || {
        operation(keep(move |operation: &mut Operation| {
            if operation.kind() == kind {
                rewrite(operation, |identifiers, _| {
                    identifiers[place] = edit.of(&identifiers[place]);
                });
            }
        }))
    })
}
