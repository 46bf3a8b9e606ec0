// Compares any two models: loads the data of each, and replaces what the page shows (views.js).
(function () {
  "use strict";
  var choices = window.torr.embedded("compare-choices");
  if (!choices) return;
  var MOST_EXAMPLES = 10;
  var views = window.torr.views;
  var pickers = { a: document.getElementById("compare-a"), b: document.getElementById("compare-b") };
  var dataset = document.getElementById("compare-dataset");  // null of a study of one
  var means = document.querySelector('[data-view="examples"] caption').textContent;
  var turns = 0;
  var current = null;

  function known(model) {
    return choices.models.indexOf(model) >= 0 ? model : null;
  }

  // The two models that an address names, with the best ones for missing names; never one with itself. Unknown names
  // get a notice.
  function chosen(state) {
    var a = known(state.a), b = known(state.b), models = choices.models;
    if (a === null) a = models[0] === b ? models[1] : models[0];
    if (b === null || b === a) b = models[0] === a ? models[1] : models[0];
    var place = dataset ? choices.datasets.indexOf(state.dataset) : -1;
    return { a: a, b: b, dataset: place < 0 ? "" : choices.datasets[place] };
  }

  function number(model) { return choices.models.indexOf(model); }
  function short(model) { return choices.short[number(model)]; }

  function say(id, text) { document.getElementById(id).textContent = text; }

  function fixed(value, sign) {
    var text = value.toFixed(3);
    if (Number(text) === 0) return "0.000";
    return (sign && value > 0 ? "+" : "") + text;
  }

  // "10 of 95 that differ equally": which of the listed are some of several alike, the others of which are not listed
  function tied(figures, listed) {
    function alike(figure) { return Math.abs(figure - figures[listed - 1]) <= 1e-9; }
    var shown = figures.slice(0, listed).filter(alike).length, total = figures.filter(alike).length;
    if (shown === total) return "";
    var which = shown === listed ? shown : "the last " + (shown > 1 ? shown + " are" : "one is") + " among";
    return which + (shown === listed ? " of " : " ") + total.toLocaleString("en") + " that differ equally";
  }

  // of both on the same, where both have one
  function beside(mine, theirs, show) {
    mine.forEach(function (value, index) {
      if (value !== null && theirs[index] !== null) show(value, theirs[index], index);
    });
  }

  function showDifferences(pick, one) {
    var found = one.beside[String(number(pick.b))];
    say("verdict", found[0]);
    choices.figures.forEach(function (what, place) { views.fill(what, found[1 + place]); });
    views.fill("map", found[1 + choices.figures.length][views.index("compare-dataset")]);
  }

  function showExamples(pick, one, other, ids) {
    var found = [], above = [0, 0], count = 0;
    choices.datasets.forEach(function (name, place) {
      if (pick.dataset && pick.dataset !== name) return;
      beside(one.examples[place], other.examples[place], function (a, b, index) {
        count += 1;
        if (a === b) return;
        above[a > b ? 0 : 1] += 1;
        found.push({ dataset: name, place: place, index: index, a: a, b: b });
      });
    });
    found.sort(function (x, y) {
      return Math.abs(y.a - y.b) - Math.abs(x.a - x.b) || x.place - y.place || x.index - y.index;
    });
    views.fill("examples", {
      head: ["Example"].concat(dataset ? ["Data set"] : [], short(pick.a), short(pick.b), "Difference"),
      rows: found.slice(0, MOST_EXAMPLES).map(function (each) {
        var id = ids[each.place][each.index], better = each.a > each.b ? pick.a : pick.b;
        var link = choices.examples + "#" + new URLSearchParams({ dataset: each.dataset, example: id, model: better });
        return [[id, "", "", null, null, link]].concat(dataset ? [[each.dataset]] : [], [
          [fixed(each.a / choices.unit), "", "num"], [fixed(each.b / choices.unit), "", "num"],
          [fixed((each.a - each.b) / choices.unit, true), "", "num"]
        ]);
      }),
      lines: []
    });
    var tie = tied(found.map(function (each) { return Math.abs(each.a - each.b); }), Math.min(MOST_EXAMPLES, found.length));
    views.caption("examples", means + (tie ? "; " + tie : ""));
    say("examples-caption", "Of " + count.toLocaleString("en") + " examples" + (pick.dataset ? " in " + pick.dataset : "") + ", " +
      short(pick.a) + " scores higher on " + above[0].toLocaleString("en") + " and " + short(pick.b) + " on " + above[1].toLocaleString("en") + ".");
  }

  function show(pick) {
    var turn = turns += 1;
    current = pick;
    pickers.a.value = pick.a;
    pickers.b.value = pick.b;
    if (dataset) dataset.value = pick.dataset;
    function file(name) { return window.torr.load(choices.folder + "/" + name + ".js"); }
    return Promise.all([file(number(pick.a)), file(number(pick.b)), file("examples")]).then(function (loaded) {
      if (turn !== turns) return; // another choice was made meanwhile
      showDifferences(pick, loaded[0]);
      showExamples(pick, loaded[0], loaded[1], loaded[2]);
      document.getElementById("differences").dataset.shown = pick.a + "\n" + pick.b;
    }).catch(function (error) {
      if (turn === turns) say("verdict", "The data of these models could not be loaded (" + error.message + ").");
    });
  }

  function answer(state, pick) {
    [["a", pickers.a], ["b", pickers.b], ["dataset", dataset]].forEach(function (each) {
      var name = each[0], wished = state[name] || null;
      if (each[1]) window.torr.state.answer(name, wished === pick[name] ? null : wished, window.torr.state.label(each[1]), pick[name] || each[1].options[0].text);
    });
  }

  function choose(changes) {
    var pick = chosen(Object.assign({ a: pickers.a.value, b: pickers.b.value, dataset: dataset ? dataset.value : "" }, changes));
    window.torr.state.set(pick);
    show(pick);
  }

  // choosing the other side's model swaps the two
  pickers.a.addEventListener("change", function () { choose(pickers.a.value === current.b ? { b: current.a } : {}); });
  pickers.b.addEventListener("change", function () { choose(pickers.b.value === current.a ? { a: current.b } : {}); });
  if (dataset) dataset.addEventListener("change", function () { choose({}); });
  document.getElementById("compare-swap").addEventListener("click", function () {
    choose({ a: pickers.b.value, b: pickers.a.value });
  });
  document.getElementById("compare-controls").addEventListener("submit", function (event) { event.preventDefault(); });
  window.torr.state.on(function (state) {
    var pick = chosen(state);
    answer(state, pick);
    show(pick);
  });
})();
