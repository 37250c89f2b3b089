//! A rule as it is written: in JSON for the operator port, in TOML in a profile file.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::{Map, Value};
use tideover_model::OperationKind;
use tideover_model::wire::problem::shown;

use crate::fault::{Act, ImpossibleRule, Rule, When};

/// How the fields of a rule are spelled. Values are spelled the same everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// As in JSON: `afterBytes`.
    Camel,
    /// As in a profile file: `after_bytes`.
    Snake,
}

/// The fields of every rule.
const FIELDS: [&str; 6] = ["label", "operation", "identifier", "nth", "percent", "act"];

/// The acts, each with its fields.
const ACTS: [(&str, &[&str]); 6] = [
    ("upstreamFails", &["when"]),
    ("connectionDrops", &["when"]),
    ("answerCut", &["afterBytes"]),
    ("importStops", &["afterRows"]),
    ("answerDelayed", &["milliseconds"]),
    ("requestRepeated", &[]),
];

/// The rule with these fields.
///
/// # Errors
/// [`ImpossibleRule`]: a missing or unknown act, a field that the act does not have, a missing field or one of the
/// wrong type, then the errors of [`Rule::check`].
///
/// ```
/// use serde_json::json;
/// use tideover_sim::fault::{Act, Rule, Spelling, read};
///
/// let fields = json!({ "act": "answerCut", "afterBytes": 10 });
/// let rule = read(fields.as_object().unwrap(), Spelling::Camel).unwrap();
/// assert_eq!(rule, Rule::always(Act::AnswerCut { after_bytes: 10 }));
/// ```
pub fn read(fields: &Map<String, Value>, spelling: Spelling) -> Result<Rule, ImpossibleRule> {
    let form = Form { fields, spelling };
    let (name, act_fields) = form.act()?;
    form.has_only(name, act_fields)?;
    let rule = Rule {
        label: form.text("label")?,
        operation: form.operation()?,
        identifier: form.text("identifier")?,
        nth: form.number("nth", "a whole number from 1")?,
        percent: form.percent()?,
        act: form.details(name)?,
    };
    rule.check().map_err(|ImpossibleRule { field, problem }| form.refused(&field, problem))?;
    Ok(rule)
}

/// The written form of a rule.
struct Form<'a> {
    fields: &'a Map<String, Value>,
    spelling: Spelling,
}

