//! The gate for bodies: the values that each field may have.

use tideover_model::wire::schema::{Field, Role};
use tideover_model::{ActionKind, Destinations, TAX_ID_DIGITS, Unfit, is_routing_number};
use url::Url;

use crate::grants::Grants;
use crate::scope::tree::Tree;
use crate::scope::{GateResult, refused};
use crate::settings::Accounts;

/// The values that a field may have.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rule {
    /// Plain values and lists of them, which name nobody.
    Free,
    /// A sum of money; it occurs once.
    Amount,
    /// A test account; required.
    TestAccount,
    /// A test account, or nobody.
    Account,
    /// A test account or a payor; required.
    Payor,
    /// A name with the run's prefix.
    OwnName,
    /// One of the user's tax ids, or an impossible one.
    TaxId,
    /// One of the user's e-mail addresses, or an impossible one.
    Email,
    /// The number of one of the user's bank accounts, or an impossible one.
    AccountNumber,
    /// The routing number of one of the user's banks, or nobody's.
    RoutingNumber,
    /// A URL in the run's own inbox, or one that leads nowhere.
    Destination,
    /// A link to an onboarding session of the run.
    Session,
    /// A key that the run issued.
    IssuedKey,
    /// An object, or nothing.
    Fields(&'static [Field]),
}

impl Rule {
    /// Whether a target could supply a value that is missing, and so name somebody.
    fn must_be_present(self) -> bool {
        matches!(self, Rule::TestAccount | Rule::Payor | Rule::IssuedKey)
    }
}

/// The object whose fields are judged.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// The body of a request.
    Request,
    /// The payee of an invoice.
    Payee,
    /// The payor of an invoice.
    Payor,
    /// The body of an action.
    Action,
    /// An object in one of these, which names no account.
    Inner,
}

impl Place {
    /// The place of the object in the field `name` of this one.
    fn within(self, name: &str) -> Place {
        match (self, name) {
            (Place::Request, "payee") => Place::Payee,
            (Place::Request, "payor") => Place::Payor,
            _ => Place::Inner,
        }
    }

    /// The values that a field may have here; `None` for a field that is never sent.
    fn rule(self, field: &Field) -> Option<Rule> {
        Some(match (field.role, self) {
            // It could belong to somebody, or no request has it.
            (
                Role::Phone
                | Role::Import
                | Role::Subscription
                | Role::Invitation
                | Role::Secret
                | Role::List(_)
                | Role::Prose,
                _,
            ) => return None,
            (Role::Object(fields), _) => Rule::Fields(fields),
            (Role::Business, Place::Payor) => Rule::Payor,
            (Role::Business, Place::Request) => Rule::Account,
            (Role::Business, Place::Payee | Place::Action | Place::Inner) => Rule::TestAccount,
            (Role::Invoice, _) => Rule::OwnName,
            (Role::TaxId, _) => Rule::TaxId,
            (Role::Email, _) => Rule::Email,
            (Role::AccountNumber, _) => Rule::AccountNumber,
            (Role::RoutingNumber, _) => Rule::RoutingNumber,
            (Role::Amount, _) => Rule::Amount,
            (Role::Receiver, _) => Rule::Destination,
            (Role::Link, _) => Rule::Session,
            (Role::Key, _) => Rule::IssuedKey,
            (
                Role::LegalName
                | Role::Platform
                | Role::Count
                | Role::Flag
                | Role::Instant
                | Role::Word(_)
                | Role::EventTypes
                | Role::Text,
                _,
            ) => Rule::Free,
        })
    }
}

/// Whether an action affects every user of a target.
pub(crate) fn disturbs(action: ActionKind) -> bool {
    matches!(action, ActionKind::InterruptNextImport | ActionKind::UpstreamFails)
}

/// Whether a live target may be asked for an action.
pub(super) fn may_be_asked(action: ActionKind) -> bool {
    match action {
        // The vendor would be invited under an address that nobody listed.
        ActionKind::VendorCompletesOnboarding | ActionKind::Reset => false,
        ActionKind::VendorAcceptsInvitation
        | ActionKind::VendorConfirmsTaxId
        | ActionKind::VendorSignsAgreement
        | ActionKind::VendorAddsBankAccount
        | ActionKind::CollectionAccountOpens
        | ActionKind::FundingStarts
        | ActionKind::FundingCompletes
        | ActionKind::PayorPays
        | ActionKind::TaxIdFoundWrong
        | ActionKind::InterruptNextImport
        | ActionKind::VendorOpensSession
        | ActionKind::MarkTestAccount
        | ActionKind::IssueKey
        | ActionKind::RevokeKey
        | ActionKind::UpstreamFails => true,
    }
}

