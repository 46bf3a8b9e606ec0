"""Results of commands as a person reads them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ... import analysis
from ...core.errors import counted
from ...workflows.listing import KINDS, advice
from ..command import say
from ..results import MOST_COLUMNS, clean, columns, results
from .tables import Rows, cell_text, print_rows, say_in_columns, show_sections, stdout

if TYPE_CHECKING:
    from ...analysis import AnalysisResults
    from ...scoring import ScoreReport

_COLOURS = {"error": "bold red", "warning": "yellow", "note": "dim"}


def show_summary(found: AnalysisResults | Mapping[str, Any]) -> None:
    """Show the leaderboard: a row a model, best first."""
    rows = analysis.summary_rows(found)
    print_rows(rows, left=("model",))
    if any("*" in row["performance"] for row in rows):
        results().write("* some cells have no score: `holes` in analysis.json names them\n")
    results().write("".join(f"{clean(line)}\n" for line in analysis.remarks(found)))
    for text in found.get("notes", ()) if isinstance(found, Mapping) else found.notes:
        say_in_columns(text)


def show_scores(report: ScoreReport) -> None:
    """Show a row a score with its interval, by model; below, the same by group."""
    several = len(report.by_model) > 1
    rows = [
        {**_of(of), **_score_row(metric, figure)}
        for of, figures in (report.by_model if several else {None: report.metrics}).items()
        for metric, figure in figures.items()
    ]
    print_rows(rows, left=("of", "group", "metric"))
    groups = [
        {**_of(of), "group": group, **_score_row(metric, figure)}
        for of, found in (report.groups_by_model if several else {None: report.groups}).items()
        for group, figures in found.items()
        for metric, figure in figures.items()
    ]
    if groups:
        results().write("\n")
    print_rows(groups, left=("of", "group", "metric"))


def _of(model: tuple[str, str] | None) -> dict[str, str]:
    """The first column of a table of several models and configurations."""
    return {} if model is None else {"of": ", ".join(model)}


def _score_row(metric: str, figure: Mapping[str, Any]) -> dict[str, Any]:
    shown = {key: f"{figure[key]:.4f}" for key in ("value", "low", "high")}
    low, high = figure["normal"]["low"], figure["normal"]["high"]
    # a formula that promises scores beyond 0 and 1 says nothing here
    normal = f"[{low:.4f}, {high:.4f}]" if low >= 0 and high <= 1 else ""
    row = {"metric": metric, **shown, "normal interval": normal, "n": figure["n"]}
    if "design_effect" not in figure:
        return row
    effect = figure["design_effect"]
    return {**row, "deff": "" if effect is None else f"{effect:.2f}"}  # narrow: a terminal has 80 columns


def show_listing(kind: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Show the rows of ``torr list``: a table; or a paragraph each, where they have a text ``about``."""
    if not rows:
        say(f"no {kind}")
    elif "about" not in rows[0]:
        print_rows(rows, left=tuple(rows[0]))
    else:
        for row in rows:
            facts = [f"{key}: {cell_text(row[key])}" for key in row if key not in {"name", "about"}]
            _print_paragraph(row["name"], [", ".join(facts), row["about"]])


def show_metrics(rows: Rows) -> None:
    """Show a line a metric: what it gives and whose it is."""
    lines = [
        {"metric": row["name"], "what it gives": row["about"].rstrip("."), "whose": row["source"]}
        for row in rows
    ]
    print_rows(lines, left=("metric", "what it gives", "whose"))
    say_in_columns(
        "docs/metrics.md has formulas, papers and examples. unitxt:metrics.NAME is unitxt's own metric NAME."
    )


def _print_paragraph(title: str, texts: Iterable[str]) -> None:
    console, width = stdout(), min(columns(), MOST_COLUMNS)
    console.print(Text(clean(title), style="bold"), soft_wrap=True)
    for text in texts:
        lines = wrap(
            clean(text), width, initial_indent="    ", subsequent_indent="      ", break_on_hyphens=False
        )
        if lines:
            console.print(Text("\n".join(lines)), soft_wrap=True)


def show_models(rows: Rows) -> None:
    """Show the rows of ``torr models``, a table a kind."""
    sections = [
        (
            title,
            [
                {
                    "model": row["name"],
                    "here": "yes" if row["installed"] else "no",
                    "to install, or to know": advice(row),
                }
                for row in rows
                if row["kind"] == kind
            ],
        )
        for kind, title in KINDS.items()
    ]
    show_sections([each for each in sections if each[1]], left=("model", "here", "to install, or to know"))
    if any("'.[" in (row["install"] or "") for row in rows):
        say_in_columns("Run pip install '.[...]' in a checkout of torr-plugin.")
    say_in_columns("Arguments are lm-eval's: --model hf --model-args pretrained=...")


def show_plugins(rows: Sequence[Mapping[str, str]]) -> None:
    """Show a paragraph a plugin: name and package, then what it brought by kind, or its problem."""
    if not rows:
        say("no plugins; docs/plugins.md says how to write one")
    for row in rows:
        package = "" if row["package"] == "unknown" else f" ({row['package']} {row['version']})"
        adds = [row["problem"]] if row["problem"] else (row["adds"] or "nothing").split("; ")
        _print_paragraph(f"{row['name']}{package}", adds)


def show_findings(findings: Sequence[Mapping[str, Any]], runs: int) -> None:
    """Show a row a finding with its advice, and the number of findings of each level.

    Args:
        findings: with ``level``, ``where``, ``what`` and ``advice``.
        runs: how many runs were checked.
    """
    console = Console(file=results(), width=min(MOST_COLUMNS, columns()))
    table: Table = Table(box=None, pad_edge=False, padding=(0, 2, 1, 0), header_style="bold", show_edge=False)
    table.add_column("level", no_wrap=True)
    table.add_column("where, what, and what to do", ratio=1, overflow="fold")
    for each in findings:
        where, what, advice = (clean(each[name]) for name in ("where", "what", "advice"))
        text = Text.assemble((where, "bold"), f"\n{what}\n", (f"> {advice}", "dim"))
        table.add_row(Text(each["level"], _COLOURS[each["level"]]), text)
    if findings:
        console.print(table)
    results().write(f"{verdict(findings, runs)}\n")


def verdict(findings: Sequence[Mapping[str, Any]], runs: int) -> str:
    """How many findings of each level there are, on one line."""
    checked = f"{counted(runs, 'study', 'studies')} checked"
    counts = {
        level: sum(each["level"] == level for each in findings) for level in ("error", "warning", "note")
    }
    totals = ", ".join(counted(number, level) for level, number in counts.items() if number)
    return f"{checked}: {totals or 'nothing to fix'}."
