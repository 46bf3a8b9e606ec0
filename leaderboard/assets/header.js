// The switch of the theme, and the menus of the header. look.js has put the reader's theme in force before.
(function () {
  "use strict";
  var THEMES = ["auto", "light", "dark"];
  var root = document.documentElement;
  var button = document.getElementById("theme");

  function chosen() {
    return THEMES.indexOf(root.dataset.theme) > 0 ? root.dataset.theme : "auto";
  }

  function say() {
    button.lastElementChild.textContent = chosen();
    button.dataset.chosen = chosen();
  }

  function choose(theme) {
    if (theme === "auto") delete root.dataset.theme;
    else root.dataset.theme = theme;
    // a browser may forbid storage, above all to files; then the choice lasts as long as the page
    try { localStorage.setItem("torr-theme", theme); } catch (error) { /* not kept */ }
    say();
    document.dispatchEvent(new CustomEvent("torr-theme", { detail: theme }));
  }

  if (button) {
    say();
    button.addEventListener("click", function () {
      choose(THEMES[(THEMES.indexOf(chosen()) + 1) % THEMES.length]);
    });
  }

  var menus = Array.from(document.querySelectorAll("details.menu"));

  function close(except) {
    menus.forEach(function (menu) { if (menu !== except) menu.open = false; });
  }

  document.addEventListener("click", function (event) { close(event.target.closest("details.menu")); });
  document.addEventListener("keydown", function (event) {
    if (event.key !== "Escape") return;
    var open = menus.find(function (menu) { return menu.open; });
    if (!open) return;
    open.open = false;
    open.querySelector("summary").focus();
  });
  // on a phone the entries scroll: the current one is brought into sight, with the end of the one before it, so that
  // it is seen that there are more; the page does not move
  var current = document.querySelector(".pages [aria-current], .pages summary.current");
  var row = document.querySelector(".pages > ul");
  if (current && row) row.scrollLeft = current.getBoundingClientRect().left - row.getBoundingClientRect().left - 56;
})();
