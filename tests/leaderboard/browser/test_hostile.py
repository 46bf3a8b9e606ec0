"""A site whose every text is hostile, in a real browser: nothing runs, nothing is asked for, all is shown."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from ..hostile import HTML, NAMES, WORDS
from ..hostile_run import DATASETS, MODELS
from .conftest import OpenPage
from .opened import Opened

pytestmark = pytest.mark.full

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


def clicked(control: Any) -> int:
    """Click a control; 0 where that cannot be done, as of a third model to be ticked."""
    if not (control.is_visible() and control.is_enabled()):
        return 0
    control.click()
    return 1


def use_everything(opened: Opened) -> int:
    """Use each control that is shown, a little; how many there were."""
    page, used = opened.page, 0
    for select in page.locator("select").filter(visible=True).all():
        count = select.locator("option").count()
        for place in sorted({0, count // 2, count - 1}):
            select.select_option(index=place)
            used += 1
    for field in (
        page.locator("input[type=search], input[type=text], input:not([type])").filter(visible=True).all()
    ):
        for text in (HTML[0], "__proto__", "(.*["):
            field.fill(text)
            page.keyboard.press("Enter")
            used += 1
        field.fill("")
    for slider in page.locator("input[type=range]").filter(visible=True).all():
        slider.focus()
        for key in ("ArrowRight", "End", "Home"):
            page.keyboard.press(key)
        used += 1
    for box in page.locator("input[type=checkbox], input[type=radio]").filter(visible=True).all()[:6]:
        used += clicked(box)
    for button in page.locator("main button").filter(visible=True).all()[:12]:
        used += clicked(button)
    return used


# what the addresses of pages say
CHOICES = (
    "model a b dataset example config with metric show sort q find family page k measure "
    "question first second level judge __proto__"
)
# the kinds of page, and how much of each can be used
USES = {
    "index": 20,
    "compare": 4,
    "formats": 0,
    "examples": 12,
    "battles": 8,
    "ratings": 0,
    "method": 0,
    "models": 1,
    "datasets": 1,
}


@pytest.mark.parametrize("kind", USES)
def test_no_page_runs_any_of_it(open_page: OpenPage, hostile_site: Path, kind: str) -> None:
    """However it is used, and whatever its address asks for."""
    path = min([*hostile_site.rglob(f"{kind}.html"), *hostile_site.rglob(f"{kind}/*.html")])
    opened = open_page(path).unfold().settle()
    assert opened.page.evaluate(TRACES) == NOTHING
    assert use_everything(opened) >= USES[kind]
    opened.unfold().settle()
    assert opened.page.evaluate(TRACES) == NOTHING
    if USES[kind]:
        for start in (0, len(WORDS) // 3, len(WORDS) * 2 // 3):
            asked = urlencode(dict(zip(CHOICES.split(), WORDS[start:], strict=False)))
            open_page(f"{path.as_uri()}#{asked}").settle()
            assert opened.page.evaluate(TRACES) == NOTHING, asked


def test_every_kind_of_page_is_used(hostile_site: Path) -> None:
    pages = hostile_site.rglob("*.html")
    assert {page.parent.name if page.parent.name in USES else page.stem for page in pages} == set(USES)


def test_no_example_runs_any_of_it(open_page: OpenPage, hostile_site: Path) -> None:
    """The first of every data set, opened from the list, and a second configuration beside it."""
    (path,) = hostile_site.glob("*/examples.html")
    opened = open_page(path).settle()
    page = opened.page
    for place in range(len(DATASETS)):
        page.select_option("#choose-dataset", index=place)
        opened.settle()
        page.locator("#examples-rows th a").first.click()
        page.locator("#examples-view .matrix").wait_for()
        opened.settle()
        assert page.locator("#examples-view pre.prompt").count() >= 1
        last = page.locator("#example-with option").last.get_attribute("value")
        page.select_option("#example-with", last)
        page.locator("#examples-view .answers-table.two").first.wait_for()
        assert page.evaluate(TRACES) == NOTHING
        page.click("#back")
        page.locator("#examples-rows th a").first.wait_for()
    assert page.evaluate(TRACES) == NOTHING


def replaced(opened: Opened, site: Path, asset: str, change: Callable[[str], str]) -> None:
    """From now on pages get a script of the site as it is changed."""
    body = change((site / "assets" / asset).read_text(encoding="utf-8"))
    opened.page.route(
        f"**/assets/{asset}", lambda route: route.fulfill(body=body, content_type="text/javascript")
    )


@pytest.mark.parametrize(
    ("page", "asset", "sound", "broken"),
    [
        (
            "examples",
            "example.js",
            "element.append(arguments[i])",
            "element.insertAdjacentHTML('beforeend', arguments[i].outerHTML || arguments[i])",
        ),
        ("compare", "compare.js", "made.textContent = text", "made.innerHTML = text"),
    ],
)
def test_a_page_that_took_texts_for_markup_would_be_found(
    open_page: OpenPage, hostile_site: Path, page: str, asset: str, sound: str, broken: str
) -> None:
    """The other tests here can fail: one careless line in a script is seen."""

    def change(source: str) -> str:
        assert source.count(sound) == 1
        return source.replace(sound, broken)

    opened = open_page("about:blank")
    replaced(opened, hostile_site, asset, change)
    (path,) = hostile_site.glob(f"*/{page}.html")
    opened.go(path.as_uri()).settle()
    found = opened.page.evaluate(TRACES)
    assert found["elements"] or any("policy:" in text for text in opened.complaints)
    assert found["pwned"] is None, "the policy holds even then"
    opened.clear()


def test_names_are_shown_as_they_are(open_page: OpenPage, hostile_site: Path) -> None:
    page = open_page(hostile_site / "index.html").page
    rows = page.locator("#board tbody tr[data-model]")
    assert rows.count() == len(MODELS)
    text = page.locator("#board").inner_text()
    for name in (HTML[0], *(each for each in MODELS if each in NAMES)):
        assert name in text
    assert HTML[0] in page.locator("h1").inner_text()
    assert page.locator("section[id^=section-]").count() == 2
    page.get_by_text("a link", exact=True).click()
    assert page.evaluate(TRACES) == NOTHING
    links = page.evaluate(
        "Array.from(document.querySelectorAll('a[href*=\"/datasets/\"]'), each => each.getAttribute('href'))"
    )
    assert len(set(links)) == len(DATASETS), "every data set can be told from the others"


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


def test_the_policy_stops_scripts_of_the_site_too(open_page: OpenPage, hostile_site: Path) -> None:
    """Not by page.evaluate, which may evaluate texts whatever a page's policy is."""
    opened = open_page("about:blank")
    replaced(opened, hostile_site, "look.js", lambda source: source + TRIES)
    opened.go((hostile_site / "index.html").as_uri()).settle()
    assert opened.page.evaluate("window.tried") == {
        "eval": "EvalError",
        "Function": "EvalError",
        "inline": "undefined",
        "request": "NetworkError",
    }
    assert opened.page.evaluate(TRACES) == NOTHING
    opened.clear()


def test_the_policy_stops_what_would_get_in(open_page: OpenPage, site: Path) -> None:
    """That every page has it, test_site.py says."""
    opened = open_page(site / "index.html")
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
    assert opened.page.evaluate("window.pwned") is None
    assert opened.page.evaluate("getComputedStyle(document.querySelector('main')).display") != "none"
    stopped = "\n".join(opened.complaints)
    assert [each for each in directives if f"policy: {each}" not in stopped] == []
    opened.clear()
