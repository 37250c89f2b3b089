//! What the document says in words: each rule with its place in the API's document.

use serde_json::{Value, json};
use tideover_model::{Clause, OperationKind};

/// What a reader of the partner API's document should know first.
pub(super) const PARTNER_API: &str = "Finances invoices that are owed to a platform's vendors. \
    This describes a mock of the service: no money moves. Descriptions cite the API's own document, \
    such as `§4 POST /v1/quotes sentence 3`. Where that document is silent, they say so: the form shown is \
    an assumption. Codes, event types and enumerated values may be added: keep a default branch (§9 rules \
    2 to 4). All amounts are whole cents.";

/// A tag: its name, and what it is about.
type Tag = (&'static str, &'static str);

const INVOICES: Tag = (
    "Invoices",
    "What payors owe to vendors. The caller's identifier of an invoice is unique per payee (§1 rule 3).",
);
const IMPORTS: Tag = ("Imports", "Many invoices at once, from CSV.");
const BUSINESSES: Tag = (
    "Businesses",
    "Vendors and payors, under the caller's own identifiers, and the accounts that advances go to.",
);
const ADVANCES: Tag =
    ("Advances", "Money for an invoice before its payor pays. Events call an advance a loan.");
const QUOTES: Tag = ("Quotes", "Prices of advances.");
const ONBOARDING: Tag = (
    "Onboarding",
    "Links with which a vendor confirms its tax id, links a bank account and signs the agreement.",
);
const WEBHOOKS: Tag = ("Webhooks", "Subscriptions to events.");
/// The tag of the requests that the service sends.
pub(super) const EVENTS: &str = "Events";

/// The tags, in the order of a reader's interest.
pub(super) fn tags() -> Value {
    let own = [BUSINESSES, INVOICES, IMPORTS, ONBOARDING, QUOTES, ADVANCES, WEBHOOKS];
    let mut tags: Vec<Value> =
        own.map(|(name, about)| json!({ "name": name, "description": about })).into();
    let events = family("6.delivery.").chain(family("6.signature."));
    tags.push(json!({ "name": EVENTS, "description": list(events) }));
    tags.into()
}

/// The name of an operation's tag.
pub(super) fn tag(kind: OperationKind) -> &'static str {
    let (name, _) = match kind {
        OperationKind::GetInvoice | OperationKind::SyncInvoice => INVOICES,
        OperationKind::GetImport | OperationKind::ImportInvoices => IMPORTS,
        OperationKind::GetBusiness
        | OperationKind::SyncBusiness
        | OperationKind::SetPayoutAccount => BUSINESSES,
        OperationKind::RequestAdvance => ADVANCES,
        OperationKind::Quote => QUOTES,
        OperationKind::Invite | OperationKind::CreateOnboardingSession => ONBOARDING,
        OperationKind::Subscribe
        | OperationKind::ListSubscriptions
        | OperationKind::Unsubscribe => WEBHOOKS,
    };
    name
}

/// The rules of an operation, one line each.
pub(super) fn rules(kind: OperationKind) -> String {
    // The name of its clause on bodies begins with the section and the operation: `4.quotes.4`.
    let name = kind.endpoint().body.name();
    let end = name.match_indices('.').nth(1).map_or(name.len(), |(end, _)| end + 1);
    list(family(&name[..end]))
}

/// The meaning of an identifier in a path.
pub(super) fn identifier(kind: OperationKind, name: &str) -> &'static str {
    match (kind, name) {
        (_, "reference") => "The subscription's reference.",
        (_, "payeeExternalId") => "The caller's identifier of the payee.",
        (OperationKind::GetImport | OperationKind::ImportInvoices, _) => {
            "The caller's identifier of the import."
        }
        (OperationKind::GetInvoice | OperationKind::SyncInvoice, _) => {
            "The caller's identifier of the invoice."
        }
        _ => "The caller's identifier of the business.",
    }
}

/// The clauses whose names begin with `prefix`.
pub(super) fn family(prefix: &str) -> impl Iterator<Item = Clause> {
    Clause::all().filter(move |clause| clause.name().starts_with(prefix))
}

/// A rule and its place.
pub(super) fn rule(clause: Clause) -> String {
    format!("{} ({})", clause.wording(), clause.place())
}

/// Rules as a list in Markdown.
pub(super) fn list(clauses: impl Iterator<Item = Clause>) -> String {
    let lines: Vec<String> = clauses.map(|clause| format!("- {}", rule(clause))).collect();
    lines.join("\n")
}

/// Replaces the names of clauses in descriptions by their places: the names are our own.
pub(super) fn plain(document: &mut Value) {
    match document {
        Value::Array(parts) => parts.iter_mut().for_each(plain),
        Value::Object(parts) => {
            for (name, part) in parts {
                match part {
                    Value::String(text) if name == "description" => *text = explained(text),
                    _ => plain(part),
                }
            }
        }
        _ => {}
    }
}

fn explained(text: &str) -> String {
    let part = |(index, part): (usize, &str)| match Clause::find(part) {
        Some(clause) if index % 2 == 1 => place(clause),
        _ if index % 2 == 1 => format!("`{part}`"),
        _ => part.to_owned(),
    };
    text.split('`').enumerate().map(part).collect()
}

fn place(clause: Clause) -> String {
    if clause.name().starts_with("gap.") {
        format!("assumed, because the document is silent: {}", clause.place())
    } else {
        clause.place().to_owned()
    }
}
