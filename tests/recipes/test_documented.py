"""Every field of a recipe stands in its documentation."""

from __future__ import annotations

import inspect
from pathlib import Path

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


def test_every_field_is_documented() -> None:
    fields = [(part.__name__, field) for part in PARTS for field in part.model_fields]
    assert [f"{part}.{field}" for part, field in fields if f"`{field}`" not in PAGE] == []
