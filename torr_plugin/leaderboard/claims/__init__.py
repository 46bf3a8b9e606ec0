"""What a site may claim: one type for all that its sentences, verdicts, bold and colour say."""

from .cells import pair_hypothesis
from .claim import Claim, Claims, Hypothesis
from .families import SiteClaims, claims_of
from .limits import at_limit

__all__ = [
    "Claim",
    "Claims",
    "Hypothesis",
    "SiteClaims",
    "at_limit",
    "claims_of",
    "pair_hypothesis",
]
