//! A request for an advance that is refused twice in a row is refused for the same reason (`7.retrying.2`).

use tideover_exchange::{Exchange, Prepared};
use tideover_model::{ActionKind, Code, OperationKind, clause};

use crate::checks::{Check, Notes};

/// The last refusal, until something may change the state that it concerns.
#[derive(Default)]
pub(super) struct RefusedAgain {
    last: Option<(Prepared, u16, String)>,
    /// Whether someone paid. The booking may come later, and make room under the limit.
    was_paid: bool,
}

impl RefusedAgain {
    /// The reason for which a request was refused, if no time that passes can end it.
    fn refusal(exchange: &Exchange<'_>) -> Option<(Prepared, u16, String)> {
        let code = exchange.seen.code()?;
        // The account may open.
        let may_end = Code::parse(code) == Some(Code::BusinessNotEligible);
        let is_refusal = matches!(exchange.seen.status, 400..=499) && exchange.seen.status != 429;
        let asks = exchange.kind() == Some(OperationKind::RequestAdvance);
        (asks && is_refusal && !may_end && !exchange.unsettled)
            .then(|| (exchange.sent.clone(), exchange.seen.status, code.to_owned()))
    }
}

impl Check for RefusedAgain {
    fn miss(&mut self, _sent: &Prepared) {
        self.last = None;
    }

    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        self.was_paid |= exchange.acts() == Some(ActionKind::PayorPays);
        let refusal = RefusedAgain::refusal(exchange).filter(|_| !self.was_paid);
        if let (Some((before, status, code)), Some((now, other_status, other))) =
            (&self.last, &refusal)
            && before == now
            // Of finer codes, which are not listed, any may fit.
            && [code, other].iter().any(|it| Code::parse(it).is_some())
        {
            let is_same = (status, code) == (other_status, other);
            notes.expect(exchange, clause!("7.retrying.2"), is_same, "code", || {
                (format!("{status} {code}, as before"), format!("{other_status} {other}"))
            });
        }
        if !exchange.kind().is_some_and(OperationKind::reads) {
            self.last = refusal;
        }
    }
}
