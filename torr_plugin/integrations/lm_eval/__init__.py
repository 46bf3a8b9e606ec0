"""The studies as tasks of lm-eval, and the embedded baselines as its models.

In: recipes. Out: a folder for ``lm_eval --include_path``, a :func:`task_manager` for programs, and
``python -m torr_plugin.integrations.lm_eval``, which is lm-eval's own command line with both.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

__all__ = ["register", "task_manager", "tasks_folder"]


def tasks_folder(recipes: Sequence[str | Path] = (), *, out: Path | None = None) -> Path:
    """Make a folder with a file for each task, for lm-eval's ``--include_path``.

    Args:
        recipes: the user's recipe files, beside those that came with the package and with plugins.
        out: where to write it; None for the user's cache.

    Raises:
        InputError: a recipe that cannot be read, two tasks of one name, or a folder that cannot be written.
    """
    from ... import plugins
    from .task_files import task_folder, written

    plugins.load()
    return written(task_folder([str(recipe) for recipe in recipes]).files, out)


def register() -> None:
    """Register the embedded baselines and plugins' models with lm-eval, in this process.

    Raises:
        ModelError: lm-eval has another model of that name.
    """
    from ... import plugins
    from ...running import model_names

    plugins.load()
    model_names()  # registers them


def task_manager(recipes: Sequence[str | Path] = (), **options: Any) -> Any:
    """lm-eval's ``TaskManager`` that knows the studies' tasks; models are registered as well.

    Args:
        recipes: as in :func:`tasks_folder`.
        options: of ``TaskManager``; an ``include_path`` among them counts beside ours.

    Raises:
        InputError: as in :func:`tasks_folder`.
    """
    from lm_eval.tasks import TaskManager

    register()
    given = options.pop("include_path", None)
    return TaskManager(include_path=[str(tasks_folder(recipes)), *as_list(given)], **options)


def as_list(include_path: Any) -> list[str]:
    """An ``include_path`` of lm-eval's (none, one, or a list) as a list."""
    if include_path is None:
        return []
    return [str(each) for each in ([include_path] if isinstance(include_path, str | Path) else include_path)]
