"""The YAML files of tasks and groups: of shipped recipes, of plugins', and of the user's recipe files."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ... import __version__
from ...core.atomic_files import replace_folder
from ...core.errors import InputError
from ...core.versions import user_cache
from ...recipes import Configuration
from ..record import FIELD
from ..studies import StudyPart, is_shipped, known_studies, recipe_of, shows_pictures, study_parts

VERSION = 1
FIGURES = ("performance", "robustness", "worst", "best")
"""Of a task with all configurations, and of a group."""

MODULE = "torr_task.py"
_MODULE_TEXT = '''"""The class that the tasks beside this file name; lm-eval looks for it here."""

from torr_plugin.integrations.lm_eval.task import TableTask

__all__ = ["TableTask"]
'''


def pictures(study: str, configuration: Configuration | None) -> set[bool]:
    """Whether prompts of a part show pictures; lm-eval's models cannot be asked some that do and some not."""
    asked = [configuration] if configuration else recipe_of(study).expanded()
    return {shows_pictures(each) for each in asked}


def task_text(part: StudyPart, study: str) -> str:
    """The file of a part.

    Args:
        part: of the study.
        study: by what the task finds it again: a recipe's name or an absolute path.
    """
    said = {"study": study, "dataset": part.dataset, **({"config": part.config.id} if part.config else {})}
    lines = [
        f"task: {json.dumps(part.task)}",
        f"class: !function {Path(MODULE).stem}.TableTask",
        "metadata:",
        f"  version: {VERSION}",
        f"  {FIELD}: {json.dumps(said)}",
    ]
    return "\n".join(lines) + "\n"


def read_task_config(config: Mapping[str, Any]) -> tuple[str, str, Configuration | None]:
    """Study, data set and configuration that a task's file names, as lm-eval read it from :func:`task_text`.

    Raises:
        InputError: it names no study or data set, or a configuration in another form.
    """
    match (config.get("metadata") or {}).get(FIELD):
        case {"study": str(study), "dataset": str(dataset), **more}:
            config_id = more.get("config")
            return study, dataset, Configuration.of(str(config_id)) if config_id else None
        case found:
            raise InputError(
                f"task {config.get('task')!r}: metadata.{FIELD}: found {found!r:.80}; expected study and "
                "dataset, as 'torr lm-eval-path' writes them"
            )


@dataclass(frozen=True)
class TaskFolder:
    """The files of a folder for lm-eval's ``--include_path``.

    Attributes:
        files: name -> content; a YAML file a task or group, and one module.
        tasks: the names of tasks.
        groups: the names of groups, a study each.
        left_out: recipes that cannot be read, a line each.
    """

    files: dict[str, str]
    tasks: list[str]
    groups: list[str]
    left_out: list[str]


def task_folder(recipes: Sequence[str] = ()) -> TaskFolder:
    """The tasks of all known recipes and of further ones; of those with pictures and text single ones alone.

    Args:
        recipes: paths of the user's recipe files.

    Raises:
        InputError: a recipe of ``recipes`` cannot be read, or a task or group of it would have a name that
            is taken. A known recipe of which that is so (a plugin's) is left out and named.
    """
    found = TaskFolder({MODULE: _MODULE_TEXT}, [], [], [])
    owners: dict[str, str] = {}
    for study in known_studies():
        try:
            _add(found, study, owners)
        except InputError as error:
            found.left_out.append(f"recipe {study!r} has no tasks in lm-eval: {error}")
    for recipe in recipes:
        _add(found, str(Path(recipe).resolve()) if Path(recipe).is_file() else recipe, owners)
    return found


def _add(found: TaskFolder, study: str, owners: dict[str, str]) -> None:
    """Add a study's tasks and group; ``owners`` has the study of each name that is taken."""
    parts = [part for part in study_parts(study) if len(pictures(study, part.config)) == 1]
    tasks = [part.task for part in parts]
    whole = [part.task for part in parts if part.config is None]
    group = group_name(study)
    _claim([group, *tasks], study, owners)
    found.tasks.extend(tasks)
    found.files.update({f"{part.task}.yaml": task_text(part, study) for part in parts})
    if whole:
        found.groups.append(group)
        found.files[f"_{group}.yaml"] = _group_text(group, whole)


def _claim(names: Iterable[str], study: str, owners: dict[str, str]) -> None:
    claimed: dict[str, str] = {}
    for name in names:
        if owner := owners.get(name) or claimed.get(name):
            raise InputError(
                f"lm-eval would have two tasks or groups called {name!r}: of recipe {owner!r} and of "
                f"recipe {study!r}; rename one"
            )
        claimed[name] = study
    owners.update(claimed)


def group_name(study: str) -> str:
    """The group of a study: its name, which lm-eval splits at commas; of a shipped one ``torr_NAME``.

    lm-eval has names as plain as ``real`` for tasks of its own.
    """
    name = re.sub(r"\W", "_", recipe_of(study).name)
    return f"torr_{name}" if is_shipped(study) and name != "torr" else name


def _group_text(group: str, tasks: Sequence[str]) -> str:
    """The file of a study: its data sets and their unweighted means, as in :mod:`...analysis`."""
    lines = [f"group: {json.dumps(group)}", "task:", *(f"  - {json.dumps(task)}" for task in tasks)]
    lines.append("aggregate_metric_list:")
    lines += [f"  - {{metric: {figure}, aggregation: mean, weight_by_size: false}}" for figure in FIGURES]
    return "\n".join([*lines, "metadata:", f"  version: {VERSION}"]) + "\n"


def written(files: Mapping[str, str], out: Path | None = None) -> Path:
    """A folder with these files and no others.

    Args:
        files: of :func:`task_folder`.
        out: the folder; None for one in the user's cache, named by its content and so never out of date.

    Raises:
        InputError: it is a file, holds something else than tasks written before, or cannot be written.
    """
    content = json.dumps([__version__, sorted(files.items())]).encode()
    folder = out.resolve() if out else user_cache() / "lm-eval" / hashlib.sha256(content).hexdigest()[:24]
    if folder.is_dir() and not out:
        return folder
    try:
        held = [each.name for each in folder.iterdir()] if folder.exists() else []
        if held and MODULE not in held:
            raise InputError(f"{out}: holds {held[0]!r}, not our tasks; expected a new or empty folder")
        folder.parent.mkdir(parents=True, exist_ok=True)
        aside = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
        try:
            for name, text in files.items():
                (aside / name).write_bytes(text.encode())
            aside.chmod(0o755)
            (replace_folder if out else Path.rename)(aside, folder)
        finally:
            shutil.rmtree(aside, ignore_errors=True)
    except OSError as error:
        if not out and folder.is_dir():  # another process put the same there meanwhile
            return folder
        where = error.filename or folder
        raise InputError(f"{where}: cannot be written: {error.strerror}; give a folder with --out") from error
    return folder
