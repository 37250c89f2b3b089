//! What platforms share about a business that its tax id has matched (`4.businessSync.3`, `gap.sharedBusiness`).
//!
//! If they share everything, it is one [`Business`]. Otherwise each platform, or each identifier, has its own, with the
//! same limit (`8.concentrationLimit`), and a change of what they share reaches the others.

use crate::choices::Choices;
use crate::identity::{BusinessId, PlatformId};
use crate::readings::Reading;
use crate::service::Service;
use crate::service::businesses::{Business, Match};
use crate::service::requirements::CollectionAccount;
use crate::service::timers::Timer;
use crate::tax_id::TaxId;
use crate::timestamp::Timestamp;

/// What platforms share, besides the limit.
struct Shared {
    compliance: bool,
    agreement: bool,
    payout_account: bool,
    collection_account: bool,
}

impl<C: Choices> Service<C> {
    /// The business that a new identifier with this tax id names.
    pub(super) fn matched_by(&mut self, caller: PlatformId, tax_id: TaxId) -> Option<Match> {
        let holder = *self.by_tax_id.get(&tax_id)?;
        // Another platform's business with the number, of which the caller has its own, is the caller's second one, too.
        let own = self.all_with(holder).find(|one| self.is_linked_to(*one, caller));
        if let Some(own) = own {
            if !self.reads_so(Reading::MergedIdentifiers) {
                return None;
            }
            if self.reads_so(Reading::UndividedIdentifiers) {
                return Some(Match::Same(own));
            }
        }
        let Shared { compliance, agreement, payout_account, collection_account } = self.shared();
        let is_whole = compliance && agreement && payout_account && collection_account;
        Some(if is_whole { Match::Same(holder) } else { Match::Known(holder) })
    }

    /// A platform's own business for one that another platform has: it begins with what they share.
    pub(super) fn add_known_business(&mut self, known: BusinessId) -> BusinessId {
        let id = self.add_business();
        let first = self.limited(known);
        let Business { tax_id, compliance, .. } = *self.business(known);
        let business = self.business_mut(id);
        business.tax_id = tax_id;
        business.compliance = compliance;
        business.limited_with = Some(first);
        self.business_mut(first).others.push(id);
        self.copy_shared(known, id);
        id
    }

    /// The business whose outstanding amount counts for the limit of `id` (`8.concentrationLimit`).
    pub(super) fn limited(&self, id: BusinessId) -> BusinessId {
        self.business(id).limited_with.unwrap_or(id)
    }

    /// The businesses that count for one limit.
    fn all_with(&self, id: BusinessId) -> impl Iterator<Item = BusinessId> {
        let first = self.limited(id);
        std::iter::once(first).chain(self.business(first).others.iter().copied())
    }

    /// Passes on what platforms share after a change of `id`.
    pub(super) fn share(&mut self, now: Timestamp, id: BusinessId) {
        let others: Vec<BusinessId> = self.all_with(id).filter(|other| *other != id).collect();
        for other in others {
            let was_complete = self.business(other).onboarding().is_complete();
            if self.copy_shared(id, other) {
                self.announce_completion(now, other, was_complete);
                self.verify_account(now, other);
            }
        }
    }

    /// Gives `to` what `from` has and they share. Returns whether that changes it.
    fn copy_shared(&mut self, from: BusinessId, to: BusinessId) -> bool {
        let shared = self.shared();
        let before = self.business(to).onboarding();
        if shared.compliance {
            self.copy_compliance(from, to);
        }
        let Business { agreement, payout_account, collection_account, .. } =
            self.business(from).clone();
        let is_open = matches!(collection_account, CollectionAccount::Open { .. });
        if shared.collection_account && is_open {
            if let CollectionAccount::Verifying { opens_at, .. } =
                self.business(to).collection_account
            {
                self.clear_timer(opens_at, Timer::AccountOpens(to));
            }
            self.business_mut(to).collection_account = collection_account;
        }
        let business = self.business_mut(to);
        if shared.agreement && agreement.is_some() {
            business.agreement = agreement;
        }
        if shared.payout_account && payout_account.is_some() {
            business.payout_account = payout_account;
        }
        self.business(to).onboarding() != before
    }

    /// Gives `to` the number of `from`, and what it clears.
    fn copy_compliance(&mut self, from: BusinessId, to: BusinessId) {
        if self.business(to).tax_id != self.business(from).tax_id {
            self.strike_tax_id(to);
        }
        let Business { tax_id, compliance, found_wrong, .. } = *self.business(from);
        let business = self.business_mut(to);
        business.tax_id = tax_id;
        business.compliance = compliance;
        business.found_wrong = found_wrong;
    }

    fn shared(&mut self) -> Shared {
        Shared {
            compliance: self.reads_so(Reading::SharedCompliance),
            agreement: self.reads_so(Reading::SharedAgreement),
            payout_account: self.reads_so(Reading::SharedPayoutAccount),
            collection_account: self.reads_so(Reading::SharedCollectionAccount),
        }
    }
}
