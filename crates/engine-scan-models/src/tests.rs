//! Model files of every format, good and hostile, built byte by byte.

mod build;
mod callables;
#[path = "../../../tests/growth.rs"]
mod growth;

use std::sync::atomic::{AtomicU64, Ordering};

use build::{Member, gguf, message, number, pickle, safetensors, tar, text, zip};
use engine_model::{ModelFile, ModelFileProblemKind as Kind, ModelImportKind, ReadAt, SourceFile};
use growth::grows_with_length;
use proptest::prelude::*;

use crate::{read, read_part, wants};

fn facts(path: &str, bytes: &[u8]) -> Option<ModelFile> {
    read(&SourceFile::new(path, bytes)).map(|facts| facts.model)
}

#[track_caller]
fn model(path: &str, bytes: &[u8]) -> ModelFile {
    facts(path, bytes).unwrap_or_else(|| panic!("{path} is a model file"))
}

fn kinds(model: &ModelFile) -> Vec<Kind> {
    let mut kinds: Vec<Kind> = model.problems.iter().map(|problem| problem.kind).collect();
    kinds.dedup();
    kinds
}

#[track_caller]
fn check(path: &str, bytes: &[u8], format: &str, problems: &[Kind]) -> ModelFile {
    let model = model(path, bytes);
    assert_eq!(
        (model.format.as_str(), kinds(&model).as_slice()),
        (format, problems),
        "{path}: {model:#?}"
    );
    model
}

fn evil() -> Vec<u8> {
    pickle(4, |p| p.stack_global("posix", "system").text("id").tuple(1).reduce())
}

fn state_dict() -> Vec<u8> {
    pickle(2, |p| {
        p.global("collections", "OrderedDict")
            .empty_tuple()
            .reduce()
            .mark()
            .text("weight")
            .global("torch._utils", "_rebuild_tensor_v2")
            .mark()
            .mark()
            .text("storage")
            .global("torch", "FloatStorage")
            .text("0")
            .text("cpu")
            .int(4)
            .tuple_from_mark()
            .persistent()
            .int(0)
            .int(4)
            .tuple(1)
            .int(1)
            .tuple(1)
            .tuple_from_mark()
            .reduce()
            .set_items()
    })
}

#[test]
fn a_list_of_files_to_ignore_is_no_stream_of_objects() {
    let list = b"config.json\nchatgpt-bot\n.idea\n.DS_Store\n";
    for path in [".gitignore", "data/list", "list.md", ".dockerignore"] {
        assert!(read(&SourceFile::new(path, list.as_slice())).is_none(), "{path}");
    }
    let plain = b"config.json\ncargo\n.env\n";
    assert!(read(&SourceFile::new(".gitignore", plain.as_slice())).is_none());
    assert!(read(&SourceFile::new("weights", b"cos\nsystem\n(S'id'\ntR.".as_slice())).is_some());
}

#[test]
fn a_known_import_is_no_problem() {
    let model = check("m.pkl", &state_dict(), "pickle", &[]);
    assert_eq!(model.framework.as_deref(), Some("pytorch"));
    assert!(model.is_model && model.digest.is_some());
    assert!(
        model.imports.iter().all(|import| import.kind == ModelImportKind::Known),
        "{model:#?}"
    );
}

