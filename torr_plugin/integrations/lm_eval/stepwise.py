"""Requests of several calls: lm-eval sends all requests at once, so a model takes the steps of ours itself.

lm-eval answers requests with the model's method that their type names; models get ours from
:mod:`.patches`. It asks the model's own ``generate_until``, round by round, with the prompts that ``torr
run`` would send. lm-eval alone imports this module.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from lm_eval.api.instance import Instance
from lm_eval.api.model import LM, hash_args

from ...recipes import Configuration, Plan, Request, ScoreCell
from ..record import FIELD
from ..steps import LoggedStep, TakenSteps, steps_text, take_steps
from .documents import ContextBuilder, LmEvalRequest, RequestChanges, arguments_of, lm_eval_request

ONE_CALL = "generate_until"


@dataclass
class SteppedInstance(Instance):  # type: ignore[misc]  # lm-eval ships no types
    """A request whose arguments are those of its first call; ``taker`` makes the others."""

    taker: StepTaker | None = None


@dataclass(frozen=True)
class StepTaker:
    """Takes the steps of a task's requests.

    Attributes:
        planned: the plan of the task's data set.
        asking: what lm-eval's options change of every request.
        sending: how prompts are sent.
    """

    planned: Plan
    asking: RequestChanges
    sending: ContextBuilder

    def answers(self, lm: LM, requests: Sequence[Instance]) -> list[str | None]:
        """The steps of each request, as :func:`..steps.steps_text` writes them; None where one failed."""
        sent: dict[str, LmEvalRequest] = {}

        def ask(batch: Sequence[Request]) -> list[str | None]:
            made = [lm_eval_request(self.planned, each, self.asking) for each in batch]
            sent.update(zip((each.key for each in batch), made, strict=True))
            return generated(lm, [self._instance(each, number) for number, each in enumerate(made)])

        cells = [_cell(each) for each in requests]
        taken = take_steps(self.planned, dict.fromkeys(cells), ask)
        return [_text(taken[cell], sent) for cell in cells]

    def _instance(self, request: LmEvalRequest, number: int) -> Instance:
        return Instance(
            ONE_CALL,
            {FIELD: [request.record.as_dict()]},
            arguments_of(self.sending.of(request.prompt), own(request.arguments)),
            number,
            metadata=(request.record.dataset, number, 1),
        )


def own(arguments: Any) -> dict[str, Any]:
    """Copy a request's arguments, as some of lm-eval's models change them."""
    return {**arguments, "until": [*arguments["until"]]}


def _cell(request: Instance) -> ScoreCell:
    record = request.doc[FIELD][request.idx]
    return ScoreCell(record["dataset"], record["example"], Configuration.of(record["config"]))


def _text(taken: TakenSteps, sent: dict[str, LmEvalRequest]) -> str | None:
    if taken.failure is not None:
        return None
    steps = []
    for name, step in taken.named():
        request = sent[step.request.key]
        steps.append(LoggedStep.of(name, request.record.key, request.prompt, step.answer))
    return steps_text(steps)


def generated(lm: LM, requests: Sequence[Instance]) -> list[str | None]:
    """Answers of a model, from lm-eval's cache (``--use_cache``) where it has them.

    lm-eval itself looks there only for requests of its own types. As there, sampled answers are not reused.
    """
    hook = getattr(lm, "cache_hook", None)
    known = getattr(hook, "dbdict", None)
    if known is None:
        return _texts(lm.generate_until(list(requests)))
    names = [hash_args(ONE_CALL, each.args) for each in requests]
    open_ = [
        at for at, each in enumerate(requests) if each.args[1].get("do_sample") or names[at] not in known
    ]
    # some models of lm-eval's fail where they are asked nothing
    texts = _texts(lm.generate_until([requests[at] for at in open_])) if open_ else []
    fresh = dict(zip(open_, texts, strict=True))
    for at, text in fresh.items():
        if text is not None:
            known[names[at]] = text
    return [fresh[at] if at in fresh else str(known[name]) for at, name in enumerate(names)]


def _texts(answers: Iterable[Any]) -> list[str | None]:
    return [text if isinstance(text, str) else None for text in answers]


def generate_in_steps(lm: LM, requests: Sequence[SteppedInstance]) -> list[str | None]:
    """Answer requests of several calls; a method of every model."""
    by_taker: dict[int, list[SteppedInstance]] = {}
    for each in requests:
        by_taker.setdefault(id(each.taker), []).append(each)
    found: dict[int, str | None] = {}
    for some in by_taker.values():
        taker = some[0].taker
        assert taker is not None  # noqa: S101 - the task sets it
        found.update(zip(map(id, some), taker.answers(lm, some), strict=True))
    return [found[id(each)] for each in requests]
