//! Requests that compete: one invoice requested by many, the last room under a limit, two files under one import
//! identifier, one URL subscribed twice.
//!
//! Every write differs from every other, so that a read shows which write it saw. Each writer reads its write back,
//! because a race without reads can be explained by almost any order. Before the race the payors are synced, the vendors
//! onboarded and a limit filled, one after the other: then the history splits into small parts.
//!
//! Not generated: payments during a race, since the law of the limit counts each advance that nobody paid as
//! outstanding; moves of the clock, since each lets hidden transitions happen; receivers that answer 410, since they end
//! a subscription without a deletion.

use tideover_exchange::Race;
use tideover_exchange::step::Step;
use tideover_exchange::transcript::Header;
use tideover_model::{ActionKind, FaceValue};

use crate::generate::draw::Draw;
use crate::generate::filling::Filling;
use crate::generate::names::{PAYORS, name_of};
use crate::generate::plain::FULL_COLUMNS;
use crate::generate::requests as make;
use crate::generate::requests::InvoiceFields;
use crate::generate::values;

/// The size of a race.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// The number of clients.
    pub clients: usize,
    /// The number of requests per client.
    pub steps: usize,
}

/// The main subject of a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Theme {
    OneInvoice,
    LastRoom,
    OneImport,
    OneUrl,
    Syncs,
    Newcomers,
}

const THEMES: [Theme; 6] = [
    Theme::OneInvoice,
    Theme::LastRoom,
    Theme::OneImport,
    Theme::OneUrl,
    Theme::Syncs,
    Theme::Newcomers,
];

/// The number of requests per vendor. More would make a part too large for the search, fewer would seldom meet.
const REQUESTS_PER_VENDOR: usize = 40;
/// The number of invoices per vendor that all clients request.
const CONTESTED: usize = 3;
/// The number of large invoices of a vendor that compete for the last room under its limit.
const LARGE: usize = 7;

/// Race `number`: the same for the same header, on any machine.
pub fn race(header: &Header, number: u64, size: Size) -> Race {
    let vendors = (size.clients * size.steps).div_ceil(REQUESTS_PER_VENDOR).clamp(1, 10);
    let mut racers = Racers {
        draw: Draw::new([header.seed, number, 1]),
        // The themes take turns, so that a few races cover all of them.
        theme: THEMES[usize::try_from(number % THEMES.len() as u64).unwrap_or(0)],
        dates: (values::day(0), values::day(60)),
        written: 0,
        large: 0,
        vendors: (1..=vendors).map(|vendor| format!("v{vendor}")).collect(),
    };
    let before = racers.before();
    let clients = (0..size.clients).map(|_| racers.client(size.steps)).collect();
    Race { before, clients, after: racers.after() }
}

struct Racers {
    draw: Draw,
    theme: Theme,
    dates: (String, String),
    /// The number of writes so far, which makes each write different.
    written: usize,
    /// The number of requests for large advances so far, which makes the clients begin with different ones.
    large: usize,
    vendors: Vec<String>,
}

impl Racers {
    /// Creates the payors and onboards the vendors with their invoices.
    fn before(&mut self) -> Vec<Step> {
        let mut steps: Vec<Step> = PAYORS
            .iter()
            .map(|payor| make::sync_business(payor, &name_of(payor), None, None))
            .collect();
        for (index, vendor) in self.vendors.clone().iter().enumerate() {
            steps.extend(onboarding(vendor, index));
            steps.extend((1..=CONTESTED).map(|n| self.sync(vendor, &format!("c{n}"))));
            if self.has_large(index) {
                let large = |n| self.sync_of(vendor, &format!("big{n}"), FaceValue::MAX);
                steps.extend((1..=LARGE).map(large));
                steps.extend(room_for_one(vendor));
            }
        }
        steps
    }

    fn has_large(&self, vendor: usize) -> bool {
        vendor == 0 && self.theme == Theme::LastRoom
    }

    fn client(&mut self, steps: usize) -> Vec<Step> {
        let mut sent: Vec<Step> = Vec::new();
        let mut subscribed = Vec::new();
        while sent.len() < steps {
            // All begin with the main subject, when they surely meet.
            let is_main = sent.is_empty() || self.draw.percent(60);
            let theme = if is_main { self.theme } else { *self.draw.pick(&THEMES) };
            let step = match theme {
                Theme::OneInvoice => self.request_contested(),
                Theme::LastRoom if self.theme == Theme::LastRoom => self.request_large(),
                Theme::LastRoom | Theme::Syncs => self.write_something(),
                Theme::OneImport => self.import_one_of_two(),
                Theme::OneUrl => self.subscribe_or_not(&mut subscribed),
                Theme::Newcomers => self.sync_newcomer(sent.len()),
            };
            let read = make::read_back(&step);
            sent.push(step);
            sent.extend(read);
        }
        sent.truncate(steps);
        sent
    }

    /// Every client syncs the same new businesses and invoices, in the same order.
    fn sync_newcomer(&mut self, nth: usize) -> Step {
        let newcomer = format!("new{}", nth / 4 + 1);
        match nth / 2 % 2 {
            0 => make::sync_business(&newcomer, &name_of(&newcomer), None, None),
            _ => self.sync(&newcomer, "first"),
        }
    }

