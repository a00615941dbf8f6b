"""What every backend has in common."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal


@dataclass(frozen=True)
class Message:
    role: Literal["system", "user", "assistant"]
    text: str


@dataclass(frozen=True)
class Reply:
    text: str
    tokens: int
    model: str


class BackendError(Exception):
    """A provider failed; `passing` says whether another attempt may help."""

    def __init__(self, message: str, *, passing: bool = False) -> None:
        super().__init__(message)
        self.passing = passing


class Backend(ABC):
    name: ClassVar[str]

    def __init__(self, *, attempts: int = 3, pause: float = 0.5) -> None:
        self.attempts = attempts
        self.pause = pause

    def complete(self, messages: list[Message], model: str) -> Reply:
        """Sends the messages and returns the reply, trying again where that may help."""
        for attempt in range(1, self.attempts + 1):
            try:
                return self._send(messages, model)
            except BackendError as error:
                if not error.passing or attempt == self.attempts:
                    raise
                time.sleep(self.pause * 2 ** (attempt - 1))
        raise BackendError("no attempt was allowed")

    @abstractmethod
    def _send(self, messages: list[Message], model: str) -> Reply: ...
