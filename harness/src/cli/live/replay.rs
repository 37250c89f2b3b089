//! `tideover replay --target`: a transcript against a live endpoint.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::rc::Rc;

use tideover_endpoint::client::{Client, Outgoing};
use tideover_endpoint::{Http, wall_time};
use tideover_exchange::secrets::Secrets;
use tideover_exchange::target::{Unreachable, is_this_machine};
use tideover_exchange::transcript::{Header, LiveEndpoint, Transcript};
use tideover_live::Vocabulary;
use tideover_live::settings::{Settings, any_name};
use tideover_live::target::LiveWorld;
use tideover_suite::play::case::{Played, play};
use tideover_suite::play::concurrent;
use tideover_suite::play::concurrent::Known;
use tideover_suite::play::replay::{Replay, play_either, raced};
use url::Url;

use crate::cli::Problem;
use crate::cli::live::{LiveOptions, open};
use crate::cli::signals::StopSignals;

/// What a replay leaves behind at the target, and what no output may show.
#[derive(Default)]
pub(in crate::cli) struct Replayed {
    pub(in crate::cli) left_behind: Vec<String>,
    pub(in crate::cli) secrets: Secrets,
    /// Whether a signal ended it.
    pub(in crate::cli) interrupted: bool,
    /// The journal, where one was kept.
    pub(in crate::cli) journal: Option<PathBuf>,
}

impl LiveOptions {
    /// Plays `transcript` against the target: unchanged at a Tideover mock on this machine or in a declared
    /// sandbox, otherwise only if the gate allows every step.
    pub(in crate::cli) async fn replay(
        self,
        transcript: &Transcript,
        replay: &mut Replay<'_>,
    ) -> Result<Replayed, Problem> {
        let options = self.with_file()?;
        let settings = Settings { at_once: clients(transcript), ..options.settings()? };
        let client = options.clients(&settings)?.client(&settings.target)?;
        // A transcript from a live endpoint is not compared with a mock, whose whole state is known.
        let may_be_mock = settings.sandbox.is_some()
            || Url::parse(&settings.target).is_ok_and(|url| is_this_machine(&url));
        if transcript.header.live.is_none() && may_be_mock && is_own_mock(&client).await {
            return on_a_mock(&client, &settings, replay).await;
        }
        let mut header = Header { start: wall_time(), ..transcript.header.clone() };
        let (target, run) = (settings.target.clone(), settings.own_name.clone());
        let vocabulary = Vocabulary::new(settings.clone(), Default::default(), 1);
        let (fresh, headers) = (vocabulary.is_fresh(), settings.header_names());
        header.live = Some(LiveEndpoint { target, run, fresh, headers });
        let journal = options.place_journal()?;
        let session = open(&options, &settings, &header, &journal).await?;
        let vocabulary = Vocabulary::new(settings, session.abilities().clone(), 1);
        if let Some((index, why)) = vocabulary.refused(transcript) {
            return Err(Problem::Wrong(format!("nothing is sent; step {}: {why}", index + 1)));
        }
        let session = Rc::new(session);
        let mut world = LiveWorld::new(Rc::clone(&session), vocabulary);
        let (stop, mut interrupted) = (StopSignals::listen()?, false);
        let plays = replay.run(async |transcript, nth| {
            let transcript = Transcript { header: header.clone(), ..transcript.clone() };
            play_either(&mut world, &transcript, nth).await
        });
        let played = tokio::select! {
            biased;
            received = stop.received() => {
                interrupted = true;
                received
            }
            played = plays => played.map_err(Problem::from),
        };
        let left_behind = session.clean_up().await;
        match played {
            Ok(()) => {
                let (secrets, journal) = (session.secrets(), Some(journal));
                Ok(Replayed { left_behind, secrets, interrupted, journal })
            }
            Err(problem) => Err(problem.and(&left_behind)),
        }
    }
}

/// The number of clients that send at once.
fn clients(transcript: &Transcript) -> NonZeroU32 {
    let clients = transcript.as_race().map_or(1, |race| race.clients.len());
    u32::try_from(clients).ok().and_then(NonZeroU32::new).unwrap_or(NonZeroU32::MIN)
}

/// Whether the target says that it is a Tideover mock. Only a target that can hold nothing real is believed.
async fn is_own_mock(client: &Client) -> bool {
    let request = Outgoing { method: "GET", path: "/_sim/health", ..Outgoing::default() };
    let answered = client.exchange(request).await;
    answered.is_ok_and(|answer| answer.seen.json().is_some_and(|body| body["mock"] == "tideover"))
}

/// Plays once: a mock that somebody else has started is not reset.
async fn on_a_mock(
    client: &Client,
    settings: &Settings,
    replay: &mut Replay<'_>,
) -> Result<Replayed, Problem> {
    let mut again = false;
    let plays = replay.run(async |transcript, _| {
        if std::mem::replace(&mut again, true) {
            return Err(Unreachable("a mock in use is not reset, so it is played once".into()));
        }
        let mut target = Http::over(client.clone(), settings.key.reveal());
        if let Some(live) = &transcript.header.live {
            target = target.naming(format!("{}{}", live.run, any_name()));
        }
        match transcript.as_race() {
            None => play(&mut target, &transcript.header, &transcript.steps).await,
            Some(race) => {
                let known = Known::of_target(&transcript.header, &mut target);
                let history = concurrent::play(&target, &race, known.start).await;
                Ok::<Played, Unreachable>(raced(transcript, &history, &known))
            }
        }
    });
    plays.await?;
    Ok(Replayed::default())
}
