"""Everything the API reads from its environment, in one place."""

import os
from dataclasses import dataclass
from pathlib import Path

from dotenv import load_dotenv

load_dotenv()


@dataclass(frozen=True)
class Settings:
    chat_model: str = os.environ.get("CHAT_MODEL", "gpt-4.1-mini")
    help_centre: Path = Path(os.environ.get("HELP_CENTRE", "data/helpcentre.sqlite"))
    prompts: Path = Path(os.environ.get("PROMPTS", "prompts"))
    max_turns: int = int(os.environ.get("MAX_TURNS", "20"))


settings = Settings()
