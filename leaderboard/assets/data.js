// Data for the pages: a page on a disk may not fetch a file, so each comes as a script that calls torr.put or
// torr.packed with its own path. torr.load(path) returns a promise of the value; only a failed
// file is loaded again.
// While anything is loading, torr.busy() is true. A page whose address asks for a view is hidden ("asked", look.js) until
// all that the view needs is there; torr.reveal() shows it before.
(function () {
  "use strict";
  var root = document.documentElement.dataset.root || "";
  var waiting = {};
  var loaded = {};
  var loading = 0;
  var read = false;  // whether all scripts of the page have run

  function unpack(text) {
    var bytes = Uint8Array.from(atob(text), function (char) { return char.charCodeAt(0); });
    var stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).text().then(JSON.parse);
  }

  function give(path, value) {
    if (!Object.hasOwn(waiting, path)) return;
    waiting[path](value);
    delete waiting[path];
  }

  function reveal() { document.documentElement.classList.remove("asked"); }
  function settle() { if (read && !loading) reveal(); }

  function begin(promise) {
    loading += 1;
    // a turn later: by then the callbacks have shown the value, or requested more
    function end() { setTimeout(function () { loading -= 1; settle(); }, 0); }
    promise.then(end, end);
    return promise;
  }

  function load(path) {
    if (!Object.hasOwn(loaded, path)) {
      loaded[path] = begin(new Promise(function (resolve, reject) {
        var element = document.createElement("script");
        waiting[path] = resolve;
        element.src = root + path;
        element.onerror = function () {
          delete waiting[path];
          reject(new Error(path + " is not there"));
        };
        element.onload = function () {
          element.remove();
          // a truncated or wrong file gives no value, so fail instead of waiting
          if (!Object.hasOwn(waiting, path)) return;
          delete waiting[path];
          reject(new Error(path + " does not hold its data"));
        };
        document.head.appendChild(element);
      }));
      // retry a failed file on the next request
      loaded[path].catch(function () { delete loaded[path]; });
    }
    return loaded[path];
  }

  // The JSON that a page itself holds: <script type="application/json" id="...">.
  function embedded(id) {
    var element = document.getElementById(id);
    return element ? JSON.parse(element.textContent) : null;
  }

  document.addEventListener("DOMContentLoaded", function () { read = true; settle(); });

  window.torr = {
    root: root,
    busy: function () { return loading > 0; },
    reveal: reveal,
    put: function (path, value) { give(path, value); },
    packed: function (path, text) { give(path, unpack(text)); },
    load: load,
    embedded: embedded
  };
})();
