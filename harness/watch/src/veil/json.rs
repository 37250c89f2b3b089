//! JSON with other values in place of the secret ones. All the rest of the text stays as it is: a duplicate key or the form
//! of a number may be what a service is judged by.

use tideover_model::wire::schema::{Field, Role};

use super::{Veil, is_word_of_state};

/// The text is known to be JSON, so nothing is checked again.
pub(super) struct Rewriting<'a> {
    veil: &'a Veil,
    rest: &'a str,
    shown: String,
    shows: Shows,
}

/// What is shown, beside what the table of fields allows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shows {
    /// Sentences for people. They may repeat whatever the request had.
    pub(super) prose: bool,
    /// Numbers, and words of enumerations, under names that the document does not have. In a success the service has
    /// computed them, and the judge compares amounts under whatever name.
    pub(super) computed: bool,
}

impl<'a> Rewriting<'a> {
    /// `json`, an object with `fields` or a list of such objects.
    pub(super) fn of(
        veil: &'a Veil,
        json: &'a str,
        fields: &'static [Field],
        shows: Shows,
    ) -> String {
        let shown = String::with_capacity(json.len());
        let mut rewriting = Rewriting { veil, rest: json, shown, shows };
        rewriting.value(Some(Role::Object(fields)));
        rewriting.shown.push_str(rewriting.rest);
        rewriting.shown
    }

    /// A value in the place of such a field; `None` for a field that the document does not know.
    fn value(&mut self, role: Option<Role>) {
        self.spaces();
        let role = role.filter(|role| self.shows.prose || !matches!(role, Role::Prose));
        match self.rest.as_bytes().first() {
            Some(b'{') => self.object(fields_of(role)),
            Some(b'[') => self.list(role.filter(may_be_listed)),
            Some(b'"') => {
                let is_computed = self.shows.computed && role.is_none();
                self.string(|veil, text| match is_computed && is_word_of_state(text) {
                    true => text.to_owned(),
                    false => veil.text(role, text),
                });
            }
            Some(b'-' | b'0'..=b'9') => self.number(role),
            _ => {
                let word = self.split(|it| !it.is_ascii_alphabetic());
                self.shown.push_str(word);
            }
        }
    }

    fn object(&mut self, fields: &'static [Field]) {
        self.each('}', |it| {
            let name = it.string(|veil, name| match fields.iter().any(|one| one.name == name) {
                true => name.to_owned(),
                false => veil.numbers(&veil.concealed(name)),
            });
            it.spaces();
            it.copy(1);
            let field = fields.iter().find(|field| field.name == name);
            it.value(field.map(|field| field.role));
        });
    }

    fn list(&mut self, role: Option<Role>) {
        self.each(']', |it| it.value(role));
    }

    /// The members of an object, or the items of a list, with the commas between them and the brackets around them.
    fn each(&mut self, end: char, mut one: impl FnMut(&mut Self)) {
        self.copy(1);
        self.spaces();
        while !self.rest.is_empty() && !self.rest.starts_with(end) {
            one(self);
            self.spaces();
            if self.rest.starts_with(',') {
                self.copy(1);
                self.spaces();
            }
        }
        self.copy(1);
    }

    /// A string, and what is shown of it. Returns what it was.
    fn string(&mut self, shown: impl FnOnce(&Veil, &str) -> String) -> String {
        let (written, rest) = self.rest.split_at(end_of_string(self.rest));
        self.rest = rest;
        let text: String = serde_json::from_str(written).unwrap_or_default();
        let other = shown(self.veil, &text);
        match other == text {
            true => self.shown.push_str(written),
            false => self.shown.push_str(&serde_json::Value::from(other).to_string()),
        }
        text
    }

    fn number(&mut self, role: Option<Role>) {
        let number = self.split(|it| !(it.is_ascii_alphanumeric() || "+-.".contains(it)));
        self.veil.keep_number(role, number);
        let is_computed = self.shows.computed && role.is_none();
        match role {
            Some(Role::Amount | Role::Count) => self.shown.push_str(number),
            None if is_computed && !self.veil.may_be_secret(number) => self.shown.push_str(number),
            _ => self.shown.push_str(&self.veil.numeral(number)),
        }
    }

    fn spaces(&mut self) {
        let spaces = self.split(|it| !it.is_ascii_whitespace());
        self.shown.push_str(spaces);
    }

    /// Takes what stands before the first such character.
    fn split(&mut self, ends: impl Fn(char) -> bool) -> &'a str {
        let (before, rest) = self.rest.split_at(self.rest.find(ends).unwrap_or(self.rest.len()));
        self.rest = rest;
        before
    }

    fn copy(&mut self, length: usize) {
        let (copied, rest) = self.rest.split_at(length.min(self.rest.len()));
        self.shown.push_str(copied);
        self.rest = rest;
    }
}

fn fields_of(role: Option<Role>) -> &'static [Field] {
    match role {
        Some(Role::Object(fields) | Role::List(fields)) => fields,
        _ => &[],
    }
}

fn may_be_listed(role: &Role) -> bool {
    matches!(role, Role::Object(_) | Role::List(_) | Role::EventTypes)
}

/// Where the string ends that `text` begins with.
fn end_of_string(text: &str) -> usize {
    let mut is_escaped = false;
    let end = text.bytes().skip(1).position(|it| {
        let ends = it == b'"' && !is_escaped;
        is_escaped = it == b'\\' && !is_escaped;
        ends
    });
    end.map_or(text.len(), |end| end + 2)
}
