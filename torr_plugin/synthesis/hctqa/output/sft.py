"""Sets for supervised fine-tuning: questions on tables with their answers, no table in two splits.

The protocol of HCT-QA's fine-tuning (Table 11): tables are dealt out, never questions. Which split a table
falls into follows from its name, so a larger set keeps every table of a smaller one where it was; a table
that is equal to one before goes where that one went, whatever it is called.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, get_args

from ....core.errors import InputError, nearest
from ....core.seeds import seed as seed_of
from ....tables import Table, serializers

if TYPE_CHECKING:
    from ..generated import Generated

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
class Pair:
    """A generated question with its table and its answer, as :func:`sft_rows` takes it."""

    id: str
    table: Table
    fields: Mapping[str, str]
    target: str
    groups: Mapping[str, str]


def pairs(generated: Generated) -> Iterator[Pair]:
    """The questions on a generated table."""
    groups = {"table": generated.instance.table_id}
    for each in generated.questions:
        fields = {"question": each.question}
        yield Pair(each.question_id, generated.table, fields, written_answer(each.answer), groups)


class Asked(Protocol):
    """What a set is made of: any card's examples, or the generator's questions."""

    @property
    def id(self) -> str:
        """Unique among the examples."""

    @property
    def table(self) -> Table:
        """The table it is about."""

    @property
    def fields(self) -> Mapping[str, str]:
        """What is asked, by name: ``question``, ``statement``, ..."""

    @property
    def target(self) -> str:
        """The answer, as it is to be written."""

    @property
    def groups(self) -> Mapping[str, str]:
        """``table`` names the table, where the data set has names for its tables."""


def sft_rows(
    examples: Iterable[Asked], layout: str, *, serializer: str = "html", instruction: str = INSTRUCTION
) -> Iterator[tuple[Split, dict[str, Any]]]:
    """The examples as rows of a fine-tuning set, each with the split it belongs to, in the examples' order.

    Args:
        examples: of one data set; read one by one.
        layout: ``alpaca`` (keys ``instruction``, ``input``, ``output``) or ``chat`` (``messages`` with the
            roles system, user and assistant). Both also have ``id`` and ``table_id``.
        serializer: how tables are written.
        instruction: what a model is told to do; the default fits questions whose answers are values.

    Raises:
        InputError: no such layout.
        UnknownNameError: no such serializer.
    """
    if layout not in LAYOUTS:
        raise InputError(f"no layout {layout!r} of fine-tuning sets; {nearest(layout, LAYOUTS)}")
    write = serializers.get(serializer).serialize
    build = _alpaca if layout == "alpaca" else _chat
    dealt, table, text = _Dealt(), None, ""
    for example in examples:
        if example.table is not table:  # the questions on one table follow each other
            table, text = example.table, write(example.table)
        table_id = example.groups.get("table") or text
        asked = f"Table:\n{text}\n\n{_asked(example.fields)}"
        named = {"id": example.id, "table_id": example.groups.get("table", "")}
        yield dealt.split(table_id, text), {**named, **build(instruction, asked, example.target)}


class _Dealt:
    """Where tables went, by their names and by what stands in them; 40 bytes or so a table."""

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
    """An answer ``{a | b} || {c | d}`` as a model is to write it: ``a || b || c || d``.

    HCT-QA's scorer splits what a model writes at ``||`` alone.
    """
    values = answer.replace("||", "|").replace("{", "").replace("}", "").split("|")
    return " || ".join(value.strip() for value in values)


def _asked(fields: Mapping[str, str]) -> str:
    return "\n".join(f"{name.replace('_', ' ').capitalize()}: {text}" for name, text in fields.items())


def _alpaca(instruction: str, asked: str, answer: str) -> dict[str, Any]:
    return {"instruction": instruction, "input": asked, "output": answer}


def _chat(instruction: str, asked: str, answer: str) -> dict[str, Any]:
    said = {"system": instruction, "user": asked, "assistant": answer}
    return {"messages": [{"role": role, "content": text} for role, text in said.items()]}
