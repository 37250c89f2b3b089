//! `tideover check --target`: the suite against an endpoint that is not ours.

mod course;
mod headers;
mod options;
mod replay;
mod terms;

use std::fmt;
use std::num::NonZeroU32;
use std::rc::Rc;
use std::time::Instant;

use serde_json::json;

use crate::cli::live::course::{End, to_the_end};
use crate::cli::progress::Progress;
use crate::cli::steps::print_steps;
use crate::cli::{Held, Output, Problem, wrong};
use crate::endpoint::{inbox, wall_time};
use crate::evidence;
use crate::exchange::secrets::Secrets;
use crate::exchange::transcript::{Endpoint, Header};
use crate::generate;
use crate::judge::checks::registry::Needs;
use crate::live::session::{Abilities, Ending, Session};
use crate::live::settings::{Budget, Settings};
use crate::live::target::LiveWorld;
use crate::live::unasked::Unasked;
use crate::live::{LIVE_STEPS, Vocabulary, live_case};
use crate::play::cases::{Failure, Plan, Suite, Summary};
use crate::play::concurrent;
use crate::play::concurrent::Races;
use crate::play::learn::{Lessons, Stated};
use crate::report::{Baseline, Report, Run};

pub(super) use options::LiveOptions;
pub(super) use replay::Replayed;

/// How many cases are played by default.
const CASES: u64 = 20;

/// How many there are for a sandbox: the budget ends them before.
const SANDBOX_CASES: u64 = 400;

/// The races of a sandbox, by so many clients: about a tenth of its budget, and each kind of race once.
const SANDBOX_RACES: u64 = 6;
const SANDBOX_RACE_STEPS: u64 = 24;
const SANDBOX_CLIENTS: usize = 4;

/// Writes a report and what was learned, as far as that is asked for; whether all has held.
type Conclude<'a> = dyn Fn(&Report, &Lessons) -> Result<Held, Problem> + 'a;

/// Writes down what can be played again, and says how to replay it.
type Keep<'a> = dyn Fn(&Summary, &Secrets) -> Result<Vec<String>, Problem> + 'a;

/// What a check against a live endpoint is asked for besides its own options.
pub(super) struct Asked<'a> {
    pub(super) output: &'a Output,
    pub(super) seed: u64,
    /// The profile that the target must keep, where the document is silent.
    pub(super) stated: Stated,
    pub(super) first: u64,
    pub(super) cases: Option<u64>,
    pub(super) steps: Option<u64>,
    pub(super) max_findings: usize,
    /// How many clients send at once, if races are asked for.
    pub(super) clients: Option<NonZeroU32>,
    /// Whether to print the steps and send nothing.
    pub(super) print_steps: bool,
    /// Writes down what can be played again, and says how to replay it.
    pub(super) keep: &'a Keep<'a>,
    /// Says how to run the race of a failure again.
    pub(super) race_again: &'a dyn Fn(&Failure, u64) -> String,
    /// Whether a run that came to such an end has held.
    pub(super) conclude: &'a Conclude<'a>,
    /// What is known.
    pub(super) baseline: Option<Baseline>,
}

/// What came of a run.
struct Outcome {
    /// What came of the cases that were played one after the other.
    summary: Summary,
    /// What came of the races, if there were any.
    raced: Option<concurrent::Summary>,
    end: End,
    /// What the target was not asked, and why.
    unasked: Unasked,
    secrets: Secrets,
}

impl LiveOptions {
    /// Plays against the target, and cleans up whatever happens.
    pub(super) async fn run(self, asked: Asked<'_>) -> Result<Held, Problem> {
        let again = self.again();
        let options = self.with_file()?;
        let at_once = asked.clients.unwrap_or(NonZeroU32::MIN);
        let settings = Settings { at_once, ..options.settings()? };
        if asked.clients.is_some() && !settings.allow_writes {
            return Err(wrong(
                "concurrency needs allow-writes: what only reads gets into nobody's way",
            ));
        }
        let is_sandbox = settings.sandbox.is_some();
        let (most, steps) = match is_sandbox {
            true => (SANDBOX_CASES, generate::DEFAULT_STEPS),
            false => (CASES, LIVE_STEPS),
        };
        let cases = asked.cases.unwrap_or(most);
        let mut plan = Plan {
            header: Header::new(asked.seed, wall_time(), asked.stated.profile().clone()),
            first: asked.first,
            cases,
            steps: asked.steps.unwrap_or(steps),
            max_findings: asked.max_findings,
        };
        let vocabulary = Vocabulary::new(settings.clone(), Abilities::default(), cases);
        let (target, run) = (settings.target.clone(), settings.own_name.clone());
        let (fresh, headers) = (vocabulary.is_fresh(), settings.header_names());
        plan.header.live = Some(Endpoint { target, run, fresh, headers });
        if asked.print_steps {
            return print_steps(asked.output, &plan, |case| match is_sandbox {
                true => generate::case(&plan.header, case, plan.steps),
                false => live_case(&plan.header, case, plan.steps, &vocabulary).steps,
            });
        }
        let journal = options.journal();
        let aim = Aim(&settings);
        asked.output.announce(format!("{aim}\n  journal   {}\n", journal.display()))?;
        let session = open(&options, &settings, &plan.header).await?;
        let (target, offers) = (settings.target.clone(), offers(&settings));
        let began = Instant::now();
        let outcome = play(Rc::new(session), settings, &plan, &asked).await?;
        print(&asked, &plan, &target, &offers, began, outcome, &again)
    }
}

