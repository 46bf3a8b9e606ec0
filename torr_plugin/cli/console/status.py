"""``torr status`` and the end of ``torr run`` as a person reads them."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from ...analysis import format_dollars, format_share
from ...core.errors import counted
from ..results import clean, columns, results
from .progress import rate_text, remaining, shortened, traffic_text
from .tables import print_rows, say_in_columns, stdout, table_of

if TYPE_CHECKING:
    from ...running import ModelStatus, RunStatus
    from ...running.status.tallies import ErrorKind

_SECONDS_A_LOOK = 2.0
_SECONDS_A_LINE = 30.0
_IDLE_LOOKS = 2
_MOST_OF_AN_ERROR = 200


def show_status(found: RunStatus) -> None:
    """Show where a run stands: a headline, a row a model, its errors; notes on stderr."""
    stdout().print(status_view(found, columns()), soft_wrap=True)
    for note in found.notes:
        say_in_columns(note)


def show_end(found: RunStatus, labels: Collection[str], *, table: bool = True) -> None:
    """Show what a run took, of the models with these labels, and what came in the way.

    Args:
        found: the status of the run that has ended.
        labels: the models that were asked.
        table: whether to print the tokens on stdout.
    """
    models = tuple(each for each in found.models if each.model in labels)
    rows = usage_rows(models)
    if rows and table:
        results().write("\n")
        print_rows(rows, left=("tokens of",))
    failed_besides = any(each.counts.failed for each in found.models if each not in models)
    errors = () if failed_besides else found.errors  # which are of all models together
    ended = replace(found, models=models, errors=errors)
    for line in (
        *(() if table else _endings(models)),  # which the leaderboard says
        *_costs_of_right(models),
        *_troubles(models),
        *_rate(found),
        *failures(ended),
    ):
        say_in_columns(line)


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
    lines += [each.unloaded for each in found.models if each.unloaded is not None]
    if any(each.unloaded is not None for each in found.models):
        lines.append("Once that is mended, the same command asks what is left.")
    return lines


def status_record(found: RunStatus) -> dict[str, Any]:
    """A status for ``--json``."""
    return {
        "run": found.run,
        "name": found.name,
        "state": found.state,
        "step": found.step,
        "writer": found.writer
        and {name: getattr(found.writer, name) for name in ("host", "pid", "alive", "since")},
        "last_writer": found.last_writer and dict(zip(("host", "pid"), found.last_writer, strict=True)),
        "models": [_model_record(model) for model in found.models],
        "errors": [asdict(each) for each in found.errors],
        "notes": found.notes,
        "asked": found.asked,
        "seconds": found.seconds,
    }


def follow(look: Any) -> None:
    """Show a run until it ends or Ctrl-C: redrawn in a terminal, else in lines.

    Args:
        look: returns the current status.
    """
    console = Console(file=results())
    try:
        (_follow_live if console.is_terminal else _follow_in_lines)(console, look)
    except KeyboardInterrupt:  # leaves the view; the run goes on
        return


def _follow_live(console: Any, look: Any) -> None:
    found = look()
    with Live(status_view(found, console.width), console=console, auto_refresh=False) as live:
        for now in _until_it_ends(found, look):
            live.update(status_view(now, console.width), refresh=True)


def _follow_in_lines(console: Any, look: Any) -> None:
    found = look()
    before, due = _write_line(found, ""), time.monotonic() + _SECONDS_A_LINE
    for now in _until_it_ends(found, look):
        if time.monotonic() >= due or now.state != "running":
            before, due = _write_line(now, before), time.monotonic() + _SECONDS_A_LINE


def _until_it_ends(found: RunStatus, look: Any) -> Iterator[RunStatus]:
    """Look every two seconds; a run that stopped may be resumed at once."""
    idle = 0
    while idle < _IDLE_LOOKS and found.state != "done":
        idle = 0 if found.state == "running" else idle + 1
        if idle < _IDLE_LOOKS:
            time.sleep(_SECONDS_A_LOOK)
            found = look()
            yield found


def _write_line(found: RunStatus, before: str) -> str:
    line = _line(found)
    if line != before:
        results().write(line + "\n")
        results().flush()
    return line


def headline(found: RunStatus) -> str:
    """State, step and writer on one line."""
    writer = found.writer
    if writer is not None and found.state == "running":
        seen = "" if writer.alive else " (on another host: cannot tell yet whether it is alive)"
        since = f", since {_local(datetime.fromisoformat(writer.since))}" if writer.since else ""
        return f"{found.run}: {found.step}; {writer}{since}{seen}"
    if found.state == "done":
        waiting = sum(each.waiting for each in found.models)
        return f"{found.run}: done{f'; {waiting:,} requests have no answer' if waiting else ''}"
    last = found.last_writer
    who = f" (host {last[0]}, process {last[1]})" if last else ""
    return f"{found.run}: stopped while {found.step}{who}; run the same command again to resume"


def _line(found: RunStatus) -> str:
    models = "; ".join(
        f"{clean(each.model)} {each.counts.answered + each.counts.failed:,} of {each.requests:,}"
        + (f" ({', '.join(troubles)})" if (troubles := _in_brackets(each)) else "")
        for each in found.models
    )
    return f"{clean(headline(found))}{f' | {models}' if models else ''}"


def _in_brackets(each: ModelStatus) -> list[str]:
    failed = [f"{each.counts.failed:,} failed"] if each.counts.failed else []
    return [*failed, *filter(None, [traffic_text(each.traffic)])]


def _local(moment: datetime) -> str:
    """A time on the clock of this machine, with its zone."""
    return f"{moment.astimezone():%Y-%m-%d %H:%M:%S %Z}"


def status_view(found: RunStatus, width: int) -> RenderableType:
    """A status as it is drawn: headline, a row a model, what else is known, its errors."""

    def wrapped(text: str) -> Text:
        return Text("\n".join(wrap(text, width, break_on_hyphens=False)))

    parts: list[Any] = [wrapped(clean(headline(found)))]
    if found.models:
        rows = list(map(_row, found.models))
        parts += [Text(""), table_of(rows, left=("model",), width=width)]
        if used := usage_rows(found.models):
            parts += [Text(""), table_of(used, left=("tokens of",), width=width)]
        parts += map(wrapped, _below(found))
    if found.errors:
        rows = [_error_row(each) for each in found.errors]
        texts = ("error", "model", "request")
        parts += [Text(""), table_of(rows, left=texts, width=width)]
    return Group(*parts)


def _row(each: ModelStatus) -> dict[str, Any]:
    counts = each.counts
    return {
        "model": each.model,
        "requests": shortened(each.requests),
        "answered": shortened(counts.answered),
        "failed": shortened(counts.failed),
        "cut": shortened(counts.cut),
        "/s": rate_text(each.rate if each.waiting else None),
        "tok/s": rate_text(each.token_rate if each.waiting else None),
        "left": remaining(each.seconds_left) if each.waiting else "",
    }


def usage_rows(models: Sequence[ModelStatus]) -> list[dict[str, Any]]:
    """Tokens, and US dollars where prices are known, by model; none where no engine reports tokens."""
    counts = [each.counts for each in models]
    if not any(each.prompt_tokens or each.completion_tokens for each in counts):
        return []
    rows = [_usage(each.model, [each]) for each in models]
    rows += [_usage("total", models)] if len(models) > 1 else []
    kept = {name for name in rows[0] if name not in _ONLY_WHERE_KNOWN or any(row[name] for row in rows)}
    return [{name: row[name] for name in row if name in kept} for row in rows]


_ONLY_WHERE_KNOWN = ("to cache", "thoughts", "US dollars")
"""Columns of the table of tokens that are left out where they hold nothing."""


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


def _endings(models: Sequence[ModelStatus]) -> list[str]:
    """The shares of the answers of each model that did not end as they should."""
    lines = []
    for each in models:
        counts = each.counts
        kinds = (("ran out of tokens", counts.unfinished), ("refused", counts.refused), ("cut", counts.cut))
        said = [f"{what}: {format_share(count / counts.answered)}" for what, count in kinds if count]
        lines += [f"{clean(each.model)}: {'; '.join(said)}"] if said else []
    return lines


def _costs_of_right(models: Sequence[ModelStatus]) -> list[str]:
    """What a right answer of each model costs, where prices are known and answers are scored."""
    return [
        f"{clean(each.model)}: {format_dollars(cost)} US dollars for each right answer"
        for each in models
        if (cost := each.cost_of_right) is not None
    ]


def _troubles(models: Sequence[ModelStatus]) -> list[str]:
    """What servers did besides answering, and whose tokens are not known though others' are."""
    lines = [f"{each.model}: {text}" for each in models if (text := traffic_text(each.traffic))]
    if usage_rows(models) or any(each.price is not None for each in models):
        lines += [
            f"{each.model}: the tokens of {counted(each.counts.uncounted, 'answer')} are not known, as its "
            "engine does not report them"
            for each in models
            if each.counts.uncounted
        ]
    return list(map(clean, lines))


