package main

import "testing"

func TestHostsOnTheListAreRefused(t *testing.T) {
	for host, want := range map[string]bool{"api.openai.com": true, "eu.API.openai.com.": true, "office.example.org": false} {
		if got := isUnwanted(host); got != want {
			t.Errorf("%s: got %v", host, got)
		}
	}
}
