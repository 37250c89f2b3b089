//! The parts of a request that the service ignores: fields and columns that it does not know.

use serde::de::DeserializeOwned;
use serde_json::{Deserializer, Value};
use utoipa::ToSchema;

use crate::wire::nearest::{cut, nearest};
use crate::wire::object::Object;

/// The most sentences on one request.
pub const MOST_IGNORED: usize = 16;

/// Reads JSON, and notes the fields that no `T` has.
///
/// # Errors
/// As `serde_json` has them.
pub(crate) fn read<T: DeserializeOwned + ToSchema>(
    text: &str,
    ignored: &mut Vec<String>,
) -> Result<Object<T>, serde_json::Error> {
    let mut reader = Deserializer::from_str(text);
    let value = serde_ignored::deserialize(&mut reader, |path| {
        if ignored.len() < MOST_IGNORED {
            ignored.push(field::<T>(&path.to_string()));
        }
    })?;
    reader.end()?;
    Ok(value)
}

/// The sentence on a field.
#[cold]
fn field<T: ToSchema>(path: &str) -> String {
    // Of an optional object, the path has a question mark.
    let path = path.replace("?.", "");
    let name = path.rsplit('.').next().unwrap_or_default();
    let known = fields_of::<T>();
    // A field of this name that stands elsewhere is no help.
    let known = known.iter().map(String::as_str).filter(|known| *known != name);
    sentence("field", &path, nearest(name, known))
}

/// Notes the columns of a file that it may have, but no import reads.
pub(super) fn column<'a>(
    name: &str,
    known: impl Iterator<Item = &'a str>,
    ignored: &mut Vec<String>,
) {
    if ignored.len() < MOST_IGNORED {
        ignored.push(sentence("column", name, nearest(name, known)));
    }
}

fn sentence(what: &str, name: &str, meant: Option<&str>) -> String {
    // A log shows it, line by line.
    let name = cut(name).escape_debug().to_string();
    let meant = meant.map_or_else(String::new, |meant| format!(" Did you mean {meant}?"));
    format!("The {what} {name} is not known and was ignored.{meant}")
}

/// The names of all fields of a `T` and of the objects in it.
fn fields_of<T: ToSchema>() -> Vec<String> {
    let mut schemas = vec![(T::name().into_owned(), T::schema())];
    T::schemas(&mut schemas);
    let schemas = schemas.into_iter().filter_map(|(_, schema)| serde_json::to_value(schema).ok());
    let names = |schema: Value| {
        let properties = schema["properties"].as_object().cloned().unwrap_or_default();
        properties.into_iter().map(|(name, _)| name)
    };
    schemas.flat_map(names).collect()
}
