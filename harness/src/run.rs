//! A run: steps played against a target, each answer looked at by every check.

use std::borrow::Cow;
use std::mem::take;
use std::time::{Duration, Instant};

use tideover_model::{Clause, Code, OperationKind, PlatformId, Seeded, Service, Timestamp, bearer};

use crate::checks::{Checks, Exchange, Inside, Notes};
use crate::coverage::Coverage;
use crate::finding::{Finding, Verdict};
use crate::foretold::{Case, Oracle};
use crate::inbox::Arrival;
use crate::judge::{Before, Belief, Explanation, Outside, Point, has_failed};
use crate::learn::{Gaps, Lessons, Replaced};
use crate::matcher::{Mismatch, mismatches};
use crate::step::{Memory, Step};
use crate::tally::Tally;
use crate::target::{
    Answer, Applied, Bare, INBOX, NO_INBOX, Prepared, Seen, Target, Unanswered, Unreachable,
    service,
};
use crate::transcript::Header;

/// What came of a run.
#[derive(Clone, Debug, Default)]
pub struct Played {
    /// When each step was played and what was answered, if an answer came.
    pub answers: Vec<(Timestamp, Option<Seen>)>,
    /// How often each clause was met.
    pub met: Tally,
    /// What was reached.
    pub coverage: Coverage,
    /// What came to the inbox, with the index of the step that it came with.
    pub arrivals: Vec<(usize, Arrival)>,
    /// How long the answers to requests took, where that says something of the target.
    pub latencies: Vec<(OperationKind, Duration)>,
    /// The findings of the last step: a run ends with the first step that has any.
    pub findings: Vec<Finding>,
    /// What ends no run: what stalls, and what nothing could be concluded from, with the index of the step that
    /// showed it.
    pub noticed: Vec<(usize, Finding)>,
    /// What was seen where the document is silent, of a target whose choices are its own.
    pub gaps: Gaps,
    /// The listed codes in whose place others came.
    pub replaced: Replaced,
    /// What its answers tell of its choices.
    pub lessons: Lessons,
    /// Requests that were not answered.
    pub unanswered: u64,
    /// Where an answer was not what the transcript expects, by the index of the step.
    pub mismatches: Vec<(usize, Mismatch)>,
}

impl Played {
    /// Whether nothing was found and every expectation held.
    pub fn held(&self) -> bool {
        self.findings.is_empty() && self.mismatches.is_empty()
    }
}

impl Played {
    /// Learns what an exchange tells of a target's choices; notices what stalls, and what nothing is concluded
    /// from.
    fn learn(&mut self, exchange: &Exchange<'_>, belief: &Belief, open_points: Vec<Point>) {
        self.lessons.observe(exchange, belief);
        let overdue = self.lessons.overdue(exchange, belief.profile());
        let open_points = open_points.into_iter().map(|point| (Verdict::Inconclusive, point));
        let overdue = overdue.into_iter().map(|point| (Verdict::Stalled, point));
        let at = self.answers.len();
        self.noticed.extend(open_points.chain(overdue).map(|(verdict, point)| {
            let Point { clause, field, expected, seen, .. } = point;
            let finding = Finding::new(clause, exchange.operation(), field, expected, seen);
            (at, Finding { verdict, ..finding })
        }));
    }
}

/// A target, as far as it lets itself be looked into.
pub trait Observed: Target {
    /// Whether the time that it takes to answer says something of it.
    const TIMED: bool = true;

    /// The answer to the step that was sent last as it was written down, if that can be seen.
    fn answered(&self) -> Option<&Answer> {
        None
    }

    /// What can be seen of it, after the step that was sent last; nothing where it is not in process.
    fn inside(&mut self) -> Option<Inside> {
        None
    }

    /// What is known of it.
    fn standing(&mut self) -> Standing {
        Standing::Known
    }
}

