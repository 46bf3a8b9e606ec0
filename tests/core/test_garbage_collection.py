"""Garbage collection while many values without cycles are made."""

from __future__ import annotations

import gc
import weakref

import pytest

from torr_plugin.core.garbage_collection import ALLOCATIONS, infrequent_garbage_collection

UNFREEZE = gc.unfreeze  # which a session of tests does without


class Node:
    """Part of a cycle."""

    def __init__(self) -> None:
        self.itself = self


def held_back_until_it_fails(before: tuple[int, int, int]) -> None:
    with infrequent_garbage_collection():
        assert gc.get_threshold() == (max(before[0], ALLOCATIONS), *before[1:])
        assert gc.get_freeze_count() > 0
        raise KeyError


def test_it_is_as_before_afterwards_also_after_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    before = gc.get_threshold()
    monkeypatch.setattr(gc, "unfreeze", UNFREEZE)
    with pytest.raises(KeyError):
        held_back_until_it_fails(before)
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0
    gc.freeze()


def test_garbage_is_found_meanwhile() -> None:
    with infrequent_garbage_collection():
        node = weakref.ref(Node())
        for _ in range(100):
            if node() is None:
                break
            kept = [[] for _ in range(ALLOCATIONS)]  # tracked values, as prompts and rows are
            assert kept
        assert node() is None


def test_a_search_that_is_off_stays_off() -> None:
    before = gc.get_threshold()
    gc.set_threshold(0)
    try:
        with infrequent_garbage_collection():
            assert gc.get_threshold()[0] == 0
    finally:
        gc.set_threshold(*before)
