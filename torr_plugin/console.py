"""What the commands show a person: progress and notes on stderr, result tables on stdout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

from .command import say
from .results import results

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as RichTable

    from .running import Summary
    from .scoring import ScoreReport


class RunProgress:
    """Draws a bar a model with its rate and the time left; plain lines where there is no terminal."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self._console = Console(stderr=True)
        self._progress = Progress(
            TextColumn("{task.fields[label]}", markup=False),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
            console=self._console,
            disable=not self._console.is_terminal,
        )
        self._tasks: dict[str, Any] = {}
        self._failed: dict[str, int] = {}

    def __enter__(self) -> RunProgress:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def start(self, model: str, total: int, done: int) -> None:
        """A model begins: ``done`` of ``total`` unique requests were answered in an earlier run."""
        self._tasks[model] = self._progress.add_task(
            "", total=total, completed=done, label=_clip(model, 24), rate="", start=True
        )
        self._failed[model] = 0
        if not self._console.is_terminal:
            say(
                f"{model}: {done} of {total} requests already answered"
                if done
                else f"{model}: {total} requests"
            )

    def advance(self, model: str, n: int, failed: int) -> None:
        """``n`` more requests have an answer, ``failed`` of them an error."""
        self._failed[model] += failed
        task = self._tasks[model]
        self._progress.update(task, advance=n)
        speed = next(entry.speed for entry in self._progress.tasks if entry.id == task)
        failures = f", {self._failed[model]} failed" if self._failed[model] else ""
        self._progress.update(task, rate=f"{speed:,.0f}/s{failures}" if speed else failures)

    def finish(self, model: str) -> None:
        """All requests of a model have an answer."""
        self._progress.stop_task(self._tasks[model])
        if not self._console.is_terminal:
            say(f"{model}: done{f', {self._failed[model]} failed' if self._failed[model] else ''}")


def show_summary(analysis: Mapping[str, Any]) -> None:
    """The leaderboard in the terminal: a row a model, best first."""
    from .analysis import summary_rows

    rows = summary_rows(analysis)
    _print_rows(rows, left=("model",))
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


def show_plan(rows: Sequence[Mapping[str, Any]], notes: Sequence[str]) -> None:
    """The table of what would run: a row a data set, within 80 columns."""
    shown = [
        {
            "dataset": row["dataset"],
            "asked": _asked(row),
            "prompts": row["prompts"],
            "unique": row["unique prompts"],
            "tokens": row["estimated tokens"],
            "longest": row["longest prompt"],
            "shared": row["shared beginning"],
        }
        for row in rows
    ]
    _print_rows(shown, left=("dataset", "asked"))
    for text in notes:
        say_in_columns(text)
    say("asked: configurations x examples; tokens: estimated, four characters each; longest: a prompt's;")
    say("shared: how much of the prompts repeats the beginning of the one before, which a prefix cache saves")


def _asked(row: Mapping[str, Any]) -> str:
    shots = "" if row["shots"] in (None, "") else f", {row['shots']}-shot"
    return f"{row['configurations']} x {row['examples']}{shots}"


def show_scores(report: ScoreReport) -> None:
    """A row a score with its interval; below, the same for each group. Several models are not mixed."""
    several = report.by_model if len(report.by_model) > 1 else {("", ""): report.metrics}
    rows = [
        {**({"model": model, "config": config} if model else {}), **_score_row(metric, figure)}
        for (model, config), figures in several.items()
        for metric, figure in figures.items()
    ]
    _print_rows(rows, left=("model", "config", "metric"))
    groups = [
        {"group": group, **_score_row(metric, figure)}
        for group, figures in (report.groups or {}).items()
        for metric, figure in figures.items()
    ]
    _print_rows(groups, left=("group", "metric"))


def _score_row(metric: str, figure: Mapping[str, Any]) -> dict[str, Any]:
    shown = {key: f"{figure[key]:.4f}" for key in ("value", "low", "high")}
    normal = "{low:.4f} - {high:.4f}".format(**figure["normal"])
    return {"metric": metric, **shown, "normal interval": normal, "n": figure["n"]}


def show_sections(
    sections: Sequence[tuple[str, Sequence[Mapping[str, Any]]]], *, left: Sequence[str]
) -> None:
    """Tables, each under a line that says what it is of; the columns in ``left`` are texts."""
    for number, (title, rows) in enumerate(sections):
        results().write(("\n" if number else "") + title + "\n")
        _print_rows(rows, left=left)


def show_failures(summary: Summary) -> None:
    """How many requests failed, and where they are listed."""
    say(
        f"{summary.failed} of {summary.requests} requests failed; their errors are in the column error of "
        f"{summary.run}/predictions"
    )


def show_listing(kind: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """The rows of ``torr list``: a table, or where there is a text about each, a paragraph each."""
    if not rows:
        say(f"no {kind}")
    elif "about" not in rows[0]:
        _print_rows(rows, left=tuple(rows[0]))
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


def _print_rows(rows: Sequence[Mapping[str, Any]], *, left: Sequence[str]) -> None:
    from rich.table import Table as RichTable

    if not rows:
        return
    table: RichTable = RichTable(
        box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold", show_edge=False
    )
    for column in rows[0]:
        table.add_column(
            column,
            justify="left" if column in left else "right",
            overflow="fold",
            no_wrap=column == next(iter(rows[0])),
        )
    for row in rows:
        table.add_row(*[_text(row[column]) for column in rows[0]])
    _stdout().print(table)


def _text(value: Any) -> Any:
    from rich.text import Text

    shown = f"{value:,}" if isinstance(value, int) else str(value)
    return Text("".join(char if char.isprintable() else "?" for char in " ".join(shown.split())))


def _stdout() -> Console:
    from rich.console import Console

    # a pipe has no width: let it be as wide as it needs
    return Console(file=results(), width=None if results().isatty() else 160)


def _clip(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"