/// What is known of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// All of it: it starts in the world of the header, and its choices are those of the header's seed.
    Known,
    /// What it chooses, and what happens to it, only its answers tell.
    Foreign {
        /// Who moves the world outside.
        outside: Outside,
        /// What of that which the run names may have been there before.
        before: Before,
        /// What its clock shows, or ours where that is not told.
        now: Timestamp,
        /// How that is known.
        clock: Clock,
    },
}

/// How it is known what the clock of a target shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// It is told.
    Told,
    /// It was told, and somebody else may have moved it since.
    Kept,
    /// It may be ahead of ours, or behind, until an answer tells a time.
    Guessed,
}

impl<F> Observed for Bare<F>
where
    F: tideover_model::Face + std::hash::Hash,
{
    const TIMED: bool = false;

    fn answered(&self) -> Option<&Answer> {
        Bare::answered(self)
    }

    fn inside(&mut self) -> Option<Inside> {
        let changed = self.has_changed();
        Some(Inside { changed, audit: self.face().audit() })
    }
}

impl Observed for crate::target::Http {}

/// Plays `steps` against `target`, which is in the world of `header` and has played nothing yet.
///
/// # Errors
/// [`Unreachable`] if the target does not answer.
pub async fn play<T: Observed>(
    target: &mut T,
    header: &Header,
    steps: &[Step],
) -> Result<Played, Unreachable> {
    let shadow = Shadow::of(header, target);
    Run::new(target, shadow).play(target, steps).await
}

/// Plays the steps of `case`, which was made for `header`, in the same way.
///
/// # Errors
/// [`Unreachable`] if the target does not answer.
pub async fn play_case<T: Observed>(
    target: &mut T,
    header: &Header,
    case: &Case,
) -> Result<Played, Unreachable> {
    let in_its_world = target.standing() == Standing::Known
        && target.api_key() == Service::FIRST_KEY
        && (target.inbox() == Some(INBOX) || !case.tells_of_inbox());
    let shadow = match case.walked() {
        Some(walked) if in_its_world => Shadow::Known(Oracle::walked(walked, header.start)),
        _ => Shadow::of(header, target),
    };
    Run::new(target, shadow).play(target, &case.steps).await
}

/// What comes of sending, and how long it took.
async fn timed<T: Observed>(
    sending: impl Future<Output = Result<Seen, Unanswered>>,
) -> (Result<Seen, Unanswered>, Option<Duration>) {
    let began = T::TIMED.then(Instant::now);
    (sending.await, began.map(|began| began.elapsed()))
}

struct Run<'a> {
    shadow: Shadow<'a>,
    memory: Memory,
    checks: Checks,
    played: Played,
}

/// What the model says of the same steps.
enum Shadow<'a> {
    /// One world, in which the target is, too.
    Known(Oracle<'a>),
    /// Those that the target may be in.
    Believed(Box<Belief>),
}

/// Listens to what is sent to a target that nothing is known of, and judges it.
pub(crate) struct Listener {
    run: Run<'static>,
}

impl Listener {
    /// A target that takes the keys of the `accepted` headers, and may send webhooks to `inbox`.
    pub(crate) fn new(
        header: &Header,
        accepted: &[String],
        inbox: Option<&str>,
        (outside, before): (Outside, Before),
    ) -> Listener {
        let mut keys = accepted.iter().filter_map(|header| bearer(header));
        let first = keys.next().unwrap_or(Service::FIRST_KEY);
        let profile = header.profile.clone();
        let inbox = inbox.map_or_else(|| NO_INBOX.to_owned(), origin);
        let mut belief = Belief::new(profile, &inbox, first, header.start, outside, before);
        belief.introduce(keys);
        // Whoever recorded it need not have the target's time.
        belief.forget_clock();
        let run = Run {
            shadow: Shadow::Believed(Box::new(belief)),
            memory: Memory::default(),
            checks: Checks::of_foreign(outside),
            played: Played::default(),
        };
        Listener { run }
    }

