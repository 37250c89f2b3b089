//! `--twice`: the same seeds in two processes that differ in everything but the seeds.

use std::path::PathBuf;
use std::process::Stdio;

use serde_json::{Value, json};
use tokio::process::Command;

use crate::cli::signals::StopSignals;
use crate::cli::simulate::Simulate;
use crate::cli::{Outcome, Output, Problem, wrong};

/// The environment of a process.
struct Surroundings {
    time_zone: &'static str,
    locale: &'static str,
    folder: PathBuf,
    jobs: &'static str,
}

/// Runs both processes, and compares their hashes.
pub(super) async fn compare(simulate: &Simulate, output: &Output) -> Result<Outcome, Problem> {
    let both = [
        Surroundings { time_zone: "UTC", locale: "C", folder: PathBuf::from("/"), jobs: "1" },
        Surroundings {
            time_zone: "Pacific/Chatham",
            locale: "tr_TR.UTF-8",
            folder: std::env::temp_dir(),
            jobs: "3",
        },
    ];
    let stop_signals = StopSignals::listen()?;
    let runs = async {
        let mut results = Vec::new();
        for surroundings in &both {
            results.push(result(simulate, surroundings).await?);
        }
        Ok::<_, Problem>(results)
    };
    let results = tokio::select! {
        biased;
        received = stop_signals.received() => {
            received?;
            output.print("interrupted", || json!({ "interrupted": true }))?;
            return Ok(Outcome::Interrupted);
        }
        results = runs => results?,
    };
    let same = results[0].hash == results[1].hash;
    let failed = results.iter().map(|result| result.failed).max().unwrap_or_default();
    let outcome = if same && failed == 0 { Outcome::Pass } else { Outcome::Fail };
    let words = match (same, failed) {
        (false, _) => "two processes differ".to_owned(),
        (true, 0) => "the same hash in two processes".to_owned(),
        (true, _) => {
            let worlds =
                if failed == 1 { "a world".to_owned() } else { format!("{failed} worlds") };
            format!("the same hash in two processes, but in {worlds} an invariant does not hold")
        }
    };
    let lines = both.iter().zip(&results).map(|(surroundings, result)| {
        let Surroundings { time_zone, locale, folder, jobs } = surroundings;
        let threads = match (&simulate.seeds, *jobs) {
            (None, _) => String::new(),
            (Some(_), "1") => ", 1 thread".to_owned(),
            (Some(_), jobs) => format!(", {jobs} threads"),
        };
        let folder = folder.display();
        let hash = &result.hash;
        format!("  {hash}  time zone {time_zone}, locale {locale}, folder {folder}{threads}\n")
    });
    let lines: String = lines.collect();
    let hashes: Vec<&String> = results.iter().map(|result| &result.hash).collect();
    output.print(
        format!("{outcome}  {words}\n{}", lines.trim_end()),
        || json!({ "same": same, "failed": failed, "hashes": hashes }),
    )?;
    Ok(outcome)
}

struct ProcessResult {
    hash: String,
    /// The worlds in which an invariant does not hold.
    failed: u64,
}

async fn result(
    simulate: &Simulate,
    surroundings: &Surroundings,
) -> Result<ProcessResult, Problem> {
    let own = std::env::current_exe().map_err(wrong)?;
    let save = tempfile_path();
    let mut command = Command::new(own);
    command.args(arguments(simulate, surroundings)).arg("--save").arg(&save);
    command
        .env("TZ", surroundings.time_zone)
        .env("LANG", surroundings.locale)
        .env("LC_ALL", surroundings.locale)
        .current_dir(&surroundings.folder)
        .stdin(Stdio::null())
        .kill_on_drop(true);
    let finished = command.output().await.map_err(wrong)?;
    let _ = std::fs::remove_file(&save);
    let first = finished.stdout.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let value: Value = serde_json::from_slice(first).unwrap_or_default();
    let has_breach = u64::from(!value["breach"].is_null());
    let failed = value["failed"].as_u64().unwrap_or(has_breach);
    let hash = value["hash"].as_str().map(str::to_owned).ok_or_else(|| {
        let said = String::from_utf8_lossy(&finished.stderr).trim().to_owned();
        wrong(format!("a run printed no hash: {said}"))
    })?;
    Ok(ProcessResult { hash, failed })
}

/// A file for the failures of a run. Nobody reads it.
fn tempfile_path() -> PathBuf {
    std::env::temp_dir().join(format!("tideover-twice-{}.jsonl", std::process::id()))
}

fn arguments(simulate: &Simulate, surroundings: &Surroundings) -> Vec<String> {
    let mut arguments = ["simulate", "--json", "--no-shrink"].map(str::to_owned).to_vec();
    arguments.extend(simulate.world_options());
    let mut add = |option: &str, value: String| arguments.extend([option.to_owned(), value]);
    match &simulate.seeds {
        None => add("--seed", simulate.seed.to_string()),
        Some(seeds) => {
            add("--seeds", format!("{}..{}", seeds.0.start, seeds.0.end));
            add("--jobs", surroundings.jobs.to_owned());
        }
    }
    if let Some(shard) = simulate.shard {
        add("--shard", shard.to_string());
    }
    arguments
}
