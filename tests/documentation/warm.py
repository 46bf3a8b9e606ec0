"""Runs commands in forks of a process that has imported what they need; otherwise each would take seconds.

What libraries read from the environment when they are imported (``HF_HOME``) is the server's.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import gc
import importlib
import json
import os
import pkgutil
import runpy
import select
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Iterator

LIBRARIES = ("pandas", "pyarrow.parquet", "scipy.stats", "jinja2", "lm_eval.models.huggingface")
FAR = ("torr_plugin.integrations.", "torr_plugin.scoring.sandbox.")
"""What is below is not imported before a command asks for it: it takes long, and few do."""


@contextlib.contextmanager
def serving(address: str, environment: dict[str, str]) -> Iterator[None]:
    """A server with this environment, for ``client.py``; ended afterwards with all that still runs in it."""
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(f"\0{address}")
        listening.listen()
        process = subprocess.Popen(
            [sys.executable, __file__, str(listening.fileno())],
            env=environment,
            pass_fds=[listening.fileno()],
            stdin=subprocess.PIPE,
            start_new_session=True,
        )
    try:
        yield
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def serve(listening: socket.socket) -> None:
    """Answer each client in a fork, until stdin ends, with whoever started this."""
    _import_all()
    gc.freeze()
    while listening in select.select([listening, sys.stdin], [], [])[0]:
        client, _ = listening.accept()
        if not os.fork():
            listening.close()
            _answer(client)
        client.close()


def _import_all() -> None:
    sys.path.pop(0)  # the folder of this file
    import torr_plugin

    ours = [module.name for module in pkgutil.walk_packages(torr_plugin.__path__, "torr_plugin.")]
    near = [name for name in ours if not name.startswith(FAR) and not name.endswith("__main__")]
    for name in (*LIBRARIES, *near):
        importlib.import_module(name)
    from lm_eval.tasks import TaskManager

    # to read lm-eval's own 14,000 task files takes longer than all else: tests/integrations/lm_eval does
    TaskManager.__init__ = functools.partialmethod(TaskManager.__init__, include_defaults=False)


def _answer(client: socket.socket) -> None:
    """Become the command, but for a process that waits for its end and says how it ended."""
    _, files, _, _ = socket.recv_fds(client, 1, 3)
    with client.makefile() as said:
        given = json.load(said)
    command = os.fork()
    if command:
        os.setpgid(command, command)  # whichever of the two comes first
        ended, waiting = os.pidfd_open(command), select.poll()
        waiting.register(ended, select.POLLIN)
        waiting.register(client, 0)  # says when whoever asked is gone
        if ended not in dict(waiting.poll()):
            os.killpg(command, signal.SIGKILL)
        _, status = os.waitpid(command, 0)
        client.sendall(str(os.waitstatus_to_exitcode(status)).encode())
        os._exit(0)
    os.setpgid(0, 0)
    client.close()
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.chdir(given["folder"])
    os.environ.clear()
    os.environ.update(given["environment"])
    _end(_code_of(*given["arguments"]))


def _code_of(first: str, *others: str) -> object:
    """Run a file or a module as Python does, and give what it ends with to ``sys.exit``."""
    folder = os.getcwd() if first == "-m" else os.path.dirname(first)
    sys.path[:0] = [folder, *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    try:
        if first == "-m":
            sys.argv = list(others)
            runpy.run_module(others[0], run_name="__main__", alter_sys=True)
        else:
            sys.argv = [first, *others]
            runpy.run_path(first, run_name="__main__")
    except SystemExit as stop:
        return stop.code
    except BaseException:
        return traceback.format_exc()
    return 0


def _end(code: object) -> None:
    """End as Python does, but do not take apart what was imported: that takes longer than most commands."""
    if code is not None and not isinstance(code, int):
        print(code, file=sys.stderr)
        code = 1
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code or 0)


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
