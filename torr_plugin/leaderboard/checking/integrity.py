"""Files that were damaged or edited since the run: bytes, types of columns, scores, the study's record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ...analysis.examples import known_examples
from ...core.errors import counted
from ...core.redaction import NOT_RECORDED
from ...recipes import request_schema
from ...recipes.planning import fingerprint
from ...running.answer import answer_schema
from ...running.store.shards import DamagedShardError, read_parts
from .subject import SCORES, STUDY, CheckedRun, PublishingIssue


def shards(run: CheckedRun) -> Iterator[PublishingIssue]:
    """Shards with changed bytes, or with columns of another type, each read as a whole.

    Raises:
        RunError: what was computed of them is damaged.
        AnalysisError: what is known of examples lacks a column.
    """
    if run.run is None:
        return
    folders = {run.path / "requests": request_schema()}
    folders |= {run.run.folder(label): answer_schema() for label in run.run.models()}
    for folder, schema in folders.items():
        for path in sorted(folder.glob("*.parquet")):
            found = _damage(path, schema)
            if found:
                advice = "copy it anew; or run the study again, which asks its requests again"
                yield PublishingIssue("error", "damaged", str(path), found, advice)
    known_examples(run.run.examples())  # scores are read before
    run.run.lengths()


def _damage(path: Path, expected: pa.Schema) -> str:
    """What is wrong with a file; "" where nothing is."""
    try:
        with path.open("rb") as opened:
            columns = pq.read_schema(opened)
        if strange := [name for name in columns.names if name not in expected.names]:
            return f"found column {strange[0]!r}; expected none of this name"
        for field in expected:
            at = columns.get_field_index(field.name)
            if at >= 0 and _kind(other := columns.field(at).type) != _kind(field.type):
                return f"{field.name}: found {other}; expected {field.type}"
        for _ in read_parts(path, expected):
            pass
    except (OSError, pa.ArrowException, UnicodeDecodeError) as error:  # the last: the name of a column
        return f"damaged: {' '.join(str(error).split())[:160]}"
    except DamagedShardError as error:
        return f"damaged: {error.reason}"
    return ""


def _kind(of: pa.DataType) -> str:
    """What a column holds, whatever its width."""
    if pa.types.is_dictionary(of):
        return _kind(of.value_type)
    if pa.types.is_list(of) or pa.types.is_large_list(of):
        return f"list of {_kind(of.value_type)}"
    if pa.types.is_string(of) or pa.types.is_large_string(of):
        return "text"
    return "number" if pa.types.is_integer(of) or pa.types.is_floating(of) else str(of)


def scores_in_range(run: CheckedRun) -> Iterator[PublishingIssue]:
    """Scores outside 0 to 1; those of main metrics that are no numbers are holes."""
    if run.scores is None:
        return
    values = run.scores["score"].to_numpy(dtype=float)
    outside = np.flatnonzero((values < 0) | (values > 1))
    if len(outside):
        first = run.scores.iloc[outside[0]]
        cell = ", ".join(str(first[name]) for name in ("model", "dataset", "config", "example", "metric"))
        many = counted(len(outside), "score is", "scores are")
        what = f"{many} outside 0 to 1: {first['score']:g} ({cell})"
        yield PublishingIssue("error", "range", run.at(SCORES, "score"), what, "score the run again")
    if "main" not in run.scores:
        return
    unknown = int((np.isnan(values) & ~run.scores["main"].to_numpy(dtype=bool)).sum())
    if unknown:
        what = f"{counted(unknown, 'score is', 'scores are')} no number, beside the main ones"
        yield PublishingIssue("warning", "range", run.at(SCORES, "score"), what, "score the run again")


def as_recorded(run: CheckedRun) -> Iterator[PublishingIssue]:
    """A study.yaml that says other things than its fingerprint: a seed, say, that was edited since."""
    if run.run is None or run.harness:
        return
    what = _edited(run.study)
    if what:
        advice = (
            "the answers are of the study as it was: put that back, or run the edited one in another folder"
        )
        yield PublishingIssue("error", "edited", run.at(STUDY), f"was edited: {what}", advice)


def _edited(study: Mapping[str, Any]) -> str:
    """What of a study does not fit its fingerprint, which every version has made of the same keys."""
    try:
        recorded, recipe = study["fingerprint"], study["recipe"]
        if NOT_RECORDED in str(recipe["generation"]):  # all else with a secret is outside the fingerprint
            return ""
        ours = fingerprint(dict(study))
        seeds = {study.get("seed"), recipe["seed"]}
    except KeyError as error:
        return f"the key {error} is missing, which every run has"
    except (TypeError, AttributeError):
        return "its recipe, datasets or configurations are of another kind than in any run"
    if len(seeds) > 1:
        return "seed and recipe.seed differ: " + " and ".join(sorted(map(str, seeds)))
    if ours != recorded:
        return f"its recipe, datasets and configurations give {ours}, its fingerprint is {recorded}"
    return ""
