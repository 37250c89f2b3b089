//! The verdict on a response of a receiver.

use std::fmt;
use std::time::Duration;

use serde::Serialize;
use tideover_model::clause::Kind;
use tideover_model::{Clause, clause};

use crate::case::Required;

/// The outcome of a delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A response with this HTTP status.
    Status(u16),
    /// The connection ended before a response.
    Closed,
    /// The connection ended in the middle of a response with this HTTP status.
    Half(u16),
    /// The response is not HTTP.
    Garbled(String),
    /// No response within this time.
    Late(Duration),
    /// There was no connection.
    Unreached(String),
}

/// The observation of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The outcome of the delivery.
    pub answer: Answer,
    /// Whether the receiver's state changed; `None` without a probe.
    pub moved: Option<bool>,
}

/// Whether a receiver meets a requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Verdict {
    /// It does.
    Passed,
    /// It does not.
    Failed,
    /// It does not, but only an assumption requires it, not the document.
    Differs,
    /// Nothing showed whether it does.
    Unseen,
}

/// A verdict with its remark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Judgement {
    pub(crate) verdict: Verdict,
    pub(crate) remark: Option<&'static str>,
    /// The clause about the consequence of such a response.
    pub(crate) consequence: Option<Clause>,
}

impl Judgement {
    const PASSED: Judgement = Judgement::new(Verdict::Passed);

    const fn new(verdict: Verdict) -> Judgement {
        Judgement { verdict, remark: None, consequence: None }
    }

    const fn failed(remark: &'static str, consequence: Clause) -> Judgement {
        Judgement::new(Verdict::Failed).remarking(remark).citing(consequence)
    }

    const fn remarking(self, remark: &'static str) -> Judgement {
        Judgement { remark: Some(remark), ..self }
    }

    const fn citing(self, consequence: Clause) -> Judgement {
        Judgement { consequence: Some(consequence), ..self }
    }

    /// Judges `seen` where `rule` requires `required`. `proven`: a probe has shown a change that had to be.
    pub(crate) fn of(rule: Clause, required: Required, seen: &Seen, proven: bool) -> Judgement {
        let judgement = Judgement::by_answer(required, seen, proven);
        match (judgement.verdict, rule.kind()) {
            (Verdict::Failed, Kind::Assumed { .. }) => {
                Judgement { verdict: Verdict::Differs, ..judgement }
            }
            _ => judgement,
        }
    }

    fn by_answer(required: Required, seen: &Seen, proven: bool) -> Judgement {
        if !required.is_genuine() {
            return judge_forgery(&seen.answer);
        }
        match seen.answer {
            Answer::Status(200..=299) => judge_effect(required, seen.moved, proven),
            Answer::Status(410) => {
                Judgement::failed("it ends its own subscription", clause!("6.delivery.2"))
            }
            Answer::Status(300..=399) => Judgement::failed(
                "a redirect is not followed: the delivery fails",
                clause!("6.subscription.2.2"),
            ),
            Answer::Status(_)
            | Answer::Closed
            | Answer::Half(_)
            | Answer::Garbled(_)
            | Answer::Unreached(_) => {
                Judgement::failed("the delivery fails and is retried", clause!("6.delivery.1.2"))
            }
            Answer::Late(_) => Judgement::failed(
                "the service stops waiting: the delivery fails and is retried",
                clause!("gap.retrySchedule"),
            ),
        }
    }
}

/// Judges the effect of an accepted delivery.
fn judge_effect(required: Required, moved: Option<bool>, proven: bool) -> Judgement {
    let unseen = Judgement::new(Verdict::Unseen);
    match (required, moved) {
        (Required::Dropped, Some(_)) | (Required::New, Some(false)) if !proven => unseen.remarking(
            "the probe did not show an earlier change that had to show: it proves nothing",
        ),
        (Required::Dropped, None) => {
            unseen.remarking("an answer does not show whether it was dropped; --probe can")
        }
        (Required::Dropped, Some(true)) => Judgement::new(Verdict::Failed)
            .remarking("it was not dropped: the probe shows a change"),
        (Required::Dropped, Some(false)) => {
            Judgement::PASSED.remarking("dropped: the probe shows no change")
        }
        (Required::New, None) => {
            unseen.remarking("an answer does not show whether it was taken up; --probe can")
        }
        (Required::New, Some(true)) => {
            Judgement::PASSED.remarking("taken up: the probe shows a change")
        }
        (Required::New, Some(false)) => {
            Judgement::new(Verdict::Failed).remarking("it was dropped: the probe shows no change")
        }
        (Required::TakenUp, Some(false)) => Judgement::PASSED
            .remarking("the probe shows no change: it proves nothing of what follows"),
        (Required::Accepted | Required::TakenUp | Required::Rejected, _) => Judgement::PASSED,
    }
}

