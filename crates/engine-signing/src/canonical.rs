//! RFC 8785: one JSON value, one sequence of bytes.

use std::fmt;

use serde::Serialize;
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use thiserror::Error;

/// The largest integer that a reader of JSON with 64-bit floating numbers keeps: 2^53 - 1.
pub const INTEGER_MAX: u64 = (1 << 53) - 1;

/// Why a value has no canonical form.
#[derive(Debug, Error)]
pub enum CanonicalError {
    /// It cannot be written as JSON at all.
    #[error("could not write the value as JSON")]
    NotJson(#[source] serde_json::Error),
    /// An integer beyond 2^53 would be read as another one elsewhere.
    #[error("the integer {0} is beyond 2^53 - 1; write it as a string")]
    IntegerTooLarge(String),
}

/// Why a text is not taken as JSON to be checked.
#[derive(Debug, Error)]
pub enum ParseError {
    /// It is no JSON, or an object holds a name twice.
    #[error("not valid JSON for a check: {0}")]
    NotJson(String),
}

/// The canonical bytes of a value: members sorted, no space, shortest numbers.
///
/// # Errors
///
/// [`CanonicalError::IntegerTooLarge`] where another reader would understand another number.
pub fn canonical<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, CanonicalError> {
    canonical_value(&serde_json::to_value(value).map_err(CanonicalError::NotJson)?)
}

/// The canonical bytes of a value that is at hand as JSON already.
///
/// # Errors
///
/// As for [`canonical`].
pub fn canonical_value(value: &Value) -> Result<Vec<u8>, CanonicalError> {
    // The usual writer gives the canonical form where names are in order and no number has a fraction, and is the faster.
    if is_plain(value)? {
        serde_json::to_vec(value).map_err(CanonicalError::NotJson)
    } else {
        serde_json_canonicalizer::to_vec(value).map_err(CanonicalError::NotJson)
    }
}

/// Checks all numbers, and tells whether the value has only whole ones and only plain names that are in order.
fn is_plain(value: &Value) -> Result<bool, CanonicalError> {
    // A list instead of recursion: values built in code may nest deeper than the stack is.
    let mut open = vec![value];
    let mut plain = true;
    while let Some(value) = open.pop() {
        match value {
            Value::Number(number) => {
                check_number(number)?;
                plain &= !number.is_f64();
            }
            Value::Array(items) => open.extend(items),
            Value::Object(members) => {
                plain &= members.keys().is_sorted() && members.keys().all(|name| name.is_ascii());
                open.extend(members.values());
            }
            Value::Null | Value::Bool(_) | Value::String(_) => {}
        }
    }
    Ok(plain)
}

fn check_number(number: &Number) -> Result<(), CanonicalError> {
    let size = number.as_u64().or_else(|| number.as_i64().map(i64::unsigned_abs));
    if size.is_some_and(|size| size > INTEGER_MAX) {
        return Err(CanonicalError::IntegerTooLarge(number.to_string()));
    }
    Ok(())
}

/// Reads JSON that is to be checked against a digest or a signature.
///
/// A name that occurs twice in one object is refused: readers disagree on which of the two counts, and a signature must
/// not cover one reading while a person sees the other.
///
/// # Errors
///
/// [`ParseError::NotJson`] with the place of the mistake.
pub fn parse(bytes: &[u8]) -> Result<Value, ParseError> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let value = Strict::deserialize(&mut reader).map_err(|error| ParseError::NotJson(error.to_string()))?;
    reader.end().map_err(|error| ParseError::NotJson(error.to_string()))?;
    Ok(value.0)
}

struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StrictVisitor)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Strict;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Strict, E> {
        Ok(Strict(Value::Null))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Strict, E> {
        Ok(Strict(Value::Bool(value)))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Strict, E> {
        Ok(Strict(Value::from(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Strict, E> {
        Ok(Strict(Value::from(value)))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Strict, E> {
        Ok(Strict(Value::from(value)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Strict, E> {
        Ok(Strict(Value::from(value)))
    }

    fn visit_string<E>(self, value: String) -> Result<Strict, E> {
        Ok(Strict(Value::String(value)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Strict, A::Error> {
        let mut items = Vec::new();
        while let Some(Strict(item)) = seq.next_element()? {
            items.push(item);
        }
        Ok(Strict(Value::Array(items)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Strict, A::Error> {
        let mut members = Map::new();
        while let Some(name) = map.next_key::<String>()? {
            let Strict(value) = map.next_value()?;
            if members.insert(name, value).is_some() {
                return Err(A::Error::custom("an object contains a name twice"));
            }
        }
        Ok(Strict(Value::Object(members)))
    }
}
