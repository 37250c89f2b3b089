//! From what came of a run to its report.

use std::time::Duration;

use serde_json::Value;
use tideover_model::Clause;
use tideover_model::clause::Kind;

use crate::checks::registry::Needs;
use crate::concurrent::Parts;
use crate::concurrent::contradictions::can_contradict;
use crate::coverage::Group;
use crate::finding::{Finding, Verdict};
use crate::inbox::Arrival;
use crate::report::advice::advice;
use crate::report::baseline::Baseline;
use crate::report::difference::difference;
use crate::report::document::{
    Actor, Answer, Blame, ClauseKind, ClauseReport, DeliveryReport, Ending, FindingReport, Found,
    GapReport, LatencyReport, Party, RacesReport, Report, SeenValue, State, StateGroup, Status,
    StepReport, UnexplainedPart, VERSION,
};
use crate::report::{curl, plain, title};
use crate::standing::Standing;
use crate::step::Action;
use crate::suite::{Failure, Noticed, Plan, Summary};
use crate::target::{Body, Seen};

/// A run, and what is to be said of it.
pub struct Run<'a> {
    /// What was to be played.
    pub plan: &'a Plan,
    /// What came of it.
    pub summary: &'a Summary,
    /// What was played against, in words.
    pub target: &'a str,
    /// What the target offers.
    pub offers: &'a [Needs],
    /// How long it took.
    pub took: Duration,
    /// The commands that replay what can be shown, in its order, as far as there are any.
    pub replay: &'a [String],
    /// What is known.
    pub baseline: Option<&'a Baseline>,
    /// Why it ended before its time, if it did by itself, and in words.
    pub ended: Option<(Ending, String)>,
    /// What it has left behind in the target.
    pub left_behind: &'a [String],
    /// Of requests that were sent at once: by how many clients, and what was concluded of their order.
    pub races: Option<(usize, &'a Parts)>,
}

