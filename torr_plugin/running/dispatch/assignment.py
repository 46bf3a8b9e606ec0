"""Assign requests to actors, and decide what happens to the requests of an actor that died."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..pending_request import PendingRequest
from .commands import DispatchRules, FailJob, FailRequests, SendRequests
from .jobs import ActorState, JobState, SuspectRequests


def requests_to_send(
    job: JobState, actors: Sequence[ActorState], now: float, rules: DispatchRules
) -> list[SendRequests]:
    """The requests to send to a model's actors now.

    An actor has two batches outstanding, or one beside all its engine works on at once, so that the engine
    never runs dry; towards the end less, its share of what is left, so that all end together.
    """
    ready = [actor for actor in actors if actor.state == "ready"]
    found: list[SendRequests] = []
    for again in (False, True):
        _choose_for_suspects(job, ready)
        for actor in sorted(ready, key=lambda actor: len(actor.outstanding)):
            found += _feed(job, actor, len(actors), now, rules)
        if again or job.fresh_left or not job.work.suspects:
            break  # suspects that waited for fresh requests get a second pass if there were none
    return found


def _feed(
    job: JobState, actor: ActorState, actors: int, now: float, rules: DispatchRules
) -> list[SendRequests]:
    if actor.suspects:
        return []
    if not actor.draining:
        return _fresh(job, actor, actors, now, rules)
    return [] if actor.outstanding else _suspects(job, actor, now)


def _choose_for_suspects(job: JobState, ready: Sequence[ActorState]) -> None:
    """Reserve actors for suspects, at most half of them.

    After a death fresh requests come first until one is answered: else a handful of bad requests could look
    like a broken engine.
    """
    isolated = [actor for actor in ready if actor.suspects or actor.draining]
    wanted = min(len(job.work.suspects), max(1, len(ready) // 2)) - len(isolated)
    others = [actor for actor in ready if not actor.suspects and not actor.draining]
    if not job.healthy and job.fresh_left:
        return
    for actor in sorted(others, key=lambda actor: len(actor.outstanding))[: max(wanted, 0)]:
        actor.draining = True


def _suspects(job: JobState, actor: ActorState, now: float) -> list[SendRequests]:
    actor.draining = False
    if not job.work.suspects:
        return []
    actor.suspects = job.work.suspects.popleft()
    return [_sent(job, actor, list(actor.suspects.requests), now)]


def _fresh(
    job: JobState, actor: ActorState, actors: int, now: float, rules: DispatchRules
) -> list[SendRequests]:
    actor.batch = actor.batch or rules.first
    target = max(2 * actor.batch, actor.appetite + actor.batch)
    found: list[SendRequests] = []
    if len(actor.outstanding) >= target:
        return found
    while left := job.work.count:
        share = math.ceil((left + job.outstanding) / actors)
        size = min(actor.batch, max(math.ceil(left / (2 * actors)), 1))
        if len(actor.outstanding) + size > max(min(target, share), 1):
            break
        requests = job.work.take(size)
        job.fresh_left = bool(requests)
        if not requests:
            break
        found.append(_sent(job, actor, requests, now))
    else:
        job.fresh_left = False
    return found


def _sent(job: JobState, actor: ActorState, requests: list[PendingRequest], now: float) -> SendRequests:
    job.outstanding += len(requests)
    actor.sent(requests, now)
    return SendRequests(actor.number, requests)


ENDED = "the process that held the model ended"


def after_node_loss(
    job: JobState, actor: ActorState, reason: str, rules: DispatchRules
) -> list[FailJob | FailRequests]:
    """Put the requests back: the node was lost or the actor taken away, for which no request is to blame."""
    job.losses += 1
    left = _take_outstanding(job, actor)
    if actor.suspects and left:
        job.work.suspects.appendleft(SuspectRequests(tuple(left), actor.suspects.deaths))
    else:
        job.work.give_back(left)
    if job.losses < rules.losses:
        return []
    return [
        FailJob(job.number, f"model {job.name!r}: lost {job.losses} times in a row with its node: {reason}")
    ]


def after_load_death(
    job: JobState, actors_left: int, reason: str, rules: DispatchRules
) -> list[FailJob | FailRequests]:
    """Handle an actor that died while it loaded its model, or could not load it.

    After some attempts the model continues with the actors that have loaded it, if there are any.
    """
    job.load_deaths += 1
    if job.load_deaths < rules.load_deaths:
        return []
    if actors_left:
        job.most = actors_left
        return []
    return [
        FailJob(
            job.number, f"model {job.name!r}: loading ended its process {job.load_deaths} times: {reason}"
        )
    ]


def after_death(
    job: JobState, actor: ActorState, reason: str, rules: DispatchRules
) -> list[FailJob | FailRequests]:
    """Make suspects of the requests with which an actor died."""
    job.healthy = False
    job.deaths_without_answer += 1
    left = _take_outstanding(job, actor)
    found: list[FailJob | FailRequests] = []
    if actor.suspects and left:
        rest = actor.suspects.after_death(left)
        job.work.suspects.extendleft(reversed(rest))
        if not rest:
            found.append(FailRequests(job.number, (left[0].key,), f"{ENDED}: {reason}"))
    elif left:
        job.work.suspects.append(SuspectRequests(tuple(left), 1))
    return found + _crash_loop(job, reason, rules)


def _take_outstanding(job: JobState, actor: ActorState) -> list[PendingRequest]:
    left = list(actor.outstanding.values())
    job.outstanding -= len(left)
    actor.outstanding = {}
    return left


def _crash_loop(job: JobState, reason: str, rules: DispatchRules) -> list[FailJob | FailRequests]:
    """After many deaths without an answer, fail the suspects; if that does not help, fail the model."""
    if job.deaths_without_answer < rules.deaths_without_answer:
        return []
    why = f"{ENDED} {job.deaths_without_answer} times in a row without an answer: {reason}"
    if job.given_up or not job.answered:
        return [FailJob(job.number, f"model {job.name!r}: {why}")]
    job.given_up, job.deaths_without_answer = True, 0
    keys = tuple(request.key for request in job.work.drop_suspects())
    return [FailRequests(job.number, keys, why)] if keys else []
