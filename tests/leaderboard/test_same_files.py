"""Every number, group and verdict of three studies: files, downloads and terminal as ``analysis.json``."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from .everywhere import headline, pair_of, places, reads, same, three
from .shown_everywhere import StudyEverywhere

pytestmark = pytest.mark.full

Leaf = tuple[frozenset[str], dict[str, Any], dict[str, Any]]
"""A place with numbers in an analysis: the names that lead to it, its fields, and those of what it is in."""

BEHIND = {"behind": "value", "behind_low": "low", "behind_high": "high", "p": "p", "worse": "differs"}


def leaves(
    found: Any, names: frozenset[str] = frozenset(), outer: dict[str, Any] | None = None
) -> Iterator[Leaf]:
    outer = outer or {}
    if isinstance(found, dict):
        plain = {key: each for key, each in found.items() if not isinstance(each, dict | list)}
        if behind := found.get("behind"):
            plain |= {column: behind.get(key, DEFAULTS.get(key)) for column, key in BEHIND.items()}
        if plain:
            yield names, plain, outer
        for key, each in found.items():
            yield from leaves(each, names | {key}, {**outer, **plain})
    elif isinstance(found, list) and len(found) == 2 and all(isinstance(each, int) for each in found):
        yield names, dict(zip(("low", "high"), found, strict=True)), outer
    elif isinstance(found, list):
        for each in found:
            called = [each.get(key) for key in ("name", "model")] if isinstance(each, dict) else []
            pair = each.get("models", []) if isinstance(each, dict) else []
            yield from leaves(each, names | {*filter(None, called), *pair}, outer)
    else:
        yield names, {"": found}, outer


FACTORS = ("serializer", "perturbation")
TORR = ("performance", "robustness_5", "robustness", "worst", "best", "robustness_solvable")
ROOTS: dict[str, str] = {
    "figures": " ".join(TORR),
    "configuration_agreement": "configuration_agreement_intervals",
    "choice": "serializers.choice",
    "design_choice": "designs.choice",
    "designs": "designs.average designs.differences",
    "perturbation_differences": "perturbations.average perturbations.differences",
    "modalities": "modalities.scores",
    "modality_differences": "modalities.average modalities.differences",
    "difficulty_examples": "difficulty",
    "openness": "groups.openness",
    "families": "groups.families",
    **{
        f"{factor}_{key}": f"{factor}s.{key}"
        for factor in FACTORS
        for key in ("scores", "win_rates", "examples")
    },
    "serializer_tokens": "serializers.tokens",
}
"""Table -> the parts of the analysis that it holds; by default the key of its name."""

DEFAULTS = {"complete": True, "differs": False, "few": False}
ALONE = {"score", "mean", "prompt_tokens"}
"""Columns of numbers that stand alone in the analysis."""
OTHERWISE = {"tiers", "dataset_agreement", "serializer_range", "regression", "verbosity"}
"""Tables of another form: the first three are compared below, the others where their figures are tested."""


def part_of(analysis: dict[str, Any], table: str) -> list[Leaf]:
    found = {}
    for root in ROOTS.get(table, table).split():
        at: Any = analysis
        for key in root.split("."):
            at = at.get(key) or {}
        found[root] = at
    return list(leaves(found))


def holds(row: dict[str, Any], leaf: Leaf) -> bool:
    """Whether a row is this leaf's: every cell is a field of it, or one of the names that lead to it."""
    names, own, outer = leaf
    for column, cell in row.items():
        if column in own or (column in DEFAULTS and "value" in own):
            if not same(cell, own.get(column, DEFAULTS.get(column))):
                return False
        elif column in ALONE and "" in own:
            if not same(cell, own[""]):
                return False
        elif cell is None or column == "of" or same(cell, outer.get(column)):
            continue
        elif isinstance(cell, float) or str(cell) not in names:
            return False
    return True


