//! Renames the generator's steps for a live target, and leaves out those that cannot be sent.
//!
//! The generator always uses its own names. Here each step gets names that the user allows: test accounts,
//! payors, e-mail addresses, tax ids and bank accounts. Everything that the run creates starts with `${run}`,
//! so that it is new in each play. Secrets stay references, so that no step shows them. A step that the gate
//! refuses, or that the target does not support, is left out; the walk continues as if it had happened.

use percent_encoding::percent_decode_str;
use serde_json::{Map, Value, json};
use tideover_exchange::Memory;
use tideover_exchange::step::{Action, Call, Caller, Step};
use tideover_exchange::transcript::Transcript;
use tideover_exchange::{Prepared, Race};
use tideover_model::OperationKind::ImportInvoices;
use tideover_model::wire::route::{segment, served_at};
use tideover_model::wire::schema::{Field, Role, in_requests};
use tideover_model::{ActionKind, tax_id_digits};
use tideover_suite::generate::names::{PAYORS, VENDORS, run_scoped};
use tideover_suite::generate::requests as make;

use crate::grants::Grants;
use crate::ledger::SpendingLedger;
use crate::scope::Scope;
use crate::session::Abilities;
use crate::settings::{Bank, Budget, Settings};
use crate::unasked::Why;

/// The longest body for a live target, in bytes.
const MOST_BYTES: usize = 1 << 16;

/// The most subscriptions of a case.
const SUBSCRIPTIONS: u64 = 2;

/// The placeholder for values in responses that don't exist yet.
const PLACEHOLDER: &str = "given";

/// The names and abilities of a live target.
#[derive(Clone, Debug)]
pub struct Vocabulary {
    settings: Settings,
    abilities: Abilities,
    cases: u64,
}

/// Renames the steps of one case.
pub(super) struct Rendering<'a> {
    vocabulary: &'a Vocabulary,
    case: u64,
    memory: Memory,
    ledger: SpendingLedger,
    budget: Budget,
}

impl Vocabulary {
    /// The vocabulary for `cases` cases, limited by `settings` and `abilities`.
    pub fn new(settings: Settings, abilities: Abilities, cases: u64) -> Vocabulary {
        Vocabulary { settings, abilities, cases: cases.max(1) }
    }

    /// Whether writes are generated.
    pub fn writes(&self) -> bool {
        self.settings.allow_writes
    }

    /// Test accounts that existed before the run, in an unknown state.
    pub(super) fn known_accounts(&self) -> &[String] {
        let accounts = &self.settings.accounts;
        if self.writes() && accounts.prefix.is_some() { &[] } else { &accounts.listed }
    }

    /// Whether nothing that a case names existed before it.
    pub fn is_fresh(&self) -> bool {
        let is_sandbox = self.settings.sandbox.is_some();
        self.settings.is_run_new && (is_sandbox || self.known_accounts().is_empty())
    }

    pub(super) fn rendering(&self, case: u64) -> Rendering<'_> {
        let Budget { financed, subscriptions, .. } = self.settings.budget;
        let budget = Budget {
            requests: u64::MAX,
            financed: financed / self.cases,
            // Those of a case are deleted before the next.
            subscriptions: subscriptions.min(SUBSCRIPTIONS),
            seconds: None,
        };
        let memory = self.settings.memory(self.inbox(), 0);
        Rendering { vocabulary: self, case, memory, ledger: SpendingLedger::default(), budget }
    }

    /// The index of the first step that may not be sent unchanged, and the reason. A step that was refused before
    /// costs nothing, as in the run that the transcript is from.
    pub fn refused(&self, transcript: &Transcript) -> Option<(usize, String)> {
        let budget = self.settings.budget;
        let mut rendering = Rendering { budget, ..self.rendering(0) };
        let refused = |(index, step): (usize, &Step)| {
            let was = transcript.recorded.get(index).and_then(|recorded| recorded.status);
            let is_refused = was.is_some_and(|status| (400..500).contains(&status));
            let (_, words) = rendering.admit(step, is_refused).err()?;
            Some((index, words))
        };
        transcript.steps.iter().enumerate().find_map(refused)
    }

    fn inbox(&self) -> Option<&'static str> {
        self.settings.webhooks.is_some().then_some("https://inbox.invalid")
    }

    fn offers(&self, action: Option<ActionKind>) -> bool {
        match &self.abilities.actions {
            Some(_) => action.is_some_and(|action| self.abilities.lists(action)),
            None => action != Some(ActionKind::UpstreamFails),
        }
    }
}

