//! Tells what a file is by its bytes, and takes it apart.

use engine_model::{ModelFile, ModelFileProblemKind, ModelReading, ReadAt, SourceFile, Zone};
use serde::{Deserialize, Serialize};

use crate::archive::{self, Member, Members};
use crate::draft::{Draft, shown};
use crate::pickle::{self, End, Trace};
use crate::source::{Budget, Packing, Part, Stream, WORK_BYTES_MAX};
use crate::{graphs, keras, loader, script, weights};

/// Archives inside one another.
const NESTING_MAX: u32 = 3;
/// A packed member that is held in memory to be taken apart.
const MEMBER_BYTES_MAX: u64 = 8 * 1024 * 1024;
/// Bytes at the start of a file that tell what it is.
pub const HEAD_BYTES: usize = 300;
/// A stream without a header is tried no further than this when the name does not speak of one.
const TRIAL_BYTES_MAX: u64 = 256 * 1024;

/// What one file holds, without its path: it depends on nothing but the bytes and the name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelFacts {
    /// The record, in which path and zone are still empty.
    pub model: ModelFile,
}

/// What the ending of a name promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Promise {
    /// The format that stands in the record when the content does not tell.
    format: &'static str,
    /// Formats that the ending may hold.
    holds: &'static [&'static str],
    /// Whether the ending means nothing else, so that other content is worth a word.
    strict: bool,
}

const PICKLES: &[&str] = &[
    "pickle",
    "joblib",
    "compressed-pickle",
    "compressed",
    "numpy",
    "numpy-archive",
];
const TORCH: &[&str] = &[
    "pytorch",
    "torchscript",
    "pickle",
    "tar",
    "pytorch-tar",
    "zip",
    "safetensors",
    "joblib",
    "compressed",
];

/// What a name promises, by its ending.
fn promise(path: &str) -> Option<Promise> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let lower = name.to_ascii_lowercase();
    let ending = lower.rsplit_once('.')?.1;
    let (format, holds, strict): (_, &'static [&'static str], _) = match ending {
        "pkl" | "pickle" | "dill" => ("pickle", PICKLES, true),
        "p" | "sav" | "dat" | "model" | "data" | "mdl" => ("pickle", PICKLES, false),
        "joblib" => ("joblib", PICKLES, true),
        "pt" | "pth" | "ptl" | "pt2" => ("pytorch", TORCH, true),
        "ckpt" | "bin" | "mar" | "nemo" => ("pytorch", TORCH, false),
        "safetensors" => ("safetensors", &["safetensors"], true),
        "gguf" => ("gguf", &["gguf"], true),
        "ggml" => ("ggml", &["gguf", "ggml"], true),
        "onnx" => ("onnx", &["onnx"], true),
        "h5" | "hdf5" | "hdf" => ("hdf5", &["hdf5", "keras-hdf5"], true),
        "keras" => ("keras", &["keras", "keras-hdf5"], true),
        "tflite" | "lite" => ("tflite", &["tflite"], ending == "tflite"),
        "npy" => ("numpy", &["numpy"], true),
        "npz" => ("numpy-archive", &["numpy-archive"], true),
        "pte" => ("executorch", &["executorch"], true),
        "mlmodel" => ("core-ml", &["core-ml"], false),
        "pb" => ("tensorflow-graph", &["saved-model", "tensorflow-graph", "onnx"], false),
        "skops" => ("skops", &["skops", "zip"], true),
        _ => return None,
    };
    Some(Promise { format, holds, strict })
}

/// Whether a file may hold a model, by its name and its first bytes; a word for `true` costs no more than a look.
pub fn wants(path: &str, head: &[u8]) -> bool {
    promise(path).is_some() && !is_other_text(path, head)
        || told_by_head(head)
        || is_tar(head)
        || !is_code(path) && pickle::may_begin(head)
}

