//! A platform: a correct client, written from the document alone.
//!
//! It repeats only what is safe to repeat, recovers a lost webhook secret by the document's three steps, drops
//! repeated deliveries and stale sequences, and takes unknown values for no more than that. Its copy of the
//! service's state comes from answers and webhooks; it reads everything again only after it could have missed
//! webhooks.
//!
//! It is independent on purpose, also where that repeats something: it writes paths and bodies itself, although the model
//! writes them too, and it reads events itself, as the auditor does. A mistake of the model, or of the auditor, must not
//! hide behind the same mistake here.

mod answers;
mod customer;
mod inbox;
mod job;
mod lanes;

use std::collections::{BTreeSet, HashSet};

use foldhash::fast::FixedState;
use tideover_model::SigningKey;
use tideover_model::words::AdvanceState;

use crate::simulation::bugs::Flaw;
use crate::simulation::plan::Plan;
use crate::simulation::queue::{DAY, Moment};
use crate::simulation::reached::Reached;

pub(crate) use customer::{
    BusinessCopy, Customers, InvoiceCopy, invoice_name, vendor_email, vendor_name, vendor_named,
};
pub(crate) use inbox::Post;
pub(crate) use job::{Job, Lane, Request};
use lanes::Lanes;

/// A receiver that was down for longer may have missed webhooks for good (`8.webhookRetryWindow`).
const LONG_SILENCE: Moment = DAY;

/// A platform.
pub(crate) struct Client {
    pub(crate) customers: Customers,
    lanes: Lanes,
    webhooks: Webhooks,
    /// The deliveries that it has received (§6 delivery rule 3).
    received: HashSet<String, FixedState>,
    /// The imports that were interrupted.
    interrupted: BTreeSet<u32>,
    /// When its receiver went down, if it is.
    down_since: Option<Moment>,
    /// When it stops repeating requests for advances that were refused.
    persists_until: Moment,
    flaw: Option<Flaw>,
    /// Whether it took the last answer that it looked at for a success.
    taken: Option<bool>,
    effects: Vec<Effect>,
}

/// A client's subscription.
#[derive(Default)]
struct Webhooks {
    /// The prepared secret, while it is known.
    key: Option<SigningKey>,
    /// Whether it was ever subscribed with a known secret: it syncs nothing before.
    was_live: bool,
}

/// Something that a client does.
pub(crate) enum Effect {
    /// It sends a request.
    Send { lane: Lane, call: u64, job: Job, request: Request },
    /// It asks to be woken.
    Wake { after: Moment, wake: Wake },
    /// It tells the payors of a vendor where to pay.
    Publish { vendor: u32, account: String },
    /// It acts on an event, by the event's id.
    ActOn { event: String },
    /// It reached an interesting state.
    Reach(Reached),
}

/// Why a client is woken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wake {
    /// The platform starts.
    Start,
    /// It syncs a vendor.
    Onboard(u32),
    /// It syncs an invoice.
    Sync(u32, u32),
    /// It corrects an invoice's face value.
    Correct(u32, u32),
    /// It changes an invoice's status.
    Restate(u32, u32),
    /// It wants an advance.
    Want(u32, u32),
    /// It looks at an invoice.
    Look(u32, u32),
    /// It uploads an import.
    Upload(u32),
    /// It repeats a call.
    Repeat(Lane, u64),
    /// It loses its webhook secret.
    LoseSecret,
}

/// The outcome of a request, as the client sees it.
pub(crate) enum Response<'a> {
    /// An answer with this status and body.
    Answered(u16, &'a [u8]),
    /// No answer in time, or one that broke off.
    Unknown,
}

impl Client {
    pub(crate) fn new(plan: &Plan, number: u32, flaw: Option<Flaw>) -> Client {
        Client {
            customers: Customers::of(plan, number),
            lanes: Lanes::default(),
            webhooks: Webhooks::default(),
            received: HashSet::with_hasher(FixedState::default()),
            interrupted: BTreeSet::new(),
            down_since: None,
            persists_until: plan.days * DAY,
            flaw,
            taken: None,
            effects: Vec::new(),
        }
    }

    /// Takes the effects since the last call.
    pub(crate) fn effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    /// Whether it took the answer since the last call for a success, if it looked at one.
    pub(crate) fn conclusion(&mut self) -> Option<bool> {
        self.taken.take()
    }

    /// The state of an advance in its copy, by the identifiers of payee and invoice.
    pub(crate) fn held(&self, payee: &str, invoice: &str) -> Option<AdvanceState> {
        let customer = self.customers.find(self.customers.named(payee)?)?;
        customer.invoices.get(&customer.invoice_named(invoice)?)?.copy.state
    }

    /// Whether it has this planted flaw.
    fn has(&self, flaw: Flaw) -> bool {
        self.flaw == Some(flaw)
    }

    fn reach(&mut self, state: Reached) {
        self.effects.push(Effect::Reach(state));
    }

