//! Businesses, and each platform's relationship with them (§4 `PUT` and `GET /v1/organizations`).

use serde::{Deserialize, Serialize};

use crate::cents::Cents;
use crate::choices::Choices;
use crate::face::Answer;
use crate::happening::{Impossible, Outcome};
use crate::identity::{BusinessId, PlatformId, RelationshipId};
use crate::operation::{BusinessDetails, Contact, Party};
use crate::readings::Reading;
use crate::service::payout_accounts::PayoutAccount;
use crate::service::requirements::{Agreement, CollectionAccount};
use crate::service::subscriptions::EventSubject;
use crate::service::{Service, UNSYNCED};
use crate::tax_id::TaxId;
use crate::timestamp::Timestamp;
use crate::wire::reply;
use crate::wire::reply::{Reply, TaxIdResult};
use crate::words::{ComplianceRoute, EventType, TaxIdOutcome};

/// A business: the state that all its platforms share (`gap.sharedBusiness`).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Business {
    /// Every identifier linked to it, in order: an index of `Service::relationships`.
    #[serde(skip)]
    pub(super) relationships: Vec<RelationshipId>,
    pub(super) tax_id: Option<TaxId>,
    pub(super) compliance: Option<ComplianceRoute>,
    pub(super) agreement: Option<Box<Agreement>>,
    pub(super) payout_account: Option<Box<PayoutAccount>>,
    pub(super) collection_account: CollectionAccount,
    /// The unrecovered part of its advances, without fees: an index that `Service::owe` maintains. Cents.
    pub(super) outstanding: Cents,
    pub(super) test_account: bool,
    /// The first platform's business with the same tax id, if platforms do not share all of it
    /// (`gap.sharedBusiness`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) limited_with: Option<BusinessId>,
    /// The other platforms' businesses that are limited with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) others: Vec<BusinessId>,
    /// The last tax id that came for it and that another business held, if that makes the two one party
    /// (`gap.selfDealing`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) held_elsewhere: Option<TaxId>,
    /// The last tax id that was found wrong, if it clears nothing any more (`gap.wrongTaxIdStruck`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) found_wrong: Option<TaxId>,
}

impl Business {
    fn unknown_until_now() -> Business {
        Business {
            relationships: Vec::new(),
            tax_id: None,
            compliance: None,
            agreement: None,
            payout_account: None,
            collection_account: CollectionAccount::Closed { attempts: 0 },
            outstanding: Cents::ZERO,
            test_account: false,
            limited_with: None,
            others: Vec::new(),
            held_elsewhere: None,
            found_wrong: None,
        }
    }
}

/// The target of a platform's identifier: a business, and this platform's own data about it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Relationship {
    pub(super) business: BusinessId,
    /// Whether the vendor has claimed its account with this platform (§4 invitations).
    pub(super) claimed: bool,
    /// Whether an invoice created it, and no event says that it exists (`gap.eventCauses`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) is_unannounced: bool,
    pub(super) details: Box<Details>,
}

/// A platform's data about a business. Rarely needed, so kept apart from the data of every request.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Details {
    pub(super) name: String,
    /// From business syncs; its address can open a collection account.
    pub(super) contact: Contact,
    /// From invoices; it opens nothing (`gap.partyTaxIdAndContact`).
    pub(super) filed_contact: Contact,
}

/// What a tax id matches.
#[derive(Clone, Copy)]
pub(super) enum Match {
    /// The business itself.
    Same(BusinessId),
    /// One that only another platform has onboarded.
    Known(BusinessId),
}

/// How an identifier got its business.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LinkKind {
    /// The business is new.
    Created,
    /// Its tax id matched a business that another identifier names.
    Matched,
    /// The identifier already named the business.
    Already,
}

impl<C: Choices> Service<C> {
    /// `GET /v1/organizations/{externalId}`: with onboarding, which shows whether a tax id cleared compliance
    /// (`4.businessSync.2.2`), and remittance (`4.business.1`, `3.onboarding.4.2`).
    pub(super) fn get_business(&self, caller: PlatformId, external_id: &str) -> Answer {
        let id = self.known_relationship(caller, external_id, UNSYNCED)?;
        Ok(Reply::Business(self.business_shown(id, external_id)))
    }

    pub(super) fn business_shown(&self, id: RelationshipId, external_id: &str) -> reply::Business {
        let relationship = self.relationship(id);
        let business = self.business(relationship.business);
        reply::Business {
            external_id: external_id.to_owned(),
            name: Some(relationship.details.name.clone()),
            tax_id_on_file: business.tax_id.is_some(),
            compliance_route: business.compliance,
            onboarding: business.onboarding(),
            remittance: business.remittance().cloned(),
        }
    }

