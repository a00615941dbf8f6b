import pytest

from parley import Backend, BackendError, Message, Reply


class Flaky(Backend):
    name = "flaky"

    def __init__(self, failures: list[BackendError]) -> None:
        super().__init__(pause=0)
        self.failures = failures

    def _send(self, messages: list[Message], model: str) -> Reply:
        if self.failures:
            raise self.failures.pop()
        return Reply("done", 1, model)


def test_a_passing_failure_is_tried_again() -> None:
    assert Flaky([BackendError("busy", passing=True)]).complete([Message("user", "hi")], "m").text == "done"


def test_a_lasting_failure_is_raised_at_once() -> None:
    failures = [BackendError("never"), BackendError("no key")]
    with pytest.raises(BackendError, match="no key"):
        Flaky(failures).complete([Message("user", "hi")], "m")
    assert len(failures) == 1
