"""The file of questions gives back what was written, and says in a line what it cannot read."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.core.errors import RunError
from torr_plugin.synthesis.document_questions import DocumentQuestion, read_questions, write_questions

TEXTS = st.text(st.characters(codec="utf-8"), max_size=20)
QUESTIONS = st.builds(
    DocumentQuestion,
    id=TEXTS,
    document=TEXTS,
    level=st.sampled_from(["extraction", "calculation", "analysis"]),
    chunk=st.integers(0, 9),
    table=st.none() | st.integers(0, 9),
    question=TEXTS,
    answer=TEXTS,
    steps=st.lists(TEXTS, max_size=3).map(tuple),
    evidence=TEXTS,
    grounding=TEXTS,
    kept=st.booleans(),
    reason=TEXTS,
)


@given(st.lists(QUESTIONS, max_size=4))
def test_what_is_written_is_read(questions: list[DocumentQuestion]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write_questions(Path(folder) / "questions.parquet", questions)
        assert read_questions(Path(folder) / "questions.parquet") == questions


ONE = DocumentQuestion("1", "acme", "extraction", 0, None, "How much?", "$721 million")


def test_files_that_are_no_questions(tmp_path: Path) -> None:
    path = tmp_path / "questions.parquet"
    with pytest.raises(RunError, match=r"questions\.parquet: is not there; expected questions that"):
        read_questions(path)
    path.write_text("no parquet")
    with pytest.raises(RunError, match=r"cannot be read: .*; expected what 'torr synth qa' wrote"):
        read_questions(path)
    pd.DataFrame({"id": ["1"], "question": ["How much?"]}).to_parquet(path)
    with pytest.raises(RunError, match="row 1: column 'document' is empty"):
        read_questions(path)
    write_questions(path, [ONE, replace(ONE, level="easy")])  # type: ignore[arg-type]
    with pytest.raises(RunError, match="row 2: level 'easy'; expected one of extraction, calculation, anal"):
        read_questions(path)
    frame = pd.DataFrame({**{name: [getattr(ONE, name)] for name in ONE.__slots__}, "steps": ["{"]})
    frame.to_parquet(path)
    with pytest.raises(RunError, match=r"row 1: steps '\{'; expected a JSON list of texts"):
        read_questions(path)
