//! An in-memory mock server of the Receivables Advance Partner API, on top of `tideover-model`.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # // This workspace builds reqwest without its own TLS.
//! # mod reqwest {
//! #     pub struct Client;
//! #     impl Client {
//! #         pub fn new() -> ::reqwest::Client {
//! #             let tls = rustls::ClientConfig::builder_with_provider(std::sync::Arc::new(
//! #                 rustls::crypto::ring::default_provider(),
//! #             ));
//! #             let tls = tls.with_safe_default_protocol_versions().unwrap();
//! #             let tls = tls.with_root_certificates(rustls::RootCertStore::empty());
//! #             let client = ::reqwest::Client::builder().no_proxy();
//! #             client.tls_backend_preconfigured(tls.with_no_client_auth()).build().unwrap()
//! #         }
//! #     }
//! # }
//! use tideover_sim::Mock;
//!
//! let mock = Mock::start().await?;
//! let answer = reqwest::Client::new()
//!     .put(format!("{}/v1/organizations/acme", mock.url()))
//!     .bearer_auth(mock.api_key())
//!     .json(&serde_json::json!({ "legalName": "Acme Fabrication LLC" }))
//!     .send()
//!     .await?;
//! assert_eq!(answer.status(), 200);
//!
//! // You control the outside world and the clock.
//! assert!(mock.vendor_signs_agreement("acme").is_err(), "nobody was invited");
//! assert_eq!(mock.advance_clock(3600).await?.to_string(), "2026-01-01T01:00:00Z");
//! # Ok(())
//! # }
//! ```
//!
//! This crate also exports everything else that a test needs, so that it is the only dependency:
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use tideover_sim::{Destinations, Mock, Profile, SigningTime, Timestamp};
//!
//! let start = Timestamp::parse("2026-03-01T09:00:00Z").ok_or("not a date-time")?;
//! let mock = Mock::builder()
//!     .profile(Profile { session_links_live: true, ..Profile::default() })
//!     .start_at(start)
//!     // Also to this machine, over plain http too, where a test's own receiver listens.
//!     .webhooks(Destinations::Local)
//!     // Without this, webhooks are signed with the wall time, and any receiver accepts them.
//!     .signing(SigningTime::Virtual)
//!     .start()
//!     .await?;
//! assert_eq!(mock.now(), start);
//! # Ok(())
//! # }
//! ```
//!
//! Many mocks can run in one process, each with its own port, clock and seed. HTTP requests under `/_sim` and
//! the methods of [`Mock`] do the same.
//!
//! - [`Mock`] is a running mock, [`Builder`] configures one; [`Outside`] is what vendors, banks, payors
//!   and the operator do.
//! - [`World`] is one isolated service behind a lock, with its [`Clock`] and its journal; its
//!   [`router`](World::router) needs no socket.
//! - [`Sender`] sends one delivery in the same way as the mock sends its webhooks.
//! - [`Builder::grease`] makes a mock take, at random, each [`Freedom`](grease::Freedom) that the document leaves
//!   a service.
//! - [`load_profile`] reads the assumed values from a file; [`ProfileFile`] also holds faults.
//! - [`Mock::requests`] and its neighbours search the [journal](JournalFilter), count and wait for requests, and list
//!   the unexpected ones; [`Outside::objections`] says why an invoice cannot be financed.
//! - [`World::at`] is the world as it was at an entry of its logs, [`World::diff`] what has changed between two.
//! - [`World::conduct`] says which duties of a caller your client keeps, and which it breaks.
//! - [`Limits`] bounds what a mock takes on; [`Hosts`] and [`Origins`] say who may use its operator port.
//! - [`fault`] has the rules by which requests and deliveries fail: [`Builder::faults`], [`Mock::add_fault`].
//!
//! Inside: a request comes from `serve` and `wire`, the socket, to the routes of `app`. `worlds` finds the world that
//! its key selects. `world` answers it with the model's service, whose rules are all the rules there are; `fault` and
//! `arrival` decide whether and how it fails, `grease` varies what the document leaves free, `journal` records it.
//! `courier` sends webhooks with `sending`, and `deliveries` logs them. `control` is the operator port, which `guard`
//! protects; `page` shows a world, and `openapi` describes both APIs. `beginning` plays what happens in a new world,
//! `state_file` holds worlds between two runs.
#![warn(missing_docs)]

mod app;
mod arrival;
mod beginning;
mod clock;
mod control;
mod cors;
mod courier;
mod deliveries;
mod event_subject;
mod expect;
mod extract;
pub mod fault;
pub mod grease;
mod guard;
mod history;
mod hosts;
mod in_process;
mod interventions;
mod journal;
mod limits;
mod mock;
mod openapi;
mod outside;
mod page;
mod pieces;
mod profile_file;
mod respond;
mod sending;
mod serve;
mod state_file;
mod wire;
mod world;
mod worlds;

pub use beginning::{Scenario, ScenarioError};
pub use clock::{Clock, ClockChoice, wall_time};
pub use cors::{NoOrigin, Origins};
pub use deliveries::{AttemptEntry, DeliveryEntry, DeliveryState, Headers};
pub use expect::{Came, Expected, NotDelivered};
pub use history::{EntryName, NotAnEntry, NotKept};
pub use hosts::{Hosts, NoHost};
pub use journal::{
    CausedEvent, CutPart, Entry, JournalFilter, JournalLimits, Message, Payload, RealTime,
    UnfitCondition, masked_by_form,
};
pub use limits::Limits;
pub use mock::{Builder, Mock, StartError};
pub use outside::{Outside, Payment};
pub use profile_file::{ProfileError, ProfileFile, load_profile};
pub use sending::{
    Authorities, CertificateError, Letter, NoNames, Resolution, Resolver, Sender, SigningTime,
    SystemResolver, TlsError, Unsent,
};
pub use state_file::{StateError, Unwritable};
pub use tideover_model::conduct;
pub use tideover_model::wire::difference::{Became, FieldChange, SubjectChange};
pub use tideover_model::words::EventType;
pub use tideover_model::{
    Cents, Clause, Code, Destinations, Happening, Impossible, OnboardingStep, OperationKind,
    Profile, Range, Refusal, Seconds, Timestamp, Unbalanced, VendorRoute,
};
pub use world::{
    ClockMoving, Conduct, Difference, NextEvent, NotMoved, Quiet, Quieted, Waited, World,
};
pub use worlds::{IssuedKey, RecipeError};