/// The names that requests may use.
#[derive(Clone, Copy)]
pub(super) struct AllowedNames<'a> {
    pub(super) accounts: &'a Accounts,
    pub(super) inbox: Option<&'a str>,
    pub(super) grants: &'a Grants,
    /// The prefix of every name that the run creates.
    pub(super) own_name: &'a str,
}

impl AllowedNames<'_> {
    /// Checks that every field of an object has an allowed value, and that the required fields are present.
    pub(super) fn judge(
        &self,
        object: &Tree,
        fields: &'static [Field],
        place: Place,
    ) -> GateResult<()> {
        let Tree::Object(members) = object else { return refused("expected an object") };
        for (index, (name, value)) in members.iter().enumerate() {
            let field = fields.iter().find(|field| field.name == name);
            let Some(rule) = field.and_then(|field| place.rule(field)) else {
                return refused(format!("the field {name:?} is not known"));
            };
            let is_repeated = members[..index].iter().any(|(earlier, _)| earlier == name);
            if is_repeated && !matches!(rule, Rule::Free) {
                return refused(format!("{name} occurs twice"));
            }
            if !self.permits(rule, value, place.within(name))? {
                return refused(format!("{name} could name somebody who is not the user's"));
            }
        }
        for field in fields {
            let is_missing = object.field(field.name).is_none();
            if is_missing && place.rule(field).is_some_and(Rule::must_be_present) {
                return refused(format!("{} is missing: the target could supply one", field.name));
            }
        }
        self.judge_bank(object)
    }

    /// Checks that a listed payor has the name that the user gives, and no other field.
    pub(super) fn judge_payor(&self, object: &Tree) -> GateResult<()> {
        let text = |name| object.field(name).and_then(Tree::text);
        let listed = text("externalId").and_then(|name| self.accounts.listed_payor(name));
        let Some(payor) = listed else { return Ok(()) };
        let Tree::Object(members) = object else { return Ok(()) };
        if members.len() == 2 && text("legalName") == Some(&payor.legal_name) {
            return Ok(());
        }
        refused(format!("the request changes more about {} than its name", payor.identifier))
    }

    /// Whether a field may have a value. If it is an object, it stands at `place`.
    fn permits(&self, rule: Rule, value: &Tree, place: Place) -> GateResult<bool> {
        if let (Rule::Fields(fields), Tree::Object(members)) = (rule, value)
            && !members.is_empty()
        {
            return self.judge(value, fields, place).map(|()| true);
        }
        if value.is_nothing() && !rule.must_be_present() {
            return Ok(true);
        }
        let Some(text) = value.text() else {
            let is_short = value.whole_number().is_some_and(|number| number < 1000);
            return Ok(match rule {
                Rule::Free | Rule::Amount => value.is_plain(),
                // Too short to identify anybody.
                Rule::TaxId
                | Rule::Email
                | Rule::AccountNumber
                | Rule::RoutingNumber
                | Rule::Destination => is_short,
                Rule::TestAccount
                | Rule::Account
                | Rule::Payor
                | Rule::OwnName
                | Rule::Session
                | Rule::IssuedKey
                | Rule::Fields(_) => false,
            });
        };
        Ok(match rule {
            Rule::Free | Rule::Amount => true,
            // A string in place of an object.
            Rule::Fields(_) => text.is_empty() || self.accounts.is_test_account(text),
            Rule::Account => text.is_empty() || self.accounts.is_test_account(text),
            Rule::TestAccount => self.accounts.is_test_account(text),
            Rule::Payor => self.accounts.is_payor(text),
            Rule::OwnName => text.is_empty() || self.is_own_name(text),
            Rule::TaxId => self.is_tax_id(text),
            Rule::Email => self.is_email(text),
            Rule::AccountNumber => {
                self.accounts.banks.iter().any(|bank| bank.account_number == text)
                    || is_nobodys_account(text)
            }
            Rule::RoutingNumber => {
                self.accounts.banks.iter().any(|bank| bank.routing_number == text)
                    || is_nobodys_bank(text)
            }
            Rule::Destination => {
                self.is_inbox(text) || leads_nowhere(text) || self.is_own_word(text)
            }
            Rule::Session => self.grants.sessions.contains(text),
            Rule::IssuedKey => self.grants.keys.contains(text),
        })
    }

    /// Checks that an account number and a routing number belong together: another pair could be somebody's
    /// account.
    fn judge_bank(&self, object: &Tree) -> GateResult<()> {
        let text = |name| object.field(name).and_then(Tree::text);
        let (Some(account), Some(routing)) = (text("accountNumber"), text("routingNumber")) else {
            return Ok(());
        };
        let is_own = self
            .accounts
            .banks
            .iter()
            .any(|bank| bank.account_number == account && bank.routing_number == routing);
        if is_own || is_nobodys_account(account) || is_nobodys_bank(routing) {
            return Ok(());
        }
        refused("the account number is not listed with this routing number")
    }

    pub(super) fn is_own_name(&self, text: &str) -> bool {
        text.starts_with(self.own_name)
    }

    pub(super) fn is_tax_id(&self, text: &str) -> bool {
        self.accounts.tax_ids.iter().any(|own| own == text) || is_nobodys_tax_id(text)
    }

    pub(super) fn is_email(&self, text: &str) -> bool {
        let is_own = |text: &str| self.accounts.emails.iter().any(|own| own == text);
        is_own(text) || is_nobodys_email(text) || named_email(text).is_some_and(is_own)
    }

    /// Whether `text` is not a URL, but a word with the run's prefix.
    fn is_own_word(&self, text: &str) -> bool {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        self.is_own_name(text) && text.bytes().all(is_plain)
    }

    pub(super) fn is_inbox(&self, url: &str) -> bool {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_/".contains(&byte);
        let rest = self.inbox.and_then(|inbox| url.strip_prefix(inbox)?.strip_prefix('/'));
        rest.is_some_and(|rest| rest.bytes().all(is_plain))
    }
}

