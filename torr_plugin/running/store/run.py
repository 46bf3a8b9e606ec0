"""A run: one directory with a study, its requests, the models' answers, their scores and the analysis."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from ...core.atomic_files import atomic_file, make_directory, read_error, write_atomically
from ...core.errors import RunError, nearest
from ...core.parquet import read_parquet
from ...recipes import request_schema
from ..answer import ANSWERED_BY, SERVED, answer_schema
from .manifest import (
    STUDY_FILE,
    marks_of,
    other_engine,
    plain,
    read_study,
    recorded_study,
    served_by,
    study_of,
    with_attempt,
    write_study,
)
from .shards import (
    AnswerStore,
    compact,
    folder_name,
    has_answers,
    is_for,
    later_series,
    list_shards,
    planned_keys,
    read_answers,
    request_tables,
    set_aside_damaged,
    tidy,
    write_requests,
)

if TYPE_CHECKING:
    import pandas as pd

    from ...catalog import Example
    from ...recipes import ModelEntry, Plan

SCORES, LENGTHS, EXAMPLES = "scores.parquet", "lengths.parquet", "examples.parquet"
ANALYSIS_FILE = "analysis.json"
# what study.yaml says of the requests that ask again
_REPLICATES = ("replicates", "replicate_count")
_REQUESTS = "requests"


class Run:
    """A run directory, to read and to add to.

    Attributes:
        path: the directory.
        study: the contents of study.yaml: the plan's description, ``models``, ``fingerprint``, ``versions``.
        notes: what was found and repaired, a line each.
        mix_versions: whether another version of an engine may add to a model's answers.
    """

    def __init__(self, path: Path, study: dict[str, Any]) -> None:
        self.path, self.study = path, study
        self.notes: list[str] = []
        self.mix_versions = False

    @classmethod
    def open(cls, path: Path | str) -> Run:
        """Open an existing run.

        Raises:
            RunError: the directory is not a run, or its study.yaml is damaged.
        """
        return cls(Path(path), read_study(Path(path)))

    @classmethod
    def create_or_resume(
        cls,
        out: Path | str,
        plan: Plan,
        models: Sequence[ModelEntry],
        there: Mapping[str, Any] | None = None,
    ) -> Run:
        """Create or resume the run of a plan in ``out``, also with more models than before.

        Args:
            out: its directory.
            plan: what is asked.
            models: those that are asked.
            there: its :func:`.manifest.recorded_study`, where that was read already.

        Raises:
            RunError: ``out`` holds another study's run (the message names the field that differs) or
                something else, a label stands for another model than before, or the directory cannot be
                written.
        """
        path = Path(out)
        make_directory(path)
        tidy(path)
        there = recorded_study(path) if there is None else there
        run = cls(path, study_of(path, there, plan, models))
        write_study(path, run.study)
        run._complete_requests(plan)
        return run

    def record_attempt(self) -> list[str]:
        """Record the versions of this attempt; return a note where they changed."""
        study, differ = with_attempt(self.study)
        self._write(study)
        notes = [f"{self.path}: resumed with other versions than before: {differ}"] if differ else []
        self.notes += notes
        return notes

    def record_known(self, label: str, field: str, value: Mapping[str, Any]) -> list[str]:
        """Record what became known of who answers: what a model is ``sent``, or ``answered_by``.

        Returns:
            A note where a server answers by another name than before; the former ones are kept.

        Raises:
            RunError: answers that are there are of another version of an engine, unless they may be mixed; or
                study.yaml cannot be written.
        """
        if field == ANSWERED_BY and not self.mix_versions:
            differ = other_engine(self.record(label), value)
            if differ and has_answers(self.folder(label)):
                raise RunError(
                    f"{self.path}: {label!r} answered with other versions ({differ}), and answers may "
                    "differ; install those, choose another --out, or mix them by --mix-versions"
                )
        value, notes = plain(value), list[str]()
        if field == ANSWERED_BY and SERVED in value:
            former = served_by(self.record(label))
            new = [name for name in value[SERVED] if name not in former]
            value = {SERVED: [*former, *new]}
            if former and new:
                told = f"the server answers as {new[0]!r} now, and answered as {former[-1]!r} before"
                notes = [f"{self.path}: {label!r}: {told}; answers may differ"]
        models = [
            {**model, field: value} if model["label"] == plain(label) else model
            for model in self.study["models"]
        ]
        self._write({**self.study, "models": models})
        self.notes += notes
        return notes

    def _write(self, study: dict[str, Any]) -> None:
        if study != self.study:
            write_study(self.path, study)
            self.study = study

    @cached_property
    def planned_keys(self) -> set[str]:
        """The keys of the stored requests that follow from no answer, shared by the sources of all models."""
        return planned_keys(self.path / _REQUESTS)

    @property
    def longest_answer(self) -> int | None:
        """The study's ``max_tokens``; None where study.yaml does not say."""
        most: int | None = (self.study.get("generation") or {}).get("max_tokens")
        return most

    def _complete_requests(self, plan: Plan) -> None:
        """Write the requests unless they are complete, and as many are asked again as the plan says."""
        folder, written = self.path / _REQUESTS, self.study.get("written")
        again = plan.replicate_record
        if written and {name: written[name] for name in _REPLICATES if name in written} == again:
            whole, notes = set_aside_damaged(folder, written["rows"])
            self.notes += notes
            if whole:
                return
        self._write({**self.study, "written": {**write_requests(plan, folder), **again}})

    def models(self) -> list[str]:
        """The labels of the models that were asked, in the order they were added."""
        return [str(model["label"]) for model in self.study["models"]]

    def folder(self, label: str) -> Path:
        """The folder of a model's answers.

        Raises:
            RunError: no such model in this run.
        """
        return self.path / "predictions" / str(self.record(label)["folder"])

    def record(self, label: str) -> dict[str, Any]:
        """What study.yaml says of a model.

        Raises:
            RunError: no such model in this run.
        """
        for model in self.study["models"]:
            if model["label"] == plain(label):
                return dict(model)
        raise RunError(f"{self.path}: has no model {label!r}; {nearest(label, self.models())}")

    def has_answers(self, label: str) -> bool:
        """Whether a model ever answered, or failed on, a request; one that could not be loaded has not."""
        return bool(list_shards(self.folder(label)))

    def requests(self) -> pa.Table:
        """All requests but replicates, a row a cell (:func:`torr_plugin.recipes.request_schema`).

        Raises:
            RunError: they are damaged or were not all written.
        """
        return pa.concat_tables([request_schema().empty_table(), *self.request_tables()])

    def request_tables(
        self, columns: Sequence[str] | None = None, *, replicates: bool = False
    ) -> Iterator[pa.Table]:
        """The requests, a shard at a time, all columns or some; ``replicates``: also those that ask again.

        Raises:
            RunError: they are damaged or were not all written.
        """
        if not self.study.get("written"):
            raise RunError(
                f"{self.path}: was killed before all requests were written; run the same command again"
            )
        return request_tables(self.path / _REQUESTS, columns, replicates=replicates)

    def predictions(
        self, label: str, columns: Sequence[str] | None = None, *, replicates: bool = False
    ) -> pa.Table:
        """The answers of a model, one row a key (the fields of :class:`Answer`, or some of them).

        ``replicates``: also those to prompts asked again.

        Raises:
            RunError: no such model, or a shard is damaged.
        """
        marks = marks_of(self.record(label))
        if replicates or not (self.study.get("written") or {}).get("replicates"):
            return read_answers(self.folder(label), columns, marks)
        answers = read_answers(self.folder(label), columns if columns is None else {"key", *columns}, marks)
        first = self.keys(label)
        kept = pa.array([key in first for key in answers["key"].to_pylist()], pa.bool_())
        return answers.filter(kept).select(columns or answers.column_names)

    def keys(self, label: str) -> set[str]:
        """The keys of the requests of a model, without replicates."""
        keys = set[str]()
        for table in self.request_tables(("key", "model")):
            keys.update(table["key"].filter(is_for(table, plain(label))).to_pylist())
        return keys

    def answers(self, label: str) -> AnswerStore:
        """The store that a model's answers are added to.

        Raises:
            RunError: no such model, or the folder cannot be used.
        """
        return AnswerStore.resume(self.folder(label))

    def compact(self) -> None:
        """Make few files of the many small ones that answers, and what follows from them, came in."""
        for label in self.models():
            compact(self.folder(label), answer_schema())
            compact(self.path / _REQUESTS, request_schema(), later_series(folder_name(label)))

    def scores(self) -> pd.DataFrame:
        """The frame of scores.parquet.

        Raises:
            RunError: there is none, or it is damaged.
        """
        return read_frame(self.path, SCORES)

    def write_scores(self, frame: pd.DataFrame) -> None:
        """Write scores.parquet.

        Raises:
            RunError: it cannot be written.
        """
        write_frame(frame, self.path, SCORES)

    def examples(self) -> pd.DataFrame | None:
        """The facts on the examples (:func:`.examples_frame`); None in runs of earlier versions.

        Raises:
            RunError: the file is damaged.
        """
        return read_frame(self.path, EXAMPLES) if (self.path / EXAMPLES).exists() else None

    def write_examples(self, plan: Plan) -> None:
        """Write examples.parquet.

        Raises:
            RunError: it cannot be written.
        """
        write_frame(examples_frame(plan.examples), self.path, EXAMPLES)

    def lengths(self) -> pd.DataFrame | None:
        """How many values answers hold (:func:`torr_plugin.scoring.lengths_of_run`); None if none is counted.

        Raises:
            RunError: the file is damaged.
        """
        return read_frame(self.path, LENGTHS) if (self.path / LENGTHS).exists() else None

    def write_lengths(self, frame: pd.DataFrame) -> None:
        """Write lengths.parquet, where a metric counts values.

        Raises:
            RunError: it cannot be written.
        """
        if not frame.empty:
            write_frame(frame, self.path, LENGTHS)

    def analysis(self) -> dict[str, Any]:
        """The contents of analysis.json.

        Raises:
            RunError: there is none, or it is damaged.
        """
        path = self.path / ANALYSIS_FILE
        try:
            analysis = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise RunError(f"{self.path}: has no {ANALYSIS_FILE} yet; 'torr analyse' makes one") from None
        except OSError as error:
            raise read_error(path, error) from error
        except ValueError as error:
            raise RunError(f"{path}: is not JSON ({error}); 'torr analyse' makes a new one") from error
        if not isinstance(analysis, dict):
            raise RunError(f"{path}: is not a JSON object; 'torr analyse' makes a new one")
        return analysis

    def write_analysis(self, analysis: Mapping[str, Any]) -> None:
        """Write analysis.json.

        Raises:
            RunError: it cannot be written.
        """
        text = json.dumps(analysis, ensure_ascii=False, allow_nan=False, indent=1)
        write_atomically(self.path / ANALYSIS_FILE, text.encode("utf-8", "replace"))


