//! The parts of a recording. A request of one part cannot have changed anything in another.

use tideover_exchange::{PreparedAction, PreparedCall};
use tideover_model::OperationKind;
use tideover_model::wire::field::Fields;
use tideover_suite::play::touched::{Joined, Thing, Touched};

use crate::recorded::Recorded;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    /// The things that it names, and all that are joined with them.
    Of(usize),
    /// It is unknown what the request touches.
    Everything,
    /// The request touches nothing of any part.
    None,
}

/// The part of each request. It is unknown which keys belong to one platform, so all count as one. All its subscriptions
/// count as one thing, because a list shows them all.
pub(super) fn parts(requests: &[Recorded]) -> Vec<Part> {
    let touched: Vec<Touched> = requests.iter().map(touched).collect();
    let mut joined = Joined::default();
    for one in &touched {
        if let Touched::Things(things) = one {
            joined.join(things);
        }
    }
    let part = |one: &Touched| match one {
        Touched::Things(things) => {
            things.first().map_or(Part::None, |thing| Part::Of(joined.part_of(thing)))
        }
        Touched::Everything => Part::Everything,
        Touched::InEveryPart | Touched::UrlsOf(_) | Touched::NotJudged => Part::None,
    };
    touched.iter().map(part).collect()
}

fn touched(one: &Recorded) -> Touched {
    let PreparedAction::Call(call) = &one.sent.action else { return Touched::InEveryPart };
    let (platform, seen) = (String::new(), one.seen.as_ref());
    if let Some(
        OperationKind::Subscribe | OperationKind::ListSubscriptions | OperationKind::Unsubscribe,
    ) = one.sent.kind()
    {
        return Touched::Things(vec![Thing::Url(platform, String::new())]);
    }
    let Some(operation) = PreparedCall::operation(call) else {
        let is_refused = seen.is_some_and(|seen| (400..500).contains(&seen.status));
        let is_harmless = is_refused || one.sent.kind().is_none_or(OperationKind::reads);
        return if is_harmless { Touched::NotJudged } else { Touched::Everything };
    };
    let body = seen.and_then(|seen| seen.json());
    let reference = body.and_then(|body| Fields::of(body).reference());
    Touched::by(&platform, operation, reference, |_| false)
}
