"""``torr status``, and what ``torr run`` says at its end."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from datetime import datetime
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Any

from typer import Option

from ... import running
from ...analysis import format_dollars, format_share
from ...core.errors import InputError, counted
from .. import console
from ..command import emit, guarded, say_in_columns
from ..results import clean, columns, results
from .options import Json, RunArgument

if TYPE_CHECKING:
    from rich.console import Group

    from ...running import ModelStatus, RunStatus

_SECONDS_A_LOOK = 2.0
_MOST_OF_AN_ERROR = 200


@guarded
def status(
    run: RunArgument,
    follow: Annotated[bool, Option("--follow", help="Until it ends; Ctrl-C ends the view.")] = False,
    as_json: Json = False,
) -> int:
    """Show how far a run is. Answers, errors, rates, who writes it; reads only, use it at any time."""
    if follow and as_json:
        raise InputError("--json: found with --follow; expected one of the two")
    if follow:
        with suppress(KeyboardInterrupt):  # ends the view; the run goes on
            _follow(running.RunWatch(run).look)
        return 0
    found = running.run_status(run)
    if as_json:
        emit(_record(found))
        return 0
    console.stdout().print(status_text(found, columns()))
    say_in_columns(*found.notes)
    return 0


def _follow(look: Callable[[], RunStatus]) -> None:
    """Show a run until it is done or has stopped: drawn anew in a terminal, else once, at its end."""
    from rich.live import Live

    screen = console.stdout()
    with Live(console=screen, auto_refresh=False) as live:
        while True:
            found = look()
            live.update(status_text(found, screen.width), refresh=True)
            if found.state != "running":
                return
            time.sleep(_SECONDS_A_LOOK)


def headline(found: RunStatus) -> str:
    """State, step and writer on one line."""
    writer = found.writer
    if writer is not None and found.state == "running":
        seen = "" if writer.alive else " (on another host: cannot tell yet whether it is alive)"
        return f"{found.run}: {found.step}; {writer}{seen}"
    if found.state == "done":
        waiting = sum(each.waiting for each in found.models)
        return f"{found.run}: done{f'; {waiting:,} requests have no answer' if waiting else ''}"
    last = found.last_writer
    who = f" (host {last[0]}, process {last[1]})" if last else ""
    return f"{found.run}: stopped while {found.step}{who}; run the same command again to resume"


def status_text(found: RunStatus, width: int) -> Group:
    """A status for the terminal: headline, a row a model, what else is known, its errors."""
    from rich.console import Group
    from rich.text import Text

    def wrapped(lines: Sequence[str]) -> list[Text]:
        return [Text("\n".join(wrap(clean(line), width, break_on_hyphens=False))) for line in lines]

    parts: list[Any] = wrapped([headline(found)])
    for rows, left in ((list(map(_row, found.models)), "model"), (usage_rows(found.models), "tokens of")):
        parts += [Text(""), console.table_of(rows, left=[left])] if rows else []
    parts += wrapped(list(_lines(found)))
    errors = [
        {"times": each.count, "error": each.kind, "model": each.model, "request": each.key[:8]}
        for each in found.errors
    ]
    if errors:
        parts += [Text(""), console.table_of(errors, left=["error", "model", "request"])]
    return Group(*parts)


def _lines(found: RunStatus) -> Iterator[str]:
    """What a status says between its tables."""
    yield from _endings(found.models)
    yield from _costs(found.models)
    if again := max((each.replicates for each in found.models), default=0):
        yield f"replicates: each model is asked {again:,} prompts again, to see how much answers vary"
    if last := max((each.counts.last or 0.0 for each in found.models), default=0.0):
        when = f"{datetime.fromtimestamp(last).astimezone():%Y-%m-%d %H:%M:%S %Z}"
        yield f"last answers stored at {when}"
    yield from failures(replace(found, errors=()))


def _row(each: ModelStatus) -> dict[str, Any]:
    counts, asking = each.counts, each.waiting > 0
    return {
        "model": each.model,
        "requests": console.shortened(each.requests),
        "answered": console.shortened(counts.answered),
        "failed": console.shortened(counts.failed),
        "cut": console.shortened(counts.cut),
        "/s": console.rate_text(each.rate) if asking else "",
        "tok/s": console.rate_text(each.token_rate) if asking else "",
        "left": console.remaining(each.seconds_left) if asking else "",
    }


_WHERE_KNOWN = ("to cache", "thoughts", "US dollars")
"""Columns of the table of tokens that are left out where they hold nothing."""


def usage_rows(models: Sequence[ModelStatus]) -> list[dict[str, Any]]:
    """Tokens, and US dollars where prices are known, by model; none where no engine reports tokens."""
    if not any(each.counts.prompt_tokens or each.counts.completion_tokens for each in models):
        return []
    rows = [_usage(each.model, [each]) for each in models]
    rows += [_usage("total", models)] if len(models) > 1 else []
    kept = [name for name in rows[0] if name not in _WHERE_KNOWN or any(row[name] for row in rows)]
    return [{name: row[name] for name in kept} for row in rows]


def _usage(label: str, models: Sequence[ModelStatus]) -> dict[str, Any]:
    costs = [each.cost for each in models if each.cost is not None]
    counts = [each.counts for each in models]
    return {
        "tokens of": label,
        "prompts": sum(each.prompt_tokens for each in counts),
        "cached": sum(each.cached_tokens for each in counts),
        "to cache": sum(each.cache_write_tokens for each in counts),
        "answers": sum(each.completion_tokens for each in counts),
        "thoughts": sum(each.reasoning_tokens for each in counts),
        "US dollars": format_dollars(sum(costs)) if costs else "",
    }


def _endings(models: Sequence[ModelStatus]) -> Iterator[str]:
    """The shares of the answers of each model that did not end as they should."""
    for each in models:
        counts = each.counts
        kinds = {"ran out of tokens": counts.unfinished, "refused": counts.refused, "cut": counts.cut}
        said = [f"{what}: {format_share(count / counts.answered)}" for what, count in kinds.items() if count]
        if said:
            yield f"{each.model}: {'; '.join(said)}"


def _costs(models: Sequence[ModelStatus]) -> Iterator[str]:
    """What right answers cost, and whose tokens are not known though others' are."""
    known = usage_rows(models) or any(each.price is not None for each in models)
    for each in models:
        if each.cost_of_right is not None:
            yield f"{each.model}: {format_dollars(each.cost_of_right)} US dollars for each right answer"
        if known and each.counts.uncounted:
            answers = counted(each.counts.uncounted, "answer")
            yield f"{each.model}: the tokens of {answers} are not known, as its engine does not report them"


