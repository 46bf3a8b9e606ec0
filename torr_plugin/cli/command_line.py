"""The command line that this process was started with, to be shown and typed again."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from ..core.redaction import masked


def command_line(arguments: Sequence[str] | None = None) -> str:
    """The command as a shell takes it; keys and passwords among a model's arguments are left out as ``...``.

    Args:
        arguments: those behind the command's name; by default this process's.
    """
    given = sys.argv[1:] if arguments is None else arguments
    return " ".join([_name(), *(shlex.quote(masked(argument)) for argument in given)])


def _name() -> str:
    """``torr`` or whatever the command was installed as; ``python -m MODULE`` where it was started so."""
    spec = getattr(sys.modules.get("__main__"), "__spec__", None)
    if spec is None:
        return shlex.quote(Path(sys.argv[0]).name)
    module = str(spec.name).removesuffix(".__main__")
    return "torr" if module in ("torr_plugin.cli", "torr_plugin.cli.app") else f"python -m {module}"
