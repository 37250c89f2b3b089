//! A finding as a test in the user's language, which needs nothing of Tideover.
//!
//! - In comes the transcript of a finding; out comes a test that sends its steps and asserts what the clause demands.
//! - What the clause demands is what the model answers. It is asserted only if it follows from the document: right
//!   services with other profiles and liberties, drawn by seed, answer the same, and the service answered otherwise.
//! - Names are new in each run, so that a test can be run again at a service that keeps its state.

mod arazzo;
mod assertion;
mod languages;
mod plan;
mod text;

use tideover_exchange::transcript::Transcript;

use crate::export::plan::TestPlan;

/// The forms of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Python, run by pytest. The standard library alone.
    Pytest,
    /// TypeScript, run by vitest. Node's own modules alone.
    Vitest,
    /// Go, run by `go test`. The standard library alone.
    Go,
    /// A shell script with curl and jq.
    Curl,
    /// An Arazzo 1.0.1 document beside the OpenAPI documents that the mock serves.
    Arazzo,
}

/// Why a finding cannot be a test. The replay of its transcript still shows it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unexportable {
    #[error("its first line names no finding: a transcript that a check wrote has one")]
    NoFinding,
    #[error("{0:?} is the name of no clause")]
    NoClause(String),
    #[error("{0}: the document leaves it open, so that no test can demand it")]
    Assumption(String),
    #[error(
        "step {0} needs a receiver that refuses or leaves: only the inbox of Tideover does so on demand"
    )]
    Receiver(usize),
    #[error("it is a race: only a replay sends requests at once")]
    Race,
    #[error("step {0} has a body that is not text, or too long for a test")]
    Body(usize),
    #[error("step {0} sends your own tax ids or accounts, which a test cannot know")]
    OwnValues(usize),
    #[error("step {0} is no operation of the API, which an Arazzo document needs")]
    NoOperation(usize),
    #[error("an Arazzo document cannot state {0}: the other forms can")]
    Inexpressible(&'static str),
    #[error(
        "{clause}: the last response alone does not show it (a webhook does, or several responses together, or a value \
         that the document leaves to the service)"
    )]
    NotInTheResponse {
        /// The clause of the finding.
        clause: String,
    },
}

/// The test of a finding.
///
/// # Errors
/// [`Unexportable`]: `NoFinding`, `NoClause`, `Assumption`, `Race`, `OwnValues`, `Receiver`, `Body`, `NotInTheResponse`; for Arazzo also `NoOperation`, `Inexpressible`.
pub async fn export(transcript: &Transcript, language: Language) -> Result<String, Unexportable> {
    let plan = TestPlan::of(transcript).await?;
    match language {
        Language::Arazzo => arazzo::document(&plan),
        _ => Ok(languages::test(&plan, language)),
    }
}
