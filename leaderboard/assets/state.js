// What a reader chose, in the address, so that a link shows the same: #dataset=wikitq&sort=performance.
// An address without "=" is an anchor, and leaves the choices as they are. A notice above the page lists names that the
// page lacks; the address stays, so that a reload shows the same notice, until another choice replaces the name.
(function () {
  "use strict";
  var LONGEST = 80;
  var listeners = [];
  var missing = new Map();
  var shown = null;
  var last = {};  // what was chosen when a link to a place took the address
  var notice = document.createElement("div");

  function read() {
    var text = location.hash.slice(1);
    var found = {};
    if (text && text.indexOf("=") < 0) return Object.assign(found, last);
    new URLSearchParams(text).forEach(function (value, name) { found[name] = value; });
    last = Object.assign({}, found);
    return found;
  }

  // The address with some names set, and without those that are null or ""; the others stay.
  function link(changes) {
    var next = Object.assign(read(), changes);
    var parameters = new URLSearchParams();
    Object.keys(next).forEach(function (name) {
      if (next[name] !== null && next[name] !== undefined && next[name] !== "") parameters.set(name, next[name]);
    });
    return "#" + parameters;
  }

  // Makes it that address; adds no entry to the browser's history.
  function set(changes) {
    var next = link(changes);
    history.replaceState(null, "", next === "#" ? location.pathname.split("/").pop() + location.search : next);
    read();
    Object.keys(changes).forEach(function (name) { missing.delete(name); });
    update();
    shown = location.hash;
  }

  function isolated(text) {
    var element = document.createElement("bdi");
    var letters = Array.from(text);
    element.textContent = letters.length > LONGEST ? letters.slice(0, LONGEST).join("") + "…" : text;
    return element;
  }

  // One line a name; a screen reader hears the lines when they change, and only then.
  function update() {
    var lines = Array.from(missing.values()).map(function (each) {
      var line = document.createElement("p");
      line.append("The address asks for “", isolated(each.wished), "” (", isolated(each.label), "), which cannot be shown here. Shown instead: ", isolated(each.shown), ".");
      return line;
    });
    function text(elements) { return elements.map(function (each) { return each.textContent; }).join("\n"); }
    if (text(lines) !== text(Array.from(notice.children))) notice.replaceChildren.apply(notice, lines);
  }

  // Reports the outcome for a name of the address: wished is null where it is shown, or was not asked for.
  function answer(name, wished, label, shown) {
    if (wished === null) missing.delete(name);
    else missing.set(name, { wished: wished, label: label, shown: shown });
    update();
  }

  // The label of a form control, or else its name.
  function label(control) {
    return control.getAttribute("aria-label") || (control.labels && control.labels.length ? control.labels[0].textContent.trim() : control.name);
  }

  function notify(listener) { listener(read()); }

  window.addEventListener("hashchange", function () {
    listeners.forEach(notify);
    shown = location.hash;
  });

  // listener(state) is called at once, and whenever the address changes by a link or by hand.
  function on(listener) {
    listeners.push(listener);
    notify(listener);
    shown = location.hash;
  }

  notice.className = "address-notice";
  notice.setAttribute("role", "status");
  document.querySelector("main").prepend(notice);

  window.torr.state = {
    get: read, link: link, set: set, on: on, answer: answer, label: label,
    // whether the page shows the current address: a link to another view takes effect a turn later
    current: function () { return shown === null || shown === location.hash; }
  };
})();
