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
    var heading = document.querySelector('[data-title="formats"]');
    var name = document.createElement("bdi");
    name.textContent = model;
    heading.replaceChildren(name, document.createTextNode(where));
    views.fill("formats", data.formats[index("which-model")][index("which-dataset")]);
    views.fill("glance", data.glance[index("which-dataset")]);
    views.caption("formats", "Formats for " + model + where + ", best mean first");
    views.caption("glance", "What to use for each model" + where);
  });

  connect(["away-dataset"], function (data) {
    views.fill("away", data.away[index("away-dataset")]);
    views.caption("away", "Mean with each format minus the model’s mean" + at("away-dataset"));
  });

  connect(["impact-dataset"], function (data) {
    views.fill("impact", data.impact[index("impact-dataset")]);
    views.caption("impact", "Score with a change minus the score without" + at("impact-dataset"));
  });

  connect(["wins-of"], function (data) {
    Object.keys(data.wins).forEach(function (part) {
      views.fill("wins-" + part, data.wins[part][index("wins-of")]);
      views.caption("wins-" + part, "How often each " + part + " scores higher" + at("wins-of"));
    });
  });

  connect(["every-dataset", "every-map"], function (data) {
    var place = index("every-dataset"), wished = title("every-map");
    // a data set may have been asked in other designs, and so have other maps
    var map = data.maps[place].find(function (each) { return each.title === wished; }) || data.maps[place][index("every-map")];
    if (!map) return;
    views.fill("map", map);
    views.caption("map", map.title + at("every-dataset") + ": mean score of each configuration");
  });
})();
