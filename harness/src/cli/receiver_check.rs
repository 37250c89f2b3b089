//! `tideover receiver-check`

use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use indicatif::ProgressBar;
use tideover_model::destination::is_public;
use tideover_model::{Destinations, SigningKey};
use tideover_receiver::{Answer, Case, Required, Scorecard, Seen, examination};
use tideover_report::results::Results;
use tideover_sim::{Letter, Resolution, Resolver, Sender, SystemResolver, Unsent, wall_time};
use tokio::time::timeout;
use url::{Host, Url};

use crate::cli::files::refuse_shared_files;
use crate::cli::probe::StateProbe;
use crate::cli::progress::bar;
use crate::cli::reports::{ReportFiles, with_outcome};
use crate::cli::secret::SecretOptions;
use crate::cli::signals::StopSignals;
use crate::cli::{Outcome, Output, Problem, authorities, wrong};

/// Examine your own receiver of webhooks: what it accepts, and what it rejects.
///
/// It sends what the service may send (every kind of event, signed, late, twice, out of order, with unknown
/// fields) and what an attacker may send, one after the other, and compares the responses with the document's
/// rules. The events are about businesses and invoices with tideover-receiver-check in their names. The
/// secret is the one that your receiver verifies with; it comes from TIDEOVER_SECRET unless an option gives
/// it.
#[derive(Args)]
pub(super) struct ReceiverCheck {
    /// The URL of your receiver, http or https
    #[arg(long)]
    url: String,
    #[command(flatten)]
    secret: SecretOptions,
    /// Allow a URL that leads to a public address: only if that endpoint is yours
    #[arg(long)]
    public: bool,
    /// A PEM file with certificate authorities to trust besides the system's
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
    /// How long to wait for a response of the receiver, or for the probe
    #[arg(long, value_name = "SECONDS", default_value = "15", value_parser = seconds)]
    timeout: Duration,
    /// A shell command that prints what your receiver holds
    ///
    /// No response shows whether a duplicate or a stale sequence was dropped. The command's output, compared
    /// before and after, does. If your receiver works on after its response, let the command wait for it.
    #[arg(long, value_name = "COMMAND")]
    probe: Option<String>,
    /// The name in the run's businesses, invoices, events and deliveries [default: a new one]
    #[arg(long, value_name = "NAME", value_parser = run_name)]
    run: Option<String>,
    /// Print the scorecard as a line of JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    reports: ReportFiles,
}

impl ReceiverCheck {
    pub(super) async fn run(self) -> Result<Outcome, Problem> {
        let output = Output::new(self.json);
        refuse_shared_files(&self.reports.named().collect::<Vec<_>>())?;
        let examiner = match self.examiner().await {
            Err(problem @ Problem::Usage(_)) => return Err(problem),
            examiner => examiner,
        };
        self.reports.touch()?;
        let began = Instant::now();
        let now = wall_time();
        let run = self.run.clone();
        let run = run.unwrap_or_else(|| format!("{}-{}", now.unix(), std::process::id()));
        let cases = examination(&run, now);
        let mut scorecard = Scorecard::new(&shown(&self.url), &run, cases.len());
        let progress = bar(&output, Some(cases.len() as u64), "{wide_bar} case {pos} of {len}");
        let stop = StopSignals::listen()?;
        let examined = match examiner {
            Err(unreachable) => Err(unreachable),
            Ok(examiner) => tokio::select! {
                biased;
                received = stop.received() => received,
                examined = examiner.examine(&cases, &mut scorecard, &progress) => examined,
            },
        };
        progress.finish_and_clear();
        let unreached = match &examined {
            Err(Problem::Target(why)) => Some(why.as_str()),
            _ => None,
        };
        // The results before an error are printed too.
        let results = Results::of_receiver(&scorecard, wall_time(), began.elapsed(), unreached);
        if examined.is_ok() || unreached.is_some() || !scorecard.is_empty() {
            let headline = &results.headline;
            output.print(format!("{headline}\n{scorecard}\n{headline}"), || {
                with_outcome(scorecard.as_json(), &results)
            })?;
        }
        if unreached.is_none() {
            examined?;
        }
        self.reports.write(&output, &results)?;
        Ok(results.outcome)
    }

    async fn examiner(&self) -> Result<Examiner, Problem> {
        let key = SigningKey::new(&self.secret.secret()?);
        let authorities = authorities(self.ca.as_deref())?;
        let url = self.destination()?;
        let addresses = self.addresses(&url).await?;
        Ok(Examiner {
            sender: Sender::new(Arc::new(Pinned(addresses)), authorities),
            destinations: only(&url),
            url: url.into(),
            key,
            timeout: self.timeout,
            probe: self.probe.as_deref().map(|command| StateProbe::new(command, self.timeout)),
        })
    }

