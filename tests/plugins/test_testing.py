"""The checks for authors pass what is right, and fail what is wrong with words that say so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from torr_plugin.prompts import DefaultDesign, Step, designs
from torr_plugin.scoring import Metric, metrics
from torr_plugin.tables import Cell, SerializationError, Table, perturbations, serializers
from torr_plugin.tables.perturbations import Perturbation
from torr_plugin.tables.serializers import Serializer
from torr_plugin.testing import check_design, check_metric, check_perturbation, check_serializer

# they show no demonstrations, or only in words of their own
SPARSE = ("hctqa", "suc_no_demonstration")
OURS = [name for name in serializers.text_names() if not name.startswith("torr.")]


@pytest.mark.parametrize("name", OURS)
def test_our_serializers_pass(name: str) -> None:
    check_serializer(serializers.get(name), examples=4)


@pytest.mark.parametrize("name", perturbations.names())
def test_our_perturbations_pass(name: str) -> None:
    check_perturbation(perturbations.get(name), examples=4)


@pytest.mark.parametrize(
    "name", [name for name in designs.names() if not designs.get(name).carries and name not in SPARSE]
)
def test_our_designs_pass(name: str) -> None:
    check_design(designs.get(name))


@pytest.mark.parametrize("name", ["accuracy", "exact_match"])
def test_our_metrics_pass(name: str) -> None:
    check_metric(metrics.get(name))


@pytest.mark.full
def test_the_example_passes(example: dict[str, tuple[str, ...]]) -> None:
    check_serializer(serializers.get("json_lines"), examples=15)
    check_perturbation(perturbations.get("reverse_rows"), examples=15)
    check_design(designs.get("dialogue"))
    check_design(designs.get("draft"))
    check_metric(metrics.get("number_in_text"))


class Joined(Serializer):
    name = "joined"
    lossless = True

    def serialize(self, table: Table) -> str:
        return "\n".join("|".join(cell.text for cell in row) for row in table.grid)

    def parse(self, text: str) -> Table:
        rows = [[Cell(part) for part in line.split("|")] for line in text.split("\n")]
        return Table(tuple(map(tuple, rows)))


class Counted(Joined):
    lossless = False
    calls = 0

    def serialize(self, table: Table) -> str:
        self.calls += 1
        return f"{self.calls}"


class Refuses(Joined):
    lossless = False

    def serialize(self, table: Table) -> str:
        raise SerializationError("never")


class Falls(Joined):
    lossless = False

    def serialize(self, table: Table) -> str:
        return table.rows[9][0].text


class OneAName(Joined):
    """Under two equal headings it keeps the last cell alone."""

    lossless = False

    def serialize(self, table: Table) -> str:
        first, *rest = [[cell.text for cell in row] for row in table.grid]
        return "\n".join(str(dict(zip(first, row, strict=False))) for row in rest)


@pytest.mark.parametrize(
    ("serializer", "said"),
    [
        (Joined(), "says it is lossless"),
        (OneAName(), "drops the text '2023' of a cell"),
        (Counted(), "gives another text for the same table"),
        (Refuses(), "refuses a table that it should hold"),
        (Falls(), "raises IndexError"),
    ],
)
def test_wrong_serializers_fail(serializer: Serializer, said: str) -> None:
    with pytest.raises(AssertionError, match=said):
        check_serializer(serializer)


class FirstRow(Perturbation):
    name = "first_row"

    def perturb(self, table: Table, rng: np.random.Generator) -> Table:
        return Table.flat(["a"], [["b"]])


class Chance(Perturbation):
    name = "chance"
    keeps_content = False

    def perturb(self, table: Table, rng: np.random.Generator) -> Table:
        return Table.flat(["a"], [[str(np.random.default_rng().random())]])


class Unsaid(Perturbation):
    name = "unsaid"
    keeps_content = draws = False

    def perturb(self, table: Table, rng: np.random.Generator) -> Table:
        return Table.flat(["a"], [[str(rng.random())]])


class NoTable(FirstRow):
    def perturb(self, table: Table, rng: np.random.Generator) -> Table:
        return None  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("perturbation", "said"),
    [
        (FirstRow(), "says it keeps content"),
        (Chance(), "another table for the same seed"),
        (Unsaid(), "says it draws nothing, and hangs on the seed"),
        (NoTable(), "gives NoneType, expected a Table"),
    ],
)
def test_wrong_perturbations_fail(perturbation: Perturbation, said: str) -> None:
    with pytest.raises(AssertionError, match=said):
        check_perturbation(perturbation)


def metric(values: Any) -> Any:
    class Made(Metric):
        name = main = "made"

        def scores(self, prediction: str, references: Sequence[str]) -> dict[str, Any]:
            return values(prediction, references)  # type: ignore[no-any-return]

    return Made()


def test_a_metric_that_names_other_scores_than_it_gives() -> None:
    made = metric(lambda p, r: {"made": 1.0, "part": 1.0})
    made.score_names = ("made", "whole")
    with pytest.raises(AssertionError, match=r"\['made', 'part'\]; its score_names are \['made', 'whole'\]"):
        check_metric(made)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (lambda p, r: {"made": len(p)}, "expected a number from 0 to 1"),
        (lambda p, r: {"other": 1.0}, "no score 'made', its main one"),
        (lambda p, r: {"made": 1.0, **({"empty": 1.0} if not p else {})}, "gives other scores"),
        (lambda p, r: {"made": float(np.random.default_rng().random())}, "other values|below the empty"),
        (lambda p, r: {"made": float(p not in r)}, "below the empty answer"),
        (lambda p, r: {"made": 1 / len(p)}, "ZeroDivisionError"),
    ],
)
def test_wrong_metrics_fail(values: Any, said: str) -> None:
    with pytest.raises(AssertionError, match=said):
        check_metric(metric(values))


def test_a_metric_without_the_class_fails() -> None:
    with pytest.raises(AssertionError, match=r"a subclass of torr_plugin\.scoring\.Metric; found object"):
        check_metric(object())  # type: ignore[arg-type]


class Forgets(DefaultDesign):
    name = "forgets"

    def compose(self, asked: Any, demonstrations: Any) -> Any:
        return super().compose(asked, demonstrations[:1])


class Tells(DefaultDesign):
    name = "tells"

    def compose(self, asked: Any, demonstrations: Any) -> Any:
        return super().compose(asked, [*demonstrations, asked])


class Fragile(DefaultDesign):
    name = "fragile"
    steps = (Step("first"), Step("answer", after=("first",)))

    def follow(self, step: Any, asked: Any, demonstrations: Any, answers: Any) -> Any:
        return self.compose(asked, demonstrations) if answers["first"][0] else ()


@pytest.mark.parametrize(
    ("design", "said"),
    [
        (Forgets(), "lacks 'shown1-target'"),
        (Tells(), "holds the answer that is asked"),
        (Fragile(), "step 'answer': IndexError"),
    ],
)
def test_wrong_designs_fail(design: Any, said: str) -> None:
    with pytest.raises(AssertionError, match=said):
        check_design(design)


class Muddled(Joined):
    name = "muddled"

    def parse(self, text: str) -> Table:
        raise KeyError("no such cell")


class Half(Joined):
    name, lossless = "half", False

    def parse(self, text: str) -> Table:
        head, *rows = [line.split("|") for line in text.splitlines()]
        return Table.flat(head, rows[:1])


class Raising(Joined):
    name, lossless = "raising", False

    def parse(self, text: str) -> Table:
        head, *rows = [line.split("|") for line in text.splitlines()]
        return Table.flat(head, rows)


@pytest.mark.parametrize(
    ("serializer", "said"),
    [(Half(), "'half' reads back other texts"), (Raising(), "expected a table or ParseError")],
)
def test_a_parser_that_loses_texts_or_raises_fails(serializer: Serializer, said: str) -> None:
    with pytest.raises(AssertionError, match=said):
        check_serializer(serializer, examples=30)
