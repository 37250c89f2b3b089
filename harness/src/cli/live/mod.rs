//! `tideover check --target`: the suite against a live endpoint.

mod carried;
mod clients;
mod course;
mod headers;
mod options;
mod replay;

use std::fmt;
use std::num::NonZeroU32;
use std::path::Path;
use std::rc::Rc;
use std::time::Instant;

use serde_json::json;
use tideover_endpoint::{inbox, wall_time};
use tideover_exchange::evidence;
use tideover_exchange::evidence::outcome::Demands;
use tideover_exchange::secrets::Secrets;
use tideover_exchange::transcript::{Header, LiveEndpoint};
use tideover_judge::checks::registry::Needs;
use tideover_live::exploration::Exploration;
use tideover_live::session::{Abilities, Session, StopReason};
use tideover_live::settings::{Budget, Settings};
use tideover_live::target::LiveWorld;
use tideover_live::unasked::Unasked;
use tideover_live::{LIVE_STEPS, Vocabulary, live_case};
use tideover_report::{Baseline, FinishedRun, Report};
use tideover_suite::generate;
use tideover_suite::play::cases::{Plan, Summary};
use tideover_suite::play::concurrent;
use tideover_suite::play::concurrent::Races;
use tideover_suite::play::learn::{Lessons, Stated};

use crate::cli::live::course::{End, play_and_clean_up};
use crate::cli::progress::Progress;
use crate::cli::steps::print_steps;
use crate::cli::{Outcome, Output, Problem, wrong};

pub(super) use options::{LiveOptions, VARIABLE};
pub(super) use replay::Replayed;

/// The default number of cases.
const CASES: u64 = 20;

/// The default number of cases for a sandbox. The budget is usually spent before.
const SANDBOX_CASES: u64 = 400;

/// The most races in a sandbox. They take a tenth of the budget: with the default budget, each kind of race once.
const SANDBOX_RACES: u64 = 60;
const SANDBOX_RACE_STEPS: u64 = 24;
const SANDBOX_CLIENTS: usize = 4;

/// Writes the requested files of a report and of what was learned.
type Conclude<'a> = dyn Fn(&Report, &Lessons) -> Result<(), Problem> + 'a;

/// Writes the transcript of each failure, and returns the commands that replay them.
type Keep<'a> = dyn Fn(&Summary, &Secrets) -> Result<Vec<String>, Problem> + 'a;

/// The options of `check` that also apply to a live endpoint.
pub(super) struct LiveCheck<'a> {
    pub(super) output: &'a Output,
    pub(super) seed: u64,
    /// The values that the target must have where the document is silent.
    pub(super) stated: Stated,
    pub(super) first: u64,
    pub(super) cases: Option<u64>,
    pub(super) steps: Option<u64>,
    pub(super) max_findings: usize,
    /// The number of concurrent clients, if races are requested.
    pub(super) clients: Option<NonZeroU32>,
    /// Whether to print the steps and send nothing.
    pub(super) print_steps: bool,
    /// The report for a person.
    pub(super) text: &'a dyn Fn(&Report) -> String,
    /// Writes the transcript of each failure, and returns the commands that replay them.
    pub(super) keep: &'a Keep<'a>,
    /// What the user demands of the run.
    pub(super) demands: Demands,
    /// Writes the files of the run.
    pub(super) conclude: &'a Conclude<'a>,
    /// The baseline, if one is given.
    pub(super) baseline: Option<Baseline>,
}

/// The result of a run.
struct RunOutcome {
    /// The summary of the sequential cases.
    summary: Summary,
    /// The summary of the races, if there were any.
    raced: Option<concurrent::Summary>,
    /// How many sequential cases there were to play.
    cases: u64,
    end: End,
    /// The steps that were not sent, and why.
    unasked: Unasked,
    secrets: Secrets,
    /// The facilities of the target.
    offers: Vec<Needs>,
    /// Those that the options give and nothing has shown to work.
    unproven: Vec<Needs>,
    /// What limits the value of the run from its start.
    warnings: Vec<String>,
}

