"""What employees and the people team reach: a chat about leave and pay, and pictures for advertisements."""

import logging

from fastapi import FastAPI, HTTPException
from openai import OpenAI, OpenAIError
from pydantic import BaseModel

app = FastAPI(title="HR assistant")
client = OpenAI()
log = logging.getLogger("hr.assistant")

MODEL = "gpt-4.1-2025-04-14"
RULES = "You are Robin from the people team. Answer questions on leave, pay and benefits in two sentences."


class Question(BaseModel):
    text: str


@app.post("/chat")
def chat(question: Question) -> dict[str, str]:
    try:
        answer = client.responses.create(model=MODEL, instructions=RULES, input=question.text)
    except OpenAIError as error:
        log.warning("no answer: %s", error)
        raise HTTPException(status_code=503, detail="Robin is not at the desk right now.") from error
    log.info("answered %s with %s", answer.id, answer.model)
    return {"from": "Robin", "text": answer.output_text}


class Advertisement(BaseModel):
    title: str
    place: str


@app.post("/advertisements/picture")
def picture(advertisement: Advertisement) -> dict[str, str]:
    image = client.images.generate(
        model="dall-e-2",
        prompt=f"A friendly team at work in {advertisement.place}, for the post of {advertisement.title}",
        size="1024x1024",
    )
    return {"title": advertisement.title, "picture": image.data[0].b64_json}