fn digits(text: &str) -> usize {
    text.bytes().filter(u8::is_ascii_digit).count()
}

/// Whether a text has fewer digits than a tax id.
pub(crate) fn is_nobodys_tax_id(text: &str) -> bool {
    text.is_ascii() && digits(text) < TAX_ID_DIGITS
}

/// Whether a text has fewer digits than any account number, which has at least four.
pub(crate) fn is_nobodys_account(text: &str) -> bool {
    text.is_ascii() && digits(text) < 4
}

/// Whether a text is not a valid routing number: nine digits, the last of which is a check digit.
pub(crate) fn is_nobodys_bank(text: &str) -> bool {
    let is_mistyped = text.len() == 9 && digits(text) == 9 && !is_routing_number(text);
    text.is_ascii() && (digits(text) < 9 || is_mistyped)
}

/// Whether an e-mail address has no local part or no host, so that nothing can be delivered.
pub(crate) fn is_nobodys_email(text: &str) -> bool {
    let signs = text.matches('@').count();
    text.is_ascii() && (signs == 0 || signs == 1 && (text.starts_with('@') || text.ends_with('@')))
}

/// The address in `Ann <ann@example.com>`.
fn named_email(text: &str) -> Option<&str> {
    let (name, address) = text.strip_suffix('>')?.split_once(" <")?;
    name.bytes().all(|byte| byte.is_ascii_alphabetic()).then_some(address)
}

/// Whether no webhook to a URL can leave a network: its address is not public, or its host never resolves
/// (RFC 2606).
fn leads_nowhere(url: &str) -> bool {
    let unfit = Destinations::Public.judge(url, &[]).err();
    let host = Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned));
    let never_resolves = host.as_ref().is_some_and(|host| host.ends_with(".invalid"));
    match unfit {
        Some(Unfit::Local(_) | Unfit::Address(..)) => true,
        Some(Unfit::Scheme(_) | Unfit::NoScheme) => never_resolves,
        Some(Unfit::NotAUrl | Unfit::Credentials | Unfit::Port | Unfit::HostName) | None => false,
    }
}

/// Whether a body that is not an object names nobody: no field in it has a value.
pub(crate) fn names_nobody(body: &[u8]) -> bool {
    let text = String::from_utf8_lossy(body);
    let has_value = text.split(':').skip(1).any(|value| !value.trim().is_empty());
    is_nothing(body) && !has_value
}

/// Whether an unreadable body has too few digits for any number, and no address.
pub(crate) fn is_nothing(body: &[u8]) -> bool {
    let text = String::from_utf8_lossy(body);
    let is_numeric = |character: &char| character.is_numeric();
    is_nobodys_email(&text) && text.chars().filter(is_numeric).count() < 4 && !text.contains("//")
}