async fn open(
    options: &LiveOptions,
    settings: &Settings,
    header: &Header,
) -> Result<Session, Problem> {
    let terms = options.terms(settings)?;
    let operator = settings.operator.as_deref().map(|url| terms.client(url)).transpose()?;
    let inbox = match &settings.webhooks {
        None => None,
        Some(webhooks) => {
            let inbox = inbox::Server::start_at(webhooks.listen).await.map_err(|error| {
                Problem::Wrong(format!("webhook-listen: {}: {error}", webhooks.listen))
            })?;
            Some(inbox)
        }
    };
    let (client, journal) = (terms.client(&settings.target)?, options.journal());
    let session = Session::new(settings.clone(), client, operator, inbox, &journal, header);
    let mut session =
        session.map_err(|error| wrong(format!("the journal {}: {error}", journal.display())))?;
    session.greet().await.map_err(|unanswered| Problem::Unreachable(unanswered.why))?;
    Ok(session)
}

async fn play(
    session: Rc<Session>,
    settings: Settings,
    plan: &Plan,
    asked: &Asked<'_>,
) -> Result<Outcome, Problem> {
    let is_sandbox = settings.sandbox.is_some();
    let vocabulary = Vocabulary::new(settings, session.abilities().clone(), plan.cases);
    let mut world = LiveWorld::new(Rc::clone(&session), vocabulary);
    let progress = Progress::new(asked.output, plan);
    let some_races = Plan { cases: SANDBOX_RACES, steps: SANDBOX_RACE_STEPS, ..plan.clone() };
    let race_plan = if asked.clients.is_some() { plan } else { &some_races };
    let (mut races, mut suite) = (Races::new(race_plan, clients(asked)), Suite::new(plan));
    let runs_races = asked.clients.is_some() || is_sandbox && plan.cases > 1;
    let playing = async {
        if runs_races {
            races.run(&mut world, |summary| progress.show(summary.counted.cases)).await?;
        }
        if asked.clients.is_none() {
            suite.play(&mut world, |summary| progress.show(summary.cases)).await?;
        }
        Ok(())
    };
    let end = to_the_end(&session, &progress, playing).await?;
    let raced = runs_races.then_some(races.summary);
    let unasked = world.unasked();
    Ok(Outcome { summary: suite.summary, raced, end, unasked, secrets: session.secrets() })
}

/// By how many clients requests are sent at once.
fn clients(asked: &Asked<'_>) -> usize {
    asked.clients.map_or(SANDBOX_CLIENTS, at_once)
}

fn at_once(clients: NonZeroU32) -> usize {
    usize::try_from(clients.get()).unwrap_or(usize::MAX)
}

