//! The matrix of states and requests: an invoice, or a business, is brought into each state that it can have, and then
//! everything that can be asked of it is asked.

mod ask;
mod businesses;
mod invoices;
mod passing;
pub(super) mod tour;

use proptest::strategy::{Just, Strategy};
use serde_json::json;
use tideover_exchange::step::{Caller, Step};
use tideover_model::words::InvoiceStatus;
use tideover_model::{ActionKind, VendorRoute};

use crate::generate::matrix::ask::{Ask as _, Subject};
use crate::generate::names::{PAYORS, VENDORS, email_of, other_platform};
use crate::generate::requests::InvoiceFields;
use crate::generate::{Walk, files, next_stage, requests as make, values};

/// How far an advance comes: none, requested, funding, funded, repaid.
const ADVANCES: u64 = 5;
/// What is collected: nothing, a part, all.
const COLLECTED: u64 = 3;
const STATUSES: u64 = InvoiceStatus::ALL.len() as u64;
const INVOICES: u64 = ADVANCES * COLLECTED * STATUSES;
/// Compliance, contract, bank, collection account.
const REQUIREMENTS: u8 = 4;
/// The requirements that are met, as bits: each of the first three or none, all four, and what is left of these once the
/// tax id is found wrong.
const BUSINESSES: [u8; 10] = [0, 1, 2, 3, 4, 5, 6, 7, ALL_MET, LOST];
const ALL_MET: u8 = (1 << REQUIREMENTS) - 1;
const LOST: u8 = ALL_MET - 1;
/// The requests that change the state of a business, of which each case sends two: one to each of two businesses.
const MOVES: usize = 10;

/// The number of states, each of a business once for two moves.
pub(super) const STATES: u64 = INVOICES + (BUSINESSES.len() * MOVES / 2) as u64;

/// Coprime to the numbers of states, so that each state comes, and neighbours are unlike.
const STRIDE: u64 = 29;

const FACE_VALUE: i64 = 300_000;

/// The legal name of a business that has some of the requirements.
const HALF_WAY: &str = "Half Way Ltd";
const HALF_WAY_EMAIL: &str = "ann@half-way.example";

/// How many of the changes a case tries, at random: it must come to its end.
const CHANGES: usize = 3;

/// The state of one invoice.
struct InvoiceState {
    name: String,
    vendor: &'static str,
    advance: u64,
    collected: u64,
    status: &'static str,
    /// Whether it is paid before its advance goes on: each time that a state comes, the other one is first.
    is_paid_first: bool,
}

impl InvoiceState {
    /// The state `number` of [`INVOICES`], on its first or a later `turn`.
    fn of(number: u64, name: String, vendor: &'static str, turn: u64) -> InvoiceState {
        let status = usize::try_from(number / (ADVANCES * COLLECTED)).unwrap_or(0);
        InvoiceState {
            name,
            vendor,
            advance: number % ADVANCES,
            collected: number / ADVANCES % COLLECTED,
            status: InvoiceStatus::ALL[status].word(),
            is_paid_first: turn % 2 == 1,
        }
    }

    /// The part of it that is collected, if it is one. Cents.
    fn part(&self) -> Option<i64> {
        let most = FACE_VALUE / 20 * 19;
        (self.collected == 1).then_some(match self.advance {
            // Which part makes which collection state is not shown.
            0 => most,
            // Which part repays an advance is not shown: most, or nearly all.
            4 if self.is_paid_first => FACE_VALUE - 1,
            4 => most,
            _ => FACE_VALUE / 2,
        })
    }
}

impl Walk {
    /// The next step of the state `number`: toward it, and then in it.
    pub(super) fn toward_state(&mut self, number: u64, stage: &mut usize) -> Option<Step> {
        let state = number.wrapping_mul(STRIDE) % STATES;
        let vendor = VENDORS[usize::try_from(state % 3).unwrap_or(0)];
        if *stage == 0 {
            let toward = match state < INVOICES {
                true => self.toward_onboarding(&Caller::Default, vendor),
                false => None,
            };
            if let Some(step) = toward.or_else(|| self.toward_other_platform()) {
                return Some(step);
            }
            let (script, needed) = if state < INVOICES {
                let name = format!("s{state}");
                self.invoice_in(&InvoiceState::of(state, name, vendor, number / STATES))
            } else {
                let index = usize::try_from(state - INVOICES).unwrap_or(0);
                self.business_in(BUSINESSES[index % BUSINESSES.len()], index / BUSINESSES.len())
            };
            // What comes between could change the state.
            (self.script, self.undisturbed) = (script, needed - 1);
        }
        self.next_of_script(stage)
    }

