package summary

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"testing"

	openai "github.com/sashabaranov/go-openai"

	"example.org/summaryd/internal/tickets"
)

type fake struct {
	reply string
	err   error
}

func (f fake) CreateChatCompletion(_ context.Context, _ openai.ChatCompletionRequest) (openai.ChatCompletionResponse, error) {
	choice := openai.ChatCompletionChoice{Message: openai.ChatCompletionMessage{Content: f.reply}}
	return openai.ChatCompletionResponse{Model: "fake", Choices: []openai.ChatCompletionChoice{choice}}, f.err
}

func quiet() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

func TestASummaryCarriesTheNotice(t *testing.T) {
	got, err := With(fake{reply: "The pump is broken."}, quiet()).Write(context.Background(), tickets.Ticket{Number: "T-1"})
	if err != nil || got.Notice != Notice {
		t.Fatalf("got %+v, %v", got, err)
	}
}

func TestAFailureOfTheProviderIsPassedOn(t *testing.T) {
	broken := errors.New("broken")
	_, err := With(fake{err: broken}, quiet()).Write(context.Background(), tickets.Ticket{Number: "T-1"})
	if !errors.Is(err, broken) {
		t.Fatalf("got %v", err)
	}
}

func TestTheFakeAnswersWhatItWasTold(t *testing.T) {
	response, err := fake{reply: "ok"}.CreateChatCompletion(context.Background(), openai.ChatCompletionRequest{Model: openai.GPT4o})
	if err != nil || response.Choices[0].Message.Content != "ok" {
		t.Fatalf("got %+v, %v", response, err)
	}
}
