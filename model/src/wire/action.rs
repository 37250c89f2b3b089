//! The operator port's actions: happenings as JSON.

mod described;
mod done;
mod form;

use std::{fmt, iter};

use serde::de::value::{MapAccessDeserializer, MapDeserializer};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};

use crate::clause;
use crate::clause::Clause;
use crate::happening::{Happening, Impossible};
use crate::refusal::Code;
use crate::wire::nearest::nearest;
use crate::wire::problem::{problem, unfit};

use form::Action;

pub use described::{Described, Field, described, schema_name, schemas};
pub use done::{Applied, Done, written};

macro_rules! actions {
    ($($kind:ident: $name:literal, $clause:literal;)*) => {
        /// The actions of the operator port, in the order in which it lists them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[expect(missing_docs, reason = "each is the variant of `Happening` of the same name")]
        pub enum ActionKind {
            $($kind,)*
        }

        impl ActionKind {
            /// All of them.
            pub const ALL: &[ActionKind] = &[$(ActionKind::$kind,)*];

            /// Its name in JSON.
            pub const fn name(self) -> &'static str {
                match self {
                    $(ActionKind::$kind => $name,)*
                }
            }

            /// The clause that its effect shows.
            pub const fn clause(self) -> Clause {
                match self {
                    $(ActionKind::$kind => clause!($clause),)*
                }
            }
        }

        impl From<&Happening> for ActionKind {
            fn from(happening: &Happening) -> ActionKind {
                match happening {
                    $(Happening::$kind { .. } => ActionKind::$kind,)*
                }
            }
        }
    };
}

actions! {
    VendorAcceptsInvitation: "vendorAcceptsInvitation", "gap.invitationLink";
    VendorConfirmsTaxId: "vendorConfirmsTaxId", "gap.vendorCompliance";
    VendorSignsAgreement: "vendorSignsAgreement", "3.requirement.contract.2";
    VendorAddsBankAccount: "vendorAddsBankAccount", "4.payoutAccount.3";
    CollectionAccountOpens: "collectionAccountOpens", "gap.accountOpening";
    VendorCompletesOnboarding: "vendorCompletesOnboarding", "3.requirement.compliance.2";
    FundingStarts: "fundingStarts", "gap.advanceTransitions";
    FundingCompletes: "fundingCompletes", "gap.advanceTransitions";
    PayorPays: "payorPays", "2.invoice.collected.2";
    TaxIdFoundWrong: "taxIdFoundWrong", "4.businessSync.1.2";
    InterruptNextImport: "interruptNextImport", "4.imports.7";
    VendorOpensSession: "vendorOpensSession", "gap.sessionsLive";
    MarkTestAccount: "markTestAccount", "5.authentication.5";
    IssueKey: "issueKey", "5.authentication.2";
    RevokeKey: "revokeKey", "5.authentication.3.3";
    Reset: "reset", "gap.advanceTransitions";
    UpstreamFails: "upstreamFails", "7.codes.upstream_failed";
}

impl ActionKind {
    /// The action of this name.
    pub fn parse(name: &str) -> Option<ActionKind> {
        ActionKind::ALL.iter().copied().find(|kind| kind.name() == name)
    }

    /// The action that the body of a request to the operator port names, if it names a known one.
    pub fn of(fields: &Map<String, Value>) -> Option<ActionKind> {
        name_in(fields).and_then(ActionKind::parse)
    }

    /// The body of a request for it, with `fields` of its own.
    pub fn with(self, fields: Map<String, Value>) -> Map<String, Value> {
        iter::once((NAME.to_owned(), self.name().into())).chain(fields).collect()
    }
}

impl fmt::Display for ActionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The name of the action in the body of a request, known or not.
pub fn name_in(fields: &Map<String, Value>) -> Option<&str> {
    fields.get(NAME)?.as_str()
}

/// Why the operator port does not do as it was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotApplied {
    /// A page of another origin in a browser sent the request.
    #[error(
        "a page of {0} may not use the operator port; to allow it, start the mock with --cors {option}",
        option = cors(.0)
    )]
    ForeignOrigin(String),
    /// The request names a host that the mock does not answer for.
    #[error(
        "the operator port does not answer for the host {0}: use the mock's address or localhost, or start it with \
         --host {0}"
    )]
    ForeignHost(String),
    /// The API key was never issued.
    #[error("the API key is not one that was issued")]
    UnknownKey,
    /// The body is not JSON.
    #[error("the body is not JSON: {0}")]
    Unreadable(String),
    /// It names no action that there is.
    #[error("there is no action {0:?};{meant} GET /_sim/actions lists them", meant = meant(.0))]
    Unknown(String),
    /// No delivery is kept that carries this identifier.
    #[error("no delivery is kept that carries this identifier; GET /_sim/deliveries lists them")]
    UnknownDelivery,
    /// No rule of faults has this number.
    #[error("there is no rule of this number; GET /_sim/faults lists them")]
    UnknownFault,
    /// There is no world of this name.
    #[error("there is no world {0:?}; GET /_sim/worlds lists them")]
    UnknownWorld(String),
    /// The state at an entry is not kept.
    #[error("{0}")]
    UnknownEntry(String),
    /// Its fields are not those of the action.
    #[error("{0}")]
    Invalid(String),
    /// The outside world cannot do that now.
    #[error("{0}")]
    Impossible(#[from] Impossible),
}

