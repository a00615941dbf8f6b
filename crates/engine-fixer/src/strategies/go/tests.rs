//! Forms of Go that are fixed, and those that are not.

use crate::strategies::model_calls::testing::{FAILURE, LOG, fixed, has};

/// A file with the imports, a body of a function around the call, and a handler that uses it.
fn ask(signature: &str, body: &str) -> String {
    format!(
        "//- go.mod\nmodule example.com/desk\n\ngo 1.23\n//- main.go\npackage main\n\nimport (\n\t\"context\"\n\t\"fmt\"\n\t\"net/http\"\n\n\t\"github.com/sashabaranov/go-openai\"\n)\n\nvar client = openai.NewClient(\"x\")\n\n{signature} {{\n{body}}}\n\nfunc main() {{\n\thttp.HandleFunc(\"/chat\", func(w http.ResponseWriter, r *http.Request) {{\n\t\tfmt.Fprint(w, ask(r.Context(), r.FormValue(\"q\")))\n\t}})\n\thttp.ListenAndServe(\":8080\", nil)\n}}\n"
    )
}

const REQUEST: &str = "openai.ChatCompletionRequest{Model: openai.GPT4o, Messages: []openai.ChatCompletionMessage{{Role: \"user\", Content: q}}}";

#[test]
fn zero_values_come_from_the_result_types() {
    let call = format!("\tresp, _ := client.CreateChatCompletion(ctx, {REQUEST})\n");
    for (results, zeros) in [
        ("(string, error)", "return \"\", fmt"),
        ("(answer string, count int, err error)", "return \"\", 0, fmt"),
        ("(*openai.Usage, []string, bool, error)", "return nil, nil, false, fmt"),
        ("error", "return fmt"),
    ] {
        let body = format!("{call}\tfmt.Println(resp.Choices[0].Message.Content)\n\tpanic(resp)\n");
        let out = fixed(
            &ask(&format!("func ask(ctx context.Context, q string) {results}"), &body),
            FAILURE,
        );
        assert!(
            has(&out, &[zeros, "resp, err := client", "call the model: %w"]),
            "{results}: {out:?}"
        );
    }
}

#[test]
fn struct_of_the_package_is_returned_empty() {
    let body = format!(
        "\tresp, _ := client.CreateChatCompletion(ctx, {REQUEST})\n\treturn Answer{{resp.Choices[0].Message.Content}}, nil\n"
    );
    let tree = ask(
        "type Answer struct{ Text string }\n\nfunc ask(ctx context.Context, q string) (Answer, error)",
        &body,
    );
    let out = fixed(&tree, FAILURE);
    assert!(
        has(&out, &["return Answer{}, fmt.Errorf(\"call the model: %w\", err)"]),
        "{out:?}"
    );
    // A type that no file of the package declares may be anything.
    let tree = ask("func ask(ctx context.Context, q string) (other.Answer, error)", &body);
    assert!(fixed(&tree, FAILURE).unwrap_err().contains("zero value"));
}

#[test]
fn later_declaration_of_err_keeps_its_name() {
    let body = format!(
        "\tresp, _ := client.CreateChatCompletion(ctx, {REQUEST})\n\terr := fmt.Errorf(\"x\")\n\treturn resp.Choices[0].Message.Content, err\n"
    );
    let out = fixed(
        &ask("func ask(ctx context.Context, q string) (string, error)", &body),
        FAILURE,
    );
    assert!(
        has(&out, &["resp, callErr := client", "if callErr != nil {"]),
        "{out:?}"
    );
}

#[test]
fn function_without_an_error_is_refused() {
    let body =
        format!("\tresp, _ := client.CreateChatCompletion(ctx, {REQUEST})\n\treturn resp.Choices[0].Message.Content\n");
    let out = fixed(&ask("func ask(ctx context.Context, q string) string", &body), FAILURE);
    assert!(out.unwrap_err().contains("returns no error"));
}

