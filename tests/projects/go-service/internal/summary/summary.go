// Package summary turns a ticket into three sentences.
package summary

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"example.org/summaryd/internal/tickets"
)

// Notice goes out with every summary, so that the reader knows who wrote it.
const Notice = "This summary was written by an AI system and may be wrong. Read the ticket before you act on it."

const instructions = "Summarise the support ticket in at most three sentences: what is broken, what was tried, what is next."

// ErrEmpty says that the model gave no text back.
var ErrEmpty = errors.New("the model returned no text")

// Summary is what the next person on shift reads.
type Summary struct {
	Ticket string `json:"ticket"`
	Text   string `json:"text"`
	Notice string `json:"notice"`
	Model  string `json:"model"`
}

// Completer is the part of the provider's client that is used here.
type Completer interface {
	CreateChatCompletion(context.Context, openai.ChatCompletionRequest) (openai.ChatCompletionResponse, error)
}

// Writer writes summaries.
type Writer struct {
	client Completer
	log    *slog.Logger
}

// NewWriter makes a writer for the account with this key.
func NewWriter(key string, log *slog.Logger) *Writer {
	return With(openai.NewClient(key), log)
}

// With makes a writer on a client that exists already.
func With(client Completer, log *slog.Logger) *Writer {
	return &Writer{client: client, log: log}
}

// Write asks the model for the summary of one ticket.
func (w *Writer) Write(ctx context.Context, ticket tickets.Ticket) (Summary, error) {
	text, err := ticket.Text()
	if err != nil {
		return Summary{}, err
	}
	started := time.Now()
	response, err := w.client.CreateChatCompletion(ctx, openai.ChatCompletionRequest{
		Model:     openai.GPT4oMini,
		MaxTokens: 300,
		Messages: []openai.ChatCompletionMessage{
			{Role: openai.ChatMessageRoleSystem, Content: instructions},
			{Role: openai.ChatMessageRoleUser, Content: text},
		},
	})
	if err != nil {
		w.log.ErrorContext(ctx, "summary failed", "ticket", ticket.Number, "error", err)
		return Summary{}, fmt.Errorf("summarise %s: %w", ticket.Number, err)
	}
	w.log.InfoContext(ctx, "summary written",
		"ticket", ticket.Number,
		"model", response.Model,
		"request", response.ID,
		"tokens", response.Usage.TotalTokens,
		"elapsed", time.Since(started))
	if len(response.Choices) == 0 || response.Choices[0].Message.Content == "" {
		return Summary{}, ErrEmpty
	}
	return Summary{
		Ticket: ticket.Number,
		Text:   response.Choices[0].Message.Content,
		Notice: Notice,
		Model:  response.Model,
	}, nil
}
