//! Forms of Rust that are fixed, and those that are not.

use crate::strategies::model_calls::testing::{FAILURE, fixed, has};

fn main(uses: &str, signature: &str, end: &str) -> String {
    format!(
        "//- src/main.rs\n{uses}use async_openai::Client;\nuse async_openai::types::CreateChatCompletionRequestArgs;\n\n#[tokio::main]\nasync fn main(){signature} {{\n    let client = Client::new();\n    let request = CreateChatCompletionRequestArgs::default().model(\"gpt-4.1-2025-04-14\").build()?;\n    let response = client.chat().create(request).await{end};\n    println!(\"{{:?}}\", response.choices.first());\n    Ok(())\n}}\n"
    )
}

#[test]
fn any_error_takes_the_one_of_the_call() {
    for (uses, signature) in [
        ("", " -> Result<(), Box<dyn std::error::Error>>"),
        ("", " -> anyhow::Result<()>"),
        ("use color_eyre::eyre::Result;\n", " -> Result<()>"),
        ("use anyhow::{Context, Result};\n", " -> Result<()>"),
        ("", " -> Result<(), async_openai::error::OpenAIError>"),
    ] {
        let out = fixed(&main(uses, signature, ".unwrap()"), FAILURE);
        assert!(
            has(&out, &[".create(request).await?;\n", ".build()?;\n"]),
            "{signature}: {out:?}"
        );
    }
}

#[test]
fn other_functions_keep_their_panic() {
    for signature in ["", " -> Result<(), AppError>", " -> Result<()>", " -> Option<()>"] {
        assert!(
            fixed(&main("", signature, ".unwrap()"), FAILURE).is_err(),
            "{signature}"
        );
    }
}

#[test]
fn expectation_becomes_context_where_the_file_uses_it() {
    let out = fixed(&main("", " -> anyhow::Result<()>", ".expect(\"no answer\")"), FAILURE);
    assert!(has(&out, &[".await?;\n"]), "{out:?}");
}
