//! What a recorded request is about. It is parsed only when someone asks, so that recording stays cheap.

use axum::http::header::CONTENT_TYPE;
use tideover_model::Operation;
use tideover_model::wire::route::route;
use tideover_model::wire::schema::Role;

use crate::journal::record::Record;

/// Whether a request is about this payee and this invoice. If its body was refused, or only a part of it is kept, only
/// the identifiers in its path are known.
pub(super) fn is_about(record: &Record, payee: Option<&str>, invoice: Option<&str>) -> bool {
    if payee.is_none() && invoice.is_none() {
        return true;
    }
    let Some(path) = record.whole_path() else { return false };
    let Ok(route) = route(record.method(), path) else { return false };
    let content_type =
        record.headers().find(|(name, _)| *name == CONTENT_TYPE.as_str()).map(|(_, value)| value);
    let wanted = Wanted { payee, invoice };
    match route.decode(content_type.as_deref(), record.sent()) {
        Ok(operation) if record.has_whole_body() => wanted.is_met_by(&operation),
        _ => {
            let Ok(identifiers) = route.identifiers() else { return false };
            let in_path = |is_it: fn(&Role) -> bool| {
                let place = route.kind.path_roles().iter().position(is_it)?;
                identifiers.get(place).map(String::as_str)
            };
            let payee = in_path(|role| matches!(role, Role::Business));
            wanted.are(payee, in_path(|role| matches!(role, Role::Invoice)))
        }
    }
}

#[derive(Clone, Copy)]
struct Wanted<'a> {
    payee: Option<&'a str>,
    invoice: Option<&'a str>,
}

impl Wanted<'_> {
    fn are(self, payee: Option<&str>, invoice: Option<&str>) -> bool {
        self.payee.is_none_or(|wanted| payee == Some(wanted))
            && self.invoice.is_none_or(|wanted| invoice == Some(wanted))
    }

    fn is_met_by(self, operation: &Operation) -> bool {
        let subject = operation.subject();
        match operation {
            Operation::ImportInvoices { file, .. } => {
                let mut rows = file.rows.iter();
                rows.any(|row| self.are(row.payee.as_deref(), row.invoice.as_deref()))
            }
            _ => self.are(subject.business(), subject.invoice()),
        }
    }
}
