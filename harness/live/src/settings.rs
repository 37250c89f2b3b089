//! The settings of a run against a live target, checked once before anything is sent.

use std::fmt;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::ops::RangeInclusive;
use std::time::Duration;

use serde_json::json;
use tideover_endpoint::client::ExtraHeader;
use tideover_exchange::Memory;
use tideover_exchange::renaming::{Renaming, TAX_IDS};
use tideover_exchange::secrets::Secrets;
use tideover_exchange::target::NO_INBOX;
use tideover_model::masked;
use url::Url;

use crate::facilities::OTHER;

/// An API key. Its middle is masked in every output.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

/// The settings of a run against a live target.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The base URL, without a slash at its end.
    pub target: String,
    /// The key of the platform that calls.
    pub key: ApiKey,
    /// The key of a second platform, served by the same target.
    pub second_key: Option<ApiKey>,
    /// The base URL of the operator port.
    pub operator: Option<String>,
    /// Extra headers of every request, also to the operator port.
    pub headers: Vec<ExtraHeader>,
    /// Where the run receives webhooks.
    pub webhooks: Option<Webhooks>,
    /// Set if nothing at the target is real. Then everything may be sent.
    pub sandbox: Option<Sandbox>,
    /// Whether anything but reads and quotes may be sent.
    pub allow_writes: bool,
    /// Whether operator actions may affect all users of the target: failures, interrupted imports, moves of
    /// the clock.
    pub allow_disturbance: bool,
    /// The accounts that requests may name.
    pub accounts: Accounts,
    pub budget: Budget,
    /// The most requests per second, if limited.
    pub per_second: Option<NonZeroU32>,
    /// The most requests in flight.
    pub at_once: NonZeroU32,
    /// How many cases are played at once, if the user says so.
    pub workers: Option<NonZeroU32>,
    pub timeout: Duration,
    /// The shell command that brings the target back after it stopped answering.
    pub restart: Option<String>,
    /// The prefix of every name that the run creates; see [`own_name`].
    pub own_name: String,
    /// Whether the prefix is random, so that no earlier run used it.
    pub is_run_new: bool,
}

/// The usual number of requests in a second, where money is real.
const PER_SECOND: NonZeroU32 = NonZeroU32::MIN.saturating_add(4);

/// The most seconds of a run in a sandbox. A slow sandbox gets fewer requests.
const SANDBOX_SECONDS: u64 = 90;

/// A target that holds nothing real, as the user declares, and the names to use there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sandbox {
    pub tax_ids: RangeInclusive<u32>,
}

impl Default for Sandbox {
    fn default() -> Sandbox {
        Sandbox { tax_ids: TAX_IDS }
    }
}

/// The inbox: its address and its public URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Webhooks {
    pub listen: SocketAddr,
    /// The public URL, without a slash at its end.
    pub url: String,
}

/// The accounts and other identities that writes may name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Accounts {
    /// Identifiers of test accounts.
    pub listed: Vec<String>,
    /// The prefix of identifiers of test accounts.
    pub prefix: Option<String>,
    /// Businesses that may be payors of invoices, besides the test accounts.
    pub payors: Vec<Payor>,
    /// Addresses that invitations may be sent to.
    pub emails: Vec<String>,
    pub tax_ids: Vec<String>,
    pub banks: Vec<Bank>,
}

/// A business that may be a payor. Requests always use this name, because a sync may change it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payor {
    pub identifier: String,
    pub legal_name: String,
}

#[derive(Clone, PartialEq, Eq)]
pub struct Bank {
    pub account_number: String,
    pub routing_number: String,
}

/// The limits of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Requests, including those to the operator port, but not the cleanup at the end.
    pub requests: u64,
    /// The sum of the face values of invoices with a requested advance, in cents.
    pub financed: u64,
    /// Subscriptions to webhooks that exist at a time.
    pub subscriptions: u64,
    /// Seconds, if limited.
    pub seconds: Option<u64>,
}

