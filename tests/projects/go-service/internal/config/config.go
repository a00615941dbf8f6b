// Package config reads the settings of the service from its environment.
package config

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// Config is everything the service can be told from outside.
type Config struct {
	Listen  string
	Key     string
	Timeout time.Duration
}

// FromEnv reads the settings and says which one is wrong.
func FromEnv() (Config, error) {
	config := Config{Listen: ":8090", Key: os.Getenv("OPENAI_API_KEY"), Timeout: 20 * time.Second}
	if config.Key == "" {
		return Config{}, errors.New("OPENAI_API_KEY is not set")
	}
	if listen := os.Getenv("LISTEN"); listen != "" {
		config.Listen = listen
	}
	if timeout := os.Getenv("REQUEST_TIMEOUT"); timeout != "" {
		parsed, err := time.ParseDuration(timeout)
		if err != nil {
			return Config{}, fmt.Errorf("REQUEST_TIMEOUT: %w", err)
		}
		config.Timeout = parsed
	}
	return config, nil
}