impl RunOutcome {
    /// That of a run whose target could not be asked anything.
    fn unreached(why: String, session: &Session) -> RunOutcome {
        let ending = Some(StopReason::GivenUp(why));
        RunOutcome {
            summary: Summary::default(),
            raced: None,
            cases: 0,
            end: End { ending, left_behind: Vec::new() },
            unasked: Unasked::default(),
            secrets: session.secrets(),
            offers: offers(session),
            unproven: unproven(session),
            warnings: Vec::new(),
        }
    }

    /// That of a run that has ended.
    fn of(session: &Session, world: &LiveWorld, summary: Summary, end: End) -> RunOutcome {
        RunOutcome {
            summary,
            raced: None,
            cases: 0,
            end,
            unasked: world.unasked(),
            secrets: session.secrets(),
            offers: offers(session),
            unproven: unproven(session),
            warnings: Vec::new(),
        }
    }
}

impl LiveOptions {
    /// Plays against the target, and always cleans up.
    pub(super) async fn run(self, check: LiveCheck<'_>) -> Result<Outcome, Problem> {
        let again = self.replay_options();
        let options = self.with_file()?;
        let at_once = check.clients.unwrap_or(NonZeroU32::MIN);
        let settings = Settings { at_once, ..options.settings()? };
        if check.clients.is_some() && !settings.allow_writes {
            return Err(wrong("concurrency needs allow-writes: concurrent reads cannot conflict"));
        }
        let is_sandbox = settings.sandbox.is_some();
        let (most, steps) = match is_sandbox {
            true => (SANDBOX_CASES, generate::DEFAULT_STEPS),
            false => (CASES, LIVE_STEPS),
        };
        let cases = check.cases.unwrap_or(most);
        let mut plan = Plan {
            header: Header::new(check.seed, wall_time(), check.stated.profile().clone()),
            first: check.first,
            cases,
            steps: check.steps.unwrap_or(steps),
            max_findings: check.max_findings,
        };
        let vocabulary = Vocabulary::new(settings.clone(), Abilities::default(), cases);
        let (target, run) = (settings.target.clone(), settings.own_name.clone());
        let (fresh, headers) = (vocabulary.is_fresh(), settings.header_names());
        plan.header.live = Some(LiveEndpoint { target, run, fresh, headers });
        if check.print_steps {
            return print_steps(check.output, &plan, |case| match is_sandbox {
                true => generate::case(&plan.header, case, plan.steps),
                false => live_case(&plan.header, case, plan.steps, &vocabulary).steps,
            });
        }
        let journal = options.place_journal()?;
        let preview = RunPreview(&settings);
        check.output.announce(format!("{preview}\n  journal   {}\n", journal.display()))?;
        let mut session = connect(&options, &settings, &plan.header, &journal).await?;
        let began = Instant::now();
        let outcome = match session.greet().await {
            Ok(()) => {
                let doubt = try_inbox(&options, &settings, &session).await?;
                if let Some(doubt) = &doubt {
                    check.output.announce(format!("warning: {doubt}\n"))?;
                }
                let played = play(Rc::new(session), settings.clone(), &plan, &check).await?;
                RunOutcome { warnings: doubt.into_iter().collect(), ..played }
            }
            Err(unanswered) => RunOutcome::unreached(unanswered.why, &session),
        };
        print(&check, &plan, &settings, began, outcome, &again)
    }
}

/// Opens a run whose target answers.
async fn open(
    options: &LiveOptions,
    settings: &Settings,
    header: &Header,
    journal: &Path,
) -> Result<Session, Problem> {
    let mut session = connect(options, settings, header, journal).await?;
    session.greet().await.map_err(|unanswered| Problem::Unreachable(unanswered.why))?;
    // The session keeps whether its inbox can be reached.
    try_inbox(options, settings, &session).await?;
    Ok(session)
}

