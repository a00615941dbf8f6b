//! What must hold for every row of the data, and how names that travel in disguise are understood.

use std::collections::BTreeSet;

use engine_model::{Date, Ecosystem};

use crate::{HostKind, PackageKind, PersonTrait, Pinned, catalogue, normalize_name, pinned_shape};

fn is_iso_date(text: &str) -> bool {
    text.len() == 10 && text.parse::<Date>().is_ok()
}

#[test]
fn the_catalogue_is_as_large_as_promised() {
    let data = catalogue();
    assert!(data.packages().len() >= 400, "{} packages", data.packages().len());
    for ecosystem in Ecosystem::ALL {
        // Conda has no rows of its own: its packages are looked up as the Python packages that they are builds of.
        if ecosystem == Ecosystem::Conda {
            continue;
        }
        let packages = data.packages().iter().filter(|row| row.ecosystem == ecosystem).count();
        assert!(packages >= 50, "{ecosystem:?} has {packages} packages");
    }
    assert!(data.hosts().len() >= 120, "{} hosts", data.hosts().len());
    assert!(data.models().len() >= 600, "{} model patterns", data.models().len());
    let frameworks: BTreeSet<&str> = data
        .packages()
        .iter()
        .filter(|row| row.kind == PackageKind::AgentFramework)
        .map(|row| row.name.as_str())
        .collect();
    assert!(frameworks.len() >= 40, "{} agent frameworks", frameworks.len());
}

#[test]
fn every_package_is_found_by_its_name_and_not_by_a_near_miss() {
    let data = catalogue();
    let mut names = BTreeSet::new();
    for row in data.packages() {
        let normal = normalize_name(row.ecosystem, &row.name);
        assert!(names.insert((row.ecosystem, normal)), "{} is listed twice", row.name);
        assert!(
            is_iso_date(&row.as_of) && row.source.len() > 10,
            "{} has no source",
            row.name
        );
        let name = row.name.replace('*', "qqq");
        for spelling in [Some(&name), row.example.as_ref()].into_iter().flatten() {
            assert_eq!(data.package(row.ecosystem, spelling), Some(row), "{spelling}");
        }
        let stem = row.name.trim_end_matches('*');
        assert!(
            stem == row.name || !stem.ends_with(char::is_alphanumeric),
            "{} has no border",
            row.name
        );
        let prefix_of_a_longer_word = format!("{}x", stem.trim_end_matches(|last: char| !last.is_alphanumeric()));
        let suffix_of_a_longer_word = format!("x{name}");
        let near_misses = [
            Some(prefix_of_a_longer_word),
            Some(suffix_of_a_longer_word),
            row.not_example.clone(),
        ];
        for near_miss in near_misses.into_iter().flatten() {
            assert_ne!(data.package(row.ecosystem, &near_miss), Some(row), "{near_miss}");
        }
    }
}

#[test]
fn every_import_root_is_found_and_ends_on_a_segment_border() {
    let data = catalogue();
    for row in data.packages() {
        assert!(
            !row.imports.is_empty() || !row.ambiguous_imports.is_empty(),
            "{} cannot be imported",
            row.name
        );
        let separator = match row.ecosystem {
            Ecosystem::PyPI | Ecosystem::Conda | Ecosystem::Maven | Ecosystem::NuGet => ".",
            Ecosystem::Npm | Ecosystem::Go | Ecosystem::RubyGems => "/",
            Ecosystem::Cargo => "::",
            Ecosystem::Composer => "\\",
        };
        for root in row.imports.iter().chain(&row.ambiguous_imports) {
            let found = |path: &str| {
                data.packages
                    .import_root(row.ecosystem, path)
                    .map(|(root, _)| root.to_owned())
            };
            let (example, root) = (root.replace('*', "qqq"), root.trim_end_matches('*'));
            assert_eq!(found(&example).as_deref(), Some(root), "{}", row.name);
            assert_eq!(
                found(&format!("{example}{separator}qqq")).as_deref(),
                Some(root),
                "{}",
                row.name
            );
            let word = root.trim_end_matches(|last: char| !last.is_alphanumeric());
            assert_ne!(found(&format!("{word}x")).as_deref(), Some(root), "{}", row.name);
            assert_ne!(found(&format!("x{example}")).as_deref(), Some(root), "{}", row.name);
            let relative = format!(".{separator}{example}");
            assert_eq!(
                found(&relative),
                None,
                "a relative import is never a package: {relative}"
            );
        }
    }
}

