//! Defects of identity: identifiers, businesses as read and synced, platforms, keys.

use tideover_model::wire::reply::{Business, Onboarding, Reply};
use tideover_model::wire::route::segment;
use tideover_model::words::{ComplianceRoute, TaxIdOutcome};
use tideover_model::{Answer, Code, Impossible, Operation, Outcome, PlatformId, Refusal, clause};

use crate::Inner;
use crate::hooks::{answer, authentication};
defects! {
    "encoded-identifier-is-not-decoded", "1.general.2", as "7.codes.business_not_found",
        "a business whose identifier must be percent-encoded in the path is never found",
        request!(GetBusiness { business } => *business = segment(business).into_owned());
    "identifier-is-returned-encoded", "2.business.externalId",
        "the identifier of a business is returned percent-encoded",
        edit!(Business(business) =>
            business.external_id = segment(&business.external_id).into_owned());
    "synced-identifier-ends-at-a-slash", "2.businessSynced.externalId",
        "the response to a business sync cuts the identifier at its first slash",
        edit!(BusinessSynced(synced) => {
            let end = synced.external_id.find('/').unwrap_or(synced.external_id.len());
            synced.external_id.truncate(end);
        });
    "matched-business-is-reported-as-created", "2.businessSynced.created", as "4.businessSync.3",
        "a new identifier for a business that matches by tax id is reported as a new business",
        after!(|inner, sends_tax_id| Operation::SyncBusiness { details, .. } => details.tax_id.is_some(),
            BusinessSynced(synced) if sends_tax_id && synced.tax_id_result.is_none() =>
                synced.created = true);
    "other-platforms-are-not-matched", "4.businessSync.3",
        "a tax id never matches a business that another platform serves",
        answer(&|inner, mut operation| {
            if let Operation::SyncBusiness { details, .. } = &mut operation
                && inner.caller != PlatformId::DEFAULT
            {
                details.tax_id = None;
            }
            inner.answer(operation)
        });
    "matched-without-a-tax-id", "4.businessSync.3.2",
        "a sync without a tax id is linked to a business that another platform gave the same identifier",
        edit!(|inner| BusinessSynced(synced) if synced.created => {
            let read = Operation::GetBusiness { business: synced.external_id.clone() };
            synced.created = inner.answer_to(other_than(inner.caller), read).is_err();
        });
    "unchanged-tax-id-has-no-result", "2.businessSynced.taxIdResult",
        "a sync with an unchanged tax id is answered without taxIdResult",
        edit!(BusinessSynced(synced) =>
            synced.tax_id_result.take_if(|result| result.outcome == TaxIdOutcome::Unchanged));
    "punctuated-tax-id-is-malformed", "2.businessSync.taxId",
        "a tax id with a hyphen is treated as malformed",
        request!(SyncBusiness { details, .. } let Some(tax_id) = &mut details.tax_id, =>
            *tax_id = tax_id.replace('-', "x"));
    "short-tax-id-clears-compliance", "4.businessSync.2",
        "a tax id of eight digits is padded with a zero and clears compliance",
        request!(SyncBusiness { details, .. }
            let Some(tax_id) = &mut details.tax_id,
            if tax_id.chars().filter(char::is_ascii_digit).count() == 8
                && !tax_id.contains(char::is_alphabetic) => tax_id.push('0'));
    "wrong-tax-id-is-not-corrected", "4.businessSync.1.2",
        "compliance stays cleared after the tax id turns out to be wrong",
        happens!(TaxIdFoundWrong { .. } => Ok(Outcome::Applied));
    "first-name-sticks", "4.businessSync.intro.2",
        "a business keeps its first name, whatever later syncs send",
        edit!(|inner| Business(read) => {
            let key = inner.key(&[&read.external_id]);
            if let Reply::Business(first) = inner.memory.first(key, Reply::Business(read.clone())) {
                read.name = first.name;
            }
        });
    "name-is-lost-in-a-resync", "4.businessSync.intro.2",
        "a business has no name after its third sync",
        answer(&|inner, operation| {
            let synced = match &operation {
                Operation::SyncBusiness { business, .. } => Some(inner.key(&[business])),
                _ => None,
            };
            let mut answer = inner.answer(operation);
            if let Some(synced) = synced.filter(|_| answer.is_ok()) {
                inner.memory.count(&synced);
            }
            if let Ok(Reply::Business(read)) = &mut answer
                && inner.counted(&[&read.external_id]) >= 3
            {
                read.name = None;
            }
            answer
        });
    "tax-id-of-a-w9-is-not-on-file", "2.business.taxIdOnFile",
        "taxIdOnFile is false although the vendor has sent a W-9",
        edit!(Business(business)
            if business.compliance_route == Some(ComplianceRoute::W9Upload) =>
            business.tax_id_on_file = false);
    "vendor-is-said-to-have-confirmed", "2.business.complianceRoute.2",
        "a tax id from the caller is shown as asserted by the vendor once the agreement is signed",
        edit!(Business(business)
            if business.onboarding.contract
                && business.compliance_route == Some(ComplianceRoute::PartnerSupplied) =>
            business.compliance_route = Some(ComplianceRoute::VendorAssertion));
    "business-is-created-without-being-synced", "7.codes.business_not_found",
        "reading a business that is not synced returns an empty one",
        despite!(|inner, business| Operation::GetBusiness { business } => business.clone(),
            BusinessNotFound => unknown(business));
    "other-platforms-businesses-are-read", "5.authentication.4",
        "reading a business that the caller has not synced returns that of the first platform",
        answer(&|inner, operation| match &operation {
            Operation::GetBusiness { .. } => read_anywhere(inner, operation),
            _ => inner.answer(operation),
        });
    "other-platforms-invoices-are-read", "5.authentication.4.2", as "5.authentication.4",
        "a platform can read an invoice of another platform by its identifiers",
        answer(&|inner, operation| match &operation {
            Operation::GetInvoice { .. } => read_anywhere(inner, operation),
            _ => inner.answer(operation),
        });
    "other-platforms-subscriptions-are-deleted", "5.authentication.4.2",
        "a platform can delete a subscription of another platform by its reference",
        answer(&|inner, operation| {
            let Operation::Unsubscribe { .. } = &operation else {
                return inner.answer(operation);
            };
            inner.answer(operation.clone()).or_else(|refusal| {
                inner.answer_to(other_than(inner.caller), operation).map_err(|_| refusal)
            })
        });
    "reports-are-read-without-a-key", "5.authentication.1", as "5.authentication.3",
        "the report of an import can be read without a key",
        authentication(&|face, authorization| match authorization {
            None => Ok(NOBODY),
            Some(_) => face.authenticate(authorization),
        })
        .and_answer(&|inner, operation| match (inner.caller, &operation) {
            (NOBODY, Operation::GetImport { .. }) => {
                inner.answer_to(PlatformId::DEFAULT, operation)
            }
            (NOBODY, _) => Err(unauthorized()),
            _ => inner.answer(operation),
        });
    "revoked-keys-stay-good", "5.authentication.3.3",
        "a revoked key is still accepted",
        authentication(&|face, authorization| {
            let known = face.platform_of(authorization).filter(|_| authorization.is_some());
            known.ok_or_else(unauthorized)
        });
    "scheme-is-not-looked-at", "5.authentication.1", as "5.authentication.3",
        "a key is accepted without the word Bearer before it",
        authentication(&|face, authorization| {
            let with_scheme = authorization.map(|key| format!("Bearer {key}"));
            face.authenticate(authorization).or_else(|_| face.authenticate(with_scheme.as_deref()))
        });
    "second-key-is-not-issued", "5.authentication.2",
        "a platform that has a key cannot be issued another",
        happens!(IssueKey { platform: None } => Err(Impossible::new("there is a key already")));
    "test-accounts-are-refused", "5.authentication.5",
        "the operator cannot mark a business as a test account",
        happens!(MarkTestAccount { .. } => Err(Impossible::new("there are no test accounts")));
}

/// The platform of a caller without a key.
const NOBODY: PlatformId = PlatformId(u32::MAX);

fn unauthorized() -> Refusal {
    Refusal::new(Code::Unauthorized, clause!("5.authentication.3"))
}

/// Reads as the caller or, if the caller can't, as the first platform.
fn read_anywhere(inner: &mut Inner<'_>, operation: Operation) -> Answer {
    match inner.answer(operation.clone()) {
        Err(refusal) if refusal.code == Code::BusinessNotFound => {
            inner.answer_to(PlatformId::DEFAULT, operation).map_err(|_| refusal)
        }
        answer => answer,
    }
}

/// The platform that does not call, of the first two.
pub(super) fn other_than(caller: PlatformId) -> PlatformId {
    PlatformId(1 - caller.0.min(1))
}

/// An empty business in the response; nothing is stored.
fn unknown(external_id: String) -> Answer {
    let onboarding =
        Onboarding { compliance: false, contract: false, bank: false, collection_account: false };
    Ok(Reply::Business(Business {
        external_id,
        name: None,
        tax_id_on_file: false,
        compliance_route: None,
        onboarding,
        remittance: None,
    }))
}
