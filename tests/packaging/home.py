"""A fresh environment with the wheels in it, made once, and a folder to run its commands in."""

from __future__ import annotations

import os
import site
import subprocess
import sys
import venv
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

# also where the environment behind has the same version
_ALONE = ("--no-deps", "--no-index", "--force-reinstall")

_HIDING = """
import os, sys
from importlib.machinery import PathFinder

class Finder(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name.partition(".")[0] in {names} else super().find_spec(name, path, target)

if "WITH_EXTRAS" not in os.environ:
    sys.meta_path = [Finder if each is PathFinder else each for each in sys.meta_path]
"""


def install(folder: Path, *wheels: Path) -> Path:
    """A new environment's Python: it has the wheels, and behind them those packages here that they need."""
    venv.create(folder, symlinks=True)
    [packages] = folder.glob("lib/python*/site-packages")
    lines = [f"import site; site.addsitedir({place!r})\n" for place in site.getsitepackages()]
    (packages / "behind.pth").write_text("import hiding\n" + "".join(lines))
    (packages / "hiding.py").write_text(_HIDING.format(names=_of_extras()))
    python = folder / "bin" / "python"
    pip = (sys.executable, "-m", "pip", "--python", str(python), "install", "-q")
    subprocess.run([*pip, *_ALONE, *map(str, wheels)], check=True)
    return python


def _of_extras() -> set[str]:
    """The modules here that only extras bring, to an installation without any."""
    needed, open_ = set[tuple[str, str]](), [("torr-plugin", ""), ("pip", ""), ("setuptools", "")]
    while open_:
        name, extra = open_.pop()
        if (name, extra) in needed:
            continue
        needed.add((name, extra))
        with suppress(PackageNotFoundError):  # needed elsewhere, e.g. on another system
            for each in map(Requirement, distribution(name).requires or ()):
                if not each.marker or each.marker.evaluate({"extra": extra}):
                    open_ += [(canonicalize_name(each.name), extra) for extra in ("", *each.extras)]
    names = {name for name, _ in needed}
    return {
        module
        for module, brought_by in packages_distributions().items()
        if not names & set(map(canonicalize_name, brought_by))
    }


@dataclass
class Home:
    """A folder, and the environment without extras whose commands run there."""

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
