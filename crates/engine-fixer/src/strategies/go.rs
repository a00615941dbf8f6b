//! Model calls in Go: errors that are thrown away, and calls without a log line.

use engine_model::Call;
use engine_syntax::tree::Node;

use super::model_calls::{
    ANSWERED, CALLED, Fix, Shape, children_of, fix_calls, is_conditional, is_named, lines_of, manifest_has, node_of,
    refused, statement_of,
};
use crate::code::{Code, around, children, descendants};
use crate::strategy::declare_strategy;
use crate::{Draft, NoFix, Site};

mod functions;
mod loggers;
#[cfg(test)]
mod tests;

use functions::{Way, way};
use loggers::{Logger, logger};

declare_strategy! {
    /// Handles the error of a model call that is thrown away, never checked, or ends in a panic.
    ///
    /// A function that returns an error passes it on. A handler of requests logs it and answers with status 502.
    ///
    /// Before:
    /// ```text
    /// //- rank.go
    /// package main
    ///
    /// import (
    /// 	"context"
    /// 	"net/http"
    ///
    /// 	"github.com/openai/openai-go"
    /// 	"github.com/openai/openai-go/responses"
    /// )
    ///
    /// type Ranker struct {
    /// 	client openai.Client
    /// }
    ///
    /// func (k *Ranker) Rank(ctx context.Context, text string) (string, error) {
    /// 	answer, _ := k.client.Responses.New(ctx, responses.ResponseNewParams{
    /// 		Model: "gpt-4.1-2025-04-14",
    /// 	})
    /// 	return answer.OutputText(), nil
    /// }
    ///
    /// func main() {
    /// 	k := &Ranker{client: openai.NewClient()}
    /// 	http.HandleFunc("/rank", func(w http.ResponseWriter, r *http.Request) {
    /// 		text, _ := k.Rank(r.Context(), r.FormValue("q"))
    /// 		w.Write([]byte(text))
    /// 	})
    /// 	http.ListenAndServe(":8080", nil)
    /// }
    /// ```
    /// After:
    /// ```text
    /// //- rank.go
    /// package main
    ///
    /// import (
    /// 	"context"
    /// 	"fmt"
    /// 	"net/http"
    ///
    /// 	"github.com/openai/openai-go"
    /// 	"github.com/openai/openai-go/responses"
    /// )
    ///
    /// type Ranker struct {
    /// 	client openai.Client
    /// }
    ///
    /// func (k *Ranker) Rank(ctx context.Context, text string) (string, error) {
    /// 	answer, err := k.client.Responses.New(ctx, responses.ResponseNewParams{
    /// 		Model: "gpt-4.1-2025-04-14",
    /// 	})
    /// 	if err != nil {
    /// 		return "", fmt.Errorf("call the model: %w", err)
    /// 	}
    /// 	return answer.OutputText(), nil
    /// }
    ///
    /// func main() {
    /// 	k := &Ranker{client: openai.NewClient()}
    /// 	http.HandleFunc("/rank", func(w http.ResponseWriter, r *http.Request) {
    /// 		text, _ := k.Rank(r.Context(), r.FormValue("q"))
    /// 		w.Write([]byte(text))
    /// 	})
    /// 	http.ListenAndServe(":8080", nil)
    /// }
    /// ```
    /// Before:
    /// ```text main.go
    /// package main
    ///
    /// import (
    /// 	"encoding/json"
    /// 	"net/http"
    ///
    /// 	"github.com/sashabaranov/go-openai"
    /// )
    ///
    /// var client = openai.NewClient("x")
    ///
    /// func chat(w http.ResponseWriter, r *http.Request) {
    /// 	resp, _ := client.CreateChatCompletion(r.Context(), openai.ChatCompletionRequest{
    /// 		Model:    "gpt-4.1-2025-04-14",
    /// 		Messages: []openai.ChatCompletionMessage{{Role: "user", Content: r.FormValue("q")}},
    /// 	})
    /// 	json.NewEncoder(w).Encode(map[string]string{"reply": resp.Choices[0].Message.Content})
    /// }
    ///
    /// func main() {
    /// 	http.HandleFunc("/chat", chat)
    /// 	http.ListenAndServe(":8080", nil)
    /// }
    /// ```
    /// After:
    /// ```text main.go
    /// package main
    ///
    /// import (
    /// 	"encoding/json"
    /// 	"log"
    /// 	"net/http"
    ///
    /// 	"github.com/sashabaranov/go-openai"
    /// )
    ///
    /// var client = openai.NewClient("x")
    ///
    /// func chat(w http.ResponseWriter, r *http.Request) {
    /// 	resp, err := client.CreateChatCompletion(r.Context(), openai.ChatCompletionRequest{
    /// 		Model:    "gpt-4.1-2025-04-14",
    /// 		Messages: []openai.ChatCompletionMessage{{Role: "user", Content: r.FormValue("q")}},
    /// 	})
    /// 	if err != nil {
    /// 		log.Printf("call the model: %v", err)
    /// 		http.Error(w, "The AI service is not available.", http.StatusBadGateway)
    /// 		return
    /// 	}
    /// 	json.NewEncoder(w).Encode(map[string]string{"reply": resp.Choices[0].Message.Content})
    /// }
    ///
    /// func main() {
    /// 	http.HandleFunc("/chat", chat)
    /// 	http.ListenAndServe(":8080", nil)
    /// }
    /// ```
    /// Before:
    /// ```text main.go
    /// package main
    ///
    /// import (
    /// 	"log/slog"
    /// 	"net/http"
    ///
    /// 	"github.com/anthropics/anthropic-sdk-go"
    /// 	"github.com/gin-gonic/gin"
    /// )
    ///
    /// func main() {
    /// 	client := anthropic.NewClient()
    /// 	r := gin.Default()
    /// 	r.POST("/chat", func(c *gin.Context) {
    /// 		message, err := client.Messages.New(c.Request.Context(), anthropic.MessageNewParams{
    /// 			Model:    anthropic.ModelClaudeSonnet4_5,
    /// 			Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(c.PostForm("q")))},
    /// 		})
    /// 		if err != nil {
    /// 			panic(err)
    /// 		}
    /// 		slog.Info("answered", "id", message.ID)
    /// 		c.JSON(http.StatusOK, gin.H{"reply": message.Content[0].Text})
    /// 	})
    /// 	r.Run()
    /// }
    /// ```
    /// After:
    /// ```text main.go
    /// package main
    ///
    /// import (
    /// 	"log/slog"
    /// 	"net/http"
    ///
    /// 	"github.com/anthropics/anthropic-sdk-go"
    /// 	"github.com/gin-gonic/gin"
    /// )
    ///
    /// func main() {
    /// 	client := anthropic.NewClient()
    /// 	r := gin.Default()
    /// 	r.POST("/chat", func(c *gin.Context) {
    /// 		message, err := client.Messages.New(c.Request.Context(), anthropic.MessageNewParams{
    /// 			Model:    anthropic.ModelClaudeSonnet4_5,
    /// 			Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(c.PostForm("q")))},
    /// 		})
    /// 		if err != nil {
    /// 			slog.Error("call the model", "error", err)
    /// 			c.AbortWithStatusJSON(http.StatusBadGateway, gin.H{"error": "The AI service is not available."})
    /// 			return
    /// 		}
    /// 		slog.Info("answered", "id", message.ID)
    /// 		c.JSON(http.StatusOK, gin.H{"reply": message.Content[0].Text})
    /// 	})
    /// 	r.Run()
    /// }
    /// ```
    /// Before:
    /// ```text main.go
    /// package main
    ///
    /// import (
    /// 	"fmt"
    /// 	"log"
    /// 	"net/http"
    ///
    /// 	"github.com/openai/openai-go"
    /// )
    ///
    /// func chat(w http.ResponseWriter, r *http.Request) {
    /// 	client := openai.NewClient()
    /// 	stream := client.Chat.Completions.NewStreaming(r.Context(), openai.ChatCompletionNewParams{
    /// 		Model: openai.ChatModelGPT4o,
    /// 	})
    /// 	for stream.Next() {
    /// 		fmt.Fprint(w, stream.Current().Choices[0].Delta.Content)
    /// 	}
    /// 	log.Printf("answered %s", r.URL.Path)
    /// }
    ///
    /// func main() {
    /// 	http.HandleFunc("/chat", chat)
    /// 	http.ListenAndServe(":8080", nil)
    /// }
    /// ```
    /// After:
    /// ```text main.go
    /// package main
    ///
    /// import (
    /// 	"fmt"
    /// 	"log"
    /// 	"net/http"
    ///
    /// 	"github.com/openai/openai-go"
    /// )
    ///
    /// func chat(w http.ResponseWriter, r *http.Request) {
    /// 	client := openai.NewClient()
    /// 	stream := client.Chat.Completions.NewStreaming(r.Context(), openai.ChatCompletionNewParams{
    /// 		Model: openai.ChatModelGPT4o,
    /// 	})
    /// 	for stream.Next() {
    /// 		fmt.Fprint(w, stream.Current().Choices[0].Delta.Content)
    /// 	}
    /// 	if err := stream.Err(); err != nil {
    /// 		log.Printf("call the model: %v", err)
    /// 	}
    /// 	log.Printf("answered %s", r.URL.Path)
    /// }
    ///
    /// func main() {
    /// 	http.HandleFunc("/chat", chat)
    /// 	http.ListenAndServe(":8080", nil)
    /// }
    /// ```
    GO_ERROR_HANDLING {
        id: "go-error-handling",
        checks: ["l4-unhandled-model-failure"],
        kind: Code,
        languages: [Go],
        plan: handle_errors,
    }
}

