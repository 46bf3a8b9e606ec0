"""A process of its own that draws charts: jobs as JSON on stdin, files out."""

from __future__ import annotations

import json
import sys

from .files import draw_jobs

if __name__ == "__main__":
    draw_jobs(json.load(sys.stdin))
