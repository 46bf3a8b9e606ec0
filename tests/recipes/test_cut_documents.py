"""A recipe's ``examples.context``: documents are cut to what models take, which plans and requests say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from torr_plugin.core.errors import RecipeError
from torr_plugin.core.texts import estimate_tokens
from torr_plugin.prompts import text_of
from torr_plugin.recipes import Plan, Recipe, plan, prompt_rows

from ..document_card import questions, report, write

CONFIGURATIONS = {"serializers": ["html", "csv"], "perturbations": ["none", "shuffle_rows"]}
ONE = "html/none/default"
ALL = {"draw": "first", "count": "all"}


TABLES = (2, 12, 22)
"""Tables of the three reports."""


@pytest.fixture
def card(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    return made(tmp_path, monkeypatch)


def made(folder: Path, monkeypatch: pytest.MonkeyPatch, **asked: str) -> str:
    """The card's path; ``asked`` are other questions by the ids of examples."""
    monkeypatch.setenv("TORR_DATA", str(folder))
    rows = [
        {**row, "question": asked.get(row["id"].replace("-", "_"), row["question"])}
        for n, tables in enumerate(TABLES)
        for row in questions(n + 1, tables)
        if row["document"] == f"report-{n}"
    ]
    return str(write(folder, [report(n, tables) for n, tables in enumerate(TABLES)], rows))


def recipe(card: str, context: object, **changes: object) -> Recipe:
    said: dict[str, object] = {"name": "ports", "cards": [card], "configurations": CONFIGURATIONS}
    return Recipe.model_validate({**said, "examples": {**ALL, "context": context}, **changes})


def cuts(planned: Plan) -> dict[str, dict[str, Any] | None]:
    found = {}
    for row in prompt_rows(planned):
        cut = None if row["cut"] is None else json.loads(row["cut"])
        assert found.setdefault(row["example"], cut) == cut  # the same in every configuration
    return found


@pytest.mark.full
def test_prompts_fit_with_their_answers_and_the_cut_is_kept(card: str) -> None:
    planned = plan(recipe(card, 1000))
    lengths = [estimate_tokens(text_of(each.prompt)) for each in planned.requests()]
    assert 750 < max(lengths) <= 900  # with an answer of 100 tokens
    found = cuts(planned)
    assert found["q0-0"] is None
    assert found["q1-0"] is not None
    assert found["q1-0"]["of_blocks"] == 1 + 3 * 12
    assert found["q1-0"]["blocks"] < found["q1-0"]["of_blocks"]
    assert found["q1-0"]["characters"] < found["q1-0"]["of_characters"]
    assert (found["q1-0"]["lost_table"], found["q1-10"]["lost_table"]) == (False, True)  # type: ignore[index]
    assert found["q1-11"]["lost_table"] is None  # type: ignore[index]  # its table is not named
    cut = [each for each in found.values() if each]
    lost = sum(each["lost_table"] is True for each in cut)
    [note] = planned.notes
    assert note.startswith(
        f"cards.ports: {len(cut)} of {len(found)} examples show their document cut to 1,000 tokens; "
    )
    assert f"{lost} lose the table that the question is about; of 2 that is not known" in note


@pytest.mark.full
def test_a_limit_of_examples_changes_no_cut(card: str) -> None:
    whole, some = cuts(plan(recipe(card, 800))), cuts(plan(recipe(card, 800), limit=10))
    assert some == {name: whole[name] for name in some}


def test_studies_with_other_cuts_differ_and_whole_ones_are_as_before(card: str) -> None:
    plain, cut, other = (plan(recipe(card, tokens, configurations=ONE)) for tokens in (None, 1000, 1500))
    assert len({plain.fingerprint, cut.fingerprint, other.fingerprint}) == 3
    assert "context" not in plain.record()
    assert cut.record()["context"] == 1000
    assert cuts(plain)["q2-0"] is None


def test_answers_longer_than_the_context_are_refused(card: str) -> None:
    with pytest.raises(RecipeError) as refused:
        plan(recipe(card, 100))
    assert str(refused.value) == (
        "examples.context: found 100 tokens, but answers to the design 'default' may take 100; expected "
        "more, or a lower generation.max_tokens"
    )


@pytest.mark.full
def test_what_cannot_be_cut_stops_the_study_or_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = made(tmp_path, monkeypatch, q0_1="How many ships came in? " * 40)
    with pytest.raises(RecipeError, match=r"'q0-1' in configuration .*: of a prompt of 200 tokens 0 are"):
        plan(recipe(card, 300))
    planned = plan(recipe(card, None, examples={**ALL, "context": 300, "refused": "leave_out"}))
    assert "q0-1" not in cuts(planned)
    assert len(planned.examples["ports"]) == sum(TABLES) - 1
    assert planned.notes[0].startswith(
        "cards.ports: 1 example left out in all configurations; the first: cards.ports: example 'q0-1' in "
    )