def _rate(found: RunStatus) -> list[str]:
    """The overall rate of asking, over all attempts."""
    if not found.asked or found.seconds < 1:
        return []
    rate = rate_text(found.asked / found.seconds)
    return [f"{counted(found.asked, 'request')} in {remaining(found.seconds)} of asking: {rate} a second"]


def _below(found: RunStatus) -> list[str]:
    """The lines for which the tables have no room."""
    lines = [*_endings(found.models), *_costs_of_right(found.models), *_troubles(found.models), *_rate(found)]
    if again := max((each.replicates for each in found.models), default=0):
        lines.append(f"replicates: each model is asked {again:,} prompts again, to see how much answers vary")
    waiting = [each.seconds_left for each in found.models if each.waiting and each.unloaded is None]
    if waiting and all(waiting):  # not while a model has yet to begin: how long it takes is not known
        end = time.time() + max(seconds or 0.0 for seconds in waiting)
        lines.append(f"all answers expected by {_local(datetime.fromtimestamp(end))}")
    last = max((each.counts.last or 0.0 for each in found.models), default=0.0)
    if last:
        lines.append(f"last answers stored at {_local(datetime.fromtimestamp(last))}")
    return [*lines, *map(clean, failures(replace(found, errors=())))]


def _error_row(each: ErrorKind) -> dict[str, Any]:
    return {"times": each.count, "error": each.kind, "model": each.model, "request": each.key[:8]}


def _model_record(each: ModelStatus) -> dict[str, Any]:
    counts = each.counts
    return {
        "model": each.model,
        "requests": each.requests,
        "replicates": each.replicates,
        "answered": counts.answered,
        "failed": counts.failed,
        "waiting": each.waiting,
        "unfinished": counts.unfinished,
        "refused": counts.refused,
        "cut": counts.cut,
        "prompt_tokens": counts.prompt_tokens,
        "completion_tokens": counts.completion_tokens,
        "reasoning_tokens": counts.reasoning_tokens,
        "cached_tokens": counts.cached_tokens,
        "cache_write_tokens": counts.cache_write_tokens,
        "uncounted": counts.uncounted,
        "dollars": each.cost,
        "right": each.right,
        "dollars_of_right": each.cost_of_right,
        **asdict(each.traffic),
        "rate": each.rate,
        "token_rate": each.token_rate,
        "seconds_left": each.seconds_left,
        "last_answer": counts.last,
        "unloaded": each.unloaded,
    }
