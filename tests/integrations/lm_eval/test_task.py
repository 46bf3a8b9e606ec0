"""lm-eval asks what ``torr run`` asks, and gives the same scores."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from torr_plugin.integrations.lm_eval.task_files import FIGURES

from .conftest import STUDY, Evaluate, main_scores, run_of

LOOKUP, FACTS = "bundled.cell_lookup", "bundled.fact_verification"
EXACT = {"abs": 1e-12, "rel": 0}


@pytest.fixture(scope="module")
def requests(run: Path) -> pd.DataFrame:
    return pd.concat([pd.read_parquet(path) for path in (run / "requests").glob("*.parquet")])


def test_the_same_prompts_and_arguments(small: dict[str, Any], requests: pd.DataFrame) -> None:
    samples = small["samples"]["small_bundled_cell_lookup"]
    asked = {
        (record["example"], record["config"]): (record["key"], *arguments)
        for sample in samples
        for record, arguments in zip(sample["doc"]["torr"], sample["arguments"], strict=True)
    }
    rows = requests[requests.dataset == LOOKUP]
    assert len(asked) == len(rows) == 6 * 4
    for row in rows.itertuples():
        key, text, generation = asked[row.example, row.config]
        assert key == row.key
        assert text == row.prompt
        assert generation == {"max_gen_toks": 32, "until": ["\n\n"], "temperature": 0.0, "do_sample": False}


def test_the_scores_of_each_example_are_those_of_the_run(small: dict[str, Any], run: Path) -> None:
    found = small
    scores = main_scores(run, LOOKUP)
    for sample in found["samples"]["small_bundled_cell_lookup"]:
        values = scores.loc[sample["doc"]["example"]].to_numpy()
        assert sample["performance"] == pytest.approx(values.mean(), **EXACT)
        assert sample["worst"] == values.min()
        assert sample["best"] == values.max()
        assert sample["robustness"] == 1 - (values.max() - values.min())
    assert scores.to_numpy().std() > 0.1, "a study in which nothing differs shows nothing"


def test_figures_and_standard_errors(small: dict[str, Any], run: Path) -> None:
    found = small["results"]
    analysis = json.loads((run / "analysis.json").read_text())
    for dataset in (LOOKUP, FACTS):
        result = found["small_" + dataset.replace(".", "_")]
        for figure in ("performance", "robustness"):
            expected = analysis[figure]["torr-lexical"]["datasets"][dataset]["value"]
            assert result[f"{figure},none"] == pytest.approx(expected, **EXACT)
        scores = main_scores(run, dataset).to_numpy()
        for figure, values in {
            "performance": scores.mean(1),
            "robustness": 1 - np.ptp(scores, axis=1),
            "worst": scores.min(1),
            "best": scores.max(1),
        }.items():
            assert result[f"{figure},none"] == pytest.approx(values.mean(), **EXACT)
            error = values.std(ddof=1) / np.sqrt(len(values))
            assert result[f"{figure}_stderr,none"] == pytest.approx(error, abs=1e-12)


def test_a_group_counts_each_data_set_alike(evaluate: Evaluate, tmp_path: Path) -> None:
    few = tmp_path / "uneven.yaml"
    few.write_text(
        "name: uneven\ncards: [{card: cards.bundled.cell_lookup, examples: 2}, cards.bundled.aggregation]\n"
        "configurations: {serializers: [csv, html], perturbations: [none]}\n"
        "demonstrations: {shots: 1}\nexamples: {count: 6}\nmodels: [torr-lexical]\n"
    )
    found = evaluate("uneven", recipes=(str(few),))
    parts = [found["results"][f"uneven_bundled_{name}"] for name in ("cell_lookup", "aggregation")]
    assert [found["n-samples"][part["name"]]["effective"] for part in parts] == [2, 6]
    whole = found["groups"]["uneven"]
    for figure in FIGURES:
        values = [part[f"{figure},none"] for part in parts]
        errors = [part[f"{figure}_stderr,none"] for part in parts]
        assert whole[f"{figure},none"] == pytest.approx(np.mean(values), **EXACT)
        assert whole[f"{figure}_stderr,none"] == pytest.approx(
            np.sqrt(np.sum(np.square(errors))) / 2, abs=1e-12
        )


def test_a_group_has_the_overall_figures_of_the_run(small: dict[str, Any], run: Path) -> None:
    whole = small["groups"]["small"]
    analysis = json.loads((run / "analysis.json").read_text())
    for figure in ("performance", "robustness"):
        expected = analysis[figure]["torr-lexical"]["overall"]["value"]
        assert whole[f"{figure},none"] == pytest.approx(expected, **EXACT)


def test_a_single_configuration(evaluate: Evaluate, run: Path) -> None:
    task = "small_bundled_cell_lookup_json_transpose"
    found = evaluate(task)
    frame = pd.read_parquet(run / "scores.parquet")
    frame = frame[(frame.dataset == LOOKUP) & (frame.config == "torr.json/transpose/default")]
    for metric, rows in frame.groupby("metric"):
        values = rows.score.to_numpy()
        assert found["results"][task][f"{metric},none"] == pytest.approx(values.mean(), **EXACT)
        error = values.std(ddof=1) / np.sqrt(len(values))
        assert found["results"][task][f"{metric}_stderr,none"] == pytest.approx(error, abs=1e-12)
        by_example = {each["doc"]["example"]: each[metric] for each in found["samples"][task]}
        assert by_example == dict(zip(rows.example, values, strict=True))


@pytest.mark.full
@pytest.mark.parametrize("dataset", ["wikitq", "hctqa.real"])
def test_real_data(dataset: str, mirror: Path, evaluate: Evaluate, tmp_path: Path) -> None:
    run = run_of("real", tmp_path / "run", "--limit", "2", "--cards", dataset, "--model", "torr-lexical")
    task = "real_" + dataset.replace(".", "_")
    found = evaluate(task, recipes=("real",), limit=2)
    frame = pd.read_parquet(run / "scores.parquet")
    scores = main_scores(run, dataset)
    assert scores.shape == (2, 35)
    for sample in found["samples"][task]:
        values = scores.loc[sample["doc"]["example"]].to_numpy()
        assert sample["performance"] == pytest.approx(values.mean(), **EXACT)
        assert sample["robustness"] == 1 - (values.max() - values.min())
        others = (
            frame[~frame.main & (frame.example == sample["doc"]["example"])].groupby("metric").score.mean()
        )
        assert {name: sample[name] for name in others.index} == pytest.approx(dict(others), abs=1e-12)
    for figure in ("performance", "robustness"):
        expected = json.loads((run / "analysis.json").read_text())[figure]["torr-lexical"]["datasets"][
            dataset
        ]
        assert found["results"][task][f"{figure},none"] == pytest.approx(expected["value"], **EXACT)


def test_requests_cached_of_another_state_of_the_recipe_are_made_anew(
    evaluate: Evaluate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from lm_eval.caching import cache

    monkeypatch.setattr(cache, "PATH", str(tmp_path))
    task, recipe = "other_bundled_cell_lookup", tmp_path / "other.yaml"
    for shots, others in ((2, ()), (1, ("filings",))):  # another recipe beside it: tasks are read anew
        recipe.write_text(STUDY.replace("shots: 2", f"shots: {shots}").replace("small", "other"))
        found = evaluate(task, recipes=(str(recipe), *others), limit=1, cache_requests=True)
        text = found["samples"][task][0]["arguments"][0][0]
        assert text.count("Question: ") == shots + 1


def test_what_performance_is_the_mean_of_has_its_own_name_too(evaluate: Evaluate) -> None:
    named = evaluate("small_bundled_cell_lookup", limit=2)["results"]["small_bundled_cell_lookup"]
    assert named["exact_match,none"] == named["performance,none"]


def test_one_example_has_no_standard_error(evaluate: Evaluate) -> None:
    found = evaluate("small", limit=1)
    for named in (found["groups"]["small"], found["results"]["small_bundled_cell_lookup"]):
        assert {named[f"{figure}_stderr,none"] for figure in FIGURES} == {"N/A"}
        assert all(0 <= named[f"{figure},none"] <= 1 for figure in FIGURES)


def test_what_the_results_say_of_the_task(evaluate: Evaluate) -> None:
    task = "small_bundled_cell_lookup"
    found = evaluate(task, limit=2)
    assert found["n-samples"][task] == {"original": 6, "effective": 2}
    assert found["n-shot"][task] == 2
    assert found["higher_is_better"][task]["robustness"] is True
    said = found["configs"][task]["metadata"]
    assert said["torr"]["dataset"] == LOOKUP
    assert said["fingerprint"] == found["samples"][task][0]["doc"]["torr"][0]["fingerprint"]


class Silent:
    """Makes a model that gives no text for the second of an example's requests."""

    @staticmethod
    def make() -> Any:
        from lm_eval.api.model import LM

        class NoText(LM):
            def generate_until(self, requests: list[Any], disable_tqdm: bool = False) -> list[Any]:
                return [None if request.idx == 1 else "" for request in requests]

            def loglikelihood(self, requests: list[Any]) -> Any:
                raise NotImplementedError

            loglikelihood_rolling = loglikelihood

        return NoText()


def test_a_missing_answer_is_a_hole_and_an_empty_one_is_wrong(evaluate: Evaluate) -> None:
    task = "small_bundled_cell_lookup"
    found = evaluate(task, "small_bundled_cell_lookup_html_none", model=Silent.make())["results"]
    assert all(np.isnan(found[task][f"{figure},none"]) for figure in FIGURES)
    single = found["small_bundled_cell_lookup_html_none"]
    assert {value for name, value in single.items() if name.endswith(",none") and "stderr" not in name} == {
        0.0
    }
