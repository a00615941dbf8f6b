//! Files of weights with a header of their own: GGUF and safetensors.

use std::collections::BTreeMap;

use engine_model::ModelFileProblemKind;
use serde::Deserialize;

use crate::draft::{Draft, shown};
use crate::source::{Part, Stream};
use crate::template;

/// Newer versions than this are not known.
const GGUF_VERSION_MAX: u32 = 3;
/// A longer key is a lie about its length.
const KEY_BYTES_MAX: u64 = 64 * 1024;
/// Bytes of a template that are looked at.
const TEMPLATE_BYTES_MAX: usize = 256 * 1024;
/// Dimensions of a tensor.
const DIMENSIONS_MAX: u32 = 8;
/// Arrays inside one another.
const NESTING_MAX: u32 = 4;

/// Reads the header of a GGUF file.
pub(crate) fn gguf(part: Part<'_>, draft: &mut Draft) {
    "gguf".clone_into(&mut draft.model.format);
    draft.model.framework = Some("ggml".to_owned());
    draft.model.is_model = true;
    let mut stream = part.stream();
    let mut gguf = Gguf {
        length: part.length(),
        ..Gguf::default()
    };
    let read = gguf.read(&mut stream);
    let model = &mut draft.model;
    model.version = gguf.version.map(|version| version.to_string());
    model.name = gguf.texts.remove("general.name").map(|text| shown(&text));
    model.architecture = gguf.texts.remove("general.architecture").map(|text| shown(&text));
    model.license = gguf.texts.remove("general.license").map(|text| shown(&text));
    model.quantization = gguf
        .file_type
        .and_then(file_type)
        .or_else(|| {
            gguf.types
                .iter()
                .max_by_key(|(_, count)| **count)
                .and_then(|(kind, _)| tensor_type(*kind))
        })
        .map(str::to_owned);
    model.tensors = (gguf.tensors > 0).then_some(gguf.tensors);
    model.parameters = (gguf.parameters > 0 && read.is_some()).then_some(gguf.parameters);
    for (kind, message) in gguf.problems {
        draft.problem(kind, message, None);
    }
    if read.is_none()
        && draft
            .model
            .problems
            .iter()
            .all(|problem| problem.kind != ModelFileProblemKind::Lying)
    {
        if stream.ran_out() {
            draft.not_read("the header is longer than this scan reads", None);
        } else {
            draft.problem(ModelFileProblemKind::Broken, "the header is truncated", None);
        }
    }
}

#[derive(Default)]
struct Gguf {
    length: u64,
    version: Option<u32>,
    texts: BTreeMap<String, String>,
    file_type: Option<u64>,
    tensors: u64,
    parameters: u64,
    types: BTreeMap<u32, u64>,
    problems: Vec<(ModelFileProblemKind, String)>,
}

impl Gguf {
    fn lies<T>(&mut self, message: impl Into<String>) -> Option<T> {
        self.problems.push((ModelFileProblemKind::Lying, message.into()));
        None
    }

