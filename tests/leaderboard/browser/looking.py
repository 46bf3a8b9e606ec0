"""What must hold of every page of a site in every view of it; each check gives what it found wrong."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

from ..pages import read
from .opened import Opened, file_of

WIDTHS = (360, 800, 1280)
THEMES = ("light", "dark")
Problems = list[str]

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
# A chart's numbers are in a table of its own figure, or of the section it stands in.
_CHARTS = """() => Array.from(document.querySelectorAll("svg.drawn")).map(element => ({
  name: element.closest("figure").id,
  seen: element.checkVisibility(),
  marks: element.querySelectorAll("path, text, line").length,
  label: element.getAttribute("aria-label"),
  told: document.getElementById(element.getAttribute("aria-describedby")).textContent,
  wide: element.getBoundingClientRect().width,
  room: element.parentElement.clientWidth,
}))"""
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
_FOCUS = """() => {
  const element = document.activeElement, style = getComputedStyle(element);
  return [element.dataset.number === undefined ? null : Number(element.dataset.number),
    style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0 || style.boxShadow !== "none"];
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
# 7 points; a chart's letters are as large as its place makes them
_SMALL = """() => Array.from(document.querySelectorAll("main *")).filter(each =>
    each.checkVisibility() && !each.closest("svg, .unseen, sub, sup")
    && parseFloat(getComputedStyle(each).fontSize) < 9.3
    && Array.from(each.childNodes).some(node => node.nodeType === 3 && node.data.trim()))
    .map(each => `${each.className}: ${each.textContent.trim().slice(0, 40)}`)"""
_PRINTED = """() => Array.from(document.querySelectorAll(".no-print"))
  .filter(each => each.checkVisibility()).map(each => each.outerHTML.slice(0, 120))"""
_MOVING = """() => Array.from(document.querySelectorAll("*")).filter(each => {
  const style = getComputedStyle(each);
  const long = text => text.split(",").some(each => parseFloat(each) > 0.01);
  return long(style.transitionDuration) || style.animationName !== "none" && long(style.animationDuration);
}).map(each => each.outerHTML.slice(0, 120))"""


def _steady(opened: Opened) -> Problems:
    shifts = opened.shifts()
    return [str(shifts)] if sum(shift["value"] for shift in shifts) >= 0.02 else []


def _focus(opened: Opened) -> Problems:
    """Tab reaches every control in the order of the page, and each shows that it is there."""
    controls: list[str] = opened.page.evaluate(_CONTROLS)
    opened.page.evaluate(_TO_THE_TOP)
    order: list[int] = []
    found: Problems = []
    for _ in range(len(controls) + 20):
        opened.page.keyboard.press("Tab")
        number, visible = opened.page.evaluate(_FOCUS)
        if number is None or number in order:
            break
        order.append(number)
        if not visible:
            found.append(f"the focus is not seen on {controls[number]}")
    found += [f"not reached: {text}" for number, text in enumerate(controls) if number not in order]
    if order != sorted(order):
        found.append(f"the focus jumps: {order}")
    return found + [f"without a name: {text}" for text in opened.page.evaluate(_NAMELESS)]


def _charts(opened: Opened) -> Problems:
    found = []
    for chart in opened.page.evaluate(_CHARTS):
        if not chart["marks"]:
            found.append(f"{chart['name']} is not drawn")
        if not chart["label"] or len(chart["told"]) < 20:
            found.append(f"{chart['name']} is not described: {chart['told']!r}")
        if chart["seen"] and chart["wide"] > chart["room"] + 1:
            found.append(f"{chart['name']} is {chart['wide']} wide in {chart['room']}")
    return found


def _headings(opened: Opened) -> Problems:
    levels: list[int] = opened.page.evaluate(_LEVELS)
    steps = [after - before for before, after in itertools.pairwise(levels)]
    in_order = levels[:1] == [1] and levels.count(1) == 1 and max(steps, default=0) <= 1
    return [] if in_order else [str(levels)]


def _themes(opened: Opened) -> Problems:
    """In both themes the page has the theme's colours, and axe finds nothing wrong."""
    from axe_playwright_python.sync_playwright import Axe

    found = []
    for theme in THEMES:
        opened.page.emulate_media(color_scheme=theme)
        opened.settle()
        ink, paper = opened.page.evaluate(_COLOURS)
        if (ink > paper) != (theme == "dark"):
            found.append(f"{theme}: ink {ink} on {paper}")
        # to fetch the style sheet once more, as axe would first, is what the policy forbids; of what passes
        # it need not describe each place, which takes most of its time
        options = {"preload": False, "resultTypes": ["violations"]}
        answer = Axe().run(opened.page, options=options).response
        if len(answer["passes"]) < 10:
            found.append(f"{theme}: axe has looked at nothing")
        for each in answer["violations"]:
            nodes = [(node["html"][:200], node["failureSummary"][:300]) for node in each["nodes"][:2]]
            found.append(f"{theme}: {each['id']}: {nodes}")
    return found


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


CHECKS: Mapping[str, Callable[[Opened], Problems]] = {
    "nothing moves once it is there": _steady,
    "the keyboard reaches every control": _focus,
    "charts are drawn, described and given as numbers": _charts,
    "headings are in order": _headings,
    "axe finds nothing in either theme": _themes,
    "it fits every window": _fits,
    "links lead to files and places that are there": _links,
    "it prints": _prints,
    "nothing complains": _quiet,
}
