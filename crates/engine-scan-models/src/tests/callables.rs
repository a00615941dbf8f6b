//! Callables in every format that names code, judged by what they do.

use engine_model::{ModelFileProblemKind as Kind, ModelImportKind};

use super::build::{Member, gguf, pickle, tar, zip};
use super::{check, facts, kinds, model, state_dict};

#[test]
fn a_callable_that_starts_processes_is_unsafe_in_every_package() {
    for (module, name) in [
        ("mlflow.projects.backend.local", "_run_entry_point"),
        ("huggingface_hub.utils._subprocess", "run_subprocess"),
        ("some.new.lib", "run_command"),
        ("celery.utils.imports", "symbol_by_name"),
        ("langchain_experimental.utilities", "PythonREPL"),
        ("sklearn.utils", "load_pickle"),
        ("ray.tools", "start"),
    ] {
        let bytes = pickle(4, |p| p.stack_global(module, name).text("x").tuple(1).reduce());
        check("m.pkl", &bytes, "pickle", &[Kind::RunsCode]);
    }
    // A name like many others says something only where it is called.
    let bytes = pickle(4, |p| p.stack_global("ray.tools", "start"));
    check("m.pkl", &bytes, "pickle", &[Kind::UnknownImport]);
}

/// A tensor that was serialised without its library: a stream of `PyTorch` as bytes.
fn storage(object: &[u8]) -> Vec<u8> {
    let number = pickle(2, |p| p.int(1));
    [
        &number,
        &number,
        &pickle(2, |p| p.op(b'}')),
        object,
        &pickle(2, |p| p.op(b']')),
    ]
    .iter()
    .flat_map(|part| part.iter().copied())
    .chain([1, 0, 0, 0, 0, 0, 0, 0, 9, 9, 9, 9])
    .collect()
}

#[test]
fn a_stream_that_is_loaded_from_bytes_is_followed() {
    let outer = |inner: &[u8]| {
        let length = u32::try_from(inner.len()).unwrap().to_le_bytes();
        pickle(3, |p| {
            p.global("torch.storage", "_load_from_bytes")
                .op(b'B')
                .bytes(&length)
                .bytes(inner)
                .tuple(1)
                .reduce()
        })
    };
    check("m.pkl", &outer(&storage(&state_dict())), "pickle", &[]);
    let evil = pickle(2, |p| p.global("posix", "system").text("id").tuple(1).reduce());
    let model = check("m.pkl", &outer(&storage(&evil)), "pickle", &[Kind::RunsCode]);
    assert!(
        model
            .problems
            .iter()
            .any(|problem| problem.message.contains("posix.system"))
    );
    // What cannot be followed stays dangerous.
    check("m.pkl", &outer(b"PK\x03\x04"), "pickle", &[Kind::RunsCode]);
    let computed = pickle(3, |p| {
        p.global("torch.storage", "_load_from_bytes").int(1).tuple(1).reduce()
    });
    check("m.pkl", &computed, "pickle", &[Kind::RunsCode]);
}

#[test]
fn a_function_that_calls_what_it_is_given_is_followed() {
    let ufunc = |module: &str, name: &str| {
        pickle(2, |p| {
            p.global("numpy.core", "_ufunc_reconstruct")
                .text(module)
                .text(name)
                .tuple(2)
                .reduce()
        })
    };
    check("m.pkl", &ufunc("os", "system"), "pickle", &[Kind::RunsCode]);
    assert!(!kinds(&model("m.pkl", &ufunc("numpy", "sin"))).contains(&Kind::RunsCode));
    let rebuilt = pickle(2, |p| {
        p.global("torch._tensor", "_rebuild_from_type_v2")
            .global("some.lib", "start")
            .global("torch", "Tensor")
            .empty_tuple()
            .tuple(3)
            .reduce()
    });
    check("m.pkl", &rebuilt, "pickle", &[Kind::RunsCode]);
}

