//! Forms of C# that are fixed, and those that are not.

use crate::strategies::model_calls::testing::{FAILURE, LOG, fixed, has};

fn controller(parameters: &str, method: &str) -> String {
    format!(
        "//- Controllers/ChatController.cs\nusing Microsoft.AspNetCore.Mvc;\nusing Microsoft.Extensions.AI;\nusing Microsoft.Extensions.Logging;\n\nnamespace Desk.Controllers;\n\npublic class ChatController({parameters}) : ControllerBase\n{{\n    [HttpPost(\"/chat\")]\n{method}}}\n"
    )
}

const BOTH: &str = "IChatClient chatClient, ILogger<ChatController> logger";

#[test]
fn var_takes_the_rest_of_the_block_along() {
    let method = "    public async Task<string> Ask(string question)\n    {\n        var response = await chatClient.GetResponseAsync(question);\n        return response.Text;\n    }\n";
    let out = fixed(&controller(BOTH, method), FAILURE);
    assert!(
        has(
            &out,
            &[
                "        try\n        {\n            var response = await",
                "            return response.Text;\n        }\n        catch (Exception ex)\n        {\n            logger.LogError(ex, \"No usable answer from the AI model\");\n            throw;\n        }\n"
            ]
        ),
        "{out:?}"
    );
    let more = method.replace("        return", "        await store.Save(response);\n        return");
    let out = fixed(&controller(BOTH, &more), FAILURE);
    assert!(
        has(
            &out,
            &["        ChatResponse response;\n        try\n        {\n            response = await"]
        ),
        "{out:?}"
    );
    let typed = more.replace("GetResponseAsync(", "GetResponseAsync<Reply>(");
    assert!(
        fixed(&controller(BOTH, &typed), FAILURE)
            .unwrap_err()
            .contains("type of the variable")
    );
}

#[test]
fn task_that_is_not_awaited_is_refused() {
    let method = "    public Task<ChatResponse> Ask(string question)\n    {\n        return chatClient.GetResponseAsync(question);\n    }\n";
    assert!(
        fixed(&controller(BOTH, method), FAILURE)
            .unwrap_err()
            .contains("not awaited")
    );
}

#[test]
fn class_without_a_logger_is_refused() {
    let method = "    public async Task<string> Ask(string question)\n    {\n        var response = await chatClient.GetResponseAsync(question);\n        return response.Text;\n    }\n";
    for check in [FAILURE, LOG] {
        assert!(
            fixed(&controller("IChatClient chatClient", method), check)
                .unwrap_err()
                .contains("no logger")
        );
    }
}

#[test]
fn raw_string_moves_with_its_lines_and_verbatim_string_is_refused() {
    let raw = "    public async Task<ChatResponse> Ask(string question)\n    {\n        return await chatClient.GetResponseAsync(\n            \"\"\"\n            Answer.\n            \"\"\" + question);\n    }\n";
    let out = fixed(&controller(BOTH, raw), FAILURE);
    assert!(
        has(
            &out,
            &["                \"\"\"\n                Answer.\n                \"\"\" + question);\n"]
        ),
        "{out:?}"
    );
    let verbatim = raw.replace("\"\"\"\n            Answer.\n            \"\"\"", "@\"Answer.\n\"");
    assert!(
        fixed(&controller(BOTH, &verbatim), FAILURE)
            .unwrap_err()
            .contains("several lines")
    );
}

#[test]
fn handler_that_only_throws_again_gets_a_line() {
    let method = "    public async Task<string> Ask(string question)\n    {\n        try\n        {\n            var response = await chatClient.GetResponseAsync(question);\n            return response.Text;\n        }\n        catch (Exception e)\n        {\n            throw;\n        }\n    }\n";
    let out = fixed(&controller(BOTH, method), FAILURE);
    assert!(
        has(
            &out,
            &["            logger.LogError(e, \"The call to the AI model failed\");\n            throw;\n"]
        ),
        "{out:?}"
    );
}
