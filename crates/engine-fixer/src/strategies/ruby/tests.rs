//! Forms of Ruby that are fixed, and those that are not.

use crate::strategies::model_calls::testing::{FAILURE, LOG, fixed, has};

fn controller(body: &str) -> String {
    format!(
        "//- config/application.rb\nrequire \"rails\"\n//- app/controllers/chats_controller.rb\nclass ChatsController < ApplicationController\n  def create\n{body}  end\nend\n"
    )
}

const CALL: &str = "    client = OpenAI::Client.new\n    response = client.chat(parameters: { model: \"gpt-4.1-2025-04-14\", messages: [{ role: \"user\", content: params[:q] }] })\n    render json: { reply: response.dig(\"choices\", 0, \"message\", \"content\") }\n";

#[test]
fn handler_goes_before_ensure() {
    let out = fixed(&controller(&format!("{CALL}  ensure\n    audit\n")), FAILURE);
    assert!(has(&out, &["    raise\n  ensure\n    audit\n  end\n"]), "{out:?}");
}

#[test]
fn other_handlers_stay_first() {
    let out = fixed(
        &controller(&format!(
            "{CALL}  rescue ActiveRecord::RecordInvalid => invalid\n    raise invalid\n"
        )),
        FAILURE,
    );
    assert!(
        has(
            &out,
            &[
                "    raise invalid\n  rescue StandardError => e\n    Rails.logger.error(\"No usable answer from the AI model: #{e.message}\")\n    raise\n  end\n"
            ]
        ),
        "{out:?}"
    );
}

#[test]
fn handler_that_only_raises_again_gets_a_line() {
    let out = fixed(
        &controller(&format!("{CALL}  rescue StandardError => error\n    raise error\n")),
        FAILURE,
    );
    assert!(
        has(
            &out,
            &[
                "  rescue StandardError => error\n    Rails.logger.error(\"The call to the AI model failed: #{error.message}\")\n    raise error\n"
            ]
        ),
        "{out:?}"
    );
}

#[test]
fn long_method_gets_a_handler_around_the_statement() {
    let more = "    one\n    two\n    three\n    four\n    five\n    six\n    seven\n";
    let out = fixed(&controller(&format!("{CALL}{more}")), FAILURE);
    assert!(
        has(
            &out,
            &[
                "    begin\n      response = client.chat(",
                "    rescue StandardError => e\n      Rails.logger.error(\"The call to the AI model failed: #{e.message}\")\n      raise\n    end\n    render"
            ]
        ),
        "{out:?}"
    );
}

#[test]
fn block_with_braces_is_refused() {
    let body = "    client = OpenAI::Client.new\n    replies = params[:qs].map { |q| client.chat(parameters: { model: \"gpt-4.1-2025-04-14\", messages: [{ role: \"user\", content: q }] }) }\n    render json: { replies: replies }\n";
    assert!(fixed(&controller(body), FAILURE).unwrap_err().contains("braces"));
}

#[test]
fn memoized_call_is_not_logged_each_time() {
    let body = "    client = OpenAI::Client.new\n    @response ||= client.chat(parameters: { model: \"gpt-4.1-2025-04-14\", messages: [{ role: \"user\", content: params[:q] }] })\n    render json: { reply: @response.dig(\"choices\", 0, \"message\", \"content\") }\n";
    assert!(fixed(&controller(body), LOG).unwrap_err().contains("condition"));
}
