"""What is known of one model's part of the run."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from .allocation import Wish
from .cluster import Needs
from .rules import Rules
from .work import Work


@dataclass
class JobWork:
    """One model: what it needs, its requests, and how its actors have fared.

    Attributes:
        number: its place in the order given.
        name: how it is called in messages.
        outstanding: how many requests its actors have.
        most: how many actors it may have; fewer once loading fails on some.
        ended: whether all is answered, or it has failed.
        loaded: whether an actor of it was ever ready.
        fitted: whether there ever was a node that could hold an actor of it.
        healthy: whether an answer has come since an actor died.
        fresh_left: whether the source had a request when it was last asked.
    """

    number: int
    name: str
    needs: Needs
    work: Work
    outstanding: int = 0
    ended: bool = False
    loaded: bool = False
    answered: int = 0
    healthy: bool = True
    fresh_left: bool = True
    load_deaths: int = 0
    barren_deaths: int = 0
    given_up: bool = False
    losses: int = 0
    unfit_since: float | None = None
    fitted: bool = False
    waiting_since: float | None = None
    said: bool = False
    most: int = field(init=False)

    def __post_init__(self) -> None:
        self.most = max(self.needs.actors, 1)

    def wish(self, there: int, searching: int, rules: Rules) -> Wish | None:
        """How many actors it could use beside those there are, of which some search suspects; None: none."""
        if self.ended or not self.work.to_come:
            return None
        backlog = self.work.count + self.outstanding
        searches = searching + len(self.work.suspects)  # each waits for loading time and again: side by side
        wanted = min(self.most, max(math.ceil(backlog / rules.an_actor), searches, 1))
        if wanted <= there:
            return None
        return Wish(self.number, self.needs, there, wanted - there, backlog)

    def progressed(self, answers: int) -> None:
        """An actor has answered."""
        self.outstanding -= answers
        self.answered += answers
        self.healthy, self.given_up = True, False
        self.barren_deaths = self.losses = 0
