"""Sets for supervised fine-tuning: questions on tables with their answers, no table in two splits.

The protocol of HCT-QA's fine-tuning (Table 11) assigns whole tables to splits. A table's split depends on its
name alone, so a larger set keeps every table of a smaller one in its split; a table that equals an earlier
one gets the same split, whatever its name.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Protocol, TypeAlias, get_args

from .....core.errors import InputError, nearest
from .....core.seeds import seed as seed_of
from .....tables import Table, serializers
from ..dataset import GeneratedTable

Layout: TypeAlias = Literal["alpaca", "chat"]
Split: TypeAlias = Literal["train", "validation", "test"]

LAYOUTS: tuple[Layout, ...] = get_args(Layout)
SHARES: Mapping[Split, int] = {"train": 80, "validation": 10, "test": 10}
"""How many of a hundred tables each split gets, on average."""

INSTRUCTION = (
    "Read the table and answer the question from it. Write the values that are asked for in one line and "
    "nothing else; where there are several, put || between them."
)


@dataclass(frozen=True, slots=True)
class QuestionAnswer:
    """A generated question with its table and its answer, for :func:`sft_rows`."""

    id: str
    table: Table
    fields: Mapping[str, str]
    target: str
    groups: Mapping[str, str]


def question_answers(generated: GeneratedTable) -> Iterator[QuestionAnswer]:
    """The questions on a generated table."""
    groups = {"table": generated.instance.table_id}
    for each in generated.questions:
        fields = {"question": each.question}
        yield QuestionAnswer(each.question_id, generated.table, fields, written_answer(each.answer), groups)


class TuningExample(Protocol):
    """An example of a card, or a question of the generator."""

    @property
    def id(self) -> str:
        """Unique among the examples."""

    @property
    def table(self) -> Table:
        """The table it is about."""

    @property
    def fields(self) -> Mapping[str, str]:
        """The inputs by name: ``question``, ``statement``, ..."""

    @property
    def target(self) -> str:
        """The answer as a model should write it."""

    @property
    def groups(self) -> Mapping[str, str]:
        """``table`` names the table, if the data set has names for its tables."""


def sft_rows(
    examples: Iterable[TuningExample],
    layout: str,
    *,
    serializer: str = "html",
    instruction: str = INSTRUCTION,
) -> Iterator[tuple[Split, dict[str, Any]]]:
    """Turn examples into rows of a fine-tuning set, each with its split, in the examples' order.

    Args:
        examples: of one data set; read one by one.
        layout: ``alpaca`` (keys ``instruction``, ``input``, ``output``) or ``chat`` (``messages`` with the
            roles system, user and assistant). Both also have ``id`` and ``table_id``.
        serializer: how tables are written.
        instruction: the instruction to the model; the default fits questions whose answers are values.

    Raises:
        InputError: no such layout.
        UnknownNameError: no such serializer.
    """
    if layout not in LAYOUTS:
        raise InputError(f"no layout {layout!r} of fine-tuning sets; {nearest(layout, LAYOUTS)}")
    write = serializers.get(serializer).serialize
    build = _alpaca if layout == "alpaca" else _chat
    splits, table, text = _SplitsOfTables(), None, ""
    for example in examples:
        if example.table is not table:  # the questions on one table follow each other
            table, text = example.table, write(example.table)
        table_id = example.groups.get("table") or text
        question = f"Table:\n{text}\n\n{_question_text(example.fields)}"
        ids = {"id": example.id, "table_id": example.groups.get("table", "")}
        yield splits.split(table_id, text), {**ids, **build(instruction, question, example.target)}


class _SplitsOfTables:
    """The splits of the tables so far, by name and by content; about 40 bytes a table."""

    def __init__(self) -> None:
        self._known: dict[bytes, Split] = {}

    def split(self, table_id: str, text: str) -> Split:
        keys = [sha256(part.encode()).digest()[:16] for part in (f"name {table_id}", f"text {text}")]
        split = next((self._known[key] for key in keys if key in self._known), None) or split_of(table_id)
        for key in keys:
            self._known.setdefault(key, split)
        return split


def split_of(table_id: str) -> Split:
    """The split of a table, from its name alone; 80, 10 and 10 of a hundred on average."""
    place = seed_of(0, "sft", table_id) % 100
    return "train" if place < 80 else "validation" if place < 90 else "test"


def written_answer(answer: str) -> str:
    """An answer ``{a | b} || {c | d}`` as a model should write it: ``a || b || c || d``.

    HCT-QA's scorer splits what a model writes at ``||`` alone.
    """
    values = answer.replace("||", "|").replace("{", "").replace("}", "").split("|")
    return " || ".join(value.strip() for value in values)


def _question_text(fields: Mapping[str, str]) -> str:
    return "\n".join(f"{name.replace('_', ' ').capitalize()}: {text}" for name, text in fields.items())


def _alpaca(instruction: str, question: str, answer: str) -> dict[str, Any]:
    return {"instruction": instruction, "input": question, "output": answer}


def _chat(instruction: str, question: str, answer: str) -> dict[str, Any]:
    turns = {"system": instruction, "user": question, "assistant": answer}
    return {"messages": [{"role": role, "content": text} for role, text in turns.items()]}


_ENDINGS = {"alpaca": "json", "chat": "jsonl"}


class SftFiles:
    """The three files of a set, open for writing; no more than one row is held in memory.

    ``alpaca`` is one JSON list a file, a row a line, as its trainers read it; ``chat`` is JSONL.

    Attributes:
        counts: how many rows each split has so far.
    """

    def __init__(self, folder: Path, layout: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.counts: dict[Split, int] = dict.fromkeys(SHARES, 0)
        self._paths = {split: folder / f"{split}.{_ENDINGS[layout]}" for split in SHARES}
        self._is_list = layout == "alpaca"
        self._stack = ExitStack()

    def __enter__(self) -> SftFiles:
        self._files = {
            split: self._stack.enter_context(path.open("w", encoding="utf-8", newline="\n"))
            for split, path in self._paths.items()
        }
        self._in_each("[\n")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._stack:
            self._in_each("\n]\n")

    def _in_each(self, mark: str) -> None:
        for file in self._files.values() if self._is_list else ():
            file.write(mark)

    def add(self, split: Split, row: dict[str, Any]) -> None:
        """Write one row to its split's file."""
        text = json.dumps(row, ensure_ascii=False)
        if self._is_list:
            text = (",\n" if self.counts[split] else "") + text
        self._files[split].write(text if self._is_list else text + "\n")
        self.counts[split] += 1


def write_sft(rows: Iterable[tuple[Split, dict[str, Any]]], layout: str, folder: Path) -> dict[Split, int]:
    """Write the files of train, validation and test to a folder; existing ones are replaced.

    Args:
        rows: from :func:`sft_rows`.
        layout: ``alpaca`` or ``chat``.
        folder: where the files go.

    Returns:
        How many rows each split has.
    """
    with SftFiles(folder, layout) as files:
        for split, row in rows:
            files.add(split, row)
    return files.counts
