// What a reader chose, in the address, so that a link shows the same: #dataset=wikitq&sort=performance.
// An address with no "=" is a place on the page, as ever.
(function () {
  "use strict";
  var listeners = [];

  function read() {
    var text = location.hash.slice(1);
    var found = {};
    if (text.indexOf("=") < 0) return found;
    new URLSearchParams(text).forEach(function (value, name) { found[name] = value; });
    return found;
  }

  // Sets some names, removes those that are null or "", leaves the others; no step back for every choice.
  function set(changes) {
    var next = Object.assign(read(), changes);
    var parameters = new URLSearchParams();
    Object.keys(next).forEach(function (name) {
      if (next[name] !== null && next[name] !== undefined && next[name] !== "") parameters.set(name, next[name]);
    });
    var text = parameters.toString();
    history.replaceState(null, "", text ? "#" + text : location.pathname.split("/").pop() + location.search);
  }

  window.addEventListener("hashchange", function () {
    listeners.forEach(function (listener) { listener(read()); });
  });

  // listener(state) is called at once, and whenever the address changes by a link or by hand.
  function on(listener) {
    listeners.push(listener);
    listener(read());
  }

  window.torr.state = { get: read, set: set, on: on };
})();
