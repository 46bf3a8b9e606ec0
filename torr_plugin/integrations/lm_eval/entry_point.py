"""Writes the package ``tasks``, which lm-eval after 0.4.13 finds by entry point (group ``lm_eval.tasks``).

That group names a package whose folder has the tasks' files, so that they must lie in the wheel: those of the
shipped recipes, a task a data set and a group a study. Single configurations and plugins' recipes are in the
folder of ``torr lm-eval-path``. Run it after a recipe was added::

    python -m torr_plugin.integrations.lm_eval.entry_point
"""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "tasks"


def shipped_files() -> dict[str, str]:
    """The files of the package but its ``__init__.py``."""
    from .listing import listing

    return dict(listing(singles=False).files)


def write() -> None:
    """Write them, and remove those of recipes that are no more."""
    files = shipped_files()
    for path in FOLDER.glob("*.yaml"):
        if path.name not in files:
            path.unlink()
    for name, text in files.items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
