"""Generated data sets as folders: parameters in, Parquet files and ``dataset.yaml`` out."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args

import yaml

from ....core.atomic_files import atomic_folder
from ....core.errors import InputError, nearest
from ....core.versions import versions
from ....tables import serializers
from .combinations import plan_tables
from .dataset import generate
from .output.fine_tuning import LAYOUTS
from .output.table_files import checked_formats
from .output.writing import OutputOptions, write_tables
from .parameters.loading import SHIPPED, load_parameters
from .parameters.models import Shuffle

if TYPE_CHECKING:
    from .parameters.loading import Parameters

T = TypeVar("T")
Progress = Callable[[int, int], None]
"""Is told how many are made, and of how many."""


@dataclass(frozen=True, slots=True)
class HctqaOptions:
    """The options of ``torr synth hctqa``.

    Attributes:
        tables: how many; None for every combination of layouts, ``replica`` times.
        topics: families of tables by ``valueName``; empty for all.
        kinds: types of questions; empty for all.
        shuffle: instead of what the table templates say; empty to leave them.
    """

    tables: int | None
    seed: int
    parameters: Path | None = None
    topics: tuple[str, ...] = ()
    kinds: tuple[int, ...] = ()
    formats: tuple[str, ...] = ()
    nonsense: bool = False
    replica: int | None = None
    shuffle: tuple[str, ...] = ()
    sft: str | None = None
    sft_table: str = "html"


def make_hctqa(given: Mapping[str, Any], out: Path, progress: Progress) -> dict[str, Any]:
    """Make a data set after HCT-QA in ``out``, a new or empty folder.

    It is written beside ``out`` and renamed when it is complete, so that a killed run leaves nothing.

    Returns:
        Where it is, how many tables and questions, in how many seconds.

    Raises:
        InputError: an option, or a parameter file; one line.
        RunError: ``out`` holds something, or cannot be made.
        OSError: something in it cannot be written.
    """
    options = HctqaOptions(**given)
    started = time.monotonic()
    parameters = _checked(options)
    total = options.tables or sum(1 for _ in plan_tables(parameters, seed=options.seed))
    output = OutputOptions(options.seed, options.nonsense, options.formats, options.sft, options.sft_table)
    made = generate(
        parameters,
        tables=options.tables,
        seed=options.seed,
        kinds=options.kinds or None,
    )
    with atomic_folder(out) as folder:
        counts = write_tables(_told(made, total, progress), folder, output)
        given = {key: value for key, value in asdict(options).items() if key != "parameters"}
        families = list(parameters.families)
        fingerprints = _fingerprints(Path(parameters.folder))
        _describe(folder, "hctqa", {**given, "families": families, "parameters": fingerprints}, counts)
    return {"out": str(out), **counts, "seconds": round(time.monotonic() - started, 3)}


def _checked(options: HctqaOptions) -> Parameters:
    """The parameters of the wanted families, with the options in place of the file's; refuses wrong ones."""
    if options.tables is not None and options.replica is not None:
        raise InputError(
            "--replica counts variants of every combination of layouts; expected without --tables, which "
            "says how many tables there are"
        )
    parameters = load_parameters(options.parameters or SHIPPED)
    if options.topics:
        parameters = parameters.only(options.topics)
    for name in options.shuffle:
        if name not in get_args(Shuffle):
            raise InputError(f"--shuffle: unknown {name!r}; {nearest(name, get_args(Shuffle))}")
    checked_formats(options.formats)
    if options.sft is not None and options.sft not in LAYOUTS:
        raise InputError(f"--sft: no layout {options.sft!r}; {nearest(options.sft, LAYOUTS)}")
    serializers.get(options.sft_table)
    overrides = {"replica": options.replica, "shuffle": options.shuffle}
    given = {key: value for key, value in overrides.items() if value}
    return replace(parameters, tables=parameters.tables.model_copy(update=given))


def _fingerprints(folder: Path) -> dict[str, str]:
    """SHA-256 of each parameter file by its name: of its contents, however they are formatted."""
    found = {}
    for path in sorted(folder.glob("PARAM_*.json")):
        document = json.loads(path.read_text(encoding="utf-8-sig"))
        text = json.dumps(document, ensure_ascii=False, sort_keys=True)
        found[path.name] = hashlib.sha256(text.encode()).hexdigest()
    return found


def _told(outputs: Iterable[T], total: int, progress: Progress) -> Iterator[T]:
    for count, output in enumerate(outputs, 1):
        progress(count, total)
        yield output


def _describe(folder: Path, generator: str, given: dict[str, Any], made: dict[str, int]) -> None:
    """Write dataset.yaml: everything that determines the data set."""
    own = {name: versions()[name] for name in ("torr-plugin", "python")}
    record = {"generator": generator, **given, "made": made, "versions": own}
    text = yaml.safe_dump(record, sort_keys=False, allow_unicode=True)
    (folder / "dataset.yaml").write_text(text, encoding="utf-8")
