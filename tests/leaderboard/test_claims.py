"""What may be claimed: families of p-values with and without effects, and the claims of whole studies."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import nct, t

from torr_plugin.analysis import AnalysisResults
from torr_plugin.analysis.figures.detectable import DetectableDifference
from torr_plugin.analysis.multiplicity import benjamini_hochberg, holm_adjusted
from torr_plugin.analysis.result import NOTHING, OVERALL, Interval
from torr_plugin.leaderboard.claims import Claim, Claims, Hypothesis, pair_hypothesis
from torr_plugin.leaderboard.claims.claim import Group, bold_claims, sentence_claims
from torr_plugin.leaderboard.claims.families import claims_of
from torr_plugin.leaderboard.claims.verdicts import detectable
from torr_plugin.leaderboard.claims.worded import PERFORMANCE, PERFORMANCE_ON_DATASET, best_format
from torr_plugin.leaderboard.results import StudyResults, at_limit
from torr_plugin.leaderboard.study import Study

from .known_truth import DATASETS, study_from, truths
from .made import make_run, with_analysis
from .rendered import noise, opened, scored, with_results

pytestmark = pytest.mark.full

THOUSANDTHS = st.integers(0, 1000).map(lambda number: number / 1000)
P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=12)


def group(p_values: Mapping[object, float | None]) -> Group:
    return {(name,): Claim("kind", (name,), "all", 9, NOTHING, p, "bold") for name, p in p_values.items()}


def names(found: Claims) -> set[object]:
    return {name for (name,) in found.made}


@given(P_VALUES)
def test_bold_is_what_benjamini_and_hochberg_reject(p_values: list[float]) -> None:
    found = bold_claims(group(dict(enumerate(p_values))), 0.9)
    adjusted = benjamini_hochberg(np.array(p_values))
    assert names(found) == {place for place, p in enumerate(adjusted) if p <= found.rate}
    assert found.tested == len(p_values)


@given(P_VALUES)
def test_sentences_of_one_kind_on_single_differences_are_what_holm_rejects(p_values: list[float]) -> None:
    found = sentence_claims({"kind": [group({place: p}) for place, p in enumerate(p_values)]}, 0.9)
    adjusted = holm_adjusted(np.array(p_values))
    assert names(found) == {place for place, p in enumerate(adjusted) if p <= found.rate}


def test_a_group_counts_once_and_until_all_of_it_is_claimed() -> None:
    """At 1 in 20, two groups: half of it each; all of the second, and then the first has all to itself."""
    first = group({"a": 0.03, "b": 0.2})
    assert names(sentence_claims({"kind": [first, group({"c": 0.01})]}, 0.95)) == {"a", "c"}
    assert names(sentence_claims({"kind": [first, group({"c": 0.01, "d": 0.3})]}, 0.95)) == {"c"}


def test_kinds_of_questions_have_equal_shares_however_many_hypotheses_they_have() -> None:
    """A half for one question, a half for a hundred; what is claimed whole hands its share on."""
    many = [group({n: 0.5}) for n in range(100)]
    assert names(sentence_claims({"one": [group({"a": 0.02})], "many": many}, 0.95)) == {"a"}
    assert not sentence_claims({"one": [group({"a": 0.03})], "many": many}, 0.95).made
    close = [group({"b": 0.04}), group({"c": 0.01})]
    assert names(sentence_claims({"one": [group({"a": 0.02})], "two": close}, 0.95)) == {"a", "b", "c"}
    assert names(sentence_claims({"one": [group({"a": 0.2})], "two": close}, 0.95)) == {"c"}


@given(st.lists(st.lists(P_VALUES, min_size=1, max_size=4), min_size=1, max_size=4))
def test_shares_never_claim_what_no_correction_would_reject(kinds: list[list[list[float]]]) -> None:
    """What is claimed has p at most the rate; what has p at most the first share is claimed."""
    families = {
        str(k): [group({(k, g, i): p for i, p in enumerate(own)}) for g, own in enumerate(groups)]
        for k, groups in enumerate(kinds)
    }
    found = sentence_claims(families, 0.9)
    for k, groups in enumerate(kinds):
        for g, own in enumerate(groups):
            for i, p in enumerate(own):
                claimed = ((k, g, i),) in found
                assert not claimed or p <= found.rate
                assert claimed or p > found.rate / len(kinds) / len(groups)


@given(P_VALUES, st.integers(0, 12))
def test_a_p_value_that_is_not_a_number_is_none(p_values: list[float], at: int) -> None:
    """It holds nothing, and does not count out its group, whose share others would take."""
    nan, without = [*p_values], [*p_values]
    nan.insert(at, float("nan"))
    without.insert(at, None)  # type: ignore[arg-type]
    other = group({"other": 0.04})
    for of in (bold_claims, lambda own, level: sentence_claims({"kind": [own, other]}, level)):
        one, same = (of(group(dict(enumerate(values))), 0.95) for values in (nan, without))
        assert (one.made, one.tested) == (same.made, same.tested)
        assert (min(at, len(p_values)),) not in one.made


def test_what_was_not_tested_is_neither_claimed_nor_counted() -> None:
    assert names(bold_claims(group({"a": None, "b": 0.04}), 0.95)) == {"b"}
    found = sentence_claims({"x": [group({"a": None})], "y": [group({"b": 0.04})]}, 0.95)
    assert (names(found), found.tested) == ({"b"}, 1)
    assert sentence_claims({}, 0.95).tested == bold_claims({}, 0.95).tested == 0


def test_the_best_format_against_itself_is_corrected_for_and_not_counted(toon: Study) -> None:
    """It can never be stated, but which format is best was found on the scores: its group is never whole."""
    found = toon.claims.sentences
    of_best = {claim.hypothesis: claim for claim in found.every.values() if claim.of_best}
    assert len(of_best) == len(toon.models)
    for (_, model, place, name), claim in of_best.items():
        assert name == best_format(toon.analysis, str(model), str(place))
        assert (claim.p, claim.holds) == (1, False)
    every = {claim.hypothesis for claim in found.every.values() if claim.p is not None}
    assert found.tested == len(every) - len(of_best)
    assert f"Of {found.tested} differences that could be stated" in found.sentence_line


@pytest.mark.parametrize("claimed", [0, 1, 40])
def test_readers_learn_what_is_stated_and_what_is_bold_and_how_often_that_is_wrong(claimed: int) -> None:
    p_values = group(dict(enumerate([1e-9] * claimed + [0.9] * (80 - claimed))))
    verb = "is" if claimed == 1 else "are"
    assert bold_claims(p_values, 0.95).bold_line == (
        f"Of 80 figures that could be highlighted, {claimed} {verb}. On average at most one highlighted "
        "figure in 20 is due to chance (false discovery rate 0.05). Sentences and verdicts keep a stricter "
        "rule, so a figure can be highlighted where they state no difference."
    )
    assert sentence_claims({"kind": [p_values]}, 0.95).sentence_line == (
        f"Of 80 differences that could be stated, {claimed} {verb}. The probability that this study "
        "states even one difference that is not there is at most 0.05."
    )


def test_all_that_is_claimed_of_a_study_has_its_test_and_its_cells(small_study: Study) -> None:
    found = small_study.claims
    assert {claim.family for claim in found.sentences.every.values()} == {"sentences"}
    assert {claim.family for claim in found.bold.every.values()} == {"bold"}
    for claims in (found.sentences, found.bold):
        assert claims.tested
        for claim in claims.every.values():
            assert claim.cells in ("all data sets", *small_study.datasets)
            assert claim.n
            assert claim.n <= sum(small_study.analysis.settings.examples.values())
            assert not claim.holds or (claim.p is not None and claim.p <= claims.rate)


def test_the_only_data_set_and_all_of_them_are_one_place(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", datasets=["facts"])
    with_analysis(run, resamples=50)
    study = opened(run)
    found = study.claims.sentences
    both = [name for name in found.every if name[0] == "worse"]
    assert {name[2] for name in both} == {"overall", "facts"}
    assert found.tested < len(found.every)
    for name in both:
        assert (name in found) == (("worse", name[1], "facts", name[3]) in found)


def test_a_figure_at_its_floor_or_ceiling_says_nothing(small_study: Study) -> None:
    analysis, model = small_study.analysis, small_study.models[0]
    assert at_limit(analysis, model, "performance") is None
    assert at_limit(analysis, model, "robustness") is None

    def scoring(value: float, robustness: float) -> tuple[str | None, str | None]:
        found = {}
        for name, each in (("performance", value), ("robustness_5", robustness)):
            figures = getattr(analysis, name)
            own = Interval(value=each, low=each, high=each)
            found[name] = {**figures, model: figures[model].model_copy(update={"overall": own})}
        changed = with_results(analysis, **found)
        return at_limit(changed, model, "performance"), at_limit(changed, model, "headline_robustness")

    assert scoring(0.01, 0.9) == ("floor", "ceiling")
    assert scoring(0.99, 0.97) == ("ceiling", "ceiling")
    assert scoring(0.4, 1.0) == (None, "ceiling")
    assert scoring(0.4, 0.9) == (None, None)


def test_a_tier_begins_where_a_model_is_claimed_to_be_worse_than_its_best(small_study: Study) -> None:
    claims = small_study.claims
    for place in ("overall", *small_study.datasets):
        tiers = claims.places[place].tiers
        assert list(tiers.values()) == sorted(tiers.values())
        best = {tier: model for model, tier in reversed(list(tiers.items()))}
        for model, tier in tiers.items():
            apart = pair_hypothesis("performance", best[tier], model, place)
            assert apart not in claims.sentences
            if tier > 1 and best[tier] == model:
                assert pair_hypothesis("performance", best[tier - 1], model, place) in claims.sentences
    assert claims.kept_places
    assert claims.kept_places.keys() == claims.places.keys()


def test_ranks_are_below_those_claimed_better_and_above_those_claimed_worse(small_study: Study) -> None:
    models = small_study.models
    for place, found in small_study.claims.places.items():
        for model in models:
            held = [
                claim.seen_from(model).value or 0.0
                for other in models
                if other != model
                and (claim := small_study.claims.sentences.get(_pair(model, other, place))) is not None
                and claim.holds
            ]
            better, worse = sum(value < 0 for value in held), sum(value > 0 for value in held)
            assert found.ranks[model] == (1 + better, len(models) - worse)


def test_ranks_by_robustness_follow_claims_and_leave_out_what_says_nothing(tmp_path: Path) -> None:
    """a hardly changes, b and c do; d is always wrong: perfectly robust, and no rival."""

    def right(model: str, example: int, fmt: str, change: str) -> float:
        steady = (noise(model, example, "", "") < 0.6) is (noise(model, example, fmt, change) < 0.97)
        return float({"a": steady, "d": False}.get(model, noise(model, example, fmt, change) < 0.6))

    study = scored(tmp_path, right, "abcd")
    assert study.claims.robust_ranks["overall"] == {"a": (1, 1), "b": (2, 3), "c": (2, 3)}


def _pair(one: str, other: str, place: str) -> Hypothesis:
    return pair_hypothesis("performance", one, other, place)


def test_two_models_of_which_no_claim_is_made_may_have_the_same_rank(tmp_path: Path) -> None:
    """The analysis's own tests, of fewer differences, tell them apart; the site does not say so."""
    found = scored(tmp_path, lambda model, example, *cell: float(example % 10 < 4 + 2 * (model == "a")), "ab")
    figures = found.analysis.results.to_json()
    figures["rank_intervals"] = {"a": [1, 1], "b": [2, 2]}
    for pair in figures["pairs"]:
        for own in (pair["performance"]["overall"], *pair["performance"]["datasets"].values()):
            own["p"] = 0.04
    claims = claims_of(StudyResults(AnalysisResults.from_json(figures)))
    assert claims.places["overall"].tiers == {"a": 1, "b": 1}
    assert claims.places["overall"].ranks == {"a": (1, 2), "b": (1, 2)}


