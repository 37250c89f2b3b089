//! A hypothesis's response, compared with the one that was seen.

use tideover_exchange::Response;
use tideover_exchange::evidence::Point;
use tideover_exchange::evidence::finding::OUTCOME;
use tideover_model::clause::Kind;
use tideover_model::{Clause, Code, Status, clause};

use crate::belief::reading::LimitQuestion;
use crate::comparison::ABSENT;

/// A hypothesis's response, and how it compares with the one that was seen.
#[derive(Clone, Debug, Default)]
pub struct Fit {
    pub(crate) predicted: Response,
    pub(crate) refusal: Option<(Code, Clause)>,
    pub points: Vec<Point>,
    pub(crate) limit_question: Option<LimitQuestion>,
    /// The listed code that was due where the target sent an unlisted one, or one whose condition is not shown to hold.
    pub(crate) due: Option<Code>,
    /// Inconclusive points: an action was refused though this hypothesis allows it, or the clock may have been
    /// moved.
    pub(crate) doubts: Vec<Point>,
    /// Whether the target contradicts an assumption of this hypothesis. Its state is unknown since then.
    pub(crate) diverged: bool,
}

impl Fit {
    /// How many sentences of the document the response contradicts.
    pub fn contradictions(&self) -> usize {
        self.points.iter().filter(|point| point.contradicts()).count()
    }

    /// Whether the document contradicts the success, or the refusal with this code.
    pub(crate) fn contradicts_outcome(&self) -> bool {
        self.points.iter().any(|point| point.field == OUTCOME && point.contradicts())
    }

    /// Whether it is a refusal that the document does not require.
    pub(super) fn refuses_by_assumption(&self) -> bool {
        self.refusal.is_some_and(|(_, clause)| clause.kind() != Kind::Documented)
    }

    /// How many points suggest another state, though the document doesn't say so.
    pub fn differences(&self) -> usize {
        // A field that is missing in one state is missing in every state.
        let differs = |point: &&Point| !point.holds && point.seen != ABSENT;
        self.points.iter().filter(differs).filter(|point| is_about_a_state(point)).count()
    }

    /// A refusal for an unstated reason, perhaps with an unlisted code (`7.shape.2`).
    pub(crate) fn of_gap(clause: Clause, seen: &Response) -> Fit {
        let point = status_point(clause, false, "", seen);
        Fit { predicted: seen.clone(), points: vec![point], ..Fit::default() }
    }

    /// The same fit, where the target contradicts our assumption. Its state is unknown since then.
    pub(super) fn diverging(mut self, assumption: Clause) -> Fit {
        for point in self.points.iter_mut().filter(|point| point.contradicts()) {
            point.clause = assumption;
        }
        Fit { diverged: true, ..self }
    }

    pub(super) fn too_large(seen: &Response) -> Fit {
        let points: Vec<Point> = status_of_code(Code::PayloadTooLarge, seen).into_iter().collect();
        let refusal = Some((Code::PayloadTooLarge, clause!("7.codes.payload_too_large")));
        Fit { predicted: seen.clone(), refusal, points, ..Fit::default() }
    }

    /// The same fit, where the seen code is as valid as the predicted one.
    pub(super) fn with_precedence(mut self, seen: &Response) -> Fit {
        for point in self.points.iter_mut().filter(|point| point.field == OUTCOME) {
            point.clause = clause!("gap.refusalPrecedence");
        }
        if let Some(code) = seen.code().and_then(Code::parse) {
            self.points.retain(|point| point.field != "status");
            self.points.extend(status_of_code(code, seen));
        }
        self
    }

    /// A refusal with a listed code, for an unstated reason.
    pub(super) fn refused_for(clause: Clause, seen: &Response) -> Fit {
        let mut fit = Fit::of_gap(clause, seen);
        fit.points
            .extend(seen.code().and_then(Code::parse).and_then(|it| status_of_code(it, seen)));
        fit
    }
}

pub(crate) fn status_point(
    clause: Clause,
    holds: bool,
    expected: impl Into<String>,
    seen: &Response,
) -> Point {
    let (field, expected) = ("status".to_owned(), expected.into());
    Point { clause, holds, field, expected, seen: seen.status.to_string() }
}

/// Whether a refusal has the status of its code. `None` if the document states no status.
fn status_of_code(code: Code, seen: &Response) -> Option<Point> {
    let Status::Documented(status) = code.status() else { return None };
    Some(status_point(code.clause(), status == seen.status, format!("the status of {code}"), seen))
}

/// Whether a point would hold in another state, though the document doesn't say so.
fn is_about_a_state(point: &Point) -> bool {
    let of_a_field =
        [clause!("gap.advanceObject"), clause!("gap.quoteExtra"), clause!("gap.taxIdResult")];
    // What may happen outside.
    let of_an_action = [
        clause!("gap.accountOpening"),
        clause!("gap.advanceTransitions"),
        clause!("gap.vendorCompliance"),
        clause!("gap.operatorPort"),
    ];
    // Which subscriptions are live.
    let of_a_list = [clause!("gap.subscriptionForm")];
    match point.field.as_str() {
        "" => of_a_list.contains(&point.clause),
        "status" => of_an_action.contains(&point.clause),
        _ => of_a_field.contains(&point.clause),
    }
}