    fn read(&mut self, stream: &mut Stream<'_>) -> Option<()> {
        stream.skip(4).then_some(())?;
        let version = stream.u32()?;
        self.version = Some(version);
        if version == 0 || version > GGUF_VERSION_MAX {
            return self.lies(format!("declares format version {version}, which does not exist"));
        }
        // The first version counts in 32 bits.
        let count = |stream: &mut Stream<'_>| {
            if version == 1 {
                stream.u32().map(u64::from)
            } else {
                stream.u64()
            }
        };
        let tensors = count(stream)?;
        let pairs = count(stream)?;
        // A tensor takes 24 bytes at least, a pair 13.
        if tensors > self.length / 24 || pairs > self.length / 12 {
            return self.lies(format!(
                "declares {tensors} tensors and {pairs} entries, more than the file can contain"
            ));
        }
        self.tensors = tensors;
        let mut alignment = 32;
        for _ in 0..pairs {
            let length = count(stream)?;
            if length > KEY_BYTES_MAX || length > self.length {
                return self.lies(format!("declares an implausible key length of {length} bytes"));
            }
            let key = String::from_utf8_lossy(&stream.take(length, 256)?).into_owned();
            let kind = stream.u32()?;
            if kind == 8 {
                let length = count(stream)?;
                self.text(stream, key, length)?;
                continue;
            }
            let value = self.value(stream, kind, version, 0)?;
            match key.as_str() {
                "general.file_type" => self.file_type = Some(value),
                "general.alignment" if value > 0 && value <= 1 << 20 => alignment = value,
                _ => {}
            }
        }
        self.tensor_list(stream, tensors, version, alignment)
    }

    /// An entry that is text.
    fn text(&mut self, stream: &mut Stream<'_>, key: String, length: u64) -> Option<()> {
        if length > self.length.saturating_sub(stream.position()) {
            return self.lies(format!(
                "declares a text of {length} bytes, more than the file contains"
            ));
        }
        let is_template = key == "tokenizer.chat_template" || key.starts_with("tokenizer.chat_template.");
        let kept = if is_template { TEMPLATE_BYTES_MAX } else { 256 };
        let text = String::from_utf8_lossy(&stream.take(length, kept)?).into_owned();
        if is_template {
            if let Some(mark) = template::reaches_out(&text) {
                self.problems.push((
                    ModelFileProblemKind::HostileTemplate,
                    format!("the chat template uses `{mark}`, which lets a template escape its sandbox"),
                ));
            }
            if length > TEMPLATE_BYTES_MAX as u64 {
                self.problems.push((
                    ModelFileProblemKind::NotRead,
                    "the chat template is longer than this scan reads".to_owned(),
                ));
            }
        } else if key.starts_with("general.") && self.texts.len() < 64 {
            self.texts.insert(key, text);
        }
        Some(())
    }

    /// A value that is no text; gives it where it is a number.
    fn value(&mut self, stream: &mut Stream<'_>, kind: u32, version: u32, depth: u32) -> Option<u64> {
        match kind {
            0 | 1 | 7 => stream.byte().map(u64::from),
            2 | 3 => stream.array().map(u16::from_le_bytes).map(u64::from),
            4..=6 => stream.u32().map(u64::from),
            10..=12 => stream.u64(),
            8 => {
                let length = if version == 1 {
                    stream.u32()?.into()
                } else {
                    stream.u64()?
                };
                if length > self.length.saturating_sub(stream.position()) {
                    return self.lies(format!(
                        "declares a text of {length} bytes, more than the file contains"
                    ));
                }
                stream.skip(length).then_some(0)
            }
            9 => {
                let of = stream.u32()?;
                let count = if version == 1 {
                    stream.u32()?.into()
                } else {
                    stream.u64()?
                };
                let size: u64 = match of {
                    0 | 1 | 7 => 1,
                    2 | 3 => 2,
                    4..=6 => 4,
                    10..=12 => 8,
                    8 => 0,
                    9 if depth < NESTING_MAX => 0,
                    _ => return self.lies(format!("declares an array of type {of}, which does not exist")),
                };
                let least = size.max(4);
                let rest = self.length.saturating_sub(stream.position());
                if count
                    .checked_mul(if size == 0 { least } else { size })
                    .is_none_or(|bytes| bytes > rest)
                {
                    return self.lies(format!(
                        "declares an array of {count} entries, more than the file contains"
                    ));
                }
                if size > 0 {
                    stream.skip(count * size).then_some(0)
                } else {
                    for _ in 0..count {
                        self.value(stream, of, version, depth + 1)?;
                    }
                    Some(0)
                }
            }
            _ => self.lies(format!("declares a value of type {kind}, which does not exist")),
        }
    }

    fn tensor_list(&mut self, stream: &mut Stream<'_>, tensors: u64, version: u32, alignment: u64) -> Option<()> {
        let mut last = 0;
        for _ in 0..tensors {
            let length = if version == 1 {
                stream.u32()?.into()
            } else {
                stream.u64()?
            };
            if length > KEY_BYTES_MAX {
                return self.lies(format!("declares an implausible tensor name of {length} bytes"));
            }
            stream.skip(length).then_some(())?;
            let dimensions = stream.u32()?;
            if dimensions > DIMENSIONS_MAX {
                return self.lies(format!("declares a tensor with an implausible {dimensions} dimensions"));
            }
            let mut elements = 1_u64;
            for _ in 0..dimensions {
                let length = if version == 1 {
                    stream.u32()?.into()
                } else {
                    stream.u64()?
                };
                match elements.checked_mul(length) {
                    Some(product) => elements = product,
                    None => return self.lies("declares a tensor with more elements than can be counted"),
                }
            }
            let kind = stream.u32()?;
            last = stream.u64()?.max(last);
            let of_type = self.types.entry(kind).or_default();
            *of_type = of_type.saturating_add(elements);
            self.parameters = self.parameters.saturating_add(elements);
        }
        let data = stream.position().checked_next_multiple_of(alignment)?;
        if tensors > 0 && data.checked_add(last).is_none_or(|start| start > self.length) {
            return self.lies("declares a tensor beyond the end of the file");
        }
        Some(())
    }
}

