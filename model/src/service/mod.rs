//! The whole state machine.
//!
//! Every operation has the same structure: first all refusals in order of precedence, so that none follows a
//! mutation (`7.retrying.2`); then the mutation; then the events, in the order of the document's table; then
//! the reply.

mod advances;
mod audit;
mod businesses;
mod collections;
mod completion;
mod deliveries;
mod eligibility;
mod imports;
mod invitations;
mod invoices;
mod ledger;
mod normal_form;
mod onboarding;
mod overview;
mod payout_accounts;
mod platforms;
mod quotes;
mod requirements;
mod series;
mod settled;
mod sharing;
mod snapshot;
mod subscriptions;
mod timers;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use crate::cents::Cents;
use crate::choices::{Choices, Seeded, Token};
use crate::clause;
use crate::clause::Clause;
use crate::delivery::{Attempt, Cause, Consequence, Delivery, Receipt};
use crate::destination::Destinations;
use crate::face::{Answer, Face, IssuedKey, Unbalanced};
use crate::happening::{Happening, Impossible, Outcome};
use crate::identity::{BusinessId, InvoiceId, PlatformId, RelationshipId, SubscriptionId};
use crate::operation::Operation;
use crate::profile::Profile;
use crate::readings::Reading;
use crate::refusal::{Code, Refusal};
use crate::rows::Rows;
use crate::secret::Secret;
use crate::shared::Shared;
use crate::table::Table;
use crate::tax_id::TaxId;
use crate::timestamp::Timestamp;
use crate::wire::overview::{Overview, Size, Wanted};

use businesses::{Business, Relationship};
use deliveries::Deliveries;
use imports::Import;
use invitations::{Invitation, SessionLink};
use invoices::Invoice;
use ledger::Ledger;
pub use platforms::bearer;
use platforms::{Key, Platform};
use series::Series;
use settled::Settled;
use subscriptions::Subscription;
use timers::Timer;

/// The sentence that refuses a business that the caller has not synced, where an operation has none of its own.
const UNSYNCED: Clause = clause!("7.codes.business_not_found");

/// The same for an invoice.
const UNSYNCED_INVOICE: Clause = clause!("7.codes.invoice_not_found");

/// The service: its whole state and behaviour.
///
/// ```
/// use tideover_model::{Face, Operation, PlatformId, Profile, Seeded, Service, Timestamp};
///
/// let mut service = Service::new(Profile::default(), Seeded { seed: 1 });
/// let now = Timestamp::parse("2026-01-01T00:00:00Z").unwrap();
/// let question = Operation::GetBusiness { business: "acme".into() };
/// let refusal = service.handle(now, PlatformId::DEFAULT, question).unwrap_err();
/// assert_eq!(refusal.code.name(), "business_not_found");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Service<C = Seeded> {
    profile: Settled<Arc<Profile>>,
    destinations: Settled<Destinations>,
    choices: C,
    untouched_choices: Settled<C>,
    platforms: Shared<Vec<Platform>>,
    keys: Shared<BTreeMap<Secret, Key>>,
    businesses: Rows<Business>,
    by_tax_id: Shared<BTreeMap<TaxId, BusinessId>>,
    relationships: Table<Relationship>,
    invoices: Table<Invoice>,
    imports: Shared<BTreeMap<(PlatformId, String), Shared<Import>>>,
    invitations: Shared<BTreeMap<(RelationshipId, String), Invitation>>,
    session_links: Shared<BTreeMap<Secret, SessionLink>>,
    subscriptions: Shared<BTreeMap<SubscriptionId, Subscription>>,
    /// The number of subscriptions ever created.
    subscribed: u32,
    most_subscriptions: Settled<usize>,
    deliveries: Shared<Deliveries>,
    timers: Shared<BTreeSet<(Timestamp, Timer)>>,
    outbox: VecDeque<Arc<Delivery>>,
    ledger: Ledger,
    /// Cents that payors paid for invoices without an advance: they all belong to the vendors.
    unadvanced: Cents,
    minted: Shared<BTreeMap<Token, u64>>,
    /// Tells its names from those of other worlds with the same seed, and from those before a reset.
    series: Series,
    failing_requests: u32,
}

