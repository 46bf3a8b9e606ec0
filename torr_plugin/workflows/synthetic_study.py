"""``torr synth hctqa``: parameters in, a folder with a data set out."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, get_args

import yaml

from ..core.atomic_files import atomic_folder
from ..core.errors import InputError, nearest
from ..core.versions import versions
from ..synthesis.hctqa.combinations import plan_tables
from ..synthesis.hctqa.dataset import GenerationSettings, stream
from ..synthesis.hctqa.output.fine_tuning import LAYOUTS
from ..synthesis.hctqa.output.table_files import checked_formats
from ..synthesis.hctqa.output.writing import OutputOptions, table_output, write_outputs
from ..synthesis.hctqa.parameters.loading import SHIPPED, load_parameters
from ..synthesis.hctqa.parameters.models import Shuffle
from ..tables import serializers

if TYPE_CHECKING:
    from ..synthesis.hctqa.output.writing import TableOutput
    from ..synthesis.hctqa.parameters.loading import Parameters

KINDS = range(1, 16)
Watched: TypeAlias = "Callable[[int], AbstractContextManager[Callable[[], None]]]"


@dataclass(frozen=True, slots=True)
class SyntheticStudyOptions:
    """The options of ``torr synth hctqa``.

    Attributes:
        tables: how many; None for every combination of layouts, ``replica`` times.
        topics: families of tables by ``valueName``; empty for all.
        kinds: types of questions; empty for all.
        shuffle: instead of what the table templates say; empty to leave them.
        names: whether the attributes' names are shown where ``col_row_name_pos`` has them.
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
    overflow: bool = True
    names: bool = False
    workers: int = 1
    sft: str | None = None
    sft_table: str = "html"


def make_synthetic_study(options: SyntheticStudyOptions, out: Path, watched: Watched) -> dict[str, Any]:
    """Make a data set in ``out``.

    It is written beside ``out`` and renamed when it is complete, so that a killed run leaves nothing.

    Args:
        options: what is to be made.
        out: a new or empty folder.
        watched: given the number of tables, yields what is called for each of them.

    Returns:
        Where it is, how many tables and questions, in how many seconds.

    Raises:
        InputError: an option, or a parameter file; one line.
        RunError: ``out`` holds something, or cannot be made.
        OSError: something in it cannot be written.
    """
    started = time.monotonic()
    chosen = _chosen(options)
    _check_options(options)
    with atomic_folder(out) as folder, watched(_tables(options, chosen)) as done:
        counts = _write(options, chosen, folder, done)
        _describe(options, chosen, counts, folder)
    return {"out": str(out), **counts, "seconds": round(time.monotonic() - started, 3)}


def named(text: str | None) -> tuple[str, ...]:
    """The names in ``a, b``; empty for no text."""
    return tuple(part.strip() for part in (text or "").split(",") if part.strip())


def numbered(text: str | None) -> tuple[int, ...]:
    """The types of questions in ``1,2,5``, in options.

    Raises:
        InputError: one is no number from 1 to 15.
    """
    for part in named(text):
        if not part.isdecimal() or int(part) not in KINDS:
            raise InputError(f"--questions: found {part!r}, expected types of questions from 1 to 15: 1,2,5")
    return tuple(sorted({int(part) for part in named(text)}))


def _check_options(options: SyntheticStudyOptions) -> None:
    if options.tables is not None and options.replica is not None:
        raise InputError(
            "--replica counts variants of every combination of layouts; expected without --tables, which "
            "says how many tables there are"
        )
    checked_formats(options.formats)
    if options.sft is not None and options.sft not in LAYOUTS:
        raise InputError(f"--sft: no layout {options.sft!r}; {nearest(options.sft, LAYOUTS)}")
    serializers.get(options.sft_table)


def _chosen(options: SyntheticStudyOptions) -> Parameters:
    """The parameters of the wanted families, with the options in place of the file's."""
    parameters = load_parameters(options.parameters or SHIPPED)
    if options.topics:
        parameters = parameters.only(options.topics)
    for name in options.shuffle:
        if name not in get_args(Shuffle):
            raise InputError(f"--shuffle: unknown {name!r}; {nearest(name, get_args(Shuffle))}")
    overrides = {"replica": options.replica, "shuffle": options.shuffle}
    return replace(
        parameters,
        tables=parameters.tables.model_copy(update={key: value for key, value in overrides.items() if value}),
    )


def _tables(options: SyntheticStudyOptions, parameters: Parameters) -> int:
    if options.tables is not None:
        return options.tables
    return sum(1 for _ in plan_tables(parameters, seed=options.seed))


def _write(
    options: SyntheticStudyOptions, parameters: Parameters, folder: Path, done: Callable[[], None]
) -> dict[str, int]:
    output = OutputOptions(options.seed, options.nonsense, options.formats, options.sft, options.sft_table)
    settings = GenerationSettings(
        parameters, options.seed, options.kinds or None, options.overflow, options.names
    )
    plan = plan_tables(parameters, seed=options.seed, tables=options.tables)
    made = stream(settings, plan, partial(table_output, options=output), options.workers)
    return write_outputs(_counted(made, done), folder, output)


def _counted(outputs: Iterable[TableOutput], done: Callable[[], None]) -> Iterator[TableOutput]:
    for each in outputs:
        done()
        yield each


def _describe(
    options: SyntheticStudyOptions, parameters: Parameters, counts: dict[str, int], folder: Path
) -> None:
    """Write dataset.yaml: everything that determines the data set."""
    given = {key: value for key, value in asdict(options).items() if key not in ("workers", "parameters")}
    record = {
        "generator": "hctqa",
        **given,
        "families": list(parameters.families),
        "parameters": fingerprints(Path(parameters.folder)),
        "made": counts,
        "versions": {name: versions()[name] for name in ("torr-plugin", "python")},
    }
    (folder / "dataset.yaml").write_text(yaml.safe_dump(record, sort_keys=False, allow_unicode=True), "utf-8")


def fingerprints(folder: Path) -> dict[str, str]:
    """SHA-256 of each parameter file by its name: of its contents, however they are formatted."""
    found = {}
    for path in sorted(folder.glob("PARAM_*.json")):
        document = json.loads(path.read_text(encoding="utf-8-sig"))
        text = json.dumps(document, ensure_ascii=False, sort_keys=True)
        found[path.name] = hashlib.sha256(text.encode()).hexdigest()
    return found
