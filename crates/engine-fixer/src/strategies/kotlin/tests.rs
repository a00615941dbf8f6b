//! Forms of Kotlin that are fixed, and those that are not.

use crate::strategies::model_calls::testing::{FAILURE, LOG, fixed, has};

fn controller(members: &str, method: &str) -> String {
    format!(
        "//- src/main/kotlin/app/ChatController.kt\npackage app\n\nimport org.slf4j.LoggerFactory\nimport org.springframework.ai.chat.client.ChatClient\nimport org.springframework.web.bind.annotation.*\n\n@RestController\nclass ChatController(builder: ChatClient.Builder) {{\n{members}    private val chatClient = builder.build()\n\n    @GetMapping(\"/chat\")\n{method}}}\n"
    )
}

const LOGGER: &str = "    private val log = LoggerFactory.getLogger(ChatController::class.java)\n";

#[test]
fn handler_that_only_throws_again_gets_a_line() {
    let method = "    fun chat(@RequestParam q: String): String? {\n        try {\n            return chatClient.prompt().user(q).call().content()\n        } catch (e: Exception) {\n            throw e\n        }\n    }\n";
    let out = fixed(&controller(LOGGER, method), FAILURE);
    assert!(
        has(
            &out,
            &["            log.error(\"The call to the AI model failed\", e)\n            throw e\n"]
        ),
        "{out:?}"
    );
}

#[test]
fn elvis_stays_inside() {
    let method = "    fun chat(@RequestParam q: String): String {\n        val answer = chatClient.prompt().user(q).call().content() ?: return \"\"\n        return answer\n    }\n";
    let out = fixed(&controller(LOGGER, method), FAILURE);
    assert!(
        has(
            &out,
            &[
                "        val answer = try {\n            chatClient.prompt().user(q).call().content() ?: return \"\"\n        } catch (e: Exception) {\n"
            ]
        ),
        "{out:?}"
    );
}

#[test]
fn text_over_lines_is_not_moved() {
    let method = "    fun chat(@RequestParam q: String): String? {\n        return chatClient.prompt().user(\"\"\"\n            Answer.\n        \"\"\" + q).call().content()\n    }\n";
    assert!(
        fixed(&controller(LOGGER, method), FAILURE)
            .unwrap_err()
            .contains("several lines")
    );
}

#[test]
fn call_in_a_condition_is_refused() {
    let method = "    fun chat(@RequestParam q: String): String? {\n        if (chatClient.prompt().user(q).call().content() == null) {\n            return null\n        }\n        return q\n    }\n";
    assert!(
        fixed(&controller(LOGGER, method), FAILURE)
            .unwrap_err()
            .contains("head of a statement")
    );
}

#[test]
fn whole_body_of_a_function_is_not_logged() {
    let method = "    fun chat(@RequestParam q: String): String? = chatClient.prompt().user(q).call().content()\n";
    assert!(
        fixed(&controller(LOGGER, method), LOG)
            .unwrap_err()
            .contains("whole body")
    );
    let out = fixed(&controller(LOGGER, method), FAILURE);
    assert!(
        has(
            &out,
            &[
                "String? = try {\n        chatClient.prompt()",
                "    } catch (e: Exception) {\n"
            ]
        ),
        "{out:?}"
    );
}
