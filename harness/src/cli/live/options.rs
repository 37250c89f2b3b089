//! The options for a live target: on the command line, in a file, or in both.

use std::fmt;
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use clap::Args;
use serde::{Deserialize, Serialize, Serializer};
use tideover_live::previous;
use tideover_live::settings::{
    Accounts, ApiKey, Bank, Budget, Payor, Sandbox, Settings, Webhooks, any_name, own_name,
};
use tideover_model::is_routing_number;

use crate::cli::Problem;
use crate::cli::files::NamedFile;
use crate::cli::live::clients::ClientFactory;
use crate::cli::live::headers;
use crate::cli::settings_file::{instead, located};

/// The environment variable with the key, if no option names another.
pub(in crate::cli) const VARIABLE: &str = "TIDEOVER_KEY";

/// The shortest range of tax ids in which the cases of a run stay distinct.
const FEWEST_TAX_IDS: u32 = 10_000_000;

/// The options. A file may have the same names with underscores. The command line overrides the file.
#[derive(Args, Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
#[command(next_help_heading = "Against a live endpoint")]
pub(in crate::cli) struct LiveOptions {
    /// The base URL of a live endpoint; only reads and quotes are sent unless --allow-writes is given
    #[arg(long, value_name = "URL")]
    target: Option<String>,
    /// The API key; other processes can see it here, but not in TIDEOVER_KEY or the variable of --key-env
    #[arg(long, value_name = "KEY", allow_hyphen_values = true)]
    #[serde(skip)]
    pub(super) key: Option<String>,
    /// The environment variable with the API key [default: TIDEOVER_KEY]
    #[arg(long, value_name = "NAME")]
    key_env: Option<String>,
    /// The API key of a second platform
    #[arg(long, value_name = "KEY", allow_hyphen_values = true)]
    #[serde(skip)]
    pub(super) second_key: Option<String>,
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
    #[serde(alias = "header")]
    pub(super) headers: Vec<String>,
    /// Declare that the target holds nothing real, and play everything there
    #[arg(long)]
    sandbox: bool,
    /// The range of tax ids for businesses in a sandbox [default: 100000000-999999999]
    #[arg(long, value_name = "FIRST-LAST")]
    tax_id_range: Option<TaxIdRange>,
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
    payors: Vec<PayorOption>,
    /// An e-mail address that invitations may be sent to
    #[arg(long = "email", value_name = "ADDRESS")]
    emails: Vec<String>,
    /// A tax id that test accounts may be given
    #[arg(long = "tax-id", value_name = "TAX ID")]
    pub(super) tax_ids: Vec<String>,
    /// A bank account that test accounts may be given
    #[arg(long = "bank", value_name = "ACCOUNT:ROUTING")]
    pub(super) banks: Vec<BankOption>,
    /// The most requests [default: 500; 5000 in a sandbox]
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
    #[serde(skip)]
    pub(super) config: Option<PathBuf>,
}

/// `IDENTIFIER=NAME`, or the identifier alone
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(from = "String")]
struct PayorOption(Payor);

impl Serialize for PayorOption {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let PayorOption(Payor { identifier, legal_name }) = self;
        serializer.collect_str(&format_args!("{identifier}={legal_name}"))
    }
}

impl From<String> for PayorOption {
    fn from(text: String) -> PayorOption {
        let (identifier, legal_name) = text.split_once('=').unwrap_or((&text, &text));
        let (identifier, legal_name) = (identifier.to_owned(), legal_name.to_owned());
        PayorOption(Payor { identifier, legal_name })
    }
}

/// `ACCOUNT:ROUTING`
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct BankOption(pub(super) Bank);

impl Serialize for BankOption {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let BankOption(Bank { account_number, routing_number }) = self;
        serializer.collect_str(&format_args!("{account_number}:{routing_number}"))
    }
}

impl FromStr for BankOption {
    type Err = String;