/// Whether a file with the ending of a model is a text that others write under it: settings in Pkl, the paths of a Python, texts in Portuguese.
fn is_other_text(path: &str, head: &[u8]) -> bool {
    /// How settings in Pkl begin.
    const PKL: [&str; 9] = [
        "amends ",
        "extends ",
        "module ",
        "import ",
        "open module",
        "abstract ",
        "@",
        "//",
        "/*",
    ];
    let head = match std::str::from_utf8(head) {
        Ok(head) => head,
        // The first bytes may end within a letter.
        Err(broken) if broken.error_len().is_none() => std::str::from_utf8(&head[..broken.valid_up_to()]).unwrap_or(""),
        Err(_) => return false,
    };
    let text = head.trim_start();
    if text.is_empty() || text.contains(|c: char| c.is_control() && !c.is_whitespace()) {
        return false;
    }
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    match ending {
        "pkl" => PKL.iter().any(|start| text.starts_with(start)),
        "pth" => ["import ", "./", "../", "/", "#"]
            .iter()
            .any(|start| text.starts_with(start)),
        "pt" => {
            text.starts_with(['{', '[', '"', '#'])
                || path
                    .to_ascii_lowercase()
                    .split('/')
                    .any(|part| ["locale", "locales", "lang", "i18n", "translations"].contains(&part))
        }
        _ => false,
    }
}

fn has_ending(name: &str, wanted: &str) -> bool {
    name.rsplit_once('.')
        .is_some_and(|(_, ending)| ending.eq_ignore_ascii_case(wanted))
}

fn is_code(path: &str) -> bool {
    engine_model::Language::of_path(path).is_code()
}

fn told_by_head(head: &[u8]) -> bool {
    pickle::has_header(head)
        || weights::begins_as_safetensors(head)
        || [b"PK\x03\x04".as_slice(), b"GGUF", b"\x89HDF\r\n\x1a\n", b"\x93NUMPY"]
            .iter()
            .any(|magic| head.starts_with(magic))
        || head
            .get(4..8)
            .is_some_and(|tag| tag == b"TFL3" || tag == b"ET12" || tag == b"ET11")
        || packing(head).is_some()
}

fn is_tar(head: &[u8]) -> bool {
    head.get(257..262) == Some(b"ustar")
}

fn packing(head: &[u8]) -> Option<Packing> {
    match head {
        [0x1F, 0x8B, 8, ..] => Some(Packing::Gzip),
        [0x78, 0x01 | 0x5E | 0x9C | 0xDA, ..] => Some(Packing::Zlib),
        _ => None,
    }
}

/// Packings that are told and not unpacked.
fn foreign_packing(head: &[u8]) -> Option<&'static str> {
    [
        (b"BZh".as_slice(), "bzip2"),
        (b"\xFD7zXZ\0", "xz"),
        (b"\x5D\x00\x00", "lzma"),
        (b"\x04\x22\x4D\x18", "lz4"),
        (b"\x28\xB5\x2F\xFD", "zstd"),
        (b"7z\xBC\xAF\x27\x1C", "7-Zip"),
        (b"Rar!\x1A\x07", "RAR"),
    ]
    .into_iter()
    .find_map(|(magic, name)| head.starts_with(magic).then_some(name))
}

/// Takes the facts of a file that was read whole; `None` when it is no model file.
pub fn read(file: &SourceFile<'_>) -> Option<ModelFacts> {
    let bytes: &[u8] = &file.bytes;
    if loader::wants(&file.path)
        && let Some(mut model) = loader::read(&file.path, bytes)
    {
        model.digest = Some(hex(&file.digest));
        return Some(ModelFacts { model });
    }
    if !wants(&file.path, &bytes[..bytes.len().min(HEAD_BYTES)]) {
        return None;
    }
    let mut facts = read_part(&file.path, &bytes)?;
    facts.model.digest = Some(hex(&file.digest));
    Some(facts)
}

