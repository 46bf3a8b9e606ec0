"""``torr audit``: what the scores of a leaderboard show, and a release gate."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from typer import Argument, Option

from ... import audit as audits
from ...analysis.number_format import ABSENT
from ...core.errors import InputError, counted
from ...core.texts import names_in
from .. import console
from ..command import check_out, emit, guarded, say, say_in_columns
from .options import Json

if TYPE_CHECKING:
    from ...audit import Audit, Gate
    from ...audit.result import AuditedPlace
    from ...integrations.logs.board import BoardScores

MOST_MODELS, MOST_PAIRS = 25, 10
"""Rows that the terminal shows; all are in the files of ``--out``."""


@guarded
def audit(
    paths: Annotated[
        list[Path],
        Argument(metavar="PATH", help="Logs of any harness, folders of them, or tables of scores."),
    ],
    format: Annotated[  # noqa: A002, the option's name
        str | None, Option(metavar="NAME", help="Format of the paths.  [default: found by content]")
    ] = None,
    metric: Annotated[
        str | None, Option(metavar="NAME", help="Metric of all tasks.  [default: each task's main one]")
    ] = None,
    tasks: Annotated[
        list[str] | None, Option(metavar="NAMES", help="Audit only these tasks, e.g. a,b.")
    ] = None,
    n: Annotated[
        list[str] | None,
        Option(metavar="TASK=NUMBER", help="Items of a mean score that has none: a=100,b=50."),
    ] = None,
    over: Annotated[
        Literal["items", "tasks"],
        Option(help="The question: these tasks with other items, or other tasks like these (five or more)."),
    ] = "items",
    against: Annotated[
        str | None,
        Option(metavar="BASE", help="Instead: is each model not worse than this one (a model, or a path)?"),
    ] = None,
    margin: Annotated[
        float | None,
        Option(help="For --against: by how much it may be worse; 0.02 is 2 points.  [default: 0.02]"),
    ] = None,
    out: Annotated[Path | None, Option(help="Where a page, JSON, CSV and Markdown go.")] = None,
    fail_on_false_rank: Annotated[
        bool, Option("--fail-on-false-rank", help="Exit with 1 where neighbours are not separated.")
    ] = False,
    as_json: Json = False,
) -> int:
    """Say what a leaderboard shows; gate a release.

    Intervals, ranks, ties, and which pairs are separated.
    """
    if against is None and margin is not None:
        raise InputError("--margin: found without --against; expected both")
    if against is not None and (fail_on_false_rank or over == "tasks"):
        raise InputError("--against: found with --fail-on-false-rank or --over tasks; expected one question")
    if out is not None:
        check_out(out, [], audits.RECORD, "earlier audit")
    names, counts = names_in(tasks), _counts(n or ())
    board = audits.read_board(paths, format, names, counts if over == "items" or counts else None)
    if against is not None:
        whole, base = _with_base(board, against, format, names)
        allowed = audits.MARGIN if margin is None else margin
        gated = audits.gate(whole, base, margin=allowed, metric=metric)
        _write(gated, out)
        emit(audits.gate_record(gated)) if as_json else _show_gate(gated)
        return 0 if gated.passed else 1
    found = audits.audit_board(board, metric=metric, over=over)
    _write(found, out)
    emit(audits.audit_record(found)) if as_json else _show_audit(found)
    if not fail_on_false_rank or not found.false_ranks:
        return 0
    say(f"--fail-on-false-rank: {counted(found.false_ranks, 'pair')} of neighbours not separated")
    return 1


def _counts(given: Sequence[str]) -> dict[str, int]:
    """``TASK=NUMBER``, as given on the line."""
    found = {}
    for text in (part for each in given for part in (names_in(each) if each.count("=") > 1 else [each])):
        task, _, number = text.rpartition("=")
        if not task or not number.isdecimal() or len(number) > 12:
            raise InputError(f"--n {text}: expected TASK=NUMBER, e.g. --n gsm8k=1319")
        found[task] = int(number)
    return found


def _with_base(
    board: BoardScores, against: str, form: str | None, names: Sequence[str]
) -> tuple[BoardScores, str]:
    """The board with the base's scores in it, and the base's name there: a model of it, or that of a path."""
    if against in board.models or not Path(against).exists():
        return board, against
    return audits.with_base(board, audits.read_board([Path(against)], form, names, {}))


def _write(found: Audit | Gate, out: Path | None) -> None:
    if out is not None:
        page = audits.write_files(found, out)
        say(f"The page: {page}")


def _show_audit(found: Audit) -> None:
    """Overall, or each task where there is no overall; then a row a task."""
    for place in found.judged:
        title = audits.place_title(place, found)
        console.print_paragraph(title, audits.headlines(found, place))
        console.show_lines(
            [f"score: with its {found.level:.0%} interval; could be: ranks, all models at once"]
        )
        console.print_rows(_model_rows(place), left=("model",))
        if len(place.models) > MOST_MODELS:
            left = len(place.models) - MOST_MODELS
            say_in_columns(f"... and {left:,} more, in the files of --out")
        _show_open(place, found)
    tasks = [task for task in found.tasks if task not in found.judged]
    if tasks:
        console.show_lines(["Each task:"])
        console.print_rows([_task_row(task) for task in tasks], left=("task",))
    say_in_columns(*found.notes)


def _model_rows(place: AuditedPlace) -> list[dict[str, Any]]:
    """The last column is the number of a tied group."""
    return [
        {
            "rank": model.rank,
            "model": model.model,
            "score": audits.score_text(place, model),
            "interval": place.scale.interval(model.low, model.high),
            "could be": audits.ranks_text(model),
            "tied group": model.group,
        }
        for model in place.models[:MOST_MODELS]
    ]


def _show_open(place: AuditedPlace, found: Audit) -> None:
    """What it takes to separate neighbours."""
    pairs = [pair for pair in place.neighbours if not pair.separated and pair.more]
    if not pairs:
        return
    more = "tasks" if found.over == "tasks" else "items"
    console.show_lines([f"More {more} needed to detect a true difference between neighbours of ..."])
    rows = [
        {
            "neighbours": f"{pair.first} > {pair.second}",
            **{
                counted(size, "point"): audits.more_text(pair.more[str(size)])
                for size in reversed(audits.POINTS)
            },
        }
        for pair in pairs[:MOST_PAIRS]
    ]
    console.print_rows(rows, left=("neighbours",))


def _task_row(task: AuditedPlace) -> dict[str, Any]:
    seen = task.detectable.typical
    return {
        "task": task.name,
        "items": task.items,
        "models": len(task.models),
        "separated": f"{task.separated:,} of {task.pairs:,}",
        "could be first": len(task.could_be_first),
        "detectable": ABSENT if seen is None else audits.size_text(task, seen),
    }


def _show_gate(found: Gate) -> None:
    """A row a model, task and configuration, then whether the gate passes."""
    several = len({cell.model for cell in found.cells}) > 1
    rows = [
        {
            **({"model": cell.model} if several else {}),
            "task": audits.cell_name(cell),
            "difference": audits.limits_text(cell),
            "items": cell.items,
            "verdict": cell.verdict + ("*" if cell.holds is False else ""),
            "more items": audits.more_text(cell.more),
        }
        for cell in found.cells
    ]
    console.print_rows(rows, left=("model", "task"))
    if any(cell.holds is False for cell in found.cells):
        console.show_lines(["* not if all that is missing had gone against it"])
    passed, _, why = audits.gate_sentence(found).partition(": ")
    console.print_paragraph(passed, [why])
    say_in_columns(*found.notes)
