"""The compact set of keys beside Python's own set."""

from __future__ import annotations

import tracemalloc
from hashlib import blake2b

from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.running.store.keyset import KeySet

HEXADECIMAL = st.text("0123456789abcdef", min_size=32, max_size=32)
ODD = st.sampled_from(
    [
        "0" * 32,
        "f" * 32,
        "F" * 32,
        "A" * 32,
        "a" * 32,
        "ab " * 10 + "ab",
        "",
        "\ud800",
        "é" * 32,
        *(f"{number:032x}" for number in range(6)),
        *(f"{number:x}".ljust(32, "0") for number in range(6)),
    ]
)
KEYS = st.lists(HEXADECIMAL | ODD | st.text(max_size=40), max_size=8)
STEPS = st.lists(st.tuples(st.sampled_from(["add", "discard"]), KEYS), max_size=5)


def keys(count: int, name: str = "") -> list[str]:
    return [blake2b(f"{name}{number}".encode(), digest_size=16).hexdigest() for number in range(count)]


@settings(max_examples=20)
@given(steps=STEPS, asked=KEYS)
def test_it_holds_what_a_set_holds(steps: list[tuple[str, list[str]]], asked: list[str]) -> None:
    ours, theirs = KeySet(), set[str]()
    for do, some in steps:
        getattr(ours, do)(iter(some))
        theirs = theirs | {*some} if do == "add" else theirs - {*some}
        assert len(ours) == len(theirs)
    everything = [*asked, *(key for _, some in steps for key in some)]
    expected = [key in theirs for key in everything]
    assert ours.contained(everything) == expected
    assert [key in ours for key in everything] == expected


@given(one=KEYS, other=KEYS)
def test_common_and_copy(one: list[str], other: list[str]) -> None:
    ours, theirs = KeySet(one), KeySet(other)
    assert ours.common(theirs) == theirs.common(ours) == len({*one} & {*other})
    twin = ours.copy()
    twin.add(other)
    twin.discard(one)
    assert len(twin) == len({*other} - {*one})
    assert len(ours) == len({*one})
    assert all(ours.contained(one))


@settings(max_examples=2)
@given(st.integers(0, 2**64 - 1))
def test_it_grows(start: int) -> None:
    many = keys(60_000, str(start))
    ours = KeySet(many[:40_000])
    ours.add(many[20_000:40_000])
    assert len(ours) == 40_000
    assert ours.contained(many) == [True] * 40_000 + [False] * 20_000
    assert many[39_999] in ours
    assert many[40_000] not in ours


def test_equal_beginnings_or_ends_do_not_crowd_it() -> None:
    many = [f"{number:032x}" for number in range(1, 20_000)] + [
        f"{n:016x}".ljust(32, "0") for n in range(1, 20_000)
    ]
    ours = KeySet(many)
    assert len(ours) == len({*many})
    assert all(ours.contained(many))


def test_keys_that_come_and_go_do_not_fill_it() -> None:
    ours = KeySet(keys(1_000))
    for turn in range(30):
        some = keys(1_000, f"{turn}/")
        ours.add(some)
        ours.discard(some)
    assert len(ours) == 1_000
    assert len(ours._table) <= 16 * 8_192


def test_its_memory() -> None:
    many = keys(100_000)
    tracemalloc.start()
    ours = KeySet(many)
    held, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(ours) == len(many)
    assert held < 100_000 * 45
    assert most < 20_000_000
