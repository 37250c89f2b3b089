//! A report as one page that needs no network and no script.
//!
//! - `html/base.html` has what every page has. `check.html` is the page of a run, with its parts in files of their
//!   own, and `results.html` the page of any other command.
//! - Everything that a script adds (a filter, copy buttons) is missing without one, and nothing else is.

mod clauses;
mod results;
mod sequence;
pub(super) mod words;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use minijinja::value::Serde;
use minijinja::{Environment, Error, Value};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::document::{FindingReport, Report, Status};
use crate::figures::{milliseconds, when};
use crate::html::clauses::SectionView;
use crate::html::sequence::Sequence;
use crate::html::words::{WORDS, Word};

pub(super) use results::results;

const STYLE: &str = include_str!("html/style.css");
const SCRIPT: &str = include_str!("html/page.js");

/// The templates. The suffix `.html` turns escaping on.
const TEMPLATES: [(&str, &str); 9] = [
    ("base.html", include_str!("html/base.html")),
    ("check.html", include_str!("html/check.html")),
    ("clause.html", include_str!("html/clause.html")),
    ("clauses.html", include_str!("html/clauses.html")),
    ("finding.html", include_str!("html/finding.html")),
    ("message.html", include_str!("html/message.html")),
    ("rest.html", include_str!("html/rest.html")),
    ("results.html", include_str!("html/results.html")),
    ("sequence.html", include_str!("html/sequence.html")),
];

/// The findings that are open at first.
const OPEN: usize = 3;

#[derive(Serialize)]
struct Page<T> {
    style: &'static str,
    script: &'static str,
    script_hash: String,
    #[serde(flatten)]
    content: T,
}

/// The data of the page of a run.
#[derive(Serialize)]
struct RunPage<'a> {
    report: &'a Report,
    when: String,
    took: String,
    spent: String,
    played: String,
    ended: &'static str,
    next: String,
    extent: String,
    counts: Vec<Count>,
    sections: Vec<SectionView<'a>>,
    findings: Vec<FindingView<'a>>,
    reached: String,
    glossary: &'static [Word],
}

/// A finding, with the parts that only the page shows.
#[derive(Serialize)]
struct FindingView<'a> {
    number: usize,
    finding: &'a FindingReport,
    verdict: &'static str,
    blame: &'static str,
    met: String,
    is_open: bool,
    sequence: Option<Sequence>,
    answers: Vec<String>,
}

#[derive(Serialize)]
struct Count {
    status: Status,
    clauses: usize,
}

/// The report as an HTML page.
///
/// # Errors
/// Those of the template, which has none.
pub fn html(report: &Report) -> Result<String, Error> {
    let counts = Status::ALL
        .map(|status| Count { status, clauses: report.with_status(status) })
        .into_iter()
        .filter(|count| count.clauses > 0);
    let findings = report.findings.iter().enumerate();
    let page = RunPage {
        report,
        when: when(report.began),
        took: report.took(),
        spent: report.spent().join(" · "),
        played: report.played(),
        ended: report.ended(),
        next: report.next(),
        extent: format!("{}: {}", report.extent.words(), report.extent.basis()),
        counts: counts.collect(),
        sections: SectionView::all(report),
        findings: findings.map(|(index, finding)| FindingView::of(index, finding)).collect(),
        reached: report.reached(),
        glossary: &WORDS,
    };
    render("check.html", page)
}

fn render(name: &str, content: impl Serialize) -> Result<String, Error> {
    let mut environment = Environment::new();
    for (name, template) in TEMPLATES {
        environment.add_template(name, template)?;
    }
    environment.add_filter("words", in_words);
    environment.add_filter("received", received);
    environment.add_filter("word", words::link);
    environment.add_filter("anchor", words::anchor);
    environment.add_filter("milliseconds", milliseconds);
    let page = Page {
        style: STYLE,
        script: SCRIPT,
        // No other script can run, whatever a response contains.
        script_hash: STANDARD.encode(Sha256::digest(SCRIPT)),
        content,
    };
    environment.get_template(name)?.render(Value::from(Serde(&page)))
}

impl FindingView<'_> {
    fn of(index: usize, finding: &FindingReport) -> FindingView<'_> {
        let answers =
            finding.steps.iter().map(|step| match (&step.answer.body, &step.answer.text) {
                (Some(body), _) => serde_json::to_string_pretty(body).unwrap_or_default(),
                (None, Some(text)) => text.clone(),
                (None, None) => String::new(),
            });
        FindingView {
            number: index + 1,
            finding,
            verdict: finding.found.verdict.words_at(&finding.found.operation),
            blame: finding.blame.who.words(),
            met: finding.met(),
            is_open: index < OPEN && !finding.known,
            // Without steps there is nothing to draw.
            sequence: (!finding.steps.is_empty()).then(|| Sequence::of(finding)),
            answers: answers.collect(),
        }
    }
}

/// A webhook as it was received: its headers and its body.
fn received(delivery: &Value) -> Result<String, Error> {
    let mut text = String::new();
    for header in delivery.get_attr("headers")?.try_iter()? {
        let (name, value) = (header.get_attr("name")?, header.get_attr("value")?);
        text.push_str(&format!("{name}: {value}\n"));
    }
    let body = delivery.get_attr("body")?;
    if !body.is_undefined() {
        let body = serde_json::to_string_pretty(&body).unwrap_or_default();
        text.push_str(&format!("\n{body}"));
    }
    let beginning = delivery.get_attr("text")?;
    if !beginning.is_undefined() {
        text.push_str(&format!("\n{beginning}"));
    }
    Ok(text)
}

/// `notMet` as `not met`.
fn in_words(name: &str) -> String {
    let mut words = String::with_capacity(name.len() + 4);
    for character in name.chars() {
        if character.is_ascii_uppercase() {
            words.push(' ');
        }
        words.push(character.to_ascii_lowercase());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_the_words_of_the_statuses() {
        for status in Status::ALL {
            let name = serde_json::to_value(status).unwrap();
            assert_eq!(in_words(name.as_str().unwrap()), status.words());
        }
    }
}
