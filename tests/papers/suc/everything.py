"""Solves every structural question of the package's cards from its table in every lossless format.

``python -m tests.papers.suc.everything [STEP]``, with TORR_DATA at a mirror; some minutes. STEP: only one
question in so many. Prints, by cards and format, how many questions were asked and how many solved.
"""

from __future__ import annotations

import sys
from collections import Counter

from torr_plugin.catalog import card_names, load_card, read_examples
from torr_plugin.tables import serializers

from .sheets import READERS
from .solver import solve


def main(step: int) -> int:
    asked: Counter[tuple[str, str]] = Counter()
    solved: Counter[tuple[str, str]] = Counter()
    for name in card_names():
        cards = name.removeprefix("cards.").rpartition(".")[0]
        if not cards.startswith("suc"):
            continue
        card = load_card(name)
        for example in read_examples(card, card.test_split)[::step]:
            for written, read in READERS.items():
                text = serializers.get(written).serialize(example.table)
                answer = solve(read(text), example.fields["question"])
                asked[cards, written] += 1
                solved[cards, written] += answer == example.target
                if answer != example.target:
                    print(f"{name}, {example.id}, {written}: {answer!r}, expected {example.target!r}")
    for (cards, written), count in asked.items():
        print(f"{cards:14} {written:18} {solved[cards, written]:6} of {count:6}")
    return int(solved != asked)


if __name__ == "__main__":
    raise SystemExit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1))
