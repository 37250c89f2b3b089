//! The fields of responses and events, with the forms of their values, as a service has shown them.

use std::collections::BTreeMap;

use serde_json::Value;
use tideover_model::wire::field;
use tideover_model::wire::schema::{Role, in_replies};

use crate::{Arrival, Exchange};

/// The form of an object.
const OBJECT: &str = "object";

/// The most elements of a list that are looked at. They have one form.
const MOST_ELEMENTS: usize = 20;

/// The longest way to a field, in names.
const MOST_DEPTH: usize = 8;

/// The most forms of one field that are kept apart.
const MOST_FORMS: usize = 24;

/// What one case shows, or one play of steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CaseShapes {
    shown: BTreeMap<String, Shape>,
}

/// What is shown by responses, by operation, and by events, by type. It counts cases: within one, the same state is
/// read again and again.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shapes {
    shown: BTreeMap<String, Shape>,
}

/// What one operation, or one type of event, shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shape {
    /// The number of bodies, or of cases with any.
    pub bodies: u64,
    /// The fields, dotted, `*` for each element of a list. Each with how often it came in which form, [`ABSENT`] among
    /// them: then the object around it was there without it.
    pub fields: BTreeMap<String, BTreeMap<String, u64>>,
}

/// The form of a field that is not there.
pub const ABSENT: &str = "absent";

impl CaseShapes {
    /// Adds the body of a response, and the events that came with it.
    pub fn record(&mut self, exchange: &Exchange<'_>) {
        if let (Some(kind), Some(body)) = (exchange.kind(), exchange.seen.json()) {
            let kind = kind.to_string();
            match exchange.seen.is_success() {
                true => self.add_body(kind, body),
                false => self.add_body(format!("{kind}, refused"), body),
            }
        }
        for arrival in exchange.arrivals {
            self.add_event(arrival);
        }
    }

    fn add_event(&mut self, arrival: &Arrival) {
        let Some(body) = arrival.body.json() else { return };
        let unlisted = "an event of an unlisted type";
        self.add_body(arrival.event_type().unwrap_or(unlisted).to_owned(), body);
    }

    fn add_body(&mut self, of: String, body: &Value) {
        let shape = self.shown.entry(of).or_default();
        shape.bodies += 1;
        shape.add(&mut Vec::new(), body);
    }
}

impl Shapes {
    /// Adds what a case shows.
    pub fn take(&mut self, case: &CaseShapes) {
        for (of, shape) in &case.shown {
            let known = self.shown.entry(of.clone()).or_default();
            // Where a field is new, it was absent from the cases before.
            let new = shape.fields.keys().filter(|field| !known.fields.contains_key(*field));
            let new = new.map(|field| (field.clone(), known.around(field)));
            let new: Vec<(String, u64)> = new.filter(|(_, before)| *before > 0).collect();
            known.fields.extend(
                new.into_iter()
                    .map(|(field, before)| (field, BTreeMap::from([(ABSENT.to_owned(), before)]))),
            );
            known.bodies += 1;
            for (field, forms) in &shape.fields {
                let all = known.fields.entry(field.clone()).or_default();
                for form in forms.keys() {
                    *all.entry(form.clone()).or_default() += 1;
                }
                if forms.values().sum::<u64>() < shape.around(field) {
                    *all.entry(ABSENT.to_owned()).or_default() += 1;
                }
            }
        }
        self.miss(case);
    }

    /// Counts the fields that other cases have shown, and this one has not where it could have.
    fn miss(&mut self, case: &CaseShapes) {
        for (of, known) in &mut self.shown {
            let Some(shape) = case.shown.get(of) else { continue };
            for (field, forms) in &mut known.fields {
                if !shape.fields.contains_key(field) && shape.around(field) > 0 {
                    *forms.entry(ABSENT.to_owned()).or_default() += 1;
                }
            }
        }
    }

    pub fn add(&mut self, other: &Shapes) {
        for (of, shape) in &other.shown {
            let known = self.shown.entry(of.clone()).or_default();
            known.bodies += shape.bodies;
            for (field, forms) in &shape.fields {
                let known = known.fields.entry(field.clone()).or_default();
                for (form, times) in forms {
                    *known.entry(form.clone()).or_default() += times;
                }
            }
        }
    }

    /// Every operation and type of event, in the order of the names.
    pub fn all(&self) -> impl Iterator<Item = (&str, &Shape)> {
        self.shown.iter().map(|(of, shape)| (&**of, shape))
    }
}

impl Shape {
    /// How often the object around a field was there.
    fn around(&self, field: &str) -> u64 {
        match field.rsplit_once('.') {
            None => self.bodies,
            Some((around, _)) => {
                let forms = self.fields.get(around);
                forms.and_then(|forms| forms.get(OBJECT)).copied().unwrap_or(0)
            }
        }
    }

    fn add<'v>(&mut self, way: &mut Vec<&'v str>, value: &'v Value) {
        if way.len() >= MOST_DEPTH {
            return;
        }
        let inner: Vec<(&str, &Value)> = match value {
            Value::Object(fields) => fields.iter().map(|(name, value)| (&**name, value)).collect(),
            Value::Array(elements) => {
                elements.iter().take(MOST_ELEMENTS).map(|element| ("*", element)).collect()
            }
            _ => Vec::new(),
        };
        for (name, value) in inner {
            way.push(name);
            let forms = self.fields.entry(way.join(".")).or_default();
            let form = form_of(name, value);
            let is_full = forms.len() >= MOST_FORMS && !forms.contains_key(&form);
            let form = if is_full { "others".to_owned() } else { form };
            *forms.entry(form).or_default() += 1;
            self.add(way, value);
            way.pop();
        }
    }
}

/// The form of a value: a word of an enumeration or a code as it is, a date-time with zeros for its digits and one for those
/// of a fraction, otherwise the type.
fn form_of(name: &str, value: &Value) -> String {
    let Value::String(text) = value else { return type_of(value).to_owned() };
    let roles = || in_replies(name).iter().map(|field| field.role);
    let is_word = name == field::CODE || roles().any(|role| matches!(role, Role::Word(_)));
    if is_word {
        return text.chars().take(40).collect();
    }
    if roles().any(|role| matches!(role, Role::Instant)) {
        return text.chars().take(40).fold(String::new(), |mut form, sign| {
            // How many digits a fraction has depends on the instant: zeros at its end may be left out.
            let is_in_fraction = form.ends_with(".0");
            match sign.is_ascii_digit() {
                true if is_in_fraction => {}
                true => form.push('0'),
                false => form.push(sign),
            }
            form
        });
    }
    type_of(value).to_owned()
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number with a fraction",
        Value::Number(_) => "integer",
        Value::String(_) => "text",
        Value::Array(_) => "list",
        Value::Object(_) => OBJECT,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_digits_of_a_fraction_are_no_form_of_their_own() {
        let of = |text: &str| form_of("dueDate", &text.into());
        assert_eq!(of("2026-03-01T12:00:00.25Z"), of("2026-03-01T12:00:00.125Z"));
        assert_eq!(of("2026-03-01T12:00:00.25+01:00"), of("2026-04-02T13:10:09.1+02:30"));
        let forms = ["2026-03-01T12:00:00Z", "2026-03-01T12:00:00.5Z", "2026-03-01T12:00:00+01:00"];
        assert_eq!(BTreeSet::from(forms.map(of)).len(), 3);
    }
}
