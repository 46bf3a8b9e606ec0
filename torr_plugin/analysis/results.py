"""The results of an analysis, typed: what ``analysis.json`` holds, and how it is read back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pydantic import ValidationError

from .figure import Figure
from .options import AnalysisError
from .registered import own_figures

R = TypeVar("R")

LABEL_KEEPING = "label_keeping"
"""The key of the results over label-keeping perturbations alone; so are the folders of their files called."""

PLUGINS = "plugins"
"""The key that holds the results of plugins' figures, by their names."""

NOTES = "notes"


@dataclass(frozen=True)
class AnalysisResults:
    """The results of all figures of a study.

    Attributes:
        results: key of a figure -> its result; ``results[figure]`` and :meth:`get` are typed by the figure.
        notes: what a reader must know, a sentence each.
        label_keeping: the same over the label-keeping perturbations alone, where they are known.
        plugins: name of a plugin's figure -> its result, plain JSON.
    """

    results: Mapping[str, Any]
    notes: tuple[str, ...] = ()
    label_keeping: AnalysisResults | None = None
    plugins: Mapping[str, Any] = field(default_factory=dict)

    def get(self, figure: Figure[R]) -> R | None:
        """The result of a figure; None where the study has nothing for it."""
        return self.results.get(figure.key)

    def __getitem__(self, figure: Figure[R]) -> R:
        """The result of a figure that every analysis has."""
        found: R = self.results[figure.key]
        return found

    def parts(self) -> dict[str, AnalysisResults]:
        """Folder -> what its files are of: the whole study, and its label-keeping part where there is one."""
        kept = {} if self.label_keeping is None else {LABEL_KEEPING: self.label_keeping}
        return {"": self, **kept}

    def to_json(self) -> dict[str, Any]:
        """The contents of ``analysis.json``."""
        found: dict[str, Any] = {}
        for figure in own_figures():
            if figure.key in self.results:
                plain = figure.to_json(self.results[figure.key])
                found.update({figure.key: plain} if figure.spread is None else plain)
            if figure.key == "settings":
                found[NOTES] = list(self.notes)
        if self.label_keeping is not None:
            found[LABEL_KEEPING] = self.label_keeping.to_json()
        return {**found, PLUGINS: dict(self.plugins)} if self.plugins else found

    @classmethod
    def from_json(cls, found: object, where: str = "analysis.json") -> AnalysisResults:
        """Read the contents of an ``analysis.json``.

        Args:
            found: the parsed file.
            where: names it in messages.

        Raises:
            AnalysisError: it is not of the shape that ``torr analyse`` writes; the first wrong field is
                named.
        """
        if not isinstance(found, Mapping):
            raise AnalysisError(f"{where}: found {type(found).__name__}; expected a JSON object{_REMEDY}")
        kept, notes, plugins = (found.get(key) for key in (LABEL_KEEPING, NOTES, PLUGINS))
        return cls(
            results=dict(_results(found, where)),
            notes=tuple(map(str, notes)) if isinstance(notes, list) else (),
            label_keeping=None if kept is None else cls.from_json(kept, f"{where}: {LABEL_KEEPING}"),
            plugins=plugins if isinstance(plugins, Mapping) else {},
        )


def as_results(analysis: AnalysisResults | Mapping[str, Any]) -> AnalysisResults:
    """Typed results, of the contents of an ``analysis.json`` too."""
    return analysis if isinstance(analysis, AnalysisResults) else AnalysisResults.from_json(analysis)


_REMEDY = "; 'torr analyse' makes a new one"


def _results(found: Mapping[str, Any], where: str) -> dict[str, Any]:
    results: dict[str, Any] = {}
    for figure in own_figures():
        present = {key: found[key] for key in figure.json_keys() if found.get(key) is not None}
        if not present and not figure.required:
            continue
        if figure.spread is None and not present:
            raise AnalysisError(f"{where}: {figure.key}: Field required{_REMEDY}")
        try:
            results[figure.key] = figure.from_json(present if figure.spread else present[figure.key])
        except ValidationError as error:
            first = error.errors()[0]
            path = [*([] if figure.spread else [figure.key]), *first["loc"]]
            wrong = ".".join(str(part) for part in path)[:120]
            raise AnalysisError(f"{where}: {wrong}: {first['msg']}{_REMEDY}") from error
    return results
