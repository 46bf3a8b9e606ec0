"""Errors of requests by kind: the same words, whatever numbers and names stand in them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

MOST_CHARACTERS = 120
MOST_KINDS = 1000
OTHER = "(other errors)"
_QUOTED = re.compile(r"'[^']{0,200}'|\"[^\"]{0,200}\"")
_NUMBER = re.compile(r"\d[\d.,:]*")


@dataclass(frozen=True, slots=True)
class ErrorKind:
    """How often an error came, with one request that has it."""

    kind: str
    count: int
    model: str
    key: str
    error: str


class FailedRequests:
    """The failed requests of a model, by key; one that is answered later is forgotten."""

    def __init__(self) -> None:
        self._kinds: dict[str, str] = {}
        self._texts: dict[str, str] = {}

    def __len__(self) -> int:
        return len(self._kinds)

    def __iter__(self) -> Iterator[str]:
        return iter(self._kinds)

    def add(self, key: str, error: str) -> None:
        """A request failed."""
        kind = kind_of(error)
        if kind not in self._texts and len(self._texts) >= MOST_KINDS:
            kind = OTHER
        self._texts.setdefault(kind, error)
        self._kinds[key] = kind

    def forget(self, keys: Iterable[str]) -> None:
        """Requests have an answer after all."""
        for key in keys:
            self._kinds.pop(key, None)

    def kinds(self, model: str) -> list[ErrorKind]:
        """The kinds, the most frequent first, each with one of its requests."""
        counts = Counter(self._kinds.values())
        example = {kind: key for key, kind in reversed(self._kinds.items())}
        return [
            ErrorKind(kind, count, model, example[kind], self._texts[kind])
            for kind, count in counts.most_common()
        ]


def kind_of(error: str) -> str:
    """An error without what differs from request to request: numbers and what stands in quotes."""
    plain = _NUMBER.sub("N", _QUOTED.sub("'...'", error[: 4 * MOST_CHARACTERS]))
    return " ".join(plain.split())[:MOST_CHARACTERS]


def most_frequent(by_model: Mapping[str, FailedRequests], most: int = 5) -> list[ErrorKind]:
    """The most frequent kinds over all models; a kind of several models is one, with the first's example."""
    merged: dict[str, ErrorKind] = {}
    for model, failed in by_model.items():
        for each in failed.kinds(model):
            known = merged.get(each.kind)
            merged[each.kind] = (
                each
                if known is None
                else ErrorKind(each.kind, known.count + each.count, known.model, known.key, known.error)
            )
    return sorted(merged.values(), key=lambda each: -each.count)[:most]