#[test]
fn configurations_that_name_code_are_reported() {
    for (path, text) in [
        ("conf/a.yaml", "model:\n  _target_: os.system\n  command: id\n"),
        ("conf/a.yaml", "- {_target_: \"subprocess.Popen\", args: [id]}\n"),
        ("conf/a.yaml", "_target_:\n  builtins.exec\n"),
        ("conf/a.yaml", "_target_: &run !!str os.system\n"),
        ("conf/a.yaml", "_target_: hydra.utils.get_method\npath: os.system\n"),
        ("conf/a.yaml", "class_path: torch.hub.load\n"),
        (
            "conf/a.yml",
            "x: !!python/object/apply:subprocess.check_output [[id]]\n",
        ),
        (
            "conf/a.json",
            "{\"a\": [{\"_target_\": \"mlflow.projects.backend.local._run_entry_point\"}]}",
        ),
        (
            "conf/log.json",
            "{\"handlers\": {\"h\": {\"()\": \"os.popen\", \"cmd\": \"id\"}}}",
        ),
        ("a.json", "{\"py/object\": \"subprocess.Popen\"}"),
        ("modules.json", "[{\"idx\": 0, \"type\": \"subprocess.Popen\"}]"),
        ("model_index.json", "{\"unet\": [\"os\", \"system\"]}"),
        ("m/MLmodel", "flavors:\n  python_function:\n    loader_module: runpy\n"),
        ("config.cfg", "[training.logger]\n@loggers = \"os.system\"\n"),
        (
            "arch.json",
            "{\"class_name\": \"Sequential\", \"keras_version\": \"3\", \"config\": {\"layers\": [{\"module\": \"os\", \"class_name\": \"function\", \"config\": \"system\"}]}}",
        ),
    ] {
        let model = model(path, text.as_bytes());
        assert_eq!(
            (model.format.as_str(), kinds(&model)),
            ("loader-config", vec![Kind::RunsCode]),
            "{path}: {text}\n{model:#?}"
        );
    }
}

#[test]
fn configurations_as_people_write_them_are_quiet() {
    for (path, text) in [
        ("conf/a.yaml", "optimizer:\n  _target_: torch.optim.Adam\n  lr: 1e-3\n"),
        (
            "conf/a.yaml",
            "_target_: app.models.Net\nact:\n  _target_: functools.partial\n",
        ),
        ("conf/a.yaml", "_target_: app.train.main\n# _target_: os.system\n"),
        ("conf/a.yaml", "_target_: hydra.utils.get_class\npath: app.models.Net\n"),
        ("conf/a.yaml", "_target_: os.path.join\n_args_: [a, b]\n"),
        ("conf/a.yaml", "target: https://os.system/x\n"),
        ("k.yaml", "target: prometheus.io\ncallable: yes\n"),
        ("mkdocs.yml", "x: !!python/name:material.extensions.emoji.twemoji\n"),
        (
            "MLmodel",
            "flavors:\n  python_function:\n    loader_module: mlflow.sklearn\n",
        ),
        (
            "config.cfg",
            "[components.tagger.model]\n@architectures = \"spacy.Tagger.v2\"\n",
        ),
        (
            "config.json",
            "{\"model_type\": \"bert\", \"trust_remote_code\": false}",
        ),
        ("package.json", "{\"target\": \"es2020\", \"main\": \"a.js\"}"),
        ("tsconfig.json", "{ // comment\n \"target\": \"es2022\" }"),
        (
            "model_index.json",
            "{\"_class_name\": \"StableDiffusionPipeline\", \"unet\": [\"diffusers\", \"UNet2DConditionModel\"]}",
        ),
        (
            "arch.json",
            "{\"class_name\": \"Functional\", \"keras_version\": \"3\", \"config\": {\"layers\": [{\"module\": \"keras.layers\", \"class_name\": \"Dense\"}]}}",
        ),
    ] {
        assert_eq!(facts(path, text.as_bytes()), None, "{path}: {text}");
    }
}

#[test]
fn code_from_a_repository_is_not_read_and_says_so() {
    for (path, text) in [
        ("serve.yaml", "model: acme/net\ntrust_remote_code: true\n"),
        ("serve.json", "{\"engine\": {\"trust_remote_code\": true}}"),
        (
            "config.json",
            "{\"auto_map\": {\"AutoModel\": \"acme/net--modeling.Net\"}}",
        ),
    ] {
        check(path, text.as_bytes(), "loader-config", &[Kind::NotRead]);
    }
    let pinned = "model: acme/net\nrevision: 8f3b1c2d4e5f60718293a4b5c6d7e8f901234567\ntrust_remote_code: true\n";
    assert_eq!(facts("serve.yaml", pinned.as_bytes()), None);
    // Code beside the configuration is a name like others.
    let own = model("config.json", b"{\"auto_map\": {\"AutoModel\": \"modeling.Net\"}}");
    assert_eq!(kinds(&own), [Kind::UnknownImport]);
    assert!(own.imports.iter().all(|import| !import.called));
}

#[test]
fn chat_templates_are_read_wherever_they_are_kept() {
    let hostile = "{{ messages.__class__.__mro__ }}";
    let quiet = "{% raw %}{{ cycler.__init__ }}{% endraw %}{{ 'os.system' }}";
    let json = |template: &str| format!("{{\"chat_template\": \"{template}\"}}");
    let list = format!("{{\"chat_template\": [{{\"name\": \"x\", \"template\": \"{hostile}\"}}]}}");
    for (path, text) in [
        ("m/tokenizer_config.json", json(hostile)),
        ("m/tokenizer_config.json", list),
        ("m/chat_template.jinja", hostile.to_owned()),
    ] {
        check(path, text.as_bytes(), "loader-config", &[Kind::HostileTemplate]);
    }
    assert_eq!(facts("m/tokenizer_config.json", json(quiet).as_bytes()), None);
    assert_eq!(facts("m/chat_template.jinja", quiet.as_bytes()), None);
    check(
        "m.gguf",
        &gguf(&[("tokenizer.chat_template", quiet)], &[1]),
        "gguf",
        &[],
    );
}