    fn vendor(&mut self) -> String {
        self.draw.pick(&self.vendors).clone()
    }

    fn request_contested(&mut self) -> Step {
        let invoice = format!("c{}", self.draw.below(CONTESTED) + 1);
        let vendor = self.vendor();
        make::request_advance(&vendor, &invoice)
    }

    fn request_large(&mut self) -> Step {
        self.large += 1;
        make::request_advance(&self.vendors[0], &format!("big{}", self.large % LARGE + 1))
    }

    fn write_something(&mut self) -> Step {
        let vendor = self.vendor();
        let number = self.next();
        match self.draw.below(6) {
            0 => make::sync_business(&vendor, &format!("Vendor {number} Ltd"), None, None),
            1 => make::set_payout_account(&vendor, &format!("{number:08}"), "021000021", None),
            2 => make::quote(&vendor, 10_000 + i64::try_from(number).unwrap_or(0)),
            3 => make::invite(&vendor, &format!("somebody-{number}@vendor.example")),
            _ => {
                let invoice = format!("c{}", self.draw.below(CONTESTED + 2) + 1);
                self.sync(&vendor, &invoice)
            }
        }
    }

    /// Two files, distinguished by their face values.
    fn import_one_of_two(&mut self) -> Step {
        let import = format!("import-{}", self.draw.below(2) + 1);
        let face = 70_000 + self.draw.below(2);
        let (issued, due) = &self.dates;
        let (payor, name) = (PAYORS[0], name_of(PAYORS[0]));
        let rest = format!("of-{import},Of {import},{payor},{name},ISSUED,{face},{issued},{due}");
        let rows: String = (1..=3).map(|row| format!("row-{row},{rest}\n")).collect();
        make::import(&import, format!("{FULL_COLUMNS}\n{rows}"))
    }

    fn subscribe_or_not(&mut self, subscribed: &mut Vec<String>) -> Step {
        if !subscribed.is_empty() && self.draw.percent(40) {
            let name = subscribed.swap_remove(self.draw.below(subscribed.len()));
            return make::unsubscribe(&format!("${{{name}.reference}}"));
        }
        let name = format!("hook{}", self.next());
        subscribed.push(name.clone());
        let url = format!("${{inbox}}/accepts/{}", self.draw.below(2) + 1);
        make::subscribe(&url, None).named(name)
    }

    fn next(&mut self) -> usize {
        self.written += 1;
        self.written
    }

    fn sync(&mut self, vendor: &str, invoice: &str) -> Step {
        let face = 100_000 + i64::try_from(self.next()).unwrap_or(0);
        self.sync_of(vendor, invoice, face)
    }

    fn sync_of(&mut self, vendor: &str, invoice: &str, face_value: i64) -> Step {
        let (issue_date, due_date) = self.dates.clone();
        let payor = (*self.draw.pick(&PAYORS)).to_owned();
        let (payee, status) = (vendor.to_owned(), "ISSUED");
        let fields = InvoiceFields { payee, payor, status, face_value, issue_date, due_date };
        make::sync_invoice(invoice, &fields)
    }

    /// Reads everything that the clients may have written.
    fn after(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        for (index, vendor) in self.vendors.iter().enumerate() {
            steps.push(make::get_business(vendor));
            steps.extend((1..=CONTESTED + 2).map(|n| make::get_invoice(vendor, &format!("c{n}"))));
            if self.has_large(index) {
                steps.extend((1..=LARGE).map(|n| make::get_invoice(vendor, &format!("big{n}"))));
            }
        }
        for import in ["import-1", "import-2"] {
            steps.push(make::get_import(import));
            steps.push(make::get_invoice(&format!("of-{import}"), "row-1"));
        }
        steps.push(make::list_subscriptions());
        steps
    }
}

/// Fills the limit of a vendor, whatever it is, and lets the payor pay one of the greatest advances:
/// from then on one like it fits, and two do not.
fn room_for_one(vendor: &str) -> Vec<Step> {
    let filling = Filling::SHORT;
    let mut steps: Vec<Step> =
        (0..filling.steps()).filter_map(|n| filling.step(vendor, n)).collect();
    steps.extend([
        make::act_on_invoice(ActionKind::FundingStarts, vendor, "f1"),
        make::act_on_invoice(ActionKind::FundingCompletes, vendor, "f1"),
        make::pay(vendor, "f1", FaceValue::MAX),
        make::get_invoice(vendor, "f1"),
    ]);
    steps
}

/// The steps that meet all four requirements.
fn onboarding(vendor: &str, index: usize) -> Vec<Step> {
    let tax_id = (120_000_000 + index).to_string();
    let email = format!("{vendor}@vendor.example");
    let contact = Some(make::full_contact());
    vec![
        make::sync_business(vendor, &name_of(vendor), Some(&tax_id), contact),
        make::set_payout_account(vendor, "00012345", "021000021", None),
        make::invite(vendor, &email),
        make::accept_invitation(vendor, &email),
        make::act_on(ActionKind::VendorSignsAgreement, vendor),
        make::act_on(ActionKind::CollectionAccountOpens, vendor),
        make::get_business(vendor),
    ]
}
