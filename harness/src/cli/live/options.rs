//! The options for a live target.

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgMatches, Args};
use tideover_live::previous;
use tideover_live::settings::{
    Accounts, ApiKey, Bank, Budget, InvalidSettings, Payor, Sandbox, Settings, Webhooks, any_name,
    own_name,
};
use tideover_model::is_routing_number;

use crate::cli::files::{NamedFile, given_files};
use crate::cli::live::clients::ClientFactory;
use crate::cli::live::given::GivenOptions;
use crate::cli::live::headers;
use crate::cli::settings_file::Setting;
use crate::cli::{Problem, wrong};

/// The environment variable with the key, if no option names another.
pub(in crate::cli) const VARIABLE: &str = "TIDEOVER_KEY";

/// The options that permit something at a target.
const PERMISSIONS: [&str; 3] = ["sandbox", "allow_writes", "allow_disturbance"];

/// The shortest range of tax ids in which the cases of a run stay distinct.
const FEWEST_TAX_IDS: u32 = 10_000_000;

/// The options, each of which stands here alone: files and replay commands read these declarations.
#[derive(Args)]
#[command(next_help_heading = "Against a live endpoint")]
pub(in crate::cli) struct LiveOptions {
    // Stands first, because each option below takes its own value out of what clap has parsed.
    #[command(flatten)]
    pub(in crate::cli) given: GivenOptions,
    /// The base URL of a live endpoint; only reads and quotes are sent unless --allow-writes is given
    #[arg(long, value_name = "URL")]
    target: Option<String>,
    /// The API key; other processes can see it here, but not in TIDEOVER_KEY or the variable of --key-env
    #[arg(long, value_name = "KEY", allow_hyphen_values = true)]
    key: Option<String>,
    /// The environment variable with the API key [default: TIDEOVER_KEY]
    #[arg(long, value_name = "NAME")]
    key_env: Option<String>,
    /// The API key of a second platform
    #[arg(long, value_name = "KEY", allow_hyphen_values = true)]
    second_key: Option<String>,
    /// The environment variable with the API key of a second platform
    #[arg(long, value_name = "NAME")]
    second_key_env: Option<String>,
    /// The base URL of the operator port
    #[arg(long, value_name = "URL")]
    operator: Option<String>,
    /// The address on which the inbox listens for webhooks
    #[arg(long, value_name = "ADDRESS")]
    webhook_listen: Option<SocketAddr>,
    /// The public URL that leads to the inbox
    #[arg(long, value_name = "URL")]
    webhook_url: Option<String>,
    /// A PEM file with certificate authorities to trust besides the system's
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
    /// A PEM file with the certificate to show to the target and its private key
    #[arg(long, value_name = "FILE")]
    client_cert: Option<PathBuf>,
    /// A header for every request; $VARIABLE as its value reads an environment variable, which other
    /// processes cannot see
    #[arg(long = "header", value_name = "NAME: VALUE")]
    headers: Vec<String>,
    /// Declare that the target holds nothing real, and play everything there
    #[arg(long)]
    sandbox: bool,
    /// The range of tax ids for businesses in a sandbox [default: 100000000-999999999]
    #[arg(long, value_name = "FIRST-LAST", value_parser = tax_id_range)]
    tax_id_range: Option<RangeInclusive<u32>>,
    /// Also send writes, only about test accounts and within the budgets
    #[arg(long)]
    allow_writes: bool,
    /// Also ask the operator port for what everybody at the target notices: failures, interrupted imports,
    /// moves of its clock; Tideover's own mock needs no permission
    #[arg(long)]
    allow_disturbance: bool,
    /// A vendor that the service's operator has marked as a test account
    #[arg(long = "account", value_name = "IDENTIFIER")]
    accounts: Vec<String>,
    /// The prefix of the identifiers of test accounts
    #[arg(long, value_name = "PREFIX")]
    account_prefix: Option<String>,
    /// A business that may be the payor of an invoice, and its legal name [default: the identifier]
    #[arg(long = "payor", value_name = "IDENTIFIER[=NAME]")]
    payors: Vec<String>,
    /// An e-mail address that invitations may be sent to
    #[arg(long = "email", value_name = "ADDRESS")]
    emails: Vec<String>,
    /// A tax id that test accounts may be given
    #[arg(long = "tax-id", value_name = "TAX ID")]
    tax_ids: Vec<String>,
    /// A bank account that test accounts may be given
    #[arg(long = "bank", value_name = "ACCOUNT:ROUTING")]
    banks: Vec<String>,
    /// The most requests [default: 500; 8000 in a sandbox]
    #[arg(long, value_name = "N")]
    max_requests: Option<u64>,
    /// The longest time, in seconds [default: 90 in a sandbox]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    max_seconds: Option<u64>,
    /// The most face value for which advances are requested, in cents [default: 0]
    #[arg(long, value_name = "CENTS")]
    max_financed: Option<u64>,
    /// The most webhook subscriptions at a time [default: 3]
    #[arg(long, value_name = "N")]
    max_subscriptions: Option<u64>,
    /// The most requests in a second [default: 5; no limit in a sandbox]
    #[arg(long, value_name = "N")]
    requests_per_second: Option<NonZeroU32>,
    /// How long to wait for a response, in seconds [default: 30]
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<NonZeroU32>,
    /// A shell command that brings the target back after it stopped answering, so that the steps that bring it
    /// down can be found
    #[arg(long, value_name = "COMMAND")]
    restart: Option<String>,
    /// Play N cases at once [default: by the target's latency, at most 8; 1 with --allow-writes]
    #[arg(long, value_name = "N")]
    workers: Option<NonZeroU32>,
    /// The file for the journal: every request before it is sent [default: a new file in a temporary folder]
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// The name in everything that the run creates [default: random]
    #[arg(long, value_name = "NAME")]
    run: Option<String>,
    /// A TOML file with any of these options; their names have underscores there
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

impl LiveOptions {
    /// The path of the journal: the given one, or one in a new temporary folder that only the user can read.
    pub(super) fn place_journal(&self) -> Result<PathBuf, Problem> {
        if let Some(given) = &self.journal {
            return Ok(given.clone());
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix("tideover-");
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let folder = builder.tempdir();
        let folder = folder.map_err(|error| {
            wrong(format!("no temporary folder for the journal: {error}; give --journal FILE"))
        })?;
        Ok(folder.keep().join("journal.jsonl"))
    }

    /// The files that a run against a live endpoint reads and writes.
    pub(in crate::cli) fn files(&self) -> Vec<NamedFile> {
        let read =
            [("--config", &self.config), ("--ca", &self.ca), ("--client-cert", &self.client_cert)];
        let journals = self.journal.iter().flat_map(|journal| [journal.clone(), previous(journal)]);
        given_files(read).chain(journals.map(|journal| ("--journal", journal))).collect()
    }

    /// Creates the clients for live endpoints.
    pub(super) fn clients<'a>(&self, settings: &'a Settings) -> Result<ClientFactory<'a>, Problem> {
        ClientFactory::new(settings, self.ca.as_deref(), self.client_cert.as_deref())
    }

