//! Model calls in Ruby: failures that nothing logs, and calls without a log line.

use engine_model::Call;
use engine_syntax::tree::Node;

use super::model_calls::{
    ANSWERED, CALLED, DECIDE, FAILED, Fix, Shape, UNUSABLE, children_of, fix_calls, free_name, has_text_over_lines,
    is_conditional, is_rethrow_of, lines_of, manifest_has, node_of, refused, statement_of,
};
use crate::code::{Code, around, children, descendants};
use crate::strategy::declare_strategy;
use crate::{Draft, NoFix, Site};

#[cfg(test)]
mod tests;

declare_strategy! {
    /// Logs a failure of a model call and raises it again.
    ///
    /// The `rescue` belongs to the method or the block, so that no line moves.
    ///
    /// Before:
    /// ```text
    /// //- config/application.rb
    /// require "rails"
    ///
    /// module Desk
    ///   class Application < Rails::Application
    ///   end
    /// end
    /// //- app/controllers/chats_controller.rb
    /// class ChatsController < ApplicationController
    ///   def create
    ///     client = OpenAI::Client.new
    ///     response = client.chat(
    ///       parameters: {
    ///         model: "gpt-4.1-2025-04-14",
    ///         messages: [{ role: "user", content: params[:q] }]
    ///       }
    ///     )
    ///     render json: { reply: response.dig("choices", 0, "message", "content") }
    ///   end
    /// end
    /// ```
    /// After:
    /// ```text
    /// //- app/controllers/chats_controller.rb
    /// class ChatsController < ApplicationController
    ///   def create
    ///     client = OpenAI::Client.new
    ///     response = client.chat(
    ///       parameters: {
    ///         model: "gpt-4.1-2025-04-14",
    ///         messages: [{ role: "user", content: params[:q] }]
    ///       }
    ///     )
    ///     render json: { reply: response.dig("choices", 0, "message", "content") }
    ///   rescue StandardError => e
    ///     Rails.logger.error("No usable answer from the AI model: #{e.message}")
    ///     raise
    ///   end
    /// end
    /// ```
    /// Before:
    /// ```text app.rb
    /// require "sinatra"
    /// require "openai"
    ///
    /// client = OpenAI::Client.new(access_token: ENV["OPENAI_API_KEY"])
    ///
    /// post "/chat" do
    ///   response = client.chat(parameters: { model: "gpt-4.1-2025-04-14", messages: [{ role: "user", content: params[:q] }] })
    ///   response.dig("choices", 0, "message", "content")
    /// end
    /// ```
    /// After:
    /// ```text app.rb
    /// require "sinatra"
    /// require "openai"
    ///
    /// client = OpenAI::Client.new(access_token: ENV["OPENAI_API_KEY"])
    ///
    /// post "/chat" do
    ///   response = client.chat(parameters: { model: "gpt-4.1-2025-04-14", messages: [{ role: "user", content: params[:q] }] })
    ///   response.dig("choices", 0, "message", "content")
    /// rescue StandardError => e
    ///   logger.error("No usable answer from the AI model: #{e.message}")
    ///   raise
    /// end
    /// ```
    RUBY_ERROR_HANDLING {
        id: "ruby-error-handling",
        checks: ["l4-unhandled-model-failure"],
        kind: Code,
        languages: [Ruby],
        plan: handle_errors,
    }
}

declare_strategy! {
    /// Logs a model call, never the prompt or the answer.
    ///
    /// Before:
    /// ```text
    /// //- config/application.rb
    /// require "rails"
    ///
    /// module Desk
    ///   class Application < Rails::Application
    ///   end
    /// end
    /// //- app/services/ranker.rb
    /// class Ranker
    ///   def rank(text)
    ///     RubyLLM.chat(model: "gpt-4.1-2025-04-14").ask("Rank this: #{text}").content
    ///   end
    /// end
    /// //- app/controllers/ranks_controller.rb
    /// class RanksController < ApplicationController
    ///   def create
    ///     render json: { rank: Ranker.new.rank(params[:text]) }
    ///   end
    /// end
    /// ```
    /// After:
    /// ```text
    /// //- app/services/ranker.rb
    /// class Ranker
    ///   def rank(text)
    ///     Rails.logger.info("Calling the AI model")
    ///     RubyLLM.chat(model: "gpt-4.1-2025-04-14").ask("Rank this: #{text}").content
    ///   end
    /// end
    /// ```
    RUBY_INTERACTION_LOG {
        id: "ruby-interaction-log",
        checks: ["l4-unlogged-model-call"],
        kind: Code,
        languages: [Ruby],
        plan: log_calls,
    }
}

