"""Judges of single answers: yes or no, or a score, as rows of scores.parquet."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from ...running import Run
from ...running.store.run import SCORES
from ..run_answers import CELL
from .asked import AskedRows, Figures, PromptMaker, scored_answers
from .pair_replies import PairReply
from .prompts import YES_NO, judge_kind
from .rows import with_verdicts, write_verdicts
from .verdicts import agreement, grades

if TYPE_CHECKING:
    from ...catalog import Example
    from ...prompts import Prompt


class SingleAnswers:
    """Is an answer right (``yes-no``), or how right (``score``)?

    Attributes:
        record: what ``judge.yaml`` says beside the judge's model.
        orders: how often each answer is asked about.
    """

    orders = 1

    def __init__(self, kind: str) -> None:
        self._kind = judge_kind(kind)
        self.record: dict[str, str] = {} if self._kind is YES_NO else {"kind": kind}

    def rows(self, run: Run, limit: int | None = None, datasets: Collection[str] | None = None) -> AskedRows:
        """Every answer, with the prompt about it."""
        makers: dict[str, PromptMaker] = {}
        beside = self._kind.beside
        frames, prompts = [pd.DataFrame(columns=[*CELL, beside])], list[Any]()
        for card, answered in scored_answers(run, limit, datasets):
            if card.dataset not in makers:
                makers[card.dataset] = PromptMaker(run.study, card, self._kind)
            columns = (answered[name] for name in ("example", "perturbation", "references", "prediction"))
            prompts += [makers[card.dataset].prompt(*row) for row in zip(*columns, strict=True)]
            # lists, so that categories and texts of any kind become what the file will have
            names: dict[str, Any] = {name: answered[name].tolist() for name in [*CELL, beside]}
            frames.append(pd.DataFrame(names))
        rows = pd.concat(frames[1:] or frames, ignore_index=True)
        models = tuple(map(str, rows["model"].unique()))
        return AskedRows(rows, prompts, [()] * len(prompts), models)

    def prompt_about(self, example: Example) -> Prompt:
        """The prompt about an example, without an answer."""
        return self._kind.prompt(example, example.references, "")

    def read(self, reply: str, answers: Sequence[str], *, cut: bool) -> PairReply:
        """The verdict alone."""
        return PairReply("unclear" if cut else self._kind.read(reply), "")  # type: ignore[arg-type]

    def verdicts(
        self, rows: pd.DataFrame, keys: Sequence[str | None], told: Sequence[PairReply | None], judge: str
    ) -> pd.DataFrame:
        """The rows with ``key`` and ``verdict``."""
        given: dict[str, Any] = {"key": keys, "verdict": [reply and reply.verdict for reply in told]}
        found: pd.DataFrame = rows.assign(**given)
        return found

    def figures(self, verdicts: pd.DataFrame) -> Figures:
        """Agreement with complete containment, or means."""
        datasets, models = (
            {str(name): _summary(part) for name, part in verdicts.groupby(by, sort=False)}
            for by in ("dataset", "model")
        )
        return _summary(verdicts), datasets, models

    def write(self, run: Run, folder: Path, verdicts: pd.DataFrame) -> None:
        """``verdicts.parquet``, and rows of the run's scores where it has been scored."""
        write_verdicts(folder, verdicts)
        if (run.path / SCORES).exists():
            run.write_scores(with_verdicts(run.scores(), run.path))


def _summary(frame: pd.DataFrame) -> Mapping[str, Any]:
    verdicts = [verdict if isinstance(verdict, str) else None for verdict in frame["verdict"]]
    if "contained" in frame:
        return agreement(verdicts, frame["contained"])
    return grades(verdicts, frame["main"].tolist())
