"""Tables made by Hypothesis, and checks for authors of plugins to be called in their own tests.

A check raises AssertionError with what is wrong. All of it needs Hypothesis: ``pip install hypothesis``::

    from torr_plugin.testing import check_serializer

    def test_my_format():
        check_serializer(MyFormat())
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from .core.errors import InputError
from .core.seeds import generator
from .plugins import registered
from .tables import Cell, Perturbation, Scalar, SerializationError, Serializer, Table

if TYPE_CHECKING:
    from .prompts import Design, Prompt, Shown
    from .scoring.metrics import Metric

Made = TypeVar("Made")

__all__ = [
    "check_design",
    "check_metric",
    "check_perturbation",
    "check_serializer",
    "flat_tables",
    "hierarchical_tables",
    "registered",
    "scalars",
    "spanned_rows",
    "tables",
    "texts",
]

_WORDS = (
    "Male",
    "Female",
    "Doha",
    "Al Khor",
    "2019",
    "2020/2021",
    "Q1",
    "Total",
    "x, y",
    'a "b"',
    "#1",
    "é",
    "1",
)
_LAYOUTS = ("plain", "new", "indent", "labels")


@dataclass(frozen=True)
class _Node:
    label: str
    children: tuple[_Node, ...] = ()

    @property
    def leaves(self) -> int:
        return sum(child.leaves for child in self.children) or 1

    @property
    def depth(self) -> int:
        return 1 + max((child.depth for child in self.children), default=0)


@st.composite
def hierarchical_tables(
    draw: st.DrawFn,
    layouts: tuple[str, ...] = _LAYOUTS,
    blank_corner: bool | None = None,
    labels: st.SearchStrategy[str] | None = None,
) -> Table:
    """Tables whose headers are trees, balanced or not, with aggregates at the edges; no label is empty.

    Args:
        draw: hypothesis's.
        layouts: of the rows: ``plain`` (one header column), ``new`` (parents in columns of their own, over
            their children's rows), ``indent`` (a parent's row, then its children behind an empty cell),
            ``labels`` (groups under a row of one cell that spans the table).
        blank_corner: whether the corner is one empty cell; else it is one label a header column. Drawn where
            None.
        labels: what labels are drawn from.
    """
    words = st.sampled_from(_WORDS) if labels is None else labels
    columns = draw(_forest(words, levels=3))
    layout = draw(st.sampled_from(layouts))
    rows = draw(_forest(words, levels=1 if layout == "plain" else 2 if layout == "labels" else 3))
    height = max(node.depth for node in columns)
    width = 1 if layout in ("plain", "labels") else max(node.depth for node in rows)
    blank = draw(st.booleans()) if blank_corner is None else blank_corner
    lines = _head(columns, height)
    lines[0][:0] = [Cell("", height, width)] if blank else [Cell(draw(words), height) for _ in range(width)]
    sides = [line for node in rows for line in _SIDES[layout](node, width)]
    n_columns = sum(node.leaves for node in columns)
    for side in sides:
        values = draw(st.lists(_VALUES, min_size=n_columns, max_size=n_columns))
        is_label = layout == "labels" and side[0].colspan != 1
        lines.append([Cell(side[0].text, 1, width + n_columns)] if is_label else [*side, *map(Cell, values)])
    return Table(tuple(map(tuple, lines)), header_rows=height, header_columns=width)


_VALUES = st.one_of(st.integers(0, 5000).map(str), st.sampled_from(["12.50", "1,204", "-3", "7 %"]))


@st.composite
def _forest(draw: st.DrawFn, words: st.SearchStrategy[str], levels: int) -> tuple[_Node, ...]:
    roots = list(draw(st.lists(_nodes(words, levels), min_size=1, max_size=3)))
    place = draw(st.sampled_from(["none", "first", "last"]))
    if place != "none":
        roots.insert(0 if place == "first" else len(roots), _Node("Total"))
    return tuple(roots)


@st.composite
def _nodes(draw: st.DrawFn, words: st.SearchStrategy[str], levels: int) -> _Node:
    label = draw(words)
    if levels == 1 or draw(st.integers(0, 3)) == 0:
        return _Node(label)
    return _Node(label, tuple(draw(st.lists(_nodes(words, levels - 1), min_size=1, max_size=3))))


def _head(roots: tuple[_Node, ...], height: int) -> list[list[Cell]]:
    lines: list[list[Cell]] = [[] for _ in range(height)]

    def place(node: _Node, level: int) -> None:
        lines[level].append(Cell(node.label, 1 if node.children else height - level, node.leaves))
        for child in node.children:
            place(child, level + 1)

    for root in roots:
        place(root, 0)
    return lines


def _beside(node: _Node, width: int) -> list[list[Cell]]:
    """Parents to the left of their children, over all of their rows; a leaf reaches to the values."""
    if not node.children:
        return [[Cell(node.label, 1, width)]]
    lines = [line for child in node.children for line in _beside(child, width - 1)]
    return [[Cell(node.label, len(lines)), *lines[0]], *lines[1:]]


def _indented(node: _Node, width: int) -> list[list[Cell]]:
    """A parent in a row of its own, its children below it behind an empty cell."""
    below = [line for child in node.children for line in _indented(child, width - 1)]
    return [[Cell(node.label, 1, width)], *[[Cell(""), *line] for line in below]]


def _labelled(node: _Node, _: int) -> list[list[Cell]]:
    """A parent in a row of its own (marked by its span), its children in rows below."""
    if not node.children:
        return [[Cell(node.label)]]
    return [[Cell(node.label, 1, 2)], *[[Cell(child.label)] for child in node.children]]


_SIDES = {
    "plain": lambda node, _: [[Cell(node.label)]],
    "new": _beside,
    "indent": _indented,
    "labels": _labelled,
}

# texts that break one format or another, by kind
NASTY = (
    *("", " ", "  ", "a", "a b", " a", "a ", "a  b", "\t", "a\tb", "\n", "a\nb", "a \n b", "\r", "\r\n"),
    *("\u00a0", "\u00a0a", "\u2028", "\x85", "\x0b", "\x0c", "\x1c", "\u200b", "\ufeff", "\u0301", "\x7f"),
    *("|", "a|b", "||", "a | b", "\\", "\\|", "\\n", "a\\", "---", ":---:", "<br>", "<BR/>", "\\<br>", "&"),
    *("&amp;", "&#32;", "&#10", "&nbsp;", "<td>", "</table>", "<!-- x -->", "-->", "--\\>", "<", ">", "<b>&"),
    *('"', '""', "'", '"a"', ",", 'a,"b"', "#", "# title: x", "# header rows: 2", "#a", "{", "[]", "null"),
    *("col : ", "col :", "row 1 : ", "row 1 :", " row 2 : x", "row", "row 1", ": a", ":", "col", "\\:"),
    *("1", "-1", "1.0", "1e5", "NaN", "None", "True", "0x1", "\u0661", "A1:B1", "__", "e\u0301", "\ufffe"),
    *("שלום", "日本語", "🏳️‍🌈", "é", "İ", "&lt", "&#0;", "a\r\nb", "row 10 : |"),
)  # fmt: skip


def texts() -> st.SearchStrategy[str]:
    """Cell texts: troublesome ones, and any Unicode but NUL, which HTML forbids."""
    letters = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
    pieces = st.sampled_from(NASTY)
    return st.one_of(
        pieces, st.text(letters, max_size=8), st.lists(pieces, min_size=2, max_size=3).map("".join)
    )


def scalars() -> st.SearchStrategy[Scalar]:
    """Raw values as data sets hold them: texts, numbers (infinite ones too), booleans, ``None``."""
    numbers = st.one_of(
        st.integers(-(2**40), 2**40), st.floats(width=32, allow_nan=False), st.booleans(), st.none()
    )
    return st.one_of(texts(), texts(), numbers)


def cells() -> st.SearchStrategy[Cell]:
    """Cells that cover one place."""
    return scalars().map(Cell.of)


@st.composite
def flat_tables(draw: st.DrawFn, max_rows: int = 4, max_columns: int = 4, notes: bool = True) -> Table:
    """Tables of one header row, no header column and no spans, with numbers among the cells."""
    width = draw(st.integers(1, max_columns))
    header: list[Scalar] = list(draw(st.lists(texts(), min_size=width, max_size=width)))
    rows = draw(st.lists(st.lists(scalars(), min_size=width, max_size=width), min_size=1, max_size=max_rows))
    return Table.flat(header, rows, **(draw(_surroundings()) if notes else {}))


@st.composite
def tables(draw: st.DrawFn, max_rows: int = 5, max_columns: int = 5) -> Table:
    """Any table: merged cells (across the header's edges too), header depth on both axes, title, notes."""
    if draw(st.integers(0, 3)) == 0:
        return draw(flat_tables())
    height, width = draw(st.integers(1, max_rows)), draw(st.integers(1, max_columns))
    return Table(
        draw(spanned_rows(height, width)),
        header_rows=draw(st.integers(0, height - 1)),
        header_columns=draw(st.integers(0, width - 1)),
        **draw(_surroundings()),
    )


@st.composite
def spanned_rows(draw: st.DrawFn, height: int, width: int) -> tuple[tuple[Cell, ...], ...]:
    """Rows that fill a rectangle with cells of random spans; a row that is covered whole is empty."""
    merges = draw(st.booleans())
    free = [[True] * width for _ in range(height)]
    rows: list[tuple[Cell, ...]] = []
    for r in range(height):
        row = []
        for c in range(width):
            if not free[r][c]:
                continue
            room = next((i for i in range(c, width) if not free[r][i]), width) - c
            across = draw(st.integers(1, room)) if merges else 1
            down = draw(st.integers(1, height - r)) if merges else 1
            for i in range(r, r + down):
                free[i][c : c + across] = [False] * across
            value = draw(scalars())
            row.append(Cell.of(value, down, across))
        rows.append(tuple(row))
    return tuple(rows)


def _surroundings() -> st.SearchStrategy[dict[str, Any]]:
    plain: dict[str, Any] = {}
    filled = st.fixed_dictionaries({"title": texts(), "notes": st.lists(texts(), max_size=2).map(tuple)})
    return st.one_of(st.just(plain), filled)


def fails(wrong: bool, said: str) -> None:
    """End a check.

    Raises:
        AssertionError: with what is wrong.
    """
    if wrong:
        raise AssertionError(said)


def for_tables(check: Callable[[Table], None], examples: int) -> None:
    """Run a check on tables: some plain ones, then made ones."""
    for table in _plain_tables():
        check(table)
    _for_made(tables(), check, examples)


def _for_made(strategy: st.SearchStrategy[Made], check: Callable[[Made], object], examples: int) -> None:
    """Run a check on what Hypothesis makes, the same each time; it shows the smallest that fails."""

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
    fails(not getattr(serializer, "name", ""), "a serializer has a name of its own; found none")
    _check(serializer, Table.flat(["Name", "Age"], [["Sophia", "26"]]), must=True)
    for_tables(lambda table: _check(serializer, table, must=serializer.lossless), examples)
    if type(serializer).parse is not Serializer.parse:
        _check_parse(serializer, examples)


def _check_parse(serializer: Serializer, examples: int) -> None:
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
        back.texts_only != table.texts_only,
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
    from .scoring.metrics import Metric

    fails(
        not isinstance(metric, Metric),
        f"a metric is an instance of a subclass of torr_plugin.scoring.Metric; found {type(metric).__name__}",
    )
    fails(not getattr(metric, "name", ""), "a metric has a name of its own; found none")
    absent = [name for name in metric.needs if name not in (facts or {})]
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
                bool(metric.score_names) and list(metric.score_names) != names,
                f"{metric.name!r} gives {names}; its score_names are {list(metric.score_names)}",
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
    from .scoring.example_scores import check_scores, rate

    try:
        scores = rate(metric, answer, references, facts or {})
        check_scores(scores)
    except Exception as error:
        raise AssertionError(
            f"{metric.name!r} on {answer[:40]!r} for {references!r}: {type(error).__name__}: {error}"
        ) from error
    return dict(scores)