/// What `general.file_type` says about most tensors.
fn file_type(number: u64) -> Option<&'static str> {
    Some(match number {
        0 => "F32",
        1 => "F16",
        2 => "Q4_0",
        3 => "Q4_1",
        7 => "Q8_0",
        8 => "Q5_0",
        9 => "Q5_1",
        10 => "Q2_K",
        11 => "Q3_K_S",
        12 => "Q3_K_M",
        13 => "Q3_K_L",
        14 => "Q4_K_S",
        15 => "Q4_K_M",
        16 => "Q5_K_S",
        17 => "Q5_K_M",
        18 => "Q6_K",
        19 => "IQ2_XXS",
        20 => "IQ2_XS",
        25 => "IQ4_NL",
        30 => "IQ4_XS",
        32 => "BF16",
        _ => return None,
    })
}

fn tensor_type(number: u32) -> Option<&'static str> {
    Some(match number {
        0 => "F32",
        1 => "F16",
        2 => "Q4_0",
        3 => "Q4_1",
        6 => "Q5_0",
        7 => "Q5_1",
        8 => "Q8_0",
        10 => "Q2_K",
        11 => "Q3_K",
        12 => "Q4_K",
        13 => "Q5_K",
        14 => "Q6_K",
        30 => "BF16",
        _ => return None,
    })
}

/// A longer header is not held in memory.
const HEADER_BYTES_MAX: u64 = 8 * 1024 * 1024;
/// The limit that the format sets itself.
const HEADER_BYTES_LIMIT: u64 = 100_000_000;

#[derive(Deserialize)]
struct Tensor {
    dtype: String,
    shape: Vec<u64>,
    data_offsets: (u64, u64),
}

/// A header, read without a tree of values: its length is bounded, and so is what it becomes.
#[derive(Default)]
struct Header {
    metadata: BTreeMap<String, String>,
    tensors: BTreeMap<String, Tensor>,
}

impl<'de> Deserialize<'de> for Header {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> serde::de::Visitor<'de> for Entries {
            type Value = Header;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("a map of tensors")
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Header, A::Error> {
                let mut header = Header::default();
                while let Some(name) = map.next_key::<String>()? {
                    if name == "__metadata__" {
                        header.metadata = map.next_value()?;
                    } else {
                        header.tensors.insert(name, map.next_value()?);
                    }
                }
                Ok(header)
            }
        }
        deserializer.deserialize_map(Entries)
    }
}

/// Whether a file begins like one of safetensors: the length of the header, then its brace.
pub(crate) fn begins_as_safetensors(head: &[u8]) -> bool {
    let length = head.first_chunk().map(|bytes| u64::from_le_bytes(*bytes));
    length.is_some_and(|length| (2..=HEADER_BYTES_LIMIT).contains(&length)) && head.get(8) == Some(&b'{')
}

