// One example under all configurations: what each model scored and answered, and the prompts as they were sent.
// All text from data goes through textContent.
(function () {
  "use strict";
  var HALF = 0.5;
  var AS_GOOD_AS = 0.0005;
  var MOST_ABOUT = 6;  // kinds and properties that are shown unasked: the scores are what one came for

  // An element: make("td", { class: "num" }, "text", other elements...).
  function make(tag, attributes) {
    var element = document.createElement(tag);
    Object.keys(attributes || {}).forEach(function (name) {
      if (attributes[name] !== null && attributes[name] !== false) element.setAttribute(name, attributes[name] === true ? "" : attributes[name]);
    });
    for (var i = 2; i < arguments.length; i += 1) if (arguments[i] !== null) element.append(arguments[i]);
    return element;
  }

  // An example of a file, whose texts are numbers of parts that they share; below 0, how many characters are left out.
  function read(file, place) {
    var example = file.examples[place];
    return Object.assign({}, example, { texts: (example.texts || []).map(function (numbers) {
      var text = [""];
      numbers.forEach(function (number) { if (number < 0) text.push(-number, ""); else text[text.length - 1] += file.parts[number]; });
      return text.length > 1 ? text : text[0];
    }) });
  }

  // A text is a string; or, of a long one, parts of it, and between them how many characters are left out.
  function inParts(text) { return Array.isArray(text) ? text : [text]; }
  function lengthOf(text) {
    return inParts(text).reduce(function (sum, part) { return sum + (typeof part === "number" ? part : Array.from(part).length); }, 0);
  }
  function oneLine(text) { return inParts(text).join("\u2026"); }
  // Puts a text into an element, with what is left out in elements of their own, which no text can imitate.
  function written(element, text) {
    inParts(text).forEach(function (part) {
      element.append(typeof part === "number" ? make("span", { class: "left-out" }, count(part) + " characters left out") : part);
    });
    return element;
  }

  function unseen(text) { return make("span", { class: "unseen" }, text); }
  function count(number) { return number.toLocaleString("en-US"); }
  function isThere(score) { return score !== null && score !== undefined; }
  function digits(score) { return isThere(score) ? String(Math.round(score * 100) / 100) : "–"; }
  function counted(number, word) { return count(number) + " " + word + (number === 1 ? "" : "s"); }

  // A score as a shape, digits and a word.
  function mark(score, failed) {
    if (!isThere(score)) return failed ? { shape: "✕", text: "failed", kind: "failed", word: "failed" } : { shape: "", text: "–", kind: "none", word: "no score" };
    if (score >= 1 - AS_GOOD_AS) return { shape: "●", text: "1", kind: "right", word: "right" };
    if (score <= AS_GOOD_AS) return { shape: "○", text: "0", kind: "wrong", word: "wrong" };
    return { shape: "◐", text: digits(score), kind: "partly", word: "partly right" };
  }

  function marked(score, failed) {
    var found = mark(score, failed);
    return make("span", { class: "mark-" + found.kind },
      make("span", { "aria-hidden": "true" }, found.shape + " "), found.text, unseen(" (" + found.word + ")"));
  }

  // The reader of one example's data.
  function View(data, known, dataset) {
    this.data = data;
    this.known = known;
    // [name, scores] of each metric beside the main one
    this.beside = dataset.others.map(function (name, at) { return [name, data.others[at]]; });
    this.places = known.configs.map(function (_, place) { return place; }).filter(function (place) {
      return data.scores.some(function (row) { return isThere(row[place]); }) || (data.prompts && data.prompts[place]);
    });
  }

  View.prototype.score = function (model, place) {
    var row = this.data.scores[model];
    return row ? row[place] : null;
  };
  // "rouge1 0.42, rouge2 0.1": the other metrics
  View.prototype.others = function (model, place) {
    return this.beside.filter(function (other) { return other[1][model] && isThere(other[1][model][place]); })
      .map(function (other) { return other[0] + " " + digits(other[1][model][place]); }).join(", ");
  };
  View.prototype.record = function (model, place) {
    var row = this.data.answers && this.data.answers[model];
    return row && row[place] >= 0 ? this.data.records[row[place]] : null;
  };
  View.prototype.answer = function (model, place) {
    var record = this.record(model, place);
    return record && record[0] >= 0 ? oneLine(this.data.texts[record[0]]) : null;
  };
  View.prototype.failed = function (model, place) {
    var record = this.record(model, place);
    return Boolean(record && record[1] >= 0);
  };
  View.prototype.name = function (place) {
    var config = this.known.configs[place];
    return config ? config.short : "";
  };
  View.prototype.whole = function (place) {
    var config = this.known.configs[place];
    return config ? config.name : "";
  };
  // The short name with the whole of it on pointing.
  View.prototype.named = function (place) {
    var whole = this.whole(place), shown = this.name(place);
    return make("bdi", shown === whole ? {} : { title: whole }, shown);
  };

  function cellOf(view, models, place) {
    var label;
    var content = [];
    var shade = "";
    if (models.length === 1) {
      var found = mark(view.score(models[0], place), view.failed(models[0], place));
      content.push(make("span", { "aria-hidden": "true" }, (found.shape ? found.shape + " " : "") + found.text));
      label = found.word + ", " + found.text;
      shade = isThere(view.score(models[0], place)) ? " shade-" + Math.round(8 * view.score(models[0], place)) : " is-" + found.kind;
    } else {
      var scored = models.filter(function (model) { return isThere(view.score(model, place)); });
      var right = scored.filter(function (model) { return view.score(model, place) >= HALF; }).length;
      content.push(make("span", { "aria-hidden": "true" }, scored.length ? right + "/" + scored.length : "–"));
      label = right + " of " + counted(scored.length, "model") + " right";
      shade = scored.length ? " shade-" + Math.round(8 * right / scored.length) : "";
    }
    return { content: content, label: label, shade: shade };
  }

  function matrix(view, models, chosen, beside, choose) {
    var configs = view.known.configs;
    var rows = new Map();
    var columns = [];
    var designs = new Set(view.places.map(function (place) { return configs[place].design; }));
    view.places.forEach(function (place) {
      var config = configs[place];
      var row = config.serializer + "\u0000" + config.design;
      if (!rows.has(row)) rows.set(row, { title: designs.size > 1 ? config.format + ", " + config.design : config.format, cells: new Map() });
      rows.get(row).cells.set(config.perturbation, place);
      if (columns.indexOf(config.perturbation) < 0) columns.push(config.perturbation);
    });
    var plain = columns.join() === "none";  // no table is changed
    var body = make("tbody");
    rows.forEach(function (row) {
      var line = make("tr", {}, make("th", { scope: "row" }, row.title));
      columns.forEach(function (column) {
        if (!row.cells.has(column)) { line.append(make("td", { class: "empty" })); return; }
        var place = row.cells.get(column);
        var found = cellOf(view, models, place);
        var button = make("button", {
          type: "button", class: "cell", "data-place": place, "aria-pressed": String(place === chosen), tabindex: place === chosen ? "0" : "-1",
          "aria-label": row.title + (plain ? "" : ", " + column) + ": " + found.label + (place === beside ? "; shown beside" : "")
        });
        found.content.forEach(function (part) { button.append(part); });
        button.addEventListener("click", function () { choose(place); });
        line.append(make("td", { class: "cell-box" + found.shade + (place === beside ? " beside" : "") }, button));
      });
      body.append(line);
    });
    var head = make("tr", {}, make("td", {}, unseen("Format")));
    columns.forEach(function (column) { head.append(make("th", { scope: "col" }, plain ? models.length > 1 ? "Models right" : "Score" : column)); });
    var table = make("table", { class: "heat matrix" }, make("thead", {}, head), body);
    table.addEventListener("keydown", function (event) { step(event, table); });
    return make("div", { class: "scroll", role: "region", "aria-label": plain ? "Formats" : "Formats by changes to the table" }, table);
  }

  // Arrow keys go from cell to cell, so that the tab key leaves the table.
  function step(event, table) {
    var way = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    var cell = event.target.closest("td");
    if (!way || !cell) return;
    event.preventDefault();
    var row = cell.parentElement.rowIndex + way[0];
    var next = table.rows[row] && table.rows[row].cells[cell.cellIndex + way[1]];
    var button = next && next.querySelector("button");
    if (!button) return;
    table.querySelectorAll("button").forEach(function (each) { each.tabIndex = -1; });
    button.tabIndex = 0;
    button.focus();
  }

  function messages(view, list, label) {
    var box = make("div", { class: "messages" });
    list.forEach(function (message) {
      var text = view.data.texts[message[1]];
      box.append(make("p", { class: "role" }, make("b", {}, message[0]), " ", make("span", { class: "bounds" }, counted(lengthOf(text), "character"))));
      box.append(written(make("pre", { class: "prompt", role: "group", "aria-label": label + ", " + message[0], tabindex: "0" }), text));
      message[2].forEach(function (path, at) {
        box.append(make("img", { class: "shown", src: window.torr.root + path, alt: "Picture " + (at + 1) + " as the model was shown it", loading: "lazy" }));
      });
    });
    return box;
  }

  function linesOf(text) { return oneLine(text).split("\n"); }

  // The text of a configuration's last message, where the table and the question are; null of none.
  function asked(view, place) {
    var list = view.data.prompts && view.data.prompts[place];
    return list && list.length ? view.data.texts[list[list.length - 1][1]] : null;
  }

  // The table as a configuration writes it: the last lines of its prompt that the prompts of other formats lack; "" where
  // that cannot be told, as where there is one format alone. Empty lines and brackets are of any format.
  function tableOf(view, place) {
    var own = asked(view, place), format = view.known.configs[place].serializer;
    var others = view.places.filter(function (other) { return view.known.configs[other].serializer !== format; })
      .map(function (other) { return asked(view, other); })
      .filter(function (text) { return text !== null && !Array.isArray(text); })
      .map(function (text) { return new Set(linesOf(text)); });
    if (own === null || Array.isArray(own) || !others.length) return "";
    function shared(line) { return others.every(function (lines) { return lines.has(line); }); }
    var lines = linesOf(own), last = lines.length;
    while (last > 0 && shared(lines[last - 1])) last -= 1;
    var first = last;
    while (first > 0 && !(lines[first - 1].trim().length > 3 && shared(lines[first - 1]))) first -= 1;
    while (first < last && shared(lines[first])) first += 1;
    return last < lines.length ? lines.slice(first, last).join("\n") : "";
  }

  function promptOf(view, place) {
    var box = make("div", { class: "side" }, make("h4", {}, view.named(place)));
    var list = view.data.prompts && view.data.prompts[place];
    var calls = (view.data.calls || []).filter(function (call) { return call[1] === place; })[0];
    if (calls) box.append(make("p", { class: "legend" }, "The first of several calls; all of them are shown with each model’s answer."));
    if (!list) {
      box.append(make("p", { class: "legend" }, view.data.whole ? "This configuration has no prompt." : "Its prompts and answers are not published here."));
      return box;
    }
    var table = tableOf(view, place), whole = messages(view, list, "Prompt of " + view.whole(place));
    if (table.trim()) {
      box.append(make("pre", { class: "table", role: "group", "aria-label": "The table in " + view.whole(place), tabindex: "0" }, table),
        make("details", {}, make("summary", {}, "The whole prompt as sent"), whole));
    } else box.append(whole);
    return box;
  }

  // An answer in a frame, with our facts outside it, so that an answer cannot imitate them.
  function answerBox(text) {
    if (Array.isArray(text) || text.trim() !== "") return written(make("div", { class: "answer" }), text);
    return make("p", { class: "legend" }, text === "" ? "The answer is empty." : "The answer is only white space, " + counted(Array.from(text).length, "character") + ".");
  }

  function answerOf(view, model, place) {
    var record = view.record(model, place);
    var cell = make("td", { "data-config": view.name(place) }, make("p", { class: "score" }, marked(view.score(model, place), view.failed(model, place))));
    var others = view.others(model, place);
    if (others) cell.append(make("p", { class: "bounds others" }, others));
    if (!record) {
      if (view.data.whole) cell.append(make("p", { class: "legend" }, "Not answered."));
      return cell;
    }
    if (record[0] >= 0) cell.append(answerBox(view.data.texts[record[0]]));
    if (record[1] >= 0) cell.append(make("p", { class: "error" }, view.data.texts[record[1]]));
    var facts = [];
    if (record[2]) facts.push("ended: " + record[2]);
    if (record[3] !== null) facts.push(counted(record[3], "token") + " in");
    if (record[4] !== null) facts.push(counted(record[4], "token") + " out");
    if (facts.length) cell.append(make("p", { class: "bounds" }, facts.join(", ")));
    (view.data.calls || []).forEach(function (call) {
      if (call[0] === model && call[1] === place) cell.append(callsOf(view, call[2]));
    });
    return cell;
  }

  function callsOf(view, steps) {
    var box = make("details", { class: "calls" }, make("summary", {}, "All " + counted(steps.length, "call")));
    steps.forEach(function (step, at) {
      var record = step[1] >= 0 ? view.data.records[step[1]] : null;
      box.append(make("p", { class: "role" }, make("b", {}, "Call " + (at + 1))));
      box.append(messages(view, step[0], "Prompt of call " + (at + 1)));
      box.append(make("p", { class: "role" }, record && record[1] >= 0 ? "Error" : "Answer"));
      if (record && record[1] >= 0) box.append(make("div", { class: "error" }, view.data.texts[record[1]]));
      else if (record && record[0] >= 0) box.append(answerBox(view.data.texts[record[0]]));
      else box.append(make("p", { class: "legend" }, "Not answered."));
    });
    return box;
  }

  function answers(view, models, places) {
    var head = make("tr", {}, make("th", { scope: "col" }, "Model"));
    places.forEach(function (place) { head.append(make("th", { scope: "col" }, view.named(place))); });
    var body = make("tbody");
    models.forEach(function (model) {
      var title = make("th", { scope: "row" }, make("bdi", {}, view.known.models[model]));
      var row = make("tr", {}, title);
      if (places.length > 1) {
        var own = view.answer(model, places[0]);
        var other = view.answer(model, places[1]);
        if (own !== null && other !== null && own.trim() !== other.trim()) {
          row.className = "differs";
          title.append(document.createElement("br"), make("span", { class: "chip" }, "≠ answers differ"));
        }
      }
      places.forEach(function (place) { row.append(answerOf(view, model, place)); });
      body.append(row);
    });
    return make("div", { class: "scroll", role: "region", "aria-label": "Answers of " + (models.length > 1 ? counted(models.length, "model") : view.known.models[models[0]]), tabindex: "0" },
      make("table", { class: "answers-table" + (places.length > 1 ? " two" : "") }, make("thead", {}, head), body));
  }

  function facts(data, metric) {
    var list = make("dl", { class: "facts" });
    if (data.question) list.append(make("dt", {}, "Question"), make("dd", { class: "question" }, data.question));
    references(list, data);
    if (metric) list.append(make("dt", {}, "Scored by"), make("dd", {}, make("bdi", {}, metric)));
    pairs(list, data.shown);
    if (data.about.length <= MOST_ABOUT) return pairs(list, data.about);
    var more = make("details", {}, make("summary", {}, "Its " + count(data.about.length) + " kinds and properties"), pairs(make("dl", { class: "facts" }), data.about));
    return make("div", {}, list, more);
  }

  function references(list, data) {
    if (!data.references.length) return;
    var all = make("ul", { class: "references" });
    data.references.forEach(function (text) { all.append(make("li", {}, make("bdi", {}, text === "" ? "(empty)" : text))); });
    if (data.more) all.append(make("li", {}, "and " + count(data.more) + " more"));
    list.append(make("dt", {}, data.references.length > 1 ? "References" : "Reference"), make("dd", {}, all));
  }

  function pairs(list, about) {
    about.forEach(function (pair) { list.append(make("dt", {}, make("bdi", {}, pair[0].charAt(0).toUpperCase() + pair[0].slice(1))), make("dd", {}, make("bdi", {}, pair[1]))); });
    return list;
  }

  // What scrolls can be reached by keyboard; a prompt is shown from its end, where the question is.
  function reachable(box) {
    box.querySelectorAll(".side .prompt").forEach(function (element) {
      if (element.scrollHeight <= element.clientHeight + 1) return;
      element.scrollTop = element.scrollHeight;
      element.previousElementSibling.lastElementChild.append(make("span", { class: "no-print" }, "; this is its end, scroll up for the rest"));
    });
    box.querySelectorAll(".answer").forEach(function (element) {
      if (element.scrollHeight > element.clientHeight + 1) {
        element.tabIndex = 0;
        element.setAttribute("role", "group");
        element.setAttribute("aria-label", "Answer");
      }
    });
  }

  window.torr.example = { View: View, read: read, make: make, count: count, counted: counted, digits: digits, matrix: matrix, promptOf: promptOf, answers: answers, facts: facts, references: references, reachable: reachable };
})();