def failures(found: RunStatus) -> list[str]:
    """The failed requests, and the models that were not asked to the end, each with what to do."""
    lines = []
    if failed := sum(each.counts.failed for each in found.models):
        often = max(found.errors, key=lambda each: each.count, default=None)
        error = "" if often is None else often.error[:_MOST_OF_AN_ERROR]
        most = "" if often is None else f" (most often, {counted(often.count, 'time')}: {error})"
        lines.append(
            f"{counted(failed, 'request')} failed{most}; the errors are in the column error of "
            f"{found.run}/predictions, and --retry-failed asks again"
        )
    unloaded = [each.unloaded for each in found.models if each.unloaded is not None]
    return [*lines, *unloaded, *["Once that is mended, the same command asks what is left."] * bool(unloaded)]


def show_end(found: RunStatus, labels: Collection[str], *, table: bool = True) -> None:
    """Show what a run took, of the models with these labels, and what came in the way.

    Args:
        found: the status of the run that has ended.
        labels: the models that were asked.
        table: whether to print the tokens on stdout.
    """
    models = tuple(each for each in found.models if each.model in labels)
    if table and (rows := usage_rows(models)):
        results().write("\n")
        console.print_rows(rows, left=["tokens of"])
    errors = tuple(each for each in found.errors if each.model in labels)
    ended = replace(found, models=models, errors=errors)
    endings = [] if table else _endings(models)  # else the leaderboard says them
    say_in_columns(*endings, *_costs(models), *failures(ended))


def _record(found: RunStatus) -> dict[str, Any]:
    """A status for ``--json``."""
    writer, last = found.writer, found.last_writer
    return {
        **{name: getattr(found, name) for name in ("run", "name", "state", "step", "notes")},
        "writer": writer and {"host": writer.name, "pid": writer.pid, "alive": writer.alive},
        "last_writer": last and {"host": last[0], "pid": last[1]},
        "models": [_model_record(model) for model in found.models],
        "errors": [asdict(each) for each in found.errors],
    }


_OF_MODEL = ("model", "requests", "replicates", "waiting", "right", "rate", "token_rate", "seconds_left")


def _model_record(each: ModelStatus) -> dict[str, Any]:
    counts = {name: value for name, value in asdict(each.counts).items() if name not in ("last", "damaged")}
    return {
        **{name: getattr(each, name) for name in (*_OF_MODEL, "unloaded")},
        **counts,
        "dollars": each.cost,
        "dollars_of_right": each.cost_of_right,
        "last_answer": each.counts.last,
    }
