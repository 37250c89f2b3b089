//! `tideover watch`

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use serde_json::json;
use tideover_exchange::evidence::finding::Verdict;
use tideover_model::Profile;
use tideover_model::conduct::Ending;
use tideover_report::document::{DutyReport, FindingReport};
use tideover_report::{Baseline, Judges, Report, counted};
use tideover_sim::wall_time;
use tideover_suite::play::cases::Failure;
use tideover_suite::play::learn::{Lessons, Stated};
use tideover_watch::{
    Bases, Given, HarFile, Notice, Proxy, Seen, Side, Target, Watched, Watcher, tape,
};
use tokio::sync::Notify;

use crate::cli::files::{given_files, refuse_shared_files};
use crate::cli::reports::Reports;
use crate::cli::signals::StopSignals;
use crate::cli::traffic::Traffic;
use crate::cli::{Outcome, Output, Problem, authorities, in_file, load_stated, wrong};

/// Stand between a client and a service, and judge both while it runs.
///
/// Every request passes unchanged to the service, and every answer back; a verdict delays neither. The service is
/// judged by the document, as the command judge does, and the client by what the document asks of it. A finding
/// is printed when it happens. Ctrl-C ends it with a summary.
#[derive(Args)]
pub(super) struct Watch {
    /// The base URL of the service, real or mocked
    #[arg(long, value_name = "URL")]
    target: String,
    /// Where to listen for the client: ADDRESS:PORT, or a port of this machine; with port 0 a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:4020", value_parser = address)]
    listen: SocketAddr,
    /// Where to listen for webhooks; they pass to --webhooks-target
    #[arg(long, value_name = "ADDRESS", value_parser = address, requires = "webhooks_target")]
    webhooks_listen: Option<SocketAddr>,
    /// The base URL of the receiver of webhooks
    #[arg(long, value_name = "URL", requires = "webhooks_listen")]
    webhooks_target: Option<String>,
    /// Nobody else uses the keys of the client: all that they change passes here. Then more contradicts the document
    #[arg(long)]
    alone: bool,
    /// Whose findings exit with 1; the reports show both
    #[arg(long, value_enum, default_value_t = SideOption::Both)]
    side: SideOption,
    /// End at the first finding that exits with 1
    #[arg(long)]
    fail_fast: bool,
    /// The client is done when it ends: what it has begun and not finished counts as broken
    #[arg(long = "final")]
    is_final: bool,
    /// Write all traffic as a HAR file, which the command judge reads; keys, secrets, tax ids and account numbers
    /// are replaced
    #[arg(long, value_name = "FILE")]
    har: Option<PathBuf>,
    /// A TOML file with the assumed values that differ from the standard profile
    #[arg(long, value_name = "FILE")]
    profile: Option<PathBuf>,
    /// Write the choices of the service as a profile
    #[arg(long, value_name = "FILE")]
    learn: Option<PathBuf>,
    /// A PEM file with certificate authorities to trust besides the system's
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
    #[command(flatten)]
    reports: Reports,
}

#[derive(Clone, Copy, ValueEnum)]
enum SideOption {
    Service,
    Client,
    Both,
}

impl SideOption {
    fn judges(self) -> Judges {
        match self {
            SideOption::Service => Judges::Service,
            SideOption::Client => Judges::Client,
            SideOption::Both => Judges::Both,
        }
    }
}

/// The most exchanges that are printed with a finding when it happens. The report has more.
const MOST_PRINTED: usize = 10;

/// How long the judge may go on at the end before that is announced.
const SOON: Duration = Duration::from_secs(1);

/// Waits for another signal while the judge still works.
async fn asked_again(output: &Output) -> Result<(), Problem> {
    let stop = StopSignals::listen()?;
    tokio::time::sleep(SOON).await;
    output.announce("Judges what is left. Ctrl-C again ends without it.")?;
    stop.received().await?;
    Ok(())
}

