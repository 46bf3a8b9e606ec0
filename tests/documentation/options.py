"""Parses lines that call a command without running them: do command and options exist?"""

from __future__ import annotations

import configparser
import functools
import re
import shlex
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import PurePath
from typing import Any

from .blocks import ROOT

_INLINE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_STARTS = ("torr ", "python benchmarks/", "python -m torr_plugin", "tox -e ")
_WITHIN = re.compile(r"\$\(([^()]*)\)")
ALWAYS = ("--help", "--debug")
OF_PLUGINS = ("menus", "mine", "NAME")
"""Commands of plugins, which are not installed where pages are read: examples/plugin's, made-up ones."""


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


def problem_of(line: str) -> str | None:
    """What is wrong with a line's commands, if anything; placeholders (``RUN``, ``...``) count as given."""
    within = [problem_of(found[1]) for found in _WITHIN.finditer(line)]
    found = [*within, *(_problem(words) for words in _commands(_WITHIN.sub("WITHIN", line)))]
    return next(filter(None, found), None)


def _commands(line: str) -> Iterator[list[str]]:
    """The words of each command: up to a pipe, a redirect or the next one; no comments, no brackets."""
    lexer = shlex.shlex(line.replace("\\\n", " ").replace("\n", "\n;"), posix=True, punctuation_chars=";&<>")
    lexer.whitespace_split = True
    words: list[str] = []
    for word in lexer:
        if word == "|" or set(word) <= set(";&<>"):
            yield words
            words = []
        else:
            words.append(word.strip("[]"))
    yield words


def _problem(words: list[str]) -> str | None:
    while words and (
        words[0] in ("do", "exec") or re.fullmatch(r"\w+=\S*", words[0])
    ):  # TORR_DATA=DIR before it
        words = words[1:]
    match [PurePath(word).name for word in words[:1]] + words[1:]:
        case ["torr", *rest]:
            return _torr_problem(rest)
        case ["tox", "-e", names, *_]:
            return _tox_problem(names)
        case ["lm_eval" | "lm-eval", *rest]:
            return _unknown("lm_eval", rest, _lm_eval_options())
        case ["python" | "python3", "-m", "torr_plugin.integrations.lm_eval", *rest]:
            return _unknown("lm_eval", rest, _lm_eval_options())
        case ["python" | "python3", "-m", "torr_plugin.leaderboard", *rest]:
            return _unknown("python -m torr_plugin.leaderboard", rest, _options(_site_command()))
        case ["python" | "python3", "-m", module, *_] if module.startswith("torr_plugin"):
            return None if find_spec(module) else f"there is no module {module}"
        case ["python" | "python3", script, *rest] if script.startswith("benchmarks/"):
            return _script_problem(script, rest)
    return None


def _torr_problem(words: list[str]) -> str | None:
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
    return _unknown(" ".join(walked), rest, _options(found))


def _unknown(command: str, words: list[str], known: set[str]) -> str | None:
    given = [word.split("=", 1)[0] for word in words if re.match(r"--?[A-Za-z]", word)]
    wrong = [option for option in given if option not in known]
    return f"{command!r} has no option {wrong[0]}" if wrong else None


@functools.cache
def _app() -> Any:
    from typer.main import get_command

    from torr_plugin.cli.app import app

    return get_command(app)


def _site_command() -> Any:
    from typer.main import get_command

    from torr_plugin.leaderboard.__main__ import app

    return get_command(app)


def _options(command: Any) -> set[str]:
    given = [name for each in command.params for name in (*each.opts, *each.secondary_opts)]
    return {*given, *ALWAYS}


@functools.cache
def _lm_eval_options() -> set[str]:
    from lm_eval._cli.harness import HarnessCLI

    parsers = HarnessCLI()._subparsers.choices.values()
    return {*ALWAYS, *(option for parser in parsers for option in parser._option_string_actions)}


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
    return _unknown(script, words, known)