/// Options that do not fit. The user changes them: the message names the option, and says what is expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSettings {
    #[error("{option}: {problem}")]
    Value { option: &'static str, problem: String },
    #[error("{option} needs {what}")]
    Needs { option: &'static str, what: &'static str },
}

impl InvalidSettings {
    pub fn value(option: &'static str, problem: impl Into<String>) -> InvalidSettings {
        InvalidSettings::Value { option, problem: problem.into() }
    }

    pub fn needs(option: &'static str, what: &'static str) -> InvalidSettings {
        InvalidSettings::Needs { option, what }
    }
}

/// The prefix of every name that the run `run` creates, after the prefix of the test accounts.
pub fn own_name(run: &str) -> Result<String, InvalidSettings> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    if (1..=32).contains(&run.len()) && run.bytes().all(is_plain) {
        return Ok(format!("td-{run}-"));
    }
    Err(InvalidSettings::value("run", "expected at most 32 letters, digits and hyphens"))
}

pub fn any_name() -> String {
    format!("{:012x}", RandomState::new().build_hasher().finish() >> 16)
}

/// The most cases at once.
const MOST_WORKERS: u32 = 64;

/// A shorter key could occur in other text by chance.
pub(super) const SHORTEST_KEY: usize = 8;

/// A shorter prefix could match identifiers of others.
const SHORTEST_PREFIX: usize = 3;

impl ApiKey {
    pub fn new(text: String) -> ApiKey {
        ApiKey(text)
    }

    /// The key itself, to be sent.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ApiKey({self})")
    }
}

impl fmt::Display for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&masked(&self.0))
    }
}

impl fmt::Debug for Bank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bank({}, {})", masked(&self.account_number), self.routing_number)
    }
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { requests: 500, financed: 0, subscriptions: 3, seconds: None }
    }
}

impl Budget {
    /// The default limits in a sandbox: requests take time, and nothing else is real. They leave room for the round of
    /// goals, the races, and the tours that send each request in each state.
    pub fn of_sandbox() -> Budget {
        Budget {
            requests: 8000,
            financed: u64::MAX,
            subscriptions: u64::MAX,
            seconds: Some(SANDBOX_SECONDS),
        }
    }
}

impl Accounts {
    /// Whether an identifier belongs to a test account.
    pub fn is_test_account(&self, identifier: &str) -> bool {
        let prefixed = self.prefix.as_deref().is_some_and(|prefix| identifier.starts_with(prefix));
        is_plain(identifier) && (prefixed || self.listed.iter().any(|listed| listed == identifier))
    }

    /// Whether an identifier may be the payor of an invoice.
    pub fn is_payor(&self, identifier: &str) -> bool {
        self.listed_payor(identifier).is_some() || self.is_test_account(identifier)
    }

    /// The listed payor with this identifier, unless it is a test account.
    pub fn listed_payor(&self, identifier: &str) -> Option<&Payor> {
        let is_it = |payor: &&Payor| payor.identifier == identifier;
        self.payors.iter().find(is_it).filter(|_| !self.is_test_account(identifier))
    }

    fn is_empty(&self) -> bool {
        self.listed.is_empty() && self.prefix.is_none()
    }
}

/// Whether every server and proxy reads an identifier in a path the same way: it has no path syntax and
/// nothing that could be decoded twice.
pub fn is_plain(identifier: &str) -> bool {
    let is_part_of_paths = |character: char| r"/\%?#;".contains(character);
    !identifier.is_empty()
        && identifier.trim() == identifier
        && !identifier
            .chars()
            .any(|character| character.is_control() || is_part_of_paths(character))
        && !identifier.chars().all(|character| character == '.')
}

