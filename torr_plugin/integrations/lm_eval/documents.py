"""A study's part as lm-eval's documents: an example is one document with a request for each configuration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

from ..record import FIELD
from ..studies import single_calls
from .asking import Asked, Asking, asked

if TYPE_CHECKING:
    from ...catalog import Example
    from ...recipes import Configuration, Plan
    from ..studies import Part

Document = dict[str, Any]

_REMEMBERED = 500


class Documents(Sequence[Document]):
    """The documents of a part, each made when it is asked for and then kept.

    A document has ``dataset``, ``example`` and the list of records, one a configuration in the plan's order.

    Attributes:
        names: the examples' ids.
    """

    def __init__(self, planned: Plan, part: Part, asking: Asking) -> None:
        self._planned, self._part, self._asking = planned, part, asking
        self._examples: list[Example] = planned.examples[part.dataset]
        self.names = [example.id for example in self._examples]
        self._places = {name: at for at, name in enumerate(self.names)}
        self._made: dict[int, Document] = {}
        self._prompts: dict[int, list[Asked]] = {}

    @property
    def configurations(self) -> list[Configuration]:
        """In the order of a document's records."""
        if self._part.config is not None:
            return [self._part.config]
        return single_calls(self._planned.configurations)

    def __len__(self) -> int:
        return len(self._examples)

    @overload
    def __getitem__(self, at: int) -> Document: ...
    @overload
    def __getitem__(self, at: slice) -> list[Document]: ...
    def __getitem__(self, at: int | slice) -> Document | list[Document]:
        if isinstance(at, slice):
            return [self[each] for each in range(*at.indices(len(self)))]
        at = range(len(self))[at]
        if at not in self._made:
            self._made[at] = self._make(at)
        return self._made[at]

    def __iter__(self) -> Iterator[Document]:
        return (self[at] for at in range(len(self)))

    def has(self, document: Mapping[str, Any]) -> bool:
        """Whether a document is one of these, with the same records."""
        at = self._places.get(str(document.get("example")))
        return at is not None and self[at] == document

    def take(self, document: Mapping[str, Any]) -> list[Asked]:
        """What the document asks, in the order of its records; held no longer, as lm-eval holds it then."""
        at = self._places[document["example"]]
        return self._prompts.pop(at, None) or self._ask(at)

    def first(self, document: Mapping[str, Any]) -> Asked:
        """What the document asks in its first configuration."""
        at = self._places[document["example"]]
        return (self._prompts.get(at) or self._ask(at))[0]

    def _make(self, at: int) -> Document:
        self._prompts[at] = requests = self._ask(at)
        if len(self._made) % _REMEMBERED == _REMEMBERED - 1:
            self._planned.builder(self._part.dataset).forget()
        return {
            "dataset": self._part.dataset,
            "example": self._examples[at].id,
            FIELD: [each.record.as_dict() for each in requests],
        }

    def _ask(self, at: int) -> list[Asked]:
        dataset, example = self._part.dataset, [self._examples[at]]
        return [
            asked(self._planned, request, self._asking)
            for config in self.configurations
            for request in self._planned.requests_of(dataset, config, example)
        ]
