"""The requests of one model that no actor has: fresh ones, those to be asked again, and suspects."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from ..pending_request import PendingRequest, RequestSource, is_stopped

_PIECE = 256


@dataclass(frozen=True, slots=True)
class Suspects:
    """Requests of which one may have killed an actor: ``deaths`` actors died with them outstanding."""

    asked: tuple[PendingRequest, ...]
    deaths: int

    def after_death(self, unanswered: Sequence[PendingRequest]) -> list[Suspects]:
        """What to ask after an actor has died of them alone; nothing where the one left is the poison.

        Those that killed twice are halved. A single request is found guilty when it has stood alone before
        two actors that died.
        """
        deaths = self.deaths + 1
        left = tuple(unanswered)
        if deaths < 2 or (len(left) == 1 and len(self.asked) > 1):
            return [Suspects(left, 1)]
        if len(left) == 1:
            return []
        half = (len(left) + 1) // 2
        return [Suspects(part, 0 if len(part) == 1 else 1) for part in (left[:half], left[half:])]


class Work:
    """See the module; ``count`` is about how many requests the source will give."""

    def __init__(self, source: RequestSource, count: int, characters: int) -> None:
        self._source, self._count, self._characters = source, count, characters
        self._taken = 0
        self._again: deque[PendingRequest] = deque()
        self.suspects: deque[Suspects] = deque()

    @property
    def to_come(self) -> bool:
        """Whether anything is left to be handed out, now or later; nothing once the run is to stop."""
        return not self.stopped and (not self._source.done or bool(self._again) or bool(self.suspects))

    @property
    def stopped(self) -> bool:
        """Whether the run is to stop."""
        return is_stopped(self._source)

    @property
    def count(self) -> int:
        """About how many requests are left to be handed out; at least 1 while more can come."""
        if self.stopped:
            return 0
        known = len(self._again) + sum(len(each.asked) for each in self.suspects)
        if self._source.done:
            return known
        return max(known + self._count - self._taken, 1)

    def take(self, most: int) -> list[PendingRequest]:
        """The next requests, in order: at most so many, and only one more when their text is too much."""
        found: list[PendingRequest] = []
        weight = 0
        while len(found) < most and weight < self._characters:
            if not self._again:
                self._again.extend(self._fresh(min(most - len(found), _PIECE)))
            if not self._again:
                break
            found.append(self._again.popleft())
            weight += _weight(found[-1])
        return found

    def give_back(self, asked: Sequence[PendingRequest]) -> None:
        """To be asked again, before all others."""
        self._again.extendleft(reversed(asked))

    def drop_suspects(self) -> list[PendingRequest]:
        """Give the suspects up."""
        found = [asked for each in self.suspects for asked in each.asked]
        self.suspects.clear()
        return found

    def _fresh(self, most: int) -> list[PendingRequest]:
        if self._source.done:
            return []
        found = self._source.take(most)
        self._taken += len(found)
        return found


def _weight(asked: PendingRequest) -> int:
    return sum(len(turn.content) + sum(map(len, turn.images)) for turn in asked.prompt)
