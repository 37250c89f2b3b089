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

/// The most platforms of a world.
pub const MOST_PLATFORMS: u32 = 100;
/// The most vendors of a world.
pub const MOST_VENDORS: usize = 1_000_000;
/// The most days until the faults stop.
pub const MOST_DAYS: u64 = 3650;
const MOST_ROWS: u32 = 1000;
const MOST_INVOICES: usize = 10_000_000;

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
    /// Refuses a plan that no run could finish: somebody may have edited it.
    pub(crate) fn check(&self) -> Result<(), &'static str> {
        let served = || self.vendors.iter().flat_map(|vendor| &vendor.served);
        let invoices = || served().flat_map(|served| &served.invoices);
        let payments: usize = invoices().map(|invoice| invoice.payments.len()).sum();
        let bad_rows = self.imports.iter().any(|import| import.bad_rows > MOST_ROWS);
        if !(1..=MOST_PLATFORMS).contains(&self.platforms) {
            Err("platforms: must be 1 to 100")
        } else if self.days > MOST_DAYS {
            Err("days: must be at most 3650")
        } else if self.vendors.len() > MOST_VENDORS || self.imports.len() > MOST_VENDORS {
            Err("vendors, imports: must be at most 1000000")
        } else if bad_rows {
            Err("badRows: must be at most 1000")
        } else if invoices().count().max(payments) > MOST_INVOICES {
            Err("invoices, payments: must be at most 10000000")
        } else if self.profile.check().is_err() {
            Err("profile: it has an impossible value")
        } else {
            Ok(())
        }
    }

    /// The number of actors: platforms, vendors, and a payor for each invoice that is paid.
    pub fn actors(&self) -> usize {
        let served = self.vendors.iter().flat_map(|vendor| &vendor.served);
        let invoices = served.flat_map(|served| &served.invoices);
        let payors = invoices.filter(|invoice| !invoice.payments.is_empty()).count();
        self.platforms as usize + self.vendors.len() + payors
    }
}