#[test]
fn a_root_is_not_both_certain_and_ambiguous() {
    let data = catalogue();
    for row in data.packages() {
        for root in &row.ambiguous_imports {
            let (_, ambiguous) = data
                .package_by_import(row.ecosystem, &root.replace('*', "qqq"))
                .unwrap();
            assert!(ambiguous, "{root} of {} is certain in another row", row.name);
        }
    }
}

#[test]
fn every_host_is_found_in_a_url_and_not_by_a_look_alike() {
    let data = catalogue();
    let mut names = BTreeSet::new();
    for row in data.hosts() {
        assert!(names.insert((&row.host, row.port)), "{} is listed twice", row.host);
        assert_eq!(row.host, row.host.to_ascii_lowercase());
        let name = row.host.replace('*', "sample");
        let authority = row.port.map_or_else(|| name.clone(), |port| format!("{name}:{port}"));
        for spelling in [
            authority.clone(),
            format!("https://{authority}/v1"),
            format!("http://user:secret@{authority}?q=1"),
            format!("//{}", authority.to_ascii_uppercase()),
        ] {
            assert_eq!(data.host(&spelling), Some(row), "{spelling}");
        }
        if let Some(example) = &row.example {
            assert_eq!(data.host(example), Some(row), "{example}");
        }
        let mut look_alikes = vec![
            format!("{name}.example.com"),
            format!("https://example.com/{authority}"),
            format!("https://{authority}@example.com"),
            format!("https://example.com\\@{authority}"),
            format!("https://example.com?to={authority}"),
        ];
        if row.port.is_some() {
            look_alikes.push(authority.replace("localhost", "www.example.com"));
        } else if !row.host.starts_with('*') {
            look_alikes.push(format!("x{name}"));
        } else {
            look_alikes.push(row.host.trim_start_matches(['*', '.']).replace('*', "sample"));
        }
        look_alikes.extend(row.not_example.clone());
        for look_alike in look_alikes {
            assert_ne!(data.host(&look_alike), Some(row), "{look_alike}");
        }
    }
}

#[test]
fn a_port_that_servers_share_is_told_by_the_path() {
    let data = catalogue();
    let provider = |url: &str| data.request(url).map(|target| target.provider.to_owned());
    assert_eq!(
        provider("http://127.0.0.1:7860/sdapi/v1/extra-single-image").as_deref(),
        Some("stable-diffusion-webui")
    );
    assert_eq!(provider("http://127.0.0.1:7860/run/predict").as_deref(), Some("gradio"));
    assert_eq!(provider("http://127.0.0.1:7860/sdapi/v1/progress"), None);
    assert_eq!(
        provider("http://localhost:1234/v1/chat/completions").as_deref(),
        Some("lmstudio")
    );
}

#[test]
fn every_path_of_a_host_is_a_model_call_there() {
    let data = catalogue();
    for row in data.hosts().iter().filter(|row| row.kind != HostKind::Telemetry) {
        let name = row.host.replace('*', "sample");
        let authority = row.port.map_or_else(|| name.clone(), |port| format!("{name}:{port}"));
        for path in &row.paths {
            // A method after a colon follows the name of a resource.
            let resource = if path.starts_with(':') { "/v1/resource" } else { "" };
            let target = data.request(&format!("https://{authority}{resource}{path}")).unwrap();
            assert!(
                target.model_call && target.provider == row.provider,
                "{authority}{path}"
            );
        }
        assert!(!row.needs_path || !row.paths.is_empty(), "{} can never count", row.host);
        if row.needs_path {
            assert_eq!(
                data.request(&format!("https://{authority}/index.html")),
                None,
                "{authority}"
            );
        }
    }
}

#[test]
fn every_path_shape_is_found_on_segment_borders_only() {
    let data = catalogue();
    for shape in data.path_shapes() {
        let open = shape.path.ends_with(['/', ':', '.']);
        let path = format!("/base{}{}", shape.path, if open { "name" } else { "" });
        let found = data.path_shape(&path).unwrap_or_else(|| panic!("{path}"));
        assert!(found.path.len() >= shape.path.len(), "{path}");
        if !open {
            assert_ne!(data.path_shape(&format!("/base{}x", shape.path)), Some(shape));
        }
        assert_ne!(
            data.path_shape(&format!("/base{}", shape.path.replacen(['/', ':'], "-", 1))),
            Some(shape)
        );
    }
}

