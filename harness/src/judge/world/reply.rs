//! What a world answers, beside what was seen.

use tideover_model::clause::Kind;
use tideover_model::{Clause, Code, Status, clause};

use crate::evidence::Point;
use crate::exchange::Seen;
use crate::judge::comparison::{ABSENT, code_clause};
use crate::judge::reading::Asked;

/// What a world answers, and how that compares with what was seen.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reply {
    pub(crate) predicted: Seen,
    pub(crate) refusal: Option<(Code, Clause)>,
    pub(crate) points: Vec<Point>,
    pub(crate) asked: Option<Asked>,
    /// The listed code that was due where one came that isn't listed.
    pub(crate) due: Option<Code>,
    /// What nothing can be concluded from: an action was refused that this world has room for, or the clock may have
    /// been moved.
    pub(crate) doubts: Vec<Point>,
    /// Whether the target did otherwise than this world assumes: what it is like since is not known.
    pub(crate) astray: bool,
}

impl Reply {
    /// How many sentences of the document do not hold.
    pub(crate) fn contradictions(&self) -> usize {
        self.points.iter().filter(|point| point.contradicts()).count()
    }

    /// Whether the document contradicts that it is a success, or a refusal with this code.
    pub(crate) fn contradicts_outcome(&self) -> bool {
        self.points.iter().any(|point| point.field == "code" && point.contradicts())
    }

    /// Whether it is a refusal that the document does not ask for.
    pub(super) fn refuses_by_assumption(&self) -> bool {
        self.refusal.is_some_and(|(_, clause)| clause.kind() != Kind::Documented)
    }

    /// How many points tell of another state than this, though the document doesn't say how.
    pub(crate) fn differences(&self) -> usize {
        // What is missing in one state is so in every other.
        let differs = |point: &&Point| !point.holds && point.seen != ABSENT;
        self.points.iter().filter(differs).filter(|point| is_about_a_state(point)).count()
    }

    /// A refusal for reasons that are not stated, perhaps with a code that isn't listed (`7.shape.2`).
    pub(crate) fn of_gap(clause: Clause, seen: &Seen) -> Reply {
        let point = Point {
            clause,
            holds: false,
            field: "status".into(),
            expected: String::new(),
            seen: seen.status.to_string(),
        };
        Reply { predicted: seen.clone(), points: vec![point], ..Reply::default() }
    }

    /// The same, where the target does otherwise than we assume: what it is like since is not known.
    pub(super) fn going_astray(mut self, assumption: Clause) -> Reply {
        for point in self.points.iter_mut().filter(|point| point.contradicts()) {
            point.clause = assumption;
        }
        Reply { astray: true, ..self }
    }

    /// A refusal of a body for its size.
    pub(super) fn too_large(seen: &Seen) -> Reply {
        let points: Vec<Point> = status_point(Code::PayloadTooLarge, seen).into_iter().collect();
        let refusal = Some((Code::PayloadTooLarge, clause!("7.codes.payload_too_large")));
        Reply { predicted: seen.clone(), refusal, points, ..Reply::default() }
    }

    /// The same, where the code that was seen is as good as the one predicted.
    pub(super) fn with_precedence(mut self, seen: &Seen) -> Reply {
        for point in self.points.iter_mut().filter(|point| point.field == "code") {
            point.clause = clause!("gap.refusalPrecedence");
        }
        if let Some(code) = seen.code().and_then(Code::parse) {
            self.points.retain(|point| point.field != "status");
            self.points.extend(status_point(code, seen));
        }
        self
    }

    /// A refusal with a listed code, for what is not stated.
    pub(super) fn refused_for(clause: Clause, seen: &Seen) -> Reply {
        let mut reply = Reply::of_gap(clause, seen);
        reply
            .points
            .extend(seen.code().and_then(Code::parse).and_then(|it| status_point(it, seen)));
        reply
    }
}

/// Whether a refusal has the status that is stated for its code, if one is.
fn status_point(code: Code, seen: &Seen) -> Option<Point> {
    matches!(code.status(), Status::Documented(_)).then(|| Point {
        clause: code_clause(code).unwrap_or(clause!("7.shape.code")),
        holds: code.status() == Status::Documented(seen.status),
        field: "status".into(),
        expected: format!("the status of {code}"),
        seen: seen.status.to_string(),
    })
}

/// Whether a point would hold in another state, though the document doesn't say so.
fn is_about_a_state(point: &Point) -> bool {
    let of_what =
        [clause!("gap.advanceObject"), clause!("gap.quoteExtra"), clause!("gap.taxIdResult")];
    // What the outside world can do.
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
        _ => of_what.contains(&point.clause),
    }
}
