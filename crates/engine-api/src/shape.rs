//! What the schema of an input says of its fields.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

/// References that are followed to find the type of a field.
const HOPS_MAX: usize = 8;

/// The schema of an input.
pub(crate) struct Shape(Value);

/// What a text in a query or a path is read as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reading {
    pub(crate) number: bool,
    pub(crate) boolean: bool,
    pub(crate) list: bool,
}

impl Shape {
    pub(crate) fn of<T: JsonSchema>() -> Self {
        let generator = SchemaSettings::draft2020_12().for_deserialize().into_generator();
        Self(generator.into_root_schema_for::<T>().to_value())
    }

    /// The fields that must be there.
    pub(crate) fn required(&self) -> Vec<&str> {
        let names = self.0.get("required").and_then(Value::as_array);
        names
            .map(|names| names.iter().filter_map(Value::as_str).collect())
            .unwrap_or_default()
    }

    /// Whether a field is known and may be absent.
    pub(crate) fn is_optional(&self, field: &str) -> bool {
        let known = self
            .0
            .get("properties")
            .is_some_and(|properties| properties.get(field).is_some());
        known && !self.required().contains(&field)
    }

    /// What a text for a field is read as.
    pub(crate) fn reading(&self, field: &str) -> Reading {
        let mut reading = Reading::default();
        if let Some(schema) = self.0.get("properties").and_then(|properties| properties.get(field)) {
            self.collect(schema, HOPS_MAX, &mut reading);
        }
        reading
    }

    fn collect(&self, schema: &Value, hops: usize, reading: &mut Reading) {
        if hops == 0 {
            return;
        }
        let mut note = |name: &str| match name {
            "integer" | "number" => reading.number = true,
            "boolean" => reading.boolean = true,
            "array" => reading.list = true,
            _ => {}
        };
        match schema.get("type") {
            Some(Value::String(name)) => note(name),
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).for_each(note),
            _ => {}
        }
        if let Some(target) = schema.get("$ref").and_then(Value::as_str)
            && let Some(target) = target.strip_prefix('#').and_then(|pointer| self.0.pointer(pointer))
        {
            self.collect(target, hops - 1, reading);
        }
        for key in ["anyOf", "oneOf", "allOf"] {
            for one in schema.get(key).and_then(Value::as_array).into_iter().flatten() {
                self.collect(one, hops - 1, reading);
            }
        }
    }
}
