"""A plugin's code that fails while a study runs: one line that names what, the plugin and the reason."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from tests.plugins.test_loading import plugin
from torr_plugin.catalog import load_card, read_examples
from torr_plugin.catalog.examples import read_rows
from torr_plugin.catalog.generated import generate
from torr_plugin.catalog.schema import TableOf
from torr_plugin.core.errors import DataError, InputError, PluginError
from torr_plugin.plugins import registered
from torr_plugin.prompts import DefaultDesign, PromptBuilder
from torr_plugin.recipes import Configuration
from torr_plugin.scoring import Metric, score_example
from torr_plugin.tables import Table
from torr_plugin.tables.perturbations import Perturbation
from torr_plugin.tables.serializers import Serializer


class Falls(Serializer):
    name = "falls"

    def serialize(self, table: Table) -> str:
        raise KeyError("no such\ncell")


class Seven(Serializer):
    name = "seven"

    def serialize(self, table: Table) -> str:
        return 7  # type: ignore[return-value]


class Drops(Perturbation):
    name = "drops"

    def perturb(self, table: Table, rng: object) -> Table:
        raise ZeroDivisionError("no rows")


class Gone(Perturbation):
    name = "gone"

    def perturb(self, table: Table, rng: object) -> Table:
        return None  # type: ignore[return-value]


class Silent(DefaultDesign):
    name = "silent"

    def compose(self, asked: Any, demonstrations: Any) -> Any:
        return ()


class Texts(DefaultDesign):
    name = "texts"

    def compose(self, asked: Any, demonstrations: Any) -> Any:
        return "What?"


PARTS = plugin(
    torr_serializers=lambda: [Falls(), Seven()],
    torr_perturbations=lambda: [Drops(), Gone()],
    torr_designs=lambda: [Silent(), Texts()],
)


@pytest.mark.parametrize(
    ("configuration", "said"),
    [
        (
            ("falls", "none", "default"),
            r"serializer 'falls' of plugin 'it' failed: KeyError: 'no such\\ncell'",
        ),
        (("seven", "none", "default"), "serializer 'seven' of plugin 'it' failed: TypeError: it gave int"),
        (
            ("html", "drops", "default"),
            "perturbation 'drops' of plugin 'it' failed: ZeroDivisionError: no rows",
        ),
        (
            ("html", "gone", "default"),
            "perturbation 'gone' of plugin 'it' failed: TypeError: it gave NoneType",
        ),
        (("html", "none", "silent"), "design 'silent' of plugin 'it' failed: TypeError: it gave no message"),
        (("html", "none", "texts"), "design 'texts' of plugin 'it' failed: TypeError: it gave str"),
    ],
)
def test_in_a_prompt(configuration: tuple[str, str, str], said: str) -> None:
    card = load_card("bundled.cell_lookup")
    example = read_examples(card, "test")[0]
    with registered(PARTS, "it"), pytest.raises(InputError, match=said) as raised:
        PromptBuilder(card, []).build(example, Configuration(*configuration))
    assert "\n" not in str(raised.value)


def test_our_own_faults_stay_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    from torr_plugin.tables import serializers

    def broken(table: Table) -> str:
        raise KeyError("ours")

    monkeypatch.setattr(serializers.get("html"), "serialize", broken)
    card = load_card("bundled.cell_lookup")
    with pytest.raises(KeyError, match="ours"):
        PromptBuilder(card, []).build(
            read_examples(card, "test")[0], Configuration("html", "none", "default")
        )


@pytest.mark.parametrize(
    ("scores", "said"),
    [
        ({}, "TypeError: it gave dict, expected a mapping of at least one score"),
        ({"odd": 2.0}, "ValueError: it gave 2.0 as the score 'odd', expected a number from 0 to 1"),
        ({"odd": float("nan")}, "ValueError: it gave nan"),
        ({"odd": "1"}, "TypeError: it gave str as the score 'odd'"),
    ],
)
def test_in_scoring(scores: dict[str, Any], said: str) -> None:
    from dataclasses import replace

    class Odd(Metric):
        name = main = "odd"

        def scores(self, prediction: str, references: Sequence[str]) -> dict[str, Any]:
            return scores

    card = replace(load_card("bundled.cell_lookup"), metrics=("odd",), main_metric="odd")
    with registered(plugin(torr_metrics=lambda: [Odd()]), "it"), pytest.raises(PluginError) as raised:
        score_example(card, "a", ["a"])
    assert f"metric 'odd' of plugin 'it' failed: {said}" in str(raised.value)


def test_a_reader_that_gives_no_table() -> None:
    said = "reader 'nothing' of plugin 'it' failed: TypeError: it gave NoneType, expected a Table"
    with registered(plugin(torr_readers=lambda: {"nothing": lambda **values: None}), "it"):
        table = TableOf(reader="nothing", columns={"text": "table"})
        step = load_card("bundled.cell_lookup").reading.model_copy(update={"table": table})
        row = {"id": "1", "table": "a", "question": "?", "answer": "b", "table_id": "1", "kind": "k"}
        with pytest.raises(DataError, match=said):
            list(read_rows(step, [row], split="test", card="mine"))


def test_a_generator_that_has_no_more_tables_ends() -> None:
    table = Table.flat(["a"], [["b"]])

    def same(random: Any, number: int) -> Any:
        yield {"table": table, "question": "?", "answer": "b", "kind": "x"}

    def falls(random: Any, number: int) -> Any:
        raise LookupError("out of ideas")
        yield

    with registered(plugin(torr_generators=lambda: {"same": same, "falls": falls}), "it"):
        with pytest.raises(
            DataError, match="generator 'same': split 'test': 1000 tries gave no table beyond"
        ):
            generate("same", seed=1, sizes={"test": 2})
        with pytest.raises(PluginError, match="generator 'falls' of plugin 'it' failed: LookupError: out of"):
            generate("falls", seed=1, sizes={"test": 2})
