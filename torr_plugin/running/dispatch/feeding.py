"""How much an actor is sent, and who is asked suspects."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..pending_request import PendingRequest
from .actors import Actor
from .commands import Feed
from .jobs import JobWork
from .rules import Rules


def feeds(job: JobWork, actors: Sequence[Actor], now: float, rules: Rules) -> list[Feed]:
    """What a model's live actors are sent now.

    An actor has two batches outstanding, or one beside all its engine works on at once, so that the engine
    never runs dry; towards the end less, its share of what is left, so that all end together.
    """
    ready = [actor for actor in actors if actor.state == "ready"]
    found: list[Feed] = []
    for again in (False, True):
        _choose_for_suspects(job, ready)
        for actor in sorted(ready, key=lambda actor: len(actor.outstanding)):
            found += _feed(job, actor, len(actors), now, rules)
        if again or job.fresh_left or not job.work.suspects:
            break  # once more where suspects were put off for fresh requests and there were none
    return found


def _feed(job: JobWork, actor: Actor, actors: int, now: float, rules: Rules) -> list[Feed]:
    if actor.suspects:
        return []
    if not actor.draining:
        return _fresh(job, actor, actors, now, rules)
    return [] if actor.outstanding else _suspects(job, actor, now)


def _choose_for_suspects(job: JobWork, ready: Sequence[Actor]) -> None:
    """Set actors aside for suspects, at most half of them.

    After a death fresh requests come first until one is answered: else a handful of bad requests could look
    like a broken engine.
    """
    alone = [actor for actor in ready if actor.suspects or actor.draining]
    wanted = min(len(job.work.suspects), max(1, len(ready) // 2)) - len(alone)
    others = [actor for actor in ready if not actor.suspects and not actor.draining]
    if not job.healthy and job.fresh_left:
        return
    for actor in sorted(others, key=lambda actor: len(actor.outstanding))[: max(wanted, 0)]:
        actor.draining = True


def _suspects(job: JobWork, actor: Actor, now: float) -> list[Feed]:
    actor.draining = False
    if not job.work.suspects:
        return []
    actor.suspects = job.work.suspects.popleft()
    return [_sent(job, actor, list(actor.suspects.asked), now)]


def _fresh(job: JobWork, actor: Actor, actors: int, now: float, rules: Rules) -> list[Feed]:
    actor.batch = actor.batch or rules.first
    target = max(2 * actor.batch, actor.appetite + actor.batch)
    found: list[Feed] = []
    if len(actor.outstanding) >= target:
        return found
    while left := job.work.count:
        share = math.ceil((left + job.outstanding) / actors)
        size = min(actor.batch, max(math.ceil(left / (2 * actors)), 1))
        if len(actor.outstanding) + size > max(min(target, share), 1):
            break
        asked = job.work.take(size)
        job.fresh_left = bool(asked)
        if not asked:
            break
        found.append(_sent(job, actor, asked, now))
    else:
        job.fresh_left = False
    return found


def _sent(job: JobWork, actor: Actor, asked: list[PendingRequest], now: float) -> Feed:
    job.outstanding += len(asked)
    actor.sent(asked, now)
    return Feed(actor.number, asked)
