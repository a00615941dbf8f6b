// Package tickets holds what the service knows about a support ticket.
package tickets

import (
	"errors"
	"strings"
	"unicode/utf8"
)

// MaxRunes is the length up to which a ticket is summarised.
const MaxRunes = 30_000

// ErrTooLong says that a ticket has to be split first.
var ErrTooLong = errors.New("the ticket is too long to summarise")

// Ticket is a number and the messages that were exchanged, oldest first.
type Ticket struct {
	Number   string   `json:"ticket"`
	Messages []string `json:"messages"`
}

// Text joins the messages into one text.
func (t Ticket) Text() (string, error) {
	text := strings.TrimSpace(strings.Join(t.Messages, "\n---\n"))
	if utf8.RuneCountInString(text) > MaxRunes {
		return "", ErrTooLong
	}
	return text, nil
}