fn hex(digest: &[u8; 32]) -> String {
    use std::fmt::Write;
    digest.iter().fold(String::with_capacity(64), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}

/// Takes the facts of a file of any length, of which only what decides is read; `None` when it is no model file.
pub fn read_part(path: &str, file: &dyn ReadAt) -> Option<ModelFacts> {
    let budget = Budget::new(WORK_BYTES_MAX);
    let part = Part::whole(file, &budget);
    let mut draft = Draft::default();
    let promise = promise(path);
    if identify(part, path, None, 0, &mut draft).is_some() {
        name_against_content(path, promise, &mut draft);
    } else {
        let promise = promise.filter(|promise| promise.strict)?;
        let head = part.bytes(0, HEAD_BYTES);
        draft = Draft::default();
        promise.format.clone_into(&mut draft.model.format);
        if head.starts_with(b"version https://git-lfs.github.com/spec/") {
            draft.model.read = ModelReading::Part;
            draft.external("git-lfs");
        } else {
            // An empty file holds the place of a model: there is nothing in it to load or to hide.
            if head.is_empty() {
                draft.model.read = ModelReading::Part;
            } else {
                let message = format!(
                    "its content is not in the format `{}` that its name indicates",
                    promise.format
                );
                draft.problem(ModelFileProblemKind::Broken, message, None);
            }
        }
    }
    let mut model = draft.finish();
    model.bytes = part.length();
    Some(ModelFacts { model })
}

/// Whether the ending of a name is that of another format than the content has.
fn name_against_content(path: &str, promise: Option<Promise>, draft: &mut Draft) {
    let format = draft.model.format.clone();
    let ending = path
        .rsplit('/')
        .next()
        .and_then(|name| name.rsplit_once('.'))
        .map_or("", |(_, ending)| ending);
    let wrong = match promise {
        Some(promise) => promise.strict && !promise.holds.contains(&format.as_str()),
        // Serialised objects under the name of a text, an image or code are hidden there.
        None => {
            matches!(format.as_str(), "pickle" | "pytorch" | "joblib")
                && matches!(
                    ending.to_ascii_lowercase().as_str(),
                    "txt"
                        | "md"
                        | "json"
                        | "yaml"
                        | "yml"
                        | "toml"
                        | "csv"
                        | "xml"
                        | "html"
                        | "py"
                        | "js"
                        | "ts"
                        | "png"
                        | "jpg"
                        | "jpeg"
                        | "gif"
                        | "pdf"
                        | "cfg"
                        | "ini"
                        | "log"
                )
        }
    };
    if wrong {
        draft.problem(
            ModelFileProblemKind::WrongSuffix,
            format!(
                "contains the format `{format}`, but its name ends in `.{}`",
                shown(ending)
            ),
            None,
        );
    }
}

/// Tells a file, or a member of an archive, by its first bytes, and takes it apart.
fn identify(part: Part<'_>, path: &str, member: Option<&str>, depth: u32, draft: &mut Draft) -> Option<()> {
    let head = part.bytes(0, HEAD_BYTES);
    let promise = promise(path);
    if head.starts_with(b"PK\x03\x04") {
        return zip(part, path, member, depth, draft);
    }
    if head.starts_with(b"GGUF") {
        weights::gguf(part, draft);
        return Some(());
    }
    if [b"ggml".as_slice(), b"lmgg", b"tjgg", b"ggjt", b"fmgg"]
        .iter()
        .any(|magic| head.starts_with(magic))
        && promise.is_some()
    {
        "ggml".clone_into(&mut draft.model.format);
        draft.model.is_model = true;
        return Some(());
    }
    if head.starts_with(b"\x89HDF\r\n\x1a\n") {
        keras::hdf5(part, draft);
        return Some(());
    }
    if head.starts_with(b"\x93NUMPY") {
        set_format(draft, member, "numpy");
        numpy(part, member, draft);
        return Some(());
    }
    match head.get(4..8) {
        Some(b"TFL3") => {
            set_format(draft, member, "tflite");
            draft.model.framework = Some("tensorflow-lite".to_owned());
            draft.model.is_model = true;
            return Some(());
        }
        Some(b"ET12" | b"ET11") => {
            set_format(draft, member, "executorch");
            draft.model.framework = Some("pytorch".to_owned());
            draft.model.is_model = true;
            return Some(());
        }
        _ => {}
    }
    if pickle::has_header(&head) {
        pickled(part, path, member, depth, draft);
        return Some(());
    }
    if weights::begins_as_safetensors(&head)
        || promise.is_some_and(|promise| promise.format == "safetensors") && oversized_safetensors(&head)
    {
        weights::safetensors(part, draft);
        return Some(());
    }
    if is_tar(&head) {
        return tar(part, path, member, depth, draft);
    }
    if let Some(packing) = packing(&head) {
        return packed(part, packing, path, member, depth, draft);
    }
    if promise.is_some_and(|promise| promise.format != "onnx" || promise.strict)
        && let Some(name) = foreign_packing(&head)
    {
        set_format(draft, member, "compressed");
        draft.not_read(
            &format!("its content is compressed with {name}, which this scan does not unpack"),
            member,
        );
        return Some(());
    }
    if member.is_none() {
        let ending = path.rsplit('.').next().unwrap_or("").to_ascii_lowercase();
        let named = |endings: &[&str]| endings.contains(&ending.as_str());
        let told = if path.ends_with("keras_metadata.pb") {
            keras::metadata(part, draft)
        } else if named(&["mlmodel"]) {
            graphs::core_ml(part, draft)
        } else if named(&["pb"]) {
            graphs::saved_model(part, true, draft).or_else(|| graphs::onnx(part, false, draft))
        } else if named(&["onnx", "ort"]) || matches!(head.as_slice(), [8, 3..=14, 0x12 | 0x3A | 0x42, ..]) {
            graphs::onnx(part, named(&["onnx"]), draft)
        } else {
            None
        };
        if told.is_some() {
            return told;
        }
    }
    trial(part, path, member, draft)
}

/// Whether the header declares more than the limit of the format.
fn oversized_safetensors(head: &[u8]) -> bool {
    head.get(8) == Some(&b'{')
}

fn set_format(draft: &mut Draft, member: Option<&str>, format: &str) {
    // The archive has its own format; what lies in it does not change that.
    if member.is_none() {
        format.clone_into(&mut draft.model.format);
    }
}

/// Serialised objects, one or several, as the content of a file or of a member.
fn pickled(part: Part<'_>, path: &str, member: Option<&str>, depth: u32, draft: &mut Draft) {
    set_format(draft, member, "pickle");
    let mut stream = part.stream();
    pickles(&mut stream, path, member, draft);
    if member.is_none() && depth < NESTING_MAX && archive::ends_as_zip(&part) {
        draft.problem(
            ModelFileProblemKind::Lying,
            "it starts with serialised objects and ends with an archive",
            None,
        );
        zip_members(&part, &archive::zip(&part), depth, true, draft);
    }
}

fn pickles(stream: &mut Stream<'_>, path: &str, member: Option<&str>, draft: &mut Draft) {
    let mut trace = Trace::default();
    let end = pickle::trace(stream, &mut trace);
    if member.is_none() {
        if trace.imports.iter().any(|import| import.name.starts_with("joblib."))
            || path.to_ascii_lowercase().ends_with(".joblib")
        {
            "joblib".clone_into(&mut draft.model.format);
        } else if trace.imports.iter().any(|import| import.name.starts_with("torch.")) && trace.pickles > 3 {
            "pytorch".clone_into(&mut draft.model.format);
        }
        draft.model.version = (trace.protocol > 0).then(|| trace.protocol.to_string());
    }
    draft.take(&trace, member);
    let named = |framework: &str| !matches!(framework, "numpy" | "pandas");
    draft.model.is_model |= draft.model.framework.as_deref().is_some_and(named);
    match end {
        End::Stop => {}
        End::Truncated => draft.problem(
            ModelFileProblemKind::Broken,
            "the serialised objects are truncated",
            member,
        ),
        End::Invalid => draft.problem(
            ModelFileProblemKind::Broken,
            "the serialised objects are damaged; loading still runs everything before the damage",
            member,
        ),
        End::Limit => draft.not_read(
            "the serialised objects are longer or more deeply nested than this scan reads",
            member,
        ),
    }
}

/// A stream of serialised objects without a header is told only by following it to its end.
fn trial(part: Part<'_>, path: &str, member: Option<&str>, draft: &mut Draft) -> Option<()> {
    let head = part.bytes(0, 16);
    let named = promise(path).is_some_and(|promise| promise.holds.contains(&"pickle"));
    if !pickle::may_begin(&head) || !named && is_code(path) {
        return None;
    }
    let part = if named { part } else { part.range(0, TRIAL_BYTES_MAX) };
    let mut trace = Trace::default();
    let end = pickle::trace(&mut part.stream(), &mut trace);
    let dangerous = || {
        trace
            .imports
            .iter()
            .any(|import| import.kind == engine_model::ModelImportKind::Dangerous)
    };
    // Text can begin like opcodes; it does not import and end like them.
    let told = match end {
        End::Stop => {
            named
                || !trace.imports.is_empty()
                    && !is_list_of_names(path)
                    && trace.imports.iter().all(|import| is_dotted(&import.name))
        }
        _ => named && (dangerous() || trace.opcodes > 200),
    };
    if !told {
        return None;
    }
    pickled(part, path, member, NESTING_MAX, draft);
    Some(())
}

/// Whether a file lists names of files, one on a line: `config.json` on the first reads like an import.
fn is_list_of_names(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    name.starts_with('.') && name.ends_with("ignore")
        || matches!(
            name.as_str(),
            "codeowners" | "license" | "licence" | "notice" | "authors" | "makefile" | "dockerfile"
        )
}

/// Whether a name could be one of a Python module and what stands in it.
fn is_dotted(name: &str) -> bool {
    name.split(['.', ' ']).all(|part| {
        !part.is_empty()
            && !part.starts_with(|c: char| c.is_ascii_digit())
            && part.chars().all(|c| c.is_alphanumeric() || c == '_')
    })
}

/// An array of numpy; one of objects is serialised.
fn numpy(part: Part<'_>, member: Option<&str>, draft: &mut Draft) {
    const HEADER_BYTES_MAX: u64 = 64 * 1024;
    let mut stream = part.stream();
    let header = (|| {
        stream.skip(6).then_some(())?;
        let [major, _] = stream.array()?;
        let length = if major == 1 {
            stream.array().map(u16::from_le_bytes)?.into()
        } else {
            u64::from(stream.u32()?)
        };
        if length > HEADER_BYTES_MAX {
            return None;
        }
        stream.take(length, usize::try_from(length).ok()?)
    })();
    let Some(header) = header else {
        draft.problem(
            ModelFileProblemKind::Lying,
            "declares a header longer than any valid file has",
            member,
        );
        return;
    };
    if header
        .windows(3)
        .any(|part| part == b"'|O" || part == b"\"|O" || part == b"'O'")
    {
        pickles(&mut stream, "array.npy", Some(member.unwrap_or("objects")), draft);
    }
}

/// A stream that is compressed as a whole.
fn packed(
    part: Part<'_>,
    packing: Packing,
    path: &str,
    member: Option<&str>,
    depth: u32,
    draft: &mut Draft,
) -> Option<()> {
    let mut probe = part.inflate(packing);
    let head: Vec<u8> = std::iter::from_fn(|| probe.byte()).take(HEAD_BYTES).collect();
    if pickle::has_header(&head) {
        set_format(draft, member, "compressed-pickle");
        pickles(&mut part.inflate(packing), path, member, draft);
        return Some(());
    }
    let inner = path
        .strip_suffix(".gz")
        .or_else(|| path.strip_suffix(".z"))
        .unwrap_or(path);
    if depth >= NESTING_MAX || !(told_by_head(&head) || is_tar(&head) || promise(inner).is_some()) {
        return None;
    }
    let bytes = unpacked(part.inflate(packing))?;
    let inner_part = Part::whole(&bytes, part.budget());
    let label = member.unwrap_or(inner);
    let mut own = Draft::default();
    identify(inner_part, inner, Some(label), depth + 1, &mut own)?;
    identify(inner_part, inner, Some(label), depth + 1, draft)?;
    set_format(draft, member, "compressed");
    Some(())
}

/// A compressed stream in memory, as far as it is short.
fn unpacked(mut stream: Stream<'_>) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    while out.len() as u64 <= MEMBER_BYTES_MAX {
        match stream.byte() {
            Some(byte) => out.push(byte),
            None => break,
        }
    }
    (!out.is_empty()).then_some(out)
}

