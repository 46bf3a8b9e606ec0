"""How far detected table properties agree with HCT-QA's annotation: all real tables, and a held-out half.

    TORR_DATA=DIR python benchmarks/properties_agreement.py [--half rules|held-out|all] [--json]

Prints the table of docs/properties.md (Markdown; ``--half`` one half alone): counts, precision, recall, F1
and kappa with its 95 % interval on all tables, and on the half that rules were not made on. The halves: the
table ids sorted, shuffled by ``random.Random(4)``; the last 940 of 1,880 are held out. Who changes a rule
looks at the mistakes of the ``rules`` half alone. Also prints how many tables a second were read.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass

from torr_plugin.catalog import load_card, read_examples
from torr_plugin.tables.properties import Agreement, agreement, detect

HELD_OUT = 940
HEAD = ("property", "tp", "fp", "fn", "tn", "precision", "recall", "F1", "kappa (95 %)")


@dataclass(frozen=True)
class AnnotatedTable:
    """One table: its name, what is detected, what the data set says of it."""

    name: str
    detected: Mapping[str, bool]
    annotated: Mapping[str, object]


Choice = Callable[[AnnotatedTable], bool]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--half", choices=("all", "rules", "held-out"), default="all")
    parser.add_argument("--card", default="cards.hctqa.real")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    start = time.perf_counter()
    tables = annotated_tables(given.card)
    seconds = time.perf_counter() - start
    held_out = held_out_ids([table.name for table in tables])
    choices: Mapping[str, Choice] = {
        "all": lambda table: True,
        "rules": lambda table: table.name not in held_out,
        "held-out": lambda table: table.name in held_out,
    }
    lines = compared([table for table in tables if choices[given.half](table)])
    beside = compared([table for table in tables if table.name in held_out]) if given.half == "all" else None
    if given.json:
        halves = {given.half: lines} if beside is None else {"all": lines, "held-out": beside}
        print(json.dumps({name: [asdict(line) for line in half] for name, half in halves.items()}))
    else:
        print("\n".join(markdown(lines, beside)))
        print(f"\n{len(tables)} tables, {len(tables) / seconds:.0f} a second with reading")


def annotated_tables(name: str) -> list[AnnotatedTable]:
    """Every table of a card's test split once; questions on one table share it."""
    card, tables = load_card(name), dict[str, AnnotatedTable]()
    for example in read_examples(card, card.test_split):
        table = example.groups.get("table") or example.id
        if table not in tables:
            annotated = example.properties.get("table", {})
            tables[table] = AnnotatedTable(table, detect(example.table), annotated)
    return list(tables.values())


def held_out_ids(ids: Sequence[str]) -> frozenset[str]:
    """The half that no rule was made on."""
    order = sorted(ids)
    random.Random(4).shuffle(order)
    return frozenset(order[-HELD_OUT:])


def compared(tables: Sequence[AnnotatedTable]) -> tuple[Agreement, ...]:
    return agreement([table.annotated for table in tables], [table.detected for table in tables])


def markdown(lines: Sequence[Agreement], beside: Sequence[Agreement] | None) -> list[str]:
    """The document's table, a row a property."""
    head = [*HEAD, *(("held out: precision", "recall", "kappa (95 %)") if beside else ())]
    found = [_row(head), _row(["---"] * len(head))]
    for index, line in enumerate(lines):
        counts = [str(count) for count in (line.tp, line.fp, line.fn, line.tn)]
        cells = [line.name, *counts, *map(_two, (line.precision, line.recall, line.f1)), _kappa(line)]
        if beside:
            cells += [_two(beside[index].precision), _two(beside[index].recall), _kappa(beside[index])]
        found.append(_row(cells))
    return found


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _two(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.2f}"


def _kappa(line: Agreement) -> str:
    low, high = line.kappa_interval()
    return f"{_two(line.kappa)} ({_two(low)} to {_two(high)})"


if __name__ == "__main__":
    main()
