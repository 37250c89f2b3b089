//! The receiver of a client: it verifies, deduplicates and orders webhooks.

use serde::Deserialize;
use serde_json::{Map, Value};
use tideover_model::words::AdvanceState;

use crate::simulation::bugs::Flaw;
use crate::simulation::client::answers::known;
use crate::simulation::client::{Client, Effect, Job, Lane};
use crate::simulation::plan::Plan;
use crate::simulation::reached::Reached;

/// A webhook as it arrives.
pub(crate) struct Post<'a> {
    /// The `Service-Delivery` header.
    pub(crate) delivery: &'a str,
    /// The `Service-Signature` header.
    pub(crate) signature: &'a str,
    pub(crate) body: &'a [u8],
}

/// The fields of an event that a client reads (`gap.eventPayload`).
#[derive(Deserialize)]
struct Event {
    id: String,
    #[serde(rename = "type")]
    kind: String,
    sequence: Option<u32>,
    data: Data,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Data {
    external_id: Option<String>,
    payee_external_id: Option<String>,
    invoice_external_id: Option<String>,
    state: Option<String>,
}

impl Client {
    /// Receives a webhook, `now` seconds after the start of 1970. Returns the status of its answer.
    pub(crate) fn receive(&mut self, plan: &Plan, now: u64, post: &Post<'_>) -> u16 {
        if !self.has(Flaw::TrustsAnySignature) {
            let Some(key) = &self.webhooks.key else {
                self.reach(Reached::SignatureRefused);
                return 401;
            };
            if key.verify(Some(post.signature.as_bytes()), post.body, now).is_err() {
                self.reach(Reached::SignatureRefused);
                return 401;
            }
        }
        let is_new = self.received.insert(post.delivery.to_owned());
        if !is_new && !self.has(Flaw::ActsTwice) {
            self.reach(Reached::RepeatedDelivery);
            return 200;
        }
        if self.has(Flaw::ReadsStrictly) && !has_only_known_fields(post.body) {
            return 200;
        }
        if let Ok(event) = serde_json::from_slice::<Event>(post.body) {
            self.effects.push(Effect::ActOn { event: event.id.clone() });
            self.take(plan, &event);
        }
        200
    }

    /// Takes an event over. Unknown kinds are accepted and ignored (§6 subscription rule 3).
    fn take(&mut self, plan: &Plan, event: &Event) {
        let Data { external_id, payee_external_id, invoice_external_id, state } = &event.data;
        let business = external_id.as_ref().or(payee_external_id.as_ref());
        let vendor = business.and_then(|name| self.customers.named(name));
        let Some(vendor) = vendor else { return };
        let Some(customer) = self.customers.find(vendor) else { return };
        let invoice = invoice_external_id.as_ref().and_then(|name| customer.invoice_named(name));
        match (event.kind.as_str(), invoice) {
            ("partner.organization.optedIn" | "partner.organization.remittanceUpdated", _) => {
                self.add(plan, Lane::Vendor(vendor), Job::ReadBusiness);
            }
            ("partner.invoice.paid", Some(invoice)) => {
                self.add(plan, Lane::Vendor(vendor), Job::ReadInvoice(invoice));
            }
            ("partner.invoice.factoredUpdated", Some(invoice)) => {
                let state = known(state.as_deref().unwrap_or_default());
                if let (Some(sequence), Some(state)) = (event.sequence, state) {
                    self.move_advance(plan, vendor, invoice, sequence, state);
                }
            }
            ("partner.loan.created", Some(invoice)) => {
                self.learn_amounts(plan, vendor, invoice);
            }
            _ => {}
        }
    }

    /// §6 delivery rule 5: the sequence orders events. It does not order an event and a read, because a read
    /// has no sequence: if the two meet, the client reads again, after both.
    fn move_advance(
        &mut self,
        plan: &Plan,
        vendor: u32,
        number: u32,
        sequence: u32,
        state: AdvanceState,
    ) {
        let lane = Lane::Vendor(vendor);
        let is_being_read = self.is_under_way(lane, &Job::ReadInvoice(number));
        let (takes_stale, reads_once) =
            (self.has(Flaw::TakesStaleSequence), self.has(Flaw::TakesOlderRead));
        let Some(invoice) = self.customers.invoice_mut(vendor, number) else { return };
        if sequence <= invoice.sequence && !takes_stale {
            return self.reach(Reached::StaleSequence);
        }
        invoice.sequence = sequence;
        let is_known = invoice.copy.state == Some(state);
        let may_be_older = invoice.state_is_read && !is_known && !takes_stale && !reads_once;
        if !may_be_older {
            invoice.copy.state = Some(state);
        }
        if may_be_older || (is_being_read && !reads_once) {
            self.add(plan, lane, Job::ReadInvoice(number));
        }
    }

    /// The answer to the request of an advance may have been lost.
    fn learn_amounts(&mut self, plan: &Plan, vendor: u32, number: u32) {
        let invoice = self.customers.invoice_mut(vendor, number);
        if invoice.is_some_and(|invoice| invoice.copy.amounts.is_none()) {
            self.add(plan, Lane::Vendor(vendor), Job::ReadInvoice(number));
        }
    }
}

/// What a client with [`Flaw::ReadsStrictly`] asks of an event (`gap.eventPayload`).
fn has_only_known_fields(body: &[u8]) -> bool {
    const FIELDS: [&str; 5] = ["id", "type", "occurredAt", "sequence", "data"];
    let event = serde_json::from_slice::<Map<String, Value>>(body);
    event.is_ok_and(|event| event.keys().all(|name| FIELDS.contains(&name.as_str())))
}