    /// `PUT /v1/organizations/{externalId}`: creates or updates a business (`4.businessSync.intro.1`) with
    /// the latest values (`4.businessSync.intro.2`).
    pub(super) fn sync_business(
        &mut self,
        now: Timestamp,
        caller: PlatformId,
        external_id: String,
        details: BusinessDetails,
    ) -> Reply {
        let tax_id = details.tax_id.as_deref().map(|text| self.parsed_tax_id(text));
        let (id, linked) = self.link(caller, &external_id, &details.legal_name, tax_id.flatten());
        if linked != LinkKind::Already || self.relationship(id).is_unannounced {
            self.announce(now, id);
        }
        let relationship = &mut self.relationships[id.0];
        relationship.details.name = details.legal_name;
        relationship.details.contact.update(details.contact);
        let business = relationship.business;
        let outcome = self.take_details(now, business, tax_id);
        Reply::BusinessSynced(reply::BusinessSynced {
            external_id,
            created: linked == LinkKind::Created,
            reason: sync_reason(linked, outcome),
            tax_id_result: outcome
                .filter(|_| linked == LinkKind::Already)
                .map(|outcome| TaxIdResult { outcome }),
        })
    }

    /// Creates the business that an invoice names as a party, or adds missing details to a known one
    /// (`gap.syncedParty`). What its tax id clears and its contact opens is a reading
    /// (`gap.partyTaxIdAndContact`).
    pub(super) fn link_party(
        &mut self,
        now: Timestamp,
        caller: PlatformId,
        Party { business: external_id, details }: Party,
    ) -> RelationshipId {
        let readings = self.profile.readings;
        let tax_id = details.tax_id.as_deref().map(|text| self.parsed_tax_id(text));
        let (id, linked) = self.link(caller, &external_id, &details.legal_name, tax_id.flatten());
        match linked {
            LinkKind::Already => {}
            _ if readings.parties_are_announced => self.announce(now, id),
            _ => self.relationships[id.0].is_unannounced = true,
        }
        let known = &mut self.relationships[id.0].details;
        if !readings.parties_keep_names {
            known.name = details.legal_name;
        }
        if details.contact != Contact::default() {
            let of_syncs = !readings.party_contact_only_filed;
            let filed = if of_syncs { &mut known.contact } else { &mut known.filed_contact };
            let mut contact = details.contact;
            contact.update(std::mem::take(filed));
            *filed = contact;
        }
        let business = self.relationship(id).business;
        let clearing = tax_id.filter(|_| !readings.party_tax_id_only_filed);
        if let (None, Some(tax_id)) = (clearing, tax_id.flatten()) {
            self.file_tax_id(business, tax_id);
        }
        if clearing.is_some() || !readings.party_contact_only_filed {
            self.take_details(now, business, clearing);
        }
        id
    }

    /// Applies the tax id that was sent for a business, `Some(None)` if it is malformed, and goes on with its onboarding.
    fn take_details(
        &mut self,
        now: Timestamp,
        id: BusinessId,
        tax_id: Option<Option<TaxId>>,
    ) -> Option<TaxIdOutcome> {
        let was_complete = self.business(id).onboarding().is_complete();
        let outcome = tax_id.map(|tax_id| self.clear_with_tax_id(id, tax_id));
        self.announce_completion(now, id, was_complete);
        self.proceed_with_onboarding(now, id);
        outcome
    }

    /// The tax id in `text`, unless it is malformed (`gap.taxIdForm`).
    pub(super) fn parsed_tax_id(&self, text: &str) -> Option<TaxId> {
        TaxId::parse(text).filter(|one| self.profile.readings.any_nine_digits || one.has_prefix())
    }

    /// `6.events.organization.added`
    fn announce(&mut self, now: Timestamp, id: RelationshipId) {
        self.relationships[id.0].is_unannounced = false;
        self.emit(now, EventType::BusinessAdded, EventSubject::Business(id));
    }

    /// The relationship that `external_id` names, created if it is new. A tax id that a business already has
    /// links a new identifier to that business (`4.businessSync.3`, `gap.businessMatching`,
    /// `gap.oneTaxIdTwoIdentifiers`); without a tax id, nothing matches (`4.businessSync.3.2`).
    fn link(
        &mut self,
        caller: PlatformId,
        external_id: &str,
        legal_name: &str,
        tax_id: Option<TaxId>,
    ) -> (RelationshipId, LinkKind) {
        if let Some(known) = self.find_relationship(caller, external_id) {
            return (known, LinkKind::Already);
        }
        let matched = tax_id.and_then(|tax_id| self.matched_by(caller, tax_id));
        let business = match matched {
            None => self.add_business(),
            Some(Match::Same(business)) => business,
            Some(Match::Known(business)) => self.add_known_business(business),
        };
        let relationship = Relationship {
            business,
            claimed: false,
            is_unannounced: false,
            details: Box::new(Details {
                name: legal_name.to_owned(),
                contact: Contact::default(),
                filed_contact: Contact::default(),
            }),
        };
        let id = RelationshipId(self.relationships.add(caller.0, external_id, relationship));
        self.business_mut(business).relationships.push(id);
        (id, if matched.is_some() { LinkKind::Matched } else { LinkKind::Created })
    }

