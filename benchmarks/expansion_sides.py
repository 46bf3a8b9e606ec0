"""The sides that ``expansion.py`` compares: prompts of a data set by this package and by unitxt.

Each is a function of the data set and the number of examples that yields (configuration, prompts).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.prompts import unitxt_recipes  # noqa: E402

By = Iterator[tuple[str, Iterable[str]]]
"""Prompts by the id of their configuration."""

SHOTS = {"wikitq": 1}  # and 5 for every other data set, as in ToRR
POOLS = {"numeric_nlg": "validation"}  # and train for every other
POOL = 100
"""How many examples unitxt draws demonstrations from when it is asked through our card."""
UNITXT_SERIALIZERS = {
    "torr.html": "serializers.table.html",
    "torr.csv": None,  # what unitxt writes where no serializer is named
    "torr.json": "serializers.table.json",
    "torr.markdown": "serializers.table.markdown",
    "torr.indexed_row_major": "serializers.table.indexed_row_major",
    "torr.df": "serializers.table.df",
    "torr.concat": "serializers.table.concat",
}
SEEDED = ("none", "shuffle_rows", "shuffle_cols", "transpose")
PERTURBATIONS = (*SEEDED, "insert_empty_rows")
SAMPLED = list(zip(UNITXT_SERIALIZERS, (*PERTURBATIONS, *SEEDED), strict=False))
"""The seven configurations in which unitxt's recipes are asked: every serializer, every perturbation."""


def ours_recipe(dataset: str, examples: int, draw: str) -> By:
    """The shipped recipe ``torr``; with the draw ``unitxt`` for demonstrations and examples both."""
    from torr_plugin.recipes import Recipe, load, with_cards

    said = with_cards(load("torr"), dataset).model_dump(mode="json")
    said["demonstrations"]["draw"] = draw
    said["examples"] = {"count": examples, "draw": "unitxt" if draw == "unitxt" else "seeded"}
    yield from _planned(Recipe.model_validate({**said, "models": []}))


def unitxt_recipe(dataset: str, examples: int, sampled: Sequence[tuple[str, str]] = SAMPLED) -> By:
    """Unitxt's ``recipes.torr.*``, of which the loader alone is another: it has the same rows in memory.

    They are read once for all configurations. For WikiTQ :func:`no_network` has to be in force.
    """
    data = unitxt_recipes.loaded(dataset, Path(os.environ["TORR_DATA"]))
    for serializer, perturbation in sampled:
        yield f"{serializer}/{perturbation}/torr", _asked(dataset, serializer, perturbation, data, examples)


def _asked(
    dataset: str, serializer: str, perturbation: str, data: unitxt_recipes.Splits, examples: int
) -> Iterator[str]:
    yield from unitxt_recipes.recipe_prompts(dataset, serializer, perturbation, data, examples)


def no_network(dataset: str) -> AbstractContextManager[None]:
    """Unitxt's card of WikiTQ reads every row's table from an address: the tables at hand answer at once."""
    folder = Path(os.environ["TORR_DATA"]) / "wikitq"
    return unitxt_recipes.tables_from(folder if dataset == "wikitq" else None)


def ours_card(dataset: str, examples: int) -> By:
    """Our card in its own words, as in a recipe of one's own."""
    yield from _planned(_own_recipe(dataset, examples, list(PERTURBATIONS)))


def ours_growing(dataset: str, examples: int, times: int) -> By:
    """Seven serializers x ``times`` perturbations of one kind (two empty rows, drawn each time anew)."""
    from torr_plugin.tables import perturbations
    from torr_plugin.tables.perturbations import InsertEmptyRows

    names = [f"two_empty_rows_{number}" for number in range(times)]
    for name in names:
        if name not in perturbations.registry:
            made = InsertEmptyRows()
            made.name = name
            perturbations.register(made)
    yield from _planned(_own_recipe(dataset, examples, names))


def _own_recipe(dataset: str, examples: int, perturbations: list[str]) -> Any:
    from torr_plugin.recipes import Recipe

    return Recipe.model_validate(
        {
            "name": "expansion",
            "cards": [f"cards.{dataset}"],
            "configurations": {"serializers": ["torr"], "perturbations": perturbations},
            "demonstrations": {"shots": SHOTS.get(dataset, 5)},
            "examples": {"count": examples},
        }
    )


def _planned(recipe: Any) -> By:
    from torr_plugin.recipes import plan

    planned = plan(recipe)
    (dataset,) = planned.cards
    for configuration in planned.configurations:
        requests = planned.requests_of(dataset, configuration)
        yield configuration.id, (request.prompt[0].content for request in requests)


def unitxt_card(dataset: str, examples: int) -> By:
    """Our card by unitxt: one ``load_dataset`` a configuration, through the card's own loader."""
    for serializer, theirs in UNITXT_SERIALIZERS.items():
        for perturbation in PERTURBATIONS:
            yield f"{serializer}/{perturbation}/default", _called(dataset, theirs, perturbation, examples)


def _called(dataset: str, serializer: str | None, perturbation: str, examples: int) -> Iterator[str]:
    from unitxt import load_dataset

    arguments: dict[str, Any] = {}
    if serializer is not None:
        arguments["serializer"] = serializer
    if perturbation != "none":
        arguments["augmentor"] = f"augmentors.table.{perturbation}"
    found = load_dataset(
        card=f"cards.torr.{dataset}",
        template_card_index=0,
        num_demos=SHOTS.get(dataset, 5),
        demos_pool_size=POOL,
        demos_taken_from=POOLS.get(dataset, "train"),
        max_test_instances=examples,
        split="test",
        use_cache=False,
        **arguments,
    )
    yield from list(found["source"])
