//! Makes the report of a run.

mod clauses;
mod conduct;
mod findings;
mod headline;

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::Value;
use sha2::{Digest, Sha256};
use tideover_exchange::evidence::coverage::Group;
use tideover_exchange::evidence::matrix::{Asked, Kind};
use tideover_exchange::evidence::outcome::Demands;
use tideover_exchange::evidence::{Activity, Ending, Reached, Shard, Spent};
use tideover_exchange::transcript::FindingName;
use tideover_judge::checks::registry::Needs;
use tideover_live::unasked::{LeftOut, Unasked, Why};
use tideover_model::{Clause, Code, Reading, Timestamp, clause};
use tideover_suite::play::cases::{Plan, Summary};
use tideover_suite::play::concurrent::Parts;
use tideover_suite::play::learn::Learned;
use tideover_suite::play::regressions::{Revisited, Standing};

pub use conduct::Judges;

use crate::baseline::Baseline;
pub(crate) use crate::compose::clauses::{extent, untried};
pub(crate) use crate::compose::headline::Conclusion;
use crate::document::{
    AskedInState, FindingReport, GapReport, Known, LatencyReport, RacesReport, ReachedReport,
    RefusedInState, RegressionReport, RegressionStanding, Report, SeenValue, ShapeReport,
    ShownField, Span, State, StateGroup, StateMatrix, TimeReport, UnaskedClause, UnaskedReport,
    UnexplainedPart, VERSION,
};
use crate::figures::counted;

/// A run, as input of its report.
pub struct FinishedRun<'a> {
    /// The command: `check`, `judge` or `watch`.
    pub command: &'static str,
    pub plan: &'a Plan,
    /// The part of the run that the plan is.
    pub shard: Shard,
    pub summary: &'a Summary,
    pub target: &'a str,
    pub offers: &'a [Needs],
    /// What the options give, and nothing has shown to work: clauses that need it are in reach.
    pub unproven: &'a [Needs],
    pub finished: Timestamp,
    pub took: Duration,
    /// The replay commands of the findings that have steps, in order.
    pub replay: &'a [String],
    pub baseline: Option<&'a Baseline>,
    /// The findings that earlier runs have kept, and whether each still shows.
    pub regressions: &'a [Revisited],
    /// Why it ended early, if it did, with the reason in words.
    pub ended: Option<(Ending, String)>,
    /// What the run left behind in the target.
    pub left_behind: &'a [String],
    /// The steps that could not be judged, because the state before them is unknown.
    pub unjudged: u64,
    /// The generated requests that were not sent, if any were left out.
    pub unasked: Option<&'a Unasked>,
    /// The number of racing clients, and the conclusions about their order.
    pub races: Option<(usize, &'a Parts)>,
    /// Whether only races were planned.
    pub only_races: bool,
    pub demands: &'a Demands,
}

