"""The prompts of every shipped recipe are those of ``prompts.json``: none moves unseen.

The file has for each card the number of requests with one example, and a hash of their keys; null where its
data are not in the mirror of the tests. ``python -m tests.recipes.test_same_prompts`` writes it anew, with
``TORR_DATA`` set.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from torr_plugin.core.errors import DataError
from torr_plugin.recipes import Recipe, load, plan

ROOT = Path(__file__).resolve().parents[2]
FILE = Path(__file__).with_name("prompts.json")
RECIPES = sorted(path.stem for path in (ROOT / "recipes").glob("*.yaml"))
QUICK = ("filings", "formats", "hctqa_formats", "quickstart", "suc_self_augmented")
"""Those on generated tables, but for the eight cards of ``suc``."""


def of_card(recipe: Recipe, card: str) -> str:
    """How many requests one card of a recipe has, and a hash of their keys in order."""
    (entry,) = [each for each in recipe.cards if each.card == card]
    keys = [each.key for each in plan(recipe.model_copy(update={"cards": (entry,)}), limit=1).requests()]
    return f"{len(keys)} {hashlib.sha256(''.join(keys).encode()).hexdigest()[:16]}"


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=() if each in QUICK else pytest.mark.full) for each in RECIPES]
)
def test_the_prompts_of_a_shipped_recipe_stay(name: str, request: pytest.FixtureRequest) -> None:
    if name not in QUICK:
        request.getfixturevalue("mirror")
    recipe, known = load(name), json.loads(FILE.read_text())[name]
    assert [each.card for each in recipe.cards] == list(known)
    at_hand = [card for card, prompts in known.items() if prompts]
    assert {card: of_card(recipe, card) for card in at_hand} == {card: known[card] for card in at_hand}


def written() -> dict[str, dict[str, str | None]]:
    """What the file has to hold."""
    found: dict[str, dict[str, str | None]] = {}
    for name in RECIPES:
        recipe = load(name)
        for card in [each.card for each in recipe.cards]:
            try:
                found.setdefault(name, {})[card] = of_card(recipe, card)
            except DataError:
                found.setdefault(name, {})[card] = None
    return found


if __name__ == "__main__":
    FILE.write_text(json.dumps(written(), indent=1) + "\n")
