//! `tideover serve`

use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde_json::json;
use tideover_model::{Destinations, Timestamp};
use tideover_prove::defects::Defect;
use tideover_sim::conduct::{Ending, Row};
use tideover_sim::{
    Builder, ClockChoice, Conduct, Hosts, JournalLimits, Limits, Mock, Origins, ProfileFile,
    Scenario, SigningTime, StartError, wall_time,
};

use crate::cli::configured::misspelt_variables;
use crate::cli::output::{stderr_takes_colours, to_stderr};
use crate::cli::signals::StopSignals;
use crate::cli::{
    Outcome, Output, Problem, WorldOptions, authorities, defect_named, instant, wrong,
};

/// Run the mock: an in-memory service that integrators point their client at.
///
/// The mock listens on this machine alone by default. It keeps its state in memory, and prints its API key
/// when it is ready. Accounts open and advances are funded as the clock runs. POST /_sim/clock moves the
/// clock forward, POST /_sim/actions plays the vendor, the bank, the payor and the operator. Webhooks are
/// signed, sent, and repeated for 28 hours; GET /_sim/deliveries shows every attempt. POST /_sim/faults lets
/// requests fail.
#[derive(Args)]
pub(super) struct Serve {
    #[command(flatten)]
    world: WorldOptions,
    /// A TOML file with any of these options, by their names; the command line and the environment override it
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The address to listen on; localhost is one
    #[arg(long, default_value = "127.0.0.1", value_name = "ADDRESS", value_parser = address)]
    address: IpAddr,
    /// The port to listen on; 0 picks a free one
    #[arg(long, default_value_t = 4010)]
    port: u16,
    /// Whether the clock runs with the wall clock, or stands until it is moved
    #[arg(long, value_enum, default_value_t = ClockKind::Running)]
    clock: ClockKind,
    /// How many times as fast as the wall clock the mock's clock runs [default: 1]
    ///
    /// A receiver has at least one real second to answer. At a high speed that is a long time in the mock,
    /// and a receiver that hangs may be tried less often than the schedule says.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(speeds()))]
    speed: Option<u32>,
    /// When the clock starts [default: the wall clock's time]
    #[arg(long, value_name = "DATE-TIME", value_parser = instant)]
    start: Option<Timestamp>,
    /// Where webhooks may go
    #[arg(long, value_enum, default_value_t = WebhookKind::Public)]
    webhooks: WebhookKind,
    /// A PEM file with certificate authorities to trust besides the system's when webhooks are sent
    #[arg(long, value_name = "FILE")]
    webhook_ca: Option<PathBuf>,
    /// Which time webhooks are signed with
    #[arg(long, value_enum, default_value_t = SignWith::Wall)]
    sign_with: SignWith,
    /// Run with this defect of the catalogue: do your own tests notice? tideover prove --list names them
    #[arg(long, value_name = "NAME", value_parser = defect_named)]
    defect: Option<&'static Defect>,
    /// Do at random what the document leaves a service free to do, so that no client grows brittle
    ///
    /// Unknown enum members, codes, fields and events, other prose, key order, white space and 2xx statuses,
    /// late and repeated deliveries, fast and slow transitions: drawn from the seed, and never a documented
    /// refusal. GET /_sim/freedoms says which of them your client has met.
    #[arg(long)]
    grease: bool,
    /// Pages in a browser that may call the mock, such as http://localhost:3000, or * for any [default: none]
    #[arg(long, value_name = "ORIGIN", value_delimiter = ',')]
    cors: Vec<String>,
    /// Names by which the operator port answers, such as mock.example
    ///
    /// It always answers by an IP address, by localhost, by names without a dot, and by those of --cors. Any other name
    /// could be one of a page in a browser, and is refused.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    host: Vec<String>,
    /// How far the story has gone at the start
    #[arg(long, value_enum, default_value_t = ScenarioName::Fresh)]
    scenario: ScenarioName,
    /// A file that keeps all worlds: loaded at the start if it exists, and saved after each change
    ///
    /// What the file says goes before --seed, --profile, --clock, --start, --grease and --scenario. The file holds
    /// keys and secrets: only you can read it.
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// The API key of the first platform [default: rap_sk_local]
    #[arg(long, value_name = "KEY")]
    api_key: Option<String>,
    /// How many requests the journal of each world keeps: the last ones, and at most 16 MiB of them; 0 for none
    #[arg(long, value_name = "N", default_value_t = 1000,
        value_parser = clap::value_parser!(u32).range(..=1_000_000))]
    journal: u32,
    #[command(flatten)]
    bounds: Bounds,
    /// Do not name, in the header Tideover-Clause of each answer, the clause that decided it
    #[arg(long)]
    no_hints: bool,
    /// The log level on standard error: off, error, warn, info (refusals), debug (every request), trace
    #[arg(long, value_name = "LEVEL", default_value = "warn")]
    log: tracing_subscriber::filter::LevelFilter,
    /// Print base URL, API key, seed and time as a line of JSON, once the mock is ready
    #[arg(long)]
    json: bool,
}

