"""Per example the values are unitxt's: on real predictions, and over the bridge to unitxt's own metrics."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.core.errors import CardError, InputError, UnknownNameError
from torr_plugin.scoring import metrics
from torr_plugin.scoring.metrics.rouge import Rouge
from torr_plugin.scoring.metrics.unitxt import UnitxtMetric


@cache
def unitxt_compute(name: str) -> Callable[[str, list[str]], dict[str, Any]]:
    """One of unitxt's metrics as a function of prediction and references, made to download nothing."""
    import nltk
    import spacy
    from unitxt import metrics as theirs

    class F1Blank(theirs.F1Strings):
        def load_spacy(self) -> None:
            self.nlp = spacy.blank("en")

    if name == "f1_strings":
        f1 = F1Blank()
        return lambda prediction, references: f1.compute(references, prediction, [])
    if name == "accuracy":
        accuracy = theirs.AccuracyFast()
        return lambda prediction, references: accuracy.map(prediction, references, {})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nltk, "download", lambda *args, **kwargs: True)
        rouge = theirs.Rouge(sent_split_newline=False)
    return lambda prediction, references: rouge.compute(references, prediction, {})


def theirs(name: str, prediction: str, references: list[str]) -> dict[str, float]:
    """The scores that our metric has, from unitxt."""
    computed = unitxt_compute(name)(prediction, references)
    ours = metrics.get(name).scores("a", ["a"])
    return {
        score: value[0] if isinstance(value, list) else value
        for score, value in computed.items()
        if score in ours
    }


def gemma(shared_data: Path, count: int) -> list[tuple[str, str]]:
    with gzip.open(
        shared_data / "hctqa" / "responses_gemma-2-9b-it.jsonl.gz", "rt", encoding="utf-8"
    ) as lines:
        rows = [json.loads(line) for line in islice(lines, 0, count * 9, 9)]
    return [(row["response"], row["gt"]) for row in rows]


@pytest.mark.full
@pytest.mark.parametrize("name", ["accuracy", "f1_strings"])
def test_short_answers_of_a_real_model(name: str, shared_data: Path) -> None:
    pairs = gemma(shared_data, 300)
    for response, truth in pairs:
        references = [truth, truth.strip("{}"), "No"]
        assert metrics.get(name).scores(response, references) == theirs(name, response, references)
    values = {metrics.get(name).scores(response.strip(), [truth])[name] for response, truth in pairs}
    assert {0.0, 1.0} <= values


@pytest.mark.full
def test_long_texts_of_real_models(shared_data: Path) -> None:
    import pandas as pd

    rows = pd.read_parquet(
        shared_data / "qtsumm_outputs" / "predictions.parquet", columns=["prediction", "reference"]
    )
    sample = rows.sample(60, random_state=0)
    others = list(sample["reference"].iloc[1:]) + list(sample["reference"].iloc[:1])
    for prediction, reference, other in zip(sample["prediction"], sample["reference"], others, strict=True):
        for references in ([reference], [other, reference]):
            assert metrics.get("rouge").scores(prediction, references) == theirs(
                "rouge", prediction, references
            )
            assert metrics.get("f1_strings").scores(prediction, references) == theirs(
                "f1_strings", prediction, references
            )


WORDS = st.lists(st.sampled_from(["a", "b", "C", "d.", "é", "-", "1,0"]), max_size=8).map(" ".join)


@settings(max_examples=40)
@given(prediction=st.one_of(WORDS, st.text(max_size=20)), references=st.lists(WORDS, min_size=1, max_size=3))
def test_any_text(prediction: str, references: list[str]) -> None:
    for name in ("accuracy", "f1_strings", "rouge"):
        assert metrics.get(name).scores(prediction, references) == theirs(name, prediction, references)