#[test]
fn every_model_pattern_matches_its_example_and_not_a_near_miss() {
    let data = catalogue();
    let mut patterns = BTreeSet::new();
    for row in data.models() {
        let pattern = row.pattern.as_str();
        assert!(patterns.insert(pattern), "{pattern} is listed twice");
        assert_eq!(pattern, pattern.to_ascii_lowercase());
        assert!(
            !pattern.trim_end_matches('*').contains('*'),
            "{pattern} has a star inside"
        );
        assert!(row.retired.as_deref().is_none_or(is_iso_date), "{pattern}");
        // Whoever doubts a day can look it up.
        let page = row.page.as_deref().is_some_and(|page| page.starts_with("https://"));
        assert_eq!(page, row.retired.is_some(), "{pattern}");
        assert!(row.read.as_deref().is_none_or(is_iso_date), "{pattern}");
        assert!(row.read.is_none() || page, "{pattern}");
        for (provider, day) in &row.elsewhere {
            assert!(
                (is_iso_date(day) || day == "unknown")
                    && (provider == crate::models::ANYWHERE || data.provider(provider).is_some()),
                "{pattern}"
            );
        }
        let resolved = |name: &str| {
            data.models
                .resolve(name)
                .map(|(row, _, _)| data.models.rows()[row].pattern.clone())
        };
        let stem = pattern.trim_end_matches('*');
        let separated = !stem.ends_with(|last: char| last.is_ascii_alphanumeric());
        let example = match (pattern.ends_with('*'), separated) {
            (false, _) => pattern.to_owned(),
            (true, true) => format!("{stem}qqq1"),
            (true, false) => format!("{stem}-qqq1"),
        };
        assert_eq!(resolved(&example).as_deref(), Some(pattern), "{example}");
        let info = data.model(&example.to_ascii_uppercase()).unwrap();
        assert_eq!(
            (info.provider, info.family),
            (row.provider.as_str(), row.family.as_str())
        );
        if !separated {
            assert_ne!(resolved(&format!("{stem}x")).as_deref(), Some(pattern), "{stem}x");
        }
        assert_ne!(resolved(&format!("x{example}")).as_deref(), Some(pattern), "x{example}");
    }
}

#[test]
fn replacements_are_sourced_known_and_lead_to_a_served_model() {
    let data = catalogue();
    let mut names = BTreeSet::new();
    let rows = data.successors().iter().map(|row| ("successor", row));
    for (kind, row) in rows.chain(data.snapshots().iter().map(|row| ("snapshot", row))) {
        assert!(
            is_iso_date(&row.read) && row.page.starts_with("https://"),
            "{}",
            row.model
        );
        assert!(data.provider(&row.provider).is_some(), "{}", row.provider);
        assert!(data.model(&row.model).is_some(), "{} is not known", row.model);
        for name in &row.of {
            assert!(names.insert((kind, name)), "{name} is listed twice");
            let known = data.model(name).unwrap();
            let found = if kind == "successor" {
                known.successor
            } else {
                known.snapshot
            };
            assert_eq!(found, Some(row), "{name}");
            if kind == "snapshot" {
                assert_eq!(pinned_shape(&row.model), Pinned::Pinned);
                assert_eq!(known.pinned, Pinned::Floating, "{name}");
            }
        }
    }
    for name in data.successors().iter().flat_map(|row| &row.of) {
        let mut at = name.as_str();
        let mut steps = 0;
        while let Some(next) = data.model(at).and_then(|known| known.successor) {
            at = &next.model;
            steps += 1;
            assert!(steps < 8, "{name} goes in circles");
        }
        let last = data.model(at).unwrap();
        assert!(
            last.retired.is_none_or(|day| day > "2026-12-31"),
            "{name} leads to the retired {at}"
        );
    }
    // A prefix says where the name is served, and the name behind it has the successor.
    let routed = data.model("openai/gpt-4o").and_then(|known| known.successor);
    assert_eq!(routed.map(|row| row.model.as_str()), Some("gpt-6-luna"));
    assert!(data.model("ft:gpt-4o:acme::x").unwrap().successor.is_none());
    assert!(data.model("text-embedding-004").unwrap().successor.is_none());
}

#[test]
fn every_agent_configuration_is_found_in_any_folder() {
    let data = catalogue();
    let mut paths = BTreeSet::new();
    for row in data.agent_configs() {
        assert!(paths.insert(&row.path), "{} is listed twice", row.path);
        assert!(!row.path.ends_with("**"), "{} names no file", row.path);
        assert!(
            !row.path.contains('*') || row.example.is_some(),
            "{} needs an example",
            row.path
        );
        let example = row.example.as_deref().unwrap_or(&row.path);
        assert_eq!(data.agent_config(example), Some(row), "{example}");
        assert_eq!(
            data.agent_config(&format!("packages/web/{example}")),
            Some(row),
            "{example}"
        );
        assert_eq!(
            data.agent_config(&format!("C:\\web\\{}", example.replace('/', "\\"))),
            Some(row),
            "{example}"
        );
        for near_miss in [format!("{example}x"), format!("x{example}")] {
            assert_ne!(data.agent_config(&near_miss), Some(row), "{near_miss}");
        }
        if let Some(not_example) = &row.not_example {
            assert_ne!(data.agent_config(not_example), Some(row), "{not_example}");
        }
    }
}

