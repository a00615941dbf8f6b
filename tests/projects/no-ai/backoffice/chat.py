"""Customer chats at the counter. People write both sides; this module files what was completed."""

from dataclasses import dataclass
from datetime import datetime, timezone


@dataclass(frozen=True)
class ChatCompletion:
    """The record that a chat is over: who closed it, and how it ended."""

    chat: int
    closed_by: str
    outcome: str
    at: datetime


class Completions:
    def __init__(self) -> None:
        self.filed: list[ChatCompletion] = []

    def create(self, chat: int, closed_by: str, outcome: str) -> ChatCompletion:
        completion = ChatCompletion(chat, closed_by, outcome, datetime.now(timezone.utc))
        self.filed.append(completion)
        return completion


class Chat:
    def __init__(self) -> None:
        self.completions = Completions()


class Desk:
    """One counter. `client` in the rest of the code is a desk that is a client of the archive."""

    def __init__(self) -> None:
        self.chat = Chat()


client = Desk()


def close(chat: int, clerk: str, messages: list[str]) -> ChatCompletion:
    outcome = "solved" if any("thank" in message.lower() for message in messages) else "open"
    return client.chat.completions.create(chat, closed_by=clerk, outcome=outcome)