impl Run<'_> {
    /// The report of it.
    pub fn report(&self) -> Report {
        let Run { plan, summary, target, took, baseline, .. } = self;
        let clauses: Vec<_> = Clause::all().map(|clause| self.clause(clause)).collect();
        let failures = summary.failures.iter().map(FindingReport::of);
        let noticed = summary.noticed.values().map(FindingReport::noticed);
        let mut findings: Vec<_> = failures.chain(noticed).collect();
        let shown = findings.iter_mut().filter(|finding| !finding.steps.is_empty());
        for (finding, replay) in shown.zip(self.replay) {
            finding.replay = Some(replay.clone());
        }
        for finding in &mut findings {
            finding.known = baseline.is_some_and(|known| known.has(&finding.fingerprint));
        }
        let new = findings.iter().filter(|finding| !finding.known);
        // A pass that met nothing is not a pass.
        let has_met = summary.steps > 0 && clauses.iter().any(|clause| clause.exercised > 0);
        let is_open = self.races.is_some_and(|(_, parts)| parts.open() > 0);
        let unaccused = if has_met && !is_open { Verdict::Held } else { Verdict::Inconclusive };
        Report {
            version: VERSION,
            target: (*target).to_owned(),
            seed: plan.header.seed,
            cases: summary.cases,
            cases_left: plan.cases.saturating_sub(summary.cases),
            steps: summary.steps,
            milliseconds: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            verdict: new.map(|finding| finding.found.verdict).min().unwrap_or(unaccused),
            ending: self.ending(),
            warnings: self.warnings(&clauses),
            gone: baseline.map(|known| known.without(&findings)).unwrap_or_default(),
            clauses,
            findings,
            gaps: self.gaps(),
            latency: latency(summary),
            states: self.states(),
            races: self.races.map(|(clients, parts)| RacesReport::of(clients, parts)),
            left_behind: self.left_behind.to_vec(),
        }
    }

    fn clause(&self, clause: Clause) -> ClauseReport {
        let (status, exercised, reason) = self.standing(clause);
        ClauseReport {
            clause: clause.name().to_owned(),
            place: clause.place().to_owned(),
            wording: clause.wording().to_owned(),
            kind: match clause.kind() {
                Kind::Documented => ClauseKind::Documented,
                Kind::Assumed { .. } => ClauseKind::Assumed,
            },
            status,
            reason,
            exercised,
            broken: self.summary.broken.get(&clause).map_or(0, |(times, _)| *times),
        }
    }

    /// Whether a clause holds, how often that was looked at, and why no more can be said.
    fn standing(&self, clause: Clause) -> (Status, u64, Option<String>) {
        let Summary { met, broken, .. } = self.summary;
        let standing = Standing::of(clause);
        if let Some((_, verdict)) = broken.get(&clause) {
            return (Status::from(*verdict), met.times(clause), None);
        }
        if met.times(clause) > 0 {
            return (Status::Held, met.times(clause), None);
        }
        if self.races.is_some() {
            let why = || "races are not about it".to_owned();
            return match can_contradict(clause) {
                true => (Status::NotExercised, 0, None),
                false => (Status::Unreachable, 0, Some(why())),
            };
        }
        if standing.is_checked() {
            return match self.lacking(standing) {
                Some(lacking) => (Status::Unreachable, 0, Some(lacking.to_owned())),
                None => (Status::NotExercised, 0, None),
            };
        }
        if standing.is_shown() {
            let (status, reason) = self.shown(&standing.shows_in);
            return (status, 0, Some(reason));
        }
        let words = standing.words().join("; ");
        let reason = match standing.unobservable {
            Some(_) => words,
            None => format!("no check of a run counts it: {words}"),
        };
        (Status::Unreachable, 0, Some(reason))
    }

    /// What is said of a clause whose breaches are told under others, and why: that those were met does not say
    /// that it was.
    fn shown(&self, shows_in: &[Clause]) -> (Status, String) {
        let Summary { met, broken, .. } = self.summary;
        let doubtful = || shows_in.iter().filter(|one| broken.contains_key(one));
        if doubtful().next().is_some() {
            let reason = format!("a breach shows in {}, which is broken", names(doubtful()));
            return (Status::Inconclusive, reason);
        }
        let shows = format!("a breach would show in {}", names(shows_in));
        let checked = shows_in.iter().map(|one| Standing::of(*one)).filter(|one| one.is_checked());
        let lacking: Option<Vec<&str>> = checked.map(|one| self.lacking(one)).collect();
        match lacking.as_deref() {
            _ if shows_in.iter().any(|one| met.times(*one) > 0) => (Status::Covered, shows),
            Some([lacking, ..]) => (Status::Unreachable, format!("{shows}: {lacking}")),
            Some([]) | None => (Status::NotExercised, shows),
        }
    }

    /// What the target lacks, if no check of a clause can do without it.
    fn lacking(&self, standing: &Standing) -> Option<&'static str> {
        let needs = || standing.checks.iter().map(|(_, needs)| needs);
        let offered = needs().any(|needs| self.offers.contains(needs));
        needs().next().filter(|_| !offered).map(|needs| needs.lacking())
    }

    /// A case that was cut short is not played to its end, whatever cut it.
    fn ending(&self) -> Ending {
        match (self.summary.ending, &self.ended) {
            (Ending::Interrupted, Some((ended, _))) => *ended,
            (ending, _) => ending,
        }
    }

    fn warnings(&self, clauses: &[ClauseReport]) -> Vec<String> {
        let left = self.plan.cases.saturating_sub(self.summary.cases);
        let mut warnings = Vec::new();
        match self.ending() {
            Ending::Interrupted => {
                warnings.push(format!("interrupted: {left} cases were not played"));
            }
            Ending::EnoughFound if left > 0 => warnings.push(format!(
                "ended after {} findings: {left} cases were not played (--max-findings)",
                self.summary.failures.len()
            )),
            Ending::EnoughFound | Ending::Spent | Ending::GivenUp | Ending::Complete => {}
        }
        warnings.extend(self.ended.iter().map(|(_, why)| format!("ended early: {why}")));
        match self.races {
            Some(_) if self.summary.cases == 0 => {
                warnings.push("no race came to its end".to_owned());
            }
            Some((_, parts)) if parts.open() > 0 => warnings.push(format!(
                "nothing could be concluded of {} parts; fewer --steps or another --concurrency may help",
                parts.open()
            )),
            Some(_) | None => {}
        }
        if self.summary.unanswered > 0 {
            warnings.push(format!("{} requests were not answered", self.summary.unanswered));
        }
        let documented = |clause: &&ClauseReport| {
            clause.status == Status::NotExercised && clause.kind == ClauseKind::Documented
        };
        let unmet: Vec<&str> =
            clauses.iter().filter(documented).map(|clause| clause.clause.as_str()).collect();
        if !unmet.is_empty() {
            let (count, names) = (unmet.len(), unmet.join(", "));
            warnings.push(format!(
                "never met, so that nothing is said of them: {count} documented clauses ({names})"
            ));
        }
        warnings
    }
}