impl<C: Choices> Service<C> {
    /// A service with only one platform, whose key is [`Service::FIRST_KEY`].
    pub fn new(profile: Profile, choices: C) -> Service<C> {
        Service::fresh(Arc::new(profile), Destinations::Public, choices)
    }

    /// The same service, with webhooks that may go to `destinations`.
    #[must_use]
    pub fn sending_to(self, destinations: Destinations) -> Service<C> {
        Service { destinations: Settled(destinations), ..self }
    }

    /// The same service, which lets so many subscriptions be live at a time. Default: any number.
    #[must_use]
    pub fn subscribing(self, most: usize) -> Service<C> {
        Service { most_subscriptions: Settled(most), ..self }
    }

    /// Changes where webhooks may go.
    pub fn send_to(&mut self, destinations: Destinations) {
        self.destinations = Settled(destinations);
    }

    fn fresh(profile: Arc<Profile>, destinations: Destinations, choices: C) -> Service<C> {
        Service {
            deliveries: Deliveries::new(profile.webhooks.at_once).into(),
            profile: Settled(profile),
            destinations: Settled(destinations),
            untouched_choices: Settled(choices.clone()),
            choices,
            platforms: vec![Platform::named(platforms::FIRST_PLATFORM)].into(),
            keys: BTreeMap::from([(
                platforms::FIRST_KEY.to_owned().into(),
                Key::of(PlatformId::DEFAULT),
            )])
            .into(),
            businesses: Rows::default(),
            by_tax_id: Shared::default(),
            relationships: Table::default(),
            invoices: Table::default(),
            imports: Shared::default(),
            invitations: Shared::default(),
            session_links: Shared::default(),
            subscriptions: Shared::default(),
            subscribed: 0,
            most_subscriptions: Settled(usize::MAX),
            timers: Shared::default(),
            outbox: VecDeque::new(),
            ledger: Ledger::default(),
            unadvanced: Cents::ZERO,
            minted: Shared::default(),
            series: Series::default(),
            failing_requests: 0,
        }
    }

    /// The source of its choices.
    pub fn choices_mut(&mut self) -> &mut C {
        &mut self.choices
    }

    /// How it reads what can be read in two ways.
    fn reads_so(&mut self, reading: Reading) -> bool {
        self.choices.reads_so(&self.profile, reading)
    }

    /// Generates a name.
    fn mint(&mut self, purpose: Token) -> String {
        // Whoever holds a key keeps it when a world begins anew, and a mock gives the keys of its worlds other forms.
        let series = if purpose == Token::ApiKey { Series::default() } else { self.series };
        let counter = self.minted.entry(purpose).or_default();
        let token = self.choices.token(purpose, series.name(*counter));
        *counter += 1;
        token
    }

    /// The number of names generated for a purpose.
    fn minted(&self, purpose: Token) -> u64 {
        self.minted.get(&purpose).copied().unwrap_or_default()
    }

    fn business(&self, id: BusinessId) -> &Business {
        &self.businesses[id.0 as usize]
    }

    fn business_mut(&mut self, id: BusinessId) -> &mut Business {
        &mut self.businesses[id.0 as usize]
    }

    fn relationship(&self, id: RelationshipId) -> &Relationship {
        &self.relationships[id.0]
    }

    fn invoice(&self, id: InvoiceId) -> &Invoice {
        &self.invoices[id.0]
    }

    fn invoice_mut(&mut self, id: InvoiceId) -> &mut Invoice {
        &mut self.invoices[id.0]
    }

    /// The relationship that `caller` synced as `external_id`: no caller reaches another one's
    /// (`5.authentication.4`, `5.authentication.4.2`).
    fn find_relationship(&self, caller: PlatformId, external_id: &str) -> Option<RelationshipId> {
        self.relationships.find(caller.0, external_id).map(RelationshipId)
    }

