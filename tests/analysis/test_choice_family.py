"""A format that few examples were asked in shrinks no comparison of the others, and is compared apart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.analysis.made import cube_frame
from torr_plugin.analysis import analyse, tables_as

from . import plain_parts as plain
from .plain_parts import Cell

FAMILY = {"json-compact", "json-pretty", "toon", "xml", "yaml"}
GEMINI = "gemini-3.6-flash"


@pytest.fixture(scope="module")
def answers(shared_data: Path) -> pd.DataFrame:
    """Six formats on 244 questions; csv was asked about the 109 on flat tables alone."""
    found = pd.read_parquet(shared_data / "toon" / "answers.parquet")
    names = {"questionId": "example", "isCorrect": "score", "inputTokens": "prompt_tokens"}
    return found.rename(columns=names).assign(
        dataset="toon", metric="em", serializer=found["format"], config=found["format"]
    )


@pytest.fixture(scope="module")
def toon(answers: pd.DataFrame) -> dict[str, Any]:
    return dict(analyse(answers, resamples=50)["serializers"])


def test_one_format_asked_on_half_of_the_questions_leaves_the_others_all_of_theirs(
    toon: dict[str, Any],
) -> None:
    assert toon["apart"] == {"toon": {"csv": {"asked": 109, "of": 244}}}
    assert {str(own) for own in toon["family_examples"]["toon"].values()} == {"{'shared': 244, 'of': 244}"}
    for own in toon["family_choice"].values():
        assert {row["serializer"] for row in own["overall"]} == FAMILY
    best, *_, worst = toon["family_choice"][GEMINI]["overall"]
    assert (best["serializer"], worst["serializer"]) == ("toon", "json-compact")
    behind = worst["behind"]
    assert [round(behind[key], 3) for key in ("value", "low", "high")] == [0.057, 0.005, 0.110]
    # the figure over what all six were asked stays what it was
    assert {row["serializer"] for row in toon["choice"][GEMINI]["overall"]} == {*FAMILY, "csv"}


def test_it_is_as_if_the_one_apart_had_not_been_asked(answers: pd.DataFrame, toon: dict[str, Any]) -> None:
    without = analyse(answers[answers["serializer"] != "csv"], resamples=50)["serializers"]
    assert toon["family_choice"] == without["choice"]
    assert toon["tokens"] == without["tokens"]
    assert toon["pairwise_win_rates"] == without["pairwise_win_rates"]
    assert not {"apart", "apart_pairs", "family_choice", "family_examples"} & set(without)


def test_the_one_apart_is_compared_over_what_both_were_asked(
    answers: pd.DataFrame, toon: dict[str, Any]
) -> None:
    flat = answers[answers["example"].isin(answers.loc[answers["format"] == "csv", "example"])]
    assert set(toon["apart_pairs"]["toon"]) == set(answers["model"])
    for model, pairs in toon["apart_pairs"]["toon"].items():
        own = flat[flat["model"] == model].groupby("format")[["score", "prompt_tokens"]].mean()
        assert {pair["second"] for pair in pairs} == FAMILY
        for pair in pairs:
            other = pair["second"]
            assert (pair["first"], pair["examples"]) == ("csv", 109)
            assert pair["value"] == pytest.approx(own["score"]["csv"] - own["score"][other])
            assert pair["first_tokens"] == pytest.approx(own["prompt_tokens"]["csv"])
            assert pair["second_tokens"] == pytest.approx(own["prompt_tokens"][other])


def test_tokens_are_means_over_the_questions_that_are_compared(
    answers: pd.DataFrame, toon: dict[str, Any]
) -> None:
    means = answers.groupby(["model", "format"])["prompt_tokens"].mean()
    assert toon["tokens"]["overall"] == toon["tokens"]["toon"]
    for model, own in toon["tokens"]["toon"].items():
        assert own == pytest.approx({name: means[model, name] for name in FAMILY})


def _asked(counts: dict[str, int], examples: int = 20) -> pd.DataFrame:
    """Formats, the first so many examples of each asked; two models."""
    rng = np.random.default_rng(0)
    cells = {
        Cell(f"m{m}", "d", name, "none", "x", f"e{e:02d}"): float(rng.random() < 0.6)
        for name, count in counts.items()
        for e in range(min(count, examples))
        for m in range(2)
    }
    return plain.frame(cells)


@pytest.mark.full
@pytest.mark.parametrize(
    ("counts", "apart"),
    [
        ({"a": 20, "b": 20, "c": 20}, set()),
        ({"a": 20, "b": 20, "c": 18}, set()),  # nine in ten are enough
        ({"a": 20, "b": 20, "c": 17}, {"c"}),
        ({"a": 20, "b": 18, "c": 9, "d": 5}, {"c", "d"}),
        ({"a": 20, "b": 10}, set()),  # fewer than two would be left
        ({"a": 20, "b": 10, "c": 10}, set()),
    ],
)
def test_who_stands_apart(counts: dict[str, int], apart: set[str]) -> None:
    found = plain.figures(_asked(counts))["serializers"]
    assert set(found.get("apart", {}).get("d", {})) == apart
    if apart:
        firsts = [(row["first"], row["second"]) for row in found["apart_pairs"]["d"]["m0"]]
        others = set(counts) - apart
        assert {pair for pair in firsts if pair[1] in others} == {(a, b) for a in apart for b in others}


def _about(scores: pd.DataFrame) -> dict[str, str]:
    found = analyse(scores, resamples=5)
    return {file.path.removesuffix(".csv"): file.about for file in tables_as(found, ["csv"])}


def test_tables_say_over_which_examples_they_are() -> None:
    about = _about(_asked({"a": 20, "b": 20, "c": 8}))
    for name, instead in {
        "serializer_scores": "; without c: family_choice",
        "choice": "; without c: family_choice",
        "serializer_deviations": "; without c: serializer_family_deviations",
        "serializer_range": "",
        "serializer_win_rates": "",
    }.items():
        assert about[name].endswith(f"; over the 8 of 20 examples scored in every format{instead}"), name
    for name in ("family_choice", "serializer_family_deviations", "serializer_pairwise_win_rates"):
        assert about[name].endswith("; over all 20 examples, without c"), name


def test_tables_over_all_examples_do_not_say_so() -> None:
    about = _about(_asked({"a": 20, "b": 20, "c": 20}))
    assert not [text for text in about.values() if "scored in every" in text or "without" in text]
    assert not [name for name in about if "family" in name]


def test_tables_of_several_data_sets_add_up_their_examples() -> None:
    uneven, even = _asked({"a": 20, "b": 20, "c": 8}), _asked({"a": 20, "b": 20, "c": 20})
    about = _about(pd.concat([uneven, even.assign(dataset="e")], ignore_index=True))
    over = "over the 28 of 40 examples scored in every format; without the formats that stand apart: "
    assert about["choice"].endswith(over + "family_choice")
    assert about["family_choice"].endswith("over all 40 examples, without the formats that stand apart")


def test_tables_of_lost_answers_say_how_many_examples_are_left() -> None:
    rows = _asked({"a": 20, "b": 20, "c": 20})
    lost = (rows["model"] == "m0") & (rows["serializer"] == "c") & (rows["example"] < "e05")
    about = _about(rows[~lost])
    assert about["choice"].endswith("over the 15 to 20 of 20 examples scored in every format")
    assert about["serializer_pairwise_win_rates"].endswith(
        "over the 15 to 20 of 20 examples scored in every format"
    )


def test_lost_answers_set_no_format_apart() -> None:
    """What was asked counts: c lost half of its answers with one model, and is compared on the others."""
    scores = np.ones((2, 3, 20))
    scores[0, 2, 10:] = np.nan
    rows = cube_frame(scores).assign(perturbation="none")
    found = plain.figures(rows.assign(serializer=rows["config"]))["serializers"]
    assert "apart" not in found
    assert found["examples"]["d"]["m0"] == {"shared": 10, "of": 20}


def test_over_data_sets_the_formats_that_stand_apart_nowhere_are_compared() -> None:
    uneven, even = _asked({"a": 20, "b": 20, "c": 8}), _asked({"a": 20, "b": 20, "c": 20})
    both = pd.concat([uneven, even.assign(dataset="e")], ignore_index=True)
    found = plain.figures(both)["serializers"]
    own = found["family_choice"]["m0"]
    assert {row["serializer"] for row in own["overall"]} == {"a", "b"}
    assert {row["serializer"] for row in own["datasets"]["d"]} == {"a", "b"}
    assert {row["serializer"] for row in own["datasets"]["e"]} == {"a", "b", "c"}
    assert set(found["pairwise_win_rates"]["overall"]) == {"a", "b"}


def test_unknown_tokens_are_left_out_and_not_taken_for_none() -> None:
    rows = _asked({"a": 20, "b": 20, "c": 20})
    tokens = rows["serializer"].map({"a": 100.0, "b": 50.0, "c": 20.0})
    tokens += rows["example"].str[1:].astype(float)
    known = tokens.mask((rows["serializer"] == "b") & (rows["example"] < "e10"))
    known = known.mask((rows["serializer"] == "c") & (rows["model"] == "m1"))
    found = plain.figures(rows.assign(prompt_tokens=known))["serializers"]["tokens"]["d"]
    # of the ten examples on which all three are known, e10 to e19
    assert found["m0"] == {"a": 114.5, "b": 64.5, "c": 34.5}
    assert found["m1"] == {"a": 114.5, "b": 64.5, "c": None}
    assert "tokens" not in plain.figures(rows.assign(prompt_tokens=np.nan))["serializers"]
    assert "tokens" not in plain.figures(rows)["serializers"]
