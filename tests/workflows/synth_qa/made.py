"""A folder as ``torr synth qa`` leaves it: two short filings and questions about them."""

from __future__ import annotations

from pathlib import Path

from torr_plugin.synthesis.document_questions import DocumentQuestion, write_questions
from torr_plugin.synthesis.filings.corpus import DOCUMENT_SCHEMA
from torr_plugin.synthesis.parquet_rows import open_rows
from torr_plugin.tables import Table
from torr_plugin.tables.documents import read_filing
from torr_plugin.workflows.reviewing import write_review
from torr_plugin.workflows.synth_qa.review import Context, review_sheet

HTML = {
    name: f"<h1>{name.title()} Corp.</h1><p>Our commitments were (in millions):</p>"
    "<table><tr><th></th><th>2023</th><th>2022</th></tr><tr><td>Leases</td><td>$ 410</td><td>$ 380</td></tr>"
    "<tr><td>Purchases</td><td>311</td><td>(20)</td></tr></table><p>Leases rose to $410 million.</p>"
    for name in ("acme", "zenith")
}
EVIDENCE = "Our commitments were (in millions): | 2023 | 2022 Leases | $ 410 | $ 380 Purchases | 311 | (20)"


def question(number: int, document: str = "acme", **changed: object) -> DocumentQuestion:
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
    return DocumentQuestion(id=f"{document}-{number}", document=document, **{**given, **changed})  # type: ignore[arg-type]


QUESTIONS = [
    question(1, grounding="Leases rose to $410 million."),
    question(2, level="calculation", answer="$30 million", steps=("410 - 380 = 30",)),
    question(3, level="analysis", answer="Commitments rose.", table=None),
    question(4, kept=False, reason="it has two answers"),
    question(1, "zenith"),
]


def contexts(html: dict[str, str] = HTML) -> dict[tuple[str, int], Context]:
    """The documents as chunks of one."""
    return {
        (name, 0): [(0 if isinstance(block, Table) else None, block) for block in read_filing(text).blocks]
        for name, text in html.items()
    }


def write(folder: Path, questions: list[DocumentQuestion] = QUESTIONS) -> None:
    """Write the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    write_questions(folder / "questions.parquet", questions)
    with open_rows(folder / "documents.parquet", DOCUMENT_SCHEMA) as rows:
        rows.add({"path": f"{name}.html", "content": html} for name, html in HTML.items())
    write_review(folder, review_sheet(questions, contexts()))
