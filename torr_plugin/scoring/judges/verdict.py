"""What a judge says, read strictly."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

Verdict: TypeAlias = Literal["yes", "no", "unclear"]

LONGEST = 20_000
_THOUGHT = "</think>"
_WORD = re.compile(r"\W*(?:(?:verdict|answer|judgement|judgment)\W+)?(yes|no)\b(?P<rest>.*)", re.DOTALL)
_ENDS = re.compile(r"[\s*_`\"')\]]*(?:$|[.,;:!\u2014-])")


def verdict_of(text: str) -> Verdict:
    """``yes`` or ``no`` where the judge's first line says just one of them, else ``unclear``.

    Read are the first ``LONGEST`` characters; what a reasoning model thought before (up to the last
    ``</think>``) is left out. The word may follow ``Verdict:`` or ``Answer:``, stand in marks such as ``**``
    or quotes, and be followed by a mark and reasons; ``no doubt it is`` or ``yes and no`` are no verdict.
    """
    said = text[-LONGEST:].rpartition(_THOUGHT)[2] if _THOUGHT in text[-LONGEST:] else text[:LONGEST]
    line = next((line for line in said.lower().splitlines() if line.strip()), "")
    found = _WORD.match(line)
    if found is None or not _ENDS.match(found["rest"]):
        return "unclear"
    other = "no" if found[1] == "yes" else "yes"
    if re.search(rf"\b{other}\b", found["rest"]):
        return "unclear"
    return "yes" if found[1] == "yes" else "no"