#[test]
fn early_return_past_an_unlock_is_refused() {
    let body = format!(
        "\tmu.Lock()\n\tresp, _ := client.CreateChatCompletion(ctx, {REQUEST})\n\tmu.Unlock()\n\treturn resp.Choices[0].Message.Content, nil\n"
    );
    let out = fixed(
        &ask("func ask(ctx context.Context, q string) (string, error)", &body),
        FAILURE,
    );
    assert!(out.unwrap_err().contains("unlocks"));
    let deferred = body
        .replace("\tmu.Unlock()\n", "")
        .replace("mu.Lock()\n", "mu.Lock()\n\tdefer mu.Unlock()\n");
    let out = fixed(
        &ask("func ask(ctx context.Context, q string) (string, error)", &deferred),
        FAILURE,
    );
    assert!(has(&out, &["if err != nil {"]), "{out:?}");
}

#[test]
fn call_inside_a_larger_expression_is_refused() {
    let body = format!("\treturn fmt.Sprint(client.CreateChatCompletion(ctx, {REQUEST}))\n");
    let tree = ask("func ask(ctx context.Context, q string) string", &body);
    assert!(fixed(&tree, FAILURE).is_err());
}

#[test]
fn project_with_zap_gets_no_second_logger() {
    let body = format!(
        "\tresp, err := client.CreateChatCompletion(ctx, {REQUEST})\n\tif err != nil {{\n\t\treturn err.Error()\n\t}}\n\treturn resp.Choices[0].Message.Content\n"
    );
    let tree = ask("func ask(ctx context.Context, q string) string", &body);
    assert!(has(
        &fixed(&tree, LOG),
        &[
            "\t\"log/slog\"\n",
            "slog.Info(\"The AI model answered\", \"model\", resp.Model"
        ]
    ));
    let zap = tree.replace("go 1.23\n", "go 1.23\n\nrequire go.uber.org/zap v1.27.0\n");
    assert!(fixed(&zap, LOG).unwrap_err().contains("zap"));
    let old = tree.replace("go 1.23", "go 1.19");
    assert!(has(
        &fixed(&old, LOG),
        &["\t\"log\"\n", "log.Printf(\"The AI model answered: model=%v"]
    ));
}

#[test]
fn single_import_becomes_a_group() {
    let tree = "//- main.go\npackage main\n\nimport \"github.com/sashabaranov/go-openai\"\n\nvar client = openai.NewClient(\"x\")\n\nfunc chat(w http.ResponseWriter, r *http.Request) {\n\tresp, _ := client.CreateChatCompletion(r.Context(), openai.ChatCompletionRequest{Model: openai.GPT4o})\n\tw.Write([]byte(resp.Choices[0].Message.Content))\n}\n\nfunc main() {\n\thttp.HandleFunc(\"/chat\", chat)\n}\n";
    let out = fixed(tree, FAILURE);
    assert!(
        has(
            &out,
            &["import (\n\t\"log\"\n\n\t\"github.com/sashabaranov/go-openai\"\n)\n"]
        ),
        "{out:?}"
    );
}

#[test]
fn result_named_err_is_not_hidden_in_a_block() {
    let body = format!(
        "\tif q != \"\" {{\n\t\tresp, _ := client.CreateChatCompletion(ctx, {REQUEST})\n\t\tanswer = resp.Choices[0].Message.Content\n\t\treturn\n\t}}\n\treturn\n"
    );
    let out = fixed(
        &ask(
            "func ask(ctx context.Context, q string) (answer string, err error)",
            &body,
        ),
        FAILURE,
    );
    assert!(
        has(
            &out,
            &[
                "resp, callErr := client",
                "return \"\", fmt.Errorf(\"call the model: %w\", callErr)"
            ]
        ),
        "{out:?}"
    );
}

#[test]
fn error_that_the_next_call_overwrites_is_checked_before_it() {
    let body = format!(
        "\tresp, err := client.CreateChatCompletion(ctx, {REQUEST})\n\ttext := resp.Choices[0].Message.Content\n\t_, a, b, c := 0, 0, 0, 0\n\tfmt.Println(a, b, c)\n\tfmt.Println()\n\tfmt.Println()\n\tn, err := fmt.Println(text)\n\tif err != nil {{\n\t\treturn \"\", err\n\t}}\n\treturn text, nil\n"
    );
    let out = fixed(
        &ask("func ask(ctx context.Context, q string) (string, error)", &body),
        FAILURE,
    );
    assert!(
        has(
            &out,
            &["\tif err != nil {\n\t\treturn \"\", fmt.Errorf(\"call the model: %w\", err)\n\t}\n\ttext :="]
        ),
        "{out:?}"
    );
}
