//! Graphs as protocol buffers: ONNX, `TensorFlow` `SavedModel` and Core ML.

use engine_model::ModelFileProblemKind;

use crate::draft::{Draft, shown};
use crate::protobuf::{Field, text, varint, walk};
use crate::source::{Part, Stream};

/// Graphs inside one another.
const NESTING_MAX: u32 = 12;
/// Newer versions of the intermediate representation than this one are not known.
const IR_VERSION_MAX: u64 = 40;

/// Reads an ONNX model. `None` when it is none.
pub(crate) fn onnx(part: Part<'_>, named: bool, draft: &mut Draft) -> Option<()> {
    let mut stream = part.stream();
    let mut onnx = Onnx::default();
    let whole = walk(&mut stream, part.length(), &mut |stream, field| {
        match field {
            Field::Number(1, version) if version <= IR_VERSION_MAX => onnx.version = Some(version),
            Field::Number(1, _) => return None,
            Field::Bytes(2, length) => onnx.producer = Some(text(stream, length)?),
            Field::Bytes(3, length) => {
                let version = text(stream, length)?;
                onnx.producer = onnx
                    .producer
                    .take()
                    .map(|producer| format!("{producer} {version}").trim().to_owned());
            }
            Field::Bytes(7, length) => {
                onnx.graph = true;
                onnx.graph(stream, length, 0)?;
            }
            // The sets that a graph may draw from; exporters name some from which nothing is taken, so the nodes tell what is needed.
            Field::Bytes(8, length) => {
                onnx.operators = true;
                walk(stream, length, &mut |_, _| Some(()))?;
            }
            Field::Bytes(14, length) => onnx.metadata(stream, length)?,
            _ => {}
        }
        Some(())
    });
    let told = onnx.version.is_some() && (onnx.graph || onnx.operators);
    if !told || !named && (whole.is_none() || !onnx.graph || !onnx.operators) {
        return None;
    }
    let model = &mut draft.model;
    "onnx".clone_into(&mut model.format);
    model.is_model = true;
    model.version = onnx.version.map(|version| version.to_string());
    model.framework = onnx.producer.as_deref().map(shown);
    model.name = onnx.name.as_deref().filter(|name| !name.is_empty()).map(shown);
    model.license = onnx.license.as_deref().map(shown);
    model.parameters = Some(onnx.parameters).filter(|count| *count > 0);
    model.tensors = Some(onnx.tensors).filter(|count| *count > 0);
    for path in &onnx.external {
        draft.external(path);
        if leaves_folder(path) {
            draft.problem(
                ModelFileProblemKind::ReachesFiles,
                format!("loads weights from `{}`, which is outside its folder", shown(path)),
                None,
            );
        }
    }
    if !onnx.domains.is_empty() {
        draft.problem(
            ModelFileProblemKind::UnknownImport,
            format!(
                "requires custom operators from `{}`, which run external code",
                shown(&onnx.domains.join("`, `"))
            ),
            None,
        );
    }
    if onnx.python {
        draft.problem(
            ModelFileProblemKind::ReachesCode,
            "has an operator that calls a Python function",
            None,
        );
    }
    if whole.is_none() {
        if stream.ran_out() {
            draft.not_read("the graph is longer than this scan reads", None);
        } else {
            draft.problem(ModelFileProblemKind::Broken, "the graph is truncated or damaged", None);
        }
    }
    Some(())
}

/// Whether a relative path leaves the folder that it is meant to stay in.
pub(crate) fn leaves_folder(path: &str) -> bool {
    path.starts_with(['/', '\\', '~'])
        || path.as_bytes().get(1) == Some(&b':')
        || path.contains("://")
        || path.split(['/', '\\']).any(|segment| segment == "..")
}

#[derive(Default)]
struct Onnx {
    version: Option<u64>,
    producer: Option<String>,
    name: Option<String>,
    license: Option<String>,
    graph: bool,
    operators: bool,
    python: bool,
    parameters: u64,
    tensors: u64,
    external: Vec<String>,
    domains: Vec<String>,
}

impl Onnx {
    /// Operators that come with the standard or with the usual run time.
    const OWN_DOMAINS: [&str; 7] = [
        "",
        "ai.onnx",
        "ai.onnx.ml",
        "ai.onnx.training",
        "ai.onnx.preview.training",
        "com.microsoft",
        "pkg.onnxscript.torch_lib",
    ];
    const LISTED_MAX: usize = 100;

    fn domain(&mut self, domain: &str) {
        let own = Self::OWN_DOMAINS.contains(&domain)
            || domain.starts_with("com.microsoft.")
            || domain.starts_with("com.ms.")
            || domain.starts_with("pkg.onnxscript.");
        if !own && self.domains.len() < Self::LISTED_MAX && !self.domains.iter().any(|known| known == domain) {
            self.domains.push(domain.to_owned());
        }
    }

