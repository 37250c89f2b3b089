//! What a run has spent of its budget, and what it leaves behind.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use crate::live::scope::{FinancedInvoice, Permit};
use crate::live::settings::Budget;

/// Counts what is spent.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    requests: u64,
    financed: u64,
    subscriptions: u64,
    /// The synced face values by payee and invoice, over all keys: two keys may belong to one platform.
    faces: BTreeMap<Invoice, Synced>,
    /// What of it is counted as financed, by key.
    counted: BTreeMap<(String, Invoice), Counted>,
}

/// The face values of syncs that were not refused, with how many syncs had each. `None` is unknown.
type Synced = BTreeMap<Option<u64>, u64>;

/// What is counted for an invoice for as long as any request for its advance is under way or was granted: of those
/// that race for it the first may be refused, and another granted.
#[derive(Clone, Copy, Debug, Default)]
struct Counted {
    cents: u64,
    requests: u64,
}

/// Payee and invoice.
type Invoice = (String, String);

/// What is to be spent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Charge {
    financed: Option<(String, Invoice)>,
    delivers: bool,
    synced: Vec<(Invoice, Option<u64>)>,
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

impl Ledger {
    /// Counts a request of `caller`, before it is sent.
    ///
    /// # Errors
    /// [`Spent`]. Then the request is not counted.
    pub fn charge(
        &mut self,
        budget: &Budget,
        caller: &str,
        permit: &Permit,
    ) -> Result<Charge, Spent> {
        if self.requests >= budget.requests {
            return Err(Spent::Requests(budget.requests));
        }
        if permit.delivers && self.subscriptions >= budget.subscriptions {
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

    /// What an advance adds to what is financed: nothing if it is a repeat.
    fn finance(
        &self,
        budget: &Budget,
        invoice: (String, Invoice),
        is_own: bool,
    ) -> Result<((String, Invoice), u64), Spent> {
        let (_, (_, name)) = &invoice;
        let unknown = || Spent::UnknownFace(name.clone());
        let face = match self.faces.get(&invoice.1) {
            Some(synced) if synced.contains_key(&None) => return Err(unknown()),
            Some(synced) => synced.keys().copied().max().flatten().ok_or_else(unknown)?,
            // Only the run can have synced it, and has not: there is nothing to finance.
            None if is_own => 0,
            None => return Err(unknown()),
        };
        let counted = self.counted.get(&invoice).map_or(0, |counted| counted.cents);
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
            if let Entry::Occupied(mut count) = synced.entry(face) {
                *count.get_mut() -= 1;
                if *count.get() == 0 {
                    count.remove();
                }
            }
            if synced.is_empty() {
                self.faces.remove(&invoice);
            }
        }
    }

    /// Requests that were sent.
    pub fn requests(&self) -> u64 {
        self.requests
    }
}
