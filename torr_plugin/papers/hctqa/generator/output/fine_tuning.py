"""Sets for supervised fine-tuning: questions on tables with their answers, no table in two splits.

The protocol of HCT-QA's fine-tuning (Table 11) assigns whole tables to splits. A table's split depends on its
name alone, so a larger set keeps every table of a smaller one in its split; a table that equals an earlier
one gets the same split, whatever its name.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from .....catalog import Example
from .....core.errors import InputError, nearest
from .....core.seeds import seed as seed_of
from .....tables import serializers
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


def question_answers(generated: GeneratedTable) -> Iterator[Example]:
    """The questions on a generated table."""
    groups = {"table": generated.instance.table_id}
    for each in generated.questions:
        answer = written_answer(each.answer)
        fields = {"question": each.question}
        yield Example(each.question_id, generated.table, fields, (answer,), answer, groups)


def sft_rows(
    examples: Iterable[Example],
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
    """The files of train, validation and test in a folder, open for writing; existing ones are replaced.

    ``alpaca`` is one JSON list a file, a row a line, as its trainers read it; ``chat`` is JSONL.

    Attributes:
        counts: how many rows each split has so far.
    """

    def __init__(self, folder: Path, layout: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.counts: dict[Split, int] = dict.fromkeys(SHARES, 0)
        self._is_list = layout == "alpaca"
        self._files = {
            split: (folder / f"{split}.{_ENDINGS[layout]}").open("w", encoding="utf-8", newline="\n")
            for split in SHARES
        }

    def __enter__(self) -> SftFiles:
        return self

    def __exit__(self, *_: object) -> None:
        for split, file in self._files.items():
            with file:
                if self._is_list:
                    file.write("\n]\n" if self.counts[split] else "[\n\n]\n")

    def add(self, split: Split, row: dict[str, Any]) -> None:
        """Write one row to its split's file."""
        text = json.dumps(row, ensure_ascii=False)
        before = (",\n" if self.counts[split] else "[\n") if self._is_list else ""
        self._files[split].write(f"{before}{text}{'' if self._is_list else chr(10)}")
        self.counts[split] += 1


def write_sft(rows: Iterable[tuple[Split, dict[str, Any]]], layout: str, folder: Path) -> dict[Split, int]:
    """Write the rows of :func:`sft_rows` to a folder; gives how many each split has."""
    with SftFiles(folder, layout) as files:
        for split, row in rows:
            files.add(split, row)
    return files.counts