impl FinishedRun<'_> {
    pub fn report(&self) -> Report {
        let FinishedRun { plan, summary, target, took, baseline, .. } = self;
        let milliseconds = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        let clauses: Vec<_> = Clause::all().map(|clause| self.clause(clause)).collect();
        let findings = self.findings();
        let extent = extent(&clauses, self.reads_only());
        let ending = self.ending();
        let conclusion = Conclusion {
            findings: &findings,
            extent,
            ending,
            ended_because: self.ended.as_ref().map(|(_, why)| &**why),
            open_parts: self.races().map_or(0, |parts| parts.open()),
            judged: summary.steps.saturating_sub(self.unjudged),
            demands: self.demands,
        };
        let outcome = conclusion.outcome();
        let mut report = Report {
            version: VERSION,
            tideover: env!("CARGO_PKG_VERSION").to_owned(),
            command: self.command.to_owned(),
            began: self.finished.before_milliseconds(milliseconds),
            target: (*target).to_owned(),
            seed: (!self.is_recorded()).then_some(plan.header.seed),
            shards: vec![self.shard],
            plan: planned(plan),
            hash: String::new(),
            cases: summary.cases,
            cases_left: plan.cases.saturating_sub(summary.cases),
            steps: summary.steps,
            milliseconds,
            outcome,
            headline: conclusion.headline(outcome),
            extent,
            untried: untried(&clauses),
            fail_on: self.demands.fail_on.clone(),
            ending,
            ended_because: self.ended.as_ref().map(|(_, why)| why.clone()),
            warnings: self.warnings(),
            gone: baseline.map(|known| known.without(&findings)).unwrap_or_default(),
            regressions: self.regressions.iter().map(RegressionReport::of).collect(),
            clauses,
            findings,
            gaps: self.gaps(),
            shapes: self.shapes(),
            latency: latency(summary),
            time: summary.effort.spent.iter().map(TimeReport::of).collect(),
            workers: summary.effort.workers.max(1) as u64,
            reached: summary.effort.reached.iter().map(ReachedReport::of).collect(),
            states: self.states(),
            state_matrix: self.state_matrix(),
            races: self.races.map(|(clients, parts)| RacesReport::of(clients, parts)),
            left_behind: self.left_behind.to_vec(),
            unasked: self.unasked(),
            conduct: Vec::new(),
        };
        report.hash = report.hashed();
        report
    }

    /// The findings with steps first, each with the command that replays it.
    fn findings(&self) -> Vec<FindingReport> {
        let FinishedRun { summary, baseline, .. } = self;
        let failures = summary.failures.iter().map(FindingReport::of);
        let noticed = summary.noticed.values();
        let noticed = noticed.map(|noticed| FindingReport::noticed(noticed, self.is_recorded()));
        let mut findings: Vec<_> = failures.chain(noticed).collect();
        let shown = findings.iter_mut().filter(|finding| !finding.steps.is_empty());
        for (finding, replay) in shown.zip(self.replay) {
            finding.replay = Some(replay.clone());
        }
        for finding in &mut findings {
            finding.known = baseline.is_some_and(|known| known.has(&finding.fingerprint));
        }
        findings
    }

    /// Whether others sent the requests: then the run has no seed, and no option of it reaches more.
    fn is_recorded(&self) -> bool {
        matches!(self.command, "judge" | "watch")
    }

    /// The conclusions about the races, if only races were planned.
    fn races(&self) -> Option<&Parts> {
        let (_, parts) = self.races?;
        self.only_races.then_some(parts)
    }

    /// The requests that were left out, by reason, with the clauses that they would have met.
    fn unasked(&self) -> Vec<UnaskedReport> {
        let met = |clause| self.summary.met.times(clause) > 0;
        let of = |(why, left_out): (Why, &LeftOut)| UnaskedReport {
            because: why.to_string(),
            requests: left_out.requests,
            clauses: left_out
                .clauses
                .iter()
                .filter(|(clause, _)| matches!(clause.kind(), clause::Kind::Documented))
                .map(|(clause, requests)| UnaskedClause {
                    clause: clause.name().to_owned(),
                    requests,
                    met: met(clause),
                })
                .collect(),
        };
        self.unasked.into_iter().flat_map(Unasked::iter).map(of).collect()
    }

    /// Why the run ended. A case that was cut short counts as interrupted, unless the run knows the reason.
    fn ending(&self) -> Ending {
        match (self.summary.ending, &self.ended) {
            (Ending::Interrupted, Some((ended, _))) => *ended,
            (ending, _) => ending,
        }
    }

    fn warnings(&self) -> Vec<String> {
        let left = self.plan.cases.saturating_sub(self.summary.cases);
        let mut warnings = Vec::new();
        match self.ending() {
            Ending::Interrupted => {
                warnings.push(format!("interrupted: {} not played", counted(left, "case")));
            }
            Ending::EnoughFound if left > 0 => warnings.push(format!(
                "ended, because enough was found (--max-findings): {} not played",
                counted(left, "case")
            )),
            Ending::EnoughFound | Ending::Spent | Ending::GivenUp | Ending::Complete => {}
        }
        // That the budget is spent is no surprise.
        let surprising = self.ended.iter().filter(|(ending, _)| *ending != Ending::Spent);
        warnings.extend(surprising.map(|(_, why)| format!("ended early: {why}")));
        match self.races() {
            Some(_) if self.summary.cases == 0 => {
                warnings.push("no race came to its end".to_owned());
            }
            Some(parts) if parts.open() > 0 => warnings.push(format!(
                "nothing could be concluded about {}; fewer --steps or another --concurrency may help",
                counted(parts.open(), "part")
            )),
            Some(_) | None => {}
        }
        if self.summary.unanswered > 0 {
            warnings.push(format!("{} not answered", counted(self.summary.unanswered, "request")));
        }
        if let [first, ..] = self.summary.unsent.as_slice() {
            let unsent = counted(self.summary.unsent.len() as u64, "request");
            let first = first.strip_prefix("not sent: ").unwrap_or(first);
            warnings.push(format!("{unsent} not sent, the first because {first}"));
        }
        warnings
    }
}

