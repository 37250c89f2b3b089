//! A plan: everything that a run of the world depends on.
//!
//! A plan is drawn from a seed, or read from a transcript. Leaving something out of it leaves the rest as it
//! is, so a failure can be shrunk.

mod drawn;
mod faults;

use serde::{Deserialize, Serialize};
use tideover_model::words::InvoiceStatus;
use tideover_model::{Profile, Timestamp};

use crate::simulation::queue::Moment;

pub use drawn::Size;
pub use faults::{Faults, LostSecret, Outage, PostAct, PostRule, Restart};

/// A world to run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Plan {
    /// The seed of every choice that the plan leaves open: latencies, and which messages a fault hits.
    pub seed: u64,
    /// When the world starts.
    pub start: Timestamp,
    /// The days until the faults stop.
    pub days: u64,
    /// The number of platforms.
    pub platforms: u32,
    /// The assumed values of the service.
    pub profile: Profile,
    /// Whether the service takes the freedoms that the document leaves it.
    pub greased: bool,
    /// The vendors.
    pub vendors: Vec<Vendor>,
    /// The imports.
    pub imports: Vec<Import>,
    /// The faults.
    pub faults: Faults,
}

/// A vendor: one business, served by one platform or by several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Vendor {
    /// Its number, which names it: `v7`.
    pub number: u32,
    /// Its tax id, if its platforms send it.
    pub tax_id: Option<String>,
    /// Whether its platforms send its address. If not, it is on the signed agreement.
    pub address_synced: bool,
    /// Whether its platforms set its payout account. If not, the vendor links one.
    pub payout_synced: bool,
    /// How it onboards; never, if there is nothing.
    pub onboarding: Option<Onboarding>,
    /// The platforms that serve it.
    pub served: Vec<Served>,
}

/// How a vendor onboards. Milliseconds from the step before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Onboarding {
    /// From the invitation to the click on its link.
    pub accepts_after: Moment,
    /// From there to the confirmation of the tax id.
    pub confirms_after: Moment,
    /// From there to the signature.
    pub signs_after: Moment,
    /// From there to the bank account.
    pub links_after: Moment,
    /// Whether it first enters a wrong bank account, and a wrong tax id.
    pub errs: bool,
    /// When the service finds its tax id to be wrong. Milliseconds from the signature.
    pub found_wrong_after: Option<Moment>,
}

/// What a platform does for a vendor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Served {
    /// The platform.
    pub platform: u32,
    /// When it syncs the vendor.
    pub at: Moment,
    /// The vendor's invoices on this platform.
    pub invoices: Vec<Invoice>,
}

/// An invoice, what the platform does with it, and how the payor pays it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Invoice {
    /// Its number, which names it: `i3`.
    pub number: u32,
    /// Cents.
    pub face_value: i64,
    /// The days from the start of the world to its due date.
    pub due_day: u64,
    /// When the platform syncs it.
    pub at: Moment,
    /// The import that syncs it first, if one does.
    pub import: Option<u32>,
    /// Whether its payor is its payee.
    pub to_itself: bool,
    /// A later face value, and when it is synced.
    pub corrected: Option<(Moment, i64)>,
    /// A later status, and when it is synced.
    pub restated: Option<(Moment, InvoiceStatus)>,
    /// When the platform wants an advance.
    pub wanted_at: Option<Moment>,
    /// Whether it asks for the price before it requests the advance.
    pub quoted: bool,
    /// When the platform looks at it.
    pub looks: Vec<Moment>,
    /// The payor's payments: when, and how many cents.
    pub payments: Vec<(Moment, i64)>,
}

/// An import of invoices by a platform.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Import {
    /// Its number, which names it: `u2`.
    pub number: u32,
    /// The platform.
    pub platform: u32,
    /// When it is uploaded.
    pub at: Moment,
    /// The rows that no service can read.
    pub bad_rows: u32,
}

impl Plan {
    /// The number of actors: platforms, vendors, and a payor for each invoice that is paid.
    pub fn actors(&self) -> usize {
        let served = self.vendors.iter().flat_map(|vendor| &vendor.served);
        let invoices = served.flat_map(|served| &served.invoices);
        let payors = invoices.filter(|invoice| !invoice.payments.is_empty()).count();
        self.platforms as usize + self.vendors.len() + payors
    }
}
