//! The operator port's actions: happenings as JSON.

mod described;

use std::{fmt, iter};

use serde::de::value::{MapAccessDeserializer, MapDeserializer};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use crate::cents::FaceValue;
use crate::clause;
use crate::clause::Clause;
use crate::happening::{Happening, Impossible, Outcome, VendorRoute};
use crate::refusal::Code;
use crate::wire::object::{Object, present};
use crate::wire::problem::problem;
use crate::wire::request::{Address, NonEmpty};

pub use described::{Described, Field, described, schema_name, schemas};

macro_rules! actions {
    ($($kind:ident: $name:literal, $clause:literal;)*) => {
        /// The actions of the operator port, in the order of its table; the last is the mock's own.
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
    RevokeKey: "revokeKey", "5.authentication.3";
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
    /// The API key was never issued.
    #[error("the API key is not one that was issued")]
    UnknownKey,
    /// The body is not JSON.
    #[error("the body is not JSON: {0}")]
    Unreadable(String),
    /// It names no action that there is.
    #[error("there is no action {0:?}; GET /_sim/actions lists them")]
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
            NotApplied::UnknownKey => Code::Unauthorized.name(),
            NotApplied::Unreadable(_) => Code::UnreadableRequest.name(),
            NotApplied::Unknown(_) => "unknown_action",
            NotApplied::UnknownDelivery => "unknown_delivery",
            NotApplied::UnknownFault => "unknown_fault",
            NotApplied::UnknownWorld(_) => "unknown_world",
            NotApplied::Invalid(_) => Code::InvalidRequest.name(),
            NotApplied::Impossible(_) => "action_refused",
        }
    }

    /// The HTTP status.
    pub fn status(&self) -> u16 {
        match self {
            NotApplied::UnknownKey => 401,
            NotApplied::Unreadable(_) | NotApplied::Invalid(_) => 400,
            NotApplied::Unknown(_)
            | NotApplied::UnknownDelivery
            | NotApplied::UnknownFault
            | NotApplied::UnknownWorld(_) => 404,
            NotApplied::Impossible(_) => 409,
        }
    }
}

