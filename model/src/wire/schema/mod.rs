//! The table of fields: one row for each field of each request, action and response, with its role, the values that
//! are valid, and the sentence that says so (§2, §4, §8).
//!
//! Whatever depends on what a field *is* reads it here: renaming, masking, the gate of live targets, the columns of
//! files, the generator, the comparison of responses.

mod actions;
pub mod columns;
mod replies;
mod requests;

pub use replies::{EVENT, FAILURE, mints, shown};

use std::collections::BTreeMap;
use std::iter;
use std::sync::LazyLock;

use crate::cents::FaceValue;
use crate::clause::{Clause, Kind};
use crate::endpoint::OperationKind;
use crate::wire::action::ActionKind;

/// A field of an object.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// What its value is.
    pub role: Role,
    /// Where its value comes from. Every field of a request comes from the caller.
    pub origin: Origin,
    /// Whether a request without it is refused, and whether every response has it.
    pub is_required: bool,
    /// The least number of characters that the document states for it.
    pub least_length: usize,
    /// The sentence, or the assumption, that states its form.
    pub clause: Clause,
}

/// What a value is. It decides which values are valid, who may know it, and whom it names.
#[derive(Clone, Copy, Debug)]
pub enum Role {
    /// An object with fields of its own.
    Object(&'static [Field]),
    /// A list of objects with these fields.
    List(&'static [Field]),
    /// The caller's identifier of a business.
    Business,
    /// The caller's identifier of an invoice.
    Invoice,
    /// The caller's identifier of an import.
    Import,
    /// The service's identifier of a subscription.
    Subscription,
    /// The service's identifier of an invitation.
    Invitation,
    /// The operator's name of a platform.
    Platform,
    /// The legal name of a business.
    LegalName,
    /// A tax id: nine digits, apart from punctuation.
    TaxId,
    /// An e-mail address.
    Email,
    /// A telephone number.
    Phone,
    /// The number of a bank account, 4 to 17 digits.
    AccountNumber,
    /// The ABA number of a bank.
    RoutingNumber,
    /// An amount in cents, 1 to 2147483647.
    Amount,
    /// A number of things.
    Count,
    /// True or false.
    Flag,
    /// An RFC 3339 date-time.
    Instant,
    /// One of these words.
    Word(&'static [&'static str]),
    /// The URL of a receiver.
    Receiver,
    /// A link for a vendor.
    Link,
    /// An API key.
    Key,
    /// The secret of a subscription.
    Secret,
    /// A list of event types.
    EventTypes,
    /// A sentence for people. Its wording may change at any time.
    Prose,
    /// Any text that names nobody.
    Text,
}

/// Where the value of a field comes from, and so what it may depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The caller sent it, in this request or in an earlier one.
    Caller,
    /// It follows from the state of the service.
    State,
    /// The service chose it, and keeps it.
    Service,
    /// It follows from the service's clock.
    Clock,
}

/// The JSON values that a field takes, as the document states them.
#[derive(Clone, Copy, Debug)]
pub enum Domain {
    /// An object with these fields.
    Object(&'static [Field]),
    /// Text of at least so many characters. Its greatest length is not shown.
    Text {
        /// Characters.
        least: usize,
    },
    /// Text of digits only.
    Digits {
        /// The least number of digits.
        least: usize,
        /// The greatest number of digits.
        most: usize,
    },
    /// Text that has nine digits, with or without punctuation.
    TaxId,
    /// Text of nine digits, the last of which is a check digit.
    RoutingNumber,
    /// A whole number from `least` to `most`.
    Integer {
        /// The least number.
        least: i64,
        /// The greatest number.
        most: i64,
    },
    /// An RFC 3339 date-time.
    Instant,
    /// One of these words.
    Word(&'static [&'static str]),
    /// An e-mail address.
    Email,
    /// The URL of a receiver.
    Url,
    /// True or false.
    Flag,
    /// A type that is not shown.
    Open,
}

const fn required(name: &'static str, role: Role, clause: Clause) -> Field {
    Field { name, role, origin: Origin::Caller, is_required: true, least_length: 0, clause }
}

const fn optional(name: &'static str, role: Role, clause: Clause) -> Field {
    Field { is_required: false, ..required(name, role, clause) }
}

impl Field {
    /// The same field, where the document states that it has at least one character.
    const fn not_empty(self) -> Field {
        Field { least_length: 1, ..self }
    }

    /// Whether the document names it, and an assumption does not.
    pub const fn is_documented(&self) -> bool {
        matches!(self.clause.kind(), Kind::Documented)
    }

