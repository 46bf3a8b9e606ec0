"""Runs the blocks of one page, one after another, in a working directory of their own."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from . import files
from .blocks import Block
from .commands import Command, added, commands_of, dialogue_of, limited

LONGEST = 1200
"""Seconds that one command may take."""

_AROUND = """set -eo pipefail
if [ -f "$PAGE_STATE" ]; then . "$PAGE_STATE" 2>/dev/null || true; fi
cd "$(cat "$PAGE_STATE.folder" 2>/dev/null || echo "$PAGE_FOLDER")"
trap 'declare -px > "$PAGE_STATE"; pwd > "$PAGE_STATE.folder"' EXIT
"""


class BlockError(AssertionError):
    """A block that does not do what the page says: where, the command, its exit code and output."""


@dataclass
class Session:
    """What the blocks of a page leave for those after them."""

    folder: Path
    environment: dict[str, str]
    kept: Path
    groups: list[int] = field(default_factory=list)

    def run(self, block: Block) -> None:
        """Run, or check, one block.

        Raises:
            BlockError: it does not do what the page says.
        """
        files.write(block, self.folder)
        if block.language == "python":
            self._python(block)
        elif block.language in ("sh", "console") and not block.needs:
            self._shell(block)
        else:
            self._check(block)

    def close(self) -> None:
        """End what the blocks left running."""
        for group in self.groups:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(group, signal.SIGKILL)

    def _check(self, block: Block) -> None:
        try:
            files.check(block.language, block.text, self.folder)  # where a recipe may name a card's file
        except Exception as error:
            raise BlockError(f"{block.where}: {block.language}: {type(error).__name__}: {error}") from error

    def _shell(self, block: Block) -> None:
        commands = dialogue_of(block.text) if block.language == "console" else commands_of(block.text)
        for command in commands:
            text = limited(command.text, block.limit) if block.limit else command.text
            if block.add and command is commands[-1]:
                text = added(text, block.add)
            where = f"{block.page}:{block.line + command.line}"
            self._command(where, Command(command.line, text, command.output))

    def _python(self, block: Block) -> None:
        """Run a block as a reader does who saves it: a file, in a process of its own."""
        name = block.file
        if not name:
            name = f"block_{block.line}.py"
            (self.folder / name).write_text(block.text + "\n", encoding="utf-8")
        shown = None if block.file else shown_by(block.text)
        self._command(block.where, Command(0, f'python "$PAGE_FOLDER/{name}"', shown or None))

    def _command(self, where: str, command: Command) -> None:
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
        if code != 0:
            raise BlockError(f"{told}exit code {code}\n{printed[-3000:]}\n{said[-3000:]}")
        if command.output is not None and not is_shown(
            command.output, printed, said, f"{printed}\n{said}", f"{said}\n{printed}"
        ):
            raise BlockError(
                f"{told}printed other lines:\n{printed}\n{said}\nthe page shows:\n{command.output}"
            )


def shown_by(code: str) -> str:
    """What a ``python`` block says it prints: the comment lines right below a ``print(...)``."""
    found, is_after = [], False
    for line in code.splitlines():
        if is_after and line.startswith("#"):
            found.append(line.removeprefix("#").removeprefix(" "))
        else:
            is_after = line.startswith("print(") or (is_after and line.startswith((" ", ")")))
    return "\n".join(found)


def is_shown(expected: str, *printed: str) -> bool:
    """Whether one of the texts is what a page shows.

    ``...`` alone on a line stands for any lines, within a line for any text; blanks at the ends of lines do
    not count.
    """
    pattern = _pattern(expected)
    return any(pattern.fullmatch(_trimmed(text)) for text in printed)


def _pattern(expected: str) -> re.Pattern[str]:
    parts = []
    for line in _trimmed(expected).splitlines():
        if line.strip() == "...":
            parts.append(r"(?:.*\n)*?")
        else:
            parts.append(".*?".join(re.escape(part) for part in line.split("...")) + r"\n")
    return re.compile("".join(parts))


def _trimmed(text: str) -> str:
    lines = [line.rstrip() for line in text.strip("\n").splitlines()]
    return "".join(f"{line}\n" for line in lines)
