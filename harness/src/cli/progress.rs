//! The progress of a run: a bar on a terminal, elsewhere a line every ten seconds on standard error.

use std::cell::Cell;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use tideover_live::settings::Budget;
use tideover_report::grouped;
use tideover_suite::play::cases::Plan;

use crate::cli::Output;
use crate::cli::output::to_stderr;

/// How often a line is printed where nobody watches.
const EVERY: Duration = Duration::from_secs(10);

/// How often the bar moves at least.
const TICK: Duration = Duration::from_millis(500);

/// The length of the bar.
const WHOLE: u64 = 1000;

/// What ends a run: whichever is nearest.
#[derive(Clone, Copy, Debug)]
struct Ends {
    cases: u64,
    requests: Option<u64>,
    seconds: Option<u64>,
}

/// How far a run is.
#[derive(Clone, Copy, Debug, Default)]
struct Done {
    cases: u64,
    requests: u64,
    milliseconds: u64,
}

/// A bar with this template, hidden where nobody watches. Without a length it is a counter.
pub(super) fn bar(output: &Output, length: Option<u64>, template: &str) -> ProgressBar {
    let bar = match length {
        _ if !output.is_watched() => ProgressBar::hidden(),
        Some(length) => ProgressBar::new(length),
        None => ProgressBar::no_length(),
    };
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// The progress of a run. It counts what will end the run, and never goes back.
pub(super) struct Progress {
    bar: ProgressBar,
    is_watched: bool,
    began: Instant,
    printed: Cell<Duration>,
    ends: Cell<Ends>,
    done: Cell<Done>,
    furthest: Cell<u64>,
    /// The finding that is being shrunk, and how many there are.
    shrinking: Cell<Option<(usize, usize)>>,
}

impl Progress {
    /// The progress of a run that ends with its cases.
    pub(super) fn new(output: &Output, plan: &Plan) -> Progress {
        let template = format!("seed {} {{wide_bar}} {{msg}}", plan.header.seed);
        Progress {
            bar: bar(output, Some(WHOLE), &template),
            is_watched: output.is_watched(),
            began: Instant::now(),
            printed: Cell::default(),
            ends: Cell::new(Ends { cases: plan.cases, requests: None, seconds: None }),
            done: Cell::default(),
            furthest: Cell::default(),
            shrinking: Cell::default(),
        }
    }

    /// The same, for a run that also ends with its budget.
    pub(super) fn within(self, budget: &Budget) -> Progress {
        let ends = self.ends.get();
        let (requests, seconds) = (Some(budget.requests), budget.seconds);
        self.ends.set(Ends { requests, seconds, ..ends });
        self
    }

    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }

    /// Shows that so many cases were played.
    pub(super) fn show(&self, cases: u64) {
        self.done.set(Done { cases, ..self.done.get() });
        self.update();
    }

    /// Notes how many cases are to be played, and which finding of how many is being shrunk.
    pub(super) fn show_part(&self, cases: u64, shrinking: Option<(usize, usize)>) {
        self.ends.set(Ends { cases, ..self.ends.get() });
        self.shrinking.set(shrinking);
    }

    /// Shows how far a run is for as long as it takes. `requests` counts its requests.
    pub(super) async fn watch(&self, requests: impl Fn() -> u64) -> std::convert::Infallible {
        loop {
            tokio::time::sleep(TICK).await;
            self.done.set(Done { requests: requests(), ..self.done.get() });
            self.update();
        }
    }

    fn update(&self) {
        let elapsed = self.began.elapsed();
        let milliseconds = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
        let done = Done { milliseconds, ..self.done.get() };
        let ends = self.ends.get();
        self.furthest.set(ends.position(done).max(self.furthest.get()));
        if self.is_watched {
            self.bar.set_position(self.furthest.get());
            self.bar.set_message(self.words(done));
        } else if elapsed >= self.printed.get() + EVERY {
            self.printed.set(elapsed);
            to_stderr(&format!("tideover: {}", self.words(done)));
        }
    }

    fn words(&self, done: Done) -> String {
        if let Some((which, of)) = self.shrinking.get() {
            let seconds = done.milliseconds / 1000;
            return format!("shrinking finding {which} of {of}, {seconds} s");
        }
        format!("{} %, {}", self.furthest.get() * 100 / WHOLE, self.ends.get().words(done))
    }
}

impl Ends {
    /// How far a run is, of [`WHOLE`].
    fn position(self, done: Done) -> u64 {
        let part = |done: u64, end: u64| done.saturating_mul(WHOLE) / end.max(1);
        let seconds = self.seconds.map(|end| part(done.milliseconds, end.saturating_mul(1000)));
        let requests = self.requests.map(|end| part(done.requests, end));
        let parts = [Some(part(done.cases, self.cases)), requests, seconds];
        parts.into_iter().flatten().max().unwrap_or(0).min(WHOLE)
    }

    fn words(self, done: Done) -> String {
        let of = |done: u64, end: Option<u64>, unit: &str| match end {
            // Shrinking goes beyond this budget: it has one of its own.
            Some(end) => format!("{} of {} {unit}", grouped(done.min(end)), grouped(end)),
            None => format!("{} {unit}", grouped(done)),
        };
        let mut words = vec![of(done.milliseconds / 1000, self.seconds, "s")];
        if self.requests.is_some() {
            words.push(of(done.requests, self.requests, "requests"));
        }
        words.push(of(done.cases, Some(self.cases), "cases"));
        words.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENDS: Ends = Ends { cases: 400, requests: Some(5000), seconds: Some(90) };

    fn position(cases: u64, requests: u64, milliseconds: u64) -> u64 {
        ENDS.position(Done { cases, requests, milliseconds })
    }

    #[test]
    fn the_nearest_end_counts() {
        assert_eq!(position(40, 50, 900), 100, "the cases");
        assert_eq!(position(4, 2500, 900), 500, "the requests");
        assert_eq!(position(4, 50, 89_999), 999, "the time");
        assert_eq!(position(500, 50, 900), WHOLE);
    }

    #[test]
    fn the_words_say_what_ends_the_run() {
        let done = Done { cases: 31, requests: 1204, milliseconds: 22_900 };
        assert_eq!(ENDS.words(done), "22 of 90 s, 1,204 of 5,000 requests, 31 of 400 cases");
        let beyond = Done { requests: 5044, ..done };
        assert_eq!(ENDS.words(beyond), "22 of 90 s, 5,000 of 5,000 requests, 31 of 400 cases");
        let cases_alone = Ends { requests: None, seconds: None, ..ENDS };
        assert_eq!(cases_alone.words(done), "22 s, 31 of 400 cases");
    }
}
