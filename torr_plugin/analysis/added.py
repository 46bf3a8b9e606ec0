"""Analyses that others add: each a pure function of the scores, under ``plugins`` in ``analysis.json``."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from typing import TYPE_CHECKING, Any

from ..core.registry import Registry
from .estimates import Options

if TYPE_CHECKING:
    import pandas as pd

PLUGINS = "plugins"
"""The key of ``analysis.json`` that holds what they found, by their names."""

MOST = 5_000_000
"""Characters of JSON that one may give: analysis.json is read whole by all that shows it."""


class Analysis(ABC):
    """A figure beside the project's own.

    ``name`` is its key under ``plugins`` in ``analysis.json``, and the name of its table.
    """

    name: str

    @abstractmethod
    def compute(self, scores: pd.DataFrame, options: Options) -> Any:
        """What the scores say.

        Args:
            scores: a row a score of each data set's main metric: ``model``, ``dataset``, ``config``,
                ``example``, ``metric`` and, where they are known, ``serializer``, ``perturbation``,
                ``design`` (all categories of text: group them with ``observed=True``) and ``score`` in
                [0, 1], NaN where there is none. A copy of its own.
            options: how intervals are to be made: ``resamples``, ``level``, ``seed``, ``two_way``.

        Returns:
            Plain values that JSON can hold (no NaN; null: no figure). None: nothing to say of this study.
        """

    def line(self, found: Any) -> str | None:
        """One line for the terminal, of what :meth:`compute` gave; None for none."""
        return None

    def table(self, found: Any) -> tuple[Sequence[str], Iterable[Sequence[object]]] | None:
        """A header and rows, written as ``plugins/<name>.csv``; None for none."""
        return None


analyses: Registry[Analysis] = Registry("analysis", "analyses")
"""The analyses that were added: ``analyses.add(MyAnalysis(), origin="mine")`` computes one for every study."""


def add_analysis(analysis: Analysis, *, origin: str) -> None:
    """Have ``analysis`` computed for every study; ``origin`` says which plugin brought it.

    Raises:
        InputError: its name is taken.
    """
    analyses.add(analysis, origin=origin)


def added_figures(rows: pd.DataFrame, options: Options) -> tuple[dict[str, Any], list[str]]:
    """What each added analysis finds, by name, and a note for each that failed."""
    found: dict[str, Any] = {}
    notes: list[str] = []
    for name in analyses:
        try:
            figure = _plain(analyses.get(name).compute(rows.copy(), options))
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a third party's code may raise anything, or end the process
            notes.append(_failed(name, "left out", error))
        else:
            if figure is not None:
                found[name] = figure
    return found, notes


def added_lines(analysis: Mapping[str, Any]) -> list[str]:
    """The lines that the added analyses say of what they found."""
    lines = [_line(name, found) for name, found in analysis.get(PLUGINS, {}).items() if name in analyses]
    return [line for line in lines if line]


def added_table(name: str, found: Any) -> tuple[Sequence[str], list[Sequence[object]]] | None:
    """Header and rows of an analysis; None where it has none, is not there, or fails."""
    if name not in analyses:
        return None
    try:
        made = analyses.get(name).table(deepcopy(found))
        return None if made is None else (tuple(made[0]), [tuple(row) for row in made[1]])
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a third party's code may raise anything, or end the process
        return ("problem",), [(_failed(name, "has no table", error),)]


def _line(name: str, found: Any) -> str | None:
    try:
        line = analyses.get(name).line(deepcopy(found))
        return None if line is None else " ".join(str(line).split())[:200]
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a third party's code may raise anything, or end the process
        return _failed(name, "has no line", error)


def _plain(figure: Any) -> Any:
    """The figure as JSON gives it back."""
    text = json.dumps(figure, allow_nan=False)
    if len(text) > MOST:
        raise ValueError(f"it gave {len(text):,} characters of JSON, expected at most {MOST:,}")
    return json.loads(text)


def _failed(name: str, what: str, error: BaseException) -> str:
    try:
        said = ": " + " ".join(str(error).split())[:200]
    except Exception:  # its own __str__ may fail too
        said = ""
    return f"the analysis {name!r} of plugin {analyses.origin(name)!r} {what}: {type(error).__name__}{said}"
