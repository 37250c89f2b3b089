//! A wrong service, with a right one beside it that gets the same steps: so it is known whether what is wrong has changed
//! anything that anybody sees.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;
use tideover_exchange::step::Step;
use tideover_exchange::target::{LazyResponse, ModelTarget, Target, Unanswered, Unreachable};
use tideover_exchange::transcript::Header;
use tideover_exchange::{Arrival, Inside, Memory, Prepared, Response};
use tideover_live::facilities::{Facilities, second_platform};
use tideover_model::ActionKind;
use tideover_suite::play::case::Observed;
use tideover_suite::play::cases::{InProcess, Testbed};

use crate::defects::Defective;
use crate::order::Order;

/// A world whose steps are those that some facilities offer, beside a right one of the same choices.
pub(crate) struct Offered<A> {
    pub(crate) wrong: InProcess<Defective>,
    pub(crate) right: InProcess<Defective>,
    pub(crate) facilities: Facilities<A>,
    pub(crate) order: Order,
    /// Whether the two have differed in an answer or an event.
    pub(crate) differs: Arc<AtomicBool>,
}

/// The two targets of a case. Once they have differed, the right one is not asked any more.
pub(crate) struct Beside {
    wrong: ModelTarget<Defective>,
    right: Option<ModelTarget<Defective>>,
    differs: Arc<AtomicBool>,
}

impl<A: Fn(ActionKind) -> bool> Testbed for Offered<A> {
    type Target = Beside;

    // Nothing here depends on chance or time, and nobody reads the steps.
    const PLAYS: u64 = 0;

    async fn fresh(&mut self) -> Result<Beside, Unreachable> {
        let has_differed = self.differs.load(Ordering::Relaxed);
        let right = if has_differed { None } else { Some(self.right.fresh().await?) };
        let differs = Arc::clone(&self.differs);
        Ok(Beside { wrong: self.wrong.fresh().await?, right, differs })
    }

    fn case(&self, header: &Header, number: u64, steps: u64) -> Vec<Step> {
        let steps = self.order.case(&self.facilities, header, number, steps);
        // The suite that knows the service knows it from its start, where there is one platform.
        let second = self.facilities.has_second_key.then(second_platform);
        second.into_iter().chain(steps).collect()
    }
}

impl Beside {
    fn note(&mut self, is_same: bool) {
        if !is_same {
            self.differs.store(true, Ordering::Relaxed);
            self.right = None;
        }
    }
}

impl Target for Beside {
    fn api_key(&self) -> &str {
        self.wrong.api_key()
    }

    async fn send(&mut self, step: &Prepared) -> Result<Response, Unanswered> {
        let seen = self.wrong.send(step).await;
        if let Some(right) = &mut self.right {
            let expected = right.send(step).await;
            self.note(said(&expected) == said(&seen));
        }
        seen
    }

    fn inbox(&self) -> Option<&str> {
        self.wrong.inbox()
    }

    fn memory(&self) -> Memory {
        self.wrong.memory()
    }

    async fn arrivals(&mut self) -> Result<Vec<Arrival>, Unanswered> {
        let came = self.wrong.arrivals().await?;
        if let Some(right) = &mut self.right {
            let expected = right.arrivals().await?;
            let is_same = expected.len() == came.len()
                && expected.iter().zip(&came).all(|(a, b)| is_same(a, b));
            self.note(is_same);
        }
        Ok(came)
    }
}

/// What a response says: the sentence of a refusal may be any.
fn said(seen: &Result<Response, Unanswered>) -> Option<(u16, Option<Value>)> {
    let seen = seen.as_ref().ok()?;
    let mut body = seen.json().cloned();
    if let Some(fields) = body.as_mut().and_then(Value::as_object_mut) {
        fields.remove("error");
    }
    Some((seen.status, body))
}

/// Whether two arrivals say the same. A body that is only written otherwise has another signature.
fn is_same(one: &Arrival, other: &Arrival) -> bool {
    let sent = |arrival: &Arrival| (arrival.path.clone(), arrival.delivery.clone(), arrival.at);
    let are_signed_alike = one.signature == other.signature
        || (one.body[..] != other.body[..] && one.signed_at() == other.signed_at());
    let are_equal = match (one.body.json(), other.body.json()) {
        (None, None) => one.body[..] == other.body[..],
        (one, other) => one == other,
    };
    sent(one) == sent(other) && are_equal && are_signed_alike
}

impl Observed for Beside {
    const TIMED: bool = false;

    fn answered(&self) -> Option<&LazyResponse> {
        Observed::answered(&self.wrong)
    }

    fn inside(&mut self) -> Option<Inside> {
        Observed::inside(&mut self.wrong)
    }
}
