"""A site whose every text is hostile, in a real browser: nothing runs, nothing is asked for, all is shown."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ..conftest import OpenPage
from ..hostile import HTML, NAMES, WORDS
from ..hostile_run import DATASETS, MODELS
from .opened import Opened

pytestmark = pytest.mark.site

PagesOf = Callable[[Path], list[Path]]
SOME = (
    "index.html",
    "formats.html",
    "reliability.html",
    "examples.html",
    "compare.html",
    "history.html",
)
# What hostile markup would have become, had any of it been taken for markup.
TRACES = """() => ({
  pwned: window.pwned === undefined ? null : String(window.pwned),
  polluted: ({}).pwned === undefined && Object.keys(Object.prototype).length === 0 ? null : "prototype",
  elements: Array.from(document.querySelectorAll(
    "iframe, object, embed, base, style, math, template, plaintext, video, marquee, "
    + "img[onerror], [onload], [onclick], [onfocus], [onmouseover], [autofocus], foreignObject, svg script, "
    + "a[href^='javascript' i], a[href^='data:' i], a[href*='://pwned.invalid']:not([href^='#']), "
    + "img:not(.shown):not([src^='data:']):not([src*='data/']):not([src*='assets/'])"
  )).map(element => element.outerHTML.slice(0, 150)),
})"""
NOTHING: dict[str, Any] = {"pwned": None, "polluted": None, "elements": []}


def use_everything(opened: Opened) -> int:
    """Use each control that is shown, a little; how many there were."""
    page, used = opened.page, 0
    for select in page.locator("select").filter(visible=True).all():
        count = select.locator("option").count()
        for place in sorted({0, 1, count // 2, count - 1} & set(range(count))):
            select.select_option(index=place)
            used += 1
    for field in (
        page.locator("input[type=search], input[type=text], input:not([type])").filter(visible=True).all()
    ):
        for text in (HTML[0], "__proto__", "(.*[", "pwned"):
            field.fill(text)
            page.keyboard.press("Enter")
            used += 1
        field.fill("")
    for slider in page.locator("input[type=range]").filter(visible=True).all():
        slider.focus()
        for key in ("ArrowRight", "End", "Home"):
            page.keyboard.press(key)
        used += 1
    for box in page.locator("input[type=checkbox], input[type=radio]").filter(visible=True).all()[:12]:
        box.click()
        used += 1
    for button in page.locator("main button").filter(visible=True).all()[:25]:
        if button.is_visible() and button.is_enabled():
            button.click()
            used += 1
    return used


def open_examples(opened: Opened) -> int:
    """Open the first examples of every data set from the list, as a reader does; how many there were."""
    page, used = opened.page, 0
    for place in range(page.locator("#choose-dataset option").count()):
        page.select_option("#choose-dataset", index=place)
        opened.settle()
        for number in range(min(2, page.locator("#examples-rows th a").count())):
            page.locator("#examples-rows th a").nth(number).click()
            page.locator("#examples-view .matrix").wait_for()
            opened.settle()
            assert page.locator("#examples-view pre.prompt").count() >= 1
            last = page.locator("#example-with option").last.get_attribute("value")
            page.select_option("#example-with", last)
            page.locator("#examples-view .answers-table.two").first.wait_for()
            assert page.evaluate(TRACES) == NOTHING
            page.click("#back")
            page.locator("#examples-rows th a").first.wait_for()
            used += 1
    return used


def test_no_page_runs_any_of_it(open_page: OpenPage, pages_of: PagesOf, hostile_charts: Path) -> None:
    pages = [path for path in pages_of(hostile_charts) if path.parent.name not in ("models", "datasets")]
    pages += (
        sorted(hostile_charts.rglob("models/*.html"))[::4]
        + sorted(hostile_charts.rglob("datasets/*.html"))[::3]
    )
    used = 0
    for path in pages:
        opened = open_page(path)
        opened.unfold().settle()
        assert opened.page.evaluate(TRACES) == NOTHING, path
        used += use_everything(opened)
        opened.unfold().settle()
        assert opened.page.evaluate(TRACES) == NOTHING, path
        assert opened.problems() == [], path
        opened.context.close()
    assert used > 60


def test_no_example_runs_any_of_it(open_page: OpenPage, hostile_charts: Path) -> None:
    (path,) = hostile_charts.glob("*/examples.html")
    opened = open_page(path).settle()
    assert open_examples(opened) >= 2 * len(DATASETS)
    assert opened.page.evaluate(TRACES) == NOTHING


@pytest.mark.parametrize(
    ("page", "asset", "sound", "broken"),
    [
        (
            "examples",
            "example.js",
            "element.append(arguments[i])",
            "element.insertAdjacentHTML('beforeend', arguments[i].outerHTML || arguments[i])",
        ),
        ("compare", "views.js", "createTextNode(part)", "createRange().createContextualFragment(part)"),
    ],
)
def test_a_page_that_took_texts_for_markup_would_be_found(
    open_page: OpenPage, hostile_charts: Path, tmp_path: Path, page: str, asset: str, sound: str, broken: str
) -> None:
    """The other tests here can fail: a copy of the site with one careless line in a script is seen."""
    shutil.copytree(hostile_charts, tmp_path / "site", ignore=shutil.ignore_patterns("charts", "*.parquet"))
    script = tmp_path / "site" / "assets" / asset
    source = script.read_text(encoding="utf-8")
    assert source.count(sound) == 1
    script.write_text(source.replace(sound, broken), encoding="utf-8")
    (path,) = (tmp_path / "site").glob(f"*/{page}.html")
    opened = open_page(path).settle()
    found = opened.page.evaluate(TRACES)
    assert found["elements"] or any("policy:" in text for text in opened.complaints)
    assert found["pwned"] is None, "the policy holds even then"
    opened.context.close()  # no complaint comes any more
    opened.complaints.clear()
    opened.requests.clear()


def test_names_are_shown_as_they_are(open_page: OpenPage, hostile_charts: Path) -> None:
    opened = open_page(hostile_charts / "index.html")
    rows = opened.page.locator("table.board").first.locator("tbody tr")
    assert rows.count() == len(MODELS)
    text = opened.page.locator("table.board").first.inner_text()
    for name in (HTML[0], *(each for each in MODELS if each in NAMES)):
        assert name in text
    assert HTML[0] in opened.page.locator("h1").inner_text()
    assert opened.page.locator("section[id^=section-]").count() == 2
    opened.page.get_by_text("a link", exact=True).click()
    assert opened.page.evaluate(TRACES) == NOTHING


def test_every_data_set_can_be_told_from_the_others(open_page: OpenPage, hostile_charts: Path) -> None:
    opened = open_page(hostile_charts / "index.html")
    links = opened.page.evaluate(
        "Array.from(document.querySelectorAll('a[href*=\"/datasets/\"]'), each => each.getAttribute('href'))"
    )
    assert len(set(links)) == len(DATASETS)


def test_addresses_with_hostile_choices_do_nothing(open_page: OpenPage, hostile_charts: Path) -> None:
    from urllib.parse import quote

    opened = open_page(hostile_charts / "index.html")
    for path in sorted(path for path in hostile_charts.rglob("*.html") if path.name in SOME):
        for text in WORDS[::15]:
            quoted = quote(text, safe="")
            names = (
                "model",
                "a",
                "b",
                "dataset",
                "example",
                "config",
                "sort",
                "q",
                "search",
                "family",
                "page",
                "k",
            )
            opened.go(f"{path.as_uri()}#{'&'.join(f'{name}={quoted}' for name in names)}&__proto__={quoted}")
            opened.ready()
            assert opened.page.evaluate(TRACES) == NOTHING, (path, text)
        opened.settle()
        assert opened.page.evaluate(TRACES) == NOTHING, path


def test_pictures_are_inert_as_documents_of_their_own(open_page: OpenPage, hostile_charts: Path) -> None:
    pictures = sorted(hostile_charts.rglob("*.svg"))[::4]
    assert len(pictures) > 5
    for path in pictures:
        opened = open_page(path)
        assert opened.page.evaluate("document.documentElement.tagName") == "svg", path
        assert opened.page.evaluate("window.pwned === undefined"), path
        assert opened.page.evaluate("document.querySelectorAll('script, foreignObject, a').length") == 0, path
        opened.context.close()


# What a script of the site could try; results are kept for the test to read.
TRIES = """
window.tried = {};
[["eval", function () { return eval("1 + 1"); }],
 ["Function", function () { return new Function("return 1")(); }],
 ["inline", function () {
   var element = document.createElement("script");
   element.textContent = "window.pwned = 1";
   document.head.appendChild(element);
   element.remove();
   return window.pwned;
 }],
 ["request", function () {
   var request = new XMLHttpRequest();
   request.open("GET", "https://pwned.invalid/", false);
   request.send();
   return request.status;
 }]].forEach(function (pair) {
  try { window.tried[pair[0]] = String(pair[1]()); } catch (error) { window.tried[pair[0]] = error.name; }
});
setTimeout("window.pwned = 1", 0);
"""


def test_the_policy_stops_scripts_of_the_site_too(
    open_page: OpenPage, hostile_charts: Path, tmp_path: Path
) -> None:
    """Not by page.evaluate, which may evaluate texts whatever a page's policy is."""
    shutil.copytree(hostile_charts, tmp_path / "site", ignore=shutil.ignore_patterns("charts", "*.parquet"))
    script = tmp_path / "site" / "assets" / "look.js"
    script.write_text(script.read_text(encoding="utf-8") + TRIES, encoding="utf-8")
    opened = open_page(tmp_path / "site" / "index.html").settle()
    assert opened.page.evaluate("window.tried") == {
        "eval": "EvalError",
        "Function": "EvalError",
        "inline": "undefined",
        "request": "NetworkError",
    }
    assert opened.page.evaluate(TRACES) == NOTHING
    opened.context.close()
    opened.complaints.clear()
    opened.requests.clear()


