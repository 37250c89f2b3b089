//! What a run has spent, what it was given, and what it leaves behind.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::live::scope::{FinancedInvoice, Permit};
use crate::live::settings::Budget;
use crate::target::{PreparedAction, Seen};

/// What the target gave the run, so that the run may use it up.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// References of its own subscriptions.
    pub references: BTreeSet<String>,
    /// Keys that it issued.
    pub keys: BTreeSet<String>,
    /// Those of them that the run has revoked.
    pub revoked: BTreeSet<String>,
    /// Links to onboarding sessions.
    pub sessions: BTreeSet<String>,
}

/// Counts what is spent.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    requests: u64,
    financed: u64,
    subscriptions: u64,
    /// The largest face value that was synced, by payee and invoice, whoever did so: two keys may belong to one
    /// platform. `None` cannot be told.
    faces: BTreeMap<Invoice, Option<u64>>,
    /// What of it is counted as financed, by key.
    counted: BTreeMap<(String, Invoice), u64>,
}

/// Payee and invoice.
type Invoice = (String, String);

/// What is to be spent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Charge {
    financed: Option<((String, Invoice), u64)>,
    subscribes: bool,
    /// The faces as they were before.
    faces: Vec<(Invoice, Option<Option<u64>>)>,
}

/// Why nothing more may be spent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Spent {
    /// No request at all.
    #[error("the budget of {0} requests is spent")]
    Requests(u64),
    /// Not this advance.
    #[error(
        "not sent: with this advance {wanted} cents would be financed, and {limit} may be (max-financed)"
    )]
    Financed {
        /// What would be financed with it.
        wanted: u64,
        /// What may be.
        limit: u64,
    },
    /// Not this advance, of which it is not known what it would finance.
    #[error("not sent: the run has synced no face value for invoice {0}")]
    UnknownFace(String),
    /// No further subscription.
    #[error("not sent: {0} subscriptions may be made (max-subscriptions)")]
    Subscriptions(u64),
}

impl Given {
    /// Keeps what the answer to an action gives.
    pub fn learn(&mut self, action: &PreparedAction, subscribes: bool, seen: &Seen) {
        let text =
            |name: &str| seen.json().and_then(|body| body.get(name)?.as_str()).map(str::to_owned);
        match action {
            PreparedAction::Call(_) if subscribes => self.references.extend(text("reference")),
            PreparedAction::Call(call) if call.path == "/v1/onboarding-sessions" => {
                self.sessions.extend(text("url"));
            }
            PreparedAction::Act(fields) if fields["action"] == "issueKey" => {
                self.keys.extend(text("key"));
            }
            PreparedAction::Act(fields) if fields["action"] == "revokeKey" => {
                self.revoked.extend(fields.get("key").and_then(Value::as_str).map(str::to_owned));
            }
            _ => {}
        }
    }
}

impl Ledger {
    /// Counts a request of `caller`, before it is sent.
    ///
    /// # Errors
    /// [`Spent`]; nothing is counted then.
    pub fn charge(
        &mut self,
        budget: &Budget,
        caller: &str,
        permit: &Permit,
    ) -> Result<Charge, Spent> {
        if self.requests >= budget.requests {
            return Err(Spent::Requests(budget.requests));
        }
        if permit.subscribes && self.subscriptions >= budget.subscriptions {
            return Err(Spent::Subscriptions(budget.subscriptions));
        }
        let of = |payee: &str, invoice: &str| (payee.to_owned(), invoice.to_owned());
        let financed = match &permit.financed {
            Some(FinancedInvoice { payee, invoice, is_own }) => {
                let invoice = (caller.to_owned(), of(payee, invoice));
                Some(self.finance(budget, invoice, *is_own)?)
            }
            None => None,
        };
        let mut charge = Charge { financed, subscribes: permit.subscribes, faces: Vec::new() };
        if let Some((invoice, more)) = &charge.financed {
            *self.counted.entry(invoice.clone()).or_default() += more;
            self.financed += more;
        }
        for synced in &permit.synced {
            let invoice = of(&synced.payee, &synced.invoice);
            let before = self.faces.get(&invoice).copied();
            let larger = match before {
                Some(before) => before.zip(synced.face_value).map(|(a, b)| a.max(b)),
                None => synced.face_value,
            };
            self.faces.insert(invoice.clone(), larger);
            charge.faces.push((invoice, before));
        }
        self.subscriptions += u64::from(permit.subscribes);
        self.requests += 1;
        Ok(charge)
    }

    /// What an advance adds to what is financed: nothing if it is a repeat.
    fn finance(
        &self,
        budget: &Budget,
        invoice: (String, Invoice),
        is_own: bool,
    ) -> Result<((String, Invoice), u64), Spent> {
        let (_, (_, name)) = &invoice;
        let face = match self.faces.get(&invoice.1) {
            Some(Some(face)) => *face,
            // Only the run can have synced it, and has not: there is nothing to finance.
            None if is_own => 0,
            Some(None) | None => return Err(Spent::UnknownFace(name.clone())),
        };
        let counted = self.counted.get(&invoice).copied().unwrap_or(0);
        let more = face.saturating_sub(counted);
        let wanted = self.financed.saturating_add(more);
        if wanted > budget.financed {
            return Err(Spent::Financed { wanted, limit: budget.financed });
        }
        Ok((invoice, more))
    }

    /// Counts a request that is sent once more.
    ///
    /// # Errors
    /// [`Spent::Requests`]
    pub fn charge_repeat(&mut self, budget: &Budget) -> Result<(), Spent> {
        if self.requests >= budget.requests {
            return Err(Spent::Requests(budget.requests));
        }
        self.requests += 1;
        Ok(())
    }

    /// Takes back what a refused request was counted for; that it was sent stays counted.
    pub fn refund(&mut self, charge: Charge) {
        if let Some((invoice, more)) = charge.financed {
            self.financed -= more;
            *self.counted.entry(invoice).or_default() -= more;
        }
        self.subscriptions -= u64::from(charge.subscribes);
        for (invoice, before) in charge.faces.into_iter().rev() {
            match before {
                Some(face) => self.faces.insert(invoice, face),
                None => self.faces.remove(&invoice),
            };
        }
    }

    /// Requests that were sent.
    pub fn requests(&self) -> u64 {
        self.requests
    }
}
