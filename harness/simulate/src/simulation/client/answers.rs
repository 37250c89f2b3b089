//! What a client concludes from an answer.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use tideover_model::SigningKey;
use tideover_model::words::AdvanceState;

use crate::simulation::bugs::Flaw;
use crate::simulation::client::customer::Requirements;
use crate::simulation::client::{Client, Effect, Job, Lane, Response, Wake};
use crate::simulation::plan::Plan;
use crate::simulation::queue::{DAY, Moment};
use crate::simulation::reached::Reached;

/// The fields of a business that a client reads. It ignores all others (§9 rule 2).
#[derive(Deserialize)]
struct Business {
    onboarding: Requirements,
    remittance: Option<Remittance>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Remittance {
    account_number: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Invoice {
    status: String,
    face_value: i64,
    collected: i64,
    collection_state: String,
    advance: Option<InvoiceAdvance>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct InvoiceAdvance {
    state: String,
    advance_amount: i64,
    fee_total: i64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Advance {
    already_requested: bool,
    advance_amount: i64,
    fee_total: i64,
    remittance: Remittance,
}

#[derive(Deserialize)]
struct Synced {
    outcome: String,
}

#[derive(Deserialize)]
struct Quote {
    fundable: bool,
}

#[derive(Deserialize)]
struct Report {
    finished: bool,
    rows: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    outcome: String,
}

#[derive(Deserialize)]
struct Subscribed {
    secret: String,
}

#[derive(Deserialize)]
struct Listed {
    reference: String,
    url: String,
}

#[derive(Deserialize)]
struct Failure {
    code: String,
}

/// A value by its name; an unknown one is none (§9 rule 2).
pub(super) fn known<T: DeserializeOwned>(name: &str) -> Option<T> {
    serde_json::from_value(serde_json::Value::String(name.to_owned())).ok()
}

impl Client {
    /// Takes the answer to a call.
    pub(super) fn conclude(
        &mut self,
        plan: &Plan,
        now: Moment,
        lane: Lane,
        job: &Job,
        response: &Response<'_>,
    ) {
        let Response::Answered(status, body) = response else { return };
        let is_success = if self.has(Flaw::ExpectsOneStatus) {
            matches!(status, 200 | 201 | 204)
        } else {
            (200..300).contains(status)
        };
        self.taken = Some(is_success);
        if !is_success {
            let code = serde_json::from_slice::<Failure>(body).map(|it| it.code);
            return self.refused(plan, now, lane, job, code.as_deref().unwrap_or_default());
        }
        match (job, lane) {
            (Job::Subscribe, _) => self.subscribed(plan, body),
            (Job::ListSubscriptions, _) => self.listed(plan, body),
            (Job::Unsubscribe(_), _) => self.add_next(plan, Lane::Webhooks, Job::Subscribe),
            (Job::Upload | Job::ReadImport, Lane::Import(import)) => {
                self.imported(plan, now, import, body);
            }
            (_, Lane::Vendor(vendor)) => self.answered_about(plan, now, vendor, job, body),
            (_, Lane::Webhooks | Lane::Import(_)) => {}
        }
    }

    fn answered_about(&mut self, plan: &Plan, now: Moment, vendor: u32, job: &Job, body: &[u8]) {
        let lane = Lane::Vendor(vendor);
        match job {
            Job::SyncBusiness => {
                let Some(customer) = self.customers.find_mut(vendor) else { return };
                customer.copy.synced = true;
                if customer.payout_synced {
                    self.add(plan, lane, Job::SetPayoutAccount);
                }
                self.add(plan, lane, Job::Invite);
                self.add(plan, lane, Job::ReadBusiness);
            }
            Job::ReadBusiness => self.read_business(plan, now, vendor, body),
            Job::SyncInvoice(invoice) => self.synced(plan, now, vendor, *invoice, body),
            Job::ReadInvoice(invoice) => self.read_invoice(vendor, *invoice, body),
            Job::Quote(invoice) => {
                if serde_json::from_slice::<Quote>(body).is_ok_and(|quote| quote.fundable) {
                    self.add_next(plan, lane, Job::RequestAdvance(*invoice));
                } else {
                    self.reach(Reached::QuoteNotFundable);
                    self.persist(now, vendor, *invoice);
                }
            }
            Job::RequestAdvance(invoice) => self.advanced(vendor, *invoice, body),
            Job::SetPayoutAccount
            | Job::Invite
            | Job::Subscribe
            | Job::ListSubscriptions
            | Job::Unsubscribe(_)
            | Job::Upload
            | Job::ReadImport => {}
        }
    }

    /// Branches on the code, with a default for codes that it does not know (§7).
    fn refused(&mut self, plan: &Plan, now: Moment, lane: Lane, job: &Job, code: &str) {
        match (code, job, lane) {
            ("already_subscribed", Job::Subscribe, _) => {
                self.reach(Reached::AlreadySubscribed);
                self.add_next(plan, Lane::Webhooks, Job::ListSubscriptions);
            }
            ("subscription_not_found", Job::Unsubscribe(_), _) => {
                self.add_next(plan, Lane::Webhooks, Job::Subscribe);
            }
            ("import_not_found", Job::ReadImport, _) => self.add_next(plan, lane, Job::Upload),
            ("concentration_exceeded", Job::RequestAdvance(invoice), Lane::Vendor(vendor)) => {
                self.persist(now, vendor, *invoice);
            }
            ("business_not_eligible", Job::RequestAdvance(invoice), Lane::Vendor(vendor)) => {
                self.add(plan, lane, Job::ReadBusiness);
                self.persist(now, vendor, *invoice);
            }
            (_, Job::RequestAdvance(invoice) | Job::Quote(invoice), Lane::Vendor(vendor)) => {
                if let Some(invoice) = self.customers.invoice_mut(vendor, *invoice) {
                    (invoice.wanted, invoice.refused) = (false, true);
                }
            }
            _ => {}
        }
    }

    /// Asks again tomorrow: a 4xx stays the same until the state changes (§7 retrying rule 2).
    fn persist(&mut self, now: Moment, vendor: u32, invoice: u32) {
        if now < self.persists_until {
            self.wake_after(DAY, Wake::Want(vendor, invoice));
        }
    }

    fn subscribed(&mut self, plan: &Plan, body: &[u8]) {
        let Ok(Subscribed { secret }) = serde_json::from_slice(body) else { return };
        self.webhooks.key = Some(SigningKey::new(&secret));
        if std::mem::replace(&mut self.webhooks.was_live, true) {
            self.reach(Reached::SecretRecovered);
            // The deletion dropped whatever was not delivered yet.
            self.reconcile(plan);
        }
        self.open_lanes(plan);
    }

    /// The list says whether a request to subscribe had an effect. The secret of such a subscription is lost.
    fn listed(&mut self, plan: &Plan, body: &[u8]) {
        let Ok(subscriptions) = serde_json::from_slice::<Vec<Listed>>(body) else { return };
        let own = self.customers.receiver_url();
        let next = match subscriptions.into_iter().find(|listed| listed.url == own) {
            None => Job::Subscribe,
            Some(listed) => {
                self.reach(Reached::SecretUnknown);
                Job::Unsubscribe(listed.reference)
            }
        };
        self.add_next(plan, Lane::Webhooks, next);
    }

    fn imported(&mut self, plan: &Plan, now: Moment, import: u32, body: &[u8]) {
        let Ok(report) = serde_json::from_slice::<Report>(body) else { return };
        if report.rows.iter().any(|row| row.outcome == "rejected") {
            self.reach(Reached::RowRejected);
        }
        if !report.finished && !self.has(Flaw::TakesUnfinishedImport) {
            self.interrupted.insert(import);
            self.reach(Reached::ImportInterrupted);
            return self.add_next(plan, Lane::Import(import), Job::Upload);
        }
        self.reach(Reached::ImportFinished);
        if self.interrupted.remove(&import) {
            self.reach(Reached::ImportResumed);
        }
        let invoices = self.customers.in_import(import).to_vec();
        for (vendor, number) in invoices {
            let Some(invoice) = self.customers.invoice_mut(vendor, number) else { continue };
            invoice.take_sent(false);
            if std::mem::take(&mut invoice.changed_early) {
                self.add(plan, Lane::Vendor(vendor), Job::SyncInvoice(number));
            }
            self.pursue(plan, now, vendor, number);
        }
    }

    fn synced(&mut self, plan: &Plan, now: Moment, vendor: u32, number: u32, body: &[u8]) {
        let Ok(Synced { outcome }) = serde_json::from_slice(body) else { return };
        let Some(invoice) = self.customers.invoice_mut(vendor, number) else { return };
        let was_known = invoice.copy.synced;
        invoice.take_sent(outcome == "statusOnly");
        if outcome == "statusOnly" {
            self.reach(Reached::StatusOnlySync);
        } else if was_known {
            // Another face value changes what is collected.
            self.add(plan, Lane::Vendor(vendor), Job::ReadInvoice(number));
        }
        self.pursue(plan, now, vendor, number);
    }

    fn read_business(&mut self, plan: &Plan, now: Moment, vendor: u32, body: &[u8]) {
        let Ok(Business { onboarding, remittance }) = serde_json::from_slice(body) else { return };
        let Some(customer) = self.customers.find_mut(vendor) else { return };
        let was_ready = customer.copy.onboarding.is_complete();
        customer.copy.onboarding = onboarding;
        customer.copy.account = remittance.map(|remittance| remittance.account_number);
        if onboarding.is_complete() && !was_ready {
            let wanted = customer.invoices.iter().filter(|(_, invoice)| invoice.wanted);
            let wanted: Vec<u32> = wanted.map(|(number, _)| *number).collect();
            self.reach(Reached::BusinessOnboarded);
            for invoice in wanted {
                self.pursue(plan, now, vendor, invoice);
            }
        }
    }

    fn read_invoice(&mut self, vendor: u32, number: u32, body: &[u8]) {
        let Ok(read) = serde_json::from_slice::<Invoice>(body) else { return };
        if self.is_waiting(Lane::Vendor(vendor), &Job::ReadInvoice(number)) {
            return;
        }
        let Some(invoice) = self.customers.invoice_mut(vendor, number) else { return };
        let copy = &mut invoice.copy;
        copy.status = known(&read.status).or(copy.status);
        copy.face_value = read.face_value;
        (copy.collected, copy.is_collected) =
            (read.collected, read.collection_state == "COLLECTED");
        let Some(advance) = read.advance else { return };
        copy.amounts = Some((advance.advance_amount, advance.fee_total));
        if let Some(state) = known(&advance.state) {
            copy.state = Some(state);
            invoice.state_is_read = true;
        }
    }

    /// §4 advances rule 6: from now on, the payors of the vendor pay into the collection account.
    fn advanced(&mut self, vendor: u32, number: u32, body: &[u8]) {
        let Ok(advance) = serde_json::from_slice::<Advance>(body) else { return };
        let account = if self.has(Flaw::PublishesPayoutAccount) {
            format!("{:08}", 20_000_000 + vendor)
        } else {
            advance.remittance.account_number
        };
        if let Some(invoice) = self.customers.invoice_mut(vendor, number) {
            invoice.wanted = false;
            invoice.copy.amounts = Some((advance.advance_amount, advance.fee_total));
            // Events can have said more already.
            invoice.copy.state.get_or_insert(AdvanceState::Requested);
        }
        self.effects.push(Effect::Publish { vendor, account });
        self.reach(if advance.already_requested {
            Reached::AdvanceRepeated
        } else {
            Reached::AdvanceRequested
        });
    }
}
