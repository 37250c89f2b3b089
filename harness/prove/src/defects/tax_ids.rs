//! Defects of tax ids: matching, compliance, the result in the response.

use tideover_model::wire::reply::{Business, BusinessSynced, Reply, TaxIdResult};
use tideover_model::words::{ComplianceRoute, TaxIdOutcome};
use tideover_model::{Answer, BusinessDetails, Operation, clause, tax_id_digits};

use crate::defects::Defect;
use crate::defects::breach::{Behind, answer};

pub(super) static DEFECTS: &[Defect] = &[
    Defect::new(
        "tax-ids-are-matched-as-they-are-spelled",
        clause!("2.businessSync.taxId"),
        "a tax id matches a business only if both were sent with the same punctuation",
        answer(|behind, mut operation| {
            if let Operation::SyncBusiness { business, details } = &mut operation
                && let Some(sent) = details.tax_id.clone()
            {
                let (digits, spelled) = (tax_id_digits(&sent), format!("spelled {sent}"));
                let known = is_known(behind, business);
                let is_new_spelling = behind.memory.count(&spelled) == 1;
                if behind.memory.count(&digits) > 1 && is_new_spelling && !known {
                    details.tax_id = None;
                }
            }
            behind.answer(operation)
        }),
    )
    .named_as(clause!("4.businessSync.3")),
    Defect::new(
        "new-business-has-a-tax-id-result",
        clause!("2.businessSynced.taxIdResult"),
        "the response to the sync that creates a business has a taxIdResult",
        answer(|behind, operation| {
            with_result(behind, operation, |synced, sent| synced.created && sent.is_some())
        }),
    ),
    Defect::new(
        "tax-id-result-is-returned-unasked",
        clause!("2.businessSynced.taxIdResult"),
        "the response to a sync of a known business without a tax id has a taxIdResult",
        answer(|behind, operation| {
            with_result(behind, operation, |synced, sent| !synced.created && sent.is_none())
        }),
    ),
    Defect::new(
        "tax-id-is-replaced",
        clause!("4.businessSync.2"),
        "a tax id that differs from the one on file replaces it",
        answer(|behind, operation| {
            let sent = tax_id(&operation).map(|sent| tax_id_digits(&sent));
            let mut answer = behind.answer(operation);
            if let (Ok(Reply::BusinessSynced(synced)), Some(sent)) = (&mut answer, sent) {
                let outcome = synced.tax_id_result.as_ref().map(|result| result.outcome);
                if outcome == Some(TaxIdOutcome::Differs) {
                    behind.memory.count(&sent);
                }
                if synced.created && behind.memory.counted(&sent) > 0 {
                    synced.created = false;
                    synced.reason = "The tax id matched an existing business.";
                }
            }
            answer
        }),
    ),
    Defect::new(
        "tax-id-is-forgotten-in-a-resync",
        clause!("2.businessSync.taxId"),
        "a business that is synced without its tax id loses the one on file",
        answer(|behind, operation| {
            let synced = match &operation {
                Operation::SyncBusiness { business, .. } => Some(behind.key(&[business])),
                _ => None,
            };
            let without = synced.is_some() && tax_id(&operation).is_none();
            let mut answer = behind.answer(operation);
            if let Some(synced) = synced.filter(|_| answer.is_ok()) {
                behind.memory.forget(&synced);
                if without {
                    behind.memory.note(synced, behind.now);
                }
            }
            if let Ok(Reply::Business(business)) = &mut answer
                && is_noted(behind, business)
                && business.compliance_route == Some(ComplianceRoute::PartnerSupplied)
            {
                business.tax_id_on_file = false;
                business.compliance_route = None;
                business.onboarding.compliance = false;
            }
            answer
        }),
    )
    .named_as(clause!("4.businessSync.intro.2")),
    Defect::new(
        "route-of-a-confirmed-tax-id-stays",
        clause!("2.business.complianceRoute.2"),
        "a tax id from the caller is still shown as such after the vendor confirms it",
        answer(|behind, operation| {
            let mut answer = behind.answer(operation);
            if let Ok(Reply::Business(business)) = &mut answer {
                if business.compliance_route == Some(ComplianceRoute::PartnerSupplied) {
                    let key = behind.key(&[&business.external_id]);
                    behind.memory.note(key, behind.now);
                }
                if is_noted(behind, business) && business.compliance_route.is_some() {
                    business.compliance_route = Some(ComplianceRoute::PartnerSupplied);
                }
            }
            answer
        }),
    ),
];

fn tax_id(operation: &Operation) -> Option<String> {
    match operation {
        Operation::SyncBusiness { details: BusinessDetails { tax_id, .. }, .. } => tax_id.clone(),
        _ => None,
    }
}

fn is_known(behind: &mut Behind<'_>, business: &str) -> bool {
    behind.answer(Operation::GetBusiness { business: business.to_owned() }).is_ok()
}

fn is_noted(behind: &Behind<'_>, business: &Business) -> bool {
    behind.memory.noted(&behind.key(&[&business.external_id])).is_some()
}

/// Adds a tax id result to the response of a business sync where `applies` holds.
fn with_result(
    behind: &mut Behind<'_>,
    operation: Operation,
    applies: fn(&BusinessSynced, Option<&String>) -> bool,
) -> Answer {
    let sent = tax_id(&operation);
    let mut answer = behind.answer(operation);
    if let Ok(Reply::BusinessSynced(synced)) = &mut answer
        && applies(synced, sent.as_ref())
    {
        let result = TaxIdResult { outcome: TaxIdOutcome::Unchanged };
        synced.tax_id_result.get_or_insert(result);
    }
    answer
}
