"""What the commands show a person: progress and notes on stderr, result tables on stdout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .command import say
from .results import results

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as RichTable

    from .running import Summary
    from .scoring import ScoreReport


def show_summary(analysis: Mapping[str, Any]) -> None:
    """The leaderboard in the terminal: a row a model, best first."""
    from .analysis import summary_rows

    rows = summary_rows(analysis)
    print_rows(rows, left=("model",), narrow=("model",))
    for text in analysis.get("notes", []):
        say_in_columns(text)


def say_in_columns(text: str, width: int = 80) -> None:
    """Say a text that may be long, over as many lines as a terminal of some columns needs."""
    from textwrap import wrap

    for line in wrap(text, width, break_on_hyphens=False):
        say(line)


def show_lines(lines: Sequence[str]) -> None:
    """Lines of a result, below a table of it."""
    results().write("".join(f"{_text(line).plain}\n" for line in ("", *lines)) if lines else "")


def show_scores(report: ScoreReport) -> None:
    """A row a score with its interval; below, the same for each group. Several models are not mixed."""
    several = report.by_model if len(report.by_model) > 1 else {("", ""): report.metrics}
    rows = [
        {**({"model": model, "config": config} if model else {}), **_score_row(metric, figure)}
        for (model, config), figures in several.items()
        for metric, figure in figures.items()
    ]
    names = ("model", "config", "metric")
    print_rows(rows, left=names, narrow=names)
    groups = [
        {"group": group, **_score_row(metric, figure)}
        for group, figures in (report.groups or {}).items()
        for metric, figure in figures.items()
    ]
    print_rows(groups, left=("group", "metric"), narrow=("group", "metric"))


def _score_row(metric: str, figure: Mapping[str, Any]) -> dict[str, Any]:
    shown = {key: f"{figure[key]:.4f}" for key in ("value", "low", "high")}
    normal = "{low:.4f} - {high:.4f}".format(**figure["normal"])
    return {"metric": metric, **shown, "normal interval": normal, "n": figure["n"]}


def show_sections(
    sections: Sequence[tuple[str, Sequence[Mapping[str, Any]]]],
    *,
    left: Sequence[str],
    narrow: Sequence[str] = (),
) -> None:
    """Tables as of :func:`table_of`, each under a line that says what it is of."""
    for number, (title, rows) in enumerate(sections):
        results().write(("\n" if number else "") + title + "\n")
        print_rows(rows, left=left, narrow=narrow)


def show_failures(summary: Summary) -> None:
    """How many requests failed, and where they are listed."""
    say(
        f"{summary.failed} of {summary.requests} requests failed; their errors are in the column error of "
        f"{summary.run}/predictions"
    )


def show_unloaded(summary: Summary) -> None:
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
    from rich.padding import Padding
    from rich.text import Text

    facts = ", ".join(f"{key}: {value}" for key, value in row.items() if key not in {"name", "about"})
    console = _stdout()
    console.print(Text.assemble((str(_text(row["name"])), "bold"), f"  {facts}" if facts else ""))
    console.print(Padding(_text(row["about"]), (0, 0, 0, 4)))


def print_rows(rows: Sequence[Mapping[str, Any]], *, left: Sequence[str], narrow: Sequence[str] = ()) -> None:
    """Print :func:`table_of` the rows; nothing where there are none."""
    if rows:
        _stdout().print(table_of(rows, left=left, narrow=narrow))


def table_of(
    rows: Sequence[Mapping[str, Any]], *, left: Sequence[str], narrow: Sequence[str] = ()
) -> RichTable:
    """A table of rows with the same columns; those in ``left`` are texts, the others numbers.

    Where it is too wide, the columns in ``narrow`` are broken over lines; without any, all but the first.
    """
    from rich.table import Table as RichTable

    table: RichTable = RichTable(
        box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold", show_edge=False
    )
    for column in rows[0]:
        table.add_column(
            column,
            justify="left" if column in left else "right",
            overflow="fold",
            no_wrap=column not in narrow if narrow else column == next(iter(rows[0])),
        )
    for row in rows:
        table.add_row(*[_text(row[column]) for column in rows[0]])
    return table


def clean(text: str) -> str:
    """A text on one line with nothing in it that could drive a terminal."""
    return "".join(char if char.isprintable() else "?" for char in " ".join(text.split()))


def _text(value: Any) -> Any:
    from rich.text import Text

    shown = f"{value:,}" if isinstance(value, int) else str(value)
    return Text(clean(shown))


def _stdout() -> Console:
    from rich.console import Console

    # a pipe has no width: let it be as wide as it needs
    return Console(file=results(), width=None if results().isatty() else 160)
