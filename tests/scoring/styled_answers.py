"""Right answers of many cards, wrong ones made of them, and the ways in which models write either."""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd
import pytest

from torr_plugin.catalog import Card, load_card, read_examples

from ..catalog import tiny

STYLES: dict[str, Callable[[str], str]] = {
    "plain": lambda x: x,
    "bold": lambda x: f"**{x}**",
    "backticks": lambda x: f"`{x}`",
    "said": lambda x: f"The answer is {x}.",
    "so": lambda x: f"So the answer is: **{x}**",
    "twice": lambda x: f"{x}\n\nThe answer is: {x}",
    "boxed": lambda x: rf"$\boxed{{{x}}}$",
    "json": lambda x: json.dumps({"answer": x}),
    "json in a fence": lambda x: f"```json\n{json.dumps({'answer': x}, indent=2)}\n```",
    "fence": lambda x: f"```\n{x}\n```",
    "last line": lambda x: f"The table has a row for it.\nIts last column says so.\n\nAnswer: {x}",
    "final": lambda x: f"Row 3 has it.\n\n**Final Answer:** {x}",
    "stop": lambda x: f"{x}.",
    "capital": lambda x: f"{x[:1].upper()}{x[1:]}.",
    "sentence": lambda x: f"The value that the table has there is {x}.",
}

OF_THE_MIRROR = (
    "wikitq",
    "tab_fact",
    "hctqa.real",
    "hctqa.synthetic_published",
    "hitab.test",
    *(
        f"suc.tab_fact.{task}"
        for task in ("cell_lookup", "column_retrieval", "size_detection", "row_retrieval")
    ),
    "suc.tab_fact.reverse_lookup",
    "suc.tab_fact.column_values",
)
OF_TINY_FILES = ("finqa", "turl_col_type")
GENERATED = (
    "bundled.aggregation",
    "bundled.cell_lookup",
    "bundled.fact_verification",
    "bundled.filings_extraction",
    "bundled.filings_calculation",
)
PUBLISHED = {
    "tablebench_numerical_reasoning": "NumericalReasoning",
    "tablebench_fact_checking": "FactChecking",
    "realhitbench.numerical_reasoning": "Numerical Reasoning",
    "realhitbench.fact_checking": "Fact Checking",
}
CARDS = (*OF_THE_MIRROR, *OF_TINY_FILES, *GENERATED, *PUBLISHED)


@dataclass(frozen=True)
class Right:
    """A right answer with what it is rated by."""

    text: str
    references: tuple[str, ...]
    facts: Mapping[str, str] = field(default_factory=dict)
    cells: tuple[str, ...] = ()


def right_answers(
    name: str, count: int, shared_data: Path, made: Path, patch: pytest.MonkeyPatch
) -> tuple[Card, list[Right]]:
    """A card and some of its right answers, spread over its test split."""
    card = load_card(name)
    if name in PUBLISHED:
        found = list(_published(name, shared_data))
    else:
        patch.setenv("TORR_DATA", str(tiny.write(made)) if name in OF_TINY_FILES else str(shared_data))
        found = [
            Right(
                each.target,
                tuple(each.references),
                each.facts,
                tuple(cell.text for row in each.table.rows for cell in row),
            )
            for each in read_examples(card, card.test_split)
        ]
    return card, found[:: max(1, len(found) // count)][:count]


def _published(name: str, shared_data: Path) -> Iterator[Right]:
    if name.startswith("tablebench"):
        with gzip.open(
            shared_data / "tablebench" / "o3-mini_example.jsonl.gz", "rt", encoding="utf-8"
        ) as lines:
            rows = [json.loads(line) for line in lines]
        chosen = [row["answer"] for row in rows if row["qtype"] == PUBLISHED[name]]
    else:
        frame = pd.read_parquet(shared_data / "realhitbench" / "qa.parquet")
        chosen = frame.loc[frame["QuestionType"] == PUBLISHED[name], "FinalAnswer"].tolist()
    for answer in filter(None, map(str, chosen)):
        yield Right(answer, (answer,))


def styles_of(card: Card) -> dict[str, Callable[[str], str]]:
    """The styles in which an answer to a card stays right: an operation of a program has no capital."""
    return {name: write for name, write in STYLES.items() if name != "capital" or "finqa" not in card.metrics}


def as_wanted(card: Card, text: str) -> str:
    """An answer as the card's prompt asks for it."""
    return STYLES["json"](text) if "filings" in card.name else text


def wrong_answers(right: Right, others: list[Right], seed: int) -> list[str]:
    """Another example's answer, a cell of the table, another number, the answer denied, two answers."""
    rng = random.Random(seed)
    another = rng.choice(others).text
    found = [another, f"not {right.text}", f"either {right.text} or {another}"]
    if right.cells:
        found.append(rng.choice(right.cells))
    number = re.search(r"\d+", right.text)
    if number:
        found.append(
            f"{right.text[: number.start()]}{int(number[0]) + rng.randint(1, 9)}{right.text[number.end() :]}"
        )
    return [text for text in dict.fromkeys(found) if text.strip()]
