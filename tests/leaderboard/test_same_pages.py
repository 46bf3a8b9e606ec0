"""Every number, group and verdict on the pages of three studies is that of ``analysis.json``.

Numbers are compared twice: the whole number that a cell is sorted by with the analysis, and what is read with
that number.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from bs4 import BeautifulSoup
from bs4.element import Tag

from .everywhere import NUMBER, called, ends_of, headline, pair_of, places, reads, says, three
from .pages import read_script
from .shown_everywhere import StudyEverywhere, words

pytestmark = pytest.mark.full


def check_board(rows: list[Tag], analysis: dict[str, Any], place: str) -> None:
    groups: list[list[str]] = []
    datasets = list(analysis["settings"]["examples"])
    for row in rows:
        model = row.get("data-model")
        if model is None:
            groups.append([])
            continue
        groups[-1].append(str(model))
        assert says(row.select_one("td.right"), three(places(analysis["performance"][model])[place]))
        value = places(headline(analysis)[model])[place]["value"]
        flips = row.select_one("td.flips")
        assert flips is not None
        assert says(flips, [None if value is None else 1 - value, None, None])
        for cell, dataset in zip(row.select("td.on"), datasets, strict=len(datasets) > 1):
            assert says(cell, [analysis["performance"][model]["datasets"][dataset]["value"], None, None])
        levels = analysis["serializers"]["choice"]["models"][model]
        levels = places(levels)[place]
        said = words(row.select_one("td.range .small"))
        if not said.startswith("any format"):
            low, high = said.split(" \N{RIGHTWARDS ARROW} ")
            for end, level in ((low, levels[-1]), (high, levels[0])):
                name, _, share = end.rpartition(" ")
                assert level["name"].endswith(name)
                assert reads(share, level["value"])
    assert groups == places(analysis["tiers"])[place]


def test_the_first_page_and_its_parts(everywhere: StudyEverywhere) -> None:
    analysis = everywhere.analysis
    check_board(everywhere.page("index").select("#board tbody tr"), analysis, "overall")
    _, found = read_script((everywhere.data / "pages" / "boards.js").read_text(encoding="utf-8"))
    shown = [BeautifulSoup(f"<table>{html}</table>", "html.parser").select("tr") for html, _ in found]
    datasets = list(analysis["settings"]["examples"])
    for place in ["overall", *(datasets if len(datasets) > 1 else [])]:
        check_board(shown.pop(0), analysis, place)
    choice = analysis["serializers"]["choice"]["models"]
    for name in sorted({level["name"] for own in choice.values() for level in own["overall"]}):
        for row in shown.pop(0):
            (level,) = (each for each in choice[row["data-model"]]["overall"] if each["name"] == name)
            assert says(row.select_one("td.right"), three(level))
    if kept := analysis.get("label_keeping"):
        check_board(shown.pop(0), kept, "overall")
    assert shown == []


def check_levels(table: Tag, levels: list[dict[str, Any]]) -> None:
    rows = [row for row in table.select("tbody tr") if "group" not in (row.get("class") or [])]
    assert [called(row.th) for row in rows] == [level["name"] for level in levels]
    for row, level in zip(rows, levels, strict=True):
        right, _, behind, *_ = row.select("td")
        assert says(right, three(level))
        differs = level["behind"].get("differs", False)
        assert ("real" in (behind.get("class") or [])) == differs
        if level is not levels[0]:
            assert says(behind, three(level["behind"], -1))
            assert ("too few" in words(behind)) == level["behind"].get("few", False)
    groups = len(table.select("tr.group"))
    assert groups == 1 + any(level["behind"].get("differs", False) for level in levels)


def check_changes(table: Tag, changes: dict[str, dict[str, Any]]) -> None:
    rows = table.select("tbody tr")
    known = {name for name, verdict in changes.items() if verdict["value"] is not None}
    assert {called(row.th) for row in rows} == known
    for row in rows:
        verdict = changes[called(row.th)]
        points, _, said = row.select("td")
        assert says(points, three(verdict))
        assert ("real" in (points.get("class") or [])) == verdict.get("differs", False)
        expected = "too few" if verdict.get("few") else "no difference shown"
        if verdict.get("differs"):
            expected = "costs" if verdict["value"] < 0 else "gains"
        assert words(said).startswith(expected), (words(said), verdict)


SECTIONS = {"layouts": "perturbations", "designs": "designs", "pictures": "modalities"}


def test_the_page_of_formats(everywhere: StudyEverywhere) -> None:
    analysis, page = everywhere.analysis, everywhere.page("formats")
    datasets = list(analysis["settings"]["examples"])
    order = (["overall"] if len(datasets) > 1 else []) + datasets
    choice = analysis["serializers"]["choice"]
    levels = [own for place in order if (own := places(choice["average"]).get(place))]
    tables = page.select("#formats table.factor")
    assert len(tables) == len(levels) > 0
    for table, own in zip(tables, levels, strict=True):
        check_levels(table, own)
    for section, key in SECTIONS.items():
        average = analysis.get(key, {}).get("average", {})
        tables = page.select(f"#{section} table.factor")
        known = [average[place] for place in order if average.get(place)]
        assert len(tables) == len(known), section
        for table, changes in zip(tables, known, strict=True):
            check_changes(table, changes)
    worse = {level["name"] for level in levels[0] if level["behind"].get("differs")}
    place = order[0]
    unlike = {
        model
        for model, own in choice["models"].items()
        if any(level["behind"].get("differs") and level["name"] not in worse for level in places(own)[place])
    }
    assert {called(item.a) for item in page.select("#formats > ul li")} == unlike


def test_the_page_of_each_model(everywhere: StudyEverywhere) -> None:
    analysis = everywhere.analysis
    checked = set()
    for path in everywhere.site.glob("*/models/*.html"):
        page = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
        model = words(page.h1)
        checked.add(model)
        said = {words(each.dt): each.dd for each in page.select("dl.sums > div")}
        right, flips = three(analysis["performance"][model]["overall"]), headline(analysis)[model]["overall"]
        assert reads(words(said["Right"]), right[0] or 0.0)
        assert reads(words(said["Flips"]), 1 - flips["value"])
        for end, bound in zip(ends_of(words(said["Right"].select_one(".bounds"))), right[1:], strict=True):
            assert reads(end, bound or 0.0)
        for row in page.select("#datasets tbody tr"):
            assert says(row.td, three(analysis["performance"][model]["datasets"][called(row.th)]))
        order = ["overall", *analysis["settings"]["examples"]]
        own = places(analysis["serializers"]["choice"]["models"][model])
        check_levels(page.select_one("#formats table"), next(own[place] for place in order if own.get(place)))
        for section, key in SECTIONS.items():
            found = analysis.get(key, {}).get("differences", {})
            table = page.select_one(f"#{section} table")
            assert section == "pictures" or bool(table) == bool(found)
            if table:
                check_changes(table, next(found[place][model] for place in order if place in found))
        for row in page.select("#pairs tbody tr"):
            verdict, sign = pair_of(analysis, "performance", model, called(row.th), "overall")
            standing, points = row.select("td")[:2]
            assert says(points, three(verdict, sign))
            ahead = sign * (verdict["value"] or 0.0) > 0
            expected = ("better" if ahead else "worse") if verdict.get("differs") else "no difference shown"
            assert words(standing) == ("too few differ to say" if verdict.get("few") else expected)
    assert checked == set(analysis["performance"])


def test_every_line_of_every_comparison(everywhere: StudyEverywhere) -> None:
    analysis = everywhere.analysis
    page = everywhere.page("compare")
    choices = json.loads(words(page.select_one("#compare-choices")))
    models, datasets = choices["models"], list(analysis["settings"]["examples"])
    order = ["overall", *(datasets if len(datasets) > 1 else []), "flips"]
    figure = "robustness_5" if headline(analysis) is analysis.get("robustness_5") else "robustness"
    lines = 0
    for number, one in enumerate(models):
        _, found = read_script(
            (everywhere.data / "pages" / "compare" / f"{number}.js").read_text(encoding="utf-8")
        )
        assert set(found) == {str(place) for place in range(len(models)) if place != number}
        for at, rows in found.items():
            other = models[int(at)]
            assert len(rows) == len(order)
            for place, (_, said, claimed, *shares) in zip(order, rows, strict=True):
                of_flips = place == "flips"
                where = "overall" if of_flips else place
                verdict, sign = pair_of(analysis, figure if of_flips else "performance", one, other, where)
                for model, share in zip((one, other), shares, strict=True):
                    of = headline(analysis) if of_flips else analysis["performance"]
                    value = places(of[model])[where]["value"]
                    assert reads(share, 1 - value if of_flips else value)
                if said == "says little":
                    assert of_flips
                    assert not claimed
                    continue
                assert claimed == verdict.get("differs", False)
                value, low, high = three(verdict, sign)
                if verdict.get("few"):
                    assert said == "too few differ to say"
                elif claimed:
                    assert value is not None
                    assert said.startswith(choices["short"][number if value > 0 else int(at)])
                    size = re.search(r"by (\S+) points? \[(\S+) to (\S+)\]", said)
                    assert size is not None
                    ends = sorted(abs(end or 0.0) for end in (low, high))
                    assert all(reads(a, b) for a, b in zip(size.groups(), [abs(value), *ends], strict=True))
                else:
                    shown = re.search(r"\((\S+) \[(\S+) to (\S+)\]\)", said)
                    assert shown is not None
                    ends = three(verdict, -sign if of_flips else sign)
                    assert all(reads(a, b or 0.0) for a, b in zip(shown.groups(), ends, strict=True))
                lines += 1
    assert lines > 10


def test_torrs_tables_and_the_paragraph_of_trust(everywhere: StudyEverywhere) -> None:
    analysis = everywhere.analysis
    columns = ("performance", "robustness", "robustness_solvable", "worst", "best")
    pages = {"overall": everywhere.page("method")}
    for path in everywhere.site.glob("*/datasets/*.html"):
        page = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
        pages[words(page.h1)] = page
    assert set(pages) == {"overall", *analysis["settings"]["examples"]}
    for place, page in pages.items():
        rows = page.select("#torr table tbody tr")
        assert {row.th["data-value"] for row in rows} == set(analysis["performance"])
        for row in rows:
            for cell, name in zip(row.select("td"), columns, strict=True):
                assert says(cell, three(places(analysis[name][row.th["data-value"]])[place]), 1.0)
    said = words(pages["overall"].select_one("#trust p"))
    shares = analysis["separability"]["overall"]
    assert f"{round(shares['paired'] * shares['pairs'])} of {shares['pairs']} pairs of models differ." in said
    hardest = analysis["detectable"]["overall"]["hardest"]
    assert (hardest is None) or f"difference of {100 * hardest:.0f} points" in said


def numbers(found: Any) -> Iterator[float]:
    if isinstance(found, dict | list):
        for each in found.values() if isinstance(found, dict) else found:
            yield from numbers(each)
    elif isinstance(found, int | float) and not isinstance(found, bool):
        yield float(found)


def test_every_other_number_of_every_page_is_rounded_from_the_analysis(everywhere: StudyEverywhere) -> None:
    """Cells that are sorted by a number: it is one of the analysis, or a difference or a count of such."""
    known = np.array(sorted(numbers(everywhere.analysis)))
    checked = 0
    for path in everywhere.site.rglob("*.html"):
        for cell in BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser").select("td[data-value]"):
            text, sort = cell.select_one(".value"), str(cell["data-value"])
            if text is None or not sort or not NUMBER.fullmatch(sort.replace("e-", "")):
                continue
            value = float(sort)
            near = min(np.abs(known - each).min() for each in (value, -value, 1 - value))
            assert near < 1e-9, (path.name, str(cell)[:200])
            scale = 1.0 if re.fullmatch(r"-?\d\.\d{2,4}\*?", words(text)) else 100.0
            assert reads(words(text), value, scale), str(cell)[:200]
            checked += 1
    assert checked > 50
