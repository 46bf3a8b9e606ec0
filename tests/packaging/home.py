"""A fresh environment with the wheels in it, made once, and a folder to run its commands in."""

from __future__ import annotations

import os
import site
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

# also where the environment behind has the same version
_ALONE = ("--no-deps", "--no-index", "--force-reinstall")


def install(folder: Path, *wheels: Path) -> Path:
    """A new environment's Python: it has the wheels, and this environment's packages behind them."""
    venv.create(folder, symlinks=True)
    [packages] = folder.glob("lib/python*/site-packages")
    lines = [f"import site; site.addsitedir({place!r})\n" for place in site.getsitepackages()]
    (packages / "behind.pth").write_text("".join(lines))
    python = folder / "bin" / "python"
    pip = (sys.executable, "-m", "pip", "--python", str(python), "install", "-q")
    subprocess.run([*pip, *_ALONE, *map(str, wheels)], check=True)
    return python


@dataclass
class Home:
    """A folder, and the environment whose commands run there."""

    folder: Path
    python: Path

    def run(self, *command: str, code: int = 0, **variables: str) -> subprocess.CompletedProcess[str]:
        """A command of the environment, with the exit code that it has to have."""
        kept = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "TORR_DATA"}}
        home = {"XDG_CACHE_HOME": str(self.folder / "cache"), "HF_HUB_OFFLINE": "1", **variables}
        done = subprocess.run(
            [str(self.python.with_name(command[0])), *command[1:]],
            cwd=self.folder,
            env=kept | home,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done
