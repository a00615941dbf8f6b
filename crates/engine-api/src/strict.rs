//! Strict reading of foreign input: what is not declared is refused, and the answer says where and what was meant.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use engine_model::{ErrorCode, Failure};
use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use serde_path_to_error::{Path, Segment};

use engine_model::nearest;

/// Foreign text in an answer is cut after so many characters.
const SHOWN_CHARS_MAX: usize = 80;

/// Values in one body. Each takes many times the memory of its text.
const JSON_VALUES_MAX: usize = 400_000;

/// At most so many values are in a JSON text, as it stands: what is not valid is for the parser to say.
fn values_at_most(bytes: &[u8]) -> usize {
    let (mut values, mut within_text, mut escaped) = (1, false, false);
    for byte in bytes {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if within_text => escaped = true,
            b'"' => within_text = !within_text,
            b',' | b'[' | b'{' if !within_text => values += 1,
            _ => {}
        }
    }
    values
}

/// Reads a JSON body as an object with the declared fields. An empty body is an empty object.
pub(crate) fn body<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Failure> {
    let bytes = if bytes.trim_ascii().is_empty() { b"{}" } else { bytes };
    if values_at_most(bytes) > JSON_VALUES_MAX {
        let details = format!("the body has more than {JSON_VALUES_MAX} values; send a smaller one");
        return Err(Failure::new(ErrorCode::InvalidRequest, details));
    }
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let read: Result<Unique, _> = serde_path_to_error::deserialize(&mut deserializer);
    let Unique(value) = read.map_err(|error| {
        let place = dotted(error.path());
        not_json(error.inner(), &place)
    })?;
    deserializer.end().map_err(|error| not_json(&error, ""))?;
    let Value::Object(object) = value else {
        let details = format!(
            "the body must be a JSON object such as {{\"path\": \".\"}}, but is {}",
            kind(&value)
        );
        return Err(Failure::new(ErrorCode::InvalidRequest, details));
    };
    from_object(object, null_is_absent)
}

/// Reads texts, as they come in a query or a path, as the declared fields.
pub(crate) fn from_texts<T: DeserializeOwned>(pairs: Vec<(String, String)>) -> Result<T, Failure> {
    let mut object = Map::new();
    for (name, text) in pairs {
        if object.contains_key(&name) {
            let name = shown(&name);
            let details = format!("`{name}` is given twice; give it once");
            return Err(Failure::new(ErrorCode::InvalidRequest, details).field(name));
        }
        object.insert(name, Value::String(text));
    }
    from_object(object, text_as_wanted)
}

/// Another reading of a field that was refused as it is; none where there is no other.
type OtherReading = fn(&Value, &str) -> Option<Reading>;

enum Reading {
    Absent,
    As(Value),
}

/// For an optional field of any type, `null` means absent.
fn null_is_absent(value: &Value, _: &str) -> Option<Reading> {
    value.is_null().then_some(Reading::Absent)
}

/// A text as the number, the flag or the list that its field wants.
fn text_as_wanted(value: &Value, message: &str) -> Option<Reading> {
    let Value::String(text) = value else { return None };
    let (_, wanted) = message.strip_prefix("invalid type: ")?.rsplit_once(", expected ")?;
    let read = match wanted {
        "a boolean" => Value::Bool(text.parse().ok()?),
        "a sequence" => text.split(',').filter(|item| !item.is_empty()).collect(),
        _ => Value::Number(text.parse::<Number>().ok()?),
    };
    Some(Reading::As(read))
}

/// The pairs of a query, decoded.
pub(crate) fn query(query: &str) -> Result<Vec<(String, String)>, Failure> {
    query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let name = percent_decoded(name, true, "query")?;
            let value = percent_decoded(value, true, &name)?;
            Ok((name, value))
        })
        .collect()
}

/// A percent-encoded text as it was meant; in a query, a plus sign stands for a space.
pub(crate) fn percent_decoded(text: &str, plus_is_space: bool, field: &str) -> Result<String, Failure> {
    let wrong = |what: &str| {
        let field = shown(field);
        let details = format!("`{field}` {what}; encode special characters as `%` and two hexadecimal digits of UTF-8");
        Failure::new(ErrorCode::InvalidRequest, details).field(field)
    };
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'%' => {
                let mut digit = || rest.next().and_then(|byte| char::from(byte).to_digit(16));
                let (Some(high), Some(low)) = (digit(), digit()) else {
                    return Err(wrong("has a `%` that is not followed by two hexadecimal digits"));
                };
                bytes.push(u8::try_from(high * 16 + low).unwrap_or(b'?'));
            }
            b'+' if plus_is_space => bytes.push(b' '),
            _ => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).map_err(|_| wrong("is not UTF-8"))
}

