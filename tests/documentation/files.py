"""Checks the files that a page shows: YAML, JSON and TOML parse; recipes, pools and cards are valid."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import yaml

MINIMAL = {
    "name": "fragment",
    "cards": ["cards.bundled.cell_lookup"],
    "configurations": ["html/none/default"],
}
"""The recipe into which a part of one is put."""


class _Lenient(yaml.SafeLoader):
    """YAML with other programs' tags (lm-eval's ``!function``), which are taken as texts."""


_Lenient.add_multi_constructor("!", lambda loader, suffix, node: f"!{suffix} {node.value}")


def check_yaml(text: str, folder: Path) -> None:
    """Parse YAML, and validate what is a recipe, a part of one or a pool of models.

    Raises:
        Exception: what the parser or the loader of recipes says.
    """
    value = yaml.load(text, Loader=_Lenient)
    kind = kind_of(value)
    if kind == "pool":
        _pool(text, folder)
    elif kind == "recipe":
        _recipe(value, folder)
    elif kind == "fragment":
        _recipe(MINIMAL | value, folder)


def kind_of(value: Any) -> str:
    """``recipe``, ``fragment`` (some of a recipe's fields), ``pool``, or ``other``."""
    if isinstance(value, list):
        named = [isinstance(each, dict) and bool({"name", "model"} & set(each)) for each in value]
        return "pool" if named and all(named) else "other"
    if not isinstance(value, dict):
        return "other"
    if set(value) == {"models"}:
        return "pool"
    if set(value) >= {"name", "cards", "configurations"}:
        return "recipe"
    return "fragment" if set(value) <= _fields() else "other"


def check_json(text: str, folder: Path) -> Any:
    """Parse JSON, or JSON a line, and validate a card; gives the value back.

    Raises:
        Exception: what the parser or the loader of cards says.
    """
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    if isinstance(value, dict) and value.get("__type__") == "table_card":
        from torr_plugin.catalog import load_card

        load_card(str(_written(folder / "shown-card.json", text)))
    return value


def check_toml(text: str) -> Any:
    """Parse TOML; of Python 3.10, which reads none, only that there are sections or assignments."""
    if sys.version_info >= (3, 11):
        import tomllib

        return tomllib.loads(text)
    assert "=" in text
    return None


def _fields() -> set[str]:
    from torr_plugin.recipes import Recipe

    fields = getattr(Recipe, "model_fields", None) or Recipe.__dataclass_fields__
    return {*fields, "demos"}


def _pool(text: str, folder: Path) -> None:
    from torr_plugin.recipes import read_models

    assert read_models(_written(folder / "shown-pool.yaml", text))


def _recipe(value: dict[str, Any], folder: Path) -> None:
    from torr_plugin.recipes import load

    load(str(_written(folder / "shown-recipe.yaml", yaml.safe_dump(value))))


def _written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path
