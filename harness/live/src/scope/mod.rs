//! The gate, which every request must pass before the budget is charged and the request is sent. It refuses
//! every request that could affect somebody else, or whose cost it cannot count.
//!
//! Reads may pass: every GET without a body, and `POST /v1/quotes`. A write may pass if:
//!
//! - every business that it changes, in the path, the body or a row of a file, is a test account; a payor is
//!   a test account or a listed payor;
//! - e-mail addresses, tax ids and bank accounts are the user's own, or too malformed to belong to anybody; a
//!   webhook leads to the run's own inbox, or nowhere; an invoice or an import has the run's own prefix;
//! - every field and column is known, and a file has only one reading;
//! - a body that is no JSON object names nobody: no field in it has a value, and it has too few digits;
//! - a method that the API does not serve has a path of the user's own, or one with the run's prefix;
//! - its key was given to the run, issued by the run, or belongs to nobody; a key of nobody changes nothing.
//!
//! The gate refuses everything else, even if it is harmless.

mod file;
mod names;
mod tree;

use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};
use tideover_exchange::{Prepared, PreparedAction, PreparedCall};
use tideover_model::wire::action;
use tideover_model::wire::action::name_in;
use tideover_model::wire::route::{route, served_at};
use tideover_model::{ActionKind, OperationKind};

use crate::grants::Grants;
use crate::settings::{SHORTEST_KEY, Settings, is_plain};
use crate::unasked::Why;
pub(crate) use names::disturbs;
use names::{AllowedNames, Place};
use tree::Tree;

/// Why a request is not sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not sent: {words}")]
pub struct GateRefusal {
    /// The kind of reason.
    pub why: Why,
    /// The reason, in words.
    pub words: String,
}

/// A permission to send a request, with its possible cost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Permit {
    pub writes: bool,
    pub synced: Vec<SyncedInvoice>,
    /// The invoice for which it requests an advance.
    pub financed: Option<FinancedInvoice>,
    pub subscribes: bool,
    /// Whether the subscription leads to the inbox.
    pub delivers: bool,
    /// What the request creates, in words.
    pub makes: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyncedInvoice {
    pub payee: String,
    pub invoice: String,
    /// Its face value in cents, if it can be parsed.
    pub face_value: Option<u64>,
}

/// An invoice for which an advance is requested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinancedInvoice {
    pub payee: String,
    pub invoice: String,
    /// Whether only this run can sync it.
    pub is_own: bool,
}

/// The facts on which the gate decides.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    /// What the user allows.
    pub settings: &'a Settings,
    /// What the run was given.
    pub grants: &'a Grants,
    /// The run's own part of the inbox.
    pub inbox: Option<&'a str>,
    pub moves_clock: bool,
    /// Whether the run may do what affects all users of the target.
    pub disturbs: bool,
}

type GateResult<T = Permit> = Result<T, GateRefusal>;

/// Refuses a request that could affect somebody else.
fn refused<T>(words: impl Into<String>) -> GateResult<T> {
    refused_for(Why::Reach, words)
}

fn refused_for<T>(why: Why, words: impl Into<String>) -> GateResult<T> {
    Err(GateRefusal { why, words: words.into() })
}