/// How much the mock takes on.
#[derive(Args)]
struct Bounds {
    /// How many worlds there may be
    #[arg(long, value_name = "N", default_value_t = 10_000,
        value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    max_worlds: u32,
    /// How many subscriptions each world may have
    #[arg(long, value_name = "N", default_value_t = 1000)]
    max_subscriptions: u32,
    /// How many requests may wait at the operator port, streams of events included
    #[arg(long, value_name = "N", default_value_t = 1000)]
    max_waiting: u32,
    /// How many MiB the journals of all worlds keep together: the largest drop their oldest requests first
    #[arg(long, value_name = "MIB", default_value_t = 256,
        value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    max_journals: u32,
}

impl Bounds {
    fn limits(&self) -> Limits {
        Limits {
            worlds: self.max_worlds as usize,
            subscriptions: self.max_subscriptions as usize,
            waiting: self.max_waiting as usize,
            journals: (self.max_journals as usize) << 20,
            ..Limits::default()
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ClockKind {
    /// Runs with the wall clock, and can be moved forward
    Running,
    /// Stands until it is moved
    Still,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum WebhookKind {
    /// Only to public https URLs, as the document says
    Public,
    /// Also to this machine, over plain http too: for local work
    Local,
    /// Also to plain http and to any address: for containers and private networks
    Anywhere,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ScenarioName {
    /// Nothing has happened
    Fresh,
    /// The vendor acme meets all four requirements, and its invoice INV-1 can be financed
    Onboarded,
    /// INV-1 has an advance that is FUNDED
    Funded,
    /// The payor of INV-1 has paid, and its advance is REPAID
    Repaid,
    /// acme has so many advances that one for its last invoice is refused
    AtTheLimit,
}

impl From<ScenarioName> for Scenario {
    fn from(name: ScenarioName) -> Scenario {
        match name {
            ScenarioName::Fresh => Scenario::Fresh,
            ScenarioName::Onboarded => Scenario::Onboarded,
            ScenarioName::Funded => Scenario::Funded,
            ScenarioName::Repaid => Scenario::Repaid,
            ScenarioName::AtTheLimit => Scenario::AtTheLimit,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SignWith {
    /// The wall clock's time, so that receivers accept it whatever the mock's clock shows
    Wall,
    /// The mock's time
    Virtual,
}

/// Why the mock does not start, and what helps.
fn not_started(error: &StartError) -> String {
    match error {
        StartError::Listen { address, source } if source.kind() == ErrorKind::AddrInUse => {
            let free = free_port(*address)
                .map_or_else(String::new, |port| format!("--port {port} is free, and "));
            format!("{error}; {free}--port 0 picks a free port")
        }
        _ => error.to_string(),
    }
}

/// A free port after a busy one.
fn free_port(busy: SocketAddr) -> Option<u16> {
    let mut ports = busy.port().saturating_add(1)..=busy.port().saturating_add(100);
    ports.find(|port| TcpListener::bind(SocketAddr::new(busy.ip(), *port)).is_ok())
}

impl Serve {
    pub(super) async fn run(self) -> Result<Outcome, Problem> {
        // A log that nobody reads stops no request: lines are lost instead.
        let (log, _writing) = tracing_appender::non_blocking(std::io::stderr());
        tracing_subscriber::fmt()
            .with_max_level(self.log)
            .with_ansi(stderr_takes_colours())
            .with_writer(log)
            .init();
        for problem in misspelt_variables() {
            to_stderr(&format!("tideover: {problem}"));
        }
        let seed = self.world.seed.unwrap_or(1);
        let mock = self.mock(seed)?.start().await;
        let mock = mock.map_err(|error| wrong(not_started(&error)))?;
        let stop = StopSignals::listen()?;
        // The worlds of a state file have seeds of their own.
        let seed = (!mock.has_loaded_state()).then_some(seed);
        let output = Output::new(self.json);
        output.print(self.welcome(&mock, seed), || {
            json!({
                "baseUrl": mock.url(),
                "apiKey": mock.api_key(),
                "now": mock.now(),
                "seed": seed,
                "stateLoaded": mock.has_loaded_state(),
                "webhooks": match self.webhooks {
                    WebhookKind::Public => "public",
                    WebhookKind::Local => "local",
                    WebhookKind::Anywhere => "anywhere",
                },
                "defect": self.defect.map(|defect| defect.name),
                "grease": mock.coverage().is_some(),
            })
        })?;
        stop.received().await?;
        farewell(&output, &mock)?;
        mock.stop_and_save().await.map_err(wrong)?;
        Ok(Outcome::Pass)
    }

    /// The mock that the options describe.
    fn mock(&self, seed: u64) -> Result<Builder, Problem> {
        let clock = self.pace()?;
        if self.grease && self.defect.is_some() {
            return Err(wrong(
                "--grease and --defect exclude each other: a defect is no freedom of the document",
            ));
        }
        let authorities = authorities(self.webhook_ca.as_deref())?;
        let destinations = match self.webhooks {
            WebhookKind::Public => Destinations::Public,
            WebhookKind::Local => Destinations::Local,
            WebhookKind::Anywhere => Destinations::Anywhere,
        };
        let ProfileFile { profile, faults } = self.world.load_file()?;
        let builder = match self.defect {
            None => Mock::builder().webhooks(destinations).profile(profile),
            Some(defect) => {
                let defective = defect.service(profile, seed, destinations);
                Mock::builder().face(Box::new(defective))
            }
        };
        let builder = match Origins::parse(&self.cors).map_err(wrong)? {
            _ if self.cors.is_empty() => builder,
            origins => builder.cors(origins),
        };
        let builder = match &self.state {
            None => builder,
            Some(file) => builder.state(file),
        };
        let builder = match &self.api_key {
            None => builder,
            Some(key) => builder.api_key(key),
        };
        let builder = match (self.start, self.clock) {
            (Some(start), _) => builder.start_at(start),
            (None, ClockKind::Still) => builder.start_at(wall_time()),
            (None, ClockKind::Running) => builder,
        };
        Ok(builder
            .scenario(self.scenario.into())
            .seed(seed)
            .faults(faults)
            .grease(self.grease)
            .hosts(Hosts::parse(&self.host).map_err(wrong)?)
            .limits(self.bounds.limits())
            .hints(!self.no_hints)
            .journal(JournalLimits { requests: self.journal as usize, ..JournalLimits::default() })
            .trust(authorities)
            .signing(match self.sign_with {
                SignWith::Wall => SigningTime::Wall,
                SignWith::Virtual => SigningTime::Virtual,
            })
            .clock(clock)
            .listen(SocketAddr::new(self.address, self.port)))
    }

    /// How time goes by.
    fn pace(&self) -> Result<ClockChoice, Problem> {
        match (self.clock, self.speed) {
            (ClockKind::Running, speed) => Ok(ClockChoice::Running { speed: speed.unwrap_or(1) }),
            (ClockKind::Still, None) => Ok(ClockChoice::Still),
            (ClockKind::Still, Some(_)) => {
                Err(wrong("--speed is for a clock that runs, not for --clock still"))
            }
        }
    }

    fn welcome(&self, mock: &Mock, seed: Option<u64>) -> String {
        let clock = match mock.world().clock() {
            ClockChoice::Still => "stands".to_owned(),
            ClockChoice::Running { speed: 1 } => "runs with the wall".to_owned(),
            ClockChoice::Running { speed } => format!("runs {speed} times as fast as the wall"),
        };
        let webhooks = match self.webhooks {
            WebhookKind::Public => {
                "to public https URLs; --webhooks local also lets http and this machine"
            }
            WebhookKind::Local => "also over http and to this machine (--webhooks local)",
            WebhookKind::Anywhere => "also over http and to any address (--webhooks anywhere)",
        };
        let defect =
            self.defect.map_or_else(String::new, |Defect { name, clause, words, .. }| {
                format!("It has a DEFECT, {name}: {words} ({clause}).\n")
            });
        let grease = if mock.coverage().is_some() {
            format!(
                "\x20 grease    on; GET {}/_sim/freedoms shows what your client has met\n",
                mock.url()
            )
        } else {
            String::new()
        };
        let state = match &self.state {
            None => String::new(),
            Some(file) => {
                let file = file.display();
                if mock.has_loaded_state() {
                    format!(
                        "\x20 state     loaded from {file}, which decides seed, profile, clock, start, grease and scenario\n"
                    )
                } else {
                    format!("\x20 state     kept in {file}\n")
                }
            }
        };
        let seed = seed.map_or_else(String::new, |seed| format!("\x20 seed      {seed}\n"));
        format!(
            "Tideover is ready: a mock of the Receivables Advance Partner API. No money moves.\n\
             {defect}\
             \x20 base URL  {url}\n\
             \x20 API key   {key}\n\
             \x20 clock     {now}, {clock}; POST {url}/_sim/clock moves it\n\
             \x20 page      {url}/_sim/\n\
             \x20 guide     {url}/_sim/guide/\n\
             \x20 outside   POST {url}/_sim/actions plays vendor, bank, payor and operator\n\
             \x20 OpenAPI   {url}/_sim/openapi.json\n\
             \x20 webhooks  {webhooks}; GET {url}/_sim/deliveries shows them\n\
             {grease}\
             {state}\
             {seed}\
             Ctrl-C ends it.",
            url = mock.url(),
            key = mock.api_key(),
            now = mock.now(),
        )
    }
}

/// How the callers have behaved, for each world of which something is seen.
fn farewell(output: &Output, mock: &Mock) -> Result<(), Problem> {
    for (world, Conduct { card, dropped_requests, .. }) in mock.conduct(Ending::Open) {
        if card.counts().not_seen == card.rows().len() {
            continue;
        }
        let of = if world == "default" { String::new() } else { format!("{world}: ") };
        let dropped = match dropped_requests {
            0 => String::new(),
            dropped => {
                format!("\n  {dropped} earlier requests are not judged: --journal keeps more")
            }
        };
        output.print(format!("{of}{}{dropped}", card.summary()), || {
            let broken: Vec<_> = card.broken().map(Row::shown).collect();
            json!({
                "world": world,
                "conduct": card.counts(),
                "broken": broken,
                "droppedRequests": dropped_requests,
            })
        })?;
    }
    Ok(())
}

/// How fast a clock may run.
fn speeds() -> RangeInclusive<i64> {
    (*ClockChoice::SPEEDS.start()).into()..=(*ClockChoice::SPEEDS.end()).into()
}

/// An address to listen on.
fn address(text: &str) -> Result<IpAddr, String> {
    if text == "localhost" {
        return Ok(Ipv4Addr::LOCALHOST.into());
    }
    text.parse().map_err(|_| "expected an IP address such as 0.0.0.0 or ::1, or localhost".into())
}