impl Watch {
    pub(super) async fn run(self) -> Result<Outcome, Problem> {
        let given = [("--har", &self.har), ("--profile", &self.profile), ("--learn", &self.learn)];
        let files: Vec<_> = given_files(given).chain(self.reports.files()).collect();
        refuse_shared_files(&files)?;
        let stated = load_stated(self.profile.as_deref())?;
        let baseline = self.reports.baseline()?;
        let target = self.target(&self.target)?;
        let receiver = self.webhooks_target.as_deref().map(|url| self.target(url)).transpose()?;
        let stop = StopSignals::listen()?;
        let (tape, copies) = tape(wall_time());
        let proxy = listen("--listen", self.listen, target.clone(), Side::Api, &tape).await?;
        let webhooks = match (self.webhooks_listen, receiver.clone()) {
            (Some(at), Some(to)) => {
                Some(listen("--webhooks-listen", at, to, Side::Webhooks, &tape).await?)
            }
            _ => None,
        };
        self.reports.touch(self.learn.as_deref())?;
        let har = self.har.as_deref().map(create).transpose()?;
        let bases = Bases {
            service: target.url().to_owned(),
            receiver: receiver.as_ref().map_or_else(String::new, |it| it.url().to_owned()),
        };
        let output = Output::new(self.reports.json);
        let begun = Begun { proxy: &proxy, webhooks: webhooks.as_ref(), bases: &bases };
        output.announce(begun.words())?;
        let began = Instant::now();
        let found = Arc::new(Notify::new());
        let notify = self.printer(Arc::clone(&found));
        let ending = if self.is_final { Ending::Final } else { Ending::Open };
        let given = Given { profile: stated.profile().clone(), bases, alone: self.alone, ending };
        let watcher = Watcher::start(copies, given, har, notify);
        let watcher =
            watcher.map_err(|error| wrong(format!("no thread for the judge: {error}")))?;
        tokio::select! {
            biased;
            received = stop.received() => received?,
            () = found.notified() => {}
        }
        proxy.stop().await;
        if let Some(webhooks) = webhooks {
            webhooks.stop().await;
        }
        tape.close();
        let at_once = watcher.at_once();
        let mut finishing = tokio::task::spawn_blocking(|| watcher.finish());
        let watched = tokio::select! {
            finished = &mut finishing => finished?,
            again = asked_again(&output) => {
                again?;
                at_once.store(true, Ordering::Relaxed);
                finishing.await?
            }
        };
        self.report(&output, watched, &stated, baseline.as_ref(), began)
    }

    fn target(&self, url: &str) -> Result<Target, Problem> {
        let tls = authorities(self.ca.as_deref())?.client_config().map_err(wrong)?;
        Target::new(url, tls).map_err(wrong)
    }

    /// What prints a notice. It runs in the thread of the judge, so that a slow terminal delays no answer.
    fn printer(&self, found: Arc<Notify>) -> impl FnMut(Notice) + Send + 'static {
        let output = Output::new(self.reports.json);
        let (judges, fails_fast) = (self.side.judges(), self.fail_fast);
        let verdicts = self.reports.demands().fail_on;
        move |notice| {
            // Where nothing can be printed, an error cannot be printed either.
            let _ = output.announce(words(&notice));
            let fails = match &notice {
                Notice::Service(failure) => {
                    let verdict = failure.verdict();
                    judges.service()
                        && (verdict == Verdict::Violated || verdicts.contains(&verdict))
                }
                Notice::Client { .. } => judges.client(),
                Notice::Forgotten(_) | Notice::Unreached { .. } | Notice::HarEnds(_) => false,
            };
            if fails && fails_fast {
                found.notify_one();
            }
        }
    }

    fn report(
        &self,
        output: &Output,
        watched: Watched,
        stated: &Stated,
        baseline: Option<&Baseline>,
        began: Instant,
    ) -> Result<Outcome, Problem> {
        let har = watched.har.as_ref().map(ToString::to_string);
        let (report, lessons) = self.composed(watched, stated, baseline, began);
        let printed = output.print(self.reports.text(&report), || json!(report));
        let written = self.reports.files.write(output, &report);
        let profile: &Profile = stated.profile();
        let learned = super::write_lessons(self.learn.as_deref(), &lessons, profile, &report);
        written.and(learned)?;
        printed?;
        match (har, &self.har) {
            (Some(error), Some(path)) => Err(in_file(path, error)),
            _ => Ok(report.outcome),
        }
    }

    fn composed(
        &self,
        watched: Watched,
        stated: &Stated,
        baseline: Option<&Baseline>,
        began: Instant,
    ) -> (Report, Lessons) {
        let Watched { judged, card, shown, open, requests, attempts, .. } = watched;
        let traffic = Traffic {
            command: "watch",
            target: &self.target,
            stated,
            began,
            baseline,
            demands: self.reports.demands(),
        };
        let (report, lessons) = traffic.report(judged);
        let duties = card.rows().iter().map(|row| {
            let shown = shown.get(&row.duty()).into_iter().flatten().map(Seen::to_string);
            DutyReport::of(row, shown.collect())
        });
        let mut report = report.with_conduct(duties.collect(), self.side.judges());
        let passed = (counted(requests, "request"), counted(attempts, "delivery attempt"));
        for (duty, shown) in open.iter().filter(|_| !self.is_final) {
            let shown: Vec<String> = shown.iter().map(Seen::to_string).collect();
            report.warnings.push(format!(
                "client: {} is open: {} Not done yet after {}",
                duty.id(),
                duty.words(),
                shown.join("; ")
            ));
        }
        report.target = format!("{}, {} and {} passed", self.target, passed.0, passed.1);
        (report, lessons)
    }
}