    /// Whether a platform has an identifier for a business.
    pub(super) fn is_linked_to(&self, business: BusinessId, platform: PlatformId) -> bool {
        let linked = &self.business(business).relationships;
        linked.iter().any(|one| self.relationships.owner(one.0) == platform.0)
    }

    pub(super) fn add_business(&mut self) -> BusinessId {
        let id = BusinessId(
            u32::try_from(self.businesses.len()).expect("more than four billion businesses"),
        );
        self.businesses.push(Business::unknown_until_now());
        id
    }

    /// Applies the tax id of a business sync: it clears compliance (`4.businessSync.1`), or fails to
    /// (`4.businessSync.2`).
    fn clear_with_tax_id(&mut self, id: BusinessId, tax_id: Option<TaxId>) -> TaxIdOutcome {
        let Some(tax_id) = tax_id else {
            self.reject_tax_id(id, Reading::KeptByMalformed);
            return TaxIdOutcome::Malformed;
        };
        if self.business(id).found_wrong == Some(tax_id) {
            return TaxIdOutcome::Malformed;
        }
        self.file_tax_id(id, tax_id);
        let on_file = self.business(id).tax_id;
        if on_file != Some(tax_id) {
            self.reject_tax_id(id, Reading::KeptByUnlike);
            return on_file.map_or(TaxIdOutcome::HeldByAnother, |_| TaxIdOutcome::Differs);
        }
        let compliance = &mut self.business_mut(id).compliance;
        if compliance.is_some() {
            return TaxIdOutcome::Unchanged;
        }
        *compliance = Some(ComplianceRoute::PartnerSupplied);
        TaxIdOutcome::Accepted
    }

    /// A tax id that clears nothing may take compliance away (`gap.rejectedTaxId`).
    fn reject_tax_id(&mut self, id: BusinessId, reading: Reading) {
        if self.business(id).compliance.is_some() && !self.reads_so(reading) {
            self.business_mut(id).compliance = None;
        }
    }

    /// Files a tax id if the business has none and no other business has it.
    pub(super) fn file_tax_id(&mut self, id: BusinessId, tax_id: TaxId) {
        if self.business(id).tax_id.is_some() {
            return;
        }
        if *self.by_tax_id.entry(tax_id).or_insert(id) == id {
            self.business_mut(id).tax_id = Some(tax_id);
        } else if !self.reads_so(Reading::DistinctParties) {
            self.business_mut(id).held_elsewhere = Some(tax_id);
        }
    }

    /// Whether two businesses are one, or count as one for their tax id (`gap.selfDealing`).
    pub(super) fn are_one_party(&self, one: BusinessId, other: BusinessId) -> bool {
        let number = |id: BusinessId| {
            let business = self.business(id);
            business.tax_id.or(business.held_elsewhere)
        };
        one == other || number(one).is_some() && number(one) == number(other)
    }

    /// Removes the tax id from file.
    pub(super) fn strike_tax_id(&mut self, id: BusinessId) {
        let struck = self.business_mut(id).tax_id.take();
        if let Some(tax_id) = struck.filter(|tax_id| self.by_tax_id.get(tax_id) == Some(&id)) {
            self.by_tax_id.remove(&tax_id);
        }
    }

    /// §5 rule 5 (`5.authentication.5`).
    pub(super) fn mark_test_account(
        &mut self,
        platform: PlatformId,
        external_id: &str,
    ) -> Result<Outcome, Impossible> {
        let id = self.named_relationship(platform, external_id)?;
        let business = self.relationship(id).business;
        self.business_mut(business).test_account = true;
        Ok(Outcome::Applied)
    }
}

/// `2.businessSynced.created.2`
fn sync_reason(linked: LinkKind, tax_id: Option<TaxIdOutcome>) -> &'static str {
    match (linked, tax_id) {
        (LinkKind::Created, None) => "A new business; no tax id was sent, so none was matched.",
        (LinkKind::Created, Some(TaxIdOutcome::Malformed)) => {
            "A new business; the tax id is malformed, so compliance is not cleared."
        }
        (LinkKind::Created, Some(_)) => "A new business; its tax id clears compliance.",
        (LinkKind::Matched, _) => {
            "The tax id matched an existing business, which this identifier now names."
        }
        (LinkKind::Already, None) => "The identifier was already linked; the business was updated.",
        (LinkKind::Already, Some(TaxIdOutcome::Accepted)) => {
            "The identifier was already linked; the tax id clears compliance."
        }
        (LinkKind::Already, Some(TaxIdOutcome::Unchanged)) => {
            "The identifier was already linked; the tax id was already on file."
        }
        (LinkKind::Already, Some(TaxIdOutcome::Malformed)) => {
            "The identifier was already linked; the tax id is malformed, so compliance is not cleared by it."
        }
        (LinkKind::Already, Some(TaxIdOutcome::Differs)) => {
            "The identifier was already linked; a different tax id is on file, so the one sent was not taken."
        }
        (LinkKind::Already, Some(TaxIdOutcome::HeldByAnother)) => {
            "The identifier was already linked; another business holds the tax id, so it was not taken."
        }
    }
}