/// Foreign text, cut and without control characters, so that it can stand in an answer.
pub(crate) fn shown(text: &str) -> String {
    let mut out: String = text
        .chars()
        .take(SHOWN_CHARS_MAX)
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect();
    if text.chars().nth(SHOWN_CHARS_MAX).is_some() {
        out.push('…');
    }
    out
}

/// A number without a fraction as the whole number that it is: for JSON Schema, `5.0` is an integer.
fn whole(value: &mut Value) {
    /// From here on not every whole number has a form of its own.
    const WHOLE_MAX: f64 = 9_007_199_254_740_992.0;

    let Value::Number(number) = &*value else { return };
    let fraction = number.as_f64().filter(|_| number.is_f64());
    let Some(number) = fraction.filter(|number| number.fract() == 0.0 && number.abs() < WHOLE_MAX) else {
        return;
    };
    if let Ok(number) = format!("{number:.0}").parse::<i64>() {
        *value = Value::from(number);
    }
}

/// Reads an object. A field that is refused is read another way, once, if there is one.
fn from_object<T: DeserializeOwned>(mut object: Map<String, Value>, other: OtherReading) -> Result<T, Failure> {
    object.values_mut().for_each(whole);
    // Also where a route can do without its folder: an empty one is a mistake.
    if object.get("path").is_some_and(|path| path == "") {
        let details = "`path` is empty; give the folder of the project, or leave it out for the current project";
        return Err(Failure::new(ErrorCode::InvalidRequest, details).field("path"));
    }
    let mut value = Value::Object(object);
    let mut absent: BTreeMap<String, Failure> = BTreeMap::new();
    loop {
        let error = match serde_path_to_error::deserialize(&value) {
            Ok(read) => return Ok(read),
            Err(error) => error,
        };
        let message = error.inner().to_string();
        let failure = explain(&message, error.path(), &value);
        if let Some(field) = message.strip_prefix("missing field `")
            && let Some(refused) = absent.remove(field.trim_end_matches('`'))
        {
            // Not optional after all.
            return Err(refused);
        }
        let field = whole_field(error.path()).filter(|_| !message.starts_with("unknown field `"));
        let given = field.and_then(|field| Some((field, value.get(field)?)));
        let Some((field, reading)) = given.and_then(|(field, given)| Some((field.to_owned(), other(given, &message)?)))
        else {
            return Err(failure);
        };
        let Value::Object(object) = &mut value else {
            return Err(failure);
        };
        match reading {
            Reading::Absent => {
                object.remove(&field);
                absent.insert(field, failure);
            }
            Reading::As(mut read) => {
                whole(&mut read);
                object.insert(field, read);
            }
        }
    }
}

/// The field of the whole input that a path leads to, and not to a place within its value.
fn whole_field(path: &Path) -> Option<&str> {
    let mut segments = path.iter();
    match (segments.next(), segments.next()) {
        (Some(Segment::Map { key }), None) => Some(key),
        _ => None,
    }
}

/// Turns what serde says into what a person can act on.
fn explain(message: &str, path: &Path, input: &Value) -> Failure {
    let place = dotted(path);
    let refuse = |field: &str, details: String| {
        let failure = Failure::new(ErrorCode::InvalidRequest, details);
        if field.is_empty() {
            failure
        } else {
            failure.field(field)
        }
    };
    if let Some((name, known)) = between(message, "unknown field `") {
        // The path may or may not end with the field that is not known.
        let field = if last_key(path) == Some(name) {
            place
        } else {
            join(&place, &shown(name))
        };
        let mut details = format!("`{}` is not a field of this request", shown(&field));
        if let Some(meant) = nearest(name, known.iter().copied()) {
            let _ = write!(details, "; did you mean `{meant}`?");
        } else {
            details.push('.');
        }
        let known = known.join("`, `");
        let _ = match known.as_str() {
            "" => write!(details, " It has no fields."),
            known => write!(details, " Its fields are `{known}`."),
        };
        return refuse(&shown(&field), details);
    }
    if let Some((name, known)) = between(message, "unknown variant `") {
        let mut details = format!("unknown value `{}` for `{place}`", shown(name));
        if let Some(meant) = nearest(name, known.iter().copied()) {
            let _ = write!(details, "; did you mean `{meant}`?");
        } else {
            details.push('.');
        }
        let _ = write!(details, " Allowed values: `{}`.", known.join("`, `"));
        return refuse(&place, details);
    }
    if let Some(rest) = message.strip_prefix("missing field `") {
        let field = join(&place, rest.trim_end_matches('`'));
        return refuse(&field, format!("the required field `{field}` is missing; add it"));
    }
    if let Some(rest) = message
        .strip_prefix("invalid type: ")
        .or_else(|| message.strip_prefix("invalid value: "))
        && let Some((_, expected)) = rest.rsplit_once(", expected ")
    {
        let given = lookup(input, path);
        let expected = expectation(expected);
        let given = match given {
            Some(Value::Number(number)) if expected.starts_with("a whole number") => {
                if number.as_f64().is_some_and(|number| number.fract() != 0.0) {
                    "a number with a fraction"
                } else {
                    "another number"
                }
            }
            given => given.map_or("another type", kind),
        };
        return refuse(&place, format!("`{place}` must be {expected}, but is {given}"));
    }
    refuse(&place, format!("`{place}` has an invalid value: {}", shown(message)))
}

