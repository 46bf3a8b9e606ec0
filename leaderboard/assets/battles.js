// The list of battles, filtered and paged, and the battle that is open. All choices are in the address; all text from
// data goes through textContent.
(function () {
  "use strict";
  var torr = window.torr;
  var known = torr.embedded("battles-data");
  var one = torr.example;
  var make = one.make;
  var ORDERS = ["ab", "ba"];
  var OPENED = ["question", "config", "first", "second"];
  var paged = torr.paged("battles", show, opening, keepsVerdict);
  var everything = null;
  var shown = 0;
  var opened = null;

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

  function opening(row) {
    return torr.state.link({ question: row.question, config: known.configs[row.config], first: known.models[row.a], second: known.models[row.b] });
  }
  function closing() { return torr.state.link({ question: null, config: null, first: null, second: null }); }
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
    var judges = judgesOf(state);
    paged.fill(state, found(rows, state), rows.length, function (row) { return line(row, judges); });
  }

  function characters(length) { return one.counted(length, "character"); }

  // A model's text in a frame, cut as the site holds it, with our facts outside the frame.
  function framed(pair) {
    var text = pair[0], length = pair[1];
    if (!text.trim()) return [make("p", { class: "legend" }, length ? "Only white space, " + characters(length) + "." : "Empty.")];
    var found = [make("div", { class: "answer" }, text)];
    if (length > Array.from(text).length) found.push(make("p", { class: "bounds" }, "The first part of " + characters(length) + "."));
    return found;
  }

  function side(row, data, battle, letter, state) {
    var model = row[letter], at = letter === "a" ? 0 : 1;
    var number = battle.answers[at];
    var wins = judgesOf(state).filter(function (judge) { return outcome(row, judge) === letter; });
    var asked = judgesOf(state).filter(function (judge) { return outcome(row, judge) !== ""; });
    var part = make("div", { class: "side" + (wins.length && wins.length === asked.length ? " won" : "") }, make("h4", {}, name(model)));
    var facts = [];
    if (number >= 0) facts.push(characters(data.texts[number][1]));
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
    one.references(terms, data);
    add("Data set", known.datasets[row.dataset] ? make("bdi", {}, known.datasets[row.dataset]) : null);
    add("Level", known.levels[row.level] ? make("bdi", {}, known.levels[row.level]) : null);
    add("Configuration", known.configs[row.config] ? make("bdi", {}, known.configs[row.config]) : null);
    add("Example", exampleLink(row));
    return terms;
  }

  function showBattle(state, rows, row, data, focus) {
    var battle = data.battles[row.place];
    var heading = make("h2", { id: "battle-heading", tabindex: "-1" }, name(row.a), " – ", name(row.b));
    var steps = paged.steps(found(rows, state), row, closing(), "All battles");
    paged.open(make("section", { "aria-labelledby": "battle-heading", class: "example battle" }, steps, heading, facts(row, data),
      make("h3", {}, "The two answers"), make("div", { class: "sides two" }, side(row, data, battle, "a", state), side(row, data, battle, "b", state)),
      make("h3", {}, "What the " + (judgesOf(state).length > 1 ? "judges" : "judge") + " said"), verdicts(row, data, battle, state)), heading, focus);
  }

  function say(text) { paged.say(text, closing(), "All battles"); }

  function valueOf(control, state) {
    if (control.dataset.state === "verdict") relabel(control, state.a);
    return state[control.dataset.state];
  }

  // Without a model nobody can lose.
  function relabel(select, model) {
    Array.from(select.options).forEach(function (option) {
      if (option.value === "won") option.textContent = model ? "The model won" : "A winner";
      if (option.value === "lost") option.hidden = option.disabled = !model;
    });
  }

  function keepsVerdict(change, control) {
    if (control.dataset.state === "a" && !control.value && torr.state.get().verdict === "lost") change.verdict = null;
  }

  function show(state, focus) {
    var turn = shown += 1;
    paged.prepare(state, function (control) { return valueOf(control, state); });
    battles().then(function (rows) {
      if (turn !== shown) return null;
      paged.turn(isOpen(state));
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
    }).catch(function (error) {
      if (turn !== shown) return;
      paged.fail(isOpen(state));
      opened = null;
      say("This cannot be shown: " + error.message);
    }).then(paged.ready);
  }

  torr.state.on(function (state) { show(state, isOpen(state) && key(state) !== opened); });
})();
