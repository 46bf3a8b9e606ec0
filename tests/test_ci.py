"""No test is left out: what the README's command leaves to others, CI or a release runs."""

from __future__ import annotations

import configparser
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
RUN = ROOT / ".ci" / "run"

if not RUN.is_file():
    pytest.skip("a distribution of the source has no CI", allow_module_level=True)

README = (ROOT / "README.md").read_text(encoding="utf-8")


def given_to_pytest(environment: str) -> str:
    tox = configparser.ConfigParser(interpolation=None)
    tox.read(ROOT / "tox.ini", encoding="utf-8")
    return tox[environment]["commands"].removeprefix("pytest ")


def test_every_mark_is_left_to_an_environment(request: pytest.FixtureRequest) -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    marks = re.findall(r'^    "(\w+): ', text.partition("markers = [")[2].partition("\n]")[0], re.MULTILINE)
    assert marks == ["full", "release"]
    assert request.config.getini("addopts")[-2:] == ["-m", "not full and not release"]
    for mark in marks:
        assert given_to_pytest(f"testenv:{mark}").startswith(f"-m {mark} ")


def test_ci_runs_the_readme_s_commands_and_all_that_is_full() -> None:
    run = RUN.read_text(encoding="utf-8")
    for name in re.findall(r"<!-- command: (\w+) -->", README):
        assert re.search(rf'^bash -euo pipefail -c "\$\(readme_command {name}\)"$', run, re.MULTILINE)
    left_out = re.findall(r"--ignore=(\S+?)}", given_to_pytest("testenv:full"))
    assert left_out == ["tests/serial"]
    assert re.search(r"^beside serial full serial -n 0 tests/serial$", run, re.MULTILINE)
    for command in ("full full", "ended checks", "ended serial"):
        assert re.search(rf"^{command} \|\| failed=1$", run, re.MULTILINE)
    assert re.search(r"^\[ \$failed -eq 0 \]$", run, re.MULTILINE)


def test_only_what_is_full_runs_one_after_the_other() -> None:
    serial = ROOT / "tests" / "serial"
    unmarked = [
        path.relative_to(ROOT).as_posix()
        for path in serial.rglob("test_*.py")
        if not re.search(r"pytest\.mark\.(full|release)\b", path.read_text(encoding="utf-8"))
    ]
    assert list(serial.rglob("test_*.py"))
    assert unmarked == []
