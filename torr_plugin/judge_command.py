"""``torr judge``: a model as judge of a run's answers, beside complete containment."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .command import emit, guarded, say

if TYPE_CHECKING:
    from .scoring.judges import Agreement, Judgement


@guarded
def judge(
    run: Annotated[Path, typer.Argument(help="A run directory.", show_default=False)],
    *,
    model: Annotated[str, typer.Option(help="The judge, as lm-eval names it.", show_default=False)],
    model_args: Annotated[
        str, typer.Option("--model-args", help="Its arguments, e.g. pretrained=...", show_default=False)
    ] = "",
    name: Annotated[
        str | None,
        typer.Option(help="What the judge is called, if not as its model.", show_default=False),
    ] = None,
    executor: Annotated[str, typer.Option(help="Where the judge runs: local or ray.")] = "local",
    limit: Annotated[
        int | None, typer.Option(min=1, help="At most so many examples a data set.", show_default=False)
    ] = None,
    max_tokens: Annotated[
        int, typer.Option(min=1, help="Of a verdict; more for a model that thinks aloud.")
    ] = 64,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Ask again what failed in an earlier attempt.")
    ] = False,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Print the result as one JSON object on stdout, nothing else there."),
    ] = False,
) -> int:
    """Have a model judge a run's answers, and say how far it agrees with complete containment."""
    from .console import RunProgress
    from .recipes import model_entry
    from .scoring.judges import judge_run

    entry = model_entry(model, model_args)
    with RunProgress() as progress:
        found = judge_run(
            run,
            entry if name is None else entry.model_copy(update={"name": name}),
            executor=executor,
            limit=limit,
            max_tokens=max_tokens,
            progress=progress,
            retry_failed=retry_failed,
        )
    if as_json:
        emit(report(found))
    else:
        _show(found)
    if found.failed:
        say(f"{found.failed} of {found.asked} requests failed; their errors are in {found.folder}/answers")
    return 1 if found.failed else 0


def report(found: Judgement) -> dict[str, Any]:
    """What ``--json`` prints."""
    return {
        "judge": found.judge,
        "judged": str(found.folder),
        "asked": found.asked,
        "failed": found.failed,
        "overall": found.overall,
        "datasets": found.datasets,
        "models": found.models,
    }


def _show(found: Judgement) -> None:
    from .console import show_sections

    sections = [
        ("All answers", [_row("all", found.overall)]),
        ("By data set", _rows(found.datasets)),
        ("By model", _rows(found.models)),
    ]
    show_sections(sections, left=("of",))
    say(f"Every verdict: {found.folder / 'verdicts.parquet'}")


def _rows(parts: Mapping[str, Agreement]) -> list[dict[str, Any]]:
    return [_row(name, part) for name, part in parts.items()]


def _row(name: str, part: Agreement) -> dict[str, Any]:
    shares = ("judged_right", "contained", "accuracy", "kappa")
    return {
        "of": name,
        **{share.replace("_", " "): _share(part[share]) for share in shares},  # type: ignore[literal-required]
        "judge alone": part["confusion"]["judge_alone"],
        "contained alone": part["confusion"]["contained_alone"],
        "unclear": part["unclear"],
        "n": part["n"],
    }


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"
