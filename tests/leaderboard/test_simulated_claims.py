"""How often sites of simulated studies state what is not so, in sentences and in bold, and what they find.

`pytest -m release tests/leaderboard/test_simulated_claims.py` makes a thousand of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from scipy.stats import binom

from torr_plugin.analysis import compute
from torr_plugin.leaderboard.claims import Claims
from torr_plugin.leaderboard.claims.tiers import claimed_places

from .known_truth import QUICK_FIGURES, Effects, bold_is_true, holds, study_from, truths, untrue_sentences

RATE = 0.05


@pytest.fixture(autouse=True, scope="module")
def needed_figures_alone() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compute, "OWN_FIGURES", QUICK_FIGURES)
        yield


@dataclass
class Tally:
    """Of many sites: which say what is not so, and how much of what is so they find."""

    sites: int = 0
    untrue: list[str] = field(default_factory=list)
    bold: list[float] = field(default_factory=list)
    true: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)

    def lines(self) -> str:
        """For a report."""
        power = ", ".join(f"{kind} {self.found[kind] / count:.2f}" for kind, count in self.true.items())
        return (
            f"{self.sites} sites: {len(self.untrue)} with an untrue sentence, "
            f"bold that is untrue {np.mean(self.bold):.4f}; found of what is true: {power or 'nothing is'}"
        )


def tallied(number: int, effects: Effects) -> Tally:
    tally = Tally()
    for seed in range(number):
        rng = np.random.default_rng([41, len(effects), seed])
        truth = truths(rng, effects)
        study = study_from(truth, rng, seed)
        tally.sites += 1
        untrue = list(untrue_sentences(study, truth))
        tally.untrue += untrue[:1]
        bold = study.claims.bold
        made = [bold.every[hypothesis] for hypothesis in bold.made]
        tally.bold.append(sum(not bold_is_true(truth, claim) for claim in made) / max(len(made), 1))
        for claim in study.claims.sentences.every.values():
            if claim.estimate.value and holds(study, truth, claim):
                tally.true[claim.kind] += 1
                tally.found[claim.kind] += claim.holds
    return tally


def at_most(number: int, nominal: float = RATE) -> int:
    """How many of so many sites may err: more come by chance in one of a thousand runs."""
    return int(binom.ppf(0.999, number, nominal))


def check(tally: Tally) -> None:
    assert len(tally.untrue) <= at_most(tally.sites), "\n".join([tally.lines(), *tally.untrue])
    error = np.std(tally.bold) / np.sqrt(tally.sites)
    assert np.mean(tally.bold) <= RATE + 3 * error, tally.lines()


@pytest.mark.full
def test_few_sites_of_a_few_studies_state_what_is_not_so() -> None:
    """The quick version of the one below."""
    none, some, strong = tallied(3, "none"), tallied(4, "some"), tallied(2, "strong")
    for tally in (none, some, strong):
        check(tally)
    assert not none.true
    for kind, least in (("performance", 0.5), ("format", 0.1), ("perturbation", 0.3)):
        assert strong.found[kind] > least * strong.true[kind], strong.lines()


@pytest.mark.full
def test_what_is_made_up_is_found_out() -> None:
    """Every difference is claimed where nothing differs: sentences of all pages are untrue, and ranks."""
    rng = np.random.default_rng(41)
    truth = truths(rng, "none")
    study = study_from(truth, rng, 0)
    every = {
        name: replace(claim, holds=bool(claim.estimate.value))
        for name, claim in study.claims.sentences.every.items()
    }
    claims = Claims(every, RATE)
    places = claimed_places(study.analysis, claims)
    study.__dict__["claims"] = replace(study.claims, sentences=claims, places=places)
    found = "\n".join(untrue_sentences(study, truth))
    for words in ("every other format is worse", ": rank (", "All pairs of models are told apart", "'worse'"):
        assert words in found


@pytest.mark.release
@pytest.mark.parametrize(("effects", "number"), [("none", 300), ("some", 500), ("strong", 200)])
def test_few_sites_state_what_is_not_so(effects: Effects, number: int) -> None:
    tally = tallied(number, effects)
    print(tally.lines())
    check(tally)