    /// `business_not_found`, by the sentence `unsynced` or, if another platform has the business, by the one that
    /// keeps it from the caller (`5.authentication.4`).
    fn known_relationship(
        &self,
        caller: PlatformId,
        external_id: &str,
        unsynced: Clause,
    ) -> Result<RelationshipId, Refusal> {
        self.find_relationship(caller, external_id).ok_or_else(|| {
            let is_theirs = |other| self.find_relationship(other, external_id).is_some();
            let withheld = self.others(caller).any(is_theirs);
            let clause = if withheld { clause!("5.authentication.4") } else { unsynced };
            Refusal::new(Code::BusinessNotFound, clause)
        })
    }

    /// Every platform but `caller`.
    fn others(&self, caller: PlatformId) -> impl Iterator<Item = PlatformId> + use<'_, C> {
        let all = (0..).zip(self.platforms.iter()).map(|(number, _)| PlatformId(number));
        all.filter(move |platform| *platform != caller)
    }

    fn find_invoice(&self, payee: RelationshipId, external_id: &str) -> Option<InvoiceId> {
        self.invoices.find(payee.0, external_id).map(InvoiceId)
    }

    /// `invoice_not_found`, by the sentence `unsynced` or, if another platform has the invoice with the same vendor,
    /// by the one that keeps it from the caller (`5.authentication.4.2`).
    fn known_invoice(
        &self,
        payee: RelationshipId,
        external_id: &str,
        unsynced: Clause,
    ) -> Result<InvoiceId, Refusal> {
        self.find_invoice(payee, external_id).ok_or_else(|| {
            let platform = self.relationships.owner(payee.0);
            let all = self.business(self.relationship(payee).business).relationships.iter();
            let mut theirs = all.filter(|it| self.relationships.owner(it.0) != platform);
            let withheld = theirs.any(|other| self.find_invoice(*other, external_id).is_some());
            let clause = if withheld { clause!("5.authentication.4.2") } else { unsynced };
            Refusal::new(Code::InvoiceNotFound, clause)
        })
    }

    /// `found`, or a refusal. If both are refusals, that of `found` takes precedence, unless the service
    /// chooses the other (`gap.refusalPrecedence`).
    fn in_precedence<T>(
        &mut self,
        found: Result<T, Refusal>,
        valid: Result<(), Refusal>,
    ) -> Result<T, Refusal> {
        match (found, valid) {
            (Err(first), Err(second)) if !self.choices.refuses_with(first.code) => Err(second),
            (found, valid) => found.and_then(|found| valid.map(|()| found)),
        }
    }

    /// The invoice of a happening.
    fn named_invoice(
        &self,
        platform: PlatformId,
        payee: &str,
        invoice: &str,
    ) -> Result<InvoiceId, Impossible> {
        let payee = self.named_relationship(platform, payee)?;
        self.find_invoice(payee, invoice)
            .ok_or(Impossible::new("no invoice of this payee was synced under this identifier"))
    }

    /// The relationship of a happening.
    fn named_relationship(
        &self,
        platform: PlatformId,
        business: &str,
    ) -> Result<RelationshipId, Impossible> {
        self.find_relationship(platform, business)
            .ok_or(Impossible::new("no business was synced under this identifier"))
    }

    /// Fails, if a failure is scheduled for this request (`7.codes.upstream_failed`).
    fn fail_upstream(&mut self) -> Result<(), Refusal> {
        if self.failing_requests == 0 {
            return Ok(());
        }
        self.failing_requests -= 1;
        Err(Refusal::new(Code::UpstreamFailed, clause!("7.codes.upstream_failed")))
    }

    fn dispatch(&mut self, now: Timestamp, caller: PlatformId, operation: Operation) -> Answer {
        match operation {
            Operation::GetInvoice { payee, invoice } => {
                self.get_invoice(now, caller, &payee, &invoice)
            }
            Operation::SyncInvoice(sync) => Ok(self.sync_invoice(now, caller, *sync)),
            Operation::GetImport { import } => self.get_import(caller, &import),
            Operation::ImportInvoices { import, file } => {
                self.import_invoices(now, caller, import, file)
            }
            Operation::SetPayoutAccount { business, account_number, routing_number, label } => self
                .set_payout_account(now, caller, &business, account_number, routing_number, label),
            Operation::GetBusiness { business } => self.get_business(caller, &business),
            Operation::SyncBusiness { business, details } => {
                Ok(self.sync_business(now, caller, business, details))
            }
            Operation::RequestAdvance { payee, invoice } => {
                self.request_advance(now, caller, &payee, &invoice)
            }
            Operation::Quote { business, face_value } => self.quote(caller, &business, face_value),
            Operation::Invite { business, email } => self.invite(now, caller, &business, email),
            Operation::CreateOnboardingSession { business } => {
                self.create_onboarding_session(now, caller, &business)
            }
            Operation::Subscribe { url, event_types, addresses } => {
                self.subscribe(now, caller, &url, event_types, &addresses)
            }
            Operation::ListSubscriptions => Ok(self.list_subscriptions(caller)),
            Operation::Unsubscribe { reference } => self.unsubscribe(caller, &reference),
        }
    }
}

