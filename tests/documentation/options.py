"""Parses lines that call ``torr``, a benchmark or tox without running them: do command and options exist?"""

from __future__ import annotations

import configparser
import functools
import re
import shlex
from collections.abc import Iterator
from typing import Any

from .blocks import ROOT

_INLINE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_STARTS = ("torr ", "python benchmarks/", "tox -e ")
ALWAYS = ("--help", "--debug")
OF_PLUGINS = ("menus", "mine", "NAME")
"""Commands of plugins, which are not installed where sentences are read: examples/plugin's, made-up ones."""


def inline_commands(prose: list[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """The commands in backticks within a page's prose, with their lines; one may go over a line's end."""
    text = "\n".join(line for _, line in prose)
    numbers = [number for number, _ in prose]
    for paragraph in re.finditer(r"(?:[^\n]+\n?)+", text):
        first = text.count("\n", 0, paragraph.start())
        joined = paragraph[0].replace("\n", " ")
        for span in _INLINE.finditer(joined):
            if span[1].startswith(_STARTS):
                yield numbers[first + paragraph[0].count("\n", 0, span.start())], " ".join(span[1].split())


def problem_of(command: str) -> str | None:
    """What is wrong with a command, None if nothing; placeholders (``RUN``, ``...``) count as given."""
    words = _words(command)
    while words and re.fullmatch(r"\[?\w+=\S*", words[0]):  # TORR_DATA=DIR before it
        words = words[1:]
    if words[:1] == ["torr"]:
        return torr_problem(words[1:])
    if words[:2] == ["tox", "-e"]:
        return _tox_problem(words[2])
    if len(words) > 1 and words[0] in ("python", "python3") and words[1].startswith("benchmarks/"):
        return _script_problem(words[1], words[2:])
    return None


def torr_problem(words: list[str]) -> str | None:
    """The same of the words behind ``torr``."""
    found, walked = _app(), ["torr"]
    rest = list(words)
    while hasattr(found, "commands") and rest and not rest[0].startswith("-"):
        word = rest.pop(0)
        if word == "...":
            return None
        several = word.split("|")  # `torr data pull|verify`
        absent = [each for each in several if each not in found.commands]
        if absent and walked == ["torr"] and word in OF_PLUGINS:
            return None
        if absent:
            return f"'{' '.join(walked)}' has no command {absent[0]!r}"
        found, walked = found.commands[several[0]], [*walked, word]
    known = _options(found)
    wrong = [each for each in map(_option, rest) if each and each not in known]
    return f"'{' '.join(walked)}' has no option {wrong[0]}" if wrong else None


def _words(command: str) -> list[str]:
    """The words of one command: up to a pipe, a redirect or the next one; no comments, no brackets."""
    lexer = shlex.shlex(command.replace("\\\n", " "), posix=True, punctuation_chars=";&<>")
    lexer.whitespace_split = True
    words: list[str] = []
    for word in lexer:
        if word == "|" or set(word) <= set(";&<>"):
            break
        words.append(word.strip("[]"))
    return words


def _option(word: str) -> str | None:
    if not word.startswith("-") or word in ("-", "--") or re.fullmatch(r"-\d.*", word):
        return None
    return word.split("=", 1)[0]


@functools.cache
def _app() -> Any:
    from typer.main import get_command

    from torr_plugin.cli.app import app

    return get_command(app)


def _options(command: Any) -> set[str]:
    given = [name for each in command.params for name in (*each.opts, *each.secondary_opts)]
    return {*given, *ALWAYS}


def _tox_problem(names: str) -> str | None:
    tox = configparser.ConfigParser(interpolation=None)
    tox.read(ROOT / "tox.ini", encoding="utf-8")
    known = {part.partition(":")[2] for part in tox.sections()} | {"py"}
    absent = [name for name in names.split(",") if name not in known and not re.fullmatch(r"py3\d+", name)]
    return f"tox.ini has no environment {absent[0]!r}" if absent else None


def _script_problem(script: str, words: list[str]) -> str | None:
    path = ROOT / script
    if not path.is_file():
        return f"{script} does not exist"
    known = {*re.findall(r"add_argument\(\"(--[\w-]+)\"", path.read_text(encoding="utf-8")), "--help"}
    wrong = [each for each in map(_option, words) if each and each not in known]
    return f"{script} has no option {wrong[0]}" if wrong else None
