"""The figure on the study's page: words from a template, and a chart."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torr_plugin.leaderboard.sections import Section


class UnanimousSection(Section):
    """Shows what the analysis ``unanimous`` found."""

    name = "unanimous"
    title = "Same in all configurations"
    template = Path(__file__).parent / "templates" / "unanimous.html"

    def data(self, analysis: Mapping[str, Any], study: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Rows for the template; None for a study that was analysed without the plugin."""
        found = analysis.get("plugins", {}).get("unanimous")
        if not found:
            return None
        rows = [(model, name, share) for model, shares in found.items() for name, share in shares.items()]
        return {"rows": rows}

    def chart(self, data: Mapping[str, Any]) -> Mapping[str, Any]:
        """A bar a model and data set."""
        values = [{"model": model, "data set": name, "share": share} for model, name, share in data["rows"]]
        return {
            "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
            "data": {"values": values},
            "mark": "bar",
            "encoding": {
                "y": {"field": "model", "type": "nominal", "title": None},
                "x": {"field": "share", "type": "quantitative", "axis": {"format": "%"}},
                "color": {"field": "data set", "type": "nominal"},
                "yOffset": {"field": "data set"},
            },
        }
