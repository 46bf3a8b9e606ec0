"""A page of the site, opened in Chromium from the disk, with everything it asked for and complained of."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

# Runs before the page's own scripts: what the policy stops, and what moves after it was drawn.
_WATCH = """
document.addEventListener("securitypolicyviolation", function (event) {
  console.error("policy: " + event.violatedDirective + " stopped " + event.blockedURI + " " + event.sample);
});
window.shifts = [];
new PerformanceObserver(function (list) {
  list.getEntries().forEach(function (entry) {
    if (entry.hadRecentInput) return;
    window.shifts.push({ value: entry.value, what: entry.sources.map(function (source) {
      return source.node ? source.node.nodeName + "." + (source.node.className || "") : "?";
    }).join(", ") });
  });
}).observe({ type: "layout-shift", buffered: true });
"""
# Charts are drawn when they come into view.
_SHOW_ALL = """async () => {
  for (const element of document.querySelectorAll(".drawing")) {
    element.scrollIntoView({ block: "center", behavior: "instant" });
    await new Promise(resolve => setTimeout(resolve, 20));
  }
  window.scrollTo({ top: 0, behavior: "instant" });
}"""
_ALL_DRAWN = """() => Array.from(document.querySelectorAll("[data-chart]"))
  .every(element => !element.checkVisibility() || element.dataset.drawn)"""

# data.js takes its elements away when they have loaded
_ALL_LOADED = """() => document.readyState === "complete"
  && !document.querySelector("head > script:not([src*='assets/'])")"""
_TWO_FRAMES = """() => new Promise(resolve => setTimeout(
  () => requestAnimationFrame(() => requestAnimationFrame(resolve)), 50))"""


class Opened:
    """A page in a window of its own.

    Attributes:
        page: playwright's.
        requests: addresses of all it asked for.
        complaints: what the console, uncaught errors, the policy and dialogs said.
    """

    def __init__(
        self,
        browser: Any,
        address: str,
        *,
        width: int = 1280,
        theme: str = "light",
        script: bool = True,
    ) -> None:
        self.context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=theme, java_script_enabled=script
        )
        self.context.set_default_timeout(15_000)
        self.page = self.context.new_page()
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda said: self.complaints.append(f"console {said.type}: {said.text}"))
        self.page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        self.page.on("dialog", self._dismiss)
        self.context.on("page", lambda page: self.complaints.append(f"opened a window: {page.url}"))
        if script:
            self.page.add_init_script(_WATCH)
        self.go(address)

    def _dismiss(self, dialog: Any) -> None:
        self.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def go(self, address: str) -> None:
        """Open another page in the same window, as a click would."""
        self.page.goto(address)

    def settle(self) -> Opened:
        """Bring every chart into view, and wait until all are drawn and nothing is loading."""
        self.page.evaluate(_SHOW_ALL)
        self.page.wait_for_function(_ALL_DRAWN)
        self.page.wait_for_function(_ALL_LOADED)
        self.page.evaluate(_TWO_FRAMES)
        return self

    def unfold(self) -> Opened:
        """Open all that can be folded; the menus above would lie over the page."""
        self.page.evaluate(
            "() => document.querySelectorAll('main details').forEach(each => { each.open = true; })"
        )
        return self

    def shifts(self) -> list[dict[str, Any]]:
        """What has moved without being asked to, and how far (web.dev/cls: a score up to 0.1 is good)."""
        found: list[dict[str, Any]] = self.page.evaluate("window.shifts")
        return found

    def problems(self) -> list[str]:
        """Complaints, and requests that went anywhere but to the disk."""
        inside = ("file://", "data:image/", "blob:")
        away = [url for url in self.requests if not url.startswith(inside)]
        return self.complaints + [f"request: {url[:200]}" for url in away]


def file_of(address: str) -> tuple[Path, str]:
    """The file that an address of the disk means, and its fragment."""
    parts = urlsplit(address)
    return Path(unquote(parts.path)), unquote(parts.fragment)
