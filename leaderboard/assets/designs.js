// The page of designs: what a reader chooses is put in the place of what the page has (views.js).
(function () {
  "use strict";
  var views = window.torr.views, index = views.index;
  var status = document.getElementById("designs-status");

  function title(id, other) {
    var element = document.getElementById(id);
    return element ? element.options[element.selectedIndex].text : other;
  }

  function model(id) { return title(id, status.dataset.model); }
  function at(id) { return ", " + title(id, status.dataset.first); }
  function connect(ids, show) { views.connect(ids, status.dataset.data, status, show); }

  function head(name, text, where) {
    var heading = document.querySelector('[data-title="' + name + '"]');
    var isolated = document.createElement("bdi");
    isolated.textContent = text;
    heading.replaceChildren(isolated, document.createTextNode(where));
  }

  connect(["which-model", "which-dataset"], function (data) {
    var of = model("which-model"), where = at("which-dataset"), place = index("which-dataset");
    head("choice", of, where);
    views.fill("choice", data.choice[index("which-model")][place]);
    views.fill("glance", data.glance[place]);
    views.caption("choice", "Designs for " + of + where + ", best mean first");
    views.caption("glance", "Which design for each model" + where);
  });

  connect(["changes-model", "changes-dataset"], function (data) {
    var of = model("changes-model"), where = at("changes-dataset");
    head("changes", of, where);
    views.fill("changes", data.changes[index("changes-model")][index("changes-dataset")]);
    views.caption("changes", "What each design changes for " + of + where);
  });

  connect(["all-format", "all-dataset"], function (data) {
    views.fill("everyone", data.everyone[index("all-dataset")][index("all-format")]);
    views.caption("everyone", "What each design changes, " + title("all-format", status.dataset.scope) + at("all-dataset"));
  });

  connect(["interaction-dataset"], function (data) {
    views.fill("interaction", data.interaction[index("interaction-dataset")]);
    views.caption("interaction", "Shares of the variance of mean scores" + at("interaction-dataset"));
  });

  connect(["table-model"], function (data) {
    views.fill("table", data.tables[index("table-model")]);
    views.caption("table", "Designs within formats for " + model("table-model"));
  });
})();