#[test]
fn every_way_to_a_call_is_followed() {
    for (name, bytes) in [
        ("GLOBAL", b"\x80\x02cos\nsystem\n(S'id'\ntR.".to_vec()),
        ("no header", b"cos\nsystem\n(S'id'\ntR.".to_vec()),
        ("INST", b"(S'id'\nios\nsystem\n.".to_vec()),
        ("OBJ", b"(cos\nsystem\nS'id'\no.".to_vec()),
        ("STACK_GLOBAL", evil()),
        (
            "memoised names",
            pickle(4, |p| {
                p.text("os")
                    .memoize()
                    .pop()
                    .text("system")
                    .memoize()
                    .pop()
                    .get(0)
                    .get(1)
                    .op(0x93)
                    .text("id")
                    .tuple(1)
                    .reduce()
            }),
        ),
        (
            "names put at a number",
            pickle(4, |p| {
                p.text("os")
                    .put(7000)
                    .pop()
                    .text("system")
                    .put(3)
                    .pop()
                    .get(7000)
                    .get(3)
                    .op(0x93)
                    .text("id")
                    .tuple(1)
                    .reduce()
            }),
        ),
        (
            "escaped names",
            b"\x80\x04S'\\x6fs'\nS'sys\\164em'\n\x93(S'id'\ntR.".to_vec(),
        ),
        (
            "NEWOBJ",
            pickle(4, |p| {
                p.stack_global("subprocess", "Popen").text("id").tuple(1).op(0x81)
            }),
        ),
        (
            "through an attribute",
            pickle(4, |p| {
                p.stack_global("builtins", "getattr")
                    .stack_global("builtins", "__import__")
                    .text("os")
                    .tuple(1)
                    .reduce()
                    .text("system")
                    .tuple(2)
                    .reduce()
                    .text("id")
                    .tuple(1)
                    .reduce()
            }),
        ),
        (
            "a dotted name",
            pickle(4, |p| {
                p.stack_global("torch.serialization", "os.system")
                    .text("id")
                    .tuple(1)
                    .reduce()
            }),
        ),
        (
            "names put together",
            pickle(4, |p| {
                p.stack_global("operator", "concat")
                    .text("o")
                    .text("s")
                    .tuple(2)
                    .reduce()
                    .text("system")
                    .op(0x93)
                    .text("id")
                    .tuple(1)
                    .reduce()
            }),
        ),
        (
            "in front of damage",
            [&b"cos\nsystem\n(S'id'\ntR"[..], &[0xFF; 20]].concat(),
        ),
        ("cut off behind the call", b"\x80\x02cos\nsystem\n(S'id'\ntR".to_vec()),
        ("the second of two", [pickle(2, |p| p.int(1)), evil()].concat()),
    ] {
        let model = model("m.pkl", &bytes);
        assert!(kinds(&model).contains(&Kind::RunsCode), "{name}: {model:#?}");
    }
}

#[test]
fn names_that_cannot_be_known_are_hidden_imports() {
    let bytes = pickle(4, |p| {
        p.stack_global("codecs", "decode")
            .text("bf")
            .text("rot13")
            .tuple(2)
            .reduce()
            .text("system")
            .op(0x93)
    });
    assert!(kinds(&model("m.pkl", &bytes)).contains(&Kind::ReachesCode));
}

#[test]
fn an_unknown_import_is_reported() {
    let bytes = pickle(4, |p| p.stack_global("app.rank", "Ranker").empty_tuple().op(0x81));
    let model = check("m.pkl", &bytes, "pickle", &[Kind::UnknownImport]);
    assert!(model.problems[0].message.contains("app.rank.Ranker"), "{model:#?}");
    assert!(!model.is_model, "serialised objects may be any data");
    let extension = [b"\x80\x02".as_slice(), b"\x82\x01", b")R."].concat();
    check("m.pkl", &extension, "pickle", &[Kind::UnknownImport]);
}

#[test]
fn a_dangerous_import_differs_from_a_dangerous_call() {
    let bytes = pickle(4, |p| p.stack_global("shutil", "rmtree"));
    let model = check("m.pkl", &bytes, "pickle", &[Kind::ReachesCode]);
    assert!(!model.imports[0].called);
}

