//! The test as text of a language. The templates have the form; here the values become expressions of the language.

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, UndefinedBehavior, Value};
use serde::Serialize;
use serde_json::Value as Json;

use crate::export::Language;
use crate::export::assertion::Assertion;
use crate::export::plan::{Digits, Request, TestPlan};
use crate::export::text::Template;
use crate::quoted;

const TEMPLATES: [(&str, &str); 4] = [
    ("pytest", include_str!("templates/pytest.py")),
    ("vitest", include_str!("templates/vitest.ts")),
    ("go", include_str!("templates/finding_test.go")),
    ("curl", include_str!("templates/curl.sh")),
];

/// What a template gets.
#[derive(Serialize)]
struct Test<'a> {
    name: String,
    clause: &'a str,
    place: &'a str,
    wording: &'a str,
    /// The clause, its place and its wording, as a literal.
    message: String,
    requests: Vec<Written>,
    uses_inbox: bool,
    uses_other_key: bool,
    /// Whether a value is written as a text.
    uses_fmt: bool,
    /// The variables that have digits.
    tax_ids: Vec<DigitsIn>,
    asserted: Asserted,
}

/// A request whose values are expressions.
#[derive(Serialize)]
struct Written {
    title: String,
    method: String,
    path: String,
    is_for_operator: bool,
    authorization: Option<String>,
    content_type: Option<String>,
    body: Option<String>,
    must_succeed: bool,
    takes: Vec<Taken>,
}

#[derive(Serialize)]
struct DigitsIn {
    variable: String,
    count: usize,
}

#[derive(Serialize)]
struct Taken {
    variable: String,
    way: String,
}

/// What is asserted; one of the fields is set, or none: then a success is.
#[derive(Default, Serialize)]
struct Asserted {
    status: Option<u16>,
    code: Option<String>,
    way: Option<String>,
    /// The expected JSON text; nothing if any text will do.
    expected: Option<String>,
}

pub(super) fn test(plan: &TestPlan, language: Language) -> String {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    let mut syntax = SyntaxConfig::builder();
    syntax.trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true);
    environment.set_syntax(syntax.build().expect("the usual syntax"));
    for (name, template) in TEMPLATES {
        environment.add_template(name, template).expect("a template of ours");
    }
    let name = match language {
        Language::Pytest => "pytest",
        Language::Vitest => "vitest",
        Language::Go => "go",
        Language::Curl | Language::Arazzo => "curl",
    };
    let template = environment.get_template(name).expect("it was added");
    let message = format!("{} ({}): {}", plan.finding.clause, plan.place, plan.wording);
    let test = Test {
        name: plan.finding.clause.chars().map(plain).collect(),
        clause: &plan.finding.clause,
        place: &plan.place,
        wording: &plan.wording,
        message: text_in(&message, language),
        requests: plan.requests.iter().map(|it| written(it, language)).collect(),
        uses_inbox: plan.uses_inbox,
        uses_fmt: !plan.tax_ids.is_empty() || plan.requests.iter().any(|it| !it.takes.is_empty()),
        uses_other_key: plan.uses_other_key,
        tax_ids: plan.tax_ids.iter().map(|it| digits_in(it, language)).collect(),
        asserted: asserted(plan, language),
    };
    let rendered = template.render(Value::from(Serde(&test)));
    rendered.expect("the data fits the templates")
}

fn digits_in(digits: &Digits, language: Language) -> DigitsIn {
    DigitsIn { variable: variable_in(&digits.variable, language), count: digits.count }
}

/// A text within a line of a comment: nothing in it ends the line.
fn in_a_comment(text: &str) -> String {
    let ends = |it: char| it.is_control() || matches!(it, '\u{2028}' | '\u{2029}');
    text.chars().map(|it| if ends(it) { ' ' } else { it }).collect()
}

fn plain(it: char) -> char {
    if it.is_ascii_alphanumeric() { it } else { '_' }
}

fn asserted(plan: &TestPlan, language: Language) -> Asserted {
    match &plan.assertion {
        Assertion::Success => Asserted::default(),
        Assertion::Status(status) => Asserted { status: Some(*status), ..Asserted::default() },
        Assertion::Code(code) => {
            Asserted { code: Some(text_in(code, language)), ..Asserted::default() }
        }
        Assertion::SomeText { way } => {
            Asserted { way: Some(way_in(way, language)), ..Asserted::default() }
        }
        Assertion::Field { way, .. } => Asserted {
            way: Some(way_in(way, language)),
            expected: plan.expected.as_ref().map(|it| expression(it, language)),
            ..Asserted::default()
        },
    }
}

fn written(request: &Request, language: Language) -> Written {
    let of = |template: &Template| expression(template, language);
    let takes = request.takes.iter().map(|(variable, way)| Taken {
        variable: variable_in(variable, language),
        way: way_in(way, language),
    });
    Written {
        title: in_a_comment(&request.title),
        method: text_in(&request.method, language),
        path: of(&request.path),
        is_for_operator: request.is_for_operator,
        authorization: request.authorization.as_ref().map(of),
        content_type: request.content_type.as_deref().map(|it| text_in(it, language)),
        body: (!request.body.is_empty()).then(|| of(&request.body)),
        must_succeed: request.must_succeed,
        takes: takes.collect(),
    }
}

/// The template as an expression of the language.
fn expression(template: &Template, language: Language) -> String {
    let (text, variable) = (|it: &str| text_in(it, language), |it: &str| variable_in(it, language));
    match language {
        Language::Curl => template.written(text, |it| format!("\"${{{it}}}\""), ""),
        _ => template.written(text, variable, " + "),
    }
}

/// A variable of the test, in the manner of the language.
fn variable_in(name: &str, language: Language) -> String {
    match language {
        Language::Go | Language::Vitest => {
            let mut parts = name.split('_').filter(|part| !part.is_empty());
            let first = parts.next().unwrap_or_default().to_lowercase();
            let rest = parts.map(|part| {
                let part = part.to_lowercase();
                let (head, tail) = part.split_at(1);
                head.to_uppercase() + tail
            });
            first + &rest.collect::<String>()
        }
        _ => name.to_owned(),
    }
}

/// A text as a literal: the one with the fewest escapes. Those of JSON are those of Python, TypeScript and Go as well.
fn text_in(text: &str, language: Language) -> String {
    let is_plain = |quote: char| {
        !text.contains([quote, '\\'])
            && !text.contains(|it: char| it.is_control() || it == '\u{feff}')
    };
    match language {
        Language::Curl => quoted(text),
        Language::Go if text.contains('"') && is_plain('`') => format!("`{text}`"),
        Language::Pytest | Language::Vitest if text.contains('"') && is_plain('\'') => {
            format!("'{text}'")
        }
        // A compiler may refuse a byte order mark within a text.
        _ => Json::from(text).to_string().replace('\u{feff}', "\\ufeff"),
    }
}

/// A way as the arguments of the function that reads it.
fn way_in(way: &[String], language: Language) -> String {
    match language {
        Language::Curl => {
            let part = |part: &String| match part.parse::<u64>() {
                Ok(index) => index.to_string(),
                Err(_) => Json::from(part.as_str()).to_string(),
            };
            let way = way.iter().map(part).collect::<Vec<_>>().join(",");
            quoted(&format!("[{way}]"))
        }
        _ => way.iter().map(|part| text_in(part, language)).collect::<Vec<_>>().join(", "),
    }
}
