//! Transcripts, played on the model or on a mock that the harness starts.

use tideover_exchange::target::{INBOX, Interleaved, Unreachable, service};
use tideover_exchange::transcript::Transcript;
use tideover_model::Destinations;
use tideover_prove::defects::Defect;
use tideover_suite::play::cases::{InProcess, OverHttp};
use tideover_suite::play::replay::{Replay, play_either};

/// What our own service is, and where it runs.
#[derive(Clone, Copy)]
pub(super) struct Local {
    /// The model in this process, without HTTP.
    pub(super) in_process: bool,
    pub(super) defect: Option<&'static Defect>,
}

impl Local {
    /// Plays a transcript in a world of its own, which has the seed and the profile of the transcript.
    pub(super) async fn replay(
        self,
        transcript: &Transcript,
        replay: &mut Replay<'_>,
    ) -> Result<(), Unreachable> {
        let header = &transcript.header;
        if !self.in_process {
            let (mock, target) = tideover_prove::embedded(header, self.defect).await?;
            let mut world = OverHttp::new(target);
            let plays = replay.run(async |it, nth| play_either(&mut world, it, nth).await);
            let played = plays.await;
            mock.stop().await;
            return played;
        }
        let (profile, seed) = (header.profile.clone(), header.seed);
        match self.defect {
            None => on_the_model(service(profile, seed, INBOX), transcript, replay).await,
            Some(defect) => {
                let inbox = Destinations::PublicAnd(INBOX.to_owned());
                on_the_model(defect.service(profile, seed, inbox), transcript, replay).await
            }
        }
    }
}

async fn on_the_model<F: Interleaved + std::hash::Hash + 'static>(
    face: F,
    transcript: &Transcript,
    replay: &mut Replay<'_>,
) -> Result<(), Unreachable> {
    let mut testbed = InProcess::new(face, transcript.header.start);
    replay.run(async |it, nth| play_either(&mut testbed, it, nth).await).await
}
