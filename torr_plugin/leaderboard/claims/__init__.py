"""What a site may claim: one type for all that its sentences, verdicts, bold and colour say."""

from .cells import pair_hypothesis
from .claim import Claim, Claims, Hypothesis
from .families import SiteClaims, claims_of

__all__ = [
    "Claim",
    "Claims",
    "Hypothesis",
    "SiteClaims",
    "claims_of",
    "pair_hypothesis",
]