/// Sends a request to the inbox by its public URL, if there is one. Returns why it did not arrive, in words.
async fn try_inbox(
    options: &LiveOptions,
    settings: &Settings,
    session: &Session,
) -> Result<Option<String>, Problem> {
    let (Some(url), Some(webhooks)) = (session.inbox_url(), &settings.webhooks) else {
        return Ok(None);
    };
    let client = options.clients(settings)?.without_headers(url)?;
    let tried = session.try_inbox(&client).await;
    Ok(tried.err().map(|why| {
        format!(
            "the inbox is unproven: a request of this run to {} did not arrive on {} ({why}); unless a webhook \
             arrives, nothing is concluded from its silence",
            webhooks.url, webhooks.listen
        )
    }))
}

/// Opens a run whose target was not asked yet.
async fn connect(
    options: &LiveOptions,
    settings: &Settings,
    header: &Header,
    journal: &Path,
) -> Result<Session, Problem> {
    let factory = options.clients(settings)?;
    let operator = settings.operator.as_deref().map(|url| factory.client(url)).transpose()?;
    let inbox = match &settings.webhooks {
        None => None,
        Some(webhooks) => {
            let inbox = inbox::Server::start_at(webhooks.listen).await.map_err(|error| {
                Problem::Wrong(format!("webhook-listen: {}: {error}", webhooks.listen))
            })?;
            Some(inbox)
        }
    };
    let client = factory.client(&settings.target)?;
    let session = Session::new(settings.clone(), client, operator, inbox, journal, header);
    session.map_err(|error| wrong(format!("the journal {}: {error}", journal.display())))
}

async fn play(
    session: Rc<Session>,
    settings: Settings,
    plan: &Plan,
    check: &LiveCheck<'_>,
) -> Result<RunOutcome, Problem> {
    let is_sandbox = settings.sandbox.is_some();
    let progress = Progress::new(check.output, plan).within(&settings.budget);
    let vocabulary = Vocabulary::new(settings, session.abilities().clone(), plan.cases);
    let world = LiveWorld::new(Rc::clone(&session), vocabulary);
    if check.clients.is_some() {
        return race(session, world, plan, check, &progress).await;
    }
    let some_races = Plan { cases: SANDBOX_RACES, steps: SANDBOX_RACE_STEPS, ..plan.clone() };
    let runs_races = is_sandbox && plan.cases > 1;
    let races = runs_races.then(|| Races::new(&some_races, clients(check)));
    let mut exploration = Exploration::new(plan, Rc::clone(&session), world.clone(), races);
    let playing = exploration.run(|exploration| {
        progress.show_part(exploration.cases, exploration.shrinking());
        progress.show(exploration.summary.cases);
    });
    let end = play_and_clean_up(&session, &progress, playing).await?;
    let effort = exploration.effort();
    let (cases, raced) = (exploration.cases, exploration.raced().cloned());
    let summary = Summary { effort, ..exploration.summary };
    Ok(RunOutcome { raced, cases, ..RunOutcome::of(&session, &world, summary, end) })
}

/// Plays races alone, one after the other.
async fn race(
    session: Rc<Session>,
    mut world: LiveWorld,
    plan: &Plan,
    check: &LiveCheck<'_>,
    progress: &Progress,
) -> Result<RunOutcome, Problem> {
    let mut races = Races::new(plan, clients(check));
    let playing = races.run(&mut world, |summary| progress.show(summary.counted.cases));
    let end = play_and_clean_up(&session, progress, playing).await?;
    let raced = Some(races.summary);
    Ok(RunOutcome { raced, ..RunOutcome::of(&session, &world, Summary::default(), end) })
}

/// The number of concurrent clients.
fn clients(check: &LiveCheck<'_>) -> usize {
    check.clients.map_or(SANDBOX_CLIENTS, at_once)
}

fn at_once(clients: NonZeroU32) -> usize {
    usize::try_from(clients.get()).unwrap_or(usize::MAX)
}

