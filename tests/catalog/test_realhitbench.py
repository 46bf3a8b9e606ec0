"""RealHiTBench's published questions: how many there are, and that the cards read every one of them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from torr_plugin.catalog import load_card, read_examples
from torr_plugin.tables import serializers

from .realhitbench import BOATS, questions

COUNTS = {
    "Fact Checking": ("fact_checking", 1217, 245),
    "Numerical Reasoning": ("numerical_reasoning", 771, 203),
    "Structure Comprehending": ("structure_comprehending", 396, 34),
    "Data Analysis": ("data_analysis", 533, 155),
    "Visualization": ("chart_generation", 154, 44),
}


def test_there_are_as_many_questions_as_the_paper_has(shared_data: Path) -> None:
    rows = questions(shared_data)
    assert (len(rows), len(rows[:3071]), len(rows[3071:])) == (3752, 3071, 681)
    for kind, (_, normal, long) in COUNTS.items():
        found = [sum(row["QuestionType"] == kind for row in part) for part in (rows[:3071], rows[3071:])]
        assert found == [normal, long]
    blank = [row for row in rows if not row["FinalAnswer"].strip()]
    assert Counter(row["QuestionType"] for row in blank) == {"Structure Comprehending": 430}
    structure = pq.read_table(shared_data / "realhitbench" / "qa_structure.parquet").to_pylist()
    pairs = [row for row in rows[:3071] if row["QuestionType"] == "Structure Comprehending"]
    assert len(structure) == 396
    assert [(row["FileName"], row["Question"]) for row in structure] == [
        (row["FileName"], row["Question"]) for row in pairs
    ]


@pytest.fixture(scope="module")
def mirror(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The published questions, with a table of our own in the place of every one of theirs."""
    folder = tmp_path_factory.mktemp("mirror") / "realhitbench"
    folder.mkdir()
    for name in ("qa", "qa_long"):
        (folder / f"{name}.parquet").symlink_to(shared_data / "realhitbench" / f"{name}.parquet")
    names = sorted({row["FileName"] for row in questions(shared_data)})
    paths = [f"html/{name}{suffix}.html" for name in names for suffix in ("", "_swap")]
    table = str(serializers.get("html").serialize(BOATS)).encode()
    pq.write_table(pa.table({"path": paths, "content": [table] * len(paths)}), folder / "tables.parquet")
    return folder.parent


@pytest.mark.full
@pytest.mark.parametrize("kind", [kind for kind in COUNTS if kind != "Visualization"])
def test_every_question_becomes_an_example(mirror: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """With charts, which need workbooks, in the test below."""
    monkeypatch.setenv("TORR_DATA", str(mirror))
    name, normal, long = COUNTS[kind]
    card, versions = load_card(f"realhitbench.{name}"), 2 if kind == "Structure Comprehending" else 1
    examples = {split: read_examples(card, split) for split in card.splits}
    assert {split: len(found) for split, found in examples.items()} == {
        "test": normal * versions,
        "long": long * versions,
    }
    everything = [each for found in examples.values() for each in found]
    assert all(each.references[0].strip() and each.fields["question"].strip() for each in everything)
    assert {each.groups["structure"] for each in everything} <= STRUCTURES
    assert len({each.groups["source"] for each in everything}) <= 14
    if versions == 2:
        assert Counter(each.groups["side"] for each in everything) == {"original": 430, "exchanged": 430}


STRUCTURES = {
    "hierarchical column header",
    "hierarchical row header",
    "nested sub-tables",
    "multi-table join",
    "miscellaneous",
}


def test_every_name_of_a_chart_is_known(shared_data: Path) -> None:
    groups = load_card("realhitbench.chart_generation").reading.groups
    charts = [row for row in questions(shared_data) if row["QuestionType"] == "Visualization"]
    for group in ("subtype", "structure", "source"):
        known = groups[group].map
        assert known is not None
        assert {row[groups[group].column] for row in charts} <= set(known)
    assert {row["SubQType"].split(" ")[0] for row in charts} == {
        "BarChart",
        "LineChart",
        "PieChart",
        "ScatterChart",
    }
