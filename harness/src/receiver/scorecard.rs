//! The result of an examination, for a person and for a program.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Value, json};
use tideover_model::Clause;

use crate::receiver::case::{Case, Required};
use crate::receiver::verdict::{Answer, Judgement, Seen, Verdict};

/// The verdicts on a receiver, as far as it was examined.
#[derive(Clone, Debug)]
pub struct Scorecard {
    url: String,
    run: String,
    /// How many cases there are.
    cases: usize,
    lines: Vec<Line>,
    /// Whether the probe showed the last change that had to be.
    proven: bool,
}

/// The verdict on a case.
#[derive(Clone, Debug)]
struct Line {
    delivery: String,
    sent: String,
    clause: Clause,
    required: Required,
    answer: Answer,
    judgement: Judgement,
}

impl Scorecard {
    /// An empty one: of the receiver at `url`, of so many cases that `run` names.
    pub fn new(url: &str, run: &str, cases: usize) -> Scorecard {
        let (url, run) = (url.to_owned(), run.to_owned());
        Scorecard { url, run, cases, lines: Vec::new(), proven: false }
    }

    /// Judges what was seen of the next case.
    pub fn add(&mut self, case: &Case, seen: Seen) {
        if case.required == Required::TakenUp {
            self.proven = seen.moved == Some(true);
        }
        let judgement = Judgement::of(case.clause, case.required, &seen, self.proven);
        self.lines.push(Line {
            delivery: case.delivery.clone(),
            sent: case.sent.clone(),
            clause: case.clause,
            required: case.required,
            answer: seen.answer,
            judgement,
        });
    }

    /// How many cases have this verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.lines.iter().filter(|line| line.judgement.verdict == verdict).count()
    }

    /// Whether no case was sent.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Whether all cases were sent.
    pub fn is_complete(&self) -> bool {
        self.lines.len() == self.cases
    }

    /// Whether all that the service may send was answered 401, 403 or the like.
    fn is_of_a_stranger(&self) -> bool {
        let mut genuine = self.lines.iter().filter(|line| line.required.is_genuine()).peekable();
        genuine.peek().is_some()
            && genuine.all(|line| matches!(line.answer, Answer::Status(400..=499)))
    }

    /// The lines under the rule that they are about, in the document's order.
    fn by_rule(&self) -> BTreeMap<Clause, Vec<&Line>> {
        let mut rules: BTreeMap<Clause, Vec<&Line>> = BTreeMap::new();
        for line in &self.lines {
            rules.entry(line.clause).or_default().push(line);
        }
        rules
    }

    /// For a program, in the order in which the cases were sent.
    pub fn as_json(&self) -> Value {
        json!({
            "url": self.url,
            "run": self.run,
            "held": self.count(Verdict::Failed) == 0,
            "passed": self.count(Verdict::Passed),
            "failed": self.count(Verdict::Failed),
            "differs": self.count(Verdict::Differs),
            "unseen": self.count(Verdict::Unseen),
            "notSent": self.cases - self.lines.len(),
            "cases": self.lines.iter().map(Line::as_json).collect::<Vec<_>>(),
        })
    }
}

impl fmt::Display for Scorecard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} deliveries to {}, run {}", self.lines.len(), self.url, self.run)?;
        let longest = self.lines.iter().map(|line| line.sent.chars().count()).max().unwrap_or(0);
        for (clause, lines) in self.by_rule() {
            writeln!(f, "\n{} ({})", clause.name(), clause.place())?;
            writeln!(f, "  {}", clause.wording())?;
            for line in lines {
                line.write(f, longest)?;
            }
        }
        if !self.is_complete() {
            writeln!(f, "\ninterrupted: {} cases were not sent", self.cases - self.lines.len())?;
        }
        if self.is_of_a_stranger() {
            writeln!(
                f,
                "\nnothing was accepted: is this the secret that the receiver verifies with?"
            )?;
        }
        let [passed, failed, unseen] =
            [Verdict::Passed, Verdict::Failed, Verdict::Unseen].map(|verdict| self.count(verdict));
        write!(f, "\n{passed} passed, {failed} failed, {unseen} unseen")?;
        match self.count(Verdict::Differs) {
            0 => Ok(()),
            differ => write!(f, ", {differ} unlike what we assume"),
        }
    }
}

impl Line {
    fn required(&self) -> &'static str {
        if self.required.is_genuine() { "accept" } else { "reject" }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, longest: usize) -> fmt::Result {
        let Judgement { verdict, remark, consequence } = &self.judgement;
        let (sent, answer, required) = (&self.sent, &self.answer, self.required());
        let name = match verdict {
            Verdict::Failed => "FAILED",
            Verdict::Passed | Verdict::Differs | Verdict::Unseen => verdict.name(),
        };
        writeln!(f, "  {name}  {required}  {sent:longest$}  {answer}")?;
        match (remark, consequence) {
            (None, _) => Ok(()),
            (Some(remark), None) => writeln!(f, "          {remark}"),
            (Some(remark), Some(clause)) => {
                writeln!(f, "          {remark} ({clause}, {})", clause.place())
            }
        }
    }

    fn as_json(&self) -> Value {
        let Judgement { verdict, remark, consequence } = &self.judgement;
        let status = match self.answer {
            Answer::Status(status) | Answer::Half(status) => Some(status),
            Answer::Closed | Answer::Garbled(_) | Answer::Late(_) | Answer::Unreached(_) => None,
        };
        json!({
            "delivery": self.delivery,
            "sent": self.sent,
            "required": self.required(),
            "answered": self.answer.to_string(),
            "status": status,
            "verdict": verdict,
            "remark": remark,
            "clause": self.clause.name(),
            "place": self.clause.place(),
            "rule": self.clause.wording(),
            "consequence": consequence.map(Clause::name),
        })
    }
}