impl Service {
    /// The API key that exists from the start.
    pub const FIRST_KEY: &str = platforms::FIRST_KEY;
}

impl<C: Choices> Face for Service<C> {
    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn destinations(&self) -> &Destinations {
        &self.destinations
    }

    fn authenticate(&self, authorization: Option<&str>) -> Result<PlatformId, Refusal> {
        self.owner_of_live_key(authorization)
    }

    fn platform_of(&self, authorization: Option<&str>) -> Option<PlatformId> {
        self.owner_of_any_key(authorization)
    }

    fn keys(&self) -> Vec<IssuedKey> {
        self.issued_keys()
    }

    fn handle(&mut self, now: Timestamp, caller: PlatformId, operation: Operation) -> Answer {
        self.known_platform(caller)?;
        self.fail_upstream()?;
        self.dispatch(now, caller, operation)
    }

    fn happen(
        &mut self,
        now: Timestamp,
        platform: PlatformId,
        happening: Happening,
    ) -> Result<Outcome, Impossible> {
        self.known_platform(platform).map_err(|_| Impossible::new("no such platform is known"))?;
        match happening {
            Happening::VendorAcceptsInvitation { payee, email } => {
                self.vendor_accepts_invitation(now, platform, &payee, email)
            }
            Happening::VendorConfirmsTaxId { payee, route, tax_id } => {
                self.vendor_confirms_tax_id(now, platform, &payee, route, tax_id.as_deref())
            }
            Happening::VendorSignsAgreement { payee, address } => {
                self.vendor_signs_agreement(now, platform, &payee, address)
            }
            Happening::VendorAddsBankAccount { payee, account_number, routing_number } => {
                self.vendor_adds_bank_account(now, platform, &payee, account_number, routing_number)
            }
            Happening::CollectionAccountOpens { payee } => {
                self.collection_account_opens(now, platform, &payee)
            }
            Happening::VendorCompletesOnboarding { payee, route, tax_id } => {
                self.vendor_completes_onboarding(now, platform, &payee, route, tax_id)
            }
            Happening::FundingStarts { payee, invoice } => {
                let advance = self.named_advance(platform, &payee, &invoice)?;
                self.funding_starts_early(now, advance)
            }
            Happening::FundingCompletes { payee, invoice } => {
                let advance = self.named_advance(platform, &payee, &invoice)?;
                self.funding_completes_early(now, advance)
            }
            Happening::PayorPays { payee, invoice, amount } => {
                self.payor_pays(now, platform, &payee, &invoice, amount)
            }
            Happening::TaxIdFoundWrong { payee } => self.tax_id_found_wrong(now, platform, &payee),
            Happening::InterruptNextImport { after_rows } => {
                Ok(self.interrupt_next_import(platform, after_rows))
            }
            Happening::VendorOpensSession { url } => self.vendor_opens_session(now, platform, &url),
            Happening::MarkTestAccount { business } => self.mark_test_account(platform, &business),
            Happening::IssueKey { platform: name } => Ok(self.issue_key(platform, name)),
            Happening::RevokeKey { key } => self.revoke_key(&key),
            Happening::UpstreamFails { requests } => {
                self.failing_requests = requests;
                Ok(Outcome::Applied)
            }
            Happening::Reset { repeats } => {
                let (profile, destinations) = (self.profile.0.clone(), self.destinations.0.clone());
                let fresh = Service::fresh(profile, destinations, self.untouched_choices.0.clone());
                let series = if repeats { self.series.first() } else { self.series.next() };
                *self = Service { series, ..fresh.subscribing(*self.most_subscriptions) };
                Ok(Outcome::Applied)
            }
        }
    }

