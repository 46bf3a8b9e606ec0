// Pages whose tables follow choices (chosen.py): data-by of a table names its choices, in the order of the lists in the
// page's data, which have its view for each (views.js).
(function () {
  "use strict";
  var views = window.torr.views, followers = {};
  var status = document.querySelector("[data-views]");
  document.querySelectorAll("table[data-by]").forEach(function (table) {
    var by = table.dataset.by;
    followers[by] = (followers[by] || []).concat(table.dataset.view);
  });
  Object.keys(followers).forEach(function (by) {
    var choices = by.split(" ");
    views.connect(choices, status.dataset.views, status, function (data) {
      followers[by].forEach(function (name) {
        views.fill(name, choices.reduce(function (found, choice) { return found[views.index(choice)]; }, data[name]));
      });
    });
  });
})();
