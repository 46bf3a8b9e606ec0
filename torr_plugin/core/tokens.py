"""How many tokens a text takes, estimated without a tokenizer."""

from __future__ import annotations

CHARACTERS_A_TOKEN = 4


def estimate_tokens(text: str) -> int:
    """Estimate the tokens of a text: one per four characters, rounded up.

    A rule of thumb for English in today's subword vocabularies; tables with many numbers take up to twice as
    many.
    """
    return -(-len(text) // CHARACTERS_A_TOKEN)