declare_strategy! {
    /// Logs a model call with the model, the id and the tokens, never the prompt or the answer.
    ///
    /// The line goes to the logger that the file has, or to `log/slog` where the module allows it.
    ///
    /// Before:
    /// ```text
    /// //- go.mod
    /// module example.com/desk
    ///
    /// go 1.23
    /// //- main.go
    /// package main
    ///
    /// import (
    /// 	"encoding/json"
    /// 	"net/http"
    ///
    /// 	"github.com/sashabaranov/go-openai"
    /// )
    ///
    /// var client = openai.NewClient("x")
    ///
    /// func chat(w http.ResponseWriter, r *http.Request) {
    /// 	resp, err := client.CreateChatCompletion(r.Context(), openai.ChatCompletionRequest{
    /// 		Model:    "gpt-4.1-2025-04-14",
    /// 		Messages: []openai.ChatCompletionMessage{{Role: "user", Content: r.FormValue("q")}},
    /// 	})
    /// 	if err != nil {
    /// 		http.Error(w, "Try again later.", http.StatusBadGateway)
    /// 		return
    /// 	}
    /// 	json.NewEncoder(w).Encode(map[string]string{"reply": resp.Choices[0].Message.Content})
    /// }
    ///
    /// func main() {
    /// 	http.HandleFunc("/chat", chat)
    /// 	http.ListenAndServe(":8080", nil)
    /// }
    /// ```
    /// After:
    /// ```text
    /// //- main.go
    /// package main
    ///
    /// import (
    /// 	"encoding/json"
    /// 	"log/slog"
    /// 	"net/http"
    ///
    /// 	"github.com/sashabaranov/go-openai"
    /// )
    ///
    /// var client = openai.NewClient("x")
    ///
    /// func chat(w http.ResponseWriter, r *http.Request) {
    /// 	resp, err := client.CreateChatCompletion(r.Context(), openai.ChatCompletionRequest{
    /// 		Model:    "gpt-4.1-2025-04-14",
    /// 		Messages: []openai.ChatCompletionMessage{{Role: "user", Content: r.FormValue("q")}},
    /// 	})
    /// 	if err != nil {
    /// 		http.Error(w, "Try again later.", http.StatusBadGateway)
    /// 		return
    /// 	}
    /// 	slog.Info("The AI model answered", "model", resp.Model, "id", resp.ID, "tokens", resp.Usage.TotalTokens)
    /// 	json.NewEncoder(w).Encode(map[string]string{"reply": resp.Choices[0].Message.Content})
    /// }
    ///
    /// func main() {
    /// 	http.HandleFunc("/chat", chat)
    /// 	http.ListenAndServe(":8080", nil)
    /// }
    /// ```
    /// Before:
    /// ```text main.go
    /// package main
    ///
    /// import (
    /// 	"log"
    /// 	"net/http"
    ///
    /// 	"github.com/anthropics/anthropic-sdk-go"
    /// )
    ///
    /// type server struct {
    /// 	client anthropic.Client
    /// 	logger *log.Logger
    /// }
    ///
    /// func (s *server) chat(w http.ResponseWriter, r *http.Request) {
    /// 	message, err := s.client.Messages.New(r.Context(), anthropic.MessageNewParams{
    /// 		Model:    anthropic.ModelClaudeSonnet4_5,
    /// 		Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(r.FormValue("q")))},
    /// 	})
    /// 	if err != nil {
    /// 		w.WriteHeader(http.StatusBadGateway)
    /// 		return
    /// 	}
    /// 	w.Write([]byte(message.Content[0].Text))
    /// }
    ///
    /// func main() {
    /// 	s := &server{client: anthropic.NewClient(), logger: log.Default()}
    /// 	http.HandleFunc("/chat", s.chat)
    /// 	http.ListenAndServe(":8080", nil)
    /// }
    /// ```
    /// After:
    /// ```text main.go
    /// package main
    ///
    /// import (
    /// 	"log"
    /// 	"net/http"
    ///
    /// 	"github.com/anthropics/anthropic-sdk-go"
    /// )
    ///
    /// type server struct {
    /// 	client anthropic.Client
    /// 	logger *log.Logger
    /// }
    ///
    /// func (s *server) chat(w http.ResponseWriter, r *http.Request) {
    /// 	message, err := s.client.Messages.New(r.Context(), anthropic.MessageNewParams{
    /// 		Model:    anthropic.ModelClaudeSonnet4_5,
    /// 		Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(r.FormValue("q")))},
    /// 	})
    /// 	if err != nil {
    /// 		w.WriteHeader(http.StatusBadGateway)
    /// 		return
    /// 	}
    /// 	s.logger.Printf("The AI model answered: model=%v id=%v inputTokens=%v outputTokens=%v", message.Model, message.ID, message.Usage.InputTokens, message.Usage.OutputTokens)
    /// 	w.Write([]byte(message.Content[0].Text))
    /// }
    ///
    /// func main() {
    /// 	s := &server{client: anthropic.NewClient(), logger: log.Default()}
    /// 	http.HandleFunc("/chat", s.chat)
    /// 	http.ListenAndServe(":8080", nil)
    /// }
    /// ```
    ///
    /// Calls in two branches, each with its own line:
    ///
    /// Before:
    /// ```text
    /// //- main.go
    /// package main
    ///
    /// import (
    /// 	"log"
    /// 	"net/http"
    ///
    /// 	"github.com/anthropics/anthropic-sdk-go"
    /// )
    ///
    /// type server struct {
    /// 	client anthropic.Client
    /// 	logger *log.Logger
    /// }
    ///
    /// func (s *server) chat(w http.ResponseWriter, r *http.Request) {
    /// 	if r.FormValue("q") == "" {
    /// 		greeting, err := s.client.Messages.New(r.Context(), anthropic.MessageNewParams{Model: anthropic.ModelClaudeSonnet4_5})
    /// 		if err != nil {
    /// 			w.WriteHeader(http.StatusBadGateway)
    /// 			return
    /// 		}
    /// 		w.Write([]byte(greeting.Content[0].Text))
    /// 	} else {
    /// 		answer, err := s.client.Messages.New(r.Context(), anthropic.MessageNewParams{Model: anthropic.ModelClaudeHaiku4_5})
    /// 		if err != nil {
    /// 			w.WriteHeader(http.StatusBadGateway)
    /// 			return
    /// 		}
    /// 		w.Write([]byte(answer.Content[0].Text))
    /// 	}
    /// }
    ///
    /// func main() {
    /// 	s := &server{client: anthropic.NewClient(), logger: log.Default()}
    /// 	http.HandleFunc("/chat", s.chat)
    /// 	http.ListenAndServe(":8080", nil)
    /// }
    /// ```
    /// After:
    /// ```text main.go
    /// package main
    ///
    /// import (
    /// 	"log"
    /// 	"net/http"
    ///
    /// 	"github.com/anthropics/anthropic-sdk-go"
    /// )
    ///
    /// type server struct {
    /// 	client anthropic.Client
    /// 	logger *log.Logger
    /// }
    ///
    /// func (s *server) chat(w http.ResponseWriter, r *http.Request) {
    /// 	if r.FormValue("q") == "" {
    /// 		greeting, err := s.client.Messages.New(r.Context(), anthropic.MessageNewParams{Model: anthropic.ModelClaudeSonnet4_5})
    /// 		if err != nil {
    /// 			w.WriteHeader(http.StatusBadGateway)
    /// 			return
    /// 		}
    /// 		s.logger.Printf("The AI model answered: model=%v id=%v inputTokens=%v outputTokens=%v", greeting.Model, greeting.ID, greeting.Usage.InputTokens, greeting.Usage.OutputTokens)
    /// 		w.Write([]byte(greeting.Content[0].Text))
    /// 	} else {
    /// 		answer, err := s.client.Messages.New(r.Context(), anthropic.MessageNewParams{Model: anthropic.ModelClaudeHaiku4_5})
    /// 		if err != nil {
    /// 			w.WriteHeader(http.StatusBadGateway)
    /// 			return
    /// 		}
    /// 		s.logger.Printf("The AI model answered: model=%v id=%v inputTokens=%v outputTokens=%v", answer.Model, answer.ID, answer.Usage.InputTokens, answer.Usage.OutputTokens)
    /// 		w.Write([]byte(answer.Content[0].Text))
    /// 	}
    /// }
    ///
    /// func main() {
    /// 	s := &server{client: anthropic.NewClient(), logger: log.Default()}
    /// 	http.HandleFunc("/chat", s.chat)
    /// 	http.ListenAndServe(":8080", nil)
    /// }
    /// ```
    GO_INTERACTION_LOG {
        id: "go-interaction-log",
        checks: ["l4-unlogged-model-call"],
        kind: Code,
        languages: [Go],
        plan: log_calls,
    }
}

