"""A chart on a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_NAME = "rows"
_STEP = 24
MOST_STEPS = 60
_COMPOSED = ("hconcat", "vconcat", "concat", "facet", "repeat")


@dataclass(frozen=True)
class Chart:
    """A chart, ready for ``macros/charts.html``.

    Attributes:
        name: its place on the page: small letters, digits and hyphens, once a page.
        title: what is shown, a line.
        description: the same for those who do not see it: what is on which axis, and what it says.
        specification: of Vega-Lite, rows within, without colours or fonts of text, which are the theme's.
        steps: the height kept free for it, in steps of 24 pixels, so that nothing moves when it is drawn.
        table: header and rows of the same figures as text, for those who read rather than look; may be empty.
        download: the stem of its SVG and PNG in the study's ``charts/``; "" where it has none.
    """

    name: str
    title: str
    description: str
    specification: Mapping[str, Any]
    steps: int
    table: tuple[tuple[str, ...], ...] = ()
    download: str = ""


def chart_of(
    name: str,
    title: str,
    description: str,
    chart: Any,
    *,
    rows: Sequence[Mapping[str, Any]],
    height: int,
    table: Sequence[Sequence[str]] = (),
    download: str = "",
) -> Chart:
    """A chart of an altair chart over ``alt.NamedData("rows")`` and these rows.

    Where the altair chart sets no height of its own, it fills the height kept for it, axes and legends
    included, so that nothing on the page moves.

    Args:
        name: as in :class:`Chart`, like the rest.
        title: see there.
        description: see there.
        chart: of altair, or its specification where one is made for several charts: altair takes its time.
        rows: plain values under field names of ours; names of models and the like are values, never fields.
        height: in pixels, axes and legends included.
        table: see there.
        download: see there.
    """
    steps = min(MOST_STEPS, -(-height // _STEP))
    drawn = chart if isinstance(chart, Mapping) else chart.to_dict(validate=False)
    specification = {**drawn, "datasets": {_NAME: list(rows)}}
    specification.pop("$schema", None)  # an address that nothing asks for
    if "height" not in specification and not any(part in specification for part in _COMPOSED):
        specification["height"] = steps * _STEP
        specification.setdefault("autosize", {"type": "fit", "contains": "padding"})
    return Chart(name, title, description, specification, steps, tuple(map(tuple, table)), download)