/// A zip archive that holds a model; `None` when it is any other.
fn zip(part: Part<'_>, path: &str, member: Option<&str>, depth: u32, draft: &mut Draft) -> Option<()> {
    if depth > NESTING_MAX {
        draft.not_read("the archives are nested more deeply than this scan reads", member);
        return Some(());
    }
    let members = archive::zip(&part);
    let has = |wanted: &dyn Fn(&str) -> bool| members.list.iter().any(|member| wanted(&member.name));
    let torch = has(&|name| name.ends_with("/data.pkl") || name == "data.pkl" || name == "archive/data.pkl");
    let format = if torch {
        if has(&|name| name.ends_with("/constants.pkl") || name.contains("/code/")) {
            "torchscript"
        } else {
            "pytorch"
        }
    } else if has(&|name| name == "config.json") && has(&|name| name == "metadata.json" || name == "model.weights.h5") {
        "keras"
    } else if has(&|name| name == "schema.json") && path.to_ascii_lowercase().ends_with(".skops") {
        "skops"
    } else if !members.list.is_empty() && members.list.iter().all(|member| has_ending(&member.name, "npy")) {
        "numpy-archive"
    } else {
        "zip"
    };
    let named = promise(path).is_some();
    let model_inside = has(&|name| promise(name).is_some_and(|promise| promise.strict));
    if format == "zip" && !named && !model_inside {
        return None;
    }
    set_format(draft, member, format);
    match format {
        "pytorch" | "torchscript" => draft.model.framework = Some("pytorch".to_owned()),
        "keras" => draft.model.framework = Some("keras".to_owned()),
        "skops" => draft.model.framework = Some("scikit-learn".to_owned()),
        _ => {}
    }
    draft.model.is_model |= matches!(format, "pytorch" | "torchscript" | "keras" | "skops");
    for (kind, message) in &members.problems {
        draft.problem(*kind, message.clone(), member);
    }
    zip_members(&part, &members, depth, named || torch, draft);
    Some(())
}

