//! `tideover replay --target`: a transcript against a live endpoint.

use std::path::PathBuf;
use std::rc::Rc;

use url::Url;

use crate::cli::Problem;
use crate::cli::live::{LiveOptions, open};
use crate::cli::signals::StopSignals;
use crate::endpoint::client::{Client, Outgoing, is_this_machine};
use crate::endpoint::{Http, wall_time};
use crate::exchange::secrets::Secrets;
use crate::exchange::transcript::{Header, LiveEndpoint, Transcript};
use crate::live::Vocabulary;
use crate::live::settings::{Settings, any_name};
use crate::live::target::LiveWorld;
use crate::play::case::{Played, play};
use crate::play::cases::World;

/// The result of a replay, and what it left behind at the target.
pub(in crate::cli) struct ReplayOutcome {
    pub(in crate::cli) played: Played,
    pub(in crate::cli) left_behind: Vec<String>,
    pub(in crate::cli) secrets: Secrets,
    /// The journal, where one was kept.
    pub(in crate::cli) journal: Option<PathBuf>,
}

impl From<Played> for ReplayOutcome {
    fn from(played: Played) -> ReplayOutcome {
        ReplayOutcome {
            played,
            left_behind: Vec::new(),
            secrets: Secrets::default(),
            journal: None,
        }
    }
}

impl LiveOptions {
    /// Plays `transcript` against the target: unchanged at a Tideover mock on this machine or in a declared
    /// sandbox, otherwise only if the gate allows every step.
    pub(in crate::cli) async fn replay(
        self,
        transcript: &Transcript,
    ) -> Result<ReplayOutcome, Problem> {
        let options = self.with_file()?;
        let settings = options.settings()?;
        let client = options.clients(&settings)?.client(&settings.target)?;
        // A transcript from a live endpoint is not compared with a mock, whose whole state is known.
        let may_be_mock = settings.sandbox.is_some()
            || Url::parse(&settings.target).is_ok_and(|url| is_this_machine(&url));
        if transcript.header.live.is_none() && may_be_mock && is_own_mock(&client).await {
            return on_a_mock(client, &settings, transcript).await;
        }
        let mut header = Header { start: wall_time(), ..transcript.header.clone() };
        let (target, run) = (settings.target.clone(), settings.own_name.clone());
        let vocabulary = Vocabulary::new(settings.clone(), Default::default(), 1);
        let (fresh, headers) = (vocabulary.is_fresh(), settings.header_names());
        header.live = Some(LiveEndpoint { target, run, fresh, headers });
        let journal = options.place_journal()?;
        let session = open(&options, &settings, &header, &journal).await?;
        let vocabulary = Vocabulary::new(settings, session.abilities().clone(), 1);
        if let Some((index, why)) = vocabulary.refused(&transcript.steps) {
            return Err(Problem::Wrong(format!("nothing is sent; step {}: {why}", index + 1)));
        }
        let session = Rc::new(session);
        let mut world = LiveWorld::new(Rc::clone(&session), vocabulary);
        let stop = StopSignals::listen()?;
        let play = async {
            let mut target = world.fresh().await?;
            play(&mut target, &header, &transcript.steps).await
        };
        let played = tokio::select! {
            biased;
            received = stop.received() => received.map(|()| Played::default()),
            played = play => played.map_err(Problem::from),
        };
        let left_behind = session.clean_up().await;
        match played {
            Ok(played) => {
                let (secrets, journal) = (session.secrets(), Some(journal));
                Ok(ReplayOutcome { played, left_behind, secrets, journal })
            }
            Err(problem) => Err(problem.and(&left_behind)),
        }
    }
}

/// Whether the target says that it is a Tideover mock. Only a target that can hold nothing real is believed.
async fn is_own_mock(client: &Client) -> bool {
    let request = Outgoing { method: "GET", path: "/_sim/health", ..Outgoing::default() };
    let answered = client.exchange(request).await;
    answered.is_ok_and(|answer| answer.seen.json().is_some_and(|body| body["mock"] == "tideover"))
}

async fn on_a_mock(
    client: Client,
    settings: &Settings,
    transcript: &Transcript,
) -> Result<ReplayOutcome, Problem> {
    let mut target = Http::over(client, settings.key.reveal());
    if let Some(live) = &transcript.header.live {
        target = target.naming(format!("{}{}", live.run, any_name()));
    }
    Ok(play(&mut target, &transcript.header, &transcript.steps).await?.into())
}
