//! Defects of identity: identifiers, businesses as read and synced, platforms, keys.

use tideover_model::wire::reply::Reply;
use tideover_model::wire::route::segment;
use tideover_model::words::{ComplianceRoute, TaxIdOutcome};
use tideover_model::{
    Answer, BusinessDetails, Code, Happening, Impossible, Operation, Outcome, PlatformId, Refusal,
    clause,
};

use crate::defects::Defect;
use crate::defects::breach::{Behind, Breach, answer, authentication, happening, operation, reply};

pub(super) static DEFECTS: &[Defect] = &[
    Defect::new(
        "encoded-identifier-is-not-decoded",
        clause!("1.general.2"),
        "a business whose identifier must be percent-encoded in the path is never found",
        operation(|operation| {
            if let Operation::GetBusiness { business } = operation {
                *business = segment(business).into_owned();
            }
        }),
    )
    .named_as(clause!("7.codes.business_not_found")),
    altered!("identifier-is-returned-encoded", "2.business.externalId",
        Business(business) => business.external_id = segment(&business.external_id).into_owned(),
        "the identifier of a business is returned percent-encoded"),
    Defect::new(
        "synced-identifier-ends-at-a-slash",
        clause!("2.businessSynced.externalId"),
        "the response to a business sync cuts the identifier at its first slash",
        reply(|reply| {
            if let Reply::BusinessSynced(synced) = reply {
                let end = synced.external_id.find('/').unwrap_or(synced.external_id.len());
                synced.external_id.truncate(end);
            }
        }),
    ),
    Defect::new(
        "matched-business-is-reported-as-created",
        clause!("2.businessSynced.created"),
        "a new identifier for a business that matches by tax id is reported as a new business",
        answer(|behind, operation| {
            let sends_tax_id = matches!(
                &operation,
                Operation::SyncBusiness { details: BusinessDetails { tax_id: Some(_), .. }, .. }
            );
            let mut answer = behind.answer(operation);
            if let Ok(Reply::BusinessSynced(synced)) = &mut answer
                && sends_tax_id
                && synced.tax_id_result.is_none()
            {
                synced.created = true;
            }
            answer
        }),
    )
    .named_as(clause!("4.businessSync.3")),
    Defect::new(
        "other-platforms-are-not-matched",
        clause!("4.businessSync.3"),
        "a tax id never matches a business that another platform serves",
        answer(|behind, mut operation| {
            if let Operation::SyncBusiness { details, .. } = &mut operation
                && behind.caller != PlatformId::DEFAULT
            {
                details.tax_id = None;
            }
            behind.answer(operation)
        }),
    ),
    Defect::new(
        "matched-without-a-tax-id",
        clause!("4.businessSync.3.2"),
        "a sync without a tax id is linked to a business that another platform gave the same identifier",
        answer(|behind, operation| {
            let mut answer = behind.answer(operation);
            if let Ok(Reply::BusinessSynced(synced)) = &mut answer
                && synced.created
            {
                let name = synced.external_id.clone();
                let read = Operation::GetBusiness { business: name };
                let other = if behind.caller == PlatformId::DEFAULT { 1 } else { 0 };
                let known = behind.face.handle(behind.now, PlatformId(other), read).is_ok();
                synced.created = !known;
            }
            answer
        }),
    ),
    altered!("unchanged-tax-id-has-no-result", "2.businessSynced.taxIdResult",
        BusinessSynced(synced) => synced.tax_id_result.take_if(|result| result.outcome == TaxIdOutcome::Unchanged),
        "a sync with an unchanged tax id is answered without taxIdResult"),
    Defect::new(
        "punctuated-tax-id-is-malformed",
        clause!("2.businessSync.taxId"),
        "a tax id with a hyphen is treated as malformed",
        operation(|operation| {
            if let Operation::SyncBusiness { details, .. } = operation
                && let Some(tax_id) = &mut details.tax_id
            {
                *tax_id = tax_id.replace('-', "x");
            }
        }),
    ),
    Defect::new(
        "short-tax-id-clears-compliance",
        clause!("4.businessSync.2"),
        "a tax id of eight digits is padded with a zero and clears compliance",
        operation(|operation| {
            if let Operation::SyncBusiness { details, .. } = operation
                && let Some(tax_id) = &mut details.tax_id
                && tax_id.chars().filter(char::is_ascii_digit).count() == 8
                && !tax_id.contains(char::is_alphabetic)
            {
                tax_id.push('0');
            }
        }),
    ),
    Defect::new(
        "wrong-tax-id-is-not-corrected",
        clause!("4.businessSync.1.2"),
        "compliance stays cleared after the tax id turns out to be wrong",
        happening(|behind, happening| match happening {
            Happening::TaxIdFoundWrong { .. } => Ok(Outcome::Applied),
            happening => behind.happen(happening),
        }),
    ),
    Defect::new(
        "first-name-sticks",
        clause!("4.businessSync.intro.2"),
        "a business keeps its first name, whatever later syncs send",
        answer(|behind, operation| {
            let mut answer = behind.answer(operation);
            if let Ok(Reply::Business(read)) = &mut answer {
                let key = behind.key(&[&read.external_id]);
                let first = behind.memory.first(key, Reply::Business(read.clone()));
                if let Reply::Business(first) = first {
                    read.name = first.name;
                }
            }
            answer
        }),
    ),
    Defect::new(
        "name-is-lost-in-a-resync",
        clause!("4.businessSync.intro.2"),
        "a business has no name after its third sync",
        answer(|behind, operation| {
            let synced = match &operation {
                Operation::SyncBusiness { business, .. } => Some(behind.key(&[business])),
                _ => None,
            };
            let mut answer = behind.answer(operation);
            if let Some(synced) = synced.filter(|_| answer.is_ok()) {
                behind.memory.count(&synced);
            }
            if let Ok(Reply::Business(read)) = &mut answer
                && behind.memory.counted(&behind.key(&[&read.external_id])) >= 3
            {
                read.name = None;
            }
            answer
        }),
    ),
    altered!("tax-id-of-a-w9-is-not-on-file", "2.business.taxIdOnFile",
        Business(business) if business.compliance_route == Some(ComplianceRoute::W9Upload) => business.tax_id_on_file = false,
        "taxIdOnFile is false although the vendor has sent a W-9"),
    altered!("vendor-is-said-to-have-confirmed", "2.business.complianceRoute.2",
        Business(business) if business.onboarding.contract && business.compliance_route == Some(ComplianceRoute::PartnerSupplied) => business.compliance_route = Some(ComplianceRoute::VendorAssertion),
        "a tax id from the caller is shown as asserted by the vendor once the agreement is signed"),
    Defect::new(
        "business-is-created-without-being-synced",
        clause!("7.codes.business_not_found"),
        "reading a business that is not synced returns an empty one",
        answer(|behind, operation| match operation {
            Operation::GetBusiness { business } => {
                let read = Operation::GetBusiness { business: business.clone() };
                match behind.answer(read) {
                    Err(refusal) if refusal.code == Code::BusinessNotFound => unknown(&business),
                    answer => answer,
                }
            }
            operation => behind.answer(operation),
        }),
    ),
    Defect::new(
        "other-platforms-businesses-are-read",
        clause!("5.authentication.4"),
        "reading a business that the caller has not synced returns that of the first platform",
        answer(|behind, operation| match &operation {
            Operation::GetBusiness { .. } => read_anywhere(behind, operation),
            _ => behind.answer(operation),
        }),
    ),
    Defect::new(
        "other-platforms-invoices-are-read",
        clause!("5.authentication.4.2"),
        "a platform can read an invoice of another platform by its identifiers",
        answer(|behind, operation| match &operation {
            Operation::GetInvoice { .. } => read_anywhere(behind, operation),
            _ => behind.answer(operation),
        }),
    )
    .named_as(clause!("5.authentication.4")),
    Defect::new(
        "other-platforms-subscriptions-are-deleted",
        clause!("5.authentication.4.2"),
        "a platform can delete a subscription of another platform by its reference",
        answer(|behind, operation| {
            let Operation::Unsubscribe { .. } = &operation else {
                return behind.answer(operation);
            };
            behind.answer(operation.clone()).or_else(|refusal| {
                let other = PlatformId(1 - behind.caller.0.min(1));
                behind.face.handle(behind.now, other, operation).map_err(|_| refusal)
            })
        }),
    ),
    Defect::new(
        "reports-are-read-without-a-key",
        clause!("5.authentication.1"),
        "the report of an import can be read without a key",
        Breach {
            authentication: Some(|face, authorization| match authorization {
                None => Ok(NOBODY),
                Some(_) => face.authenticate(authorization),
            }),
            ..answer(|behind, operation| match (behind.caller, &operation) {
                (NOBODY, Operation::GetImport { .. }) => {
                    behind.face.handle(behind.now, PlatformId::DEFAULT, operation)
                }
                (NOBODY, _) => Err(unauthorized()),
                _ => behind.answer(operation),
            })
        },
    )
    .named_as(clause!("5.authentication.3")),
    Defect::new(
        "revoked-keys-stay-good",
        clause!("5.authentication.3.3"),
        "a revoked key is still accepted",
        authentication(|face, authorization| {
            let known = face.platform_of(authorization).filter(|_| authorization.is_some());
            known.ok_or_else(unauthorized)
        }),
    ),
    Defect::new(
        "scheme-is-not-looked-at",
        clause!("5.authentication.1"),
        "a key is accepted without the word Bearer before it",
        authentication(|face, authorization| {
            let with_scheme = authorization.map(|key| format!("Bearer {key}"));
            face.authenticate(authorization).or_else(|_| face.authenticate(with_scheme.as_deref()))
        }),
    )
    .named_as(clause!("5.authentication.3")),
    Defect::new(
        "second-key-is-not-issued",
        clause!("5.authentication.2"),
        "a platform that has a key cannot be issued another",
        happening(|behind, happening| match happening {
            Happening::IssueKey { platform: None } => {
                Err(Impossible::new("there is a key already"))
            }
            happening => behind.happen(happening),
        }),
    ),
    Defect::new(
        "test-accounts-are-refused",
        clause!("5.authentication.5"),
        "the operator cannot mark a business as a test account",
        happening(|behind, happening| match happening {
            Happening::MarkTestAccount { .. } => Err(Impossible::new("there are no test accounts")),
            happening => behind.happen(happening),
        }),
    ),
];

/// The platform of a caller without a key.
const NOBODY: PlatformId = PlatformId(u32::MAX);

fn unauthorized() -> Refusal {
    Refusal::new(Code::Unauthorized, clause!("5.authentication.3"))
}

/// Reads as the caller or, if the caller can't, as the first platform.
fn read_anywhere(behind: &mut Behind<'_>, operation: Operation) -> Answer {
    match behind.answer(operation.clone()) {
        Err(refusal) if refusal.code == Code::BusinessNotFound => {
            behind.face.handle(behind.now, PlatformId::DEFAULT, operation).map_err(|_| refusal)
        }
        answer => answer,
    }
}

/// An empty business in the response; nothing is stored.
fn unknown(business: &str) -> Answer {
    use tideover_model::wire::reply::{Business, Onboarding};
    let onboarding =
        Onboarding { compliance: false, contract: false, bank: false, collection_account: false };
    Ok(Reply::Business(Business {
        external_id: business.to_owned(),
        name: None,
        tax_id_on_file: false,
        compliance_route: None,
        onboarding,
        remittance: None,
    }))
}
