"""Names of data sets and configurations: unitxt's as ours, foreign ones made fit for the columns of a run."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from ...catalog import card_names, load_card
from ...core.errors import InputError
from ...tables import serializers

AS_IS, NONE, DEFAULT = "as-is", "none", "default"

_LONGEST = 1000  # characters of a name; ids are hashes, numbers or short texts
_MOST = 120  # characters of a part of a configuration's name

# recipes.torr.fin_qa.html.transpose_augmentation_5_demos, as unitxt's catalog names ToRR's
_RECIPE = re.compile(
    r"recipes\.(?:[a-z0-9_]+\.)?(?P<card>[A-Za-z0-9_]+)\.(?P<serializer>[A-Za-z0-9_]+)"
    r"\.(?P<augmentor>[A-Za-z0-9_]+?)_augmentation(?:_(?P<demos>\d+)_demos)?"
)
_SERIALIZERS = "serializers.table."
_AUGMENTORS = "augmentors.table."
_USUAL = ("template_card_index", "0")
# what says how much or which part of the data is read, not how an example is asked
_NOT_A_FORMAT = frozenset(
    {"card", "recipe", "serializer", "augmentor", "split", "loader_limit", "model", "model_deployment"}
    | {"max_train_instances", "max_test_instances", "max_validation_instances", "demos_pool_size"}
    | {"use_cache", "disable_cache", "groups", "__type__", "num_demos"}
)


class DatasetConfig(NamedTuple):
    """A data set and a configuration of it."""

    dataset: str
    config: str


def dataset_config(arguments: Mapping[str, object], where: str) -> DatasetConfig:
    """What a recipe of unitxt asks, by its arguments.

    Args:
        arguments: ``recipe``, a name of its catalog; or ``card``, ``serializer``, ``augmentor`` and others.
        where: for messages.

    Returns:
        The data set, under our card's name where that is unitxt's card, and the configuration:
        ``torr.html/transpose/torr`` for ToRR's own recipes; arguments that ToRR's recipes do not have are
        part of the design.

    Raises:
        InputError: neither recipe nor card.
    """
    recipe, card = arguments.get("recipe"), arguments.get("card")
    if isinstance(recipe, str):
        return _of_recipe(recipe, where)
    if not isinstance(card, str):
        raise InputError(f"{where}: names neither a recipe nor a card; found {sorted(arguments)[:8]}")
    dataset = _our_datasets().get(card) or plain_name(card.removeprefix("cards."))
    serializer = "+".join(_several(arguments.get("serializer"))).removeprefix(_SERIALIZERS)
    ours = f"torr.{serializer}"
    serializer = ours if ours in serializers.names() else plain_name(serializer) if serializer else AS_IS
    changes = [each.removeprefix(_AUGMENTORS) for each in _several(arguments.get("augmentor"))]
    changes = [plain_name(each) for each in changes if each not in ("augmentors.no", "None", "null")]
    return DatasetConfig(dataset, f"{serializer}/{'+'.join(changes) or NONE}/{_design(arguments, dataset)}")


def _of_recipe(recipe: str, where: str) -> DatasetConfig:
    match = _RECIPE.fullmatch(recipe)
    if match is None:
        return DatasetConfig(plain_name(recipe.removeprefix("recipes.")), f"{AS_IS}/{NONE}/{DEFAULT}")
    arguments = {
        "card": f"cards.{match['card']}",
        "serializer": _SERIALIZERS + match["serializer"],
        "augmentor": None if match["augmentor"] == "no" else _AUGMENTORS + match["augmentor"],
        "num_demos": match["demos"] or "0",
    }
    return dataset_config(arguments, where)


def arguments_of(text: str) -> dict[str, str]:
    """The arguments in ``card=cards.x,serializer=[a,b],...``, or the recipe that the text names."""
    if "=" not in text:
        return {"recipe": text}
    parts = re.split(r",(?![^\[]*\])(?=[A-Za-z_]\w*=)", text)
    return dict(part.split("=", 1) for part in parts if "=" in part)


@lru_cache(maxsize=1)
def _our_datasets() -> dict[str, str]:
    """A card, ours or unitxt's -> our data set."""
    cards = [load_card(name) for name in card_names()]
    ours = {card.name: card.dataset for card in cards}
    return {**{card.unitxt.card: card.dataset for card in cards if card.unitxt is not None}, **ours}


def _design(arguments: Mapping[str, object], dataset: str) -> str:
    """``torr`` if ToRR's recipes ask in this way; else the shots and the arguments that differ."""
    shots = str(arguments.get("num_demos", "0"))
    others = sorted((name, str(value)) for name, value in arguments.items() if name not in _NOT_A_FORMAT)
    odd = ["=".join(each) for each in others if each != _USUAL]
    if not odd and dataset in _our_datasets().values() and shots == ("1" if dataset == "wikitq" else "5"):
        return "torr"
    return plain_name("+".join([f"{shots}shot", *odd]))


def _several(value: object) -> list[str]:
    if isinstance(value, str):
        value = [part.strip(" '\"") for part in value.strip("[]").split(",")]
    return [str(each) for each in value if each] if isinstance(value, (list, tuple)) else []


def plain_name(text: str) -> str:
    """A name without slashes, blanks and control characters; a long one is cut and given a hash.

    The parts of a configuration are joined by ``/``, so no part may hold one.
    """
    plain = re.sub(r"[^\w.+=:-]+", "_", text).strip("_") or "unnamed"
    if len(plain) <= _MOST:
        return plain
    return f"{plain[:_MOST]}-{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def plain_text(text: str) -> str:
    """A text that can be written anywhere: halves of characters become U+FFFD."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def digest(*parts: str) -> str:
    """32 hex digits that stand for some texts."""
    encoded = [part.encode("utf-8", "surrogatepass") for part in parts]
    return hashlib.sha256(b"".join([b"%d:%b" % (len(data), data) for data in encoded])).hexdigest()[:32]


def check_name(where: str, name: str) -> None:
    """Refuse a name that no column, folder or page could show.

    Raises:
        InputError: it is empty, too long, or holds half a character.
    """
    if not 0 < len(name) <= _LONGEST or plain_text(name) != name:
        raise InputError(f"{where}: found {name!r:.60}; expected a name of 1 to {_LONGEST} characters")