impl Run<'_> {
    /// What was seen where the document is silent: values as they were told, and what is narrowed from many.
    fn gaps(&self) -> Vec<GapReport> {
        let told = self.summary.gaps.all().map(|gap| GapReport {
            clause: gap.clause.name().to_owned(),
            wording: gap.clause.wording().to_owned(),
            constant: gap.is_constant(),
            place: gap.place,
            assumed: gap.assumed,
            seen: gap
                .seen
                .into_iter()
                .map(|(value, times)| SeenValue { value, times: Some(times) })
                .collect(),
        });
        let known = &self.plan.header.profile;
        let lessons = self.summary.lessons.learned(known).lessons;
        let narrowed = lessons.into_iter().filter_map(|(field, lesson)| {
            let clause = clause_of(&field)?;
            Some(GapReport {
                clause: clause.name().to_owned(),
                wording: clause.wording().to_owned(),
                assumed: assumed(known, &field),
                constant: true,
                place: field,
                seen: vec![SeenValue { value: lesson, times: None }],
            })
        });
        told.chain(narrowed).collect()
    }
}

impl RacesReport {
    fn of(clients: usize, parts: &Parts) -> RacesReport {
        let Parts { explained, undecided, inconclusive, contradicted, unexplained, unknown } =
            parts;
        let told = unexplained.iter();
        RacesReport {
            clients: clients as u64,
            unknown: *unknown,
            explained: *explained,
            undecided: *undecided,
            inconclusive: *inconclusive,
            contradicted: *contradicted,
            unexplained: told
                .map(|one| UnexplainedPart { case: one.case, words: one.words.clone() })
                .collect(),
        }
    }
}

fn names<'a>(clauses: impl IntoIterator<Item = &'a Clause>) -> String {
    clauses.into_iter().map(|clause| clause.name()).collect::<Vec<_>>().join(", ")
}

/// The assumption that a field of the profile varies, if its values are not told already.
fn clause_of(field: &str) -> Option<Clause> {
    let (key, rest) = field.split_once('.').unwrap_or((field, ""));
    let varies = |clause: &Clause| clause.kind().profile_key() == Some(key);
    let is_named = |clause: &Clause| clause.name().strip_prefix("gap.") == Some(rest);
    let clauses = || Clause::all().filter(varies);
    clauses().find(is_named).or_else(|| clauses().next()).filter(|_| !is_told(key))
}

/// Statuses are told as values already.
fn is_told(key: &str) -> bool {
    matches!(key, "success" | "refusals")
}

/// What a profile says of a field, by its path.
fn assumed(profile: &tideover_model::Profile, field: &str) -> String {
    let profile = serde_json::to_value(profile).unwrap_or_default();
    let value = field.split('.').try_fold(&profile, |value, part| value.get(part));
    value.map(Value::to_string).unwrap_or_default()
}

impl Needs {
    /// Why a clause cannot be met without it.
    fn lacking(self) -> &'static str {
        match self {
            Needs::Requests => "nothing was asked",
            Needs::Vendor => "no vendor is through with onboarding",
            Needs::Operator => "nobody plays the outside world",
            Needs::Inbox => "webhooks do not come to the suite",
            Needs::Inside => "only a service in process can be looked into",
        }
    }
}

impl From<Verdict> for Status {
    fn from(verdict: Verdict) -> Status {
        match verdict {
            Verdict::Violated => Status::Violated,
            Verdict::Inconclusive => Status::Inconclusive,
            Verdict::Stalled => Status::Stalled,
            Verdict::DiffersFromAssumption => Status::Differs,
            Verdict::Held => Status::Held,
        }
    }
}

impl FindingReport {
    /// What is told of a failure, wherever it was met.
    pub fn of(failure: &Failure) -> FindingReport {
        let finding = failure.finding();
        let last = failure.answers.last().and_then(|(_, seen)| seen.as_ref());
        FindingReport {
            fingerprint: finding.cause().fingerprint(),
            found: Found::from(finding),
            also: failure.findings.iter().skip(1).map(Found::from).collect(),
            known: false,
            times: failure.met,
            cases: failure.met,
            first_case: Some(failure.case),
            steps_before: failure.steps_before as u64,
            runs: failure.probes as u64,
            blame: Blame::of(finding.verdict, last),
            advice: None,
            steps: steps(failure),
            difference: difference(&failure.transcript),
            replay: None,
        }
    }
}