    /// The step of the script at `stage`, which moves on.
    fn next_of_script(&self, stage: &mut usize) -> Option<Step> {
        self.script.get(next_stage(stage)).cloned()
    }

    /// Brings an invoice into its state, sends each kind of request, and changes it in drawn ways. The steps, and how
    /// many of them the state needs.
    fn invoice_in(&mut self, state: &InvoiceState) -> (Vec<Step>, usize) {
        let InvoiceState { name, vendor, .. } = state;
        let plain = self.fields_of(state);
        let twins = twins_of(state, &plain);
        let mut steps: Vec<Step> = twins.to_vec();
        steps.extend(toward_invoice(state, &plain));
        if state.advance > 0
            && let Some(part) = state.part()
        {
            // The same is collected of an invoice without an advance: how far an invoice is collected does not depend on it.
            let alike = format!("{name}-alike");
            steps.extend([
                make::sync_invoice(&alike, &plain),
                make::pay(vendor, &alike, part),
                make::get_invoice(vendor, &alike),
            ]);
        }
        for step in self.each_kind_of(state, &plain) {
            steps.extend([step, make::get_invoice(vendor, name)]);
        }
        if state.advance > 0 {
            steps.extend([
                make::import(&format!("changed-{name}"), self.changed_rows(state, &plain)),
                make::get_invoice(vendor, name),
            ]);
        }
        let needed = steps.len();
        let mut changes = self.changes_of_invoice(state, &plain);
        for _ in 0..CHANGES {
            let next = self.draw(0..changes.len());
            let step = changes.swap_remove(next);
            let read = make::read_back(&step);
            steps.extend([step].into_iter().chain(read));
        }
        steps.extend(twins.iter().filter_map(make::read_back));
        (steps, needed)
    }

    /// A request of each kind: first those that leave the state as it is.
    fn each_kind_of(&mut self, state: &InvoiceState, plain: &InvoiceFields) -> Vec<Step> {
        let InvoiceState { name, vendor, status, advance, is_paid_first, .. } = state;
        let moves = [
            make::request_advance(vendor, name),
            make::act_on_invoice(ActionKind::FundingStarts, vendor, name),
            make::act_on_invoice(ActionKind::FundingCompletes, vendor, name),
        ];
        let same = InvoiceFields { status, ..plain.clone() };
        let mut last = vec![make::pay(vendor, name, 1)];
        // Both the next move of the advance and a payment change the state.
        let place = usize::from(*is_paid_first);
        // An advance has fixed its terms, so that this leaves the state as it is, too.
        let moved = (*advance > 0).then(|| make::sync_invoice(name, &self.moved(&same)));
        let mut steps = vec![
            make::sync_invoice(name, &same),
            make::import(&format!("same-{name}"), files::row_of(vendor, name, status, FACE_VALUE)),
        ];
        for (from, step) in (0..).zip(moves) {
            if from == *advance { last.insert(place, step) } else { steps.push(step) }
        }
        steps.extend(moved);
        let mut steps = self.draw(Just(steps).prop_shuffle());
        steps.append(&mut last);
        steps
    }

    /// Other terms.
    fn moved(&mut self, plain: &InvoiceFields) -> InvoiceFields {
        let days = self.draw(1_u32..90);
        InvoiceFields {
            face_value: self.draw(1_000_i64..FACE_VALUE),
            issue_date: self.in_days(days),
            due_date: self.in_days(2 * days),
            ..plain.clone()
        }
    }

    /// A row for each thing that a row could change of an invoice: another status, another amount, other dates.
    fn changed_rows(&mut self, state: &InvoiceState, plain: &InvoiceFields) -> String {
        let InvoiceState { name, vendor, status, .. } = state;
        let others = InvoiceStatus::ALL.map(InvoiceStatus::word);
        let others: Vec<&str> = others.into_iter().filter(|word| word != status).collect();
        let other_status = self.pick(&others);
        let amount = self.draw(1_000_i64..FACE_VALUE).to_string();
        let days = self.draw(90_u32..300);
        let later = self.in_days(days);
        let same = FACE_VALUE.to_string();
        let (issued, due) = (&*plain.issue_date, &*plain.due_date);
        let row = |status, amount, [issued, due]: [_; 2]| {
            vec![
                ("externalId", &**name),
                ("payeeExternalId", vendor),
                ("status", status),
                ("faceValue", amount),
                ("issueDate", issued),
                ("dueDate", due),
            ]
        };
        files::file_of(&[
            row(other_status, &same, [issued, due]),
            row(status, &amount, [issued, due]),
            row(status, &same, [&*later, &*later]),
        ])
    }