async fn listen(
    option: &str,
    address: SocketAddr,
    target: Target,
    side: Side,
    tape: &tideover_watch::Tape,
) -> Result<Proxy, Problem> {
    let started = Proxy::start(address, target.clone(), side, tape.clone()).await;
    let proxy = started.map_err(|error| {
        wrong(format!("cannot listen at {address}: {error}; give {option} another address or port"))
    })?;
    if target.is_at(proxy.address()) {
        return Err(wrong(format!("{option} and its target are the same: {}", target.url())));
    }
    Ok(proxy)
}

fn create(path: &Path) -> Result<HarFile, Problem> {
    HarFile::create(path).map_err(|error| in_file(path, error))
}

/// What listens where.
struct Begun<'a> {
    proxy: &'a Proxy,
    webhooks: Option<&'a Proxy>,
    bases: &'a Bases,
}

impl Begun<'_> {
    fn words(&self) -> String {
        let Bases { service, receiver } = self.bases;
        let client = format!("watching http://{} → {service}", self.proxy.address());
        let webhooks = self
            .webhooks
            .map(|webhooks| format!("\nwebhooks http://{} → {receiver}", webhooks.address()));
        format!("{client}{}\nCtrl-C ends it.", webhooks.unwrap_or_default())
    }
}

/// A notice for a person. Who is at fault stands first.
fn words(notice: &Notice) -> String {
    match notice {
        Notice::Service(failure) => service(failure),
        Notice::Client { duty, shown } => {
            let clause = duty.clause();
            let shown: String = shown.iter().map(|seen| format!("\n  {seen}")).collect();
            format!(
                "client: {} ({clause}, {})\n  {}{shown}\n",
                duty.id(),
                clause.place(),
                duty.words()
            )
        }
        Notice::Forgotten(businesses) => format!(
            "note: more is known than the judge keeps; what was known of {businesses} businesses is forgotten\n"
        ),
        Notice::Unreached { side, why } => {
            let who = match side {
                Side::Api => "the service",
                Side::Webhooks => "the receiver",
            };
            format!("note: {who} cannot be reached, and its callers get 502: {why}\n")
        }
        Notice::HarEnds(error) => format!("note: the HAR file ends here: {error}\n"),
    }
}

fn service(failure: &Failure) -> String {
    let FindingReport { found, also, steps, .. } = FindingReport::of(failure);
    let also: String = also.iter().map(|also| format!("\n{also:.104}")).collect();
    let left_out = steps.len().saturating_sub(MOST_PRINTED);
    let before = match left_out {
        0 => String::new(),
        count => format!("\n  {} about it before", counted(count as u64, "exchange")),
    };
    let steps: String = steps
        .iter()
        .skip(left_out)
        .map(|step| format!("\n  {}. {} → {}", step.number, step.words, step.answer))
        .collect();
    format!("service: {found:.104}{also}{before}{steps}\n")
}

/// Parses an address to listen on.
fn address(text: &str) -> Result<SocketAddr, String> {
    let text = text.strip_prefix("http://").unwrap_or(text).trim_end_matches('/');
    let here = |port: &str| port.parse().map(|port| (IpAddr::V4(Ipv4Addr::LOCALHOST), port).into());
    let local = text.strip_prefix("localhost:").or(text.strip_prefix(':')).unwrap_or(text);
    text.parse()
        .or_else(|_| here(local))
        .map_err(|_| "expected ADDRESS:PORT, such as 127.0.0.1:4020, or a port".to_owned())
}