    fn metadata(&mut self, stream: &mut Stream<'_>, length: u64) -> Option<()> {
        let (mut key, mut value) = (String::new(), String::new());
        walk(stream, length, &mut |stream, field| {
            match field {
                Field::Bytes(1, length) => key = text(stream, length)?,
                Field::Bytes(2, length) => value = text(stream, length)?,
                _ => {}
            }
            Some(())
        })?;
        if matches!(key.to_ascii_lowercase().as_str(), "license" | "licence") {
            self.license = Some(value);
        }
        Some(())
    }

    fn graph(&mut self, stream: &mut Stream<'_>, length: u64, depth: u32) -> Option<()> {
        if depth > NESTING_MAX {
            return Some(());
        }
        walk(stream, length, &mut |stream, field| {
            match field {
                Field::Bytes(1, length) => self.node(stream, length, depth)?,
                Field::Bytes(2, length) if depth == 0 => self.name = Some(text(stream, length)?),
                Field::Bytes(5, length) => self.tensor(stream, length, true)?,
                _ => {}
            }
            Some(())
        })
    }

    fn node(&mut self, stream: &mut Stream<'_>, length: u64, depth: u32) -> Option<()> {
        walk(stream, length, &mut |stream, field| {
            match field {
                Field::Bytes(4, length) => {
                    let kind = text(stream, length)?;
                    self.python |= matches!(kind.as_str(), "PythonOp" | "PythonOpGrad" | "PyOp");
                }
                Field::Bytes(5, length) => {
                    walk(stream, length, &mut |stream, field| {
                        match field {
                            Field::Bytes(5 | 10, length) => self.tensor(stream, length, false)?,
                            Field::Bytes(6 | 11, length) => self.graph(stream, length, depth + 1)?,
                            _ => {}
                        }
                        Some(())
                    })?;
                }
                Field::Bytes(7, length) => {
                    let domain = text(stream, length)?;
                    self.domain(&domain);
                }
                _ => {}
            }
            Some(())
        })
    }

    fn tensor(&mut self, stream: &mut Stream<'_>, length: u64, counts: bool) -> Option<()> {
        let mut elements = 1_u64;
        walk(stream, length, &mut |stream, field| {
            match field {
                Field::Number(1, dimension) => elements = elements.saturating_mul(dimension),
                Field::Bytes(1, length) => {
                    let end = stream.position() + length;
                    while stream.position() < end {
                        elements = elements.saturating_mul(varint(stream)?);
                    }
                }
                Field::Bytes(13, length) => {
                    let (mut key, mut value) = (String::new(), String::new());
                    walk(stream, length, &mut |stream, field| {
                        match field {
                            Field::Bytes(1, length) => key = text(stream, length)?,
                            Field::Bytes(2, length) => value = text(stream, length)?,
                            _ => {}
                        }
                        Some(())
                    })?;
                    if key == "location" && self.external.len() < Self::LISTED_MAX && !self.external.contains(&value) {
                        self.external.push(value);
                    }
                }
                _ => {}
            }
            Some(())
        })?;
        if counts {
            self.tensors += 1;
            self.parameters = self.parameters.saturating_add(elements);
        }
        Some(())
    }
}

/// Operators of `TensorFlow` that reach files or functions of Python, and what they do.
const OPERATORS: &[(&str, ModelFileProblemKind, &str)] = &[
    ("ReadFile", ModelFileProblemKind::ReachesFiles, "reads files"),
    ("WriteFile", ModelFileProblemKind::ReachesFiles, "writes files"),
    ("MatchingFiles", ModelFileProblemKind::ReachesFiles, "lists files"),
    ("WholeFileReader", ModelFileProblemKind::ReachesFiles, "reads files"),
    ("WholeFileReaderV2", ModelFileProblemKind::ReachesFiles, "reads files"),
    (
        "FixedLengthRecordReaderV2",
        ModelFileProblemKind::ReachesFiles,
        "reads files",
    ),
    ("TextLineReaderV2", ModelFileProblemKind::ReachesFiles, "reads files"),
    ("TextLineDataset", ModelFileProblemKind::ReachesFiles, "reads files"),
    (
        "FixedLengthRecordDatasetV2",
        ModelFileProblemKind::ReachesFiles,
        "reads files",
    ),
    (
        "ImmutableConst",
        ModelFileProblemKind::ReachesFiles,
        "maps files into memory",
    ),
    ("DumpBuffer", ModelFileProblemKind::ReachesFiles, "writes files"),
    ("SaveDataset", ModelFileProblemKind::ReachesFiles, "writes files"),
    ("PyFunc", ModelFileProblemKind::ReachesCode, "calls Python functions"),
    (
        "PyFuncStateless",
        ModelFileProblemKind::ReachesCode,
        "calls Python functions",
    ),
    (
        "EagerPyFunc",
        ModelFileProblemKind::ReachesCode,
        "calls Python functions",
    ),
    ("NumpyFunc", ModelFileProblemKind::ReachesCode, "calls Python functions"),
    (
        "RpcCall",
        ModelFileProblemKind::ReachesCode,
        "opens network connections",
    ),
    (
        "RpcServer",
        ModelFileProblemKind::ReachesCode,
        "opens network connections",
    ),
];