pub(super) const SHAPE: Shape = Shape {
    blocks: &["statement_list"],
    functions: &["func_literal", "function_declaration", "method_declaration"],
    comments: &["//"],
};

fn handle_errors(site: &Site<'_>, draft: &mut Draft) -> Result<(), NoFix> {
    fix_calls(site, draft, "Handles the error of", handled)
}

fn log_calls(site: &Site<'_>, draft: &mut Draft) -> Result<(), NoFix> {
    fix_calls(site, draft, "Logs", logged)
}

/// A statement that holds a model call, with what its results are bound to.
struct Bound<'t> {
    statement: Node<'t>,
    function: Node<'t>,
    /// The names on the left; none where the call is a statement of its own.
    left: Vec<Node<'t>>,
}

impl<'t> Bound<'t> {
    fn of(code: &'t Code, call: &Call) -> Result<Self, NoFix> {
        let mut node = node_of(code, call)?;
        // Outwards over the chain that the place is the beginning of, or a part of.
        let mut whole = None;
        loop {
            if node.kind() == "call_expression" {
                whole = Some(node);
            }
            let Some(parent) = node.parent() else { break };
            let goes_on = match parent.kind() {
                "call_expression" => parent.child_by_field_name("function") == Some(node),
                "selector_expression" => true,
                _ => false,
            };
            if !goes_on {
                break;
            }
            node = parent;
        }
        let whole = whole.ok_or_else(|| NoFix::here("the call has a form that is not known"))?;
        let statement = statement_of(whole, &SHAPE)?;
        let function = around(statement, SHAPE.functions).ok_or_else(|| NoFix::here("the call is in no function"))?;
        let left = match statement.kind() {
            "short_var_declaration" | "assignment_statement" => {
                let alone = statement
                    .child_by_field_name("right")
                    .is_some_and(|right| children(right) == [whole]);
                if !alone {
                    return refused("the call is a part of a larger expression");
                }
                statement.child_by_field_name("left").map(children).unwrap_or_default()
            }
            "expression_statement" if children(statement) == [whole] => Vec::new(),
            _ => return refused("the result of the call is not assigned to a name"),
        };
        lines_of(code, statement, statement, &SHAPE)?;
        Ok(Self {
            statement,
            function,
            left,
        })
    }

