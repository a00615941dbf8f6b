"""Tables of the personnel database that the job reads and writes."""

from datetime import datetime, timezone

from sqlalchemy import DateTime, ForeignKey, String, Text
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship


class Base(DeclarativeBase):
    pass


class Applicant(Base):
    __tablename__ = "applicant"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(200))
    email: Mapped[str] = mapped_column(String(200))
    vacancy: Mapped[str] = mapped_column(String(40), index=True)
    cv_file: Mapped[str] = mapped_column(String(300))
    result: Mapped["ScreeningResult | None"] = relationship(back_populates="applicant")


class ScreeningResult(Base):
    __tablename__ = "screening_result"

    id: Mapped[int] = mapped_column(primary_key=True)
    applicant_id: Mapped[int] = mapped_column(ForeignKey("applicant.id"), unique=True)
    score: Mapped[int]
    shortlisted: Mapped[bool]
    reason: Mapped[str] = mapped_column(Text)
    created: Mapped[datetime] = mapped_column(
        DateTime(timezone=True), default=lambda: datetime.now(timezone.utc)
    )
    applicant: Mapped[Applicant] = relationship(back_populates="result")
