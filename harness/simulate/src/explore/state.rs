//! A state of a world, and how actions change it.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use tideover_defects::{Defect, Defective};
use tideover_model::wire::reply::Reply;
use tideover_model::words::{AdvanceState, EventKind, EventType, InvoiceStatus};
use tideover_model::{
    Answer, Attempt, Consequence, Delivery, Destinations, Face, Happening, Impossible, Operation,
    Outcome, Receipt, Seconds, Seeded, Timestamp,
};

use crate::explore::action::Action;
use crate::explore::cast;
use crate::explore::cast::{Invoice, Platform};
use crate::explore::choices::{FixedChoices, limit, profile};
use crate::simulation::auditor::{Auditor, Breach};

/// The service, what the auditor knows of it, and what is still possible.
///
/// Equal states differ at most in minted names and in absolute time, see [`State::normal`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    pub(super) service: Defective<FixedChoices>,
    auditor: Auditor,
    pub(super) now: Timestamp,
    /// How often each action of the world can still happen, if that is limited.
    pub(super) left: Vec<Option<u8>>,
    /// What each platform's receiver answers to the next attempt, if not 200.
    answering: [Option<u16>; 2],
    pub(super) depth: Depth,
}

/// The number of actions on the way to a state. It does not tell states apart: two ways to one state would otherwise make
/// two states, and the search would not end.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Depth(pub(super) usize);

impl PartialEq for Depth {
    fn eq(&self, _: &Depth) -> bool {
        true
    }
}

impl Eq for Depth {}

impl Hash for Depth {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

/// Something seen during an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Observation {
    /// The answer to an operation.
    Answered(Answer),
    /// The result of a move of the outside world.
    Happened(Result<Outcome, Impossible>),
    /// How much time passed.
    Passed(Seconds),
    /// An event was queued for a platform.
    Queued(Arc<Delivery>),
    /// An attempt that did not go as usual: a failed one, or one after a failed one.
    Attempted {
        /// What it sends.
        delivery: Arc<Delivery>,
        /// Its number.
        number: u32,
        /// Its effect.
        consequence: Consequence,
    },
}

impl Observation {
    fn is_refusal(&self) -> bool {
        matches!(self, Observation::Answered(Err(_)) | Observation::Happened(Err(_)))
    }

    /// The kind of the event that was queued, if it is one.
    pub(super) fn event(&self) -> Option<EventType> {
        match self {
            Observation::Queued(delivery) => match delivery.event {
                EventKind::Listed(event) => Some(event),
                EventKind::Unlisted(_) => None,
            },
            _ => None,
        }
    }
}

impl State {
    /// Nobody is known yet, and both platforms listen to all events.
    pub(super) fn empty(planted: Option<&'static Defect>, left: Vec<Option<u8>>) -> State {
        let choices = FixedChoices(Seeded { seed: 0 });
        let mut service = Defective::new(planted, profile(), choices, Destinations::Public);
        let key = Happening::IssueKey { platform: Some(cast::SECOND_PLATFORM.into()) };
        let issued = service.happen(cast::origin(), Platform::First.id(), key);
        debug_assert!(issued.is_ok());
        let (auditor, now) = (Auditor::new(limit()), cast::origin());
        let mut state =
            State { service, auditor, now, left, answering: [None; 2], depth: Depth::default() };
        let operations = Platform::ALL.map(|it| [cast::subscribe(it), cast::sync_payor(it)]);
        for (platform, operations) in Platform::ALL.into_iter().zip(operations) {
            for operation in operations {
                state.ask(&mut Vec::new(), platform, operation);
            }
        }
        state.settle(&mut Vec::new());
        state
    }

    /// The first breach of an invariant, if there is one.
    pub fn breach(&self) -> Option<&Breach> {
        self.auditor.breach()
    }

    /// The state after an action, with what was seen. No state, if the action is impossible or refused.
    pub fn after(&self, action: Action) -> (Option<State>, Vec<Observation>) {
        let mut next = self.clone();
        let mut seen = Vec::new();
        next.act(&mut seen, action);
        if seen.iter().any(Observation::is_refusal) {
            return (None, seen);
        }
        next.settle(&mut seen);
        next.depth.0 += 1;
        let is_changed = next != *self;
        (is_changed.then_some(next), seen)
    }

    /// The state that stands for all those that differ from it only in minted names and in absolute time.
    #[must_use]
    pub fn normal(self) -> State {
        let service = self.service.map(|it| it.normal_form(self.now, cast::origin()));
        State { service, now: cast::origin(), ..self }
    }

    /// The same state, as the first of a search.
    pub(super) fn first(self) -> State {
        State { depth: Depth::default(), ..self }
    }

    /// Takes one from what is left of the action of this number.
    pub(super) fn spend(&mut self, number: usize) {
        if let Some(Some(left)) = self.left.get_mut(number) {
            *left = left.saturating_sub(1);
        }
    }

