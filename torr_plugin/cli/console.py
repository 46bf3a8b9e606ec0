"""What the commands show a person: progress and notes on stderr, result tables on stdout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .command import say
from .console_table import clean, grouped_lines, shown, table_lines
from .results import columns, results

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from ..running import Summary
    from ..scoring import ScoreReport


def show_summary(analysis: Mapping[str, Any]) -> None:
    """The leaderboard in the terminal: a row a model, best first."""
    from ..analysis import summary_rows

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
