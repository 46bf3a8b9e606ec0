// The list of battles, filtered and paged, and the battle that is open. All choices are in the address; all text from
// data goes through textContent.
(function () {
  "use strict";
  var torr = window.torr;
  var known = torr.embedded("battles-data");
  var one = torr.example;
  var make = one.make;
  var A_PAGE = 25;
  var ORDERS = ["ab", "ba"];
  var OPENED = ["question", "config", "first", "second"];
  var app = document.getElementById("battles-app");
  var list = document.getElementById("battles-list");
  var box = document.getElementById("battle-view");
  var body = document.getElementById("battles-rows");
  var status = document.getElementById("battles-status");
  var controls = Array.from(app.querySelectorAll("[data-state]"));
  var everything = null;
  var shown = 0;
  var opened = null;
  var order = [];

  function byId(id) { return document.getElementById(id); }

  // All battles of the list, loaded once; a file that failed is requested again.
  function battles() {
    if (!everything) {
      everything = Promise.all(known.chunks.map(torr.load)).then(function (chunks) {
        var found = [];
        chunks.forEach(function (chunk) {
          chunk.questions.forEach(function (question, at) {
            var text = (question + "\n" + chunk.asked[at]).toLowerCase();
            chunk.battles[at].forEach(function (battle, place) {
              found.push({
                question: question, asked: chunk.asked[at], dataset: chunk.datasets[at], level: chunk.levels[at], text: text,
                file: chunk.file[at], inFile: chunk.place[at], place: place, a: battle[0], b: battle[1], config: battle[2], letters: battle[3]
              });
            });
          });
        });
        return found;
      });
      everything.catch(function () { everything = null; });
    }
    return everything;
  }

  // A judge's outcome: a, b, t(ie), u (no winner named), x (failed), "" (not asked); two orders that differ are a tie.
  function outcome(row, judge) {
    var said = Array.from(row.letters.slice(2 * judge, 2 * judge + 2)).filter(function (letter) { return letter !== "-"; });
    var decided = said.filter(function (letter) { return "abt".indexOf(letter) >= 0; });
    if (!decided.length) return said[0] || "";
    return decided.every(function (letter) { return letter === decided[0]; }) ? decided[0] : "t";
  }
  function differs(row, judge) {
    var said = Array.from(row.letters.slice(2 * judge, 2 * judge + 2));
    return said.every(function (letter) { return "abt".indexOf(letter) >= 0; }) && said[0] !== said[1];
  }
  function judgesOf(state) {
    var chosen = known.judges.indexOf(state.judge);
    return known.judges.map(function (_, at) { return at; }).filter(function (at) { return chosen < 0 || at === chosen; });
  }

  // Whether the verdict of one of the judges is of the chosen kind, seen from the chosen model, if there is one.
  function isOf(row, state, judges) {
    if (!state.verdict) return true;
    var own = known.models[row.a] === state.a ? "a" : known.models[row.b] === state.a ? "b" : "";
    return judges.some(function (judge) {
      var found = outcome(row, judge);
      if (state.verdict === "tie") return found === "t";
      if (state.verdict === "none") return found === "u" || found === "x";
      if (state.verdict === "lost") return own !== "" && found === (own === "a" ? "b" : "a");
      return own === "" ? found === "a" || found === "b" : found === own;
    });
  }

  function found(rows, state) {
    var words = (state.q || "").toLowerCase().split(/\s+/).filter(Boolean);
    var judges = judgesOf(state);
    var dataset = known.datasets.indexOf(state.dataset), level = known.levels.indexOf(state.level), config = known.configs.indexOf(state.in);
    return rows.filter(function (row) {
      var pair = [known.models[row.a], known.models[row.b]];
      if (state.a && pair.indexOf(state.a) < 0) return false;
      if (state.b && (pair.indexOf(state.b) < 0 || state.a === state.b)) return false;
      if (dataset >= 0 && row.dataset !== dataset || level >= 0 && row.level !== level || config >= 0 && row.config !== config) return false;
      if (!judges.some(function (judge) { return outcome(row, judge) !== ""; })) return false;
      if (state.show === "orders" && !judges.some(function (judge) { return differs(row, judge); })) return false;
      if (state.show === "judges" && new Set(judges.map(function (judge) { return outcome(row, judge); }).filter(function (letter) { return "abt".indexOf(letter) >= 0 && letter; })).size < 2) return false;
      return isOf(row, state, judges) && words.every(function (word) { return row.text.indexOf(word) >= 0; });
    });
  }

  function address(changes) {
    var parameters = new URLSearchParams();
    var state = Object.assign(torr.state.get(), changes);
    Object.keys(state).forEach(function (name) { if (state[name]) parameters.set(name, state[name]); });
    return "#" + parameters.toString();
  }
  function opening(row) {
    return address({ question: row.question, config: known.configs[row.config], first: known.models[row.a], second: known.models[row.b] });
  }
  function closing() { return address({ question: null, config: null, first: null, second: null }); }
  function isOpen(state) { return Object.hasOwn(state, "question"); }
  function key(state) { return OPENED.map(function (name) { return state[name] || ""; }).join("\u0000"); }

  function name(model) { return make("bdi", {}, known.models[model]); }

  // "aster-large won", "tie", ...
  function words(letter, row) {
    var box = make("span", {});
    if (letter === "a" || letter === "b") box.append(name(row[letter]), " won");
    else box.append({ t: "tie", u: "no winner named", x: "the judge failed" }[letter] || "not asked");
    return box;
  }

  function line(row, judges) {
    var link = make("a", { href: opening(row) }, make("bdi", {}, row.asked || row.question));
    var models = make("td", { class: "models" }, name(row.a), " – ", name(row.b));
    var verdict = make("td", {});
    judges.forEach(function (judge) {
      var letter = outcome(row, judge);
      if (letter === "") return;
      var said = make("span", { class: "verdict-line" });
      if (known.judges.length > 1) said.append(make("span", { class: "bounds" }, make("bdi", {}, known.judges[judge]), ": "));
      said.append(words(letter, row));
      if (differs(row, judge)) said.append(" ", make("span", { class: "chip" }, "⇄ orders disagree"));
      verdict.append(said);
    });
    var element = make("tr", {}, make("th", { scope: "row", class: "question" }, link, row.asked ? make("span", { class: "bounds" }, make("bdi", {}, row.question)) : null), models, verdict);
    if (known.levels.length > 1) element.append(make("td", {}, make("bdi", {}, known.levels[row.level])));
    if (known.configs.length > 1) element.append(make("td", {}, make("bdi", {}, known.configs[row.config])));
    return element;
  }

  function showList(state, rows) {
    var kept = found(rows, state);
    var pages = Math.max(1, Math.ceil(kept.length / A_PAGE));
    var page = Math.min(pages, Math.max(1, parseInt(state.page, 10) || 1));
    var first = (page - 1) * A_PAGE;
    var judges = judgesOf(state);
    var fragment = document.createDocumentFragment();
    kept.slice(first, first + A_PAGE).forEach(function (row) { fragment.append(line(row, judges)); });
    if (!kept.length) fragment.append(make("tr", {}, make("td", { colspan: String(body.parentElement.tHead.rows[0].cells.length) }, "No battle matches; remove a filter or search for other words.")));
    body.replaceChildren(fragment);
    body.closest(".scroll").hidden = false;
    var part = kept.length ? one.count(first + 1) + " to " + one.count(Math.min(kept.length, first + A_PAGE)) + " of " : "";
    status.textContent = part + one.count(kept.length) + (kept.length === rows.length ? " battles" : " found among " + one.count(rows.length) + " battles");
    byId("battles-page").textContent = "Page " + page + " of " + pages;
    byId("battles-before").disabled = page === 1;
    byId("battles-after").disabled = page === pages;
    byId("battles-before").dataset.page = page - 1;
    byId("battles-after").dataset.page = page + 1;
  }

  function count(length) { return one.count(length) + (length === 1 ? " character" : " characters"); }

  // A model's text in a frame, cut as the site holds it, with our facts outside the frame.
  function framed(pair) {
    var text = pair[0], length = pair[1];
    if (!text.trim()) return [make("p", { class: "legend" }, length ? "Only white space, " + count(length) + "." : "Empty.")];
    var found = [make("div", { class: "answer" }, text)];
    if (length > Array.from(text).length) found.push(make("p", { class: "bounds" }, "The first part of " + count(length) + "."));
    return found;
  }

  function side(row, data, battle, letter, state) {
    var model = row[letter], at = letter === "a" ? 0 : 1;
    var number = battle.answers[at];
    var wins = judgesOf(state).filter(function (judge) { return outcome(row, judge) === letter; });
    var asked = judgesOf(state).filter(function (judge) { return outcome(row, judge) !== ""; });
    var part = make("div", { class: "side" + (wins.length && wins.length === asked.length ? " won" : "") }, make("h4", {}, name(model)));
    var facts = [];
    if (number >= 0) facts.push(count(data.texts[number][1]));
    if (battle.main[at] !== null) facts.push("main score " + one.digits(battle.main[at]));
    if (wins.length) facts.push(known.judges.length > 1 ? "preferred by " + wins.length + " of " + asked.length + " judges" : "preferred by the judge");
    part.append(make("p", { class: "bounds" }, facts.join(", ")));
    if (number >= 0) framed(data.texts[number]).forEach(function (each) { part.append(each); });
    else part.append(make("p", { class: "legend" }, "This answer is not in the study’s files."));
    return part;
  }

  function said(row, data, verdict) {
    var letter = { model_a: "a", model_b: "b", tie: "t", unclear: "u" }[verdict[2]] || (verdict[2] === null ? "x" : "u");
    var cell = make("td", {}, make("p", { class: "bounds" }, name(verdict[1] === "ba" ? row.b : row.a), " shown first"), make("p", { class: "said" }, words(letter, row)));
    if (verdict[4] !== null && verdict[5] !== null) cell.append(make("p", { class: "bounds" }, "Rated ", name(row.a), " " + one.digits(verdict[4]) + ", ", name(row.b), " " + one.digits(verdict[5])));
    var reason = data.texts[verdict[3]];
    if (reason[1]) framed(reason).forEach(function (each) { cell.append(each); });
    else cell.append(make("p", { class: "legend" }, "No reason given."));
    return cell;
  }

  function verdicts(row, data, battle, state) {
    var head = make("tr", {}, make("th", { scope: "col" }, "Judge"), make("th", { scope: "col" }, "In one order"), make("th", { scope: "col" }, "In the other order"));
    var rows = make("tbody", {});
    judgesOf(state).forEach(function (judge) {
      var own = battle.said.filter(function (each) { return each[0] === judge; });
      if (!own.length) return;
      var element = make("tr", {}, make("th", { scope: "row" }, make("bdi", {}, known.judges[judge] || "not named"), differs(row, judge) ? make("p", {}, make("span", { class: "chip" }, "⇄ orders disagree")) : null));
      ORDERS.forEach(function (way, at) {
        var given = own.filter(function (each) { return ORDERS.indexOf(each[1]) < 0 ? at === 0 : each[1] === way; })[0];
        element.append(given ? said(row, data, given) : make("td", {}, make("p", { class: "legend" }, "Not asked in this order.")));
      });
      rows.append(element);
    });
    return make("div", { class: "scroll", role: "region", "aria-label": "Verdicts", tabindex: "0" }, make("table", { class: "verdicts-table" }, make("thead", {}, head), rows));
  }

  function exampleLink(row) {
    var dataset = known.datasets[row.dataset];
    if (known.examples.datasets.indexOf(dataset) < 0) return null;
    var example = row.question.indexOf(dataset + "/") === 0 ? row.question.slice(dataset.length + 1) : row.question;
    var parameters = new URLSearchParams({ dataset: dataset, example: example });
    if (known.configs[row.config]) parameters.set("config", known.configs[row.config]);
    return make("a", { href: torr.root + known.examples.page + "#" + parameters.toString() }, "Its prompts, and all models’ answers");
  }

  function facts(row, data) {
    var terms = make("dl", { class: "facts" });
    function add(term, value) { if (value) terms.append(make("dt", {}, term), make("dd", {}, value)); }
    add("Question", data.asked ? make("span", { class: "question" }, data.asked) : null);
    if (data.references.length) {
      var references = make("ul", { class: "references" });
      data.references.forEach(function (text) { references.append(make("li", {}, make("bdi", {}, text === "" ? "(empty)" : text))); });
      if (data.more) references.append(make("li", {}, "and " + one.count(data.more) + " more"));
      add(data.references.length > 1 ? "References" : "Reference", references);
    }
    add("Data set", known.datasets[row.dataset] ? make("bdi", {}, known.datasets[row.dataset]) : null);
    add("Level", known.levels[row.level] ? make("bdi", {}, known.levels[row.level]) : null);
    add("Configuration", known.configs[row.config] ? make("bdi", {}, known.configs[row.config]) : null);
    add("Example", exampleLink(row));
    return terms;
  }

  function stepTo(row, id, text, letter) {
    return make(row ? "a" : "span", { class: "button", id: id, href: row ? opening(row) : null, "aria-disabled": row ? null : "true", "aria-keyshortcuts": row ? letter : null }, text);
  }

  function showBattle(state, rows, row, data, focus) {
    var kept = found(rows, state);
    var at = kept.indexOf(row);
    order = [at > 0 ? kept[at - 1] : null, at >= 0 && at + 1 < kept.length ? kept[at + 1] : null];
    var battle = data.battles[row.place];
    var heading = make("h2", { id: "battle-heading", tabindex: "-1" }, name(row.a), " – ", name(row.b));
    var steps = make("div", { class: "controls no-print steps" },
      make("a", { class: "button", href: closing(), id: "back" }, "← All battles"),
      stepTo(order[0], "battle-before", "Previous", "P"), stepTo(order[1], "battle-after", "Next", "N"),
      make("span", { class: "legend" }, at >= 0 ? one.count(at + 1) + " of " + one.count(kept.length) : ""));
    box.replaceChildren(make("section", { "aria-labelledby": "battle-heading", class: "example battle" }, steps, heading, facts(row, data),
      make("h3", {}, "The two answers"), make("div", { class: "sides two" }, side(row, data, battle, "a", state), side(row, data, battle, "b", state)),
      make("h3", {}, "What the " + (judgesOf(state).length > 1 ? "judges" : "judge") + " said"), verdicts(row, data, battle, state)));
    one.reachable(box);
    if (focus) { torr.reveal(); heading.focus({ preventScroll: true }); window.scrollTo(0, 0); }
  }

  function say(text) {
    box.hidden = false;
    box.replaceChildren(make("p", { class: "legend", role: "status" }, text), make("p", {}, make("a", { href: closing() }, "All battles")));
  }

  function fail(state, error) {
    list.hidden = isOpen(state);
    body.replaceChildren();
    body.closest(".scroll").hidden = true;
    status.textContent = "";
    byId("battles-page").textContent = "";
    byId("battles-before").disabled = byId("battles-after").disabled = true;
    opened = null;
    order = [];
    say("This cannot be shown: " + error.message);
  }

  // The controls as the address has them, with a notice on what they lack.
  function prepare(state) {
    controls.forEach(function (control) {
      var label = control.dataset.state, value = state[label] || "";
      if (label === "verdict") relabel(control, state.a);
      if (control.value !== value) control.value = value;
      if (control.selectedIndex === -1) control.selectedIndex = 0;
      torr.state.answer(label, value && control.value !== value ? value : null, torr.state.label(control), control.options ? control.options[control.selectedIndex].text : control.value);
    });
  }

  // Without a model nobody can lose.
  function relabel(select, model) {
    Array.from(select.options).forEach(function (option) {
      if (option.value === "won") option.textContent = model ? "The model won" : "A winner";
      if (option.value === "lost") option.hidden = option.disabled = !model;
    });
    return select;
  }

  function show(state, focus) {
    var turn = shown += 1;
    prepare(state);
    battles().then(function (rows) {
      if (turn !== shown) return null;
      list.hidden = isOpen(state);
      box.hidden = !isOpen(state);
      if (!isOpen(state)) { showList(state, rows); opened = null; return null; }
      var row = rows.filter(function (each) {
        return each.question === state.question && known.configs[each.config] === (state.config || "") && known.models[each.a] === state.first && known.models[each.b] === state.second;
      })[0];
      if (!row) { say("There is no such battle here."); return null; }
      return torr.load(known.folder + "/" + row.file + ".js").then(function (file) {
        if (turn !== shown) return;
        showBattle(state, rows, row, file[row.inFile], focus);
        opened = key(state);
      });
    }).catch(function (error) { if (turn === shown) fail(state, error); }).then(function () { app.dataset.ready = ""; });
  }

  controls.forEach(function (control) {
    control.addEventListener(control.type === "search" ? "input" : "change", function () {
      var change = { page: null };
      change[control.dataset.state] = control.value;
      if (control.dataset.state === "a" && !control.value && torr.state.get().verdict === "lost") change.verdict = null;
      torr.state.set(change);
      show(torr.state.get(), false);
    });
  });
  ["battles-before", "battles-after"].forEach(function (id) {
    byId(id).addEventListener("click", function (event) {
      torr.state.set({ page: Number(event.currentTarget.dataset.page) > 1 ? event.currentTarget.dataset.page : null });
      show(torr.state.get(), false);
    });
  });
  // N and P, while the focus is in the battle and not in a field where one types or chooses.
  box.addEventListener("keydown", function (event) {
    var row = { n: order[1], p: order[0] }[event.key.toLowerCase()];
    if (!row || event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    event.preventDefault();
    location.hash = opening(row);
  });

  torr.state.on(function (state) { show(state, isOpen(state) && key(state) !== opened); });
})();