    fn name_as_world(&mut self, number: u32) {
        self.series = Series::of_world(number);
    }

    fn handle_timeout(&mut self, now: Timestamp) {
        self.fire_timers(now);
    }

    fn poll_timeout(&self) -> Option<Timestamp> {
        self.next_timer().into_iter().chain(self.deliveries.next()).min()
    }

    fn poll_delivery(&mut self) -> Option<Arc<Delivery>> {
        self.outbox.pop_front()
    }

    fn poll_attempt(&mut self, now: Timestamp) -> Option<Attempt> {
        self.begin_attempt(now)
    }

    fn handle_receipt(
        &mut self,
        now: Timestamp,
        attempt: &Attempt,
        receipt: Receipt,
    ) -> Consequence {
        self.receive(now, attempt, receipt)
    }

    fn copied(&self) -> Option<Box<dyn Face>> {
        let (choices, untouched) = (self.choices.detached(), self.untouched_choices.0.detached());
        Some(Box::new(Service { choices, untouched_choices: Settled(untouched), ..self.clone() }))
    }

    fn snapshot(&self) -> Option<Vec<u8>> {
        Service::snapshot(self)
    }

    fn is_live(&self, delivery: &Delivery) -> bool {
        self.find_subscription(delivery.platform, &delivery.subscription).is_some()
    }

    fn resend(
        &mut self,
        now: Timestamp,
        delivery: &Arc<Delivery>,
        attempts: u32,
    ) -> Result<(), Impossible> {
        self.send_again(now, delivery, attempts)
    }

    fn reschedule(
        &mut self,
        due: Timestamp,
        cause: Cause,
        delivery: &Arc<Delivery>,
        attempts: u32,
    ) -> Result<(), Impossible> {
        self.send_at(due, cause, delivery, attempts)
    }

    fn gets_every_event(&self, delivery: &Delivery) -> bool {
        let id = self.find_subscription(delivery.platform, &delivery.subscription);
        id.is_some_and(|id| self.subscriptions[&id].gets_every_event())
    }

    fn next_attempt(&self, delivery: &Delivery) -> Option<Timestamp> {
        self.attempt_due(delivery)
    }

    fn audit(&self) -> Result<(), Unbalanced> {
        self.audit_money()
    }

    fn address_lacks(&self, caller: PlatformId, business: &str) -> Option<String> {
        self.missing_of_address(self.find_relationship(caller, business)?)
    }

    fn objections(
        &mut self,
        now: Timestamp,
        caller: PlatformId,
        payee: &str,
        invoice: &str,
    ) -> Result<Vec<Refusal>, Refusal> {
        let payee = self.known_relationship(caller, payee, UNSYNCED)?;
        let id = self.known_invoice(payee, invoice, UNSYNCED_INVOICE)?;
        Ok(self.objections_to(now, id))
    }

    fn overview(&self, now: Timestamp, caller: PlatformId, wanted: Wanted<'_>) -> Overview {
        self.seen(now, caller, wanted)
    }

    fn size(&self) -> Size {
        Size { businesses: self.relationships.len(), invoices: self.invoices.len() }
    }

    fn business_of(&self, caller: PlatformId, business: &str) -> Option<BusinessId> {
        Some(self.relationship(self.find_relationship(caller, business)?).business)
    }
}
