//! The result of an examination, for a person and for a program.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::{Value, json};
use tideover_model::Clause;
use tideover_model::conduct::{Card, Duty, Proof, Row};

use crate::case::{Case, Required};
use crate::verdict::{Answer, Judgement, Seen, Verdict};

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

#[derive(Clone, Debug)]
pub struct CaseResult {
    /// The `Service-Delivery` that was sent.
    pub delivery: String,
    /// What was sent, in words.
    pub sent: String,
    pub clause: Clause,
    /// The outcome of the delivery.
    pub answer: Answer,
    required: Required,
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
    pub fn doubt(&self) -> Option<String> {
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

    pub fn url(&self) -> &str {
        &self.url
    }

    pub fn run(&self) -> &str {
        &self.run
    }

    /// The results, in the order in which the cases were sent.
    pub fn results(&self) -> &[CaseResult] {
        &self.results
    }

    /// The number of cases with each verdict, in words.
    pub fn counts(&self) -> String {
        let [passed, failed, unseen] =
            [Verdict::Passed, Verdict::Failed, Verdict::Unseen].map(|verdict| self.count(verdict));
        let differ = match self.count(Verdict::Differs) {
            0 => String::new(),
            differ => format!(", {differ} differ from an assumption"),
        };
        format!("{passed} passed, {failed} failed, {unseen} unseen{differ}")
    }

    /// What limits the value of the results.
    pub fn notes(&self) -> Vec<String> {
        let unsent = self.cases - self.results.len();
        let unsent = (unsent > 0).then(|| format!("interrupted: {unsent} cases were not sent"));
        unsent.into_iter().chain(self.doubt()).collect()
    }

    /// The same results as duties of a caller, in the table that the mock has too. A delivery has the number of its case, from
    /// 0.
    pub fn conduct(&self) -> Card {
        let mut card = Card::default();
        for (number, result) in (0..).zip(&self.results) {
            let Some(row) = Duty::of(result.clause).and_then(|duty| card.row_mut(duty)) else {
                continue;
            };
            match result.verdict() {
                Verdict::Passed => row.keep(),
                Verdict::Failed | Verdict::Differs => row.breach(&[Proof::Delivery(number)]),
                Verdict::Unseen => {}
            }
        }
        card
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
        let conduct = self.conduct();
        json!({
            "url": self.url,
            "run": self.run,
            "held": self.count(Verdict::Failed) == 0,
            "passed": self.count(Verdict::Passed),
            "failed": self.count(Verdict::Failed),
            "differs": self.count(Verdict::Differs),
            "unseen": self.count(Verdict::Unseen),
            "notSent": self.cases - self.results.len(),
            "conduct": {
                "counts": conduct.counts(),
                "rows": conduct.rows().iter().map(Row::shown).collect::<Vec<_>>(),
            },
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
        if !self.is_empty() {
            writeln!(f, "\n{}", self.conduct().summary())?;
        }
        self.notes().iter().try_for_each(|note| writeln!(f, "\n{note}"))
    }
}

impl CaseResult {
    pub fn verdict(&self) -> Verdict {
        self.judgement.verdict
    }

    /// Why it has this verdict, if that is not obvious.
    pub fn remark(&self) -> Option<String> {
        let Judgement { remark, consequence, .. } = &self.judgement;
        let remark = (*remark)?;
        Some(match consequence {
            None => remark.to_owned(),
            Some(clause) => format!("{remark} ({clause}, {})", clause.place()),
        })
    }

    /// What the receiver must do: `accept` or `reject`.
    pub fn required(&self) -> &'static str {
        if self.required.is_genuine() { "accept" } else { "reject" }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, longest: usize) -> fmt::Result {
        let (sent, answer, required) = (&self.sent, &self.answer, self.required());
        let name = match self.verdict() {
            Verdict::Failed => "FAILED",
            other @ (Verdict::Passed | Verdict::Differs | Verdict::Unseen) => other.name(),
        };
        writeln!(f, "  {name}  {required}  {sent:longest$}  {answer}")?;
        self.remark().map_or(Ok(()), |remark| writeln!(f, "          {remark}"))
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
