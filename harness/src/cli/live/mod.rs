//! `tideover check --target`: the suite against a live endpoint.

mod clients;
mod course;
mod given;
mod headers;
mod options;
mod replay;

use std::fmt;
use std::num::NonZeroU32;
use std::path::Path;
use std::rc::Rc;
use std::time::Instant;

use tideover_endpoint::{inbox, wall_time};
use tideover_exchange::step::Step;
use tideover_exchange::target::Unreachable;
use tideover_exchange::transcript::{Header, LiveEndpoint};
use tideover_judge::checks::registry::Needs;
use tideover_live::exploration::Exploration;
use tideover_live::session::{Abilities, Session, StopReason};
use tideover_live::settings::{Budget, InvalidSettings, Settings, Webhooks};
use tideover_live::target::LiveWorld;
use tideover_live::unasked::Unasked;
use tideover_live::{LIVE_STEPS, Vocabulary, live_case};
use tideover_model::Profile;
use tideover_suite::generate;
use tideover_suite::play::cases::{Plan, Summary};
use tideover_suite::play::concurrent;
use tideover_suite::play::concurrent::Races;
use tideover_suite::play::regressions::{Regression, Revisited};
use tideover_suite::play::replay::Replay;

use crate::cli::cases::CaseOptions;
use crate::cli::live::course::{End, play_and_clean_up};
use crate::cli::live::replay::play_again;
use crate::cli::played::Played;
use crate::cli::progress::Progress;
use crate::cli::{Output, Problem, wrong};

pub(super) use options::{LiveOptions, VARIABLE, refuse_foreign_permissions};
pub(super) use replay::Replayed;

/// The default number of cases.
const CASES: u64 = 20;

/// The default number of cases for a sandbox. The budget is usually spent before.
const SANDBOX_CASES: u64 = 400;

/// The most races in a sandbox. They take a tenth of the budget: with the default budget, each kind of race once.
const SANDBOX_RACES: u64 = 60;
const SANDBOX_RACE_STEPS: u64 = 24;
const SANDBOX_CLIENTS: usize = 4;

/// The options of `check` that also apply to a live endpoint.
pub(super) struct LiveCheck<'a> {
    pub(super) output: &'a Output,
    pub(super) seed: u64,
    /// The values that the target must have where the document is silent.
    pub(super) profile: &'a Profile,
    pub(super) cases: CaseOptions,
    pub(super) steps: Option<u64>,
    pub(super) max_findings: usize,
    /// The number of concurrent clients, if races are requested.
    pub(super) clients: Option<NonZeroU32>,
    /// What earlier runs have found, to play first.
    pub(super) regressions: &'a [Regression],
}

/// A run whose options fit together. Nothing is sent yet.
pub(super) struct LiveRun<'a> {
    options: &'a LiveOptions,
    settings: Settings,
    vocabulary: Vocabulary,
    pub(super) plan: Plan,
}

impl LiveOptions {
    pub(super) fn prepare(&self, check: &LiveCheck<'_>) -> Result<LiveRun<'_>, Problem> {
        let at_once = check.clients.unwrap_or(NonZeroU32::MIN);
        let settings = Settings { at_once, ..self.settings()? };
        if check.clients.is_some() && !settings.allow_writes {
            let what = "allow-writes: concurrent reads cannot conflict";
            return Err(InvalidSettings::needs("concurrency", what).into());
        }
        let (most, steps) = match settings.sandbox.is_some() {
            true => (SANDBOX_CASES, generate::DEFAULT_STEPS),
            false => (CASES, LIVE_STEPS),
        };
        let (first, cases) = check.cases.numbers(most)?;
        let mut plan = Plan {
            header: Header::new(check.seed, wall_time(), check.profile.clone()),
            first,
            cases,
            steps: check.steps.unwrap_or(steps),
            max_findings: check.max_findings,
        };
        let vocabulary = Vocabulary::new(settings.clone(), Abilities::default(), cases);
        plan.header.live = Some(live_endpoint(&settings, &vocabulary));
        Ok(LiveRun { options: self, settings, vocabulary, plan })
    }
}

/// What a transcript says about its target.
fn live_endpoint(settings: &Settings, vocabulary: &Vocabulary) -> LiveEndpoint {
    LiveEndpoint {
        target: settings.target.clone(),
        run: settings.own_name.clone(),
        fresh: vocabulary.is_fresh(),
        headers: settings.header_names(),
    }
}

impl LiveRun<'_> {
    pub(super) fn steps(&self, case: u64) -> Vec<Step> {
        let Plan { header, steps, .. } = &self.plan;
        match self.settings.sandbox.is_some() {
            true => generate::case(header, case, *steps),
            false => live_case(header, case, *steps, &self.vocabulary).steps,
        }
    }

