//! `tideover prove --right`

use std::num::NonZero;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use serde_json::json;

use crate::cli::prove::progress;
use crate::cli::signals::StopSignals;
use crate::cli::{Outcome, Output, Problem};
use crate::endpoint::Unreachable;
use crate::play::cases::Failure;
use crate::prove::right::{Acquittal, Sight, acquit, profile};
use crate::report::plain;

/// The cases for each service and set-up.
const CASES: u64 = 30;

/// Plays against the right services of `seeds` in every set-up.
pub(super) async fn run(output: &Output, seeds: Range<u64>) -> Result<Outcome, Problem> {
    let began = Instant::now();
    let trials: Vec<(u64, Sight)> =
        seeds.flat_map(|seed| Sight::ALL.map(|sight| (seed, sight))).collect();
    let wanted = trials.len();
    let bar = progress(output, wanted as u64);
    let stop = Arc::new(AtomicBool::new(false));
    let signals = StopSignals::listen()?;
    let (stopped, shown) = (Arc::clone(&stop), bar.clone());
    let mut playing =
        tokio::task::spawn_blocking(move || play(&trials, &stopped, &|| shown.inc(1)));
    let joined = tokio::select! {
        biased;
        received = signals.received() => {
            stop.store(true, Ordering::Relaxed);
            received?;
            playing.await
        }
        joined = &mut playing => joined,
    };
    bar.finish_and_clear();
    let played = joined.map_err(|error| Unreachable(error.to_string()))??;
    print(output, &played, wanted, began)
}

/// Plays every trial on as many threads as there are processors. Once `stop` is set, no new trial starts.
fn play(
    trials: &[(u64, Sight)],
    stop: &AtomicBool,
    progress: &(dyn Fn() + Sync),
) -> Result<Vec<Acquittal>, Unreachable> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        let work = || {
            while !stop.load(Ordering::Relaxed) {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some((seed, sight)) = trials.get(index) else { break };
                let played = acquit(*seed, *sight, CASES);
                done.lock().unwrap_or_else(PoisonError::into_inner).push((index, played));
                progress();
            }
        };
        for _ in 0..thread::available_parallelism().map_or(1, NonZero::get) {
            scope.spawn(work);
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, played)| played).collect()
}

fn print(
    output: &Output,
    played: &[Acquittal],
    wanted: usize,
    began: Instant,
) -> Result<Outcome, Problem> {
    for Acquittal { seed, sight, accused, inconclusive, .. } in played {
        for (failure, what) in [(accused, "accused"), (inconclusive, "inconclusive")] {
            let Some(failure) = failure else { continue };
            output.print(described(*seed, *sight, failure, what), || {
                json!({
                    "seed": seed, "sight": sight.words(), "verdict": what,
                    "finding": failure.finding(), "steps": failure.transcript.steps,
                })
            })?;
        }
    }
    let count = |is_it: fn(&Acquittal) -> bool| played.iter().filter(|one| is_it(one)).count();
    let accused = count(|one| one.accused.is_some());
    let inconclusive = count(|one| one.inconclusive.is_some());
    let steps: u64 = played.iter().map(|one| one.steps).sum();
    let seconds = began.elapsed().as_secs_f64();
    let tried = played.len();
    output.print(
        format!(
            "{tried} of {wanted} runs against right services, {steps} steps in {seconds:.1} s: {accused} accused, \
             {inconclusive} inconclusive"
        ),
        || {
            json!({
                "runs": tried, "of": wanted, "steps": steps, "accused": accused,
                "inconclusive": inconclusive,
            })
        },
    )?;
    Ok(match (accused, tried < wanted) {
        (1.., _) => Outcome::Fail,
        (0, true) => Outcome::Interrupted,
        (0, false) if inconclusive > 0 => Outcome::Inconclusive,
        (0, false) => Outcome::Pass,
    })
}

/// A failure, the steps that show it, and the profile of the service.
fn described(seed: u64, sight: Sight, failure: &Failure, what: &str) -> String {
    let steps = failure.transcript.steps.iter().zip(&failure.answers).zip(1..);
    let steps: Vec<String> = steps
        .map(|((step, (_, seen)), number)| {
            let answer = seen.as_ref().map_or("no answer".to_owned(), |seen| {
                format!("{} {}", seen.status, seen.code().unwrap_or_default())
            });
            format!("  {number}. {} → {}", plain(step), answer.trim_end())
        })
        .collect();
    let profile = profile(seed);
    format!(
        "seed {seed}, {}: {what}\n{}\n{}\n  its readings: {:?}\n",
        sight.words(),
        failure.finding(),
        steps.join("\n"),
        profile.readings
    )
}
