"""What is said of an import: to a person, as JSON, and in study.yaml."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .comparing import Differences
from .result import Source

if TYPE_CHECKING:
    from ...running import Run
    from .writing import Writer

NAMED_HOLES = 5
_ALIKE = 60


@dataclass(frozen=True)
class Imported:
    """What became of a harness's results.

    Attributes:
        run: the directory.
        harness: whose results.
        rating: whose scores are in it: ``its own`` or ``rated again``, or a data set each.
        models: their labels.
        datasets: data set -> how many examples.
        configurations: how many.
        results: how many answers and errors were read.
        holes: how many cells have no result.
        failed: how many requests have an error in the place of an answer.
        differences: where the harness's own scores differ from ours; None where they are kept.
        notes: a line each.
        analysis: the contents of analysis.json.
    """

    run: Path
    harness: str
    rating: str | dict[str, str]
    models: tuple[str, ...]
    datasets: dict[str, int]
    configurations: int
    results: int
    holes: int
    failed: int
    differences: Differences | None
    notes: tuple[str, ...]
    analysis: dict[str, Any]

    def as_dict(self) -> dict[str, Any]:
        """What ``--json`` prints."""
        return {
            "run": str(self.run),
            "harness": self.harness,
            "scores": self.rating,
            "models": list(self.models),
            "datasets": self.datasets,
            "configurations": self.configurations,
            "results": self.results,
            "holes": self.holes,
            "failed": self.failed,
            "compared": None if self.differences is None else self.differences.as_dict(),
            "notes": list(self.notes),
        }


@dataclass
class Told:
    """Gathers what is to be said while an import goes on."""

    source: Source
    notes: list[str]
    options: tuple[str, ...] = ()
    rating: str | dict[str, str] = ""
    differences: Differences | None = None
    analysis: dict[str, Any] = field(default_factory=dict)
    doubts: list[str] = field(default_factory=list)

    def first_doubts(self) -> list[str]:
        """Why the harness's own scores may be wrong; of doubts that begin alike the first, and how many."""
        kinds = Counter(doubt[:_ALIKE] for doubt in self.doubts)
        firsts = {doubt[:_ALIKE]: doubt for doubt in reversed(self.doubts)}
        return [f"{firsts[kind]} ({count} such files)" for kind, count in kinds.items()]

    def of_writing(self, writer: Writer) -> list[str]:
        """What was met while writing: cut prompts, answers that differ, holes."""
        met, notes = writer.met, list[str]()
        if met.cut:
            what = "count as failed" if writer.ours else "keep their answers"
            notes.append(
                f"{met.cut} prompts were cut or changed by the harness, to fit a window; they {what}"
            )
        if met.rated_failures:
            notes.append(
                f"{met.rated_failures} failed requests were rated by the harness as if the answer were "
                "empty; here they are holes"
            )
        if met.differing:
            notes.append(
                f"{met.differing} answers differ from an earlier one to an equal prompt; the first counts, "
                "as in a run, where equal prompts are asked once"
            )
        return [*notes, *_hole_notes(writer)]

    def save(self, run: Run) -> None:
        """Write study.yaml with the notes."""
        from ...running.store.manifest import write_study

        run.study["imported"]["notes"] = list(self.notes)
        write_study(run.path, run.study)

    def imported(self, out: Path, writer: Writer) -> Imported:
        """The report on what was made."""
        cells, models = writer.met.cells, writer.run.models()
        return Imported(
            run=out,
            harness=self.source.harness,
            rating=self.rating,
            models=tuple(models),
            datasets={name: len(cells.examples(name)) for name in cells.requests},
            configurations=len(cells.configs()),
            results=sum(map(len, cells.answered.values())),
            holes=sum(len(writer.holes(model)) for model in models),
            failed=writer.met.failed,
            differences=self.differences,
            notes=tuple(self.notes),
            analysis=self.analysis,
        )


def some_of(cells: Sequence[tuple[str, str, str, str]]) -> str:
    """The first of some cells (model, data set, example, configuration), and how many more there are."""
    some = "; ".join(f"{model}: {name}, {config}, {one}" for model, name, one, config in cells[:NAMED_HOLES])
    return some + (f" and {len(cells) - NAMED_HOLES} more" if len(cells) > NAMED_HOLES else "")


def _hole_notes(writer: Writer) -> list[str]:
    holes = [(model, *cell) for model in writer.run.models() for cell in writer.holes(model)]
    return [f"{len(holes)} cells have no result and are holes: {some_of(holes)}"] if holes else []