fn print(
    check: &LiveCheck<'_>,
    plan: &Plan,
    settings: &Settings,
    began: Instant,
    outcome: RunOutcome,
    again: &str,
) -> Result<Outcome, Problem> {
    let RunOutcome { mut summary, raced, cases, end, unasked, secrets, offers, unproven, warnings } =
        outcome;
    let raced_cases = raced.as_ref().map_or(0, |raced| raced.counted.cases);
    let plan = &match check.clients {
        None => Plan { cases: cases + raced_cases, ..plan.clone() },
        Some(_) => plan.clone(),
    };
    let End { ending, left_behind } = end;
    let parts = raced.map(|raced| {
        summary.absorb(raced.counted);
        raced.parts
    });
    let kept = (check.keep)(&summary, &secrets);
    summary.conclude(&check.stated);
    let replay: Result<Vec<String>, Problem> =
        kept.map(|kept| kept.into_iter().map(|replay| replay + again).collect());
    let run = FinishedRun {
        command: "check",
        plan,
        summary: &summary,
        target: &settings.target,
        offers: &offers,
        unproven: &unproven,
        finished: wall_time(),
        took: began.elapsed(),
        replay: replay.as_deref().unwrap_or_default(),
        baseline: check.baseline.as_ref(),
        ended: ending.as_ref().map(|ending| (reported(ending), ending.to_string())),
        left_behind: &left_behind,
        unjudged: 0,
        unasked: Some(&unasked),
        races: parts.as_ref().map(|parts| (clients(check), parts)),
        only_races: check.clients.is_some(),
        demands: &check.demands,
    };
    let mut report = run.report();
    report.warnings.extend(warnings);
    report.conceal(&secrets);
    // The terminal may be closed; the files are written anyway.
    let printed = check.output.print((check.text)(&report), || json!(report));
    let written = (check.conclude)(&report, &summary.lessons);
    replay?;
    written?;
    printed?;
    match (report.outcome, ending) {
        (Outcome::Inconclusive, Some(StopReason::GivenUp(why))) => Err(Problem::Unreachable(why)),
        (outcome, _) => Ok(outcome),
    }
}

/// The reason as the report shows it.
fn reported(reason: &StopReason) -> evidence::Ending {
    match reason {
        StopReason::Spent(_) => evidence::Ending::Spent,
        StopReason::GivenUp(_) => evidence::Ending::GivenUp,
    }
}

/// What a run will do, printed before it starts.
struct RunPreview<'a>(&'a Settings);

impl fmt::Display for RunPreview<'_> {
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

/// The budget, in words.
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
        words += &format!("; {financed} cents financed; {subscriptions} subscriptions at a time");
    }
    words
}

/// The requests that may be sent, in words.
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

/// The facilities of a target. An inbox that nothing has reached is none.
fn offers(session: &Session) -> Vec<Needs> {
    let settings = session.settings();
    let may_write = settings.allow_writes;
    let has_operator = settings.operator.is_some();
    // In a sandbox, only the operator port completes the onboarding of a vendor.
    let has_vendors = settings.sandbox.is_none() || has_operator;
    let offers = [
        (Needs::Requests, true),
        (Needs::Writes, may_write),
        (Needs::Vendor, may_write && has_vendors),
        (Needs::Operator, may_write && has_operator),
        (Needs::Inbox, may_write && session.inbox_is_proven()),
        (Needs::Clock, may_write && session.abilities().moves_clock),
        (Needs::SecondKey, settings.second_key.is_some() || may_write && session.issues_keys()),
        (Needs::Foreign, true),
    ];
    offers.into_iter().filter(|(_, offered)| *offered).map(|(needs, _)| needs).collect()
}

/// The facilities that the options give, and that nothing has shown to work: an inbox that nothing has reached.
fn unproven(session: &Session) -> Vec<Needs> {
    let settings = session.settings();
    let has_inbox = settings.allow_writes && settings.webhooks.is_some();
    let is_silent = has_inbox && !session.inbox_is_proven();
    is_silent.then_some(Needs::Inbox).into_iter().collect()
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
