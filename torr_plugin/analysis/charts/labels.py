"""Names as charts show them: on one line, of bounded length, no two alike.

MERGED: What every chart says of its study: numbers of models, data sets, configurations, examples; intervals.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from ..summary import ranked_models

LONGEST = 30
"""Characters of a model's or data set's name in a chart."""


def shown(name: str, longest: int = LONGEST) -> str:
    """A name without line breaks or anything invisible; its middle is left out where it is too long.

    What is left out are whole words, where that costs no more than a third of either end.
    """
    cut = name[: 20 * longest] + name[-longest:] if len(name) > 21 * longest else name
    line = " ".join("".join(char if char.isprintable() else " " for char in cut).split()) or "?"
    if len(line) <= longest:
        return line
    head = longest // 2
    return f"{_begins(line, head)}…{_ends(line, longest - head - 1)}"


def _begins(line: str, length: int) -> str:
    """The beginning of a line, up to the end of a word if one is near."""
    ends = [end.end() for end in re.finditer(r"[^\W_](?=[\W_])", line[: length + 1])]
    near = [end for end in ends if 3 * end >= 2 * length]
    return line[: near[-1] if near else length].rstrip()


def _ends(line: str, length: int) -> str:
    """The end of a line, from the beginning of a word if one is near."""
    tail = line[-length - 1 :]
    starts = [len(tail) - start.start() for start in re.finditer(r"(?<=[\W_])[^\W_]", tail)]
    near = [start for start in starts if 3 * start >= 2 * length]
    return line[-(near[0] if near else length) :].lstrip()


def labels(names: Iterable[str], longest: int = LONGEST) -> dict[str, str]:
    """Name -> label, in the given order; names that would look alike are numbered."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        label, number = shown(name, longest), 1
        while label in taken:
            number += 1
            label = f"{shown(name, longest - 4)} ({number})"
        taken.add(label)
        found[name] = label
    return found


Analysis = Mapping[str, Any]
Row = dict[str, Any]


class Lacking(Exception):  # noqa: N818 (no error: a study need not have everything)
    """Why a study has no such chart, as the end of a sentence."""


def needed(analysis: Analysis, *path: str, why: str = "") -> Any:
    """What stands at a path of keys; ``why`` says what nothing there means.

    Raises:
        Lacking: nothing does.
    """
    here: Any = analysis
    for key in path:
        here = here.get(key) if isinstance(here, Mapping) else None
        if not here:
            raise Lacking(why or f"the analysis has no {'.'.join(path)}")
    return here


def unnamed(parts: str) -> str:
    """Why there is nothing per serializer or perturbation."""
    return f"the scores do not say the {parts} of all configurations"


def several(things: Iterable[Any], what: str) -> None:
    """Refuse a chart that compares things where there is one alone.

    Raises:
        Lacking: there are fewer than two.
    """
    if len(list(things)) < 2:
        raise Lacking(f"there is one {what} only")


def model_labels(analysis: Analysis) -> dict[str, str]:
    """Model -> label, best overall performance first."""
    return labels(ranked_models(analysis))


def dataset_labels(analysis: Analysis) -> dict[str, str]:
    """Data set -> label, in the study's order."""
    return labels(analysis["settings"]["examples"])


def known(figure: Mapping[str, Any] | None) -> Row | None:
    """A figure's value and interval, the bounds at the value where it has none; nothing without a value."""
    if not figure or figure.get("value") is None:
        return None
    value = figure["value"]
    low, high = figure.get("low"), figure.get("high")
    return {"value": value, "low": value if low is None else low, "high": value if high is None else high}


def basis(analysis: Analysis) -> str:
    """``14 models, 10 data sets, 35 configurations and 100 examples each``."""
    settings = analysis["settings"]
    datasets = len(settings["examples"])
    parts = [_count(settings["models"], "model"), _count(datasets, "data set")]
    each = f"{_range(settings['configurations'])} and {_range(settings['examples'], 'example')}"
    return ", ".join(parts) + f", {each}{' each' if datasets > 1 else ''}"


def intervals(analysis: Analysis) -> str:
    """``Lines: 95 % bootstrap intervals (1,000 resamples of the examples)``."""
    settings = analysis["settings"]
    drawn = "examples and configurations" if settings["two_way"] else "examples"
    return (
        f"Lines: {100 * settings['level']:g} % bootstrap intervals "
        f"({settings['resamples']:,} resamples of the {drawn})"
    )


def endless(analysis: Analysis, what: str) -> str:
    """What estimates of agreement are of: noise makes rankings agree less than the models deserve."""
    return f"the {what} that endless examples would show, {100 * analysis['settings']['level']:g} % intervals"


def without_noise(figure: Mapping[str, Any] | None) -> Row | None:
    """As :func:`known`, of the estimate with its interval; the value of the scores stands in ``seen``."""
    if not figure or not (row := known(figure)):
        return None
    estimate = figure.get("estimate")
    return {**row, "value": row["value"] if estimate is None else estimate, "seen": row["value"]}


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _range(counts: Mapping[str, int], what: str = "configuration") -> str:
    low, high = min(counts.values()), max(counts.values())
    return _count(low, what) if low == high else f"{low:,} to {high:,} {what}s"
