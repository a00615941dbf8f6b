//! Inputs: each reads a request strictly and describes what it reads.

use engine_model::{ErrorCode, Failure};
use schemars::{JsonSchema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::endpoint::Request;
use crate::strict;

/// What an endpoint is given.
pub trait Input: Sized + Send + 'static {
    /// Whether it reads the body.
    const TAKES_BODY: bool;

    /// Reads a request; what is not declared is refused.
    fn parse(request: &Request) -> Result<Self, Failure>;

    /// Describes what is read.
    fn shape(generator: &mut SchemaGenerator) -> InputShape;
}

/// The description of an input in the words of `OpenAPI`.
#[derive(Clone, Debug, Default)]
pub struct InputShape {
    /// Parameters in path, query and headers.
    pub parameters: Vec<Value>,
    /// Schema of the body.
    pub body: Option<Value>,
    /// Whether a body must be there.
    pub body_required: bool,
}

/// Nothing.
#[derive(Debug)]
pub struct Empty;

/// The fields of the query.
#[derive(Debug)]
pub struct Query<T>(pub T);

/// The parameters of the path.
#[derive(Debug)]
pub struct Path<T>(pub T);

/// The fields of a JSON body.
#[derive(Debug)]
pub struct Body<T>(pub T);

/// The parameters of the path, and the fields of a JSON body.
#[derive(Debug)]
pub struct PathAndBody<P, B>(pub P, pub B);

/// The header with which an event stream is taken up again.
#[derive(Debug)]
pub struct LastEventId(pub Option<u64>);

impl Input for Empty {
    const TAKES_BODY: bool = false;

    fn parse(request: &Request) -> Result<Self, Failure> {
        refuse_query(request, "takes no query parameters; remove it")?;
        Ok(Self)
    }

    fn shape(_: &mut SchemaGenerator) -> InputShape {
        InputShape::default()
    }
}

impl<T: DeserializeOwned + JsonSchema + Send + 'static> Input for Query<T> {
    const TAKES_BODY: bool = false;

    fn parse(request: &Request) -> Result<Self, Failure> {
        let pairs = strict::query(request.query.as_deref().unwrap_or(""))?;
        strict::from_texts(pairs).map(Self)
    }

    fn shape(generator: &mut SchemaGenerator) -> InputShape {
        InputShape {
            parameters: parameters::<T>(generator, "query"),
            ..InputShape::default()
        }
    }
}

impl<T: DeserializeOwned + JsonSchema + Send + 'static> Input for Path<T> {
    const TAKES_BODY: bool = false;

    fn parse(request: &Request) -> Result<Self, Failure> {
        refuse_query(request, "takes no query parameters; remove it")?;
        let pairs = request
            .params
            .iter()
            .map(|(name, value)| Ok((name.clone(), strict::percent_decoded(value, false, name)?)))
            .collect::<Result<_, Failure>>()?;
        strict::from_texts(pairs).map(Self)
    }

    fn shape(generator: &mut SchemaGenerator) -> InputShape {
        InputShape {
            parameters: parameters::<T>(generator, "path"),
            ..InputShape::default()
        }
    }
}

impl<T: DeserializeOwned + JsonSchema + Send + 'static> Input for Body<T> {
    const TAKES_BODY: bool = true;

    fn parse(request: &Request) -> Result<Self, Failure> {
        refuse_query(request, "takes its fields in the JSON body; move it there")?;
        strict::body(&request.body).map(Self)
    }

    fn shape(generator: &mut SchemaGenerator) -> InputShape {
        let schema = T::json_schema(generator).to_value();
        let required = schema["required"].as_array().is_some_and(|names| !names.is_empty());
        InputShape {
            body: Some(generator.subschema_for::<T>().to_value()),
            body_required: required,
            ..InputShape::default()
        }
    }
}

impl<P, B> Input for PathAndBody<P, B>
where
    P: DeserializeOwned + JsonSchema + Send + 'static,
    B: DeserializeOwned + JsonSchema + Send + 'static,
{
    const TAKES_BODY: bool = true;

    fn parse(request: &Request) -> Result<Self, Failure> {
        let Path(path) = Path::parse(request)?;
        let Body(body) = Body::parse(request)?;
        Ok(Self(path, body))
    }

    fn shape(generator: &mut SchemaGenerator) -> InputShape {
        InputShape {
            parameters: Path::<P>::shape(generator).parameters,
            ..Body::<B>::shape(generator)
        }
    }
}

impl Input for LastEventId {
    const TAKES_BODY: bool = false;

    fn parse(request: &Request) -> Result<Self, Failure> {
        refuse_query(request, "takes no query parameters; remove it")?;
        let Some(value) = request.headers.get("last-event-id").filter(|value| !value.is_empty()) else {
            return Ok(Self(None));
        };
        let id = value.to_str().ok().and_then(|text| text.trim().parse().ok());
        id.map(|id| Self(Some(id))).ok_or_else(|| {
            Failure::new(
                ErrorCode::InvalidRequest,
                "`Last-Event-ID` must be the whole number of an event; leave it out to receive new events only",
            )
            .field("Last-Event-ID")
        })
    }

    fn shape(_: &mut SchemaGenerator) -> InputShape {
        let parameter = json!({
            "name": "Last-Event-ID",
            "in": "header",
            "required": false,
            "description": "The id of the last event that the client received. The engine replays the later events that it still has.",
            "schema": { "type": "integer", "minimum": 0 },
        });
        InputShape {
            parameters: vec![parameter],
            ..InputShape::default()
        }
    }
}

/// Whether a schema is one of lists.
fn is_list(schema: &Value) -> bool {
    match &schema["type"] {
        Value::String(name) => name == "array",
        Value::Array(names) => names.iter().any(|name| name == "array"),
        _ => false,
    }
}

/// Rejects unknown query parameters, so that a client notices its mistake.
fn refuse_query(request: &Request, rule: &str) -> Result<(), Failure> {
    let pairs = strict::query(request.query.as_deref().unwrap_or(""))?;
    let Some((name, _)) = pairs.into_iter().next() else {
        return Ok(());
    };
    let name = strict::shown(&name);
    let details = format!("unexpected query parameter `{name}`: this route {rule}");
    Err(Failure::new(ErrorCode::InvalidRequest, details).field(name))
}

/// One parameter per field of an object.
fn parameters<T: JsonSchema>(generator: &mut SchemaGenerator, place: &str) -> Vec<Value> {
    let schema = T::json_schema(generator).to_value();
    let properties = schema.get("properties").and_then(Value::as_object);
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let Some(properties) = properties else {
        return Vec::new();
    };
    properties
        .iter()
        .map(|(name, schema)| {
            let mut schema = schema.clone();
            let mut parameter = Map::new();
            parameter.insert("name".to_owned(), json!(name));
            parameter.insert("in".to_owned(), json!(place));
            parameter.insert(
                "required".to_owned(),
                json!(place == "path" || required.contains(&name.as_str())),
            );
            if let Some(description) = schema.as_object_mut().and_then(|schema| schema.remove("description")) {
                parameter.insert("description".to_owned(), description);
            }
            if place == "query" && is_list(&schema) {
                // Values are separated by commas and not given one by one.
                parameter.insert("style".to_owned(), json!("form"));
                parameter.insert("explode".to_owned(), json!(false));
            }
            parameter.insert("schema".to_owned(), schema);
            Value::Object(parameter)
        })
        .collect()
}