    fn from_str(text: &str) -> Result<BankOption, String> {
        let wrong = || "expected an account number, a colon and a routing number".to_owned();
        let (account, routing) = text.split_once(':').ok_or_else(wrong)?;
        let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let fits = (4..=17).contains(&account.len()) && routing.len() == 9;
        if !fits || !are_digits(account) || !are_digits(routing) {
            return Err(wrong());
        }
        if !is_routing_number(routing) {
            return Err(format!("the check digit of the routing number {routing} is wrong"));
        }
        let (account_number, routing_number) = (account.to_owned(), routing.to_owned());
        Ok(BankOption(Bank { account_number, routing_number }))
    }
}

impl TryFrom<String> for BankOption {
    type Error = String;

    fn try_from(text: String) -> Result<BankOption, String> {
        text.parse()
    }
}

/// `FIRST-LAST`, both of nine digits
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "String")]
struct TaxIdRange(RangeInclusive<u32>);

impl FromStr for TaxIdRange {
    type Err = String;

    fn from_str(text: &str) -> Result<TaxIdRange, String> {
        let wrong = || "expected two numbers of nine digits with a hyphen between them".to_owned();
        let number = |digits: &str| match digits.len() {
            9 => digits.parse().map_err(|_| wrong()),
            _ => Err(wrong()),
        };
        let (first, last) = text.split_once('-').ok_or_else(wrong)?;
        let (first, last): (u32, u32) = (number(first)?, number(last)?);
        if last.saturating_sub(first) < FEWEST_TAX_IDS {
            return Err(format!("the last must be greater than the first by {FEWEST_TAX_IDS}"));
        }
        Ok(TaxIdRange(first..=last))
    }
}

impl TryFrom<String> for TaxIdRange {
    type Error = String;

    fn try_from(text: String) -> Result<TaxIdRange, String> {
        text.parse()
    }
}

impl Serialize for TaxIdRange {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl fmt::Display for TaxIdRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:09}-{:09}", self.0.start(), self.0.end())
    }
}

impl LiveOptions {
    /// Whether any of these options is given.
    pub(in crate::cli) fn is_given(&self) -> bool {
        *self != LiveOptions::default()
    }

    /// The options, completed from the file.
    pub(in crate::cli) fn with_file(self) -> Result<LiveOptions, Problem> {
        let Some(path) = &self.config else { return Ok(self) };
        let file = read(path)?;
        self.check_permissions_of(&file)
            .map_err(|problem| Problem::Wrong(format!("{}: {problem}", path.display())))?;
        Ok(self.over(file))
    }

    /// What a file permits at its own target is no permission at another.
    fn check_permissions_of(&self, file: &LiveOptions) -> Result<(), String> {
        let (Some(target), Some(permitted)) = (&self.target, &file.target) else { return Ok(()) };
        if target == permitted || !(file.sandbox || file.allow_writes || file.allow_disturbance) {
            return Ok(());
        }
        Err(format!(
            "its permissions (sandbox, allow_writes, allow_disturbance) are for {permitted}, and \
             --target is {target}: use a file for that target"
        ))
    }