/// Reads a `SavedModel`, or a frozen graph. `None` when it is neither.
pub(crate) fn saved_model(part: Part<'_>, named: bool, draft: &mut Draft) -> Option<()> {
    let mut found = Operators::default();
    let mut stream = part.stream();
    let mut metas = 0;
    let mut whole = walk(&mut stream, part.length(), &mut |stream, field| {
        match field {
            Field::Number(1, version) if version < 1000 => found.schema = Some(version),
            Field::Bytes(2, length) => {
                metas += 1;
                walk(stream, length, &mut |stream, field| {
                    match field {
                        Field::Bytes(1, length) => found.meta(stream, length)?,
                        Field::Bytes(2, length) => found.graph(stream, length)?,
                        _ => {}
                    }
                    Some(())
                })?;
            }
            _ => return None,
        }
        Some(())
    });
    let mut ran_out = stream.ran_out();
    let is_saved = found.schema.is_some() && metas > 0 && found.nodes > 0;
    if !is_saved {
        found = Operators::default();
        let mut stream = part.stream();
        whole = found.graph(&mut stream, part.length());
        ran_out = stream.ran_out();
        if found.nodes == 0 || !named && whole.is_none() {
            return None;
        }
    }
    let model = &mut draft.model;
    if is_saved { "saved-model" } else { "tensorflow-graph" }.clone_into(&mut model.format);
    model.framework = Some("tensorflow".to_owned());
    model.is_model = true;
    model.version = found.version.as_deref().map(shown);
    for (name, kind, does) in OPERATORS {
        if found.reached.contains(name) {
            draft.problem(
                *kind,
                format!("has the operator `{name}`, which {does} when the model runs"),
                None,
            );
        }
    }
    if whole.is_none() {
        if ran_out {
            draft.not_read("the graph is longer than this scan reads", None);
        } else {
            draft.problem(ModelFileProblemKind::Broken, "the graph is truncated or damaged", None);
        }
    }
    Some(())
}

#[derive(Default)]
struct Operators {
    schema: Option<u64>,
    version: Option<String>,
    nodes: u64,
    reached: Vec<&'static str>,
}

impl Operators {
    fn meta(&mut self, stream: &mut Stream<'_>, length: u64) -> Option<()> {
        walk(stream, length, &mut |stream, field| {
            if let Field::Bytes(5, length) = field {
                self.version = Some(text(stream, length)?);
            }
            Some(())
        })
    }

    fn graph(&mut self, stream: &mut Stream<'_>, length: u64) -> Option<()> {
        walk(stream, length, &mut |stream, field| {
            match field {
                Field::Bytes(1, length) => self.node(stream, length)?,
                Field::Bytes(2, length) => {
                    // The library: its functions have nodes of their own.
                    walk(stream, length, &mut |stream, field| {
                        if let Field::Bytes(1, length) = field {
                            walk(stream, length, &mut |stream, field| match field {
                                Field::Bytes(3, length) => self.node(stream, length),
                                _ => Some(()),
                            })?;
                        }
                        Some(())
                    })?;
                }
                Field::Bytes(4 | 5, _) | Field::Number(3, _) => {}
                _ => return None,
            }
            Some(())
        })
    }

    fn node(&mut self, stream: &mut Stream<'_>, length: u64) -> Option<()> {
        walk(stream, length, &mut |stream, field| {
            if let Field::Bytes(2, length) = field {
                let operator = text(stream, length)?;
                if operator.is_empty()
                    || !operator
                        .chars()
                        .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '>'))
                {
                    return None;
                }
                self.nodes += 1;
                if let Some((name, ..)) = OPERATORS.iter().find(|(name, ..)| *name == operator)
                    && !self.reached.contains(name)
                {
                    self.reached.push(name);
                }
            }
            Some(())
        })
    }
}

/// Tells a Core ML model, whose first fields are its version and its description.
pub(crate) fn core_ml(part: Part<'_>, draft: &mut Draft) -> Option<()> {
    let mut stream = part.stream();
    let mut version = None;
    let mut described = false;
    let mut license = None;
    let whole = walk(&mut stream, part.length(), &mut |stream, field| {
        match field {
            Field::Number(1, number) if number < 100 => version = Some(number),
            Field::Bytes(2, length) => {
                described = true;
                walk(stream, length, &mut |stream, field| {
                    if let Field::Bytes(100, length) = field {
                        walk(stream, length, &mut |stream, field| {
                            if let Field::Bytes(4, length) = field {
                                license = Some(text(stream, length)?).filter(|text| !text.is_empty());
                            }
                            Some(())
                        })?;
                    }
                    Some(())
                })?;
            }
            _ => {}
        }
        Some(())
    });
    if version.is_none() || !described {
        return None;
    }
    let model = &mut draft.model;
    "core-ml".clone_into(&mut model.format);
    model.framework = Some("core-ml".to_owned());
    model.is_model = true;
    model.version = version.map(|version| version.to_string());
    model.license = license.as_deref().map(shown);
    if whole.is_none() {
        draft.problem(ModelFileProblemKind::Broken, "the model is truncated or damaged", None);
    }
    Some(())
}
