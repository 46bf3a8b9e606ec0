"""What designs change against their bases, against plain references."""

from __future__ import annotations

from itertools import product
from statistics import fmean
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.analysis import analyse
from torr_plugin.analysis.base_designs import known_bases
from torr_plugin.analysis.figures.designs import DESIGNS
from torr_plugin.analysis.frame import main_scores
from torr_plugin.analysis.options import Options
from torr_plugin.analysis.study import study_scores

TREE = "tree_thinker"


def scores(
    configs: list[str], datasets: tuple[str, ...] = ("a", "b"), models: int = 2, examples: int = 12
) -> pd.DataFrame:
    """Random scores; TreeThinker adds a quarter to those of the last model."""
    rng = np.random.default_rng(3)
    rows: list[dict[str, Any]] = []
    for dataset in datasets:
        for model in range(models):
            for config in configs:
                serializer, perturbation, design = config.split("/")
                better = 0.25 * (design == TREE and model == models - 1)
                rows += [
                    {
                        "model": f"m{model}",
                        "dataset": dataset,
                        "config": config,
                        "serializer": serializer,
                        "perturbation": perturbation,
                        "design": design,
                        "example": f"e{number:02}",
                        "metric": "f1",
                        "score": float(rng.integers(0, 4)) / 5 + better,
                        "main": True,
                    }
                    for number in range(examples)
                ]
    return pd.DataFrame(rows)


def designs(frame: pd.DataFrame, resamples: int = 50, **options: Any) -> dict[str, Any]:
    """The figure alone, as JSON has it."""
    study = study_scores(main_scores(frame), Options(resamples=resamples), **options)
    found = DESIGNS.compute(study)
    return {} if found is None else {**DESIGNS.to_json(found), "notes": DESIGNS.notes(study, found)}


def crossed(*parts: list[str]) -> list[str]:
    """Every serializer with every design."""
    return [f"{serializer}/none/{design}" for serializer, design in product(*parts)]


def plain_differences(frame: pd.DataFrame, config: str, base: str) -> dict[tuple[str, str], pd.Series]:
    """Data set and model -> an example each."""
    by = {
        key: rows.set_index("example")["score"] for key, rows in frame.groupby(["dataset", "model", "config"])
    }
    return {
        (dataset, model): by[dataset, model, config] - by[dataset, model, base]
        for dataset, model, found in by
        if found == config
    }


CONFIGS = [
    *crossed(["latex", "html"], ["default", TREE]),
    f"csv/none/{TREE}",
]


def test_a_design_is_compared_with_its_base_in_the_same_format() -> None:
    frame = scores(CONFIGS)
    found = designs(frame)
    assert (found["base"], found["bases"]) == ("default", {TREE: "default"})
    assert found["formats"] == {TREE: ["html", "latex"]}, "CSV was not asked directly"
    assert list(found["differences"]) == ["overall", "a", "b"]
    means = {}
    for name in ("latex", "html"):
        for (dataset, model), change in plain_differences(
            frame, f"{name}/none/{TREE}", f"{name}/none/default"
        ).items():
            means.setdefault((dataset, model), []).append(change.mean())
    for (dataset, model), changes in means.items():
        own = found["differences"][dataset][model]
        assert list(own) == [TREE]
        assert own[TREE]["value"] == pytest.approx(fmean(changes))
    overall = found["differences"]["overall"]["m1"][TREE]
    assert overall["value"] == pytest.approx(fmean(fmean(means[dataset, "m1"]) for dataset in ("a", "b")))


def test_an_answer_that_is_missing_takes_its_pair_with_it() -> None:
    frame = scores(["latex/none/default", f"latex/none/{TREE}"], ("a",))
    lost = (frame["config"] == f"latex/none/{TREE}") & (frame["model"] == "m0") & (frame["example"] < "e06")
    frame.loc[lost, "score"] = np.nan
    found = designs(frame)
    own = found["differences"]["a"]["m0"][TREE]
    rest = frame[(frame["model"] == "m0") & (frame["example"] >= "e06")].groupby("design")["score"].mean()
    assert own["value"] == pytest.approx(rest[TREE] - rest["default"])
    assert own["complete"] is False
    assert found["differences"]["a"]["m1"][TREE].get("complete", True)


@pytest.mark.parametrize(
    ("names", "given", "bases"),
    [
        (["default", TREE, "carried"], {}, {TREE: "default", "carried": "default"}),
        (["default", TREE, f"{TREE}_no_tree"], {}, {TREE: "default", f"{TREE}_no_tree": TREE}),
        ([TREE, f"{TREE}_no_tree"], {}, {f"{TREE}_no_tree": TREE}),
        (["suc", "suc_no_role", "hctqa"], {}, {"suc_no_role": "suc"}),
        (["suc_no_role", "suc_no_marks"], {}, {}),
        (["suc", "size+suc", "size+merged+suc"], {}, {"size+suc": "suc", "size+merged+suc": "suc"}),
        (["merged+suc", "size+merged+suc"], {}, {"size+merged+suc": "merged+suc"}),
        (["sucrose", "suc"], {}, {}),
        (["a", "b", "default"], {"a": "b", "b": "b"}, {"a": "b", "b": "default"}),
        (["a", "b"], {"a": "absent", "b": "a"}, {"b": "a"}),
    ],
)
def test_what_a_design_is_compared_with(
    names: list[str], given: dict[str, str], bases: dict[str, str]
) -> None:
    assert known_bases(names, given) == bases


