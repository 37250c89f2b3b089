//! A choice among the entries of the journal.

use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::Error as NoSuchValue;
use tideover_model::wire::problem::{cut, unfit, unfit_word};
use tideover_model::{Clause, Code, OperationKind};

use crate::journal::record::Record;
use crate::journal::subject;

/// A choice among the requests in the journal. Every condition that is given must hold; without one, all requests
/// are chosen.
///
/// ```
/// use tideover_model::OperationKind;
/// use tideover_sim::JournalFilter;
///
/// let refused = JournalFilter::new().operation(OperationKind::RequestAdvance).status_class(4);
/// assert_eq!(JournalFilter::read([("operation", "request_advance"), ("status", "4xx")]), Ok(refused));
/// assert!(JournalFilter::read([("colour", "green")]).is_err());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct JournalFilter {
    after: u64,
    operation: Option<OperationKind>,
    status: Option<Statuses>,
    code: Option<Code>,
    clause: Option<Clause>,
    path: Option<String>,
    payee: Option<String>,
    invoice: Option<String>,
    fault: Option<String>,
    text: Option<String>,
}

/// The HTTP statuses that are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Statuses {
    One(u16),
    /// Those that begin with this digit.
    Class(u16),
}

/// A condition that no request can meet, with what it may be: whoever wrote the filter is to blame.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UnfitCondition(String);

/// The names of the conditions, as in a query.
const NAMES: &str = "after, operation, status, code, clause, path, payee, invoice, fault and text";

impl JournalFilter {
    /// All requests.
    pub fn new() -> JournalFilter {
        JournalFilter::default()
    }

    /// Only requests from number `after` on.
    pub fn after(self, after: u64) -> JournalFilter {
        JournalFilter { after, ..self }
    }

    /// Only requests of this operation.
    pub fn operation(self, operation: OperationKind) -> JournalFilter {
        JournalFilter { operation: Some(operation), ..self }
    }

    /// Only requests that were answered with this HTTP status.
    pub fn status(self, status: u16) -> JournalFilter {
        JournalFilter { status: Some(Statuses::One(status)), ..self }
    }

    /// Only requests that were answered with an HTTP status of this class, from 1 to 5.
    pub fn status_class(self, class: u16) -> JournalFilter {
        JournalFilter { status: Some(Statuses::Class(class)), ..self }
    }

    /// Only requests that were refused with this code.
    pub fn code(self, code: Code) -> JournalFilter {
        JournalFilter { code: Some(code), ..self }
    }

    /// Only requests whose answer this clause decided.
    pub fn clause(self, clause: Clause) -> JournalFilter {
        JournalFilter { clause: Some(clause), ..self }
    }

    /// Only requests whose path has this part.
    pub fn path(self, part: &str) -> JournalFilter {
        JournalFilter { path: Some(part.to_owned()), ..self }
    }

    /// Only requests about this business, or about an invoice of it.
    pub fn payee(self, payee: &str) -> JournalFilter {
        JournalFilter { payee: Some(payee.to_owned()), ..self }
    }

    /// Only requests about an invoice with this identifier.
    pub fn invoice(self, invoice: &str) -> JournalFilter {
        JournalFilter { invoice: Some(invoice.to_owned()), ..self }
    }

    /// Only requests that met the fault with this label.
    pub fn fault(self, label: &str) -> JournalFilter {
        JournalFilter { fault: Some(label.to_owned()), ..self }
    }

    /// Only requests with this text in their body, or in that of the answer, as far as the journal keeps them.
    pub fn text(self, part: &str) -> JournalFilter {
        JournalFilter { text: Some(part.to_owned()), ..self }
    }

    /// The filter that names and values describe, as in a query.
    ///
    /// # Errors
    /// [`UnfitCondition`]: the first name that is not known, or whose value is not possible.
    pub fn read<'a>(
        conditions: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<JournalFilter, UnfitCondition> {
        conditions
            .into_iter()
            .try_fold(JournalFilter::new(), |filter, (name, value)| filter.with(name, value))
    }

    fn with(self, name: &str, value: &str) -> Result<JournalFilter, UnfitCondition> {
        Ok(match name {
            "after" => self.after(
                value
                    .parse()
                    .map_err(|_| no("after", "the number of a request, such as 17", value))?,
            ),
            "operation" => self.operation(operation(value)?),
            "status" => JournalFilter { status: Some(statuses(value)?), ..self },
            "code" => self
                .code(Code::parse(value).ok_or_else(|| {
                    no("code", "a code of an error, such as unauthorized", value)
                })?),
            "clause" => self.clause(
                Clause::find(value)
                    .ok_or_else(|| no("clause", "a clause, such as 4.advances.4", value))?,
            ),
            "path" => self.path(value),
            "payee" => self.payee(value),
            "invoice" => self.invoice(value),
            "fault" => self.fault(value),
            "text" => self.text(value),
            other => {
                let why = format!("{}: requests are chosen by {NAMES}", cut(other));
                return Err(UnfitCondition(why));
            }
        })
    }

    /// The number of the first request that it can choose.
    pub(crate) fn first(&self) -> u64 {
        self.after
    }

    /// Whether it chooses a record whose number is at least `first`.
    pub(super) fn admits(&self, record: &Record) -> bool {
        fn is<T: PartialEq>(wanted: Option<&T>, given: Option<&T>) -> bool {
            wanted.is_none_or(|wanted| given == Some(wanted))
        }
        is(self.operation.as_ref(), record.operation.as_ref())
            && self.status.is_none_or(|wanted| record.status.is_some_and(|it| wanted.has(it)))
            && is(self.code.as_ref(), record.code.as_ref())
            && is(self.clause.as_ref(), record.clause.as_ref())
            && is(self.fault.as_ref(), record.fault.as_ref())
            && self.path.as_ref().is_none_or(|part| record.path().contains(part))
            && self.text.as_ref().is_none_or(|part| {
                contains(record.sent(), part) || contains(record.answered(), part)
            })
            && subject::is_about(record, self.payee.as_deref(), self.invoice.as_deref())
    }
}

impl Statuses {
    fn has(self, status: u16) -> bool {
        match self {
            Statuses::One(wanted) => status == wanted,
            Statuses::Class(class) => status / 100 == class,
        }
    }
}

/// What is wrong with a condition.
fn no(name: &str, expected: &str, got: &str) -> UnfitCondition {
    UnfitCondition(unfit(name, expected, Some(&got.into())))
}

fn operation(name: &str) -> Result<OperationKind, UnfitCondition> {
    let unfit = |why: NoSuchValue| unfit_word("operation", &why.to_string(), name);
    OperationKind::deserialize(name.into_deserializer()).map_err(|why| UnfitCondition(unfit(why)))
}

fn statuses(text: &str) -> Result<Statuses, UnfitCondition> {
    let class = text.strip_suffix("xx").and_then(|class| class.parse().ok());
    match (class, text.parse()) {
        (Some(class @ 1..=5), _) => Ok(Statuses::Class(class)),
        (_, Ok(status @ 100..=599)) => Ok(Statuses::One(status)),
        _ => Err(no("status", "an HTTP status, such as 404, or 4xx", text)),
    }
}

fn contains(bytes: &[u8], part: &str) -> bool {
    let valid = match str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default(),
    };
    valid.contains(part)
        || valid.len() < bytes.len()
            && bytes[valid.len()..].windows(part.len().max(1)).any(|at| at == part.as_bytes())
}
