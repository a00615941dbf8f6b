package org.example.complaints.drafts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.exception.TimeoutException;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.output.TokenUsage;
import org.junit.jupiter.api.Test;

class DraftServiceTest {

    private final ChatModel model = mock(ChatModel.class);
    private final DraftService service = new DraftService(model, new DraftStore());

    @Test
    void aDraftWaitsForAClerk() {
        when(model.chat(any(ChatMessage.class), any(ChatMessage.class)))
                .thenReturn(ChatResponse.builder()
                        .aiMessage(AiMessage.from("We are sorry."))
                        .tokenUsage(new TokenUsage(10, 5))
                        .build());
        Draft draft = service.write("P-1", "wet");
        assertThat(draft.status()).isEqualTo(Draft.Status.WAITING_FOR_CLERK);
        assertThat(service.release(draft.id(), "a.moreau", null).releasedBy()).isEqualTo("a.moreau");
    }

    @Test
    void aFailureLeavesAnEmptyDraftForTheClerk() {
        when(model.chat(any(ChatMessage.class), any(ChatMessage.class))).thenThrow(new TimeoutException("slow"));
        assertThat(service.write("P-1", "wet").text()).isEmpty();
    }

    @Test
    void aDraftIsReleasedOnce() {
        when(model.chat(any(ChatMessage.class), any(ChatMessage.class))).thenThrow(new TimeoutException("slow"));
        Draft draft = service.write("P-1", "wet");
        service.release(draft.id(), "a.moreau", "Dear customer");
        assertThatThrownBy(() -> service.release(draft.id(), "b.lang", null)).isInstanceOf(IllegalStateException.class);
    }
}
