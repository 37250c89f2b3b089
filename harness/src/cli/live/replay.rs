//! `tideover replay --target`: a transcript against a live endpoint.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::rc::Rc;

use tideover_endpoint::client::{Client, Outgoing};
use tideover_endpoint::{Http, wall_time};
use tideover_exchange::secrets::Secrets;
use tideover_exchange::target::{Unreachable, is_this_machine};
use tideover_exchange::transcript::{Header, Transcript};
use tideover_live::Vocabulary;
use tideover_live::settings::Settings;
use tideover_live::target::LiveWorld;
use tideover_suite::play::case::{Played, play};
use tideover_suite::play::concurrent;
use tideover_suite::play::concurrent::Known;
use tideover_suite::play::replay::{Replay, play_either, raced};
use url::Url;

use crate::cli::live::{LiveOptions, live_endpoint, open};
use crate::cli::signals::StopSignals;
use crate::cli::{Problem, wrong};

/// The options that a replay at a Tideover mock needs. No gate, no budget and no session stands before it.
const USED_AT_A_MOCK: [&str; 9] =
    ["target", "key", "key_env", "sandbox", "ca", "client_cert", "headers", "timeout", "config"];

/// What a replay against a target leaves for the output, besides what it saw.
#[derive(Default)]
pub(in crate::cli) struct Replayed {
    /// What stays at the target.
    pub(in crate::cli) left_behind: Vec<String>,
    /// What no output may show.
    pub(in crate::cli) secrets: Secrets,
    /// Whether a signal ended it.
    pub(in crate::cli) interrupted: bool,
    /// The journal, where one was kept.
    pub(in crate::cli) journal: Option<PathBuf>,
    /// The options on the command line that had no effect.
    pub(in crate::cli) unused: Vec<String>,
}

impl LiveOptions {
    /// Refuses an option on the command line that no replay can use.
    pub(in crate::cli) fn refuse_for_a_replay(&self) -> Result<(), Problem> {
        if self.given.is_on_command_line("workers") {
            return Err(wrong("--workers is for a check: a replay plays one case"));
        }
        Ok(())
    }

    /// Plays `transcript` against the target. At a Tideover mock it is played as it stands, if it was not found at a live
    /// endpoint. Otherwise every step must pass the gate, which in a sandbox lets nearly everything pass.
    pub(in crate::cli) async fn replay(
        &self,
        transcript: &Transcript,
        replay: &mut Replay<'_>,
    ) -> Result<Replayed, Problem> {
        let settings = Settings { at_once: clients(transcript), ..self.settings()? };
        let client = self.clients(&settings)?.client(&settings.target)?;
        let holds_nothing_real = settings.sandbox.is_some()
            || Url::parse(&settings.target).is_ok_and(|url| is_this_machine(&url));
        // What was found at a live endpoint was judged without its state, and is judged in the same way here.
        let is_local = transcript.header.live.is_none();
        if is_local && holds_nothing_real && says_it_is_a_mock(&client).await {
            play_at_a_mock(&client, &settings, replay).await?;
            let unused = self.given.on_command_line_without(&USED_AT_A_MOCK);
            return Ok(Replayed { unused, ..Replayed::default() });
        }
        let mut header = Header { start: wall_time(), ..transcript.header.clone() };
        let vocabulary = Vocabulary::new(settings.clone(), Default::default(), 1);
        header.live = Some(live_endpoint(&settings, &vocabulary));
        let journal = self.place_journal()?;
        let session = open(self, &settings, &header, &journal).await?;
        let vocabulary = Vocabulary::new(settings, session.abilities().clone(), 1);
        if let Some((index, why)) = vocabulary.refused(transcript) {
            return Err(wrong(format!("nothing is sent; step {}: {why}", index + 1)));
        }
        let session = Rc::new(session);
        let mut world = LiveWorld::new(Rc::clone(&session), vocabulary);
        let (stop, mut interrupted) = (StopSignals::listen()?, false);
        let plays = play_again(&mut world, &header, replay);
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
                Ok(Replayed { left_behind, secrets, interrupted, journal, unused: Vec::new() })
            }
            Err(problem) => Err(problem.and(&left_behind)),
        }
    }
}

/// Plays the transcript of a replay, in the world of `header` and in names of its own.
pub(super) async fn play_again(
    world: &mut LiveWorld,
    header: &Header,
    replay: &mut Replay<'_>,
) -> Result<(), Unreachable> {
    let plays = replay.run(async |transcript, nth| {
        let transcript = Transcript { header: header.clone(), ..transcript.clone() };
        play_either(world, &transcript, nth).await
    });
    plays.await
}

/// The number of clients that send at once.
fn clients(transcript: &Transcript) -> NonZeroU32 {
    let clients = transcript.as_race().map_or(1, |race| race.clients.len());
    u32::try_from(clients).ok().and_then(NonZeroU32::new).unwrap_or(NonZeroU32::MIN)
}

/// Whether the target says that it is a Tideover mock. Ask only what can hold nothing real: anybody can say that.
async fn says_it_is_a_mock(client: &Client) -> bool {
    let request = Outgoing { method: "GET", path: "/_sim/health", ..Outgoing::default() };
    let answered = client.exchange(request).await;
    answered.is_ok_and(|answer| answer.seen.json().is_some_and(|body| body["mock"] == "tideover"))
}

/// Plays once, because a mock that somebody else has started is not reset.
async fn play_at_a_mock(
    client: &Client,
    settings: &Settings,
    replay: &mut Replay<'_>,
) -> Result<(), Unreachable> {
    let mut again = false;
    let plays = replay.run(async |transcript, _| {
        if std::mem::replace(&mut again, true) {
            return Err(Unreachable("a mock in use is not reset, so it is played once".into()));
        }
        let mut target = Http::over(client.clone(), settings.key.reveal());
        match transcript.as_race() {
            None => play(&mut target, &transcript.header, &transcript.steps).await,
            Some(race) => {
                let known = Known::of_target(&transcript.header, &mut target);
                let history = concurrent::play(&target, &race, known.start).await;
                Ok::<Played, Unreachable>(raced(transcript, &history, &known))
            }
        }
    });
    plays.await
}