#[test]
fn a_torch_archive_is_read_by_its_member() {
    let good = zip(&[
        Member::stored("m/data.pkl", &state_dict()),
        Member::stored("m/data/0", &[0; 16]),
        Member::stored("m/version", b"3\n"),
    ]);
    let model = check("m.pt", &good, "pytorch", &[]);
    assert_eq!(model.framework.as_deref(), Some("pytorch"));
    let bad = zip(&[Member::stored("m/data.pkl", &evil())]);
    let model = check("m.bin", &bad, "pytorch", &[Kind::RunsCode]);
    assert_eq!(model.problems[0].member.as_deref(), Some("m/data.pkl"));
    let packed = zip(&[Member::deflated("m/data.pkl", &evil())]);
    check("m.pt", &packed, "pytorch", &[Kind::RunsCode]);
    let renamed = zip(&[
        Member::stored("m/data.pkl", &state_dict()),
        Member::stored("m/readme", &evil()),
    ]);
    check("m.pt", &renamed, "pytorch", &[Kind::RunsCode]);
}

#[test]
fn an_archive_with_false_headers_is_still_read() {
    let mut wrong_sum = Member::stored("m/data.pkl", &evil());
    wrong_sum.crc ^= 1;
    check("m.pt", &zip(&[wrong_sum]), "pytorch", &[Kind::RunsCode, Kind::Lying]);
    let mut flagged = Member::stored("m/data.pkl", &evil());
    flagged.flags |= 1;
    check("m.pt", &zip(&[flagged]), "pytorch", &[Kind::RunsCode, Kind::Lying]);
    let mut renamed = Member::stored("m/data.pkl", &evil());
    "m/other.pkl".clone_into(&mut renamed.local_name);
    check("m.pt", &zip(&[renamed]), "pytorch", &[Kind::RunsCode, Kind::Lying]);
    let whole = zip(&[
        Member::stored("m/data.pkl", &evil()),
        Member::stored("m/data/0", &[0; 64]),
    ]);
    let cut = &whole[..whole.len() - 30];
    check("m.pt", cut, "pytorch", &[Kind::RunsCode, Kind::Broken]);
}

#[test]
fn archives_inside_archives_are_read_to_a_depth() {
    let inner = zip(&[Member::deflated("m/data.pkl", &evil())]);
    let outer = zip(&[Member::stored("models/ranker.pt", &inner)]);
    check("bundle.zip", &outer, "zip", &[Kind::RunsCode]);
    let mut nested = inner;
    for _ in 0..8 {
        nested = zip(&[Member::deflated("models/ranker.pt", &nested)]);
    }
    assert!(kinds(&model("bundle.zip", &nested)).contains(&Kind::NotRead));
    assert_eq!(
        facts("app.jar", &zip(&[Member::stored("A.class", b"\xCA\xFE\xBA\xBE")])),
        None
    );
}

#[test]
fn a_file_of_two_formats_is_read_as_both() {
    let archive = zip(&[Member::stored("m/data.pkl", &evil())]);
    let both = [pickle(2, |p| p.int(1)), archive].concat();
    let model = model("m.pt", &both);
    assert_eq!(kinds(&model), [Kind::RunsCode, Kind::Lying], "{model:#?}");
}

#[test]
fn the_oldest_files_of_torch_are_several_streams_or_a_tar() {
    let mut legacy = pickle(2, |p| {
        p.op(0x8A)
            .bytes(&[10, 0x6C, 0xFC, 0x9C, 0x46, 0xF9, 0x20, 0x6A, 0xA8, 0x50, 0x19])
    });
    legacy.extend(pickle(2, |p| p.int(1001)));
    legacy.extend(pickle(2, |p| p.op(b'}')));
    legacy.extend(state_dict());
    legacy.extend(pickle(2, |p| p.op(b']')));
    legacy.extend([4, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]);
    check("m.pth", &legacy, "pytorch", &[]);
    let members = [
        ("sys_info", pickle(2, |p| p.op(b'}'))),
        ("pickle", evil()),
        ("storages", pickle(2, |p| p.int(0))),
        ("tensors", pickle(2, |p| p.int(0))),
    ];
    check("m.pt", &tar(&members), "pytorch-tar", &[Kind::RunsCode]);
}