fn keras(layer: &str) -> String {
    format!("{{\"class_name\": \"Sequential\", \"config\": {{\"layers\": [{layer}]}}}}")
}

#[test]
fn a_layer_of_keras_is_judged_by_its_function_and_not_by_its_package() {
    let archive = |layer: &str| {
        zip(&[
            Member::stored("metadata.json", b"{\"keras_version\": \"3.8.0\"}"),
            Member::deflated("config.json", keras(layer).as_bytes()),
            Member::stored("model.weights.h5", b""),
        ])
    };
    let function = |module: &str, name: &str| {
        format!(
            "{{\"module\": \"{module}\", \"class_name\": \"function\", \"config\": \"{name}\", \"registered_name\": \"function\"}}"
        )
    };
    for (module, name) in [
        ("keras.utils", "get_file"),
        ("keras.config", "enable_unsafe_deserialization"),
        ("keras.src.saving.saving_lib", "load_model"),
        ("builtins", "eval"),
        ("tensorflow", "py_function"),
    ] {
        let bytes = archive(&function(module, name));
        assert_eq!(kinds(&model("m.keras", &bytes)), [Kind::RunsCode], "{module}.{name}");
        let hdf5 = [
            b"\x89HDF\r\n\x1a\n\0model_config".as_slice(),
            keras(&function(module, name)).as_bytes(),
        ]
        .concat();
        assert_eq!(kinds(&model("m.h5", &hdf5)), [Kind::RunsCode], "{module}.{name}");
    }
    for layer in [
        function("keras.activations", "relu"),
        function("keras.losses", "mean_squared_error"),
        "{\"module\": \"keras.layers\", \"class_name\": \"Dense\", \"config\": {}}".to_owned(),
        "{\"module\": \"builtins\", \"class_name\": \"function\", \"config\": \"mine\", \"registered_name\": \"Own>mine\"}".to_owned(),
    ] {
        assert!(kinds(&model("m.keras", &archive(&layer))).is_empty(), "{layer}");
    }
    let metadata = [b"\x0a\x10".as_slice(), keras("{\"class_name\": \"Lambda\"}").as_bytes()].concat();
    check(
        "saved/keras_metadata.pb",
        &metadata,
        "keras-metadata",
        &[Kind::HoldsCode],
    );
}

#[test]
fn operators_of_torchscript_that_access_files_are_reported() {
    let archive = |code: &str| {
        zip(&[
            Member::stored(
                "m/data.pkl",
                &pickle(2, |p| p.global("__torch__", "Net").empty_tuple().op(0x81)),
            ),
            Member::stored("m/constants.pkl", &pickle(2, |p| p.op(b')'))),
            Member::stored("m/code/__torch__.py", code.as_bytes()),
        ])
    };
    check(
        "m.pt",
        &archive("def forward(self, x):\n  return torch.relu(x)\n"),
        "torchscript",
        &[],
    );
    check("m.pt", &archive("  y = ops.quantized.linear(x)\n"), "torchscript", &[]);
    check(
        "m.pt",
        &archive("  torch.save(x, \"/tmp/y\")\n"),
        "torchscript",
        &[Kind::ReachesFiles],
    );
    check(
        "m.pt",
        &archive("  x = ops.aten.from_file(\"/etc/passwd\")\n"),
        "torchscript",
        &[Kind::ReachesFiles],
    );
    check(
        "m.pt",
        &archive("  x = ops.evil.run(x)\n"),
        "torchscript",
        &[Kind::UnknownImport],
    );
}

#[test]
fn configurations_inside_archives_are_read() {
    let bytes = tar(&[
        ("model_config.yaml", b"_target_: os.system\n".to_vec()),
        ("weights.ckpt", pickle(2, |p| p.op(b'}'))),
    ]);
    assert!(kinds(&model("m.nemo", &bytes)).contains(&Kind::RunsCode));
    let schema = "{\"content\": {\"__module__\": \"os\", \"__class__\": \"system\", \"__loader__\": \"FunctionNode\"}}";
    let bytes = zip(&[Member::stored("schema.json", schema.as_bytes())]);
    let model = check("m.skops", &bytes, "skops", &[Kind::RunsCode]);
    assert!(
        model
            .imports
            .iter()
            .any(|import| import.kind == ModelImportKind::Dangerous)
    );
}