const SHAPE: Shape = Shape {
    blocks: &[
        "body_statement",
        "block_body",
        "program",
        "then",
        "do",
        "else",
        "ensure",
        "begin",
    ],
    functions: &["method", "singleton_method", "class", "module"],
    comments: &["#"],
};

/// Statements of a method whose failures a handler of its own may take for those of the call.
const STATEMENTS_MAX: usize = 8;

/// Nodes that take a `rescue` of their own.
const RESCUERS: [&str; 3] = ["method", "singleton_method", "do_block"];

fn handle_errors(site: &Site<'_>, draft: &mut Draft) -> Result<(), NoFix> {
    fix_calls(site, draft, "Logs a failure, and raises it again, of", handled)
}

fn log_calls(site: &Site<'_>, draft: &mut Draft) -> Result<(), NoFix> {
    fix_calls(site, draft, "Logs", logged)
}

/// The logger that a place can name.
fn logger(site: &Site<'_>, code: &Code, node: Node<'_>) -> Option<String> {
    let root = code.root().ok()?;
    let used = descendants(root, |at| {
        at.kind() == "call"
            && at
                .child_by_field_name("method")
                .is_some_and(|name| matches!(code.of_node(name), "info" | "error" | "warn" | "debug"))
    });
    let receivers: Vec<&str> = used
        .iter()
        .filter_map(|call| call.child_by_field_name("receiver"))
        .map(|receiver| code.of_node(receiver))
        .collect();
    for known in ["Rails.logger", "LOGGER", "$logger", "Sidekiq.logger", "SemanticLogger"] {
        if receivers.contains(&known) {
            return Some(known.to_owned());
        }
    }
    let assigns = |name: &str| {
        !descendants(root, |at| {
            at.kind() == "assignment"
                && at
                    .child_by_field_name("left")
                    .is_some_and(|left| code.of_node(left) == name)
        })
        .is_empty()
    };
    let is_rails = site.paths.iter().any(|path| path.ends_with("config/application.rb"))
        || manifest_has(site, code, &["Gemfile"], "\"rails\"")
        || manifest_has(site, code, &["Gemfile"], "'rails'");
    if is_rails {
        return Some("Rails.logger".to_owned());
    }
    let in_method = around(node, &["method", "singleton_method"]).is_some();
    // A method of the class or of its base; a local variable of that name is out of reach of a method.
    let is_given = !descendants(root, |at| {
        code.of_node(at) == "logger"
            && at.kind() == "identifier"
            && at
                .parent()
                .is_some_and(|parent| parent.kind().ends_with("parameters") || parent.kind().ends_with("_parameter"))
    })
    .is_empty();
    let is_read = ["attr_reader :logger", "attr_accessor :logger", "def logger"]
        .iter()
        .any(|text| code.text.contains(text));
    if receivers.contains(&"logger") && (!is_given || is_read) && !(in_method && assigns("logger")) {
        return Some("logger".to_owned());
    }
    let class_of = |at: Node<'_>| around(at, &["class", "module"]).map(|class| class.id());
    let own = used.iter().any(|call| {
        call.child_by_field_name("receiver")
            .is_some_and(|receiver| code.of_node(receiver) == "@logger")
            && class_of(*call) == class_of(node)
    });
    if own {
        return Some("@logger".to_owned());
    }
    // Routes of Sinatra have a logger.
    let is_sinatra = code.text.contains("require \"sinatra")
        || code.text.contains("require 'sinatra")
        || code.text.contains("Sinatra::Base");
    let mut block = around(node, &["do_block"]);
    while let Some(at) = block.filter(|_| is_sinatra) {
        let name = at
            .parent()
            .and_then(|call| call.child_by_field_name("method"))
            .map(|name| code.of_node(name));
        if matches!(name, Some("get" | "post" | "put" | "patch" | "delete")) {
            return Some("logger".to_owned());
        }
        block = at.parent().and_then(|parent| around(parent, &["do_block"]));
    }
    None
}

