"""The judges of a recipe: asked once the models of its study are done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from ..core.errors import counted
from ..running import Run
from ..running.progress import NoProgress, Progress
from ..scoring.judges import judge_run
from .study import Tell

if TYPE_CHECKING:
    from ..recipes import JudgeEntry
    from ..scoring.judges import Judgement


def judge_study(
    run: Path,
    judges: Sequence[JudgeEntry],
    *,
    executor: str = "local",
    retry_failed: bool = False,
    progress: Callable[[], AbstractContextManager[Progress]] = lambda: nullcontext(NoProgress()),
    tell: Tell = lambda line: None,
) -> list[Judgement]:
    """Ask the judges of a recipe, one after the other, about answers that they have not judged.

    Args:
        run: the run of the recipe; their verdicts become rows of its scores.
        judges: those of the recipe. One whose cards were not asked is left out.
        executor: where the judges run, ``local`` or ``ray``.
        retry_failed: ask again what failed in an earlier attempt.
        progress: shows how far a judge is.
        tell: shows what is about to be asked, and how many verdicts there are.

    Raises:
        InputError: as of :func:`torr_plugin.scoring.judges.judge_run`; what was judged is kept.
    """
    asked = set(Run.open(run).study.get("datasets") or ())
    found = []
    for judge in judges:
        datasets = [name for name in judge.cards or asked if name.removeprefix("cards.") in asked]
        if not datasets:
            continue
        with progress() as shown:
            judged = judge_run(
                run,
                judge,
                kind=judge.kind,
                executor=executor,
                datasets=datasets,
                max_tokens=judge.max_tokens,
                progress=shown,
                retry_failed=retry_failed,
                tell=tell,
            )
        overall = judged.overall
        tell(
            f"{judged.metric}: {counted(overall['n'], 'verdict')}, {overall['unclear']:,} unclear, "
            f"{overall['failed']:,} failed"
        )
        found.append(judged)
    return found
