"""Tables and texts in the terminal: results on stdout, notes on stderr."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..command import say
from ..results import columns, results

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from ...running import RunSummary
    from ...scoring import ScoreReport


def show_summary(analysis: Mapping[str, Any]) -> None:
    """The leaderboard in the terminal: a row a model, best first."""
    from ...analysis import summary_rows

    rows = summary_rows(analysis)
    print_rows(rows, left=("model",))
    for text in analysis.get("notes", []):
        say_in_columns(text)


def say_in_columns(text: str) -> None:
    """Say a text that may be long, over as many lines as the terminal needs; at most 80 columns are read.

    A word that is longer than a line, a path say, stays whole, so that it can be copied.
    """
    import sys
    from textwrap import wrap

    width = min(columns(sys.stderr), 80)
    for line in wrap(text, width, break_long_words=False, break_on_hyphens=False):
        say(line)


def show_lines(lines: Sequence[str]) -> None:
    """Lines of a result, below a table of it."""
    results().write("".join(f"{clean(line)}\n" for line in ("", *lines)) if lines else "")


def show_scores(report: ScoreReport) -> None:
    """A row a score with its interval; below, the same for each group. Several models are not mixed."""
    several = report.by_model if len(report.by_model) > 1 else {("", ""): report.metrics}
    rows = [
        {**({"of": f"{model}, {config}"} if model else {}), **_score_row(metric, figure)}
        for (model, config), figures in several.items()
        for metric, figure in figures.items()
    ]
    print_rows(rows, left=("metric",), under="of" if len(several) > 1 else "")
    groups = [
        {"group": group, **_score_row(metric, figure)}
        for group, figures in (report.groups or {}).items()
        for metric, figure in figures.items()
    ]
    if groups:
        results().write("\n")
    print_rows(groups, left=("metric",), under="group")


def _score_row(metric: str, figure: Mapping[str, Any]) -> dict[str, Any]:
    shown = {key: f"{figure[key]:.4f}" for key in ("value", "low", "high")}
    normal = "[{low:.4f}, {high:.4f}]".format(**figure["normal"])
    return {"metric": metric, **shown, "normal interval": normal, "n": figure["n"]}


def show_sections(
    sections: Sequence[tuple[str, Sequence[Mapping[str, Any]]]],
    *,
    left: Sequence[str],
) -> None:
    """Tables as of :func:`print_rows`, each under a line that says what it is of."""
    for number, (title, rows) in enumerate(sections):
        results().write(("\n" if number else "") + title + "\n")
        print_rows(rows, left=left)


def show_failures(summary: RunSummary) -> None:
    """How many requests failed, and where they are listed."""
    say(
        f"{summary.failed} of {summary.requests} requests failed; their errors are in the column error of "
        f"{summary.run}/predictions"
    )


def show_unloaded(summary: RunSummary) -> None:
    """Which models could not be asked, and why."""
    for reason in summary.unloaded.values():
        say(f"torr: {reason}")


def show_listing(kind: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """The rows of ``torr list``: a table, or where there is a text about each, a paragraph each."""
    if not rows:
        say(f"no {kind}")
    elif "about" not in rows[0]:
        print_rows(rows, left=tuple(rows[0]))
    else:
        for row in rows:
            _print_paragraph(row)


def _print_paragraph(row: Mapping[str, Any]) -> None:
    from textwrap import wrap

    from rich.text import Text

    console, indent = _stdout(), " " * 4
    facts = ", ".join(f"{key}: {shown(value)}" for key, value in row.items() if key not in {"name", "about"})
    console.print(Text(shown(row["name"]), style="bold"), soft_wrap=True)
    for text in filter(None, (facts, shown(row["about"]))):
        lines = wrap(text, console.width, initial_indent=indent, subsequent_indent=indent)
        console.print(Text("\n".join(lines)), soft_wrap=True)


def print_rows(rows: Sequence[Mapping[str, Any]], *, left: Sequence[str], under: str = "") -> None:
    """Print a table of rows, as :func:`.console_table.table_lines`; nothing where there are none.

    With ``under`` the value of that column stands above the rows that have it, in place of a column.
    """
    if not rows:
        return
    console = _stdout()
    if under:
        lines = grouped_lines(rows, under=under, left=left, width=console.width)
    else:
        lines = table_lines(rows, left=left, width=console.width)
    console.print(table_text(lines), soft_wrap=True)


def table_text(lines: Sequence[str]) -> Text:
    """The lines of a table, the headings in bold."""
    from rich.text import Text

    head, *body = lines
    return Text("\n").join([Text(head, style="bold"), *map(Text, body)])


def _stdout() -> Console:
    from rich.console import Console

    return Console(file=results(), width=columns())


_GAP = 2
_FEWEST = 8

Drawn = list[list[str]]
"""For the headings and for each row, its lines."""


class _Column(NamedTuple):
    """A column as it is drawn: its heading and cells, how wide it is, on which side its texts stand."""

    cells: Sequence[str]
    width: int
    left: bool


def table_lines(rows: Sequence[Mapping[str, Any]], *, left: Sequence[str], width: int) -> list[str]:
    """A line of headings, then the rows; none is wider than ``width`` unless the figures alone are.

    Where all does not fit, figures move closer together; else texts are broken between words; then a name in
    the first column that is too long stands whole on a line above its figures, so that it can be copied and
    searched for; only then are words broken. Figures never are.

    Args:
        rows: with the same keys, which are the headings; whole numbers are written with commas.
        left: the columns of texts, which may be broken; those of figures stand to the right.
        width: in columns of a terminal, of which a Chinese character takes two.
    """
    return [line for lines in _drawn(rows, left, width) for line in lines]


def grouped_lines(
    rows: Sequence[Mapping[str, Any]],
    *,
    under: str,
    left: Sequence[str],
    width: int,
) -> list[str]:
    """:func:`table_lines` without the column ``under``: its value stands above the rows that have it."""
    inner = [{name: value for name, value in row.items() if name != under} for row in rows]
    head, *drawn = _drawn(inner, left, width - _GAP)
    lines, before = _indented(head), ""
    for row, own in zip(rows, drawn, strict=True):
        group = shown(row[under])
        if group != before:
            lines += _chopped(group, width)
        lines += _indented(own)
        before = group
    return lines


def shown(value: Any) -> str:
    """A cell's text: a whole number with commas, anything else on one line."""
    return clean(f"{value:,}" if isinstance(value, int) else str(value))