impl NotApplied {
    /// What a program branches on: the document's codes where they fit, else the port's own.
    pub fn code(&self) -> &'static str {
        match self {
            NotApplied::ForeignOrigin(_) => "foreign_origin",
            NotApplied::ForeignHost(_) => "foreign_host",
            NotApplied::UnknownKey => Code::Unauthorized.name(),
            NotApplied::Unreadable(_) => Code::UnreadableRequest.name(),
            NotApplied::Unknown(_) => "unknown_action",
            NotApplied::UnknownDelivery => "unknown_delivery",
            NotApplied::UnknownFault => "unknown_fault",
            NotApplied::UnknownWorld(_) => "unknown_world",
            NotApplied::UnknownEntry(_) => "unknown_entry",
            NotApplied::Invalid(_) => Code::InvalidRequest.name(),
            NotApplied::Impossible(_) => "action_refused",
        }
    }

    /// The HTTP status.
    pub fn status(&self) -> u16 {
        match self {
            NotApplied::ForeignOrigin(_) | NotApplied::ForeignHost(_) => 403,
            NotApplied::UnknownKey => 401,
            NotApplied::Unreadable(_) | NotApplied::Invalid(_) => 400,
            NotApplied::Unknown(_)
            | NotApplied::UnknownDelivery
            | NotApplied::UnknownFault
            | NotApplied::UnknownWorld(_)
            | NotApplied::UnknownEntry(_) => 404,
            NotApplied::Impossible(_) => 409,
        }
    }
}

/// The option that allows an origin: a page from nowhere, such as a file, has none that could be named.
fn cors(origin: &str) -> &str {
    if origin == "null" { "'*'" } else { origin }
}

/// The action that is most like an unknown name, as a part of a sentence.
fn meant(name: &str) -> String {
    let nearest = nearest(name, ActionKind::ALL.iter().map(|kind| kind.name()));
    nearest.map_or_else(String::new, |name| format!(" the nearest is {name};"))
}

/// How much of an unknown name is shown.
const MOST_SHOWN: usize = 60;

/// The happening that `body` asks for. `own_key` is the key that asks, for actions about a key that name
/// none.
///
/// # Errors
/// [`NotApplied`]: `Unreadable`, `Invalid` for a missing name, `Unknown`, `Invalid` for its fields.
///
/// ```
/// use tideover_model::{Happening, wire::action};
///
/// let body = br#"{ "action": "upstreamFails", "requests": 2 }"#;
/// let happening = action::read(body, "rap_sk_local").unwrap();
/// assert_eq!(happening, Happening::UpstreamFails { requests: 2 });
/// ```
pub fn read(body: &[u8], own_key: &str) -> Result<Happening, NotApplied> {
    let body: Value =
        serde_json::from_slice(body).map_err(|error| NotApplied::Unreadable(error.to_string()))?;
    let Value::Object(fields) = &body else {
        let expected = "an object with the name of an action";
        return Err(NotApplied::Invalid(unfit("the body", expected, Some(&body))));
    };
    asked(fields, own_key)
}

/// The same, of a body that is read already.
///
/// # Errors
/// [`NotApplied`]: `Invalid` for a missing name, `Unknown`, `Invalid` for its fields.
pub fn asked(fields: &Map<String, Value>, own_key: &str) -> Result<Happening, NotApplied> {
    let Some(name) = name_in(fields) else {
        let got = fields.get(NAME);
        return Err(NotApplied::Invalid(unfit(NAME, "the name of an action", got)));
    };
    if ActionKind::parse(name).is_none() {
        return Err(NotApplied::Unknown(name.chars().take(MOST_SHOWN).collect()));
    }
    match Action::deserialize(named(name, fields)) {
        Ok(action) => Ok(action.happening(own_key)),
        Err(_) => Err(explained(name, fields)),
    }
}

/// The field in which the name of an action stands, beside its own.
pub const NAME: &str = "action";

/// An action as serde has it: its name, and what belongs to it.
fn named<'de>(
    name: &'de str,
    fields: &'de Map<String, Value>,
) -> impl Deserializer<'de, Error = serde_json::Error> {
    let own = fields.iter().filter(|(name, _)| *name != NAME);
    let own = MapDeserializer::new(own.map(|(name, value)| (name.as_str(), value)));
    MapAccessDeserializer::new(MapDeserializer::new(iter::once((name, own))))
}

/// Which field of an action does not fit.
fn explained(name: &str, fields: &Map<String, Value>) -> NotApplied {
    let problem = match serde_path_to_error::deserialize::<_, Action>(named(name, fields)) {
        Ok(_) => "the fields do not fit".to_owned(),
        Err(error) => problem(Some(&json!({ name: fields })), &error),
    };
    let problem = problem.strip_prefix(&format!("{name}.")).unwrap_or(&problem);
    NotApplied::Invalid(match problem.strip_suffix(" is missing.") {
        Some(field) => missing(name, field),
        None => problem.to_owned(),
    })
}

/// What a field holds that a request for an action needs.
fn missing(action: &str, field: &str) -> String {
    let known = described().into_iter().find(|it| it.action == action);
    let fields = known.into_iter().flat_map(|it| it.fields);
    let holds = fields.into_iter().find(|it| it.name == field).map(|it| it.holds);
    let expected = match holds.as_deref() {
        None | Some("string") => "a string",
        Some("integer") => "a whole number",
        Some(words) => words,
    };
    unfit(field, expected, None)
}
