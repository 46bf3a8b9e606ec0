"""How long a server is borne with."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one engine's patience.

    Attributes:
        attempts: how often a request is asked when the server fails or does not reply.
        rate_limited: how often when it says that it has too many requests.
        longest_wait: seconds that a server may ask to wait; the run stops where it asks for more.
        never_reached: seconds that a server may be out of reach before it was ever reached.
        lost: seconds that a server may be out of reach after it was.
        silent: seconds of failures alone after which the server counts as broken.
        in_a_row: so does this many requests given up on, one after the other.
        denied: and so many refusals of a kind that meets all requests, after some were answered.
    """

    attempts: int = 5
    rate_limited: int = 12
    longest_wait: float = 600.0
    never_reached: float = 30.0
    lost: float = 300.0
    silent: float = 900.0
    in_a_row: int = 100
    denied: int = 16