    fn fields_of(&mut self, state: &InvoiceState) -> InvoiceFields {
        let days = self.draw_days();
        InvoiceFields {
            face_value: FACE_VALUE,
            issue_date: self.in_days(0),
            due_date: self.in_days(days),
            ..InvoiceFields::of(state.vendor)
        }
    }

    /// Each change of one field, and requests about the vendor that leave the invoice alone.
    fn changes_of_invoice(&mut self, state: &InvoiceState, plain: &InvoiceFields) -> Vec<Step> {
        let InvoiceState { name, vendor, status, .. } = state;
        let same = InvoiceFields { status, ..plain.clone() };
        let other_status = self.draw(values::status());
        let days = self.draw(1_u32..90);
        let later = self.in_days(days);
        let amount = self.draw(1_000_i64..400_000);
        let sync = |fields: InvoiceFields| make::sync_invoice(name, &fields);
        vec![
            sync(InvoiceFields { status: other_status, ..same.clone() }),
            sync(InvoiceFields { face_value: amount, ..same.clone() }),
            sync(InvoiceFields { due_date: later.clone(), ..same.clone() }),
            sync(InvoiceFields { issue_date: later, ..same.clone() }),
            sync(InvoiceFields { payor: PAYORS[1].to_owned(), ..same }),
            make::import(&format!("row-{name}"), files::row_of(vendor, name, other_status, amount)),
            make::quote(vendor, FACE_VALUE),
            make::sync_business(vendor, "Another Name", None, None),
            make::set_payout_account(vendor, "000987654", "011401533", None),
            make::invite(vendor, &email_of(vendor)),
            make::create_session(vendor),
            make::get_invoice(vendor, name).by(&other_platform()),
            make::request_advance(vendor, name).by(&other_platform()),
            make::quote(vendor, FACE_VALUE).by(&other_platform()),
        ]
    }

    /// Brings two businesses into a state, sends each kind of request to the first and one move to each, and then meets
    /// what is missing, with an invoice and an advance in each state on the way. The steps, and how many of them the
    /// state needs.
    fn business_in(&mut self, met: u8, turn: usize) -> (Vec<Step>, usize) {
        let [first, second] = [0, 1].map(|number| HalfWay { met, number });
        // Those that are met come first, in any order, and then the others.
        let requirements: Vec<u8> = (0..REQUIREMENTS).collect();
        let mut order = self.draw(Just(requirements).prop_shuffle());
        // The collection account opens only once all else is met.
        order.sort_by_key(|requirement| {
            (met >> requirement & 1 == 0, *requirement == REQUIREMENTS - 1)
        });
        let missing = order.split_off(met.count_ones() as usize);
        let mut steps = first.begun(&order);
        steps.extend(self.each_kind_of_business(&first.name()));
        steps.extend(moved(&first.name(), 2 * turn));
        steps.extend(second.begun(&order));
        steps.extend(moved(&second.name(), 2 * turn + 1));
        let needed = steps.len();
        for (turn, requirement) in (0..).zip(missing) {
            steps.extend(first.meets(requirement));
            steps.push(first.read());
            steps.extend(financed(&first.name(), turn));
        }
        steps.push(make::advance_clock(make::LONG));
        steps.extend(financed(&first.name(), 9));
        (steps, needed)
    }

    /// A request of each kind that leaves the state as it is, each followed by a read.
    fn each_kind_of_business(&mut self, business: &str) -> Vec<Step> {
        let steady = self.steady_requests_of(business).into_iter();
        steady.flat_map(|step| [step, make::get_business(business)]).collect()
    }
}

/// A business that has some of the requirements.
struct HalfWay {
    met: u8,
    /// Which of those of its case it is.
    number: u32,
}

impl HalfWay {
    /// None of a tour's has its number.
    fn subject(&self) -> Subject {
        let number = 1000 + 100 * self.number + u32::from(self.met);
        Subject { number, vendor: "", place: 0 }
    }

    fn name(&self) -> String {
        self.subject().name()
    }

    fn ask(&self, ask: businesses::Ask) -> Step {
        ask.step(businesses::Ask::FIRST, &self.subject())
    }

