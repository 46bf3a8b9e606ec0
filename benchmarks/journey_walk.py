"""Runs the steps of a journey, one after another, and records how each went."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

LONGEST = 1800
"""Seconds that one step may take."""


class UnexpectedError(Exception):
    """A step that did not go as expected; the journey ends with it."""


@dataclass(frozen=True)
class Environment:
    """A Python with the package, and the checkout that it was installed from."""

    python: Path
    checkout: Path


@dataclass(frozen=True)
class Step:
    """One command: what it was for, its outcome (as expected, UNEXPECTED, left out), what was otherwise."""

    what: str
    outcome: str
    seconds: float
    detail: str = ""


@dataclass
class Walk:
    """A journey under way: where it is walked, and its steps so far."""

    name: str
    environment: Environment
    folder: Path
    variables: dict[str, str] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True)

    @property
    def seconds(self) -> float:
        """Of all its steps."""
        return sum(step.seconds for step in self.steps)

    @property
    def as_expected(self) -> bool:
        """Whether no step went otherwise."""
        return all(step.outcome != "UNEXPECTED" for step in self.steps)

    def record(self) -> dict[str, Any]:
        """For ``--json``."""
        return {"seconds": round(self.seconds, 1), "steps": [asdict(step) for step in self.steps]}

    def write(self, name: str, content: str | bytes) -> Path:
        """A file of the user's own."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return path

    def torr(self, what: str, *arguments: str, code: int = 0, says: str = "") -> str:
        """Run ``torr`` with these arguments; see :meth:`step`."""
        return self.step(what, [*self.python("-m", "torr_plugin.cli"), *arguments], code=code, says=says)

    def python(self, *arguments: str) -> list[str]:
        """A command of the journey's Python."""
        return [str(self.environment.python), *arguments]

    def step(
        self, what: str, command: Sequence[str], *, code: int = 0, says: str = "", cwd: Path | None = None
    ) -> str:
        """Run a command, record how it went, and return what it printed on stdout.

        Args:
            what: names the step.
            command: and its arguments.
            code: the exit code that it must have.
            says: a text that it must print, on stdout or stderr.
            cwd: by default the journey's folder.

        Raises:
            UnexpectedError: it went otherwise, printed a traceback, or did not end.
        """
        began = time.monotonic()
        try:
            done = subprocess.run(
                command,
                cwd=cwd or self.folder,
                env={**os.environ, "HF_HUB_OFFLINE": "1", "COLUMNS": "100", **self.variables},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=LONGEST,
                check=False,
            )
            went = _otherwise(done, code, says)
        except subprocess.TimeoutExpired:
            went = f"did not end within {LONGEST} s"
        outcome = "UNEXPECTED" if went else "as expected"
        self.steps.append(Step(what, outcome, time.monotonic() - began, went))
        if went:
            raise UnexpectedError(what)
        return done.stdout

    def check(self, what: str, holds: bool, found: object) -> None:
        """Record what must hold of a command's result.

        Raises:
            UnexpectedError: it does not.
        """
        self.steps.append(
            Step(what, "as expected" if holds else "UNEXPECTED", 0.0, "" if holds else str(found))
        )
        if not holds:
            raise UnexpectedError(what)

    def leave_out(self, what: str, why: str) -> None:
        """Record a step that cannot be taken here."""
        self.steps.append(Step(what, "left out", 0.0, why))

    def has(self, package: str) -> bool:
        """Whether the journey's Python can import a package."""
        command = self.python("-c", f"import {package}")
        return subprocess.run(command, capture_output=True, check=False).returncode == 0


def _otherwise(done: subprocess.CompletedProcess[str], code: int, says: str) -> str:
    """How a command went otherwise than expected, "" if it did not."""
    printed = f"{done.stdout}\n{done.stderr}"
    wrong = [
        f"exit code {done.returncode}, expected {code}" * (done.returncode != code),
        f"does not say: {says}" * (says not in printed),
        "prints a traceback" * ("Traceback (most recent call last)" in printed),
    ]
    found = [each for each in wrong if each]
    return "\n".join([*found, *printed.splitlines()[-12:]]) if found else ""
