"""Labels of names in charts, and the subtitle of every chart."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ...core.errors import counted
from ..number_format import format_range
from ..options import Settings
from ..result import OVERALL, Bounds
from .vega import ChartRow

LONGEST = 30
"""Characters of a model's or data set's name in a chart."""


def shortened(name: str, longest: int = LONGEST) -> str:
    """A name without line breaks or anything invisible; its middle is left out where it is too long.

    What is left out are whole words, where that costs no more than a third of either end.
    """
    cut = name[: 20 * longest] + name[-longest:] if len(name) > 21 * longest else name
    line = " ".join("".join(char if char.isprintable() else " " for char in cut).split()) or "?"
    if len(line) <= longest:
        return line
    head = longest // 2
    return f"{_first_words(line, head)}…{_last_words(line, longest - head - 1)}"


def _first_words(line: str, length: int) -> str:
    """The beginning of a line, up to the end of a word if one is near."""
    ends = [end.end() for end in re.finditer(r"[^\W_](?=[\W_])", line[: length + 1])]
    near = [end for end in ends if 3 * end >= 2 * length]
    return line[: near[-1] if near else length].rstrip()


def _last_words(line: str, length: int) -> str:
    """The end of a line, from the beginning of a word if one is near."""
    tail = line[-length - 1 :]
    starts = [len(tail) - start.start() for start in re.finditer(r"(?<=[\W_])[^\W_]", tail)]
    near = [start for start in starts if 3 * start >= 2 * length]
    return line[-(near[0] if near else length) :].lstrip()


def unique_labels(names: Iterable[str], longest: int = LONGEST) -> dict[str, str]:
    """Name -> label, in the given order; names with the same label are numbered."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        label, number = shortened(name, longest), 1
        while label in taken:
            number += 1
            label = f"{shortened(name, longest - 4)} ({number})"
        taken.add(label)
        found[name] = label
    return found


class NoChart(Exception):  # noqa: N818 (no error: a study need not have everything)
    """Why a study has no such chart, as the end of a sentence."""


@dataclass(frozen=True)
class ChartContext:
    """The study that a chart is of.

    Attributes:
        settings: of the analysis.
        ranked: the models, best overall performance first.
        tiers: model -> its tier overall, 1 for the best; models without a figure are in none.
        perturbed: configurations differ in perturbations too, not in the format alone.
        over: which examples the chart's figures are over, a phrase; empty: over all.
        uneven: not every example was asked in every configuration.
    """

    settings: Settings
    ranked: Sequence[str]
    tiers: Mapping[str, int] = field(default_factory=dict)
    perturbed: bool = False
    over: str = ""
    uneven: bool = False

    def model_labels(self) -> dict[str, str]:
        """Model -> label, best overall performance first."""
        return unique_labels(self.ranked)

    def dataset_labels(self, longest: int = LONGEST) -> dict[str, str]:
        """Data set -> label, in the study's order."""
        return unique_labels(self.settings.examples, longest)

    def place_labels(self, longest: int = LONGEST) -> dict[str, str]:
        """All data sets together, and each: place -> label."""
        return unique_labels([OVERALL, *self.settings.examples], longest)

    @property
    def level(self) -> str:
        """Of the intervals, e.g. ``95%``."""
        return f"{100 * self.settings.level:g}%"

    @property
    def basis(self) -> str:
        """``14 models, 10 data sets, 35 configurations and 100 examples each``, and ``; over ...``."""
        settings = self.settings
        datasets = len(settings.examples)
        studied = f"{counted(settings.models, 'model')}, {counted(datasets, 'data set')}"
        configurations = counted(format_range(settings.configurations.values()), "configuration")
        examples = counted(format_range(settings.examples.values()), "example")
        each, over = " each" if datasets > 1 else "", f"; {self.over}" if self.over else ""
        uneven = ", not all in every configuration" if self.uneven else ""
        return f"{studied}, {configurations} and {examples}{each}{uneven}{over}"

    def ranked_over(self, used: Mapping[str, tuple[int, float]]) -> str:
        """``; over 5 of 6 configurations``, where rankings rest on less than the data sets hold; or "".

        Args:
            used: data set -> the configurations and the examples that its rankings rest on.
        """
        kinds = zip(
            ("configuration", "example"), (self.settings.configurations, self.settings.examples), strict=True
        )
        said = [
            f"{format_range([int(used[name][place]) for name in used])} of "
            f"{counted(format_range([every[name] for name in used]), kind)}"
            for place, (kind, every) in enumerate(kinds)
            if any(used[name][place] < every[name] for name in used)
        ]
        return f"; over {' and '.join(said)}" if said else ""

    @property
    def intervals(self) -> str:
        """``Lines: 95% intervals of verdicts, all of a question at once``."""
        return f"Lines: {self.level} intervals of verdicts, all of a question at once"

    @property
    def score_intervals(self) -> str:
        """``Lines: 95% score intervals``."""
        return f"Lines: {self.level} score intervals"


def require_several(things: Iterable[object], what: str) -> None:
    """Refuse a chart that compares things where there is one alone.

    Raises:
        NoChart: there are fewer than two.
    """
    if len(list(things)) < 2:
        raise NoChart(f"there is one {what} only")


def bounds_row(figure: Bounds | None) -> ChartRow | None:
    """A figure's value and interval, the bounds at the value where it has none; nothing without a value."""
    if figure is None or figure.value is None:
        return None
    value, low, high = figure.value, figure.low, figure.high
    return {"value": value, "low": value if low is None else low, "high": value if high is None else high}
