//! The report on traffic that others have sent: `tideover judge` and `tideover watch`.

use std::time::Instant;

use tideover_endpoint::wall_time;
use tideover_exchange::evidence::Shard;
use tideover_exchange::evidence::outcome::Demands;
use tideover_exchange::transcript::Header;
use tideover_judge::checks::registry::Needs;
use tideover_live::recorded::Judged;
use tideover_report::{Baseline, FinishedRun, Report};
use tideover_suite::play::cases::Plan;
use tideover_suite::play::learn::{Lessons, Stated};

/// Traffic that was judged, and what its report needs beside it.
pub(super) struct Traffic<'a> {
    pub(super) command: &'static str,
    pub(super) target: &'a str,
    pub(super) stated: &'a Stated,
    pub(super) began: Instant,
    pub(super) baseline: Option<&'a Baseline>,
    pub(super) demands: Demands,
}

impl Traffic<'_> {
    /// The report, and what the traffic shows of the choices of the service.
    pub(super) fn report(&self, mut judged: Judged) -> (Report, Lessons) {
        let Traffic { command, target, stated, began, baseline, demands } = self;
        judged.summary.conclude(stated);
        let header = Header::new(0, tideover_exchange::start(), stated.profile().clone());
        let cases = judged.summary.cases;
        let plan = Plan { header, first: 0, cases, steps: 0, max_findings: usize::MAX };
        let run = FinishedRun {
            command,
            plan: &plan,
            shard: Shard::WHOLE,
            summary: &judged.summary,
            target,
            offers: &[Needs::Requests, Needs::Writes, Needs::Vendor, Needs::Foreign],
            unproven: &[],
            finished: wall_time(),
            took: began.elapsed(),
            replay: &[],
            baseline: *baseline,
            regressions: &[],
            ended: None,
            left_behind: &[],
            unjudged: judged.unknown_before,
            unasked: None,
            races: None,
            only_races: false,
            demands,
        };
        let mut report = run.report();
        report.warnings.extend(judged.warnings());
        (report, judged.summary.lessons)
    }
}
