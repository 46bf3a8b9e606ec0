"""Judges of pairs: which of two models' answers is better, as battles."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from ...core.errors import InputError, nearest
from ...core.seeds import seed as seed_of
from ...running import Run
from .asked import AskedRows, Figures, PromptMaker, scored_answers
from .battles import SCHEMA, battle_figures, pair_records, write_battles
from .pair_replies import PairReply, read_pair_reply
from .prompts import PairOptions

if TYPE_CHECKING:
    from ...catalog import Card, Example
    from ...prompts import Prompt

LEVEL = "level"
"""The group of an example that says how hard it is."""

_QUESTION = ["dataset", "config", "example"]


class PairsOfAnswers:
    """Which of two models' answers is better (``pair``)? Has what :class:`.SingleAnswers` has."""

    def __init__(self, options: PairOptions) -> None:
        self.options, self.orders = options, 2 if options.both_orders else 1
        scale = {} if options.scale is None else {"scale": str(options.scale)}
        self.record = {"kind": options.name, **scale, **({"table": "shown"} if options.table else {})}

    def rows(self, run: Run, limit: int | None = None, datasets: Collection[str] | None = None) -> AskedRows:
        """The pairs of answers, a row an order; replicates take no part."""
        answers: dict[str, dict[str, pd.DataFrame]] = {}
        cards: dict[str, Card] = {}
        baseline = self.options.baseline
        for card, answered in scored_answers(run, limit, datasets):
            cards[card.dataset] = card
            if len(answered):
                answers.setdefault(card.dataset, {})[str(answered["model"].iloc[0])] = answered
        models = [label for label in run.models() if any(label in each for each in answers.values())]
        _check_models(run, models, baseline)
        seed = int(run.study.get("seed") or 0)
        rows, prompts, shown, unanswered = list[dict[str, Any]](), list[Any](), list[tuple[str, ...]](), 0
        for dataset, by_model in answers.items():
            maker = PromptMaker(run.study, cards[dataset], self.options)
            for a, b in combinations(sorted(by_model), 2):
                if baseline not in (None, a, b):
                    continue
                both = by_model[a].merge(by_model[b], on=_QUESTION, suffixes=("_a", "_b"))
                unanswered += len(by_model[a]) + len(by_model[b]) - 2 * len(both)
                for pair in both.to_dict("records"):
                    for row, prompt, texts in _orders(pair, (a, b), maker, self.options, seed):
                        rows.append(row)
                        prompts.append(prompt)
                        shown.append(texts)
        return AskedRows(pd.DataFrame(rows), prompts, shown, tuple(models), unanswered)

    def prompt_about(self, example: Example) -> Prompt:
        """The prompt about an example, without answers."""
        return self.options.prompt(example, example.references, "", "")

    def read(self, reply: str, answers: Sequence[str], *, cut: bool) -> PairReply:
        """The verdict with its reason and ratings."""
        return read_pair_reply(reply, answers, self.options.scale, cut=cut)

    def verdicts(
        self, rows: pd.DataFrame, keys: Sequence[str | None], told: Sequence[PairReply | None], judge: str
    ) -> pd.DataFrame:
        """The rows of battles.parquet."""
        known = zip(rows.to_dict("records"), keys, told, strict=True)
        battles: pd.DataFrame = pd.DataFrame(
            [{**row, "judge": judge, "key": key, **_said(row["order"], reply)} for row, key, reply in known],
            columns=SCHEMA.names,
        )
        return battles

    def figures(self, verdicts: pd.DataFrame) -> Figures:
        """The battles, and the record of each model."""
        return battle_figures(verdicts), {}, pair_records(verdicts)

    def write(self, run: Run, folder: Path, verdicts: pd.DataFrame) -> None:
        """``battles.parquet``, of the judge and of the run."""
        write_battles(run.path, folder, verdicts)


def _said(order: str, reply: PairReply | None) -> dict[str, Any]:
    """What a reply says, None where the judge failed, as columns of battles."""
    a, b = ("first", "second") if order == "ab" else ("second", "first")
    said = None if reply is None else reply.verdict
    verdict = {a: "model_a", b: "model_b"}.get(str(said), said)
    rated = dict(zip(("first", "second"), (reply and reply.ratings) or (None, None), strict=True))
    return {
        "verdict": verdict,
        "winner": None if verdict == "unclear" else verdict,
        "reason": None if reply is None else reply.reason,
        "score_a": rated[a],
        "score_b": rated[b],
    }


def _check_models(run: Run, models: Sequence[str], baseline: str | None) -> None:
    """Refuse too few models, and a baseline that is none of them."""
    if baseline is not None and baseline not in run.models():
        raise InputError(
            f"{run.path}: the baseline {baseline!r} is none of its models; {nearest(baseline, run.models())}"
        )
    if len(models) < 2:
        those = f"of {models[0]!r} alone" if models else "of no model"
        raise InputError(
            f"{run.path}: has answers {those}, so there is nothing to compare; expected those of two models"
        )
    if baseline is not None and baseline not in models:
        raise InputError(f"{run.path}: the baseline {baseline!r} has no answer to compare others with")


def _orders(
    pair: Mapping[Any, Any], models: tuple[str, str], maker: PromptMaker, options: PairOptions, seed: int
) -> Iterator[tuple[dict[str, Any], Prompt | None, tuple[str, str]]]:
    """A row for each order of two answers, the prompt, and the answers in its order."""
    example, config = str(pair["example"]), str(pair["config"])
    question = f"{pair['dataset']}/{example}"
    a, b = str(pair["prediction_a"]), str(pair["prediction_b"])
    orders = ["ab", "ba"]
    if not options.both_orders:
        orders = [orders[seed_of(seed, "order", question, config, *models) % 2]]
    for order in orders:
        texts = (a, b) if order == "ab" else (b, a)
        row = {
            "question": question,
            "dataset": str(pair["dataset"]),
            "config": config,
            "level": maker.examples.original(example).groups.get(LEVEL, ""),
            "model_a": models[0],
            "model_b": models[1],
            "order": order,
            "length_a": len(a),
            "length_b": len(b),
            "main_a": pair["main_a"],
            "main_b": pair["main_b"],
        }
        same = a.strip() == b.strip()
        shown = example, str(pair["perturbation_a"]), pair["references_a"]
        yield row, None if same else maker.prompt(*shown, *texts), texts
