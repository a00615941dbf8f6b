package org.example.complaints.drafts;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.stereotype.Repository;

/** Keeps the drafts of the day in memory; the letters themselves are filed by the mail room. */
@Repository
class DraftStore {

    private final AtomicLong next = new AtomicLong(1);
    private final Map<Long, Draft> drafts = new ConcurrentHashMap<>();

    Draft add(String parcel, String text) {
        Draft draft = Draft.waiting(next.getAndIncrement(), parcel, text);
        drafts.put(draft.id(), draft);
        return draft;
    }

    Optional<Draft> find(long id) {
        return Optional.ofNullable(drafts.get(id));
    }

    void replace(Draft draft) {
        drafts.put(draft.id(), draft);
    }
}