    fn act(&mut self, seen: &mut Vec<Observation>, action: Action) {
        match action {
            Action::SyncVendor(platform) => {
                self.ask(seen, platform, cast::sync_vendor(platform));
            }
            Action::SetPayoutAccount(platform) => {
                self.ask(seen, platform, cast::set_payout_account(platform));
            }
            Action::VendorSigns => self.sign(seen),
            Action::TaxIdFoundWrong => {
                let payee = Platform::First.vendor().into();
                self.happen(seen, Platform::First, Happening::TaxIdFoundWrong { payee });
            }
            Action::Sync(invoice) => {
                self.ask(seen, invoice.platform, invoice.sync(InvoiceStatus::Issued));
            }
            Action::Void(invoice) => {
                self.ask(seen, invoice.platform, invoice.sync(InvoiceStatus::Voided));
            }
            Action::Import => self.ask(seen, Platform::First, cast::import()),
            Action::InterruptImport => {
                let stop = Happening::InterruptNextImport { after_rows: 1 };
                self.happen(seen, Platform::First, stop);
            }
            Action::RequestAdvance(invoice) => self.ask(seen, invoice.platform, invoice.request()),
            Action::PayorPays(invoice, payment) => {
                let (payee, amount) = (invoice.platform.vendor().into(), payment.amount());
                let pays = Happening::PayorPays { payee, invoice: invoice.name.into(), amount };
                self.happen(seen, invoice.platform, pays);
            }
            Action::ReceiverFails(platform) => self.answering[platform as usize] = Some(503),
            Action::ReceiverEnds(platform) => self.answering[platform as usize] = Some(410),
            Action::TimePasses => self.pass(seen),
        }
    }

    fn sign(&mut self, seen: &mut Vec<Observation>) {
        let platform = Platform::First;
        let payee = || platform.vendor().to_owned();
        self.ask(seen, platform, cast::invite(platform));
        let email = cast::VENDOR_EMAIL.into();
        self.happen(seen, platform, Happening::VendorAcceptsInvitation { payee: payee(), email });
        let address = cast::address();
        self.happen(seen, platform, Happening::VendorSignsAgreement { payee: payee(), address });
    }

    fn pass(&mut self, seen: &mut Vec<Observation>) {
        let Some(due) = self.service.poll_timeout() else { return };
        seen.push(Observation::Passed(self.now.whole_seconds_until(due)));
        self.now = due;
        self.service.handle_timeout(due);
    }

    fn ask(&mut self, seen: &mut Vec<Observation>, platform: Platform, operation: Operation) {
        let answer = self.service.handle(self.now, platform.id(), operation.clone());
        self.auditor.answered(platform.id(), &operation, &answer);
        seen.push(Observation::Answered(answer));
        self.listen(seen);
    }

    fn happen(&mut self, seen: &mut Vec<Observation>, platform: Platform, happening: Happening) {
        let result = self.service.happen(self.now, platform.id(), happening.clone());
        self.auditor.happened(platform.id(), &happening, &result);
        seen.push(Observation::Happened(result));
        self.listen(seen);
    }

    /// The auditor sees the queued events.
    fn listen(&mut self, seen: &mut Vec<Observation>) {
        while let Some(delivery) = self.service.poll_delivery() {
            self.auditor.queued(&delivery);
            seen.push(Observation::Queued(delivery));
        }
    }

    /// Sends everything that is due. Then the auditor checks everything.
    fn settle(&mut self, seen: &mut Vec<Observation>) {
        self.listen(seen);
        while let Some(attempt) = self.service.poll_attempt(self.now) {
            self.auditor.begun(&attempt);
            let status = self.answering[attempt.delivery.platform.0 as usize].take();
            let receipt = Receipt::Answered(status.unwrap_or(200));
            let consequence = self.service.handle_receipt(self.now, &attempt, receipt);
            let Attempt { number, delivery, .. } = attempt;
            if !matches!(consequence, Consequence::Again(_)) {
                self.auditor.done(&delivery);
            }
            if consequence == Consequence::Revoked {
                self.auditor.revoked(&delivery);
            }
            if number > 1 || status.is_some() {
                seen.push(Observation::Attempted { delivery, number, consequence });
            }
        }
        self.auditor.check_all(&mut self.service, self.now);
    }

    /// What a question of a platform is answered. It changes nothing.
    pub(super) fn read(&self, platform: Platform, question: Operation) -> Answer {
        self.service.clone().handle(self.now, platform.id(), question)
    }

    /// The financing state of an invoice, if it has an advance.
    pub(super) fn advance_state(&self, invoice: Invoice) -> Option<AdvanceState> {
        match self.read(invoice.platform, invoice.get()) {
            Ok(Reply::Invoice(read)) => read.advance.map(|advance| advance.state),
            _ => None,
        }
    }
}
