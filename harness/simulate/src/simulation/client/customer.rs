//! The vendors that a platform serves: what it sends of them, and its copy of what the service holds.

use std::collections::BTreeMap;
use std::fmt;
use std::fmt::Write;

use serde::Deserialize;
use serde_json::{Value, json};
use tideover_model::words::{AdvanceState, InvoiceStatus};

use crate::simulation::plan::{Invoice, Plan, Vendor};

/// All vendors of a platform.
pub(crate) struct Customers {
    platform: u32,
    customers: BTreeMap<u32, Customer>,
    /// The vendors and invoices of each import, in the order of its rows.
    imported: BTreeMap<u32, Vec<(u32, u32)>>,
}

/// A vendor of a platform.
pub(crate) struct Customer {
    pub(crate) number: u32,
    platform: u32,
    pub(crate) payout_synced: bool,
    tax_id: Option<String>,
    address_synced: bool,
    pub(crate) invoices: BTreeMap<u32, CustomerInvoice>,
    /// The copy of the service's state.
    pub(crate) copy: BusinessCopy,
}

/// A client's copy of a business.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct BusinessCopy {
    pub(crate) synced: bool,
    /// The requirements as last read.
    pub(crate) onboarding: Requirements,
    /// The number of the collection account.
    pub(crate) account: Option<String>,
}

/// The four requirements of a business, as a client reads them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Requirements {
    pub(crate) compliance: bool,
    pub(crate) contract: bool,
    pub(crate) bank: bool,
    pub(crate) collection_account: bool,
}

impl Requirements {
    pub(crate) fn is_complete(self) -> bool {
        let Requirements { compliance, contract, bank, collection_account } = self;
        compliance && contract && bank && collection_account
    }
}

/// An invoice of a vendor.
pub(crate) struct CustomerInvoice {
    pub(crate) planned: Invoice,
    /// The present face value. Cents.
    pub(crate) face_value: i64,
    /// The present status.
    pub(crate) status: InvoiceStatus,
    /// Whether the client has begun to sync it.
    pub(crate) begun: bool,
    /// Whether it was changed before the import that creates it was done.
    pub(crate) changed_early: bool,
    /// Whether the client wants an advance, and has no final answer.
    pub(crate) wanted: bool,
    /// Whether an advance was refused for good: an earlier plan to ask again no longer counts.
    pub(crate) refused: bool,
    /// The face value and the status that its last sync sent.
    pub(crate) sent: (i64, InvoiceStatus),
    /// The greatest sequence of a `factoredUpdated` event (§6 delivery rule 5); 0 for none.
    pub(crate) sequence: u32,
    /// Whether the state of the copy comes from a read, which has no sequence.
    pub(crate) state_is_read: bool,
    /// The copy of the service's state.
    pub(crate) copy: InvoiceCopy,
}

/// A client's copy of an invoice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct InvoiceCopy {
    pub(crate) synced: bool,
    /// The status that the service has.
    pub(crate) status: Option<InvoiceStatus>,
    /// Cents that the service has as face value.
    pub(crate) face_value: i64,
    /// Cents collected, as far as a client can know.
    pub(crate) collected: i64,
    /// Whether the payor has paid all of it.
    pub(crate) is_collected: bool,
    /// The financing state, if there is an advance.
    pub(crate) state: Option<AdvanceState>,
    /// Cents of the advance and its fee, once known.
    pub(crate) amounts: Option<(i64, i64)>,
}

/// For a reader.
impl fmt::Display for InvoiceCopy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let InvoiceCopy { synced, status, face_value, collected, is_collected, state, amounts } =
            self;
        f.write_str(if *synced { "synced" } else { "not synced" })?;
        if let Some(status) = status {
            write!(f, " as {}", format!("{status:?}").to_uppercase())?;
        }
        write!(f, ", {collected} of {face_value} cents collected")?;
        f.write_str(if *is_collected { ", which is all" } else { "" })?;
        match state {
            None => f.write_str(", no advance")?,
            Some(state) => write!(f, ", {}", format!("{state:?}").to_uppercase())?,
        }
        match amounts {
            None => Ok(()),
            Some((advance, fee)) => write!(f, ", advance {advance} cents, fee {fee}"),
        }
    }
}