def refuse_foreign_run(out: Path, own: Sequence[Path] = ()) -> None:
    """Refuse a place for results that is a run or lies in one, unless it is the run that they are of.

    Args:
        out: the place, which need not be there.
        own: the runs that the results are of.

    Raises:
        RunError: a file would be written among those of another run.
    """
    place = out.resolve()
    around = next((each for each in (place, *place.parents) if _is_run(each)), None)
    if around is None or around in {run.resolve() for run in own}:
        return
    where = "is a run" if around == place else f"lies in the run {around}"
    raise RunError(f"--out {out}: {where}, but not of these results; choose another --out")


def _is_run(folder: Path) -> bool:
    """Whether it holds a run's files; a study.yaml alone may be a recipe."""
    return (folder / STUDY_FILE).exists() and (folder / _REQUESTS).is_dir()


def read_frame(directory: Path, name: str) -> pd.DataFrame:
    """The frame of one of a run's files; where it has a row a score or an answer, names are categories.

    Raises:
        RunError: there is none, or it is damaged.
    """
    path = directory / name
    try:
        with path.open("rb") as opened:
            table = read_parquet(opened, categories=lambda _: name in (SCORES, LENGTHS))
            frame: pd.DataFrame = table.to_pandas()
    except FileNotFoundError:
        raise RunError(f"{directory}: has no {name} yet; the command that ran the study scores it") from None
    except (OSError, pa.ArrowException) as error:
        what = " ".join(str(error).split())[:200]
        raise RunError(f"{path}: damaged ({what}); running the study scores it again") from error
    return frame


