"""How a worker is started behind the walls that bubblewrap makes."""

from __future__ import annotations

import importlib.util
import itertools
import json
import os
import shutil
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .inside import filters
from .limits import ChartLimits

_HERE = str(Path(__file__).resolve().parent)
_INSIDE = str(Path(_HERE) / "inside")
_NEEDED = ("matplotlib", "numpy", "openpyxl", "pandas")
_SYSTEM = (
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/etc/ld.so.cache",
    "/usr/share/fonts",
    "/usr/share/zoneinfo",
)
_DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")
_USERS = range(1_900_000_000, 2_000_000_000)  # nobody's
_NOBODY = 65534
_SYSTEM_ADMIN = 21  # CAP_SYS_ADMIN
_started = itertools.count()
_PRIVILEGES = ("CAP_SYS_ADMIN", "CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP", "CAP_KILL")
_TEMPORARY = 64 * 2**20
_FOLDER, _OTHER_FOLDER = "/tmp", "/chart"  # noqa: S108 (a worker's own)
_START = """\
import json, sys
given = json.loads(sys.argv[1])
sys.path[:] = given["path"]
from inside.zygote import serve
serve(given)
"""


def environment() -> dict[str, str]:
    """That in which a worker loads its libraries; it is empty when a program runs."""
    folder = program_folder()
    return {
        "HOME": folder,
        "LC_ALL": "C.UTF-8",
        "MPLBACKEND": "Agg",
        "MPLCONFIGDIR": folder,
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONUTF8": "1",
    }


def program_folder() -> str:
    """Where programs run: in ``/tmp``, unless that would hide what a worker must see from it."""
    return _OTHER_FOLDER if any(_is_within(path, _FOLDER) for path in visible_paths()) else _FOLDER


def bubblewrap(limits: ChartLimits) -> list[str]:
    """The command that starts a worker."""
    spaces = ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
    paths = visible_paths()
    # made here, for bubblewrap would close the folders above a file to others
    above = sorted({str(folder) for path in [*paths, *_DEVICES] for folder in Path(path).parents})
    return [
        shutil.which("bwrap") or "bwrap",
        *spaces,
        *([] if _is_privileged() else ["--unshare-user"]),
        *(part for folder in above for part in ("--dir", folder)),
        *(part for path in paths for part in ("--ro-bind", path, path)),
        *(part for device in _DEVICES for part in ("--dev-bind", device, device)),
        *("--size", str(_TEMPORARY), "--tmpfs", program_folder()),
        *("--remount-ro", "/", "--chdir", "/", "--hostname", "sandbox"),
        *("--cap-drop", "ALL"),
        *(part for each in _PRIVILEGES for part in ("--cap-add", each)),
        "--",
        *_python(limits),
    ]


def reason_against() -> str:
    """Why there can be no sandbox on this system; empty if it may be tried."""
    if sys.platform != "linux":
        return "not on Linux"
    if not filters.is_known():
        return f"no filter of system calls for {os.uname().machine}"
    return "" if shutil.which("bwrap") else "bwrap: not installed"


def visible_paths() -> list[str]:
    """What a worker sees of the system: Python, the packages that charts need, system libraries, fonts."""
    prefixes = {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix}
    libraries = [str(Path(prefix) / name) for prefix in sorted(prefixes) for name in ("lib", "lib64")]
    wanted = [*_SYSTEM, *libraries, *_module_path(), _executable(), _INSIDE]
    there = dict.fromkeys(path for path in wanted if os.path.exists(path))
    return [path for path in there if not any(_is_within(path, other) for other in there if other != path)]


def _is_within(path: str, folder: str) -> bool:
    return path.startswith(f"{folder}/")


def _executable() -> str:
    return os.path.realpath(sys.executable)


def _module_path() -> list[str]:
    """The entries of Python's path with the standard library, and with packages that charts need."""
    standard = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib")]
    return list(dict.fromkeys([*standard, sysconfig.get_config_var("DESTSHARED"), *_package_folders()]))


def _package_folders() -> Iterator[str]:
    for name in _NEEDED:
        found = importlib.util.find_spec(name)
        if found is not None and found.origin:
            yield str(Path(found.origin).parents[1])
    yield from (entry for entry in sys.path if Path(entry).name in ("site-packages", "dist-packages"))


def missing_packages() -> list[str]:
    """The packages that charts need and that are not installed."""
    return [name for name in _NEEDED if importlib.util.find_spec(name) is None]


def _python(limits: ChartLimits) -> list[str]:
    user = _ordinary_user()
    unlimited = user is None and os.geteuid() == 0
    given: dict[str, Any] = {
        **asdict(limits),
        "threads": 0 if unlimited else limits.threads,
        "path": [_HERE, *_module_path()],
        "user": user,
        "folder": program_folder(),
    }
    return [_executable(), "-S", "-s", "-B", "-c", _START, json.dumps(given)]


def _is_privileged() -> bool:
    """Whether we may make namespaces without one of users: root, but not in most containers."""
    with suppress(OSError):
        status = Path("/proc/self/status").read_text()
        effective = int(status.partition("CapEff:")[2].split()[0], 16)
        return os.geteuid() == 0 and bool(effective >> _SYSTEM_ADMIN & 1)
    return False


def _ordinary_user() -> int | None:
    """Whom root's worker becomes for a program, one of its own where that can be; None for other users.

    The kernel's limit of threads does not bind root: where it must stay root, a program may start none.
    """
    if not _is_privileged():
        return None
    user = _USERS[(os.getpid() * 1_000 + next(_started)) % len(_USERS)]
    known = [tuple(map(int, line.split())) for line in Path("/proc/self/uid_map").read_text().splitlines()]
    for candidate in (user, _NOBODY):
        if any(first <= candidate < first + count for first, _, count in known):
            return candidate
    return None
