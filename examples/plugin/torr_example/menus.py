"""Makes menus, with questions about their prices. The numbers come from the given generator alone."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from torr_plugin.tables import Table

DISHES = ("Soup", "Salad", "Pasta", "Curry", "Stew", "Pie", "Risotto", "Omelette", "Dumplings", "Noodles")
SIDES = ("bread", "rice", "beans", "greens", "potatoes")


def menus(random: Random, number: int) -> Iterator[dict[str, object]]:
    """The rows about one menu: two prices that are read, and one difference that is reckoned."""
    dishes = random.sample(DISHES, 5)
    cents = random.sample(range(350, 1900, 25), len(dishes))
    prices = [f"{each / 100:.2f}" for each in cents]
    rows = [[dish, random.choice(SIDES), price] for dish, price in zip(dishes, prices, strict=True)]
    table = Table.flat(["Dish", "Side", "Price"], rows, title=f"Menu {number + 1}")
    for at in random.sample(range(len(dishes)), 2):
        yield _row(table, f"What is the Price of the {dishes[at]}?", prices[at], "lookup")
    asked = "How much more is the dearest dish than the cheapest?"
    yield _row(table, asked, f"{(max(cents) - min(cents)) / 100:.2f}", "difference")


def _row(table: Table, question: str, answer: str, kind: str) -> dict[str, object]:
    return {"table": table, "question": question, "answer": answer, "kind": kind}