impl Settings {
    /// The settings of a run that only reads, with the usual limits.
    pub fn new(target: String, key: ApiKey, own_name: String) -> Settings {
        Settings {
            target,
            key,
            second_key: None,
            operator: None,
            headers: Vec::new(),
            webhooks: None,
            sandbox: None,
            allow_writes: false,
            allow_disturbance: false,
            accounts: Accounts::default(),
            budget: Budget::default(),
            per_second: Some(PER_SECOND),
            at_once: NonZeroU32::MIN,
            workers: None,
            timeout: Duration::from_secs(30),
            restart: None,
            own_name,
            is_run_new: true,
        }
    }

    pub fn check(&self) -> Result<(), InvalidSettings> {
        check_url("target", &self.target)?;
        self.operator.as_deref().map_or(Ok(()), |operator| check_url("operator", operator))?;
        if self.second_key.as_ref() == Some(&self.key) {
            let why = "it is the same as key; a second platform has its own";
            return Err(InvalidSettings::value("second-key", why));
        }
        if !self.keys().all(|key| key.0.bytes().all(|byte| byte.is_ascii_graphic())) {
            let why = "it has characters that no header can carry";
            return Err(InvalidSettings::value("key", why));
        }
        self.accounts.check()?;
        if self.allow_writes && self.accounts.is_empty() && self.sandbox.is_none() {
            return Err(InvalidSettings::needs(
                "allow-writes",
                "test accounts: list them with account, or give account-prefix, once the service's operator has marked \
                 them",
            ));
        }
        let workers = self.workers.map_or(1, NonZeroU32::get);
        if workers > MOST_WORKERS {
            let why = format!("at most {MOST_WORKERS} cases are played at once");
            return Err(InvalidSettings::value("workers", why));
        }
        if workers > 1 && !self.has_independent_cases() {
            return Err(InvalidSettings::needs(
                "workers",
                "a sandbox or a run without allow-writes: cases that write to the same test accounts are played one \
                 after another",
            ));
        }
        if !self.allow_writes && self.webhooks.is_some() {
            let what = "sandbox or allow-writes: to subscribe is to write";
            return Err(InvalidSettings::needs("webhook-url", what));
        }
        for (option, key) in ["key", "second-key"].into_iter().zip(self.keys()) {
            let hint = match key.0.len() {
                0 => ": it is empty; is the variable set that it is taken from?",
                1..SHORTEST_KEY => "",
                SHORTEST_KEY.. => continue,
            };
            let why = format!("expected at least {SHORTEST_KEY} characters{hint}");
            return Err(InvalidSettings::value(option, why));
        }
        let Some(webhooks) = &self.webhooks else { return Ok(()) };
        check_url("webhook-url", &webhooks.url)
    }

    /// The values that the steps of play number `play` can refer to: the inbox, the prefix `${run}`, the
    /// user's secrets and the key of the second platform.
    pub fn memory(&self, inbox: Option<&str>, play: u64) -> Memory {
        let Settings { accounts, second_key, own_name, .. } = self;
        let numbers: Vec<&str> = accounts.banks.iter().map(|bank| &*bank.account_number).collect();
        let own = json!({ "taxIds": accounts.tax_ids, "accountNumbers": numbers });
        // A subscription of an earlier play may still exist, so each play has its own URL.
        let nowhere = || format!("{NO_INBOX}/{own_name}{play}");
        let memory = Memory::with_inbox(&inbox.map_or_else(nowhere, str::to_owned))
            .knowing("run", format!("{own_name}{play}").into())
            .knowing("own", own);
        let memory = match &self.sandbox {
            Some(Sandbox { tax_ids }) => {
                memory.renaming(Renaming::new(own_name, play, tax_ids.clone()))
            }
            None => memory,
        };
        match second_key {
            None => memory,
            Some(key) => memory.knowing(OTHER, json!({ "key": key.reveal() })),
        }
    }

    pub(super) fn secrets(&self) -> Secrets {
        let mut secrets = Secrets::default();
        self.keys().for_each(|key| secrets.keep(key.reveal()));
        self.headers.iter().filter_map(ExtraHeader::secret).for_each(|it| secrets.keep_header(it));
        let Accounts { tax_ids, banks, .. } = &self.accounts;
        tax_ids.iter().for_each(|tax_id| secrets.keep(tax_id));
        banks.iter().for_each(|bank| secrets.keep(&bank.account_number));
        secrets
    }

