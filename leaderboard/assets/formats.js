// The page of formats: what a reader chooses is put in the place of what the page has (views.js).
(function () {
  "use strict";
  var views = window.torr.views, index = views.index;
  var status = document.getElementById("formats-status");

  function title(id) {
    var element = document.getElementById(id);
    return element ? element.options[element.selectedIndex].text : "";
  }

  function at(id) {
    return ", " + (title(id) || status.dataset.first);
  }

  function connect(ids, show) { views.connect(ids, status.dataset.data, status, show); }

  connect(["which-model", "which-dataset"], function (data) {
    var model = title("which-model"), where = at("which-dataset");
    var found = data.formats[index("which-model")][index("which-dataset")];
    var heading = document.querySelector('[data-title="formats"]');
    var name = document.createElement("bdi");
    name.textContent = model;
    heading.replaceChildren(name, document.createTextNode(where));
    views.fill("formats", found.formats);
    views.fill("costs", found.costs);
    views.fill("glance", data.glance[index("which-dataset")]);
    views.caption("formats", "Formats for " + model + where + ", best mean first");
    views.caption("costs", "What perturbations change in " + found.best + ", the best format, for " + model + where);
    views.caption("glance", "Which format for each model" + where);
  });

  ["serializer", "perturbation"].forEach(function (part) {
    connect([part + "-dataset"], function (data) {
      views.fill("away-" + part, data.parts[part].away[index(part + "-dataset")]);
      views.caption("away-" + part, "Mean with each " + part + " minus the model’s mean" + at(part + "-dataset"));
    });
  });

  connect(["wins-of"], function (data) {
    var of = index("wins-of");
    Object.keys(data.parts).forEach(function (part) {
      var found = data.parts[part];
      views.fill("wins-" + part, found.wins[of]);
      views.caption("wins-" + part, "Win rates of each " + part + at("wins-of"));
      views.redraw("wins-" + part, found.chart[of], found.descriptions[of]);
    });
  });

  connect(["impact-dataset"], function (data) {
    views.fill("impact", data.impact[index("impact-dataset")]);
    views.caption("impact", "Score with a perturbation minus the score without" + at("impact-dataset"));
  });

  connect(["every-dataset", "every-map"], function (data) {
    var place = index("every-dataset"), wished = title("every-map");
    views.fill("strips", data.strips[place]);
    views.caption("strips", "Mean score of each configuration" + at("every-dataset"));
    // a data set may have been asked in other designs, and so have other maps
    var map = data.maps[place].find(function (each) { return each.title === wished; }) || data.maps[place][index("every-map")];
    if (!map) return;
    views.fill("map", map);
    views.caption("map", map.title + at("every-dataset") + ": mean score by serializer and perturbation");
  });
})();
