//! A request for an advance that is refused twice in a row is refused for the same reason (`7.retrying.2`).

use serde_json::Value;
use tideover_exchange::{Exchange, Prepared};
use tideover_model::{ActionKind, Code, Operation, OperationKind, PlatformId, clause};

use crate::checks::fundable::is_complete;
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

    fn is_as(&self, other: &Refusal) -> bool {
        (self.status, &self.code) == (other.status, &other.code)
    }
}

impl RefusedAgain {
    fn compare(&mut self, exchange: &Exchange<'_>, now: &Refusal, notes: &mut Notes) {
        let Some(before) = self.last.take_if(|before| before.sent == now.sent) else { return };
        if before.may_end() {
            let payee = exchange.asked_advance().map(|(payee, _)| payee);
            let payee = payee.filter(|_| !before.is_as(now) && now.listed().is_some());
            let platform = exchange.platform;
            let changed = payee.map(|payee| Changed { platform, payee, before, now: now.clone() });
            self.changed = changed.or(self.changed.take());
        } else if !now.may_end() && (before.listed().is_some() || now.listed().is_some()) {
            // Of finer codes, which are not listed, any may fit.
            report(exchange, &before, now, notes);
        }
    }

    /// What a business shows that was refused for two reasons: once it is eligible, it stays so unless something is done.
    fn confirm(&mut self, exchange: &Exchange<'_>, business: &Value, notes: &mut Notes) {
        let call = exchange.call().and_then(|call| call.operation());
        let Some(Operation::GetBusiness { business: read }) = call else { return };
        let is_it =
            |changed: &mut Changed| changed.platform == exchange.platform && changed.payee == *read;
        if let Some(changed) = self.changed.take_if(is_it)
            && !is_complete(business)
        {
            report(exchange, &changed.before, &changed.now, notes);
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
