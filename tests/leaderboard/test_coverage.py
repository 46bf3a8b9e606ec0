"""Over how many examples figures are: of studies that were asked unevenly, and of others."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from torr_plugin.leaderboard.coverage import compared_examples
from torr_plugin.leaderboard.pages import compare, dataset, formats, method, model, overview
from torr_plugin.leaderboard.study import Study

from .pages import Page
from .rendered import opened, rendered


def scores(asked_csv: int) -> pd.DataFrame:
    """Two models, three formats and 20 examples, of which csv was asked about so many."""
    return pd.DataFrame(
        [
            {
                "model": name,
                "dataset": "d",
                "config": f"{form}/none/default",
                "example": f"e{e:02}",
                "serializer": form,
                "perturbation": "none",
                "design": "default",
                "metric": "em",
                "main": True,
                "score": float((e * place + len(form)) % 3 > 0),
            }
            for place, name in enumerate(("high", "low"), start=2)
            for form in ("html", "csv", "json")
            for e in range(20)
            if form != "csv" or e < asked_csv
        ]
    )


def study_of(folder: Path, asked_csv: int) -> Study:
    path = folder / f"scores-{asked_csv}.parquet"
    scores(asked_csv).to_parquet(path)
    return opened(path)


@pytest.fixture(scope="module")
def uneven(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return study_of(tmp_path_factory.mktemp("uneven"), 8)


@pytest.fixture(scope="module")
def beside(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """24 examples in two perturbations of three formats; csv was asked about 12, and transposed about 20."""
    rows = pd.concat([scores(20).assign(perturbation=name) for name in ("none", "transpose")])
    more = rows[rows["example"] < "e04"].assign(example=lambda own: own["example"].str.replace("e", "f"))
    rows = pd.concat([rows, more])
    rows["config"] = rows["serializer"].astype(str) + "/" + rows["perturbation"] + "/default"
    number = rows["example"].rank(method="dense")
    csv = rows["serializer"] == "csv"
    left = csv & ((number > 20) | ((number > 12) & (rows["perturbation"] == "none")))
    path = tmp_path_factory.mktemp("beside") / "scores.parquet"
    rows[~left].to_parquet(path)
    return opened(path)


def texts(study: Study, out: Path) -> dict[str, str]:
    for page in (overview, model, dataset, formats, compare, method):
        rendered(page.files, study, out)
    paths = study.paths
    of = {
        "overview": paths.overview,
        "model": paths.models["high"],
        "dataset": paths.datasets["d"],
        "formats": paths.formats,
        "compare": paths.compare,
        "method": paths.method,
    }
    return {
        name: " ".join(Page((out / path).read_text(encoding="utf-8")).text.split())
        for name, path in of.items()
    }


def test_figures_of_some_examples_say_of_how_many(beside: Study) -> None:
    """Robustness takes 5 configurations of an example."""
    assert beside.bases["overall"] == beside.bases["d"]
    assert beside.bases["d"] == {
        "performance": "all 24 examples",
        "headline_robustness": "20 of 24 examples",
    }


def test_examples_whose_rows_are_missing_of_one_model_count_for_none(tmp_path: Path) -> None:
    """The file has no row of one model in most configurations of 8 examples."""
    rows = pd.concat([scores(20).assign(perturbation=name) for name in ("none", "transpose")])
    rows["config"] = rows["serializer"] + "/" + rows["perturbation"] + "/default"
    absent = (rows["model"] == "low") & (rows["example"] < "e08") & (rows["serializer"] != "html")
    rows[~absent].to_parquet(tmp_path / "absent.parquet")
    found = opened(tmp_path / "absent.parquet").bases["d"]
    assert found["performance"] == "all 20 examples"
    assert found["headline_robustness"] == "12 of 20 examples"


def test_pages_of_an_uneven_study_say_over_what_they_are(uneven: Study, tmp_path: Path) -> None:
    found = texts(uneven, tmp_path)
    assert "Right is over all 20 examples, flips over 8 of 20 examples." in found["overview"]
    assert "csv was asked on 8 of 20 examples, so it stands apart" in found["formats"]
    assert "d: csv was asked" not in found["formats"], "the only data set is not named before each line"
    assert "csv was asked on 8 of 20 examples, so formats are compared without it" in found["method"]


def test_lost_answers_are_said_where_formats_are_compared(tmp_path: Path) -> None:
    """csv was asked about all 20 examples, and lost its answers to some of one model."""
    rows = scores(20)
    lost = (rows["serializer"] == "csv") & (rows["model"] == "low") & (rows["example"] > "e11")
    path = tmp_path / "lost.parquet"
    rows.assign(score=rows["score"].mask(lost)).to_parquet(path)
    study = opened(path)
    assert compared_examples(study.analysis, study.models, "d") == "12 to 20 of 20 examples"
    assert compared_examples(study.analysis, ["high"], "d") == ""


def test_pages_of_an_even_study_say_nothing_of_it(tmp_path: Path) -> None:
    study = study_of(tmp_path, 20)
    assert (study.bases, compared_examples(study.analysis, study.models, "d")) == ({}, "")
    found = texts(study, tmp_path / "site")
    assert not any("stands apart" in text or "of 20 examples" in text for text in found.values())