    fn wake_after(&mut self, after: Moment, wake: Wake) {
        self.effects.push(Effect::Wake { after, wake });
    }

    /// Does what it was to be woken for.
    pub(crate) fn wake(&mut self, plan: &Plan, now: Moment, wake: Wake) {
        match wake {
            Wake::Start => self.add(plan, Lane::Webhooks, Job::Subscribe),
            Wake::Onboard(vendor) => self.add(plan, Lane::Vendor(vendor), Job::SyncBusiness),
            Wake::Sync(vendor, invoice) => {
                if let Some(invoice) = self.customers.invoice_mut(vendor, invoice) {
                    invoice.begun = true;
                }
                self.add(plan, Lane::Vendor(vendor), Job::SyncInvoice(invoice));
            }
            Wake::Correct(vendor, invoice) | Wake::Restate(vendor, invoice) => {
                self.change(plan, vendor, invoice, wake);
            }
            Wake::Want(vendor, invoice) => {
                match self.customers.invoice_mut(vendor, invoice) {
                    // The same request would be refused again (§7 Retrying rule 2).
                    Some(invoice) if invoice.refused => return,
                    Some(invoice) => invoice.wanted = true,
                    None => {}
                }
                self.pursue(plan, now, vendor, invoice);
            }
            Wake::Look(vendor, number) => {
                if self.customers.invoice_mut(vendor, number).is_some_and(|it| it.copy.synced) {
                    self.add(plan, Lane::Vendor(vendor), Job::ReadInvoice(number));
                }
            }
            Wake::Upload(import) => {
                if !self.customers.in_import(import).is_empty() {
                    self.customers.begin_import(import);
                    self.add(plan, Lane::Import(import), Job::Upload);
                }
            }
            Wake::Repeat(lane, call) => self.repeat(plan, lane, call),
            Wake::LoseSecret => {
                self.webhooks.key = None;
                // The document's first step (§4 Recovering a lost webhook secret).
                self.add(plan, Lane::Webhooks, Job::ListSubscriptions);
            }
        }
    }

    /// The receiver goes down.
    pub(crate) fn goes_down(&mut self, now: Moment) {
        self.down_since = Some(now);
    }

    /// The receiver is up again. After a long silence it may have missed webhooks for good.
    pub(crate) fn comes_up(&mut self, plan: &Plan, now: Moment) {
        let since = self.down_since.take().unwrap_or(now);
        if now - since > LONG_SILENCE && !self.has(Flaw::TrustsWebhooksAlone) {
            self.reconcile(plan);
        }
    }

    /// Reads all synced businesses and invoices again.
    fn reconcile(&mut self, plan: &Plan) {
        let known: Vec<(u32, Vec<u32>)> = self
            .customers
            .all()
            .filter(|customer| customer.copy.synced || !customer.synced_invoices().is_empty())
            .map(|customer| (customer.number, customer.synced_invoices()))
            .collect();
        if known.is_empty() {
            return;
        }
        self.reach(Reached::ReconciledByReads);
        for (vendor, invoices) in known {
            self.add(plan, Lane::Vendor(vendor), Job::ReadBusiness);
            for invoice in invoices {
                self.add(plan, Lane::Vendor(vendor), Job::ReadInvoice(invoice));
            }
        }
    }

    /// Changes an invoice, and syncs it once the service knows it: a row of an import that is not yet carried
    /// out holds older values.
    fn change(&mut self, plan: &Plan, vendor: u32, number: u32, wake: Wake) {
        let Some(invoice) = self.customers.invoice_mut(vendor, number) else { return };
        match wake {
            Wake::Correct(..) => {
                let corrected = invoice.planned.corrected;
                invoice.face_value = corrected.map_or(invoice.face_value, |(_, cents)| cents);
            }
            _ => {
                invoice.status = invoice.planned.restated.map_or(invoice.status, |(_, it)| it);
            }
        }
        if invoice.copy.synced || invoice.planned.import.is_none() {
            self.add(plan, Lane::Vendor(vendor), Job::SyncInvoice(number));
        } else {
            invoice.changed_early = true;
        }
    }

    /// Asks for the price of a wanted advance, if the business is ready.
    fn pursue(&mut self, plan: &Plan, now: Moment, vendor: u32, number: u32) {
        let Some(customer) = self.customers.find(vendor) else { return };
        let Some(invoice) = customer.invoices.get(&number) else { return };
        if !invoice.wanted || !invoice.copy.synced {
            return;
        }
        if !invoice.planned.quoted {
            self.add(plan, Lane::Vendor(vendor), Job::RequestAdvance(number));
        } else if customer.copy.onboarding.is_complete() {
            self.add(plan, Lane::Vendor(vendor), Job::Quote(number));
        } else if now < self.persists_until {
            self.add(plan, Lane::Vendor(vendor), Job::ReadBusiness);
            self.wake_after(DAY, Wake::Want(vendor, number));
        }
    }
}
