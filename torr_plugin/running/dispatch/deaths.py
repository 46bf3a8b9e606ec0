"""What follows when an actor dies."""

from __future__ import annotations

from ..pending_request import PendingRequest
from .actors import Actor
from .commands import Fail, Refuse
from .jobs import JobWork
from .rules import Rules
from .work import Suspects

ENDED = "the process that held the model ended"


def lost(job: JobWork, actor: Actor, reason: str, rules: Rules) -> list[Fail | Refuse]:
    """The node went away, or the actor was taken from us: nobody's fault, the requests are asked again."""
    job.losses += 1
    left = _take_outstanding(job, actor)
    if actor.suspects and left:
        job.work.suspects.appendleft(Suspects(tuple(left), actor.suspects.deaths))
    else:
        job.work.give_back(left)
    if job.losses < rules.losses:
        return []
    return [Fail(job.number, f"model {job.name!r}: lost {job.losses} times in a row with its node: {reason}")]


def died_loading(job: JobWork, actors_left: int, reason: str, rules: Rules) -> list[Fail | Refuse]:
    """An actor died while it loaded its model, or the model could not be loaded there.

    Where other actors have loaded it, it goes on with those alone after some tries.
    """
    job.load_deaths += 1
    if job.load_deaths < rules.load_deaths:
        return []
    if actors_left:
        job.most = actors_left
        return []
    return [
        Fail(job.number, f"model {job.name!r}: loading ended its process {job.load_deaths} times: {reason}")
    ]


def died(job: JobWork, actor: Actor, reason: str, rules: Rules) -> list[Fail | Refuse]:
    """An actor died with requests outstanding, of which one may be the reason."""
    job.healthy = False
    job.barren_deaths += 1
    left = _take_outstanding(job, actor)
    found: list[Fail | Refuse] = []
    if actor.suspects and left:
        rest = actor.suspects.after_death(left)
        job.work.suspects.extendleft(reversed(rest))
        if not rest:
            found.append(Refuse(job.number, (left[0].key,), f"{ENDED}: {reason}"))
    elif left:
        job.work.suspects.append(Suspects(tuple(left), 1))
    return found + _crash_loop(job, reason, rules)


def _take_outstanding(job: JobWork, actor: Actor) -> list[PendingRequest]:
    left = list(actor.outstanding.values())
    job.outstanding -= len(left)
    actor.outstanding = {}
    return left


def _crash_loop(job: JobWork, reason: str, rules: Rules) -> list[Fail | Refuse]:
    """Give the suspects up when so many deaths brought no answer; the model, if that does not help."""
    if job.barren_deaths < rules.barren_deaths:
        return []
    why = f"{ENDED} {job.barren_deaths} times in a row without an answer: {reason}"
    if job.given_up or not job.answered:
        return [Fail(job.number, f"model {job.name!r}: {why}")]
    job.given_up, job.barren_deaths = True, 0
    keys = tuple(asked.key for asked in job.work.drop_suspects())
    return [Refuse(job.number, keys, why)] if keys else []
