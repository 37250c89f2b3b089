//! `tideover export`

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use tideover_exchange::transcript::Transcript;
use tideover_report::export::{Language, export};

use crate::cli::files::{given_files, refuse_shared_files};
use crate::cli::output::verbatim;
use crate::cli::{Outcome, Problem, in_file};

/// Make a test of a finding, in your language, that needs nothing of Tideover.
///
/// The finding is the transcript that a check wrote. The test sends its steps, with names that are new in each
/// run, and asserts what the clause demands of the last response. It fails at a service with the defect, and
/// passes at a right one. What a webhook or several responses together show cannot be exported; tideover
/// replay shows it.
#[derive(Args)]
pub(super) struct Export {
    /// The transcript of the finding
    #[arg(value_name = "FINDING")]
    file: PathBuf,
    /// The language, or the form
    #[arg(long = "as", value_name = "LANGUAGE")]
    language: Form,
    /// Write the test to a file, in place of the standard output
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Form {
    /// Python for pytest, with the standard library alone
    Pytest,
    /// TypeScript for vitest, with the modules of Node alone
    Vitest,
    /// Go, with the standard library alone
    Go,
    /// A shell script with curl and jq
    Curl,
    /// An Arazzo 1.0.1 document, beside the mock's /_sim/openapi.json and /_sim/operator.json
    Arazzo,
}

impl Export {
    pub(super) async fn run(self) -> Result<Outcome, Problem> {
        let file = [("FINDING", self.file.clone())].into_iter();
        let out = given_files([("--out", &self.out)]);
        refuse_shared_files(&file.chain(out).collect::<Vec<_>>())?;
        let transcript = Transcript::read(&self.file)?;
        let language = match self.language {
            Form::Pytest => Language::Pytest,
            Form::Vitest => Language::Vitest,
            Form::Go => Language::Go,
            Form::Curl => Language::Curl,
            Form::Arazzo => Language::Arazzo,
        };
        let test = export(&transcript, language).await;
        let test = test.map_err(|why| in_file(&self.file, why))?;
        match &self.out {
            None => verbatim(test.as_bytes())?,
            Some(path) => std::fs::write(path, test).map_err(|error| in_file(path, error))?,
        }
        Ok(Outcome::Pass)
    }
}