/// Reads the header of a safetensors file.
pub(crate) fn safetensors(part: Part<'_>, draft: &mut Draft) {
    "safetensors".clone_into(&mut draft.model.format);
    draft.model.is_model = true;
    let mut stream = part.stream();
    let Some(length) = stream.u64() else {
        draft.problem(ModelFileProblemKind::Broken, "the header is truncated", None);
        return;
    };
    let rest = part.length().saturating_sub(8);
    if length > rest || length > HEADER_BYTES_LIMIT {
        let message = format!("declares a header of {length} bytes, more than the file contains");
        draft.problem(ModelFileProblemKind::Lying, message, None);
        return;
    }
    if length > HEADER_BYTES_MAX {
        draft.not_read("the header is longer than this scan reads", None);
        return;
    }
    let Some(bytes) = usize::try_from(length).ok().and_then(|kept| stream.take(length, kept)) else {
        draft.problem(ModelFileProblemKind::Broken, "the header is truncated", None);
        return;
    };
    let Ok(header) = serde_json::from_slice::<Header>(&bytes) else {
        draft.problem(
            ModelFileProblemKind::Broken,
            "the header is not valid JSON for this format",
            None,
        );
        return;
    };
    metadata_of(&header.metadata, draft);
    let data = rest - length;
    let (mut parameters, mut tensors) = (0_u64, 0_u64);
    let mut types: BTreeMap<String, u64> = BTreeMap::new();
    let mut ranges = Vec::new();
    let mut lies = None;
    for (name, tensor) in header.tensors {
        let elements = tensor
            .shape
            .iter()
            .try_fold(1_u64, |product, length| product.checked_mul(*length));
        let (start, end) = tensor.data_offsets;
        let bits = bits(&tensor.dtype);
        let fits = elements.is_some_and(|elements| {
            bits.is_none_or(|bits| {
                elements
                    .checked_mul(bits)
                    .is_some_and(|bits| end.checked_sub(start) == Some(bits / 8))
            })
        });
        if !fits || start > end || end > data {
            lies.get_or_insert_with(|| format!("declares an invalid byte range for `{}`", shown(&name)));
        }
        tensors += 1;
        parameters = parameters.saturating_add(elements.unwrap_or(0));
        let of_type = types.entry(tensor.dtype).or_default();
        *of_type = of_type.saturating_add(elements.unwrap_or(0));
        ranges.push((start, end));
    }
    ranges.sort_unstable();
    if lies.is_none() && ranges.windows(2).any(|pair| pair[0].1 > pair[1].0) {
        lies = Some("declares overlapping byte ranges of tensors".to_owned());
    }
    // Bytes behind the last tensor are where something else can hide.
    if lies.is_none() && ranges.iter().map(|range| range.1).max().unwrap_or(0) < data {
        lies = Some("contains bytes that are not part of a tensor".to_owned());
    }
    let model = &mut draft.model;
    model.tensors = Some(tensors).filter(|count| *count > 0);
    model.parameters = Some(parameters).filter(|count| *count > 0 && lies.is_none());
    model.quantization = types
        .iter()
        .max_by_key(|(_, count)| **count)
        .map(|(kind, _)| shown(kind));
    if let Some(message) = lies {
        draft.problem(ModelFileProblemKind::Lying, message, None);
    }
}

fn metadata_of(metadata: &BTreeMap<String, String>, draft: &mut Draft) {
    let model = &mut draft.model;
    let text = |keys: &[&str]| keys.iter().find_map(|key| metadata.get(*key)).map(|text| shown(text));
    model.framework = match metadata.get("format").map(String::as_str) {
        Some("pt") => Some("pytorch".to_owned()),
        Some("tf") => Some("tensorflow".to_owned()),
        Some("np") => Some("numpy".to_owned()),
        Some("flax" | "jax") => Some("jax".to_owned()),
        Some("mlx") => Some("mlx".to_owned()),
        _ => None,
    };
    model.name = text(&["modelspec.title", "general.name", "ss_output_name"]);
    model.architecture = text(&["modelspec.architecture", "general.architecture"]);
    model.license = text(&["modelspec.license", "license", "general.license"]);
}

/// Bits of one element.
fn bits(dtype: &str) -> Option<u64> {
    Some(match dtype {
        "F64" | "I64" | "U64" | "C64" => 64,
        "F32" | "I32" | "U32" => 32,
        "F16" | "BF16" | "I16" | "U16" => 16,
        "I8" | "U8" | "BOOL" | "F8_E4M3" | "F8_E5M2" | "F8_E8M0" => 8,
        "F4" => 4,
        _ => return None,
    })
}
