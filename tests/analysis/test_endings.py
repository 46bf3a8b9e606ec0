"""Answers that ran out of tokens, are refusals or were cut: by hand, in files, and in the terminal."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.analysis import analyse, read_scores, remarks

from .made import cube_frame

SCORES = np.array(
    [
        [[1, 0, 1, 0], [1, 0, 0, 0]],
        [[1, 1, 1, 0.5], [1, 1, 0, 0.5]],
    ]
)
U, R, C = "unfinished", "refused", "cut"
ENDED = np.array(
    [
        [[None, U, None, U], [None, U, R, None]],
        [[None, None, None, C], [None, None, None, None]],
    ],
    dtype=object,
)


def scores(dataset: str = "d") -> pd.DataFrame:
    """Model "m0" ran out of tokens three times and refused once; of "m1" one answer was cut."""
    return cube_frame(SCORES, dataset).assign(ended=ENDED.ravel())


def figures(frame: pd.DataFrame, model: str, place: str = "d") -> dict[str, float | None]:
    found = analyse(frame, resamples=20)["endings"][model]
    own = found["overall"] if place == "overall" else found["datasets"][place]
    return {name: interval["value"] for name, interval in own.items()}


def test_shares_and_means_by_hand() -> None:
    of_first = figures(scores(), "m0")
    assert of_first == {
        "unfinished": 3 / 8,
        "refused": 1 / 8,
        "cut": 0,
        "performance": 3 / 8,
        "without": pytest.approx((1 + 1 + 0) / 3),  # the second example is left out
    }
    of_second = figures(scores(), "m1")
    assert (of_second["cut"], of_second["performance"], of_second["without"]) == (1 / 8, 3 / 4, 3 / 4)


def test_overall_is_the_mean_of_data_sets() -> None:
    clean = cube_frame(SCORES, "e")
    found = figures(pd.concat([scores(), clean], ignore_index=True), "m0", "overall")
    assert found["unfinished"] == 3 / 16
    assert found["without"] == pytest.approx((2 / 3 + 3 / 8) / 2)


def test_a_model_of_which_no_answer_is_left_has_no_score_without_them() -> None:
    nothing = scores()
    own = nothing["model"] == "m0"
    nothing.loc[own, "score"], nothing.loc[own, "ended"] = 0.0, U
    assert figures(nothing, "m0") == {
        "unfinished": 1,
        "refused": 0,
        "cut": 0,
        "performance": 0,
        "without": None,
    }
    assert remarks(analyse(nothing, resamples=20))[0] == (
        "m0: ran out of tokens: 100%; no answer is left (0.00 with)"
    )


@pytest.mark.parametrize("ended", [None, "", "stop"])
def test_it_is_absent_where_all_ended_as_they_should(ended: str | None) -> None:
    found = analyse(scores().assign(ended=ended), resamples=20)
    assert "endings" not in found
    assert remarks(found) == []


def test_cells_without_a_score_and_prompts_asked_again_do_not_count() -> None:
    again = scores().assign(replicate=1, ended=U)
    hole = scores().assign(replicate=0)
    first = (hole["model"] == "m0") & (hole["ended"] == R)
    hole.loc[first, "score"] = np.nan
    found = figures(pd.concat([hole, again], ignore_index=True), "m0")
    assert (found["unfinished"], found["refused"]) == (3 / 8, 0)


@pytest.mark.full
@pytest.mark.parametrize("ending", [".parquet", ".csv", ".jsonl"])
def test_files_hold_it_and_files_without_it_join(tmp_path: Path, ending: str) -> None:
    frame, path, other = scores(), tmp_path / f"one{ending}", tmp_path / f"two{ending}"
    write = {
        ".parquet": lambda frame, path: frame.to_parquet(path, index=False),
        ".csv": lambda frame, path: frame.to_csv(path, index=False),
        ".jsonl": lambda frame, path: frame.to_json(path, orient="records", lines=True),
    }[ending]
    write(frame, path)
    assert analyse(read_scores(path), resamples=20)["endings"] == analyse(frame, resamples=20)["endings"]
    write(cube_frame(SCORES, "e"), other)
    for order in ((path, other), (other, path)):
        assert figures(read_scores(*order), "m0", "overall")["unfinished"] == 3 / 16


def test_the_terminal_says_it_of_each_model() -> None:
    assert remarks(analyse(scores(), resamples=20)) == [
        "m0: ran out of tokens: 38%; refused: 12%; without them 0.67 (0.38 with)",
        "m1: 12% of its answers were cut, and scored as they stand",
    ]


@pytest.mark.full
@settings(max_examples=5)
@given(st.lists(st.text(min_size=1, max_size=90), min_size=12, max_size=14, unique=True))
def test_remarks_are_short_and_few(names: list[str]) -> None:
    shape = (len(names), 2, 4)
    given_names = {f"m{number}": f"{number} {name}" for number, name in enumerate(names)}
    ended = np.resize(np.array([U, R, C, None], dtype=object), shape)
    frame = cube_frame(np.zeros(shape)).assign(ended=ended.ravel()).replace({"model": given_names})
    lines = remarks(analyse(frame, resamples=5))
    assert len(lines) == 22
    assert all(len(line) <= 80 for line in lines)