    fn read(&self) -> Step {
        businesses::Ask::read(&self.subject())
    }

    /// The steps that bring it into its state.
    fn begun(&self, order: &[u8]) -> Vec<Step> {
        let mut steps = vec![self.ask(businesses::Ask::Sync)];
        // The collection account does not open without compliance.
        let is_lost = self.met == LOST;
        let compliance = is_lost.then_some(0);
        steps.extend(compliance.iter().chain(order).flat_map(|it| self.meets(*it)));
        if is_lost {
            steps.push(self.ask(businesses::Ask::FindTaxIdWrong));
        }
        steps.push(self.read());
        steps
    }

    /// The steps that meet a requirement: compliance, contract, bank, collection account.
    fn meets(&self, requirement: u8) -> Vec<Step> {
        use businesses::Ask;
        match requirement {
            0 => vec![self.ask(Ask::SyncTaxId)],
            1 => vec![
                self.ask(Ask::Invite),
                self.ask(Ask::AcceptInvitation),
                self.read(),
                self.ask(Ask::Sign),
            ],
            2 => vec![self.ask(Ask::SetPayoutAccount)],
            _ => vec![self.ask(Ask::OpenAccount)],
        }
    }
}

/// A request that may change the state of a business, and what became of it.
fn moved(business: &str, number: usize) -> [Step; 2] {
    let step = match number % MOVES {
        0 => make::accept_invitation(business, HALF_WAY_EMAIL),
        1 => make::confirm_tax_id(business, VendorRoute::W9Upload, None),
        2 => make::add_bank_account(business, "000987654"),
        3 => make::act_on(ActionKind::TaxIdFoundWrong, business),
        4 => make::act_on(ActionKind::CollectionAccountOpens, business),
        5 => make::sign_agreement(business, &make::full_address()),
        6 => make::set_payout_account(business, "000987654", "011401533", None),
        7 => make::sync_business(business, HALF_WAY, Some("170000001"), None),
        8 => make::sync_business(business, HALF_WAY, None, Some(make::full_contact())),
        _ => make::act(ActionKind::MarkTestAccount, json!({ "externalId": business })),
    };
    [step, make::get_business(business)]
}

/// Invoices of the same identifier: another vendor's, and the same vendor's on another platform. Nothing is asked of
/// them, so that nothing changes them.
fn twins_of(state: &InvoiceState, plain: &InvoiceFields) -> [Step; 2] {
    let other = VENDORS.into_iter().find(|vendor| *vendor != state.vendor).unwrap_or(state.vendor);
    let of = |payee: &str, face_value| {
        let fields = InvoiceFields { payee: payee.to_owned(), face_value, ..plain.clone() };
        make::sync_invoice(&state.name, &fields)
    };
    [of(other, FACE_VALUE + 1), of(state.vendor, FACE_VALUE + 2).by(&other_platform())]
}

/// The steps that bring the invoice of an onboarded vendor into its state.
fn toward_invoice(state: &InvoiceState, plain: &InvoiceFields) -> Vec<Step> {
    let InvoiceState { name, vendor, advance, collected, status, .. } = state;
    let mut steps = vec![make::sync_invoice(name, plain)];
    if *advance > 0 {
        steps.push(make::request_advance(vendor, name));
    }
    if *advance > 1 {
        steps.push(make::act_on_invoice(ActionKind::FundingStarts, vendor, name));
    }
    if *advance > 2 {
        steps.push(make::act_on_invoice(ActionKind::FundingCompletes, vendor, name));
    }
    // Only what is collected repays an advance.
    let is_whole = *collected == 2 || *advance > 3;
    let paid = state.part().or(is_whole.then_some(FACE_VALUE));
    steps.extend(paid.map(|cents| make::pay(vendor, name, cents)));
    steps.push(make::sync_invoice(name, &InvoiceFields { status, ..plain.clone() }));
    steps.push(make::get_invoice(vendor, name));
    steps
}

/// An invoice, and an advance, while something may be missing.
fn financed(business: &str, turn: usize) -> Vec<Step> {
    let invoice = format!("h{turn}");
    let due_date = values::day(1461);
    let fields = InvoiceFields { face_value: FACE_VALUE, due_date, ..InvoiceFields::of(business) };
    vec![
        make::sync_invoice(&invoice, &fields),
        make::get_invoice(business, &invoice),
        make::request_advance(business, &invoice),
        make::quote(business, FACE_VALUE),
        make::get_business(business),
    ]
}
