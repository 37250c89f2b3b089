//! Gaps: what the document does not show, where a response differs from the prediction.

use serde_json::Value;
use tideover_exchange::matcher::texts;
use tideover_model::wire::field::{self, Fields};
use tideover_model::{Clause, OperationKind, clause};

use crate::comparison::fields::is_synced;
use crate::comparison::top;

/// The gap for a value that is missing under the name that we assume, because its name is not shown.
pub(super) fn nameless(kind: OperationKind, field: &str, answer: &Value) -> Option<Clause> {
    let (first, rest) = field.split_once('.').unwrap_or((field, ""));
    let is_other = |name: &String| !SHOWN.contains(&name.as_str());
    let others = || answer.as_object().into_iter().flatten().filter(|(name, _)| is_other(name));
    match (kind, first) {
        (OperationKind::SetPayoutAccount, _)
        | (OperationKind::GetInvoice, field::COLLECTION_STATE) => None,
        // An object is shown, and a secret: some value must fit.
        (OperationKind::SyncBusiness, field::TAX_ID_RESULT) if rest.is_empty() => {
            others().any(|(_, value)| value.is_object()).then_some(clause!("gap.taxIdResult"))
        }
        (OperationKind::Subscribe, "secret") => {
            let may_be_it = |(name, value): (&String, &Value)| {
                let is_else =
                    name != field::EVENT_TYPES && !(name == "secret" && value.is_string());
                is_else && !texts(value).is_empty()
            };
            others().any(may_be_it).then_some(clause!("gap.subscriptionForm"))
        }
        (OperationKind::Subscribe, _) => Some(clause!("gap.subscriptionForm")),
        // The document shows one more object.
        (OperationKind::Quote, field::ONBOARDING)
            if !others().any(|(_, value)| value.is_object()) =>
        {
            Some(clause!("2.quote.extra"))
        }
        (OperationKind::GetImport | OperationKind::ImportInvoices, "summary")
            if !others().any(|(_, value)| value.is_object()) =>
        {
            Some(clause!("2.importReport.extra"))
        }
        (OperationKind::RequestAdvance, field::REMITTANCE | field::ALREADY_REQUESTED) => None,
        // The document doesn't show when each variant is sent, nor the four properties of the smaller one.
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

/// Whether two reports have the same outcomes in another order, which is not shown. Also not shown: which
/// rows the report of an unfinished import lists.
pub(super) fn has_same_rows(predicted: &Value, seen: &Value) -> bool {
    let (Some(expected), Some(actual)) = (Outcomes::of(predicted), Outcomes::of(seen)) else {
        return false;
    };
    let lists_what_is_left =
        Fields::of(predicted).finished() == Some(false) && expected.nameless < actual.nameless;
    expected.known == actual.known && (expected.nameless == actual.nameless || lists_what_is_left)
}

/// Whether the report of an unfinished import counts no more rows than the file has, as `predicted` does.
pub(super) fn counts_so_far(predicted: &Value, seen: &Value) -> bool {
    let [expected, actual] = [predicted, seen].map(Fields::of);
    let counts = expected.row_count().zip(actual.row_count());
    let is_unfinished = expected.finished() == Some(false) && actual.finished() == Some(false);
    is_unfinished && counts.is_some_and(|(most, count)| (0..=most).contains(&count))
}

/// The outcomes of the rows of a report, in any order.
struct Outcomes<'a> {
    known: Vec<&'a str>,
    /// How many outcomes are not shown by name. Those of rejected rows are not.
    nameless: usize,
}

impl Outcomes<'_> {
    fn of(report: &Value) -> Option<Outcomes<'_>> {
        let rows = Fields::of(report).rows()?;
        let outcomes: Option<Vec<&str>> =
            rows.iter().map(|row| Fields::of(row).outcome()).collect();
        let mut known = outcomes?;
        known.retain(|outcome| is_synced(outcome));
        known.sort_unstable();
        let nameless = rows.len() - known.len();
        Some(Outcomes { known, nameless })
    }
}

/// Names in responses that cannot stand for an object or a secret whose name isn't shown.
const SHOWN: &[&str] = &[field::EXTERNAL_ID, "created", "reason", "reference", "url", "createdAt"];

/// Whether the collection account opened early. It normally opens once the first three requirements are met.
pub(super) fn opened_early(answer: &Value, field: &str) -> bool {
    let met = &answer[field::ONBOARDING];
    let about_it = field == "onboarding.collectionAccount" || top(field) == field::REMITTANCE;
    about_it && Fields::of(met).collection_account() == Some(true) && !meets_first_three(met)
}

/// Whether a business meets all that its collection account waits for, by its onboarding.
pub fn meets_first_three(onboarding: &Value) -> bool {
    ["compliance", "contract", "bank"].iter().all(|name| onboarding[name] == true)
}

/// Whether all four requirements are met. Ignores other fields.
pub(crate) fn is_onboarded(met: &Value) -> bool {
    meets_first_three(met) && Fields::of(met).collection_account() == Some(true)
}

/// The gap for something within a documented field that is not shown.
pub(super) fn gap_within(kind: OperationKind, field: &str) -> Option<Clause> {
    let (first, rest) = field.split_once('.').unwrap_or((field, ""));
    Some(match (kind, first) {
        (OperationKind::GetInvoice, "advance") if !rest.is_empty() => clause!("gap.advanceObject"),
        (OperationKind::GetInvoice, field::COLLECTION_STATE) => {
            clause!("gap.collectionThresholds")
        }
        (OperationKind::SetPayoutAccount, "mask") => clause!("gap.mask"),
        (OperationKind::SyncBusiness, field::TAX_ID_RESULT) if !rest.is_empty() => {
            clause!("gap.taxIdResult")
        }
        (OperationKind::Subscribe, field::EVENT_TYPES | "url" | "createdAt") => {
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
