"""Three studies as everyone sees them, and how figures are compared with what is read somewhere."""

from __future__ import annotations

import math
import re
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from bs4.element import Tag
from scipy.special import ndtri

from tests.cli.in_process import here
from torr_plugin.core.versions import shipped_folder
from torr_plugin.leaderboard import build_site

from .shown_everywhere import StudyEverywhere, words

FORMATS = {"html": 0.0, "markdown": 0.0, "csv": -0.07, "image": -0.1, "image+markdown": -0.02}
CHANGES = {"none": 0.0, "transpose": -0.08, "shuffle_rows": 0.0}
DESIGNS = {"default": 0.0, "brief": 0.0, "cot+default": 0.06}

STUDIES = ("quickstart", "ten models", "real formats")


def ten_models(examples: int = 24) -> pd.DataFrame:
    """Ten models, two data sets, tables of two questions; formats, layouts, designs, pictures, replicates."""
    rng = np.random.default_rng(3)
    texts = [name for name in FORMATS if not name.startswith("image")]
    ways = [
        *((name, change, "default") for name in texts for change in CHANGES),
        *((name, "none", design) for name in texts for design in DESIGNS if design != "default"),
        *((name, "none", "default") for name in FORMATS if name not in texts),
    ]
    rows = []
    for dataset in ("north", "south"):
        ease = rng.normal(size=examples)
        for model, skill in enumerate(np.linspace(0.75, 0.2, 10)):
            own = ease + 0.4 * rng.normal(size=examples)
            for way in ways:
                effects = zip((FORMATS, CHANGES, DESIGNS), way, strict=True)
                right = np.clip(skill + sum(of[name] for of, name in effects), 0.02, 0.98)
                asked = (f"m{model}", dataset, "/".join(way), *way)
                for replicate in range(2 if way == ("html", "none", "default") else 1):
                    place = (own + 0.5 * rng.normal(size=examples)) / np.sqrt(1.41)
                    rows += [
                        (*asked, f"e{e}", "em", float(score), replicate, f"{dataset}{e // 2}", 100 + e)
                        for e, score in enumerate(place < ndtri(right))
                    ]
    columns = "model dataset config serializer perturbation design example metric"
    return pd.DataFrame(rows, columns=f"{columns} score replicate cluster prompt_tokens".split())


def study_everywhere(name: str, folder: Path, shared_data: Path | None) -> None:
    """Make one of ``STUDIES``: the site, the command's files, and what it printed."""
    source = folder / "scores.parquet"
    if name == "quickstart":
        source = folder / "run"
        done = here("quickstart", "--out", folder / "site", "--run", source)
        assert done.exit_code == 0, done.stderr
    elif name == "ten models":
        ten_models().to_parquet(source)
    else:
        assert shared_data is not None
        script = runpy.run_path(str(shipped_folder("leaderboard") / "format_study.py"))
        script["scores"](script["read_answers"](shared_data / "toon" / "answers.parquet")).to_parquet(source)
    if name != "quickstart":
        build_site([source], folder / "site", charts=False)
    with pytest.MonkeyPatch.context() as wide:
        wide.setenv("COLUMNS", "160")  # in a narrow one names are broken
        done = here("analyse", source, "--out", folder / "files", "--no-charts")
    assert done.exit_code == 0, done.stderr
    (folder / "terminal.txt").write_text(done.stdout, encoding="utf-8")


def opened_everywhere(folder: Path) -> StudyEverywhere:
    terminal = (folder / "terminal.txt").read_text(encoding="utf-8")
    return StudyEverywhere(terminal, folder / "files", folder / "site")


def same(cell: Any, value: Any) -> bool:
    if isinstance(cell, bool | str) or isinstance(value, bool | str) or cell is None or value is None:
        return cell == value
    return math.isclose(cell, value, rel_tol=1e-9, abs_tol=1e-12)


def places(own: dict[str, Any]) -> dict[str, Any]:
    return {"overall": own["overall"], **own["datasets"]}


def three(figure: dict[str, Any], sign: int = 1) -> list[float | None]:
    """Value, low and high; of the other side less this one with ``sign`` -1."""
    ends = [figure[key] for key in ("value", "low", "high")]
    if sign == 1 or None in ends:
        return [None if end is None else sign * end for end in ends]
    return [-ends[0], -ends[2], -ends[1]]


def headline(analysis: dict[str, Any]) -> dict[str, Any]:
    five = analysis.get("robustness_5", {})
    known = any(own["overall"]["value"] is not None for own in five.values())
    return five if known else analysis["robustness"]


def pair_of(
    analysis: dict[str, Any], figure: str, one: str, other: str, place: str
) -> tuple[dict[str, Any], int]:
    """The verdict on two models, and 1 where it is of the first less the second, else -1."""
    for pair in analysis["pairs"]:
        if set(pair["models"]) == {one, other}:
            return places(pair[figure])[place], 1 if pair["models"][0] == one else -1
    raise AssertionError((one, other))


# What is read.

NUMBER = re.compile(r"[<>]?[+-]?\d+(?:\.\d+)?")


def reads(text: str, value: float, scale: float = 100.0) -> bool:
    """Whether a number, rounded as it is written, is this one."""
    shown = NUMBER.search(text.replace("\N{MINUS SIGN}", "-"))
    assert shown is not None, text
    if shown[0][0] in "<>":
        limit = float(shown[0][1:])
        return scale * value < limit if shown[0][0] == "<" else scale * value > limit
    places = len(shown[0].partition(".")[2])
    return math.isclose(float(shown[0]), scale * value, abs_tol=0.5001 * 10.0**-places)


def ends_of(text: str) -> list[str]:
    """``80-87`` or ``-8 to +5`` or ``[0.1, 0.2]`` as its two numbers."""
    return re.split(r" to |\N{EN DASH}|, ", text.strip("[]"))


def says(cell: Tag, ends: list[float | None], scale: float = 100.0) -> bool:
    """Whether a cell holds a figure with its interval; an interval that has no width is not written."""
    value, low, high = ends
    said = words(cell.select_one(".value") or cell)
    if value is None:
        return said.strip("*") == "\N{EN DASH}"
    sort = cell.get("data-value")
    exact = sort is None or math.isclose(float(str(sort)), value, rel_tol=1e-9, abs_tol=1e-12)
    bounds = cell.select_one(".small, .bounds")
    wide = low is not None and high is not None and high - low > 1e-9
    if bounds is None or not NUMBER.match(words(bounds).strip("[")):
        return exact and not wide and reads(said, value, scale)
    assert low is not None
    assert high is not None
    first, last = ends_of(words(bounds))
    return exact and reads(said, value, scale) and reads(first, low, scale) and reads(last, high, scale)


def called(element: Tag) -> str:
    """The whole name in a cell."""
    bdi = element.select_one("bdi")
    return str(bdi["title"]) if bdi is not None and bdi.get("title") else words(bdi or element)
