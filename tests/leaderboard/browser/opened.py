"""A page of the site, opened in Chromium from the disk, with everything it asked for and complained of."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from ...timing import PATIENCE

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

# Runs before the page's own scripts: what the policy stops, and what moves after it was drawn.
_WATCH = """
window.stopped = [];
document.addEventListener("securitypolicyviolation", function (event) {
  window.stopped.push(event.violatedDirective);
  console.error("policy: " + event.violatedDirective + " stopped " + event.blockedURI + " " + event.sample);
});
(function () {
  var found = [];
  function note(entries) {
    entries.forEach(function (entry) {
      if (entry.hadRecentInput) return;
      found.push({ value: entry.value, what: entry.sources.map(function (source) {
        return source.node ? source.node.nodeName + "." + (source.node.className || "") : "?";
      }).join(", ") });
    });
  }
  var observer = new PerformanceObserver(function (list) { note(list.getEntries()); });
  observer.observe({ type: "layout-shift", buffered: true });
  // those not told yet as well
  window.shifts = function () { note(observer.takeRecords()); return found; };
})();
"""
# A page shows itself after some seconds though what it asks for hangs (look.js): on a slow machine that
# would come before what is only late, so that tests say when.
_LAST_RESORT = """
(function () {
  var plain = window.setTimeout;
  window.setTimeout = function (run, wait, ...more) {
    return plain.call(window, run, wait === 5000 ? %d : wait, ...more);
  };
})();
"""
# What the address asks for is on the page, and nothing that it needs is still loading (data.js, state.js).
_READY = "() => document.readyState === 'complete' && !torr.busy() && torr.state.current()"
_TO_THE_TOP = "window.scrollTo({ top: 0, behavior: 'instant' })"
_TWO_FRAMES = "() => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))"


def ready(page: Any) -> Any:
    """The page, when it shows what its address asks for."""
    page.wait_for_function(_READY)
    return page


def address_of(page: Any) -> str:
    """The address as the page has it: what playwright knows of it may come a moment later."""
    found: str = page.evaluate("location.href")
    return found


class Opened:
    """A window of its own, which shows one page after another.

    ``last_resort``: after how many milliseconds a page shows itself though something hangs.

    Attributes:
        page: playwright's.
        requests: addresses of all it asked for.
        complaints: what the console, uncaught errors, the policy and dialogs said, each with its page.
    """

    def __init__(self, browser: Any, *, script: bool = True, last_resort: int = 600_000) -> None:
        self.context = browser.new_context(java_script_enabled=script)
        self.context.set_default_timeout(PATIENCE * 1000)
        self.page = self.context.new_page()
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda said: self._complain(f"console {said.type}: {said.text}"))
        self.page.on("pageerror", lambda error: self._complain(f"error: {error}"))
        self.page.on("dialog", self._dismiss)
        self.context.on("page", lambda page: self._complain(f"opened a window: {page.url}"))
        if script:
            self.page.add_init_script(_WATCH)
            self.page.add_init_script(_LAST_RESORT % last_resort)

    def _complain(self, text: str) -> None:
        self.complaints.append(f"{self.page.url}: {text}")

    def _dismiss(self, dialog: Any) -> None:
        self._complain(f"dialog: {dialog.message}")
        dialog.dismiss()

    def clear(self) -> None:
        """Forget what other tests did here, up to the theme that a reader chose."""
        self.page.unroute_all(behavior="ignoreErrors")
        if self.page.url.startswith("file:"):
            self.page.evaluate("localStorage.clear()")
        self.page.mouse.move(0, 0)
        self.page.goto("about:blank")
        self.complaints.clear()
        self.requests.clear()

    def go(self, address: str, *, width: int = 1280, theme: str = "light") -> Opened:
        """Open an address anew, also that of the page which is shown."""
        self.page.goto("about:blank")
        self.page.set_viewport_size({"width": width, "height": 900})
        self.page.emulate_media(media="screen", color_scheme=theme, reduced_motion="no-preference")
        self.page.goto(address)
        return self

    def ready(self) -> Opened:
        """Wait until the page shows what its address asks for."""
        ready(self.page)
        return self

    def settle(self) -> Opened:
        """Wait until nothing is loading or moving."""
        self.page.evaluate(_TWO_FRAMES)  # what follows from a new window or theme begins in the next frame
        self.ready()
        self.page.evaluate(_TO_THE_TOP)
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
        found: list[dict[str, Any]] = self.page.evaluate("window.shifts()")
        return found

    def problems(self) -> list[str]:
        """Complaints, and requests that went anywhere but to the disk."""
        inside = ("file://", "data:image/", "blob:", "about:blank")
        away = [url for url in self.requests if not url.startswith(inside)]
        return self.complaints + [f"request: {url[:200]}" for url in away]

    def forgive(self, *parts: str) -> None:
        """Forget the complaints that a test itself has made."""
        self.complaints[:] = [each for each in self.complaints if not any(part in each for part in parts)]


def file_of(address: str) -> tuple[Path, str]:
    """The file that an address of the disk means, and its fragment."""
    parts = urlsplit(address)
    return Path(unquote(parts.path)), unquote(parts.fragment)