#[test]
fn arrays_of_objects_and_what_joblib_writes_are_followed() {
    let npy = |descr: &str, data: &[u8]| {
        let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': (1,), }}\n");
        [
            b"\x93NUMPY\x01\x00",
            u16::try_from(header.len()).unwrap().to_le_bytes().as_slice(),
            header.as_bytes(),
            data,
        ]
        .concat()
    };
    check("a.npy", &npy("|O", &evil()), "numpy", &[Kind::RunsCode]);
    check(
        "a.npz",
        &zip(&[Member::deflated("arr_0.npy", &npy("|O", &evil()))]),
        "numpy-archive",
        &[Kind::RunsCode],
    );
    check("a.npy", &npy("<f4", &[0; 4]), "numpy", &[]);
    // An array in the middle of the stream: a call stands behind its bytes.
    let wrapper = |dtype: &str, data: &[u8]| {
        pickle(4, |p| {
            p.stack_global("joblib.numpy_pickle", "NumpyArrayWrapper")
                .empty_tuple()
                .op(0x81)
                .op(b'}')
                .mark()
                .text("shape")
                .int(2)
                .int(3)
                .tuple(2)
                .text("dtype")
                .stack_global("numpy", "dtype")
                .text(dtype)
                .tuple(1)
                .reduce()
                .text("numpy_array_alignment_bytes")
                .int(16)
                .set_items()
                .op(b'b')
                .bytes(data)
                .stack_global("os", "system")
                .text("id")
                .tuple(1)
                .reduce()
        })
    };
    let aligned = [vec![3, 0xFF, 0xFF, 0xFF], vec![0x2E; 48]].concat();
    let model = check("m.joblib", &wrapper("f8", &aligned), "joblib", &[Kind::RunsCode]);
    assert!(
        model
            .imports
            .iter()
            .any(|import| import.name == "os.system" && import.called),
        "{model:#?}"
    );
    let objects = pickle(4, |p| p.stack_global("subprocess", "run").text("id").tuple(1).reduce());
    let model = check("m.joblib", &wrapper("O8", &objects), "joblib", &[Kind::RunsCode]);
    assert_eq!(model.problems.len(), 2, "{model:#?}");
}

#[test]
fn compressed_objects_are_unpacked_and_foreign_packings_named() {
    check("m.joblib", &build::zlib(&evil()), "joblib", &[Kind::RunsCode]);
    check("m.pkl", &build::gzip(&evil()), "compressed-pickle", &[Kind::RunsCode]);
    check(
        "m.pkl.gz",
        &build::gzip(&evil()),
        "compressed-pickle",
        &[Kind::RunsCode],
    );
    check("m.pt", b"7z\xBC\xAF\x27\x1C\0\0\0\0", "compressed", &[Kind::NotRead]);
    assert_eq!(facts("notes.txt.gz", &build::gzip(b"only words")), None);
}

