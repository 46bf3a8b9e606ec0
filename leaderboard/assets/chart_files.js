// A chart as SVG or PNG, as it is shown now: its rows, its width and the reader's theme, whose colours become plain
// ones, since a file knows no style sheet. The file is made here and loads nothing.
(function () {
  "use strict";
  var TITLE = 68;  // pixels above the chart
  var PIXELS = 2;  // of the PNG, for one of the page
  var NAMES = new Set(["domain", "sort"]);  // lists of what the data hold

  // A chain of variables and colours mixed of others, as a colour that every program reads.
  function plain(value) {
    var probe = document.createElement("span");
    probe.style.color = value;
    document.body.appendChild(probe);
    var found = getComputedStyle(probe).color;
    probe.remove();
    return found;
  }

  function coloured(part) {
    if (typeof part === "string") return /^var\(--[\w-]+\)$/.test(part) ? plain(part) : part;
    if (Array.isArray(part)) return part.map(coloured);
    if (part === null || typeof part !== "object") return part;
    return Object.fromEntries(Object.entries(part).map(function (pair) {
      return [pair[0], NAMES.has(pair[0]) ? pair[1] : coloured(pair[1])];
    }));
  }

  // Leave the data alone: a model may be called like a colour, and keeps its name.
  function withoutVariables(specification) {
    var bare = Object.assign({}, specification);
    delete bare.datasets;
    var found = coloured(bare);
    if (specification.datasets) found.datasets = specification.datasets;
    return found;
  }

  // With a fixed width, and a title, which on the page stands outside the drawing.
  function standing(specification, width, title, about) {
    var found = withoutVariables(specification);
    if (found.width === "container") {
      found.width = width;
      found.autosize = found.autosize || { type: "fit-x", contains: "padding" };
    }
    if (typeof found.height === "number") found.height += TITLE;
    found.title = { text: title, subtitle: about.filter(Boolean), anchor: "start", frame: "bounds", limit: width, offset: 12 };
    return found;
  }

  function settings() {
    var config = coloured(window.torr.chart.theme());
    config.background = plain("var(--card)");
    config.padding = 12;
    config.title = { color: plain("var(--ink)"), subtitleColor: plain("var(--soft)"), fontSize: 14, subtitleFontSize: 12 };
    return config;
  }

  // The charts of a list that are drawn, without those still loading or failed.
  function shownIn(control) { return control.dataset.shown === undefined ? control.value : control.dataset.shown; }

  // The chart's current choices: "Data set: facts; Measured by: ...".
  function choices(figure) {
    return (figure.dataset.follows || "").split(" ").map(function (id) { return document.getElementById(id); }).filter(Boolean).map(function (each) {
      var value = shownIn(each);
      var option = each.options && Array.from(each.options).find(function (one) { return one.value === value; });
      return each.labels[0].textContent.trim() + ": " + (option ? option.text : value);
    }).join("; ");
  }

  // The file's name: of the page, the chart, and what is chosen on the page; letters, digits and hyphens alone.
  function named(button) {
    var chosen = window.torr.state.get();
    document.querySelectorAll("[data-state][data-shown]").forEach(function (each) {
      chosen[each.dataset.state] = each.dataset.shown === each.dataset.first ? "" : each.dataset.shown;
    });
    var text = [button.dataset.file].concat(Object.values(chosen).filter(Boolean)).join("-");
    return text.replace(/[^A-Za-z0-9]+/g, "-").slice(0, 120).replace(/^-|-$/g, "") + "." + button.dataset.save;
  }

  function give(name, blob) {
    var link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    document.body.appendChild(link);
    link.click();
    link.remove();
    setTimeout(function () { URL.revokeObjectURL(link.href); }, 60000);
  }

  function png(view) {
    return view.toCanvas(PIXELS).then(function (canvas) {
      return new Promise(function (resolve, reject) {
        canvas.toBlob(function (blob) {
          if (blob) resolve(blob);
          else reject(new Error("the browser makes no PNG of this size"));
        }, "image/png");
      });
    });
  }

  function svg(view) {
    return view.toSVG().then(function (text) { return new Blob([text], { type: "image/svg+xml" }); });
  }

  function save(button) {
    var figure = button.closest("figure"), drawing = figure.querySelector("[data-chart]");
    var about = [document.title, choices(figure)], outcome = figure.querySelector("[data-saved]");
    var result = null;
    outcome.textContent = "";
    return window.torr.chart.vega().then(function (embed) {
      var title = figure.querySelector("figcaption").textContent;
      var found = standing(window.torr.chart.specification(drawing.dataset.chart), drawing.clientWidth || 720, title, about);
      return embed(document.createElement("div"), found, {
        logLevel: 1, mode: "vega-lite", actions: false, ast: true, config: settings(), defaultStyle: false, renderer: "none",
        tooltip: false
      });
    }).then(function (made) {
      result = made;
      return button.dataset.save === "png" ? png(made.view) : svg(made.view);
    }).then(function (blob) {
      give(named(button), blob);
    }).catch(function (error) {
      outcome.textContent = " This file could not be made (" + (error && error.message || "no reason given") + ").";
    }).then(function () { if (result) result.finalize(); });
  }

  document.addEventListener("click", function (event) {
    var button = event.target instanceof Element && event.target.closest("button[data-save]");
    if (button) save(button);
  });
})();