    /// The settings that the options describe.
    pub(super) fn settings(&self) -> Result<Settings, Problem> {
        let target = self.target.as_deref();
        let target =
            target.ok_or_else(|| wrong("no target: give --target URL, or target in the file"))?;
        let variable = self.key_env.as_deref().unwrap_or(VARIABLE);
        let key = key(self.key.as_deref(), Some(variable))?;
        let key = key.filter(|key| !key.reveal().is_empty()).ok_or_else(|| {
            wrong(format!("no key: set {variable}, or give --key-env NAME or --key KEY"))
        })?;
        let standard = if self.sandbox { Budget::of_sandbox() } else { Budget::default() };
        let tax_ids = || self.tax_id_range.clone().unwrap_or(Sandbox::default().tax_ids);
        let run = self.run.clone().unwrap_or_else(any_name);
        let usual = Settings::new(without_slash(target), key, own_name(&run)?);
        let settings = Settings {
            second_key: key_of_second(self)?,
            operator: self.operator.as_deref().map(without_slash),
            headers: headers::read(&self.headers)?,
            webhooks: self.webhooks()?,
            sandbox: self.sandbox.then(|| Sandbox { tax_ids: tax_ids() }),
            allow_writes: self.allow_writes || self.sandbox,
            allow_disturbance: self.allow_disturbance,
            accounts: Accounts {
                listed: self.accounts.clone(),
                prefix: self.account_prefix.clone(),
                payors: self.payors.iter().map(|text| payor(text)).collect(),
                emails: self.emails.clone(),
                tax_ids: self.tax_ids.clone(),
                banks: self.banks.iter().map(|text| bank(text)).collect::<Result<_, _>>()?,
            },
            budget: Budget {
                requests: self.max_requests.unwrap_or(standard.requests),
                financed: self.max_financed.unwrap_or(standard.financed),
                subscriptions: self.max_subscriptions.unwrap_or(standard.subscriptions),
                seconds: self.max_seconds.or(standard.seconds),
            },
            per_second: self.requests_per_second.or(usual.per_second.filter(|_| !self.sandbox)),
            workers: self.workers,
            timeout: self.timeout.map_or(usual.timeout, |it| Duration::from_secs(it.get().into())),
            restart: self.restart.clone(),
            is_run_new: self.run.is_none(),
            ..usual
        };
        settings.check()?;
        Ok(settings)
    }

