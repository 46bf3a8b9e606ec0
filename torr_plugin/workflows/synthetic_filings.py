"""``torr synth filings``: a corpus of synthetic annual reports with questions."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from ..core.atomic_files import atomic_folder
from ..core.versions import versions
from ..synthesis.filings.corpus import CorpusOptions, FilingOutput, filing_outputs, write_corpus
from ..synthesis.filings.questions.question import levels_called

if TYPE_CHECKING:
    from .synthetic_study import Watched


@dataclass(frozen=True, slots=True)
class SyntheticFilingsOptions:
    """The options of ``torr synth filings``.

    Attributes:
        documents: how many filings.
        pages: the length of each.
        questions: how many questions on each, the levels in turn.
        levels: the levels of the questions; empty for all.
        html: whether to write each filing to a file of its own, too.
    """

    documents: int
    pages: int
    questions: int
    seed: int
    levels: tuple[str, ...] = ()
    html: bool = False
    workers: int = 1


def make_synthetic_filings(options: SyntheticFilingsOptions, out: Path, watched: Watched) -> dict[str, Any]:
    """Make a corpus in ``out``, which is then a mirror for the cards of TableQuest.

    It is written beside ``out`` and renamed when it is complete, so that a killed run leaves nothing.

    Args:
        options: what is to be made.
        out: a new or empty folder.
        watched: given the number of filings, yields what is called for each of them.

    Returns:
        Where it is, how many documents, questions and characters of HTML, in how many seconds.

    Raises:
        InputError: an unknown level; one line.
        RunError: ``out`` holds something, or cannot be made.
        OSError: something in it cannot be written.
    """
    started = time.monotonic()
    corpus = CorpusOptions(options.pages, options.questions, options.seed, levels_called(options.levels))
    with atomic_folder(out) as folder, watched(options.documents) as done:
        made = filing_outputs(options.documents, corpus, workers=options.workers)
        counts = write_corpus(_counted(made, done), folder, html=options.html)
        _describe(options, counts, folder)
    return {"out": str(out), **counts, "seconds": round(time.monotonic() - started, 3)}


def _counted(outputs: Iterable[FilingOutput], done: Callable[[], None]) -> Iterator[FilingOutput]:
    for each in outputs:
        done()
        yield each


def _describe(options: SyntheticFilingsOptions, counts: dict[str, int], folder: Path) -> None:
    """Write dataset.yaml: everything that determines the corpus."""
    given = {key: value for key, value in asdict(options).items() if key != "workers"}
    record = {
        "generator": "filings",
        **given,
        "levels": list(levels_called(options.levels)),
        "made": counts,
        "versions": {name: versions()[name] for name in ("torr-plugin", "python")},
    }
    (folder / "dataset.yaml").write_text(yaml.safe_dump(record, sort_keys=False, allow_unicode=True), "utf-8")
