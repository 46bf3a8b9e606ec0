"""The YAML files of tasks and groups: of shipped recipes, of plugins', and of the user's recipe files.

lm-eval after 0.4.13 finds the package ``tasks`` by entry point (group ``lm_eval.tasks``). Its files must
lie in the wheel: a task for each data set and a group for each study of the shipped recipes. Single
configurations and plugins' recipes are in the folder of ``torr lm-eval-path``. After a recipe was added,
write the package anew::

    python -m torr_plugin.integrations.lm_eval.task_files
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...core.errors import InputError
from ...recipes import Configuration
from ...running.model import lm_eval_arguments
from ..record import FIELD
from ..studies import StudyPart, is_shipped, known_studies, recipe_of, shows_pictures, study_parts
from .scores import FIGURES

VERSION = 1
CLASS = "!function torr_task.TableTask"


@dataclass(frozen=True)
class TaskFile:
    """What a task's file says.

    Attributes:
        study: a recipe's name or path.
        dataset: of the study.
        configuration: None for all of them.
    """

    study: str
    dataset: str
    configuration: Configuration | None

    def arguments(self) -> dict[str, Any]:
        """The study's generation parameters by lm-eval's names."""
        generation = recipe_of(self.study).generation.in_keys()
        # lm-eval sends a server what it is given, a field each
        extra = generation.pop("extra_body", {})
        return lm_eval_arguments({**generation, **extra})

    def shows_pictures(self) -> bool:
        """Whether its prompts have pictures.

        Raises:
            InputError: some have and some have none, which lm-eval's models cannot be asked together.
        """
        asked = [self.configuration] if self.configuration else recipe_of(self.study).expanded()
        seen = [shows_pictures(each) for each in asked]
        if any(seen) and not all(seen):
            raise InputError(
                f"study {self.study!r} shows {self.dataset} in some configurations as pictures and in others "
                "as text, which lm-eval cannot ask together; ask its tasks of single configurations"
            )
        return any(seen)


def asked_alike(part: StudyPart, study: str) -> bool:
    """Whether lm-eval can ask a part: none that shows pictures in some configurations and text in others."""
    try:
        TaskFile(study, part.dataset, part.config).shows_pictures()
    except InputError:
        return False
    return True


def task_text(part: StudyPart, study: str) -> str:
    """The file of a part.

    Args:
        part: of the study.
        study: by what the task finds it again: a recipe's name or an absolute path.
    """
    lines = [
        f"task: {_quoted(part.task)}",
        f"class: {CLASS}",
        "metadata:",
        f"  version: {VERSION}",
        f"  {FIELD}: {{study: {_quoted(study)}, dataset: {_quoted(part.dataset)}{_config(part)}}}",
    ]
    return "\n".join(lines) + "\n"


def read_task_config(config: Mapping[str, Any]) -> TaskFile:
    """What the configuration of a task says, as lm-eval read it from :func:`task_text`.

    Raises:
        InputError: it names no study or data set, or a configuration in another form.
    """
    entry = (config.get("metadata") or {}).get(FIELD)
    task = config.get("task")
    if not isinstance(entry, Mapping) or not all(
        isinstance(entry.get(key), str) for key in ("study", "dataset")
    ):
        raise InputError(
            f"task {task!r}: metadata.{FIELD}: found {entry!r:.80}; expected study and dataset, as "
            "'torr lm-eval-path' writes them"
        )
    config_id = entry.get("config")
    configuration = None if config_id is None else Configuration.of(str(config_id))
    return TaskFile(entry["study"], entry["dataset"], configuration)


def _config(part: StudyPart) -> str:
    return "" if part.config is None else f", config: {_quoted(part.config.id)}"


def _quoted(text: str) -> str:
    """A YAML scalar in double quotes, which JSON's form is."""
    return json.dumps(text, ensure_ascii=True)


MODULE = "torr_task.py"
_MODULE_TEXT = '''"""The class that the tasks beside this file name; lm-eval looks for it here."""

from torr_plugin.integrations.lm_eval.task import TableTask

__all__ = ["TableTask"]
'''


@dataclass(frozen=True)
class TaskFolder:
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


def task_folder(recipes: Sequence[str] = (), *, singles: bool = True) -> TaskFolder:
    """The tasks of all known recipes and of further ones; of those with pictures and text single ones alone.

    Args:
        recipes: paths of the user's recipe files.
        singles: also a task for each single configuration.

    Raises:
        InputError: a recipe of ``recipes`` cannot be read, or a task or group of it would have a name that
            is taken. A known recipe of which that is so (a plugin's) is left out and named.
    """
    files, tasks, groups = {MODULE: _MODULE_TEXT}, list[str](), list[str]()
    taken: dict[str, str] = {}
    left_out = []
    for study, required in _studies(recipes):
        try:
            every = study_parts(study)
            parts = [part for part in every if (singles or part.config is None) and asked_alike(part, study)]
            group = group_name(study)
            taken = _with_names(taken, study, [group, *(part.task for part in parts)])
        except InputError as error:
            if required:
                raise
            left_out.append(f"recipe {study!r} has no tasks in lm-eval: {error}")
            continue
        tasks += [part.task for part in parts]
        files |= {f"{part.task}.yaml": task_text(part, study) for part in parts}
        if any(part.config is None for part in parts):
            groups.append(group)
            files[f"_{group}.yaml"] = _group_text(group, parts)
    return TaskFolder(files, tuple(tasks), tuple(groups), tuple(left_out))


def _studies(recipes: Iterable[str]) -> list[tuple[str, bool]]:
    return [
        *((name, False) for name in known_studies()),
        *((str(Path(recipe).resolve()) if Path(recipe).is_file() else recipe, True) for recipe in recipes),
    ]


def _with_names(taken: Mapping[str, str], study: str, names: Iterable[str]) -> dict[str, str]:
    """The names of tasks and groups, each with its study, and those of another study."""
    found = dict(taken)
    for name in names:
        if name in found:
            raise InputError(
                f"lm-eval would have two tasks or groups called {name!r}: of recipe {found[name]!r} and of "
                f"recipe {study!r}; rename one"
            )
        found[name] = study
    return found


def group_name(study: str) -> str:
    """The group of a study: its name, which lm-eval splits at commas; of a shipped one ``torr_NAME``.

    lm-eval has names as plain as ``real`` for tasks of its own.
    """
    name = re.sub(r"\W", "_", recipe_of(study).name)
    return f"torr_{name}" if is_shipped(study) and name != "torr" else name


def _group_text(group: str, parts: Sequence[StudyPart]) -> str:
    """The file of a study: its data sets and their unweighted means, as in :mod:`...analysis`."""
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


FOLDER = Path(__file__).resolve().parent / "tasks"


def shipped_files() -> dict[str, str]:
    """The files of the package but its ``__init__.py``."""
    return dict(task_folder(singles=False).files)


def write() -> None:
    """Write the files of the package, and remove those of recipes that are gone."""
    files = shipped_files()
    for path in FOLDER.glob("*.yaml"):
        if path.name not in files:
            path.unlink()
    for name, text in files.items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
