"""Checks for authors of plugins, to be called in their own tests.

Each raises AssertionError with what is wrong. Hypothesis makes the tables, and is imported when a check runs:
``pip install hypothesis``::

    from torr_plugin.testing import check_serializer

    def test_my_format():
        check_serializer(MyFormat())
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from .core.errors import InputError
from .plugins import registered
from .tables import SerializationError

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from .prompts import Design, Prompt, Shown
    from .scoring.metrics import Metric
    from .tables import Table
    from .tables.perturbations import Perturbation
    from .tables.serializers import Serializer

Made = TypeVar("Made")

__all__ = ["check_design", "check_metric", "check_perturbation", "check_serializer", "registered"]


def fails(wrong: bool, said: str) -> None:
    """End a check.

    Raises:
        AssertionError: with what is wrong.
    """
    if wrong:
        raise AssertionError(said)


def for_tables(check: Callable[[Table], None], examples: int) -> None:
    """Run a check on tables: some plain ones, then made ones."""
    from .tables.strategies import tables

    for table in _plain_tables():
        check(table)
    _for_made(tables(), check, examples)


def _for_made(strategy: SearchStrategy[Made], check: Callable[[Made], object], examples: int) -> None:
    """Run a check on what Hypothesis makes, the same each time; it shows the smallest that fails."""
    from hypothesis import HealthCheck, Phase, given, settings

    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=True,
        phases=(Phase.generate, Phase.shrink),
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def each(made: Made) -> None:
        check(made)

    each()


def _plain_tables() -> Iterator[Table]:
    """What most mistakes show on: an ordinary table, one cell, marks of formats in cells, nested headers."""
    from .tables import Cell, Table

    yield Table.flat(["Name", "Age"], [["Sophia", "26"], ["Ben", "31"], ["Ada", "19"]])
    yield Table.flat(["a"], [["b"]])
    yield Table.flat(["a|b", 'c,"d"'], [["1\n2", ""], [" x ", "<br>&amp;\\"]], title="A # title", notes=["n"])
    head = (Cell("Region"), Cell("Sales", 1, 2)), (Cell(""), Cell("2023"), Cell("2024"))
    body = (Cell("North"), Cell("1"), Cell("2")), (Cell("South"), Cell("3"), Cell("4"))
    yield Table((*head, *body), header_rows=2, header_columns=1)
    yield Table.flat(["Year", "Year"], [["first", "second"], ["third", "fourth"]])


def check_serializer(serializer: Serializer, *, examples: int = 100) -> None:
    """Check a format on made tables: flat and nested ones, with any text in their cells.

    It gives text, the same for the same table, that holds the texts of all cells (so far as they are letters
    and digits, and no value of another kind); it may refuse a table by ``SerializationError`` alone, and the
    plainest not at all; the table stays as it was. One that is ``lossless`` refuses nothing, and reads back
    what it wrote; another ``parse`` reads back the texts of a plain table, and refuses any text by
    ``ParseError`` alone. A format may leave out titles and notes, though ours do not.

    Args:
        serializer: the format.
        examples: tables to be tried.

    Raises:
        AssertionError: what it does not keep, and a table on which it does not.
    """
    from .tables import Table
    from .tables.serializers import Serializer as Base

    fails(not getattr(serializer, "name", ""), "a serializer has a name of its own; found none")
    _check(serializer, Table.flat(["Name", "Age"], [["Sophia", "26"]]), must=True)
    for_tables(lambda table: _check(serializer, table, must=serializer.lossless), examples)
    if type(serializer).parse is not Base.parse:
        _check_parse(serializer, examples)


def _check_parse(serializer: Serializer, examples: int) -> None:
    from hypothesis import strategies as st

    from .tables import Table

    plain = Table.flat(["Name", "City"], [["Sophia", "Rome"], ["Ben", "Oslo"]])
    text = serializer.serialize(plain)
    back = _parsed(serializer, text)
    fails(
        back is None or _texts(back) != _texts(plain),
        f"{serializer.name!r} reads back other texts: {plain!r} as {text!r}",
    )

    pieces = st.sampled_from([*text.splitlines(), "- ", "2001-99-99", ","])
    others = st.text() | st.lists(pieces).map("".join)
    _for_made(others, lambda other: _parsed(serializer, other), examples)


def _parsed(serializer: Serializer, text: str) -> Table | None:
    """The table in a text; None where the format refuses it."""
    try:
        return serializer.parse(text)
    except InputError:
        return None
    except Exception as error:
        raise AssertionError(
            f"{serializer.name!r} reads {text!r} and raises {type(error).__name__}: {error}; "
            "expected a table or ParseError"
        ) from error


def _check(serializer: Serializer, table: Table, *, must: bool) -> None:
    name = serializer.name
    try:
        text = serializer.serialize(table)
    except SerializationError as refusal:
        fails(must, f"{name!r} refuses a table that it should hold ({refusal}): {table!r}")
        return
    except Exception as error:
        raise AssertionError(
            f"{name!r} raises {type(error).__name__}: {error}; expected text or SerializationError: {table!r}"
        ) from error
    fails(not isinstance(text, str), f"{name!r} gives {type(text).__name__}, expected text: {table!r}")
    fails(serializer.serialize(table) != text, f"{name!r} gives another text for the same table: {table!r}")
    for cell in (cell for row in table.rows for cell in row):
        plain = cell.raw == cell.text and cell.text.isascii() and cell.text.isalnum()
        dropped = plain and cell.text not in text
        fails(dropped, f"{name!r} drops the text {cell.text!r} of a cell: {table!r} as {text!r}")
    if serializer.lossless:
        _check_back(serializer, table, text)


def _check_back(serializer: Serializer, table: Table, text: str) -> None:
    name = serializer.name
    try:
        back = serializer.parse(text)
    except Exception as error:
        raise AssertionError(
            f"{name!r} says it is lossless, and cannot read what it wrote: "
            f"{type(error).__name__}: {error}: {text!r}"
        ) from error
    fails(
        back != table,
        f"{name!r} says it is lossless, and reads back another table: {table!r} as {text!r} is {back!r}",
    )


_SEEDS = (0, 1)


def check_perturbation(perturbation: Perturbation, *, examples: int = 100) -> None:
    """Check a perturbation on made tables.

    It gives a table, for the same seed the same, and leaves the one it was given alone. With
    ``keeps_content`` no text comes or goes. Without ``draws`` nothing hangs on the seed, and no word is
    renamed.

    Args:
        perturbation: the change.
        examples: tables to be tried.

    Raises:
        AssertionError: what it does not keep, and a table on which it does not.
    """
    fails(not getattr(perturbation, "name", ""), "a perturbation has a name of its own; found none")
    for_tables(lambda table: _check_perturbations(perturbation, table), examples)


def _check_perturbations(perturbation: Perturbation, table: Table) -> None:
    from .tables import Table

    name, before = perturbation.name, repr(table)
    made = [_perturbed(perturbation, table, seed) for seed in _SEEDS]
    for one in made:
        fails(not isinstance(one, Table), f"{name!r} gives {type(one).__name__}, expected a Table: {table!r}")
    fails(repr(table) != before, f"{name!r} changes the table that it was given: {before}")
    again = _perturbed(perturbation, table, _SEEDS[0])
    fails(again != made[0], f"{name!r} gives another table for the same seed: {table!r}")
    if perturbation.keeps_content:
        for one in made:
            changed = _texts(table) != _texts(one)
            fails(changed, f"{name!r} says it keeps content, and texts come or go: {table!r} is {one!r}")
    if not perturbation.draws:
        fails(made[0] != made[1], f"{name!r} says it draws nothing, and hangs on the seed: {table!r}")
        renames = perturbation.renames(table, _rng(0))
        fails(bool(renames), f"{name!r} says it draws nothing, and renames words: {dict(renames)!r}")


def _perturbed(perturbation: Perturbation, table: Table, seed: int) -> Table:
    try:
        return perturbation.perturb(table, _rng(seed))
    except Exception as error:
        raise AssertionError(
            f"{perturbation.name!r} raises {type(error).__name__}: {error}; expected a table for {table!r}"
        ) from error


def _rng(seed: int):  # type: ignore[no-untyped-def]  # numpy's, which is heavy
    from .core.seeds import generator

    return generator(seed, "testing")


def _texts(table: Table) -> Counter[str]:
    """The texts by how often they stand there; empty ones do not count."""
    return Counter(cell.text for row in table.rows for cell in row if cell.text)


_SAID = ("", "Sophia", "no idea\n\nat all {table} <b>")


def check_design(design: Design) -> None:
    """Check a design on examples with none, one and three demonstrations.

    Every prompt of the last step holds the table and the question that are asked, and the demonstrations'
    answers, but not the answer itself; the same is asked the same. One of several steps has a prompt for
    each, whatever the model said before.

    Args:
        design: the design or strategy.

    Raises:
        AssertionError: what it does not keep.
    """
    from .prompts import check_design

    fails(not getattr(design, "name", ""), "a design has a name of its own; found none")
    try:
        check_design(design)
    except ValueError as error:
        raise AssertionError(str(error)) from error
    for count in (0, 1, 3):
        for said in _SAID:
            _check_designs(
                design, _shown("asked"), [_shown(f"shown{number}") for number in range(count)], said
            )


def _check_designs(design: Design, asked: Shown, demonstrations: list[Shown], said: str) -> None:
    prompts = list(_prompts(design, asked, demonstrations, said))
    fails(prompts != list(_prompts(design, asked, demonstrations, said)), f"{design.name!r} asks at random")
    text = "\n".join(message.content for message in prompts[-1])
    for part in ("asked-cell", "asked-question", *(each.target for each in demonstrations)):
        fails(part not in text, f"{design.name!r}: the prompt of its last step lacks {part!r}: {text!r}")
    fails(asked.target in text, f"{design.name!r}: the prompt holds the answer that is asked: {text!r}")


def _prompts(design: Design, asked: Shown, demonstrations: list[Shown], said: str) -> Iterator[Prompt]:
    from .prompts.message import check_prompt

    for step in design.steps:
        answers = dict.fromkeys(step.after, said)
        try:
            if step.after:
                prompt = design.follow(step, asked, demonstrations, answers)
            elif len(design.steps) > 1:
                prompt = design.begin(step, asked, demonstrations)
            else:
                prompt = design.compose(asked, demonstrations)
            check_prompt(prompt)
        except Exception as error:
            raise AssertionError(
                f"{design.name!r}: step {step.name!r}: {type(error).__name__}: {error}; expected a prompt"
            ) from error
        yield prompt


def _shown(name: str) -> Shown:
    from .prompts import Shown
    from .tables import Table

    written = f"| {name}-cell |"
    source = f"Table:\n{written}\n\nQuestion: {name}-question"
    table = Table.flat([f"{name}-header"], [[f"{name}-cell"]])
    return Shown("Answer.", source, "Answer: ", f"{name}-target", written=written, table=table)


_ANSWERS = ("", " ", "Paris", "paris.", "42", "-1,234.5", "1 | 2 || 3", "NaN", "א\n\t🏳️‍🌈", "x" * 20_000)
_REFERENCES = (["Paris"], ["42"], ["1", "1.0"], [""], ["{a | b}"])


def check_metric(metric: Metric, *, facts: Mapping[str, str] | None = None) -> None:
    """Check a metric on odd answers: scores in [0, 1], always the same names, ``main`` among them, no chance.

    A reference itself scores at least as much as the empty answer.

    Args:
        metric: the metric.
        facts: for one that ``needs`` any; their values hold for every reference that is tried.

    Raises:
        AssertionError: what it does not keep, with the answer and the references.
    """
    from .scoring.metrics import needs_of, score_names_of

    fails(not getattr(metric, "name", ""), "a metric has a name of its own; found none")
    absent = [name for name in needs_of(metric) if name not in (facts or {})]
    fails(bool(absent), f"{metric.name!r} needs the facts {absent}; give check_metric values for them")
    names: list[str] | None = None
    for references in _REFERENCES:
        empty = _scores(metric, "", references, facts)
        for answer in (*_ANSWERS, *references):
            scores = _scores(metric, answer, references, facts)
            names = names or list(scores)
            where = f"on {answer[:40]!r} for {references!r}"
            fails(
                list(scores) != names,
                f"{metric.name!r} gives other scores {where}: {list(scores)}, not {names}",
            )
            fails(
                len(score_names_of(metric)) > 1 and list(score_names_of(metric)) != names,
                f"{metric.name!r} gives {names}; its score_names are {list(score_names_of(metric))}",
            )
            fails(metric.main not in scores, f"{metric.name!r} gives no score {metric.main!r}, its main one")
            again = _scores(metric, answer, references, facts)
            fails(
                json.dumps(again) != json.dumps(scores),
                f"{metric.name!r} gives other values when asked again",
            )
            worse = answer in references and answer != "" and scores[metric.main] < empty[metric.main]
            fails(worse, f"{metric.name!r} scores the reference below the empty answer {where}")


def _scores(
    metric: Metric, answer: str, references: list[str], facts: Mapping[str, str] | None
) -> dict[str, Any]:
    from .scoring.metrics import check_scores, rate

    try:
        scores = rate(metric, answer, references, facts or {})
        check_scores(scores)
    except Exception as error:
        raise AssertionError(
            f"{metric.name!r} on {answer[:40]!r} for {references!r}: {type(error).__name__}: {error}"
        ) from error
    return dict(scores)