impl CustomerInvoice {
    /// The service has what the last sync sent: all of it, or only its status.
    pub(crate) fn take_sent(&mut self, status_only: bool) {
        let (face_value, status) = self.sent;
        self.copy.synced = true;
        self.copy.status = Some(status);
        if !status_only {
            self.copy.face_value = face_value;
        }
    }
}

impl Customers {
    /// The vendors that a platform serves in this plan.
    pub(crate) fn of(plan: &Plan, platform: u32) -> Customers {
        let customers = plan.vendors.iter().filter_map(|vendor| Customer::of(vendor, platform));
        let customers: BTreeMap<u32, Customer> =
            customers.map(|customer| (customer.number, customer)).collect();
        let mut imported: BTreeMap<u32, Vec<(u32, u32)>> = BTreeMap::new();
        for customer in customers.values() {
            for (number, invoice) in &customer.invoices {
                if let Some(import) = invoice.planned.import {
                    imported.entry(import).or_default().push((customer.number, *number));
                }
            }
        }
        Customers { platform, customers, imported }
    }

    /// The number of the vendor with this identifier.
    pub(crate) fn named(&self, name: &str) -> Option<u32> {
        vendor_named(name, self.platform)
    }

    pub(crate) fn find(&self, number: u32) -> Option<&Customer> {
        self.customers.get(&number)
    }

    pub(crate) fn find_mut(&mut self, number: u32) -> Option<&mut Customer> {
        self.customers.get_mut(&number)
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Customer> {
        self.customers.values()
    }

    pub(crate) fn invoice_mut(
        &mut self,
        vendor: u32,
        invoice: u32,
    ) -> Option<&mut CustomerInvoice> {
        self.customers.get_mut(&vendor)?.invoices.get_mut(&invoice)
    }

    /// Where the platform receives webhooks.
    pub(crate) fn receiver_url(&self) -> String {
        format!("https://platform-{}.example/webhooks", self.platform)
    }

    /// Notes that an import was begun.
    pub(crate) fn begin_import(&mut self, import: u32) {
        for (vendor, invoice) in self.in_import(import).to_vec() {
            if let Some(invoice) = self.invoice_mut(vendor, invoice) {
                invoice.begun = true;
            }
        }
    }

    /// The vendors and the invoices in an import, in the order of its rows.
    pub(crate) fn in_import(&self, import: u32) -> &[(u32, u32)] {
        self.imported.get(&import).map_or(&[], Vec::as_slice)
    }

    /// The CSV file of an import. It is the same at each upload: it holds the first values.
    pub(crate) fn file(&self, plan: &Plan, import: u32) -> String {
        let mut text = format!("{COLUMNS}\n");
        for (vendor, invoice) in self.in_import(import) {
            let Some(customer) = self.customers.get(vendor) else { continue };
            if let Some(invoice) = customer.invoices.get(invoice) {
                row(&mut text, customer, plan, &invoice.planned);
                text.push('\n');
            }
        }
        let planned = plan.imports.iter().find(|planned| planned.number == import);
        for number in 0..planned.map_or(0, |planned| planned.bad_rows) {
            let _ = writeln!(text, "bad{number},nobody,Nobody,x,Nobody,ISSUED,none,,");
        }
        text
    }
}

impl Customer {
    fn of(vendor: &Vendor, platform: u32) -> Option<Customer> {
        let served = vendor.served.iter().find(|served| served.platform == platform)?;
        let invoices = served.invoices.iter().map(|invoice| {
            let planned = CustomerInvoice {
                planned: invoice.clone(),
                face_value: invoice.face_value,
                status: InvoiceStatus::Issued,
                begun: false,
                changed_early: false,
                wanted: false,
                refused: false,
                sent: (invoice.face_value, InvoiceStatus::Issued),
                sequence: 0,
                state_is_read: false,
                copy: InvoiceCopy::default(),
            };
            (invoice.number, planned)
        });
        Some(Customer {
            number: vendor.number,
            platform,
            payout_synced: vendor.payout_synced,
            tax_id: vendor.tax_id.clone(),
            address_synced: vendor.address_synced,
            invoices: invoices.collect(),
            copy: BusinessCopy::default(),
        })
    }