    /// Plays against the target, and always cleans up.
    pub(super) async fn play(self, check: &LiveCheck<'_>) -> Result<Played, Problem> {
        let LiveRun { options, settings, plan, .. } = self;
        let journal = options.place_journal()?;
        let preview = RunPreview(&settings);
        check.output.announce(format!("{preview}\n  journal   {}\n", journal.display()))?;
        let mut session = connect(options, &settings, &plan.header, &journal).await?;
        let (began, replay_options) = (Instant::now(), options.given.for_a_replay());
        let played = match session.greet().await {
            Ok(()) => {
                let warning = try_inbox(options, &settings, &session).await?;
                if let Some(warning) = &warning {
                    check.output.announce(format!("warning: {warning}\n"))?;
                }
                let played = play(Rc::new(session), settings, plan, check).await?;
                Played { warnings: warning.into_iter().collect(), ..played }
            }
            Err(unanswered) => {
                let end = End {
                    ending: Some(StopReason::GivenUp(unanswered.why)),
                    left_behind: Vec::new(),
                };
                // Nothing was played, but for the plan of races.
                let cases = if check.clients.is_some() { plan.cases } else { 0 };
                let plan = Plan { cases, ..plan };
                played(&session, plan, Summary::default(), Unasked::default(), end)
            }
        };
        Ok(Played { began, replay_options, ..played })
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
    session.greet().await?;
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

/// Opens a run. The target was not asked yet.
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
        Some(Webhooks { listen, .. }) => {
            let inbox = inbox::Server::start_at(*listen).await;
            Some(inbox.map_err(|error| wrong(format!("webhook-listen: {listen}: {error}")))?)
        }
    };
    let client = factory.client(&settings.target)?;
    let session = Session::new(settings.clone(), client, operator, inbox, journal, header);
    session.map_err(|error| wrong(format!("the journal {}: {error}", journal.display())))
}

async fn play(
    session: Rc<Session>,
    settings: Settings,
    plan: Plan,
    check: &LiveCheck<'_>,
) -> Result<Played, Problem> {
    let is_sandbox = settings.sandbox.is_some();
    let progress = Progress::new(check.output, &plan).within(&settings.budget);
    let vocabulary = Vocabulary::new(settings, session.abilities().clone(), plan.cases);
    let mut world = LiveWorld::new(Rc::clone(&session), vocabulary);
    let clients = check.clients.map_or(SANDBOX_CLIENTS, at_once);
    if check.clients.is_some() {
        let mut races = Races::new(&plan, clients);
        let playing = races.run(&mut world, |summary| progress.show(summary.counted.cases));
        let end = play_and_clean_up(&session, &progress, playing).await?;
        let concurrent::Summary { counted, parts } = races.summary;
        let mut summary = Summary::default();
        summary.absorb(counted);
        let played = played(&session, plan, summary, world.unasked(), end);
        return Ok(Played { races: Some((clients, parts)), ..played });
    }
    let some_races = Plan { cases: SANDBOX_RACES, steps: SANDBOX_RACE_STEPS, ..plan.clone() };
    let runs_races = is_sandbox && plan.cases > 1;
    let races = runs_races.then(|| Races::new(&some_races, clients));
    let mut exploration = Exploration::new(&plan, Rc::clone(&session), world.clone(), races);
    let mut revisited = Vec::new();
    let playing = async {
        let mut rest = check.regressions.iter();
        while let Some(regression) = rest.next() {
            let revisited_one = match revisit(&mut world, &plan.header, regression).await {
                Ok(revisited) => revisited,
                Err(unreachable) => {
                    let left = [regression].into_iter().chain(rest);
                    revisited.extend(left.map(|one| one.not_played("the run had ended")));
                    return Err(unreachable);
                }
            };
            exploration.recall(revisited_one.failure.clone());
            revisited.push(revisited_one);
        }
        let progress = |exploration: &Exploration<'_>| {
            progress.show_part(exploration.cases, exploration.shrinking());
            progress.show(exploration.summary.cases);
        };
        exploration.run(progress).await
    };
    let end = play_and_clean_up(&session, &progress, playing).await?;
    let effort = exploration.effort();
    let (mut cases, raced) = (exploration.cases, exploration.raced().cloned());
    let mut summary = Summary { effort, ..exploration.summary };
    let races = raced.map(|concurrent::Summary { counted, parts }| {
        cases += counted.cases;
        summary.absorb(counted);
        (clients, parts)
    });
    let played = played(&session, Plan { cases, ..plan }, summary, world.unasked(), end);
    Ok(Played { races, revisited, ..played })
}

/// Plays what an earlier run has kept, in this run's own names.
async fn revisit(
    world: &mut LiveWorld,
    header: &Header,
    regression: &Regression,
) -> Result<Revisited, Unreachable> {
    let transcript = &regression.transcript;
    if let Some((index, why)) = world.refused(transcript) {
        return Ok(regression.not_played(format!("step {}: {why}", index + 1)));
    }
    let mut replay = Replay::new(transcript, None);
    play_again(world, header, &mut replay).await?;
    Ok(regression.revisited(&replay))
}

fn at_once(clients: NonZeroU32) -> usize {
    usize::try_from(clients.get()).unwrap_or(usize::MAX)
}

/// What a run has played that has ended.
fn played(
    session: &Session,
    plan: Plan,
    summary: Summary,
    unasked: Unasked,
    End { ending, left_behind }: End,
) -> Played {
    Played {
        plan,
        summary,
        began: Instant::now(),
        target: session.settings().target.clone(),
        offers: offers(session),
        unproven: unproven(session),
        races: None,
        revisited: Vec::new(),
        ended: ending,
        left_behind,
        unasked: Some(unasked),
        warnings: Vec::new(),
        secrets: session.secrets(),
        replay_options: String::new(),
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