fn handled(site: &Site<'_>, code: &Code, call: &Call) -> Result<Fix, NoFix> {
    let node = node_of(code, call)?;
    let log = logger(site, code, node);
    let of = |message: &str, error: &str| match &log {
        Some(log) => format!("{log}.error(\"{message}: #{{{error}.message}}\")"),
        None => format!("warn \"{message}: #{{{error}.message}}\""),
    };
    let line = |error: &str| of(FAILED, error);
    let mut fix = Fix {
        manual: vec![DECIDE.to_owned()],
        ..Fix::default()
    };
    let implicit = code.text.contains("rescue =>");
    let unit = code.indent_unit();
    let holder = around(
        node,
        &[
            "method",
            "singleton_method",
            "do_block",
            "block",
            "lambda",
            "class",
            "module",
        ],
    );
    // A handler of a long method would take failures that have nothing to do with the call.
    let is_short = |holder: Node<'_>| {
        let body = holder.child_by_field_name("body").map(children).unwrap_or_default();
        let own = |node: &&Node<'_>| !node.kind().contains("comment");
        body.iter().filter(own).count() <= STATEMENTS_MAX || body.iter().any(|node| node.kind() == "rescue")
    };
    let holder = holder.filter(|holder| !RESCUERS.contains(&holder.kind()) || is_short(*holder));
    match holder {
        Some(holder) if RESCUERS.contains(&holder.kind()) => {
            let body = holder
                .child_by_field_name("body")
                .filter(|body| body.kind() == "body_statement")
                .ok_or_else(|| NoFix::here("the body of the method has no separate lines"))?;
            // Inside of a handler, the method's own `rescue` does not run.
            let mut at = node;
            while let Some(parent) = at.parent().filter(|_| at != body) {
                if parent == body && matches!(at.kind(), "rescue" | "ensure" | "else") {
                    return refused("the call is in a handler of the method");
                }
                at = parent;
            }
            let name = free_name(code, holder, &["e", "error"])?;
            let clauses = children_of(body, &["rescue"]);
            for clause in &clauses {
                let types = children_of(*clause, &["exceptions"]);
                let all = types.is_empty() || types.iter().any(|types| is_rethrow_of_any(code, *types));
                if !all {
                    continue;
                }
                return raised_again(code, *clause, &line, fix);
            }
            let before = children_of(body, &["else", "ensure"]).into_iter().next();
            let at = match before {
                Some(before) => code.line_start(before.start_byte()),
                None => end_line(code, holder)?,
            };
            let indent = code.indent(at).to_owned();
            let class = if implicit { "rescue" } else { "rescue StandardError" };
            let others = children(body).len() > 1;
            let line = of(if others { UNUSABLE } else { FAILED }, name);
            fix.insert(
                at,
                format!("{indent}{class} => {name}\n{indent}{unit}{line}\n{indent}{unit}raise\n"),
            );
            fix.cover(holder);
        }
        None => {
            let statement = statement_of(node, &SHAPE)?;
            if has_text_over_lines(statement, &[]) {
                return refused("the statement contains a string over several lines");
            }
            if !matches!(statement.kind(), "assignment" | "call" | "operator_assignment") {
                return refused("the call is in the head of a statement, such as a condition or a loop");
            }
            let scope = around(node, &["method", "singleton_method"]).unwrap_or(code.root()?);
            let name = free_name(code, scope, &["e", "error"])?;
            let range = lines_of(code, statement, statement, &SHAPE)?;
            let indent = code.indent(range.start).to_owned();
            let body = code.indented(range.clone(), &unit).ok_or(NoFix::Gone)?;
            let class = if implicit { "rescue" } else { "rescue StandardError" };
            fix.replace(
                range,
                format!(
                    "begin\n{indent}{unit}{body}\n{indent}{class} => {name}\n{indent}{unit}{}\n{indent}{unit}raise\n{indent}end",
                    line(name)
                ),
            );
            fix.cover(statement);
        }
        Some(_) => return refused("the call is in a block with braces or in the body of a class"),
    }
    Ok(fix)
}

