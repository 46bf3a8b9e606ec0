"""The lexical baseline reads every registered format alike, a plugin's too, or says that it cannot."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator

import pytest

from torr_plugin.prompts import PromptBuilder
from torr_plugin.recipes import Configuration
from torr_plugin.running.baselines import lm
from torr_plugin.running.baselines.answers import lexical_answer
from torr_plugin.running.baselines.reading import Reading, read_example, split_prompt
from torr_plugin.running.contexts import plain_text
from torr_plugin.tables import ParseError, Table, serializers
from torr_plugin.tables.serializers import Serializer

from ..prompts.made import MadeCard, MadeTemplate, made_example


class Toon(Serializer):
    """``[2]{name,size}:`` above indented lines of values with commas between; nobody taught the baseline."""

    name = "toon_like"
    explanation = "The number of rows and the columns' names stand above the rows."

    def serialize(self, table: Table) -> str:
        header, *rows = table.unitxt_lines
        lines = [f"[{len(rows)}]{{{_joined(header)}}}:", *(f"  {_joined(row)}" for row in rows)]
        return "\n".join(lines)

    def parse(self, text: str) -> Table:
        head, *rows = text.split("\n")
        count, _, names = head.removesuffix("}:").partition("]{")
        if count != f"[{len(rows)}" or not all(row.startswith("  ") for row in rows):
            raise ParseError(f"{self.name}: found {head[:40]!r}; expected [rows]{{names}}:")
        return Table.flat(_split(names), [_split(row[2:]) for row in rows])


class KeyValues(Serializer):
    """A paragraph a row, whose reader fails on any other text with errors of its own."""

    name = "key_values"
    explanation = "Each row is a paragraph of names and values."

    def serialize(self, table: Table) -> str:
        header, *rows = table.unitxt_lines
        return "\n".join(
            "; ".join(f"{name}={value}" for name, value in zip(header, row, strict=True)) for row in rows
        )

    def parse(self, text: str) -> Table:
        rows = [dict(pair.split("=") for pair in line.split("; ")) for line in text.split("\n")]  # type: ignore[misc]
        return Table.flat(list(rows[0]), [[row[name] for name in rows[0]] for row in rows])


class Sentences(Serializer):
    """Cannot be read back."""

    name = "sentences"

    def serialize(self, table: Table) -> str:
        return ". ".join(" has ".join(map(str, row)) for row in table.unitxt_lines)


def _joined(values: tuple[object, ...]) -> str:
    return ",".join(json.dumps(str(value)) if "," in str(value) else str(value) for value in values)


def _split(line: str) -> list[str]:
    return next(iter(json.loads(f"[[{line}]]"))) if '"' in line else line.split(",")


@pytest.fixture(scope="module")
def own_formats() -> Iterator[None]:
    for serializer in (Toon(), KeyValues()):
        serializers.register(serializer, origin="test")
    yield
    for name in ("toon_like", "key_values"):
        serializers.registry.remove(name)


FORMATS = [name for name in serializers.text_names() if not name.endswith("concat")]
CARD = MadeCard(
    template=MadeTemplate("Read the table and answer.", "Table:\n{table}\n\nQuestion: {question}", "Answer: ")
)
BARE = MadeCard(template=MadeTemplate("Read the table, then answer.", "{table}\n\n{question}", "Answer: "))
DESIGNS = (
    "default",
    "torr",
    "suc",
    "suc_no_marks",
    "suc_no_demonstration",
    "suc_question_last",
    "self_augmented",
)
PROSE = """Read what is written below with care, and answer the question about it that follows.
Where there is no answer to be found in it, say that there is none and nothing else.

Who, in the view of those who were asked, was the first to see what had happened there?"""
QUESTION = "What is the size of r1.2, please?"


def asked(name: str, design: str, shots: int, card: MadeCard = CARD) -> str:
    pool = [made_example(number) for number in range(10, 20)]
    builder = PromptBuilder(card, pool, shots=shots)  # type: ignore[arg-type]
    example = made_example(1)
    object.__setattr__(example, "fields", {"question": QUESTION})
    return plain_text(builder.build(example, Configuration(name, "none", design)))


def read(name: str, design: str, shots: int, card: MadeCard = CARD) -> Reading:
    return read_example(split_prompt(asked(name, design, shots, card)))


@pytest.mark.usefixtures("own_formats")
@pytest.mark.parametrize("name", [*FORMATS, "toon_like", "key_values"])
def test_every_format_is_read(name: str) -> None:
    for card, design, shots in ((CARD, "default", 2), (BARE, "default", 0), (BARE, "suc_no_marks", 2)):
        grid = read(name, design, shots, card).grid
        assert grid is not None
        assert (grid.columns, grid.rows) == (("name", "size"), made_example(1).table.texts[1:])  # type: ignore[index]


@pytest.mark.parametrize("card", [CARD, BARE], ids=["labelled", "bare"])
@pytest.mark.parametrize("design", DESIGNS)
def test_a_table_is_found_in_every_design(design: str, card: MadeCard) -> None:
    for name, shots in (("csv", 0), ("html", 2)):
        grid = read(name, design, shots, card).grid
        assert grid is not None
        assert grid.columns == ("name", "size")


@pytest.mark.usefixtures("own_formats")
@pytest.mark.parametrize("design", ["default", "suc"])
def test_every_format_scores_as_csv_does(design: str) -> None:
    answers = {name: lexical_answer(asked(name, design, 2)) for name in (*FORMATS, "toon_like", "key_values")}
    assert set(answers.values()) == {"12"}


@pytest.mark.parametrize("design", ["default", "suc"])
def test_prose_is_no_table(design: str) -> None:
    assert read("concat", design, 0).grid is None
    assert serializers.find(PROSE) is None


def test_a_format_that_cannot_be_read_back_is_named_once(caplog: pytest.LogCaptureFixture) -> None:
    serializers.register(Sentences(), origin="my-tables")
    try:
        with caplog.at_level(logging.WARNING):
            lm.Lexical()
            lm.RandomCell()
    finally:
        serializers.registry.remove("sentences")
    assert [record.getMessage() for record in caplog.records] == [
        "the baselines cannot find tables in the format 'sentences' (my-tables), which has neither 'parse' "
        "nor 'find': they answer there by words near the question's, and their scores say nothing of "
        "the format"
    ]
    caplog.clear()
    lm.Lexical()
    assert not caplog.records


@pytest.mark.parametrize("name", FORMATS)
def test_a_header_that_begins_with_nothing_is_not_lost(name: str) -> None:
    """A prompt's parts are stripped, and with them the space before a first bar."""
    rows = [["A", "0.8", "0.7"], ["B", "0.6", "0.5"], ["C", "1", "2"]]
    text = serializers.get(name).serialize(Table.flat(["", "D", "E"], rows))
    for prompt in (text.strip("\n "), f"<<<\n{text}\n>>>"):
        found = serializers.find(prompt)
        assert found is not None
        assert [[cell.text.strip() for cell in row] for row in found.table.rows] == [["", "D", "E"], *rows]
