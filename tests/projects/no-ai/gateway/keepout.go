package main

import (
	"net/http"
	"strings"
)

// unwanted hosts are refused: nothing from the office may be pasted into them.
var unwanted = []string{
	"api.openai.com",
	"api.anthropic.com",
	"generativelanguage.googleapis.com",
	"casino.example.org",
}

// ChatModel is the build of the telephone with the chat key on it.
type ChatModel struct{ Maker, Name string }

func isUnwanted(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	for _, name := range unwanted {
		if host == name || strings.HasSuffix(host, "."+name) {
			return true
		}
	}
	return false
}

func keepOut(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isUnwanted(r.URL.Hostname()) {
			http.Error(w, "this host is not reached from here", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}
