//! Defects that give a field of a response another form than §2 says.

use serde_json::{Value, json};
use tideover_model::wire::reply::Reply;
use tideover_model::{Timestamp, clause};

use crate::defects::Defect;
use crate::defects::breach::encoding;
use crate::defects::errors::rewritten;

/// A defect that changes the form of one field: name, clause, reply and JSON pointer, change, description.
macro_rules! formed {
    ($name:literal, $clause:literal, $reply:ident $pointer:literal, $change:expr, $words:literal) => {
        Defect::new(
            $name,
            clause!($clause),
            $words,
            encoding(|profile, answer| {
                rewritten(profile, answer, |reply, body| {
                    let change: fn(&Value) -> Option<Value> = $change;
                    let value = body.pointer_mut($pointer)?;
                    *value = change(value).filter(|_| matches!(reply, Reply::$reply(_)))?;
                    Some(())
                })
            }),
        )
    };
}

pub(super) static DEFECTS: &[Defect] = &[
    formed!("face-value-is-text", "2.invoice.faceValue", Invoice "/faceValue",
        |value| Some(value.to_string().into()),
        "the face value of an invoice is shown as a string"),
    formed!("issue-date-is-unix-time", "2.invoice.issueDate", Invoice "/issueDate", unix_time,
        "the issue date of an invoice is shown as a Unix time"),
    formed!("due-date-is-unix-time", "2.invoice.dueDate", Invoice "/dueDate", unix_time,
        "the due date of an invoice is shown as a Unix time"),
    formed!("outcome-is-a-number", "2.invoiceSynced.outcome", InvoiceSynced "/outcome",
        |_| Some(json!(1)),
        "the outcome of an invoice sync is a number"),
    formed!("rows-are-counted", "2.importReport.rows", Imported "/rows",
        |value| Some(value.as_array()?.len().into()),
        "a report shows the number of its rows instead of the rows"),
    formed!("name-is-a-list", "2.business.name", Business "/name",
        |value| Some(json!([value])),
        "the name of a business is shown as a list of names"),
    formed!("route-is-a-list", "2.business.complianceRoute", Business "/complianceRoute",
        |value| Some(json!([value])),
        "the compliance route of a business is shown as a list of routes"),
    formed!("requirements-are-words", "2.business.onboarding", Business "/onboarding",
        |value| {
            let word = |(name, met): (&String, &Value)| {
                (name.clone(), Value::from(if *met == true { "yes" } else { "no" }))
            };
            Some(value.as_object()?.iter().map(word).collect())
        },
        "the requirements of a business are shown as yes or no"),
    formed!("account-is-a-number", "2.business.remittance", Business "/remittance",
        |value| value.get("accountNumber").cloned(),
        "the remittance of a business is the number of its collection account"),
];

fn unix_time(date: &Value) -> Option<Value> {
    Some(Timestamp::parse(date.as_str()?)?.unix().into())
}
