// The switch of the theme, the menus of the header, and what a reader takes along. look.js has put the reader's theme in force before.
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
  // the address that the page is read at, with the reader's choices, in what can be copied
  var panel = document.querySelector(".share .panel");

  function site() {
    if (panel.dataset.site) return panel.dataset.site;
    return location.href.replace(/[?#].*$/, "").slice(0, -encodeURI(panel.dataset.page).length);
  }

  function address() {
    var view = location.hash.indexOf("=") > 0 ? location.hash : "";
    // a path of this disk is nothing to send, or to write into another page
    var ours = !panel.dataset.site && location.protocol === "file:";
    panel.querySelector(".view-link").hidden = ours;
    if (ours) return;
    panel.querySelectorAll("pre[data-link]").forEach(function (each) { each.textContent = site() + panel.dataset.page + view; });
    panel.classList.add("filled");
  }

  // where a browser forbids the clipboard, the text is selected, to be copied by hand
  function copy(button) {
    var text = button.closest(".copied").nextElementSibling;
    getSelection().selectAllChildren(text);
    function say(word) { button.firstChild.data = word; }
    function selected() { say("Selected"); }
    if (!navigator.clipboard) return selected();
    navigator.clipboard.writeText(text.textContent).then(function () { say("Copied"); }, selected);
  }

  if (panel) {
    panel.parentElement.addEventListener("toggle", address);
    panel.addEventListener("click", function (event) {
      if (event.target.closest(".copy")) copy(event.target.closest(".copy"));
    });
  }

  // "/" goes to the search of the page
  document.addEventListener("keydown", function (event) {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
    var search = Array.from(document.querySelectorAll('input[type="search"]')).find(function (each) { return each.checkVisibility(); });
    if (!search) return;
    event.preventDefault();
    search.focus();
    search.select();
  });
  // on a phone the entries scroll: the current one is brought into sight; the page does not move
  var current = document.querySelector(".pages [aria-current], .pages summary.current");
  var row = document.querySelector(".pages > ul");
  if (current && row) row.scrollLeft = current.getBoundingClientRect().left - row.getBoundingClientRect().left - 56;

  function more() {
    row.parentElement.classList.toggle("before", row.scrollLeft > 1);
    row.parentElement.classList.toggle("more", row.scrollLeft + row.clientWidth < row.scrollWidth - 1);
  }

  if (row) {
    row.addEventListener("scroll", more, { passive: true });
    new ResizeObserver(more).observe(row);
  }
})();