fn print(
    asked: &Asked<'_>,
    plan: &Plan,
    target: &str,
    offers: &[Needs],
    began: Instant,
    outcome: Outcome,
    again: &str,
) -> Result<Held, Problem> {
    let Outcome { mut summary, raced, end, unasked, secrets } = outcome;
    let End { ending, interrupted, left_behind } = end;
    let mut replay = (asked.keep)(&summary, &secrets);
    let parts = raced.map(|raced| {
        if let Ok(replay) = &mut replay {
            let again = |failure| (asked.race_again)(failure, plan.header.seed);
            let after = summary.failures.len().min(replay.len());
            replay.splice(after..after, raced.counted.failures.iter().map(again));
        }
        summary.absorb(raced.counted);
        raced.parts
    });
    summary.conclude(&asked.stated);
    let replay: Result<Vec<String>, Problem> =
        replay.map(|kept| kept.into_iter().map(|replay| replay + again).collect());
    let run = Run {
        plan,
        summary: &summary,
        target,
        offers,
        took: began.elapsed(),
        replay: replay.as_deref().unwrap_or_default(),
        baseline: asked.baseline.as_ref(),
        ended: ending.as_ref().map(|ending| (ending.reported(), ending.to_string())),
        left_behind: &left_behind,
        unasked: Some(&unasked),
        races: parts.as_ref().map(|parts| (clients(asked), parts)),
    };
    let mut report = run.report();
    report.conceal(&secrets);
    // The files are written even if the terminal is gone.
    let printed = asked.output.print(report.to_string().trim_end(), || json!(report));
    let held = (asked.conclude)(&report, &summary.lessons);
    replay?;
    let held = held?;
    printed?;
    match (held, ending) {
        (Held::No, _) => Ok(Held::No),
        (_, Some(Ending::GivenUp(why))) => Err(Problem::Unreachable(why)),
        _ if interrupted => Ok(Held::UntilInterrupted),
        (held, _) => Ok(held),
    }
}

impl Ending {
    /// The same, for a report.
    fn reported(&self) -> evidence::Ending {
        match self {
            Ending::Spent(_) => evidence::Ending::Spent,
            Ending::GivenUp(_) => evidence::Ending::GivenUp,
        }
    }
}

/// What a run will do, before it does it.
struct Aim<'a>(&'a Settings);

impl fmt::Display for Aim<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let settings = self.0;
        let kind = if settings.sandbox.is_some() { "sandbox" } else { "live endpoint" };
        writeln!(f, "Tideover checks a {kind}.")?;
        writeln!(f, "  target    {}, key {}", settings.target, settings.key)?;
        if let Some(key) = &settings.second_key {
            writeln!(f, "  second    key {key}")?;
        }
        if let Some(operator) = &settings.operator {
            writeln!(f, "  operator  {operator}")?;
        }
        if !settings.headers.is_empty() {
            writeln!(f, "  headers   {}", settings.header_names().join(", "))?;
        }
        if let Some(webhooks) = &settings.webhooks {
            writeln!(f, "  inbox     {} on {}", webhooks.url, webhooks.listen)?;
        }
        writeln!(f, "  sends     {}", sends(settings))?;
        writeln!(f, "  at most   {}", budget(settings))?;
        write!(f, "  names     {}…", settings.own_name)
    }
}

/// What may be spent, in words.
fn budget(settings: &Settings) -> String {
    let Budget { requests, financed, subscriptions, seconds } = settings.budget;
    let mut words = format!("{requests} requests");
    if let Some(seconds) = seconds {
        words += &format!(" in {seconds} seconds");
    }
    if let Some(per_second) = settings.per_second {
        words += &format!(", {per_second} a second");
    }
    if settings.sandbox.is_none() {
        words += &format!("; {financed} cents financed; {subscriptions} subscriptions");
    }
    words
}

/// What is sent, in words.
fn sends(settings: &Settings) -> String {
    if settings.sandbox.is_some() {
        return "everything: the target is a sandbox, in which nothing is real".to_owned();
    }
    if !settings.allow_writes {
        return "reads and quotes only".to_owned();
    }
    let accounts = &settings.accounts;
    let mut named: Vec<String> = accounts.listed.clone();
    named.extend(accounts.prefix.as_ref().map(|prefix| format!("{prefix}…")));
    format!("writes, about the test accounts {} alone", named.join(", "))
}

/// What a target lets be asked of it.
fn offers(settings: &Settings) -> Vec<Needs> {
    let may_write = settings.allow_writes;
    let has_operator = settings.operator.is_some();
    // Nobody else brings a vendor through onboarding in a sandbox.
    let has_vendors = settings.sandbox.is_none() || has_operator;
    let offers = [
        (Needs::Requests, true),
        (Needs::Vendor, may_write && has_vendors),
        (Needs::Operator, may_write && has_operator),
        (Needs::Inbox, may_write && settings.webhooks.is_some()),
    ];
    offers.into_iter().filter(|(_, offered)| *offered).map(|(needs, _)| needs).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_file_in_the_guide_is_taken() {
        let page = include_str!("../../../../docs/live.md");
        let (_, after) = page.split_once("# tideover check --config").unwrap();
        let (file, _) = after.split_once("```").unwrap();
        let (_, file) = file.split_once('\n').unwrap();
        super::options::parse(file).unwrap();
    }
}
