//! Model names: what is replaced, and what is refused.

use crate::strategies::settings::tests::{after, only, planned};

const RETIRED: &str = "l3-retired-model";

/// A program in Python that calls a model of Anthropic, with lines before the call.
fn program(head: &str, model: &str) -> String {
    format!(
        "//- app.py\nimport os\nimport anthropic\n\nclient = anthropic.Anthropic()\n{head}\n\nif __name__ == \"__main__\":\n    \
         print(client.messages.create(model={model}, max_tokens=9, messages=[{{\"role\": \"user\", \"content\": input()}}]))\n"
    )
}

#[test]
fn a_chain_of_successors_is_followed_to_its_end() {
    let text = "//- app.py\nfrom openai import OpenAI\n\nclient = OpenAI()\n\nif __name__ == \"__main__\":\n    \
        print(client.chat.completions.create(model=\"gpt-4.5-preview\", max_tokens=5, messages=[{\"role\": \"user\", \"content\": input()}]))\n";
    let (_, plan) = planned(text, RETIRED).unwrap();
    // `gpt-4.5-preview`, `gpt-4.1`, `gpt-6-luna`
    assert!(plan.description.contains("`gpt-6-luna`"), "{}", plan.description);
    assert!(!plan.safe);
    assert!(
        plan.manual.iter().any(|step| step.contains("`max_tokens`")),
        "{:?}",
        plan.manual
    );
}

#[test]
fn the_name_is_changed_where_it_is_a_value_of_the_model() {
    let head = "MODEL = 'claude-3-opus-20240229'\nPRICES = {'claude-3-opus-20240229': 15}\nCHOICES = ['claude-3-opus-20240229', 'b']\n# claude-3-opus-20240229";
    let text = only(&program(head, "MODEL"), RETIRED);
    assert!(text.contains("MODEL = 'claude-opus-4-8'\nPRICES = {'claude-3-opus-20240229': 15}\nCHOICES = ['claude-3-opus-20240229', 'b']\n# claude-3-opus"), "{text}");
    let (_, plan) = planned(&program(head, "MODEL"), RETIRED).unwrap();
    assert!(
        plan.manual.iter().any(|step| step.contains("still named at")),
        "{:?}",
        plan.manual
    );
}

#[test]
fn settings_files_and_addresses_are_edited_in_place() {
    let text = "//- chat.php\n<?php\n$url = 'https://generativelanguage.googleapis.com/v1beta/models/gemini-2.0-flash:generateContent?key=' . $key;\n\
        $reply = file_get_contents($url, false, stream_context_create(['http' => ['method' => 'POST', 'content' => json_encode($_POST)]]));\necho $reply;\n";
    let edited = only(text, RETIRED);
    assert!(edited.contains("/models/gemini-3.6-flash:generateContent"), "{edited}");
}

#[test]
fn embeddings_clouds_and_unknown_successors_are_refused() {
    let embedding = "//- app.py\nfrom google import genai\n\nclient = genai.Client()\n\nif __name__ == \"__main__\":\n    \
        print(client.models.embed_content(model=\"text-embedding-004\", contents=input()))\n";
    assert!(after(embedding, RETIRED).unwrap_err().contains("index"));
    let router = "//- app.py\nfrom openai import OpenAI\n\nclient = OpenAI(base_url=\"https://openrouter.ai/api/v1\")\n\nif __name__ == \"__main__\":\n    \
        print(client.chat.completions.create(model=\"openai/gpt-4-turbo\", messages=[{\"role\": \"user\", \"content\": input()}]))\n";
    assert!(after(router, RETIRED).is_err());
    let completions = "//- app.py\nfrom openai import OpenAI\n\nclient = OpenAI()\n\nif __name__ == \"__main__\":\n    \
        print(client.completions.create(model=\"text-davinci-003\", prompt=input()))\n";
    assert!(after(completions, RETIRED).unwrap_err().contains("no single successor"));
}

#[test]
fn a_floating_name_without_a_snapshot_is_refused() {
    let text = "//- app.py\nfrom openai import OpenAI\n\nclient = OpenAI()\n\nif __name__ == \"__main__\":\n    \
        print(client.responses.create(model=\"gpt-5.6-sol\", input=input()).output_text)\n";
    assert!(after(text, "l4-floating-model").unwrap_err().contains("no snapshot"));
}

#[test]
fn constant_that_is_named_after_the_model_is_found() {
    for (line, name, word) in [
        (
            "public const string GPT_3_5_Turbo = \"gpt-3.5-turbo\";",
            "gpt-3.5-turbo",
            Some("GPT_3_5_Turbo"),
        ),
        (
            "GptModel.Gpt3_5Turbo => \"gpt-3.5-turbo\",",
            "gpt-3.5-turbo",
            Some("Gpt3_5Turbo"),
        ),
        ("GPT4O = \"gpt-4o-2024-05-13\"", "gpt-4o-2024-05-13", Some("GPT4O")),
        ("model = \"gpt-3.5-turbo\"", "gpt-3.5-turbo", None),
        ("CHATGPT_MODEL = \"gpt-4o\"", "gpt-4o", None),
        ("MODEL: claude-2", "claude-2", None),
    ] {
        assert_eq!(super::named_after(line, name).as_deref(), word, "{line}");
    }
}

#[test]
fn default_of_an_environment_variable_is_told_from_another_argument() {
    for (line, is) in [
        ("model = os.getenv(\"MODEL\", \"m-1\")", true),
        ("const model = process.env.MODEL || 'm-1';", true),
        ("model = os.environ.get(\"MODEL\") or \"m-1\"", true),
        (
            "new Client(Environment.GetEnvironmentVariable(\"Key\")).GetChatClient(\"m-1\")",
            false,
        ),
        ("call(os.getenv(\"KEY\"), \"m-1\")", false),
        ("model = \"m-1\"", false),
    ] {
        assert_eq!(super::is_default_of_setting(line, "m-1"), is, "{line}");
    }
}
