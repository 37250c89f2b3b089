//! Defects of onboarding: requirements, payout account, links.

use tideover_model::wire::reply::{Invited, Onboarding, PayoutAccountSet, Reply};
use tideover_model::{
    Address, Answer, Code, Contact, Happening, Impossible, Operation, Outcome, PlatformId,
    Timestamp, Token, clause,
};

use crate::defects::Defect;
use crate::defects::breach::{Behind, answer, choice, happening, operation, reply};
use crate::defects::chosen::Skew;

const DAY: u64 = 86_400;

pub(super) static DEFECTS: &[Defect] = &[
    Defect::new(
        "contract-is-met-by-accepting",
        clause!("3.requirement.contract"),
        "the contract requirement is met as soon as the vendor accepts its invitation",
        answer(|behind, operation| {
            once_accepted(behind, operation, |onboarding| onboarding.contract = true)
        })
        .and_happening(remember_acceptance),
    ),
    Defect::new(
        "bank-is-met-by-accepting",
        clause!("3.requirement.bank"),
        "the bank requirement is met as soon as the vendor accepts its invitation",
        answer(|behind, operation| {
            once_accepted(behind, operation, |onboarding| onboarding.bank = true)
        })
        .and_happening(remember_acceptance),
    ),
    Defect::new(
        "address-of-the-agreement-is-not-read",
        clause!("3.requirement.collectionAccount.3"),
        "the address on the signed agreement does not open the collection account",
        happening(|behind, mut happening| {
            if let Happening::VendorSignsAgreement { address, .. } = &mut happening {
                *address = Address::default();
            }
            behind.happen(happening)
        }),
    )
    .named_as(clause!("3.requirement.collectionAccount")),
    Defect::new(
        "address-of-the-contact-is-not-read",
        clause!("3.requirement.collectionAccount.3"),
        "the address of the synced contact does not open the collection account",
        operation(|operation| {
            if let Operation::SyncBusiness { details, .. } = operation {
                details.contact.address = Address::default();
            }
        }),
    )
    .named_as(clause!("7.codes.business_not_eligible")),
    Defect::new(
        "contact-is-replaced-as-a-whole",
        clause!("2.businessSync.contact.2"),
        "syncing a contact without an address clears the earlier address",
        operation(|operation| {
            if let Operation::SyncBusiness { details, .. } = operation
                && details.contact != Contact::default()
                && details.contact.address.is_empty()
            {
                details.contact.address.line1 = Some(String::new());
            }
        }),
    )
    .named_as(clause!("gap.eventCauses")),
    altered!("bank-waits-for-the-contract", "3.onboarding.1",
        Business(business) => business.onboarding.bank &= business.onboarding.contract,
        "the bank requirement is shown as unmet until the contract is signed")
    .named_as(clause!("3.requirement.bank")),
    altered!("compliance-is-met-without-a-tax-id", "3.requirement.compliance",
        Business(business) if !business.tax_id_on_file => business.onboarding.compliance = true,
        "a business without a tax id is shown as compliant"),
    Defect::new(
        "account-is-met-too-early",
        clause!("3.requirement.collectionAccount"),
        "collectionAccount is shown as met as soon as the other three requirements are",
        reply(|reply| {
            if let Reply::Business(business) = reply {
                let onboarding = &mut business.onboarding;
                onboarding.collection_account =
                    onboarding.compliance && onboarding.contract && onboarding.bank;
            }
        }),
    ),
    Defect::new(
        "agreement-is-signed-uninvited",
        clause!("3.requirement.contract.2"),
        "a vendor that has accepted no invitation can sign the agreement",
        happening(|behind, happening| {
            let signing = matches!(happening, Happening::VendorSignsAgreement { .. });
            permitted_if(signing, behind, happening)
        }),
    ),
    Defect::new(
        "remittance-is-hidden-from-the-second-platform",
        clause!("3.onboarding.4.2"),
        "of two platforms that share a business, only the first sees its collection account",
        answer(|behind, operation| {
            let mut answer = behind.answer(operation);
            if let Ok(Reply::Business(business)) = &mut answer
                && behind.caller != PlatformId::DEFAULT
            {
                business.remittance = None;
            }
            answer
        }),
    ),
    Defect::new(
        "remittance-moves-after-a-day",
        clause!("2.remittance.intro.2"),
        "the collection account of a business changes a day after it is first shown",
        answer(|behind, operation| {
            let mut answer = behind.answer(operation);
            if let Ok(Reply::Business(business)) = &mut answer
                && let Some(remittance) = &mut business.remittance
            {
                let key = behind.key(&[&business.external_id]);
                let first = behind.memory.noted(&key).unwrap_or(behind.now);
                behind.memory.note(key, first);
                if behind.now >= first.after(DAY) {
                    remittance.account_number.push('1');
                }
            }
            answer
        }),
    ),
    Defect::new(
        "payout-account-is-named-after-nobody",
        clause!("2.payoutAccount.externalId"),
        "the response to the second payout account of a business has the identifier in upper case",
        answer(|behind, operation| {
            let mut answer = behind.answer(operation);
            if let Ok(Reply::PayoutAccountSet(PayoutAccountSet { external_id, .. })) = &mut answer
                && behind.memory.count(&behind.key(&[external_id])) > 1
            {
                *external_id = external_id.to_uppercase();
            }
            answer
        }),
    ),
    Defect::new(
        "mask-is-cut-short",
        clause!("2.payoutAccount.mask"),
        "the mask of an account number of 17 digits is empty",
        answer(|behind, operation| {
            let longest = matches!(
                &operation,
                Operation::SetPayoutAccount { account_number, .. } if account_number.len() == 17
            );
            let mut answer = behind.answer(operation);
            if let Ok(Reply::PayoutAccountSet(set)) = &mut answer
                && longest
            {
                set.mask.clear();
            }
            answer
        }),
    ),
    Defect::new(
        "vendor-overwrites-the-payout-account",
        clause!("4.payoutAccount.3"),
        "a vendor can link a bank account although the caller has set a payout account",
        happening(|behind, happening| {
            let linking = matches!(happening, Happening::VendorAddsBankAccount { .. });
            permitted_if(linking, behind, happening)
        }),
    ),
    Defect::new(
        "check-digit-is-not-checked",
        clause!("4.payoutAccount.4.3"),
        "nine digits are accepted as a routing number with any check digit",
        answer(|behind, mut operation| {
            if let Operation::SetPayoutAccount { routing_number, .. } = &mut operation
                && routing_number.len() == 9
                && routing_number.bytes().all(|byte| byte.is_ascii_digit())
            {
                *routing_number = "021000021".to_owned();
            }
            behind.answer(operation)
        }),
    ),
    Defect::new(
        "address-without-a-domain-is-invited",
        clause!("4.invitations.7"),
        "an e-mail address that ends with its at sign can be invited",
        answer(|behind, mut operation| {
            if let Operation::Invite { email, .. } = &mut operation
                && email.ends_with('@')
            {
                email.push_str("unknown.example");
            }
            behind.answer(operation)
        }),
    ),
    Defect::new(
        "invitation-lives-too-long",
        clause!("2.invitation.expiresAt"),
        "a repeated invitation expires 31 days after it was sent",
        answer(|behind, operation| {
            let key = match &operation {
                Operation::Invite { business, email } => behind.key(&[business, email]),
                _ => return behind.answer(operation),
            };
            let mut answer = behind.answer(operation);
            if let Ok(Reply::Invited(Invited { expires_at, .. })) = &mut answer
                && behind.memory.count(&key) > 1
            {
                *expires_at = expires_at.after(DAY);
            }
            answer
        }),
    ),
    Defect::new(
        "invitation-is-not-reissued",
        clause!("4.invitations.10"),
        "a repeated invitation expires when the first one does",
        answer(|behind, operation| {
            let key = match &operation {
                Operation::Invite { business, email } => behind.key(&[business, email]),
                _ => return behind.answer(operation),
            };
            let reply = behind.answer(operation)?;
            Ok(behind.memory.first(key, reply))
        }),
    )
    .named_as(clause!("2.invitation.expiresAt")),
    Defect::new(
        "one-invitation-for-everybody",
        clause!("2.invitation.inviteId"),
        "every invitation has the same inviteId",
        choice(Skew::Same(Token::Invitation)),
    ),
    Defect::new(
        "used-invitation-works-again",
        clause!("4.invitations.11"),
        "an invitation link works more than once",
        happening(|behind, happening| match happening {
            Happening::VendorAcceptsInvitation { .. } => match behind.happen(happening) {
                Err(why) if why.0.contains("used already") => Ok(Outcome::Applied),
                outcome => outcome,
            },
            happening => behind.happen(happening),
        }),
    ),
    Defect::new(
        "invitation-never-expires",
        clause!("8.invitationLife"),
        "an invitation link still works after 30 days",
        happening(|behind, happening| match happening {
            Happening::VendorAcceptsInvitation { .. } => match behind.happen(happening) {
                Err(why) if why.0.contains("expired") => Ok(Outcome::Applied),
                outcome => outcome,
            },
            happening => behind.happen(happening),
        }),
    )
    .named_as(clause!("4.invitations.11")),
    Defect::new(
        "one-session-link-for-everybody",
        clause!("2.session.url"),
        "every onboarding session has the same link",
        choice(Skew::Same(Token::SessionLink)),
    )
    .named_as(clause!("4.sessions.6")),
    Defect::new(
        "session-lives-too-long",
        clause!("2.session.expiresAt"),
        "the link of an onboarding session expires after half an hour",
        reply(|reply| {
            if let Reply::SessionCreated(session) = reply {
                let expires_at: Timestamp = session.expires_at;
                session.expires_at = expires_at.after(900);
            }
        }),
    ),
    Defect::new(
        "invitation-to-nobody",
        clause!("4.invitations.6"),
        "a business that is not synced can be invited",
        answer(|behind, operation| {
            let inviting = matches!(operation, Operation::Invite { .. });
            match behind.answer(operation) {
                Err(refusal) if inviting && refusal.code == Code::BusinessNotFound => {
                    let invite_id = "inv_of_nobody".to_owned();
                    Ok(Reply::Invited(Invited {
                        invite_id,
                        expires_at: behind.now.after(30 * DAY),
                    }))
                }
                answer => answer,
            }
        }),
    ),
];

/// Alters the onboarding of a business whose vendor has accepted an invitation.
fn once_accepted(
    behind: &mut Behind<'_>,
    operation: Operation,
    alter: fn(&mut Onboarding),
) -> Answer {
    let mut answer = behind.answer(operation);
    if let Ok(Reply::Business(business)) = &mut answer
        && behind.memory.counted(&behind.key(&[&business.external_id])) > 0
    {
        alter(&mut business.onboarding);
    }
    answer
}

fn remember_acceptance(
    behind: &mut Behind<'_>,
    happening: Happening,
) -> Result<Outcome, Impossible> {
    let accepting = match &happening {
        Happening::VendorAcceptsInvitation { payee, .. } => Some(behind.key(&[payee])),
        _ => None,
    };
    let outcome = behind.happen(happening)?;
    if let Some(payee) = accepting {
        behind.memory.count(&payee);
    }
    Ok(outcome)
}

/// Reports an impossible happening as applied, without any change.
fn permitted_if(
    permitted: bool,
    behind: &mut Behind<'_>,
    happening: Happening,
) -> Result<Outcome, Impossible> {
    let outcome = behind.happen(happening);
    if permitted { outcome.or(Ok(Outcome::Applied)) } else { outcome }
}
