//! What can be asked of an invoice, and where it leads.

use tideover_exchange::evidence::matrix::Asked;
use tideover_exchange::step::Step;
use tideover_model::words::InvoiceStatus;
use tideover_model::{ActionKind, OperationKind};

use crate::generate::matrix::FACE_VALUE;
use crate::generate::matrix::ask::{self, Subject};
use crate::generate::requests::InvoiceFields;
use crate::generate::{files, requests as make, values};

/// How far an invoice is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct State {
    advance: Advance,
    paid: Paid,
    /// The place of its status in [`InvoiceStatus::ALL`].
    status: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Advance {
    None,
    Requested,
    Funding,
    Funded,
    Repaid,
}

/// What is collected. Which part repays an advance is not shown: half of the invoice is too little, and all but ten cents
/// are enough, also where each payment is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Paid {
    Nothing,
    Half,
    Nearly,
    Whole,
}

impl Paid {
    fn cents(self) -> i64 {
        match self {
            Paid::Nothing => 0,
            Paid::Half => FACE_VALUE / 2,
            Paid::Nearly => FACE_VALUE - 10,
            Paid::Whole => FACE_VALUE,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Ask {
    /// A sync with a status.
    Sync(usize),
    /// A row with a status.
    Import(usize),
    Advance,
    FundingStarts,
    FundingCompletes,
    /// The payor pays until so much is collected.
    PayUntil(Paid),
    /// The payor pays once more.
    Overpay,
}

impl ask::Ask for Ask {
    type State = State;
    /// Advance, whether a part or all is collected, status.
    type Shown = (Advance, bool, bool, usize);

    const FIRST: State = State { advance: Advance::None, paid: Paid::Nothing, status: 0 };

    fn all() -> Vec<Ask> {
        let statuses = 0..InvoiceStatus::ALL.len();
        let syncs = statuses.flat_map(|status| [Ask::Sync(status), Ask::Import(status)]);
        let payments = [Paid::Half, Paid::Nearly, Paid::Whole].map(Ask::PayUntil);
        let others = [Ask::Advance, Ask::FundingStarts, Ask::FundingCompletes, Ask::Overpay];
        syncs.chain(payments).chain(others).collect()
    }

    fn shown(State { advance, paid, status }: State) -> Self::Shown {
        (advance, paid > Paid::Nothing, paid == Paid::Whole, status)
    }

    fn asked(self) -> Asked {
        match self {
            Ask::Sync(_) => Asked::Operation(OperationKind::SyncInvoice),
            Ask::Import(_) => Asked::Operation(OperationKind::ImportInvoices),
            Ask::Advance => Asked::Operation(OperationKind::RequestAdvance),
            Ask::FundingStarts => Asked::Action(ActionKind::FundingStarts),
            Ask::FundingCompletes => Asked::Action(ActionKind::FundingCompletes),
            Ask::PayUntil(_) | Ask::Overpay => Asked::Action(ActionKind::PayorPays),
        }
    }

    fn leads_to(self, mut state: State) -> Option<State> {
        let is_issued = state.status == Self::FIRST.status;
        match (self, state.advance) {
            (Ask::Sync(status) | Ask::Import(status), _) => state.status = status,
            (Ask::Advance, Advance::None) if is_issued && state.paid == Paid::Nothing => {
                state.advance = Advance::Requested;
            }
            (Ask::FundingStarts, Advance::Requested) => state.advance = Advance::Funding,
            (Ask::FundingCompletes, Advance::Funding) => state.advance = Advance::Funded,
            (Ask::PayUntil(paid), _) if paid > state.paid => state.paid = paid,
            (Ask::PayUntil(_), _) => return None,
            (Ask::Overpay, _) if state.paid < Paid::Whole => return None,
            _ => {}
        }
        if state.advance == Advance::Funded && state.paid >= Paid::Nearly {
            state.advance = Advance::Repaid;
        }
        Some(state)
    }

    fn writes_nothing_in(self, state: State) -> bool {
        let changes_nothing = self.leads_to(state) == Some(state);
        match self {
            Ask::FundingStarts | Ask::FundingCompletes => changes_nothing,
            Ask::Advance => changes_nothing && state.advance == Advance::None,
            Ask::Sync(_) | Ask::Import(_) | Ask::PayUntil(_) | Ask::Overpay => false,
        }
    }

    fn step(self, state: State, subject: &Subject) -> Step {
        let (vendor, name) = (subject.vendor, &subject.name());
        match self {
            Ask::Sync(status) => synced(subject, status),
            Ask::Import(status) => imported(subject, status),
            Ask::Advance => make::request_advance(vendor, name),
            Ask::FundingStarts => make::act_on_invoice(ActionKind::FundingStarts, vendor, name),
            Ask::FundingCompletes => {
                make::act_on_invoice(ActionKind::FundingCompletes, vendor, name)
            }
            Ask::PayUntil(paid) => make::pay(vendor, name, paid.cents() - state.paid.cents()),
            Ask::Overpay => make::pay(vendor, name, 1),
        }
    }

    fn begun(subject: &Subject) -> Vec<Step> {
        // Whether a sync or a row has made an invoice makes no difference.
        let make = if subject.number.is_multiple_of(2) { synced } else { imported };
        vec![make(subject, Self::FIRST.status), Self::read(subject)]
    }

    fn read(subject: &Subject) -> Step {
        make::get_invoice(subject.vendor, &subject.name())
    }
}

/// So soon that the fee leaves something to be forwarded.
const DUE_IN_DAYS: u32 = 20;

fn synced(subject: &Subject, status: usize) -> Step {
    make::sync_invoice(&subject.name(), &fields(subject, status))
}

fn imported(subject: &Subject, status: usize) -> Step {
    let InvoiceFields { status: word, issue_date, due_date, .. } = fields(subject, status);
    let (name, face_value) = (subject.name(), FACE_VALUE.to_string());
    let row = vec![
        ("externalId", &*name),
        ("payeeExternalId", subject.vendor),
        ("status", word),
        ("faceValue", &*face_value),
        ("issueDate", &*issue_date),
        ("dueDate", &*due_date),
    ];
    make::import(&format!("{name} {}", subject.place), files::file_of(&[row]))
}

fn fields(subject: &Subject, status: usize) -> InvoiceFields {
    InvoiceFields {
        face_value: FACE_VALUE,
        status: InvoiceStatus::ALL[status].word(),
        due_date: values::day(DUE_IN_DAYS),
        ..InvoiceFields::of(subject.vendor)
    }
}
