//! `tideover checks`

use clap::Args;
use serde_json::{Value, json};
use tideover_model::Clause;
use tideover_model::clause::Kind;
use tideover_prove::clauses::Evidence;
use tideover_report::document::schema;

use crate::cli::{Outcome, Output, Problem, wrong};

/// List the clauses: what each says, and what checks it.
///
/// A clause is a testable sentence of the document, named after its place, or a named assumption where the
/// document is silent. The list shows the checks of each clause, the defects that prove them, the stories in
/// fixtures/stories that meet it, or the reason why no caller can observe it.
#[derive(Args)]
pub(super) struct List {
    /// Only clauses whose names begin with PREFIX, such as 4.imports
    #[arg(value_name = "PREFIX", default_value = "", hide_default_value = true)]
    prefix: String,
    /// Print each clause as a line of JSON
    #[arg(long)]
    json: bool,
    /// Print the JSON Schema of the report of check --json, and no clauses
    #[arg(long, conflicts_with_all = ["json", "prefix"])]
    schema: bool,
}

impl List {
    pub(super) fn run(self) -> Result<Outcome, Problem> {
        let output = Output::new(self.json || self.schema);
        if self.schema {
            output.print("", schema)?;
            return Ok(Outcome::Pass);
        }
        let clauses: Vec<Clause> =
            Clause::all().filter(|clause| clause.name().starts_with(&self.prefix)).collect();
        if clauses.is_empty() {
            return Err(wrong(format!("no clause's name begins with {:?}", self.prefix)));
        }
        for clause in &clauses {
            if output.is_closed() {
                break;
            }
            output.print(in_words(*clause), || as_json(*clause))?;
        }
        let of = |test: fn(&Evidence) -> bool| {
            clauses.iter().filter(|clause| test(Evidence::of(**clause))).count()
        };
        let (checked, shown) = (of(Evidence::is_checked), of(Evidence::is_shown));
        let unobservable = of(|standing| standing.unobservable.is_some());
        if !self.json {
            let others = clauses.len() - checked - shown - unobservable;
            output.print(
                format!(
                    "{} clauses: {checked} with a check of their own, {shown} that show in others, \
                     {unobservable} that no caller can observe, {others} in stories, vectors or \
                     receivers alone",
                    clauses.len()
                ),
                || Value::Null,
            )?;
        }
        Ok(Outcome::Pass)
    }
}

fn kind(clause: Clause) -> &'static str {
    match clause.kind() {
        Kind::Documented => "documented",
        Kind::Assumed { .. } => "assumed",
    }
}

/// Why an assumption has its value.
fn reason(clause: Clause) -> Option<&'static str> {
    match clause.kind() {
        Kind::Documented => None,
        Kind::Assumed { reason, .. } => Some(reason),
    }
}

fn in_words(clause: Clause) -> String {
    let mut words =
        format!("{clause} ({}, {})\n  {}", kind(clause), clause.place(), clause.wording());
    if let Some(reason) = reason(clause) {
        words.push_str("\n  Why: ");
        words.push_str(reason);
    }
    for line in Evidence::of(clause).words() {
        words.push_str("\n    ");
        words.push_str(&line);
    }
    words.push('\n');
    words
}

fn as_json(clause: Clause) -> Value {
    let standing = Evidence::of(clause);
    json!({
        "clause": clause.name(),
        "place": clause.place(),
        "wording": clause.wording(),
        "kind": kind(clause),
        "reason": reason(clause),
        "checks": standing.checks.iter().map(|(name, _)| name).collect::<Vec<_>>(),
        "showsIn": standing.shows_in.iter().map(|clause| clause.name()).collect::<Vec<_>>(),
        "defects": standing.defects.iter().map(|defect| defect.name).collect::<Vec<_>>(),
        "stories": standing.stories,
        "receiverCheck": standing.receiver_check,
        "vectors": standing.vectors,
        "unobservable": standing.unobservable,
    })
}
