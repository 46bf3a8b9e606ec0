"""Every figure of an analysis as a chart: Vega-Lite specifications, and SVG and PNG drawn from them.

In: the dict that ``analyse`` returns, the contents of ``analysis.json``. Building and drawing are apart, as a
page may show a specification itself. Names of models and data sets come from outside: in a chart they are
values under fields of our own names, on one line and of bounded length.
"""

from __future__ import annotations

from .figures import FIGURES, Figure, specifications
from .files import Drawn, DrawnChart, draw
from .rendering import to_png, to_svg

__all__ = ["FIGURES", "Drawn", "DrawnChart", "Figure", "draw", "specifications", "to_png", "to_svg"]