    /// Its identifier.
    pub(crate) fn name(&self) -> String {
        vendor_name(self.platform, self.number)
    }

    /// The identifier of an invoice.
    pub(crate) fn invoice_name(&self, number: u32) -> String {
        invoice_name(self.platform, number)
    }

    pub(crate) fn legal_name(&self) -> String {
        format!("Vendor {} LLC", self.number)
    }

    pub(crate) fn email(&self) -> String {
        vendor_email(self.number)
    }

    /// The identifier of an invoice's payor.
    pub(crate) fn payor(&self, invoice: &Invoice) -> String {
        if invoice.to_itself {
            self.name()
        } else {
            format!("p{}-payor{}", self.platform, invoice.number)
        }
    }

    /// The body of its sync.
    pub(crate) fn details(&self) -> Value {
        let mut details = json!({ "legalName": self.legal_name() });
        if let Some(tax_id) = &self.tax_id {
            details["taxId"] = json!(tax_id);
        }
        if self.address_synced {
            details["contact"] = json!({ "address": address(self.number) });
        }
        details
    }

    /// The body of an invoice's sync.
    pub(crate) fn invoice(&self, plan: &Plan, invoice: &CustomerInvoice) -> Value {
        let CustomerInvoice { planned, face_value, status, .. } = invoice;
        let payor = self.payor(planned);
        json!({
            "payee": { "externalId": self.name(), "legalName": self.legal_name() },
            "payor": { "externalId": payor, "legalName": payor },
            "status": status,
            "faceValue": face_value,
            "issueDate": plan.start,
            "dueDate": plan.start.after(planned.due_day * 24 * 3600),
        })
    }

    /// The numbers of its invoices that the service knows.
    pub(crate) fn synced_invoices(&self) -> Vec<u32> {
        let synced = self.invoices.iter().filter(|(_, invoice)| invoice.copy.synced);
        synced.map(|(number, _)| *number).collect()
    }

    /// The number of the invoice with this identifier.
    pub(crate) fn invoice_named(&self, name: &str) -> Option<u32> {
        let number = number_in(name, self.platform, "-i")?;
        self.invoices.contains_key(&number).then_some(number)
    }
}

/// A platform's identifier for a vendor: another platform has another one.
pub(crate) fn vendor_name(platform: u32, number: u32) -> String {
    format!("p{platform}-v{number}")
}

/// The number of the vendor with this identifier.
pub(crate) fn vendor_named(name: &str, platform: u32) -> Option<u32> {
    number_in(name, platform, "-v")
}

/// The number in an identifier of a platform.
fn number_in(name: &str, platform: u32, kind: &str) -> Option<u32> {
    let (owner, number) = name.strip_prefix('p')?.split_once(kind)?;
    if owner.parse() == Ok(platform) { number.parse().ok() } else { None }
}

/// The address that a vendor is invited at.
pub(crate) fn vendor_email(number: u32) -> String {
    format!("owner@v{number}.example")
}

/// A complete postal address.
fn address(number: u32) -> Value {
    json!({
        "line1": format!("{} Quay Street", number + 1),
        "city": "Portland",
        "state": "OR",
        "postalCode": "97201",
    })
}

/// A platform's identifier for an invoice of a vendor.
pub(crate) fn invoice_name(platform: u32, number: u32) -> String {
    format!("p{platform}-i{number}")
}

/// A row of an import file, without its end.
fn row(text: &mut String, customer: &Customer, plan: &Plan, invoice: &Invoice) {
    let payor = customer.payor(invoice);
    // Writing to a string never fails.
    let _ = write!(
        text,
        "{},{},{},{},{},ISSUED,{},{},{}",
        customer.invoice_name(invoice.number),
        customer.name(),
        customer.legal_name(),
        payor,
        payor,
        invoice.face_value,
        plan.start,
        plan.start.after(invoice.due_day * 24 * 3600),
    );
}

/// The columns of [`row`].
const COLUMNS: &str = "externalId,payeeExternalId,payeeLegalName,payorExternalId,\
                                  payorLegalName,status,faceValue,issueDate,dueDate";