impl FinishedRun<'_> {
    /// The gaps: observed values, and ranges that many responses narrow.
    fn gaps(&self) -> Vec<GapReport> {
        let listed = self.summary.gaps.all().map(|gap| GapReport {
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
            spans: Vec::new(),
        });
        let known = &self.plan.header.profile;
        let Learned { lessons, spans, .. } = self.summary.lessons.learned(known);
        let spans_of = |field: &str| {
            let spans = spans.get(field).into_iter().flatten();
            spans.map(|span| Span { least: span.min, most: span.max }).collect()
        };
        let narrowed = lessons.into_iter().filter_map(|(field, lesson)| {
            let clause = clause_of(&field)?;
            Some(GapReport {
                clause: clause.name().to_owned(),
                wording: clause.wording().to_owned(),
                assumed: assumed(known, &field),
                constant: true,
                spans: spans_of(&field),
                place: field,
                seen: vec![SeenValue { value: lesson, times: None }],
            })
        });
        listed.chain(narrowed).collect()
    }
}

impl FinishedRun<'_> {
    /// The fields that responses and events have shown, where they are not known.
    fn shapes(&self) -> Vec<ShapeReport> {
        let all = self.summary.shapes.all().map(|(of, shape)| ShapeReport {
            of: of.to_owned(),
            bodies: shape.bodies,
            fields: {
                let fields = shape.fields.iter();
                fields
                    .map(|(name, forms)| ShownField { name: name.clone(), forms: forms.clone() })
                    .collect()
            },
        });
        all.collect()
    }
}

impl RegressionReport {
    fn of(revisited: &Revisited) -> RegressionReport {
        let Revisited { file, finding, standing, reproduced, .. } = revisited;
        let FindingName { fingerprint, clause, operation, field } = finding.clone();
        let (standing, why) = match standing {
            Standing::StillThere => (RegressionStanding::StillThere, None),
            Standing::Gone => (RegressionStanding::Gone, None),
            Standing::NotPlayed(why) => (RegressionStanding::NotPlayed, Some(why.clone())),
        };
        RegressionReport {
            file: file.clone(),
            finding: Known { fingerprint, clause, operation, field },
            standing,
            why,
            reproduced: *reproduced,
        }
    }
}

impl RacesReport {
    fn of(clients: usize, parts: &Parts) -> RacesReport {
        let Parts { races, explained, undecided, inconclusive, contradicted, unexplained, unknown } =
            parts;
        let parts = unexplained.iter();
        RacesReport {
            races: *races,
            clients: clients as u64,
            unknown: *unknown,
            explained: *explained,
            undecided: *undecided,
            inconclusive: *inconclusive,
            contradicted: *contradicted,
            unexplained: parts
                .map(|one| UnexplainedPart { case: one.case, words: one.words.clone() })
                .collect(),
        }
    }
}

/// What parts of one run have in common of their plans.
fn planned(plan: &Plan) -> String {
    let profile = serde_json::to_vec(&plan.header.profile).unwrap_or_default();
    let profile = const_hex::encode(&Sha256::digest(&profile)[..4]);
    format!("{} steps a case, profile {profile}", plan.steps)
}

