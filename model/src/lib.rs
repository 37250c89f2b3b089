//! The Receivables Advance Partner API as a pure state machine. The mock runs it, and the contract suite
//! judges by it.
//!
//! ```
//! use tideover_model::exchange::{self, Request};
//! use tideover_model::{Profile, Seeded, Service, Timestamp};
//!
//! let mut service = Service::new(Profile::default(), Seeded { seed: 1 });
//! let key = format!("Bearer {}", Service::<Seeded>::FIRST_KEY);
//! let sync = Request {
//!     method: "PUT",
//!     path: "/v1/organizations/acme",
//!     authorization: Some(&key),
//!     content_type: Some("application/json"),
//!     body: br#"{ "legalName": "Acme Fabrication LLC" }"#,
//! };
//! let now = Timestamp::parse("2026-01-01T00:00:00Z").unwrap();
//! let response = exchange::answer(&mut service, now, &sync);
//! assert_eq!(response.status, 200);
//! ```
//!
//! `examples/life.rs` carries an advance from the first sync to its repayment.
//!
//! No I/O, no async, no clock, no ambient randomness, no environment: time is an argument, and whatever
//! the service is free to choose comes in through [`Choices`].
//!
//! - [`Service`] is the whole state machine; [`Face`] is how it looks from outside.
//! - [`Operation`] is a caller's request, [`wire::reply::Reply`] and [`Refusal`] are the responses,
//!   [`Happening`] is an action of anyone else.
//! - [`Clause`] names every testable sentence of the document and every assumption; [`Profile`] holds the
//!   assumed values that can vary.
//! - [`signature`] signs deliveries, and verifies their signatures for a receiver.
//! - [`wire`] knows the wire format; [`exchange::answer`] answers a whole request.
#![warn(missing_docs)]

mod cents;
mod choices;
pub mod clause;
pub mod conduct;
mod delivery;
pub mod destination;
mod endpoint;
pub mod exchange;
mod face;
mod happening;
mod hex;
mod identity;
mod operation;
mod pricing;
mod profile;
mod readings;
mod refusal;
mod routing_number;
mod rows;
mod sealed;
mod secret;
mod service;
mod shared;
pub mod signature;
mod table;
mod tax_id;
mod timestamp;
pub mod wire;
pub mod words;

pub use cents::{BasisPoints, Cents, FaceValue};
pub use choices::{Choices, Reservation, Seeded, Token, Transition};
pub use clause::Clause;
pub use delivery::{Attempt, Cause, Consequence, Delivery, Receipt, Signer};
pub use destination::{Destinations, Unfit, is_local_name};
pub use endpoint::{Endpoint, Link, OperationKind, Success};
pub use face::{Altered, Answer, Face, IssuedKey, Unbalanced, pass};
pub use happening::{Happening, Impossible, OnboardingStep, Outcome, VendorRoute};
pub use identity::{BusinessId, InvoiceId, PlatformId, RelationshipId, SubscriptionId};
pub use operation::{
    Address, BadRow, BusinessDetails, Contact, ImportFile, ImportRow, InvoiceSync, Operation,
    Party, Subject,
};
pub use pricing::{Offer, Rates, Terms};
pub use profile::{Delays, ImpossibleValue, Profile, Range, RateRanges, Webhooks};
pub use readings::{Reading, Readings};
pub use refusal::{Code, Refusal, Status};
pub use routing_number::is_valid as is_routing_number;
pub use sealed::{Digesting, ImpossibleState, Sealed, UnreadableSnapshot};
pub use secret::masked;
pub use service::{Service, bearer};
pub use signature::{Signature, SigningKey};
pub use tax_id::{
    DIGITS as TAX_ID_DIGITS, digits as tax_id_digits, is_punctuated as is_punctuated_tax_id,
    is_valid as is_tax_id,
};
pub use timestamp::{Seconds, Timestamp};
pub use wire::action::ActionKind;
