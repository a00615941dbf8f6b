package org.example.complaints;

import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.mistralai.MistralAiChatModel;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration
class AssistantConfiguration {

    @Bean
    ChatModel chatModel(AssistantProperties properties) {
        return MistralAiChatModel.builder()
                .apiKey(properties.apiKey())
                .modelName(properties.model())
                .timeout(properties.timeout())
                .temperature(0.3)
                .build();
    }
}
