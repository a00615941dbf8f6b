//! Outputs: each becomes a reply and describes it.

use std::borrow::Cow;
use std::marker::PhantomData;

use engine_model::{ErrorCode, Failure};
use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use serde_json::{Value, json};

use crate::sse::Frames;

/// What an endpoint answers.
pub trait Output: Send {
    /// The reply.
    fn reply(self) -> Result<Reply, Failure>;

    /// Describes it.
    fn shape(generator: &mut SchemaGenerator) -> OutputShape;
}

/// The description of an output in the words of `OpenAPI`.
#[derive(Clone, Debug)]
pub struct OutputShape {
    /// Its media type.
    pub content_type: &'static str,
    /// Its media type object: schema and more.
    pub media: Value,
    /// What it is, in a sentence.
    pub description: &'static str,
}

/// A reply that succeeded.
#[derive(Debug)]
pub struct Reply {
    /// Its media type.
    pub content_type: &'static str,
    /// What it carries.
    pub body: ReplyBody,
}

/// What a reply carries.
#[derive(Debug)]
pub enum ReplyBody {
    /// All of it.
    Bytes(Vec<u8>),
    /// All of it, the same for every request.
    Fixed(&'static [u8]),
    /// Events as they come.
    Events(Box<dyn Frames>),
    /// A file, in pieces.
    Download(Box<Download>),
}

/// A file that is sent in pieces, so that it need not fit into memory.
pub struct Download {
    /// Its bytes.
    pub content: Box<dyn std::io::Read + Send>,
    /// Its length.
    pub bytes: u64,
    /// The SHA-256 of its bytes.
    pub sha256: [u8; 32],
    /// The name under which a client may keep it; plain letters, digits, `-` and `.`.
    pub name: String,
}

impl std::fmt::Debug for Download {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Download({}, {} bytes)", self.name, self.bytes)
    }
}

/// An archive to be kept as a file.
#[derive(Debug)]
pub struct TarGz(pub Download);

impl Output for TarGz {
    fn reply(self) -> Result<Reply, Failure> {
        Ok(Reply {
            content_type: "application/gzip",
            body: ReplyBody::Download(Box::new(self.0)),
        })
    }

    fn shape(_generator: &mut SchemaGenerator) -> OutputShape {
        OutputShape {
            content_type: "application/gzip",
            media: json!({ "schema": {} }),
            description: "A gzip-compressed tar archive. The same project state always gives the same bytes.",
        }
    }
}

/// A value as JSON. It is written where it was made, so that a large one is written on the thread that made it.
#[derive(Debug)]
pub struct Json<T> {
    bytes: Cow<'static, [u8]>,
    value: PhantomData<fn() -> T>,
}

impl<T: Serialize> Json<T> {
    /// Writes a value.
    pub fn of(value: &T) -> Result<Self, Failure> {
        let bytes = serde_json::to_vec(value).map_err(|error| {
            tracing::error!(%error, "a reply cannot be written as JSON");
            Failure::new(
                ErrorCode::Internal,
                "the reply could not be written as JSON; see the engine log for the cause, then repeat the request",
            )
        })?;
        Ok(Self::written(bytes))
    }
}

impl<T> Json<T> {
    /// A value that is written already.
    pub(crate) const fn written(bytes: Vec<u8>) -> Self {
        Self {
            bytes: Cow::Owned(bytes),
            value: PhantomData,
        }
    }

    /// A value that is written once for all requests.
    pub(crate) const fn fixed(bytes: &'static [u8]) -> Self {
        Self {
            bytes: Cow::Borrowed(bytes),
            value: PhantomData,
        }
    }
}

impl<T: JsonSchema> Output for Json<T> {
    fn reply(self) -> Result<Reply, Failure> {
        Ok(Reply {
            content_type: "application/json",
            body: match self.bytes {
                Cow::Owned(bytes) => ReplyBody::Bytes(bytes),
                Cow::Borrowed(bytes) => ReplyBody::Fixed(bytes),
            },
        })
    }

    fn shape(generator: &mut SchemaGenerator) -> OutputShape {
        OutputShape {
            content_type: "application/json",
            media: json!({ "schema": generator.subschema_for::<T>() }),
            description: "Done.",
        }
    }
}

/// An image as SVG.
#[derive(Debug)]
pub struct Svg(pub Vec<u8>);

impl Output for Svg {
    fn reply(self) -> Result<Reply, Failure> {
        Ok(Reply {
            content_type: "image/svg+xml",
            body: ReplyBody::Bytes(self.0),
        })
    }

    fn shape(_generator: &mut SchemaGenerator) -> OutputShape {
        OutputShape {
            content_type: "image/svg+xml",
            media: json!({ "schema": { "type": "string" } }),
            description: "An SVG image with an accessible title.",
        }
    }
}

/// A PDF file.
#[derive(Debug)]
pub struct Pdf(pub Vec<u8>);

impl Output for Pdf {
    fn reply(self) -> Result<Reply, Failure> {
        Ok(Reply {
            content_type: "application/pdf",
            body: ReplyBody::Bytes(self.0),
        })
    }

    fn shape(_generator: &mut SchemaGenerator) -> OutputShape {
        OutputShape {
            content_type: "application/pdf",
            media: json!({ "schema": {} }),
            description: "A tagged PDF.",
        }
    }
}

/// A value as JSON, or the same as a page for a client that prefers one.
#[derive(Debug)]
pub enum JsonOrPage<T> {
    /// As JSON.
    Json(Json<T>),
    /// As a self-contained page.
    Page(Vec<u8>),
}

impl<T: JsonSchema> Output for JsonOrPage<T> {
    fn reply(self) -> Result<Reply, Failure> {
        match self {
            Self::Json(json) => json.reply(),
            Self::Page(bytes) => Ok(Reply {
                content_type: "text/html; charset=utf-8",
                body: ReplyBody::Bytes(bytes),
            }),
        }
    }

    fn shape(generator: &mut SchemaGenerator) -> OutputShape {
        OutputShape {
            description: "Done. With `Accept: text/html`, the reply is one self-contained HTML page.",
            ..Json::<T>::shape(generator)
        }
    }
}
