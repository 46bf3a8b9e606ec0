"""No test is left out: what the suite leaves to other environments, CI runs in one of them."""

from __future__ import annotations

import configparser
import re
import shlex
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
RUN = ROOT / ".ci" / "run"

if not RUN.is_file():
    pytest.skip("a distribution of the source has no CI", allow_module_level=True)


def own_marks(config: pytest.Config) -> set[str]:
    """Those that name an environment of tox."""
    return {line.partition(":")[0] for line in config.getini("markers") if "tox environment" in line}


def expressions(command: str) -> list[str]:
    """What stands behind each ``-m`` of a command of pytest."""
    words = shlex.split(command.replace("{posargs}", ""))
    return [after for word, after in pairwise(words) if word == "-m"]


def environments() -> configparser.ConfigParser:
    tox = configparser.ConfigParser(interpolation=None)
    tox.read(ROOT / "tox.ini", encoding="utf-8")
    return tox


def suites_of(section: str) -> list[str]:
    """The commands of pytest of an environment."""
    return [line for line in environments()[section]["commands"].splitlines() if line.startswith("pytest")]


def test_the_suite_leaves_out_what_has_an_environment_of_its_own(request: pytest.FixtureRequest) -> None:
    (command,) = suites_of("testenv")
    (expression,) = expressions(command)
    assert set(expression.split(" and ")) == {f"not {mark}" for mark in own_marks(request.config)}


def test_ci_runs_every_mark_but_the_hour_of_golden_prompts(request: pytest.FixtureRequest) -> None:
    run = set()
    for name, given in re.findall(r"(?:^alone|tox -q -e) ([\w-]+)(.*)$", RUN.read_text(), re.MULTILINE):
        # the last of several expressions holds, for pytest and so for what is given to tox
        commands = [given] if "-m" in given else suites_of(f"testenv:{name}")
        run |= {mark for each in commands for mark in expressions(each)[-1].split(" or ")}
    assert run == own_marks(request.config) - {"golden"}


def test_each_mark_has_the_environment_that_it_names(request: pytest.FixtureRequest) -> None:
    for line in request.config.getini("markers"):
        mark, _, told = line.partition(":")
        if mark in own_marks(request.config):
            section = f"testenv:{told.rpartition('tox environment ')[2]}"
            assert [mark] in [expressions(command) for command in suites_of(section)]
