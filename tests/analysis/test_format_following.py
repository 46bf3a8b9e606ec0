"""Faithful scores beside lenient ones: by hand, in the terminal, and whichever of them is the main one."""

from __future__ import annotations

from statistics import fmean
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.analysis import AnalysisError, analyse, remarks, summary_rows

from .made import cube_frame

STRICT = np.array(
    [
        [[0, 0, 0, 0], [0, 0, 0, 0]],
        [[1, 0, 1, 0], [1, 0, 1, 0]],
        [[1, 1, 0, 0.5], [1, 1, 0, 0.5]],
    ],
    dtype=float,
)
READ = np.array(
    [
        [[1, 0, 1, 0], [1, 0, 0, 0]],
        [[1, 0, 1, 1], [1, 0, 1, 0]],
        [[1, 1, 0, 0.5], [1, 1, 0, 0.5]],
    ],
    dtype=float,
)


def scores(
    dataset: str = "d", *, lenient_is_main: bool = False, strict: Any = STRICT, read: Any = READ
) -> pd.DataFrame:
    """Models "m0" (all in another format), "m1" (one answer) and "m2" (as asked)."""
    return pd.concat(
        [
            cube_frame(strict, dataset).assign(metric="em", main=not lenient_is_main),
            cube_frame(read, dataset).assign(metric="em.lenient", main=lenient_is_main),
        ],
        ignore_index=True,
    )


def test_both_scores_and_the_share_that_differs_by_hand() -> None:
    other = scores("e", strict=STRICT[::-1], read=READ[::-1])
    found = analyse(pd.concat([scores(), other]), resamples=20)["format_following"]
    one = found["m0"]["datasets"]["d"]
    assert [one[name]["value"] for name in ("faithful", "lenient", "differ")] == [0, 3 / 8, 3 / 8]
    assert one["lenient"]["low"] < 3 / 8 < one["lenient"]["high"]
    assert [found["m1"]["datasets"]["d"][name]["value"] for name in ("faithful", "lenient", "differ")] == [
        1 / 2,
        5 / 8,
        1 / 8,
    ]
    assert found["m2"]["datasets"]["d"]["differ"]["value"] == 0
    assert found["m0"]["overall"]["lenient"]["value"] == fmean([3 / 8, 5 / 8])


def test_it_is_the_same_whichever_score_is_the_main_one() -> None:
    found = [analyse(scores(lenient_is_main=is_main), resamples=20) for is_main in (False, True)]
    assert found[0]["format_following"] == found[1]["format_following"]
    chosen = analyse(scores(), resamples=20, metric="em.lenient")
    assert chosen["format_following"] == found[0]["format_following"]
    assert found[1]["performance"]["m0"]["overall"]["value"] == 3 / 8


def test_data_sets_and_cells_without_both_scores_are_left_out() -> None:
    alone = cube_frame(STRICT, "charts").assign(metric="chart_pass", main=True)
    holes = scores()
    holes = holes[~((holes["metric"] == "em.lenient") & (holes["config"] == "c0"))]
    found = analyse(pd.concat([alone, holes]), resamples=20)["format_following"]
    assert list(found["m0"]["datasets"]) == ["d"]
    assert found["m0"]["datasets"]["d"]["lenient"]["value"] == 1 / 4
    assert "format_following" not in analyse(alone, resamples=20)


def test_answers_to_prompts_asked_again_do_not_count() -> None:
    again = scores(strict=STRICT * 0, read=READ * 0).assign(replicate=1)
    found = analyse(pd.concat([scores().assign(replicate=0), again]), resamples=20)
    assert found["format_following"] == analyse(scores(), resamples=20)["format_following"]


def test_a_wrong_lenient_score_is_named() -> None:
    wrong = scores()
    wrong.loc[wrong.index[-1], "score"] = 2.0
    with pytest.raises(AnalysisError, match=r"metric 'em\.lenient': score 2\.0 lies outside"):
        analyse(wrong, resamples=20)


def test_the_terminal_shows_it_where_it_differs() -> None:
    found = analyse(scores(), resamples=20)
    rows = {row["model"]: row for row in summary_rows(found)}
    assert list(rows["m1"]) == ["model", "performance", "lenient", "robustness", "worst", "rank"]
    assert [rows[name]["lenient"] for name in ("m0", "m1", "m2")] == ["0.38", "0.62", "0.62"]
    assert remarks(found) == ["m0: in another format: faithful 0.00, lenient 0.38"]
    same = analyse(scores(read=STRICT), resamples=20)
    assert "lenient" not in summary_rows(same)[0]
    assert remarks(same) == []
    turned = analyse(scores(lenient_is_main=True), resamples=20)
    assert [row["faithful"] for row in summary_rows(turned) if row["model"] == "m0"] == ["0.00"]
    assert remarks(turned) == remarks(found)


def test_a_single_data_set_is_remarked_on_where_others_are_answered_as_asked() -> None:
    def of(read: Any) -> list[str]:
        here = scores(strict=STRICT[[0, 2, 2]], read=read)
        return remarks(analyse(pd.concat([here, scores("e", strict=READ, read=READ)]), resamples=20))

    assert of(READ[[0, 2, 2]]) == ["m0 on d: in another format: faithful 0.00, lenient 0.38"]
    assert of(READ[[0, 2, 2]] * [[[0.2]], [[1]], [[1]]]) == []


@pytest.mark.full
@settings(max_examples=5)
@given(st.lists(st.text(min_size=1, max_size=60), min_size=5, max_size=8, unique=True))
def test_remarks_are_short_and_few(names: list[str]) -> None:
    right = np.ones((len(names), 2, 3))
    frame = scores("a data set with a long name", strict=right * 0, read=right)
    beside = scores("another", strict=right, read=right)
    given_names = {f"m{number}": f"{number} {name}" for number, name in enumerate(names)}
    for found in (frame, pd.concat([frame, beside])):
        lines = remarks(analyse(found.replace({"model": given_names}), resamples=5))
        assert len(lines) == 4
        assert lines[-1].startswith(f"and {len(names) - 3} more")
        assert all(len(line) <= 80 for line in lines)
