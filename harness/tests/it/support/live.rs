//! A live endpoint for tests: a mock, the settings of a run against it, and the run itself.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use serde_json::Value;
use tideover_endpoint::client::Client;
use tideover_endpoint::{inbox, wall_time};
use tideover_exchange::step::{Action, Call, Step};
use tideover_exchange::transcript::Header;
use tideover_exchange::{Memory, Prepared};
use tideover_live::Vocabulary;
use tideover_live::session::Session;
use tideover_live::settings::{Accounts, ApiKey, Bank, Budget, Settings};
use tideover_live::target::LiveWorld;
use tideover_model::{Destinations, Profile};
use tideover_sim::Mock;

/// A mock that stands in for a live endpoint; it lets webhooks go to the inbox.
pub(crate) async fn endpoint(inbox: Option<&inbox::Server>) -> Mock {
    let builder = Mock::builder().resolver(tideover_sim::NoNames);
    let origin = inbox.map(|inbox| Destinations::PublicAnd(inbox.origin().to_owned()));
    builder.webhooks(origin.unwrap_or(Destinations::Public)).start().await.unwrap()
}

pub(crate) fn settings(mock: &Mock) -> Settings {
    let bank = Bank { account_number: "000123456789".into(), routing_number: "021000021".into() };
    let key = ApiKey::new(mock.api_key().to_owned());
    Settings {
        operator: Some(mock.url().to_owned()),
        allow_writes: true,
        accounts: Accounts {
            prefix: Some("test-".into()),
            emails: vec!["ann@own.example".into()],
            tax_ids: (0..6).map(|number| format!("98-76543{number}0")).collect(),
            banks: vec![bank],
            ..Accounts::default()
        },
        budget: Budget { requests: 5000, financed: 10_000_000, subscriptions: 40, seconds: None },
        per_second: NonZeroU32::new(100_000),
        timeout: Duration::from_secs(20),
        ..Settings::new(mock.url().to_owned(), key, "td-r-".into())
    }
}

pub(crate) fn header() -> Header {
    Header::new(3, wall_time(), Profile::default())
}

/// A started run: its session, world and journal.
pub(crate) struct Begun {
    pub(crate) session: Rc<Session>,
    pub(crate) world: LiveWorld,
    pub(crate) journal: PathBuf,
    _folder: tempfile::TempDir,
}

pub(crate) async fn begin(settings: Settings, inbox: Option<inbox::Server>) -> Begun {
    let folder = tempfile::tempdir().unwrap();
    let journal = folder.path().join("journal.jsonl");
    let client = |url: &str| Client::new(url, settings.timeout, None).unwrap();
    let operator = settings.operator.as_deref().map(client);
    let (target, header) = (client(&settings.target), header());
    let mut session =
        Session::new(settings.clone(), target, operator, inbox, &journal, &header).unwrap();
    session.greet().await.unwrap();
    let vocabulary = Vocabulary::new(settings, session.abilities().clone(), 30);
    let session = Rc::new(session);
    let world = LiveWorld::new(Rc::clone(&session), vocabulary);
    Begun { session, world, journal, _folder: folder }
}

pub(crate) fn prepared(method: &str, path: &str, body: &Value) -> Prepared {
    let step = Step::new(Action::Call(Call::json(method, path, body.clone())));
    Prepared::from_step(&step, &Memory::default(), "")
}
