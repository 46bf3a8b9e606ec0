"""What must hold of every page of a site in every view of it; each check gives what it found wrong."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from ..pages import read
from .opened import Opened, file_of

WIDTHS = (360, 800, 1280)
Problems = list[str]
Check = Callable[[Opened], Problems]

# Text that its box hides; what is there for those who hear a page has the class "unseen".
_CUT = """() => Array.from(document.querySelectorAll("body *")).filter(element => {
  const style = getComputedStyle(element);
  return ["hidden", "clip"].includes(style.overflowX) && !element.closest("svg, option")
    && style.clipPath === "none" && element.textContent.trim()
    && element.scrollWidth > element.clientWidth + 1;
}).map(element => element.outerHTML.slice(0, 120))"""
# What stands past the right edge without a box around it that scrolls.
_OUTSIDE = """() => Array.from(document.querySelectorAll("main *, header *, footer *")).filter(element => {
  const box = element.getBoundingClientRect();
  if (!box.width || box.right <= innerWidth + 1 || element.closest("svg svg, .unseen")) return false;
  for (let up = element.parentElement; up; up = up.parentElement) {
    if (["auto", "scroll", "hidden", "clip"].includes(getComputedStyle(up).overflowX)) return false;
  }
  return true;
}).slice(0, 5).map(element => element.outerHTML.slice(0, 120))"""
_COLOURS = """() => [getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]
  .map(text => text.match(/\\d+/g).slice(0, 3).reduce((sum, each) => sum + Number(each), 0))"""
_CONTROLS = """() => {
  return Array.from(document.querySelectorAll(
    "a[href], button, input, select, textarea, summary, [tabindex]"
  )).filter(element => {
    if (element.disabled || element.tabIndex < 0 || element.type === "hidden") return false;
    if (!element.checkVisibility({ visibilityProperty: true }) || element.closest("[inert]")) return false;
    if (element.type === "radio") {
      const group = Array.from(document.getElementsByName(element.name));
      if (!element.checked && group.some(each => each.checked)) return false;
    }
    return true;
  }).map((element, index) => { element.dataset.number = index; return element.outerHTML.slice(0, 100); });
}"""
# The next Tab goes to the first control, wherever an address led to.
_TO_THE_TOP = """() => {
  document.body.tabIndex = -1;
  document.body.focus();
  document.body.removeAttribute("tabindex");
}"""
# What gets the focus from now on, and whether that is seen.
_WATCH_FOCUS = """() => {
  window.focused = [];
  document.addEventListener("focusin", event => {
    const style = getComputedStyle(event.target), number = event.target.dataset.number;
    window.focused.push([number === undefined ? null : Number(number), style.outlineStyle !== "none"
      && parseFloat(style.outlineWidth) > 0 || style.boxShadow !== "none"]);
  });
}"""
_NAMELESS = """() => Array.from(document.querySelectorAll(
    "input, select, textarea, button, a[href], summary"
  )).filter(each => each.checkVisibility() && !(each.labels && each.labels.length)
    && !each.getAttribute("aria-label") && !each.getAttribute("aria-labelledby")
    && !each.textContent.trim() && !each.querySelector("img[alt]:not([alt=''])"))
  .map(each => each.outerHTML.slice(0, 120))"""
_LEVELS = """() => Array.from(document.querySelectorAll("h1, h2, h3, h4, h5, h6"))
  .filter(each => each.checkVisibility()).map(each => Number(each.tagName[1]))"""
_IDS = """() => Array.from(document.querySelectorAll("[id]"), each => each.id)"""
_POINTED = """() => ["for", "aria-labelledby", "aria-describedby", "aria-controls"].flatMap(name =>
  Array.from(document.querySelectorAll(`[${name}]`)).flatMap(element =>
    element.getAttribute(name).split(" ").filter(Boolean)))"""
_LINKS = (
    """() => Array.from(document.querySelectorAll("a[href], area[href], link[href]"), each => each.href)"""
)
# 7 points
_SMALL = """() => Array.from(document.querySelectorAll("main *")).filter(each =>
    each.checkVisibility() && !each.closest("svg, .unseen, sub, sup")
    && parseFloat(getComputedStyle(each).fontSize) < 9.3
    && Array.from(each.childNodes).some(node => node.nodeType === 3 && node.data.trim()))
    .map(each => `${each.className}: ${each.textContent.trim().slice(0, 40)}`)"""
_PRINTED = """() => Array.from(document.querySelectorAll(".no-print"))
  .filter(each => each.checkVisibility()).map(each => each.outerHTML.slice(0, 120))"""
_LONG_TABLES = """() => document.querySelectorAll("tbody").forEach(body =>
  Array.from(body.rows).slice(5).forEach(row => row.remove()))"""
_MOVING = """() => Array.from(document.querySelectorAll("*")).filter(each => {
  const style = getComputedStyle(each);
  const long = text => text.split(",").some(each => parseFloat(each) > 0.01);
  return long(style.transitionDuration) || style.animationName !== "none" && long(style.animationDuration);
}).map(each => each.outerHTML.slice(0, 120))"""


def _steady(opened: Opened) -> Problems:
    shifts = opened.shifts()
    return [str(shifts)] if sum(shift["value"] for shift in shifts) >= 0.02 else []


def _focus(opened: Opened) -> Problems:
    """Tab reaches every control in the order of the page, and each shows that it is there.

    Long tables are cut first, for the checks after this one too: rows are alike, and each takes its time.
    """
    opened.page.evaluate(_LONG_TABLES)
    opened.settle()  # what need not be scrolled any more is no control
    controls: list[str] = opened.page.evaluate(_CONTROLS)
    opened.page.evaluate(_TO_THE_TOP)
    opened.page.evaluate(_WATCH_FOCUS)
    for _ in controls:
        opened.page.keyboard.press("Tab")
    focused: list[tuple[int | None, bool]] = opened.page.evaluate("window.focused")
    order = [number for number, _ in focused if number is not None]
    found = [
        f"the focus is not seen on {controls[number]}"
        for number, seen in focused
        if number is not None and not seen
    ]
    found += [f"not reached: {text}" for number, text in enumerate(controls) if number not in order]
    if order != sorted(order) or len(order) < len(focused):
        found.append(f"the focus jumps: {focused}")
    return found + [f"without a name: {text}" for text in opened.page.evaluate(_NAMELESS)]


def _sorts(opened: Opened) -> Problems:
    """The first table, by keyboard, both ways; the focus stays."""
    table = opened.page.locator("table[data-sortable]").filter(visible=True).first
    if not table.count():
        return ["its board does not sort"] if opened.page.locator("#board").count() else []
    header = table.locator("thead th:has(button)").nth(1)
    header.locator("button").focus()
    ways = []
    for key in ("Enter", "Space"):
        opened.page.keyboard.press(key)
        ways.append(header.get_attribute("aria-sort"))
    found = [] if {*ways} == {"ascending", "descending"} else [f"it is sorted {ways}"]
    if table.locator("[aria-sort=ascending], [aria-sort=descending]").count() != 1:
        found.append("it is not sorted by one column")
    if opened.page.evaluate("document.activeElement.tagName") != "BUTTON":
        found.append("the focus is lost")
    return found


def _headings(opened: Opened) -> Problems:
    levels: list[int] = opened.page.evaluate(_LEVELS)
    steps = [after - before for before, after in itertools.pairwise(levels)]
    in_order = levels[:1] == [1] and levels.count(1) == 1 and max(steps, default=0) <= 1
    return [] if in_order else [str(levels)]


def _axe(opened: Opened, least: int = 10, **options: Any) -> Problems:
    from axe_playwright_python.sync_playwright import Axe

    # to fetch the style sheet once more, as axe would first, is what the policy forbids; of what passes
    # it need not describe each place, which takes most of its time
    options |= {"preload": False, "resultTypes": ["violations"]}
    answer = Axe().run(opened.page, options=options).response
    found = [] if len(answer["passes"]) >= least else ["axe has looked at nothing"]
    for each in answer["violations"]:
        nodes = [(node["html"][:200], node["failureSummary"][:300]) for node in each["nodes"][:2]]
        found.append(f"{each['id']}: {nodes}")
    return found


def _themes(opened: Opened) -> Problems:
    """Paper and ink are those of the reader's theme."""
    found = []
    for theme in ("dark", "light"):
        opened.page.emulate_media(color_scheme=theme)
        opened.settle()
        ink, paper = opened.page.evaluate(_COLOURS)
        if (ink > paper) != (theme == "dark"):
            found.append(f"{theme}: ink {ink} on {paper}")
    return found


