"""What an installed litellm knows of models behind servers: prices and lengths, read from its own file."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from ..core.versions import installed_version
from .models import TOKENS_A_PRICE, ModelEntry, Price

FILE = "model_prices_and_context_window_backup.json"
"""In litellm's package folder; nothing of the package is imported, and nothing is downloaded."""

_NAMED_BY = ("model", "pretrained")
_PRICES = {
    "prompt": "input_cost_per_token",
    "completion": "output_cost_per_token",
    "cached": "cache_read_input_token_cost",
    "cache_write": "cache_creation_input_token_cost",
}

E = TypeVar("E", bound=ModelEntry)
T = TypeVar("T")


@dataclass(frozen=True)
class KnownModel:
    """What is known of a model.

    Attributes:
        key: its name there.
        price: of its tokens; None where it is not known.
        context: the most tokens that it takes; None where that is not known.
    """

    key: str
    price: Price | None
    context: int | None


def known_model(entry: ModelEntry) -> KnownModel | None:
    """What litellm knows of a model; None without litellm, and of a model that runs on one's own machine.

    It is looked up by its argument ``model`` or ``pretrained``: under that name, else as that of some
    provider, ``provider/name``, or without the provider's name before it. Where providers differ in a figure,
    that figure is not known.
    """
    name = next((name for key in _NAMED_BY if isinstance(name := entry.args.get(key), str)), None)
    if not name or not _is_remote(entry):
        return None
    keys = _keys(name)
    if not keys:
        return None
    found = [_read(key, _models()[key]) for key in keys]
    return KnownModel(
        keys[0], _agreed([each.price for each in found]), _agreed([each.context for each in found])
    )


def _agreed(figures: Sequence[T]) -> T | None:
    return figures[0] if all(each == figures[0] for each in figures) else None


def with_known_prices(models: Sequence[E]) -> tuple[list[E], list[str]]:
    """Models, those without a price at the one that litellm knows, and a line that says whose these are."""
    found: list[E] = []
    said: list[str] = []
    for entry in models:
        known = known_model(entry) if entry.price is None else None
        if known is None or known.price is None:
            found.append(entry)
            continue
        found.append(entry.model_copy(update={"price": known.price}))
        said.append(entry.label if known.key == entry.label else f"{entry.label} (as {known.key})")
    note = (
        f"prices of {', '.join(said)}: from {_source()}; a 'price' in the recipe or the file of models "
        "counts before these"
    )
    return found, [note] if said else []


def _keys(name: str) -> list[str]:
    """The names there that a name may stand for."""
    models = _models()
    if name in models:
        return [name]
    provider, _, bare = name.partition("/")
    if bare in models and models[bare].get("litellm_provider") == provider:
        return [bare]
    return [key for key in models if key.endswith(f"/{name}")]


_HOSTED = ("openai", "azure-openai", "anthropic", "litellm")
"""How lm-eval's names begin of the models that have a server of their own."""


def _is_remote(entry: ModelEntry) -> bool:
    """Whether a model is asked on another's server, which sends bills."""
    address = entry.args.get("base_url")
    if not isinstance(address, str):
        return entry.model.startswith(_HOSTED)
    host = urlsplit(address).hostname or "localhost"
    try:
        return ip_address(host).is_global
    except ValueError:
        return "." in host and not host.endswith((".local", ".internal", ".localhost"))


@lru_cache(maxsize=1)
def _models() -> dict[str, Mapping[str, Any]]:
    """Name -> what the file says of it; empty without litellm, or if the file is no JSON object."""
    spec = find_spec("litellm")
    for folder in (spec.submodule_search_locations if spec else None) or ():
        try:
            found = json.loads((Path(folder) / FILE).read_text("utf-8"))
        except (OSError, ValueError):
            continue
        if isinstance(found, dict):
            return {
                key: value for key, value in found.items() if isinstance(value, dict) and key != "sample_spec"
            }
    return {}


def _source() -> str:
    return f"litellm {installed_version('litellm') or ''}".rstrip()


def _read(key: str, said: Mapping[str, Any]) -> KnownModel:
    dollars = {name: _number(said.get(field)) for name, field in _PRICES.items()}
    per_million = {
        name: round(value * TOKENS_A_PRICE, 9) for name, value in dollars.items() if value is not None
    }
    whole = {"prompt", "completion"} <= per_million.keys()
    context = _number(said.get("max_input_tokens"))
    return KnownModel(key, Price(**per_million) if whole else None, int(context) if context else None)


def _number(value: object) -> float | None:
    """A number that is not negative; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if math.isfinite(value) and value >= 0 else None
