"""A corpus of filings with questions: the two files that the cards of TableQuest read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from ...core.seeds import seed as seeded
from ..parallel import in_order
from ..parquet_rows import open_rows
from .edgar import edgar_html
from .filing import Filing, make_filing
from .questions.drawing import draw_questions
from .questions.question import LEVELS, FilingQuestion, Level

FOLDER = "tablequest"
"""Where a mirror has the two files."""

DOCUMENT_SCHEMA = pa.schema([("path", pa.string()), ("content", pa.string())])
QUESTION_SCHEMA = pa.schema(
    [
        *(
            (name, pa.string())
            for name in ("id", "document", "level", "question", "answer", "steps", "evidence")
        ),
        ("company", pa.string()),
        ("year", pa.int32()),
        ("table", pa.int32()),
        ("rubric", pa.string()),
    ]
)


@dataclass(frozen=True, slots=True)
class CorpusOptions:
    """How the filings of a corpus are made: everything but which of them.

    Attributes:
        pages: the length of a filing.
        questions: how many questions on each, the levels in turn.
        seed: of everything random.
        levels: the levels of the questions.
    """

    pages: int
    questions: int
    seed: int = 0
    levels: tuple[Level, ...] = LEVELS


@dataclass(frozen=True, slots=True)
class FilingOutput:
    """What is written of one filing: its name, its HTML, its questions' rows."""

    name: str
    html: str
    questions: list[dict[str, Any]]


def filing_output(number: int, *, options: CorpusOptions) -> FilingOutput:
    """Everything that is written of a corpus's filing of this number, from 1."""
    seed = seeded(options.seed, "filing", str(number))
    filing = make_filing(seed, pages=options.pages)
    made = draw_questions(filing, options.questions, seed=seed, levels=options.levels)
    name = f"filing-{number:05d}"
    rows = [_row(filing, name, at, question) for at, question in enumerate(made, 1)]
    return FilingOutput(name, edgar_html(filing.document, seed=seed), rows)


def _row(filing: Filing, name: str, number: int, question: FilingQuestion) -> dict[str, Any]:
    return {
        "id": f"{name}-{number:03d}",
        "document": name,
        "level": question.level,
        "question": question.question,
        "answer": question.answer,
        "steps": question.steps,
        "evidence": question.evidence,
        "company": filing.company.name,
        "year": filing.company.year,
        "table": question.table,
        "rubric": json.dumps(question.rubric, ensure_ascii=False) if question.rubric else None,
    }


def filing_outputs(documents: int, options: CorpusOptions, *, workers: int = 1) -> Iterator[FilingOutput]:
    """The filings of a corpus in order; a smaller corpus is the beginning of a larger one."""
    make = partial(filing_output, options=options)
    for _, output in in_order(make, range(1, documents + 1), workers=workers, chunk=1):
        yield output


def write_corpus(outputs: Iterable[FilingOutput], folder: Path, *, html: bool = False) -> dict[str, int]:
    """Write filings to a folder: ``tablequest/documents.parquet`` and ``tablequest/questions.parquet``.

    Args:
        outputs: the filings; one is held at a time, and rows until a row group is full.
        folder: an existing folder, which is then a mirror for ``TORR_DATA``.
        html: whether to write each filing to a file ``html/<name>.html``, too.

    Returns:
        The numbers of ``documents``, ``questions``, and ``characters`` of HTML.
    """
    (folder / FOLDER).mkdir(parents=True, exist_ok=True)
    if html:
        (folder / "html").mkdir(exist_ok=True)
    characters = 0
    with ExitStack() as stack:
        documents = stack.enter_context(open_rows(folder / FOLDER / "documents.parquet", DOCUMENT_SCHEMA))
        rows = stack.enter_context(open_rows(folder / FOLDER / "questions.parquet", QUESTION_SCHEMA))
        for output in outputs:
            documents.add([{"path": f"{output.name}.html", "content": output.html}])
            rows.add(output.questions)
            characters += len(output.html)
            if html:
                (folder / "html" / f"{output.name}.html").write_text(output.html, encoding="utf-8")
    return {"documents": documents.count, "questions": rows.count, "characters": characters}
