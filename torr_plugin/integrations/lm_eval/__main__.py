"""``python -m torr_plugin.integrations.lm_eval``: lm-eval's command line with our tasks and models."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from ...command import INPUT_WRONG, say
from ...errors import InputError
from . import as_list, register, tasks_folder


def main() -> None:
    """Run lm-eval's command line on ``sys.argv``; wrong input ends with one line and exit code 2."""
    try:
        register()
        _include(str(tasks_folder()))
        _lm_eval()
    except InputError as error:
        say(f"torr: {error}")
        sys.exit(INPUT_WRONG)


def _include(folder: str) -> None:
    """Have every ``TaskManager`` of this process include a folder, before those that it is told to.

    One that it is told to and that holds our tasks already (``torr lm-eval-path``) takes its place: lm-eval
    warns of each task that it finds twice.
    """
    from lm_eval.tasks import TaskManager

    from .listing import MODULE

    make = TaskManager.__init__

    def made(self: Any, verbosity: str | None = None, include_path: Any = None, **options: Any) -> None:
        named = as_list(include_path)
        ours = any(Path(each, MODULE).is_file() for each in named)
        make(self, verbosity, named if ours else [folder, *named], **options)

    TaskManager.__init__ = made


def _lm_eval() -> None:
    from lm_eval.__main__ import cli_evaluate

    cli_evaluate()


if __name__ == "__main__":
    main()
