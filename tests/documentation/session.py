"""Runs the blocks of one page, one after another, in a working directory of their own."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import driver, files
from .blocks import Block
from .commands import Command, added, commands_of, dialogue_of, limited, served
from .compared import differences, is_shown
from .options import problem_of

LONGEST = 1200
"""Seconds that one command may take."""

_AROUND = """set -eo pipefail
if [ -f "$PAGE_STATE" ]; then . "$PAGE_STATE" 2>/dev/null || true; fi
cd "$(cat "$PAGE_STATE.folder" 2>/dev/null || echo "$PAGE_FOLDER")"
trap 'declare -px > "$PAGE_STATE"; pwd > "$PAGE_STATE.folder"' EXIT
"""


@contextlib.contextmanager
def _inside(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


class BlockError(AssertionError):
    """A block that does not do what the page says: where, the command, its exit code and output."""


@dataclass
class Session:
    """What the blocks of a page leave for those after them."""

    folder: Path
    environment: dict[str, str]
    kept: Path
    address: str = ""
    printed: Any = None
    groups: list[int] = field(default_factory=list)
    python: subprocess.Popen[str] | None = None

    def run(self, block: Block) -> None:
        """Run, or check, one block.

        Raises:
            BlockError: it does not do what the page says.
        """
        by_language = {
            "sh": self._shell,
            "console": self._shell,
            "python": self._python,
            "text": lambda _: None,
        }
        if block.file:
            self._write(block)
        elif block.language in by_language:
            by_language[block.language](block)
        else:
            self._check(block)

    def close(self) -> None:
        """End what the blocks left running."""
        if self.python:
            self.python.communicate()
        for group in self.groups:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(group, signal.SIGKILL)

    def _write(self, block: Block) -> None:
        path = self.folder / str(block.file)
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_symlink():  # to the checkout's own file
            path.unlink()
        path.write_text(self._fitted(block, block.text) + "\n", encoding="utf-8")
        if block.language == "python":
            self._command(block.where, Command(0, f"{sys.executable} {block.file}", None), 0)
        else:
            self._check(block)

    def _check(self, block: Block) -> None:
        printed, self.printed = self.printed, None
        try:
            if block.language == "yaml":
                with _inside(self.folder):  # a recipe may name a card's file on the page
                    files.check_yaml(block.text, self.kept)
            elif block.language == "toml":
                files.check_toml(block.text)
            elif block.language in ("css", "html", "text"):
                pass  # of a theme, or a table: the command after it reads the file
            else:
                shown = files.check_json(block.text, self.kept)
                wrong = differences(shown, printed) if printed is not None and not block.file else []
                assert not wrong, "; ".join(wrong)
        except Exception as error:
            raise BlockError(f"{block.where}: {block.language}: {type(error).__name__}: {error}") from error

    def _shell(self, block: Block) -> None:
        commands = dialogue_of(block.text) if block.language == "console" else commands_of(block.text)
        for number, command in enumerate(commands):
            is_last = number == len(commands) - 1
            where = f"{block.page}:{block.line + command.line}"
            if block.has("hub") or block.has("vllm"):
                problem = problem_of(command.text)
                if problem:
                    raise BlockError(f"{where}: {command.text}\n{problem}")
                continue
            text = self._fitted(block, command.text)
            if is_last and block.has("add"):
                text = added(text, str(block.value("add")))
            expected = int(block.value("exit") or 0) if is_last else 0
            self._command(where, Command(command.line, text, command.output), expected)

    def _command(self, where: str, command: Command, expected: int) -> None:
        out, err = self.kept / "stdout", self.kept / "stderr"
        with out.open("w") as to, err.open("w") as errors:
            process = subprocess.Popen(
                ["bash", "-c", _AROUND + command.text],
                cwd=self.folder,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=to,
                stderr=errors,
                start_new_session=True,
            )
        self.groups.append(process.pid)
        try:
            code: int | str = process.wait(LONGEST)
        except subprocess.TimeoutExpired:
            code = f"none within {LONGEST} s"
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        printed, said = out.read_text(errors="replace"), err.read_text(errors="replace")
        told = f"{where}: {command.text}\n"
        if code != expected:
            raise BlockError(
                f"{told}exit code {code}, expected {expected}\n{printed[-3000:]}\n{said[-3000:]}"
            )
        if command.output is not None and not is_shown(
            command.output, printed, said, f"{printed}\n{said}", f"{said}\n{printed}"
        ):
            raise BlockError(
                f"{told}printed other lines:\n{printed}\n{said}\nthe page shows:\n{command.output}"
            )
        self.printed = _json(printed) if "--json" in command.text else None

    def _python(self, block: Block) -> None:
        self.printed = None
        if block.stands_alone:
            self._from_a_file(block)
            return
        self.python = self.python or self._started()
        assert self.python.stdin
        assert self.python.stdout
        given = {"code": self._fitted(block, block.text), "page": block.page, "line": block.line}
        self.python.stdin.write(json.dumps(given) + "\n")
        self.python.stdin.flush()
        line = self.python.stdout.readline()
        answer = json.loads(line) if line else {"printed": "", "error": "the process ended"}
        if answer["error"]:
            raise BlockError(f"{block.where}: python\n{answer['error']}")
        expected = shown_by(block.text)
        if expected and not is_shown(expected, answer["printed"]):
            raise BlockError(
                f"{block.where}: python printed\n{answer['printed']}\nthe page shows:\n{expected}"
            )

    def _from_a_file(self, block: Block) -> None:
        """Run a block as a reader does who saves it: a file, in a process of its own."""
        path = self.folder / f"block_{block.line}.py"
        path.write_text(self._fitted(block, block.text) + "\n", encoding="utf-8")
        self._command(block.where, Command(0, f"{sys.executable} {path}", shown_by(block.text) or None), 0)

    def _started(self) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, driver.__file__],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.groups.append(process.pid)
        return process

    def _fitted(self, block: Block, text: str) -> str:
        """The text with the surroundings that its words ask for."""
        limit = block.value("limit")
        text = limited(text, limit) if limit else text
        return served(text, self.address) if block.has("server") else text


def shown_by(code: str) -> str:
    """What a ``python`` block says it prints: the comment lines right below a ``print(...)``."""
    found, is_after = [], False
    for line in code.splitlines():
        if is_after and line.startswith("#"):
            found.append(line.removeprefix("#").removeprefix(" "))
        else:
            is_after = line.startswith("print(") or (is_after and line.startswith((" ", ")")))
    return "\n".join(found)


def _json(printed: str) -> Any:
    try:
        return json.loads(printed)
    except json.JSONDecodeError:
        return None
