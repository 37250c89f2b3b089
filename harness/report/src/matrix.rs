//! The proof of each defect, as a table and as JSON.

use std::fmt;
use std::time::Duration;

use serde_json::{Value, json};
use tideover_exchange::evidence::latency::percentile;
use tideover_model::Clause;
use tideover_prove::Proof;
use tideover_prove::Setup;
use tideover_prove::defects::Defect;

#[derive(Clone, Debug)]
pub struct Matrix {
    pub setup: Setup,
    pub proofs: Vec<Proof>,
    pub seeds: u64,
    pub took: Duration,
}

const MISSING: &str = "-";

impl fmt::Display for Matrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows: Vec<[String; 7]> = self.proofs.iter().map(row).collect();
        let titles = ["defect", "clause", "found", "requests", "95 %", "steps", "named"];
        let width = |column: usize| {
            let cells = rows.iter().map(|row| row[column].chars().count());
            cells.chain([titles[column].len()]).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..titles.len()).map(width).collect();
        line(f, &titles.map(str::to_owned), &widths)?;
        for row in &rows {
            line(f, row, &widths)?;
        }
        writeln!(f)?;
        for proof in self.proofs.iter().filter(|proof| proof.is_missed()) {
            writeln!(f, "survived: {}", proof.defect.name)?;
        }
        for proof in self.proofs.iter().filter(|proof| !proof.survived()) {
            if let Some(reason) = proof.reason() {
                writeln!(f, "found, though {reason}: {}", proof.defect.name)?;
            }
        }
        writeln!(
            f,
            "{} of {} defects found {} over {} seeds in {:.1} s; median over all: {} requests, {} steps",
            self.found(),
            self.proofs.len(),
            self.setup.words(),
            self.seeds,
            self.took.as_secs_f64(),
            cell(self.requests()),
            cell(self.steps()),
        )
    }
}

impl Matrix {
    pub fn found(&self) -> usize {
        self.proofs.iter().filter(|proof| !proof.survived()).count()
    }

    /// The median number of requests until a seed found its defect.
    pub fn requests(&self) -> Option<u64> {
        let found = self.proofs.iter().flat_map(Proof::found);
        percentile(found.map(|(trial, _)| trial.requests).collect(), 50)
    }

    /// The median length of the shrunk sequences, in steps.
    pub fn steps(&self) -> Option<usize> {
        let found = self.proofs.iter().flat_map(Proof::found);
        percentile(found.map(|(_, found)| found.steps).collect(), 50)
    }
}

fn row(proof: &Proof) -> [String; 7] {
    let Proof { defect, trials, .. } = proof;
    [
        defect.name.to_owned(),
        defect.clause.to_string(),
        format!("{}/{}", proof.found().count(), trials.len()),
        cell(proof.requests(50)),
        cell(proof.requests(95)),
        cell(proof.steps()),
        proof.reason().filter(|_| proof.survived()).map_or_else(|| named(proof), str::to_owned),
    ]
}

/// The clause that the findings name: the expected one itself, or another.
fn named(proof: &Proof) -> String {
    let found = proof.found().count();
    let right =
        proof.found().filter(|(_, found)| found.named.contains(&proof.defect.clause)).count();
    match proof.mostly_named() {
        None => MISSING.to_owned(),
        Some(_) if right == found => "itself".to_owned(),
        Some(other) if right == 0 => other.to_string(),
        Some(other) if other == proof.defect.clause => format!("itself {right}"),
        Some(other) => format!("itself {right}, {other}"),
    }
}

/// A row of the table: names on the left, numbers on the right.
fn line(f: &mut fmt::Formatter<'_>, cells: &[String; 7], widths: &[usize]) -> fmt::Result {
    let [defect, clause, found, requests, most, steps, named] = cells;
    writeln!(
        f,
        "{defect:0$}  {clause:1$}  {found:>2$}  {requests:>3$}  {most:>4$}  {steps:>5$}  {named}",
        widths[0], widths[1], widths[2], widths[3], widths[4], widths[5],
    )
}

fn cell<T: fmt::Display>(value: Option<T>) -> String {
    value.map_or_else(|| MISSING.to_owned(), |value| value.to_string())
}

pub fn as_json(matrix: &Matrix) -> Value {
    let defects: Vec<Value> = matrix.proofs.iter().map(proof_as_json).collect();
    json!({
        "setup": matrix.setup.name(),
        "seeds": matrix.seeds,
        "milliseconds": u64::try_from(matrix.took.as_millis()).unwrap_or(u64::MAX),
        "defects": defects,
    })
}

fn proof_as_json(proof: &Proof) -> Value {
    let trials: Vec<Value> = proof
        .trials
        .iter()
        .map(|trial| {
            let found = trial.found.as_ref().map(|found| {
                let named: Vec<_> = found.named.iter().map(|clause| clause.name()).collect();
                json!({ "named": named, "violated": found.violated, "steps": found.steps })
            });
            json!({ "seed": trial.seed, "requests": trial.requests, "found": found })
        })
        .collect();
    let mut written = described(proof.defect);
    written["reason"] = json!(proof.reason());
    written["tried"] = json!(proof.trials.len());
    written["found"] = json!(proof.found().count());
    written["requests"] =
        json!({ "median": proof.requests(50), "percentile95": proof.requests(95) });
    written["steps"] = json!({ "median": proof.steps() });
    written["mostlyNamed"] = json!(proof.mostly_named().map(Clause::name));
    written["trials"] = json!(trials);
    written
}

fn described(defect: &Defect) -> Value {
    json!({
        "name": defect.name,
        "clause": defect.clause.name(),
        "words": defect.words,
        "named": defect.named.name(),
    })
}

/// The catalogue, for a person.
pub fn list(defects: &[&Defect]) -> String {
    let width = defects.iter().map(|defect| defect.name.len()).max().unwrap_or(0);
    let lines = defects
        .iter()
        .map(|Defect { name, clause, words, .. }| format!("{name:width$}  {clause}: {words}"));
    lines.collect::<Vec<_>>().join("\n")
}

/// The catalogue, for a program.
pub fn list_as_json(defects: &[&Defect]) -> Value {
    json!({ "defects": defects.iter().map(|defect| described(defect)).collect::<Vec<_>>() })
}