    /// What is found in an answer, or in that there is none.
    pub(crate) fn listen(
        &mut self,
        sent: &Prepared,
        seen: Option<&Seen>,
        since: Timestamp,
        now: Timestamp,
    ) -> Vec<Finding> {
        let Shadow::Believed(belief) = &mut self.run.shadow else { return Vec::new() };
        let Some(seen) = seen else {
            belief.unanswered(sent, since);
            self.run.checks.miss(sent);
            self.run.played.unanswered += 1;
            self.run.played.answers.push((since, None));
            return Vec::new();
        };
        let prediction = Prediction::believed(belief, sent, seen, since, now);
        let (sent, seen) = (sent.clone(), seen.clone());
        let sent = Cow::Owned(sent);
        let heard = Heard { sent, seen, arrivals: Vec::new(), inside: None };
        self.run.judge(&heard, prediction, None);
        self.run.played.answers.push((now, Some(heard.seen)));
        std::mem::take(&mut self.run.played.findings)
    }

    /// All that was heard.
    pub(crate) fn conclude(mut self) -> Played {
        if let Shadow::Believed(belief) = &self.run.shadow {
            self.run.played.lessons.conclude(belief);
        }
        self.run.played
    }
}

impl Prediction<'_> {
    /// What the worlds say that a target may be in.
    fn believed(
        belief: &mut Belief,
        sent: &Prepared,
        seen: &Seen,
        since: Timestamp,
        now: Timestamp,
    ) -> Prediction<'static> {
        let Explanation { predicted, refusal, platform, mut points, due, inconclusive } =
            belief.observe(sent, seen, now);
        let open_points = if inconclusive {
            points.extract_if(.., |point| point.contradicts()).collect()
        } else {
            Vec::new()
        };
        let (arrivals, unsettled) = (Cow::default(), belief.is_unsettled());
        let ahead = belief.ahead();
        Prediction {
            ahead,
            predicted,
            refusal,
            platform,
            unsettled,
            open_points,
            since,
            now,
            arrivals,
            points,
            due,
        }
    }
}

/// What was sent, and all that came of it.
struct Heard<'a> {
    sent: Cow<'a, Prepared>,
    seen: Seen,
    arrivals: Vec<Arrival>,
    inside: Option<Inside>,
}

/// What the model says of a step.
struct Prediction<'a> {
    predicted: Seen,
    refusal: Option<(Code, Clause)>,
    platform: Option<PlatformId>,
    unsettled: bool,
    /// What contradicts the document, unless a world was forgotten that explains it.
    open_points: Vec<Point>,
    since: Timestamp,
    now: Timestamp,
    ahead: Option<i64>,
    arrivals: Cow<'a, [Arrival]>,
    /// How what was seen compares, where the model was looked up by it.
    points: Vec<Point>,
    /// The listed code that was due where one came that isn't listed.
    due: Option<Code>,
}

