package org.example.complaints.drafts;

import dev.langchain4j.data.message.SystemMessage;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.exception.LangChain4jException;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.chat.response.ChatResponse;
import java.time.Clock;
import java.util.NoSuchElementException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Service;

@Service
public class DraftService {

    private static final Logger log = LoggerFactory.getLogger(DraftService.class);
    private static final SystemMessage INSTRUCTIONS = SystemMessage.from(
            "Draft a short, polite reply to a complaint about a parcel. Promise no money and no date.");

    private final ChatModel model;
    private final DraftStore store;
    private final Clock clock = Clock.systemUTC();

    DraftService(ChatModel model, DraftStore store) {
        this.model = model;
        this.store = store;
    }

    /** Writes a draft and puts it in front of a clerk. */
    public Draft write(String parcel, String complaint) {
        try {
            ChatResponse response = model.chat(INSTRUCTIONS, UserMessage.from(complaint));
            log.info("draft for {} written, {} tokens", parcel, response.tokenUsage().totalTokenCount());
            return store.add(parcel, response.aiMessage().text());
        } catch (LangChain4jException failure) {
            log.warn("no draft for {}", parcel, failure);
            return store.add(parcel, "");
        }
    }

    /** A clerk takes responsibility for the text; only now may the mail room send it. */
    public Draft release(long id, String clerk, String finalText) {
        Draft draft = store.find(id).orElseThrow(() -> new NoSuchElementException("no draft " + id));
        if (draft.status() == Draft.Status.RELEASED) {
            throw new IllegalStateException("draft " + id + " was released by " + draft.releasedBy());
        }
        Draft released = draft.released(finalText, clerk, clock.instant());
        store.replace(released);
        log.info("draft {} released by {}", id, clerk);
        return released;
    }
}
