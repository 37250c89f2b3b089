//! The formats of a report: name, description, and what makes it.

use crate::document::Report;
use crate::html;
use crate::results::{Results, allure, code_quality, ctrf, junit, summary, workflow};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One page for people.
    Html,
    /// Markdown for the summary of a step or a comment.
    Summary,
    Junit,
    /// Common Test Report Format, JSON.
    Ctrf,
    /// A folder of Allure results.
    Allure,
    /// Annotations of a GitHub workflow.
    Github,
    /// A GitLab Code Quality report.
    Gitlab,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rendered {
    /// The text of one file.
    File(String),
    /// The files of a folder: name and text.
    Folder(Vec<(String, String)>),
}

/// The results as JUnit XML.
///
/// # Errors
/// [`Unrendered`]: those of the writer, which has none.
pub fn junit(reported: &dyn Reported) -> Result<String, Unrendered> {
    junit::junit(&reported.results()).map_err(Unrendered::new)
}

#[derive(Debug, thiserror::Error)]
#[error("the report cannot be made: {0}")]
pub struct Unrendered(Box<dyn std::error::Error + Send + Sync>);

impl Unrendered {
    /// The report cannot be made for this reason.
    pub fn new(why: impl std::error::Error + Send + Sync + 'static) -> Unrendered {
        Unrendered(Box::new(why))
    }
}

pub trait Reported {
    fn results(&self) -> Results;

    /// The page for people.
    ///
    /// # Errors
    /// [`Unrendered`]: those of the template.
    fn page(&self) -> Result<String, Unrendered>;
}

impl Reported for Report {
    fn results(&self) -> Results {
        Results::from(self)
    }

    fn page(&self) -> Result<String, Unrendered> {
        html::html(self).map_err(Unrendered::new)
    }
}

impl Reported for Results {
    fn results(&self) -> Results {
        self.clone()
    }

    fn page(&self) -> Result<String, Unrendered> {
        html::results(self).map_err(Unrendered::new)
    }
}

impl Format {
    pub const ALL: [Format; 7] = [
        Format::Html,
        Format::Summary,
        Format::Junit,
        Format::Ctrf,
        Format::Allure,
        Format::Github,
        Format::Gitlab,
    ];

    /// The name, the option that asks for it, and what the report is for.
    const fn row(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Format::Html => {
                ("html", "--report html", "one page for people, which needs no network")
            }
            Format::Summary => {
                ("summary", "--report summary", "Markdown for a step summary or a comment")
            }
            Format::Junit => ("junit", "--report junit", "JUnit XML, which most CI systems read"),
            Format::Ctrf => ("ctrf", "--report ctrf", "Common Test Report Format, JSON"),
            Format::Allure => ("allure", "--report allure", "a folder of results for Allure"),
            Format::Github => (
                "github",
                "--report github",
                "annotations for a GitHub workflow; print them: github=-",
            ),
            Format::Gitlab => {
                ("gitlab", "--report gitlab", "a Code Quality report for GitLab, JSON")
            }
        }
    }

    pub const fn name(self) -> &'static str {
        self.row().0
    }

    pub const fn option(self) -> &'static str {
        self.row().1
    }

    pub const fn purpose(self) -> &'static str {
        self.row().2
    }

    pub fn find(name: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|format| format.name() == name)
    }

    pub fn is_folder(self) -> bool {
        self == Format::Allure
    }

    /// Makes the report.
    ///
    /// # Errors
    /// [`Unrendered`]: those of templates and writers.
    pub fn render(self, reported: &dyn Reported) -> Result<Rendered, Unrendered> {
        let results = reported.results();
        Ok(match self {
            Format::Html => Rendered::File(reported.page()?),
            Format::Summary => Rendered::File(summary::summary(&results)),
            Format::Junit => Rendered::File(junit(reported)?),
            Format::Ctrf => Rendered::File(ctrf::ctrf(&results)),
            Format::Allure => Rendered::Folder(allure::allure(&results)),
            Format::Github => Rendered::File(workflow::commands(&results)),
            Format::Gitlab => Rendered::File(code_quality::code_quality(&results)),
        })
    }
}