    fn over(self, file: LiveOptions) -> LiveOptions {
        let list = |ours: Vec<String>, theirs| if ours.is_empty() { theirs } else { ours };
        // A key on the command line also overrides the variable that the file names.
        let variable = |key: &Option<String>, ours: Option<String>, theirs: Option<String>| {
            if key.is_some() { ours } else { ours.or(theirs) }
        };
        LiveOptions {
            target: self.target.or(file.target),
            key_env: variable(&self.key, self.key_env, file.key_env),
            key: self.key,
            second_key_env: variable(&self.second_key, self.second_key_env, file.second_key_env),
            second_key: self.second_key,
            operator: self.operator.or(file.operator),
            webhook_listen: self.webhook_listen.or(file.webhook_listen),
            webhook_url: self.webhook_url.or(file.webhook_url),
            ca: self.ca.or(file.ca),
            client_cert: self.client_cert.or(file.client_cert),
            headers: list(self.headers, file.headers),
            sandbox: self.sandbox || file.sandbox,
            tax_id_range: self.tax_id_range.or(file.tax_id_range),
            allow_writes: self.allow_writes || file.allow_writes,
            allow_disturbance: self.allow_disturbance || file.allow_disturbance,
            accounts: list(self.accounts, file.accounts),
            account_prefix: self.account_prefix.or(file.account_prefix),
            payors: if self.payors.is_empty() { file.payors } else { self.payors },
            emails: list(self.emails, file.emails),
            tax_ids: list(self.tax_ids, file.tax_ids),
            banks: if self.banks.is_empty() { file.banks } else { self.banks },
            max_requests: self.max_requests.or(file.max_requests),
            max_seconds: self.max_seconds.or(file.max_seconds),
            max_financed: self.max_financed.or(file.max_financed),
            max_subscriptions: self.max_subscriptions.or(file.max_subscriptions),
            requests_per_second: self.requests_per_second.or(file.requests_per_second),
            timeout: self.timeout.or(file.timeout),
            restart: self.restart.or(file.restart),
            workers: self.workers.or(file.workers),
            journal: self.journal.or(file.journal),
            run: self.run.or(file.run),
            config: self.config,
        }
    }

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
            Problem::Wrong(format!(
                "no temporary folder for the journal: {error}; give --journal FILE"
            ))
        })?;
        Ok(folder.keep().join("journal.jsonl"))
    }

    /// The files that a run against a live endpoint reads and writes.
    pub(in crate::cli) fn files(&self) -> Vec<NamedFile> {
        let read =
            [("--config", &self.config), ("--ca", &self.ca), ("--client-cert", &self.client_cert)];
        let read = read.into_iter().filter_map(|(option, path)| Some((option, path.clone()?)));
        let journals = self.journal.iter().flat_map(|journal| [journal.clone(), previous(journal)]);
        read.chain(journals.map(|journal| ("--journal", journal))).collect()
    }

    /// Creates the clients for live endpoints.
    pub(super) fn clients<'a>(&self, settings: &'a Settings) -> Result<ClientFactory<'a>, Problem> {
        ClientFactory::new(settings, self.ca.as_deref(), self.client_cert.as_deref())
    }

    /// The settings that the options describe.
    pub(super) fn settings(&self) -> Result<Settings, Problem> {
        let target = self.target.as_deref().ok_or_else(|| {
            Problem::Wrong("no target: give --target URL, or target in the file".into())
        })?;
        let variable = self.key_env.as_deref().unwrap_or(VARIABLE);
        let key = key(self.key.as_deref(), Some(variable))?;
        let key = key.filter(|key| !key.reveal().is_empty()).ok_or_else(|| {
            Problem::Wrong(format!("no key: set {variable}, or give --key-env NAME or --key KEY"))
        })?;
        let standard = if self.sandbox { Budget::of_sandbox() } else { Budget::default() };
        let paced = (!self.sandbox).then_some(NonZeroU32::MIN.saturating_add(4));
        let ranged = || self.tax_id_range.as_ref().map(|TaxIdRange(range)| range.clone());
        let tax_ids = || ranged().unwrap_or(Sandbox::default().tax_ids);
        let run = self.run.clone().unwrap_or_else(any_name);
        let settings = Settings {
            target: without_slash(target),
            key,
            second_key: key_of_second(self)?,
            operator: self.operator.as_deref().map(without_slash),
            headers: headers::read(&self.headers).map_err(Problem::Wrong)?,
            webhooks: self.webhooks()?,
            sandbox: self.sandbox.then(|| Sandbox { tax_ids: tax_ids() }),
            allow_writes: self.allow_writes || self.sandbox,
            allow_disturbance: self.allow_disturbance,
            accounts: Accounts {
                listed: self.accounts.clone(),
                prefix: self.account_prefix.clone(),
                payors: self.payors.iter().map(|PayorOption(payor)| payor.clone()).collect(),
                emails: self.emails.clone(),
                tax_ids: self.tax_ids.clone(),
                banks: self.banks.iter().map(|BankOption(bank)| bank.clone()).collect(),
            },
            budget: Budget {
                requests: self.max_requests.unwrap_or(standard.requests),
                financed: self.max_financed.unwrap_or(standard.financed),
                subscriptions: self.max_subscriptions.unwrap_or(standard.subscriptions),
                seconds: self.max_seconds.or(standard.seconds),
            },
            per_second: self.requests_per_second.or(paced),
            at_once: NonZeroU32::MIN,
            workers: self.workers,
            timeout: Duration::from_secs(self.timeout.map_or(30, NonZeroU32::get).into()),
            restart: self.restart.clone(),
            own_name: own_name(&run).map_err(Problem::Wrong)?,
            is_run_new: self.run.is_none(),
        };
        settings.check().map_err(Problem::Wrong)?;
        Ok(settings)
    }

    fn webhooks(&self) -> Result<Option<Webhooks>, Problem> {
        match (self.webhook_listen, self.webhook_url.as_deref()) {
            (None, None) => Ok(None),
            (Some(listen), Some(url)) => Ok(Some(Webhooks { listen, url: without_slash(url) })),
            (Some(_), None) => Err(Problem::Wrong(
                "webhook-listen needs webhook-url: the public URL that leads there".into(),
            )),
            (None, Some(_)) => Err(Problem::Wrong(
                "webhook-url needs webhook-listen: the address that it leads to".into(),
            )),
        }
    }
}

