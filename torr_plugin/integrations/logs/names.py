"""Names of data sets and configurations: unitxt's as ours, foreign ones made fit for the columns of a run."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ...catalog import card_names, load_card
from ...core.errors import InputError
from ...tables import serializers

AS_IS, NONE, DEFAULT = "as-is", "none", "default"

LONGEST = 1000
"""Characters of a name; ids are hashes, numbers or short texts."""

_MOST = 120  # characters of a part of a configuration's name

# recipes.torr.fin_qa.html.transpose_augmentation_5_demos, as unitxt's catalog names ToRR's
_RECIPE = re.compile(
    r"recipes\.(?:[a-z0-9_]+\.)?(?P<card>[A-Za-z0-9_]+)\.(?P<serializer>[A-Za-z0-9_]+)"
    r"\.(?P<augmentor>[A-Za-z0-9_]+?)_augmentation(?:_(?P<demos>\d+)_demos)?"
)
_SERIALIZERS = "serializers.table."
_AUGMENTORS = "augmentors.table."
_DEFAULT_OF = {"num_demos": "0", "demos_pool_size": "-1", "template_card_index": "0"}
# what says how much or which part of the data is read, not how an example is asked
_NOT_A_FORMAT = frozenset(
    {"card", "recipe", "serializer", "augmentor", "split", "loader_limit", "model", "model_deployment"}
    | {"max_train_instances", "max_test_instances", "max_validation_instances", "demos_pool_size"}
    | {"use_cache", "disable_cache", "groups", "__type__"}
)


@dataclass(frozen=True, slots=True)
class DatasetConfig:
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
    dataset = dataset_name(card)
    serializer = serializer_name(arguments.get("serializer"))
    perturbation = perturbation_name(arguments.get("augmentor"))
    return DatasetConfig(dataset, f"{serializer}/{perturbation}/{_design(arguments, dataset)}")


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


@lru_cache(maxsize=512)
def dataset_name(card: str) -> str:
    """Our data set of a card of unitxt's, if there is one; else the card's own name."""
    return _cards().get(card) or plain_name(card.removeprefix("cards."))


@lru_cache(maxsize=1)
def _cards() -> dict[str, str]:
    cards = [load_card(name) for name in card_names()]
    ours = {card.name: card.dataset for card in cards}
    return {**{card.unitxt.card: card.dataset for card in cards if card.unitxt is not None}, **ours}


def serializer_name(value: object) -> str:
    """Our name of ``serializers.table.html`` (``torr.html``); ``as-is`` if none is given."""
    name = "+".join(_several(value))
    if not name:
        return AS_IS
    bare = name.removeprefix(_SERIALIZERS)
    return f"torr.{bare}" if f"torr.{bare}" in serializers.names() else plain_name(bare)


def perturbation_name(value: object) -> str:
    """Our name of ``augmentors.table.transpose``; several are joined by ``+``; ``none`` if none is given."""
    names = _several(value)
    kept = [each.removeprefix(_AUGMENTORS) for each in names if each not in ("augmentors.no", "None", "null")]
    return "+".join(map(plain_name, kept)) or NONE


def _design(arguments: Mapping[str, object], dataset: str) -> str:
    """``torr`` if ToRR's recipes ask in this way; else the shots and the arguments that differ."""
    usual = {**_DEFAULT_OF, "num_demos": "1" if dataset == "wikitq" else "5"}
    given = {name: str(value) for name, value in arguments.items() if name not in _NOT_A_FORMAT}
    shots = given.get("num_demos", "0")
    odd = {name: value for name, value in given.items() if usual.get(name) != value and name != "num_demos"}
    if dataset in _cards().values() and shots == usual["num_demos"] and not odd:
        return "torr"
    words = [f"{shots}shot", *(f"{name}={value}" for name, value in sorted(odd.items()))]
    return plain_name("+".join(words))


def _several(value: object) -> Sequence[str]:
    if value is None:
        return []
    if isinstance(value, str):
        return [part.strip(" '\"") for part in value.strip("[]").split(",") if part.strip(" '\"")]
    return [str(each) for each in value] if isinstance(value, (list, tuple)) else [str(value)]


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
    found = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        found.update(b"%d:" % len(data))
        found.update(data)
    return found.hexdigest()[:32]


def check_name(where: str, name: str) -> None:
    """Refuse a name that no column, folder or page could show.

    Raises:
        InputError: it is empty, too long, or holds half a character.
    """
    if not 0 < len(name) <= LONGEST or plain_text(name) != name:
        raise InputError(f"{where}: found {name!r:.60}; expected a name of 1 to {LONGEST} characters")