#[test]
fn the_most_specific_agent_configuration_wins_at_any_depth() {
    let tool = |path: &str| catalogue().agent_config(path).map(|row| row.tool.as_str());
    assert_eq!(tool("app/.cursor/mcp.json"), Some("cursor"));
    assert_eq!(tool("app/mcp.json"), Some("mcp"));
    assert_eq!(tool(".cursor/rules/backend/api/style.mdc"), Some("cursor"));
    assert_eq!(tool(".github/copilot-instructions.md"), Some("copilot"));
    assert_eq!(tool("docs/copilot-instructions.md"), None);
    assert_eq!(tool("src/settings.json"), None);
    assert_eq!(tool(&format!("{}CLAUDE.md", "a/".repeat(100_000))), Some("claude-code"));
    assert_eq!(tool(""), None);
}

#[test]
fn every_provider_id_has_a_title_and_is_used() {
    let data = catalogue();
    let mut used: BTreeSet<&str> = BTreeSet::new();
    used.extend(data.packages().iter().filter_map(|row| row.provider.as_deref()));
    used.extend(data.hosts().iter().map(|row| row.provider.as_str()));
    used.extend(data.path_shapes().iter().map(|row| row.provider.as_str()));
    used.extend(data.models().iter().map(|row| row.provider.as_str()));
    used.extend(data.agent_configs().iter().filter_map(|row| row.provider.as_deref()));
    used.extend(crate::models::GATEWAYS.iter().map(|(_, provider)| *provider));
    // Told where the path of a protocol stands at the host of somebody else.
    used.insert("anthropic-compatible");
    let known: BTreeSet<&str> = data.providers().iter().map(|row| row.id.as_str()).collect();
    assert_eq!(used, known);
    assert_eq!(
        data.provider("azure-openai").map(|row| row.title.as_str()),
        Some("Azure OpenAI")
    );
}

#[test]
fn every_data_file_states_its_source_and_date() {
    let origins: Vec<_> = catalogue().origins().collect();
    assert_eq!(origins.len(), 15);
    for origin in origins {
        assert!(
            origin.source.len() > 10 && is_iso_date(&origin.as_of),
            "{}",
            origin.file
        );
    }
}

#[test]
fn what_reads_faces_emotions_or_voices_says_so() {
    let data = catalogue();
    for row in data.packages().iter().filter(|row| row.kind == PackageKind::Biometric) {
        assert!(!row.reads.is_empty(), "{} does not say what it reads", row.name);
    }
    assert_eq!(
        data.package(Ecosystem::PyPI, "deepface").unwrap().reads,
        [PersonTrait::Face, PersonTrait::Emotion]
    );
    assert_eq!(
        data.model("trpakov/vit-face-expression").unwrap().reads,
        [PersonTrait::Emotion]
    );
    assert_eq!(data.host("api.hume.ai").unwrap().reads, [PersonTrait::Emotion]);
    assert!(data.model("gpt-4o").unwrap().reads.is_empty());
}

#[test]
fn package_names_are_compared_as_their_registry_compares_them() {
    let found = |ecosystem, name| catalogue().package(ecosystem, name).map(|row| row.name.as_str());
    assert_eq!(found(Ecosystem::PyPI, "Scikit_Learn"), Some("scikit-learn"));
    assert_eq!(found(Ecosystem::PyPI, "llama.index__core"), Some("llama-index-core"));
    assert_eq!(found(Ecosystem::PyPI, "discord.py"), None);
    assert_eq!(
        found(Ecosystem::PyPI, "llama_index_agent_openai"),
        Some("llama-index-*")
    );
    assert_eq!(found(Ecosystem::Conda, "pytorch"), Some("torch"));
    assert_eq!(found(Ecosystem::Conda, "transformers"), Some("transformers"));
    assert_eq!(found(Ecosystem::Conda, "numpy-base"), None);
    assert_eq!(found(Ecosystem::Npm, "@ai-sdk/made-up"), Some("@ai-sdk/*"));
    assert_eq!(found(Ecosystem::Npm, "@ai-sdk"), None);
    assert_eq!(found(Ecosystem::Npm, "OpenAI"), None);
    assert_eq!(found(Ecosystem::Cargo, "async_openai"), Some("async-openai"));
    assert_eq!(found(Ecosystem::NuGet, "azure.ai.openai"), Some("Azure.AI.OpenAI"));
    assert_eq!(
        found(Ecosystem::Composer, "OpenAI-PHP/Client"),
        Some("openai-php/client")
    );
    assert_eq!(
        found(Ecosystem::Maven, "org.apache.spark:spark-mllib_2.12"),
        Some("org.apache.spark:spark-mllib")
    );
    assert_eq!(found(Ecosystem::Maven, "com.openai"), None);
    let openai_go = Some("github.com/openai/openai-go");
    assert_eq!(found(Ecosystem::Go, "github.com/openai/openai-go/v3"), openai_go);
    assert_eq!(found(Ecosystem::Go, "github.com/openai/openai-go/azure"), openai_go);
    assert_eq!(found(Ecosystem::Go, "github.com/aws/aws-sdk-go-v2/service/s3"), None);
}

