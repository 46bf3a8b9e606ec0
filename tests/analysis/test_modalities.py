"""Text against pictures, and another metric than the main one, beside loops over the rows."""

from __future__ import annotations

from statistics import fmean

import pandas as pd
import pytest

from tests.analysis.made import known_study
from torr_plugin.analysis import AnalysisError, analyse


def test_modalities_compare_the_same_examples() -> None:
    scores, _ = known_study()
    # m0 has no pictures of data set a's first examples, m2 none at all
    hidden = scores["config"].str.startswith("image") & (
        ((scores["model"] == "m0") & (scores["example"] < "e010") & (scores["dataset"] == "a"))
        | (scores["model"] == "m2")
    )
    shown = scores[~hidden]
    modalities = analyse(shown, resamples=50)["modalities"]
    found, differences = modalities["scores"], modalities["differences"]
    assert list(found) == list(differences) == ["overall", "a", "b"]
    by = {
        (m, d, c): rows.set_index("example")["score"]
        for (m, d, c), rows in shown.groupby(["model", "dataset", "serializer"])
    }
    for dataset in ("a", "b"):
        for model in ("m0", "m1"):
            text, image = (by[model, dataset, kind] for kind in ("html", "image"))
            own = found[dataset][model]
            both = text.index.intersection(image.index)
            assert own["text"]["value"] == pytest.approx(text[both].mean())
            assert own["image"]["value"] == pytest.approx(image[both].mean())
            less = differences[dataset][model]["picture"]
            assert less["value"] == pytest.approx((image - text).mean())
        assert found[dataset]["m2"]["image"]["value"] is None
    average = modalities["average"]["b"]["picture"]["value"]
    assert average == pytest.approx(fmean(differences["b"][m]["picture"]["value"] for m in ("m0", "m1")))
    overall = fmean(found[d]["m1"]["image"]["value"] for d in ("a", "b"))
    assert found["overall"]["m1"]["image"]["value"] == pytest.approx(overall)


def three_ways() -> pd.DataFrame:
    """Text in two formats, pictures, and pictures beside one of the formats, which helps by 0.1."""
    scores, _ = known_study(datasets=("a",))
    text, image = (scores[scores["serializer"] == name] for name in ("html", "image"))
    other = text.assign(serializer="latex", config="latex/none/x", score=text["score"] / 2)
    both = text.assign(
        serializer="image+html", config="image+html/none/x", score=(text["score"] * 0.8 + 0.1).to_numpy()
    )
    return pd.concat([text, other, image, both])


def test_both_are_compared_with_the_text_format_that_stands_beside_the_pictures() -> None:
    shown = three_ways()
    hidden = (shown["serializer"] == "image+html") & (shown["model"] == "m0") & (shown["example"] < "e010")
    shown = shown[~hidden]
    modalities = analyse(shown, resamples=50)["modalities"]
    found, differences = modalities["scores"]["a"], modalities["differences"]["a"]
    by = {key: rows.set_index("example")["score"] for key, rows in shown.groupby(["model", "serializer"])}
    for model in ("m0", "m1", "m2"):
        text, image, both = (by[model, name] for name in ("html", "image", "image+html"))
        text, image, own = text[both.index], image[both.index], found[model]
        assert own["text"]["value"] == pytest.approx(text.mean())
        assert own["image"]["value"] == pytest.approx(image.mean())
        assert own["both"]["value"] == pytest.approx(both.mean())
        assert differences[model]["picture"]["value"] == pytest.approx((image - text).mean())
        for name, less in (("text and picture", text), ("text beside the picture", image)):
            difference = differences[model][name]
            assert difference["value"] == pytest.approx((both - less).mean())
            assert difference["low"] < difference["value"] < difference["high"]
    paired = differences["m1"]["text and picture"]
    assert paired["high"] - paired["low"] < found["m1"]["both"]["high"]


def test_ways_that_were_not_asked_have_no_figure() -> None:
    shown = three_ways()
    alone = analyse(shown[shown["serializer"].isin(["latex", "image+html"])], resamples=5)
    own, compared = (alone["modalities"][key]["a"]["m1"] for key in ("scores", "differences"))
    # latex has no pictures beside it, and is all there is
    assert (set(own), set(compared)) == ({"text", "both"}, {"text and picture"})
    seen = analyse(shown[shown["serializer"].str.startswith("image")], resamples=5)
    own, compared = (seen["modalities"][key]["a"]["m1"] for key in ("scores", "differences"))
    assert (set(own), set(compared)) == ({"image", "both"}, {"text beside the picture"})


def test_other_serializers_that_draw_are_known_by_their_names() -> None:
    scores, _ = known_study(datasets=("a",))
    renamed = scores.replace({"serializer": {"image": "image_768"}})
    own = analyse(renamed, resamples=5)["modalities"]["scores"]["a"]["m1"]
    assert set(own) == {"text", "image"}


@pytest.mark.full
def test_without_pictures_or_without_text_there_are_no_modalities() -> None:
    scores, _ = known_study()
    for kind in ("html", "image"):
        assert "modalities" not in analyse(scores[scores["serializer"] == kind], resamples=5)
    assert "modalities" not in analyse(scores.drop(columns=["serializer"]), resamples=5)


class TestAnotherMetric:
    @pytest.mark.full
    def test_every_figure_is_of_it(self) -> None:
        scores, told = known_study(datasets=("a", "b"))
        other = scores.assign(metric="precision", main=False, score=1 - scores["score"])
        both = pd.concat([scores, other[other["dataset"] == "a"]])
        asked = analyse(both, resamples=5, metric="precision", **told)
        alone = analyse(other[other["dataset"] == "a"].assign(main=True), resamples=5, **told)
        assert asked["performance"] == alone["performance"]
        assert asked["slices"] == alone["slices"]
        assert asked["settings"]["metrics"] == {"a": "precision"}
        assert "b left out: no score called precision" in asked["notes"]
        assert (
            analyse(both, resamples=5, metric="recall")["performance"]
            == (analyse(both, resamples=5)["performance"])
        )

    def test_an_unknown_one_is_one_clear_line(self) -> None:
        scores, _ = known_study(datasets=("a",))
        with pytest.raises(AnalysisError, match=r"no score called 'recal'; found: 'recall'"):
            analyse(scores, metric="recal")
