//! Services with many businesses and invoices, and random walks over them.

use tideover_model::words::InvoiceStatus;
use tideover_model::{
    Address, BusinessDetails, Cents, Contact, Face, FaceValue, Happening, InvoiceSync, Operation,
    Party, PlatformId, Profile, Seeded, Service, Timestamp,
};

/// Invoices per business.
const INVOICES_PER_BUSINESS: u32 = 10;
/// One in this number of invoices has an advance that is paid out.
const INVOICES_PER_ADVANCE: u32 = 4;
/// Enough time for an advance to be paid out.
const SETTLING: u64 = 2 * 3600;

/// A number of invoices, and a business for every ten of them: one half are vendors, ready for advances, the
/// other half payors. Every fourth invoice has an advance that is paid out.
///
/// The parties of an invoice are random, but the same in every run: an invoice's number does not reveal where
/// its businesses are in memory.
#[derive(Clone, Copy, Debug)]
pub struct Population {
    invoices: u32,
}

impl Population {
    /// A population of `invoices` invoices, at least 20.
    pub fn new(invoices: u32) -> Population {
        Population { invoices: invoices.max(2 * INVOICES_PER_BUSINESS) }
    }

    /// The number of invoices.
    pub fn invoices(self) -> u32 {
        self.invoices
    }

    /// The number of businesses.
    pub fn businesses(self) -> u32 {
        self.invoices / INVOICES_PER_BUSINESS
    }

    /// The number of vendors: the first businesses.
    pub fn vendors(self) -> u32 {
        self.businesses() / 2
    }

    /// The number of invoices with an advance.
    pub fn advances(self) -> u32 {
        self.invoices.div_ceil(INVOICES_PER_ADVANCE)
    }

    /// Whether an invoice has an advance.
    pub fn is_advanced(self, invoice: u32) -> bool {
        invoice < self.invoices && invoice.is_multiple_of(INVOICES_PER_ADVANCE)
    }

    /// The payee of an invoice, a vendor.
    pub fn payee(self, invoice: u32) -> u32 {
        Draw::new(u64::from(invoice)).below(self.vendors())
    }

    /// The payor of an invoice.
    pub fn payor(self, invoice: u32) -> u32 {
        self.vendors() + Draw::new(!u64::from(invoice)).below(self.businesses() - self.vendors())
    }

    /// An empty service, as before [`Population::add_businesses`].
    pub fn nobody() -> Service {
        Service::new(Profile::default(), Seeded { seed: 1 })
    }

    /// A service with the whole population.
    pub fn service(self) -> Service {
        let mut service = Population::nobody();
        self.add_businesses(&mut service);
        self.add_invoices(&mut service);
        self.add_advances(&mut service);
        service
    }

    /// Adds the businesses, and prepares the vendors for advances.
    pub fn add_businesses(self, service: &mut Service) {
        for business in 0..self.businesses() {
            let details = details(business, true);
            ask(service, Operation::SyncBusiness { business: business_name(business), details });
            if business < self.vendors() {
                ready(service, business);
            }
        }
    }

    /// Adds the invoices.
    pub fn add_invoices(self, service: &mut Service) {
        for invoice in 0..self.invoices {
            ask(service, Operation::SyncInvoice(Box::new(self.sync(invoice))));
        }
    }

    /// Adds the advances, and lets time pass until they are paid out.
    pub fn add_advances(self, service: &mut Service) {
        for invoice in (0..self.invoices).filter(|invoice| self.is_advanced(*invoice)) {
            ask(service, self.request_of_advance(invoice));
        }
        service.handle_timeout(now());
    }

    /// The sync of an invoice, which may be beyond the population.
    pub fn sync(self, invoice: u32) -> InvoiceSync {
        let party = |business| Party {
            business: business_name(business),
            details: details(business, false),
        };
        InvoiceSync {
            invoice: invoice_name(invoice),
            payee: party(self.payee(invoice)),
            payor: party(self.payor(invoice)),
            status: InvoiceStatus::Issued,
            face_value: face_value(invoice),
            issue_date: start(),
            due_date: start().after(30 * 24 * 3600),
        }
    }

    /// A request for an advance on an invoice.
    pub fn request_of_advance(self, invoice: u32) -> Operation {
        let payee = business_name(self.payee(invoice));
        Operation::RequestAdvance { payee, invoice: invoice_name(invoice) }
    }
}

/// The time when the population is created.
pub fn start() -> Timestamp {
    Timestamp::parse("2026-01-01T00:00:00Z").expect("a date-time")
}

