"""A Python process that runs functions for this one.

Unlike multiprocessing's, it does not run the user's script again, so that a script needs no ``if __name__ ==
"__main__"``.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import IO, Any

# each process has a processor to itself: more threads would only get in the way
_ALONE = {"OPENBLAS_NUM_THREADS": "1"}


class WorkerProcess:
    """Runs one function after the other.

    Args:
        warm_up: a function that pickle takes, which the process runs as soon as it has started.

    Raises:
        OSError: no process can be started.
    """

    def __init__(self, warm_up: Callable[[], object]) -> None:
        self._process = subprocess.Popen(  # noqa: S603 (our own module)
            [sys.executable, "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **_ALONE},
        )
        self._given_up = False
        with suppress(OSError):  # it has ended already, which the first call finds out
            self._send(pickle.dumps(warm_up))

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """What a module's function returns.

        It runs in this process where the other has ended, or cannot have the function or an argument: pickle
        does not take it, or nothing of its name can be imported there.

        Raises:
            Exception: what the function raises, a ``RuntimeError`` in place of what pickle does not restore.
        """
        assert self._process.stdout is not None  # noqa: S101 (it is a pipe)
        if self._given_up:
            return function(*arguments)
        try:
            call = pickle.dumps((function, arguments), pickle.HIGHEST_PROTOCOL)
        except Exception:  # pickle raises several, and what an object raises that it asks
            return function(*arguments)
        try:
            self._send(pickle.dumps(call))
            answer = pickle.load(self._process.stdout)  # noqa: S301 (our own process)
        except (OSError, EOFError, pickle.UnpicklingError):
            return function(*arguments)
        except BaseException:  # the next call must not read what is left of this one's answer
            self._given_up = True
            self._process.kill()
            raise
        if answer is None:
            return function(*arguments)
        error, result = answer
        if error is not None:
            raise error
        return result

    def stop(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):  # what was not sent yet has nobody to go to
                    pipe.close()

    def _send(self, value: bytes) -> None:
        assert self._process.stdin is not None  # noqa: S101 (it is a pipe)
        self._process.stdin.write(value)
        self._process.stdin.flush()


def _work(calls: IO[bytes], answers: IO[bytes]) -> None:
    with suppress(EOFError):
        pickle.load(calls)()  # noqa: S301 (from the process that started this one, like what follows)
        while True:
            answers.write(_answer(pickle.load(calls)))  # noqa: S301
            answers.flush()


def _answer(call: bytes) -> bytes:
    """(error, result), pickled; None where the call cannot be restored here."""
    try:
        function, arguments = pickle.loads(call)  # noqa: S301
    except Exception:  # whatever an import raises
        return pickle.dumps(None)
    try:
        return pickle.dumps((None, function(*arguments)), pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        try:
            answer = pickle.dumps((error, None))
            pickle.loads(answer)  # noqa: S301
        except Exception:  # errors whose arguments are not their own constructor's
            return pickle.dumps((RuntimeError(f"{type(error).__name__}: {error}"), None))
        return answer


if __name__ == "__main__":
    # Ctrl-C is for the process that started this one, which ends it
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # what a library prints must not get among the answers
    with os.fdopen(os.dup(1), "wb") as to_parent:
        os.dup2(2, 1)
        _work(sys.stdin.buffer, to_parent)