def dark(opened: Opened) -> Problems:
    """What axe finds of the colours in the dark; all else is as in the light."""
    opened.page.emulate_media(color_scheme="dark")
    return [f"in the dark: {problem}" for problem in _axe(opened.settle(), 1, runOnly=["color-contrast"])]


def _fits(opened: Opened) -> Problems:
    found = []
    for width in WIDTHS:
        opened.page.set_viewport_size({"width": width, "height": 900})
        opened.settle()
        scrolls = opened.page.evaluate("document.documentElement.scrollWidth")
        if scrolls > width:
            found.append(f"at {width} it scrolls to {scrolls}: {opened.page.evaluate(_OUTSIDE)}")
        found += [f"at {width} cut: {text}" for text in opened.page.evaluate(_CUT)]
    return found


def _links(opened: Opened) -> Problems:
    here, ids = file_of(opened.page.url)[0], opened.page.evaluate(_IDS)
    found = [f"id {each!r} twice" for each in set(ids) if ids.count(each) > 1]
    found += [f"{each!r} is no id" for each in opened.page.evaluate(_POINTED) if each not in ids]
    for address in opened.page.evaluate(_LINKS):
        path, place = file_of(address)
        if not path.is_file():
            found.append(f"{address} is not there")
        elif place and "=" not in place and place not in (ids if path == here else _ids_of(path)):
            found.append(f"{address}: no such place")
    return found


@cache
def _ids_of(path: Path) -> frozenset[str]:
    return frozenset(read(path).attributes("id")) if path.suffix == ".html" else frozenset()


def _prints(opened: Opened) -> Problems:
    opened.page.emulate_media(media="print", reduced_motion="reduce")
    found = [f"prints a control: {text}" for text in opened.page.evaluate(_PRINTED)]
    found += [f"prints small letters: {text}" for text in opened.page.evaluate(_SMALL)[:5]]
    found += [f"moves: {text}" for text in opened.page.evaluate(_MOVING)]
    if len(opened.page.pdf(format="A4")) < 8_000:
        found.append("prints nothing")
    opened.page.emulate_media(media="screen", reduced_motion="no-preference")
    return found


def _quiet(opened: Opened) -> Problems:
    return opened.problems()


QUICK_CHECKS: Mapping[str, Check] = {
    "nothing moves once it is there": _steady,
    "headings are in order": _headings,
    "it fits every window": _fits,
    "links lead to files and places that are there": _links,
}
CHECKS: Mapping[str, Check] = {
    **QUICK_CHECKS,
    "it prints": _prints,
    "the keyboard reaches every control": _focus,
    "it has the reader's theme": _themes,
    "axe finds nothing": _axe,
    "a table sorts by keyboard": _sorts,
    "nothing complains": _quiet,
}