def test_the_policy_stops_what_would_get_in(open_page: OpenPage, pages_of: PagesOf, site: Path) -> None:
    for path in pages_of(site)[::6]:  # the policy stands in the template that all pages extend
        opened = open_page(path)
        opened.page.evaluate(
            """() => {
              const script = document.createElement("script");
              script.textContent = "window.pwned = 1";
              document.body.appendChild(script);
              document.body.insertAdjacentHTML("beforeend", "<img src=data:, onerror='window.pwned = 1'>"
                + "<iframe srcdoc='<script>parent.pwned = 1</script>'></iframe>"
                + "<a id=run href='javascript:pwned=1'>x</a>"
                + "<style>main { display: none }</style><img src='https://pwned.invalid/x.png'>");
              document.getElementById("run").click();
              const form = document.createElement("form");
              form.action = "https://pwned.invalid/";
              document.body.appendChild(form);
              form.submit();
              return Promise.allSettled([fetch("https://pwned.invalid/")]);
            }"""
        )
        directives = ["script-src", "style-src", "img-src", "connect-src", "form-action"]
        opened.page.wait_for_function(
            "all => all.every(each => window.stopped.some(found => found.startsWith(each)))", arg=directives
        )
        assert opened.page.evaluate("window.pwned") is None, path
        assert opened.page.evaluate("getComputedStyle(document.querySelector('main')).display") != "none", (
            path
        )
        stopped = "\n".join(opened.complaints)
        for directive in directives:
            assert f"policy: {directive}" in stopped, (path, directive, stopped)
        opened.context.close()
        opened.complaints.clear()
        opened.requests.clear()
