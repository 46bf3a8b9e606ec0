"""Recipes of a few lines, over the bundled cards."""

from __future__ import annotations

from pathlib import Path

CARD = "cards.bundled.fact_verification"
CARDS = ("cards.bundled.cell_lookup", "cards.bundled.fact_verification", "cards.bundled.aggregation")

SMALL = f"""\
name: small
cards: [{CARD}]
configurations: {{serializers: [torr.html, torr.csv], perturbations: [none, shuffle_rows]}}
demonstrations: {{shots: 2}}
examples: {{count: 6}}
"""


def written(folder: Path, text: str, name: str = "x.yaml") -> Path:
    """A recipe file with this text."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path
