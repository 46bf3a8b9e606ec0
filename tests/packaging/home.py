"""A fresh environment with a wheel of its own."""

from __future__ import annotations

import os
import site
import subprocess
import venv
from pathlib import Path

# also where the environment behind has the same version
_ALONE = ("--no-deps", "--no-index", "--force-reinstall")


class Home:
    """A fresh environment that has a wheel, and this environment's packages behind it."""

    def __init__(self, folder: Path, wheel: Path) -> None:
        self.folder = folder
        self._bin = folder / "venv" / "bin"
        venv.create(folder / "venv", with_pip=True)
        [packages] = (folder / "venv").glob("lib/python*/site-packages")
        lines = [f"import site; site.addsitedir({place!r})\n" for place in site.getsitepackages()]
        (packages / "behind.pth").write_text("".join(lines))
        self.run("python", "-m", "pip", "install", "-q", *_ALONE, str(wheel))

    def run(self, *command: str, code: int = 0, **variables: str) -> subprocess.CompletedProcess[str]:
        """A command of the environment, with the exit code that it has to have."""
        kept = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "TORR_DATA"}}
        home = {"XDG_CACHE_HOME": str(self.folder / "cache"), "HF_HUB_OFFLINE": "1", **variables}
        program = [str(self._bin / command[0])]
        if command[0] != "python":  # the others lie behind: run them by this environment's Python
            module = {"torr": "torr_plugin.cli.app", "lm_eval": "lm_eval"}[command[0]]
            program = [str(self._bin / "python"), "-m", module]
        done = subprocess.run(
            [*program, *command[1:]],
            cwd=self.folder,
            env=kept | home,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done