/// Splits ``unknown field `x`, expected one of `a`, `b` `` into the name and what is known.
fn between<'m>(message: &'m str, start: &str) -> Option<(&'m str, Vec<&'m str>)> {
    let rest = message.strip_prefix(start)?;
    let end = rest.rfind("`, expected ").or_else(|| rest.rfind("`, there are no "))?;
    let known = rest[end + 1..].split('`').skip(1).step_by(2).collect();
    Some((&rest[..end], known))
}

/// What serde expects, in words for a person.
fn expectation(expected: &str) -> String {
    match expected {
        "u8" => "a whole number from 0 to 255".to_owned(),
        "u16" => "a whole number from 0 to 65535".to_owned(),
        "u32" => "a whole number from 0 to 4294967295".to_owned(),
        "u64" | "usize" => "a whole number that is not negative".to_owned(),
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number".to_owned(),
        "f32" | "f64" => "a number".to_owned(),
        "a sequence" => "a list".to_owned(),
        "a map" => "an object".to_owned(),
        "a boolean" => "`true` or `false`".to_owned(),
        other => shown(other),
    }
}

/// The value that a path leads to.
fn lookup<'v>(value: &'v Value, path: &Path) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, segment| match segment {
        Segment::Seq { index } => value.get(*index),
        Segment::Map { key } => value.get(key),
        Segment::Enum { .. } => Some(value),
        Segment::Unknown => None,
    })
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// A path as `changedFiles.2`; the root is empty.
fn dotted(path: &Path) -> String {
    path.iter().fold(String::new(), |place, segment| match segment {
        Segment::Seq { index } => join(&place, &index.to_string()),
        Segment::Map { key } => join(&place, &shown(key)),
        Segment::Enum { .. } | Segment::Unknown => place,
    })
}

fn join(place: &str, name: &str) -> String {
    if place.is_empty() {
        name.to_owned()
    } else {
        format!("{place}.{name}")
    }
}

fn last_key(path: &Path) -> Option<&str> {
    match path.iter().next_back() {
        Some(Segment::Map { key }) => Some(key),
        _ => None,
    }
}

fn not_json(error: &serde_json::Error, place: &str) -> Failure {
    let message = error.to_string();
    if let Some((_, key)) = message.split_once(TWICE)
        && let Some((key, _)) = key.rsplit_once('`')
    {
        // The path may already end with the key.
        let field = if place == key || place.ends_with(&format!(".{key}")) {
            place.to_owned()
        } else {
            join(place, key)
        };
        let details = format!("`{field}` is given twice; give it once");
        return Failure::new(ErrorCode::InvalidRequest, details).field(field);
    }
    let details = if message.contains("recursion limit exceeded") {
        "the body is nested too deeply; use at most 127 levels".to_owned()
    } else {
        format!("the body is not valid JSON: {message}; correct it and send it again")
    };
    Failure::new(ErrorCode::InvalidRequest, details)
}

/// What an error about a repeated key begins with, so that it is told from the parser's own.
const TWICE: &str = "repeated key `";

/// A JSON value none of whose objects names a key twice. Two readers could take a repeated key differently.
struct Unique(Value);

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(UniqueVisitor).map(Self)
    }
}

struct UniqueVisitor;

impl<'de> Visitor<'de> for UniqueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(Unique(item)) = access.next_element()? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = access.next_key::<String>()? {
            if object.contains_key(&key) {
                return Err(A::Error::custom(format!("{TWICE}{}`", shown(&key))));
            }
            let Unique(value) = access.next_value()?;
            object.insert(key, value);
        }
        Ok(Value::Object(object))
    }
}
