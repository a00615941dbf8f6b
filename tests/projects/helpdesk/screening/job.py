"""Nightly job: scores every new application and writes the shortlist."""

import json
import os
from pathlib import Path

import anthropic
from sqlalchemy import create_engine, select
from sqlalchemy.orm import Session

from .cv import read_cv
from .models import Applicant, Base, ScreeningResult

MODEL = "claude-sonnet-4-5-20250929"
SHORTLIST_FROM = 70
INSTRUCTIONS = Path(__file__).parent.parent / "prompts" / "screening.md"


def score(client: anthropic.Anthropic, applicant: Applicant, cv: str) -> dict:
    """Asks the model for a score from 0 to 100 and a reason."""
    message = client.messages.create(
        model=MODEL,
        max_tokens=400,
        system=INSTRUCTIONS.read_text(encoding="utf-8"),
        messages=[{"role": "user", "content": f"Vacancy: {applicant.vacancy}\n\nCV:\n{cv}"}],
    )
    result = json.loads(message.content[0].text)
    print(f"{applicant.id}: {result['score']}")
    return result


def screen(session: Session, client: anthropic.Anthropic, inbox: Path) -> int:
    waiting = session.scalars(
        select(Applicant).outerjoin(ScreeningResult).where(ScreeningResult.id.is_(None)).order_by(Applicant.id)
    )
    done = 0
    for applicant in waiting.all():
        result = score(client, applicant, read_cv(inbox / applicant.cv_file))
        session.add(
            ScreeningResult(
                applicant_id=applicant.id,
                score=result["score"],
                shortlisted=result["score"] >= SHORTLIST_FROM,
                reason=result["reason"],
            )
        )
        session.commit()
        done += 1
    return done


def main() -> None:
    engine = create_engine(os.environ["DATABASE_URL"])
    Base.metadata.create_all(engine)
    inbox = Path(os.environ.get("CV_INBOX", "/var/spool/applications"))
    with Session(engine) as session:
        done = screen(session, anthropic.Anthropic(), inbox)
    print(f"{done} applications screened")


if __name__ == "__main__":
    main()
