"""Checks what a page shows: YAML, JSON and TOML parse; recipes, pools and cards are valid; imports exist."""

from __future__ import annotations

import ast
import contextlib
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

import torr_plugin
from torr_plugin.catalog import load_card
from torr_plugin.recipes import Recipe, load, read_models

from .blocks import Block

MINIMAL = {
    "name": "fragment",
    "cards": ["cards.bundled.cell_lookup"],
    "configurations": ["html/none/default"],
}
"""The recipe into which a part of one is put."""


class _Lenient(yaml.SafeLoader):
    """YAML with other programs' tags (lm-eval's ``!function``), which are taken as texts."""


_Lenient.add_multi_constructor("!", lambda loader, suffix, node: f"!{suffix} {node.value}")


def write(block: Block, folder: Path) -> None:
    """Write a block that is a file's content, if it is one, into the folder of its page."""
    if block.file:
        path = folder / block.file
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_symlink():  # to the checkout's own file
            path.unlink()
        path.write_text(block.text + "\n", encoding="utf-8")


def check(language: str, text: str, folder: Path) -> None:
    """Check the text of a block that is no command, in a folder with the files that it names.

    Raises:
        Exception: what the parser, the import, or the loader of recipes or cards says.
    """
    checks = {"yaml": _check_yaml, "json": _check_json, "toml": _check_toml, "python": _check_python}
    if language in checks:
        with _inside(folder):
            checks[language](text)


def kind_of(value: Any) -> str:
    """What YAML holds: ``recipe``, ``fragment`` (some of a recipe's fields), ``pool``, or ``other``."""
    if isinstance(value, list):
        named = [isinstance(each, dict) and bool({"name", "model"} & set(each)) for each in value]
        return "pool" if named and all(named) else "other"
    if not isinstance(value, dict):
        return "other"
    if set(value) == {"models"}:
        return "pool"
    if set(value) >= {"name", "cards", "configurations"}:
        return "recipe"
    return "fragment" if set(value) <= {*Recipe.model_fields, "demos"} else "other"


def _check_yaml(text: str) -> None:
    value = yaml.load(text, Loader=_Lenient)
    kind = kind_of(value)
    if kind == "pool":
        assert read_models(_written("shown-pool.yaml", text))
    elif kind != "other":
        load(
            str(
                _written(
                    "shown-recipe.yaml", yaml.safe_dump(MINIMAL | value if kind == "fragment" else value)
                )
            )
        )


def _check_json(text: str) -> None:
    """JSON, or JSON a line."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        value = [json.loads(line) for line in text.splitlines() if line.strip()]
    if isinstance(value, dict) and value.get("__type__") == "table_card":
        load_card(str(_written("shown-card.json", text)))


def _check_toml(text: str) -> None:
    """Of Python 3.10, which reads no TOML, only that there are assignments."""
    if sys.version_info >= (3, 11):
        import tomllib

        tomllib.loads(text)
    assert "=" in text


def _check_python(text: str) -> None:
    """It is Python, and what it takes from this package exists."""
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.ImportFrom(module=str(name)) if name.split(".")[0] == "torr_plugin":
                exec(ast.unparse(node), {})
            case ast.Attribute(value=ast.Name(id="torr_plugin"), attr=name):
                getattr(torr_plugin, name)


def _written(name: str, text: str) -> Path:
    Path(name).write_text(text, encoding="utf-8")
    return Path(name)


@contextlib.contextmanager
def _inside(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
