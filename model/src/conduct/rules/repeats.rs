//! Requests that are sent again.

use crate::conduct::card::{Proof, Row};
use crate::conduct::fact::{Exchange, Fact, Moment, Outcome, RequestId};
use crate::conduct::received::Before;
use crate::conduct::recent::Recent;
use crate::conduct::rules::Rule;
use crate::endpoint::OperationKind;
use crate::identity::PlatformId;
use crate::refusal::Code;

/// A shorter wait is none. It is above what a client needs to read an answer and to send again, and below the first wait of
/// usual backoffs. Milliseconds.
const A_WAIT: u64 = 20;
/// After so long, a caller may expect that the state has changed. Milliseconds.
const LONG_ENOUGH: u64 = 60_000;

/// A request, and the answer that asks to wait before it comes again.
#[derive(Clone, Copy, Debug)]
struct Answered {
    number: u64,
    at: Moment,
    /// Whether the request was itself a repeat that came at once.
    hasty: bool,
}

impl Answered {
    fn of(exchange: &Exchange<'_>, hasty: bool) -> Answered {
        Answered { number: exchange.number, at: exchange.ended, hasty }
    }

    /// Whether the same request again is a repeat. Two parts of a caller may read the same thing at once, so that a read
    /// within a moment is one only from the second time on.
    fn is_repeated_by(&self, exchange: &Exchange<'_>) -> bool {
        exchange.came_after(self.number)
            && (!exchange.reads() || self.hasty || self.at.until(exchange.sent) >= A_WAIT)
    }

    fn proofs(&self, exchange: &Exchange<'_>) -> [Proof; 2] {
        [Proof::Request(self.number), Proof::Request(exchange.number)]
    }
}

/// §7 Retrying rule 1.
#[derive(Debug, Default)]
pub(super) struct BacksOff {
    failed: Recent<RequestId, Answered>,
}

impl Rule for BacksOff {
    fn take(&mut self, fact: &Fact<'_>, _: &Before, row: &mut Row) {
        let Fact::Exchange(exchange) = fact else { return };
        let Some(request) = exchange.request else { return };
        let failed = self.failed.remove(&request);
        let mut hasty = false;
        if let Some(failed) = failed {
            hasty = failed.at.until(exchange.sent) < A_WAIT;
            match failed.is_repeated_by(exchange) {
                true if hasty => row.breach(&failed.proofs(exchange)),
                true => row.keep(),
                false => {}
            }
        }
        if exchange.outcome() == Outcome::Failed {
            self.failed.insert(request, Answered::of(exchange, hasty));
        }
    }
}

/// `gap.requestRate`: what `Retry-After` asks for.
#[derive(Debug, Default)]
pub(super) struct Throttled {
    throttled: Recent<RequestId, (Answered, u64)>,
}

impl Rule for Throttled {
    fn take(&mut self, fact: &Fact<'_>, _: &Before, row: &mut Row) {
        let Fact::Exchange(exchange) = fact else { return };
        let Some(request) = exchange.request else { return };
        let mut hasty = false;
        if let Some((throttled, wait)) = self.throttled.remove(&request) {
            let waited = throttled.at.until(exchange.sent);
            // Clocks count whole milliseconds, and the caller's may run a little faster.
            hasty = waited + wait / 20 + A_WAIT < wait;
            // Another part of the caller may read the same without having been throttled.
            let is_repeat = !exchange.reads() || throttled.hasty;
            match exchange.came_after(throttled.number) && is_repeat {
                _ if !hasty => row.keep(),
                true => row.breach(&throttled.proofs(exchange)),
                false => {}
            }
        }
        if let Some(seconds) = exchange.retry_after
            && exchange.outcome() == Outcome::Refused
        {
            let wait = u64::from(seconds) * 1000;
            self.throttled.insert(request, (Answered::of(exchange, hasty), wait));
        }
    }
}

/// Whether a refused request may come again as it is: each start may ask for the same subscription or the same end, and
/// a link is made as needed.
const fn may_come_again(kind: OperationKind, code: Code) -> bool {
    matches!(kind, OperationKind::Unsubscribe | OperationKind::CreateOnboardingSession)
        || matches!(code, Code::AlreadySubscribed)
}

/// What a refused request was about.
type About = (Option<PlatformId>, Option<OperationKind>, Vec<String>);

/// §7 Retrying rule 2. Reads are no part of it: a caller may look again whenever it likes.
#[derive(Debug, Default)]
pub(super) struct Refused {
    refused: Recent<RequestId, (Answered, Code, Option<u64>)>,
    /// The last refused request about each subject.
    about: Recent<About, RequestId>,
}

impl Rule for Refused {
    fn take(&mut self, fact: &Fact<'_>, _: &Before, row: &mut Row) {
        let Fact::Exchange(exchange) = fact else { return };
        let Some(kind) = exchange.kind.filter(|_| !exchange.reads()) else { return };
        let Some(request) = exchange.request else { return };
        if matches!(exchange.outcome(), Outcome::Failed | Outcome::Unknown) {
            // Nobody knows what the answer would have been.
            return;
        }
        let code = exchange.answer.and_then(|answer| answer.code);
        let code = code
            .filter(|code| exchange.outcome() == Outcome::Refused && !may_come_again(kind, *code));
        let about = exchange.operation.map(|operation| {
            let names = operation.subject().identifiers().map(str::to_owned).collect();
            (exchange.caller, exchange.kind, names)
        });
        if let Some((refused, before, changes)) = self.refused.remove(&request)
            && exchange.came_after(refused.number)
        {
            let is_same = code == Some(before) && changes == exchange.changes;
            if is_same && changes.is_none() {
                // Nobody knows whether the state has changed.
            } else if !is_same || refused.at.until(exchange.sent) >= LONG_ENOUGH {
                row.keep();
            } else {
                row.breach(&refused.proofs(exchange));
            }
        }
        if let Some(about) = &about
            && self.about.remove(about).is_some_and(|before| before != request)
        {
            // The request was changed.
            row.keep();
        }
        if let Some(code) = code {
            self.refused.insert(request, (Answered::of(exchange, false), code, exchange.changes));
            if let Some(about) = about {
                self.about.insert(about, request);
            }
        }
    }
}
