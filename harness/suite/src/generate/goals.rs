//! The goals of a walk, and the next missing step toward each.

use serde_json::json;
use tideover_exchange::step::Step;
use tideover_model::ActionKind;

use crate::generate::names::{IMPORTS, INVOICES, PAYORS, UNKNOWN, VENDORS, advance};
use crate::generate::requests::InvoiceFields;
use crate::generate::stories::{STORIES, Story};
use crate::generate::{Walk, requests as make, tabled, values};

/// A state that is worth reaching.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Goal {
    /// An advance is repaid.
    Repay { payee: &'static str, invoice: &'static str },
    /// The concentration limit is reached.
    FillLimit { payee: &'static str, next: usize },
    /// An import is interrupted and resumed; another file is refused; the report is read.
    Import { import: &'static str, stage: usize },
    /// Two platforms serve one business.
    Share { stage: usize },
    /// One platform reaches the limit of a business, and another requests an advance.
    ShareLimit { stage: usize },
    /// Every boundary value is sent.
    Boundaries { stage: usize },
    /// Every result that a tax id can have.
    TaxIds { stage: usize },
    /// A subscription from its creation to its deletion.
    Subscription { name: Option<String>, stage: usize },
    /// Invitations and sessions, used repeatedly.
    Links { name: Option<String>, stage: usize },
    /// A key from its issue to its revocation.
    Keys { name: Option<String>, stage: usize },
    /// An invoice that cannot be financed, for several reasons in turn.
    Refused { stage: usize },
    /// A file that touches an invoice with an advance.
    ImportOverAdvance { stage: usize },
    /// A business finances its own invoice.
    SelfDealing { stage: usize },
    /// The vendor clears compliance itself.
    VendorRoutes { stage: usize },
    /// The provider fails, and the request is repeated.
    Upstream { stage: usize },
    /// Files and bodies that are too large.
    TooLarge { stage: usize },
    /// The requests that follow from the tables, one part per case.
    Tabled { part: usize, stage: usize },
    /// Rows of every form.
    Rows { stage: usize },
    /// Everything is asked of an invoice, or a business, in one state of the matrix.
    State { number: u64, stage: usize },
    /// A story, step by step.
    Story { story: Story, stage: usize },
}

/// How many states of the matrix are among the first cases.
const FIRST_STATES: u64 = 6;

impl Goal {
    /// Whether its steps are fixed one by one, with the reads that they need.
    pub(super) fn is_narrative(&self) -> bool {
        matches!(
            self,
            Goal::Story { .. }
                | Goal::Tabled { .. }
                | Goal::State { .. }
                | Goal::Rows { .. }
                | Goal::ShareLimit { .. }
        )
    }

    /// The first goal of a case. The goals take turns, so that a few cases reach all of them. Those whose steps are
    /// fixed do not come again: the states of the matrix follow in their place, from another one on with each seed.
    pub(super) fn first(seed: u64, case: u64) -> Goal {
        let goals = Goal::all();
        let count = goals.len() as u64;
        let (round, turn) = (case / count, usize::try_from(case % count).unwrap_or(0));
        match &goals[turn] {
            Goal::State { number, stage } => {
                Goal::State { number: seed.wrapping_add(*number), stage: *stage }
            }
            Goal::Story { .. } | Goal::Tabled { .. } if round > 0 => {
                Goal::State { number: seed.wrapping_add(FIRST_STATES + case), stage: 0 }
            }
            // This goal takes as long as a hundred others: once in 400 cases is enough.
            Goal::TooLarge { .. } if round % 24 != 0 => {
                Goal::Repay { payee: VENDORS[1], invoice: INVOICES[1] }
            }
            goal => goal.clone(),
        }
    }

    fn all() -> Vec<Goal> {
        let mut goals = vec![
            Goal::Repay { payee: VENDORS[0], invoice: INVOICES[0] },
            Goal::Import { import: IMPORTS[0], stage: 0 },
            Goal::FillLimit { payee: VENDORS[1], next: 0 },
            Goal::Share { stage: 0 },
            Goal::TaxIds { stage: 0 },
            Goal::Subscription { name: None, stage: 0 },
            Goal::Links { name: None, stage: 0 },
            Goal::Keys { name: None, stage: 0 },
            Goal::Refused { stage: 0 },
            Goal::ImportOverAdvance { stage: 0 },
            Goal::SelfDealing { stage: 0 },
            Goal::VendorRoutes { stage: 0 },
            Goal::Repay { payee: VENDORS[2], invoice: INVOICES[3] },
            Goal::Upstream { stage: 0 },
            Goal::TooLarge { stage: 0 },
            Goal::ShareLimit { stage: 0 },
            Goal::Boundaries { stage: 0 },
            Goal::Rows { stage: 0 },
        ];
        goals.extend(STORIES.map(|story| Goal::Story { story, stage: 0 }));
        goals.extend((0..FIRST_STATES).map(|number| Goal::State { number, stage: 0 }));
        goals.extend((0..tabled::parts()).map(|part| Goal::Tabled { part, stage: 0 }));
        goals
    }
}

impl Walk {
    pub(super) fn any_goal(&mut self) -> Goal {
        let mut goals = Goal::all();
        for payee in VENDORS {
            for invoice in INVOICES {
                goals.push(Goal::Repay { payee, invoice });
            }
        }
        // Large bodies are slow, and one case is enough.
        goals.retain(|goal| !matches!(goal, Goal::TooLarge { .. }));
        self.pick(&goals)
    }

    /// The next step toward the goal; `None` if it is reached or out of reach.
    pub(super) fn step_toward_goal(&mut self) -> Option<Step> {
        let mut goal = self.goal.clone();
        let step = match &mut goal {
            Goal::Repay { payee, invoice } => self.toward_repayment(payee, invoice),
            Goal::FillLimit { payee, next } => self.toward_limit(payee, next),
            Goal::Import { import, stage } => self.toward_import(import, advance(stage)),
            Goal::Share { stage } => self.toward_sharing(stage),
            Goal::ShareLimit { stage } => self.toward_shared_limit(stage),
            Goal::Boundaries { stage } => self.toward_boundaries(advance(stage)),
            Goal::TaxIds { stage } => self.toward_tax_ids(advance(stage)),
            Goal::Subscription { name, stage } => self.toward_subscription(name, advance(stage)),
            Goal::Links { name, stage } => self.toward_links(name, advance(stage)),
            Goal::Keys { name, stage } => self.toward_keys(name, advance(stage)),
            Goal::Refused { stage } => self.toward_refusals(stage),
            Goal::ImportOverAdvance { stage } => self.toward_import_over_advance(stage),
            Goal::SelfDealing { stage } => self.toward_self_dealing(advance(stage)),
            Goal::VendorRoutes { stage } => self.toward_vendor_routes(advance(stage)),
            Goal::Upstream { stage } => self.toward_upstream_failure(advance(stage)),
            Goal::TooLarge { stage } => self.toward_too_large(advance(stage)),
            Goal::Tabled { part, stage } => self.toward_tabled(*part, advance(stage)),
            Goal::Rows { stage } => self.toward_rows(advance(stage)),
            Goal::State { number, stage } => self.toward_state(*number, stage),
            Goal::Story { story, stage } => self.toward_end_of(*story, stage),
        };
        self.goal = goal;
        step
    }

    /// A random request, mostly about existing objects.
    pub(super) fn wander(&mut self) -> Step {
        let (payee, invoice) = (self.any_business(), self.any_invoice());
        match self.draw(0_u32..15) {
            0 | 1 => {
                let (status, face) = (self.draw(values::status()), self.draw(values::face_value()));
                self.sync_with(payee, invoice, status, face)
            }
            2 => make::get_invoice(payee, invoice),
            3 => make::get_business(payee),
            4 => make::request_advance(payee, invoice),
            5 | 6 => make::quote(payee, self.draw(values::face_value())),
            7 => make::set_payout_account(
                payee,
                "123456789",
                self.draw(values::bad_routing_number()),
                None,
            ),
            8 => {
                let name = self.draw(values::legal_name());
                make::sync_business(payee, name, None, None)
            }
            9 => make::advance_clock(self.draw(values::seconds())),
            10 => {
                let amount = self.draw(values::face_value());
                let fields = json!({ "payeeExternalId": payee, "invoiceExternalId": invoice, "amount": amount });
                make::act(ActionKind::PayorPays, fields)
            }
            11 => make::create_session(payee),
            12 => make::unsubscribe("whs_unknown"),
            13 => self.odd_invoice(payee, invoice),
            _ => make::get_import(self.pick(&["m1", "m2", "m9"])),
        }
    }

    /// With distant dates, and more details of its payee than are required.
    fn odd_invoice(&mut self, payee: &str, invoice: &str) -> Step {
        let fields = InvoiceFields {
            payee: payee.to_owned(),
            payor: PAYORS[0].to_owned(),
            status: "ISSUED",
            face_value: self.draw(values::face_value()),
            issue_date: self.draw(values::date()),
            due_date: self.draw(values::date()),
        };
        make::sync_invoice_with_contact(invoice, &fields, json!({ "name": "Ann" }))
    }

    fn any_business(&mut self) -> &'static str {
        match self.draw(0_u32..10) {
            0 => UNKNOWN,
            1..=5 => VENDORS[0],
            6 | 7 => VENDORS[1],
            8 => VENDORS[2],
            _ => PAYORS[0],
        }
    }

    fn any_invoice(&mut self) -> &'static str {
        match self.draw(0_u32..10) {
            0 => UNKNOWN,
            1..=5 => INVOICES[0],
            6 | 7 => INVOICES[1],
            8 => INVOICES[2],
            _ => INVOICES[3],
        }
    }
}
