"""Charts of an analysis: Vega-Lite specifications as plain dicts, and SVG, PNG and PDF drawn from them.

A figure builds its own charts (:mod:`..figures`) of what is here. Names of models and data sets come from
outside: in a chart they are values under fields of our own names, on one line and of bounded length.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.registry import lazy_package

if TYPE_CHECKING:
    from .drawing import Drawn as Drawn
    from .drawing import DrawnChart as DrawnChart
    from .drawing import chart_names as chart_names
    from .drawing import draw as draw
    from .drawing import specifications as specifications
    from .rendering import to_pdf as to_pdf
    from .rendering import to_png as to_png
    from .rendering import to_svg as to_svg
    from .workers import chart_workers as chart_workers

__getattr__, __dir__, __all__ = lazy_package(
    __name__,
    {
        ".drawing": ["Drawn", "DrawnChart", "chart_names", "draw", "specifications"],
        ".rendering": ["to_pdf", "to_png", "to_svg"],
        ".workers": ["chart_workers"],
    },
)
