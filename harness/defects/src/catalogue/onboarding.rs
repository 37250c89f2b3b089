//! Defects of onboarding: requirements, payout account, links.

use tideover_model::wire::reply::{Invited, Onboarding, PayoutAccountSet, Reply};
use tideover_model::{
    Address, Contact, Happening, Impossible, Operation, Outcome, PlatformId, Token,
};

use crate::hooks::{answer, choice, happening};
use crate::{Inner, WrongChoice};

const DAY: u64 = 86_400;

/// Reports an impossible happening as applied, without any change.
macro_rules! permitted {
    ($happening:ident, $permitted:expr) => {
        happening(&|inner, happening| {
            let is_it = matches!(happening, Happening::$happening { .. });
            let permitted: fn(&Impossible) -> bool = $permitted;
            match inner.happen(happening) {
                Err(why) if is_it && permitted(&why) => Ok(Outcome::Applied),
                outcome => outcome,
            }
        })
    };
}

defects! {
    "contract-is-met-by-accepting", "3.requirement.contract",
        "the contract requirement is met as soon as the vendor accepts its invitation",
        edit!(|inner| Business(business) if inner.counted(&[&business.external_id]) > 0 =>
            business.onboarding.contract = true)
        .and_happening(&remember_acceptance);
    "bank-is-met-by-accepting", "3.requirement.bank",
        "the bank requirement is met as soon as the vendor accepts its invitation",
        edit!(|inner| Business(business) if inner.counted(&[&business.external_id]) > 0 =>
            business.onboarding.bank = true)
        .and_happening(&remember_acceptance);
    "address-of-the-agreement-is-not-read", "3.requirement.collectionAccount.3", as "3.requirement.collectionAccount",
        "the address on the signed agreement does not open the collection account",
        happening(&|inner, mut happening| {
            if let Happening::VendorSignsAgreement { address, .. } = &mut happening {
                *address = Address::default();
            }
            inner.happen(happening)
        });
    "address-of-the-contact-is-not-read", "3.requirement.collectionAccount.3", as "gap.eventCauses",
        "the address of the synced contact does not open the collection account",
        request!(SyncBusiness { details, .. } => details.contact.address = Address::default());
    "contact-is-replaced-as-a-whole", "2.businessSync.contact.2", as "gap.eventCauses",
        "syncing a contact without an address clears the earlier address",
        request!(SyncBusiness { details, .. }
            if details.contact != Contact::default() && details.contact.address.is_empty() =>
            details.contact.address.line1 = Some(String::new()));
    "bank-waits-for-the-contract", "3.onboarding.1", as "3.requirement.bank",
        "the bank requirement is shown as unmet until the contract is signed",
        edit!(Business(business) => business.onboarding.bank &= business.onboarding.contract);
    "compliance-is-met-without-a-tax-id", "3.requirement.compliance",
        "a business without a tax id is shown as compliant",
        edit!(Business(business) if !business.tax_id_on_file => business.onboarding.compliance = true);
    "account-is-met-too-early", "3.requirement.collectionAccount",
        "collectionAccount is shown as met as soon as the other three requirements are",
        edit!(Business(business) =>
            business.onboarding.collection_account = is_ready_for_its_account(business.onboarding));
    "agreement-is-signed-uninvited", "3.requirement.contract.2",
        "a vendor that has accepted no invitation can sign the agreement",
        permitted!(VendorSignsAgreement, |_| true);
    "remittance-is-hidden-from-the-second-platform", "3.onboarding.4.2",
        "of two platforms that share a business, only the first sees its collection account",
        edit!(|inner| Business(business) if inner.caller != PlatformId::DEFAULT =>
            business.remittance = None);
    "remittance-moves-after-a-day", "2.remittance.intro.2",
        "the collection account of a business changes a day after it is first shown",
        edit!(|inner| Business(business) let Some(remittance) = &mut business.remittance, => {
            let key = inner.key(&[&business.external_id]);
            if inner.now >= inner.memory.first_noted(key, inner.now).after(DAY) {
                remittance.account_number.push('1');
            }
        });
    "payout-account-is-named-after-nobody", "2.payoutAccount.externalId",
        "the response to the second payout account of a business has the identifier in upper case",
        edit!(|inner| PayoutAccountSet(PayoutAccountSet { external_id, .. })
            if inner.memory.count(&inner.key(&[external_id])) > 1 =>
            *external_id = external_id.to_uppercase());
    "mask-is-cut-short", "2.payoutAccount.mask",
        "the mask of an account number of 17 digits is empty",
        after!(|inner, digits| Operation::SetPayoutAccount { account_number, .. } => account_number.len(),
            PayoutAccountSet(set) if digits == 17 => set.mask.clear());
    "vendor-overwrites-the-payout-account", "4.payoutAccount.3",
        "a vendor can link a bank account although the caller has set a payout account",
        permitted!(VendorAddsBankAccount, |_| true);
    "check-digit-is-not-checked", "4.payoutAccount.4.3",
        "nine digits are accepted as a routing number with any check digit",
        request!(SetPayoutAccount { routing_number, .. }
            if routing_number.len() == 9
                && routing_number.bytes().all(|byte| byte.is_ascii_digit()) =>
            *routing_number = "021000021".to_owned());
    "address-without-a-domain-is-invited", "4.invitations.7",
        "an e-mail address that ends with its at sign can be invited",
        request!(Invite { email, .. } if email.ends_with('@') => email.push_str("unknown.example"));
    "invitation-lives-too-long", "2.invitation.expiresAt",
        "a repeated invitation expires 31 days after it was sent",
        after!(|inner, key| Operation::Invite { business, email } => inner.key(&[business, email]),
            Invited(Invited { expires_at, .. }) if inner.memory.count(&key) > 1 =>
                *expires_at = expires_at.after(DAY));
    "invitation-is-not-reissued", "4.invitations.10", as "2.invitation.expiresAt",
        "a repeated invitation expires when the first one does",
        answer(&|inner, operation| {
            let key = match &operation {
                Operation::Invite { business, email } => inner.key(&[business, email]),
                _ => return inner.answer(operation),
            };
            let reply = inner.answer(operation)?;
            Ok(inner.memory.first(key, reply))
        });
    "one-invitation-for-everybody", "2.invitation.inviteId",
        "every invitation has the same inviteId",
        choice(WrongChoice::Same(Token::Invitation));
    "used-invitation-works-again", "4.invitations.11",
        "an invitation link works more than once",
        permitted!(VendorAcceptsInvitation, |why| why.0.contains("used already"));
    "invitation-never-expires", "8.invitationLife", as "4.invitations.11",
        "an invitation link still works after 30 days",
        permitted!(VendorAcceptsInvitation, |why| why.0.contains("expired"));
    "one-session-link-for-everybody", "2.session.url", as "4.sessions.6",
        "every onboarding session has the same link",
        choice(WrongChoice::Same(Token::SessionLink));
    "session-lives-too-long", "2.session.expiresAt",
        "the link of an onboarding session expires after half an hour",
        edit!(SessionCreated(session) => session.expires_at = session.expires_at.after(900));
    "invitation-to-nobody", "4.invitations.6",
        "a business that is not synced can be invited",
        despite!(|inner, _ignored| Operation::Invite { .. } => (), BusinessNotFound => {
            let expires_at = inner.now.after(30 * DAY);
            Ok(Reply::Invited(Invited { invite_id: "inv_of_nobody".to_owned(), expires_at }))
        });
}

/// Whether all that the collection account waits for is there.
pub(super) fn is_ready_for_its_account(onboarding: Onboarding) -> bool {
    onboarding.compliance && onboarding.contract && onboarding.bank
}

fn remember_acceptance(inner: &mut Inner<'_>, happening: Happening) -> Result<Outcome, Impossible> {
    let accepting = match &happening {
        Happening::VendorAcceptsInvitation { payee, .. } => Some(inner.key(&[payee])),
        _ => None,
    };
    let outcome = inner.happen(happening)?;
    if let Some(payee) = accepting {
        inner.memory.count(&payee);
    }
    Ok(outcome)
}