impl Scope<'_> {
    /// Decides whether `step` may be sent.
    pub fn judge(&self, step: &Prepared) -> GateResult {
        if self.settings.sandbox.is_some() {
            return self.judge_in_sandbox(step);
        }
        let authorization = step.authorization.as_deref();
        match &step.action {
            PreparedAction::Call(call) if reads(call) => {
                self.judge_reader(authorization)?;
                Ok(Permit::default())
            }
            PreparedAction::Call(call) if self.is_nowhere(call) => {
                self.judge_reader(authorization)?;
                Ok(Permit::default())
            }
            PreparedAction::Call(call) => {
                let is_own = self.judge_writer(authorization)?;
                let permit = Permit { writes: true, ..self.judge_call(call)? };
                // The target refuses a request with nobody's key, so it costs nothing.
                Ok(if is_own { permit } else { Permit { writes: true, ..Permit::default() } })
            }
            PreparedAction::Act(fields) => {
                self.judge_operator()?;
                self.judge_own_key(authorization)?;
                self.judge_action(fields)?;
                Ok(Permit { writes: true, ..Permit::default() })
            }
            PreparedAction::Advance(_) if !self.moves_clock => {
                refused_for(Why::Clock, "the target's clock cannot be moved")
            }
            PreparedAction::Advance(_) => {
                self.judge_operator()?;
                self.judge_own_key(authorization)?;
                Ok(Permit { writes: true, ..Permit::default() })
            }
            PreparedAction::Deliveries => {
                self.judge_operator()?;
                Ok(Permit::default())
            }
        }
    }

    /// In a sandbox nothing is real except the user's keys: only keys that the run issued may be revoked.
    fn judge_in_sandbox(&self, step: &Prepared) -> GateResult {
        let is_own = |key: &Value| key.as_str().is_some_and(|key| self.grants.keys.contains(key));
        match &step.action {
            PreparedAction::Act(fields) => {
                let revokes = step.acts() == Some(ActionKind::RevokeKey);
                if revokes && !fields.get("key").is_some_and(is_own) {
                    return refused("revokeKey is sent only for a key that the run was issued");
                }
                Ok(Permit { writes: true, ..Permit::default() })
            }
            PreparedAction::Call(call) => {
                let asked = route(&call.method, &call.path);
                let asks = asked.is_ok_and(|asked| asked.kind == OperationKind::Subscribe);
                let subscribes = asks && step.authorization.is_some();
                Ok(Permit {
                    writes: !reads(call),
                    subscribes,
                    delivers: subscribes,
                    ..Permit::default()
                })
            }
            PreparedAction::Advance(_) | PreparedAction::Deliveries => {
                Ok(Permit { writes: true, ..Permit::default() })
            }
        }
    }

    fn judge_operator(&self) -> GateResult<()> {
        if self.settings.operator.is_none() {
            return refused_for(Why::Operator, "there is no operator port: give operator");
        }
        Ok(())
    }

    /// Refuses a foreign key: a reader has a key of the run's own, or nobody's.
    fn judge_reader(&self, authorization: Option<&str>) -> GateResult<()> {
        if self.is_nobodys_key(authorization)
            || authorization.is_some_and(|header| self.is_own_key(header))
        {
            return Ok(());
        }
        refused("its key is not one of the run's own")
    }

    /// Checks that writes are allowed. Returns whether the key is one of the run's own.
    fn judge_writer(&self, authorization: Option<&str>) -> GateResult<bool> {
        if !self.settings.allow_writes {
            return refused_for(
                Why::Writes,
                "it writes, and writes are not allowed: --allow-writes",
            );
        }
        if authorization.is_some_and(|header| self.is_own_key(header)) {
            return Ok(true);
        }
        if self.is_nobodys_key(authorization) {
            return Ok(false);
        }
        refused("it writes, and its key is not one of the run's own")
    }

    fn judge_own_key(&self, authorization: Option<&str>) -> GateResult<()> {
        if self.judge_writer(authorization)? {
            return Ok(());
        }
        refused("it asks the operator port, and its key is not one of the run's own")
    }

    /// Whether the header has no key, too few characters for a key, or the run's prefix.
    fn is_nobodys_key(&self, authorization: Option<&str>) -> bool {
        let shortest = "Bearer ".len() + SHORTEST_KEY;
        authorization
            .is_none_or(|header| header.len() < shortest || header.contains(self.own_name()))
    }

    fn is_own_key(&self, header: &str) -> bool {
        let Some(key) = header.strip_prefix("Bearer ") else { return false };
        let Settings { key: first, second_key, .. } = self.settings;
        first.reveal() == key
            || second_key.as_ref().is_some_and(|second| second.reveal() == key)
            || self.grants.keys.contains(key)
    }

    /// The prefix of every name that the run creates.
    fn own_name(&self) -> &str {
        &self.settings.own_name
    }

    /// Whether no API serves this path, because it has the run's prefix.
    fn is_nowhere(&self, call: &PreparedCall) -> bool {
        let rest = call.path.strip_prefix("/v1/").or_else(|| call.path.strip_prefix('/'));
        call.body().is_empty()
            && rest.is_some_and(|rest| rest.starts_with(self.own_name()))
            && !call.path.contains(['%', '.'])
    }

    fn judge_call(&self, call: &PreparedCall) -> GateResult {
        let Ok(asked) = route(&call.method, &call.path) else { return self.judge_unserved(call) };
        let ([named, _], body) = (asked.encoded_identifiers(), call.body());
        let made = |made: String| Permit { makes: vec![made], ..Permit::default() };
        match asked.kind {
            OperationKind::SyncBusiness => {
                let business = self.judge_account(named)?;
                self.judge_business(body)?;
                Ok(made(format!("business {business}")))
            }
            OperationKind::SetPayoutAccount => {
                self.judge_account(named)?;
                self.judge_object(body, OperationKind::SetPayoutAccount)?;
                Ok(Permit::default())
            }
            OperationKind::ImportInvoices => {
                let import = self.judge_own(named)?;
                let synced = file::judge(&self.names(), body)?;
                Ok(Permit { synced, ..made(format!("import {import}")) })
            }
            OperationKind::SyncInvoice => self.judge_invoice(named, body),
            OperationKind::RequestAdvance => {
                let Some(financed) = self.judge_advance(body)? else {
                    return Ok(Permit::default());
                };
                let FinancedInvoice { payee, invoice, .. } = &financed;
                let made = made(format!("an advance on invoice {invoice} of {payee}"));
                Ok(Permit { financed: Some(financed), ..made })
            }
            OperationKind::Invite => {
                let object = self.judge_object(body, OperationKind::Invite)?;
                let business = object.field("externalId").and_then(Tree::text).unwrap_or_default();
                Ok(made(format!("an invitation for {business}")))
            }
            OperationKind::CreateOnboardingSession => {
                self.judge_object(body, OperationKind::CreateOnboardingSession)?;
                Ok(Permit::default())
            }
            OperationKind::Subscribe => {
                let object = self.judge_object(body, OperationKind::Subscribe)?;
                let url = object.field("url").and_then(Tree::text);
                let delivers = url.is_some_and(|url| self.names().is_inbox(url));
                Ok(Permit { subscribes: true, delivers, ..Permit::default() })
            }
            OperationKind::Unsubscribe => {
                if !body.is_empty() || !self.grants.references.contains_key(named) {
                    return refused(format!("the run was not given the subscription {named}"));
                }
                Ok(Permit::default())
            }
            OperationKind::GetInvoice
            | OperationKind::GetImport
            | OperationKind::GetBusiness
            | OperationKind::Quote
            | OperationKind::ListSubscriptions => not_known(call),
        }
    }

    /// A method that the API does not serve, on a path of the user's own.
    fn judge_unserved(&self, call: &PreparedCall) -> GateResult {
        let Some(at) = served_at(&call.path).filter(|_| call.body().is_empty()) else {
            return not_known(call);
        };
        let [named, _] = at.encoded_identifiers();
        match at.kind {
            OperationKind::GetBusiness => self.judge_account(named)?,
            OperationKind::GetImport | OperationKind::SyncInvoice => self.judge_own(named)?,
            _ => return not_known(call),
        };
        Ok(Permit::default())
    }

    /// The invoice of a requested advance, if the request names one.
    fn judge_advance(&self, body: &[u8]) -> GateResult<Option<FinancedInvoice>> {
        let object = self.judge_object(body, OperationKind::RequestAdvance)?;
        let text = |name| object.field(name).and_then(Tree::text).map(str::to_owned);
        let Some(invoice) = text("invoiceExternalId").filter(|name| !name.is_empty()) else {
            return Ok(None);
        };
        let Some(payee) = text("payeeExternalId").filter(|name| !name.is_empty()) else {
            return refused_for(Why::Budget, "an advance on an invoice must name its payee");
        };
        let is_own = self.settings.is_run_new && invoice.starts_with(self.own_name());
        Ok(Some(FinancedInvoice { payee, invoice, is_own }))
    }

    fn judge_invoice(&self, segment: &str, body: &[u8]) -> GateResult {
        let invoice = self.judge_own(segment)?;
        let object = self.judge_object(body, OperationKind::SyncInvoice)?;
        if let Some(payor) = object.field("payor") {
            self.names().judge_payor(payor)?;
        }
        let payee =
            object.field("payee").and_then(|payee| payee.field("externalId")).and_then(Tree::text);
        let face_value = object.field("faceValue").and_then(Tree::whole_number);
        let makes = payee
            .map(|payee| [format!("business {payee}"), format!("invoice {invoice} of {payee}")]);
        let synced =
            payee.map(|payee| SyncedInvoice { payee: payee.to_owned(), invoice, face_value });
        let (synced, makes) = (synced.into_iter().collect(), makes.into_iter().flatten().collect());
        Ok(Permit { synced, makes, ..Permit::default() })
    }

    /// A sync of a test account names nobody else, so a malformed body may pass.
    fn judge_business(&self, body: &[u8]) -> GateResult<()> {
        match Tree::read(body) {
            Some(object @ Tree::Object(_)) => {
                self.judge_fields(&object, OperationKind::SyncBusiness)
            }
            Some(tree) if !tree.is_plain() => refused("its body has objects where none belong"),
            _ if names::is_nothing(body) => Ok(()),
            _ => refused("its body is no JSON object, and long enough to name somebody"),
        }
    }

    fn judge_fields(&self, object: &Tree, kind: OperationKind) -> GateResult<()> {
        self.names().judge(object, kind.fields(), Place::Request)
    }

    fn judge_object(&self, body: &[u8], kind: OperationKind) -> GateResult<Tree> {
        match Tree::read(body) {
            Some(object @ Tree::Object(_)) => {
                self.judge_fields(&object, kind)?;
                Ok(object)
            }
            _ if names::names_nobody(body) => Ok(Tree::Nothing),
            _ => refused("its body is no JSON object, and could name somebody"),
        }
    }

    fn judge_account(&self, segment: &str) -> GateResult<String> {
        let identifier = decoded(segment)?;
        if self.settings.accounts.is_test_account(&identifier) {
            return Ok(identifier);
        }
        refused(format!("{identifier:?} is not a test account"))
    }

    fn judge_own(&self, segment: &str) -> GateResult<String> {
        let identifier = decoded(segment)?;
        if identifier.starts_with(self.own_name()) {
            return Ok(identifier);
        }
        refused(format!("{segment:?} is not named after the run"))
    }

    fn names(&self) -> AllowedNames<'_> {
        AllowedNames {
            accounts: &self.settings.accounts,
            inbox: self.inbox,
            grants: self.grants,
            own_name: self.own_name(),
        }
    }

    fn judge_action(&self, fields: &Map<String, Value>) -> GateResult<()> {
        let name = name_in(fields).unwrap_or_default();
        let Some(action) = ActionKind::of(fields).filter(|it| names::may_be_asked(*it)) else {
            return refused(format!("the action {name:?} is not for a live target"));
        };
        if !self.disturbs && names::disturbs(action) {
            return refused_for(
                Why::Disturbance,
                format!("{action} affects all users of the target: --allow-disturbance"),
            );
        }
        let rest: Map<String, Value> =
            fields.iter().filter(|(field, _)| *field != action::NAME).map(owned).collect();
        let rest = Tree::from(&Value::Object(rest));
        self.names().judge(&rest, action.fields(), Place::Action)?;
        if action == ActionKind::RevokeKey && !fields.contains_key("key") {
            return refused("revokeKey without a key revokes the run's own");
        }
        Ok(())
    }
}

fn owned((name, value): (&String, &Value)) -> (String, Value) {
    (name.clone(), value.clone())
}

fn not_known(call: &PreparedCall) -> GateResult {
    refused(format!("{} {} is not known", call.method, call.path))
}

fn reads(call: &PreparedCall) -> bool {
    match call.method.as_str() {
        "GET" => call.body().is_empty(),
        // `4.quotes.2`: a quote writes nothing.
        method => route(method, &call.path).is_ok_and(|asked| asked.kind.reads()),
    }
}

/// The identifier in a path segment, if every server reads it the same way.
fn decoded(segment: &str) -> GateResult<String> {
    let decoded = percent_decode_str(segment).decode_utf8();
    match decoded {
        Ok(identifier) if is_plain(&identifier) => Ok(identifier.into_owned()),
        _ => refused(format!("servers may read {segment:?} in different ways")),
    }
}
