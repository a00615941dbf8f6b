"""Finds the articles of the help centre that are closest in meaning to a question."""

import sqlite3
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from openai import AsyncOpenAI

EMBEDDING_MODEL = "text-embedding-3-small"


@dataclass(frozen=True)
class Article:
    id: int
    title: str
    text: str


class HelpCentre:
    """The articles and their vectors, read once at start."""

    def __init__(self, articles: list[Article], vectors: np.ndarray) -> None:
        self.articles = articles
        self.vectors = vectors

    @classmethod
    def open(cls, path: Path) -> "HelpCentre":
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
            rows = db.execute("SELECT id, title, body, vector FROM article ORDER BY id").fetchall()
        articles = [Article(row[0], row[1], row[2]) for row in rows]
        vectors = np.array([np.frombuffer(row[3], dtype=np.float32) for row in rows])
        return cls(articles, vectors)

    def nearest(self, vector: np.ndarray, limit: int = 4) -> list[Article]:
        if not self.articles:
            return []
        lengths = np.linalg.norm(self.vectors, axis=1) * np.linalg.norm(vector)
        similarity = self.vectors @ vector / np.maximum(lengths, 1e-9)
        best = np.argsort(-similarity)[:limit]
        return [self.articles[index] for index in best]


async def embed(client: AsyncOpenAI, text: str) -> np.ndarray:
    answer = await client.embeddings.create(model=EMBEDDING_MODEL, input=text[:8000])
    return np.array(answer.data[0].embedding, dtype=np.float32)


async def relevant_articles(client: AsyncOpenAI, centre: HelpCentre, question: str) -> list[Article]:
    return centre.nearest(await embed(client, question))
