"""Tasks for models by script, and a folder as ``torr synth qa`` leaves it: two filings with questions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from torr_plugin.catalog.own_tables import Tables
from torr_plugin.core.parquet import open_rows
from torr_plugin.question_writing.annotation.task import AnnotationTask, annotation_roles
from torr_plugin.question_writing.document_questions.excerpts import DocumentExcerpt
from torr_plugin.question_writing.document_questions.question import (
    DOCUMENT_SCHEMA,
    DocumentQuestion,
    review_sheet,
    write_questions,
)
from torr_plugin.question_writing.document_questions.task import SynthesisTask, synthesis_roles
from torr_plugin.question_writing.review import write_review
from torr_plugin.recipes import ModelEntry
from torr_plugin.running import add_model
from torr_plugin.tables import Table
from torr_plugin.tables.documents import read_filing

RIVERS = "River,Country,Length (km)\nOtter,Norland,412\nHeron,Norland,1205\nLinden,Sudmark,733\n"
TOWNS = "<table><tr><th>Town</th><th>River</th></tr><tr><td>Ottery</td><td>Otter</td></tr></table>"
ACME = """<h1>Acme Corp.</h1>
<p>Our commitments were the following (in millions):</p>
<table><tr><th></th><th>2023</th><th>2022</th></tr>
<tr><td>Leases</td><td>$ 410</td><td>$ 380</td></tr>
<tr><td>Purchases</td><td>311</td><td>(20)</td></tr>
<tr><td>Total</td><td>$ 721</td><td>$ 360</td></tr></table>
<p>Total commitments rose to $721 million in 2023.</p>"""
NO_CHARTS = ("fact_checking", "numerical_reasoning", "data_analysis", "structure_comprehending")


def register() -> None:
    """Make the models known."""
    for name, kind in {"test-annotator": "Scripted", "test-writer": "ScriptedWriter"}.items():
        add_model(name, f"tests.question_writing.models:{kind}", origin="the tests")


def entry(name: str, **args: str) -> ModelEntry:
    """A model by script: those called ``w`` and ``f`` write about documents and filter, others annotate."""
    model = "test-writer" if name[0] in "wf" else "test-annotator"
    return ModelEntry(model=model, name=name, args=args)


def annotation(
    place: Path,
    *models: ModelEntry,
    asker: str | None = None,
    answerers: Sequence[str] = (),
    judge: str | None = None,
    **options: Any,
) -> AnnotationTask:
    """A task about the tables; for three models that answer differently where none are given."""
    asked = models or (entry("a"), entry("b", kind="b"), entry("c", kind="c"))
    roles = annotation_roles(asked, asker, answerers, judge)
    given = {"types": NO_CHARTS, "questions": 3, **options}
    return AnnotationTask(source=Tables(place / "tables"), roles=roles, **given)


def synthesis(
    place: Path,
    *models: ModelEntry,
    writer: str | None = None,
    filter_by: str | None = None,
    **options: Any,
) -> SynthesisTask:
    """A task about the documents, for a writer and a filter."""
    roles = synthesis_roles(models or (entry("w"), entry("f")), writer, filter_by)
    return SynthesisTask(**{"source": place / "docs", "roles": roles, **options})


HTML = {
    name: f"<h1>{name.title()} Corp.</h1><p>Our commitments were (in millions):</p>"
    "<table><tr><th></th><th>2023</th><th>2022</th></tr><tr><td>Leases</td><td>$ 410</td><td>$ 380</td></tr>"
    "<tr><td>Purchases</td><td>311</td><td>(20)</td></tr></table><p>Leases rose to $410 million.</p>"
    for name in ("acme", "zenith")
}
EVIDENCE = "Our commitments were (in millions): | 2023 | 2022 Leases | $ 410 | $ 380 Purchases | 311 | (20)"


def question(number: int, document: str = "acme", **changed: Any) -> DocumentQuestion:
    """An extraction from a document."""
    given = {
        "level": "extraction",
        "chunk": 0,
        "table": 0,
        "question": f"What were leases in 2023? ({number})",
        "answer": "$410 million",
        "steps": ("Look up Leases, 2023.",),
        "evidence": EVIDENCE,
        "kept": True,
        "reason": "clear",
    }
    return DocumentQuestion(id=f"{document}-{number}", document=document, **{**given, **changed})


QUESTIONS = [
    question(1, grounding="Leases rose to $410 million."),
    question(2, level="calculation", answer="$30 million", steps=("410 - 380 = 30",)),
    question(3, level="analysis", answer="Commitments rose.", table=None),
    question(4, kept=False, reason="it has two answers"),
    question(1, "zenith"),
]


def excerpts() -> list[DocumentExcerpt]:
    """The documents as chunks of one."""
    return [
        DocumentExcerpt(
            name,
            0,
            [(0 if isinstance(block, Table) else None, block) for block in read_filing(text).blocks],
            {},
        )
        for name, text in HTML.items()
    ]


def write(folder: Path, questions: list[DocumentQuestion] = QUESTIONS) -> None:
    """Write the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    made = f"{{levels: {{extraction: {{written: {len(questions)}}}}}}}"
    (folder / "synthesis.yaml").write_text(f"format: 1\nprompts: 1\nmade: {made}\n")
    write_questions(folder / "questions.parquet", questions)
    with open_rows(folder / "documents.parquet", DOCUMENT_SCHEMA) as rows:
        rows.add({"path": f"{name}.html", "content": html} for name, html in HTML.items())
    write_review(folder, review_sheet(questions, excerpts()))
