"""Whether everything that a card refers to by name is there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..core.errors import CardError, UnknownNameError
from ..tables import perturbations
from . import artifacts

if TYPE_CHECKING:
    from .schema import CardFile


def check_names(file: CardFile, path: Path) -> None:
    """Refuse a card that names what is not there.

    Raises:
        CardError: file, field, the name, and the nearest that is known.
    """
    from .generated import generator_names
    from .reading import reader_names

    def check(kind: str, name: str, known: list[str], where: str) -> None:
        if name not in known:
            raise CardError(str(UnknownNameError(kind, name, known, where=f"{path}: {where}")))

    for index, name in enumerate(file.keeps_labels):
        check("perturbation", name, perturbations.names(), f"keeps_labels.{index}")
    if file.reading.table.reader is not None:
        check("reader", file.reading.table.reader, reader_names(), "preprocess_steps.0.table.reader")
    if file.reading.structure is not None:
        from ..synthesis.suc import TASKS

        check("task", file.reading.structure.task, list(TASKS), "preprocess_steps.0.structure.task")
    if file.loader.type_ == "load_generated":
        check("generator", file.loader.generator, generator_names(), "loader.generator")
    for name, constant in file.reading.constants.items():
        if artifacts.unitxt_file(constant.unitxt) is None:
            raise CardError(
                f"{path}: preprocess_steps.0.constants.{name}.unitxt: unitxt has no {constant.unitxt!r}; "
                "expected an artifact of its catalog"
            )
    check("task", file.task_name, artifacts.names("tasks"), "task")
    artifacts.check_template(file, path)