    fn defines(&self) -> bool {
        self.statement.kind() == "short_var_declaration"
    }
}

fn handled(site: &Site<'_>, code: &Code, call: &Call) -> Result<Fix, NoFix> {
    let bound = Bound::of(code, call)?;
    let method = call.symbol.rsplit('.').next().unwrap_or("");
    let mut fix = Fix::default();
    let indent = code.indent(bound.statement.start_byte()).to_owned();
    let end = lines_of(code, bound.statement, bound.statement, &SHAPE)?.end;
    match bound.left.as_slice() {
        [stream] if method == "NewStreaming" => streamed(site, code, &bound, code.of_node(*stream), &mut fix)?,
        // The calls of this client return an error and nothing else.
        [] if call.symbol.starts_with("github.com/ollama/ollama/api.") && is_error_only(method) => {
            let name = free_error(code, &bound)?;
            let way = way(site, code, bound.statement, bound.function, name)?;
            fix.insert(bound.statement.start_byte(), format!("{name} := "));
            fix.insert(end, way.check(&indent, &code.indent_unit(), name));
            finish(code, &mut fix, &way)?;
        }
        [.., last] if code.of_node(*last) == "_" && bound.left.len() > 1 => {
            let name = free_error(code, &bound)?;
            let way = way(site, code, bound.statement, bound.function, name)?;
            if !bound.defines() {
                if !is_visible(code, &bound, name) {
                    return refused("the result is assigned to a variable, and no error variable is declared here");
                }
            } else if bound.left.iter().all(|name| code.of_node(*name) == "_") {
                return refused("no result of the call is used");
            }
            fix.replace(last.byte_range(), name);
            fix.insert(end, way.check(&indent, &code.indent_unit(), name));
            finish(code, &mut fix, &way)?;
        }
        [.., last] if is_error_name(code.of_node(*last)) => {
            unchecked(site, code, &bound, code.of_node(*last), &mut fix)?;
        }
        _ => return refused("the error of the call has no name here"),
    }
    Ok(fix)
}

