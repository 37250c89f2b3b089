//! A request for an advance that is refused twice in a row is refused for the same reason (`7.retrying.2`).

use serde_json::Value;
use tideover_exchange::{Exchange, Prepared};
use tideover_model::wire::field;
use tideover_model::{ActionKind, Code, Operation, OperationKind, PlatformId, clause};

use crate::checks::fundable::is_of_state;
use crate::checks::{Check, Notes};

/// The last refusal, until something may change the state that it concerns.
#[derive(Default)]
pub(super) struct RefusedAgain {
    last: Option<Refusal>,
    /// A refusal for another reason than that the business is not eligible, as the one before said. It may have become
    /// eligible in between, until a read shows that it is not.
    changed: Option<Changed>,
    /// Whether someone paid. The booking may come later, and make room under the limit.
    was_paid: bool,
    /// Whether anybody did anything outside. A read may be behind that.
    was_acted: bool,
}

#[derive(Clone)]
struct Refusal {
    sent: Prepared,
    status: u16,
    code: String,
}

struct Changed {
    platform: Option<PlatformId>,
    payee: String,
    before: Refusal,
    now: Refusal,
}

impl Refusal {
    fn of(exchange: &Exchange<'_>) -> Option<Refusal> {
        let (status, code) = (exchange.seen.status, exchange.seen.code()?);
        let asks = exchange.kind() == Some(OperationKind::RequestAdvance);
        let is_refusal = matches!(status, 400..=499) && status != 429;
        let sent = || exchange.sent.clone();
        (asks && is_refusal && !exchange.unsettled).then(|| Refusal {
            sent: sent(),
            status,
            code: code.to_owned(),
        })
    }

    fn listed(&self) -> Option<Code> {
        Code::parse(&self.code)
    }

    /// Whether time that passes can end the reason: the account may open.
    fn may_end(&self) -> bool {
        self.listed() == Some(Code::BusinessNotEligible)
    }

    /// Whether it is about the state of the invoice. How much is outstanding may change while time passes.
    fn is_of_invoice(&self) -> bool {
        let listed = self.listed().filter(|code| is_of_state(*code) && !self.may_end());
        listed.is_some_and(|code| code != Code::ConcentrationExceeded)
    }

    fn is_as(&self, other: &Refusal) -> bool {
        (self.status, &self.code) == (other.status, &other.code)
    }
}

impl RefusedAgain {
    fn compare(&mut self, exchange: &Exchange<'_>, now: &Refusal, notes: &mut Notes) {
        let Some(before) = self.last.take_if(|before| before.sent == now.sent) else { return };
        if before.may_end() {
            if before.is_as(now) {
                report(exchange, &before, now, notes);
            } else if let Some((payee, _)) =
                exchange.asked_advance().filter(|_| now.is_of_invoice())
            {
                let platform = exchange.platform;
                self.changed = Some(Changed { platform, payee, before, now: now.clone() });
            }
        } else if !now.may_end() && (before.listed().is_some() || now.listed().is_some()) {
            // Of finer codes, which are not listed, any may fit.
            report(exchange, &before, now, notes);
        }
    }

    /// What a business shows that was refused for two reasons: it was never eligible if it has no contract, which only
    /// somebody's act gives it.
    fn confirm(&mut self, exchange: &Exchange<'_>, business: &Value, notes: &mut Notes) {
        let call = exchange.call().and_then(|call| call.operation());
        let Some(Operation::GetBusiness { business: read }) = call else { return };
        let is_it =
            |changed: &mut Changed| changed.platform == exchange.platform && changed.payee == *read;
        let Some(Changed { before, now, .. }) = self.changed.take_if(is_it) else { return };
        if business[field::ONBOARDING][field::CONTRACT] == false && !self.was_acted {
            notes.expect(exchange, clause!("7.retrying.2"), false, "code", || {
                let expected = format!("{} {}, as before", before.status, before.code);
                let seen = format!("{} {}", now.status, now.code);
                (expected, format!("{seen}, although this read shows that nothing has changed"))
            });
        }
    }
}

fn report(exchange: &Exchange<'_>, before: &Refusal, now: &Refusal, notes: &mut Notes) {
    notes.expect(exchange, clause!("7.retrying.2"), before.is_as(now), "code", || {
        let before = format!("{} {}, as before", before.status, before.code);
        (before, format!("{} {}", now.status, now.code))
    });
}

impl Check for RefusedAgain {
    fn miss(&mut self, _sent: &Prepared) {
        self.last = None;
        self.changed = None;
    }

    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        self.was_paid |= exchange.acts() == Some(ActionKind::PayorPays);
        self.was_acted |= exchange.acts().is_some();
        if let Some(business) = exchange.success_of(OperationKind::GetBusiness) {
            self.confirm(exchange, business, notes);
        }
        if exchange.kind().is_some_and(OperationKind::reads) {
            return;
        }
        let refusal = Refusal::of(exchange).filter(|_| !self.was_paid);
        match &refusal {
            Some(now) => self.compare(exchange, now, notes),
            None => self.changed = None,
        }
        self.last = refusal;
    }
}
