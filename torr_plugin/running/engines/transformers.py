"""lm-eval's ``hf`` and what is built on it, driven by transformers' own ``generate``.

lm-eval sorts all requests by length and returns texts only. Here the study's order is kept from window to
window, and tokens are counted and finish reasons known. Within a window of some seconds, prompts are batched
longest first: a batch is padded to its longest, and transformers keeps nothing from one batch to the next, so
neighbours that share a beginning would save nothing. A batch is bounded by rows and by memory.
"""

from __future__ import annotations

import time
import zlib
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..answer import one_line
from ..contexts import Failure
from .base import BatchSize, EngineRequest, Finished, context_overflow
from .memory import bytes_a_token, free_bytes, is_broken, is_out_of_memory, release
from .transformers_generate import EncodedPrompt, OutputDecoder, encode, end_text, ends, generate

if TYPE_CHECKING:
    from lm_eval.api.model import LM

ROWS_ON_CPU = 16
ROWS_ON_ACCELERATOR = 128
WINDOW_SECONDS = 15.0
_FIRST_BATCHES = 4
_SHARE_OF_FREE = 0.5


def transformers_engine(lm: LM, args: Mapping[str, Any]) -> TransformersEngine | None:
    """The engine inside lm-eval's ``hf``; None where lm-eval's own ``generate_until`` must be used.

    That is so for encoder-decoders, several processes, and where the caller asks for truncated prompts.
    """
    if lm.backend != "causal" or lm.world_size > 1 or lm.truncation:
        return None
    return TransformersEngine(lm, budget_of(lm, args))