impl FindingReport {
    /// What is told of a finding that fails no run.
    fn noticed(noticed: &Noticed) -> FindingReport {
        let Noticed { finding, times, cases, first } = noticed;
        let (times, cases, advice) = (*times, *cases, Some(advice(finding).to_owned()));
        match first {
            Some(first) => FindingReport { times, cases, advice, ..FindingReport::of(first) },
            None => FindingReport {
                fingerprint: finding.cause().fingerprint(),
                found: Found::from(finding),
                also: Vec::new(),
                known: false,
                times,
                cases,
                first_case: None,
                steps_before: 0,
                runs: 0,
                blame: Blame::of(finding.verdict, None),
                advice,
                steps: Vec::new(),
                difference: None,
                replay: None,
            },
        }
    }
}

impl From<&Finding> for Found {
    fn from(finding: &Finding) -> Found {
        let Finding { clause, verdict, operation, field, expected, seen } = finding;
        Found {
            clause: clause.name().to_owned(),
            place: clause.place().to_owned(),
            wording: clause.wording().to_owned(),
            verdict: *verdict,
            operation: operation.clone(),
            field: field.clone(),
            expected: expected.clone(),
            seen: seen.clone(),
        }
    }
}

impl Blame {
    fn of(verdict: Verdict, last: Option<&Seen>) -> Blame {
        let gateway = |seen: &Seen| matches!(seen.status, 502..=504) && seen.json().is_none();
        let (who, why) = match verdict {
            _ if last.is_some_and(gateway) => (
                Party::Network,
                "A gateway's status without the document's body comes from something before the service.",
            ),
            Verdict::Violated => {
                (Party::Service, "The document says it, and the service does otherwise.")
            }
            Verdict::Stalled => {
                (Party::Service, "It must happen by itself, and has not within its time.")
            }
            Verdict::DiffersFromAssumption => (
                Party::Us,
                "The document leaves it open: what we assume is not what the service does.",
            ),
            Verdict::Inconclusive | Verdict::Held => {
                (Party::Us, "What was seen does not suffice to say who is at fault.")
            }
        };
        Blame { who, why: why.to_owned() }
    }
}

fn steps(failure: &Failure) -> Vec<StepReport> {
    let steps = &failure.transcript.steps;
    let lines = curl(&failure.transcript, &failure.answers);
    let played = steps.iter().zip(&failure.answers).zip(lines);
    played
        .enumerate()
        .map(|(index, ((step, (at, seen)), curl))| StepReport {
            number: index as u64 + 1,
            actor: match &step.action {
                Action::Call(_) | Action::Deliveries => Actor::Caller,
                Action::Act(_) | Action::Advance(_) => Actor::Outside,
            },
            title: title(step),
            words: plain(step),
            curl,
            at: at.to_string(),
            answer: seen.as_ref().map_or_else(Answer::none, Answer::from),
            deliveries: {
                let arrivals = failure.arrivals.iter().filter(|(with, _)| *with == index);
                arrivals.map(|(_, arrival)| DeliveryReport::from(arrival)).collect()
            },
            interval: failure.raced.get(index).copied(),
        })
        .collect()
}

impl Answer {
    /// That none came.
    fn none() -> Answer {
        Answer { status: 0, code: None, body: None, text: None }
    }
}

impl From<&Seen> for Answer {
    fn from(seen: &Seen) -> Answer {
        let text = match &seen.body {
            Body::Other(text) => Some(text.clone()),
            Body::Empty | Body::Json(_) => None,
        };
        let (status, code) = (seen.status, seen.code().map(str::to_owned));
        Answer { status, code, body: seen.told(), text }
    }
}

impl From<&Arrival> for DeliveryReport {
    fn from(arrival: &Arrival) -> DeliveryReport {
        let body = arrival.body.json().unwrap_or(&Value::Null);
        let event = body["type"].as_str().unwrap_or("no event").to_owned();
        DeliveryReport { event, path: arrival.path.clone(), answered: arrival.status }
    }
}

fn latency(summary: &Summary) -> Vec<LatencyReport> {
    let each = summary.latencies.each().map(|(kind, latency)| LatencyReport {
        operation: format!("{} {}", kind.method(), kind.path()),
        count: latency.count as u64,
        median: latency.median.into(),
        percentile95: latency.percentile95.into(),
        max: latency.max.into(),
    });
    each.collect()
}

impl Run<'_> {
    /// Those that should be reached and were not are told as well, but for races: they are about few.
    fn states(&self) -> Vec<StateGroup> {
        let is_told = |(_, times): &(String, u64)| *times > 0 || self.races.is_none();
        let group = |group: Group| StateGroup {
            title: group.title().to_owned(),
            states: {
                let states = self.summary.coverage.of(group).into_iter().filter(is_told);
                states.map(|(name, times)| State { name, times }).collect()
            },
        };
        Group::ALL.map(group).into_iter().filter(|group| !group.states.is_empty()).collect()
    }
}
