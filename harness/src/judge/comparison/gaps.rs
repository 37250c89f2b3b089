//! What the document does not show, where an answer is not as predicted: the gap that it is.

use serde_json::Value;
use tideover_model::{Clause, OperationKind, clause};

use super::fields::OUTCOMES;
use super::top;
use crate::matcher::texts;

/// What is not shown by name: the gap that it is, where it is missing under the name that we assume.
pub(super) fn nameless(kind: OperationKind, field: &str, answer: &Value) -> Option<Clause> {
    let (first, rest) = field.split_once('.').unwrap_or((field, ""));
    let is_other = |name: &String| !SHOWN.contains(&name.as_str());
    let others = || answer.as_object().into_iter().flatten().filter(|(name, _)| is_other(name));
    match (kind, first) {
        (OperationKind::SetPayoutAccount, _) | (OperationKind::GetInvoice, "collectionState") => {
            None
        }
        // An object is shown, and a secret: something must be there that can be it.
        (OperationKind::SyncBusiness, "taxIdResult") if rest.is_empty() => {
            others().any(|(_, value)| value.is_object()).then_some(clause!("gap.taxIdResult"))
        }
        (OperationKind::Subscribe, "secret") => {
            let is_told = others().any(|(_, value)| !texts(value).is_empty());
            is_told.then_some(clause!("gap.subscriptionForm"))
        }
        (OperationKind::Subscribe, _) => Some(clause!("gap.subscriptionForm")),
        (OperationKind::RequestAdvance, "remittance" | "alreadyRequested") => None,
        // Which variant is told when is not shown, nor which four properties the smaller one has.
        (OperationKind::RequestAdvance, _) => answer
            .as_object()
            .filter(|properties| properties.len() >= 4)
            .map(|_| clause!("gap.advanceVariants")),
        (OperationKind::GetImport | OperationKind::ImportInvoices, "rows")
            if rest.ends_with(".outcome") =>
        {
            None
        }
        _ => gap_within(kind, field),
    }
}

/// Whether two reports tell the same outcomes in another order, which is not shown; the name of that of a rejected
/// row isn't, either.
pub(super) fn reorders(predicted: &Value, seen: &Value) -> bool {
    let outcomes = |report: &Value| {
        let rows = report["rows"].as_array()?;
        let known = |row: &Value| {
            let outcome = row["outcome"].as_str()?;
            Some(OUTCOMES.contains(&outcome).then(|| outcome.to_owned()))
        };
        let mut outcomes = rows.iter().map(known).collect::<Option<Vec<_>>>()?;
        outcomes.sort();
        Some(outcomes)
    };
    outcomes(predicted).is_some_and(|predicted| outcomes(seen) == Some(predicted))
}

/// The names that answers share with no object, and no secret, whose name isn't shown.
const SHOWN: &[&str] = &["externalId", "created", "reason", "reference", "url", "createdAt"];

/// The collection account of a business opens normally once the first three are met, and so may open before.
pub(super) fn opened_early(answer: &Value, field: &str) -> bool {
    let met = &answer["onboarding"];
    let first_three = ["compliance", "contract", "bank"].iter().all(|name| met[name] == true);
    let about_it = field == "onboarding.collectionAccount" || top(field) == "remittance";
    about_it && met["collectionAccount"] == true && !first_three
}

/// What lies within a documented field and is not shown: the gap that it is.
pub(super) fn gap_within(kind: OperationKind, field: &str) -> Option<Clause> {
    let (first, rest) = field.split_once('.').unwrap_or((field, ""));
    Some(match (kind, first) {
        (OperationKind::GetInvoice, "advance") if !rest.is_empty() => clause!("gap.advanceObject"),
        (OperationKind::GetInvoice, "collectionState") => clause!("gap.collectionThresholds"),
        (OperationKind::SetPayoutAccount, "mask") => clause!("gap.mask"),
        (OperationKind::SyncBusiness, "taxIdResult") if !rest.is_empty() => {
            clause!("gap.taxIdResult")
        }
        (OperationKind::Subscribe, "eventTypes" | "url" | "createdAt") => {
            clause!("gap.subscriptionForm")
        }
        (OperationKind::GetImport | OperationKind::ImportInvoices, "rows")
            if !rest.is_empty() && !rest.ends_with(".outcome") =>
        {
            clause!("gap.importExtra")
        }
        _ => return None,
    })
}