def clean(text: str) -> str:
    """A text on one line with nothing in it that could drive a terminal."""
    return "".join(char if char.isprintable() else "?" for char in " ".join(text.split()))


def _drawn(rows: Sequence[Mapping[str, Any]], left: Sequence[str], width: int) -> Drawn:
    names = list(rows[0])
    cells = {name: [name, *(shown(row[name]) for row in rows)] for name in names}
    gap = _gap(cells, left, width)
    widths = _widths(cells, left, width - gap * (len(names) - 1))
    columns = [_Column(cells[name], widths[name], name in left) for name in names]
    return [_row(columns, at, width, gap) for at in range(len(rows) + 1)]


def _gap(cells: Mapping[str, Sequence[str]], left: Sequence[str], width: int) -> int:
    """The space between columns: less of it, where all fits then and no two columns of texts meet."""
    needed = sum(max(map(_wide, of_column)) for of_column in cells.values())
    gaps, texts = len(cells) - 1, sum(name in left for name in cells)
    return 1 if texts <= 1 and needed + gaps <= width < needed + _GAP * gaps else _GAP


def _widths(cells: Mapping[str, Sequence[str]], left: Sequence[str], room: int) -> dict[str, int]:
    """How wide each column is, with so much room for all together."""
    first, *others = cells
    texts = [name for name in others if name in left]
    widths = {name: max(map(_wide, texts_of)) for name, texts_of in cells.items()}
    words = {
        name: max(_wide(word) for cell in cells[name] for word in cell.split() or [""]) for name in texts
    }
    _shrink(widths, words, room)
    if first in left:
        rest = room - sum(widths[name] for name in others)
        widths[first] = max(_wide(cell) for cell in cells[first] if _wide(cell) <= max(rest, _wide(first)))
    _shrink(widths, {name: max(_FEWEST, _wide(name)) for name in texts}, room)
    return widths


def _shrink(widths: dict[str, int], least: Mapping[str, int], room: int) -> None:
    """Take from the widest columns that have more than their least, until all fit or none has."""
    while sum(widths.values()) > room:
        name = max(least, key=lambda each: (widths[each] > least[each], widths[each]), default=None)
        if name is None or widths[name] <= least[name]:
            return
        widths[name] -= 1


def _row(columns: Sequence[_Column], at: int, width: int, gap: int) -> list[str]:
    """The lines of a row; before them its name, where that has no room in its column."""
    first, *others = columns
    name = first.cells[at]
    alone = _wide(name) > first.width
    pieces = [[""] if alone else [name], *(_broken(each.cells[at], each.width) for each in others)]
    lines = [
        (" " * gap)
        .join(
            _placed(own[number] if number < len(own) else "", column)
            for own, column in zip(pieces, columns, strict=True)
        )
        .rstrip()
        for number in range(max(map(len, pieces)))
    ]
    return [*(_chopped(name, width) if alone else ()), *lines]


def _placed(text: str, column: _Column) -> str:
    blank = " " * (column.width - _wide(text))
    return text + blank if column.left else blank + text


def _broken(text: str, width: int) -> list[str]:
    """A text in lines of at most so many columns, broken between words where that can be."""
    lines = [""]
    for word in text.split():
        for number, piece in enumerate(_chopped(word, width)):
            joined = piece if number or not lines[-1] else f"{lines[-1]} {piece}"
            if number or _wide(joined) > width:
                lines.append(piece)
            else:
                lines[-1] = joined
    return lines


def _chopped(text: str, width: int) -> list[str]:
    from rich.cells import chop_cells

    return chop_cells(text, width) or [""]


def _wide(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"{' ' * _GAP}{line}".rstrip() for line in lines]


_MOST_COLUMNS = 80


def show_plugins(rows: Sequence[Mapping[str, str]]) -> None:
    """A paragraph a plugin: its name and package, then a line a kind of what it brought, or its problem."""
    if not rows:
        say("no plugins; docs/plugins.md says how to write one")
    width = min(columns(), _MOST_COLUMNS)
    results().write("".join(f"{line}\n" for row in rows for line in _paragraph(row, width)))


def _paragraph(row: Mapping[str, str], width: int) -> list[str]:
    from textwrap import wrap

    told = [row["problem"]] if row["problem"] else (row["adds"] or "nothing").split("; ")
    body = [
        line
        for text in told
        for line in wrap(
            clean(text), width, initial_indent="    ", subsequent_indent="      ", break_on_hyphens=False
        )
    ]
    package = "" if row["package"] == "unknown" else f" ({row['package']} {row['version']})"
    return [clean(f"{row['name']}{package}"), *body]