impl<'a> Form<'a> {
    /// The name of the act, and its fields.
    fn act(&self) -> Result<(&'static str, &'static [&'static str]), ImpossibleRule> {
        let named = |name: &str| ACTS.iter().find(|(known, _)| *known == name);
        let act = self.fields.get("act").and_then(Value::as_str).and_then(named);
        let names = ACTS.map(|(name, _)| name).join(", ");
        act.copied().ok_or_else(|| self.expected("act", &format!("one of {names}")))
    }

    fn has_only(&self, act: &str, act_fields: &[&str]) -> Result<(), ImpossibleRule> {
        let allowed: Vec<_> =
            FIELDS.iter().chain(act_fields).map(|name| self.spelled(name)).collect();
        match self.fields.keys().find(|field| !allowed.iter().any(|name| name == *field)) {
            None => Ok(()),
            Some(field) => {
                let shown: String = field.chars().take(60).collect();
                let problem = format!("{act} has only the fields {}", allowed.join(", "));
                Err(ImpossibleRule::new(&shown, problem))
            }
        }
    }

    fn details(&self, act: &str) -> Result<Act, ImpossibleRule> {
        let required = |field| {
            let expected = "a whole number, not negative";
            self.number(field, expected)?.ok_or_else(|| self.expected(field, expected))
        };
        Ok(match act {
            "upstreamFails" => Act::UpstreamFails { when: self.when()? },
            "connectionDrops" => Act::ConnectionDrops { when: self.when()? },
            "answerCut" => Act::AnswerCut { after_bytes: required("afterBytes")? },
            "importStops" => Act::ImportStops { after_rows: required("afterRows")? },
            "answerDelayed" => Act::AnswerDelayed { milliseconds: required("milliseconds")? },
            _ => Act::RequestRepeated,
        })
    }

    fn when(&self) -> Result<When, ImpossibleRule> {
        match self.value("when").and_then(Value::as_str) {
            Some("beforeCommit") => Ok(When::BeforeCommit),
            Some("afterCommit") => Ok(When::AfterCommit),
            _ => Err(self.expected("when", "beforeCommit or afterCommit")),
        }
    }

    fn operation(&self) -> Result<Option<OperationKind>, ImpossibleRule> {
        let Some(value) = self.value("operation") else { return Ok(None) };
        OperationKind::deserialize(value).map(Some).map_err(|_| {
            let name = |kind| serde_json::to_value(kind).unwrap_or_default();
            let names =
                OperationKind::ALL.map(|kind| name(kind).as_str().unwrap_or_default().to_owned());
            self.expected("operation", &format!("one of {}", names.join(", ")))
        })
    }

    fn percent(&self) -> Result<Option<u32>, ImpossibleRule> {
        const EXPECTED: &str = "a whole number from 1 to 100";
        let percent = self.number("percent", EXPECTED)?;
        let fits = percent.map(u32::try_from).transpose();
        fits.map_err(|_| self.expected("percent", EXPECTED))
    }

    fn text(&self, field: &str) -> Result<Option<String>, ImpossibleRule> {
        let Some(value) = self.value(field) else { return Ok(None) };
        let text = value.as_str().ok_or_else(|| self.expected(field, "a string"))?;
        Ok(Some(text.to_owned()))
    }

    fn number(&self, field: &str, expected: &str) -> Result<Option<u64>, ImpossibleRule> {
        let Some(value) = self.value(field) else { return Ok(None) };
        value.as_u64().map(Some).ok_or_else(|| self.expected(field, expected))
    }

    fn value(&self, field: &str) -> Option<&'a Value> {
        self.fields.get(&*self.spelled(field))
    }

    fn expected(&self, field: &str, expected: &str) -> ImpossibleRule {
        self.refused(field, format!("expected {expected}"))
    }

    /// A problem with a field. If it says what was expected, this adds what came.
    fn refused(&self, field: &str, problem: String) -> ImpossibleRule {
        let got = self.value(field).map_or_else(|| "nothing".to_owned(), shown);
        let is_about_value = problem.starts_with("expected ");
        let problem = if is_about_value { format!("{problem}, got {got}") } else { problem };
        ImpossibleRule::new(&self.spelled(field), problem)
    }

