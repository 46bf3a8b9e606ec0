"""A process of its own that draws charts: jobs as JSON on stdin, files out."""

from __future__ import annotations

import json
import sys

from .files import draw_jobs
from .rendering import to_png, to_svg

_SMALLEST = {"data": {"values": [{}]}, "mark": "point"}

if __name__ == "__main__":
    to_png(to_svg(_SMALLEST))  # what the first chart costs, while the jobs are being made
    draw_jobs(json.load(sys.stdin))