fn zip_members(part: &Part<'_>, members: &Members, depth: u32, sniff: bool, draft: &mut Draft) {
    for member in &members.list {
        if part.budget().is_spent() {
            draft.not_read("the archive contains more than this scan reads", None);
            break;
        }
        let storage = member
            .name
            .rsplit_once('/')
            .is_some_and(|(folder, name)| folder.ends_with("/data") && name.bytes().all(|byte| byte.is_ascii_digit()));
        if storage || member.name.ends_with('/') || !sniff && promise(&member.name).is_none() {
            continue;
        }
        one_member(part, member, depth, draft);
    }
}

fn one_member(part: &Part<'_>, member: &Member, depth: u32, draft: &mut Draft) {
    let mut odd = Vec::new();
    let data = member.data(part, &mut odd);
    let promised = promise(&member.name);
    let mut looked_at = promised.is_some();
    if let Some(data) = data {
        match member.stream(data) {
            None => {
                if promised.is_some() {
                    draft.not_read(
                        "it is compressed with a method that this scan does not unpack",
                        Some(&member.name),
                    );
                }
            }
            Some(mut probe) => {
                let head: Vec<u8> = std::iter::from_fn(|| probe.byte()).take(HEAD_BYTES).collect();
                looked_at |= member_content(data, member, &head, depth, draft);
            }
        }
        if looked_at && odd.is_empty() && member.checksum_holds(data) == Some(false) {
            odd.push("its checksum is wrong");
        }
    }
    if looked_at {
        for odd in odd {
            draft.problem(ModelFileProblemKind::Lying, odd, Some(&member.name));
        }
    }
}