    /// A field in the spelling of the form.
    fn spelled<'b>(&self, field: &'b str) -> Cow<'b, str> {
        if self.spelling == Spelling::Camel || !field.contains(char::is_uppercase) {
            return Cow::Borrowed(field);
        }
        let mut snake = String::new();
        for letter in field.chars() {
            if letter.is_uppercase() {
                snake.push('_');
            }
            snake.extend(letter.to_lowercase());
        }
        Cow::Owned(snake)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;
    use utoipa::PartialSchema;

    use super::*;
    use crate::fault::rule::{ActFields, ActName};

    fn problem(fields: &Value, spelling: Spelling) -> String {
        read(fields.as_object().unwrap(), spelling).unwrap_err().to_string()
    }

    #[test]
    fn a_rule_is_read_as_serde_writes_it() {
        for act in [
            Act::UpstreamFails { when: When::BeforeCommit },
            Act::ConnectionDrops { when: When::AfterCommit },
            Act::AnswerCut { after_bytes: 0 },
            Act::ImportStops { after_rows: 3 },
            Act::AnswerDelayed { milliseconds: 3_600_000 },
            Act::RequestRepeated,
        ] {
            let operation = Some(OperationKind::ImportInvoices);
            let (label, identifier) = (Some("a".into()), Some("b".into()));
            let nth = Rule { label, operation, identifier, nth: Some(1), ..Rule::always(act) };
            for rule in [Rule { percent: Some(100), ..Rule::always(act) }, nth] {
                let written = serde_json::to_value(&rule).unwrap();
                assert_eq!(read(written.as_object().unwrap(), Spelling::Camel), Ok(rule));
            }
        }
    }

    #[test]
    fn the_schema_has_every_act_and_its_fields() {
        let names = ACTS.map(|(name, _)| name);
        assert_eq!(json!(ActName::schema())["enum"], json!(names));
        let schema = json!(ActFields::schema());
        let described: BTreeSet<_> = schema["properties"].as_object().unwrap().keys().collect();
        let own = ACTS.iter().flat_map(|(_, own)| own.iter().copied());
        let read: Vec<String> = own.chain(["act"]).map(str::to_owned).collect();
        assert_eq!(described, read.iter().collect());
    }

    #[test]
    fn a_wrong_act_or_field_is_named() {
        let own = "label, operation, identifier, nth, percent, act";
        for (fields, expected) in [
            (
                json!({}),
                "act: expected one of upstreamFails, connectionDrops, answerCut, importStops, \
                answerDelayed, requestRepeated"
                    .to_owned(),
            ),
            (json!({ "act": "explodes" }), "act: expected one of upstreamFails".into()),
            (
                json!({ "act": "requestRepeated", "when": "afterCommit" }),
                format!("when: requestRepeated has only the fields {own}"),
            ),
            (
                json!({ "act": "answerCut", "after_bytes": 1 }),
                format!("after_bytes: answerCut has only the fields {own}, afterBytes"),
            ),
            (
                json!({ "act": "upstreamFails" }),
                "when: expected beforeCommit or afterCommit".into(),
            ),
            (
                json!({ "act": "answerCut" }),
                "afterBytes: expected a whole number, not negative".into(),
            ),
            (
                json!({ "act": "answerDelayed", "milliseconds": 3_600_001 }),
                "milliseconds: expected a whole number from 0 to 3600000".into(),
            ),
        ] {
            let problem = problem(&fields, Spelling::Camel);
            assert!(problem.starts_with(&expected), "{problem}");
        }
    }

    #[test]
    fn an_impossible_condition_is_named() {
        for (field, value, expected) in [
            ("label", json!(""), "expected 1 to 100 characters"),
            ("label", json!("x".repeat(101)), "expected 1 to 100 characters"),
            ("label", json!(null), "expected a string"),
            ("identifier", json!(""), "expected 1 to 1000 characters"),
            ("nth", json!(0), "expected a whole number from 1"),
            ("nth", json!(-1), "expected a whole number from 1"),
            ("percent", json!(0), "expected a whole number from 1 to 100"),
            ("percent", json!(101), "expected a whole number from 1 to 100"),
            ("percent", json!(u64::MAX), "expected a whole number from 1 to 100"),
            ("percent", json!(1.5), "expected a whole number from 1 to 100"),
            ("operation", json!("teapot"), "expected one of get_invoice, sync_invoice, "),
            ("operation", json!(3), "expected one of get_invoice, "),
            ("operation", json!("get_import"), "importStops is only for import_invoices"),
        ] {
            let fields = json!({ "act": "importStops", "afterRows": 1, field: value });
            let problem = problem(&fields, Spelling::Camel);
            assert!(problem.starts_with(&format!("{field}: {expected}")), "{problem}");
        }
        let both = json!({ "act": "requestRepeated", "nth": 1, "percent": 5 });
        assert!(problem(&both, Spelling::Camel).starts_with("percent: conflicts with nth"));
        let nothing =
            json!({ "act": "requestRepeated", "operation": "subscribe", "identifier": "a" });
        assert!(problem(&nothing, Spelling::Camel).starts_with("identifier: requests of this"));
    }

    #[test]
    fn a_profile_file_spells_fields_with_underscores() {
        let fields = json!({ "act": "answerCut", "after_bytes": 1 });
        let rule = read(fields.as_object().unwrap(), Spelling::Snake).unwrap();
        assert_eq!(rule.act, Act::AnswerCut { after_bytes: 1 });
        let fields = json!({ "act": "importStops", "after_rows": "x" });
        let problem = problem(&fields, Spelling::Snake);
        assert_eq!(problem, "after_rows: expected a whole number, not negative, got \"x\"");
    }
}
