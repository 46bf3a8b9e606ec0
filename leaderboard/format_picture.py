"""Draws README's picture: how far each format lies behind the best, and the tokens that it takes.

    python leaderboard/format_picture.py runs/formats.parquet --out docs/images/formats.png

The scores are those of ``format_study.py``, or any scores file with several formats and ``prompt_tokens``.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torr_plugin.analysis import analyse, read_scores
from torr_plugin.analysis.charts.render import to_png, to_svg
from torr_plugin.analysis.charts.vega import BLUE, DATA, GREY, Spec, heading, specification

_WIDTH = 300


def rows(analysis: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A row a format, best first: points ahead of or behind the best with their ends, tokens of a prompt."""
    serializers = analysis["serializers"]
    tokens = serializers["tokens"]["overall"].values()
    return [
        {
            "format": level["name"],
            "points": -100 * level["behind"]["value"],
            "low": -100 * level["behind"]["high"],
            "high": -100 * level["behind"]["low"],
            "differs": bool(level["behind"].get("differs")),
            "tokens": statistics.fmean(own[level["name"]] for own in tokens),
        }
        for level in serializers["choice"]["average"]["overall"]
    ]


def picture(analysis: Mapping[str, Any]) -> Spec:
    """Two panels with a row a format: points of percent against the best, and thousands of tokens."""
    found = rows(analysis)
    best = found[0]["format"]
    of_models = next(iter(analysis["serializers"]["examples"].values()))
    models, questions = len(of_models), min(each["shared"] for each in of_models.values())
    y = {"field": "format", "type": "nominal", "sort": [row["format"] for row in found], "title": None}
    colour = {"condition": {"test": "datum.differs", "value": "#D55E00"}, "value": BLUE}
    x = {"type": "quantitative", "title": f"answers right, in points of percent against {best} (95%)"}
    behind: Spec = {
        "width": _WIDTH,
        "layer": [
            {
                "mark": {"type": "rule", "color": GREY, "strokeDash": [4, 3]},
                "encoding": {"x": {"datum": 0, "type": "quantitative"}},
            },
            {
                "mark": "rule",
                "encoding": {"y": y, "color": colour, "x": {"field": "low", **x}, "x2": {"field": "high"}},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 70, "opacity": 1},
                "encoding": {"y": y, "color": colour, "x": {"field": "points", **x}},
            },
        ],
    }
    price: Spec = {
        "width": _WIDTH,
        "mark": {"type": "bar", "color": GREY, "height": 14},
        "encoding": {
            "y": {**y, "axis": {"labels": False, "ticks": False}},
            "x": {"field": "tokens", "type": "quantitative", "title": "tokens of a prompt"},
        },
    }
    text = heading(
        "What a format costs",
        [f"Mean over {models} models, {questions} questions in every format; orange: differs from {best}"],
        2 * _WIDTH,
    )
    return specification({"data": DATA, "hconcat": [behind, price]}, found, text)


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("scores", type=Path)
    parser.add_argument("--out", type=Path, default=Path("docs/images/formats.png"))
    given = parser.parse_args()
    given.out.write_bytes(to_png(to_svg(picture(analyse(read_scores(given.scores))))))


if __name__ == "__main__":
    main()