def test_the_bridge_gives_unitxts_own_values() -> None:
    bridged = metrics.get("unitxt:metrics.accuracy")
    assert bridged.name == "unitxt:metrics.accuracy"
    assert bridged.main == "accuracy"
    assert bridged.scores("a", ["b", "a"]) == {"accuracy": 1.0}
    assert metrics.get("unitxt:string_containment").scores("it is a", ["b", "is"]) == {
        "string_containment": 1.0
    }
    # a metric that counts over all examples, one that rates lists, and a pipeline of several
    assert metrics.get("unitxt:f1_micro").scores("a", ["a"]) == {"f1_micro": 1.0}
    assert metrics.get("unitxt:token_overlap").scores("b c", ["c d"]) == {"f1": 0.5}


def test_the_bridge_knows_unitxts_catalog() -> None:
    with pytest.raises(
        UnknownNameError,
        match=r"unknown metric 'unitxt:metrics.acuracy'; did you mean 'unitxt:metrics.accuracy'",
    ):
        metrics.get("unitxt:metrics.acuracy")


@pytest.mark.parametrize(
    "name",
    [
        "llm_as_judge.direct.openai.gpt_4_1",
        "rag.response_generation.recommended.llmaj_azure.all",
        "rag.faithfulness.llama_index_by_gpt_3_5_turbo",
        "granite_guardian.user_risk.harm",
        "qa.open.recommended_llm_as_judge",
    ],
)
def test_a_stranger_s_card_has_no_provider_asked(card: Any, name: str, monkeypatch: Any) -> None:
    from dataclasses import replace

    import unitxt.artifact

    from torr_plugin.scoring import check_main_score

    monkeypatch.setattr(unitxt.artifact, "fetch_artifact", lambda name: pytest.fail("loaded"))
    with pytest.raises(
        InputError, match=rf"'unitxt:metrics.{name}' asks a model; expected one among a recipe"
    ):
        check_main_score(replace(card, metrics=(name,), main_metric="x"))


def test_the_bridge_refuses_a_score_beyond_1() -> None:
    from unitxt.metrics import UnsortedListExactMatch

    class Twice(UnsortedListExactMatch):
        def compute(self, references: Any, prediction: Any, task_data: Any) -> dict[str, Any]:
            return {
                name: 2 * value if value == 1 else value
                for name, value in super().compute(references, prediction, task_data).items()
            }

    twice = UnitxtMetric("metrics.unsorted_list_exact_match")
    twice.__dict__["_unitxt"] = Twice()
    with pytest.raises(
        InputError, match=r"^metric 'unitxt:metrics.unsorted.*' gave 2; a score must lie between 0 and 1$"
    ):
        twice.scores("a", ["a"])


def test_the_bridge_says_what_unitxt_could_not_score() -> None:
    with pytest.raises(
        InputError, match=r"^metric 'unitxt:metrics.string_containment_ratio': unitxt could not score .*$"
    ):
        metrics.get("unitxt:metrics.string_containment_ratio").scores("a", ["b"])
    with pytest.raises(
        InputError, match=r"could not score an example: Each prediction is expected to be of type 'float'"
    ):
        metrics.get("unitxt:mean_squared_error").scores("a", ["b"])


def test_the_bridge_says_what_unitxt_could_not_load(monkeypatch: pytest.MonkeyPatch) -> None:
    import unitxt.artifact

    def absent(name: str) -> None:
        raise ImportError("no module named editdistance")

    monkeypatch.setattr(unitxt.artifact, "fetch_artifact", absent)
    with pytest.raises(
        InputError, match=r"'unitxt:metrics.rouge': unitxt could not load it: no module named editdistance"
    ):
        UnitxtMetric("metrics.rouge").scores("a", ["b"])


def test_a_card_may_name_a_metric_that_only_unitxt_has(card: Any) -> None:
    from dataclasses import replace

    from torr_plugin.scoring import score_example

    theirs_alone = replace(card, metrics=("string_containment",), main_metric="string_containment")
    assert score_example(theirs_alone, "an apple", ["apple"]) == {"string_containment": 1.0}
    with pytest.raises(CardError, match=r"cards.fruit: unknown metric 'string_contain'; did you mean"):
        score_example(replace(card, metrics=("string_contain",)), "a", ["a"])


def test_rouge_leaves_out_only_the_sum_score() -> None:
    assert set(unitxt_compute("rouge")("a b", ["a"])) - set(Rouge().scores("a b", ["a"])) == {"rougeLsum"}