impl Rendering<'_> {
    /// `race` with the target's names. Clients take turns, so that each gets a share of the budget.
    pub(super) fn render_race(&mut self, race: &Race) -> Race {
        let mut render = |steps: &[Step]| -> Vec<Step> {
            steps.iter().filter_map(|step| self.render(step, false).ok()).collect()
        };
        let before = render(&race.before);
        let mut clients = vec![Vec::new(); race.clients.len()];
        let longest = race.clients.iter().map(Vec::len).max().unwrap_or(0);
        for round in 0..longest {
            for (named, steps) in clients.iter_mut().zip(&race.clients) {
                named.extend(render(steps.get(round..=round).unwrap_or_default()));
            }
        }
        Race { before, clients, after: render(&race.after) }
    }

    /// `step` with the target's names, or why it is left out. A step that `is_refused` costs nothing.
    pub(super) fn render(&mut self, step: &Step, is_refused: bool) -> Result<Step, Why> {
        let caller = match &step.caller {
            Caller::Header(header) => {
                let nobody = header.replace("rap_sk_unknown", "${run}-nobody");
                Caller::Header(nobody.replace("rap_sk_local", "${run}-nobody"))
            }
            caller => caller.clone(),
        };
        let action = match &step.action {
            Action::Call(call) => Action::Call(self.call(call)?),
            Action::Act(fields) => {
                if !self.vocabulary.offers(ActionKind::of(fields)) {
                    return Err(Why::Operator);
                }
                Action::Act(self.fields(fields, "")?)
            }
            Action::Advance(seconds) => Action::Advance(*seconds),
            Action::Deliveries => return Err(Why::Operator),
        };
        let named = Step { caller, action, ..step.clone() };
        self.admit(&named, is_refused).map_err(|(why, _)| why)?;
        Ok(named)
    }

    /// Checks `step` against the gate and the budget of a case. Placeholders stand for values of responses.
    fn admit(&mut self, step: &Step, is_refused: bool) -> Result<(), (Why, String)> {
        let settings = &self.vocabulary.settings;
        let prepared = Prepared::from_step(step, &self.memory, settings.key.reveal());
        let all = || std::iter::once(PLACEHOLDER.to_owned()).collect();
        let references = [(PLACEHOLDER.to_owned(), String::new())].into();
        let grants = Grants { references, keys: all(), sessions: all(), ..Grants::default() };
        let scope = Scope {
            settings,
            grants: &grants,
            inbox: self.vocabulary.inbox(),
            moves_clock: self.vocabulary.abilities.moves_clock,
            disturbs: self.vocabulary.abilities.disturbs,
        };
        let permit =
            scope.judge(&prepared).map_err(|refused| (refused.why, refused.to_string()))?;
        let caller = prepared.authorization.as_deref().unwrap_or_default();
        let charge = self.ledger.charge(&self.budget, caller, &permit);
        let charge = charge.map_err(|spent| (Why::Budget, spent.to_string()))?;
        if is_refused {
            self.ledger.refund(charge);
        }
        if let Some(name) = &step.name {
            let answer =
                json!({ "reference": PLACEHOLDER, "key": PLACEHOLDER, "url": PLACEHOLDER });
            self.memory = std::mem::take(&mut self.memory).knowing(name, answer);
        }
        Ok(())
    }

    fn call(&self, call: &Call) -> Result<Call, Why> {
        let is_long = call.text.as_ref().is_some_and(|text| text.len() > MOST_BYTES)
            || call.body.as_ref().is_some_and(|body| body.to_string().len() > MOST_BYTES);
        if is_long {
            return Err(Why::Length);
        }
        let body = match &call.body {
            Some(Value::Object(fields)) => Some(Value::Object(self.fields(fields, "")?)),
            body => body.clone(),
        };
        let text = match &call.text {
            Some(text) if call.kind() == Some(ImportInvoices) => Some(self.file(text)?),
            text => text.clone(),
        };
        let reads = call.method == "GET";
        Ok(Call { path: self.path(&call.path, reads)?, body, text, ..call.clone() })
    }

    fn path(&self, path: &str, reads: bool) -> Result<String, Why> {
        let Some(at) = served_at(path) else {
            return Ok(if path == "/v1/unknown" { "/v1/${run}-unknown" } else { path }.to_owned());
        };
        let named = |(role, name): (&Role, &str)| match role {
            Role::Business => match self.business(&decoded(name)) {
                Err(_) if reads => Ok(in_path(&run_scoped(&decoded(name)))),
                name => name.map(|name| in_path(&name)),
            },
            Role::Invoice | Role::Import => Ok(in_path(&run_scoped(&decoded(name)))),
            _ => Ok(name.to_owned()),
        };
        let identifiers = at.kind.path_roles().iter().zip(at.encoded_identifiers());
        let named: Result<Vec<String>, Why> = identifiers.map(named).collect();
        Ok(at.kind.path_with(&named?))
    }

    /// Renames the fields of the object in field `of`.
    fn fields(&self, fields: &Map<String, Value>, of: &str) -> Result<Map<String, Value>, Why> {
        let mut named = Map::new();
        for (field, value) in fields {
            named.insert(field.clone(), self.field(of, field, value)?);
        }
        self.bank(&mut named);
        if of == "payor" {
            self.keep_only_listed_name(&mut named);
        }
        Ok(named)
    }

    /// Reduces a listed payor to its identifier and the user's name for it.
    fn keep_only_listed_name(&self, payor: &mut Map<String, Value>) {
        let accounts = &self.vocabulary.settings.accounts;
        let identifier = payor.get("externalId").and_then(Value::as_str);
        if let Some(listed) = identifier.and_then(|name| accounts.listed_payor(name)) {
            payor.retain(|field, _| field == "externalId");
            payor.insert("legalName".into(), listed.legal_name.as_str().into());
        }
    }

    fn field(&self, of: &str, field: &str, value: &Value) -> Result<Value, Why> {
        if let Value::Object(fields) = value {
            return self.fields(fields, field).map(Value::Object);
        }
        if let ("faceValue", Some(cents)) = (field, value.as_u64()) {
            return Ok(self.face_value(cents).into());
        }
        let Some(text) = value.as_str().filter(|text| !text.is_empty()) else {
            return Ok(value.clone());
        };
        // A step may be malformed on purpose, so that its place tells nothing.
        let roles = in_requests(field).iter().map(|field| field.role);
        let named = roles.into_iter().find_map(|role| self.of_role(role, of, text));
        named.unwrap_or_else(|| Ok(text.to_owned())).map(Value::String)
    }

    /// A text in the object `of` that has this role; `None` if such texts stay.
    fn of_role(&self, role: Role, of: &str, text: &str) -> Option<Result<String, Why>> {
        Some(match role {
            Role::Business if of == "payor" => self.payor(text),
            Role::Business => self.business(text),
            // A text in place of a party.
            Role::Object(fields) if names_business(fields) => self.business(text),
            Role::Invoice | Role::Platform => Ok(run_scoped(text)),
            Role::Email => Ok(self.email(text)),
            Role::TaxId => self.tax_id(text),
            Role::Receiver | Role::Link => self.destination(text),
            _ => return None,
        })
    }

    /// Replaces the generator's host: with the run's own inbox, or with an invalid host if the scheme is
    /// wrong.
    fn destination(&self, url: &str) -> Result<String, Why> {
        const FOREIGN: &str = "https://hooks.example.com";
        if !url.contains([':', '$']) {
            return Ok(run_scoped(url));
        }
        let url = url.replace(FOREIGN, "${inbox}/accepts");
        if url.contains("${inbox}") && self.vocabulary.inbox().is_none() {
            return Err(Why::Inbox);
        }
        Ok(url.replace("hooks.example.com", "hooks.invalid"))
    }

    /// Reduces a face value, in cents, so that advances fit into the budget of a case.
    fn face_value(&self, cents: u64) -> u64 {
        match self.budget.financed / 2 {
            0 => cents,
            most if cents <= most => cents,
            most => most - cents % (most / 10 + 1),
        }
    }

    fn business(&self, name: &str) -> Result<String, Why> {
        let accounts = &self.vocabulary.settings.accounts;
        if let Some(prefix) = &accounts.prefix {
            return Ok(format!("{prefix}{}", run_scoped(name)));
        }
        let further = ["t1", "t2", "w1", "alias", "of-import-1", "of-import-2"];
        let position = VENDORS.iter().chain(&further).position(|known| *known == name);
        let account = position.and_then(|position| self.in_turn(&accounts.listed, position));
        account.cloned().ok_or(Why::Account)
    }

    fn payor(&self, name: &str) -> Result<String, Why> {
        let payors = &self.vocabulary.settings.accounts.payors;
        match PAYORS.iter().position(|payor| *payor == name) {
            Some(position) if !payors.is_empty() => {
                Ok(payors[position % payors.len()].identifier.clone())
            }
            _ => self.business(name),
        }
    }

    /// The item at `position`, counted from an item that rotates with the case. `None` if the list is too
    /// short.
    fn in_turn<'a, T>(&self, list: &'a [T], position: usize) -> Option<&'a T> {
        if position >= list.len() {
            return None;
        }
        let first = usize::try_from(self.case % list.len() as u64).unwrap_or(0);
        list.get((first + position) % list.len())
    }

    /// One of the user's addresses, always the same for the same text. Malformed text stays.
    fn email(&self, text: &str) -> String {
        let emails = &self.vocabulary.settings.accounts.emails;
        if emails.is_empty() {
            return text.to_owned();
        }
        let own = &emails[sum(text) % emails.len()];
        match text.split_once(" <") {
            Some((name, rest)) if rest.ends_with(".example>") => format!("{name} <{own}>"),
            None if text.ends_with(".example") => own.clone(),
            Some(_) | None => text.to_owned(),
        }
    }

    fn tax_id(&self, text: &str) -> Result<String, Why> {
        const KNOWN: [&str; 6] =
            ["120000000", "120000001", "120000002", "130000001", "130000002", "130000003"];
        let digits = tax_id_digits(text);
        let Some(position) = KNOWN.iter().position(|known| *known == digits) else {
            return Ok(text.to_owned());
        };
        let own = &self.vocabulary.settings.accounts.tax_ids;
        let numbers: Vec<usize> = (0..own.len()).collect();
        let index = self.in_turn(&numbers, position).ok_or(Why::TaxId)?;
        Ok(format!("${{own.taxIds.{index}}}"))
    }

    /// Inserts an account of the user and its bank, but keeps a value that is wrong on purpose.
    fn bank(&self, fields: &mut Map<String, Value>) {
        let banks = &self.vocabulary.settings.accounts.banks;
        let text = |name: &str| fields.get(name).and_then(Value::as_str).map(str::to_owned);
        let (Some(account), Some(routing)) = (text("accountNumber"), text("routingNumber")) else {
            return;
        };
        let Some(index) = sum(&account).checked_rem(banks.len()) else { return };
        let Bank { routing_number, .. } = &banks[index];
        if account.len() >= 4 && account.bytes().all(|byte| byte.is_ascii_digit()) {
            fields
                .insert("accountNumber".into(), format!("${{own.accountNumbers.{index}}}").into());
        }
        if tideover_model::is_routing_number(&routing) {
            fields.insert("routingNumber".into(), routing_number.as_str().into());
        }
    }

    /// A file with both identifiers in every row. Rows without a payee are left out.
    fn file(&self, text: &str) -> Result<String, Why> {
        let text = text.replace(", ", " ").replace('"', "");
        let mut lines = text.lines();
        let columns: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
        let payee = columns.iter().position(|column| *column == "payeeExternalId");
        let payee = payee.ok_or(Why::Reach)?;
        let invoice = columns.iter().position(|column| *column == "externalId");
        let payor = self.payor(PAYORS[0])?;
        let listed = self.vocabulary.settings.accounts.listed_payor(&payor);
        let its_name = columns.iter().position(|column| *column == "payorLegalName");
        let named = columns.iter().position(|column| *column == "payorExternalId");
        let mut file = columns.join(",");
        file.push_str(if named.is_some() { "\n" } else { ",payorExternalId\n" });
        for line in lines {
            let mut cells: Vec<String> = line.split(',').map(str::to_owned).collect();
            if cells.len() != columns.len() || cells[payee].trim().is_empty() {
                continue;
            }
            let Ok(business) = self.business(&cells[payee]) else { continue };
            cells[payee] = business;
            if let Some(invoice) = invoice {
                cells[invoice] = run_scoped(&cells[invoice]);
            }
            if let (Some(column), Some(listed)) = (its_name, listed) {
                cells[column].clone_from(&listed.legal_name);
            }
            match named {
                Some(named) => cells[named].clone_from(&payor),
                None => cells.push(payor.clone()),
            }
            file.push_str(&format!("{}\n", cells.join(",")));
        }
        Ok(file)
    }
}

fn names_business(fields: &[Field]) -> bool {
    fields.iter().any(|field| matches!(field.role, Role::Business))
}

/// A name, encoded for a path; the reference `${run}` stays.
fn in_path(name: &str) -> String {
    segment(name).replace("%24%7Brun%7D", "${run}")
}

fn decoded(segment: &str) -> String {
    percent_decode_str(segment).decode_utf8_lossy().into_owned()
}

/// A number that is the same for the same text.
fn sum(text: &str) -> usize {
    text.bytes().map(usize::from).sum()
}

/// The first steps of a case: reads of the accounts that existed before.
pub(super) fn opening(vocabulary: &Vocabulary) -> Vec<Step> {
    let accounts = vocabulary.known_accounts();
    accounts.iter().map(|account| make::get_business(account)).collect()
}
