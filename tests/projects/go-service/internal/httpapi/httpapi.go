// Package httpapi is the HTTP side of the service.
package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"example.org/summaryd/internal/summary"
	"example.org/summaryd/internal/tickets"
)

const maxBody = 1 << 20

// Writer is what the handlers need from package summary.
type Writer interface {
	Write(context.Context, tickets.Ticket) (summary.Summary, error)
}

// New builds the router.
func New(writer Writer, timeout time.Duration, log *slog.Logger) http.Handler {
	router := chi.NewRouter()
	router.Use(middleware.RequestID, middleware.Recoverer)
	router.Get("/healthz", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	router.Post("/v1/summaries", func(w http.ResponseWriter, r *http.Request) {
		var ticket tickets.Ticket
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&ticket); err != nil {
			fail(w, http.StatusBadRequest, "the body is not a ticket")
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), timeout)
		defer cancel()
		result, err := writer.Write(ctx, ticket)
		switch {
		case errors.Is(err, tickets.ErrTooLong):
			fail(w, http.StatusUnprocessableEntity, err.Error())
		case errors.Is(err, context.DeadlineExceeded):
			fail(w, http.StatusGatewayTimeout, "the summary took too long")
		case err != nil:
			log.WarnContext(ctx, "request failed", "id", middleware.GetReqID(ctx), "error", err)
			fail(w, http.StatusBadGateway, "no summary could be had")
		default:
			reply(w, http.StatusOK, result)
		}
	})
	return router
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

func fail(w http.ResponseWriter, status int, message string) {
	reply(w, status, map[string]string{"error": message})
}