def rows_of(path: Path) -> list[dict[str, Any]]:
    frame = pd.read_csv(path, keep_default_na=False, na_values=[""])
    found = [
        {
            column: None if isinstance(cell, float) and math.isnan(cell) else cell
            for column, cell in row.items()
        }
        for row in frame.to_dict("records")
    ]
    # a whole number beside an absent one
    return [
        {
            column: int(cell)
            if column in ("k", "n", "low", "high") and cell and float(cell).is_integer()
            else cell
            for column, cell in row.items()
        }
        for row in found
    ]


def parts_of(everywhere: StudyEverywhere) -> Iterator[tuple[Path, dict[str, Any]]]:
    yield everywhere.files, everywhere.analysis
    if kept := everywhere.analysis.get("label_keeping"):
        yield everywhere.files / "label_keeping", kept


def test_every_number_of_every_file_is_that_of_the_analysis(everywhere: StudyEverywhere) -> None:
    checked = 0
    for folder, analysis in parts_of(everywhere):
        for path in folder.glob("*.csv"):
            if path.stem in OTHERWISE:
                continue
            known = part_of(analysis, path.stem)
            for row in rows_of(path):
                assert any(holds(row, leaf) for leaf in known), (path.stem, row)
                checked += len(row)
    assert checked > 2000


def test_tables_of_another_form_are_the_analysis_too(everywhere: StudyEverywhere) -> None:
    for folder, analysis in parts_of(everywhere):
        tiers = pd.read_csv(folder / "tiers.csv")
        shown = {
            place: own.groupby("tier")["model"].apply(list).tolist()
            for place, own in tiers.groupby("dataset")
        }
        assert shown == {"overall": analysis["tiers"]["overall"], **analysis["tiers"]["datasets"]}
        for row in rows_of(folder / "serializer_range.csv"):
            best, *_, worst = analysis["serializers"]["choice"]["models"][row["model"]]["datasets"][
                row["dataset"]
            ]
            assert (row["best"], row["worst"]) == (best["name"], worst["name"])
            assert all(same(row[end], worst["behind"][end]) for end in ("value", "low", "high"))
        agreement = analysis["dataset_agreement"]
        for row in rows_of(folder / "dataset_agreement.csv") if len(agreement["datasets"]) > 1 else ():
            at, other = (agreement["datasets"].index(row[name]) for name in ("dataset", "other"))
            assert same(row["tau"], agreement["tau"][at][other])


def test_the_site_offers_the_same_analysis(everywhere: StudyEverywhere) -> None:
    assert json.loads((everywhere.data / "analysis.json").read_text(encoding="utf-8")) == everywhere.analysis


def alike(cells: list[Any], ends: list[float | None]) -> bool:
    return all(same(cell, end) for cell, end in zip(cells, ends, strict=True))


def test_the_download_of_models(everywhere: StudyEverywhere) -> None:
    analysis = everywhere.analysis
    groups = {model: n for n, group in enumerate(analysis["tiers"]["overall"], 1) for model in group}
    rows = rows_of(everywhere.data / "models.csv")
    assert {row["model"] for row in rows} == set(analysis["performance"])
    for row in rows:
        model = row["model"]
        ranks = analysis["rank_intervals"][model]
        assert [row[name] for name in ("group", "first_rank", "last_rank")] == [groups[model], *ranks]
        for place, figure in places(analysis["performance"][model]).items():
            name = "right" if place == "overall" else f"right on {place}"
            if place == "overall" or len(analysis["settings"]["examples"]) > 1:
                assert alike([row[f"{name}{end}"] for end in ("", "_low", "_high")], three(figure))
        value, low, high = three(headline(analysis)[model]["overall"])
        flips = [None if end is None else 1 - end for end in (value, high, low)]
        assert alike([row[f"flips{end}"] for end in ("", "_low", "_high")], flips)


VERDICT = ("difference", "low", "high", "p", "differs", "few")