    /// A body in which references replace the user's tax ids and account numbers.
    pub(super) fn conceal(&self, body: &str) -> String {
        let Accounts { tax_ids, banks, .. } = &self.accounts;
        let is_json = serde_json::from_str::<serde::de::IgnoredAny>(body).is_ok();
        // Without quotes, the text may be part of another number.
        let quoted = |text: &str| if is_json { format!("\"{text}\"") } else { text.to_owned() };
        let tax_ids = tax_ids.iter().map(String::as_str).enumerate();
        let tax_ids = tax_ids.map(|(n, own)| (own, format!("${{own.taxIds.{n}}}")));
        let numbers = banks.iter().filter(|_| is_json).map(|bank| &*bank.account_number);
        let numbers = numbers.enumerate();
        let numbers = numbers.map(|(n, own)| (own, format!("${{own.accountNumbers.{n}}}")));
        tax_ids.chain(numbers).fold(body.to_owned(), |body, (own, reference)| {
            body.replace(&quoted(own), &quoted(&reference))
        })
    }

    pub fn header_names(&self) -> Vec<String> {
        self.headers.iter().map(|header| header.name().to_owned()).collect()
    }

    /// Whether no case can affect another: each has its own names, or nothing is written. Test accounts and their tax
    /// ids are shared by all cases.
    pub(super) fn has_independent_cases(&self) -> bool {
        self.sandbox.is_some() || !self.allow_writes
    }

    fn keys(&self) -> impl Iterator<Item = &ApiKey> {
        std::iter::once(&self.key).chain(&self.second_key)
    }
}

impl Accounts {
    fn check(&self) -> Result<(), InvalidSettings> {
        if let Some(prefix) = &self.prefix
            && (prefix.chars().count() < SHORTEST_PREFIX || !is_plain(prefix))
        {
            let why = format!(
                "{prefix:?} is too short or has a character of paths: expected at least {SHORTEST_PREFIX} characters \
                 that only test accounts begin with"
            );
            return Err(InvalidSettings::value("account-prefix", why));
        }
        let listed = self.listed.iter().map(|identifier| ("account", identifier));
        let payors = self.payors.iter().map(|payor| ("payor", &payor.identifier));
        if let Some((option, identifier)) = listed.chain(payors).find(|(_, it)| !is_plain(it)) {
            let why = format!(
                "{identifier:?} is empty, or has one of / \\ % ? # ; in it, which not every server reads alike"
            );
            return Err(InvalidSettings::value(option, why));
        }
        let digits = |text: &str| text.chars().filter(char::is_ascii_digit).count();
        if let Some(tax_id) = self.tax_ids.iter().find(|tax_id| digits(tax_id) != 9) {
            let why = format!("{:?} has not nine digits", masked(tax_id));
            return Err(InvalidSettings::value("tax-id", why));
        }
        if let Some(email) = self.emails.iter().find(|email| !email.contains('@')) {
            return Err(InvalidSettings::value("email", format!("{email:?} is no address")));
        }
        Ok(())
    }
}

fn check_url(option: &'static str, text: &str) -> Result<(), InvalidSettings> {
    let wrong = |why: &str| Err(InvalidSettings::value(option, why));
    let Ok(url) = Url::parse(text) else {
        return wrong("it is no URL: begin it with http:// or https://");
    };
    match url.scheme() {
        _ if !url.username().is_empty() || url.password().is_some() => {
            wrong("no user or password may stand in it")
        }
        _ if url.query().is_some() || url.fragment().is_some() => {
            wrong("it must have no query and no fragment")
        }
        "http" | "https" => Ok(()),
        _ => wrong("expected a URL that starts with https:// or http://"),
    }
}