STEMS = st.sampled_from(["default", "suc", TREE, "a"])
NAMES = st.one_of(
    STEMS,
    st.builds("{}_{}".format, STEMS, st.sampled_from(["no_role", "no_tree", "b"])),
    st.builds("{}+{}".format, st.sampled_from(["size", "a"]), STEMS),
)


@given(st.sets(NAMES, max_size=6), st.dictionaries(NAMES, NAMES), st.data())
@settings(max_examples=60, deadline=None)
def test_a_base_is_another_design_of_the_study(
    names: set[str], given: dict[str, str], data: st.DataObject
) -> None:
    """With a design and one named after it, so that there is always a base."""
    stem = data.draw(STEMS)
    names |= {stem, f"{stem}_variant"}
    found = known_bases(names, given)
    assert f"{stem}_variant" in found
    for name, base in found.items():
        assert name in names
        assert base in names - {name}


def test_a_run_says_what_designs_are_compared_with() -> None:
    frame = scores(crossed(["html"], ["one", "two", "three"]), ("a",))
    assert designs(frame) == {}, "their names say nothing"
    found = designs(frame, design_bases={"two": "one", "three": "absent"})
    assert (found["base"], found["bases"], found["alone"]) == ("one", {"two": "one"}, ["three"])
    assert "designs compared with none, as their base was not asked: three" in found["notes"]
    assert "designs" in analyse(frame, resamples=5, repeats=1, design_bases={"two": "one"})


@pytest.mark.parametrize(
    "configs",
    [
        ["latex/none/default", "html/none/default"],
        [f"latex/none/{TREE}", "html/none/default"],
        ["latex/none/suc_no_marks", "latex/none/suc_no_role"],
    ],
)
def test_without_both_in_one_format_there_is_no_comparison(configs: list[str]) -> None:
    assert designs(scores(configs)) == {}


@pytest.mark.full
def test_formats_are_compared_at_the_base_design() -> None:
    """Ablations in one format, a data set without the base, and one with the base in a single format."""
    configs = [*crossed(["html", "csv"], ["suc"]), "html/none/suc_no_role"]
    other = crossed(["html", "csv"], ["suc_no_marks"])
    one = [*crossed(["html", "csv", "json"], ["suc_no_role"]), "html/none/suc"]
    parts = scores(configs, ("a",)), scores(other, ("b",)), scores(one, ("c",)), scores(configs, ("d",))
    frame = pd.concat(parts)
    found = analyse(frame, resamples=10, repeats=1)
    assert found["serializers"]["at_design"] == {"a": "suc", "c": "suc_no_role", "d": "suc"}
    for part, design in zip(parts[:3], ("suc", "suc_no_marks", "suc_no_role"), strict=True):
        (dataset,) = set(part["dataset"])
        expected = part[part["design"] == design].groupby(["serializer", "model"])["score"].mean()
        shown = found["serializers"]["scores"][dataset]
        values = {(name, model): own["value"] for name, by in shown.items() for model, own in by.items()}
        assert values == pytest.approx(dict(expected))
    assert "formats are compared at the design 'suc' alone on a, d; what other" in str(found["notes"])
    assert "at_design" not in found["perturbations"], "there is one, the tables as they are"
    single = analyse(parts[1], resamples=10, repeats=1)
    assert "at_design" not in single["serializers"]
    assert not any("at the design" in note for note in single["notes"])


def test_of_designs_in_equally_many_cells_the_one_that_others_rest_on_is_the_base() -> None:
    frame = scores(["html/none/a+suc", "html/none/suc", "html/none/b+suc_no_role"])
    assert study_scores(main_scores(frame), Options(resamples=20)).base_design == "suc"


def test_where_names_say_nothing_the_design_of_most_formats_is_the_base() -> None:
    frame = scores([f"{name}/none/plain" for name in ("html", "csv", "json", "latex")] + ["html/none/terse"])
    found = analyse(frame, resamples=20, repeats=1)
    assert found["designs"]["bases"] == {"terse": "plain"}
    at = "formats are compared at the design 'plain' alone"
    assert f"{at}; what other designs change is in the figure 'designs'" in found["notes"]
    apart = scores([f"{name}/none/plain" for name in ("html", "csv")] + ["json/none/terse"])
    notes = analyse(apart, resamples=20, repeats=1)["notes"]
    assert at in notes


def test_designs_that_are_compared_with_none_are_named() -> None:
    frame = scores(crossed(["html"], ["self_augmented+suc", "self_augmented_all+suc"]))
    study = study_scores(main_scores(frame), Options(resamples=20))
    assert DESIGNS.compute(study) is None
    assert DESIGNS.notes(study, None) == [
        "no design is compared with another, as none was asked beside its base in one format: "
        "self_augmented+suc, self_augmented_all+suc"
    ]
    single = study_scores(main_scores(scores(["html/none/suc"])), Options(resamples=20))
    assert DESIGNS.notes(single, None) == []