/// The time when the population is used: its advances are paid out.
pub fn now() -> Timestamp {
    start().after(SETTLING)
}

/// The caller's identifier of a business.
pub fn business_name(business: u32) -> String {
    format!("business-{business:06}")
}

/// The caller's identifier of an invoice.
pub fn invoice_name(invoice: u32) -> String {
    format!("INV-2026-{invoice:07}")
}

/// The face value of an invoice: 1,000 to 10,000 dollars.
pub fn face_value(invoice: u32) -> FaceValue {
    let cents = 100_000 + Draw::new(u64::from(invoice) << 32).below(900_000);
    FaceValue::new(i64::from(cents)).expect("a face value")
}

/// The details of a business: its name and, with `everything`, its tax id and contact.
pub(crate) fn details(business: u32, everything: bool) -> BusinessDetails {
    let legal_name = format!("Business {business:06} Incorporated");
    if !everything {
        return BusinessDetails { legal_name, tax_id: None, contact: Contact::default() };
    }
    let contact = Contact {
        name: Some(format!("Person {business:06}")),
        email: Some(email(business)),
        phone: Some("+1 555 010 0199".into()),
        address: address(),
    };
    BusinessDetails { legal_name, tax_id: Some(format!("{:09}", 100_000_000 + business)), contact }
}

fn email(business: u32) -> String {
    format!("owner@business-{business:06}.example.com")
}

fn address() -> Address {
    Address {
        line1: Some("100 Market Street".into()),
        line2: None,
        city: Some("Springfield".into()),
        state: Some("IL".into()),
        postal_code: Some("62701".into()),
    }
}

/// Brings a vendor through onboarding.
fn ready(service: &mut Service, vendor: u32) {
    let payee = business_name(vendor);
    ask(service, Operation::Invite { business: payee.clone(), email: email(vendor) });
    ask(
        service,
        Operation::SetPayoutAccount {
            business: payee.clone(),
            account_number: format!("{:010}", 1_000_000_000 + u64::from(vendor)),
            routing_number: "021000021".into(),
            label: None,
        },
    );
    let happenings = [
        Happening::VendorAcceptsInvitation { payee: payee.clone(), email: email(vendor) },
        Happening::VendorSignsAgreement { payee: payee.clone(), address: address() },
        Happening::CollectionAccountOpens { payee },
    ];
    for happening in happenings {
        service.happen(start(), PlatformId::DEFAULT, happening).expect("it can happen");
    }
}

fn ask(service: &mut Service, operation: Operation) {
    service.handle(start(), PlatformId::DEFAULT, operation).expect("nothing to refuse");
}

/// The amount of a payor's payment.
pub const INSTALMENT: Cents = Cents(100);

/// Random numbers, the same in every run.
#[derive(Clone, Debug)]
pub struct Draw {
    state: u64,
}

impl Draw {
    /// Random numbers from a seed.
    pub fn new(seed: u64) -> Draw {
        Draw { state: seed }
    }

    /// A number from 0 to `bound`, exclusive.
    pub fn below(&mut self, bound: u32) -> u32 {
        // SplitMix64: random enough for cache misses.
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let high = (mixed ^ (mixed >> 31)) >> 32;
        u32::try_from((high * u64::from(bound)) >> 32).expect("less than the bound")
    }

    /// `items` in a random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let bound = u32::try_from(last + 1).expect("fewer than four billion");
            items.swap(last, self.below(bound) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tideover_model::wire::reply::Reply;

    #[test]
    fn a_population_matches_its_description() {
        let population = Population::new(200);
        let mut service = population.service();
        for invoice in 0..200 {
            let question = Operation::GetInvoice {
                payee: business_name(population.payee(invoice)),
                invoice: invoice_name(invoice),
            };
            let answer = service.handle(now(), PlatformId::DEFAULT, question).unwrap();
            let Reply::Invoice(invoice_reply) = answer else { panic!("{answer:?}") };
            let advanced = invoice_reply.advance.is_some_and(|advance| advance.funded_at.is_some());
            assert_eq!(advanced, population.is_advanced(invoice));
            assert_eq!(
                invoice_reply.fundable, !advanced,
                "{:?}",
                invoice_reply.not_fundable_reason
            );
        }
        assert_eq!(service.audit(), Ok(()));
    }

    #[test]
    fn a_shuffle_keeps_all_items() {
        let mut items: Vec<u32> = (0..1000).collect();
        Draw::new(1).shuffle(&mut items);
        assert_ne!(items[..10], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        items.sort_unstable();
        assert!(items.into_iter().eq(0..1000));
    }
}
