"""The two recipes of HCT-QA: what they ask, and that the same table is asked in each format."""

from __future__ import annotations

from pathlib import Path

import pytest

from torr_plugin.recipes import load, plan


@pytest.mark.full
def test_the_real_tables_are_asked_per_source_in_four_formats(mirror: Path) -> None:
    recipe = load("hctqa")
    assert {c.id for c in recipe.expanded()} == {
        f"{serializer}/none/hctqa" for serializer in ("canonical_csv", "csv", "html", "markdown")
    }
    planned = plan(recipe, limit=2)
    assert list(planned.cards) == [f"hctqa.real.{name}" for name in ("qnpc", "pak", "census", "arxiv")]
    assert planned.size == len(list(planned.requests())) == 4 * 4 * 2
    for dataset, examples in planned.examples.items():
        assert {example.groups["source"] for example in examples} == {
            "psa" if dataset.endswith("qnpc") else dataset.rpartition(".")[2]
        }
        assert all(set(example.properties) == {"table", "question"} for example in examples)


def test_the_formats_ask_the_same_questions_and_nonsense_changes_the_words() -> None:
    recipe = load("hctqa_formats")
    assert [c.id for c in recipe.expanded()] == [
        "html/none/hctqa",
        "canonical_csv/none/hctqa",
        "canonical_csv/nonsense/hctqa",
    ]
    planned = plan(recipe, limit=4)
    by_config: dict[str, list[tuple[str, str]]] = {}
    for request in planned.requests():
        assert [message.role for message in request.prompt] == ["system", "user"]
        question = str(request.prompt[-1].content).rpartition("Question: ")[2]
        by_config.setdefault(request.config.id, []).append((request.example, question))
    html, csv, nonsense = (by_config[c.id] for c in recipe.expanded())
    assert html == csv
    assert [example for example, _ in nonsense] == [example for example, _ in csv]
    assert all(one[1] != other[1] for one, other in zip(nonsense, csv, strict=True))
