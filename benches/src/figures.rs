//! The results of earlier runs, read from criterion's files.

#![expect(clippy::float_arithmetic, reason = "nanoseconds, not money")]

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::interleaved::Turns;
use crate::race::Race;

/// One benchmark's result.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// The group of benchmarks.
    pub group: String,
    /// The variant.
    pub function: String,
    /// The size, if there are several.
    pub size: Option<String>,
    /// The median, in nanoseconds.
    pub median: f64,
    /// The number of elements processed in that time.
    pub elements: u64,
}

impl Figure {
    /// Elements per second.
    #[expect(clippy::cast_precision_loss, reason = "a figure of three digits")]
    pub fn per_second(&self) -> f64 {
        self.elements as f64 * 1e9 / self.median
    }
}

#[derive(Deserialize)]
struct Benchmark {
    group_id: String,
    function_id: Option<String>,
    value_str: Option<String>,
    throughput: Option<Throughput>,
}

#[derive(Deserialize)]
enum Throughput {
    Elements(u64),
}

#[derive(Deserialize)]
struct Estimates {
    median: Estimate,
}

#[derive(Deserialize)]
struct Estimate {
    point_estimate: f64,
}

/// The directory of all results, found in the same way as criterion does.
pub fn home() -> PathBuf {
    let target = || {
        let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."));
        env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace.join("target"), PathBuf::from)
    };
    env::var_os("CRITERION_HOME").map_or_else(|| target().join("criterion"), PathBuf::from)
}

/// The results under `home`, sorted by name, including those of other programs.
///
/// # Errors
/// The system's error about a directory or a file, or that a file is not one of criterion's.
pub fn read(home: &Path) -> io::Result<Vec<Figure>> {
    let mut figures = Vec::new();
    let mut directories = vec![home.to_owned()];
    while let Some(directory) = directories.pop() {
        let result = directory.join("new");
        if result.join("benchmark.json").is_file() {
            figures.push(figure(&result)?);
            continue;
        }
        for entry in fs::read_dir(&directory)? {
            let path = entry?.path();
            if path.is_dir() {
                directories.push(path);
            }
        }
    }
    figures.sort_by(|a, b| (&a.group, &a.function).cmp(&(&b.group, &b.function)));
    Ok(figures)
}

fn figure(directory: &Path) -> io::Result<Figure> {
    let Benchmark { group_id, function_id, value_str, throughput } =
        json(&directory.join("benchmark.json"))?;
    let Estimates { median } = json(&directory.join("estimates.json"))?;
    let Throughput::Elements(elements) = throughput.unwrap_or(Throughput::Elements(1));
    Ok(Figure {
        group: group_id,
        function: function_id.unwrap_or_default(),
        size: value_str,
        median: median.point_estimate,
        elements,
    })
}

/// The turns of all interleaved measurements; empty if there were none.
///
/// # Errors
/// The system's error about a file, or that its content is different.
pub fn read_turns(home: &Path) -> io::Result<Vec<Turns>> {
    let mut all: Vec<Turns> = kept(&home.join(Turns::DIRECTORY))?;
    all.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(all)
}

/// All races, sorted by name and size; empty if there were none.
///
/// # Errors
/// The system's error about a file, or that its content is different.
pub fn read_races(home: &Path) -> io::Result<Vec<Race>> {
    let mut all: Vec<Race> = kept(&home.join(Race::DIRECTORY))?;
    all.sort_by(|a, b| (&a.name, a.size).cmp(&(&b.name, b.size)));
    Ok(all)
}

fn kept<T: DeserializeOwned>(directory: &Path) -> io::Result<Vec<T>> {
    let Ok(directory) = fs::read_dir(directory) else { return Ok(Vec::new()) };
    directory.map(|entry| json(&entry?.path())).collect()
}

fn json<T: DeserializeOwned>(path: &Path) -> io::Result<T> {
    let problem = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let bytes = fs::read(path).map_err(|error| io::Error::new(error.kind(), problem(&error)))?;
    serde_json::from_slice(&bytes)
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, problem(&error)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_found_at_any_depth() {
        let home = env::temp_dir().join(format!("tideover-figures-{}", std::process::id()));
        let new = home.join("model_get invoice/at/1000/new");
        fs::create_dir_all(&new).unwrap();
        let benchmark = r#"{"group_id":"model","function_id":"get","value_str":"1000",
            "throughput":{"Elements":4},"full_id":"x"}"#;
        fs::write(new.join("benchmark.json"), benchmark).unwrap();
        fs::write(new.join("estimates.json"), r#"{"median":{"point_estimate":500.0}}"#).unwrap();
        let found = read(&home);
        let turns = read_turns(&home);
        fs::remove_dir_all(&home).unwrap();
        let [figure] = &found.unwrap()[..] else { panic!("one result") };
        assert_eq!((figure.group.as_str(), figure.function.as_str()), ("model", "get"));
        assert_eq!(figure.size.as_deref(), Some("1000"));
        assert!((figure.per_second() - 8e6).abs() < 1.0);
        assert!(turns.unwrap().is_empty());
    }

    #[test]
    fn a_missing_directory_is_an_error() {
        assert!(read(Path::new("no/such/directory")).is_err());
    }
}
