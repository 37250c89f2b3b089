//! A progress bar for a run.

use indicatif::{ProgressBar, ProgressStyle};

use crate::cli::Output;
use crate::play::cases::Plan;

/// A progress bar for a run, hidden if nobody watches.
pub(super) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    pub(super) fn new(output: &Output, plan: &Plan) -> Progress {
        let bar =
            if output.is_watched() { ProgressBar::new(plan.cases) } else { ProgressBar::hidden() };
        let template = "seed {msg} {wide_bar} case {pos} of {len}, {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_message(plan.header.seed.to_string());
        Progress { bar }
    }

    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }

    pub(super) fn show(&self, cases: u64) {
        self.bar.set_position(cases);
    }
}
