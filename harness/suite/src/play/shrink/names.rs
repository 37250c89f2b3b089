//! Other names for the identifiers in steps: plain ones, or ones that are there already.

use serde_json::{Map, Value};
use tideover_exchange::step::{Action, Call, Step};
use tideover_model::wire::route::{segment, served_at};
use tideover_model::wire::schema::{Role, in_requests};

use crate::play::shrink::Part;

/// The kinds of identifiers, each with the first letter of its plain names.
const KINDS: [(Kind, &str); 2] = [(Kind::Business, "b"), (Kind::Invoice, "i")];

/// What an identifier names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Business,
    Invoice,
}

/// Another name for an identifier.
pub(super) struct Renaming {
    kind: Kind,
    from: String,
    to: String,
}

impl Kind {
    /// What the field of this name identifies, if it identifies anything.
    fn of_field(name: &str) -> Option<Kind> {
        in_requests(name).iter().find_map(|field| Kind::of_role(field.role))
    }

    fn of_role(role: Role) -> Option<Kind> {
        match role {
            Role::Business => Some(Kind::Business),
            Role::Invoice => Some(Kind::Invoice),
            _ => None,
        }
    }
}

/// Identifiers with other signs than letters and digits, each with a plain one that is not there yet.
pub(super) fn plain_names<T: Part>(steps: &[T]) -> Vec<Renaming> {
    let mut found = Vec::new();
    for (kind, letter) in KINDS {
        let identifiers = identifiers(steps, kind);
        let is_plain = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let unused = (1..).map(|number| format!("{letter}{number}"));
        let unused = unused.filter(|name| !identifiers.contains(name));
        let odd = identifiers.iter().filter(|name| !is_plain(name) && !name.contains("${"));
        found.extend(odd.cloned().zip(unused).map(|(from, to)| Renaming { kind, from, to }));
    }
    found
}

/// Identifiers that might as well be another one of their kind that is there already, the earlier the simpler.
pub(super) fn renamings<T: Part>(steps: &[T]) -> Vec<Renaming> {
    let mut found = Vec::new();
    for (kind, _) in KINDS {
        let identifiers = identifiers(steps, kind);
        for (index, from) in identifiers.iter().enumerate() {
            let to = |to: &String| Renaming { kind, from: from.clone(), to: to.clone() };
            found.extend(identifiers[..index].iter().map(to));
        }
    }
    found
}

/// The identifiers of a kind in the bodies of the steps.
fn identifiers<T: Part>(steps: &[T], kind: Kind) -> Vec<String> {
    let mut found = Vec::new();
    for step in steps.iter().map(Part::step) {
        match &step.action {
            Action::Call(Call { body: Some(Value::Object(body)), .. }) | Action::Act(body) => {
                collect_identifiers(body, kind, &mut found);
            }
            _ => {}
        }
    }
    found
}

fn collect_identifiers(fields: &Map<String, Value>, kind: Kind, found: &mut Vec<String>) {
    for (name, value) in fields {
        match value {
            Value::String(text) if Kind::of_field(name) == Some(kind) && !found.contains(text) => {
                found.push(text.clone());
            }
            Value::Object(inner) => collect_identifiers(inner, kind, found),
            _ => {}
        }
    }
}

impl Renaming {
    /// The step with the other name.
    pub(super) fn of(&self, step: &Step) -> Step {
        let mut step = step.clone();
        match &mut step.action {
            Action::Call(call) => {
                call.path = self.path(&call.path);
                if let Some(Value::Object(body)) = &mut call.body {
                    self.fields(body);
                }
            }
            Action::Act(fields) => self.fields(fields),
            Action::Advance(_) | Action::Deliveries => {}
        }
        step
    }

    fn path(&self, path: &str) -> String {
        let Some(at) = served_at(path) else { return path.to_owned() };
        let roles = at.kind.path_roles().iter();
        let named = roles.zip(at.encoded_identifiers()).map(|(role, name)| {
            let is_it = Kind::of_role(*role) == Some(self.kind) && name == segment(&self.from);
            if is_it { segment(&self.to) } else { name.into() }
        });
        at.kind.path_with(&named.collect::<Vec<_>>())
    }

    fn fields(&self, fields: &mut Map<String, Value>) {
        for (name, value) in fields.iter_mut() {
            match value {
                Value::String(text)
                    if Kind::of_field(name) == Some(self.kind) && *text == self.from =>
                {
                    self.to.clone_into(text);
                }
                Value::Object(inner) => self.fields(inner),
                _ => {}
            }
        }
    }
}
