"""Questions on a generated table, in fifteen types, with their SQL, answers and properties."""

from __future__ import annotations

from .answers import read_answer, write_answer
from .engine import Engine, SqlError, run_sql
from .generate import Asking, Question, questions
from .properties import question_properties
from .templates import KINDS, QuestionTemplate, question_templates

__all__ = [
    "KINDS",
    "Asking",
    "Engine",
    "Question",
    "QuestionTemplate",
    "SqlError",
    "question_properties",
    "question_templates",
    "questions",
    "read_answer",
    "run_sql",
    "write_answer",
]
