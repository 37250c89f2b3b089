//! A failure, saved: its plan, its breach, and what happened. It replays on its own.

use std::io::{self, BufRead, Write};

use serde::{Deserialize, Serialize};

use crate::simulation::auditor::Breach;
use crate::simulation::bugs::Bug;
use crate::simulation::chain::RunHash;
use crate::simulation::plan::Plan;
use crate::simulation::run;
use crate::simulation::trace::Entry;
use crate::simulation::world::Run;

/// The name of the format.
const FORMAT: &str = "tideover-simulation";
/// The version of the format.
const VERSION: u32 = 1;

/// The first line of a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Header {
    format: String,
    version: u32,
    /// The version of Tideover that wrote it.
    pub tideover: String,
    /// The planted bug, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bug: Option<String>,
    /// The hash of the run.
    pub hash: RunHash,
    /// What did not hold, if anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub breach: Option<Breach>,
}

/// A run, saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// What identifies the run.
    pub header: Header,
    /// The plan.
    pub plan: Plan,
    /// What happened.
    pub entries: Vec<Entry>,
}

/// Why a file is not a record.
#[derive(Debug, thiserror::Error)]
pub enum UnreadableRecord {
    /// The file cannot be read.
    #[error("it cannot be read: {0}")]
    Unread(#[from] io::Error),
    /// It is something else.
    #[error("it is not a record of a simulation: {0}")]
    Foreign(String),
    /// It was written by a later version.
    #[error(
        "it has version {0} of the format, and this version of tideover reads version {VERSION}"
    )]
    Newer(u32),
    /// Its planted bug is not known.
    #[error("it names the bug {0:?}, which is not known; tideover simulate --bugs lists them")]
    UnknownBug(String),
    /// Its plan is too large, or empty.
    #[error("line 2: {0}")]
    Plan(&'static str),
    /// A line does not fit.
    #[error("line {line}: {problem}")]
    Line {
        /// The number of the line, from 1.
        line: usize,
        /// What is wrong with it.
        problem: serde_json::Error,
    },
}

impl Record {
    /// The record of a run that was traced.
    pub fn new(plan: &Plan, bug: Option<Bug>, run: Run) -> Record {
        let header = Header {
            format: FORMAT.to_owned(),
            version: VERSION,
            tideover: env!("CARGO_PKG_VERSION").to_owned(),
            bug: bug.map(|bug| bug.name().to_owned()),
            hash: run.hash,
            breach: run.breach,
        };
        Record { header, plan: plan.clone(), entries: run.entries }
    }

    /// Writes it: a header, the plan, and a line for each entry.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, to: &mut impl Write) -> io::Result<()> {
        writeln!(to, "{}", serde_json::to_string(&self.header)?)?;
        writeln!(to, "{}", serde_json::to_string(&self.plan)?)?;
        for entry in &self.entries {
            writeln!(to, "{}", serde_json::to_string(entry)?)?;
        }
        to.flush()
    }

    /// Reads a record.
    ///
    /// # Errors
    /// [`UnreadableRecord`]: `Unread`, `Foreign`, `Newer`, `UnknownBug`, `Line`.
    pub fn read(from: impl BufRead) -> Result<Record, UnreadableRecord> {
        let mut lines = from.lines();
        let first = lines.next().transpose()?.unwrap_or_default();
        let header = read_header(&first)?;
        let plan = lines.next().transpose()?.unwrap_or_default();
        let plan: Plan = parse(2, &plan)?;
        plan.check().map_err(UnreadableRecord::Plan)?;
        let mut entries = Vec::new();
        for (number, line) in (3..).zip(lines) {
            entries.push(parse(number, &line?)?);
        }
        Ok(Record { header, plan, entries })
    }

    /// The planted bug, if there is one.
    pub fn bug(&self) -> Option<Bug> {
        self.header.bug.as_deref().and_then(Bug::find)
    }

    /// Plays it again.
    pub fn replay(&self) -> Run {
        run(&self.plan, self.bug(), true)
    }
}

fn read_header(line: &str) -> Result<Header, UnreadableRecord> {
    #[derive(Deserialize)]
    struct Named {
        format: String,
        version: u32,
    }
    let named: Named =
        serde_json::from_str(line).map_err(|error| UnreadableRecord::Foreign(error.to_string()))?;
    if named.format != FORMAT {
        return Err(UnreadableRecord::Foreign(format!("its format is {:?}", named.format)));
    }
    if named.version > VERSION {
        return Err(UnreadableRecord::Newer(named.version));
    }
    if named.version < VERSION {
        let found = named.version;
        return Err(UnreadableRecord::Foreign(format!("the format has no version {found}")));
    }
    let header: Header = parse(1, line)?;
    match &header.bug {
        Some(name) if Bug::find(name).is_none() => Err(UnreadableRecord::UnknownBug(name.clone())),
        _ => Ok(header),
    }
}

fn parse<T: for<'de> Deserialize<'de>>(line: usize, text: &str) -> Result<T, UnreadableRecord> {
    serde_json::from_str(text).map_err(|problem| UnreadableRecord::Line { line, problem })
}