    /// The JSON values that it takes in a request. A response may have null in place of them.
    pub const fn domain(&self) -> Domain {
        match self.role {
            Role::Object(fields) => Domain::Object(fields),
            Role::Business
            | Role::Invoice
            | Role::Import
            | Role::Subscription
            | Role::Invitation
            | Role::Platform
            | Role::LegalName
            | Role::Phone
            | Role::Link
            | Role::Key
            | Role::Secret
            | Role::Prose
            | Role::Text => Domain::Text { least: self.least_length },
            Role::TaxId => Domain::TaxId,
            Role::Email => Domain::Email,
            Role::AccountNumber => Domain::Digits { least: 4, most: 17 },
            Role::RoutingNumber => Domain::RoutingNumber,
            Role::Amount => Domain::Integer { least: 1, most: FaceValue::MAX },
            Role::Count => Domain::Integer { least: 0, most: i64::MAX },
            Role::Flag => Domain::Flag,
            Role::Instant => Domain::Instant,
            Role::Word(words) => Domain::Word(words),
            Role::Receiver => Domain::Url,
            Role::EventTypes | Role::List(_) => Domain::Open,
        }
    }

    /// The fields of the object, or of the objects in the list, that it holds.
    pub const fn within(&self) -> &'static [Field] {
        match self.role {
            Role::Object(fields) | Role::List(fields) => fields,
            _ => &[],
        }
    }
}

/// A field that the document names, and where it stands.
#[derive(Clone, Debug)]
pub struct Documented {
    /// The names on the way to it, its own last.
    pub path: Vec<&'static str>,
    /// Its row.
    pub field: &'static Field,
    /// The fields of the object that holds it, itself among them.
    pub beside: &'static [Field],
}

/// Each of `fields` that the document names, at any depth, an object before its members. What it does not name may be
/// otherwise.
///
/// ```
/// use tideover_model::OperationKind;
/// use tideover_model::wire::schema::documented;
///
/// let paths = documented(OperationKind::SyncInvoice.fields()).into_iter().map(|it| it.path.join("."));
/// assert!(paths.take(3).eq(["payee", "payee.externalId", "payee.legalName"]));
/// ```
pub fn documented(fields: &'static [Field]) -> Vec<Documented> {
    let mut all = Vec::new();
    for field in fields.iter().filter(|field| field.is_documented()) {
        all.push(Documented { path: vec![field.name], field, beside: fields });
        let within = documented(field.within()).into_iter();
        all.extend(within.map(|inner| {
            let path = [&[field.name], &*inner.path].concat();
            Documented { path, ..inner }
        }));
    }
    all
}

/// The innermost field on the way `path` from one of `fields`, by the names of the fields.
///
/// ```
/// use tideover_model::OperationKind;
/// use tideover_model::wire::schema::find;
///
/// let found = find(OperationKind::SyncInvoice.fields(), ["payee", "legalName"]).unwrap();
/// assert_eq!(found.clause.name(), "2.invoiceSync.payee");
/// ```
pub fn find<'p>(
    fields: &'static [Field],
    path: impl IntoIterator<Item = &'p str>,
) -> Option<&'static Field> {
    let mut path = path.into_iter();
    let name = path.next()?;
    let field = fields.iter().find(|field| field.name == name)?;
    match field.role {
        Role::Object(fields) => find(fields, path).or(Some(field)),
        _ => Some(field),
    }
}

/// The words of all enumerations in responses.
pub fn words() -> impl Iterator<Item = &'static str> {
    let of_operations = OperationKind::ALL.into_iter().map(OperationKind::reply_fields);
    of_operations.flat_map(with_inner).flat_map(|field| match field.role {
        Role::Word(words) => words.iter().copied(),
        _ => [].iter().copied(),
    })
}

type ByName = LazyLock<BTreeMap<&'static str, Vec<&'static Field>>>;

/// The fields of requests and actions that have this name, wherever they stand.
///
/// For values whose place is not known: a request may be malformed on purpose.
pub fn in_requests(name: &str) -> &'static [&'static Field] {
    static BY_NAME: ByName = LazyLock::new(|| {
        let of_operations = OperationKind::ALL.into_iter().map(OperationKind::fields);
        by_name(of_operations.chain(ActionKind::ALL.iter().map(|kind| kind.fields())))
    });
    BY_NAME.get(name).map(Vec::as_slice).unwrap_or_default()
}

/// The fields of responses that have this name, wherever they stand.
pub fn in_replies(name: &str) -> &'static [&'static Field] {
    static BY_NAME: ByName =
        LazyLock::new(|| by_name(OperationKind::ALL.into_iter().map(OperationKind::reply_fields)));
    BY_NAME.get(name).map(Vec::as_slice).unwrap_or_default()
}

fn by_name(
    objects: impl Iterator<Item = &'static [Field]>,
) -> BTreeMap<&'static str, Vec<&'static Field>> {
    let mut by_name: BTreeMap<&str, Vec<&Field>> = BTreeMap::new();
    for field in objects.flat_map(with_inner) {
        by_name.entry(field.name).or_default().push(field);
    }
    by_name
}

/// The fields of an object, and those of the objects in it.
pub(crate) fn with_inner(fields: &'static [Field]) -> Vec<&'static Field> {
    let inner = |field: &'static Field| iter::once(field).chain(with_inner(field.within()));
    fields.iter().flat_map(inner).collect()
}
