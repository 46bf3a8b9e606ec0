"""A small made-up card and its examples, so that prompts are tested without any data set."""

from __future__ import annotations

from dataclasses import dataclass, field

from torr_plugin.catalog import Example
from torr_plugin.tables import Table


@dataclass(frozen=True)
class MadeTemplate:
    instruction: str = "Answer the question about the table."
    input_format: str = "{table}\nQuestion: {question}"
    target_prefix: str = "Answer:"
    output_format: str = "{answer}"
    postprocessors: tuple[str, ...] = ()


@dataclass(frozen=True)
class MadeCard:
    """What the prompts stage uses of a card."""

    name: str = "cards.made"
    dataset: str = "made"
    demo_split: str = "train"
    test_split: str = "test"
    template: MadeTemplate = field(default_factory=MadeTemplate)
    unitxt: None = None


def made_example(number: int, *, prefix: str = "q", table: int | None = None) -> Example:
    """Example ``number``, on a table of its own or on table ``table``."""
    of = number if table is None else table
    rows = [[f"r{of}.{row}", str(10 * of + row)] for row in range(4)]
    return Example(
        id=f"{prefix}{number}",
        table=Table.flat(["name", "size"], rows),
        fields={"question": f"What is the size of r{of}.{number % 4}?"},
        references=(str(10 * of + number % 4),),
        target=str(10 * of + number % 4),
        groups={"table": f"{prefix}-t{of}"},
    )
