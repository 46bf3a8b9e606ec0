// Draws the charts of a page with Vega-Lite when they come into view, in the colours of the reader's theme.
// Colours are the style sheet's variables wherever Vega can hand them on as they are, so that print and a change of
// theme need nothing; scales that mix colours need real ones, and so charts are drawn again when the theme changes.
(function () {
  "use strict";
  var library = null;
  var views = new WeakMap();
  var replaced = {};
  var labels = new WeakMap();  // each chart's own label, which Vega overwrites while it draws
  var latest = new WeakMap();  // which specification was asked for last
  var queues = new WeakMap();
  var drawing = 0;

  function vega() {
    if (!library) {
      library = new Promise(function (resolve, reject) {
        var element = document.createElement("script");
        element.src = window.torr.root + "assets/vega.js";
        element.onload = function () { resolve(window.vegaEmbed); };
        element.onerror = function () { reject(new Error("assets/vega.js is not there")); };
        document.head.appendChild(element);
      });
    }
    return library;
  }

  function colour(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  }

  function colours(names) { return names.map(colour); }

  function variable(name) { return "var(" + name + ")"; }

  function theme() {
    var ink = variable("--ink"), soft = variable("--soft"), line = variable("--line");
    var shades = ["--s0", "--s1", "--s2", "--s3", "--s4", "--s5", "--s6", "--s7", "--s8"];
    return {
      aria: false,
      background: "transparent",
      font: getComputedStyle(document.body).fontFamily,
      view: { stroke: null },
      axis: {
        labelColor: soft, titleColor: soft, gridColor: line, domainColor: line, tickColor: line, titleFontWeight: "normal",
        labelFontSize: 12, titleFontSize: 12, labelLimit: 150
      },
      legend: { labelColor: ink, titleColor: soft, titleFontWeight: "normal", labelFontSize: 12, titleFontSize: 12 },
      header: { labelColor: ink, titleColor: soft },
      title: { color: ink },
      mark: { color: variable("--series-1") },
      text: { color: ink },
      rule: { color: ink },
      range: {
        category: [1, 2, 3, 4, 5, 6, 7, 8].map(function (number) { return variable("--series-" + number); }),
        ramp: colours(shades), heatmap: colours(shades),
        diverging: colours(["--robustness", "--card", "--performance"])
      }
    };
  }

  function failed(element, error) {
    var notice = document.createElement("p");
    notice.className = "legend failed";
    notice.textContent = "This chart could not be drawn (" + (error && error.message || "no reason given") + ").";
    element.replaceChildren(notice);
    element.dataset.drawn = "no";
  }

  // Vega keeps groups in plain objects, where a label such as "constructor" finds what all objects have: such labels
  // get a space behind them that is not seen.
  var ofEveryObject = new Set(Object.getOwnPropertyNames(Object.prototype));
  function groupable(part) {
    if (typeof part === "string") return ofEveryObject.has(part) ? part + "\u00a0" : part;
    if (Array.isArray(part)) return part.map(groupable);
    if (part === null || typeof part !== "object") return part;
    return Object.fromEntries(Object.entries(part).map(function (pair) {
      return [groupable(pair[0]), groupable(pair[1])];
    }));
  }

  // Draws a specification into an element, replacing its content, and returns a promise; an error is shown in the
  // element. Drawing is sequential, as an older drawing could otherwise finish last and stay; of several requests during
  // a drawing only the last is drawn. The element has role="img" and a label.
  function draw(element, specification) {
    var mine = {};
    latest.set(element, mine);
    drawing += 1;
    var done = (queues.get(element) || Promise.resolve()).then(function () {
      return latest.get(element) === mine ? embedded(element, specification) : null;
    }).then(function () { drawing -= 1; });
    queues.set(element, done);
    return done;
  }

  function embedded(element, specification) {
    if (specification.datasets && specification.datasets.rows && !specification.datasets.rows.length) {
      // its rows come by script, or there are none: Vega would warn of an axis without an end
      element.replaceChildren();
      element.dataset.drawn = "empty";
      return null;
    }
    return vega().then(function (embed) {
      return embed(element, groupable(specification), {
        // errors alone: Vega warns of every axis that has nothing to show
        logLevel: 1, mode: "vega-lite", actions: false, ast: true, config: theme(), defaultStyle: false, renderer: "svg",
        tooltip: { disableDefaultStyle: true }
      });
    }).then(function (result) {
      var before = views.get(element);
      if (before) before.finalize();
      views.set(element, result);
      widths.observe(element);
      // the element's own label and the numbers beside it speak for the drawing
      element.querySelectorAll("svg").forEach(function (svg) { svg.setAttribute("aria-hidden", "true"); });
      // Vega has put its own in their place
      element.setAttribute("aria-label", labels.get(element));
      element.setAttribute("role", "img");
      element.dataset.drawn = "yes";
    }).catch(function (error) { failed(element, error); });
  }

  // Vega looks at its container's width when the window's changes; here also when only the container's does.
  var last = new WeakMap();
  var waiting = false;
  var widths = new ResizeObserver(function (entries) {
    var changed = false;
    entries.forEach(function (entry) {
      var width = Math.round(entry.contentRect.width), before = last.get(entry.target);
      last.set(entry.target, width);
      changed = changed || (width > 0 && before !== undefined && before !== width);
    });
    if (!changed || waiting) return;
    waiting = true;
    requestAnimationFrame(function () {
      waiting = false;
      window.dispatchEvent(new Event("resize"));
    });
  });

  function specification(name) {
    var holder = document.querySelector('[data-specification="' + CSS.escape(name) + '"]');
    if (!holder) return null;
    var found = JSON.parse(holder.textContent);
    if (Object.hasOwn(replaced, name)) found.datasets = { rows: replaced[name] };
    return found;
  }

  function show(element) {
    var found = specification(element.dataset.chart);
    return found ? draw(element, found) : Promise.resolve();
  }

  // Draws a chart of the page with other rows and their description, now or when it comes into view.
  function redraw(name, rows, description) {
    replaced[name] = rows;
    var element = document.querySelector('[data-chart="' + CSS.escape(name) + '"]');
    if (!element) return;
    if (description !== undefined) {
      labels.set(element, description);
      element.setAttribute("aria-label", description);
    }
    if (drawn.has(element)) show(element);
  }

  var drawn = new Set();
  function first(element) {
    if (drawn.has(element)) return;
    drawn.add(element);
    show(element);
  }
  var watcher = new IntersectionObserver(function (entries) {
    entries.forEach(function (entry) {
      if (entry.isIntersecting) first(entry.target);
    });
  }, { rootMargin: "400px" });
  document.querySelectorAll("[data-chart]").forEach(function (element) {
    labels.set(element, element.getAttribute("aria-label"));
    watcher.observe(element);
  });

  // Draws the other charts when the browser is idle, so that they can be printed and searched.
  var idle = window.requestIdleCallback || function (run) { return setTimeout(run, 200); };
  function others() {
    var next = Array.from(document.querySelectorAll("[data-chart]")).find(function (element) {
      return !drawn.has(element) && element.getClientRects().length > 0;
    });
    if (!next) return;
    drawn.add(next);
    show(next).then(function () { idle(others); });
  }
  window.addEventListener("load", function () { idle(others); });

  // a change of theme draws again what is drawn
  function again() { drawn.forEach(show); }
  document.addEventListener("torr-theme", again);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);

  // what chart_files.js makes files of: a chart with the rows that it shows now
  window.torr.chart = {
    vega: vega,
    theme: theme,
    specification: function (name) {
      var found = specification(name);
      return found && groupable(found);
    }
  };
  window.torr.redraw = redraw;
  window.torr.drawing = function () { return drawing > 0; };
  window.torr.colour = colour;
})();
