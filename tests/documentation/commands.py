"""Takes the text of a shell block apart into commands, and makes them smaller."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass

_HEREDOC = re.compile(r"<<-?\s*['\"]?(\w+)['\"]?")
_MAY_GO_ON = re.compile(r"['\"`({]|^\s*(?:for|while|until|if|case)\b|[|&]\s*$", re.MULTILINE)
_LIMITED = re.compile(r"^(\s*torr (?:run|plan))(?=\s)", re.MULTILINE)
_LIMIT = re.compile(r"--limit[ =](\d+)")


@dataclass(frozen=True)
class Command:
    """One command of a block: its first line, from 0 in the block, its text, and what it should print."""

    line: int
    text: str
    output: str | None = None


def commands_of(text: str) -> list[Command]:
    """The commands of a ``sh`` block: lines that belong together (``\\``, loops, here-documents) are one."""
    found: list[Command] = []
    held: list[str] = []
    lines = text.splitlines()
    for number, line in enumerate(lines, start=1):
        if not held and (not line.strip() or line.lstrip().startswith("#")):
            continue
        held.append(line)
        if _is_whole(held) or number == len(lines):
            found.append(Command(number - len(held), "\n".join(held)))
            held = []
    return found


def dialogue_of(text: str) -> list[Command]:
    """The commands of a ``console`` block, each with the lines that follow it."""
    found: list[Command] = []
    lines = text.splitlines()
    number = 0
    while number < len(lines):
        first, held = number, [lines[number].removeprefix("$ ")]
        while held[-1].endswith("\\"):
            number += 1
            held.append(lines[number].removeprefix("> "))
        number += 1
        said: list[str] = []
        while number < len(lines) and not lines[number].startswith("$ "):
            said.append(lines[number])
            number += 1
        found.append(Command(first, "\n".join(held), "\n".join(said)))
    return found


def limited(command: str, limit: str) -> str:
    """The command with ``--limit`` of at most so many examples, wherever one can be given."""
    if not _LIMITED.search(command):
        return command
    if _LIMIT.search(command):
        return _LIMIT.sub(lambda found: f"--limit {min(int(found[1]), int(limit))}", command)
    return _LIMITED.sub(rf"\1 --limit {limit}", command)


def added(command: str, options: str) -> str:
    """The command with options behind it, a comment at its end left out."""
    return f"{re.sub(r'[ ]+# .*$', '', command)} {options}"


def _is_whole(lines: list[str]) -> bool:
    text = "\n".join(lines)
    if lines[-1].endswith("\\"):
        return False
    here = _HEREDOC.search(text)
    if here and here[1] not in [line.strip() for line in lines[1:]]:
        return False
    if not _MAY_GO_ON.search(text):
        return True
    return subprocess.run(["bash", "-n", "-c", text], capture_output=True, check=False).returncode == 0
