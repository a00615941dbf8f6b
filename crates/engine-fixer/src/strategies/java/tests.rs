//! Forms of Java that are fixed, and those that are not.

use crate::strategies::model_calls::testing::{FAILURE, LOG, fixed, has};

/// A controller with members and a body of its method.
fn controller(members: &str, method: &str) -> String {
    format!(
        "//- src/main/java/app/ChatController.java\npackage app;\n\nimport org.slf4j.Logger;\nimport org.slf4j.LoggerFactory;\nimport org.springframework.ai.chat.client.ChatClient;\nimport org.springframework.web.bind.annotation.*;\n\n@RestController\npublic class ChatController {{\n{members}    private final ChatClient chatClient;\n\n    public ChatController(ChatClient.Builder builder) {{\n        this.chatClient = builder.build();\n    }}\n\n    @GetMapping(\"/chat\")\n{method}}}\n"
    )
}

const LOGGER: &str = "    private static final Logger LOG = LoggerFactory.getLogger(ChatController.class);\n";

#[test]
fn var_takes_the_rest_of_the_block_along() {
    let method = "    public String chat(@RequestParam String q) {\n        var answer = chatClient.prompt().user(q).call().content();\n        return answer.trim();\n    }\n";
    let out = fixed(&controller(LOGGER, method), FAILURE);
    assert!(
        has(
            &out,
            &[
                "        try {\n            var answer =",
                "            return answer.trim();\n        } catch (RuntimeException e) {\n            LOG.error(\"No usable answer from the AI model\", e);\n            throw e;\n"
            ]
        ),
        "{out:?}"
    );
    // What else is done with it may fail on its own, so the type is written where it is known.
    let more = method.replace("        return", "        store.save(answer);\n        return");
    let out = fixed(&controller(LOGGER, &more), FAILURE);
    assert!(
        has(
            &out,
            &["        String answer;\n        try {\n            answer = chatClient"]
        ),
        "{out:?}"
    );
    let other = more.replace("content()", "entity(Reply.class)");
    assert!(
        fixed(&controller(LOGGER, &other), FAILURE)
            .unwrap_err()
            .contains("type of the variable")
    );
}

#[test]
fn handler_that_only_throws_again_gets_a_line() {
    let method = "    public String chat(@RequestParam String q) {\n        try {\n            return chatClient.prompt().user(q).call().content();\n        } catch (RuntimeException error) {\n            throw error;\n        }\n    }\n";
    let out = fixed(&controller(LOGGER, method), FAILURE);
    assert!(
        has(
            &out,
            &["            LOG.error(\"The call to the AI model failed\", error);\n            throw error;\n"]
        ),
        "{out:?}"
    );
    assert_eq!(out.unwrap().matches("try {").count(), 1);
}

#[test]
fn stream_is_observed_behind_the_call() {
    let method = "    public Flux<String> chat(@RequestParam String q) {\n        return chatClient.prompt().user(q).stream().content();\n    }\n";
    let out = fixed(&controller(LOGGER, method), FAILURE);
    assert!(
        has(
            &out,
            &[".stream().content().doOnError(e -> LOG.error(\"The call to the AI model failed\", e));"]
        ),
        "{out:?}"
    );
}

#[test]
fn name_of_the_error_is_free() {
    let method = "    public String chat(@RequestParam String e) {\n        String answer = chatClient.prompt().user(e).call().content(); // ask\n        return answer;\n    }\n";
    let out = fixed(&controller(LOGGER, method), FAILURE);
    assert!(
        has(
            &out,
            &[
                "        String answer;\n        try {\n            answer = chatClient.prompt().user(e).call().content(); // ask\n        } catch (RuntimeException ex) {"
            ]
        ),
        "{out:?}"
    );
}

#[test]
fn call_in_a_condition_is_refused() {
    let method = "    public String chat(@RequestParam String q) {\n        if (chatClient.prompt().user(q).call().content().isEmpty()) {\n            return \"\";\n        }\n        return q;\n    }\n";
    let tree = controller(LOGGER, method);
    assert!(fixed(&tree, FAILURE).unwrap_err().contains("head of a statement"));
}

#[test]
fn instance_logger_is_out_of_reach_of_a_static_method() {
    let members = "    private final Logger log = LoggerFactory.getLogger(getClass());\n";
    let method = "    public static String chat(@RequestParam String q) {\n        return CLIENT.prompt().user(q).call().content();\n    }\n";
    let tree = controller(members, method)
        .replace(
            "private final ChatClient chatClient;",
            "private static ChatClient CLIENT;",
        )
        .replace("this.chatClient", "CLIENT");
    assert!(fixed(&tree, FAILURE).unwrap_err().contains("usual names"));
}

#[test]
fn first_member_with_a_comment_stays_with_it() {
    let method = "    public String chat(@RequestParam String q) {\n        return chatClient.prompt().user(q).call().content();\n    }\n";
    let tree = controller("    // The client.\n", method)
        .replace("import org.slf4j.Logger;\nimport org.slf4j.LoggerFactory;\n", "");
    let out = fixed(&tree, LOG);
    assert!(
        has(
            &out,
            &[
                "    private static final Logger logger = Logger.getLogger(ChatController.class.getName());\n\n    // The client.\n",
                "import java.util.logging.Logger;\nimport org.springframework.ai"
            ]
        ),
        "{out:?}"
    );
}
