"""The files of a study's examples: an index of each data set, and the examples themselves, few per file."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...analysis import first_answers
from ...analysis.examples import NO_KINDS
from ..files import DataFile, packed_script
from ..study import Study
from .buckets import ExampleBuckets, write_buckets
from .detail import (
    MOST_REFERENCES,
    Pictures,
    constant_lines,
    detail,
    plain_scores,
    question,
    shown_parts,
)
from .flips import ExampleConfiguration, pair_order
from .index import DatasetIndex, ExampleIndexRow, index_files
from .rows import ExampleRows, rows_by_example
from .scores import (
    DatasetScores,
    Measures,
    configurations,
    measures,
    most_telling,
    scores_by_dataset,
)
from .shortening import characters, shared_parts

A_FILE = 2_000_000
"""Characters of a file before it is packed, at which no further example is added to it.

Prompts of a data set share demonstrations, so that more of them in a file take fewer bytes each; of ToRR's
size a file has 19 examples in 0.35 MB.
"""
_FILES_AT_ONCE = 16
"""That wait to be compressed."""
_MOST_QUESTION, _MOST_REFERENCE = 300, 120
_SAMPLE = 6
_A_SCORE = 3
"""Bytes of a score with four decimals once it is packed, with some room."""


@dataclass(frozen=True)
class _Packed:
    """An example: its data set, its line of the index, all of it, and about how many bytes that is."""

    dataset: str
    row: ExampleIndexRow
    value: dict[str, Any]
    size: int


@dataclass
class ExampleFiles:
    """Facts for the page; filled while :meth:`files` is consumed.

    Attributes:
        configs: of the study.
        datasets: data set -> where its list is.
        left_out: how many examples are there with scores only, for their size.
        prompts: whether there are any texts.
        shortened: whether any of them is shown in parts.
        flips: whether any model's score on any example differs between configurations.
        questions: (data set, example) -> what it asks, at most 400 characters.
    """

    study: Study
    configs: Sequence[ExampleConfiguration] = ()
    datasets: dict[str, DatasetIndex] = field(default_factory=dict)
    left_out: int = 0
    prompts: bool = False
    shortened: bool = False
    flips: bool = False
    questions: dict[tuple[str, str], str] = field(default_factory=dict)

    @property
    def folder(self) -> str:
        """Of the examples' files, from the site's root."""
        return f"{self.study.paths.scripts}/examples"

    def files(self) -> Iterator[DataFile]:
        """Everything that the page loads."""
        source = self.study.source
        planned = source.study.get("configurations") or ()
        names = [str(name) for name in planned]
        rows: dict[str, list[ExampleIndexRow]] = {name: [] for name in self.study.datasets}
        with TemporaryDirectory(prefix="torr-") as made:
            spilled = None
            if source.run is not None:
                spilled = write_buckets(
                    source.run, Path(made), sum(source.analysis.settings.examples.values())
                )
            requested = spilled.configs.values() if spilled else ()
            first = first_answers(source.scores)
            self.configs = configurations(first, requested, names)
            cubes = scores_by_dataset(first, self.study.models, self.configs)
            yield from _Packer(self, spilled, cubes, rows).files()
        for number, (dataset, found) in enumerate(rows.items()):
            self.flips |= any(row.found.flips for row in found)
            index, cube = DatasetIndex(), cubes.get(dataset)
            if cube is not None:
                index = DatasetIndex(others=tuple(cube.others), hidden=cube.hidden)
            self.datasets[dataset] = index
            yield from index_files(index, f"{self.folder}/index-{number}", found)


class _Packer:
    """Makes the files; at most one bucket and a few files are in memory at once."""

    def __init__(
        self,
        known: ExampleFiles,
        spilled: ExampleBuckets | None,
        cubes: Mapping[str, DatasetScores],
        rows: dict[str, list[ExampleIndexRow]],
    ) -> None:
        study = known.study
        self._known, self._spilled, self._cubes, self._rows = known, spilled, cubes, rows
        labels = study.source.run.models() if study.source.run else []
        self._labels = {label: number for number, label in enumerate(labels)}
        self._models = [self._labels.get(name, -1) for name in study.models]
        self._places = {config.name: place for place, config in enumerate(known.configs)}
        self._order = pair_order(known.configs)
        self._stages: Mapping[str, int] = study.source.study.get("stages") or {}
        self._about = _about(study)
        self._pictures = Pictures(f"{known.folder}/pictures")
        self._files = 0
        self._before = ("", "")
        self._kinds = _kinds(study)

    def files(self) -> Iterator[DataFile]:
        """One after the other, compressed side by side."""
        workers = min(4, os.cpu_count() or 1)
        with ThreadPoolExecutor(workers) as pool:
            waiting: deque[Future[DataFile]] = deque()
            for file in self._unpacked():
                yield from self._pictures.fresh()
                waiting.append(pool.submit(_file, *file))
                if len(waiting) > _FILES_AT_ONCE:
                    yield waiting.popleft().result()
            yield from self._pictures.fresh()
            while waiting:
                yield waiting.popleft().result()

    def _unpacked(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Paths and values of the files."""
        held: list[_Packed] = []
        size = 0
        for packed in self._examples():
            if packed.dataset not in self._rows:
                continue
            packed.row.file, packed.row.place = self._files, len(held)
            self._rows[packed.dataset].append(packed.row)
            held.append(packed)
            size += packed.size
            if size >= A_FILE:
                yield self._path(), _in_file([each.value for each in held])
                held, size, self._files = [], 0, self._files + 1
        if held:
            yield self._path(), _in_file([each.value for each in held])

    def _path(self) -> str:
        return f"{self._known.folder}/{self._files}.js"

    def _examples(self) -> Iterator[_Packed]:
        """First those with requests, then those with scores alone."""
        seen = set()
        if self._spilled and self._spilled.examples:
            self._known.prompts = True
            pairs = self._spilled.examples
            found = [self._measures(*pair) for pair in pairs]
            keep = self._keep(self._spilled, found)
            self._known.left_out = int((~keep).sum())
            for examples, requests, answers in self._spilled.buckets():
                for number, rows in rows_by_example(examples, requests, answers, self._labels):
                    seen.add(pairs[number])
                    yield self._one(pairs[number], found[number], rows, whole=bool(keep[number]))
        for dataset, cube in self._cubes.items():
            for example in cube.examples:
                if (dataset, example) not in seen:
                    yield self._one(
                        (dataset, example), self._measures(dataset, example), ExampleRows(), whole=False
                    )

    def _one(self, of: tuple[str, str], found: Measures, rows: ExampleRows, *, whole: bool) -> _Packed:
        """An example; where it is not whole, without its texts."""
        dataset, example = of
        references = [str(each) for each in rows.references or ()]
        text = ""
        if rows.requests:
            prompts = _last_messages(rows)
            text = question(prompts, self._constant(dataset, prompts[0]))
        self._known.questions[of] = text
        cube = self._cubes.get(dataset)
        others = cube.others_of(example) if cube else []
        value: dict[str, Any] = {
            "example": example,
            "question": text,
            "references": references[:MOST_REFERENCES],
            "more": max(0, len(references) - MOST_REFERENCES),
            "shown": shown_parts(row.get("cut") for row in rows.requests),
            "about": self._about.get((dataset, example), []),
            "scores": plain_scores(cube.of(example) if cube else None),
            "others": [plain_scores(each) for each in others],
            "whole": whole,
        }
        if whole:
            value |= self._detail(rows)
            self._known.shortened |= any(not isinstance(text, str) for text in value["texts"])
        line = " | ".join(each[:_MOST_REFERENCE] for each in references[:3])
        kinds = self._kinds.get(of, ())
        row = ExampleIndexRow(example, text[:_MOST_QUESTION], line, 0, 0, found, whole, kinds)
        scores = _A_SCORE * len(self._models) * len(self._places) * (1 + len(others))
        return _Packed(dataset, row, value, scores + characters(value.get("texts", ())))

    def _detail(self, rows: ExampleRows) -> dict[str, Any]:
        return detail(
            rows, models=self._models, places=self._places, stages=self._stages, pictures=self._pictures
        )

    def _measures(self, dataset: str, example: str) -> Measures:
        cube = self._cubes.get(dataset)
        return measures(cube.of(example) if cube else None, len(self._models), self._order)

    def _constant(self, dataset: str, text: str) -> frozenset[str]:
        """Lines that the example before, of the same data set, also has: the instruction, the labels."""
        name, before = self._before
        self._before = (dataset, text)
        return constant_lines(text, before) if name == dataset else frozenset()

    def _keep(self, spilled: ExampleBuckets, found: Sequence[Measures]) -> NDArray[np.bool_]:
        """Which examples to publish whole."""
        sizes, pictures = spilled.sizes, spilled.pictures
        budget = max(0, self._known.study.room - self._scores_of_others())
        share = 4 / 3
        if share * sizes.total() + pictures.total() > budget:
            share = self._share(spilled)
        costs = [share * sizes[number] + pictures[number] for number in range(len(found))]
        return most_telling([each.flipped for each in found], costs, budget)

    def _scores_of_others(self) -> int:
        """Bytes that the scores by other metrics take, which all examples have."""
        scores = sum(cube.scores.size * len(cube.others) for cube in self._cubes.values())
        return _A_SCORE * scores

    def _share(self, spilled: ExampleBuckets) -> float:
        """How large texts are when they are packed, in shares of what they were: of a few, with some room."""
        examples, requests, answers = spilled.bucket(spilled.count // 2)
        unwritten, self._pictures = self._pictures, Pictures("")
        step = max(1, len(examples) // _SAMPLE)
        by_example = rows_by_example(examples, requests, answers, self._labels)
        sample = [(number, self._detail(rows)) for number, rows in islice(by_example, 0, None, step)]
        self._pictures = unwritten
        packed = len(packed_script("", _in_file([value for _, value in sample])).content)
        return 1.15 * packed / max(1, sum(spilled.sizes[number] for number, _ in sample))


def _file(path: str, value: Mapping[str, Any]) -> DataFile:
    return replace(packed_script(path, value), examples=len(value["examples"]))


def _in_file(examples: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Examples as a file holds them, with the parts that their texts share."""
    parts: dict[str, int] = {}
    values = [
        {**each, "texts": [shared_parts(text, parts) for text in each["texts"]]} if "texts" in each else each
        for each in examples
    ]
    return {"parts": list(parts), "examples": values}


def _last_messages(rows: ExampleRows) -> list[str]:
    """The text of the last message of each configuration's first call."""
    asked = zip(rows.requests, rows.prompts, strict=True)
    return [prompt[-1].content for row, prompt in asked if row["stage"] == 0] or [""]


def _about(study: Study) -> dict[tuple[str, str], list[list[str]]]:
    """What is known of the examples: kinds and properties, a name and a value each."""
    found = {}
    for dataset, examples in study.known_examples.items():
        for example, each in examples.items():
            known = [[name, value] for name, value in each.groups.items()]
            for of, named in each.properties.items():
                known += [[f"{of}: {name}", _value_text(value)] for name, value in named.items()]
            if each.cells:
                known.append(["cells of the table", f"{each.cells:,}"])
            found[dataset, example] = known
    return found


def _kinds(study: Study) -> dict[tuple[str, str], tuple[str, ...]]:
    """(data set, example) -> the kinds of its question, as ``operation: lookup``."""
    return {
        (dataset, example): tuple(
            f"{name}: {value}" for name, value in each.groups.items() if name not in NO_KINDS
        )
        for dataset, examples in study.known_examples.items()
        for example, each in examples.items()
    }


def _value_text(value: Any) -> str:
    return {True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else str(value)
