//! Counts what a run spends: requests, financed cents, subscriptions.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use crate::scope::{FinancedInvoice, Permit};
use crate::settings::Budget;

/// What a run has spent.
#[derive(Clone, Debug, Default)]
pub struct SpendingLedger {
    requests: u64,
    financed: u64,
    /// Those that may exist.
    subscriptions: u64,
    /// The synced face values of each invoice, by any key: two keys may belong to one platform.
    faces: BTreeMap<InvoiceKey, SyncedFaceValues>,
    /// The financed part, by key and invoice.
    counted: BTreeMap<(String, InvoiceKey), FinancedAmount>,
}

/// The face values of syncs that were not refused, in cents, each with the number of syncs. `None` is an
/// unknown value.
type SyncedFaceValues = BTreeMap<Option<u64>, u64>;

/// The amount counted for an invoice while a request for its advance is in flight or granted. Of concurrent
/// requests, the first may be refused and another granted.
#[derive(Clone, Copy, Debug, Default)]
struct FinancedAmount {
    cents: u64,
    requests: u64,
}

/// Payee and invoice.
type InvoiceKey = (String, String);

/// The cost of one request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Charge {
    financed: Option<(String, InvoiceKey)>,
    delivers: bool,
    synced: Vec<(InvoiceKey, Option<u64>)>,
}

/// Why a request exceeds the budget.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OverBudget {
    /// No request is left.
    #[error("the budget of {0} requests is spent")]
    Requests(u64),
    /// The advance exceeds the limit.
    #[error(
        "not sent: with this advance {wanted} cents would be financed, and {limit} may be (max-financed)"
    )]
    Financed {
        /// The total with this advance, in cents.
        wanted: u64,
        /// The limit, in cents.
        limit: u64,
    },
    /// The face value of the advance's invoice is unknown.
    #[error("not sent: the run has synced no face value for invoice {0}")]
    UnknownFace(String),
    /// No subscription is left.
    #[error("not sent: {0} subscriptions may exist at a time (max-subscriptions)")]
    Subscriptions(u64),
}

impl SpendingLedger {
    /// Counts a request of `caller` before it is sent. If it exceeds the budget, nothing is counted.
    pub fn charge(
        &mut self,
        budget: &Budget,
        caller: &str,
        permit: &Permit,
    ) -> Result<Charge, OverBudget> {
        if self.requests >= budget.requests {
            return Err(OverBudget::Requests(budget.requests));
        }
        if permit.delivers && self.subscriptions >= budget.subscriptions {
            return Err(OverBudget::Subscriptions(budget.subscriptions));
        }
        let of = |payee: &str, invoice: &str| (payee.to_owned(), invoice.to_owned());
        let financed = match &permit.financed {
            Some(FinancedInvoice { payee, invoice, is_own }) => {
                let invoice = (caller.to_owned(), of(payee, invoice));
                Some(self.finance(budget, invoice, *is_own)?)
            }
            None => None,
        };
        let synced = permit.synced.iter();
        let synced = synced.map(|one| (of(&one.payee, &one.invoice), one.face_value));
        let charge = Charge {
            financed: financed.map(|(invoice, more)| {
                let counted = self.counted.entry(invoice.clone()).or_default();
                counted.cents += more;
                counted.requests += 1;
                self.financed += more;
                invoice
            }),
            delivers: permit.delivers,
            synced: synced.collect(),
        };
        for (invoice, face) in &charge.synced {
            *self.faces.entry(invoice.clone()).or_default().entry(*face).or_default() += 1;
        }
        self.subscriptions += u64::from(permit.delivers);
        self.requests += 1;
        Ok(charge)
    }

    /// The cents that an advance adds to the financed total. A repeat adds 0.
    fn finance(
        &self,
        budget: &Budget,
        invoice: (String, InvoiceKey),
        is_own: bool,
    ) -> Result<((String, InvoiceKey), u64), OverBudget> {
        let (_, (_, name)) = &invoice;
        let unknown = || OverBudget::UnknownFace(name.clone());
        let face = match self.faces.get(&invoice.1) {
            Some(synced) if synced.contains_key(&None) => return Err(unknown()),
            Some(synced) => synced.keys().copied().max().flatten().ok_or_else(unknown)?,
            // Only the run could sync this invoice, and it didn't: there is nothing to finance.
            None if is_own => 0,
            None => return Err(unknown()),
        };
        let counted = self.counted.get(&invoice).map_or(0, |counted| counted.cents);
        let more = face.saturating_sub(counted);
        let wanted = self.financed.saturating_add(more);
        if wanted > budget.financed {
            return Err(OverBudget::Financed { wanted, limit: budget.financed });
        }
        Ok((invoice, more))
    }

    /// Counts a repeated request.
    pub fn charge_repeat(&mut self, budget: &Budget) -> Result<(), OverBudget> {
        if self.requests >= budget.requests {
            return Err(OverBudget::Requests(budget.requests));
        }
        self.requests += 1;
        Ok(())
    }

    /// Reverses the charge of a refused request, but not the request itself.
    pub fn refund(&mut self, charge: Charge) {
        if let Some(Entry::Occupied(mut counted)) =
            charge.financed.map(|invoice| self.counted.entry(invoice))
        {
            counted.get_mut().requests -= 1;
            if counted.get().requests == 0 {
                self.financed -= counted.remove().cents;
            }
        }
        self.subscriptions -= u64::from(charge.delivers);
        for (invoice, face) in charge.synced {
            let Some(synced) = self.faces.get_mut(&invoice) else { continue };
            if let Entry::Occupied(mut syncs) = synced.entry(face) {
                *syncs.get_mut() -= 1;
                if *syncs.get() == 0 {
                    syncs.remove();
                }
            }
            if synced.is_empty() {
                self.faces.remove(&invoice);
            }
        }
    }

    /// Gives a subscription back that was deleted.
    pub fn return_subscription(&mut self) {
        self.subscriptions = self.subscriptions.saturating_sub(1);
    }

    /// The number of requests sent.
    pub fn requests(&self) -> u64 {
        self.requests
    }
}
