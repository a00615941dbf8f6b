from sqlalchemy import ForeignKey, String
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class Base(DeclarativeBase):
    pass


class Applicant(Base):
    __tablename__ = "applicants"

    id: Mapped[int] = mapped_column(primary_key=True)
    vacancy: Mapped[str] = mapped_column(String(200))
    cv: Mapped[str]


class Ranking(Base):
    __tablename__ = "rankings"

    applicant_id: Mapped[int] = mapped_column(ForeignKey("applicants.id"), primary_key=True)
    points: Mapped[int]
    invited: Mapped[bool]
