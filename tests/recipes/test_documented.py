"""Every field of a recipe stands in its documentation."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from torr_plugin.recipes import JudgeEntry, ModelEntry, Recipe, schema

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "recipes.md").read_text()
PARTS = [
    Recipe,
    ModelEntry,
    JudgeEntry,
    schema.CardEntry,
    schema.Product,
    schema.Demonstrations,
    schema.Examples,
]
PARTS += [schema.Generation, schema.Replicates, schema.AnalysisOptions]


def test_no_part_is_forgotten() -> None:
    parts = {
        value
        for value in vars(schema).values()
        if inspect.isclass(value) and issubclass(value, schema.ConfigSection)
    }
    assert parts - {schema.ConfigSection} <= set(PARTS)


@pytest.mark.parametrize(
    ("part", "field"), [(part, field) for part in PARTS for field in part.model_fields], ids=str
)
def test_the_field_is_documented(part: type, field: str) -> None:
    assert f"`{field}`" in PAGE