def write_frame(frame: pd.DataFrame, directory: Path, name: str) -> None:
    """Write a frame whole or not at all; categories are written as the names that they are.

    Raises:
        RunError: it cannot be written.
    """
    table = pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None)
    with atomic_file(directory / name) as file:
        # without Arrow's own schema, by which readers would take categories for more than text
        pq.write_table(
            table,
            file,
            compression="zstd",
            write_page_checksum=True,
            store_schema=False,
        )


def examples_frame(examples: Mapping[str, Sequence[Example]]) -> pd.DataFrame:
    """The contents of examples.parquet: one row for each example, by data set.

    Returns:
        ``dataset``, ``example``, ``groups`` and ``properties`` (JSON objects as text), ``cells`` (rows times
        columns of its table, headers included).
    """
    import pandas as pd  # 0.4 s, which most uses of a run do not need

    # JSON in ASCII alone, as lone surrogates can be written to no file; in the data's own order
    rows = [
        {
            "dataset": dataset,
            "example": example.id,
            "groups": json.dumps(dict(example.groups)),
            "properties": json.dumps({of: dict(known) for of, known in example.properties.items() if known}),
            "cells": example.table.n_rows * example.table.n_columns,
        }
        for dataset, several in examples.items()
        for example in several
    ]
    frame: pd.DataFrame = pd.DataFrame(rows, columns=["dataset", "example", "groups", "properties", "cells"])
    return frame
