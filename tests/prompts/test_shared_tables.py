"""The text of a table is made once for all examples about it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from torr_plugin.catalog import Example
from torr_plugin.papers.torr.unitxt_formats import TorrHtml
from torr_plugin.prompts import PromptBuilder
from torr_plugin.recipes import Configuration
from torr_plugin.tables import Table, perturbations

from .made import MadeCard, made_example


@pytest.mark.parametrize("name", [n for n in perturbations.names() if not perturbations.get(n).draws])
def test_what_says_that_it_draws_nothing_draws_nothing(name: str) -> None:
    rng = np.random.default_rng(3)
    before = rng.bit_generator.state
    perturbations.get(name).perturb(Table.flat(["a", "b"], [["1", "2"], ["3", "4"]]), rng)
    assert rng.bit_generator.state == before


@pytest.mark.parametrize("perturbation", ["none", "transpose", "shuffle_rows"])
def test_prompts_are_those_of_examples_with_tables_of_their_own(card: MadeCard, perturbation: str) -> None:
    configuration = Configuration("torr.html", perturbation, "default")
    together = _about_one_table()
    apart = [replace(example, table=example.table.replace()) for example in together]
    assert len({id(example.table) for example in apart}) == len(apart)
    builder = PromptBuilder(card, [])
    assert [builder.build(each, configuration) for each in together] == [
        PromptBuilder(card, []).build(each, configuration) for each in apart
    ]


def test_a_shared_table_is_written_once(card: MadeCard, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[Table] = []
    write = TorrHtml.serialize
    monkeypatch.setattr(TorrHtml, "serialize", lambda *given: (written.append(given[1]), write(*given))[1])
    builder = PromptBuilder(card, [])
    for example in _about_one_table():
        builder.build(example, Configuration("torr.html", "none", "default"))
    assert len(written) == 1
    builder.forget()
    builder.build(_about_one_table()[0], Configuration("torr.html", "none", "default"))
    assert len(written) == 2


def _about_one_table() -> list[Example]:
    first = made_example(0)
    return [replace(first, id=f"e{number}") for number in range(3)]
