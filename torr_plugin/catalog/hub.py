"""Rows from the Hugging Face hub, where no mirror is named."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.errors import DataError
from .hub_reach import from_cache_alone, unreachable
from .rows import MIRROR_VARIABLE, Row, lifted, needed_columns, root, sources

if TYPE_CHECKING:
    from .schema import HubFile, LoadTables


def hub_rows(loader: LoadTables, split: str, card: str) -> list[Row]:
    """The rows of a split, which the hub may have spread over several splits; read in the card's order.

    Raises:
        DataError: the hub cannot be reached, or it lacks the data set, the split or a column.
    """
    rows = [row for part in loader.splits[split].hub for row in _part(loader, part, card)]
    return [replaced(row, loader.hub.replace) for row in rows] if loader.hub.replace else rows


def _part(loader: LoadTables, part: str, card: str) -> list[Row]:
    if loader.hub.file is not None:
        from .hub_file import file_rows

        with out_of_reach(loader, part, card):
            path = downloaded_file(loader, loader.hub.file, part)
        return file_rows(path, loader.hub.file, needed_columns(loader), card)
    with out_of_reach(loader, part, card):
        dataset = downloaded(loader, part)
    where = f"{card}: {loader.hub.path} (split {part!r})"
    places = sources(loader, dataset.column_names, where)
    columns = list(dict.fromkeys(map(root, places.values())))
    return list(lifted(dataset.select_columns(columns), places, where))


def downloaded(loader: LoadTables, part: str, commit: str | None = None) -> Any:
    """A split of the hub as a ``datasets.Dataset``, which lies on the disk; of a named commit, if any."""
    import datasets

    hub = loader.hub
    return datasets.load_dataset(
        hub.path, name=hub.config, data_dir=hub.data_dir, revision=commit or hub.revision, split=part
    )


def downloaded_file(loader: LoadTables, file: HubFile, part: str, commit: str | None = None) -> Path:
    """A file of the data set's repository, in the hub's cache."""
    import huggingface_hub

    name = file.path.replace("{split}", part)
    return Path(
        huggingface_hub.hf_hub_download(
            loader.hub.path, filename=name, repo_type="dataset", revision=commit or loader.hub.revision
        )
    )


@contextmanager
def out_of_reach(loader: LoadTables, part: str, card: str, remedy: str = "") -> Iterator[None]:
    """Says what cannot be had from the hub, why, and the ``remedy`` (without one: a mirror).

    Raises:
        DataError: what is done within fails on the way to the hub.
    """
    import datasets

    away = unreachable()
    try:
        with from_cache_alone() if away else nullcontext():
            yield
    except (OSError, ValueError, RuntimeError, datasets.exceptions.DatasetsError) as error:
        # datasets has no one base for what can go wrong on the way to the hub; these four cover it
        reason = away or (str(error) or type(error).__name__).splitlines()[0]
        remedy = remedy or f"without a network, set {MIRROR_VARIABLE} to a folder with {loader.mirror}/"
        raise DataError(
            f"{card}: {loader.hub.path} (split {part!r}) cannot be had from the hub: {reason}; {remedy}"
        ) from error


def replaced(value: Any, pairs: Mapping[str, str]) -> Any:
    """A row, or a value of one, with pieces of all its texts replaced."""
    if isinstance(value, str):
        for old, new in pairs.items():
            value = value.replace(old, new)
        return value
    if isinstance(value, Mapping):
        return {key: replaced(each, pairs) for key, each in value.items()}
    return [replaced(each, pairs) for each in value] if isinstance(value, list) else value
