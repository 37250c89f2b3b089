//! A report as one page that needs no network and no script.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use minijinja::value::Serde;
use minijinja::{Environment, Error, Value};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::report::document::{FindingReport, Report, Status};
use crate::report::sequence::Sequence;

const PAGE: &str = include_str!("html/page.html");
const STYLE: &str = include_str!("html/style.css");
const SCRIPT: &str = include_str!("html/filter.js");

/// The data of the template.
#[derive(Serialize)]
struct Page<'a> {
    report: &'a Report,
    counts: Vec<Count>,
    findings: Vec<FindingView<'a>>,
    style: &'a str,
    script: &'a str,
    script_hash: String,
}

/// A finding, with the parts that only the page shows.
#[derive(Serialize)]
struct FindingView<'a> {
    finding: &'a FindingReport,
    verdict: &'static str,
    met: String,
    sequence: Option<Sequence>,
    answers: Vec<String>,
}

/// The number of clauses with a status.
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
    let mut environment = Environment::new();
    // The suffix `.html` turns escaping on.
    environment.add_template("page.html", PAGE)?;
    environment.add_filter("words", words);
    environment.add_filter("received", received);
    let counts: Vec<Count> = Status::ALL
        .map(|status| Count { status, clauses: report.with_status(status) })
        .into_iter()
        .filter(|count| count.clauses > 0)
        .collect();
    let page = Page {
        report,
        counts,
        findings: report.findings.iter().map(FindingView::of).collect(),
        style: STYLE,
        script: SCRIPT,
        // No other script can run, whatever a response contains.
        script_hash: STANDARD.encode(Sha256::digest(SCRIPT)),
    };
    environment.get_template("page.html")?.render(Value::from(Serde(&page)))
}

impl FindingView<'_> {
    fn of(finding: &FindingReport) -> FindingView<'_> {
        let answers =
            finding.steps.iter().map(|step| match (&step.answer.body, &step.answer.text) {
                (Some(body), _) => serde_json::to_string_pretty(body).unwrap_or_default(),
                (None, Some(text)) => text.clone(),
                (None, None) => String::new(),
            });
        // Without steps there is nothing to draw.
        let sequence = (!finding.steps.is_empty()).then(|| Sequence::of(finding));
        let verdict = finding.found.verdict.words_at(&finding.found.operation);
        FindingView { finding, verdict, met: finding.met(), sequence, answers: answers.collect() }
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

/// `differsFromAssumption` as `differs from assumption`.
fn words(name: &str) -> String {
    let mut words = String::with_capacity(name.len() + 4);
    for character in name.chars() {
        if character.is_ascii_uppercase() {
            words.push(' ');
        }
        words.push(character.to_ascii_lowercase());
    }
    words
}
