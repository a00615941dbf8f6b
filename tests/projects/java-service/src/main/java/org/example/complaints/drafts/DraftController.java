package org.example.complaints.drafts;

import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Size;
import java.util.NoSuchElementException;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/drafts")
class DraftController {

    record Complaint(@NotBlank String parcel, @NotBlank @Size(max = 5000) String complaint) {}

    private final DraftService drafts;

    DraftController(DraftService drafts) {
        this.drafts = drafts;
    }

    @PostMapping
    @ResponseStatus(HttpStatus.CREATED)
    Draft write(@Valid @RequestBody Complaint complaint) {
        return drafts.write(complaint.parcel(), complaint.complaint());
    }

    @PostMapping("/{id}/release")
    Draft release(@PathVariable long id, @RequestParam String clerk, @RequestBody(required = false) String text) {
        return drafts.release(id, clerk, text);
    }

    @ExceptionHandler(NoSuchElementException.class)
    ProblemDetail unknown(NoSuchElementException failure) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.NOT_FOUND, failure.getMessage());
    }

    @ExceptionHandler(IllegalStateException.class)
    ProblemDetail twice(IllegalStateException failure) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, failure.getMessage());
    }
}
