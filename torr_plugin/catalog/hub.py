"""Rows from the Hugging Face hub, where no mirror is named."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import DataError
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
    return [_replaced(row, loader.hub.replace) for row in rows] if loader.hub.replace else rows


def _part(loader: LoadTables, part: str, card: str) -> list[Row]:
    if loader.hub.file is not None:
        from .hub_file import file_rows

        with _out_of_reach(loader, part, card):
            path = _downloaded_file(loader, loader.hub.file, part)
        return file_rows(path, loader.hub.file, needed_columns(loader), card)
    with _out_of_reach(loader, part, card):
        dataset = _downloaded(loader, part)
    where = f"{card}: {loader.hub.path} (split {part!r})"
    places = sources(loader, dataset.column_names, where)
    columns = list(dict.fromkeys(map(root, places.values())))
    return list(lifted(dataset.select_columns(columns), places, where))


def _downloaded(loader: LoadTables, part: str) -> Any:
    import datasets

    hub = loader.hub
    return datasets.load_dataset(
        hub.path, name=hub.config, data_dir=hub.data_dir, revision=hub.revision, split=part
    )


def _downloaded_file(loader: LoadTables, file: HubFile, part: str) -> Path:
    import huggingface_hub

    name = file.path.replace("{split}", part)
    return Path(
        huggingface_hub.hf_hub_download(
            loader.hub.path, filename=name, repo_type="dataset", revision=loader.hub.revision
        )
    )


@contextmanager
def _out_of_reach(loader: LoadTables, part: str, card: str) -> Iterator[None]:
    import datasets

    away = unreachable()
    try:
        with from_cache_alone() if away else nullcontext():
            yield
    except (OSError, ValueError, RuntimeError, datasets.exceptions.DatasetsError) as error:
        # datasets has no one base for what can go wrong on the way to the hub; these four cover it
        reason = away or (str(error) or type(error).__name__).splitlines()[0]
        raise DataError(
            f"{card}: {loader.hub.path} (split {part!r}) cannot be had from the hub: {reason}; "
            f"without a network, set {MIRROR_VARIABLE} to a folder with {loader.mirror}/"
        ) from error


def _replaced(value: Any, pairs: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        for old, new in pairs.items():
            value = value.replace(old, new)
        return value
    if isinstance(value, Mapping):
        return {key: _replaced(each, pairs) for key, each in value.items()}
    return [_replaced(each, pairs) for each in value] if isinstance(value, list) else value