#[test]
fn imports_lead_to_the_most_specific_package() {
    let found = |ecosystem, path| {
        catalogue()
            .package_by_import(ecosystem, path)
            .map(|(row, sure)| (row.name.as_str(), sure))
    };
    assert_eq!(
        found(Ecosystem::PyPI, "sklearn.ensemble"),
        Some(("scikit-learn", false))
    );
    assert_eq!(
        found(Ecosystem::PyPI, "google.genai.types"),
        Some(("google-genai", false))
    );
    assert_eq!(found(Ecosystem::PyPI, "google.cloud.storage"), None);
    assert_eq!(found(Ecosystem::PyPI, "agents"), Some(("openai-agents", true)));
    assert_eq!(
        found(Ecosystem::PyPI, "llama_index.llms.openai"),
        Some(("llama-index-llms-openai", false))
    );
    assert_eq!(found(Ecosystem::PyPI, "torch.nn.functional"), Some(("torch", false)));
    assert_eq!(found(Ecosystem::PyPI, "torchlight"), None);
    assert_eq!(
        found(Ecosystem::PyPI, "langchain_made_up.chat"),
        Some(("langchain-*", false))
    );
    assert_eq!(found(Ecosystem::PyPI, "langchainlike"), None);
    assert_eq!(found(Ecosystem::Npm, "ai"), Some(("ai", true)));
    assert_eq!(found(Ecosystem::Npm, "ai/rsc"), Some(("ai", true)));
    assert_eq!(found(Ecosystem::Npm, "openai@4.0.0"), Some(("openai", false)));
    assert_eq!(
        found(Ecosystem::Npm, "@langchain/openai"),
        Some(("@langchain/openai", false))
    );
    assert_eq!(
        found(Ecosystem::Cargo, "rig::completion::Prompt"),
        Some(("rig-core", false))
    );
    assert_eq!(
        found(Ecosystem::Maven, "com.openai.models.ChatModel"),
        Some(("com.openai:openai-java", false))
    );
    assert_eq!(
        found(Ecosystem::Maven, "org.springframework.ai.openai.OpenAiChatModel").map(|(name, _)| name),
        Some("org.springframework.ai:spring-ai-openai")
    );
    assert_eq!(found(Ecosystem::NuGet, "OpenAI.Chat"), Some(("OpenAI", false)));
    assert_eq!(
        found(Ecosystem::Composer, "\\OpenAI\\Client"),
        Some(("openai-php/client", false))
    );
    assert_eq!(found(Ecosystem::RubyGems, "OpenAI::Client"), Some(("openai", false)));
    let long = "a.".repeat(100_000);
    assert_eq!(found(Ecosystem::PyPI, &long), None);
}

#[test]
fn hosts_are_read_from_every_way_to_write_a_url() {
    let provider = |url: &str| catalogue().host(url).map(|row| row.provider.as_str());
    assert_eq!(provider("https://API.OpenAI.com./v1"), Some("openai"));
    assert_eq!(
        provider("https://${process.env.NAME}.openai.azure.com/openai"),
        Some("azure-openai")
    );
    assert_eq!(
        provider("https://bedrock-runtime.{region}.amazonaws.com/model/x/invoke"),
        Some("aws-bedrock")
    );
    assert_eq!(
        provider("https://bedrock-runtime.${aws.region()}.amazonaws.com"),
        Some("aws-bedrock")
    );
    assert_eq!(
        provider("https://{loc}-aiplatform.googleapis.com/v1"),
        Some("google-vertex")
    );
    assert_eq!(provider("http://127.0.0.1:11434/api/chat"), Some("ollama"));
    assert_eq!(provider("http://[::1]:11434"), Some("ollama"));
    assert_eq!(provider("http://ollama:11434"), Some("ollama"));
    assert_eq!(provider("http://192.168.1.20:11434"), Some("ollama"));
    assert_eq!(provider("http://example.com:11434"), None);
    assert_eq!(provider("https://api.openai.com.evil.example"), None);
    assert_eq!(provider("https://notapi.openai.com"), None);
    assert_eq!(provider("/v1/chat/completions"), None);
    assert_eq!(provider(""), None);
    assert_eq!(provider(&"{".repeat(100_000)), None);
}

