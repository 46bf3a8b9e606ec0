// Puts the view that a reader chose in the place of the one in the page (views.py, macros/views.html), and keeps
// choices in the address. All data is set as text.
(function () {
  "use strict";
  var SVG = "http://www.w3.org/2000/svg";
  var WIDTH = 112;
  var LOST = "These figures could not be loaded; the previous ones are still shown.";

  function shape(parent, name, attributes) {
    var element = document.createElementNS(SVG, name);
    Object.keys(attributes).forEach(function (key) { element.setAttribute(key, attributes[key]); });
    parent.appendChild(element);
    return element;
  }

  function drawing(kind, width, height) {
    var holder = document.createElementNS(SVG, "svg");
    holder.setAttribute("class", kind);
    holder.setAttribute("width", width);
    holder.setAttribute("height", height);
    holder.setAttribute("viewBox", "0 0 " + width + " " + height);
    holder.setAttribute("aria-hidden", "true");
    holder.setAttribute("focusable", "false");
    shape(holder, "line", { "class": "axis", x1: 4, x2: width - 4, y1: height / 2, y2: height / 2 });
    return holder;
  }

  function upright(holder, kind, x, from, to) {
    shape(holder, "line", { "class": kind, x1: x, x2: x, y1: from, y2: to });
  }

  function whisker(mark) {
    var holder = drawing("whisker performance", WIDTH, 14);
    if (mark[3] !== null) upright(holder, "zero", mark[3], 0, 14);
    if (mark[1] !== null && mark[2] !== null) {
      shape(holder, "line", { "class": "range", x1: mark[1], x2: mark[2], y1: 7, y2: 7 });
      upright(holder, "range", mark[1], 3.5, 10.5);
      upright(holder, "range", mark[2], 3.5, 10.5);
    }
    shape(holder, "circle", { cx: mark[0], cy: 7, r: 3.5 });
    return holder;
  }

  // Long names may break where the page's own would.
  function breakable(element, text) {
    text.split(/(?<=[_/+-])|(?<=\.)(?=[^\W\d_])/u).forEach(function (part, index) {
      if (index) element.appendChild(document.createElement("wbr"));
      element.appendChild(document.createTextNode(part));
    });
    return element;
  }

  function span(kind, text) {
    var element = document.createElement("span");
    element.className = kind;
    return breakable(element, text);
  }

  // [text, bounds, style, whisker, whole name, href], without missing ones at the end
  function fillCell(element, cell) {
    if (cell[5]) {
      var link = document.createElement("a");
      link.href = window.torr.root + cell[5];
      var name = breakable(link.appendChild(document.createElement("bdi")), cell[0]);
      if (cell[4]) name.title = cell[4];
      element.appendChild(link);
    } else if (cell[0]) {
      var said = element.appendChild(span("value", cell[0]));
      if (cell[4]) said.title = cell[4];
    }
    if (cell[1]) {
      element.appendChild(document.createTextNode(" "));
      element.appendChild(span("bounds", cell[1]));
    }
    if (cell[3]) element.appendChild(whisker(cell[3]));
    return element;
  }

  function header(scope, first) {
    var element = document.createElement("th");
    element.scope = scope;
    if (first) element.className = "sticky";
    return element;
  }

  function row(cells) {
    var element = document.createElement("tr");
    cells.forEach(function (cell, index) {
      var place = index ? document.createElement("td") : header("row", true);
      if (index && cell[2]) place.className = cell[2];
      element.appendChild(fillCell(place, cell));
    });
    return element;
  }

  function headRow(texts) {
    var element = document.createElement("tr");
    texts.forEach(function (text, index) {
      element.appendChild(breakable(header("col", !index), text));
    });
    return element;
  }

  function fill(name, view) {
    var table = document.querySelector('table[data-view="' + name + '"]');
    if (table) {
      table.tHead.replaceChildren(headRow(view.head));
      table.tBodies[0].replaceChildren.apply(table.tBodies[0], view.rows.map(row));
    }
    say(name, view.lines);
    if (view.caption) caption(name, view.caption);
    var heading = document.querySelector('[data-title="' + name + '"]');
    if (heading) heading.textContent = view.title;
  }

  function say(name, lines) {
    var place = document.querySelector('[data-lines="' + name + '"]');
    if (!place) return;
    place.replaceChildren.apply(place, lines.map(function (line) {
      var paragraph = document.createElement("p");
      paragraph.textContent = line;
      return paragraph;
    }));
  }

  // The caption of a table and the name of its region, which say what was chosen.
  function caption(name, text) {
    var table = document.querySelector('table[data-view="' + name + '"]');
    if (!table) return;
    table.caption.firstElementChild.textContent = text;
    table.parentElement.setAttribute("aria-label", text);
  }

  // Each sets a control to a value, or to the nearest one, and returns whether the value exists.
  function among(select, wished) {
    var known = Array.from(select.options).some(function (option) { return option.value === wished; });
    select.value = known ? wished : select.dataset.first;
    return known;
  }

  // a slider rounds to its steps, and goes to its middle for what is no number
  function within(slider, wished) {
    var number = wished.trim() === "" ? NaN : Number(wished);
    slider.value = isFinite(number) ? wished : slider.dataset.first;
    return isFinite(number) && Math.abs(number - Number(slider.value)) <= Number(slider.step) / 2;
  }

  function text(control) { return control.options ? control.options[control.selectedIndex].text : control.value; }

  // Shows that figures could not be loaded, as long as any file is missing.
  var lost = new Set();
  function tell(status, path, is) {
    if (is) lost.add(path);
    else lost.delete(path);
    var words = lost.size ? LOST : "";
    if (status.textContent !== words) status.textContent = words;
    status.classList.toggle("unseen", !lost.size);
    status.classList.toggle("lost", lost.size > 0);
  }

  // Keeps controls in the address, and calls show(data) with the data of a file whenever they change, and at once if they
  // differ from what the page shows. An unknown name or a number out of range selects the first value or the nearest
  // end, with a notice. If the file cannot be loaded, the controls go back to what is shown (their data-shown), the
  // status reports it, and back() is called.
  function connect(ids, path, status, show, back) {
    var elements = ids.map(function (id) { return document.getElementById(id); }).filter(Boolean);
    if (!elements.length) return;
    var asked = "", turn = 0, byHand = false;

    function values() { return elements.map(function (element) { return element.value; }).join("\n"); }

    function shown() {
      elements.forEach(function (element) { element.dataset.shown = element.value; });
    }

    function goBack() {
      elements.forEach(function (element) {
        var wished = element.value, name = element.dataset.state, change = {};
        element.value = element.dataset.shown;
        if (element.value === wished) return;
        change[name] = element.value === element.dataset.first ? "" : element.value;
        if (byHand) window.torr.state.set(change);
        else window.torr.state.answer(name, wished, window.torr.state.label(element), text(element));
      });
      asked = values();
      if (back) back();
    }

    function update() {
      var now = values(), mine;
      if (now === asked) return;
      asked = now;
      mine = turn += 1;
      window.torr.load(path).then(function (data) {
        tell(status, path, false);
        if (mine !== turn) return;
        show(data);
        shown();
      }, function () {
        tell(status, path, true);
        if (mine === turn) goBack();
      });
    }

    asked = values();
    shown();
    elements.forEach(function (element) {
      element.dataset.first = element.value;
      element.addEventListener(element.type === "range" ? "input" : "change", function () {
        var change = {};
        change[element.dataset.state] = element.value === element.dataset.first ? "" : element.value;
        byHand = true;
        window.torr.state.set(change);
        update();
      });
    });
    window.torr.state.on(function (state) {
      byHand = false;
      elements.forEach(function (element) {
        var name = element.dataset.state, wished = state[name] || element.dataset.first;
        var there = element.options ? among(element, wished) : within(element, wished);
        window.torr.state.answer(name, there ? null : wished, window.torr.state.label(element), text(element));
      });
      update();
    });
  }

  // Shows the panels of a place in a list, and hides those of the others.
  function panel(name, place) {
    document.querySelectorAll('[data-panel="' + name + '"]').forEach(function (each) {
      each.classList.toggle("chosen", each.dataset.name === String(place));
    });
  }

  // Which place of a list is chosen; 0 where the page has no such list.
  function index(id) {
    var element = document.getElementById(id);
    return element ? element.selectedIndex : 0;
  }

  window.torr.views = { fill: fill, say: say, caption: caption, connect: connect, panel: panel, index: index };
})();
