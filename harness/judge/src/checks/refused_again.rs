//! A request for an advance that is refused twice in a row is refused for the same reason (`7.retrying.2`).

use serde_json::Value;
use tideover_exchange::{Exchange, Prepared};
use tideover_model::wire::field;
use tideover_model::{ActionKind, Code, Operation, OperationKind, PlatformId, clause};

use crate::belief::ends_unseen;
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

struct Refusal {
    sent: Prepared,
    status: u16,
    code: String,
}

struct Changed {
    platform: Option<PlatformId>,
    payee: String,
    /// The two refusals, in words.
    before: String,
    now: String,
}

impl Refusal {
    fn of(exchange: &Exchange<'_>) -> Option<Refusal> {
        let (status, code) = (exchange.seen.status, exchange.seen.code()?);
        let asks = exchange.kind() == Some(OperationKind::RequestAdvance);
        let is_refusal = matches!(status, 400..=499) && status != 429;
        let (sent, code) = (exchange.sent.clone(), code.to_owned());
        (asks && is_refusal && !exchange.unsettled).then_some(Refusal { sent, status, code })
    }

    fn listed(&self) -> Option<Code> {
        Code::parse(&self.code)
    }

    /// Whether time that passes can end the reason: the account may open.
    fn may_end(&self) -> bool {
        self.listed() == Some(Code::BusinessNotEligible)
    }

    /// Whether it is about the state of the invoice, which nobody else changes.
    fn is_of_invoice(&self) -> bool {
        self.listed().is_some_and(|code| is_of_state(code) && !ends_unseen(code))
    }

    fn in_words(&self) -> String {
        format!("{} {}", self.status, self.code)
    }
}

impl RefusedAgain {
    fn compare(&mut self, exchange: &Exchange<'_>, now: &Refusal, notes: &mut Notes) {
        let Some(before) = self.last.take_if(|before| before.sent == now.sent) else { return };
        let words = [&before, now].map(Refusal::in_words);
        let is_same = words[0] == words[1];
        // Of finer codes, which are not listed, any may fit.
        let is_listed = before.listed().is_some() || now.listed().is_some();
        if before.may_end() && !is_same {
            let payee = exchange.asked_advance().filter(|_| now.is_of_invoice());
            if let Some((payee, _)) = payee {
                let (platform, [before, now]) = (exchange.platform, words);
                self.changed = Some(Changed { platform, payee, before, now });
            }
        } else if is_listed && (is_same || !now.may_end()) {
            let [before, now] = words;
            let evidence = || (format!("{before}, as before"), now);
            notes.expect(exchange, clause!("7.retrying.2"), is_same, "code", evidence);
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
                let unchanged = "although this read shows that nothing has changed";
                (format!("{before}, as before"), format!("{now}, {unchanged}"))
            });
        }
    }
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
