//! The matrix of states and requests: an invoice, or a business, is brought into each state that it can have, and then
//! everything that can be asked of it is asked.

use tideover_exchange::step::{Caller, Step};
use tideover_model::ActionKind;
use tideover_model::words::InvoiceStatus;

use crate::generate::names::{PAYORS, VENDORS, email_of, other_platform};
use crate::generate::requests::InvoiceFields;
use crate::generate::{Walk, files, requests as make, values};

/// How far an advance comes: none, requested, funding, funded, repaid.
const ADVANCES: u64 = 5;
/// What is collected: nothing, a part, all.
const COLLECTED: u64 = 3;
const STATUSES: u64 = InvoiceStatus::ALL.len() as u64;
const INVOICES: u64 = ADVANCES * COLLECTED * STATUSES;
/// Which of compliance, contract and bank are there.
const BUSINESSES: u64 = 8;

/// The number of states.
pub(super) const STATES: u64 = INVOICES + BUSINESSES;

/// Coprime to the number of states, so that each state comes, and neighbours are unlike.
const STRIDE: u64 = 29;

const FACE_VALUE: i64 = 300_000;

/// The number of requests that a case leaves out, at random, so that its end is played too.
const LEFT_OUT: usize = 8;

/// The state of one invoice.
struct InvoiceState {
    name: String,
    vendor: &'static str,
    advance: u64,
    collected: u64,
    status: &'static str,
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
            self.script = if state < INVOICES {
                let status = usize::try_from(state / (ADVANCES * COLLECTED)).unwrap_or(0);
                self.invoice_in(&InvoiceState {
                    name: format!("s{state}"),
                    vendor,
                    advance: state % ADVANCES,
                    collected: state / ADVANCES % COLLECTED,
                    status: InvoiceStatus::ALL[status].word(),
                })
            } else {
                self.business_in(state - INVOICES)
            };
        }
        *stage += 1;
        self.script.get(*stage - 1).cloned()
    }

    /// Brings an invoice into its state, asks everything of it, and then asks for another advance of a vendor whose
    /// compliance is lost.
    fn invoice_in(&mut self, state: &InvoiceState) -> Vec<Step> {
        let InvoiceState { name, vendor, .. } = state;
        let plain = self.fields_of(state);
        let mut steps = toward_invoice(state, &plain);
        let mut asked = self.asked_of_invoice(state, &plain);
        while asked.len() > LEFT_OUT {
            let next = self.draw(0..asked.len());
            let step = asked.swap_remove(next);
            let read = make::read_back(&step).filter(|_| self.draw(0_u32..3) > 0);
            steps.extend([step].into_iter().chain(read));
        }
        steps.push(make::get_invoice(vendor, name));
        let other = format!("{name}-b");
        steps.extend([
            make::act_on(ActionKind::TaxIdFoundWrong, vendor),
            make::sync_invoice(&other, &plain),
            make::request_advance(vendor, &other),
            make::get_invoice(vendor, &other),
            make::quote(vendor, FACE_VALUE),
            make::request_advance(vendor, name),
            make::get_business(vendor),
        ]);
        steps
    }

    fn fields_of(&mut self, state: &InvoiceState) -> InvoiceFields {
        let now = self.model.now();
        InvoiceFields {
            face_value: FACE_VALUE,
            issue_date: now.to_string(),
            due_date: values::days_later(now, self.draw_days()),
            ..InvoiceFields::of(state.vendor)
        }
    }

    /// A request of each kind, and each change of one field.
    fn asked_of_invoice(&mut self, state: &InvoiceState, plain: &InvoiceFields) -> Vec<Step> {
        let InvoiceState { name, vendor, status, .. } = state;
        let same = InvoiceFields { status, ..plain.clone() };
        let other_status = self.draw(values::status());
        let days = self.draw(1_u64..90);
        let later = values::days_later(self.model.now(), days);
        let amount = self.draw(1_000_i64..400_000);
        let sync = |fields: InvoiceFields| make::sync_invoice(name, &fields);
        vec![
            make::request_advance(vendor, name),
            make::request_advance(vendor, name),
            sync(same.clone()),
            sync(InvoiceFields { status: other_status, ..same.clone() }),
            sync(InvoiceFields { face_value: amount, ..same.clone() }),
            sync(InvoiceFields { due_date: later.clone(), ..same.clone() }),
            sync(InvoiceFields { issue_date: later, ..same.clone() }),
            sync(InvoiceFields { payor: PAYORS[1].to_owned(), ..same }),
            make::import(&format!("row-{name}"), files::row_of(vendor, name, other_status, amount)),
            make::pay(vendor, name, 1),
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

    /// A business with some of the three requirements: everything is asked of it, and again with each further one.
    fn business_in(&mut self, met: u64) -> Vec<Step> {
        let name = format!("state {met}");
        let mut steps = vec![make::sync_business(&name, "Half Way Ltd", None, None)];
        let mut order: Vec<u64> = (0..3).collect();
        // Those that are met come first, in any order, and then the others.
        let turn = self.draw(0_usize..3);
        order.rotate_left(turn);
        order.sort_by_key(|requirement| met >> requirement & 1 == 0);
        for (index, requirement) in order.into_iter().enumerate() {
            if index as u32 >= met.count_ones() {
                steps.extend(asked_of_business(&name, index));
            }
            steps.extend(toward_requirement(&name, requirement, met));
        }
        steps.extend(asked_of_business(&name, 3));
        steps.push(make::advance_clock(make::LONG));
        steps.extend(asked_of_business(&name, 4));
        steps
    }
}

/// The steps that bring the invoice of an onboarded vendor into its state.
fn toward_invoice(state: &InvoiceState, plain: &InvoiceFields) -> Vec<Step> {
    let InvoiceState { name, vendor, advance, collected, status } = state;
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
    match *collected {
        _ if *advance > 3 => steps.push(make::pay(vendor, name, FACE_VALUE)),
        1 => steps.push(make::pay(vendor, name, FACE_VALUE / 2)),
        2 => steps.push(make::pay(vendor, name, FACE_VALUE)),
        _ => {}
    }
    steps.push(make::sync_invoice(name, &InvoiceFields { status, ..plain.clone() }));
    steps.push(make::get_invoice(vendor, name));
    steps
}

/// The steps that meet compliance, contract or bank.
fn toward_requirement(business: &str, requirement: u64, met: u64) -> Vec<Step> {
    match requirement {
        0 => {
            let number = (160_000_000 + met).to_string();
            vec![make::sync_business(business, "Half Way Ltd", Some(&number), None)]
        }
        1 => {
            let email = "ann@half-way.example";
            vec![
                make::invite(business, email),
                make::accept_invitation(business, email),
                make::sign_agreement(business, &make::full_address()),
            ]
        }
        _ => vec![
            make::set_payout_account(business, "000123456", "021000021", None),
            make::act_on(ActionKind::CollectionAccountOpens, business),
        ],
    }
}

/// An advance, a quote and reads, while something may be missing.
fn asked_of_business(business: &str, turn: usize) -> Vec<Step> {
    let invoice = format!("h{turn}");
    let due_date = "2030-01-01T00:00:00Z".to_owned();
    let fields = InvoiceFields { face_value: FACE_VALUE, due_date, ..InvoiceFields::of(business) };
    vec![
        make::sync_invoice(&invoice, &fields),
        make::get_business(business),
        make::get_invoice(business, &invoice),
        make::quote(business, FACE_VALUE),
        make::request_advance(business, &invoice),
        make::get_invoice(business, &invoice),
    ]
}