/// Methods of the client of Ollama that hand answers to a callback.
fn is_error_only(method: &str) -> bool {
    matches!(method, "Chat" | "Generate" | "Pull")
}

fn is_error_name(name: &str) -> bool {
    name == "e" || name.to_ascii_lowercase().contains("err")
}

/// Adds the imports of a way and what a person must know.
fn finish(code: &Code, fix: &mut Fix, way: &Way) -> Result<(), NoFix> {
    for path in &way.imports {
        if let Some((range, text)) = import(code, path)? {
            fix.replace(range, text);
        }
    }
    fix.manual.extend(way.note.clone());
    Ok(())
}

/// An error that is bound to a name, and never checked, or ends in a panic.
fn unchecked(site: &Site<'_>, code: &Code, bound: &Bound<'_>, name: &str, fix: &mut Fix) -> Result<(), NoFix> {
    let way = way(site, code, bound.statement, bound.function, name)?;
    let unit = code.indent_unit();
    let indent = code.indent(bound.statement.start_byte()).to_owned();
    let mut next = bound.statement.next_named_sibling();
    let mut steps = 0;
    while let Some(after) = next.filter(|_| steps < 8) {
        steps += 1;
        if after.kind() == "if_statement"
            && let Some(condition) = after.child_by_field_name("condition")
            && is_named(code, condition, name)
        {
            let body = after
                .child_by_field_name("consequence")
                .map(statements)
                .unwrap_or_default();
            let [only] = body.as_slice() else {
                return refused("the error is checked in a way that is not known");
            };
            if !code.of_node(*only).starts_with("panic(") || after.child_by_field_name("alternative").is_some() {
                return refused("the error is checked in a way that is not known");
            }
            let range = lines_of(code, *only, *only, &SHAPE)?;
            let inner = code.indent(only.start_byte());
            fix.replace(range, way.lines.join(&format!("\n{inner}")));
            return finish(code, fix, &way);
        }
        let of = |side: &str| {
            after
                .child_by_field_name(side)
                .is_some_and(|side| is_named(code, side, name))
        };
        if matches!(after.kind(), "short_var_declaration" | "assignment_statement") && of("left") && !of("right") {
            // From here on it is the error of something else.
            break;
        }
        if is_named(code, after, name) {
            return refused("the error is used in a way that is not known");
        }
        next = after.next_named_sibling();
    }
    let end = lines_of(code, bound.statement, bound.statement, &SHAPE)?.end;
    fix.insert(end, way.check(&indent, &unit, name));
    finish(code, fix, &way)
}

