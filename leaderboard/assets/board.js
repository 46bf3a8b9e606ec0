// The table of models: which rows are shown, on which part of the study, and which two are compared. The choices stand in
// the address. The rows of other parts come ready from a file (boards.js in the folder of templates).
(function () {
  "use strict";
  var table = document.getElementById("board"), form = document.getElementById("choices");
  if (!table || !form) return;
  var state = window.torr.state, body = table.tBodies[0];
  var find = form.elements.find, open = form.elements.open, show = form.elements.show;
  var reset = form.querySelector("[type=reset]"), count = document.getElementById("count"), note = document.getElementById("part-note");
  var bar = document.getElementById("picked"), picked = [];
  var part = 0, turns = 0;  // the part that is shown

  function value(field) { return field ? field.value.trim() : ""; }
  function rows() { return Array.from(body.querySelectorAll("tr[data-model]")); }
  function put(element, text) { if (element.textContent !== text) element.textContent = text; }

  function fits(row) {
    var words = value(find).toLowerCase();
    return row.cells[0].textContent.toLowerCase().indexOf(words) >= 0 && (!value(open) || row.dataset.open === value(open));
  }

  // a group is headed while one of its rows is shown
  function filter() {
    var every = rows(), heading = null, shown = 0;
    every.forEach(function (row) { row.hidden = !fits(row); shown += row.hidden ? 0 : 1; });
    Array.from(body.rows).forEach(function (row) {
      if (row.className === "group") { heading = row; row.hidden = true; } else if (heading && !row.hidden) heading.hidden = false;
    });
    put(count, shown === every.length ? "" : shown ? shown + " of " + every.length + " models" : "No model fits these choices.");
    reset.hidden = !value(find) && !value(open) && !value(show);
  }

  function fill(html, lines) {
    var ready = new DOMParser().parseFromString("<table><tbody>" + html + "</tbody></table>", "text/html");
    body.replaceChildren.apply(body, Array.from(ready.querySelector("tbody").childNodes));
    window.torr.tables.renew(table);
    note.hidden = !lines.length;
    put(note, lines.join(" "));
    rows().forEach(function (row) { if (tick(row)) tick(row).checked = picked.indexOf(row.dataset.model) >= 0; });
    limit();
  }

  function apply() {
    var wanted = show ? show.selectedIndex : 0, mine = turns += 1;
    filter();
    if (wanted === part) { table.removeAttribute("aria-busy"); return; }
    table.setAttribute("aria-busy", "true");
    window.torr.load(form.getAttribute("data-boards")).then(function (found) {
      if (mine !== turns) return;
      part = wanted;
      table.dataset.shown = value(show);
      fill(found[wanted][0], found[wanted][1]);
      filter();
      say();
      table.removeAttribute("aria-busy");
    }).catch(function () {
      if (mine !== turns) return;
      table.removeAttribute("aria-busy");
      put(count, "These figures could not be loaded; the table still shows the previous ones.");
    });
  }

  function write() {
    state.set({ find: value(find), open: value(open), show: value(show) });
    apply();
  }

  // A link may name what this study lacks: then all rows are shown, with a notice.
  state.on(function (wished) {
    [find, open, show].forEach(function (field) {
      if (!field) return;
      var text = (wished[field.name] || "").trim();
      field.value = text;
      if (field.tagName === "SELECT" && field.selectedIndex < 0) field.value = "";
      state.answer(field.name, value(field) === text ? null : text, state.label(field), field.options ? field.options[0].text : "all");
    });
    apply();
  });

  form.addEventListener("input", write);
  form.addEventListener("submit", function (event) { event.preventDefault(); });
  form.addEventListener("click", function (event) {
    if (event.target.type !== "reset") return;
    event.preventDefault();
    form.reset();
    write();
  });
  table.addEventListener("torr-sorted", function (event) {
    table.classList.toggle("by-rank", event.detail.name === "right" && event.detail.direction === "descending");
    filter();
  });

  // Two rows are ticked: their verdict, and the way to all that Compare says of them.
  function tick(row) { return row.querySelector("input.pick"); }

  // no third one, until one of the two is let go
  function limit() {
    rows().forEach(function (row) { if (tick(row)) tick(row).disabled = picked.length === 2 && picked.indexOf(row.dataset.model) < 0; });
  }

  function row(model) { return rows().find(function (each) { return each.dataset.model === model; }); }
  function named(model) {
    var element = document.createElement("bdi");
    element.textContent = row(model).querySelector("th a").textContent;
    return element;
  }

  // on the data set that the table shows; of other parts that over all questions, which is then named
  function verdict(lines) {
    var shown = value(show) ? show.options[show.selectedIndex].text : "";
    var line = lines.find(function (each) { return each[0] === shown; }) || lines[0];
    if (shown) return line[0] + ": " + line[1];
    return line[2] ? line[1] : line[1][0].toUpperCase() + line[1].slice(1);  // a difference begins with a model's name
  }

  function say() {
    var one = picked[0], other = picked[1], text = document.createElement("span"), link;
    bar.hidden = !one;
    if (!one) return;
    if (!other) {
      text.append(named(one), ": tick another model to compare it with.");
      bar.replaceChildren(text, clear);
      return;
    }
    link = document.createElement("a");
    link.className = "button";
    link.href = form.getAttribute("data-compare") + "#" + new URLSearchParams({ a: one, b: other });
    text.append("Compare ", named(one), " with ", named(other));
    link.append(text);
    bar.replaceChildren(link, clear);
    window.torr.load(form.getAttribute("data-comparisons") + "/" + row(one).dataset.place + ".js").then(function (found) {
      var lines = found[row(other).dataset.place], said = document.createElement("span");
      said.textContent = verdict(lines) + ". ";
      if (picked[0] === one && picked[1] === other) bar.replaceChildren(said, link, clear);
    }, function () { /* the link alone */ });
  }

  var clear = document.createElement("button");
  clear.type = "button";
  clear.className = "button";
  clear.textContent = "Clear";
  clear.addEventListener("click", function () {
    var last = row(picked[picked.length - 1]);
    picked = [];
    rows().forEach(function (each) { tick(each).checked = false; });
    limit();
    say();
    tick(last).focus();
  });
  body.addEventListener("change", function (event) {
    var model = event.target.closest("tr").dataset.model;
    picked = picked.filter(function (each) { return each !== model; });
    if (event.target.checked) picked.push(model);
    limit();
    say();
  });
})();
