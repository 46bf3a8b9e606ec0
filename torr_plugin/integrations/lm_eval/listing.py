"""All tasks and groups there are: of every recipe that came with the package, of plugins, of given files."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ...core.errors import InputError
from ..figures import FIGURES
from ..studies import known_studies, parts_of
from .task_file import VERSION, task_text

if TYPE_CHECKING:
    from ..studies import Part

MODULE = "torr_task.py"
_MODULE_TEXT = '''"""The class that the tasks beside this file name; lm-eval looks for it here."""

from torr_plugin.integrations.lm_eval.folder import note_use
from torr_plugin.integrations.lm_eval.task import TableTask

__all__ = ["TableTask"]

note_use(__file__)
'''


@dataclass(frozen=True)
class Listing:
    """The files of a folder for lm-eval's ``--include_path``.

    Attributes:
        files: name -> content; a YAML file a task or group, and one module.
        tasks: the names of tasks.
        groups: the names of groups, a study each.
        left_out: recipes that cannot be read, a line each.
    """

    files: Mapping[str, str]
    tasks: tuple[str, ...]
    groups: tuple[str, ...]
    left_out: tuple[str, ...] = field(default=())


def listing(recipes: Sequence[str] = (), *, singles: bool = True) -> Listing:
    """The tasks of all known recipes and of further ones.

    Args:
        recipes: paths of recipe files of one's own.
        singles: also a task for each single configuration.

    Raises:
        InputError: a recipe of ``recipes`` cannot be read, or a task or group of it would have a name that
            is taken. A known recipe of which that is so (a plugin's) is left out and named.
    """
    files, tasks, groups = {MODULE: _MODULE_TEXT}, dict[str, str](), dict[str, str]()
    left_out = []
    for study, required in _studies(recipes):
        try:
            parts = [part for part in parts_of(study) if singles or part.config is None]
            group = group_name(parts[0].study)
            _refuse_taken(study, group, [part.task for part in parts], tasks, groups)
        except InputError as error:
            if required:
                raise
            left_out.append(f"recipe {study!r} has no tasks in lm-eval: {error}")
            continue
        groups[group] = study
        tasks |= dict.fromkeys((part.task for part in parts), study)
        files |= {f"{part.task}.yaml": task_text(part, study) for part in parts}
        files[f"_{group}.yaml"] = _group_text(group, parts)
    return Listing(files, tuple(tasks), tuple(groups), tuple(left_out))


def _studies(recipes: Iterable[str]) -> list[tuple[str, bool]]:
    return [
        *((name, False) for name in known_studies()),
        *((str(Path(recipe).resolve()) if Path(recipe).is_file() else recipe, True) for recipe in recipes),
    ]


def _refuse_taken(
    study: str, group: str, names: Sequence[str], tasks: Mapping[str, str], groups: Mapping[str, str]
) -> None:
    for kind, known in (([group], dict(groups)), (names, dict(tasks))):
        for name in kind:
            if name in known:
                raise InputError(
                    f"lm-eval would have two tasks called {name!r}: of recipe {known[name]!r} and of recipe "
                    f"{study!r}; rename one"
                )
            known[name] = study
    for name, own, other in [(group, study, tasks.get(group)), *((n, groups.get(n), study) for n in names)]:
        if own is not None and other is not None:
            raise InputError(f"recipe {own!r} is called as a task of recipe {other!r}: {name}; rename one")


def group_name(study: str) -> str:
    """A study's name as a group of lm-eval, which takes names apart at commas."""
    return re.sub(r"\W", "_", study)


def _group_text(group: str, parts: Sequence[Part]) -> str:
    """A study: its data sets, and the means over them, each counting alike as in :mod:`...analysis`."""
    whole = [part.task for part in parts if part.config is None]
    lines = [
        f"group: {json.dumps(group)}",
        "task:",
        *(f"  - {json.dumps(task)}" for task in whole),
        "aggregate_metric_list:",
    ]
    for figure in FIGURES:
        lines += [f"  - metric: {figure}", "    aggregation: mean", "    weight_by_size: false"]
    return "\n".join([*lines, "metadata:", f"  version: {VERSION}"]) + "\n"
