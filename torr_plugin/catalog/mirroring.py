"""Mirrors of the cards' data, for machines without a network: making one, and checking one.

In: cards and a folder. Out: ``FOLDER/<mirror>/<split>.parquet``, for ``TORR_DATA``, and a manifest beside the
files of each data set, with source, number of rows and checksum of each; or a report of good, missing and
broken files.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from itertools import chain
from pathlib import Path
from typing import Any, Literal

import huggingface_hub
import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import BaseModel

from ..core.atomic_files import atomic_path, write_file
from ..core.errors import CardError, DataError, InputError
from ..core.validation import validate
from .examples import read_rows
from .folders import card_names
from .hub import hub_files, hub_tables, replaced
from .loading import FILE_COLUMNS, content_of, mirror_files, needed_columns, stream_rows
from .schema import Card, TableLoader, load_card, sources_of

MANIFEST = "manifest.json"
FILES = "files"
"""What stands in place of a split for the file with the files of tables."""

_FILES_AT_ONCE = 16
_FILE_SCHEMA = pa.schema(zip(FILE_COLUMNS, (pa.string(), pa.binary()), strict=True))


@dataclass(frozen=True)
class MirrorFile:
    """One file of a mirror.

    Attributes:
        place: its path within the mirror, ``wikitq/test.parquet``.
        split: the split of the first reader, e.g. ``test``, or ``files``.
        readers: all known cards that read it; messages name the first.
        loader: the first reader's loader; all of them read from the same source.
    """

    place: str
    split: str
    readers: tuple[Card, ...]
    loader: TableLoader

    @property
    def card(self) -> str:
        """The name of the card for messages."""
        return self.readers[0].name

    @property
    def licence(self) -> str:
        """The licence of the data."""
        return " / ".join(dict.fromkeys(card.licence for card in self.readers))

    @property
    def origin(self) -> dict[str, Any]:
        """What determines the file's content, as the manifest records it."""
        hub = self.loader.on_hub(self.card).model_dump(exclude_defaults=True)
        if self.split == FILES:
            return {"hub": hub, "files": self.loader.files.paths if self.loader.files else []}
        return {"hub": hub, "splits": list(self.loader.splits[self.split].hub)}


def mirrored(names: Sequence[str]) -> list[Card]:
    """The cards with these names, or all known ones, without subsets.

    A card that takes its tables from others stands for those. Without names, a card that cannot be read, such
    as a plugin's, is skipped with a warning.

    Raises:
        UnknownNameError: a card does not exist.
        CardError: a named card cannot be read.
    """
    found = [load_card(name) for name in names] if names else list(_known_cards())
    read = [
        each
        for card in found
        for each in (sources_of(card.loader, card.name) if card.loader.type_ == "load_structural" else [card])
    ]
    return list({card.name: card for card in read}.values())


def _known_cards() -> Iterator[Card]:
    for name in card_names(subsets=False):
        try:
            yield load_card(name)
        except InputError as error:
            logging.getLogger(__name__).warning("torr: %s; left out", error)


def wanted_files(cards: Iterable[Card]) -> list[MirrorFile]:
    """The files that these cards read, each once, in the cards' order.

    Generated cards have none, and neither have those whose data are not on the hub.

    Raises:
        CardError: two cards need different data in one file.
    """
    found: dict[str, MirrorFile] = {}
    for card in cards:
        if card.loader.type_ != "load_tables" or card.loader.hub is None:
            continue
        for split, path in mirror_files(card.loader, Path()).items():
            new = MirrorFile(path.as_posix(), split, (card,), card.loader)
            known = found.setdefault(new.place, new)
            if known.split != FILES and known.origin != new.origin:
                raise CardError(
                    f"{card.path}: loader: has {new.place} from elsewhere than {known.card}; expected the "
                    "same place, or another name for 'mirror'"
                )
            if card not in known.readers:
                found[new.place] = replace(known, readers=(*known.readers, card))
    return list(found.values())


# pulling


@dataclass(frozen=True)
class Pulled:
    """The outcome for one file: ``pulled``, already ``there``, ``kept`` as the user's own, or ``failed``.

    ``rows`` is None if the file was kept or failed; ``problem`` says why it failed.
    """

    wanted: MirrorFile
    state: Literal["pulled", "there", "kept", "failed"]
    rows: int | None = None
    problem: str = ""


def pull(wanted: MirrorFile, mirror: Path) -> Pulled:
    """Fetch one file into a mirror, unless it is there.

    A file that an earlier pull made of the same data stays if its checksum agrees; one that is not in the
    manifest is the user's own and never touched.

    Raises:
        InputError: the mirror cannot be written (other failures are in ``problem``).
    """
    path = mirror / wanted.place
    try:
        known = read_manifest(path.parent).get(path.name)
        if path.is_file():
            if known is None:
                return Pulled(wanted, "kept")
            if known.get("origin") == wanted.origin and known.get("sha256") == checksum(path):
                return Pulled(wanted, "there", known.get("rows"))
        return Pulled(wanted, "pulled", _fetched(wanted, path))
    except DataError as error:
        return Pulled(wanted, "failed", problem=str(error))
    except OSError as error:
        raise InputError(f"{error.filename or path}: cannot be written: {error.strerror or error}") from error


