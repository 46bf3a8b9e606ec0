// Compares any two models: loads the data of each, and replaces what the page shows.
(function () {
  "use strict";
  var choices = window.torr.embedded("compare-choices");
  if (!choices) return;
  var MOST_EXAMPLES = 20;
  var WHATS = choices.figures;  // performance, the robustness of the sentence and the chart, perhaps ToRR's
  var pickers = { a: document.getElementById("compare-a"), b: document.getElementById("compare-b") };
  var dataset = document.getElementById("compare-dataset");
  var turns = 0;
  var current = null;

  // what the files of the charts say (chart_files.js), while another choice is loading or after it is lost
  function drawn() {
    [pickers.a, pickers.b, dataset].forEach(function (select) { select.dataset.shown = select.value; });
  }

  function known(model) {
    return choices.models.indexOf(model) >= 0 ? model : null;
  }

  // The two models that an address names, with the best ones for missing names; never one with itself. Unknown names
  // get a notice.
  function chosen(state) {
    var a = known(state.a), b = known(state.b), models = choices.models;
    if (a === null) a = models[0] === b ? models[1] : models[0];
    if (b === null || b === a) b = models[0] === a ? models[1] : models[0];
    var place = choices.datasets.indexOf(state.dataset);
    return { a: a, b: b, dataset: place < 0 ? "" : choices.datasets[place] };
  }

  function element(name, text, className) {
    var made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (className) made.className = className;
    return made;
  }

  function fixed(value) {
    var text = value.toFixed(3);
    return text === "-0.000" ? "0.000" : text;
  }

  function cell(row, name) {
    return row.querySelector('[data-cell="' + name + '"]');
  }

  function showTest(target, state, p) {
    target.replaceChildren(
      element("span", choices.words[state], state === 2 ? "pair apart" : "pair"),
      document.createTextNode(" "), element("span", p, "bounds")
    );
  }

  // a minus b on each data set, or null where the analysis lacks this pair
  function sides(one, b, what) {
    var found = one.beside[String(choices.models.indexOf(b))];
    return found ? found[WHATS.length + WHATS.indexOf(what)] : null;
  }

  var UNTESTED = ["–", null, null, null, "", -1];

  function showDifferences(pick, one, other) {
    var rows = document.querySelectorAll("#compare-table tbody tr");
    var beside = one.beside[String(choices.models.indexOf(pick.b))];
    WHATS.forEach(function (what, number) {
      var found = sides(one, pick.b, what);
      var verdict = document.querySelector('[data-verdict="' + what + '"]');
      if (verdict) verdict.textContent = beside ? beside[number] :
        number ? "" : "This analysis has no paired difference of " + pick.a + " and " + pick.b +
          ": with many models, only those near each other in the ranking are compared.";
      var data = choices.places.map(function (place, index) {
        var side = found ? found[index] : UNTESTED, row = rows[index];
        cell(row, what + "-a").textContent = one.figures[number][index];
        cell(row, what + "-b").textContent = other.figures[number][index];
        cell(row, what).replaceChildren(element("span", side[0], "value"));
        showTest(cell(row, what + "-test"), side[5], side[4]);
        var words = choices.words[side[5]];
        return {
          place: place, difference: side[1], low: side[2], high: side[3], text: side[0], state: words,
          test: side[4] ? words + " (" + side[4] + ")" : words
        };
      });
      window.torr.redraw("difference-" + what, data);
    });
  }

  function showCounts(one, other) {
    var rows = document.querySelectorAll("#compare-table tbody tr");
    var all = [0, 0, 0];
    function write(row, counts) {
      ["more-a", "equal", "more-b"].forEach(function (name, index) {
        cell(row, name).textContent = counts[index].toLocaleString("en");
      });
    }
    choices.datasets.forEach(function (_, place) {
      var counts = [0, 0, 0];
      one.examples[place].forEach(function (value, index) {
        var beside = other.examples[place][index];
        if (value === null || beside === null) return;
        counts[value > beside ? 0 : value < beside ? 2 : 1] += 1;
      });
      counts.forEach(function (count, index) { all[index] += count; });
      write(rows[place + 1], counts);
    });
    write(rows[0], all);
  }

  function showFormats(pick, one, other) {
    var place = choices.datasets.indexOf(pick.dataset) + 1;
    var found = [];
    choices.configurations.forEach(function (config, index) {
      var a = one.configurations[place][index], b = other.configurations[place][index];
      if (a === null || b === null) return;
      found.push({
        config: config[0], row: config[1], kind: config[2], a: a, b: b, difference: a - b, text: fixed(a - b)
      });
    });
    window.torr.redraw("difference-formats", found);
    var more = found.filter(function (each) { return each.difference > 0; }).length;
    var less = found.filter(function (each) { return each.difference < 0; }).length;
    var where = pick.dataset ? " of " + pick.dataset : "";
    var text = pick.a + " scores higher in " + more + " of " + found.length + " configurations" + where + ", " +
      pick.b + " in " + less + ".";
    var sorted = found.slice().sort(function (x, y) { return y.difference - x.difference; });
    if (more && less) {
      var best = sorted[0], worst = sorted[sorted.length - 1];
      text += " It depends on the format: from " + best.text + " in " + best.config + " to " + worst.text + " in " + worst.config + ".";
    }
    document.getElementById("formats-caption").textContent = text;
    document.getElementById("compare-formats").replaceChildren.apply(
      document.getElementById("compare-formats"),
      sorted.map(function (each) {
        var row = element("tr"), name = element("th", each.config);
        name.scope = "row";
        row.append(name, element("td", fixed(each.a), "num"), element("td", fixed(each.b), "num"), element("td", each.text, "num"));
        return row;
      })
    );
  }

  function furthest(pick, one, other) {
    var found = [];
    choices.datasets.forEach(function (name, place) {
      if (pick.dataset && pick.dataset !== name) return;
      one.examples[place].forEach(function (value, index) {
        var beside = other.examples[place][index];
        if (value === null || beside === null || value === beside) return;
        found.push({ dataset: name, place: place, index: index, a: value, b: beside });
      });
    });
    return found.sort(function (x, y) {
      return Math.abs(y.a - y.b) - Math.abs(x.a - x.b) || x.place - y.place || x.index - y.index;
    });
  }

  function showExamples(pick, one, other, ids) {
    var found = furthest(pick, one, other);
    var rows = found.slice(0, MOST_EXAMPLES).map(function (each) {
      var id = ids[each.place][each.index], row = element("tr"), name = element("th"), link = element("a", id);
      var better = each.a > each.b ? pick.a : pick.b;
      link.href = window.torr.root + choices.examples + "#" + new URLSearchParams({ dataset: each.dataset, example: id, model: better });
      name.scope = "row";
      name.append(link);
      row.append(
        name, element("td", each.dataset), element("td", fixed(each.a / choices.unit), "num"),
        element("td", fixed(each.b / choices.unit), "num"), element("td", fixed((each.a - each.b) / choices.unit), "num")
      );
      return row;
    });
    var body = document.getElementById("compare-examples");
    body.replaceChildren.apply(body, rows);
    document.getElementById("examples-caption").textContent = found.length ?
      "The " + rows.length + " largest differences among " + found.length.toLocaleString("en") + " examples with different scores" + (pick.dataset ? " in " + pick.dataset : "") + "." :
      "No example has different scores.";
  }

  function show(pick) {
    var turn = turns += 1;
    current = pick;
    pickers.a.value = pick.a;
    pickers.b.value = pick.b;
    dataset.value = pick.dataset;
    function file(name) { return window.torr.load(choices.folder + "/" + name + ".js"); }
    return Promise.all([
      file(choices.models.indexOf(pick.a)), file(choices.models.indexOf(pick.b)), file("examples")
    ]).then(function (loaded) {
      if (turn !== turns) return; // another choice was made meanwhile
      document.querySelectorAll("[data-name]").forEach(function (each) { each.textContent = pick[each.dataset.name]; });
      showDifferences(pick, loaded[0], loaded[1]);
      showCounts(loaded[0], loaded[1]);
      showFormats(pick, loaded[0], loaded[1]);
      showExamples(pick, loaded[0], loaded[1], loaded[2]);
      document.getElementById("compare-table").dataset.shown = pick.a + "\n" + pick.b;
      drawn();
    }).catch(function (error) {
      if (turn !== turns) return;
      document.querySelector("[data-verdict]").textContent = "The data of these models could not be loaded (" + error.message + ").";
    });
  }

  function answer(state, pick) {
    [["a", pickers.a], ["b", pickers.b], ["dataset", dataset]].forEach(function (each) {
      var name = each[0], wished = state[name] || null;
      window.torr.state.answer(name, wished === pick[name] ? null : wished, window.torr.state.label(each[1]), pick[name] || each[1].options[0].text);
    });
  }

  function choose(changes) {
    var pick = chosen(Object.assign({ a: pickers.a.value, b: pickers.b.value, dataset: dataset.value }, changes));
    window.torr.state.set(pick);
    show(pick);
  }

  // choosing the other side's model swaps the two
  pickers.a.addEventListener("change", function () { choose(pickers.a.value === current.b ? { b: current.a } : {}); });
  pickers.b.addEventListener("change", function () { choose(pickers.b.value === current.a ? { a: current.b } : {}); });
  dataset.addEventListener("change", function () { choose({}); });
  document.getElementById("compare-swap").addEventListener("click", function () {
    choose({ a: pickers.b.value, b: pickers.a.value });
  });
  document.getElementById("compare-controls").addEventListener("submit", function (event) { event.preventDefault(); });
  drawn();
  window.torr.state.on(function (state) {
    var pick = chosen(state);
    answer(state, pick);
    show(pick);
  });
})();