def budget_of(lm: Any, args: Mapping[str, Any]) -> BatchBudget:
    """How much to generate at once: lm-eval's ``batch_size``; where it is ``auto`` or absent, what fits."""
    given = args.get("batch_size")
    if given is not None and not str(given).startswith("auto"):
        return BatchBudget(max(int(given), 1))
    on_cpu = lm.device.type == "cpu"
    rows = lm.max_batch_size if "max_batch_size" in args else (ROWS_ON_CPU if on_cpu else ROWS_ON_ACCELERATOR)
    element = getattr(getattr(lm.model, "dtype", None), "itemsize", 4)
    each, free = bytes_a_token(lm.config, element), free_bytes(lm.device)
    tokens = None if each is None or free is None else max(int(_SHARE_OF_FREE * free) // each, 1)
    return BatchBudget(max(int(rows), 1), tokens)


@dataclass(frozen=True, slots=True)
class _Group:
    """A batch: prompts that are generated with the same arguments."""

    rows: tuple[EncodedPrompt, ...]
    generation: Mapping[str, Any]


class TransformersEngine:
    """See :class:`Engine`. Takes a window of requests, generates it batch by batch, then takes the next.

    A batch that runs out of memory is halved, as are those after it; one that fails otherwise is halved down
    to the request that fails.
    """

    def __init__(self, lm: Any, budget: BatchBudget) -> None:
        self._lm, self.budget = lm, budget
        self._ends = ends(lm)
        self._refused: list[Finished] = []
        self._groups: deque[_Group] = deque()
        self._batch_size = BatchSize(_FIRST_BATCHES * budget.rows, WINDOW_SECONDS)
        self._count, self._seconds = 0, 0.0

    def room(self) -> int:
        """A whole window, in full batches, or nothing."""
        if self._groups or self._refused:
            return 0
        wished = max(self._batch_size.size, self.budget.rows)
        return wished - wished % self.budget.rows

    def add(self, requests: Sequence[EngineRequest]) -> None:
        """See :class:`Engine`."""
        encoded = encode(self._lm, [str(request.context.text) for request in requests])
        kinds: dict[str, tuple[Mapping[str, Any], list[EncodedPrompt]]] = {}
        for request, tokens in zip(requests, encoded, strict=True):
            made = self._row(request, tokens)
            if isinstance(made, Failure):
                self._refused.append((request.number, made))
            else:
                kinds.setdefault(repr(request.generation), (request.generation, []))[1].append(made)
        for generation, rows in kinds.values():
            for places in batches([row.width for row in rows], self.budget):
                self._groups.append(_Group(tuple(rows[place] for place in places), generation))

    def _row(self, request: EngineRequest, tokens: Sequence[int] | Failure) -> EncodedPrompt | Failure:
        if isinstance(tokens, Failure):
            return tokens
        most = int(request.generation.get("max_gen_toks", self._lm.max_gen_toks))
        if not tokens:
            return Failure("the prompt is empty: it has no tokens", 0)
        return context_overflow(len(tokens), most, self._lm.max_length) or EncodedPrompt(
            request.number, tokens, most
        )

    def step(self) -> list[Finished]:
        """Generate one batch; if memory runs out, this step finishes nothing."""
        refused, self._refused = self._refused, []
        if not self._groups:
            return refused
        group = self._next()
        started = time.monotonic()
        found, reason, ran_out = list[Finished](), "", False
        try:
            found = self._generated(group)
        except Exception as error:
            if is_broken(error):
                raise
            reason, ran_out = one_line(error), is_out_of_memory(error)
        if reason:  # outside the handler, which keeps the batch's memory alive
            found = self._again(group, reason, ran_out=ran_out)
        self._record(len(found), time.monotonic() - started)
        return [*refused, *found]

    def _next(self) -> _Group:
        """The next batch within the current budget."""
        group = self._groups.popleft()
        fits = self.budget.first([row.width for row in group.rows])
        if fits < len(group.rows):
            self._groups.appendleft(_Group(group.rows[fits:], group.generation))
        return _Group(group.rows[:fits], group.generation)

    def _generated(self, group: _Group) -> list[Finished]:
        given = dict(group.generation)
        most, until = group.rows[0].most, [str(stop) for stop in given.pop("until", ())]
        given.pop("max_gen_toks", None)
        if given.get("do_sample") is False:
            given.pop("temperature", None)
        self._seed(given.pop("seed", None), group)
        made = generate(self._lm, group.rows, until, given)
        stops = [*until, end_text(self._lm)]
        reading = OutputDecoder(self._lm.tok_decode, self._ends, stops, most, self._lm.think_end_token)
        return [
            (row.number, reading.read(tokens, len(row.tokens)))
            for row, tokens in zip(group.rows, made, strict=True)
        ]

    def _seed(self, seed: int | None, group: _Group) -> None:
        """Seed a batch: by its seed and its first prompt, so that batches differ."""
        if seed is not None:
            import torch

            torch.manual_seed(zlib.crc32(repr((seed, group.rows[0].tokens)).encode()))

    def _again(self, group: _Group, reason: str, *, ran_out: bool) -> list[Finished]:
        """Queue a failed batch again in halves; a request that fails alone is given up."""
        rows = group.rows
        if ran_out:
            release()
            self.budget = self.budget.halved(len(rows), rows[0].width)
        if len(rows) == 1:
            return [(rows[0].number, Failure(reason, len(rows[0].tokens)))]
        half = (len(rows) + 1) // 2
        self._groups.extendleft(_Group(part, group.generation) for part in (rows[half:], rows[:half]))
        return []

    def _record(self, count: int, seconds: float) -> None:
        self._count, self._seconds = self._count + count, self._seconds + seconds
        if not self._groups and self._count:
            self._batch_size.record(self._count, self._seconds)
            self._count, self._seconds = 0, 0.0

    def recall(self) -> list[int]:
        """Take back the requests of the window that are not begun; called when a run stops."""
        numbers = [row.number for group in self._groups for row in group.rows]
        self._groups.clear()
        return numbers

    def abandon(self) -> list[Finished]:
        """See :class:`Engine`; an interrupted batch is lost."""
        refused, self._refused = self._refused, []
        self._groups.clear()
        return refused

    def close(self) -> None:
        """Release the model."""
        self._lm = None
        self._groups.clear()


@dataclass(frozen=True, slots=True)
class BatchBudget:
    """What one batch may hold.

    Attributes:
        rows: the most sequences.
        tokens: the most rows times the tokens of the longest; None: unknown.
    """

    rows: int
    tokens: int | None = None

    def first(self, widths: Sequence[int]) -> int:
        """How many of the first sequences make a batch; at least one.

        Args:
            widths: the tokens of each, prompt and longest answer together; the first is the longest.
        """
        rows = min(self.rows, len(widths))
        if self.tokens is not None and widths:
            rows = min(rows, self.tokens // max(widths[0], 1))
        return max(rows, 1)

    def halved(self, rows: int, width: int) -> BatchBudget:
        """The budget after memory ran out for so many rows of this width."""
        return replace(self, tokens=max(rows * width // 2, 1))


def batches(widths: Sequence[int], budget: BatchBudget) -> list[list[int]]:
    """Positions of the sequences, batch by batch: longest first, so that a batch holds little padding.

    Also, memory then runs out at once or not at all.
    """
    order = sorted(range(len(widths)), key=lambda index: -widths[index])
    found = []
    while order:
        taken = budget.first([widths[index] for index in order])
        found.append(order[:taken])
        order = order[taken:]
    return found