/// Takes a member apart; says whether it was one to look at.
fn member_content(data: Part<'_>, member: &Member, head: &[u8], depth: u32, draft: &mut Draft) -> bool {
    let name = member.name.as_str();
    let is_config = name == "config.json" || name == "metadata.json";
    if is_config && draft.model.format == "keras" {
        if member.size > keras::CONFIG_BYTES_MAX {
            draft.not_read("its configuration is longer than this scan reads", Some(name));
        } else if let Some(bytes) = member.stream(data).and_then(unpacked) {
            if name == "config.json" {
                keras::config(&bytes, Some(name), draft);
            } else if let Ok(metadata) = serde_json::from_slice::<serde_json::Value>(&bytes) {
                draft.model.version = metadata
                    .get("keras_version")
                    .and_then(serde_json::Value::as_str)
                    .map(shown);
            }
        }
        return true;
    }
    if pickle::has_header(head) {
        if let Some(mut stream) = member.stream(data) {
            pickles(&mut stream, name, Some(name), draft);
        }
        return true;
    }
    if (loader::wants(name) || script::is_code(name)) && member.size <= loader::BYTES_MAX {
        if let Some(bytes) = member.stream(data).and_then(unpacked) {
            if script::is_code(name) {
                if draft.model.format == "torchscript" {
                    script::read(&String::from_utf8_lossy(&bytes), name, draft);
                }
            } else {
                loader::content(name, &bytes, Some(name), draft);
            }
        }
        return false;
    }
    let text_pickle = promise(name).is_some_and(|promise| promise.holds.contains(&"pickle")) && pickle::may_begin(head);
    let inner = told_by_head(head) || is_tar(head) || text_pickle;
    if !inner || has_ending(name, "h5") {
        return false;
    }
    if depth >= NESTING_MAX {
        draft.not_read("the archives are nested more deeply than this scan reads", Some(name));
        return true;
    }
    if member.is_stored() {
        return nested(data, name, depth, draft);
    }
    let Some(bytes) = member.stream(data).and_then(unpacked) else {
        return false;
    };
    if bytes.len() as u64 > MEMBER_BYTES_MAX {
        draft.not_read("it is longer than this scan unpacks", Some(name));
    }
    nested(Part::whole(&bytes, data.budget()), name, depth, draft)
}

