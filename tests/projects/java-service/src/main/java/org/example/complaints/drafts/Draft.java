package org.example.complaints.drafts;

import java.time.Instant;

/** A reply that is not sent yet, or the one that a clerk released. */
public record Draft(long id, String parcel, String text, Status status, String releasedBy, Instant releasedAt) {

    public enum Status {
        WAITING_FOR_CLERK,
        RELEASED
    }

    static Draft waiting(long id, String parcel, String text) {
        return new Draft(id, parcel, text, Status.WAITING_FOR_CLERK, null, null);
    }

    Draft released(String finalText, String clerk, Instant at) {
        return new Draft(id, parcel, finalText == null ? text : finalText, Status.RELEASED, clerk, at);
    }
}
