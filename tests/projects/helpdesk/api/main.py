"""HTTP interface of the chat."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, HTTPException, Request
from fastapi.middleware.cors import CORSMiddleware
from fastapi.responses import StreamingResponse
from openai import AsyncOpenAI

from .chat import ChatRequest, answer
from .retrieval import HelpCentre
from .settings import settings

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(levelname)s %(message)s")


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    app.state.client = AsyncOpenAI(timeout=30, max_retries=2)
    app.state.centre = HelpCentre.open(settings.help_centre)
    yield
    await app.state.client.close()


app = FastAPI(title="Helpdesk", lifespan=lifespan)
app.add_middleware(CORSMiddleware, allow_origins=["http://localhost:8080"], allow_methods=["POST"], allow_headers=["*"])


@app.get("/health")
async def health() -> dict[str, str]:
    return {"status": "ok"}


@app.post("/chat")
async def chat(body: ChatRequest, request: Request) -> StreamingResponse:
    if body.turns[-1].role != "user":
        raise HTTPException(status_code=422, detail="the last turn must be a question")
    words = answer(request.app.state.client, request.app.state.centre, body)
    return StreamingResponse(words, media_type="text/plain; charset=utf-8")