fn is_rethrow_of_any(code: &Code, types: Node<'_>) -> bool {
    children(types).iter().any(|kind| is_rethrow_of(code.of_node(*kind)))
}

/// Adds the log line to a handler that only raises again.
fn raised_again(code: &Code, clause: Node<'_>, line: &impl Fn(&str) -> String, mut fix: Fix) -> Result<Fix, NoFix> {
    let body = clause.child_by_field_name("body").map(children).unwrap_or_default();
    let [only] = body.as_slice() else {
        return refused("the method has its own handler");
    };
    let name = children_of(clause, &["exception_variable"])
        .into_iter()
        .next()
        .and_then(|variable| children(variable).into_iter().next())
        .map(|name| code.of_node(name).to_owned());
    let Some(name) = name.filter(|_| code.of_node(*only).starts_with("raise")) else {
        return refused("the method has its own handler");
    };
    lines_of(code, *only, *only, &SHAPE)?;
    let indent = code.indent(only.start_byte()).to_owned();
    fix.insert(only.start_byte(), format!("{}\n{indent}", line(&name)));
    Ok(fix)
}

/// The start of the line with the `end` of a method or a block.
fn end_line(code: &Code, holder: Node<'_>) -> Result<usize, NoFix> {
    let end = holder.end_byte();
    let at = code.line_start(end.saturating_sub(1));
    let is_end = code.text.get(at..end).is_some_and(|line| line.trim() == "end");
    if is_end && at > holder.start_byte() {
        Ok(at)
    } else {
        refused("the `end` of the method shares its line with other code")
    }
}

fn logged(site: &Site<'_>, code: &Code, call: &Call) -> Result<Fix, NoFix> {
    let node = node_of(code, call)?;
    let Some(log) = logger(site, code, node) else {
        return refused("no logger is in reach here; choose one for the project first");
    };
    let statement = statement_of(node, &SHAPE)?;
    if is_conditional(code, node, statement) {
        return refused("the call runs only on a condition");
    }
    if !matches!(statement.kind(), "assignment" | "call" | "return") {
        return refused("the call is in the head of a statement, such as a condition or a loop");
    }
    let range = lines_of(code, statement, statement, &SHAPE)?;
    let indent = code.indent(range.start).to_owned();
    let mut fix = Fix {
        safe: true,
        ..Fix::default()
    };
    // The last statement of a method is its value, so the line goes before it.
    let answer = statement
        .child_by_field_name("left")
        .filter(|left| left.kind() == "identifier" && statement.next_named_sibling().is_some())
        .map(|left| code.of_node(left).to_owned());
    let is_message = call.symbol.starts_with("RubyLLM.") && call.symbol.rsplit('.').next() == Some("ask");
    let is_whole = statement
        .child_by_field_name("right")
        .and_then(|right| right.child_by_field_name("method"))
        .is_some_and(|method| code.of_node(method) == "ask");
    match answer {
        Some(answer) if is_message && is_whole => {
            fix.insert(
                range.end,
                format!("\n{indent}{log}.info(\"{ANSWERED}: model=#{{{answer}.model_id}}\")"),
            );
        }
        _ => fix.insert(range.start, format!("{log}.info(\"{CALLED}\")\n{indent}")),
    }
    fix.cover_block(statement);
    Ok(fix)
}
