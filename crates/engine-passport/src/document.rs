//! A passport as it stands in a file: an object whose top-level fields are written in their order.

use std::borrow::Cow;
use std::collections::BTreeSet;

use engine_signing::{Digest, parse};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value};
use thiserror::Error;

use crate::fields::TOP_LEVEL;
use crate::passport::Passport;
use crate::provenance::Provenance;

/// Bytes of a passport. What is longer is no description of one agent.
pub const PASSPORT_BYTES_MAX: usize = 1024 * 1024;

/// Levels to which a passport nests.
pub const PASSPORT_DEPTH_MAX: usize = 48;

/// A passport as it stands in a file. Unknown keys and values of a wrong type stay in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document(pub(crate) Map<String, Value>);

/// Why bytes or a value are no passport.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DocumentError {
    /// It is no JSON, or an object in it names a key twice.
    #[error("{0}")]
    NotJson(String),
    /// It is JSON of another kind.
    #[error("a passport is a JSON object")]
    NotAnObject,
    /// It is longer than a passport may be.
    #[error("the document has {0} bytes; a passport may have at most {PASSPORT_BYTES_MAX}")]
    TooLarge(usize),
    /// It nests deeper than a passport may.
    #[error("the document is nested more than {PASSPORT_DEPTH_MAX} levels deep")]
    TooDeep,
    /// A number in it has no canonical form, so it cannot be signed.
    #[error("{0}")]
    NoCanonicalForm(String),
}

impl Document {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// [`DocumentError`].
    pub fn parse(bytes: &[u8]) -> Result<Self, DocumentError> {
        if bytes.len() > PASSPORT_BYTES_MAX {
            return Err(DocumentError::TooLarge(bytes.len()));
        }
        let value = parse(bytes).map_err(|error| DocumentError::NotJson(error.to_string()))?;
        Self::of(value)
    }

    /// Takes a value as a passport.
    ///
    /// # Errors
    ///
    /// [`DocumentError`].
    pub fn of(value: Value) -> Result<Self, DocumentError> {
        if deeper_than(&value, PASSPORT_DEPTH_MAX) {
            return Err(DocumentError::TooDeep);
        }
        let Value::Object(members) = value else {
            return Err(DocumentError::NotAnObject);
        };
        let document = Self(members);
        let bytes = engine_signing::canonical(&document.0)
            .map_err(|error| DocumentError::NoCanonicalForm(error.to_string()))?
            .len();
        if bytes > PASSPORT_BYTES_MAX {
            return Err(DocumentError::TooLarge(bytes));
        }
        Ok(document)
    }

    /// The text of its file: indented JSON with a line feed at the end.
    pub fn text(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// The value as JSON.
    pub fn to_value(&self) -> Value {
        Value::Object(self.0.clone())
    }

    /// The same as types.
    ///
    /// # Errors
    ///
    /// Where a value has a wrong type.
    pub fn typed(&self) -> Result<Passport, serde_json::Error> {
        Passport::deserialize(&Value::Object(self.0.clone()))
    }

    /// The value at a dotted path.
    pub fn get(&self, path: &str) -> Option<&Value> {
        let mut parts = path.split('.');
        let mut value = self.0.get(parts.next()?)?;
        for part in parts {
            value = value.as_object()?.get(part)?;
        }
        Some(value)
    }

    /// The text at a dotted path.
    pub fn text_at(&self, path: &str) -> Option<&str> {
        self.get(path).and_then(Value::as_str)
    }

    /// The texts of the list at a dotted path.
    pub fn texts_at(&self, path: &str) -> Vec<&str> {
        let items = self.get(path).and_then(Value::as_array);
        items
            .map(|items| items.iter().filter_map(Value::as_str).collect())
            .unwrap_or_default()
    }

    /// Sets the value at a dotted path; objects on the way are made. False where something else than an object stands in
    /// the way: what a person wrote there is not thrown away.
    pub fn set(&mut self, path: &str, value: Value) -> bool {
        let mut members = &mut self.0;
        let mut parts = path.split('.').peekable();
        while let Some(part) = parts.next() {
            if parts.peek().is_none() {
                members.insert(part.to_owned(), value);
                return true;
            }
            let inner = members
                .entry(part.to_owned())
                .and_modify(|inner| {
                    if inner.is_null() {
                        *inner = Value::Object(Map::new());
                    }
                })
                .or_insert_with(|| Value::Object(Map::new()));
            let Value::Object(inner) = inner else { return false };
            members = inner;
        }
        false
    }

    /// Its name; empty where it has none.
    pub fn name(&self) -> &str {
        self.text_at("name").unwrap_or("")
    }

    /// Its id; empty where it has none.
    pub fn agent_id(&self) -> &str {
        self.text_at("agent_id").unwrap_or("")
    }

    /// Where its values come from. What cannot be read as such is taken for unknown.
    pub fn provenance(&self) -> Provenance {
        self.0
            .get("provenance")
            .and_then(|value| Provenance::deserialize(value).ok())
            .unwrap_or_default()
    }

    pub(crate) fn set_provenance(&mut self, provenance: &Provenance) {
        let value = serde_json::to_value(provenance).unwrap_or_default();
        self.0.insert("provenance".to_owned(), value);
    }

    /// BLAKE3 of its canonical JSON.
    pub fn digest(&self) -> Option<Digest> {
        Digest::of_json(&self.0).ok()
    }
}

impl From<&Passport> for Document {
    fn from(passport: &Passport) -> Self {
        match serde_json::to_value(passport) {
            Ok(Value::Object(members)) => Self(members),
            // A struct is an object.
            _ => Self::default(),
        }
    }
}

impl Serialize for Document {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for name in TOP_LEVEL {
            if let Some(value) = self.0.get(name) {
                map.serialize_entry(name, value)?;
            }
        }
        let known: BTreeSet<&str> = TOP_LEVEL.into_iter().collect();
        for (name, value) in &self.0 {
            if !known.contains(name.as_str()) {
                map.serialize_entry(name, value)?;
            }
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Document {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        Self::of(value).map_err(D::Error::custom)
    }
}

impl JsonSchema for Document {
    fn schema_name() -> Cow<'static, str> {
        Passport::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Passport::json_schema(generator)
    }
}

/// Whether a value nests deeper than a number of levels; a list instead of recursion, as the depth is foreign.
pub(crate) fn deeper_than(value: &Value, levels: usize) -> bool {
    let mut open = vec![(value, 1)];
    while let Some((value, depth)) = open.pop() {
        if depth > levels {
            return true;
        }
        match value {
            Value::Array(items) => open.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(members) => open.extend(members.values().map(|item| (item, depth + 1))),
            _ => {}
        }
    }
    false
}
