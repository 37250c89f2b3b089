//! `tideover check --concurrency N`

use tideover_exchange::target::{INBOX, service};
use tideover_exchange::transcript::Header;
use tideover_model::Destinations;
use tideover_prove::defects::Defect;
use tideover_suite::play::cases::{InProcess, OverHttp, Plan};
use tideover_suite::play::concurrent::{RaceTestbed, Races, Summary};

use crate::cli::Problem;
use crate::cli::progress::Progress;
use crate::cli::signals::StopSignals;

/// Races against the model or a mock that the harness starts.
pub(super) struct LocalRaces<'a> {
    pub(super) plan: &'a Plan,
    pub(super) clients: usize,
    pub(super) in_process: bool,
    pub(super) defect: Option<&'static Defect>,
}

impl LocalRaces<'_> {
    /// Runs the races to the end or until Ctrl-C. Ctrl-C keeps the results so far.
    pub(super) async fn run(&self, progress: &Progress) -> Result<Summary, Problem> {
        let Header { seed, start, profile, .. } = self.plan.header.clone();
        if !self.in_process {
            let (mock, target) = tideover_prove::embedded(&self.plan.header, self.defect).await?;
            let summary = self.run_until_stopped(&mut OverHttp::new(target), progress).await;
            mock.stop().await;
            return summary;
        }
        match self.defect {
            None => {
                let face = service(profile, seed, INBOX);
                self.run_until_stopped(&mut InProcess::new(face, start), progress).await
            }
            Some(defect) => {
                let inbox = Destinations::PublicAnd(INBOX.to_owned());
                let face = defect.service(profile, seed, inbox);
                self.run_until_stopped(&mut InProcess::new(face, start), progress).await
            }
        }
    }

    async fn run_until_stopped(
        &self,
        testbed: &mut impl RaceTestbed,
        progress: &Progress,
    ) -> Result<Summary, Problem> {
        let mut races = Races::new(self.plan, self.clients);
        let stop = StopSignals::listen()?;
        tokio::select! {
            biased;
            received = stop.received() => received?,
            run = races.run(testbed, |summary| progress.show(summary.counted.cases)) => run?,
        }
        Ok(races.summary)
    }
}