#[test]
fn a_request_is_judged_by_host_and_path_together() {
    let judge = |url: &str| {
        catalogue()
            .request(url)
            .map(|target| (target.provider.to_owned(), target.model_call))
    };
    let yes = |provider: &str| Some((provider.to_owned(), true));
    let no = |provider: &str| Some((provider.to_owned(), false));
    assert_eq!(judge("https://api.openai.com/v1/chat/completions"), yes("openai"));
    assert_eq!(judge("https://api.openai.com/v1/models"), no("openai"));
    assert_eq!(
        judge("https://llm.intern.example/v1/chat/completions"),
        yes("openai-compatible")
    );
    assert_eq!(
        judge("/openai/deployments/chat-prod/chat/completions?api-version=2024-06-01"),
        yes("azure-openai")
    );
    assert_eq!(judge("https://mail.example/v1/messages"), no("anthropic"));
    assert_eq!(judge("http://localhost:8000/health"), None);
    assert_eq!(judge("http://localhost:8000/v1/chat/completions"), yes("vllm"));
    assert_eq!(judge("http://localhost:11434/api/tags"), no("ollama"));
    assert_eq!(judge("https://shop.example/cart"), None);
    assert_eq!(judge("https://cloud.langfuse.com/api/public/ingestion"), no("langfuse"));
    assert_eq!(
        judge("https://example.com/docs?next=https://api.openai.com/v1/chat/completions"),
        None
    );
}