/// An action as the body of a request has it. Sentences, fields and examples are what users read of it.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
enum Action {
    /// The invited person follows the link of an invitation, which works once.
    #[schema(
        rename_all = "camelCase",
        example = json!({ "payeeExternalId": "acme", "email": "ada@acme.example" })
    )]
    VendorAcceptsInvitation {
        /// The business of the invitation.
        payee_external_id: String,
        /// The address that was invited.
        email: String,
    },
    /// The vendor confirms its tax id, which clears compliance.
    #[schema(
        rename_all = "camelCase",
        example = json!({ "payeeExternalId": "acme", "route": "W9_UPLOAD", "taxId": "12-3456789" })
    )]
    VendorConfirmsTaxId {
        /// The vendor.
        payee_external_id: String,
        /// How it does that; `complianceRoute` shows it afterwards.
        route: Route,
        /// The number; the one on file if it is left out.
        #[serde(default, deserialize_with = "present")]
        #[schema(nullable = false)]
        tax_id: Option<String>,
    },
    /// The vendor signs the agreement. It must have accepted an invitation before.
    #[schema(
        rename_all = "camelCase",
        example = json!({ "payeeExternalId": "acme", "address": { "line1": "1 Quay",
            "city": "Portland", "state": "OR", "postalCode": "97201" } })
    )]
    VendorSignsAgreement {
        /// The vendor.
        payee_external_id: String,
        /// The address on the agreement, with which a collection account can open.
        #[serde(default)]
        #[schema(value_type = Address, required = false)]
        address: Object<Address>,
    },
    /// The vendor adds a bank account for its advances, unless the platform has set one.
    #[schema(
        rename_all = "camelCase",
        example = json!({ "payeeExternalId": "acme", "accountNumber": "000123456789",
            "routingNumber": "021000021" })
    )]
    VendorAddsBankAccount {
        /// The vendor.
        payee_external_id: String,
        /// 4 to 17 digits.
        account_number: String,
        /// Nine digits, the last of them a check digit.
        routing_number: String,
    },
    /// The bank opens the collection account at once, instead of after some minutes.
    #[schema(rename_all = "camelCase", example = json!({ "payeeExternalId": "acme" }))]
    CollectionAccountOpens {
        /// The business whose other three requirements are met.
        payee_external_id: String,
    },
    /// The vendor and the bank do all that is left, so that the business meets all four requirements.
    #[schema(
        rename_all = "camelCase",
        example = json!({ "payeeExternalId": "acme", "route": "VENDOR_ASSERTION",
            "taxId": "12-3456789" })
    )]
    VendorCompletesOnboarding {
        /// The vendor.
        payee_external_id: String,
        /// How it confirms its tax id, if that is left to do; by its own word if this is left out.
        #[serde(default, deserialize_with = "present")]
        #[schema(nullable = false)]
        route: Option<Route>,
        /// The number that it confirms; the one on file, or one of its own, if this is left out.
        #[serde(default, deserialize_with = "present")]
        #[schema(nullable = false)]
        tax_id: Option<String>,
    },
    /// The money of a requested advance is on its way at once, instead of after some seconds.
    #[schema(
        rename_all = "camelCase",
        example = json!({ "payeeExternalId": "acme", "invoiceExternalId": "INV-7" })
    )]
    FundingStarts {
        /// The payee of the invoice.
        payee_external_id: String,
        /// The invoice.
        invoice_external_id: String,
    },
    /// The money reaches the vendor at once, instead of after an hour.
    #[schema(
        rename_all = "camelCase",
        example = json!({ "payeeExternalId": "acme", "invoiceExternalId": "INV-7" })
    )]
    FundingCompletes {
        /// The payee of the invoice.
        payee_external_id: String,
        /// The invoice.
        invoice_external_id: String,
    },
    /// The payor pays an invoice into the collection account; what exceeds the face value stays in suspense.
    #[schema(
        rename_all = "camelCase",
        example = json!({ "payeeExternalId": "acme", "invoiceExternalId": "INV-7",
            "amount": 1000000 })
    )]
    PayorPays {
        /// The payee of the invoice.
        payee_external_id: String,
        /// The invoice.
        invoice_external_id: String,
        /// Cents.
        #[schema(value_type = i64, minimum = 1, maximum = 2_147_483_647)]
        amount: FaceValue,
    },
    /// The tax id on file turns out to be wrong: compliance is no longer cleared.
    #[schema(rename_all = "camelCase", example = json!({ "payeeExternalId": "acme" }))]
    TaxIdFoundWrong {
        /// The vendor.
        payee_external_id: String,
    },
    /// The next import stops in the middle; the same file sent again resumes it.
    #[schema(rename_all = "camelCase", example = json!({ "afterRows": 1 }))]
    InterruptNextImport {
        /// How many rows it carries out before it stops.
        #[schema(minimum = 0)]
        after_rows: usize,
    },
    /// The vendor opens the link of an onboarding session, which works once; refused while such links lead nowhere.
    #[schema(
        rename_all = "camelCase",
        example = json!({
            "url": "https://onboarding.tideover.invalid/sessions/cf5ee9a0494aa9613e05d5ed725b804b12f4a465ee635acc"
        })
    )]
    VendorOpensSession {
        /// The link, as the creation of the session returned it.
        url: String,
    },
    /// The operator marks a business as a test account: no money of it moves.
    #[schema(rename_all = "camelCase", example = json!({ "externalId": "acme" }))]
    MarkTestAccount {
        /// The business.
        external_id: String,
    },
    /// The operator issues an API key, which the answer shows.
    #[schema(rename_all = "camelCase", example = json!({ "platform": "second" }))]
    IssueKey {
        /// The platform that gets it; a new name makes a new platform. The caller's own if it is left out.
        #[serde(default, deserialize_with = "present")]
        #[schema(value_type = String, min_length = 1, required = false)]
        platform: Option<NonEmpty>,
    },
    /// The operator revokes an API key.
    #[schema(rename_all = "camelCase", example = json!({ "key": "rap_sk_local" }))]
    RevokeKey {
        /// The key; the caller's own if it is left out.
        #[serde(default, deserialize_with = "present")]
        #[schema(nullable = false)]
        key: Option<String>,
    },
    /// The next requests of any caller fail with 502.
    #[schema(rename_all = "camelCase", example = json!({ "requests": 2 }))]
    UpstreamFails {
        /// How many.
        #[schema(minimum = 0)]
        requests: u32,
    },
    /// Everything is as it was at the start.
    #[schema(example = json!({}))]
    Reset {},
}

