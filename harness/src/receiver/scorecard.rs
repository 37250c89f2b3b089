//! The result of an examination, for a person and for a program.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::{Value, json};
use tideover_model::Clause;

use crate::receiver::case::{Case, Required};
use crate::receiver::verdict::{Answer, Judgement, Seen, Verdict};

/// The results of the cases that were sent to a receiver.
#[derive(Clone, Debug)]
pub struct Scorecard {
    url: String,
    run: String,
    /// The number of cases, sent or not.
    cases: usize,
    results: Vec<CaseResult>,
    /// Whether the probe showed the last change that it had to show.
    proven: bool,
}

/// The result of one case.
#[derive(Clone, Debug)]
struct CaseResult {
    delivery: String,
    sent: String,
    clause: Clause,
    required: Required,
    answer: Answer,
    judgement: Judgement,
}

impl Scorecard {
    /// An empty scorecard for the receiver at `url` and a run with this number of cases.
    pub fn new(url: &str, run: &str, cases: usize) -> Scorecard {
        let (url, run) = (url.to_owned(), run.to_owned());
        Scorecard { url, run, cases, results: Vec::new(), proven: false }
    }

    /// Judges the next case.
    pub fn add(&mut self, case: &Case, seen: Seen) {
        if case.required == Required::TakenUp {
            self.proven = seen.moved == Some(true);
        }
        let judgement = Judgement::of(case.clause, case.required, &seen, self.proven);
        self.results.push(CaseResult {
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
        self.results.iter().filter(|result| result.judgement.verdict == verdict).count()
    }

    /// Whether no case was sent.
    pub fn is_empty(&self) -> bool {
        self.results.is_empty()
    }

    /// Whether all cases were sent.
    pub fn is_complete(&self) -> bool {
        self.results.len() == self.cases
    }

    /// What may be wrong with the examination itself, if the receiver answered every genuine delivery with a 4xx.
    fn doubt(&self) -> Option<String> {
        let genuine = self.results.iter().filter(|result| result.required.is_genuine());
        let refusal = |result: &CaseResult| match result.answer {
            Answer::Status(status @ 400..=499) => Some(status),
            _ => None,
        };
        let statuses: Option<BTreeSet<u16>> = genuine.map(refusal).collect();
        let statuses = statuses.filter(|statuses| !statuses.is_empty())?;
        let path_alone = |status: &u16| matches!(status, 404 | 405);
        Some(match statuses.first() {
            Some(status) if statuses.len() == 1 && path_alone(status) => format!(
                "nothing was accepted: every delivery was answered {status}; does the receiver listen at the path of {}?",
                self.url
            ),
            _ => "nothing was accepted: is this the secret that the receiver verifies with?"
                .to_owned(),
        })
    }

    /// The results by rule, in the order of the document.
    fn by_rule(&self) -> BTreeMap<Clause, Vec<&CaseResult>> {
        let mut rules: BTreeMap<Clause, Vec<&CaseResult>> = BTreeMap::new();
        for result in &self.results {
            rules.entry(result.clause).or_default().push(result);
        }
        rules
    }

    /// The scorecard for a program, in the order in which the cases were sent.
    pub fn as_json(&self) -> Value {
        json!({
            "url": self.url,
            "run": self.run,
            "held": self.count(Verdict::Failed) == 0,
            "passed": self.count(Verdict::Passed),
            "failed": self.count(Verdict::Failed),
            "differs": self.count(Verdict::Differs),
            "unseen": self.count(Verdict::Unseen),
            "notSent": self.cases - self.results.len(),
            "cases": self.results.iter().map(CaseResult::as_json).collect::<Vec<_>>(),
        })
    }
}

impl fmt::Display for Scorecard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} deliveries to {}, run {}", self.results.len(), self.url, self.run)?;
        let longest =
            self.results.iter().map(|result| result.sent.chars().count()).max().unwrap_or(0);
        for (clause, results) in self.by_rule() {
            writeln!(f, "\n{} ({})", clause.name(), clause.place())?;
            writeln!(f, "  {}", clause.wording())?;
            for result in results {
                result.write(f, longest)?;
            }
        }
        if !self.is_complete() {
            writeln!(f, "\ninterrupted: {} cases were not sent", self.cases - self.results.len())?;
        }
        if let Some(doubt) = self.doubt() {
            writeln!(f, "\n{doubt}")?;
        }
        let [passed, failed, unseen] =
            [Verdict::Passed, Verdict::Failed, Verdict::Unseen].map(|verdict| self.count(verdict));
        write!(f, "\n{passed} passed, {failed} failed, {unseen} unseen")?;
        match self.count(Verdict::Differs) {
            0 => Ok(()),
            differ => write!(f, ", {differ} differ from an assumption"),
        }
    }
}

impl CaseResult {
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
