"""Runs the ``python`` blocks of a page in one process: reads a JSON line a block, writes its outcome."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import traceback
from typing import Any, TextIO


def main() -> None:
    """Until stdin ends: each block sees the names of those before it."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a block's own processes print
    names: dict[str, Any] = {"__name__": "__main__"}
    sys.path.insert(0, "")
    for line in sys.stdin:
        _answer(answers, _run(json.loads(line), names))


def _run(block: dict[str, Any], names: dict[str, Any]) -> dict[str, Any]:
    printed, error = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        try:
            code = "\n" * (block["line"] - 1) + block["code"]  # a traceback then names the page's own line
            exec(compile(code, block["page"], "exec"), names)
        except BaseException:
            error = traceback.format_exc()
    return {"printed": printed.getvalue(), "error": error}


def _answer(stream: TextIO, answer: dict[str, Any]) -> None:
    stream.write(json.dumps(answer) + "\n")
    stream.flush()


if __name__ == "__main__":
    main()