impl<'a> Shadow<'a> {
    fn of<T: Observed>(header: &Header, target: &mut T) -> Shadow<'a> {
        let inbox = target.inbox().map(str::to_owned);
        match target.standing() {
            Standing::Known => {
                let shadow = match inbox {
                    None => Service::new(header.profile.clone(), Seeded { seed: header.seed }),
                    Some(origin) => service(header.profile.clone(), header.seed, &origin),
                };
                let memory = (target.api_key() != Service::FIRST_KEY).then(|| target.memory());
                Shadow::Known(Oracle::playing(Bare::over(shadow, header.start), memory))
            }
            Standing::Foreign { outside, before, now, clock } => {
                let inbox = inbox.as_deref().map_or_else(|| NO_INBOX.to_owned(), origin);
                let (profile, key) = (header.profile.clone(), target.api_key());
                let mut belief = Belief::new(profile, &inbox, key, now, outside, before);
                if clock == Clock::Guessed {
                    belief.forget_clock();
                }
                Shadow::Believed(Box::new(belief))
            }
        }
    }

    /// What the model says of `step`, of which `sent` was sent and `seen` was answered.
    fn observe<T: Observed>(
        &mut self,
        target: &mut T,
        (index, step): (usize, &Step),
        sent: &Prepared,
        seen: &Seen,
        since: Timestamp,
    ) -> Prediction<'a> {
        match self {
            Shadow::Known(oracle) => {
                let foretold = oracle.foretell(index, step, sent);
                // What was answered in the same bytes is read once.
                let is_same = target.answered() == Some(&foretold.answer);
                let predicted = if is_same { seen.clone() } else { foretold.answer.read() };
                Prediction {
                    predicted,
                    refusal: foretold.refusal,
                    platform: foretold.platform,
                    unsettled: false,
                    open_points: Vec::new(),
                    since,
                    now: foretold.now,
                    ahead: Some(0),
                    arrivals: match foretold {
                        Cow::Borrowed(foretold) => Cow::Borrowed(&foretold.arrivals),
                        Cow::Owned(foretold) => Cow::Owned(foretold.arrivals),
                    },
                    points: Vec::new(),
                    due: None,
                }
            }
            Shadow::Believed(belief) => {
                let (now, clock) = clock_of(target).unwrap_or((since, Clock::Told));
                belief.loosen_clock(clock != Clock::Told);
                Prediction::believed(belief, sent, seen, since, now)
            }
        }
    }

    /// What the clock of the target shows.
    fn now<T: Observed>(&self, target: &mut T) -> Timestamp {
        match self {
            Shadow::Known(oracle) => oracle.now(),
            Shadow::Believed(_) => {
                clock_of(target).map_or_else(crate::target::start, |(now, _)| now)
            }
        }
    }
}

/// Scheme, host and port of a URL.
pub(crate) fn origin(url: &str) -> String {
    url::Url::parse(url).map_or_else(|_| url.to_owned(), |url| url.origin().ascii_serialization())
}

fn clock_of<T: Observed>(target: &mut T) -> Option<(Timestamp, Clock)> {
    match target.standing() {
        Standing::Known => None,
        Standing::Foreign { now, clock, .. } => Some((now, clock)),
    }
}

impl<'a> Run<'a> {
    fn new<T: Observed>(target: &T, shadow: Shadow<'a>) -> Run<'a> {
        let checks = match &shadow {
            Shadow::Known(_) => Checks::of_known(),
            Shadow::Believed(belief) => Checks::of_foreign(belief.outside()),
        };
        Run { shadow, memory: target.memory(), checks, played: Played::default() }
    }

    async fn play<T: Observed>(
        mut self,
        target: &mut T,
        steps: &[Step],
    ) -> Result<Played, Unreachable> {
        for (index, step) in steps.iter().enumerate() {
            match self.step(target, index, step).await {
                Ok(()) => {}
                Err(unanswered) if unanswered.is_last => return Err(unanswered.into()),
                // Nothing can be predicted after it.
                Err(_) => break,
            }
            if !self.played.findings.is_empty() {
                break;
            }
        }
        if let Shadow::Believed(belief) = &self.shadow {
            for point in self.played.lessons.events().filter(|_| target.inbox().is_some()) {
                self.played.gaps.record("webhooks", None, &point);
            }
            self.played.lessons.conclude(belief);
        }
        Ok(self.played)
    }

    /// `step` as it is sent.
    fn prepare<T: Observed>(&self, target: &T, index: usize, step: &Step) -> Cow<'a, Prepared> {
        let prepared = match &self.shadow {
            Shadow::Known(oracle) => oracle.prepared(index),
            Shadow::Believed(_) => None,
        };
        let from_step = || Prepared::from_step(step, &self.memory, target.api_key());
        prepared.map_or_else(|| Cow::Owned(from_step()), Cow::Borrowed)
    }

    /// Keeps the answer to `step`, which later ones may refer to.
    fn keep(&mut self, step: &Step, predicted: &Seen, seen: &Seen) {
        if let Shadow::Known(oracle) = &mut self.shadow {
            oracle.keep(step, predicted, seen, &self.memory);
        }
        self.memory.keep(step, seen.json());
    }