/// How a vendor clears compliance.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[schema(as = VendorRoute)]
enum Route {
    /// It confirms its number.
    VendorAssertion,
    /// It sends a form W-9.
    W9Upload,
}

impl From<Route> for VendorRoute {
    fn from(route: Route) -> VendorRoute {
        match route {
            Route::VendorAssertion => VendorRoute::VendorAssertion,
            Route::W9Upload => VendorRoute::W9Upload,
        }
    }
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
    let Value::Object(fields) = body else {
        return Err(NotApplied::Invalid("expected an object with the name of an action".into()));
    };
    asked(&fields, own_key)
}

/// The same, of a body that is read already.
///
/// # Errors
/// [`NotApplied`]: `Invalid` for a missing name, `Unknown`, `Invalid` for its fields.
pub fn asked(fields: &Map<String, Value>, own_key: &str) -> Result<Happening, NotApplied> {
    let Some(name) = name_in(fields) else {
        return Err(NotApplied::Invalid("action: expected the name of an action".into()));
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
    NotApplied::Invalid(problem.to_owned())
}

impl Action {
    fn happening(self, own_key: &str) -> Happening {
        match self {
            Action::VendorAcceptsInvitation { payee_external_id: payee, email } => {
                Happening::VendorAcceptsInvitation { payee, email }
            }
            Action::VendorConfirmsTaxId { payee_external_id: payee, route, tax_id } => {
                let route = route.into();
                Happening::VendorConfirmsTaxId { payee, route, tax_id }
            }
            Action::VendorSignsAgreement { payee_external_id: payee, address } => {
                Happening::VendorSignsAgreement { payee, address: address.0.into() }
            }
            Action::VendorAddsBankAccount {
                payee_external_id: payee,
                account_number,
                routing_number,
            } => Happening::VendorAddsBankAccount { payee, account_number, routing_number },
            Action::CollectionAccountOpens { payee_external_id: payee } => {
                Happening::CollectionAccountOpens { payee }
            }
            Action::VendorCompletesOnboarding { payee_external_id: payee, route, tax_id } => {
                let route = route.map(VendorRoute::from);
                Happening::VendorCompletesOnboarding { payee, route, tax_id }
            }
            Action::FundingStarts { payee_external_id: payee, invoice_external_id: invoice } => {
                Happening::FundingStarts { payee, invoice }
            }
            Action::FundingCompletes { payee_external_id: payee, invoice_external_id: invoice } => {
                Happening::FundingCompletes { payee, invoice }
            }
            Action::PayorPays {
                payee_external_id: payee,
                invoice_external_id: invoice,
                amount,
            } => Happening::PayorPays { payee, invoice, amount: amount.cents() },
            Action::TaxIdFoundWrong { payee_external_id: payee } => {
                Happening::TaxIdFoundWrong { payee }
            }
            Action::InterruptNextImport { after_rows } => {
                Happening::InterruptNextImport { after_rows }
            }
            Action::VendorOpensSession { url } => Happening::VendorOpensSession { url },
            Action::MarkTestAccount { external_id } => {
                Happening::MarkTestAccount { business: external_id }
            }
            Action::IssueKey { platform } => {
                Happening::IssueKey { platform: platform.map(|name| name.0) }
            }
            Action::RevokeKey { key } => {
                Happening::RevokeKey { key: key.unwrap_or_else(|| own_key.to_owned()) }
            }
            Action::UpstreamFails { requests } => Happening::UpstreamFails { requests },
            Action::Reset {} => Happening::Reset,
        }
    }
}

/// What came of an action, written down.
pub fn written(outcome: &Outcome) -> Value {
    match outcome {
        Outcome::Applied => json!({ "applied": true }),
        Outcome::Onboarded { steps } => json!({ "applied": true, "steps": steps }),
        Outcome::Paid { applied, suspense } => json!({ "applied": applied, "suspense": suspense }),
        Outcome::KeyIssued { key, platform } => {
            json!({ "applied": true, "key": key, "platform": platform })
        }
    }
}
