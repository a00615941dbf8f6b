package org.example.complaints;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;

/** What {@code application.yml} says about the model. */
@ConfigurationProperties("assistant")
public record AssistantProperties(String apiKey, String model, Duration timeout) {}
