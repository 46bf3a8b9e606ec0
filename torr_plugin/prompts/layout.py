"""The layout that the designs ``default`` and ``torr`` share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .design import Shown


def pieces(asked: Shown, demonstrations: Sequence[Shown]) -> Iterator[str]:
    r"""What stands between breaks: ``{instruction} | {source} | {prefix}{target}\n\n{source} | {prefix}``."""
    yield asked.instruction
    before = ""
    for shown in demonstrations:
        yield before + shown.source
        before = f"{shown.target_prefix}{shown.target}\n\n"
    yield before + asked.source
    yield asked.target_prefix
