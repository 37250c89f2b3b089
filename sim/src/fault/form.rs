//! A rule as it is written: in JSON for the operator port, in TOML in a profile file.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::{Map, Value};
use tideover_model::OperationKind;
use tideover_model::wire::problem::shown;
use tideover_model::words::EventType;

use crate::fault::{Act, DeliveryAct, ImpossibleRule, Rule, When};

/// How the fields of a rule are spelled. Values are spelled the same everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// As in JSON: `afterBytes`.
    Camel,
    /// As in a profile file: `after_bytes`.
    Snake,
}

/// The fields of every rule for requests.
const OF_REQUESTS: &[&str] = &["label", "operation", "identifier", "nth", "percent", "act"];
/// The fields of every rule for deliveries.
const OF_DELIVERIES: &[&str] = &["label", "event", "payee", "invoice", "nth", "percent", "act"];

/// An act: its name, the fields of every rule for its target, and its own.
type ActForm = (&'static str, &'static [&'static str], &'static [&'static str]);

const ACTS: [ActForm; 17] = [
    ("upstreamFails", OF_REQUESTS, &["when"]),
    ("connectionDrops", OF_REQUESTS, &["when"]),
    ("answerCut", OF_REQUESTS, &["afterBytes"]),
    ("importStops", OF_REQUESTS, &["afterRows"]),
    ("answerDelayed", OF_REQUESTS, &["milliseconds"]),
    ("requestRepeated", OF_REQUESTS, &[]),
    ("requestThrottled", OF_REQUESTS, &["retryAfterSeconds"]),
    ("deliveryLate", OF_DELIVERIES, &["seconds"]),
    ("deliveryDuplicated", OF_DELIVERIES, &[]),
    ("deliverySwapped", OF_DELIVERIES, &[]),
    ("deliveryDropped", OF_DELIVERIES, &["attempts"]),
    ("unknownEventType", OF_DELIVERIES, &[]),
    ("unknownField", OF_DELIVERIES, &[]),
    ("unknownValue", OF_DELIVERIES, &[]),
    ("bodyIndented", OF_DELIVERIES, &[]),
    ("signedWithAnotherSecret", OF_DELIVERIES, &["attempts"]),
    ("signedAnHourAgo", OF_DELIVERIES, &["attempts"]),
];

/// The fields that a rule with each act may have, in camel case.
pub(crate) fn fields_by_act() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    ACTS.into_iter().map(|(act, of_all, own)| (act, of_all.iter().chain(own).copied().collect()))
}

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
    let act = form.act()?;
    form.has_only(act)?;
    let rule = Rule {
        label: form.text("label")?,
        operation: form.operation()?,
        identifier: form.text("identifier")?,
        event: form.event()?,
        payee: form.text("payee")?,
        invoice: form.text("invoice")?,
        nth: form.number("nth", "a whole number from 1")?,
        percent: form.small("percent", "a whole number from 1 to 100")?,
        act: form.details(act.0)?,
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
    /// The act that the rule names.
    fn act(&self) -> Result<ActForm, ImpossibleRule> {
        let named = |name: &str| ACTS.iter().find(|(known, ..)| *known == name);
        let act = self.fields.get("act").and_then(Value::as_str).and_then(named);
        let names = ACTS.map(|(name, ..)| name).join(", ");
        act.copied().ok_or_else(|| self.expected("act", &format!("one of {names}")))
    }

    fn has_only(&self, (act, of_all, own): ActForm) -> Result<(), ImpossibleRule> {
        let allowed: Vec<_> = of_all.iter().chain(own).map(|name| self.spelled(name)).collect();
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
            "requestRepeated" => Act::RequestRepeated,
            "requestThrottled" => {
                let expected = "a whole number of seconds, not negative";
                let seconds = self.small("retryAfterSeconds", expected)?;
                let missing = || self.expected("retryAfterSeconds", expected);
                Act::RequestThrottled { retry_after_seconds: seconds.ok_or_else(missing)? }
            }
            "deliveryLate" => DeliveryAct::Late { seconds: required("seconds")? }.into(),
            "deliveryDuplicated" => DeliveryAct::Duplicated.into(),
            "deliverySwapped" => DeliveryAct::Swapped.into(),
            "deliveryDropped" => DeliveryAct::Dropped { attempts: self.attempts()? }.into(),
            "unknownEventType" => DeliveryAct::UnknownEventType.into(),
            "unknownField" => DeliveryAct::UnknownField.into(),
            "unknownValue" => DeliveryAct::UnknownValue.into(),
            "bodyIndented" => DeliveryAct::BodyIndented.into(),
            "signedWithAnotherSecret" => {
                DeliveryAct::SignedWithAnotherSecret { attempts: self.attempts()? }.into()
            }
            _ => DeliveryAct::SignedAnHourAgo { attempts: self.attempts()? }.into(),
        })
    }

    /// How many attempts, from the first.
    fn attempts(&self) -> Result<u32, ImpossibleRule> {
        Ok(self.small("attempts", "a whole number from 1")?.unwrap_or(1))
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

    fn event(&self) -> Result<Option<EventType>, ImpossibleRule> {
        let Some(value) = self.value("event") else { return Ok(None) };
        let event = value.as_str().and_then(EventType::parse);
        let expected =
            || self.expected("event", &format!("one of {}", EventType::WORDS.join(", ")));
        event.map(Some).ok_or_else(expected)
    }

    /// A number of 32 bits.
    fn small(&self, field: &str, expected: &str) -> Result<Option<u32>, ImpossibleRule> {
        let fits = self.number(field, expected)?.map(u32::try_from).transpose();
        fits.map_err(|_| self.expected(field, expected))
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
    use crate::fault::rule::{ActFields, ActName, WITH_A_VALUE};

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
            Act::RequestThrottled { retry_after_seconds: 0 },
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
    fn a_rule_for_deliveries_is_read_as_serde_writes_it() {
        for act in [
            DeliveryAct::Late { seconds: 100_800 },
            DeliveryAct::Duplicated,
            DeliveryAct::Swapped,
            DeliveryAct::Dropped { attempts: 8 },
            DeliveryAct::UnknownEventType,
            DeliveryAct::UnknownField,
            DeliveryAct::UnknownValue,
            DeliveryAct::BodyIndented,
            DeliveryAct::SignedWithAnotherSecret { attempts: 1 },
            DeliveryAct::SignedAnHourAgo { attempts: 2 },
        ] {
            let rule = Rule {
                label: Some("a".into()),
                event: Some(WITH_A_VALUE),
                payee: Some("b".into()),
                invoice: Some("c".into()),
                nth: Some(1),
                ..Rule::always(act)
            };
            for rule in [rule, Rule::always(act)] {
                let written = serde_json::to_value(&rule).unwrap();
                assert_eq!(written["act"], act.name());
                assert_eq!(serde_json::from_value::<Rule>(written.clone()).unwrap(), rule);
                assert_eq!(read(written.as_object().unwrap(), Spelling::Camel), Ok(rule));
            }
        }
        let fields = json!({ "act": "deliveryDropped" });
        let rule = read(fields.as_object().unwrap(), Spelling::Camel).unwrap();
        assert_eq!(rule, Rule::always(DeliveryAct::Dropped { attempts: 1 }));
    }

    #[test]
    fn the_schema_has_every_act_and_its_fields() {
        let names = ACTS.map(|(name, ..)| name);
        assert_eq!(json!(ActName::schema())["enum"], json!(names));
        let schema = json!(ActFields::schema());
        let described: BTreeSet<_> = schema["properties"].as_object().unwrap().keys().collect();
        let own = ACTS.iter().flat_map(|(_, _, own)| own.iter().copied());
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
                answerDelayed, requestRepeated, requestThrottled, deliveryLate, deliveryDuplicated, \
                deliverySwapped, deliveryDropped, unknownEventType, unknownField, unknownValue, \
                bodyIndented, signedWithAnotherSecret, signedAnHourAgo, got nothing"
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
    fn a_field_of_the_other_target_is_named() {
        let own = "label, event, payee, invoice, nth, percent, act";
        for (fields, expected) in [
            (
                json!({ "act": "deliveryLate", "seconds": 1, "operation": "quote" }),
                format!("operation: deliveryLate has only the fields {own}, seconds"),
            ),
            (
                json!({ "act": "requestRepeated", "payee": "acme" }),
                "payee: requestRepeated has only the fields label, operation, ".to_owned(),
            ),
            (
                json!({ "act": "deliveryDuplicated", "event": "loan.paid" }),
                "event: expected one of partner.organization.added, ".into(),
            ),
            (
                json!({ "act": "deliveryDuplicated", "invoice": "" }),
                "invoice: expected 1 to".into(),
            ),
            (json!({ "act": "deliveryDuplicated", "payee": 3 }), "payee: expected a string".into()),
            (json!({ "act": "deliveryLate" }), "seconds: expected a whole number".into()),
            (
                json!({ "act": "deliveryLate", "seconds": 0 }),
                "seconds: expected a whole number from 1 to 100800, got 0".into(),
            ),
            (
                json!({ "act": "deliveryDropped", "attempts": 0 }),
                "attempts: expected a whole number from 1, got 0".into(),
            ),
            (
                json!({ "act": "requestThrottled", "retryAfterSeconds": -1 }),
                "retryAfterSeconds: expected a whole number of seconds".into(),
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
    fn a_rule_made_in_rust_has_only_the_fields_of_its_target() {
        let event = Some(EventType::AdvancePaid);
        let wrong = Rule { event, ..Rule::always(Act::RequestRepeated) };
        let problem = "event: requestRepeated acts on requests, and this field selects deliveries";
        assert_eq!(wrong.check().unwrap_err().to_string(), problem);
        let identifier = Some("acme".to_owned());
        let wrong = Rule { identifier, ..Rule::always(DeliveryAct::Swapped) };
        let problem =
            "identifier: deliverySwapped acts on deliveries, and this field selects requests";
        assert_eq!(wrong.check().unwrap_err().to_string(), problem);
        let wrong = Rule { event, ..Rule::always(DeliveryAct::UnknownValue) };
        let problem = "event: unknownValue is only for partner.invoice.factoredUpdated";
        assert_eq!(wrong.check().unwrap_err().to_string(), problem);
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
