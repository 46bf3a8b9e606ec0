"""Runs the programs that models write to draw charts, and reads the charts' values.

In: a program and a workbook. Out: a :class:`ChartRun`. A program never runs in this process, sees nothing of
it and cannot outlive its chart; what it sends back is a text of bounded length, read as JSON.
"""

from .sandbox import ChartLimits, ChartRun, ChartSandbox, Kind, read_report, shared_sandbox

__all__ = ["ChartLimits", "ChartRun", "ChartSandbox", "Kind", "read_report", "shared_sandbox"]
