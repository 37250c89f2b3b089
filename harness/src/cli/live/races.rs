//! `tideover check --target --concurrency N`: races against an endpoint that is not ours.

use std::rc::Rc;
use std::time::Instant;

use crate::cli::check::Progress;
use crate::cli::concurrent::{Course, concluded, run_all};
use crate::cli::live::course::{End, to_the_end};
use crate::cli::{Held, Output, Problem};
use crate::concurrent::report::Told;
use crate::concurrent::{History, Known, Summary, play};
use crate::generate::Size;
use crate::live::session::{Ending, Session};
use crate::live::settings::Settings;
use crate::live::target::LiveWorld;
use crate::suite::{Plan, World};
use crate::target::Unreachable;
use crate::transcript::Header;

/// Races against a live endpoint.
pub(super) struct Races<'a> {
    pub(super) session: Rc<Session>,
    pub(super) world: LiveWorld,
    pub(super) settings: &'a Settings,
    pub(super) plan: &'a Plan,
    pub(super) clients: usize,
}

impl Races<'_> {
    /// Runs them, and says what came of it.
    pub(super) async fn run(self, output: &Output) -> Result<Held, Problem> {
        let Races { session, world, settings, plan, clients } = self;
        let began = Instant::now();
        let mut summary = Summary::default();
        let mut course = Live { world, header: &plan.header };
        let progress = Progress::new(output, plan);
        let playing = run_all(&mut course, plan, clients, &mut summary, &progress);
        let end = to_the_end(&session, &progress, playing).await?;
        let End { ending, interrupted, left_behind } = end;
        let told = Told {
            summary: &summary,
            clients,
            target: &settings.target,
            again: format!("--seed {} and the same target", plan.header.seed),
            seed: plan.header.seed,
            api_key: settings.key.reveal(),
            took: began.elapsed(),
            ended: ending.as_ref().map(ToString::to_string),
            left_behind: &left_behind,
        };
        let secrets = session.secrets();
        output.tell(secrets.conceal(told.to_string().trim_end()), || {
            secrets.conceal_in(told.as_json())
        })?;
        match (concluded(&summary, summary.cases)?, ending) {
            (Held::No, _) => Ok(Held::No),
            (_, Some(Ending::GivenUp(why))) => Err(Problem::Unreachable(why)),
            _ if interrupted => Ok(Held::UntilInterrupted),
            (_, Some(Ending::Spent(why))) if summary.cases == 0 => {
                Err(Problem::Unreachable(format!("no race came to its end: {why}")))
            }
            (held, _) => Ok(held),
        }
    }
}

/// The live endpoint, in which every race has names of its own.
struct Live<'a> {
    world: LiveWorld,
    header: &'a Header,
}

impl Course for Live<'_> {
    async fn run(&mut self, number: u64, size: Size) -> Result<(History, Known), Unreachable> {
        let race = self.world.race(self.header, number, size);
        let mut target = self.world.fresh().await?;
        let known = Known::of_target(self.header, &mut target);
        let now = known.start;
        Ok((play(&target, &race, now).await?, known))
    }
}