fn judge_forgery(answer: &Answer) -> Judgement {
    match answer {
        Answer::Status(200..=299) | Answer::Half(200..=299) => {
            Judgement::new(Verdict::Failed).remarking("it was accepted")
        }
        Answer::Status(410) => Judgement::failed(
            "it ends its own subscription when it cannot verify a delivery",
            clause!("6.delivery.2"),
        ),
        Answer::Status(_) | Answer::Half(_) => Judgement::PASSED,
        Answer::Closed => {
            Judgement::PASSED.remarking("it closed the connection: nothing was accepted")
        }
        Answer::Garbled(_) | Answer::Late(_) | Answer::Unreached(_) => {
            Judgement::new(Verdict::Unseen)
                .remarking("without a response nothing shows whether it was rejected")
        }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Answer::Status(status) => write!(f, "{status}"),
            Answer::Closed => f.write_str("closed"),
            Answer::Half(status) => write!(f, "{status}, cut off"),
            Answer::Late(waited) => write!(f, "no response for {waited:?}"),
            Answer::Garbled(why) | Answer::Unreached(why) => f.write_str(why),
        }
    }
}

impl Verdict {
    /// Its name, for people and programs.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Passed => "passed",
            Verdict::Failed => "failed",
            Verdict::Differs => "differs",
            Verdict::Unseen => "unseen",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(required: Required, answer: Answer) -> Verdict {
        Judgement::of(clause!("6.delivery.1"), required, &Seen { answer, moved: None }, false)
            .verdict
    }

    fn effect(required: Required, moved: Option<bool>, proven: bool) -> Verdict {
        let answer = Answer::Status(204);
        Judgement::of(clause!("6.delivery.3"), required, &Seen { answer, moved }, proven).verdict
    }

    #[test]
    fn genuine_needs_2xx_and_forged_neither_2xx_nor_410() {
        use Verdict::{Failed, Passed, Unseen};
        let late = Answer::Late(Duration::from_secs(15));
        let unreached = Answer::Unreached("refused".into());
        for (answer, genuine, forged) in [
            (Answer::Status(200), Passed, Failed),
            (Answer::Status(299), Passed, Failed),
            (Answer::Status(302), Failed, Passed),
            (Answer::Status(401), Failed, Passed),
            (Answer::Status(410), Failed, Failed),
            (Answer::Status(500), Failed, Passed),
            (Answer::Closed, Failed, Passed),
            (Answer::Half(200), Failed, Failed),
            (Answer::Half(400), Failed, Passed),
            (Answer::Garbled("not HTTP".into()), Failed, Unseen),
            (late, Failed, Unseen),
            (unreached, Failed, Unseen),
        ] {
            let of = |required| verdict(required, answer.clone());
            assert_eq!((of(Required::Accepted), of(Required::Rejected)), (genuine, forged));
        }
    }

    #[test]
    fn a_broken_assumption_is_no_failure() {
        let seen = Seen { answer: Answer::Status(413), moved: None };
        let of = |rule| Judgement::of(rule, Required::Accepted, &seen, false).verdict;
        assert_eq!(of(clause!("6.delivery.1")), Verdict::Failed);
        assert_eq!(of(clause!("gap.eventFields")), Verdict::Differs);
    }

    #[test]
    fn only_a_proven_probe_shows_what_did_not_happen() {
        use Verdict::{Failed, Passed, Unseen};
        for (required, expected) in [
            (Required::Dropped, [Unseen, Unseen, Unseen, Passed, Failed]),
            (Required::New, [Unseen, Unseen, Passed, Failed, Passed]),
        ] {
            let shown = [
                (None, false),
                (Some(false), false),
                (Some(true), false),
                (Some(false), true),
                (Some(true), true),
            ];
            let shown = shown.map(|(moved, proven)| effect(required, moved, proven));
            assert_eq!(shown, expected, "{required:?}");
            assert_eq!(verdict(required, Answer::Status(500)), Failed);
        }
    }

    #[test]
    fn a_probe_may_miss_a_required_change() {
        assert_eq!(effect(Required::TakenUp, Some(false), false), Verdict::Passed);
        assert_eq!(effect(Required::TakenUp, Some(true), false), Verdict::Passed);
    }
}