def _fetched(wanted: MirrorFile, path: Path) -> int:
    commit = _commit_of(wanted)
    tables = batches(wanted, commit)
    first = next(tables, None)
    if first is None:
        raise DataError(f"{wanted.card}: {wanted.place}: the hub's splits have no rows")
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_path(path) as temporary:
        schema, rows = first.schema.remove_metadata(), 0
        with pq.ParquetWriter(temporary, schema) as writer:
            for table in chain([first], tables):
                try:
                    writer.write_table(table.replace_schema_metadata(None).cast(schema))
                except (pa.ArrowException, ValueError) as error:
                    raise DataError(f"{wanted.card}: {wanted.place}: {str(error).splitlines()[0]}") from error
                rows += table.num_rows
        entry = {
            "origin": wanted.origin,
            "commit": commit,
            "rows": rows,
            "bytes": temporary.stat().st_size,
            "sha256": checksum(temporary),
            "licence": wanted.licence,
            "pulled": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        }
        # before the rename: if killed in between, the checksum differs, and the file is pulled again
        _add_to_manifest(path.parent, path.name, entry)
    return rows


def _commit_of(wanted: MirrorFile) -> str | None:
    """The current commit of the card's revision, so that all parts agree; None if unknown."""
    hub = wanted.loader.on_hub(wanted.card)
    try:
        return huggingface_hub.HfApi().dataset_info(hub.path, revision=hub.revision).sha
    except Exception:  # reading the data itself reports the same problem
        return None


def batches(wanted: MirrorFile, commit: str | None) -> Iterator[pa.Table]:
    """The rows of the file, with all of the hub's columns; or the files of tables by path.

    Raises:
        DataError: the hub cannot be reached, or lacks the data set, the split or a column that a card reads.
    """
    loaders = [card.loader for card in wanted.readers if card.loader.type_ == "load_tables"]
    if wanted.split == FILES:
        places: dict[str, Path] = {}
        for loader in loaders:
            places |= hub_files(loader, wanted.card, commit=commit)
        paths = sorted(places)
        for start in range(0, len(paths), _FILES_AT_ONCE):
            some = paths[start : start + _FILES_AT_ONCE]
            contents = pa.array([content_of(places[path]) for path in some], pa.binary())
            yield pa.Table.from_arrays([pa.array(some), contents], schema=_FILE_SCHEMA)
        return
    columns = list(dict.fromkeys(name for loader in loaders for name in needed_columns(loader)))
    pairs = wanted.loader.on_hub(wanted.card).replace
    for table in hub_tables(wanted.loader, wanted.split, wanted.card, columns, whole=True, commit=commit):
        rows = [replaced(row, pairs) for row in table.to_pylist()] if pairs else []
        yield pa.Table.from_pylist(rows, schema=table.schema) if pairs else table


# the manifest


class _Manifest(BaseModel):
    format: Literal[1] = 1
    files: dict[str, dict[str, Any]]


def read_manifest(folder: Path) -> dict[str, dict[str, Any]]:
    """The entries of a folder's manifest by file name; empty without a manifest.

    Raises:
        DataError: not a manifest, or one of another version.
    """
    path = folder / MANIFEST
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"{path}: cannot be read: {str(error).splitlines()[0]}") from None
    return validate(_Manifest, document, str(path), error_type=DataError).files


def _add_to_manifest(folder: Path, name: str, entry: Mapping[str, Any]) -> None:
    files = {**read_manifest(folder), name: dict(entry)}
    text = json.dumps({"format": 1, "files": dict(sorted(files.items()))}, indent=2, ensure_ascii=False)
    write_file(folder / MANIFEST, f"{text}\n".encode())


def checksum(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal digits."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()


# checking


@dataclass(frozen=True)
class Verified:
    """The state of one split of a card in a mirror.

    Attributes:
        card: its name.
        split: its name; of the file with the files of tables ``files``.
        place: the file within the mirror.
        needed: whether studies read the split: it is the test or the demonstration split.
        state: of the file.
        examples: the number of examples that the card reads from it; of files their number.
        manifest: whether the checksum agrees with the manifest; None without an entry.
        problem: what is wrong with a broken file, in one line.
    """

    card: str
    split: str
    place: str
    needed: bool
    state: Literal["good", "missing", "broken"]
    examples: int | None = None
    manifest: bool | None = None
    problem: str = ""


def verify(card: Card, mirror: Path) -> list[Verified]:
    """Check every split of a card: file, columns, checksum, and every row as a study reads it.

    A generated card has nothing to verify. Without the files of its tables a card's splits are missing too.
    """
    if card.loader.type_ != "load_tables":
        return []
    paths = mirror_files(card.loader, mirror)
    complete = FILES not in paths or paths[FILES].is_file()
    return [_verified(card, split, path, mirror, complete=complete) for split, path in paths.items()]


def _verified(card: Card, split: str, path: Path, mirror: Path, *, complete: bool) -> Verified:
    needed = split in (card.test_split, card.demo_split, FILES)
    found = Verified(card.name, split, path.relative_to(mirror).as_posix(), needed, "missing")
    if not complete or not path.is_file():
        return found
    agrees: bool | None = None
    try:
        known = read_manifest(path.parent).get(path.name)
        agrees = None if known is None else known.get("sha256") == checksum(path)
        if agrees is False:
            raise DataError(
                f"{path}: its checksum is not the manifest's: changed or damaged since it was pulled"
            )
        count = pq.read_metadata(path).num_rows if split == FILES else _examples(card, split, mirror)
        return replace(found, state="good", examples=count, manifest=agrees)
    except (InputError, OSError, pa.ArrowException) as error:
        return replace(found, state="broken", manifest=agrees, problem=str(error).splitlines()[0])


def _examples(card: Card, split: str, mirror: Path) -> int:
    """How many examples a split has; reads them all."""
    rows = stream_rows(card.loader, split, card.name, mirror)
    return sum(1 for _ in read_rows(card.reading, rows, split=split, card=card.name))