fn key_of_second(options: &LiveOptions) -> Result<Option<ApiKey>, Problem> {
    let (given, variable) = (options.second_key.as_deref(), options.second_key_env.as_deref());
    match (key(given, variable)?, variable) {
        (None, Some(variable)) => {
            Err(Problem::Wrong(format!("second-key-env: {variable} is not set")))
        }
        (key, _) => Ok(key),
    }
}

/// The given key, or the key in the variable.
fn key(given: Option<&str>, variable: Option<&str>) -> Result<Option<ApiKey>, Problem> {
    if let Some(given) = given {
        return Ok(Some(ApiKey::new(given.to_owned())));
    }
    let Some(value) = variable.and_then(std::env::var_os) else { return Ok(None) };
    let key = value.into_string().map_err(|_| {
        Problem::Wrong(format!("{}: the key is not UTF-8", variable.unwrap_or_default()))
    })?;
    Ok(Some(ApiKey::new(key)))
}

fn without_slash(url: &str) -> String {
    url.trim_end_matches('/').to_owned()
}

fn read(path: &Path) -> Result<LiveOptions, Problem> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Problem::Wrong(format!("{}: {error}", path.display())))?;
    parse(&text).map_err(|problem| Problem::Wrong(format!("{}:{problem}", path.display())))
}

/// The options in a file, or the line number and the problem.
pub(super) fn parse(text: &str) -> Result<LiveOptions, String> {
    toml::from_str(text).map_err(|error| {
        let problem = error.message();
        let hint = match ["key", "second_key"]
            .iter()
            .find(|key| problem.contains(&format!("field `{key}`")))
        {
            Some(key) => {
                format!("; a key never stands in the file: {key}_env names the variable with it")
            }
            None => suggestion(problem),
        };
        located(text, &error, &hint)
    })
}

/// The known name that is nearest to the unknown one that serde complains of.
fn suggestion(problem: &str) -> String {
    let names: Vec<&str> = problem.split('`').skip(1).step_by(2).collect();
    match names.as_slice() {
        [unknown, known @ ..] if problem.starts_with("unknown field") && !known.is_empty() => {
            format!("; {}", instead(unknown, known))
        }
        _ => String::new(),
    }
}