/// A stream whose error is never asked for: the check goes after the loop that reads it.
fn streamed(site: &Site<'_>, code: &Code, bound: &Bound<'_>, stream: &str, fix: &mut Fix) -> Result<(), NoFix> {
    let reads = format!("{stream}.Next()");
    let mut next = bound.statement.next_named_sibling();
    while let Some(after) = next {
        if after.kind() == "for_statement" {
            let is_it = children(after)
                .first()
                .is_some_and(|first| code.of_node(*first) == reads);
            if is_it {
                let way = functions::after_stream(site, code, after, bound.function, "err")?;
                let indent = code.indent(after.start_byte()).to_owned();
                let unit = code.indent_unit();
                let inner = format!("\n{indent}{unit}");
                let end = lines_of(code, after, after, &SHAPE)?.end;
                fix.insert(
                    end,
                    format!(
                        "\n{indent}if err := {stream}.Err(); err != nil {{{inner}{}\n{indent}}}",
                        way.lines.join(&inner)
                    ),
                );
                return finish(code, fix, &way);
            }
        }
        next = after.next_named_sibling();
    }
    refused("the loop that reads the stream is not next to the call")
}

/// The statements of a block.
fn statements(block: Node<'_>) -> Vec<Node<'_>> {
    children_of(block, &["statement_list"])
        .into_iter()
        .flat_map(children)
        .collect()
}

/// A name for an error that neither this statement nor a later one in the block declares again.
fn free_error<'n>(code: &Code, bound: &Bound<'_>) -> Result<&'n str, NoFix> {
    ["err", "callErr", "modelErr"]
        .into_iter()
        .find(|name| !clashes(code, bound, name))
        .ok_or_else(|| NoFix::here("the usual names for an error are in use here"))
}

/// Whether a later declaration of the block would declare nothing new once a name is declared by the statement.
fn clashes(code: &Code, bound: &Bound<'_>, name: &str) -> bool {
    if name != "err" {
        return is_named(code, bound.function, name);
    }
    if !bound.defines() && !bound.left.is_empty() {
        return false;
    }
    // A bare `return` in an inner block does not compile where it would hide a result of the same name.
    let is_inner =
        bound.statement.parent().and_then(|list| list.parent()) != bound.function.child_by_field_name("body");
    if is_inner
        && bound.function.child_by_field_name("result").is_some_and(|result| {
            children(result)
                .iter()
                .any(|entry| entry.child_by_field_name("name").is_some() && is_named(code, *entry, name))
        })
    {
        return true;
    }
    let names = |node: Node<'_>| -> Vec<String> {
        match node.kind() {
            "short_var_declaration" => node
                .child_by_field_name("left")
                .map(|left| {
                    children(left)
                        .iter()
                        .map(|name| code.of_node(*name).to_owned())
                        .collect()
                })
                .unwrap_or_default(),
            "var_declaration" => descendants(node, |at| at.kind() == "identifier" && is_declared(at))
                .iter()
                .map(|name| code.of_node(*name).to_owned())
                .collect(),
            _ => Vec::new(),
        }
    };
    let mut known: Vec<String> = Vec::new();
    // Parameters share the scope of the outermost block.
    for list in ["parameters", "result", "receiver"] {
        if let Some(list) = bound.function.child_by_field_name(list) {
            let params = descendants(list, |at| at.kind() == "identifier" && is_declared(at));
            known.extend(params.iter().map(|param| code.of_node(*param).to_owned()));
        }
    }
    let mut passed = false;
    for sibling in bound.statement.parent().map(children).unwrap_or_default() {
        let declared = names(sibling);
        if sibling == bound.statement {
            passed = true;
            known.push(name.to_owned());
        } else if passed && declared.iter().any(|declared| declared == name) {
            let nothing_new = declared
                .iter()
                .all(|declared| declared == "_" || known.contains(declared));
            if nothing_new || sibling.kind() == "var_declaration" {
                return true;
            }
        }
        known.extend(declared);
    }
    false
}

fn is_declared(name: Node<'_>) -> bool {
    name.parent().is_some_and(|parent| {
        let mut cursor = parent.walk();
        parent
            .children_by_field_name("name", &mut cursor)
            .any(|declared| declared == name)
    })
}

/// Whether an error variable of a name is declared before a statement, in a block around it or as a parameter.
fn is_visible(code: &Code, bound: &Bound<'_>, name: &str) -> bool {
    let mut at = Some(bound.statement);
    while let Some(node) = at.filter(|node| *node != bound.function) {
        let mut before = node.prev_named_sibling();
        while let Some(sibling) = before {
            let declares = match sibling.kind() {
                "short_var_declaration" => sibling
                    .child_by_field_name("left")
                    .is_some_and(|left| children(left).iter().any(|left| code.of_node(*left) == name)),
                "var_declaration" => code.of_node(sibling) == format!("var {name} error"),
                _ => false,
            };
            if declares {
                return true;
            }
            before = sibling.prev_named_sibling();
        }
        at = node.parent();
    }
    let result = bound.function.child_by_field_name("result");
    result.is_some_and(|result| {
        children(result)
            .iter()
            .any(|entry| code.of_node(*entry) == format!("{name} error"))
    })
}