    async fn step<T: Observed>(
        &mut self,
        target: &mut T,
        index: usize,
        step: &Step,
    ) -> Result<(), Unanswered> {
        let sent = self.prepare(target, index, step);
        let since = self.shadow.now(target);
        let (answered, took) = timed::<T>(target.send(&sent)).await;
        let seen = match (answered, &mut self.shadow) {
            (Ok(seen), _) => seen,
            (Err(unanswered), Shadow::Believed(belief)) if !unanswered.is_last => {
                if unanswered.applied == Applied::MayBe {
                    belief.unanswered(&sent, since);
                    self.checks.miss(&sent);
                }
                self.played.unanswered += 1;
                self.played.answers.push((since, None));
                return Ok(());
            }
            (Err(unanswered), _) => return Err(unanswered),
        };
        let arrivals = target.arrivals().await?;
        let prediction = self.shadow.observe(target, (index, step), &sent, &seen, since);
        self.keep(step, &prediction.predicted, &seen);
        let inside = target.inside();
        let now = prediction.now;
        let heard = Heard { sent, seen, arrivals, inside };
        self.judge(&heard, prediction, took);
        let Heard { seen, arrivals, .. } = heard;
        self.expect(index, step, &seen);
        self.played.answers.push((now, Some(seen)));
        self.played.arrivals.extend(arrivals.into_iter().map(|arrival| (index, arrival)));
        Ok(())
    }

    /// Holds what was heard against what the model says of it, and against every check.
    fn judge(&mut self, heard: &Heard<'_>, prediction: Prediction<'_>, took: Option<Duration>) {
        let exchange = Exchange {
            sent: &heard.sent,
            seen: &heard.seen,
            predicted: &prediction.predicted,
            predicted_refusal: prediction.refusal,
            platform: prediction.platform,
            unsettled: prediction.unsettled,
            since: prediction.since,
            now: prediction.now,
            ahead: prediction.ahead,
            arrivals: &heard.arrivals,
            predicted_arrivals: &prediction.arrivals,
            inside: heard.inside.as_ref(),
        };
        if let Some(due) = prediction.due {
            self.played.replaced.record(due, &heard.seen);
        }
        let mut notes = Notes { met: take(&mut self.played.met), ..Notes::default() };
        for point in prediction.points {
            notes.judge(&exchange, point);
        }
        self.checks.observe(&exchange, &mut notes);
        if let Shadow::Believed(belief) = &self.shadow {
            if has_failed(&heard.sent, &heard.seen) {
                self.checks.miss(&heard.sent);
            }
            self.played.learn(&exchange, belief, prediction.open_points);
            let at = self.played.answers.len();
            self.played
                .noticed
                .extend(notes.excuse(&exchange).into_iter().map(|found| (at, found)));
            self.played.gaps.add(&notes.gaps);
        }
        self.played.coverage.record(&exchange);
        self.played.latencies.extend(exchange.kind().zip(took));
        self.played.met = notes.met;
        // What is made small is the worst of them.
        notes.findings.sort_by_key(|finding| finding.verdict);
        self.played.findings = notes.findings;
    }

    /// Holds an answer against what a hand-written transcript expects.
    fn expect(&mut self, index: usize, step: &Step, seen: &Seen) {
        let Some(expect) = &step.expect else { return };
        if expect.status != seen.status {
            let mismatch = Mismatch {
                field: "status".into(),
                expected: expect.status.to_string(),
                seen: serde_json::to_string(seen).unwrap_or_default(),
            };
            self.played.mismatches.push((index, mismatch));
        }
        if let Some(body) = expect.body.as_ref().filter(|body| !body.is_null()) {
            let expected = self.memory.resolve_value(body);
            let found = mismatches(&expected, seen.json());
            self.played.mismatches.extend(found.into_iter().map(|mismatch| (index, mismatch)));
        }
    }
}
