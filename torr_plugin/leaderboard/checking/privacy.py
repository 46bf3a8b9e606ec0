"""Private texts (keys, home folders), and pictures that take too much space."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from ...core.errors import counted
from ...core.redaction import NOT_RECORDED, without_homes
from .subject import STUDY, CheckedRun, PublishingIssue, shortened, without_keys

MOST_PICTURES = 100_000_000
"""Bytes of pictures in all requests, from which on a site grows beyond what hosts take for free."""
_MOST_KINDS = 10_000


def secrets(run: CheckedRun) -> Iterator[PublishingIssue]:
    """Keys and home folders in what the site shows of a run: models, recipe, notes, errors."""
    for field in ("models", "recipe", "imported", "notes", "reused"):
        texts = list(_texts(run.study.get(field)))
        yield from _shown(run.at(STUDY, field), Counter(texts))
    if run.run is not None:
        yield from _shown(run.at("predictions", "error"), _errors(run))


def _shown(where: str, texts: Mapping[str, int]) -> Iterator[PublishingIssue]:
    keys = [text for text in texts if without_keys(text) != text]
    if keys:
        what = f"{counted(len(keys), 'text holds', 'texts hold')} what looks like a key or a password"
        advice = "remove it from the file, and revoke the key"
        yield PublishingIssue("error", "secrets", where, what, advice)
    homes = [text for text in texts if without_homes(text) != text]
    if homes:
        what = f"{counted(len(homes), 'text names', 'texts name')} a home folder"
        advice = "none needed: the site writes ~ instead; prompts and answers are shown unchanged"
        yield PublishingIssue("note", "homes", where, what, advice)


def named_homes(run: CheckedRun) -> Iterator[PublishingIssue]:
    """Names of models and data sets that are paths below a home folder; names stay as they are."""
    names = [str(each.get("label")) for each in run.study.get("models") or ()]
    if run.scores is not None:
        names += [str(name) for column in ("model", "dataset") for name in run.scores[column].unique()]
    found = [name for name in dict.fromkeys(names) if without_homes(name) != name]
    if found:
        what = f"{counted(len(found), 'name holds', 'names hold')} a home folder: {shortened(found)}"
        advice = "names are published unchanged: rename the model or the card"
        yield PublishingIssue("warning", "homes", run.at(STUDY, "models"), what, advice)


def _texts(value: Any) -> Iterator[str]:
    """All texts inside; ``name=value`` of a mapping's entry, so that a key's name tells it."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if isinstance(inner, str):
                if inner != NOT_RECORDED:
                    yield f"{name}={inner}"
            else:
                yield from _texts(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from _texts(inner)
    elif isinstance(value, str):
        yield value


def _errors(run: CheckedRun) -> Counter[str]:
    """The errors of all models, the first kinds of them."""
    found: Counter[str] = Counter()
    if run.run is not None:
        for label in run.run.models():
            column = run.run.predictions(label, ["error"], replicates=True)["error"].drop_null()
            for text in column.unique().to_pylist()[:_MOST_KINDS]:
                found[str(text)] += 1
    return found


def pictures(run: CheckedRun) -> Iterator[PublishingIssue]:
    """Requests that show more pictures than a site should carry."""
    total = sum(map(_picture_bytes, sorted((run.path / "requests").glob("*.parquet")))) if run.run else 0
    if total > MOST_PICTURES:
        what = f"prompts hold {total / 1e6:,.0f} MB of pictures"
        advice = "the site includes part of them; check its size before you upload it"
        yield PublishingIssue("warning", "pictures", run.at("requests", "images"), what, advice)


def _picture_bytes(shard: Path) -> int:
    """What the pictures of a shard take, from the file's own index."""
    meta = pq.read_metadata(shard)
    return sum(
        column.total_uncompressed_size
        for group in range(meta.num_row_groups)
        for at in range(meta.num_columns)
        if (column := meta.row_group(group).column(at)).path_in_schema.startswith("images")
    )
