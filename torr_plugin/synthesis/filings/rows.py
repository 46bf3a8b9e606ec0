"""The rows of the bundled cards on filings: short annual reports, each with questions at all three levels."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import TYPE_CHECKING

from .filing import make_filing
from .questions.drawing import draw_questions

if TYPE_CHECKING:
    from ..generation import Row

PAGES = 3
QUESTIONS = 9
"""On each filing, three of each level."""


def filing_rows(random: Random, number: int) -> Iterator[Row]:
    """Nine questions about a filing of three pages, the levels in turn.

    ``table`` is the first table of the document, ``evidence_table`` the number of the one asked about.
    """
    seed = random.getrandbits(32)
    filing = make_filing(seed, pages=PAGES)
    for question in draw_questions(filing, QUESTIONS, seed=seed):
        yield {
            "table": filing.document.tables[0],
            "document": filing.document,
            "evidence_table": str(question.table),
            "question": question.question,
            "answer": question.answer,
            "kind": question.kind,
            "level": question.level,
            "steps": question.steps,
            "evidence": question.evidence,
            "rubric": json.dumps(question.rubric) if question.rubric else "",
            "company": filing.company.name,
            "year": str(filing.company.year),
        }
