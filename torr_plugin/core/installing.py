"""Commands that install what is missing; every message and table takes them from here.

This package is not on PyPI, where a project of its name may be somebody else's. So its extras are installed
from a checkout: ``pip install '.[api]'``.
"""

from __future__ import annotations

import shlex


def pip_command(what: str) -> str:
    """The command that installs packages, quoted for a shell.

    Args:
        what: pip's arguments, separated by spaces; ``.[hf]`` is an extra of this package.
    """
    return shlex.join(["pip", "install", *what.split()])


def install_hint(what: str) -> str:
    """:func:`pip_command`, with the folder to run it in where it installs an extra of this package."""
    return f"{pip_command(what)}{' in a checkout of torr-plugin' if '.[' in what else ''}"