#[test]
fn model_names_are_understood_in_every_disguise() {
    let facts = |name: &str| {
        catalogue()
            .model(name)
            .map(|info| (info.provider.to_owned(), info.family.to_owned(), info.pinned, info.via))
    };
    let fact = |provider: &str, family: &str, pinned, via| Some((provider.to_owned(), family.to_owned(), pinned, via));
    let (pinned, floating, unknown) = (Pinned::Pinned, Pinned::Floating, Pinned::Unknown);
    assert_eq!(facts("gpt-4o-2024-08-06"), fact("openai", "gpt-4o", pinned, None));
    assert_eq!(facts("gpt-4o"), fact("openai", "gpt-4o", floating, None));
    assert_eq!(facts("gpt-4o-mini"), fact("openai", "gpt-4o", floating, None));
    // Names of which there is one version only, without a dated one beside it.
    assert_eq!(facts("whisper-1"), fact("openai", "whisper", pinned, None));
    assert_eq!(
        facts("text-embedding-3-small"),
        fact("openai", "text-embedding", pinned, None)
    );
    assert_eq!(facts("tts-1"), fact("openai", "tts", floating, None));
    assert_eq!(facts("gpt-4-0613"), fact("openai", "gpt-4", pinned, None));
    assert_eq!(
        facts("claude-3-5-sonnet-20241022"),
        fact("anthropic", "claude-3.5", pinned, None)
    );
    assert_eq!(
        facts("claude-3-5-haiku-latest"),
        fact("anthropic", "claude-3.5", floating, None)
    );
    assert_eq!(
        facts("claude-sonnet-4-6"),
        fact("anthropic", "claude-sonnet-4", pinned, None)
    );
    assert_eq!(
        facts("claude-sonnet-4-5"),
        fact("anthropic", "claude-sonnet-4", floating, None)
    );
    assert_eq!(
        facts("eu.anthropic.claude-3-haiku-20240307-v1:0"),
        fact("anthropic", "claude-3", pinned, Some("aws-bedrock"))
    );
    assert_eq!(
        facts("arn:aws:bedrock:eu-west-1::foundation-model/meta.llama3-8b-instruct-v1:0"),
        fact("meta", "llama-3", pinned, Some("aws-bedrock"))
    );
    assert_eq!(
        facts("claude-3-5-sonnet@20240620"),
        fact("anthropic", "claude-3.5", pinned, None)
    );
    assert_eq!(
        facts("models/gemini-2.5-pro"),
        fact("google", "gemini-2.5", pinned, None)
    );
    // What the provider lists as stable is no alias; the newest of a line is one.
    assert_eq!(
        facts("gemini-2.5-flash-lite"),
        fact("google", "gemini-2.5", pinned, None)
    );
    assert_eq!(facts("gemini-3.8-flash"), fact("google", "gemini-3", pinned, None));
    assert_eq!(facts("gemini-flash-latest"), fact("google", "gemini", floating, None));
    assert_eq!(
        facts("gemini-3-flash-preview"),
        fact("google", "gemini-3", floating, None)
    );
    assert_eq!(facts("gemini-1.5-pro-002"), fact("google", "gemini-1.5", pinned, None));
    assert_eq!(
        facts("gemini-2.5-flash-preview-05-20"),
        fact("google", "gemini-2.5", pinned, None)
    );
    assert_eq!(
        facts("azure/gpt-4o"),
        fact("openai", "gpt-4o", floating, Some("azure-openai"))
    );
    assert_eq!(
        facts("openrouter/anthropic/claude-3.5-sonnet"),
        fact("anthropic", "claude-3.5", floating, Some("openrouter"))
    );
    assert_eq!(
        facts("mistral-large-2411"),
        fact("mistral", "mistral-large", pinned, None)
    );
    assert_eq!(facts("codestral-latest"), fact("mistral", "codestral", floating, None));
    assert_eq!(
        facts("Qwen/Qwen2.5-7B-Instruct"),
        fact("qwen", "qwen2.5", unknown, None)
    );
    assert_eq!(
        facts("meta-llama/Llama-3.1-8B-Instruct"),
        fact("meta", "llama-3.1", unknown, None)
    );
    assert_eq!(facts("llama3.1:8b"), fact("meta", "llama-3.1", floating, None));
    assert_eq!(
        facts("ollama/llama3.1:8b"),
        fact("meta", "llama-3.1", floating, Some("ollama"))
    );
    assert_eq!(
        facts("models/mistral-7b-instruct.Q4_K_M.gguf"),
        fact("mistral", "mistral-7b", unknown, None)
    );
    assert_eq!(
        facts("openai/whisper-large-v3"),
        fact("openai", "whisper", unknown, None)
    );
    assert_eq!(
        facts("https://huggingface.co/BAAI/bge-m3"),
        fact("baai", "bge", unknown, Some("huggingface"))
    );
    assert_eq!(
        facts("ft:gpt-4o-mini:acme::abc"),
        fact("openai", "gpt-4o", pinned, None)
    );
    assert_eq!(facts("yolov8n.pt"), fact("ultralytics", "yolo", unknown, None));
    assert_eq!(
        facts("distilbert-base-uncased-finetuned-sst-2-english"),
        fact("huggingface", "distilbert", unknown, None)
    );
    assert_eq!(facts("gpt-4over"), None);
    assert_eq!(facts("not a model"), None);
    assert_eq!(facts("https://example.com/"), None);
    assert_eq!(facts(&"a/".repeat(100_000)), None);
    assert!(catalogue().model("command").unwrap().generic);
}

#[test]
fn the_shape_of_a_name_tells_whether_it_is_pinned() {
    for name in [
        "m-2024-08-06",
        "m-20241022",
        "m@20240620",
        "m-0613",
        "m-2411",
        "command-r-08-2024",
        "m-002",
        "m-v2:0",
        "m@sha256:00ff",
        "org/m@5a3c91e7",
        "gemini-2.0-pro-exp-02-05",
        "gpt-4-1106-preview",
    ] {
        assert_eq!(pinned_shape(name), Pinned::Pinned, "{name}");
    }
    for name in ["m-latest", "m:latest", "text-moderation-stable", "m@default"] {
        assert_eq!(pinned_shape(name), Pinned::Floating, "{name}");
    }
    for name in [
        "gpt-4o",
        "llama-3.1-8b",
        "m-9999",
        "m-4096",
        "clip-vit-base-patch32",
        "m-v0.3",
        "",
    ] {
        assert_eq!(pinned_shape(name), Pinned::Unknown, "{name}");
    }
}