def told(analysis: dict[str, Any]) -> dict[tuple[str, ...], dict[str, Any]]:
    """(question, place, model or "", name, against what) -> its verdict, and its score if it has one."""
    found = {}
    for question, key in (("formats", "serializers"), ("best design", "designs")):
        choice = analysis.get(key, {}).get("choice", {})
        for model, own in {"": choice.get("average"), **choice.get("models", {})}.items():
            for place, levels in places(own).items() if own else ():
                for level in levels:
                    found[question, place, model, level["name"], levels[0]["name"]] = {**level, "sign": -1}
    of_modes = {"picture": "text", "text and picture": "text", "text beside the picture": "image"}
    bases = {
        "layout changes": ("perturbations", lambda name: "none"),
        "designs": ("designs", lambda name: analysis["designs"]["bases"][name]),
        "pictures": ("modalities", lambda name: of_modes[name]),
    }
    for question, (key, base) in bases.items():
        own = analysis.get(key, {})
        for place in own.get("average", {}):
            for model, changes in {"": own["average"][place], **own["differences"][place]}.items():
                for name, verdict in changes.items():
                    found[question, place, model, name, base(name)] = {"behind": verdict, "sign": 1}
    return found


def test_the_download_of_formats(everywhere: StudyEverywhere) -> None:
    expected = told(everywhere.analysis)
    rows = rows_of(everywhere.data / "formats.csv")
    keys = [
        tuple(row[name] or "" for name in ("question", "dataset", "model", "name", "against")) for row in rows
    ]
    assert set(keys) == set(expected)
    assert len(keys) == len(expected)
    for key, row in zip(keys, rows, strict=True):
        own, verdict = expected[key], expected[key]["behind"]
        assert alike([row[name] for name in VERDICT[:3]], three(verdict, own["sign"])), key
        assert same(row["p"], verdict.get("p"))
        assert [row["differs"], row["few"]] == [verdict.get("differs", False), verdict.get("few", False)]
        right = three(own) if "name" in own else [None] * 3
        assert alike([row[name] for name in ("right", "right_low", "right_high")], right)


def test_the_terminal_says_the_same(everywhere: StudyEverywhere) -> None:
    analysis, lines = everywhere.analysis, everywhere.terminal.splitlines()
    head = next(line for line in lines if line.startswith("model "))
    columns = head.split()[1:]
    for model, own in analysis["performance"].items():
        line = next(line for line in lines if line.startswith(f"{model} "))
        cells = re.findall(r"(\d\.\d+)(?: \[(\d\.\d+), (\d\.\d+)\])?", line.removeprefix(model))
        figures = [name for name in columns if name != "rank"]
        for name, cell in zip(figures, cells, strict=True):
            of_model = analysis[name][model]["overall"] if name != "performance" else own["overall"]
            wanted = zip(cell, three(of_model), strict=True)
            assert all(reads(text, end or 0.0, 1.0) for text, end in wanted if text)
        first, last = analysis["rank_intervals"][model]
        assert line.split()[-1] == (str(first) if first == last else f"{first}\N{EN DASH}{last}")
    text = " ".join(everywhere.terminal.split())
    for finding in analysis["findings"]:
        assert " ".join("".join(part["text"] for part in finding["parts"]).split()) in text
    shares = analysis["separability"]["overall"]
    assert f"{shares['paired']:.0%} of {shares['pairs']} pairs of models differ" in text


def test_findings_state_verdicts_of_the_analysis(everywhere: StudyEverywhere) -> None:
    analysis = everywhere.analysis
    stated = {"formats": "serializers", "designs": "designs"}
    for finding in analysis["findings"]:
        for name, verdict in finding.get("verdicts", {}).items():
            if key := stated.get(finding["question"]):
                levels = analysis[key]["choice"]["average"]["overall"]
                (own,) = (level["behind"] for level in levels if level["name"] == name)
            elif finding["question"] == "layout changes":
                own = analysis["perturbations"]["average"]["overall"][name]
            else:
                best = analysis["tiers"]["overall"][0][0]
                own, _ = pair_of(analysis, "performance", best, name, "overall")
            assert verdict == own
