"""No test is left out: what the suite leaves to other environments, CI or a release runs in one of them."""

from __future__ import annotations

import configparser
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
RUN = ROOT / ".ci" / "run"

if not RUN.is_file():
    pytest.skip("a distribution of the source has no CI", allow_module_level=True)


def marks(config: pytest.Config) -> set[str]:
    return {line.partition(":")[0] for line in config.getini("markers") if "(" not in line.partition(":")[0]}


def expression(environment: str) -> str:
    """The marks that an environment of tox selects."""
    tox = configparser.ConfigParser(interpolation=None)
    tox.read(ROOT / "tox.ini", encoding="utf-8")
    found = re.findall(r'-m ("[^"]+"|\w+)', tox[environment]["commands"])
    return str(found[-1]).strip('"')


@pytest.fixture
def own_marks(request: pytest.FixtureRequest) -> set[str]:
    """The project's; the others are pytest's and its plugins'."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    section = text.partition("markers = [")[2].partition("\n]")[0]
    return marks(request.config) & set(re.findall(r'^ *"(\w+):', section, re.MULTILINE))


def test_every_mark_has_an_environment(own_marks: set[str]) -> None:
    left_out = {f"not {mark}" for mark in own_marks}
    assert set(expression("testenv").split(" and ")) == left_out
    full = set(expression("testenv:full").split(" or "))
    release = set(expression("testenv:release").split(" or "))
    assert full | release | {expression("testenv:helm")} == own_marks
    assert not full & release


def test_ci_runs_every_mark_but_what_a_release_waits_for(own_marks: set[str]) -> None:
    run = RUN.read_text(encoding="utf-8")
    given = {
        mark
        for each in re.findall(r'^(?:beside )?full .*-m "?([^"\n]+)"?', run, re.MULTILINE)
        for mark in each.split(" or ")
    }
    assert given | {"helm"} == own_marks - set(expression("testenv:release").split(" or "))
    assert re.search(r"^tox -e helm\b", run, re.MULTILINE)
