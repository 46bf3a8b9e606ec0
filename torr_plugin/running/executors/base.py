"""What an executor is."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from ...core.errors import ModelError
from ..answer import Answer

if TYPE_CHECKING:
    from ...recipes import ModelEntry
    from ..pending_request import RequestSource

Given: TypeAlias = "list[Answer] | ModelError"


@dataclass(frozen=True, slots=True)
class Job:
    """One model and what it is to be asked.

    ``count`` is about how many requests are pending; ``generation`` the study's parameters.
    """

    entry: ModelEntry
    generation: Mapping[str, Any]
    source: RequestSource
    count: int


class Executor(Protocol):
    """Asks models their pending requests."""

    def run(self, jobs: Sequence[Job]) -> Generator[tuple[str, Given], None, None]:
        """Label of a model and a batch of its answers, as they are ready: one for each request taken.

        What the caller does with a batch (store it, add what follows from it to the source) is done when it
        asks for the next one. A model that cannot be loaded, or whose engine broke, is given once with its
        :class:`ModelError`; the others go on.
        """
