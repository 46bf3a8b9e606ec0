"""A compact set of request keys: sixteen bytes a key, whatever their number."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from itertools import islice

import numpy as np

_BYTES = 16
_DIGITS = 2 * _BYTES
_EMPTY = bytes(_BYTES)
_GONE = b"\xff" * _BYTES
_FEWEST_SLOTS = 64
_CHUNK = 1 << 16  # keys worked on at once: bounds what is held beside the table
_MIX = 0x9E3779B97F4A7C15  # 2 ** 64 over the golden ratio (Knuth, The Art of Computer Programming 3, 6.4)
_WORD = (1 << 64) - 1
_ORDER = sys.byteorder  # NumPy reads words in the order of the machine


class KeySet:
    """A set of texts, made for request keys: a table of 16-byte slots with linear probing.

    Keys of 32 lower-case hexadecimal digits are held as they are, any other text by its 128-bit BLAKE2b hash:
    two texts are then the same with a chance of about ``n ** 2 / 2 ** 129``. A slot in two is free at most
    sizes, so a million keys take 32 MiB, and 64 MiB for the moment in which the table doubles.
    """

    def __init__(self, keys: Iterable[str] = ()) -> None:
        self._count = 0
        self._used = 0  # slots that are not empty: keys, and marks of keys that were discarded
        self._table = bytearray(_FEWEST_SLOTS * _BYTES)
        self.add(keys)

    def __len__(self) -> int:
        return self._count

    def __contains__(self, key: str) -> bool:
        raw, table = _raw(key), self._table
        last = len(table) - 1
        place = _home(raw, len(table))
        while True:
            found = table[place : place + _BYTES]
            if found == raw:
                return True
            if found == _EMPTY:
                return False
            place = (place + _BYTES) & last

    def add(self, keys: Iterable[str]) -> None:
        """Take keys; those that are in it already change nothing."""
        rest = iter(keys)
        while some := list(islice(rest, _CHUNK)):
            self._insert(_words(some))

    def discard(self, keys: Iterable[str]) -> None:
        """Forget keys; those that are not in it change nothing."""
        rest = iter(keys)
        while some := list(islice(rest, _CHUNK)):
            slots = np.unique(self._found(_words(some)))
            slots = slots[slots >= 0]
            self._slots()[slots] = np.frombuffer(_GONE, np.uint64)
            self._count -= len(slots)

    def contained(self, keys: Sequence[str]) -> list[bool]:
        """For each key, whether it is in the set."""
        if not self._count:
            return [False] * len(keys)
        found: list[bool] = []
        for start in range(0, len(keys), _CHUNK):
            found += (self._found(_words(keys[start : start + _CHUNK])) >= 0).tolist()
        return found

    def common(self, other: KeySet) -> int:
        """How many keys both sets have."""
        few, many = sorted((self, other), key=len)
        words = few._kept()
        starts = range(0, len(words), _CHUNK)
        return sum(int((many._found(words[start : start + _CHUNK]) >= 0).sum()) for start in starts)

    def copy(self) -> KeySet:
        """A set with the same keys."""
        twin = KeySet()
        twin._count, twin._used, twin._table = self._count, self._used, bytearray(self._table)
        return twin

    def _slots(self) -> np.ndarray:
        """The table, a row a slot, two words each."""
        return np.frombuffer(self._table, np.uint64).reshape(-1, 2)

    def _kept(self) -> np.ndarray:
        slots = self._slots()
        kept: np.ndarray = slots[~_is(slots, _EMPTY) & ~_is(slots, _GONE)]
        return kept

    def _insert(self, words: np.ndarray) -> None:
        self._make_room(len(words))
        slots, homes = self._slots(), self._homes(words)
        while len(words):
            held = slots[homes]
            free = _is(held, _EMPTY)
            slots[homes[free]] = words[free]  # of several that claim one slot, the last has it
            taken = len(np.unique(homes[free]))
            self._count += taken
            self._used += taken
            rest = ~_same(slots[homes], words)
            words, homes = words[rest], (homes[rest] + 1) % len(slots)

    def _found(self, words: np.ndarray) -> np.ndarray:
        """The slot of each key; -1 for a key that is not there."""
        slots, homes = self._slots(), self._homes(words)
        found = np.full(len(words), -1, np.int64)
        open_ = np.arange(len(words))
        while len(open_):
            held = slots[homes]
            same = _same(held, words)
            found[open_[same]] = homes[same]
            rest = ~same & ~_is(held, _EMPTY)
            open_, words, homes = open_[rest], words[rest], (homes[rest] + 1) % len(slots)
        return found

    def _homes(self, words: np.ndarray) -> np.ndarray:
        """The slot at which the search for each key begins; as :func:`_home`."""
        mixed = (words[:, 0] ^ (words[:, 1] * np.uint64(_MIX))) * np.uint64(_MIX)
        shift = 64 - (len(self._table) // _BYTES).bit_length() + 1
        homes: np.ndarray = (mixed >> np.uint64(shift)).astype(np.int64)
        return homes

    def _make_room(self, more: int) -> None:
        """Keep at least four slots in ten empty."""
        slots = len(self._table) // _BYTES
        if (self._used + more) * 10 <= slots * 6:
            return
        kept = self._kept()
        while (len(kept) + more) * 10 > slots * 6:
            slots *= 2
        self._table = bytearray(slots * _BYTES)
        self._count = self._used = 0
        for start in range(0, len(kept), _CHUNK):
            self._insert(kept[start : start + _CHUNK])


def key_bytes(keys: Sequence[str]) -> np.ndarray:
    """Keys as an array of 16 bytes each (NumPy's type ``S16``), which can be sorted and searched."""
    words = _words(keys)
    found: np.ndarray = words.view("S16").reshape(len(words))
    return found


def _raw(key: str) -> bytes:
    """The sixteen bytes that stand for a key, never those of a free slot."""
    if len(key) == _DIGITS:
        try:
            raw = bytes.fromhex(key)
        except ValueError:
            raw = b""
        if raw.hex() == key and raw not in (_EMPTY, _GONE):
            return raw
    return blake2b(key.encode("utf-8", "surrogatepass"), digest_size=_BYTES).digest()


def _home(raw: bytes, size: int) -> int:
    first, second = int.from_bytes(raw[:8], _ORDER), int.from_bytes(raw[8:], _ORDER)
    mixed = ((first ^ (second * _MIX & _WORD)) * _MIX) & _WORD
    return (mixed >> (65 - (size // _BYTES).bit_length())) * _BYTES


def _words(keys: Sequence[str]) -> np.ndarray:
    """The bytes of many keys, two words a key."""
    text = "".join(keys)
    raw = _hexadecimal(text) if {*map(len, keys)} == {_DIGITS} else b""
    words = np.frombuffer(raw, np.uint64).reshape(-1, 2)
    if len(words) == len(keys) and not (_is(words, _EMPTY) | _is(words, _GONE)).any():
        return words
    return np.frombuffer(b"".join(map(_raw, keys)), np.uint64).reshape(-1, 2)


def _hexadecimal(text: str) -> bytes:
    """The bytes that lower-case hexadecimal digits name; nothing where the text is anything else."""
    try:
        raw = bytes.fromhex(text)
    except ValueError:
        return b""
    return raw if raw.hex() == text else b""


def _is(words: np.ndarray, raw: bytes) -> np.ndarray:
    return _same(words, np.frombuffer(raw, np.uint64).reshape(1, 2))


def _same(some: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Which rows of two words are equal; several times as quick as ``all`` along rows so short."""
    found: np.ndarray = (some[:, 0] == others[:, 0]) & (some[:, 1] == others[:, 1])
    return found
