// Data for the pages: a page on a disk may not fetch a file, so each comes as a script that calls torr.put or
// torr.packed with its own path. torr.load(path) gives a promise of the value; nothing is loaded twice.
(function () {
  "use strict";
  var root = document.documentElement.dataset.root || "";
  var waiting = {};
  var loaded = {};

  function unpack(text) {
    var bytes = Uint8Array.from(atob(text), function (char) { return char.charCodeAt(0); });
    var stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).text().then(JSON.parse);
  }

  function give(path, value) {
    if (Object.hasOwn(waiting, path)) waiting[path](value);
  }

  function load(path) {
    if (!Object.hasOwn(loaded, path)) {
      loaded[path] = new Promise(function (resolve, reject) {
        var element = document.createElement("script");
        waiting[path] = resolve;
        element.src = root + path;
        element.onerror = function () {
          delete loaded[path];
          reject(new Error(path + " is not there"));
        };
        element.onload = function () { element.remove(); };
        document.head.appendChild(element);
      });
    }
    return loaded[path];
  }

  // The JSON that a page itself holds: <script type="application/json" id="...">.
  function embedded(id) {
    var element = document.getElementById(id);
    return element ? JSON.parse(element.textContent) : null;
  }

  window.torr = {
    root: root,
    put: function (path, value) { give(path, value); },
    packed: function (path, text) { give(path, unpack(text)); },
    load: load,
    embedded: embedded
  };
})();
