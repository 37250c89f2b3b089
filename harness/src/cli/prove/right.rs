//! `tideover prove --right`

use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use serde_json::json;
use tideover_prove::right::{Acquittal, Sight, acquit_all, liberties, profile};
use tideover_report::document::FindingReport;
use tideover_suite::play::cases::Failure;

use crate::cli::prove::progress;
use crate::cli::signals::until_stopped;
use crate::cli::{Outcome, Output, Problem, threads};

/// The cases for each service and set-up.
const CASES: u64 = 30;

/// Plays against the right services of `seeds` in every set-up.
pub(super) async fn run(output: &Output, seeds: Range<u64>) -> Result<Outcome, Problem> {
    let began = Instant::now();
    let wanted = usize::try_from(seeds.end - seeds.start).unwrap_or(usize::MAX) * Sight::ALL.len();
    let bar = progress(output, wanted as u64);
    let played = until_stopped(Arc::default(), bar, move |stop, bar| {
        acquit_all(seeds, CASES, threads(), stop, &|| bar.inc(1))
    });
    print(output, &played.await??, wanted, began)
}

fn print(
    output: &Output,
    played: &[Acquittal],
    wanted: usize,
    began: Instant,
) -> Result<Outcome, Problem> {
    for Acquittal { seed, sight, accused, whole, inconclusive, .. } in played {
        for finding in whole {
            let words = format!(
                "seed {seed}, {}: accused, of the whole run\n{finding}\n  its liberties: {}\n",
                sight.words(),
                taken(*seed).join(", ")
            );
            output.print(words, || {
                json!({
                    "seed": seed, "sight": sight.words(), "verdict": "accused", "finding": finding,
                    "steps": [], "liberties": taken(*seed),
                })
            })?;
        }
        for (failure, what) in [(accused, "accused"), (inconclusive, "inconclusive")] {
            let Some(failure) = failure else { continue };
            output.print(described(*seed, *sight, failure, what), || {
                json!({
                    "seed": seed, "sight": sight.words(), "verdict": what,
                    "finding": failure.finding(), "steps": failure.transcript.steps,
                    "liberties": taken(*seed),
                })
            })?;
        }
    }
    let count = |is_it: fn(&Acquittal) -> bool| played.iter().filter(|one| is_it(one)).count();
    let accused = count(Acquittal::is_accused);
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

/// The names of the liberties that the service of `seed` takes.
fn taken(seed: u64) -> Vec<&'static str> {
    liberties::taken(seed).map(|liberty| liberty.name).collect()
}

/// A failure, the steps that show it, and the profile of the service.
fn described(seed: u64, sight: Sight, failure: &Failure, what: &str) -> String {
    let steps = FindingReport::of(failure).steps.into_iter();
    let steps: Vec<String> =
        steps.map(|step| format!("  {}. {} → {}", step.number, step.words, step.answer)).collect();
    format!(
        "seed {seed}, {}: {what}\n{}\n{}\n  its liberties: {}\n  its readings: {:?}\n",
        sight.words(),
        failure.finding(),
        steps.join("\n"),
        taken(seed).join(", "),
        profile(seed).readings
    )
}
