"""A file's rows as they come from the hub, a batch at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..hub import downloaded, downloaded_file, out_of_reach, replaced
from ..hub_reach import unreachable
from ..rows import needed_columns, sources

if TYPE_CHECKING:
    import pyarrow as pa

    from ..schema import HubFile
    from .wanted import Wanted

ROWS_AT_ONCE = 2000
REMEDY = "pull again with a network; where the data asks for consent, give it on its page and log in"


def commit_of(wanted: Wanted) -> str | None:
    """The commit that the card's revision stands for now, for all parts to come from; None if unknown."""
    import huggingface_hub.constants

    if huggingface_hub.constants.HF_HUB_OFFLINE or unreachable() is not None:
        return None
    hub = wanted.loader.hub
    try:
        return huggingface_hub.HfApi().dataset_info(hub.path, revision=hub.revision).sha
    except Exception:  # what is wrong here is wrong, and said, when the data itself is asked for
        return None


def batches(wanted: Wanted, commit: str | None) -> Iterator[pa.Table]:
    """The rows that the file is to hold, with all of the hub's columns.

    Raises:
        DataError: the hub cannot be reached, or lacks the data set, the split or a column that a card reads.
    """
    for part in wanted.loader.splits[wanted.split].hub:
        for table in _part(wanted, part, commit):
            kept = _with_conditions(table, wanted.conditions)
            yield _undone(kept, wanted.loader.hub.replace)


def _part(wanted: Wanted, part: str, commit: str | None) -> Iterator[pa.Table]:
    loader = wanted.loader
    if loader.hub.file is not None:
        yield from _of_file(wanted, loader.hub.file, part, commit)
        return
    with out_of_reach(loader, part, wanted.card, REMEDY):
        dataset = downloaded(loader, part, commit)
    for card in wanted.readers:
        if card.loader.type_ == "load_tables":
            sources(card.loader, dataset.column_names, f"{card.name}: {loader.hub.path} (split {part!r})")
    with out_of_reach(loader, part, wanted.card, REMEDY):
        yield from dataset.with_format("arrow").iter(batch_size=ROWS_AT_ONCE)


def _of_file(wanted: Wanted, file: HubFile, part: str, commit: str | None) -> Iterator[pa.Table]:
    """Rows of a JSON file, with the columns alone that cards read."""
    import pyarrow as pa

    from ..hub_file import file_rows

    with out_of_reach(wanted.loader, part, wanted.card, REMEDY):
        path = downloaded_file(wanted.loader, file, part, commit)
    columns = list(dict.fromkeys(name for card in wanted.readers for name in _columns(card.loader)))
    rows = file_rows(path, file, columns, wanted.card)
    for start in range(0, len(rows), ROWS_AT_ONCE):
        yield pa.Table.from_pylist([dict(row) for row in rows[start : start + ROWS_AT_ONCE]])


def _columns(loader: Any) -> list[str]:
    return needed_columns(loader) if loader.type_ == "load_tables" else []


def _with_conditions(table: pa.Table, conditions: Sequence[Mapping[str, Any]]) -> pa.Table:
    import pyarrow as pa

    if not conditions:
        return table
    names = list(dict.fromkeys(name for condition in conditions for name in condition))
    kept = [
        any(all(row[name] == value for name, value in condition.items()) for condition in conditions)
        for row in table.select(names).to_pylist()
    ]
    return table.filter(pa.array(kept, pa.bool_()))


def _undone(table: pa.Table, pairs: Mapping[str, str]) -> pa.Table:
    """The rows without the escapes that the hub's version has and a mirror has not."""
    import pyarrow as pa

    return pa.Table.from_pylist(replaced(table.to_pylist(), pairs), schema=table.schema) if pairs else table
