"""Charts of the pages: Vega-Lite specifications, drawn by the browser in the reader's theme."""

from .chart import Chart, chart_of

__all__ = ["Chart", "chart_of"]
