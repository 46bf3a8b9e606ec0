"""Scores of subsets once a result: what unitxt shows and saves is what it shows and saves otherwise."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from torr_plugin.integrations.unitxt.patches import shared_scores


def test_the_place_that_is_patched_is_there() -> None:
    from unitxt import metric_utils

    assert "update(recursive_copy(score))" in inspect.getsource(metric_utils)


def rows(instances: Any) -> list[dict[str, Any]]:
    """Without unitxt's objects, which are equal to themselves alone."""
    return [{name: each[name] for name in each if name != "postprocessors"} for each in instances]


@pytest.mark.full
def test_all_that_unitxt_reads_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    from unitxt import evaluate, load_dataset, metric_utils

    name = "recipes.quickstart.bundled.cell_lookup.html"
    dataset = load_dataset(name, split="test", max_samples_per_subset=3)
    predictions = [each["target"] if at % 2 else "x" for at, each in enumerate(dataset)]
    whole = evaluate(predictions=predictions, data=dataset)
    copies = shared_scores(metric_utils.recursive_copy)
    monkeypatch.setattr(metric_utils, "recursive_copy", copies)
    shared = evaluate(predictions=predictions, data=dataset)
    again = evaluate(predictions=predictions, data=dataset)
    for found in (shared, again):
        assert found.global_scores == whole.global_scores
        assert found.subsets_scores == whole.subsets_scores
        assert found.subsets_scores.summary == whole.subsets_scores.summary
        assert rows(found.instance_scores) == rows(whole.instance_scores)
        assert [each["score"]["global"] for each in found] == [each["score"]["global"] for each in whole]
        assert ["subsets" in each["score"] for each in found] == [True] + [False] * (len(whole) - 1)
    assert all("subsets" in each["score"] for each in whole)
    assert len(whole) == 15


def test_copies_are_copies() -> None:
    from copy import deepcopy

    scores = {"global": {"score": [1]}, "subsets": {"a": {"score": 1}}}
    copies = shared_scores(deepcopy)
    first, second = copies(scores), copies(scores)
    assert (first, second) == (scores, {"global": {"score": [1]}})
    assert first["global"] is not scores["global"]
    assert second["global"]["score"] is not scores["global"]["score"]
    assert copies({"global": 1, "groups": 2}) == {"global": 1, "groups": 2}