/// The assumption behind a field of the profile, if its values are not listed already.
fn clause_of(field: &str) -> Option<Clause> {
    let (key, rest) = field.split_once('.').unwrap_or((field, ""));
    if let Some(reading) = Reading::of_field(field) {
        return Some(reading.clause());
    }
    let varies = |clause: &Clause| clause.kind().profile_key() == Some(key);
    let is_named = |clause: &Clause| clause.name().strip_prefix("gap.") == Some(rest);
    let clauses = || Clause::all().filter(varies);
    clauses().find(is_named).or_else(|| clauses().next()).filter(|_| !is_status(key))
}

/// Whether the values of a profile key are listed already: statuses are.
fn is_status(key: &str) -> bool {
    matches!(key, "success" | "refusals")
}

/// The value of a profile field, by its path.
fn assumed(profile: &tideover_model::Profile, field: &str) -> String {
    if let Some(reading) = Reading::of_field(field) {
        return profile.readings.get(reading).to_string();
    }
    let profile = serde_json::to_value(profile).unwrap_or_default();
    let value = field.split('.').try_fold(&profile, |value, part| value.get(part));
    value.map(Value::to_string).unwrap_or_default()
}

impl TimeReport {
    fn of((activity, spent): (Activity, Spent)) -> TimeReport {
        TimeReport {
            activity: activity.words().to_owned(),
            times: spent.times,
            milliseconds: u64::try_from(spent.took.as_millis()).unwrap_or(u64::MAX),
        }
    }
}

impl ReachedReport {
    fn of(reached: &Reached) -> ReachedReport {
        let Reached { requests, milliseconds, clauses } = *reached;
        ReachedReport { requests, milliseconds, clauses: clauses as u64 }
    }
}

/// The codes with which a request was refused in one state.
fn refusals((asked, codes): (&Asked, &BTreeSet<Code>)) -> impl Iterator<Item = RefusedInState> {
    let request = asked.to_string();
    let refusal =
        move |code: Code| RefusedInState { code: code.name().to_owned(), request: request.clone() };
    codes.iter().copied().map(refusal)
}

fn latency(summary: &Summary) -> Vec<LatencyReport> {
    let each = summary.latencies.each().map(|(kind, latency)| LatencyReport {
        operation: kind.to_string(),
        count: latency.count as u64,
        median: latency.median.into(),
        percentile95: latency.percentile95.into(),
        max: latency.max.into(),
    });
    each.collect()
}

impl FinishedRun<'_> {
    /// The states by group. Unreached states are listed too, except for races, which can reach only a few.
    fn states(&self) -> Vec<StateGroup> {
        let is_listed = |(_, times): &(String, u64)| *times > 0 || self.races().is_none();
        let group = |group: Group| StateGroup {
            title: group.title().to_owned(),
            states: {
                let states = self.summary.coverage.of(group).into_iter().filter(is_listed);
                states.map(|(name, times)| State { name, times }).collect()
            },
        };
        let has_names = |group: &Group| group.is_documented() || self.reached_any(*group);
        let groups = Group::ALL.into_iter().filter(has_names).map(group);
        groups.filter(|group| !group.states.is_empty()).collect()
    }

    /// What was asked of each kind of which a state was seen.
    fn state_matrix(&self) -> Vec<StateMatrix> {
        let matrix = self.summary.coverage.matrix();
        let of = |kind: Kind| {
            let asked = matrix.of(kind).map(|(state, answers)| AskedInState {
                state: state.to_owned(),
                requests: answers.keys().map(ToString::to_string).collect(),
                refusals: answers.iter().flat_map(refusals).collect(),
            });
            StateMatrix::of(kind.name(), kind.states(), asked.collect())
        };
        Kind::ALL.into_iter().map(of).filter(|matrix| matrix.states > 0).collect()
    }

    fn reached_any(&self, group: Group) -> bool {
        self.summary.coverage.of(group).iter().any(|(_, times)| *times > 0)
    }
}
