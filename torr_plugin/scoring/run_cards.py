"""The cards of a run's data sets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..core.errors import RunError

if TYPE_CHECKING:
    from ..catalog import Card


def card_of(study: Mapping[str, Any], dataset: str) -> Card:
    """The card of a data set, rated as the recipe says.

    One from a file of its own is found by the path that the recipe gave.

    Raises:
        RunError: study.yaml does not say which card it is.
    """
    from ..catalog import load_card, with_metrics

    name = study.get("datasets", {}).get(dataset, {}).get("card")
    if not name and "imported" in study:
        raise RunError(
            f"data set {dataset!r} was imported with the scores of another harness and has no card, so its "
            "answers cannot be rated; 'torr import ... --rate-again' names cards where there are some"
        )
    if not name:
        raise RunError(
            f"study.yaml: no card for data set {dataset!r}; expected it under datasets.{dataset}.card"
        )
    entries = {str(entry["card"]): entry.get("metrics") for entry in study.get("recipe", {}).get("cards", [])}
    files = {path: load_card(path) for path in entries if path.endswith(".json")}
    given = next((path for path, card in files.items() if card.name == name), None)
    card = files[given] if given else load_card(name)
    chosen = [entries[each] for each in entries if each in (given, name, card.dataset) and entries[each]]
    return with_metrics(card, chosen[0] if chosen else None)