#[test]
fn retirement_counts_from_its_day_and_not_in_clouds_with_days_of_their_own() {
    let before: Date = "2026-06-14".parse().unwrap();
    let day: Date = "2026-06-15".parse().unwrap();
    let info = catalogue().model("claude-sonnet-4-20250514").unwrap();
    assert!(!info.is_retired_on(before) && info.is_retired_on(day));
    let bedrock = catalogue().model("anthropic.claude-sonnet-4-20250514-v1:0").unwrap();
    assert_eq!((bedrock.provider, bedrock.retired), ("anthropic", None));
    let day = |name: &str, provider| catalogue().model(name).unwrap().retired_by(provider).map(str::to_owned);
    assert_eq!(day("gpt-4o-mini", None).as_deref(), Some("2027-01-14"));
    assert_eq!(day("gpt-4o-mini", Some("openai")).as_deref(), Some("2027-01-14"));
    assert_eq!(day("gpt-4o-mini", Some("azure-openai")), None);
    assert_eq!(day("text-embedding-004", Some("google")).as_deref(), Some("2026-01-14"));
    assert_eq!(
        day("text-embedding-004", Some("google-vertex")).as_deref(),
        Some("2027-04-01")
    );
    assert_eq!(day("gemini-2.5-flash", Some("google-vertex")), None);
    assert_eq!(
        day("gemini-2.0-flash-exp", Some("google")).as_deref(),
        Some("2025-12-09")
    );
    assert_eq!(day("gemini-2.0-flash-exp", Some("google-vertex")), None);
    assert_eq!(
        day("moonshotai/kimi-k2-instruct-0905", Some("groq")).as_deref(),
        Some("2026-04-15")
    );
    assert_eq!(day("moonshotai/kimi-k2-instruct-0905", Some("together")), None);
    // A name that only one service has ends with it; the weights under their own name do not.
    assert_eq!(day("gemma2-9b-it", Some("groq")).as_deref(), Some("2025-10-08"));
    assert_eq!(day("llama3-70b-8192", Some("groq")).as_deref(), Some("2025-08-30"));
    assert_eq!(day("gemma-2-9b-it", Some("groq")), None);
    assert_eq!(day("gemma2:9b", Some("ollama")), None);
    assert_eq!(
        day("gemini-1.5-pro-002", Some("google-vertex")).as_deref(),
        Some("2025-09-24")
    );
}

#[test]
fn what_somebody_tuned_does_not_end_with_its_base() {
    let base = catalogue().model("gpt-3.5-turbo-0613").unwrap();
    let tuned = catalogue()
        .model("ft:gpt-3.5-turbo-0613:shop:reviews:8dWQ9vUC")
        .unwrap();
    assert_eq!((base.family, base.retired), (tuned.family, Some("2024-09-13")));
    assert_eq!((tuned.retired, tuned.retired_by(Some("openai"))), (None, None));
}

#[test]
fn the_prefilter_sees_imports_hosts_and_paths_and_passes_over_ordinary_words() {
    let seen = |text: &str| catalogue().may_mention_ai(text.as_bytes());
    assert!(seen("import openai"));
    assert!(seen("from sklearn.svm import SVC"));
    assert!(seen("from langchain_made_up import X"));
    assert!(seen("import { generateText } from 'ai'"));
    assert!(seen("use ort::session::Session;"));
    assert!(seen("fetch(`https://${name}.OpenAI.azure.com/x`)"));
    assert!(seen("POST /v1/chat/completions"));
    assert!(seen("url = 'http://localhost:11434'"));
    assert!(!seen("import os\nimport short_report\nmaintain(support)"));
    assert!(seen("import modal"));
    assert!(!seen("<div class=\"dialog\">modal dialog</div>"));
    assert!(!seen(""));
    assert!(catalogue().literals().windows(2).all(|pair| pair[0] < pair[1]));
}

#[test]
fn ecosystems_are_read_from_wire_names_and_package_url_types() {
    for name in [
        "pypi", "npm", "cargo", "go", "maven", "nuget", "composer", "rubygems", "golang", "gem",
    ] {
        assert!(crate::ecosystem(name).is_some(), "{name}");
    }
    assert_eq!(crate::ecosystem("hackage"), None);
}

#[test]
fn to_look_into_a_camera_is_no_notice_of_what_is_read_there() {
    let table = catalogue().capabilities();
    assert!(!table.tells_of_biometrics("Position your face in the camera frame to record your attendance."));
    assert!(table.tells_of_biometrics("We analyse your face to tell how you feel today."));
    assert!(table.tells_of_biometrics("This camera analyses your facial expression to estimate your emotion."));
}

#[test]
fn a_day_of_one_host_says_nothing_of_the_same_weights_elsewhere() {
    let model = catalogue().model("meta-llama/llama-4-scout-17b-16e-instruct").unwrap();
    assert_eq!(model.retired_by(Some("groq")), Some("2026-07-17"));
    assert_eq!(model.retired_by(Some("deepinfra")), None);
    assert_eq!(model.retired_by(None), None);
}
