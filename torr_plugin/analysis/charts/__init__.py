"""Charts of an analysis: Vega-Lite specifications as plain dicts, and SVG, PNG and PDF drawn from them.

A figure builds its own charts (:mod:`..figures`) of what is here. Names of models and data sets come from
outside: in a chart they are values under fields of our own names, on one line and of bounded length.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.registry import lazy_package

if TYPE_CHECKING:
    from .render import chart_names as chart_names
    from .render import draw as draw
    from .render import specifications as specifications
    from .render import to_pdf as to_pdf
    from .render import to_png as to_png
    from .render import to_svg as to_svg

__getattr__, __dir__, __all__ = lazy_package(__name__, __file__)
