// The list of a data set's examples, searched and paged, and the example that is open. All choices are in the address.
(function () {
  "use strict";
  var torr = window.torr;
  var known = torr.embedded("examples-data");
  var one = torr.example;
  var make = one.make;
  var flipsOf = torr.flips.of;
  var paged = torr.paged("examples", show, function (row) { return torr.state.link(next(row)); });
  var MOST_ABSENT = 6;
  var indexes = {};
  var shown = 0;
  var opened = "";
  var byHand = false;  // whether the configurations shown are others than those of the example's flip

  function byId(id) { return document.getElementById(id); }
  function datasetOf(state) {
    return known.datasets.filter(function (each) { return each.name === state.dataset; })[0] || known.datasets[0];
  }

  // Caches a promise until it fails; then it is requested again.
  function keep(key, promise) {
    indexes[key] = promise;
    promise.catch(function () { delete indexes[key]; });
  }

  // The rows of a data set's list.
  function indexOf(dataset) {
    var key = dataset.name;
    if (!Object.hasOwn(indexes, key)) {
      keep(key, Promise.all(dataset.chunks.map(torr.load)).then(function (chunks) {
        var rows = [];
        chunks.forEach(function (chunk) {
          chunk.examples.forEach(function (example, at) {
            rows.push({
              example: example, question: chunk.questions[at], references: chunk.references[at], file: chunk.files[at], place: chunk.places[at],
              mean: chunk.mean[at], flipped: chunk.flipped[at], spread: chunk.spread[at], states: chunk.states[at], flips: chunk.flips[at], whole: chunk.whole[at], kinds: chunk.kinds[at],
              text: (example + "\n" + chunk.questions[at] + "\n" + chunk.references[at]).toLowerCase(), at: rows.length
            });
          });
        });
        return rows;
      }));
    }
    return indexes[key];
  }

  function stateOf(row, model) {
    if (model >= 0) return row.states[model];
    if (row.states.indexOf("f") >= 0) return "f";
    var letters = row.states.replace(/-/g, "");
    if (letters === "") return "-";
    return /^r+$/.test(letters) ? "r" : /^w+$/.test(letters) ? "w" : "";
  }

  function flipOf(row, model) { return flipsOf(row, model)[0] || null; }

  // What opens an example: its flip, if it has one.
  function choiceOf(row, model) {
    var flip = flipOf(row, model);
    return { example: row.example, config: flip ? known.configs[flip[2]].name : null, with: flip ? known.configs[flip[3]].name : null };
  }

  function number(value, missing) { return value === null ? missing : value; }
  function width(flip) { return flip ? flip[1] : -1; }
  var ORDERS = {
    hardest: function (a, b) { return number(a.mean, 2) - number(b.mean, 2); },
    easiest: function (a, b) { return number(b.mean, -1) - number(a.mean, -1); },
    apart: function (a, b) { return number(b.spread, -1) - number(a.spread, -1); },
    id: function (a, b) { return a.example.localeCompare(b.example, undefined, { numeric: true }); }
  };

  var LETTERS = { right: "r", wrong: "w", flips: "f" };
  var PARTS = ["format", "perturbation", "design"];

  // Whether an example is of the kind that is asked for: what its models' answers do, or what changes them.
  function shows(row, model, kind) {
    if (Object.hasOwn(LETTERS, kind)) return stateOf(row, model) === LETTERS[kind];
    if (PARTS.indexOf(kind) < 0) return true;
    return row.flips.some(function (flip) { return (model < 0 || flip[0] === model) && torr.flips.parts(flip, known.configs).join() === kind; });
  }

  function found(rows, state, dataset) {
    var words = (state.q || "").toLowerCase().split(/\s+/).filter(Boolean);
    var model = known.models.indexOf(state.model);
    var kind = dataset.kinds.indexOf(state.kind);
    var kept = rows.filter(function (row) {
      return words.every(function (word) { return row.text.indexOf(word) >= 0; }) && shows(row, model, state.show || "") && (kind < 0 || row.kinds.indexOf(kind) >= 0);
    });
    var compare = Object.hasOwn(ORDERS, state.sort || "") ? ORDERS[state.sort] : null;
    if (known.flips && !state.sort) compare = model >= 0
      ? function (a, b) { return width(flipOf(b, model)) - width(flipOf(a, model)); }
      : function (a, b) { return number(b.flipped, -1) - number(a.flipped, -1); };
    return compare ? kept.sort(function (a, b) { return compare(a, b) || a.at - b.at; }) : kept;
  }

  function states(row, model) {
    if (model >= 0) return { r: "right", w: "wrong", f: "flips", "-": "no score" }[row.states[model]];
    var of = { r: 0, f: 0, w: 0 };
    Array.from(row.states).forEach(function (letter) { if (letter in of) of[letter] += 1; });
    return "● " + of.r + (known.flips ? "  ⇄ " + of.f : "") + "  ○ " + of.w;
  }

  // what is not quite nothing or all does not read as that
  function percent(value) {
    var whole = Math.round(100 * value);
    if (whole === 0 && value > 0) return "<1%";
    return whole === 100 && value < 1 ? ">99%" : whole + "%";
  }

  function line(row, state, dataset) {
    var model = known.models.indexOf(state.model);
    var link = make("a", { href: torr.state.link(Object.assign(choiceOf(row, model), { dataset: dataset.name })) }, make("bdi", {}, row.example === "" ? "(no id)" : row.example));
    var cells = [make("th", { scope: "row" }, link)];
    if (known.flips) cells.push(flipCell(flipsOf(row, model), model));
    if (known.prompts) {
      cells.push(make("td", { class: "question" }, make("bdi", {}, row.question || "–")), make("td", { class: "reference" }, make("bdi", {}, row.references)));
    }
    cells.push(make("td", { class: "num" }, row.mean === null ? "–" : percent(row.mean)));
    cells.push(make("td", { class: "states" }, states(row, model)));
    return make.apply(null, ["tr", {}].concat(cells));
  }

  function flipCell(flips, model) {
    if (!flips.length) return make("td", {}, "–");
    var who = flips.length > 1 ? one.counted(flips.length, "model") + ", e.g. " : "";
    return make("td", { class: "flip" }, flips[0][1] < 1 ? make("b", {}, "by " + percent(flips[0][1]) + ", ") : null, model < 0 && known.models.length > 1 ? make("bdi", {}, who + known.models[flips[0][0]] + ": ") : null, make("bdi", {}, torr.flips.why(flips[0], known.configs)));
  }

  function showList(state, dataset, rows) {
    paged.fill(state, found(rows, state, dataset), rows.length, function (row) { return line(row, state, dataset); });
    var hidden = dataset.hidden.concat(dataset.more ? ["and " + one.count(dataset.more) + " more"] : []);
    byId("examples-hidden").hidden = !hidden.length;
    byId("examples-hidden").textContent = hidden.length ? "Metrics that are not shown here but are in the downloads: " + hidden.join(", ") + "." : "";
  }

  function option(value, text, chosen) { return make("option", { value: value, selected: value === chosen }, text); }

  function select(id, label, options, chosen, change) {
    var element = make("select", { id: id });
    options.forEach(function (pair) { element.append(option(pair[0], pair[1], chosen)); });
    element.addEventListener("change", function () { change(element.value); });
    return make("div", {}, make("label", { for: id }, label), element);
  }

  function showExample(state, dataset, rows, row, data, focus) {
    var view = new one.View(data, known, dataset);
    var kept = found(rows, state, dataset);
    var every = known.models.map(function (_, at) { return at; });
    var chosenModel = known.models.indexOf(state.model);
    var models = chosenModel >= 0 ? [chosenModel] : every;
    var names = known.configs.map(function (config) { return config.name; });
    var flip = flipOf(row, chosenModel);
    var config = names.indexOf(state.config);
    var beside = names.indexOf(state.with);
    if (!state.config && !state.with && flip) { config = flip[2]; beside = flip[3]; }
    if (view.places.indexOf(config) < 0) config = view.places[0];
    if (view.places.indexOf(beside) < 0 || beside === config) beside = -1;
    byHand = Boolean(state.config || state.with) && !(flip && flip[2] === config && flip[3] === beside);
    var led = chosenModel < 0 && flip && !byHand ? flipsOf(row, -1).length : 0;
    var lead = chosenModel >= 0 ? chosenModel : flip && !byHand ? flip[0] : -1;
    answer(state, "config", "Way", names[config], names[config] || "none");
    answer(state, "with", "Compare with", names[beside], "none");
    var again = function (changes, id) {
      torr.state.set(changes);
      var at = window.scrollY;
      showExample(torr.state.get(), dataset, rows, row, data, false);
      window.scrollTo(0, at);
      byId(id).focus({ preventScroll: id !== "configuration-heading" });
    };
    var heading = make("h2", { id: "example-heading", tabindex: "-1" }, make("bdi", {}, row.example));
    var steps = paged.steps(kept, row, torr.state.link({ example: null, config: null, with: null }), "All examples of " + dataset.name);
    var content = make("section", { "aria-labelledby": "example-heading", class: "example" }, steps, heading);
    if (!row.whole && known.prompts) content.append(make("p", { class: "warning" }, "The prompts and answers of this example are not published here, only its scores; the note at the top of the list says how to get them."));
    content.append(one.facts(data, dataset.metric));
    function named(places) { return places.map(function (place) { return [names[place], known.configs[place].short]; }); }
    var choices = make("div", { class: "controls no-print" },
      known.models.length > 1 ? select("example-model", "Model", [["", "All models"]].concat(known.models.map(function (name) { return [name, name]; })), chosenModel >= 0 ? state.model : "", function (value) { again({ model: value, config: null, with: null }, "example-model"); }) : null,
      select("example-config", "Way", named(view.places), names[config], function (value) { again({ config: value, with: beside >= 0 && names[beside] !== value ? names[beside] : null }, "example-config"); }),
      select("example-with", "Compare with", [["", "none"]].concat(named(view.places.filter(function (place) { return place !== config; }))), beside >= 0 ? names[beside] : "", function (value) { again({ config: names[config], with: value }, "example-with"); }));
    if (view.places.length) content.append(configurationOf(view, config, beside, every, lead, led, [choices, changing(dataset, beside >= 0 ? [config, beside] : [config])]));
    content.append(make("h3", {}, "Every way"));
    if (view.places.length) {
      content.append(one.matrix(view, models, config, beside, function (place) { again({ config: names[place], with: place === beside || beside < 0 ? null : names[beside] }, "configuration-heading"); }));
    } else content.append(make("p", { class: "legend" }, "No configuration of this example has a score or a prompt."));
    var absent = known.configs.filter(function (_, place) { return view.places.indexOf(place) < 0; }).map(function (each) { return each.short; });
    if (absent.length && view.places.length) {
      content.append(make("p", { class: "legend" }, "No scores of this example in ", make("bdi", {}, absent.slice(0, MOST_ABSENT).join(", ")), absent.length > MOST_ABSENT ? " and " + one.count(absent.length - MOST_ABSENT) + " more." : "."));
    }
    content.append(make("p", { class: "legend" }, (models.length > 1
      ? "How many models score at least 0.5: the stronger the colour, the more. "
      : "● right, ◐ partly, ○ wrong, ✕ failed. ") + "A cell opens its configuration above; arrow keys go from cell to cell."));
    paged.open(content, heading, focus);
  }

  // The next example keeps the configurations that were chosen by hand, and else shows its own flip.
  function next(row) {
    return byHand ? { example: row.example } : { example: row.example, config: null, with: null };
  }

  // A warning where a perturbation that is shown may make the references wrong; null where none may.
  function changing(dataset, places) {
    var names = places.map(function (place) { return known.configs[place].perturbation; });
    var able = dataset.changing.filter(function (name) { return names.indexOf(name) >= 0; });
    return able.length ? make("p", { class: "view-note" }, make("bdi", {}, able.join(" and ")), " can change which answer is right here, so a lower score need not be the model’s fault.") : null;
  }

  // One configuration, or two side by side: the leading model's answers, what differs, the prompts, all other answers.
  // led: of how many models that flip as widely it is one, where the reader has not chosen it. Scores alone are one table.
  function configurationOf(view, config, beside, every, lead, led, above) {
    var places = beside >= 0 ? [config, beside] : [config];
    var part = make("div", { id: "configuration", "aria-live": "off" });
    part.append(make("h3", { id: "configuration-heading", tabindex: "-1" }, beside >= 0 ? "The table in two ways" : "The table in one way"));
    part.append.apply(part, above.filter(Boolean));
    var others = every.filter(function (model) { return model !== lead; });
    if (!view.data.answers) {
      part.append(one.answers(view, (lead >= 0 ? [lead] : []).concat(others), places));
      return part;
    }
    var prompts = make("div", { class: "sides" + (beside >= 0 ? " two" : "") });
    places.forEach(function (place) { prompts.append(one.promptOf(view, place)); });
    part.append(prompts);
    if (lead >= 0) part.append(make("h3", {}, "What it answered"));
    if (led && others.length) part.append(make("p", { class: "legend" }, led > 1 ? "One of the " + one.counted(led, "model") + " whose score moves furthest:" : "The model whose score moves furthest:"));
    if (lead >= 0) part.append(one.answers(view, [lead], places));
    var title = lead >= 0 ? "The other models" : "What each model answered";
    if (others.length) part.append(make("h3", {}, title), one.answers(view, others, places));
    return part;
  }

  function say(text, open) { paged.say(text, open && torr.state.link({ example: null }), "All examples of this data set"); }

  // Shows a notice on a value in the address that is not available.
  function answer(state, name, label, value, shown) {
    torr.state.answer(name, state[name] && state[name] !== value ? state[name] : null, label, shown);
  }

  // Focus: whether to go to the heading of what is shown.
  function show(state, focus) {
    var turn = shown += 1;
    var dataset = datasetOf(state);
    // of one there is nothing to choose
    if (known.datasets.length === 1) answer(state, "dataset", "Data set", dataset.name, dataset.name);
    if (known.models.length === 1) answer(state, "model", "Model", known.models[0], known.models[0]);
    var kinds = byId("choose-kind");
    if (kinds && kinds.dataset.of !== dataset.name) {
      kinds.replaceChildren.apply(kinds, [["", "All kinds"]].concat(dataset.kinds.map(function (kind) { return [kind, kind]; })).map(function (pair) { return option(pair[0], pair[1], ""); }));
      kinds.dataset.of = dataset.name;
      kinds.parentElement.hidden = !dataset.kinds.length;
    }
    paged.prepare(state, function (control) { return control.dataset.state === "dataset" ? dataset.name : state[control.dataset.state]; });
    indexOf(dataset).then(function (rows) {
      if (turn !== shown) return null;
      var open = Object.hasOwn(state, "example");
      var row = open ? rows.filter(function (each) { return each.example === state.example; })[0] : null;
      paged.turn(open);
      if (!row) ["config", "with"].forEach(function (name) { torr.state.answer(name, null); });
      if (!open) { showList(state, dataset, rows); opened = ""; return null; }
      if (!row) { say("There is no example " + state.example + " in " + dataset.name + ".", true); return null; }
      return torr.load(known.folder + "/" + row.file + ".js").then(function (file) {
        if (turn !== shown) return;
        showExample(state, dataset, rows, row, one.read(file, row.place), focus);
        opened = row.example;
      });
    }).catch(function (error) {
      if (turn !== shown) return;
      var open = Object.hasOwn(state, "example");
      paged.fail(open);
      byId("examples-hidden").hidden = true;
      opened = "";
      say("This cannot be shown: " + error.message, open);
    }).then(paged.ready);
  }

  if (!known.datasets.length) paged.ready();
  if (known.datasets.length) torr.state.on(function (state) { show(state, Object.hasOwn(state, "example") && state.example !== opened); });
})();
