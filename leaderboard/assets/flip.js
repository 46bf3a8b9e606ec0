// Which flips of an example are widest, and what differs between two of its configurations: their tables side by side,
// cells, rows and columns marked.
// All text from data goes through textContent.
(function () {
  "use strict";
  var MOST_ROWS = 30, MOST_COLUMNS = 12;
  var make = window.torr.example.make;
  var count = window.torr.example.count;

  // The comparison of two configurations, in either order; null where there is none.
  function compared(data, one, other) {
    var pairs = data.compared ? data.compared.pairs : [];
    return pairs.filter(function (pair) { return (pair[0] === one && pair[1] === other) || (pair[0] === other && pair[1] === one); })[0] || null;
  }

  // Marks of the first table's lines, or the second's: line -> [class, note], along one axis.
  function marksOf(changes, axis, second) {
    var sources = axis ? changes.columns : changes.rows;
    var marks = new Map();
    // new and lost lines before a line that moved among the others can bring it back to its number
    changes.moved[axis].forEach(function (place) {
      var source = sources[place];
      var note = source === place ? "moved" : second ? "was " + (source + 1) : "now " + (place + 1);
      marks.set(second ? place : source, ["moved", note]);
    });
    if (second) sources.forEach(function (source, place) { if (source < 0) marks.set(place, ["new", "new"]); });
    else changes.lost[axis].forEach(function (source) { marks.set(source, ["lost", "missing"]); });
    return marks;
  }

  // The first table of one that was turned has the second's rows as columns.
  function sideOf(changes, second) {
    var axes = [marksOf(changes, 0, second), marksOf(changes, 1, second)];
    if (changes.turned && !second) axes.reverse();
    var cells = new Set(changes.changed.map(function (cell) {
      if (second) return cell.join();
      var own = [changes.rows[cell[0]], changes.columns[cell[1]]];
      return (changes.turned ? own.reverse() : own).join();
    }));
    return { rows: axes[0], columns: axes[1], cells: cells };
  }

  // Which lines to show: what is marked first, then others from the beginning, in their order.
  function kept(size, marks, most) {
    var all = Array.from({ length: size }, function (_, at) { return at; });
    if (size <= most) return all;
    var chosen = [0].concat(all.filter(function (at) { return marks.has(at); }), all).slice(0, most * 3);
    return Array.from(new Set(chosen)).slice(0, most).sort(function (a, b) { return a - b; });
  }

  function gutter(place, mark, scope) {
    var cell = make("th", { scope: scope, class: "gutter" + (mark ? " " + mark[0] : "") }, String(place + 1));
    if (mark) cell.append(" ", make("span", { class: "note" }, mark[1]));
    return cell;
  }

  function grid(texts, side, label) {
    var marked = new Map(side.rows), across = new Map(side.columns);
    side.cells.forEach(function (cell) {
      marked.set(Number(cell.split(",")[0]), marked.get(Number(cell.split(",")[0])));
      across.set(Number(cell.split(",")[1]), across.get(Number(cell.split(",")[1])));
    });
    var rows = kept(texts.length, marked, MOST_ROWS), columns = kept(texts[0].length, across, MOST_COLUMNS);
    var head = make("tr", {}, make("td", { class: "gutter" }));
    columns.forEach(function (c) { head.append(gutter(c, across.get(c), "col")); });
    var body = make("tbody");
    rows.forEach(function (r) {
      var line = make("tr", {}, gutter(r, marked.get(r), "row"));
      columns.forEach(function (c) {
        var changed = side.cells.has(r + "," + c);
        var kind = (marked.get(r) || across.get(c) || [""])[0];
        line.append(make("td", { class: changed ? "changed" : kind }, make("bdi", {}, texts[r][c]), changed ? window.torr.example.unseen(" (another text)") : null));
      });
      body.append(line);
    });
    var box = make("div", {}, make("div", { class: "scroll", role: "region", "aria-label": "Table of " + label, tabindex: "0" },
      make("table", { class: "cells" }, make("thead", {}, head), body)));
    var hidden = [[texts.length - rows.length, "row"], [texts[0].length - columns.length, "column"]].filter(function (each) { return each[0] > 0; });
    if (hidden.length) box.append(make("p", { class: "legend" }, "Not shown: " + hidden.map(function (each) { return count(each[0]) + " more " + each[1] + (each[0] === 1 ? "" : "s"); }).join(", ") + "."));
    return box;
  }

  // What differs, in sentences and as two tables; the places are those of the page, from left to right.
  function differences(view, places) {
    var found = compared(view.data, places[0], places[1]);
    var box = make("div", { class: "differences" });
    if (!found) {
      box.append(make("p", { class: "legend" }, "The tables of these two are not compared cell by cell here: those of each model’s widest flips are."));
      return box;
    }
    box.append(make("p", { class: "says" }, found[2].join(" ")));
    if (found[5] === null) return box;
    var sides = make("div", { class: "sides two" });
    places.forEach(function (place) {
      var second = place === found[1];
      sides.append(make("div", { class: "side" }, make("h4", {}, view.named(place)),
        grid(view.data.compared.tables[found[second ? 4 : 3]], sideOf(found[5], second), view.whole(place))));
    });
    box.append(sides);
    return box;
  }

  // [model, width, worst, best] of one model, or of those that flip most; none where the score stands still
  function flipsOf(row, model) {
    var found = row.flips.filter(function (flip) { return model < 0 || flip[0] === model; });
    var widest = Math.max.apply(null, found.map(function (flip) { return flip[1]; }));
    return found.filter(function (flip) { return flip[1] === widest; });
  }

  // "csv → html": the parts in which the worst and the best configuration differ
  function why(flip, configs) {
    var worst = configs[flip[2]], best = configs[flip[3]];
    return ["format", "perturbation", "design"].filter(function (part) { return worst[part] !== best[part]; })
      .map(function (part) { return worst[part] + " → " + best[part]; }).join(", ");
  }

  window.torr.differences = differences;
  window.torr.flips = { of: flipsOf, why: why };
})();
