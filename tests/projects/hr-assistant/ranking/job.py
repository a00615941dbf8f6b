"""Nightly job: gives every new application points and decides who is invited."""

import json
import os

import anthropic
from sqlalchemy import create_engine, select
from sqlalchemy.orm import Session

from .models import Applicant, Base, Ranking

MODEL = "claude-sonnet-4-5-20250929"
INVITED_FROM = 65


def points(client: anthropic.Anthropic, applicant: Applicant) -> int:
    message = client.messages.create(
        model=MODEL,
        max_tokens=200,
        messages=[
            {
                "role": "user",
                "content": f"Give 0 to 100 points as JSON.\nVacancy: {applicant.vacancy}\nCV:\n{applicant.cv}",
            }
        ],
    )
    return int(json.loads(message.content[0].text)["points"])


def rank(session: Session, client: anthropic.Anthropic) -> int:
    ranked = 0
    waiting = select(Applicant).outerjoin(Ranking).where(Ranking.applicant_id.is_(None)).order_by(Applicant.id)
    for applicant in session.scalars(waiting).all():
        result = points(client, applicant)
        session.add(Ranking(applicant_id=applicant.id, points=result, invited=result >= INVITED_FROM))
        session.commit()
        ranked += 1
    return ranked


def main() -> None:
    engine = create_engine(os.environ["DATABASE_URL"])
    Base.metadata.create_all(engine)
    with Session(engine) as session:
        print(f"{rank(session, anthropic.Anthropic())} applications ranked")


if __name__ == "__main__":
    main()