/// Adds an import to the first group of the standard library; nothing where it is there.
pub(super) fn import(code: &Code, path: &str) -> Result<Option<(std::ops::Range<usize>, String)>, NoFix> {
    let root = code.root()?;
    let quoted = format!("\"{path}\"");
    let specs = descendants(root, |at| at.kind() == "import_spec");
    if specs.iter().any(|spec| code.of_node(*spec) == quoted) {
        return Ok(None);
    }
    if specs.iter().any(|spec| {
        spec.child_by_field_name("path")
            .is_some_and(|known| code.of_node(known) == quoted)
    }) {
        return refused("a package of the standard library is imported under another name");
    }
    let own = path.rsplit('/').next().unwrap_or(path);
    let taken = specs.iter().any(|spec| imported_name(code, *spec) == own);
    let declared = !descendants(root, |at| {
        at.kind() == "identifier" && is_declared(at) && code.of_node(at) == own
    })
    .is_empty()
        || !descendants(root, |at| {
            at.kind() == "short_var_declaration"
                && at
                    .child_by_field_name("left")
                    .is_some_and(|left| children(left).iter().any(|left| code.of_node(*left) == own))
        })
        .is_empty();
    if taken || declared {
        return Err(NoFix::here(format!("the name `{own}` is taken in this file")));
    }
    let Some(declaration) = children_of(root, &["import_declaration"]).into_iter().next() else {
        let package = children_of(root, &["package_clause"])
            .into_iter()
            .next()
            .ok_or(NoFix::Unparsed)?;
        let at = code.next_line(package.end_byte());
        return Ok(Some((at..at, format!("\nimport {quoted}\n"))));
    };
    if code.of_node(declaration).contains("import \"C\"") {
        return refused("the file begins with an import of C code");
    }
    let Some(list) = children_of(declaration, &["import_spec_list"]).into_iter().next() else {
        // `import "net/http"` becomes a group.
        let spec = code.of_node(declaration).trim_start_matches("import").trim();
        let unit = code.indent_unit();
        let is_standard = !spec.rsplit(' ').next().unwrap_or(spec).contains('.');
        let mut lines = [quoted.clone(), spec.to_owned()];
        if is_standard {
            lines.sort();
            let body = lines
                .iter()
                .map(|line| format!("{unit}{line}\n"))
                .collect::<Vec<String>>()
                .concat();
            return Ok(Some((declaration.byte_range(), format!("import (\n{body})"))));
        }
        return Ok(Some((
            declaration.byte_range(),
            format!("import (\n{unit}{quoted}\n\n{unit}{spec}\n)"),
        )));
    };
    // The run of imports of the standard library.
    let specs = children_of(list, &["import_spec"]);
    let mut run: Vec<Node<'_>> = Vec::new();
    for spec in specs {
        let path = spec.child_by_field_name("path").map_or("", |path| code.of_node(path));
        let is_standard = !path.split('/').next().unwrap_or(path).contains('.');
        let follows = run
            .last()
            .is_none_or(|last| last.end_position().row + 1 >= spec.start_position().row);
        if is_standard && follows {
            run.push(spec);
        } else if !run.is_empty() {
            break;
        }
    }
    let unit = code.indent_unit();
    let path_of = |spec: Node<'_>| {
        spec.child_by_field_name("path")
            .map(|path| code.of_node(path).to_owned())
            .unwrap_or_default()
    };
    let Some(end) = run.last() else {
        let at = code.next_line(list.start_byte());
        return Ok(Some((at..at, format!("{unit}{quoted}\n\n"))));
    };
    let before = run.iter().find(|spec| path_of(**spec) > quoted);
    let at = match before {
        Some(spec) => code.line_start(spec.start_byte()),
        None => code.next_line(end.end_byte()),
    };
    Ok(Some((at..at, format!("{unit}{quoted}\n"))))
}

/// The name under which a package is known in a file.
pub(super) fn imported_name<'c>(code: &'c Code, spec: Node<'_>) -> &'c str {
    if let Some(name) = spec.child_by_field_name("name") {
        return code.text.get(name.byte_range()).unwrap_or("");
    }
    let path = spec
        .child_by_field_name("path")
        .and_then(|path| code.text.get(path.byte_range()))
        .unwrap_or("");
    path.trim_matches('"').rsplit('/').next().unwrap_or("")
}

fn logged(site: &Site<'_>, code: &Code, call: &Call) -> Result<Fix, NoFix> {
    let node = node_of(code, call)?;
    let statement = statement_of(node, &SHAPE)?;
    let function = around(statement, SHAPE.functions).ok_or_else(|| NoFix::here("the call is in no function"))?;
    let (logger, path) = match logger(code, function) {
        Some(logger) => (logger, None),
        None => new_logger(site, code)?,
    };
    let mut fix = Fix::default();
    let indent = code.indent(statement.start_byte()).to_owned();
    let known = Bound::of(code, call).ok().and_then(|bound| {
        let answer = code.of_node(*bound.left.first()?);
        let check = bound.statement.next_named_sibling()?;
        (answer != "_" && leaves_on_error(code, &bound, check)).then(|| (answer.to_owned(), check))
    });
    if let Some((answer, check)) = known {
        let end = lines_of(code, check, check, &SHAPE)?.end;
        let fields = fields(call, &answer);
        fix.insert(end, format!("\n{indent}{}", logger.info(ANSWERED, &fields)));
    } else {
        let range = lines_of(code, statement, statement, &SHAPE)?;
        let known = [
            "short_var_declaration",
            "assignment_statement",
            "expression_statement",
            "return_statement",
            "var_declaration",
            "if_statement",
        ];
        if !known.contains(&statement.kind()) || is_conditional(code, node, statement) {
            return refused("the call runs only on a condition, or is in the head of a statement");
        }
        let fields: Vec<(&str, String)> = model_argument(code, node)
            .map(|model| ("model", model))
            .into_iter()
            .collect();
        fix.insert(range.start, format!("{}\n{indent}", logger.info(CALLED, &fields)));
    }
    if let Some(path) = path
        && let Some((range, text)) = import(code, path)?
    {
        fix.replace(range, text);
    }
    fix.cover_block(statement);
    fix.safe = true;
    Ok(fix)
}