    fn webhooks(&self) -> Result<Option<Webhooks>, InvalidSettings> {
        match (self.webhook_listen, self.webhook_url.as_deref()) {
            (None, None) => Ok(None),
            (Some(listen), Some(url)) => Ok(Some(Webhooks { listen, url: without_slash(url) })),
            (Some(_), None) => Err(InvalidSettings::needs(
                "webhook-listen",
                "webhook-url: the public URL that leads there",
            )),
            (None, Some(_)) => Err(InvalidSettings::needs(
                "webhook-url",
                "webhook-listen: the address that it leads to",
            )),
        }
    }
}

fn key_of_second(options: &LiveOptions) -> Result<Option<ApiKey>, Problem> {
    let (given, variable) = (options.second_key.as_deref(), options.second_key_env.as_deref());
    match (key(given, variable)?, variable) {
        (None, Some(variable)) => Err(wrong(format!("second-key-env: {variable} is not set"))),
        (key, _) => Ok(key),
    }
}

fn key(given: Option<&str>, variable: Option<&str>) -> Result<Option<ApiKey>, Problem> {
    if let Some(given) = given {
        return Ok(Some(ApiKey::new(given.to_owned())));
    }
    let Some(value) = variable.and_then(std::env::var_os) else { return Ok(None) };
    let key = value
        .into_string()
        .map_err(|_| wrong(format!("{}: the key is not UTF-8", variable.unwrap_or_default())))?;
    Ok(Some(ApiKey::new(key)))
}

fn without_slash(url: &str) -> String {
    url.trim_end_matches('/').to_owned()
}

/// What a file permits at its own target is no permission at another.
pub(in crate::cli) fn refuse_foreign_permissions(
    file: &[Setting],
    given: &ArgMatches,
) -> Result<(), String> {
    let in_file = |name: &str| Some(file.iter().find(|it| it.name == name)?.values.join(" "));
    let Some(permitted) = in_file("target") else { return Ok(()) };
    let permits = |id: &&str| {
        in_file(&id.replace('_', "-")).is_some_and(|value| value == "true") && given.get_flag(id)
    };
    let target = given.get_one::<String>("target").filter(|target| **target != permitted);
    match target {
        Some(target) if PERMISSIONS.iter().any(permits) => Err(format!(
            "its permissions ({}) are for {permitted}, and --target is {target}: use a file for that target",
            PERMISSIONS.join(", ")
        )),
        _ => Ok(()),
    }
}

/// `IDENTIFIER=NAME`, or the identifier alone.
fn payor(text: &str) -> Payor {
    let (identifier, legal_name) = text.split_once('=').unwrap_or((text, text));
    Payor { identifier: identifier.to_owned(), legal_name: legal_name.to_owned() }
}

/// `ACCOUNT:ROUTING`. It is not clap that reads it, whose messages show the value.
fn bank(text: &str) -> Result<Bank, InvalidSettings> {
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let form = "expected an account number, a colon and a routing number";
    match text.split_once(':') {
        Some((account, routing))
            if (4..=17).contains(&account.len())
                && routing.len() == 9
                && are_digits(account)
                && are_digits(routing) =>
        {
            if !is_routing_number(routing) {
                let why = format!("the check digit of the routing number {routing} is wrong");
                return Err(InvalidSettings::value("bank", why));
            }
            Ok(Bank { account_number: account.to_owned(), routing_number: routing.to_owned() })
        }
        _ => Err(InvalidSettings::value("bank", form)),
    }
}

/// `FIRST-LAST`, both of nine digits.
fn tax_id_range(text: &str) -> Result<RangeInclusive<u32>, String> {
    let number = |digits: &str| match digits.len() {
        9 => digits.parse::<u32>().ok(),
        _ => None,
    };
    let numbers = text.split_once('-').map(|(first, last)| (number(first), number(last)));
    let Some((Some(first), Some(last))) = numbers else {
        return Err("expected two numbers of nine digits with a hyphen between them".into());
    };
    if last.saturating_sub(first) < FEWEST_TAX_IDS {
        return Err(format!("the last must be greater than the first by {FEWEST_TAX_IDS}"));
    }
    Ok(first..=last)
}
