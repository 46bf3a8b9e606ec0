// The board's choices: which rows are shown, on which data set, over which configurations. All of them stand in the
// address. The figures of other choices come from data files, their texts made where the page was made.
(function () {
  "use strict";
  var SVG = ["x1", "x2"];
  var SHOWN = 8;
  var PLOT = { performance: 12, robustness: 27 };
  var CELLS = { performance: 3, robustness: 4, torr: 6, solvable: 7, worst: 8, best: 9 };  // the drawing is the sixth
  var table = document.getElementById("board");
  var form = document.getElementById("choices");
  if (!table || !form) return;
  // not form.dataset: that is the control of this name
  var files = { all: form.getAttribute("data-all"), kept: form.getAttribute("data-kept") };
  var body = table.tBodies[0];
  var rows = Array.from(body.rows);
  var state = window.torr.state;
  var names = rows.map(function (row) { return row.dataset.model; });
  var datasets = Array.from(table.tHead.rows[1].querySelectorAll(".on"));
  var scopeName = document.getElementById("scope");
  var overall = scopeName.textContent;
  var counted = document.getElementById("count"), whose = document.getElementById("shown");
  var nothing = null;
  var shown = { scope: 0, kept: false };  // what the cells hold
  var data = null;                        // null while they hold what the page came with
  var turns = 0;

  function at(value, width) { return (4 + Math.min(1, Math.max(0, value)) * (width - 8)).toFixed(1); }

  function show(element, is) {
    if (is) element.removeAttribute("hidden");
    else element.setAttribute("hidden", "");
  }

  // a figure is [text, bounds, value, low, high, complete, shade]; low and high null where nothing is to be drawn
  function digits(cell, figure) {
    var value = document.createElement("span");
    value.className = "value";
    value.textContent = figure[0];
    if (!figure[5]) {
      var mark = document.createElement("a");
      mark.className = "mark";
      mark.href = table.dataset.missing;
      mark.title = "some scores have failed";
      mark.textContent = "*";
      value.appendChild(mark);
    }
    cell.replaceChildren(value);
    cell.dataset.value = figure[2] === null ? "" : String(figure[2]);
    if (figure[1] === "") return;
    var drawn = figure[3] !== null;
    var bounds = document.createElement(drawn ? "span" : "a");
    bounds.className = "bounds";
    if (!drawn) {
      bounds.href = table.dataset.width;
      bounds.title = "every resample gave this number: a single example, or equal scores";
    }
    bounds.textContent = figure[1];
    cell.append(" ", bounds);
  }

  function line(element, from, to, width, is) {
    show(element, is);
    if (is) [from, to].forEach(function (value, end) { element.setAttribute(SVG[end], at(value, width)); });
  }

  function plot(cell, figures) {
    var width = Number(table.dataset.plot);
    ["performance", "robustness"].forEach(function (name) {
      var group = cell.querySelector("." + name), figure = figures[name];
      show(group, figure[2] !== null);
      if (figure[2] === null) return;
      line(group.querySelector(".range"), figure[3], figure[4], width, figure[3] !== null);
      group.querySelector(".dot").setAttribute("transform", "translate(" + at(figure[2], width) + " " + PLOT[name] + ")");
    });
    line(cell.querySelector(".span"), figures.worst[2], figures.best[2], width, figures.worst[2] !== null && figures.best[2] !== null);
  }

  function rank(cell, found, place) {
    var width = Number(table.dataset.rank), last = Math.max(rows.length - 1, 1);
    cell.dataset.value = String(place + 1);
    cell.querySelector(".value").textContent = found[0];
    line(cell.querySelector(".range"), (found[1] - 1) / last, (found[2] - 1) / last, width, found[1] !== null);
  }

  function tier(cell, found) {
    cell.dataset.value = found === null ? "" : String(found);
    cell.querySelector(".value").textContent = found === null ? "\u2013" : String(found);
  }

  function fill(scope, cells) {
    scope.place = [];
    scope.order.forEach(function (index, place) { scope.place[index] = place; });
    rows.forEach(function (row, index) {
      var found = scope.figures[index];
      var figures = { performance: found[3], robustness: found[4], torr: found[5], solvable: found[6], worst: found[7], best: found[8] };
      rank(row.cells[0], found, scope.place[index]);
      tier(row.cells[1], scope.tiers[index]);
      plot(row.querySelector(".plot"), figures);
      Object.keys(figures).forEach(function (name) { digits(row.cells[CELLS[name]], figures[name]); });
      datasets.forEach(function (header, place) {
        var cell = row.cells[10 + place], figure = cells[index][place];
        digits(cell, figure);
        cell.className = "num on" + (figure[6] === null ? "" : " tint-" + figure[6]);
      });
    });
  }

  // Rules between the tiers of the rows that are shown.
  function mark() {
    var above = null;
    Array.from(body.rows).forEach(function (row) {
      if (row.hidden || rows.indexOf(row) < 0) return;
      row.classList.toggle("cut", above !== null && above !== row.cells[1].dataset.value);
      above = row.cells[1].dataset.value;
    });
  }

  function current() { return data.scopes[shown.scope]; }

  function chosen(name) {
    var field = form.elements[name];
    if (!field) return "";
    return field.type === "checkbox" ? (field.checked ? "1" : "") : field.value.trim();
  }

  function number(text) {
    return text === "" || !isFinite(Number(text)) ? null : Number(text);
  }

  function fits(row) {
    var own = row.dataset, size = own.size === undefined ? null : Number(own.size);
    var from = number(chosen("from")), to = number(chosen("to")), find = chosen("find").toLowerCase();
    if (find && own.model.toLowerCase().indexOf(find) < 0) return false;
    if (chosen("family") && own.family !== chosen("family")) return false;
    if (chosen("open") && own.open !== chosen("open")) return false;
    if (from !== null && (size === null || size < from)) return false;
    return to === null || (size !== null && size <= to);
  }

  function filter() {
    var count = 0;
    rows.forEach(function (row) { row.hidden = !fits(row); count += row.hidden ? 0 : 1; });
    put(counted, (count === rows.length ? "" : count + " of ") + rows.length + (rows.length === 1 ? " model" : " models"));
    if (!nothing) {
      nothing = document.createElement("p");
      nothing.className = "nothing";
      nothing.textContent = "No model fits these choices.";
      table.parentElement.appendChild(nothing);
    }
    nothing.hidden = count > 0;
  }

  // a screen reader announces changes only, so the same text again is silent
  function put(element, text) {
    if (element.textContent !== text) element.textContent = text;
  }

  function arrange() {
    filter();
    mark();
    if (!data) return;
    put(whose, ", figures on " + (chosen("dataset") || overall) + (shown.kept ? ", label-keeping perturbations only" : ""));
  }

  // Puts the figures of the chosen data set and configurations into the cells; loads them where they are not there yet.
  function apply() {
    var name = chosen("dataset"), kept = chosen("kept") === "1" && files.kept !== null;
    var scope = 1 + datasets.findIndex(function (header) { return header.dataset.name === "on " + name; });
    table.classList.toggle("full", chosen("more") === "1");
    filter();
    var mine = turns += 1;  // what is under way for an earlier choice is not wanted any more
    var changed = !data || scope !== shown.scope || kept !== shown.kept;
    var needed = scope !== 0 || kept || data || rows.some(function (row) { return row.hidden; });
    if (!changed || !needed) { table.removeAttribute("aria-busy"); arrange(); return; }
    table.setAttribute("aria-busy", "true");
    window.torr.load(kept ? files.kept : files.all).then(function (found) {
      if (mine !== turns) return;
      data = found;
      shown = { scope: scope, kept: kept };
      fill(current(), data.cells);
      if (datasets.length) scopeName.textContent = name || overall;
      datasets.forEach(function (header) { header.classList.toggle("chosen", header.dataset.name === "on " + name); });
      window.torr.tables.again(table);
      arrange();
      table.removeAttribute("aria-busy");
    }).catch(function () {
      if (mine !== turns) return;
      table.removeAttribute("aria-busy");
      put(counted, "These figures could not be loaded; the table still shows the previous ones.");
    });
  }

  function fields() {
    return Array.from(form.elements).filter(function (field) { return field.name; });
  }

  function write() {
    var change = {};
    fields().forEach(function (field) { change[field.name] = chosen(field.name); });
    state.set(change);
    apply();
  }

  // A link may name a value that this study lacks: then show all rows, with a notice.
  function read(wished) {
    fields().forEach(function (field) {
      var value = (wished[field.name] || "").trim();
      if (field.type === "checkbox") field.checked = value === "1";
      else if (field.type === "number") field.value = number(value) === null ? "" : value;
      else field.value = value;
      if (field.tagName === "SELECT" && field.selectedIndex < 0) field.value = "";
      state.answer(field.name, chosen(field.name) === value ? null : value, state.label(field), instead(field));
    });
    apply();
  }

  function instead(field) {
    if (field.tagName === "SELECT") return field.options[0].text;
    return field.type === "checkbox" ? "off" : chosen(field.name) || "all";
  }

  form.addEventListener("input", write);
  form.addEventListener("submit", function (event) { event.preventDefault(); });
  // the event "reset" comes before the fields have changed, and a timer after it leaves the table behind them;
  // a board of one model has no such button
  form.addEventListener("click", function (event) {
    if (event.target.type !== "reset") return;
    event.preventDefault();
    form.reset();
    write();
  });
  table.addEventListener("torr-sorted", function (event) {
    var ranked = event.detail.name === "rank" && event.detail.direction === "ascending";
    table.classList.toggle("by-rank", ranked);
    if (ranked) mark();
  });
  state.on(read);
})();
