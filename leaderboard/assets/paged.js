// A list in pages, and what is open of it: examples or battles. Its elements are NAMES-list, NAMES-rows, ...
(function () {
  "use strict";
  var torr = window.torr;
  var one = torr.example;
  var make = one.make;
  var A_PAGE = 25;

  // names: "examples"; show(state, focus) shows what the address asks for; link(row) leads to a row; changed(change, control),
  // if there is one, completes what a control changes.
  torr.paged = function (names, show, link, changed) {
    function byId(part) { return document.getElementById(names + "-" + part); }
    var noun = names.slice(0, -1);
    var list = byId("list"), box = byId("view"), body = byId("rows"), status = byId("status");
    var pages = [byId("before"), byId("after")];
    var around = [];  // the rows before and after the open one

    function again(change) {
      torr.state.set(change);
      show(torr.state.get(), false);
    }

    var controls = Array.from(list.querySelectorAll("[data-state]"));
    controls.forEach(function (control) {
      control.addEventListener(control.type === "search" ? "input" : "change", function () {
        var change = { page: null };
        change[control.dataset.state] = control.value;
        if (changed) changed(change, control);
        again(change);
      });
    });
    pages.forEach(function (button) {
      button.addEventListener("click", function () { again({ page: Number(button.dataset.page) > 1 ? button.dataset.page : null }); });
    });
    // N and P, while the focus is in what is open and not in a field where one types or chooses.
    box.addEventListener("keydown", function (event) {
      var row = { n: around[1], p: around[0] }[event.key.toLowerCase()];
      if (!row || event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
      event.preventDefault();
      location.hash = link(row);
    });

    // Takes back every filter: a choice that begins with all, or a search.
    function reset() {
      var button = make("button", { type: "button", class: "button" }, "Reset");
      button.addEventListener("click", function () {
        var change = { page: null };
        controls.forEach(function (control) { if (!control.options || control.options[0].value === "") change[control.dataset.state] = null; });
        again(change);
        list.querySelector("input[type=search]").focus();
      });
      return button;
    }

    function stepTo(row, id, text, key) {
      return make(row ? "a" : "span", { class: "button", id: noun + "-" + id, href: row ? link(row) : null, "aria-disabled": row ? null : "true", "aria-keyshortcuts": row ? key : null }, text);
    }

    return {
      // The controls as the address has them, with a notice on what they lack; valueOf(control): what one should have.
      prepare: function (state, valueOf) {
        controls.forEach(function (control) {
          var name = control.dataset.state, value = valueOf(control) || "";
          if (control.value !== value) control.value = value;
          if (control.selectedIndex === -1) control.selectedIndex = 0;
          torr.state.answer(name, state[name] && state[name] !== control.value ? state[name] : null, torr.state.label(control), control.options ? control.options[control.selectedIndex].text : control.value);
        });
      },

      // The list, or what is open of it.
      turn: function (open) { list.hidden = open; box.hidden = !open; },

      // The page that the address asks for, of the rows found among so many.
      fill: function (state, kept, of, line) {
        var last = Math.max(1, Math.ceil(kept.length / A_PAGE));
        var page = Math.min(last, Math.max(1, parseInt(state.page, 10) || 1));
        var first = (page - 1) * A_PAGE;
        body.replaceChildren.apply(body, kept.slice(first, first + A_PAGE).map(line));
        if (!kept.length) body.append(make("tr", {}, make("td", { colspan: String(body.parentElement.tHead.rows[0].cells.length) }, "No " + noun + " matches. ", reset())));
        body.closest(".scroll").hidden = false;
        var part = kept.length ? one.count(first + 1) + " to " + one.count(Math.min(kept.length, first + A_PAGE)) + " of " : "";
        status.textContent = part + one.count(kept.length) + " " + (kept.length === of ? names : "found among " + one.count(of) + " " + names);
        pages[0].parentElement.hidden = last === 1;
        byId("page").textContent = "Page " + page + " of " + last;
        pages.forEach(function (button, at) {
          button.disabled = page === [1, last][at];
          button.dataset.page = page + 2 * at - 1;
        });
      },

      // The way back to the list, and to the rows before and after the open one.
      steps: function (kept, row, back, text) {
        var at = kept.indexOf(row);
        around = [at > 0 ? kept[at - 1] : null, at >= 0 && at + 1 < kept.length ? kept[at + 1] : null];
        return make("div", { class: "controls no-print steps" }, make("a", { class: "button", href: back, id: "back" }, "← " + text),
          stepTo(around[0], "before", "Previous", "P"), stepTo(around[1], "after", "Next", "N"),
          make("span", { class: "legend" }, at >= 0 ? one.count(at + 1) + " of " + one.count(kept.length) : ""));
      },

      open: function (content, heading, focus) {
        box.replaceChildren(content);
        one.reachable(box);
        torr.tables.watch(box);
        if (focus) { torr.reveal(); heading.focus({ preventScroll: true }); window.scrollTo(0, 0); }
      },

      // A sentence in place of what was asked for, with the way back if there is one.
      say: function (text, back, words) {
        box.hidden = false;
        box.replaceChildren(make("p", { class: "legend", role: "status" }, text));
        if (back) box.append(make("p", {}, make("a", { href: back }, words)));
      },

      // What could not be loaded: what was shown belongs to another name, and goes; the controls stay.
      fail: function (open) {
        list.hidden = open;
        body.closest(".scroll").hidden = true;
        body.replaceChildren();
        status.textContent = byId("page").textContent = "";
        pages.forEach(function (button) { button.disabled = true; });
        around = [];
      },

      // Until then its place is hidden, so that nothing moves.
      ready: function () { byId("app").dataset.ready = ""; }
    };
  };
})();