#[test]
fn keras_layers_that_hold_code_are_found() {
    let archive = |config: &str| {
        zip(&[
            Member::stored("metadata.json", br#"{"keras_version": "3.5.0"}"#),
            Member::deflated("config.json", config.as_bytes()),
            Member::stored("model.weights.h5", b""),
        ])
    };
    let lambda = r#"{"class_name": "Sequential", "config": {"name": "net", "layers": [{"module": "keras.layers", "class_name": "Lambda", "config": {}}]}}"#;
    let model = check("m.keras", &archive(lambda), "keras", &[Kind::HoldsCode]);
    assert_eq!(
        (
            model.version.as_deref(),
            model.architecture.as_deref(),
            model.name.as_deref()
        ),
        (Some("3.5.0"), Some("Sequential"), Some("net"))
    );
    let module = r#"{"class_name": "Sequential", "config": {"layers": [{"module": "subprocess", "class_name": "function", "config": "check_output"}]}}"#;
    check("m.keras", &archive(module), "keras", &[Kind::RunsCode]);
    let dense = r#"{"class_name": "Sequential", "module": "keras", "config": {"layers": [{"module": "keras.layers", "class_name": "Dense", "config": {"name": "Lambda"}}]}}"#;
    check("m.keras", &archive(dense), "keras", &[]);
    let hdf5 = |class: &str| {
        [
            b"\x89HDF\r\n\x1a\n".as_slice(),
            &[0; 3000],
            br#"model_config{"class_name": ""#,
            class.as_bytes(),
            br#"", "config": {}}"#,
        ]
        .concat()
    };
    check("m.h5", &hdf5("Lambda"), "keras-hdf5", &[Kind::HoldsCode]);
    check("m.h5", &hdf5("Dense"), "keras-hdf5", &[]);
    check("m.h5", b"\x89HDF\r\n\x1a\n and other data", "hdf5", &[]);
}

#[test]
fn graphs_of_tensorflow_are_searched_for_files_and_functions() {
    let node = |op: &str| message(1, &[text(1, "n"), text(2, op)].concat());
    let saved = |nodes: &[u8]| {
        [
            number(1, 1),
            message(2, &[message(1, &text(5, "2.15.0")), message(2, nodes)].concat()),
        ]
        .concat()
    };
    let model = check(
        "m/saved_model.pb",
        &saved(&[node("Const"), node("MatMul"), node("SaveV2")].concat()),
        "saved-model",
        &[],
    );
    assert_eq!(model.version.as_deref(), Some("2.15.0"));
    check(
        "m/saved_model.pb",
        &saved(&[node("Const"), node("WriteFile")].concat()),
        "saved-model",
        &[Kind::ReachesFiles],
    );
    let library = message(2, &message(1, &message(3, &[text(1, "f"), text(2, "PyFunc")].concat())));
    check(
        "m/saved_model.pb",
        &saved(&[node("Const"), library].concat()),
        "saved-model",
        &[Kind::ReachesCode],
    );
    check(
        "frozen.pb",
        &[node("ReadFile"), node("Identity")].concat(),
        "tensorflow-graph",
        &[Kind::ReachesFiles],
    );
    assert_eq!(facts("other.pb", b"not a graph at all"), None);
}

#[test]
fn onnx_external_data_outside_its_folder_is_reported() {
    let onnx = |location: &str, domain: &str| {
        let entry = message(13, &[text(1, "location"), text(2, location)].concat());
        let tensor = message(
            5,
            &[number(1, 3), number(1, 4), number(2, 1), text(8, "w"), entry].concat(),
        );
        let graph = message(
            7,
            &[
                message(1, &[text(4, "Gemm"), text(7, domain)].concat()),
                text(2, "net"),
                tensor,
            ]
            .concat(),
        );
        [
            number(1, 8),
            text(2, "pytorch"),
            text(3, "2.1"),
            graph,
            message(8, &[text(1, domain), number(2, 17)].concat()),
            message(14, &[text(1, "license"), text(2, "MIT")].concat()),
        ]
        .concat()
    };
    let model = check("m.onnx", &onnx("weights.bin", ""), "onnx", &[]);
    assert_eq!(
        (model.parameters, model.license.as_deref(), model.framework.as_deref()),
        (Some(12), Some("MIT"), Some("pytorch 2.1"))
    );
    assert_eq!(model.external, ["weights.bin"]);
    for path in ["../../etc/passwd", "/etc/passwd", "a/../../b", "C:\\x"] {
        check("m.onnx", &onnx(path, ""), "onnx", &[Kind::ReachesFiles]);
    }
    check("m.onnx", &onnx("w", "evil.ops"), "onnx", &[Kind::UnknownImport]);
    check("m.dat", &onnx("w", ""), "onnx", &[]);
    let whole = onnx("w", "");
    check("m.onnx", &whole[..whole.len() - 3], "onnx", &[Kind::Broken]);
}

#[test]
fn gguf_header_lengths_are_validated() {
    let good = gguf(
        &[
            ("general.architecture", "llama"),
            ("general.name", "Tiny"),
            ("general.license", "apache-2.0"),
            (
                "tokenizer.chat_template",
                "{% for m in messages %}{{ m.content }}{% endfor %}",
            ),
        ],
        &[8, 4],
    );
    let model = check("m.gguf", &good, "gguf", &[]);
    assert_eq!(
        (
            model.architecture.as_deref(),
            model.name.as_deref(),
            model.license.as_deref()
        ),
        (Some("llama"), Some("Tiny"), Some("apache-2.0"))
    );
    assert_eq!(
        (
            model.parameters,
            model.tensors,
            model.version.as_deref(),
            model.quantization.as_deref()
        ),
        (Some(32), Some(1), Some("3"), Some("F32"))
    );
    let template = "{{ cycler.__init__.__globals__.os.popen('id').read() }}";
    check(
        "m.gguf",
        &gguf(&[("tokenizer.chat_template", template)], &[8, 4]),
        "gguf",
        &[Kind::HostileTemplate],
    );
    let mut counts = good.clone();
    counts[8..16].copy_from_slice(&u64::MAX.to_le_bytes());
    check("m.gguf", &counts, "gguf", &[Kind::Lying]);
    let mut key = good.clone();
    key[24..32].copy_from_slice(&(1_u64 << 62).to_le_bytes());
    check("m.gguf", &key, "gguf", &[Kind::Lying]);
    check("m.gguf", &good[..60], "gguf", &[Kind::Broken]);
    check("m.safetensors", &good, "gguf", &[Kind::WrongSuffix]);
}

#[test]
fn safetensors_header_is_compared_with_the_file() {
    let good = safetensors(
        r#"{"__metadata__":{"format":"pt","license":"mit"},"w":{"dtype":"F16","shape":[2,3],"data_offsets":[0,12]}}"#,
        12,
    );
    let model = check("m.safetensors", &good, "safetensors", &[]);
    assert_eq!(
        (
            model.parameters,
            model.quantization.as_deref(),
            model.license.as_deref()
        ),
        (Some(6), Some("F16"), Some("mit"))
    );
    for (header, data) in [
        (r#"{"w":{"dtype":"F16","shape":[2,3],"data_offsets":[0,12]}}"#, 8),
        (r#"{"w":{"dtype":"F16","shape":[2,3],"data_offsets":[0,10]}}"#, 10),
        (r#"{"w":{"dtype":"F16","shape":[2,3],"data_offsets":[0,12]}}"#, 20),
        (
            r#"{"w":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"v":{"dtype":"U8","shape":[4],"data_offsets":[2,6]}}"#,
            6,
        ),
        (
            r#"{"w":{"dtype":"F16","shape":[18446744073709551615,3],"data_offsets":[0,12]}}"#,
            12,
        ),
    ] {
        check(
            "m.safetensors",
            &safetensors(header, data),
            "safetensors",
            &[Kind::Lying],
        );
    }
    check("m.safetensors", &safetensors("{[", 4), "safetensors", &[Kind::Broken]);
    let mut long = good;
    long[..8].copy_from_slice(&u64::MAX.to_le_bytes());
    check("m.safetensors", &long, "safetensors", &[Kind::Lying]);
}

#[test]
fn file_names_are_compared_with_content() {
    check("notes.txt", &evil(), "pickle", &[Kind::RunsCode, Kind::WrongSuffix]);
    check("m.safetensors", &evil(), "pickle", &[Kind::RunsCode, Kind::WrongSuffix]);
    check("m.onnx", b"plain words", "onnx", &[Kind::Broken]);
    check("m.pt", b"", "pytorch", &[]);
    let pointer = check(
        "m.pt",
        b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n",
        "pytorch",
        &[],
    );
    assert_eq!(pointer.external, ["git-lfs"]);
    check("m.tflite", b"\x1c\0\0\0TFL3rest", "tflite", &[]);
    check("m.pte", b"\x1c\0\0\0ET12rest", "executorch", &[]);
    check(
        "m.mlmodel",
        &[number(1, 8), message(2, &message(100, &text(4, "MIT")))].concat(),
        "core-ml",
        &[],
    );
}

#[test]
fn text_and_code_are_no_model_files() {
    for (path, text) in [
        ("app.py", "class A:\n    pass\n"),
        ("README.md", "cos\nsystem is a word\n"),
        ("notes.txt", "(a list)\nIn the end.\n"),
        ("data.json", "{}"),
        ("list.txt", "]\n."),
        ("config.bin", "count=1"),
        ("poem.txt", "Sing\nV\n."),
    ] {
        assert_eq!(facts(path, text.as_bytes()), None, "{path}");
    }
}

/// A file that counts what is read of it.
struct Counted<'a> {
    bytes: &'a [u8],
    length: u64,
    read: AtomicU64,
}

impl ReadAt for Counted<'_> {
    fn length(&self) -> u64 {
        self.length
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> usize {
        let count = self.bytes.read_at(offset, buffer);
        let count = if count == 0 && offset < self.length {
            buffer.fill(0);
            buffer.len()
        } else {
            count
        };
        self.read.fetch_add(count as u64, Ordering::Relaxed);
        count
    }
}

#[test]
fn ten_gigabytes_of_weights_cost_the_reading_of_their_header() {
    let size = 10_u64 << 30;
    let header = format!(r#"{{"w":{{"dtype":"U8","shape":[{size}],"data_offsets":[0,{size}]}}}}"#);
    let bytes = safetensors(&header, 0);
    let file = Counted {
        length: bytes.len() as u64 + size,
        bytes: &bytes,
        read: AtomicU64::new(0),
    };
    let model = read_part("m.safetensors", &file).unwrap().model;
    assert_eq!((model.parameters, kinds(&model)), (Some(size), vec![]));
    assert!(file.read.load(Ordering::Relaxed) < 256 * 1024);
    // Bytes of a large object are passed over too.
    let mut bytes = b"\x80\x04\x8e".to_vec();
    bytes.extend((8_u64 << 30).to_le_bytes());
    let file = Counted {
        length: 10 << 30,
        bytes: &bytes,
        read: AtomicU64::new(0),
    };
    let model = read_part("m.pkl", &file).unwrap().model;
    assert_eq!(kinds(&model), [Kind::Broken]);
    assert!(file.read.load(Ordering::Relaxed) < 256 * 1024);
}

#[test]
#[ignore = "slow: streams of many lengths"]
fn the_work_on_hostile_streams_grows_with_their_length_and_what_is_kept_is_bounded() {
    let million = 4_000_000;
    for (name, bytes) in [
        ("marks", [b"\x80\x04".to_vec(), vec![b'('; million]].concat()),
        ("duplicates", [b"\x80\x04N".to_vec(), vec![b'2'; million]].concat()),
        ("memory", [b"\x80\x04N".to_vec(), vec![0x94; million]].concat()),
        ("lists", [b"\x80\x04".to_vec(), vec![b']'; million]].concat()),
        ("streams", b"N.".repeat(million / 2)),
        (
            "imports",
            (0..200_000).flat_map(|i| format!("cm{i}\nn\n0").into_bytes()).collect(),
        ),
        (
            "calls",
            [b"\x80\x04".to_vec(), b"cos\nsystem\n)R0".repeat(million / 15)].concat(),
        ),
        (
            "a mark and a tuple in turn",
            [b"\x80\x04".to_vec(), b"(Nt".repeat(million / 3)].concat(),
        ),
        (
            "headers",
            [b"\x80\x04".to_vec(), b"\x80\x02".repeat(million / 2)].concat(),
        ),
        ("length", [b"\x80\x04\x8d".to_vec(), vec![0xFF; 8]].concat()),
    ] {
        let model = grows_with_length(name, bytes.len(), |length| facts("m.pkl", &bytes[..length]));
        let model = model.unwrap_or_else(|| panic!("{name} is a model file"));
        assert!(!model.problems.is_empty() || name == "streams", "{name}");
        assert!(model.imports.len() <= 400 && model.problems.len() <= 400, "{name}");
    }
}

#[test]
fn an_archive_that_unpacks_to_much_ends_with_the_budget() {
    let zeros = vec![0; 3 * 1024 * 1024];
    let bomb: Vec<Member> = (0..60)
        .map(|i| Member::deflated(&format!("m{i}.npz"), &[b"PK\x03\x04".as_slice(), &zeros].concat()))
        .collect();
    let model = model("bomb.pt", &zip(&bomb));
    assert!(kinds(&model).contains(&Kind::NotRead), "{model:#?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_bytes_are_read_without_a_panic(kind in 0_usize..12, mut bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        let heads: [&[u8]; 12] = [b"\x80\x04", b"PK\x03\x04", b"GGUF\x03\0\0\0", b"\x89HDF\r\n\x1a\n", b"\x93NUMPY\x01\0", b"\x1f\x8b\x08\0", b"\x78\x9c", b"\x20\0\0\0\0\0\0\0{", b"\x08\x08\x12", b"c", b"(", b""];
        let names = ["m.pkl", "m.pt", "m.gguf", "m.h5", "m.npy", "m.keras", "m.joblib", "m.safetensors", "m.onnx", "m.pb", "m.txt", "m.mlmodel"];
        bytes.splice(0..0, heads[kind].iter().copied());
        facts(names[kind], &bytes);
    }

    #[test]
    fn changed_files_are_read_without_a_panic(which in 0_usize..6, changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12), cut in any::<prop::sample::Index>()) {
        let (path, mut bytes) = match which {
            0 => ("m.pkl", state_dict()),
            1 => ("m.pt", zip(&[Member::deflated("m/data.pkl", &evil()), Member::stored("m/x.npy", b"\x93NUMPY\x01\0")])),
            2 => ("m.gguf", gguf(&[("general.name", "x")], &[8, 4])),
            3 => ("m.safetensors", safetensors(r#"{"w":{"dtype":"F16","shape":[2,3],"data_offsets":[0,12]}}"#, 12)),
            4 => ("m.onnx", [number(1, 8), message(7, &message(1, &text(4, "Gemm"))), message(8, &number(2, 17))].concat()),
            _ => ("m.pt", tar(&[("pickle", evil()), ("storages", evil()), ("tensors", evil())])),
        };
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        bytes.truncate(cut.index(bytes.len()) + 1);
        facts(path, &bytes);
    }
}

#[test]
fn the_examples_of_the_checks_are_trees() {
    let law = engine_regulation::regulation();
    for check in crate::CHECKS {
        assert!(law.obligation(check.obligation).is_some(), "{}", check.id);
        for example in check.examples() {
            let tree = engine_model::fixture(&example.tree).unwrap();
            assert!(
                tree.files().any(|file| read(&file).is_some()),
                "{}: {}",
                check.id,
                example.tree
            );
        }
    }
}

#[test]
fn texts_with_a_model_file_ending_are_not_models() {
    for (path, text) in [
        ("hk.pkl", "amends \"package://x\"\nhooks { }\n"),
        ("AppConfig.pkl", "module AppConfig\nport: Int = 8080\n"),
        ("lib/project.pth", "./src\n"),
        ("lib/_virtualenv.pth", "import _virtualenv\n"),
        ("locale/messages.pt", "{\"hello\": \"Olá\"}\n"),
    ] {
        assert!(!wants(path, text.as_bytes()), "{path}");
    }
    for (path, text) in [
        ("m.pkl", "<html>Not found</html>\n"),
        ("m.pt", "version https://git-lfs.github.com/spec/v1\n"),
    ] {
        assert!(wants(path, text.as_bytes()), "{path}");
    }
}
