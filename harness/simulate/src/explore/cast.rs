//! Who and what is in every world: two platforms, the vendor that both serve, its payors, and three invoices.

use std::fmt;

use tideover_model::words::InvoiceStatus;
use tideover_model::{
    Address, BusinessDetails, Cents, Contact, FaceValue, ImportFile, ImportRow, InvoiceSync,
    Operation, Party, PlatformId, Timestamp,
};

/// The name of the platform that does not exist from the start.
pub(super) const SECOND_PLATFORM: &str = "second";
/// Where the vendor is invited.
pub(super) const VENDOR_EMAIL: &str = "owner@acme.example.com";
/// The face value of each invoice. Cents.
pub(super) const FACE_VALUE: i64 = 100_000;

const TAX_ID: &str = "12-3456789";
const IMPORT: &str = "import-1";

/// A platform, with its own identifiers for the vendor and for its payor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Platform {
    /// Platform 0, which exists from the start.
    First,
    /// Platform 1.
    Second,
}

impl Platform {
    /// Both.
    pub const ALL: [Platform; 2] = [Platform::First, Platform::Second];

    pub(super) fn id(self) -> PlatformId {
        PlatformId(self as u32)
    }

    /// Its identifier for the vendor.
    pub(super) fn vendor(self) -> &'static str {
        match self {
            Platform::First => "acme",
            Platform::Second => "v-17",
        }
    }

    pub(super) fn payor(self) -> &'static str {
        match self {
            Platform::First => "globex",
            Platform::Second => "p-3",
        }
    }

    fn webhook(self) -> &'static str {
        match self {
            Platform::First => "https://first.example.com/hooks",
            Platform::Second => "https://second.example.com/hooks",
        }
    }
}

impl fmt::Display for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "platform {}", self.id().0)
    }
}

/// An invoice of the vendor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Invoice {
    /// The platform that syncs it.
    pub platform: Platform,
    /// Its identifier there.
    pub name: &'static str,
}

impl Invoice {
    /// The first platform's first invoice.
    pub const FIRST: Invoice = Invoice { platform: Platform::First, name: "inv-1" };
    /// The first platform's second invoice.
    pub const NEXT: Invoice = Invoice { platform: Platform::First, name: "inv-2" };
    /// The second platform's invoice.
    pub const OTHER: Invoice = Invoice { platform: Platform::Second, name: "r-100" };
    /// All three.
    pub const ALL: [Invoice; 3] = [Invoice::FIRST, Invoice::NEXT, Invoice::OTHER];

    pub(super) fn get(self) -> Operation {
        Operation::GetInvoice { payee: self.platform.vendor().into(), invoice: self.name.into() }
    }

    pub(super) fn request(self) -> Operation {
        Operation::RequestAdvance {
            payee: self.platform.vendor().into(),
            invoice: self.name.into(),
        }
    }

    pub(super) fn sync(self, status: InvoiceStatus) -> Operation {
        Operation::SyncInvoice(Box::new(self.row(status)))
    }

    fn row(self, status: InvoiceStatus) -> InvoiceSync {
        InvoiceSync {
            invoice: self.name.into(),
            payee: party(self.platform.vendor()),
            payor: party(self.platform.payor()),
            status,
            face_value: FaceValue::new(FACE_VALUE).expect("a valid face value"),
            issue_date: origin(),
            due_date: origin(),
        }
    }
}

impl fmt::Display for Invoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.name, self.platform.vendor())
    }
}

/// The present of every state that is compared.
///
/// Every invoice is due then. The time until a date would make each state differ from those a moment later.
pub(super) fn origin() -> Timestamp {
    Timestamp::from_unix(1_767_225_600).expect("a valid instant")
}

pub(super) fn sync_vendor(platform: Platform) -> Operation {
    sync_business(platform.vendor(), Some(TAX_ID.into()))
}

pub(super) fn sync_payor(platform: Platform) -> Operation {
    sync_business(platform.payor(), None)
}

fn sync_business(business: &str, tax_id: Option<String>) -> Operation {
    let details = BusinessDetails { tax_id, ..party(business).details };
    Operation::SyncBusiness { business: business.into(), details }
}

fn party(business: &str) -> Party {
    let details = BusinessDetails {
        legal_name: format!("{business} Inc."),
        tax_id: None,
        contact: Contact::default(),
    };
    Party { business: business.into(), details }
}

/// The same account, whichever platform sets it.
pub(super) fn set_payout_account(platform: Platform) -> Operation {
    Operation::SetPayoutAccount {
        business: platform.vendor().into(),
        account_number: "000123456789".into(),
        routing_number: "021000021".into(),
        label: None,
    }
}

pub(super) fn get_business(platform: Platform) -> Operation {
    Operation::GetBusiness { business: platform.vendor().into() }
}

pub(super) fn invite(platform: Platform) -> Operation {
    Operation::Invite { business: platform.vendor().into(), email: VENDOR_EMAIL.into() }
}

pub(super) fn subscribe(platform: Platform) -> Operation {
    let url = platform.webhook().into();
    Operation::Subscribe { url, event_types: None, addresses: Vec::new() }
}

/// A file with the first platform's invoices.
pub(super) fn import() -> Operation {
    let row = |invoice: Invoice| ImportRow::from(invoice.row(InvoiceStatus::Issued));
    let file = ImportFile { digest: [1; 32], rows: vec![row(Invoice::FIRST), row(Invoice::NEXT)] };
    Operation::ImportInvoices { import: IMPORT.into(), file }
}

pub(super) fn get_import() -> Operation {
    Operation::GetImport { import: IMPORT.into() }
}

pub(super) fn address() -> Address {
    Address {
        line1: Some("1 Main Street".into()),
        line2: None,
        city: Some("Springfield".into()),
        state: Some("IL".into()),
        postal_code: Some("62701".into()),
    }
}

/// What a payor pays at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Payment {
    /// Half of the face value.
    Half,
    /// More than the face value.
    TooMuch,
}

impl Payment {
    pub(super) fn amount(self) -> Cents {
        match self {
            Payment::Half => Cents(FACE_VALUE / 2),
            Payment::TooMuch => Cents(FACE_VALUE + FACE_VALUE / 10),
        }
    }
}
