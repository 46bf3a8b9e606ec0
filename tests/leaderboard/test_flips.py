"""Flips: the pair of configurations that tells most, against plain loops."""

from __future__ import annotations

import math
import statistics
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.analysis import cube as analysis
from torr_plugin.analysis.frame import main_scores
from torr_plugin.leaderboard.examples.flips import Flip, flip_link, widest_flips
from torr_plugin.leaderboard.pages import model as model_page
from torr_plugin.leaderboard.pages.dataset import examples_by_difficulty

from .pages import read
from .rendered import rendered, scored

Cube = dict[tuple[str, str, str, str], float]

cubes = st.dictionaries(
    st.tuples(
        st.sampled_from(["a", "b", "{x}"]),
        st.sampled_from(["d1", "d2"]),
        st.sampled_from(["e1", "e2", "e3"]),
        st.sampled_from(["concat/none/default", "csv/none/default", "csv/transpose/default", "df/x/terse"]),
    ),
    st.sampled_from([0.0, 0.25, 0.5, 1.0, math.nan]),
    min_size=1,
    max_size=54,
)


def frame(cube: Cube) -> pd.DataFrame:
    rows = [(*cell, score, "exact", True) for cell, score in cube.items()]
    # a second metric, which no figure of the page rests on
    rows += [(*cell, 1.0 - score, "other", False) for cell, score in cube.items()]
    columns = ["model", "dataset", "example", "config", "score", "metric", "main"]
    found: pd.DataFrame = pd.DataFrame(rows, columns=columns)
    return found


def flips(scores: pd.DataFrame, most: int) -> dict[str, list[Flip]]:
    found = widest_flips(analysis.cubes(main_scores(scores)), most)
    return dict(found)


def telling(worst: str, best: str) -> tuple[Any, ...]:
    """The order of pairs, in words: few differences, an unperturbed table, names."""
    parts = list(zip(worst.split("/"), best.split("/"), strict=True))
    return (
        sum(one != other for one, other in parts),
        "none" not in parts[1],
        worst,
        best,
    )


@pytest.mark.full
@settings(deadline=None)  # the first one loads pandas
@given(cubes)
def test_flips_are_what_loops_find(cube: Cube) -> None:
    expected: dict[str, dict[tuple[str, str], dict[str, float]]] = {}
    for (model, dataset, example, config), score in cube.items():
        if not math.isnan(score):
            expected.setdefault(model, {}).setdefault((dataset, example), {})[config] = score
    found = flips(frame(cube), 100)
    for model, examples in expected.items():
        of_model = {(flip.dataset, flip.example): flip for flip in found.get(model, ())}
        assert set(of_model) == {key for key, own in examples.items() if len(set(own.values())) > 1}
        for key, flip in of_model.items():
            own = examples[key]
            low, high = min(own.values()), max(own.values())
            assert (flip.low, flip.high) == (low, high)
            assert flip.mean == pytest.approx(statistics.fmean(own.values()))
            lows, highs = ([name for name, score in own.items() if score == end] for end in (low, high))
            assert (flip.low_config, flip.high_config) == min(product(lows, highs), key=lambda p: telling(*p))
        order = [
            (-flip.width, round(abs(flip.mean - 0.5), 6), flip.dataset, flip.example)
            for flip in found.get(model, ())
        ]
        assert order == sorted(order), "the widest first, then the least decided, then by name"
        assert list(flips(frame(cube), 2).get(model, ())) == list(found.get(model, ()))[:2]


@pytest.mark.full
@settings(deadline=None)
@given(cubes)
def test_examples_go_from_hard_to_easy_over_the_models_means(cube: Cube) -> None:
    for scores in analysis.cubes(main_scores(frame(cube))):
        dataset, found = scores.dataset, examples_by_difficulty(scores)
        means: dict[str, dict[str, list[float]]] = {}
        for (model, own, example, _), score in cube.items():
            if own == dataset and not math.isnan(score):
                means.setdefault(example, {}).setdefault(model, []).append(score)
        assert {each.example for each in found} == set(means)
        assert [each.mean for each in found] == sorted(each.mean for each in found)
        for each in found:
            of_models = [statistics.fmean(scores) for scores in means[each.example].values()]
            assert each.mean == pytest.approx(statistics.fmean(of_models))
            assert each.spread == pytest.approx(statistics.pstdev(of_models), abs=1e-12)


@pytest.mark.full
@settings(deadline=None)
@given(cubes)
def test_of_prompts_asked_twice_the_first_answers_count(cube: Cube) -> None:
    first = frame(cube)
    again = first.assign(replicate=1, score=1.0 - first["score"])
    both = pd.concat([again, first.assign(replicate=0)]).sample(frac=1.0, random_state=0)
    assert flips(both, 100) == flips(first, 100)


def test_the_page_links_flips_with_both_configurations(tmp_path: Path) -> None:
    """A file of scores alone; of 60 examples, 12 flip."""
    study = scored(tmp_path, lambda _, example, fmt, __: float(example >= 12 or fmt == "html"), "ab")
    page = read(rendered(model_page.files, study, tmp_path / "site") / study.paths.models["a"])
    links = [str(attrs.get("href")) for tag, attrs in page.tags if tag == "a"]
    assert any("example=e0&model=a&config=csv%2F" in link and "with=html%2F" in link for link in links)


def test_a_link_names_the_model_and_both_configurations() -> None:
    flip = Flip("d 1", "e&1", 0.0, 1.0, "csv/none/default", "html/none/default", 0.5)
    paths = SimpleNamespace(examples="s/examples.html")
    assert flip_link(cast("Any", SimpleNamespace(paths=paths)), "m", flip) == (
        "s/examples.html#dataset=d%201&example=e%261&model=m&config=csv%2Fnone%2Fdefault&with=html%2Fnone%2Fdefault"
    )