def test_of_a_model_alone_each_difference_is_tested_once(tmp_path: Path) -> None:
    """All models together are that one: its formats would count twice in the family of what is bold."""
    found = scored(tmp_path, lambda model, example, fmt, change: float(example % 3 > (fmt == "csv")), "a")
    assert {claim.hypothesis[:3] for claim in found.claims.bold.of_kind("serializer")} == {
        ("serializer", "towns", "a")
    }


def test_a_model_alone_has_no_place(tmp_path: Path) -> None:
    places = scored(tmp_path, lambda model, example, *cell: example % 2, "a").claims.places
    assert places
    for found in places.values():
        assert not found.tiers
        assert not found.ranks


# What a site can find


def test_the_detectable_difference_is_found_four_times_of_five_by_the_site_s_own_correction() -> None:
    """By the noncentral t, and in simulated sites where one pair differs by as much and nothing else does."""
    rng = np.random.default_rng(20)
    study = study_from(truths(rng, "some"), rng, 0)
    levels, rate = study.claims.sentences.levels, study.claims.sentences.rate

    def at(place: str) -> tuple[DetectableDifference, float, float]:
        assert study.analysis.detectable is not None
        own = study.analysis.detectable.places()[place]
        error, freedom = own.hardest[0]
        return own, float(detectable(study, place)) / error, freedom

    for place, kind in ((OVERALL, PERFORMANCE), (DATASETS[0], PERFORMANCE_ON_DATASET)):
        own, effect, freedom = at(place)
        limit = t(freedom).isf(levels[kind] / own.pairs / 2)
        assert nct(freedom, effect).sf(limit) == pytest.approx(0.8, abs=0.01)

    own, effect, freedom = at(OVERALL)
    groups = {kind: round(rate / len(levels) / level) for kind, level in levels.items()}
    times, stated = 400, 0
    spread = np.sqrt(rng.chisquare(freedom, (times, own.pairs)) / freedom)
    for each in (rng.standard_normal((times, own.pairs)) + effect * np.eye(own.pairs)[0]) / spread:
        nothing = {kind: [group({n: rng.random()}) for n in range(number)] for kind, number in groups.items()}
        differs, *others = holm_adjusted(2 * t(freedom).sf(np.abs(each)))
        pairs = group({"differs": differs, **dict(enumerate(others))})
        stated += "differs" in names(sentence_claims({**nothing, PERFORMANCE: [pairs]}, 1 - rate))
    assert stated / times == pytest.approx(0.8, abs=0.06)


