"""Reads the text out of a CV."""

from pathlib import Path

from pypdf import PdfReader


def read_cv(path: Path, limit: int = 20_000) -> str:
    if path.suffix.lower() == ".pdf":
        text = "\n".join(page.extract_text() for page in PdfReader(path).pages)
    else:
        text = path.read_text(encoding="utf-8", errors="replace")
    return text[:limit]
