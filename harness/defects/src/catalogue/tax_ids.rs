//! Defects of tax ids: matching, compliance, the result in the response.

use tideover_model::wire::reply::{Business, BusinessSynced, Reply, TaxIdResult};
use tideover_model::words::{ComplianceRoute, TaxIdOutcome};
use tideover_model::{BusinessDetails, Operation, tax_id_digits};

use crate::Inner;
use crate::hooks::answer;

defects! {
    "tax-ids-are-matched-as-they-are-spelled", "2.businessSync.taxId", as "4.businessSync.3",
        "a tax id matches a business only if both were sent with the same punctuation",
        answer(&|inner, mut operation| {
            if let Operation::SyncBusiness { business, details } = &mut operation
                && let Some(sent) = details.tax_id.clone()
            {
                let (digits, spelled) = (tax_id_digits(&sent), format!("spelled {sent}"));
                let known = inner.business(business).is_some();
                let is_new_spelling = inner.memory.count(&spelled) == 1;
                if inner.memory.count(&digits) > 1 && is_new_spelling && !known {
                    details.tax_id = None;
                }
            }
            inner.answer(operation)
        });
    "new-business-has-a-tax-id-result", "2.businessSynced.taxIdResult",
        "the response to the sync that creates a business has a taxIdResult",
        after!(|inner, sent| Operation::SyncBusiness { details, .. } => details.tax_id.is_some(),
            BusinessSynced(synced) if synced.created && sent => add_result(synced));
    "tax-id-result-is-returned-unasked", "2.businessSynced.taxIdResult",
        "the response to a sync of a known business without a tax id has a taxIdResult",
        after!(|inner, sent| Operation::SyncBusiness { details, .. } => details.tax_id.is_some(),
            BusinessSynced(synced) if !synced.created && !sent => add_result(synced));
    "tax-id-is-replaced", "4.businessSync.2",
        "a tax id that differs from the one on file replaces it",
        answer(&|inner, operation| {
            let sent = tax_id(&operation).map(|sent| tax_id_digits(&sent));
            let mut answer = inner.answer(operation);
            if let (Ok(Reply::BusinessSynced(synced)), Some(sent)) = (&mut answer, sent) {
                let outcome = synced.tax_id_result.as_ref().map(|result| result.outcome);
                if outcome == Some(TaxIdOutcome::Differs) {
                    inner.memory.count(&sent);
                }
                if synced.created && inner.memory.counted(&sent) > 0 {
                    synced.created = false;
                    synced.reason = "The tax id matched an existing business.";
                }
            }
            answer
        });
    "tax-id-is-forgotten-in-a-resync", "2.businessSync.taxId", as "4.businessSync.intro.2",
        "a business that is synced without its tax id loses the one on file",
        answer(&|inner, operation| {
            let synced = match &operation {
                Operation::SyncBusiness { business, .. } => Some(inner.key(&[business])),
                _ => None,
            };
            let without = synced.is_some() && tax_id(&operation).is_none();
            let mut answer = inner.answer(operation);
            if let Some(synced) = synced.filter(|_| answer.is_ok()) {
                inner.memory.forget(&synced);
                if without {
                    inner.memory.note(synced, inner.now);
                }
            }
            if let Ok(Reply::Business(business)) = &mut answer
                && is_noted(inner, business)
                && business.compliance_route == Some(ComplianceRoute::PartnerSupplied)
            {
                business.tax_id_on_file = false;
                business.compliance_route = None;
                business.onboarding.compliance = false;
            }
            answer
        });
    "route-of-a-confirmed-tax-id-stays", "2.business.complianceRoute.2",
        "a tax id from the caller is still shown as such after the vendor confirms it",
        edit!(|inner| Business(business) => {
            if business.compliance_route == Some(ComplianceRoute::PartnerSupplied) {
                let key = inner.key(&[&business.external_id]);
                inner.memory.note(key, inner.now);
            }
            if is_noted(inner, business) && business.compliance_route.is_some() {
                business.compliance_route = Some(ComplianceRoute::PartnerSupplied);
            }
        });
}

fn tax_id(operation: &Operation) -> Option<String> {
    match operation {
        Operation::SyncBusiness { details: BusinessDetails { tax_id, .. }, .. } => tax_id.clone(),
        _ => None,
    }
}

fn is_noted(inner: &Inner<'_>, business: &Business) -> bool {
    inner.memory.noted(&inner.key(&[&business.external_id])).is_some()
}

fn add_result(synced: &mut BusinessSynced) {
    let result = TaxIdResult { outcome: TaxIdOutcome::Unchanged };
    synced.tax_id_result.get_or_insert(result);
}
