// The board's choices: which rows are shown, on which data set, over which configurations. All of them stand in the
// address. The figures of other choices come from data files, their texts made where the page was made.
(function () {
  "use strict";
  var FIGURES = 2;       // where they begin in a row's data
  var LAST_TIER = 6;     // later ones share its colour
  var table = document.getElementById("board");
  var form = document.getElementById("choices");
  if (!table || !form) return;
  // not form.dataset: that is the control of this name
  var files = { all: form.getAttribute("data-all"), kept: form.getAttribute("data-kept") };
  var body = table.tBodies[0];
  // a model alone has no tier
  var ranked = table.tHead.querySelector(".tier") !== null, first = ranked ? FIGURES : FIGURES - 1;
  // by rank, as the data are: the address may have sorted them already
  var rows = Array.from(body.rows).sort(function (a, b) { return a.cells[1].dataset.value - b.cells[1].dataset.value; });
  var state = window.torr.state;
  var datasets = Array.from(table.tHead.rows[0].querySelectorAll(".on"));
  var counted = document.getElementById("count"), whose = document.getElementById("shown");
  var reset = form.querySelector("button[type=reset]"), whole = document.getElementById("whole");
  var nothing = null;
  var shown = { scope: 0, kept: false };  // what the cells hold
  var data = null;                        // null while they hold what the page came with
  var turns = 0;

  function element(name, kind, text) {
    var made = document.createElement(name);
    if (kind) made.className = kind;
    if (text !== undefined) made.textContent = text;
    return made;
  }

  // a figure is [text, bounds, value, complete, no width, class]
  function digits(cell, figure, kind) {
    var value = element("span", "value", figure[0]), bounds;
    if (!figure[3]) {
      value.appendChild(element("a", "mark", "*"));
      value.lastChild.href = table.dataset.missing;
      value.lastChild.title = "some scores are missing";
    }
    cell.replaceChildren(value);
    cell.className = "num" + kind + (figure[5] ? " " + figure[5] : "");
    cell.dataset.value = figure[2] === null ? "" : String(figure[2]);
    if (figure[1] === "") return;
    bounds = element(figure[4] ? "a" : "span", "bounds", figure[1]);
    if (figure[4]) {
      bounds.href = table.dataset.width;
      bounds.title = "every resample gave this number: a single example, or equal scores";
    }
    cell.append(" ", bounds);
  }

  function tier(cell, found, place) {
    var name = cell.firstElementChild;
    cell.dataset.value = String(place + 1);
    name.className = "tier-name" + (found[1] === null ? "" : " tier-" + Math.min(found[1], LAST_TIER));
    name.textContent = found[1] === null ? "\u2013" : "Tier " + found[1];
    cell.lastElementChild.textContent = found[0];
  }

  function fill(scope, cells) {
    rows.forEach(function (row, index) {
      var found = scope.rows[index], figures = found.slice(2);
      if (ranked) tier(row.cells[1], found, scope.order.indexOf(index));
      figures.forEach(function (figure, place) { digits(row.cells[first + place], figure, place < 2 ? "" : " extra"); });
      datasets.forEach(function (header, place) {
        digits(row.cells[first + figures.length + place], cells[index][place], " on");
      });
    });
    scope.over.forEach(function (text, place) {
      var over = table.tHead.rows[0].cells[first + place].querySelector(".over");
      if (over) over.textContent = text;
    });
  }

  // Rules between the tiers of the rows that are shown.
  function mark() {
    var above = null;
    Array.from(body.rows).forEach(function (row) {
      var own = row.cells[1].firstElementChild.textContent;
      if (row.hidden || !ranked) return;
      row.classList.toggle("cut", above !== null && above !== own);
      above = own;
    });
  }

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
    counted.parentElement.classList.toggle("unseen", count === rows.length);
    put(counted, (count === rows.length ? "" : count + " of ") + rows.length + (rows.length === 1 ? " model" : " models"));
    if (!nothing) {
      nothing = element("p", "nothing", "No model fits these choices.");
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
    if (reset) reset.hidden = !fields().some(function (field) { return chosen(field.name); });
    mark();
    if (!data) return;
    // the sentences and the picture above are not made again
    if (whole) put(whole, shown.scope || shown.kept ? whole.dataset.said : "");
    put(whose, ", figures on " + (chosen("dataset") || "all data sets") + (shown.kept ? ", only changes that keep the answer" : ""));
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
      fill(data.scopes[scope], data.cells);
      table.dataset.shown = name;  // the data set that the cells are of
      datasets.forEach(function (header) { header.classList.toggle("chosen", header.dataset.name === "on " + name); });
      window.torr.tables.again(table);
      arrange();
      table.removeAttribute("aria-busy");
    }).catch(function () {
      if (mine !== turns) return;
      table.removeAttribute("aria-busy");
      counted.parentElement.classList.remove("unseen");
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

  // Two rows are ticked: their verdict, and the way to all that Compare says of them.
  var bar = document.getElementById("picked");
  var picked = [];

  function named(row) { return element("bdi", "", row.querySelector("th a").textContent); }

  function verdict(one, other) {
    var path = form.getAttribute("data-comparisons") + "/" + rows.indexOf(one) + ".js";
    return window.torr.load(path).then(function (found) {
      var beside = found.beside[String(rows.indexOf(other))];
      return beside ? beside[0] + " " : "";
    }, function () { return ""; });
  }

  function say() {
    var one = picked[0], other = picked[1], link, text;
    bar.hidden = !one;
    if (!one) return;
    if (!other) {
      text = element("span");
      text.append(named(one), ": tick another model to compare it with.");
      bar.replaceChildren(text, clear);
      return;
    }
    link = element("a", "button");
    link.href = form.getAttribute("data-compare") + "#" + new URLSearchParams({ a: one.dataset.model, b: other.dataset.model });
    text = element("span");
    text.append("Compare ", named(one), " with ", named(other));
    link.append(text);
    bar.replaceChildren(link, clear);
    verdict(one, other).then(function (said) {
      if (picked[0] === one && picked[1] === other) bar.replaceChildren(element("span", "", said), link, clear);
    });
  }

  // no third one, until one of the two is let go
  function pick(row, is) {
    picked = picked.filter(function (each) { return each !== row; });
    if (is) picked.push(row);
    rows.forEach(function (each) { tick(each).disabled = picked.length === 2 && picked.indexOf(each) < 0; });
    say();
  }

  function tick(row) { return row.querySelector("input.pick"); }

  var clear = element("button", "button", "Clear");
  clear.type = "button";
  clear.addEventListener("click", function () {
    var last = picked[picked.length - 1];
    picked.slice().forEach(function (row) { tick(row).checked = false; pick(row, false); });
    tick(last).focus();
  });

  if (bar) rows.forEach(function (row) {
    var box = element("input", "pick");
    box.type = "checkbox";
    box.setAttribute("aria-label", "Compare " + row.dataset.model);
    box.addEventListener("change", function () { pick(row, box.checked); });
    row.cells[0].prepend(box);
  });
})();
