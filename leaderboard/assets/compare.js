// Two models beside each other: loads what is said of the first beside the others, and replaces the rows. The two stand in
// the address. All data is set as text.
(function () {
  "use strict";
  var choices = window.torr.embedded("compare-choices");
  if (!choices) return;
  var state = window.torr.state;
  var table = document.getElementById("compared");
  var pickers = { a: document.getElementById("compare-a"), b: document.getElementById("compare-b") };
  var turns = 0;
  var current = null;

  function known(model) { return choices.models.indexOf(model) >= 0 ? model : null; }
  function number(model) { return choices.models.indexOf(model); }

  // The two models that an address names, with the best ones for missing names; never one with itself.
  function chosen(wished) {
    var a = known(wished.a), b = known(wished.b), models = choices.models;
    if (a === null) a = models[0] === b ? models[1] : models[0];
    if (b === null || b === a) b = models[0] === a ? models[1] : models[0];
    return { a: a, b: b };
  }

  function element(name, kind, text) {
    var made = document.createElement(name);
    if (kind) made.className = kind;
    made.textContent = text;
    return made;
  }

  // [what, verdict, whether they differ, the first model's figure, the second's]
  function row(line) {
    var made = document.createElement("tr"), head = element("th", "", line[0]);
    head.scope = "row";
    made.append(head, element("td", line[2] ? "real" : "soft", line[1]));
    line.slice(3).forEach(function (figure) {
      var cell = element("td", "num", "");
      cell.append(element("span", "value", figure));
      made.append(cell);
    });
    return made;
  }

  function say(text) {
    var made = document.createElement("tr"), cell = element("td", "", text);
    cell.colSpan = 4;
    made.append(cell);
    table.tBodies[0].replaceChildren(made);
  }

  function show(pick) {
    var turn = turns += 1, heads = table.tHead.rows[0].cells;
    current = pick;
    pickers.a.value = pick.a;
    pickers.b.value = pick.b;
    window.torr.load(choices.folder + "/" + number(pick.a) + ".js").then(function (beside) {
      if (turn !== turns) return; // another choice was made meanwhile
      var lines = beside[String(number(pick.b))];
      [pick.a, pick.b].forEach(function (model, place) {
        heads[2 + place].replaceChildren(element("bdi", "", choices.short[number(model)]));
      });
      table.tBodies[0].replaceChildren.apply(table.tBodies[0], lines.map(row));
      table.dataset.shown = pick.a + "\n" + pick.b;
    }).catch(function (error) {
      if (turn === turns) say("The figures of these models could not be loaded (" + error.message + ").");
    });
  }

  function choose(changes) {
    var pick = chosen(Object.assign({ a: pickers.a.value, b: pickers.b.value }, changes));
    state.set(pick);
    show(pick);
  }

  // choosing the other side's model swaps the two
  pickers.a.addEventListener("change", function () { choose(pickers.a.value === current.b ? { b: current.a } : {}); });
  pickers.b.addEventListener("change", function () { choose(pickers.b.value === current.a ? { a: current.b } : {}); });
  document.getElementById("compare-controls").addEventListener("submit", function (event) { event.preventDefault(); });
  state.on(function (wished) {
    var pick = chosen(wished);
    ["a", "b"].forEach(function (name) {
      state.answer(name, (wished[name] || null) === pick[name] ? null : wished[name] || null, state.label(pickers[name]), pick[name]);
    });
    show(pick);
  });
})();