/// What lies inside an archive keeps the record of the archive; only what it would do is added.
fn nested(part: Part<'_>, name: &str, depth: u32, draft: &mut Draft) -> bool {
    let (format, version) = (draft.model.format.clone(), draft.model.version.clone());
    let told = identify(part, name, Some(name), depth + 1, draft).is_some();
    draft.model.format = format;
    draft.model.version = version;
    told
}

/// A tar archive with a model in it, such as the oldest files of `PyTorch`.
fn tar(part: Part<'_>, path: &str, member: Option<&str>, depth: u32, draft: &mut Draft) -> Option<()> {
    let members = archive::tar(&part);
    let torch = ["sys_info", "pickle", "storages", "tensors"]
        .iter()
        .filter(|wanted| members.iter().any(|(name, _)| name == **wanted))
        .count()
        > 2;
    let model_inside = members
        .iter()
        .any(|(name, _)| promise(name).is_some_and(|promise| promise.strict));
    if depth > NESTING_MAX || !torch && !model_inside && promise(path).is_none() {
        return None;
    }
    set_format(draft, member, if torch { "pytorch-tar" } else { "tar" });
    if torch {
        draft.model.framework = Some("pytorch".to_owned());
        draft.model.is_model = true;
    }
    for (name, data) in members {
        if part.budget().is_spent() {
            draft.not_read("the archive contains more than this scan reads", None);
            break;
        }
        let head = data.bytes(0, HEAD_BYTES);
        if pickle::has_header(&head) {
            pickles(&mut data.stream(), &name, Some(&name), draft);
        } else if loader::wants(&name) && data.length() <= loader::BYTES_MAX {
            let bytes = data.bytes(0, usize::try_from(data.length()).unwrap_or(0));
            loader::content(&name, &bytes, Some(&name), draft);
        } else if told_by_head(&head) || promise(&name).is_some() {
            nested(data, &name, depth, draft);
        }
    }
    Some(())
}

/// The model files of a project, in the order of their paths.
pub fn join(facts: &[(String, Zone, ModelFacts)]) -> Vec<ModelFile> {
    let mut out: Vec<ModelFile> = facts
        .iter()
        .map(|(path, zone, facts)| ModelFile {
            file: path.clone(),
            zone: Some(*zone),
            ..facts.model.clone()
        })
        .collect();
    out.retain(is_listed);
    out.sort_by(|a, b| a.file.cmp(&b.file));
    out.dedup_by(|a, b| a.file == b.file);
    out
}

/// Whether a record says anything: arrays and archives that hold no model and no fault are data like any other.
fn is_listed(model: &ModelFile) -> bool {
    let data = ["numpy", "numpy-archive", "hdf5", "zip", "tar", "compressed"];
    model.is_model || !model.problems.is_empty() || !data.contains(&model.format.as_str())
}
