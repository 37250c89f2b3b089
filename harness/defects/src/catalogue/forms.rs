//! Defects that give a field of a response another form than §2 says.

use serde_json::{Value, json};
use tideover_model::Timestamp;

defects! {
    "face-value-is-text", "2.invoice.faceValue",
        "the face value of an invoice is shown as a string",
        form!(Invoice "/faceValue", |value| Some(value.to_string().into()));
    "issue-date-is-unix-time", "2.invoice.issueDate",
        "the issue date of an invoice is shown as a Unix time",
        form!(Invoice "/issueDate", unix_time);
    "due-date-is-unix-time", "2.invoice.dueDate",
        "the due date of an invoice is shown as a Unix time",
        form!(Invoice "/dueDate", unix_time);
    "outcome-is-a-number", "2.invoiceSynced.outcome",
        "the outcome of an invoice sync is a number",
        form!(InvoiceSynced "/outcome", |_| Some(json!(1)));
    "rows-are-counted", "2.importReport.rows",
        "a report shows the number of its rows instead of the rows",
        form!(Imported "/rows", |value| Some(value.as_array()?.len().into()));
    "name-is-a-list", "2.business.name",
        "the name of a business is shown as a list of names",
        form!(Business "/name", |value| Some(json!([value])));
    "route-is-a-list", "2.business.complianceRoute",
        "the compliance route of a business is shown as a list of routes",
        form!(Business "/complianceRoute", |value| Some(json!([value])));
    "requirements-are-words", "2.business.onboarding",
        "the requirements of a business are shown as yes or no",
        form!(Business "/onboarding", |value| {
            let word = |(name, met): (&String, &Value)| {
                (name.clone(), Value::from(if *met == true { "yes" } else { "no" }))
            };
            Some(value.as_object()?.iter().map(word).collect())
        });
    "account-is-a-number", "2.business.remittance",
        "the remittance of a business is the number of its collection account",
        form!(Business "/remittance", |value| value.get("accountNumber").cloned());
}

fn unix_time(date: &Value) -> Option<Value> {
    Some(Timestamp::parse(date.as_str()?)?.unix().into())
}