    fn destination(&self) -> Result<Url, Problem> {
        let unfit = |why: &dyn std::fmt::Display| wrong(format!("{}: {why}", shown(&self.url)));
        let url = Url::parse(&self.url).map_err(|error| unfit(&error))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(unfit(&"expected a URL of http:// or https://"));
        }
        only(&url).judge(&self.url, &[]).map_err(|why| unfit(&why))
    }

    /// The addresses of the URL, if they are allowed.
    async fn addresses(&self, url: &Url) -> Result<Vec<IpAddr>, Problem> {
        let addresses = match url.host() {
            Some(Host::Ipv4(address)) => vec![address.into()],
            Some(Host::Ipv6(address)) => vec![address.into()],
            Some(Host::Domain(name)) => SystemResolver
                .resolve(name)
                .await
                .map_err(|error| Problem::Target(format!("{name} does not resolve: {error}")))?,
            None => Vec::new(),
        };
        match addresses.iter().find(|address| is_public(**address)) {
            Some(address) if !self.public => Err(wrong(format!(
                "{} leads to {address}, a public address: if that endpoint is yours, add --public",
                self.url
            ))),
            Some(_) | None => Ok(addresses),
        }
    }
}

/// A URL with its password masked, if it has one.
fn shown(url: &str) -> String {
    let Ok(mut shown) = Url::parse(url) else { return url.to_owned() };
    if shown.password().is_some() && shown.set_password(Some("…")).is_ok() {
        return shown.into();
    }
    url.to_owned()
}

/// Allows the user's own endpoint, at any address.
fn only(url: &Url) -> Destinations {
    Destinations::PublicAnd(url.origin().ascii_serialization())
}

/// Resolves every name to the addresses that were checked.
struct Pinned(Vec<IpAddr>);

impl Resolver for Pinned {
    fn resolve<'a>(&'a self, _host: &'a str) -> Resolution<'a> {
        Box::pin(async { Ok(self.0.clone()) })
    }
}

/// Sends the cases and records the results.
struct Examiner {
    sender: Sender,
    destinations: Destinations,
    url: String,
    key: SigningKey,
    timeout: Duration,
    probe: Option<StateProbe>,
}

impl Examiner {
    async fn examine(
        &self,
        cases: &[Case],
        scorecard: &mut Scorecard,
        progress: &ProgressBar,
    ) -> Result<(), Problem> {
        if let Some(probe) = &self.probe {
            // A wrong command is reported before anything is sent.
            if probe.read().await? != probe.read().await? {
                return Err(wrong(
                    "the probe's output changes although nothing was sent: it must print what the \
                     receiver holds, and nothing that changes by itself",
                ));
            }
        }
        for (index, case) in cases.iter().enumerate() {
            let seen = self.see(case).await?;
            if let (0, Answer::Unreached(why)) = (index, &seen.answer) {
                return Err(Problem::Target(format!("{}: {why}", self.url)));
            }
            scorecard.add(case, seen);
            progress.inc(1);
        }
        Ok(())
    }

    async fn see(&self, case: &Case) -> Result<Seen, Problem> {
        let probe = match case.required {
            Required::TakenUp | Required::New | Required::Dropped => self.probe.as_ref(),
            Required::Accepted | Required::Rejected => None,
        };
        let Some(probe) = probe else {
            return Ok(Seen { answer: self.send(case).await, moved: None });
        };
        let before = probe.read().await?;
        let answer = self.send(case).await;
        let after = probe.read().await?;
        Ok(Seen { answer, moved: Some(before != after) })
    }

    async fn send(&self, case: &Case) -> Answer {
        let now = wall_time().unix_unsigned();
        let signature = case.signature(&self.key, now);
        let letter = Letter::new(&self.url, &case.delivery, signature, Arc::clone(&case.body));
        match timeout(self.timeout, self.sender.post(&self.destinations, letter, || true)).await {
            Ok(Ok(status)) => Answer::Status(status),
            Ok(Err(Unsent::Broken(_))) => Answer::Closed,
            Ok(Err(Unsent::HalfAnswered(status, _))) => Answer::Half(status),
            Ok(Err(unsent @ Unsent::Garbled(_))) => Answer::Garbled(unsent.to_string()),
            Ok(Err(unsent @ Unsent::Tls(_))) => {
                Answer::Unreached(format!("{unsent} (--ca FILE trusts a private authority)"))
            }
            Ok(Err(unsent)) => Answer::Unreached(unsent.to_string()),
            Err(_) => Answer::Late(self.timeout),
        }
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let duration = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    duration
        .filter(|duration| !duration.is_zero())
        .ok_or_else(|| "expected seconds, such as 15 or 0.5".into())
}

/// Parses the run's name, which occurs in headers and in names that receivers keep.
fn run_name(text: &str) -> Result<String, String> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    if (1..=64).contains(&text.len()) && text.bytes().all(is_plain) {
        Ok(text.to_owned())
    } else {
        Err("expected at most 64 letters, digits, hyphens, underscores and dots".into())
    }
}