def test_the_detectable_difference_holds_for_every_pair(toon: Study) -> None:
    """Also for those whose scores vary most, which need a larger one than the pair in the middle."""
    (cube,) = toon.cubes
    means = np.nanmean(cube.scores, axis=1)
    number = means.shape[1]
    found, level = toon.analysis.detectable, toon.claims.sentences.levels[PERFORMANCE]
    assert found is not None
    limit = t(number - 1).isf(level / found.overall.pairs / 2)
    powers = [
        nct(number - 1, float(detectable(toon)) / (np.std(one - other, ddof=1) / number**0.5)).sf(limit)
        for one, other in combinations(means, 2)
    ]
    assert min(powers) == pytest.approx(0.8, abs=0.01)


@given(
    st.lists(st.lists(st.lists(THOUSANDTHS, min_size=1, max_size=4), min_size=1, max_size=3), max_size=3),
    st.sampled_from([0.5, 0.8, 0.9, 0.95]),
)
def test_the_p_of_a_claim_is_the_least_rate_at_which_it_holds(
    kinds: list[list[list[float]]], level: float
) -> None:
    """So that no difference is called real at a p above the rate, nor unproven at one below."""
    asked = {
        str(kind): [group({f"{kind}/{g}/{n}": p for n, p in enumerate(own)}) for g, own in enumerate(groups)]
        for kind, groups in enumerate(kinds)
    }
    for claim in sentence_claims(asked, level).every.values():
        assert claim.adjusted is not None
        assert claim.holds is (claim.adjusted <= 1 - level)
        assert claim.adjusted >= (claim.p or 0.0) - 1e-12
        if 0 < claim.adjusted < 1:
            for rate, holds in ((claim.adjusted * 1.001, True), (claim.adjusted * 0.999, False)):
                found = sentence_claims(asked, 1 - rate).every[claim.hypothesis]
                assert found.holds is holds
