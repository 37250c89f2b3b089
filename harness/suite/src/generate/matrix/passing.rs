//! States of the matrix that a case meets in passing, once its own goal is reached: in few steps, without twins and
//! changes, so that a run of few cases meets most pairs.

use proptest::strategy::{Just, Strategy};
use tideover_exchange::step::{Action, Caller, Step};
use tideover_model::{ActionKind, OperationKind};

use crate::generate::matrix::{
    BUSINESSES, FACE_VALUE, HalfWay, INVOICES, InvoiceState, MOVES, STRIDE, moved, toward_invoice,
};
use crate::generate::names::VENDORS;
use crate::generate::requests::InvoiceFields;
use crate::generate::{Walk, files, requests as make};

/// One state in so many is a business's.
const BUSINESS_EACH: u64 = 4;

/// The businesses of these states are none of those that a whole case brings into its state.
const OWN: u32 = 2;

impl Walk {
    /// The next step of the state `number`: toward it, and then each request in it.
    pub(in crate::generate) fn toward_passing_state(
        &mut self,
        number: u64,
        stage: &mut usize,
    ) -> Option<Step> {
        if *stage == 0 {
            let (turn, is_business) =
                (number / BUSINESS_EACH, number.is_multiple_of(BUSINESS_EACH));
            self.script = if is_business {
                self.business_in_passing(turn)
            } else {
                let vendor = self.any_onboarded();
                if let Some(step) = self.toward_onboarding(&Caller::Default, vendor) {
                    return Some(step);
                }
                self.invoice_in_passing(number - turn, vendor)
            };
            // A state in which not all is asked leaves a gap in the matrix.
            if self.script.len() as u64 > self.room() {
                return None;
            }
            // What comes between could change the state.
            self.undisturbed = self.script.len() - 1;
        }
        self.next_of_script(stage)
    }

    /// A vendor that is onboarded, or else one that can be.
    fn any_onboarded(&mut self) -> &'static str {
        let is_onboarded = |it: &&'static str| {
            let known = self.peek_business(&Caller::Default, it);
            known.is_some_and(|known| known.onboarding.is_complete())
        };
        VENDORS.into_iter().find(is_onboarded).unwrap_or(VENDORS[0])
    }

    fn invoice_in_passing(&mut self, number: u64, vendor: &'static str) -> Vec<Step> {
        let state = number.wrapping_mul(STRIDE) % INVOICES;
        let state = InvoiceState::of(state, format!("p{number}"), vendor, number / INVOICES);
        let plain = self.fields_of(&state);
        let mut steps = toward_invoice(&state, &plain);
        for step in self.each_kind_of(&state, &plain) {
            // A refusal leaves the state as it was shown.
            let read = writes(&step).then(|| make::get_invoice(vendor, &state.name));
            steps.extend([step].into_iter().chain(read));
        }
        steps.push(make::get_invoice(vendor, &state.name));
        steps
    }

    fn business_in_passing(&mut self, number: u64) -> Vec<Step> {
        let index = usize::try_from(number).unwrap_or(0);
        let met = BUSINESSES[index % BUSINESSES.len()];
        let number = u32::try_from(index % BUSINESSES.len()).unwrap_or(0);
        let business = HalfWay { met, number: OWN + number };
        let order: Vec<u8> = (0..super::REQUIREMENTS).filter(|it| met >> it & 1 == 1).collect();
        let mut order = self.draw(Just(order).prop_shuffle());
        // The collection account opens only once all else is met.
        order.sort_by_key(|requirement| *requirement == super::REQUIREMENTS - 1);
        let mut steps = business.begun(&order);
        let name = business.name();
        for step in self.steady_requests_of(&name) {
            let read = writes(&step).then(|| make::get_business(&name));
            steps.extend([step].into_iter().chain(read));
        }
        steps.extend(moved(&name, (index / BUSINESSES.len() + index) % MOVES));
        steps
    }

    /// A request of each kind that leaves the state of a business as it is.
    pub(super) fn steady_requests_of(&mut self, business: &str) -> Vec<Step> {
        let row = files::row_of(business, "h", "ISSUED", FACE_VALUE);
        let steady = vec![
            make::sync_business(business, super::HALF_WAY, None, None),
            make::invite(business, super::HALF_WAY_EMAIL),
            make::create_session(business),
            make::quote(business, FACE_VALUE),
            make::import(business, row),
            make::sync_invoice("h", &InvoiceFields::of(business)),
            make::request_advance(business, "h"),
        ];
        self.draw(Just(steady).prop_shuffle())
    }
}

/// Whether a step may write. Afterwards only a read shows the state.
fn writes(step: &Step) -> bool {
    match &step.action {
        Action::Call(call) => call.kind() != Some(OperationKind::Quote),
        // The others are refused, but for the one that is the next move.
        Action::Act(fields) => ActionKind::of(fields) == Some(ActionKind::PayorPays),
        Action::Advance(_) | Action::Deliveries => false,
    }
}
