// Command gateway forwards the requests of the branches to the office.
package main

import (
	"log/slog"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"time"

	"github.com/go-chi/chi/v5"
)

func main() {
	office, err := url.Parse("http://office.example.org")
	if err != nil {
		slog.Error("address of the office", "error", err)
		os.Exit(1)
	}
	router := chi.NewRouter()
	router.Use(keepOut)
	router.Handle("/*", httputil.NewSingleHostReverseProxy(office))
	server := &http.Server{Addr: ":8060", Handler: router, ReadHeaderTimeout: 5 * time.Second}
	slog.Info("listening", "address", server.Addr)
	if err := server.ListenAndServe(); err != nil {
		slog.Error("stopped", "error", err)
		os.Exit(1)
	}
}