/// Whether a statement is the check of the error of a call, and leaves where there is one.
fn leaves_on_error(code: &Code, bound: &Bound<'_>, check: Node<'_>) -> bool {
    let Some(error) = bound.left.last().map(|last| code.of_node(*last)) else {
        return false;
    };
    let condition = check
        .child_by_field_name("condition")
        .map(|condition| code.of_node(condition));
    let last = check
        .child_by_field_name("consequence")
        .and_then(|body| statements(body).last().copied());
    check.kind() == "if_statement"
        && bound.left.len() == 2
        && condition == Some(format!("{error} != nil").as_str())
        && check.child_by_field_name("alternative").is_none()
        && last.is_some_and(|last| {
            matches!(
                last.kind(),
                "return_statement" | "continue_statement" | "break_statement"
            ) || ["panic(", "log.Fatal", "os.Exit("]
                .iter()
                .any(|exit| code.of_node(last).starts_with(exit))
        })
}

/// What an answer of a known client says about the call.
fn fields(call: &Call, answer: &str) -> Vec<(&'static str, String)> {
    let symbol = call.symbol.as_str();
    let method = symbol.rsplit('.').next().unwrap_or("");
    let total = symbol.starts_with("github.com/sashabaranov/go-openai.") && method == "CreateChatCompletion"
        || symbol.starts_with("github.com/openai/openai-go")
            && (symbol.ends_with(".Chat.Completions.New") || symbol.ends_with(".Responses.New"));
    if total {
        return vec![
            ("model", format!("{answer}.Model")),
            ("id", format!("{answer}.ID")),
            ("tokens", format!("{answer}.Usage.TotalTokens")),
        ];
    }
    if symbol.starts_with("github.com/anthropics/anthropic-sdk-go") && symbol.ends_with(".Messages.New") {
        return vec![
            ("model", format!("{answer}.Model")),
            ("id", format!("{answer}.ID")),
            ("inputTokens", format!("{answer}.Usage.InputTokens")),
            ("outputTokens", format!("{answer}.Usage.OutputTokens")),
        ];
    }
    Vec::new()
}

/// The model of a request that is a constant or a field, so that it can be named once more.
fn model_argument(code: &Code, node: Node<'_>) -> Option<String> {
    let call = around(node, &["call_expression"])?;
    let entry = descendants(call, |at| {
        at.kind() == "keyed_element" && children(at).first().is_some_and(|key| code.of_node(*key) == "Model")
    });
    let [entry] = entry.as_slice() else { return None };
    let value = children(*entry).into_iter().nth(1)?;
    let value = match children(value).as_slice() {
        [only] if value.kind() == "literal_element" => *only,
        _ => value,
    };
    matches!(value.kind(), "identifier" | "selector_expression").then(|| code.of_node(value).to_owned())
}

/// The logger for a file that has none.
fn new_logger(site: &Site<'_>, code: &Code) -> Result<(Logger, Option<&'static str>), NoFix> {
    for library in [
        "go.uber.org/zap",
        "github.com/sirupsen/logrus",
        "github.com/rs/zerolog",
        "github.com/go-kit/log",
    ] {
        let direct = site.paths.iter().filter(|path| path.ends_with("go.mod")).any(|path| {
            site.code(path).is_ok_and(|manifest| {
                let mut lines = manifest.text.lines();
                lines.any(|line| line.contains(library) && !line.contains("// indirect"))
            })
        });
        if direct {
            return Err(NoFix::here(format!(
                "the project logs with `{library}`, and no logger is in reach here"
            )));
        }
    }
    if ["os.Stdin", "readline", "promptui", "go-prompt"]
        .iter()
        .any(|name| code.text.contains(name))
    {
        return refused("the program talks at a terminal; choose a log for it first");
    }
    let root = code.root()?;
    let taken = |name: &str| {
        descendants(root, |at| at.kind() == "import_spec")
            .iter()
            .any(|spec| imported_name(code, *spec) == name)
            || is_named(code, root, name)
    };
    let is_new = ["go 1.21", "go 1.22", "go 1.23", "go 1.24", "go 1.25", "go 1.26"]
        .iter()
        .any(|version| manifest_has(site, code, &["go.mod"], &format!("\n{version}")));
    if is_new && !taken("slog") {
        return Ok((Logger::slog("slog"), Some("log/slog")));
    }
    if taken("log") {
        return refused("the name `log` is taken in this file");
    }
    Ok((Logger::standard("log"), Some("log")))
}
